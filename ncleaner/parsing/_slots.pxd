"""The content of elements with a declarative shadow root, and the parts of a page that come at its end."""

from ncleaner.parsing._structs cimport node_t


cdef void fill_slots(node_t* root) noexcept nogil
cdef void put_in_place(node_t* root) noexcept nogil
