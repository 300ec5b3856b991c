"""Spaces between texts that touch.

Inline elements next to each other are either parts of a line that a style sheet sets apart (a name and a
date, labels, buttons), or formatting inside a word (a drop cap, half a word in bold). The style sheet is not known
here. The rule looks at the characters at the joint, and at the two elements directly below the innermost element
around both texts. `bench/glued.py` measures it against gold text; docs/internals.md has the figures.
"""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.document._tables cimport builder_t
from ncleaner.document._tags cimport (
    CONTEXT_CODE, SIDE_FORMAT, SIDE_LINK, SIDE_OTHER, SIDE_SHIFTED, SIDE_TEXT, TAG_CODE,
)
from ncleaner.parsing._cues cimport value_at
from ncleaner.parsing._structs cimport is_same
from ncleaner.text._ascii cimport begins, fill_words, find_any, is_digit, words_t
from ncleaner.text._letters cimport (
    LOWER, NO_LETTER, UNCASED, UPPER, decode_utf8, is_unspaced, is_white, letter_case,
)

from ncleaner.parsing._cues import CLASSES

# --------------------------------------------------------------------------------------------------
# Joints.

cdef enum:
    # A class of fewer letters (`c1`, `s2`) is one that an editor gave to formatting.
    SHORT_CLASS = 4


cdef bint _is_unspaced(uint32_t code) noexcept nogil:
    """Returns whether a character is of a script without spaces between words, or punctuation or a wide form of one."""
    return is_unspaced(code) or 0x3000 <= code <= 0x303F or 0xFF00 <= code <= 0xFFEF


cdef inline bint _opens(uint32_t code) noexcept nogil:
    return code == c'(' or code == c'[' or code == c'{' or code == 0xAB or code == 0x2018 or code == 0x201C \
        or code == 0x201E


cdef inline bint _closes(uint32_t code) noexcept nogil:
    return (
        code == c',' or code == c'.' or code == c';' or code == c':' or code == c'!' or code == c'?' or code == c')'
        or code == c']' or code == c'}' or code == c'%' or code == c"'" or code == 0xBB or code == 0x2019
        or code == 0x201D or code == 0x2026 or 0x3001 <= code <= 0x3002
    )


cdef inline bint _separates(uint32_t code) noexcept nogil:
    """Returns whether a character is between the parts of a line: • · | › → and similar ones."""
    return code == c'|' or code == 0xB7 or code == 0x2022 or code == 0x203A or code == 0x2192


cdef inline bint _is_currency(uint32_t code) noexcept nogil:
    return code == c'$' or code == 0xA3 or code == 0xA5 or code == 0x20AC


cdef int _transition(uint32_t a, uint32_t b) noexcept nogil:
    """Returns what the characters `a` and `b` at a joint say by themselves (CLOSED … HARD)."""
    cdef int before = letter_case(a), after = letter_case(b)
    if _closes(b) or _opens(a):
        return CLOSED
    if before != NO_LETTER and after != NO_LETTER:
        if before == UNCASED or after != UPPER:
            return SOFT
        if is_digit(b):
            return CAPS if is_digit(a) else HARD
        return HARD if before == LOWER or is_digit(a) else CAPS
    if before == UNCASED or after == UNCASED:
        return NEUTRAL
    if before != NO_LETTER:
        return HARD if _opens(b) or _is_currency(b) or _separates(b) else NEUTRAL
    if _separates(a):
        return HARD if after != NO_LETTER else NEUTRAL
    if a == c'"' or a == 0xAE or a == 0x2122 or _closes(a) and a != c"'" and a != 0x2019 and a != c',' and a != c';':
        if after == UPPER:
            return HARD if not is_digit(b) or a == c')' or a == c']' or a == c'%' else NEUTRAL
        if a != c':' and (_opens(b) or _is_currency(b)):
            return HARD
    return NEUTRAL


cdef uint32_t last_written(const builder_t* b, size_t skip) noexcept nogil:
    """Returns the last character of the open segment, or the one before it if `skip` is 1; 0 if there is none."""
    cdef const unsigned char* text = <const unsigned char*> b.text
    cdef size_t at = b.mark
    cdef uint32_t code = 0
    while at > b.base:
        at -= 1
        if text[at] & 0xC0 != 0x80:
            if not skip:
                decode_utf8(text + at, b.mark - at, &code)
                return code
            skip -= 1
    return 0


cdef int joint(builder_t* b, const unsigned char* data, size_t length) noexcept nogil:
    """Returns CLOSED if text that is added now touches no text, or never needs a space; otherwise its transition.

    The length of `data` must not be 0."""
    cdef uint32_t first
    if not b.open or b.space or b.pres or is_white(data[0]):
        return CLOSED
    decode_utf8(data, length, &first)
    # White space beyond ASCII, and characters that the dump drops or that are invisible.
    if first == 0xA0 or first == 0xAD or 0x2000 <= first <= 0x200F \
            or 0x2028 <= first <= 0x202F or first == 0x3000 or first == 0xFEFF:
        return CLOSED
    return _transition(last_written(b, 0), first)


cdef void begin_side(side_t* side, const unsigned char* text, size_t length) noexcept nogil:
    """Sets a side to the text at the joint. `widen_side` then adds the elements around it, from the innermost on."""
    cdef size_t i = 0, signs = 0
    cdef bint gap = False
    side.kind = SIDE_TEXT
    side.spaced = side.link = False
    side.levels = 0
    side.tag = 0
    side.name.length = side.style.length = side.href.length = 0
    for i in range(length):
        if is_white(text[i]):
            gap |= signs > 0
        elif text[i] & 0xC0 != 0x80:
            signs += 1
            if gap:
                side.spaced = True
                break
    side.single = signs < 2 and not side.spaced


cdef words_t ASIDE
fill_words(&ASIDE, CLASSES["for screen readers"])


cdef bint _has_aside(const side_t* side) noexcept nogil:
    """Returns whether the text is inside an element that only screen readers show."""
    cdef int i
    for i in range(side.levels):
        if find_any(side.names[i].data, side.names[i].length, &ASIDE):
            return True
    return False


cdef void widen_side(
    side_t* side, int kind, uint32_t tag, const str_t* name, const str_t* style, const str_t* href
) noexcept nogil:
    side.kind = <uint8_t> kind
    side.tag = tag
    side.name = name[0]
    side.style = style[0]
    if name.length and side.levels <= JOINT_LEVELS:
        side.names[side.levels] = name[0]
        side.levels += 1
    if kind == SIDE_LINK:
        side.link = True
        side.href = href[0]


cdef bint _is_box(const str_t* value) noexcept nogil:
    """Returns whether a style attribute makes an element a box of its own in the line: inline-block, inline-flex, …"""
    cdef size_t at = value_at(value.data, value.length, b"display:")
    return at > 0 and begins(value.data + at, value.length - at, b"inline-")


cdef bint _splits_small(const side_t* left, const side_t* right) noexcept nogil:
    """Returns whether two elements are apart although the characters look like the inside of a word.

    An editor leaves elements of the same class, or without a class, or with a style. Elements that stand for
    different parts of a line have different names."""
    if left.tag != right.tag or left.kind != right.kind:
        return left.name.length > 0 or right.name.length > 0
    if left.style.length or right.style.length:
        return _is_box(&left.style) and _is_box(&right.style)
    return (
        left.name.length >= SHORT_CLASS and right.name.length >= SHORT_CLASS
        and not is_same(&left.name, &right.name)
    )


cdef bint is_apart(
    builder_t* b, const unsigned char* data, size_t length, const side_t* left, const side_t* right, bint among_text
) noexcept nogil:
    """Returns whether a space belongs before `data`, which touches the text of the open segment.

    Args:
        data: text of at least one byte, for which `joint` does not return CLOSED.
        left, right: what is on the two sides.
        among_text: there is bare text directly before the left element or directly after the right one."""
    cdef uint32_t a = last_written(b, 0), first, before
    cdef const side_t* only
    decode_utf8(data, length, &first)
    cdef int how = _transition(a, first)
    cdef bint words = letter_case(a) != NO_LETTER and letter_case(first) != NO_LETTER
    if left.tag == TAG_CODE and right.tag == TAG_CODE and words:
        # two names, each in a box of its own
        return True
    if b.context >> CONTEXT_CODE & 1 and b.runs[b.n_runs - 1].context >> CONTEXT_CODE & 1:
        return False
    if left.link and right.link:
        # The parts of one link that an editor has cut have the same target, and are in running text.
        return how != SOFT or left.href.length < 2 or left.href.data[0] == c'#' \
            or not is_same(&left.href, &right.href) \
            or not (among_text or left.single or right.single)
    if how == NEUTRAL:
        return False
    if b.object:
        return not (_is_unspaced(a) and _is_unspaced(first))
    if left.kind == SIDE_TEXT and right.kind == SIDE_TEXT or left.single and right.single:
        return False
    if (how != HARD or left.kind < SIDE_LINK or right.kind < SIDE_LINK) and (_has_aside(left) or _has_aside(right)):
        return True
    if left.kind == SIDE_SHIFTED or right.kind == SIDE_SHIFTED:
        return False
    before = last_written(b, 1)
    if a == c'.' and not left.spaced and not is_digit(before) or a == c':' and before == c':':
        return False  # a qualified name: `json.Decoder`, `std::string`
    if left.kind == SIDE_TEXT or right.kind == SIDE_TEXT:
        only = right if left.kind == SIDE_TEXT else left
        if a == c':' and how == HARD and left.kind == SIDE_FORMAT and left.spaced:
            return True  # `<cite>Ann wrote:</cite>I think …`
        if only.kind != SIDE_OTHER or how != HARD or left.single or right.single:
            return False
        if letter_case(first) != UPPER or is_digit(first):
            return False
        return a == c':' or words and only.name.length > 0 and (left.spaced or right.spaced)
    if (left.single or right.single) and not (how == HARD and (words or _separates(a) or _separates(first))):
        return False
    if left.kind == SIDE_FORMAT or right.kind == SIDE_FORMAT:
        return not among_text and how == HARD and (
            left.tag != right.tag or not is_same(&left.name, &right.name)
        )
    if how == HARD:
        return True
    if among_text:
        return False
    if how == CAPS:
        return left.tag != right.tag or left.name.length or right.name.length or left.spaced and right.spaced
    return _splits_small(left, right)
