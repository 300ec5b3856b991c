"""Rules that recognize headings and list items that no tag marks.

Half of the headings and list items that CleanEval's annotators marked are not in an <h1> or <li>. They are short
lines, bold or not, cells of tables, and lines after a bullet or a number. The rules below are the few that improved
the results on the development set (figures in docs/accuracy.md). They do not change the kinds that tags give, with
one exception: a list item as long as a comment or a chapter becomes a paragraph.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from ncleaner.document._tables cimport PREFORMATTED, builder_t, element_t, segment_t
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport LOWER, NO_LETTER, decode_utf8, is_final, last_mark, letter_case, has_marker
from ncleaner.document._tags cimport CONTEXT_BOLD, TAG_TD, TAG_TH

cdef enum:
    # Longest heading, in words and in code points; PLAIN_…: if it is not bold, and its words have no capitals.
    TITLE_WORDS = 12
    TITLE_CHARS = 90
    PLAIN_WORDS = 3
    PLAIN_CHARS = 30
    # Longest paragraph, in words, that becomes a list item if it begins with a bullet or a number.
    NUMBERED_WORDS = 30
    # A list item with more words than this is a comment or a chapter, and becomes a paragraph.
    LONG_ITEM = 60
    # This many or more consecutive lines that look like headings are a list.
    MANY = 8
    # Number of blocks, from the innermost outwards, among which the table cell of a segment is searched.
    CELL_LEVELS = 4


cdef bint _like_title(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns whether at least 60 % of the words that begin with a letter do not begin with a small letter."""
    cdef uint32_t code
    cdef int capitals = 0, words = 0, letter
    cdef bint between = True
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if code == c' ':
            between = True
        elif between:
            letter = letter_case(code)
            if letter != NO_LETTER and not is_digit(code):
                words += 1
                capitals += letter != LOWER
            between = False
    return words > 0 and 10 * capitals >= 6 * words


cdef bint _is_bold(const builder_t* b, const segment_t* s) noexcept nogil:
    """Returns whether more than half of the text is bold."""
    cdef size_t bold = 0
    cdef int32_t i
    for i in range(s.first_run, s.last_run + 1):
        if b.runs[i].context >> CONTEXT_BOLD & 1:
            bold += b.runs[i].end - b.runs[i].start
    return 2 * bold > s.end - s.start


cdef bint _is_cell(const builder_t* b, const segment_t* s) noexcept nogil:
    """Returns whether the segment is the whole text of a cell of a table."""
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
    """Returns the kind of a segment that no tag marks, from its own text and formatting."""
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
    """Ends a sequence [first, end) of segments that look like headings.

    If there are many, the first one remains a heading, and the others become items of a list."""
    cdef size_t i
    if end - first >= MANY:
        for i in range(first + 1, end):
            b.segments[i].kind = c'l'


cdef void assign_kinds(builder_t* b) noexcept nogil:
    """Assigns a kind to each segment that no tag marks, in one pass over the segments."""
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
