"""Interface of the functions that read what editors write in place of headings, items and code."""

from ncleaner.document._tables cimport builder_t
from ncleaner.parsing._nodes cimport meaning_t
from ncleaner.parsing._structs cimport node_t, str_t


cdef int read_kind(meaning_t* m, const unsigned char* class_, size_t length, const str_t* kind) noexcept nogil
cdef int level_in_word(const unsigned char* class_, size_t length, const str_t* style) noexcept nogil
cdef bint is_marker(builder_t* b, node_t* node, const str_t* style) noexcept nogil
cdef bint add_macro(builder_t* b, node_t* node) noexcept nogil
