"""Interface of the function that finds the headers and signatures of messages."""

from libc.stdint cimport uint8_t

from ncleaner.text._lines cimport lines_t

cdef enum:
    # What a line is: running text; the first line of a segment that is not; a further line of it.
    RUNNING = 0
    BEGINS = 1
    CONTINUES = 2

cdef uint8_t* find_apart(const uint8_t* text, const lines_t* lines, bint begins, bint ends) noexcept nogil
