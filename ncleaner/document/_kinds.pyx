"""Which segments are headings and list items though no tag says so.

Half of the headings and list items that CleanEval's annotators marked stand in no <h1> or <li>: they are
short lines, bold or not, cells of tables, lines behind a bullet or a number. The rules below are the few that
held on the development set (figures in docs/accuracy.md). What tags say stands, but for one thing: a list item
as long as a comment or a chapter is a paragraph.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ncleaner.document._tables cimport PREFORMATTED, builder_t, element_t, segment_t
from ncleaner.text._letters cimport LOWER, NO_LETTER, decode_utf8, is_final, last_mark, letter_case, has_marker
from ncleaner.document._tags cimport CONTEXT_BOLD, TAG_TD, TAG_TH

cdef enum:
    # longest heading, in words and in code points; and of one that is not set in capitals like a title
    TITLE_WORDS = 12
    TITLE_CHARS = 90
    PLAIN_WORDS = 3
    PLAIN_CHARS = 30
    # longest paragraph that a bullet or a number makes a list item
    NUMBERED_WORDS = 30
    # a list item longer than this is a comment or a chapter
    LONG_ITEM = 60
    # so many lines like headings in a row are a list
    MANY = 8
    # how far up from its innermost block a segment's table cell is looked for
    CELL_LEVELS = 4


cdef bint _like_title(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether most of the words that begin with a letter begin with a capital, or have none."""
    cdef uint32_t code
    cdef int capitals = 0, words = 0, letter
    cdef bint between = True
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if code == c' ':
            between = True
        elif between:
            letter = letter_case(code)
            if letter != NO_LETTER and not c'0' <= code <= c'9':
                words += 1
                capitals += letter != LOWER
            between = False
    return words > 0 and 10 * capitals >= 6 * words


cdef bint _is_bold(const builder_t* b, const segment_t* s) noexcept nogil:
    """Whether more than half of the text is bold."""
    cdef size_t bold = 0
    cdef int32_t i
    for i in range(s.first_run, s.last_run + 1):
        if b.runs[i].context >> CONTEXT_BOLD & 1:
            bold += b.runs[i].end - b.runs[i].start
    return 2 * bold > s.end - s.start


cdef bint _is_cell(const builder_t* b, const segment_t* s) noexcept nogil:
    """Whether the segment is all that stands in a cell of a table."""
    cdef int32_t at = s.element
    cdef int _level
    cdef const element_t* e
    for _level in range(CELL_LEVELS):
        if at < 0:
            return False
        e = &b.elements[at]
        if e.tag == TAG_TD or e.tag == TAG_TH:
            return e.chars == s.chars
        at = e.parent
    return False


cdef uint8_t _kind(const builder_t* b, const segment_t* s) noexcept nogil:
    """The kind of a segment that no tag marks, by its own form."""
    cdef const uint8_t* start = <const uint8_t*> b.text + s.start
    cdef const uint8_t* end = <const uint8_t*> b.text + s.end
    cdef uint32_t mark
    cdef bint bold
    if s.words <= NUMBERED_WORDS and has_marker(start, end):
        return c'l'
    if s.words > TITLE_WORDS or s.chars > TITLE_CHARS:
        return c'p'
    bold = _is_bold(b, s)
    if not bold and s.link_chars * 10 < s.chars and _is_cell(b, s):
        return c'l'
    mark = last_mark(start, end)
    if is_final(mark) or mark == c',' or mark == c';':
        return c'p'
    if bold or (s.words <= PLAIN_WORDS and s.chars <= PLAIN_CHARS) or _like_title(start, end):
        return c'h'
    return c'p'


cdef void _end_run(builder_t* b, size_t first, size_t end) noexcept nogil:
    """Ends a run [first, end) of lines like headings: many are a list under the first of them."""
    cdef size_t i
    if end - first >= MANY:
        for i in range(first + 1, end):
            b.segments[i].kind = c'l'


cdef void assign_kinds(builder_t* b) noexcept nogil:
    """Gives each segment that no tag marks its kind: one pass over their first and last characters."""
    cdef segment_t* s
    cdef size_t i, first = 0
    for i in range(b.n_segments):
        s = &b.segments[i]
        if s.kind == c'l' and s.words > LONG_ITEM:
            s.kind = c'p'
        if s.kind == c'p' and not s.flags & PREFORMATTED:
            s.kind = _kind(b, s)
            if s.kind == c'h':
                continue
        _end_run(b, first, i)
        first = i + 1
    _end_run(b, first, b.n_segments)
