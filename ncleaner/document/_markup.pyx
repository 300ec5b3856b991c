"""Finds where tags, comments and raw text begin and end, by the rules of the HTML standard's tokenizer.

It creates no tokens. Each function takes a pointer to the first character after an opening such as `<!--`, and
returns a pointer to the end of the construct.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memset

import os

cdef enum:
    SLOTS = 512

cdef uint64_t keys[SLOTS]
cdef uint8_t classes[SLOTS]
# The key of a name of more than eight bytes is a hash. The random secret prevents pages with intended collisions.
cdef uint64_t secret = int.from_bytes(os.urandom(8), "little") | 1


cdef uint64_t name_key(const char* name, size_t length) noexcept nogil:
    """Returns a number that identifies a name; small and capital letters are equal.

    The number contains the name's bytes, or a hash if the name has more than eight bytes."""
    cdef uint64_t key = 0
    cdef size_t i
    if length <= 8:
        for i in range(length):
            key = key << 8 | (<uint8_t> name[i] | (0x20 if c'A' <= name[i] <= c'Z' else 0))
        return key
    for i in range(length):
        key = (key ^ (<uint8_t> name[i] | (0x20 if c'A' <= name[i] <= c'Z' else 0))) * secret
        key ^= key >> 31
    return key | <uint64_t> 1 << 63


cdef inline size_t _slot(uint64_t key) noexcept nogil:
    return <size_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 55)


cdef uint8_t class_of(uint64_t key) noexcept nogil:
    cdef size_t slot = _slot(key)
    while keys[slot]:
        if keys[slot] == key:
            return classes[slot]
        slot = (slot + 1) % SLOTS
    return UNKNOWN


cdef uint64_t _key_of(str name):
    cdef bytes raw = name.encode()
    return name_key(<char*> raw, len(raw))


cdef void _learn():
    cdef size_t slot
    cdef uint64_t key
    groups = {
        SPECIAL | STOPS | CLOSES_P: "address article aside blockquote center details dialog dir div dl fieldset "
        "figcaption figure footer header hgroup main menu nav ol p search section summary ul pre listing form li dd dt",
        SPECIAL | STOPS | CLOSES_P | HEADING: "h1 h2 h3 h4 h5 h6",
        SPECIAL | STOPS | SCOPE | CLOSES_P: "table",
        TABLE_PART | STOPS | SCOPE: "td th caption",
        TABLE_PART | STOPS: "tr tbody thead tfoot",
        TABLE_PART: "colgroup",
        FORMATTING: "a b big code em font i nobr s small strike strong tt u",
        VOID: "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track"
              " wbr",
        RAW: "script style title textarea xmp iframe noembed noframes plaintext",
        FOREIGN: "svg math",
        ROOT: "html head body",
        CONTROL | STOPS | SCOPE: "applet object marquee template",
        CONTROL | STOPS: "button select frameset noscript",
        CONTROL: "option optgroup",
        ORDINARY: "span label abbr acronym bdi bdo cite data del dfn ins kbd mark meter output picture progress q rb "
        "rp rt rtc ruby samp slot sub sup time var video audio canvas datalist legend map menuitem blink",
        GRAPHIC: "path g rect circle line polyline polygon ellipse use defs text tspan textpath symbol lineargradient "
        "radialgradient stop clippath mask pattern marker filter switch view metadata animate animatetransform "
        "animatemotion set mrow mfrac msub msup msubsup munder mover munderover msqrt mroot mtable mtr mtd mspace "
        "mstyle mpadded mphantom mfenced menclose semantics annotation",
        TEXT_POINT: "desc foreignobject mi mo mn ms mtext annotation-xml",
    }
    for kind, names in groups.items():
        for name in names.split():
            key = _key_of(name)
            slot = _slot(key)
            while keys[slot]:
                slot = (slot + 1) % SLOTS
            keys[slot] = key
            classes[slot] = kind
    global P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV
    global ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN
    global FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG, TEXTAREA
    P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV = [
        _key_of(name) for name in
        "p li dd dt form table tbody thead tfoot tr a nobr script plaintext xmp title ul ol div".split()
    ]
    ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN = [
        _key_of(name) for name in
        "address button select option optgroup template noscript col colgroup caption hr input keygen".split()
    ]
    FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG, TEXTAREA = [
        _key_of(name) for name in "frame frameset ruby rb rt rtc rp image style svg textarea".split()
    ]

memset(keys, 0, sizeof(keys))
_learn()


# --------------------------------------------------------------------------------------------------

cdef enum:
    AT_SPACE = 1
    AT_END = 2
    AT_SLASH = 3
    AT_EQUALS = 4
    AT_QUOTE = 5

cdef uint8_t attribute_class[256]
memset(attribute_class, 0, sizeof(attribute_class))
attribute_class[c' '] = attribute_class[c'\n'] = attribute_class[c'\t'] = AT_SPACE
attribute_class[c'\r'] = attribute_class[c'\f'] = AT_SPACE
attribute_class[c'>'] = AT_END
attribute_class[c'/'] = AT_SLASH
attribute_class[c'='] = AT_EQUALS
attribute_class[c'"'] = attribute_class[c"'"] = AT_QUOTE


cdef const char* attributes_end(
    const char* p, const char* end, bint* self_closing, uint64_t* count
) noexcept nogil:
    """Returns a pointer to the `>` of a tag, or `end` if the tag has no `>`.

    `p` points to the first character after the tag's name. The function follows the tokenizer's attribute states.
    It sets `self_closing`, and adds the number of attributes to `count`."""
    cdef int state = 0  # 0 before a name, 1 in a name, 2 before a value, 3 in an unquoted value, 4 after a name
    cdef uint8_t kind
    self_closing[0] = False
    while p < end:
        kind = attribute_class[<uint8_t> p[0]]
        if kind == 0:
            if state == 2:
                state = 3
            elif state != 1 and state != 3:
                state = 1
                count[0] += 1
            p += 1
            while p < end and attribute_class[<uint8_t> p[0]] == 0:
                p += 1
            continue
        if kind == AT_SPACE:
            # White space ends an unquoted value. After a name it does not end the attribute: in `name = value`, an
            # equals sign follows.
            if state == 3:
                state = 0
            elif state == 1:
                state = 4
        elif kind == AT_END:
            self_closing[0] = (p - 1)[0] == c'/' and state != 3
            return p
        elif kind == AT_QUOTE:
            if state == 2:
                p = <const char*> memchr(p + 1, p[0], <size_t> (end - p - 1))
                if p == NULL:
                    return end
                state = 0
            elif state != 1 and state != 3:
                state = 1
                count[0] += 1
        elif kind == AT_SLASH:
            if state == 1 or state == 4:
                state = 0
            elif state == 2:
                state = 3
        else:  # an equals sign; at the place where a name is expected, it is part of the name
            if state == 1 or state == 4:
                state = 2
            elif state == 0:
                state = 1
                count[0] += 1
            elif state == 2:
                state = 3
        p += 1
    return end


cdef const char* raw_end(const char* p, const char* end, const char* name, size_t length, bint script) noexcept nogil:
    """Returns a pointer to the end of raw text: to the `<` of the matching end tag, or `end` if there is none.

    In scripts, `<!--` and a second `<script` inside it hide end tags, as in the tokenizer's escaped states."""
    cdef int escaped = 0  # 1 after <!--, 2 after a <script inside it
    cdef const char* q
    cdef const char* after
    cdef bint closing
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        after = p
        while script and escaped:
            # `-->` ends both escaped states
            after = <const char*> memchr(after, c'>', <size_t> ((q if q != NULL else end) - after))
            if after == NULL:
                break
            if after - p >= 2 and (after - 1)[0] == c'-' and (after - 2)[0] == c'-':
                escaped = 0
            after += 1
        if q == NULL or q + 1 >= end:
            return end
        p = q + 1
        if script and not escaped and end - p >= 3 and p[0] == c'!' and p[1] == c'-' and p[2] == c'-':
            escaped = 1
            p += 1  # `<!-->` ends immediately: the same two dashes belong to its start and its end
            continue
        closing = p[0] == c'/'
        if closing:
            p += 1
        elif not (script and escaped == 1):
            continue
        after = p + length
        if after >= end or name_key(p, length) != name_key(name, length) or not (
            is_space(after[0]) or after[0] == c'>' or after[0] == c'/'
        ):
            continue
        if not closing:
            escaped = 2
        elif escaped == 2:
            escaped = 1
        else:
            return q


cdef const char* comment_end(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the first character after a comment, or `end` if the comment does not end.

    `p` points to the first character after `<!--`."""
    cdef const char* first = p
    # `<!-->` and `<!--->` are complete comments.
    if starts(p, end, b">", 1):
        return p + 1
    if starts(p, end, b"->", 2):
        return p + 2
    while True:
        p = <const char*> memchr(p, c'>', <size_t> (end - p))
        if p == NULL:
            return end
        if p - first >= 2 and memcmp(p - 2, b"--", 2) == 0 or p - first >= 3 and memcmp(p - 3, b"--!", 3) == 0:
            return p + 1
        p += 1


cdef bint is_closed(const char* p, const char* end) noexcept nogil:
    """Returns whether the comment from `p` (its `<`) up to `end` has an end of its own."""
    if end - p < 5 or (end - 1)[0] != c'>':
        return False
    return memcmp(end - 3, b"--", 2) == 0 or end - p >= 8 and memcmp(end - 4, b"--!", 3) == 0


cdef const char* line_end(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the first tag, or to the end of the first line that is not blank."""
    while p < end and is_space(p[0]):
        p += 1
    while p < end and p[0] != c'<' and p[0] != c'\n' and p[0] != c'\r':
        p += 1
    return p


cdef bint has_tag(const char* p, const char* end) noexcept nogil:
    while True:
        p = <const char*> memchr(p, c'<', <size_t> (end - p))
        if p == NULL or p + 1 >= end:
            return False
        p += 1
        if is_letter(p[0]):
            return True


cdef bint outgrows(const char* p, const char* end) noexcept nogil:
    """Returns whether a page contains one of the character references `&nGt;` and `&nLt;`.

    Only these two references are shorter than the characters they stand for, which have six bytes. Lexbor (3.1) writes
    the characters in the place of the reference. At the end of its buffer, it writes the sixth byte and everything
    that follows beyond the buffer."""
    while True:
        p = <const char*> memchr(p, c'&', <size_t> (end - p))
        if p == NULL or end - p < 5:
            return False
        p += 1
        if p[0] == c'n' and (p[1] == c'G' or p[1] == c'L') and p[2] == c't' and p[3] == c';':
            return True
