"""Contract of the search for text that stands twice."""

from libc.stdint cimport uint8_t

from ncleaner.document._tables cimport tables_t

cdef bint drop_kept_copies(const tables_t* t, uint8_t* kept) noexcept nogil
