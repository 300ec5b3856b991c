"""Interface of the markup reader: names and kinds of tags, and functions that find where markup ends."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

# A kind consists of a group of tags, which the HTML standard's tree construction treats in the same way, and flags.
cdef enum:
    ORDINARY = 0   # span and similar: an end tag searches the stack up to the next element with STOPS
    SPECIAL = 1    # div, p, li, …: an end tag searches the stack up to the next scope boundary
    FORMATTING = 2
    VOID = 3
    RAW = 4        # script, style, …: the content up to the matching end tag is not markup
    TABLE_PART = 5
    FOREIGN = 6    # svg, math
    ROOT = 7       # html, head, body: a page has one of each
    CONTROL = 8    # select, button, object, template, …: each has special rules
    GRAPHIC = 9    # elements of svg and math; like ORDINARY outside of them
    TEXT_POINT = 10  # desc, mi, …: elements of svg or math that may contain HTML; like ORDINARY outside of them
    UNKNOWN = 11   # any other name; like ORDINARY
    GROUP = 15     # bit mask of the groups above
    SCOPE = 16     # flag: scope boundary
    CLOSES_P = 32  # flag: its start tag ends an open <p>
    STOPS = 64     # flag: end tags of ordinary elements do not search beyond it
    HEADING = 128  # flag: h1 … h6

# The keys (`name_key`) of the tags that have special rules.
cdef uint64_t P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV
cdef uint64_t ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN
cdef uint64_t FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG, TEXTAREA


cdef inline bint is_letter(char c) noexcept nogil:
    return c'a' <= (c | 0x20) <= c'z'


cdef inline bint is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


cdef inline const char* name_end(const char* p, const char* end) noexcept nogil:
    while p < end and not is_space(p[0]) and p[0] != c'>' and p[0] != c'/':
        p += 1
    return p


cdef inline bint starts(const char* p, const char* end, const char* what, size_t length) noexcept nogil:
    return <size_t> (end - p) >= length and memcmp(p, what, length) == 0


cdef inline bint runs_on(uint8_t kind) noexcept nogil:
    """Returns whether text continues across a tag of this kind, so that the tag does not separate words."""
    kind &= GROUP
    return kind == FORMATTING or kind == ORDINARY or kind >= GRAPHIC


cdef uint64_t name_key(const char* name, size_t length) noexcept nogil
cdef uint8_t class_of(uint64_t key) noexcept nogil
cdef const char* attributes_end(
    const char* p, const char* end, bint* self_closing, uint64_t* count
) noexcept nogil
cdef const char* raw_end(
    const char* p, const char* end, const char* name, size_t length, bint script
) noexcept nogil
cdef const char* comment_end(const char* p, const char* end) noexcept nogil
cdef bint is_closed(const char* p, const char* end) noexcept nogil
cdef const char* line_end(const char* p, const char* end) noexcept nogil
cdef bint has_tag(const char* p, const char* end) noexcept nogil
cdef bint outgrows(const char* p, const char* end) noexcept nogil
