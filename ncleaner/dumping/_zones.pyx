"""Kinds of segments that no tag marks, and zones of the page.

*Kinds.* Half of the headings and list items that CleanEval's annotators marked are not in an <h1> or <li>. They are
short lines, bold or not, cells of tables, and lines after a bullet or a number. The rules below are the few that
improved the results on the development set (figures in docs/internals.md). They do not change the kinds that tags
give, with one exception: a list item as long as a comment or a chapter becomes a paragraph.

*Zones* are parts of a page that some gold standards keep and others leave out: the headline, the byline (author,
date), the standfirst (a summary below the headline), captions, readers' comments, and links to related pages. Whether
they belong to the clean text is a convention, so the user decides about them; a model decides about the rest of the
page. All zones follow from the structure of the page and its title.

*Prose* is what the block says that contains most of the page's long segments with few links. The headline is the
segment with the largest sum of weights for its tag, its likeness to the page's title, its class names and its distance
from the beginning of the prose. The weights are chosen on gold standards whose text begins with the headline;
docs/zones.md has the figures.

The time is linear in segments, elements and title.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ncleaner.document._hashes cimport extended, letters_hash, mix
from ncleaner.document._tables cimport (
    BYLINE, CAPTION, COMMENT, HEADLINE, HIDDEN, PREFORMATTED, RELATED, STANDFIRST, builder_t, element_t, segment_t,
)
from ncleaner.document._tags cimport CONTEXT_BOLD, CONTEXT_FONT, CONTEXT_TIME, MAX_TAGS, TAG_H1, TAG_H6, TAG_TD, TAG_TH
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport (
    LOWER, NO_LETTER, UNCASED, decode_utf8, fold, has_marker, is_final, last_mark, letter_case,
)

from ncleaner.document import tags as _tags
from ncleaner.text.wordlists import word_lists

# --------------------------------------------------------------------------------------------------
# Kinds.

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
    if s.words <= NUMBERED_WORDS and has_marker(start, end):
        return c'l'
    if s.words > TITLE_WORDS or s.chars > TITLE_CHARS:
        return c'p'
    cdef bint bold = _is_bold(b, s)
    if not bold and s.link_chars * 10 < s.chars and _is_cell(b, s):
        return c'l'
    cdef uint32_t mark = last_mark(start, end)
    if is_final(mark) or mark == c',' or mark == c';':
        return c'p'
    return c'h' if bold or s.words <= PLAIN_WORDS and s.chars <= PLAIN_CHARS or _like_title(start, end) else c'p'


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


# --------------------------------------------------------------------------------------------------
# Zones.

cdef enum:
    # Longest title and headline that are compared, in words; a character of a script without word spaces is a word.
    WORDS = 96
    COLON = 2          # a separator of parts of a title: a colon or »
    # Longest headline, byline and standfirst, in code points and words.
    HEADLINE_CHARS = 250
    BYLINE_WORDS = 25
    STANDFIRST_WORDS = 80
    # The least code points of a segment of prose; it counts for those beyond the second number.
    PROSE_CHARS = 60
    PROSE_BASE = 40
    # A headline is at most this many segments after the beginning of the prose, unless it is an <h1>.
    BEHIND = 3
    # A caption is a block of at most this many code points.
    CAPTION_CHARS = 600
    # Longest heading above comments, in words and code points, and most of them on a page: more belong to a list of
    # pages.
    COMMENT_WORDS = 8
    COMMENT_CHARS = 60
    COMMENT_HEADINGS = 3
    # Comments follow at least this many code points of prose. A heading with fewer after it in its block is before
    # them, not above them.
    BEFORE_COMMENTS = 200
    FEW_BELOW = 40
    # A section of the text has fewer elements inside than comments.
    SECTION_TAGS = 12
    # A byline or standfirst is at most this many segments after the headline, or before the prose.
    BELOW = 8

# The least sum of weights of a headline.
cdef double LEAST = 0.75
# The weight of a segment that is the page's title, and the difference of weights that counts as none.
cdef double TITLE = 2.8
cdef double TIE = 1e-9
# What a heading below <h1> loses that has nothing in common with the title of its page.
cdef double SECTION = 0.6
# What a link with the name of the site loses, and what an <h1> with such a link: on many forums, that is the headline.
cdef double SITE = 1.2
cdef double SITE_HEADING = 0.1
# A block with a larger share of the page's characters is not a section of it.
cdef double MOST = 0.9
# The block that holds this share of the prose is the block of the main text.
cdef double CORE = 0.6

# Flags of a block: its own, and those of the blocks above.
cdef enum:
    AWAY = 1           # navigation, footers, side bars and the like
    IN_COMMENTS = 2
    IN_CAPTION = 4
    IN_RELATED = 8
    HOLDS_HEADLINE = 16
    IN_CORE = 32
    OUT = 64           # AWAY, and no block around the main text: with most of the prose and the only <h1> in it

cdef uint32_t cue_away, cue_title, cue_comment, cue_caption, cue_related, cue_byline, cue_standfirst
cdef uint8_t is_page[MAX_TAGS]
cdef uint8_t is_away[MAX_TAGS]
cdef uint8_t is_caption[MAX_TAGS]
cdef uint8_t is_byline[MAX_TAGS]
# Points for an element of heading level 0 (no heading) to 6.
cdef double LEVELS[7]
LEVELS[:] = [0, 1.3, 0.8, 0.6, 0.4, 0.4, 0.4]


cdef void _fill_tables():
    global cue_away, cue_title, cue_comment, cue_caption, cue_related, cue_byline, cue_standfirst
    bits = {name: 1 << number for number, name in enumerate(_tags.CUES)}
    cue_away = sum(
        bits[name]
        for name in ("navigation", "footer", "sidebar", "related", "advert", "share", "consent", "overlay", "comment")
    )
    cue_title, cue_comment, cue_related = bits["title"], bits["comment"], bits["related"]
    cue_caption, cue_byline, cue_standfirst = bits["caption"], bits["author"], bits["standfirst"]
    for name in ("html", "body", "main", "article"):
        is_page[<int> _tags.CODE[name]] = 1
    for name in ("nav", "footer", "aside"):
        is_away[<int> _tags.CODE[name]] = 1
    for name in ("figcaption", "caption"):
        is_caption[<int> _tags.CODE[name]] = 1
    is_byline[<int> _tags.CODE["address"]] = 1

_fill_tables()

# hashes of the headings above comments, where they are in a table of a power of two of rows; 0 for a free row
cdef enum:
    HEADING_ROWS = 1024
cdef uint64_t comment_headings[HEADING_ROWS]


cdef inline Py_ssize_t _row_of_heading(uint64_t h) noexcept nogil:
    cdef Py_ssize_t row = <Py_ssize_t> (h & (HEADING_ROWS - 1))
    while comment_headings[row] and comment_headings[row] != h:
        row = (row + 1) & (HEADING_ROWS - 1)
    return row


cdef void _fill_headings():
    cdef bytes text
    cdef const uint8_t* p
    cdef uint64_t h
    # `headings.txt` says what these are, and how to add one.
    for heading in word_lists("dumping/headings", "comments")["comments"]:
        text = heading.encode()
        p = <const uint8_t*> <const char*> text
        h = letters_hash(p, p + len(text), False, 0)
        comment_headings[_row_of_heading(h)] = h

_fill_headings()

cdef struct block_t:
    double prose
    uint32_t near        # cues of the block and of the block above it
    uint8_t flags
    uint8_t level        # of the heading around it; 0 without a heading
    uint32_t titles      # number of <h1> inside

# The words of a title or a segment.
cdef struct phrase_t:
    uint64_t words[WORDS]
    uint16_t sizes[WORDS]    # code points
    uint8_t apart[WORDS + 1]  # a separator such as a dash or a bar is before the word; COLON for that
    int n
    int size
    int digits
    bint money


cdef inline bint _separates(uint32_t code) noexcept nogil:
    return (
        code == c'|' or code == c':' or code == c'/' or code == c'-' or code == c'_' or code == 0x2013 or code == 0x2014
        or code == 0xBB or code == 0xAB or code == 0xB7 or code == 0x2022 or code == 0x203A or code == 0xFF5C
        or code == c'>' or code == c'<'
    )


cdef void _end_word(phrase_t* f, uint64_t* h, int* size) noexcept nogil:
    if size[0] and f.n < WORDS:
        f.words[f.n] = mix(h[0])
        f.sizes[f.n] = <uint16_t> min(size[0], 65535)
        f.size += size[0]
        f.n += 1
        f.apart[f.n] = 0
    h[0] = 0
    size[0] = 0


cdef void _read(const uint8_t* p, const uint8_t* end, phrase_t* f) noexcept nogil:
    """Splits text into words; letters count without case."""
    cdef uint32_t code
    cdef uint64_t h = 0
    cdef int size = 0, kind
    f.n = f.size = f.digits = 0
    f.money = False
    f.apart[0] = 1
    while p < end and f.n < WORDS:
        p += decode_utf8(p, <size_t> (end - p), &code)
        kind = fold(&code)
        if kind == NO_LETTER:
            _end_word(f, &h, &size)
            if code == c'$' or code == c'%' or code == 0xA3 or code == 0xA5 or code == 0x20AC or code == 0xB0:
                f.money = True
            if _separates(code) and f.n < WORDS:
                f.apart[f.n] = COLON if code == c':' or code == 0xBB else 1
            continue
        if is_digit(code):
            f.digits += 1
        if kind == UNCASED and code >= 0x2E80:
            # Han, kana, Hangul
            _end_word(f, &h, &size)
        h = extended(h, code)
        size += 1
        if kind == UNCASED and code >= 0x2E80:
            _end_word(f, &h, &size)
    _end_word(f, &h, &size)
    f.apart[f.n] = 1


cdef int _place(const phrase_t* inner, const phrase_t* outer, int start) noexcept nogil:
    """Returns the first place from `start` on where the words of `inner` follow each other in `outer`, or -1."""
    cdef int i, j
    for i in range(start, outer.n - inner.n + 1):
        j = 0
        while j < inner.n and inner.words[j] == outer.words[i + j]:
            j += 1
        if j == inner.n:
            return i
    return -1


cdef int _common(const phrase_t* some, const phrase_t* others) noexcept nogil:
    """Returns how many of some words are among others."""
    cdef int i, j, found = 0
    for i in range(some.n):
        for j in range(others.n):
            if some.words[i] == others.words[j]:
                found += 1
                break
    return found


cdef double _likeness(const phrase_t* text, const phrase_t* title, int longest) noexcept nogil:
    """Returns how much a segment is like the page's title, 0 to 1.

    A title often has parts: the headline, the section, the site. `longest`: code points of the longest part."""
    cdef int at
    cdef double value
    if not text.n or not title.n:
        return 0
    if text.n == title.n and _place(text, title, 0) == 0:
        return 1
    at = _place(text, title, 0)
    while at >= 0:
        if title.apart[at] and title.apart[at + text.n]:
            if text.size < 4:
                return 0
            value = 0.5 + 0.5 * min(1.0, 1.6 * text.size / title.size)
            return value if text.size >= longest else 0.7 * value
        at = _place(text, title, at + 1)
    if title.size >= 8 and title.n < text.n and _place(title, text, 0) >= 0:
        return 0.4 + 0.6 * title.size / text.size
    if text.size >= 6 and _place(text, title, 0) >= 0:
        return 0.3 + 0.6 * text.size / title.size
    if text.n < 3:
        return 0
    return max(0.0, min(_common(text, title) / <double> text.n, 1.25 * _common(title, text) / title.n) - 0.1)


cdef int _longest_part(const phrase_t* title) noexcept nogil:
    cdef int i, size = 0, best = 0
    for i in range(title.n):
        if title.apart[i]:
            size = 0
        size += title.sizes[i]
        best = max(best, size)
    return best


cdef bint _is_prose(const segment_t* s, const block_t* blocks) noexcept nogil:
    return (
        s.chars >= PROSE_CHARS and 2 * s.link_chars < s.chars and s.element >= 0 and not s.flags & HIDDEN
        and not blocks[s.element].flags & OUT
    )


cdef double _sum_prose(const builder_t* b, block_t* blocks) noexcept nogil:
    """Sums up the prose in each block. Returns that of the page."""
    cdef Py_ssize_t i
    cdef int32_t parent
    cdef double total = 0, size
    for i in range(<Py_ssize_t> b.n_elements):
        blocks[i].prose = 0
    for i in range(<Py_ssize_t> b.n_segments):
        if _is_prose(&b.segments[i], blocks):
            size = b.segments[i].chars - PROSE_BASE
            total += size
            blocks[b.segments[i].element].prose += size
    for i in range(<Py_ssize_t> b.n_elements - 1, -1, -1):
        parent = b.elements[i].parent
        if parent >= 0:
            blocks[parent].prose += blocks[i].prose
    return total


cdef Py_ssize_t _begin_of_prose(const builder_t* b, block_t* blocks) noexcept nogil:
    """Returns the first segment of prose in the innermost block with most of the prose; the number of segments for a
    page without prose. Marks the blocks inside that block."""
    cdef size_t i
    cdef int32_t parent
    cdef double total = _sum_prose(b, blocks)
    cdef Py_ssize_t e, core = -1
    for e in range(<Py_ssize_t> b.n_elements):
        if total > 0 and blocks[e].prose >= CORE * total:
            core = e
    for e in range(<Py_ssize_t> b.n_elements):
        parent = b.elements[e].parent
        if e == core or parent >= 0 and blocks[parent].flags & IN_CORE:
            blocks[e].flags |= IN_CORE
    for i in range(b.n_segments):
        if _is_prose(&b.segments[i], blocks) and (core < 0 or blocks[b.segments[i].element].flags & IN_CORE):
            return <Py_ssize_t> i
    return <Py_ssize_t> b.n_segments


cdef uint32_t _context(const builder_t* b, const segment_t* s) noexcept nogil:
    """Returns all bits of inline context in the segment."""
    cdef uint32_t found = 0
    cdef int32_t i
    for i in range(s.first_run, s.last_run + 1):
        found |= b.runs[i].context
    return found


cdef double _weight_of_place(
    const builder_t* b, const segment_t* s, const block_t* block, Py_ssize_t before
) noexcept nogil:
    """Returns the weights for a headline that need no look at the text. `before`: segments from this one to the
    beginning of the prose."""
    cdef double value = LEVELS[block.level]
    cdef uint32_t context
    if block.near & cue_title:
        value += 0.4
    if not block.level:
        context = _context(b, s)
        value += 0.45 if context >> CONTEXT_BOLD & 1 else 0.25 if context >> CONTEXT_FONT & 1 else 0
        if s.kind == c'h':
            value += 0.2
    if block.flags & OUT:
        value -= 1.2
    if 2 * s.link_chars > s.chars:
        value -= 0.5
    if block.near & cue_byline:
        value -= 0.8
    if before < -1:
        value -= 0.9
    elif before <= 0:
        value -= 0.1 if s.words < BYLINE_WORDS else 0.8
    elif before <= 3:
        value += 0.6
    elif before <= 6:
        value += 0.4
    elif before <= 12:
        value += 0.15
    elif before > 25:
        value -= 0.4
    return value


cdef double _weight_of_text(
    const builder_t* b, const segment_t* s, const block_t* block, const phrase_t* text, const phrase_t* title,
    double likeness, Py_ssize_t before
) noexcept nogil:
    """Returns the weights for a headline of its text: at most `TITLE`."""
    cdef double value = TITLE * likeness
    cdef uint32_t mark = last_mark(<const uint8_t*> b.text + s.start, <const uint8_t*> b.text + s.end)
    if 5 * text.digits > text.size:
        value -= 1
    if text.n < 3 and text.size < 14:
        value -= 0.15
    if is_final(mark) or mark == c':' or mark == c';' or mark == c',':
        value -= 0.4
    if likeness < 0.3 and block.level != 1 and before > 12:
        value -= 0.5
    if block.level < 2 and 2 * s.link_chars > s.chars and _place(text, title, 0) > 0:
        # a link with the name of the site, which is behind the headline in the title
        value -= SITE_HEADING if block.level else SITE
    if likeness == 0 and block.level > 1 and title.n > 0:
        # the heading of a section, such as "Frequently asked questions" on a home page
        value -= SECTION
    return value


cdef inline int _end_of_title(const phrase_t* text, const phrase_t* title) noexcept nogil:
    """Returns 1 for a text that is the name of a site by its place in a title: the last part, or the first one before a
    colon or »; -1 for the part at the other end; 0 for all others."""
    if text.n >= title.n:
        return 0
    cdef int at = _place(text, title, 0)
    if at == 0:
        return 0 if not title.apart[text.n] else 1 if title.apart[text.n] == COLON else -1
    if at < 0 or at + text.n < title.n or not title.apart[at]:
        return 0
    return -1 if title.apart[at] == COLON else 1


cdef Py_ssize_t _headline(
    const builder_t* b, const block_t* blocks, const phrase_t* title, Py_ssize_t prose
) noexcept nogil:
    """Returns the segment that is the headline; -1 if there is none.

    A heading with the name of the site is not the headline if a later one has the other end of the title.
    """
    cdef phrase_t text
    cdef const segment_t* s
    cdef const block_t* block
    cdef const uint8_t* start = <const uint8_t*> b.text
    cdef Py_ssize_t i, best = -1
    cdef double value, most = LEAST
    cdef int longest = _longest_part(title), part, of_best = 0
    cdef Py_ssize_t last = -1
    cdef bint headings, is_after
    # Headings come first: after them, most other segments are out by their place, and their text is not read.
    for headings in (True, False):
        for i in range(<Py_ssize_t> b.n_segments):
            s = &b.segments[i]
            if s.element < 0 or s.flags & HIDDEN or s.chars < 2 or s.chars > HEADLINE_CHARS:
                continue
            block = &blocks[s.element]
            if headings == (block.level == 0) or i > prose + BEHIND and block.level != 1:
                continue
            value = _weight_of_place(b, s, block, prose - i)
            is_after = headings and of_best > 0 and i <= prose
            if value + TITLE < most - TIE and not is_after:
                continue
            _read(start + s.start, start + s.end, &text)
            if not text.n:
                continue
            value += _weight_of_text(b, s, block, &text, title, _likeness(&text, title, longest), prose - i)
            part = _end_of_title(&text, title) if headings and i <= prose else 0
            if part < 0:
                last = i
            # of two with the same weight the first one
            if value > most + TIE or value > most - TIE and i < best:
                most = value
                best = i
                of_best = part
    return last if of_best > 0 and last > best else best


cdef void _describe(const builder_t* b, block_t* blocks) noexcept nogil:
    """Describes each block. The class of a block around the main text may tell of a side bar in it (`with-sidebar`). It
    counts for the zones but the headline, since the shipped models have learned them so."""
    cdef Py_ssize_t i
    cdef double total = _sum_prose(b, blocks)
    cdef bint is_main
    cdef const element_t* e
    cdef const block_t* parent
    cdef block_t root
    memset(&root, 0, sizeof(root))
    for i in range(<Py_ssize_t> b.n_elements - 1, -1, -1):
        e = &b.elements[i]
        if e.parent >= 0:
            blocks[e.parent].titles += blocks[i].titles + (e.tag == TAG_H1 and e.first_run < e.last_run)
    for i in range(<Py_ssize_t> b.n_elements):
        e = &b.elements[i]
        parent = &blocks[e.parent] if e.parent >= 0 else &root
        blocks[i].near = e.cues | (b.elements[e.parent].cues if e.parent >= 0 else 0)
        blocks[i].level = parent.level
        if TAG_H1 <= e.tag <= TAG_H6:
            blocks[i].level = <uint8_t> (e.tag - TAG_H1 + 1)
        blocks[i].flags = parent.flags & (AWAY | OUT | IN_CAPTION)
        is_main = blocks[i].titles == 1 and blocks[i].prose >= CORE * total and not is_away[e.tag]
        if is_away[e.tag] or (e.cues & cue_away and not is_page[e.tag]):
            blocks[i].flags |= AWAY if is_main else AWAY | OUT
        if (is_caption[e.tag] or e.cues & cue_caption and not is_page[e.tag]) and e.chars <= CAPTION_CHARS:
            blocks[i].flags |= IN_CAPTION


cdef void _mark_holders(const builder_t* b, block_t* blocks, int32_t at) noexcept nogil:
    """Marks a block and all blocks above it as those that hold a headline."""
    while at >= 0 and not blocks[at].flags & HOLDS_HEADLINE:
        blocks[at].flags |= HOLDS_HEADLINE
        at = b.elements[at].parent


cdef void _mark_sections(const builder_t* b, block_t* blocks, Py_ssize_t headline, double chars) noexcept nogil:
    """Marks comments and related links: blocks that are named so, but not those that hold the headline or an <h1>, or
    nearly all text of the page. A small section about comments has prose of the text after it."""
    cdef Py_ssize_t i, last = <Py_ssize_t> b.n_segments - 1
    while last >= 0 and not (_is_prose(&b.segments[last], blocks) and blocks[b.segments[last].element].flags & IN_CORE):
        last -= 1
    cdef const element_t* e
    for i in range(<Py_ssize_t> b.n_elements):
        if b.elements[i].tag == TAG_H1:
            _mark_holders(b, blocks, <int32_t> i)
    if headline >= 0:
        _mark_holders(b, blocks, b.segments[headline].element)
    for i in range(<Py_ssize_t> b.n_elements):
        e = &b.elements[i]
        if e.parent >= 0:
            blocks[i].flags |= blocks[e.parent].flags & (IN_COMMENTS | IN_RELATED)
        if is_page[e.tag] or blocks[i].flags & HOLDS_HEADLINE or e.chars >= MOST * chars:
            continue
        if e.cues & cue_comment and (
            last < 0 or e.tags >= SECTION_TAGS or not blocks[i].flags & IN_CORE
            or e.last_run > b.segments[last].first_run
        ):
            blocks[i].flags |= IN_COMMENTS
        if e.cues & cue_related:
            blocks[i].flags |= IN_RELATED


cdef bint _heads_comments(const builder_t* b, const segment_t* s, const block_t* blocks) noexcept nogil:
    """Returns whether a segment is the heading of comments, and tells of some."""
    cdef const uint8_t* p = <const uint8_t*> b.text + s.start
    cdef const uint8_t* end = <const uint8_t*> b.text + s.end
    cdef bint zero = False, other = False
    if (
        s.words > COMMENT_WORDS or s.chars > COMMENT_CHARS or s.element < 0 or s.flags & HIDDEN
        or blocks[s.element].flags & AWAY
    ):
        return False
    cdef uint64_t h = letters_hash(p, end, False, 0)
    if comment_headings[_row_of_heading(h)] != h:
        return False
    while p < end:
        zero = zero or p[0] == c'0'
        other = other or c'1' <= p[0] <= c'9'
        p += 1
    return other or not zero


cdef Py_ssize_t _last_of(const builder_t* b, int32_t block) noexcept nogil:
    """Returns the last segment in a block with text."""
    return b.runs[b.elements[block].last_run - 1].segment


cdef void _mark_comments_below(const builder_t* b, const block_t* blocks, Py_ssize_t headline) noexcept nogil:
    """Assigns the zone of comments to those that no class names: the text after a heading such as “Comments (25)”, to
    the end of the largest block around it that holds neither the headline nor the prose before it, or, if that block
    holds hardly more than the heading, of the block around that one."""
    cdef Py_ssize_t i, at, first = -1, last, before
    cdef const segment_t* s
    cdef double prose = 0, chars = 0
    cdef int headings = 0
    cdef int32_t block, parent
    for i in range(headline + 1, <Py_ssize_t> b.n_segments):
        s = &b.segments[i]
        if prose >= BEFORE_COMMENTS and _heads_comments(b, s, blocks):
            headings += 1
            if first < 0:
                first = i
        elif first < 0 and _is_prose(s, blocks):
            prose += s.chars
    if first < 0 or headings > COMMENT_HEADINGS:
        return
    block = b.segments[first].element
    parent = b.elements[block].parent
    at = first
    prose = 0
    while parent >= 0 and not blocks[parent].flags & HOLDS_HEADLINE:
        before = b.runs[b.elements[parent].first_run].segment
        while at > before:
            at -= 1
            if _is_prose(&b.segments[at], blocks):
                prose += b.segments[at].chars
        if prose >= BEFORE_COMMENTS:
            break
        block = parent
        parent = b.elements[block].parent
    last = _last_of(b, block)
    for i in range(first + 1, last + 1):
        chars += b.segments[i].chars
    if chars < FEW_BELOW and parent >= 0:
        last = _last_of(b, parent)
    for i in range(first, last + 1):
        b.segments[i].zone = COMMENT


cdef uint8_t _zone(
    const builder_t* b, const segment_t* s, const block_t* block, Py_ssize_t below, Py_ssize_t before
) noexcept nogil:
    """Returns the zone of a segment that is not the headline.

    `below`: segments since the headline, negative before it; `before`: segments to the beginning of the prose."""
    cdef phrase_t text
    cdef uint32_t context
    cdef bint near = -2 <= below <= BELOW or 0 < before <= BELOW
    if block.flags & IN_COMMENTS:
        return COMMENT
    if block.flags & IN_RELATED:
        return RELATED
    if block.flags & IN_CAPTION and not block.flags & AWAY and not block.level:
        return CAPTION
    if block.level or not near or block.flags & AWAY:
        return 0
    if s.words <= BYLINE_WORDS and before > -2:
        if block.near & cue_byline or is_byline[b.elements[s.element].tag]:
            return BYLINE
        context = _context(b, s)
        if context >> CONTEXT_TIME & 1:
            return BYLINE
        _read(<const uint8_t*> b.text + s.start, <const uint8_t*> b.text + s.end, &text)
        # a date: at least a day and a year in a short line, and no price
        if before > 0 and text.digits >= 4 and 6 * text.digits >= text.size and text.n <= 16 and not text.money:
            return BYLINE
    return STANDFIRST if s.words <= STANDFIRST_WORDS and below > 0 and block.near & cue_standfirst else 0


cdef int assign_zones(builder_t* b, const uint8_t* title, size_t length) except -1 nogil:
    """Assigns a zone to each segment of an HTML page, once the page is complete. `title`: the page's title, UTF-8.

    Raises MemoryError."""
    cdef phrase_t words
    cdef Py_ssize_t i, n = <Py_ssize_t> b.n_segments, prose, headline
    cdef double chars = 0
    if not b.n_elements or not n:
        return 0
    cdef block_t* blocks = <block_t*> calloc(b.n_elements, sizeof(block_t))
    if blocks == NULL:
        raise MemoryError
    for i in range(n):
        chars += b.segments[i].chars
    _describe(b, blocks)
    prose = _begin_of_prose(b, blocks)
    _read(title, title + length, &words)
    headline = _headline(b, blocks, &words, prose)
    _mark_sections(b, blocks, headline, chars)
    for i in range(n):
        if i == headline:
            b.segments[i].zone = HEADLINE
        elif b.segments[i].element >= 0:
            b.segments[i].zone = _zone(
                b, &b.segments[i], &blocks[b.segments[i].element], i - headline if headline >= 0 else -n, prose - i
            )
    _mark_comments_below(b, blocks, headline)
    free(blocks)
    return 0
