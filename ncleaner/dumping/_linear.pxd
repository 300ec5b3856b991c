"""Interface of the function that writes MathML in a line."""

from ncleaner.document._tables cimport builder_t
from ncleaner.parsing._structs cimport node_t


cdef void add_math(builder_t* b, node_t* math) noexcept nogil
