"""Interface of the rules about attributes."""

from libc.stdint cimport int32_t, uint32_t

from ncleaner.document._tables cimport builder_t
from ncleaner.parsing._structs cimport str_t

# What the attributes of an <img> say.
ctypedef struct picture_t:
    const str_t* source      # what it gets when it is seen, or its own; NULL for none
    const str_t* alt         # NULL for none
    bint late                # the source is the one that it gets when it is seen
    int32_t width            # in pixels, -1 if it is not said
    int32_t height

cdef void mark_attribute(
    builder_t* b, int tag, int which, const unsigned char* value, size_t length
) noexcept nogil
cdef void mark_callout(builder_t* b, const unsigned char* class_, size_t length) noexcept nogil
cdef void open_picture(picture_t* picture) noexcept nogil
cdef void picture_attribute(
    builder_t* b, picture_t* picture, int which, const unsigned char* name, size_t length, const str_t* value
) noexcept nogil
cdef void mark_picture(builder_t* b, const picture_t* picture, bint media) noexcept nogil
cdef void mark_script(builder_t* b, const str_t* source, const str_t* text) noexcept nogil
cdef uint32_t style_of(const unsigned char* style, size_t length) noexcept nogil
cdef bint says_display(int which, const unsigned char* value, size_t length) noexcept nogil
