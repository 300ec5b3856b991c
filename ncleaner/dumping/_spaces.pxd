"""Interface of the rules about spaces between texts that touch."""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.document._tables cimport builder_t
from ncleaner.parsing._structs cimport str_t

cdef enum:
    # Most elements between a text and the innermost element around both; beyond them the texts stay together.
    JOINT_LEVELS = 16

cdef enum:
    # The characters at a joint.
    CLOSED = 0           # a mark that belongs to the word before or after it: never a space
    NEUTRAL = 1
    SOFT = 2             # as inside a word: before a small letter, or a letter without case
    CAPS = 3             # between two capitals, or two digits
    HARD = 4             # as between words: a capital after a small letter, a bracket after a word, …

# A side of a joint: what the tree has there below the innermost element around both texts.
cdef struct side_t:
    uint8_t kind         # SIDE_… of _tags.pxd
    bint single          # the text is one character
    bint spaced          # the text is more than one word
    bint link            # inside a link
    int levels           # number of elements around the text, and their classes
    str_t names[JOINT_LEVELS + 1]
    uint32_t tag         # code of the outermost element, its class and style
    str_t name
    str_t style
    str_t href

cdef int joint(builder_t* b, const unsigned char* data, size_t length) noexcept nogil
cdef void begin_side(side_t* side, const unsigned char* text, size_t length) noexcept nogil
cdef void widen_side(
    side_t* side, int kind, uint32_t tag, const str_t* name, const str_t* style, const str_t* href
) noexcept nogil
cdef bint is_apart(
    builder_t* b, const unsigned char* data, size_t length, const side_t* left, const side_t* right, bint among_text
) noexcept nogil
cdef uint32_t last_written(const builder_t* b, size_t skip) noexcept nogil
