"""Interface of the function that finds the headers and signatures of messages."""

from libc.stdint cimport uint8_t

from ncleaner.text._lines cimport lines_t

cdef enum:
    # What a line is: running text; the first line of a field of a header; a further line of it; a signature.
    RUNNING = 0
    FIELD = 1
    FOLDED = 2
    SIGNATURE = 3

cdef const uint8_t* header_end(const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns) noexcept nogil
cdef uint8_t* find_apart(const uint8_t* text, const lines_t* lines, bint begins, bint ends) noexcept nogil
