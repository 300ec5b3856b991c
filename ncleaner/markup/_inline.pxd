"""Writers of text: the bytes of an output that grow, and the text of segments with its inline elements."""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr, memcpy, strlen

from ncleaner.document._tables cimport grow, tables_t
from ncleaner.markup._sheet cimport sheet_t

cdef enum:
    # Where a text stands.
    IN_CELL = 2
    IN_HEADING = 4
    # Inline elements, from the outermost to the innermost where several begin at once.
    LINK = 0
    STRIKE = 1
    ITALIC = 2
    BOLD = 3
    UNDERLINE = 4     # this one and the next two only in HTML
    HIGHLIGHT = 5
    QUOTED = 6
    SUP = 7
    SUB = 8
    INLINES = 9

ctypedef struct out_t:
    uint8_t* data
    size_t size
    size_t cap
    bint no_memory

# A writer of text, and the inline elements that are open.
ctypedef struct line_t:
    const sheet_t* sheet
    out_t* out
    bint html
    int flags            # of text: IN_CELL, IN_HEADING
    bint flat            # line breaks are blanks
    bint light           # bold is nothing special here
    const out_t* prefix  # what a new line begins with
    int n                # of the open elements
    int kinds[INLINES]
    int32_t links[INLINES]
    size_t at[INLINES]   # where they begin in the output
    bint tags[INLINES]   # as tags of HTML
    size_t closed        # where the last emphasis has ended
    size_t coded         # where the last code span has ended
    size_t began         # where the line has begun


cdef inline const uint8_t* line_end(const uint8_t* p, const uint8_t* stop) noexcept nogil:
    """Returns a pointer to the end of the line at `p`."""
    cdef const uint8_t* end = <const uint8_t*> memchr(p, c"\n", <size_t> (stop - p))
    return end if end != NULL else stop


cdef inline void put_bytes(out_t* out, const void* data, size_t length) noexcept nogil:
    if length and grow(<void**> &out.data, &out.cap, out.size + length, 1, &out.no_memory):
        memcpy(out.data + out.size, data, length)
        out.size += length


cdef inline void put(out_t* out, const char* text) noexcept nogil:
    put_bytes(out, text, strlen(text))


cdef inline void put_byte(out_t* out, uint8_t c) noexcept nogil:
    if out.size < out.cap or grow(<void**> &out.data, &out.cap, out.size + 1, 1, &out.no_memory):
        out.data[out.size] = c
        out.size += 1


cdef inline void put_times(out_t* out, uint8_t c, size_t n) noexcept nogil:
    cdef size_t _i
    for _i in range(n):
        put_byte(out, c)


cdef size_t backticks(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_number(out_t* out, int number) noexcept nogil
cdef void put_escaped(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void begin_line(line_t* line, const sheet_t* sheet, out_t* out, bint html, const out_t* prefix) noexcept nogil
cdef void put_segments(line_t* line, Py_ssize_t first, Py_ssize_t last) noexcept nogil
cdef void put_break(line_t* line) noexcept nogil
cdef bint is_media(const tables_t* t, Py_ssize_t image) noexcept nogil
cdef Py_ssize_t link_around(const tables_t* t, const uint8_t* kept, Py_ssize_t image) noexcept nogil
cdef void put_picture(line_t* line, Py_ssize_t mark) noexcept nogil
cdef void put_code_lines(line_t* line, Py_ssize_t first, Py_ssize_t last) noexcept nogil
