"""Interface of the lines of a plain text: where each one begins and ends, how far it is indented, how wide it is."""

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    # bits of a line's flags
    FEED = 1         # a form feed is before it
    SEPARATOR = 2    # it is `-- `, with which a signature begins
    SPACED = 4       # it begins with a space or a tab
    STRICT_FROM = 8  # it is the `From ` line of a mailbox

# A line without the white space around it; `start` and `end` are equal if it has no visible characters.
ctypedef struct line_t:
    uint32_t start       # offsets in bytes
    uint32_t end
    uint32_t indent      # columns before it; a tab goes to the next multiple of eight
    uint32_t size        # bytes of the line with its indentation and with spaces in place of tabs
    uint32_t width       # likewise in code points
    uint8_t flags

ctypedef struct lines_t:
    line_t* rows
    size_t n
    size_t cap

cdef const uint8_t* read_line(
    const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns, bint measured, line_t* line
) noexcept nogil
cdef bint read_lines(const uint8_t* text, size_t length, lines_t* lines) noexcept nogil
cdef bint has_returns(const uint8_t* text, size_t length) noexcept nogil
cdef size_t bullet_length(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef size_t enumeration_length(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef uint32_t first_word(const uint8_t* p, const uint8_t* end) noexcept nogil
cdef size_t quote_length(const uint8_t* text, const line_t* line) noexcept nogil
cdef bint is_from_line(const uint8_t* p, size_t length) noexcept nogil
