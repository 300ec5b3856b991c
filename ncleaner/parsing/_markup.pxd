"""Interface of the markup reader: functions that find where markup ends."""

from libc.stdint cimport uint64_t
from libc.string cimport memcmp

from ncleaner.text._ascii cimport is_space

# Elements of raw text (`raw_kind`).
cdef enum:
    NO_RAW, TITLE, TEXTAREA, IFRAME, NOFRAMES, NOEMBED, SCRIPT, STYLE, XMP, PLAINTEXT


cdef inline const char* name_end(const char* p, const char* end) noexcept nogil:
    while p < end and not is_space(p[0]) and p[0] != c'>' and p[0] != c'/':
        p += 1
    return p


cdef inline bint starts(const char* p, const char* end, const char* what, size_t length) noexcept nogil:
    return <size_t> (end - p) >= length and memcmp(p, what, length) == 0


cdef int raw_kind(const char* name, size_t length) noexcept nogil
cdef const char* attributes_end(const char* p, const char* end, uint64_t* count) noexcept nogil
cdef const char* raw_end(
    const char* p, const char* end, const char* name, size_t length, bint script
) noexcept nogil
cdef const char* unfinished(const char* p, const char* end) noexcept nogil
cdef const char* body_start(const char* p, const char* end) noexcept nogil
cdef bint outgrows(const char* p, const char* end) noexcept nogil
cdef void blank_shortcodes(unsigned char* p, const unsigned char* end) noexcept nogil
