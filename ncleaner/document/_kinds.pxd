"""Interface of the function that assigns kinds to segments."""

from ncleaner.document._tables cimport builder_t

cdef void assign_kinds(builder_t* b) noexcept nogil
