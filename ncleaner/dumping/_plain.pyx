"""Segments of plain text, by its layout. The lines are read in place, and go to the builder paragraph by paragraph.

The fields of the headers of messages are segments that no method keeps.
"""

from libc.stdint cimport uint8_t, uint32_t

from ncleaner.document._tables cimport HEADER, builder_t
from ncleaner.dumping._builder cimport Builder, add_segment, add_text, end_segment
from ncleaner.text._layout cimport (
    FENCED, FIELD, FOLDED, LINES, PARAGRAPHS, RUNNING, SIGNATURE, WRAPPED, ended_early, free_outline, header_end,
    outline_t, read_outline, tell_layout,
)
from ncleaner.text._letters cimport after_white, is_white
from ncleaner.text._lines cimport (
    FEED, bullet_length, enumeration_length, has_returns, is_from_line, line_t, lines_t, quote_length, read_line,
)

# The layout is not known yet.
cdef enum:
    UNKNOWN = -1


cdef inline void _segment(
    builder_t* b, uint8_t kind, const uint8_t* start, const uint8_t* end, bint field
) noexcept nogil:
    """Adds a segment of some lines, with what is between them; `field` says that it is a field of a header."""
    cdef size_t before = b.n_segments
    add_segment(b, kind, start, <size_t> (end - start))
    if field and b.n_segments > before:
        b.segments[before].flags |= HEADER


cdef inline void _end(
    builder_t* b, uint8_t kind, const uint8_t** start, const uint8_t* end, bint field
) noexcept nogil:
    """Adds the segment that has begun, if one has; none has after that."""
    if start[0] != NULL:
        _segment(b, kind, start[0], end, field)
        start[0] = NULL


cdef inline void _paragraph(builder_t* b, const uint8_t* start, const uint8_t* end, bint field) noexcept nogil:
    """Adds some lines as a paragraph, or as a list item if they begin with a bullet, which is left out."""
    cdef size_t bullet = bullet_length(start, end)
    _segment(b, c'l' if bullet else c'p', start + bullet, end, field)


cdef void _fenced(builder_t* b, const uint8_t* text, const outline_t* outline, size_t i) noexcept nogil:
    """Adds the block of code whose fence is the line `i`, as it is."""
    cdef const lines_t* lines = &outline.lines
    cdef const uint8_t* start = text + lines.rows[i].start
    while outline.apart[i] == FENCED:
        i += 1
    b.pres += 1
    add_text(b, start, <size_t> (text + lines.rows[i].end - start))
    end_segment(b)
    b.pres -= 1


cdef inline bint _begins_fenced(const uint8_t* apart, size_t i) noexcept nogil:
    return apart[i] == FENCED and (i == 0 or apart[i - 1] != FENCED)


cdef void _fill_lines(builder_t* b, const uint8_t* text, size_t length, bint begins) noexcept nogil:
    """Adds each line as a segment."""
    cdef const uint8_t* p = text
    cdef const uint8_t* end = text + length
    cdef const uint8_t* header = NULL   # the end of the header in which the line is
    cdef const uint8_t* at
    cdef bint returns = has_returns(text, length), empty = False
    cdef bint message = begins          # a message begins with the next line that is not empty
    cdef line_t line
    while p < end:
        at = p
        p = read_line(text, p, end, returns, False, &line)
        message = message or line.flags & FEED != 0
        if line.start == line.end:
            empty = True
            continue
        if empty and at[0] == c'F' and is_from_line(at, line.end - line.start):
            message = True
        empty = False
        if message:
            header = header_end(text, at, end, returns)
            message = False
        _paragraph(b, text + line.start, text + line.end, header != NULL and at < header)


cdef void _fill_paragraphs(builder_t* b, const uint8_t* text, const outline_t* outline) noexcept nogil:
    """Adds all lines up to an empty one as a segment. Header fields and the lines of signatures stay apart."""
    cdef const lines_t* lines = &outline.lines
    cdef const uint8_t* apart = outline.apart
    cdef const uint8_t* start = NULL
    cdef const uint8_t* end = NULL
    cdef const line_t* line
    cdef size_t i
    cdef bint field = False
    for i in range(lines.n):
        line = &lines.rows[i]
        if apart[i] >= FENCED:
            if start != NULL:
                _paragraph(b, start, end, field)
                start = NULL
            if _begins_fenced(apart, i):
                _fenced(b, text, outline, i)
            continue
        if start != NULL and (
            line.start == line.end or (apart[i] != RUNNING and apart[i] != FOLDED)
            or (apart[i] == RUNNING and apart[i - 1] != RUNNING)
        ):
            _paragraph(b, start, end, field)
            start = NULL
        if line.start != line.end:
            if start == NULL:
                start = text + line.start
                field = apart[i] == FIELD or apart[i] == FOLDED
            end = text + line.end
    if start != NULL:
        _paragraph(b, start, end, field)


cdef bint _same_quote(
    const uint8_t* p, const uint8_t* end, const uint8_t* q, const uint8_t* stop
) noexcept nogil:
    """Returns whether two quotation prefixes are the same, whatever their white space."""
    while True:
        p = after_white(p, end)
        q = after_white(q, stop)
        if p == end or q == stop:
            return p == end and q == stop
        if p[0] != q[0]:
            return False
        p += 1
        q += 1


cdef inline bint _is_alone(const lines_t* lines, size_t i) noexcept nogil:
    """Returns whether the lines before and after a line are empty or do not exist."""
    if i and lines.rows[i - 1].start != lines.rows[i - 1].end:
        return False
    return i + 1 == lines.n or lines.rows[i + 1].start == lines.rows[i + 1].end


cdef inline uint32_t _distance(uint32_t one, uint32_t other) noexcept nogil:
    return one - other if one > other else other - one


cdef inline uint32_t _text_column(const uint8_t* p, const uint8_t* at, uint32_t column) noexcept nogil:
    """Returns the column at which the text begins after a marker from `p` to `at`, which begins at `column`."""
    column += <uint32_t> (at - p)
    while is_white(at[0]):
        column = (column // 8 + 1) * 8 if at[0] == c'\t' else column + 1
        at += 1
    return column


cdef void _fill_wrapped(builder_t* b, const uint8_t* text, const outline_t* outline) noexcept nogil:
    """Adds the paragraphs of a wrapped dump.

    Empty lines, bullets, enumerations and changes of indentation separate its segments (Evert 2008, section 2), and
    lines that end early.
    """
    cdef const lines_t* lines = &outline.lines
    cdef const uint8_t* apart = outline.apart
    cdef const uint8_t* start = NULL   # of the current segment
    cdef const uint8_t* stop = NULL
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* level = NULL   # the quotation prefix of the current lines
    cdef const uint8_t* level_end = NULL
    cdef const line_t* line
    cdef size_t i, quote, bullet, marker
    cdef uint32_t margin = 0, other = 0   # indentations that continue the segment
    cdef bint marked = False              # the lines before are a header or a signature
    cdef bint field = False               # the segment is a field of a header
    cdef uint8_t kind = c'p'
    for i in range(lines.n):
        line = &lines.rows[i]
        p = text + line.start
        end = text + line.end
        if p == end:
            _end(b, kind, &start, stop, field)
            continue
        if apart[i] >= FENCED:
            _end(b, kind, &start, stop, field)
            if _begins_fenced(apart, i):
                _fenced(b, text, outline, i)
            continue
        if apart[i]:
            if apart[i] != FOLDED:
                _end(b, kind, &start, stop, field)
            kind = c'p'
            marked = True
            level = level_end = NULL
            if start == NULL:
                start = p
                field = apart[i] != SIGNATURE
            stop = end
            continue
        quote = quote_length(text, line)
        if quote and quote == <size_t> (end - p) and level == NULL and not marked:
            # A line with only a prefix is an empty line inside a quote, but does not begin a quote.
            quote = 0
        elif (
            quote == <size_t> (end - p) or marked or (quote != 0) != (level != NULL)
            or (quote and not _same_quote(level, level_end, p, p + quote))
        ):
            _end(b, kind, &start, stop, field)
        if start == NULL:
            field = False
        marked = False
        level = p if quote else NULL
        level_end = p + quote
        if quote:
            kind = c'p'
            if p + quote < end:
                # Every line keeps its prefix. Without prefixes, the words look as clean as in the quoted message, and a
                # single prefix is too little evidence against a paragraph of clean words.
                if start == NULL:
                    start = p
                stop = end
            continue
        bullet = marker = bullet_length(p, end)
        if not marker and line.indent:
            marker = enumeration_length(p, end)
        if start != NULL and (
            marker or (_distance(line.indent, margin) > 1 and _distance(line.indent, other) > 1)
            or ended_early(lines.rows[i - 1].width, text + lines.rows[i - 1].end, p, end, outline.shape.width)
        ):
            _end(b, kind, &start, stop, field)
        if start != NULL:
            margin = other = line.indent
        else:
            kind = c'p'
            margin = other = line.indent
            if marker:
                kind = c'l'
                # The next lines of the item begin below its text or below its marker.
                other = _text_column(p, p + marker, line.indent)
                p += bullet
            elif line.indent < outline.shape.margin and _is_alone(lines, i):
                kind = c'h'
            start = p
        stop = end
    _end(b, kind, &start, stop, field)


def fill(Builder builder not None, bytes text not None, int layout, int width, int margin, bint begins, bint ends):
    """Adds the segments of a plain text, or of a piece of one, to a builder.

    Args:
        builder: of the Document.
        text: UTF-8, without placeholders of images.
        layout: LINES, PARAGRAPHS or WRAPPED of `text._layout`; a negative number: as the lines tell.
        width: the column at which the lines are wrapped, in characters; a negative number: as the lines tell.
        margin: the indentation of most long lines; likewise.
        begins, ends: whether the text begins and ends with this piece.

    Raises:
        MemoryError: there is not enough memory for the lines.
    """
    cdef builder_t* b = &builder.b
    cdef const uint8_t* p = <const uint8_t*> <const char*> text
    cdef size_t length = len(text)
    cdef outline_t outline
    cdef bint done
    with nogil:
        if layout == LINES:
            _fill_lines(b, p, length, begins)
            done = True
        else:
            done = read_outline(p, length, begins, ends, &outline)
            if done:
                if layout <= UNKNOWN:
                    layout = tell_layout(p, &outline)
                if width >= 0:
                    outline.shape.width = <uint32_t> width
                if margin >= 0:
                    outline.shape.margin = <uint32_t> margin
                if layout == WRAPPED:
                    _fill_wrapped(b, p, &outline)
                elif layout == PARAGRAPHS:
                    _fill_paragraphs(b, p, &outline)
                else:
                    _fill_lines(b, p, length, begins)
            free_outline(&outline)
    if not done:
        raise MemoryError("not enough memory for the lines of a text")
