"""Interface of the function that finds the zones of a page."""

from libc.stdint cimport uint8_t

from ncleaner.document._tables cimport builder_t

cdef int assign_zones(builder_t* b, const uint8_t* title, size_t length) except -1 nogil
