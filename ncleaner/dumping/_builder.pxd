"""The builder that fills the tables of a Document.

The walk over the parser's tree and the reader of text dumps use it."""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.document._tables cimport builder_t

cdef void add_text(builder_t* b, const unsigned char* data, size_t length) noexcept nogil
cdef void add_break(builder_t* b) noexcept nogil
cdef void end_line(builder_t* b, bint is_empty) noexcept nogil
cdef void add_space(builder_t* b) noexcept nogil
cdef void add_rule(builder_t* b) noexcept nogil
cdef void end_segment(builder_t* b) noexcept nogil
cdef void add_segment(builder_t* b, uint8_t kind, const unsigned char* text, size_t length) noexcept nogil
cdef void open_inline(builder_t* b, int bit) noexcept nogil
cdef void close_inline(builder_t* b, int bit) noexcept nogil
cdef void open_block(
    builder_t* b, int tag, int form, uint32_t style, uint32_t cues, uint32_t names
) noexcept nogil
cdef void close_block(builder_t* b, int form) noexcept nogil

cdef class Builder:
    cdef builder_t b
