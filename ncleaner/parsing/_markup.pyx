"""Finds where tags, comments and raw text begin and end, by the rules of the HTML standard's tokenizer.

It creates no tokens. Each function takes a pointer to the first character after an opening such as `<!--`, and
returns a pointer to the end of the construct.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.parsing._cues cimport is_one_of
from ncleaner.text._ascii cimport begins_any, is_digit, is_letter, is_space, lower, table_of

from ncleaner.text.wordlists import word_lists

# `shortcodes.txt` says what these are, and how to add one.
_SHORTCODES = word_lists("parsing/shortcodes", "builders", "names")
cdef const char** BUILDERS = table_of(_SHORTCODES["builders"])
cdef const char** NAMES = table_of(_SHORTCODES["names"])

cdef const char* RAW_NAMES[10]
RAW_NAMES[:] = [
    b"", b"title", b"textarea", b"iframe", b"noframes", b"noembed", b"script", b"style", b"xmp", b"plaintext",
]


cdef inline bint _is_name(const char* p, const char* name, size_t length) noexcept nogil:
    """Returns whether a name is at `p`; small and capital letters are equal."""
    cdef size_t i
    for i in range(length):
        if lower(p[i]) != lower(name[i]):
            return False
    return True


cdef int raw_kind(const char* name, size_t length) noexcept nogil:
    """Returns which element of raw text a name is, or NO_RAW."""
    cdef int kind
    for kind in range(1, 10):
        if strlen(RAW_NAMES[kind]) == length and _is_name(name, RAW_NAMES[kind], length):
            return kind
    return NO_RAW


cdef enum:
    AT_SPACE = 1, AT_END, AT_SLASH, AT_EQUALS, AT_QUOTE

cdef uint8_t attribute_class[256]
memset(attribute_class, 0, sizeof(attribute_class))
attribute_class[c' '] = attribute_class[c'\n'] = attribute_class[c'\t'] = AT_SPACE
attribute_class[c'\r'] = attribute_class[c'\f'] = AT_SPACE
attribute_class[c'>'] = AT_END
attribute_class[c'/'] = AT_SLASH
attribute_class[c'='] = AT_EQUALS
attribute_class[c'"'] = attribute_class[c"'"] = AT_QUOTE


cdef const char* attributes_end(const char* p, const char* end, uint64_t* count) noexcept nogil:
    """Returns a pointer to the `>` of a tag, or `end` if the tag has no `>`.

    `p` points to the first character after the tag's name. The function follows the tokenizer's attribute states,
    and adds the number of attributes to `count`."""
    cdef int state = 0  # 0 before a name, 1 in a name, 2 before a value, 3 in an unquoted value, 4 after a name
    cdef uint8_t kind
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


cdef enum:
    BLOCK = 64


cdef const char* _turn(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the first `</` or `<!`, or NULL.

    Programs have many other `<`. Blocks without a branch in the loop: the compiler makes it one of vectors."""
    cdef uint8_t found
    cdef int i
    while end - p > BLOCK:
        found = 0
        for i in range(BLOCK):
            found |= (p[i] == c'<') & ((p[i + 1] == c'/') | (p[i + 1] == c'!'))
        if found:
            break
        p += BLOCK
    while p + 1 < end:
        if p[0] == c'<' and (p[1] == c'/' or p[1] == c'!'):
            return p
        p += 1
    return NULL


cdef const char* raw_end(const char* p, const char* end, const char* name, size_t length, bint script) noexcept nogil:
    """Returns a pointer to the end of raw text: to the `<` of the matching end tag, or `end` if there is none.

    In scripts, `<!--` and a second `<script` inside it hide end tags, as in the tokenizer's escaped states."""
    cdef int escaped = 0  # 1 after <!--, 2 after a <script inside it
    cdef const char* q
    cdef const char* after
    cdef bint closing
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p)) if script and escaped else _turn(p, end)
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
        if after >= end or not _is_name(p, name, length) or not (
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


cdef const char* _instruction_end(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the first character after the next `>`, or `end`."""
    p = <const char*> memchr(p, c'>', <size_t> (end - p))
    return p + 1 if p != NULL else end


cdef const char* unfinished(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the first tag, comment, script or style sheet that does not end before `end`, or `end`.

    Other raw text without an end counts as markup."""
    cdef const char* q
    cdef const char* name
    cdef const char* last
    cdef const char* section_end = p
    cdef uint64_t count = 0
    cdef int kind, endless = 0
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or q + 1 == end:
            return end
        p = q + 1
        if is_letter(p[0]) or p[0] == c'/' and p + 1 < end and is_letter(p[1]):
            name = p
            p = attributes_end(name_end(p + 1, end), end, &count)
            if p == end:
                return q
            p += 1
            kind = raw_kind(name, <size_t> (name_end(name, end) - name)) if is_letter(name[0]) else NO_RAW
            if kind and kind != PLAINTEXT and not endless & 1 << kind:
                last = raw_end(p, end, name, <size_t> (name_end(name, end) - name), kind == SCRIPT)
                if last < end:
                    p = last
                elif kind == SCRIPT or kind == STYLE:
                    return q
                else:
                    endless |= 1 << kind
        elif starts(p, end, b"!--", 3):
            p = comment_end(p + 3, end)
            if p == end and not is_closed(q, end):
                return q
        elif p[0] == c'/' or p[0] == c'!' or p[0] == c'?':
            last = _instruction_end(p, end)
            if last == end and (end - 1)[0] != c'>':
                return q
            # inside svg, such text goes up to `]]>`
            if starts(p, end, b"![CDATA[", 8):
                if section_end < p:
                    section_end = _section_end(p, end)
                if section_end == NULL:
                    return q
            p = last


cdef const char* _section_end(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the `>` of the next `]]>`, or NULL."""
    while True:
        p = <const char*> memchr(p, c'>', <size_t> (end - p))
        if p == NULL or memcmp(p - 2, b"]]", 2) == 0:
            return p
        p += 1


cdef const char* body_start(const char* p, const char* end) noexcept nogil:
    """Returns a pointer to the end tag of <head> or the start tag of <body>, or `end`."""
    cdef const char* q
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or end - q < 7:
            return end
        if (_is_name(q + 1, b"/head", 5) or _is_name(q + 1, b"body", 4)) and (
            is_space(q[6 if q[1] == c'/' else 5]) or q[6 if q[1] == c'/' else 5] == c'>'
        ):
            return q
        p = q + 1


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


cdef void blank_shortcodes(unsigned char* p, const unsigned char* end) noexcept nogil:
    """Puts spaces in the place of shortcodes in a text: marks such as `[gallery ids="1,2"]` that no plugin replaced.

    Their form says what they are: a name of a page builder (`[vc_row]`), attributes with quotes (`[box type="info"]`),
    or a name that every WordPress has. `[1]`, `[sic]`, `[edit]` and `a[href="x"]` have none of these forms.

    Args:
        p: the first bracket of the text.
        end: the end of the text.
    """
    cdef unsigned char* name
    cdef unsigned char* close
    cdef size_t length
    cdef bint is_name, is_known, is_found
    while p != NULL:
        name = p + 1
        name += name < end and name[0] == c"/"
        close = name
        while close < end and (is_letter(close[0]) or is_digit(close[0]) or close[0] == c"_" or close[0] == c"-"):
            close += 1
        length = <size_t> (close - name)
        is_name = length > 2 and is_letter(name[0]) and close < end and (is_space(close[0]) or close[0] == c"]")
        is_known = is_name and is_one_of(name, length, NAMES)
        is_found = is_known and name > p + 1 or is_name and begins_any(name, <size_t> (end - name), BUILDERS) > 0
        while close < end and close[0] != c"[" and close[0] != c"]":
            if is_name and close[0] == c"=" and close + 1 < end:
                # a straight quote, or the first byte of another one
                is_found |= is_known or close[1] == c'"' or close[1] == c"'" or close[1] == 0xE2 or close[1] == 0xC2
            close += 1
        if is_found and close < end and close[0] == c"]":
            memset(p, c" ", <size_t> (close + 1 - p))
        p = <unsigned char*> memchr(close, c"[", <size_t> (end - close))


def tags(bytes html not None):
    """Yields (start, end of the name, end, number of attributes) of each tag of a page, outside of comments and raw
    text. The name of an end tag begins with a slash."""
    cdef const char* page = html
    cdef const char* end = page + len(html)
    cdef const char* p = page
    cdef const char* q
    cdef const char* name
    cdef const char* close
    cdef uint64_t count
    cdef int kind, endless = 0
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or q + 1 == end:
            return
        p = q + 1
        if is_letter(p[0]) or p[0] == c'/' and p + 1 < end and is_letter(p[1]):
            name = name_end(p + 1, end)
            count = 0
            close = attributes_end(name, end, &count)
            if close == end:
                return
            yield q - page, name - page, close + 1 - page, count
            kind = raw_kind(p, <size_t> (name - p)) if p[0] != c'/' else NO_RAW
            if kind == PLAINTEXT:
                return
            if kind and not endless & 1 << kind:
                q = raw_end(close + 1, end, p, <size_t> (name - p), kind == SCRIPT)
                if q < end:
                    close = q - 1
                elif kind == XMP:
                    return
                else:
                    endless |= 1 << kind
            p = close + 1
        elif starts(p, end, b"!--", 3):
            p = comment_end(p + 3, end)
        elif p[0] == c'/' or p[0] == c'!' or p[0] == c'?':
            p = _instruction_end(p, end)
