"""Recognizes shortcodes: marks of content managers that no plugin replaced, such as `[gallery ids="1,2"]`.

The builder treats them as white space. The form of a mark has to say what it is: a name with attributes
(`[box type="info"]`), the end tag of a name that had attributes before (`[/box]`), a name with the prefix of a page
builder (`[vc_row]`, `[/et_pb_text]`), the end tag of a shortcode that every WordPress has, or a directive of Magento
(`{{widget type="…"}}`). The text between two marks stays. Inside <pre> and <code>, marks are examples. `[1]`, `[sic]`,
`[edit]` and `a[href="x"]` have none of these forms.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, strlen

from ncleaner.document._hashes cimport hash_bytes
from ncleaner.document._tables cimport SHORTCODES, builder_t
from ncleaner.document._tags cimport CONTEXT_CODE
from ncleaner.text._ascii cimport is_digit, is_letter
from ncleaner.text._letters cimport is_white

cdef enum:
    NAME = 40        # longest name of a shortcode
    LONGEST = 4_000  # longest mark, in bytes
    DIGITS = 3       # fewest digits of a value without quotes
    PREFIXES = 18
    CLOSINGS = 6
    DIRECTIVES = 7

cdef const char** PREFIX = [
    b"vc_", b"et_pb_", b"fusion_", b"av_", b"nectar_", b"qode_", b"tm_pb_", b"themify_", b"mkdf_", b"eltdf_", b"edgtf_",
    b"su_", b"kc_", b"tdc_", b"thrive_", b"ult_", b"mk_", b"wpv_",
]
cdef const char** CLOSING = [b"caption", b"gallery", b"embed", b"video", b"audio", b"sourcecode"]
cdef const char** DIRECTIVE = [b"widget", b"block", b"config", b"store", b"media", b"customVar", b"trans"]


cdef inline const unsigned char* _name_end(const unsigned char* p, const unsigned char* end) noexcept nogil:
    while p < end and (is_letter(p[0]) or is_digit(p[0]) or p[0] == c'_' or p[0] == c'-'):
        p += 1
    return p


cdef bint _opens_value(const unsigned char* p, const unsigned char* end) noexcept nogil:
    """Returns whether the value of an attribute begins with a quote, straight or not, or is a number."""
    cdef size_t n = 0
    if p == end:
        return False
    if p[0] == c'"' or p[0] == c"'":
        return True
    if end - p > 3 and p[0] == 0xE2 and p[1] == 0x80 and (0x98 <= p[2] <= 0x9F or 0xB2 <= p[2] <= 0xB3):
        return True
    if end - p > 2 and p[0] == 0xC2 and (p[1] == 0xAB or p[1] == 0xBB):
        return True
    while p < end and is_digit(p[0]):
        p += 1
        n += 1
    return n >= DIGITS and p < end and (is_white(p[0]) or p[0] == c']' or p[0] == c'/')


cdef const unsigned char* _attributes_end(const unsigned char* p, const unsigned char* end) noexcept nogil:
    """Returns a pointer after the `]` of a mark whose attributes begin at `p`, or NULL if it is no mark."""
    cdef const unsigned char* name
    cdef const unsigned char* close
    while p < end and is_white(p[0]):
        p += 1
    name = p
    p = _name_end(p, end)
    if p == name or is_digit(name[0]) or name[0] == c'-' or p == end or p[0] != c'=' or not _opens_value(p + 1, end):
        return NULL
    while p < end and p[0] != c']' and p[0] != c'[':
        if p[0] == c'=' and p + 1 < end and (p[1] == c'"' or p[1] == c"'"):
            close = <const unsigned char*> memchr(p + 2, p[1], <size_t> (end - p - 2))
            if close != NULL:
                p = close
        p += 1
    return p + 1 if p < end and p[0] == c']' else NULL


cdef inline bint _begins(const unsigned char* name, size_t length, const char* prefix) noexcept nogil:
    cdef size_t n = strlen(prefix)
    return length > n and memcmp(name, prefix, n) == 0


cdef const unsigned char* _mark_end(builder_t* b, const unsigned char* p, const unsigned char* end) noexcept nogil:
    """Returns a pointer after the mark that begins with the bracket at `p`, or NULL if it is no mark."""
    cdef const unsigned char* name
    cdef const unsigned char* after
    cdef uint64_t key
    cdef size_t length
    cdef bint closing
    cdef int i
    if <size_t> (end - p) > LONGEST:
        end = p + LONGEST
    p += 1
    closing = p < end and p[0] == c'/'
    p += closing
    name = p
    p = _name_end(p, end)
    length = <size_t> (p - name)
    if length < 2 or length > NAME or p == end or not is_letter(name[0]):
        return NULL
    key = hash_bytes(length, name, length)
    if is_white(p[0]) and not closing:
        after = _attributes_end(p, end)
        if after != NULL:
            if b.n_shortcodes < SHORTCODES:
                b.shortcodes[b.n_shortcodes] = key
                b.n_shortcodes += 1
            return after
        while p < end and is_white(p[0]):
            p += 1
    if p < end and p[0] == c'/' and not closing:
        p += 1
    if p == end or p[0] != c']':
        return NULL
    p += 1
    for i in range(PREFIXES):
        if _begins(name, length, PREFIX[i]):
            return p
    if closing:
        for i in range(CLOSINGS):
            if length == strlen(CLOSING[i]) and memcmp(name, CLOSING[i], length) == 0:
                return p
        for i in range(b.n_shortcodes):
            if b.shortcodes[i] == key:
                return p
    return NULL


cdef const unsigned char* _directive_end(const unsigned char* p, const unsigned char* end) noexcept nogil:
    """Returns a pointer after the directive of Magento that begins with `{{` at `p`, or NULL if it is none."""
    cdef const unsigned char* name = p + 2
    cdef size_t length
    cdef bint quoted = False
    cdef int i
    if <size_t> (end - p) > LONGEST:
        end = p + LONGEST
    p = _name_end(name, end)
    length = <size_t> (p - name)
    if p == end or not is_white(p[0]):
        return NULL
    for i in range(DIRECTIVES):
        if length == strlen(DIRECTIVE[i]) and memcmp(name, DIRECTIVE[i], length) == 0:
            break
    else:
        return NULL
    while p < end and p[0] != c'}' and p[0] != c'{':
        quoted |= p[0] == c'=' and _opens_value(p + 1, end)
        p += 1
    return p + 2 if quoted and end - p >= 2 and p[0] == c'}' and p[1] == c'}' else NULL


cdef size_t shortcode_length(builder_t* b, const unsigned char* p, size_t length) noexcept nogil:
    """Returns the length in bytes of the mark that begins with the `[` or `{` at `p`, or 0 if it is no mark."""
    cdef const unsigned char* after = NULL
    if b.pres or b.element < 0 or b.context >> CONTEXT_CODE & 1:
        return 0
    if p[0] == c'[':
        after = _mark_end(b, p, p + length)
    elif length > 1 and p[1] == c'{':
        after = _directive_end(p, p + length)
    return <size_t> (after - p) if after != NULL else 0
