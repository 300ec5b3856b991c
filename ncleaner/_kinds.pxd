"""Contract of the kinds of segments."""

from ncleaner._document cimport builder_t

cdef void assign_kinds(builder_t* b) noexcept nogil
