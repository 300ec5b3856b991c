"""Interface of the functions that recognize code without <pre>, its lines, and what a page adds to it."""

from ncleaner.parsing._structs cimport TEXT_NODE, node_t
from ncleaner.text._ascii cimport find


cdef bint has_code(node_t* root) noexcept nogil
cdef bint has_class(const unsigned char* class_, size_t length, const char** names) noexcept nogil
cdef bint is_line_number(node_t* root, const unsigned char* class_, size_t length) noexcept nogil
cdef bint is_over_code(const unsigned char* class_, size_t length) noexcept nogil
cdef bint is_beside_code(const unsigned char* class_, size_t length) noexcept nogil
cdef bint is_code_box(node_t* node, const unsigned char* class_, size_t length) noexcept nogil
cdef bint is_code_label(node_t* root, const unsigned char* class_, size_t length) noexcept nogil
cdef bint is_line(node_t* node) noexcept nogil
cdef bint is_code_block(node_t* node) noexcept nogil


cdef inline bint is_code(node_t* node, const unsigned char* class_, size_t length) noexcept nogil:
    """Whether a <div> with the name of a programming language is one of code, as Writerside has them."""
    return class_ != NULL and find(class_, length, b"code") and node.first_child == node.last_child and (
        node.first_child != NULL and node.first_child.type == TEXT_NODE
    )
