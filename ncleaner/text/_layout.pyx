"""Tells the layout of a plain text: a paragraph on each line, paragraphs between empty lines, or wrapped lines.

In wrapped text, sentences go on in the next line, and they do so where the line is full. In text with a paragraph on
each line, the next line is another sentence, whatever the width. So the pairs of lines without an empty one between
them decide. A text with only a few such pairs may be a table, a poem or a letter; the width of its lines and its empty
lines then say more.

*Messages.* Lines of headers and signatures are not running text. A message begins with the text, at a form feed, or at
the `From ` line of a mailbox after an empty line.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memset

from ncleaner.text._ascii cimport begins_any
from ncleaner.text._letters cimport (
    LOWER, NO_LETTER, UNCASED, Py_UNICODE_ISALNUM, Py_UNICODE_ISDIGIT, Py_UNICODE_ISLOWER, Py_UNICODE_ISUPPER,
    decode_utf8, is_final, is_white, last_mark, letter_case,
)
from ncleaner.text._lines cimport (
    FEED, SEPARATOR, SPACED, STRICT_FROM, bullet_length, enumeration_length, first_word, line_t, lines_t, quote_length,
    read_line, read_lines,
)

# --------------------------------------------------------------------------------------------------
# Messages.

cdef enum:
    # Most lines of a signature after a line `--`: by convention four lines by the author, and the lines that a mailing
    # list adds. With a space at the end (`-- `), the line always begins a signature, of any length. Without it, the
    # line may also be a separator in ordinary text.
    LONGEST_SIGNATURE = 16
    FENCE = 3  # fewest signs of a fence

# A block of fields is a header only if it has one of these: ordinary text may begin with `Note: `.
cdef const char** MAIL_FIELDS = [
    b"from:", b"to:", b"subject:", b"date:", b"sender:", b"reply-to:", b"message-id:", b"newsgroups:", b"path:",
    b"received:", b"return-path:", NULL,
]


cdef inline bint _is_empty(const line_t* line) noexcept nogil:
    return line.start == line.end


cdef inline bint _is_separator(const uint8_t* text, const line_t* line) noexcept nogil:
    return (
        line.end - line.start == 2 and not line.indent and text[line.start] == c'-' and text[line.start + 1] == c'-'
    )


cdef bint _is_field(const uint8_t* text, const line_t* line, bint* mail) noexcept nogil:
    """Returns whether a line is a field of a header; sets `mail` if it is one that only mail has.

    RFC 5322, section 2.2: the name of a field consists of printable characters except the colon.
    """
    cdef const uint8_t* p = text + line.start
    cdef const uint8_t* end = text + line.end
    cdef const uint8_t* at = p
    if line.indent:
        return False
    while at < end and c'!' <= at[0] <= c'~' and at[0] != c':':
        at += 1
    if at == p or at == end or at[0] != c':':
        return False
    if begins_any(p, <size_t> (end - p), MAIL_FIELDS):
        mail[0] = True
    # the white space after the colon
    return at + 1 == end or is_white(at[1])


cdef inline bint _is_in_header(const uint8_t* text, const line_t* line, bint first, bint* mail) noexcept nogil:
    """Returns whether a line may be in a header; `first`: whether it is its first line. `mail` is as in `_is_field`."""
    if _is_field(text, line, mail):
        return True
    if not first:
        return line.flags & SPACED != 0
    return not line.indent and line.end - line.start > 5 and memcmp(text + line.start, b"From ", 5) == 0


cdef const uint8_t* header_end(
    const uint8_t* text, const uint8_t* p, const uint8_t* end, bint returns
) noexcept nogil:
    """Returns where the header of the message that begins at `p` ends, at an empty line; NULL if it has none.

    For texts whose lines are not in a table; otherwise as `_mark_header`.
    """
    cdef line_t line
    cdef bint mail = False, first = True
    while p < end:
        p = read_line(text, p, end, returns, True, &line)
        if _is_empty(&line):
            if first:
                continue
            break
        if line.flags & FEED and not first:
            break
        if not _is_in_header(text, &line, first, &mail):
            return NULL
        first = False
    return p if mail else NULL


cdef void _mark_header(
    const uint8_t* text, const lines_t* lines, size_t start, size_t stop, uint8_t* apart
) noexcept nogil:
    """Marks the lines of the header of a message, if the message begins with a header.

    A header is a block of lines that are all fields, up to an empty line. At least one of the fields must be a field
    that only mail has.
    """
    cdef size_t begin = start, end, i
    cdef bint mail = False
    while begin < stop and _is_empty(&lines.rows[begin]):
        begin += 1
    end = begin
    while end < stop and not _is_empty(&lines.rows[end]):
        if not _is_in_header(text, &lines.rows[end], end == begin, &mail):
            return
        end += 1
    if mail:
        for i in range(begin, end):
            apart[i] = FOLDED if lines.rows[i].flags & SPACED else FIELD


cdef size_t _signature(
    const uint8_t* text, const lines_t* lines, size_t start, size_t stop, bint written
) noexcept nogil:
    """Returns the line at which the signature of a message begins, or `stop` if it has no signature.

    `written`: whether there is text of the message before `start`. A separator begins a signature only after text.
    """
    cdef size_t i = start, near = stop, below = 0
    while i < stop and not _is_separator(text, &lines.rows[i]):
        i += 1
    if i == stop:
        return stop
    # Finds the first line from which a separator without a space has at most LONGEST_SIGNATURE lines after it.
    near = stop - 1
    while near > start and below + (not _is_empty(&lines.rows[near])) <= LONGEST_SIGNATURE:
        below += not _is_empty(&lines.rows[near])
        near -= 1
    for i in range(start, stop):
        if written and _is_separator(text, &lines.rows[i]) and (lines.rows[i].flags & SEPARATOR or i >= near):
            return i
        written = written or not _is_empty(&lines.rows[i])
    return stop


cdef size_t _fence(const uint8_t* text, const line_t* line, bint alone) noexcept nogil:
    """Returns how many signs the fence of Markdown (``` or ~~~) has with which a line begins; 0 without one.

    `alone`: the line must consist of them."""
    cdef const uint8_t* p = text + line.start
    cdef const uint8_t* end = text + line.end
    cdef const uint8_t* at = p
    if p == end or p[0] != c'`' and p[0] != c'~':
        return 0
    while at < end and at[0] == p[0]:
        at += 1
    return <size_t> (at - p) if at - p >= FENCE and (at == end or not alone) else 0


cdef void _mark_fences(const uint8_t* text, const lines_t* lines, uint8_t* apart) noexcept nogil:
    """Marks the lines of blocks of code, from a fence to the next one of the same sign and at least the same length."""
    cdef size_t i, begin = 0, size = 0, own
    for i in range(lines.n):
        if apart[i] or _is_empty(&lines.rows[i]):
            continue
        own = _fence(text, &lines.rows[i], size > 0)
        if not own:
            continue
        if not size:
            begin, size = i, own
        elif own >= size and text[lines.rows[i].start] == text[lines.rows[begin].start]:
            memset(apart + begin, FENCED, i - begin)
            apart[i] = LAST_FENCED
            size = 0


cdef uint8_t* find_apart(const uint8_t* text, const lines_t* lines, bint begins, bint ends) noexcept nogil:
    """Returns for each line what it is, in memory that the caller frees; NULL if there is not enough memory.

    Args:
        begins, ends: whether the text begins and ends with these lines, or they are a piece of it. A header is looked
            for where a message begins, a signature where one ends.
    """
    cdef uint8_t* apart = <uint8_t*> calloc(lines.n + 1, 1)
    cdef size_t start = 0, stop, signature
    cdef bint first = True
    if apart == NULL:
        return NULL
    while start < lines.n:
        stop = start + 1
        while stop < lines.n and not (
            lines.rows[stop].flags & FEED
            or (lines.rows[stop].flags & STRICT_FROM and _is_empty(&lines.rows[stop - 1]))
        ):
            stop += 1
        if begins or not first:
            _mark_header(text, lines, start, stop, apart)
        if ends or stop < lines.n:
            signature = _signature(text, lines, start, stop, first and not begins)
            memset(apart + signature, SIGNATURE, stop - signature)
        first = False
        start = stop
    _mark_fences(text, lines, apart)
    return apart


# --------------------------------------------------------------------------------------------------
# Layout.

cdef enum:
    # Widths and indentations above these count as these.
    WIDEST = 4096
    DEEPEST = 256
    # A line longer than this, in bytes, shows the margin of the text.
    LONG = 40
    # Longest line of a wrapped dump, in characters: the 80 columns of a screen, and some more for other scripts.
    SCREEN = 100
    # Widest page that a text is wrapped for if its lines show that it is wrapped.
    PAGE = 200
    # Fewest pairs of lines that say more than width and empty lines.
    SOME = 8
    # One in this many pairs may look like a sentence that goes on although each line is a paragraph: a paragraph
    # without a final mark before one that begins in lower case.
    BY_CHANCE = 8
    # One in this many pairs may be such a pair beside another, at most: in wrapped text, paragraphs have several lines.
    RUNS_BY_CHANCE = 40
    # One in this many lines of mail is part of a header, a signature or a quote.
    MAIL = 20

# A line ends early if the next word would have fitted into this share of the width.
cdef double EARLY = 0.85

# What the pairs of a text show.
ctypedef struct pairs_t:
    uint32_t filled      # lines that are not empty
    uint32_t wide        # of these, wider than a screen
    bint has_empty       # there are empty lines between them
    uint32_t mail        # lines of headers, signatures and quotes
    uint32_t without_room  # lines that have no room for the next word within the widest line
    uint32_t pairs       # lines of running text, one after the other
    uint32_t full        # of these, those in which the first line is full
    uint32_t ended       # of these, those in which the first line ends a sentence and the next one may begin one
    uint32_t going_on    # of these, those in which a sentence goes on
    uint32_t at_margin   # of these, those in which the first line is full, too
    uint32_t in_runs     # of these, those after another one


cdef void _measure(const lines_t* lines, shape_t* shape) noexcept nogil:
    """Measures the width, which is the 95th percentile of the lines with a further line directly after them, and the
    margin: 3 in Lynx dumps, where only headings have less."""
    cdef uint32_t widths[WIDEST + 1]
    cdef uint32_t indents[DEEPEST + 1]
    cdef uint32_t n = 0, below = 0, most = 0, i
    cdef size_t at
    cdef const line_t* line
    memset(widths, 0, sizeof(widths))
    memset(indents, 0, sizeof(indents))
    for at in range(lines.n):
        line = &lines.rows[at]
        if line.start == line.end:
            continue
        if line.size > LONG:
            indents[line.indent if line.indent < DEEPEST else DEEPEST] += 1
        if at + 1 < lines.n and lines.rows[at + 1].start != lines.rows[at + 1].end:
            widths[line.width if line.width < WIDEST else WIDEST] += 1
            n += 1
    shape.width = shape.margin = 0
    if n:
        for i in range(WIDEST + 1):
            below += widths[i]
            if below > n * 19 // 20:
                shape.width = i
                break
    for i in range(DEEPEST + 1):
        if indents[i] > most:
            most = indents[i]
            shape.margin = i


cdef inline bint _reaches(uint32_t width, const uint8_t* p, const uint8_t* end, double column) noexcept nogil:
    """Returns whether a line of this width reaches a column together with the first word of the next line, from `p` to
    `end`, which is not empty."""
    # mostly a word of one character tells it already, or the whole line
    if width + 2 >= column:
        return True
    return width + 1 + <size_t> (end - p) >= column and width + 1 + first_word(p, end) >= column


cdef bint ended_early(
    uint32_t width, const uint8_t* end, const uint8_t* after, const uint8_t* stop, uint32_t column
) noexcept nogil:
    """Returns whether the author intended the line break after a line.

    The next word would then have fitted well before the right margin, and does not begin in lower case.

    Args:
        width: of the line, in characters.
        end: of the line, which is not empty.
        after, stop: the next line, without its indentation.
        column: at which the text is wrapped.
    """
    cdef uint32_t code
    if _reaches(width, after, stop, EARLY * column):
        return False
    while after < stop:
        after += decode_utf8(after, <size_t> (stop - after), &code)
        if Py_UNICODE_ISALNUM(code):
            if Py_UNICODE_ISLOWER(code):
                return False
            if Py_UNICODE_ISUPPER(code) or Py_UNICODE_ISDIGIT(code):
                return True
            break
    else:
        return False
    # In scripts without case, only a line break after the end of a sentence is intended.
    cdef const uint8_t* mark = end - 1
    while (mark[0] & 0xC0) == 0x80:
        mark -= 1
    decode_utf8(mark, <size_t> (end - mark), &code)
    return is_final(code)


cdef inline bint _goes_on(
    const uint8_t* text, const line_t* line, const line_t* after, uint32_t column, bint* at_margin, bint* ended
) noexcept nogil:
    """Returns whether a sentence goes on from a line to the next one; tells whether the line is full, and whether a
    sentence ends with it."""
    cdef const uint8_t* p = text + after.start
    cdef const uint8_t* end = text + after.end
    cdef uint32_t code
    cdef int letter = NO_LETTER
    at_margin[0] = _reaches(line.width, p, end, EARLY * column)
    while p < end and letter == NO_LETTER:
        p += decode_utf8(p, <size_t> (end - p), &code)
        letter = letter_case(code)
    cdef bint final = is_final(last_mark(text + line.start, text + line.end))
    ended[0] = letter != LOWER and final
    return not final and (letter == LOWER or letter == UNCASED and at_margin[0])


cdef void _count_pairs(const uint8_t* text, const outline_t* outline, pairs_t* found) noexcept nogil:
    cdef const lines_t* lines = &outline.lines
    cdef const uint8_t* apart = outline.apart
    cdef const line_t* line
    cdef const line_t* before = NULL   # the last line that is not empty
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef uint32_t widest = 0
    cdef size_t i
    cdef bint empty = False, goes_on = False, at_margin = False, ended = False, was_running = False, quoted
    memset(found, 0, sizeof(pairs_t))
    for i in range(lines.n):
        if not apart[i] and lines.rows[i].width > widest:
            widest = lines.rows[i].width
    for i in range(lines.n):
        line = &lines.rows[i]
        if apart[i]:
            found.mail += line.start != line.end and apart[i] < FENCED
            was_running = False
            continue
        if line.start == line.end:
            empty = True
            was_running = False
            continue
        p = text + line.start
        end = text + line.end
        found.filled += 1
        found.wide += line.width > SCREEN
        if before != NULL:
            found.has_empty |= empty
            found.without_room += _reaches(before.width, p, end, widest + 1)
        quoted = quote_length(text, line) != 0
        found.mail += quoted
        if (
            before != NULL and not empty and before == line - 1
            and (line.indent <= before.indent + 1 and before.indent <= line.indent + 1)
            and not bullet_length(p, end) and not (line.indent and enumeration_length(p, end))
            and not quoted
        ):
            found.pairs += 1
            goes_on = _goes_on(text, before, line, outline.shape.width, &at_margin, &ended)
            found.ended += ended
            found.full += at_margin
            found.going_on += goes_on
            goes_on = goes_on and at_margin
            found.at_margin += goes_on
            found.in_runs += goes_on and was_running
            was_running = goes_on
        else:
            was_running = False
        empty = False
        before = line


cdef int tell_layout(const uint8_t* text, const outline_t* outline) noexcept nogil:
    """Returns the layout of a text: LINES, PARAGRAPHS or WRAPPED."""
    cdef pairs_t f
    _count_pairs(text, outline, &f)
    cdef bint narrow = f.wide * 50 <= f.filled
    if narrow and f.has_empty:
        if f.pairs < SOME:
            return LINES if not f.mail and not f.going_on and (f.pairs > 1 or f.ended) else WRAPPED
        # Dumps are indented, and a page may be all menus.
        if (
            outline.shape.margin or f.mail * MAIL >= f.pairs or f.in_runs * RUNS_BY_CHANCE >= f.pairs
            or f.at_margin * BY_CHANCE >= f.pairs or f.going_on * 3 >= f.pairs or f.full * 5 >= f.pairs * 3
        ):
            return WRAPPED
        return LINES
    if narrow and f.without_room * 2 >= f.filled - 1 and (f.pairs < SOME or f.at_margin * BY_CHANCE >= f.pairs):
        return WRAPPED
    if outline.shape.width <= PAGE and f.at_margin > 2 and (
        f.at_margin * 2 >= f.pairs or (f.pairs >= SOME and f.in_runs * 5 >= f.pairs)
    ):
        return WRAPPED
    if f.has_empty and f.pairs >= SOME and f.going_on * 5 >= f.pairs * 3:
        # Lines end where their author wanted them to.
        return PARAGRAPHS
    return LINES


cdef bint read_outline(
    const uint8_t* text, size_t length, bint begins, bint ends, outline_t* found
) noexcept nogil:
    """Reads the lines of a text, or of a piece of one, and their shape; returns False if the memory does not suffice.

    `free_outline` must follow in both cases. `begins`, `ends`: whether the text begins and ends with this piece.
    """
    memset(found, 0, sizeof(outline_t))
    if not read_lines(text, length, &found.lines):
        return False
    found.apart = find_apart(text, &found.lines, begins, ends)
    if found.apart == NULL:
        return False
    _measure(&found.lines, &found.shape)
    return True


cdef void free_outline(outline_t* found) noexcept nogil:
    free(found.apart)
    free(found.lines.rows)


def layout_of(bytes text not None):
    """Returns the layout of a text (LINES, PARAGRAPHS or WRAPPED), the column at which its lines are wrapped, and the
    indentation of most of its long lines.

    Args:
        text: UTF-8, without placeholders of images.
    """
    cdef const uint8_t* p = <const uint8_t*> <const char*> text
    cdef size_t length = len(text)
    cdef outline_t outline
    cdef int found = LINES
    cdef bint done
    with nogil:
        done = read_outline(p, length, True, True, &outline)
        if done:
            found = tell_layout(p, &outline)
        free_outline(&outline)
    if not done:
        raise MemoryError
    return found, outline.shape.width, outline.shape.margin
