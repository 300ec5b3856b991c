"""Interface of the functions that find the kinds of segments and the zones of a page."""

from libc.stdint cimport uint8_t

from ncleaner.document._tables cimport builder_t

cdef void assign_kinds(builder_t* b) noexcept nogil
cdef int assign_zones(builder_t* b, const uint8_t* title, size_t length) except -1 nogil
