"""The builder that fills the tables of a Document.

The walk over the parser's tree and the reader of text dumps use it."""

from libc.stdint cimport uint32_t, uint64_t

from ncleaner.document._tables cimport builder_t

cdef void add_text(builder_t* b, const unsigned char* data, size_t length) noexcept nogil
cdef void add_break(builder_t* b) noexcept nogil
cdef void end_line(builder_t* b, bint is_empty) noexcept nogil
cdef void add_space(builder_t* b) noexcept nogil
cdef void add_rule(builder_t* b) noexcept nogil
cdef void end_segment(builder_t* b) noexcept nogil
cdef void open_inline(builder_t* b, int bit) noexcept nogil
cdef void close_inline(builder_t* b, int bit) noexcept nogil
cdef void open_block(
    builder_t* b, int tag, int form, uint32_t style, uint32_t cues, uint32_t names
) noexcept nogil
cdef void close_block(builder_t* b, int form) noexcept nogil
cdef bint class_conceals(const unsigned char* value, size_t length) noexcept nogil
cdef uint64_t style_hash(int tag, const unsigned char* name, size_t length) noexcept nogil
cdef uint32_t read_class(
    builder_t* b, uint64_t style, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil
cdef uint32_t read_names(
    builder_t* b, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil

cdef class Builder:
    cdef builder_t b
