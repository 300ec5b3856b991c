"""The content of elements with a declarative shadow root."""

from ncleaner.parsing._structs cimport node_t


cdef void fill_slots(node_t* root) noexcept nogil
