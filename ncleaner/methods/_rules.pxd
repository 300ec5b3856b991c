"""What the rules after the judgement ask of a segment."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ncleaner.document._tables cimport HEADLINE, segment_t, tables_t
from ncleaner.text._letters cimport last_mark

cdef enum:
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90


cdef inline bint is_link(const segment_t* s) noexcept nogil:
    return s.element >= 0 and s.zone != HEADLINE and 100 * <uint64_t> s.link_chars >= ALL_LINK * <uint64_t> s.chars


cdef inline uint32_t own_style(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns the hash of tag and class of the block around a segment; 0 on plain text."""
    return t.elements[s.element].style if s.element >= 0 else 0


cdef inline uint64_t kept_words(
    const segment_t* s, const uint8_t* kept, Py_ssize_t first, Py_ssize_t end
) noexcept nogil:
    """Returns the number of words of the kept segments in [first, end)."""
    cdef uint64_t words = 0
    cdef Py_ssize_t i
    for i in range(first, end):
        words += s[i].words if kept[i] else 0
    return words


cdef inline bint ends_in_colon(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef uint32_t mark = last_mark(<const uint8_t*> t.text + s.start, <const uint8_t*> t.text + s.end)
    return mark == c':' or mark == 0xFF1A
