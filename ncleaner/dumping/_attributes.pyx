"""Which attributes say what: the marks of languages of code, callouts, cells, pictures and scripts.

The walk gives attributes as written; all rules about them are here.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ncleaner.document._marks cimport (
    ALIGN_CENTER, ALIGN_LEFT, ALIGN_RIGHT, LONGEST_TEXT, MARK_ALIGN, MARK_ALT, MARK_BASE, MARK_CALLOUT, MARK_COLUMNS,
    MARK_HEADING, MARK_ID, MARK_IMAGE, MARK_LANGUAGE, MARK_LAYOUT, MARK_LEVEL, MARK_LINK, MARK_MEDIA, MARK_ROWS,
    MARK_SOURCES, MARK_START, MARK_TIME, MARK_TYPESET, MARK_VALUE, STYLE_BOLD, STYLE_ITALIC, STYLE_LIGHT, STYLE_UPRIGHT,
    add_mark, add_text_mark,
)
from ncleaner.document._tags cimport (
    TAG_A, TAG_CODE, TAG_FIGURE, TAG_LI, TAG_OL, TAG_PLAINTEXT, TAG_PRE, TAG_TABLE, TAG_TD, TAG_TH, TAG_UL,
)
from ncleaner.parsing._cues cimport (
    CALLOUT_CLASSES, OF_ALIGN, OF_ALT, OF_BASE, OF_CALLOUT, OF_CLASS, OF_COLSPAN, OF_DATETIME, OF_DISPLAY, OF_HEIGHT,
    OF_HREF, OF_ID, OF_LANGUAGE, OF_LEVEL, OF_NAME, OF_ROLE, OF_ROWSPAN, OF_SRC, OF_START, OF_STYLE, OF_TYPE, OF_VALUE,
    OF_WIDTH, SCRIPT_BYTES, has_dollars, is_one_of, next_name, typesets, value_at,
)
from ncleaner.text._ascii cimport (
    begins, begins_any, fill_words, find, find_any, is_digit, is_letter, table_of, words_t,
)
from ncleaner.text._letters cimport is_white

from ncleaner.parsing._cues import CLASSES
from ncleaner.text.wordlists import word_lists

cdef enum:
    LONGEST_ID = 200
    LONGEST_LANGUAGE = 24
    MOST_SPAN = 65_534       # as in the HTML standard
    DOT = 2                  # pixels of an image that only counts readers
    ICON = 32

# `attributes.txt` says what these are, and how to add one.
WORDS = word_lists(
    "dumping/attributes", "languages", "before languages", "before languages of code",
    "next is a language, as written", "next is a language in figures", "no languages", "late images", "images by size",
    "display", "scripts of formulas",
)
cdef const char** LANGUAGES = table_of(WORDS["languages"])
cdef const char** PREFIXES = table_of(WORDS["before languages"])
cdef const char** CODE_PREFIXES = table_of(WORDS["before languages of code"])
cdef const char** NAMED_NEXT = table_of(WORDS["next is a language, as written"])
cdef const char** NAMED_NEXT_IN_FIGURES = table_of(WORDS["next is a language in figures"])
cdef const char** NONE = table_of(WORDS["no languages"])
cdef const char** LATE_SOURCES = table_of(WORDS["late images"])
cdef const char** SOURCE_SETS = table_of(WORDS["images by size"])
cdef words_t DISPLAY
fill_words(&DISPLAY, WORDS["display"])
cdef words_t TYPESETTERS
fill_words(&TYPESETTERS, WORDS["scripts of formulas"])
# Few classes of elements other than <pre> and <code> have one of these: what is before a language.
cdef words_t HINTS
fill_words(&HINTS, [word for section in (
    "before languages", "next is a language, as written", "next is a language in figures"
) for word in map(str.lower, WORDS[section])])

cdef const char** CALLOUTS = table_of(CLASSES["callouts"])
cdef const char** CALLOUT_PREFIXES = table_of(CLASSES["before callouts"])
cdef const char** CALLOUT_BOXES = table_of(CLASSES["boxes of callouts"])


cdef bint _number(const unsigned char* text, size_t length, int32_t* number) noexcept nogil:
    """Reads a whole number of at most nine digits, as browsers do; further digits are as the largest number."""
    cdef size_t i = 0
    cdef bint minus = False
    cdef int digits = 0
    cdef int32_t found = 0
    while i < length and is_white(text[i]):
        i += 1
    if i < length and (text[i] == c'-' or text[i] == c'+'):
        minus = text[i] == c'-'
        i += 1
    while i < length and is_digit(text[i]):
        found = found * 10 + text[i] - c'0' if digits < 9 else 999_999_999
        digits += found > 0
        i += 1
        number[0] = -found if minus else found
        if i == length or not is_digit(text[i]):
            return True
    return False


cdef void _span(builder_t* b, int kind, const unsigned char* value, size_t length, int32_t none) noexcept nogil:
    cdef int32_t number
    if not _number(value, length, &number) or number < 0:
        return
    if number == 0:
        number = none
    if number != 1:
        add_mark(b, kind, <uint32_t> min(number, MOST_SPAN))


cdef void _align(builder_t* b, const unsigned char* value, size_t length) noexcept nogil:
    while length and is_white(value[0]):
        value += 1
        length -= 1
    if begins(value, length, b"left"):
        add_mark(b, MARK_ALIGN, ALIGN_LEFT)
    elif begins(value, length, b"center") or begins(value, length, b"middle"):
        add_mark(b, MARK_ALIGN, ALIGN_CENTER)
    elif begins(value, length, b"right"):
        add_mark(b, MARK_ALIGN, ALIGN_RIGHT)


cdef inline bint _is_of_language(uint8_t c) noexcept nogil:
    """Whether a character may be in the name of a language: `c++`, `objective-c`, `f#`."""
    return is_letter(c) or is_digit(c) or c == c'+' or c == c'#' or c == c'-' or c == c'_' or c == c'.'


cdef bint _language(builder_t* b, const unsigned char* name, size_t length) noexcept nogil:
    """Notes the name of a language, if it is one; returns whether it is."""
    cdef size_t n = 0
    cdef int32_t element
    while n < length and _is_of_language(name[n]):
        n += 1
        if n > 1 and name[n - 1] == c'_' and name[n - 2] == c'_':
            # an element of a block by the convention BEM: `code-block__code`
            return False
    if not n or n > LONGEST_LANGUAGE or not is_letter(name[0]) or (n < length and name[n] != c';'):
        return False
    if begins_any(name, n, NONE) == n:
        return False
    add_text_mark(b, MARK_LANGUAGE, name, n)
    if b.pres and b.n_marks:
        # below <pre>, it is that of the whole
        element = b.element
        while element >= 0 and not TAG_PRE <= b.elements[element].tag <= TAG_PLAINTEXT:
            element = b.elements[element].parent
        b.marks[b.n_marks - 1].element = element
    return True


cdef void _language_of_class(builder_t* b, int tag, const unsigned char* value, size_t length) noexcept nogil:
    """Looks for a programming language among the names of a class attribute."""
    cdef size_t start, end = 0, n, size
    cdef bint is_next = False, is_code = tag == TAG_PRE or tag == TAG_CODE, is_prefix
    if not is_code and not find_any(value, length, &HINTS):
        return
    while next_name(value, length, &start, &end):
        n = end - start
        size = begins_any(value + start, n, PREFIXES)
        is_prefix = size > 0 or is_code
        size = size or begins_any(value + start, n, CODE_PREFIXES)
        if size:
            if is_prefix and _language(b, value + start + size, n - size):
                return
        elif is_next and _language(b, value + start, n):
            return
        is_next |= is_one_of(value + start, n, NAMED_NEXT) or tag == TAG_FIGURE and is_one_of(
            value + start, n, NAMED_NEXT_IN_FIGURES
        )
    end = 0
    while is_code and next_name(value, length, &start, &end):
        if begins(value + start, end - start, b"sp-"):
            # Sandpack
            start += 3
        if is_one_of(value + start, end - start, LANGUAGES):
            _language(b, value + start, end - start)
            return


cdef void mark_callout(builder_t* b, const unsigned char* class_, size_t length) noexcept nogil:
    """Notes the kind of callout that is among the names of a class attribute, if there is one."""
    cdef size_t begin, end = 0, size, prefix, kind_length = 0
    cdef const unsigned char* kind = NULL
    cdef bint is_box = False, is_whole
    while next_name(class_, length, &begin, &end):
        size = end - begin
        prefix = begins_any(class_ + begin, size, CALLOUT_PREFIXES)
        is_whole = is_one_of(class_ + begin, size, CALLOUT_CLASSES)
        if is_whole or is_one_of(class_ + begin + prefix, size - prefix, CALLOUTS):
            kind, kind_length = class_ + begin + prefix, size - prefix
            is_box |= is_whole or prefix > 0
        is_box |= is_one_of(class_ + begin, size, CALLOUT_BOXES)
    if is_box and kind != NULL:
        add_text_mark(b, MARK_CALLOUT, kind, kind_length)


cdef void mark_attribute(
    builder_t* b, int tag, int which, const unsigned char* value, size_t length
) noexcept nogil:
    """Notes what an attribute of the element that was opened last says.

    Args:
        tag: code of its tag.
        which: OF_…
        value: as written.
    """
    cdef int32_t number
    cdef size_t at
    if which == OF_HREF:
        if tag == TAG_A:
            add_text_mark(b, MARK_LINK, value, length)
    elif which == OF_DATETIME:
        if length <= LONGEST_ID:
            add_text_mark(b, MARK_TIME, value, length)
    elif which == OF_BASE:
        add_text_mark(b, MARK_BASE, value, length)
    elif which == OF_ID or which == OF_NAME and tag == TAG_A:
        if 0 < length <= LONGEST_ID:
            add_text_mark(b, MARK_ID, value, length)
    elif which == OF_CLASS and (tag == TAG_OL or tag == TAG_UL):
        at = find(value, length, b"lst-kix_")
        # Google Docs: `lst-kix_kyx9e2-0`
        while 0 < at < length and not is_white(value[at]):
            at += 1
        if at and is_digit(value[at - 1]):
            add_mark(b, MARK_LEVEL, value[at - 1] - c'0' + 1)
    elif which == OF_CLASS:
        _language_of_class(b, tag, value, length)
    elif which == OF_ROLE and tag < TAG_FIGURE:
        if length == 7 and begins(value, length, b"heading"):
            add_mark(b, MARK_HEADING, 2)
    elif which == OF_LEVEL:
        if b.n_marks and length == 1 and c'1' <= value[0] <= c'6' and b.marks[b.n_marks - 1].kind == MARK_HEADING \
                and b.marks[b.n_marks - 1].element == b.element:
            b.marks[b.n_marks - 1].value = value[0] - c'0'
    elif which == OF_CALLOUT:
        if is_one_of(value, length, CALLOUTS):
            add_text_mark(b, MARK_CALLOUT, value, length)
    elif which == OF_LANGUAGE:
        # Confluence has the words of a class here
        if not _language(b, value, length):
            _language_of_class(b, tag, value, length)
    elif which == OF_START and tag == TAG_OL:
        if _number(value, length, &number):
            add_mark(b, MARK_START, <uint32_t> number)
    elif which == OF_VALUE and tag == TAG_LI:
        if _number(value, length, &number):
            add_mark(b, MARK_VALUE, <uint32_t> number)
    elif which == OF_ROLE and tag == TAG_TABLE:
        if begins(value, length, b"presentation") or begins(value, length, b"none"):
            add_mark(b, MARK_LAYOUT, 0)
    elif tag == TAG_TD or tag == TAG_TH:
        if which == OF_COLSPAN:
            _span(b, MARK_COLUMNS, value, length, 1)
        elif which == OF_ROWSPAN:
            _span(b, MARK_ROWS, value, length, MOST_SPAN)
        elif which == OF_ALIGN:
            _align(b, value, length)
        elif which == OF_STYLE:
            at = find(value, length, b"text-align:")
            if at:
                _align(b, value + at, length - at)


cdef void open_picture(picture_t* picture) noexcept nogil:
    picture.source = picture.alt = NULL
    picture.late = False
    picture.width = picture.height = -1


cdef void picture_attribute(
    builder_t* b, picture_t* picture, int which, const unsigned char* name, size_t length, const str_t* value
) noexcept nogil:
    """Reads an attribute of an <img>, or of a <source> before it: its number, or its name if it has none."""
    if which == OF_ALT:
        picture.alt = value
    elif which == OF_SRC:
        if not picture.late:
            picture.source = value
    elif which == OF_WIDTH:
        _number(value.data, value.length, &picture.width)
    elif which == OF_HEIGHT:
        _number(value.data, value.length, &picture.height)
    elif is_one_of(name, length, LATE_SOURCES):
        picture.source = value
        picture.late = True
    elif is_one_of(name, length, SOURCE_SETS):
        add_text_mark(b, MARK_SOURCES, value.data, value.length)


cdef inline bint _is_ratio(int32_t width, int32_t height) noexcept nogil:
    """Whether a size is not in pixels, but the ratio of an image that fills its place."""
    cdef int32_t longer = max(width, height), shorter = min(width, height)
    return longer == 16 and shorter == 9 or longer == 3 and shorter == 2 or longer == 4 and shorter == 3 \
        or longer == 5 and shorter == 4


cdef void mark_picture(builder_t* b, const picture_t* picture, bint media) noexcept nogil:
    """Notes an image, or with `media` a video, a sound or a player.

    One is left out whose size says that it only counts readers, or is an icon. An image without an address that can be
    shown has an empty one: those of its `srcset` may be known."""
    cdef const str_t* source = picture.source
    if not _is_ratio(picture.width, picture.height) and (
        0 <= picture.width <= DOT or 0 <= picture.height <= DOT
        or 0 <= picture.width <= ICON and 0 <= picture.height <= ICON
    ):
        return
    if media:
        add_mark(b, MARK_MEDIA, 0)
    if source == NULL or source.length > LONGEST_TEXT or begins(source.data, source.length, b"data:"):
        add_text_mark(b, MARK_IMAGE, b"", 0)
    else:
        add_text_mark(b, MARK_IMAGE, source.data, source.length)
    if picture.alt == NULL or picture.alt.length > LONGEST_TEXT:
        add_text_mark(b, MARK_ALT, b"", 0)
    else:
        add_text_mark(b, MARK_ALT, picture.alt.data, picture.alt.length)


cdef void mark_script(builder_t* b, const str_t* source, const str_t* text) noexcept nogil:
    """Notes whether a script typesets the formulas in the text: MathJax, or KaTeX by itself."""
    cdef size_t address = min(source.length, <size_t> LONGEST_TEXT)
    if typesets(text.data, text.length) or find_any(source.data, address, &TYPESETTERS):
        add_mark(b, MARK_TYPESET, <uint32_t> has_dollars(text.data, min(text.length, <size_t> SCRIPT_BYTES)))


cdef uint32_t style_of(const unsigned char* style, size_t length) noexcept nogil:
    """Returns what a style attribute says about bold and italic type, as bits STYLE_…"""
    cdef uint32_t bits = 0
    cdef int32_t weight
    cdef size_t at = value_at(style, length, b"font-weight:")
    if at:
        if begins(style + at, length - at, b"bold"):
            bits = STYLE_BOLD
        elif begins(style + at, length - at, b"normal") or begins(style + at, length - at, b"lighter"):
            bits = STYLE_LIGHT
        elif _number(style + at, min(length - at, <size_t> 3), &weight):
            # from this weight on, a font without this weight is shown in bold type
            bits = STYLE_BOLD if weight >= 600 else STYLE_LIGHT
    at = value_at(style, length, b"font-style:")
    if at:
        if begins(style + at, length - at, b"italic") or begins(style + at, length - at, b"oblique"):
            bits |= STYLE_ITALIC
        elif begins(style + at, length - at, b"normal"):
            bits |= STYLE_UPRIGHT
    return bits


cdef bint says_display(int which, const unsigned char* value, size_t length) noexcept nogil:
    """Whether an attribute says that a formula is on a line of its own."""
    if which == OF_DISPLAY:
        return begins(value, length, b"block") or begins(value, length, b"true")
    if which == OF_CLASS:
        return find_any(value, length, &DISPLAY)
    return which == OF_TYPE and find(value, length, b"mode=display") > 0
