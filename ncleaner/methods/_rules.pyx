"""Rules of `hybrid` after the judgement.

Each changes a mask in place: shape (segments,), bool, in time linear in the page.

What is of other pages, or is twice, goes:

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples.

*Runs of links.* Teasers of other pages read like prose, one by one. On an article, what tells them is that they are
siblings, each with a linked title, after the text.

*Other articles.* A page of a site may go on with its next articles, each in an element of its own beside the first.

*Last lines*, such as a copyright, are at the end of a page and begin like others of their kind.

*References*, such as `Read also: Title` or `Subscribe to our newsletter`, begin with the words of a list.

*Hidden text* is shown after a click. It stays where a question or a heading is above it, or where it is much of the
page.

What belongs to kept text is kept:

*Lists.* Short items are hard to judge one by one. So a list that may be text and is right beside text is kept whole.
Lines that the data of the page states as ingredients, steps or answers are text, and so are captions amid text.

*Heads*, such as headings and terms, are short, and say little of what they are. The text before and below does.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from ncleaner.document._siblings cimport LINKED, Blocks, block_t
from ncleaner.document._hashes cimport letters_hash, row_of, rows_for
from ncleaner.document._tables cimport (
    BYLINE, CAPTION, HEADER, HEADLINE, HIDDEN, PREFORMATTED, STANDFIRST, STATED, Tables, element_t, fill_styles,
    segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport (
    TAG_ARTICLE, TAG_DD, TAG_DT, TAG_H1, TAG_H6, TAG_LEGEND, TAG_LI, TAG_SUMMARY, TAG_TABLE, TAG_TD, TAG_TH, TAG_TR,
)
from ncleaner.text._ascii cimport begins_any, fill_words, find_any, is_letter, words_t
from ncleaner.text._letters cimport is_final, last_mark
from ncleaner.text._memory cimport zeros

import numpy as np

from ncleaner.text.wordlists import word_lists

# The sibling blocks of one group.
cdef struct group_t:
    int32_t size
    int32_t items     # with the tag of an item, a term or a row
    int32_t links     # with a link as their heading
    int32_t first     # segments [first, last]
    int32_t last
    int32_t parts     # segments inside
    uint64_t chars
    uint64_t link_chars


cdef class Judged:
    """A page that the model has judged, for the rules, which change its mask in place.

    Args:
        document: the page.
        mask: shape (segments,), bool: what is kept.
        scores: shape (segments,), float64: log-odds in bits.
        fragment: the probability that the page is text without boilerplate, 0 to 1.
        article: the probability that it is an article, with its page or without: a fragment with prose.

    Attributes:
        document, mask, scores, fragment: see above.
        copied: shape (segments,), int32: which segment each copy repeats; for explanations.

    Raises:
        ValueError: the mask or the scores do not fit the document.
    """

    cdef readonly object document, mask, scores, copied
    cdef readonly double fragment
    cdef double article
    cdef Blocks blocks
    cdef group_t* groups
    cdef const tables_t* t
    cdef const segment_t* s
    cdef const double* odds
    cdef uint8_t* kept
    cdef Py_ssize_t n
    cdef list memory

    def __init__(self, document, mask, scores, double fragment=0, double article=0):
        cdef Tables tables = document.tables
        cdef uint8_t[::1] kept = tables.kept(mask)
        cdef const double[::1] odds = scores
        cdef const block_t* b
        cdef group_t* g
        cdef Py_ssize_t i
        cdef int tag
        if odds.shape[0] != kept.shape[0]:
            raise ValueError("the scores do not fit the document")
        self.document, self.mask, self.scores, self.memory = document, mask, scores, []
        self.fragment, self.article = fragment, article
        self.blocks = Blocks(tables)
        self.t, self.s, self.n = &tables.t, tables.t.segments, kept.shape[0]
        self.copied = np.zeros(self.n, np.int32)
        if self.n:
            self.kept, self.odds = &kept[0], &odds[0]
        self.groups = <group_t*> zeros(self.memory, self.blocks.n, sizeof(group_t))
        for i in range(self.blocks.n):
            b = &self.blocks.rows[i]
            g = &self.groups[b.group]
            tag = self.t.elements[b.element].tag
            g.size = b.size
            g.items += tag == TAG_TR or tag == TAG_LI or tag == TAG_DT or tag == TAG_DD
            g.links += b.facts & LINKED > 0
            g.first = b.first_segment if not b.order else g.first
            g.last = b.last_segment
            g.parts += b.last_segment + 1 - b.first_segment
            g.chars += b.chars
            g.link_chars += b.link_chars

    cdef uint64_t words(self, int flags=0) noexcept:
        """Returns the number of kept words, of segments with these flags."""
        cdef uint64_t words = 0
        cdef Py_ssize_t i
        for i in range(self.n):
            words += self.s[i].words if self.kept[i] and self.s[i].flags & flags == flags else 0
        return words


cdef inline Py_ssize_t headline_of(const tables_t* t) noexcept nogil:
    """Returns the segment of the headline; the number of segments for none."""
    cdef Py_ssize_t i = 0
    while i < t.n_segments and t.segments[i].zone != HEADLINE:
        i += 1
    return i


# --------------------------------------------------------------------------------------------------
# Copies.

cdef enum:
    # Shorter segments, such as prices and names, may well occur twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters are compared as a whole.
    BEGINNING = 48

cdef struct beginning_t:
    uint64_t key
    uint64_t style
    Py_ssize_t first


cdef inline uint64_t _letters_of(const uint8_t* text, const segment_t* s, int most) noexcept nogil:
    return letters_hash(text + s.start, text + s.end, True, most)


def drop_copies(Judged page not None):
    """Takes from the mask each kept segment whose text is kept before in a block of another style, and records it."""
    cdef uint8_t* kept = page.kept
    cdef const tables_t* t = page.t
    cdef const segment_t* s = page.s
    cdef int32_t[::1] copied = page.copied
    cdef uint64_t size = rows_for(t.n_segments), style
    cdef beginning_t* texts = <beginning_t*> zeros(page.memory, size, sizeof(beginning_t))
    cdef beginning_t* found
    cdef uint64_t* styles = <uint64_t*> zeros(page.memory, t.n_elements + 1, sizeof(uint64_t))
    cdef Py_ssize_t i
    fill_styles(t.elements, t.n_elements, styles)
    for i in range(t.n_segments):
        if not kept[i] or s[i].flags & PREFORMATTED \
                or s[i].words < WORDS and (s[i].chars < CHARS or s[i].words * LONG_WORD >= s[i].chars):
            continue
        style = style_of(styles, &s[i]) | 1
        found = <beginning_t*> row_of(texts, sizeof(beginning_t), size - 1, _letters_of(t.text, &s[i], BEGINNING) | 1)
        if not found.style:
            found.style = style
            found.first = i
        elif (
            # the length bounds the time: it stays linear in the text of this segment
            found.style != style and s[found.first].chars <= 2 * s[i].chars
            and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
        ):
            kept[i] = 0
            copied[i] = <int32_t> found.first


# --------------------------------------------------------------------------------------------------
# Runs of links.

cdef enum:
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90
    # Least number of siblings in a run.
    TEASERS = 3
    # Most characters of a teaser besides links, and most segments, on average.
    TEASER = 300
    PARTS = 4
    # Least number of characters of kept text besides links: a page with less may consist of its links.
    PROSE = 350
    # The share of this text after which a run is after the text, in per cent: lines about rights may be after both.
    MOST_TEXT = 97

# Probability of an article from which on they go.
cdef double LIKELY = 0.5


def drop_link_runs(Judged page not None):
    """Takes from the mask what leads to other pages below the text of an article: links, and runs of teasers.

    A run is three sibling blocks or more, half of them with a link as heading or first line, with up to 300 characters
    besides links and four segments each. The page has 350 characters of other kept text, and 97 per cent of these are
    before.
    """
    cdef uint8_t* kept = page.kept
    cdef const tables_t* t = page.t
    cdef const segment_t* s = page.s
    cdef const block_t* b
    cdef const group_t* g
    cdef uint8_t* apart = <uint8_t*> zeros(page.memory, t.n_segments, 1)   # links, and what is in runs
    cdef uint64_t prose = 0, before = 0
    cdef Py_ssize_t i
    if page.article < LIKELY:
        return
    for i in range(page.blocks.n):
        b = &page.blocks.rows[i]
        g = &page.groups[b.group]
        if g.size >= TEASERS and 2 * g.links >= g.size and g.chars - g.link_chars <= <uint64_t> TEASER * g.size \
                and g.parts <= PARTS * g.size:
            memset(apart + b.first_segment, 1, b.last_segment + 1 - b.first_segment)
    for i in range(t.n_segments):
        apart[i] |= s[i].element >= 0 and 100 * <uint64_t> s[i].link_chars >= ALL_LINK * <uint64_t> s[i].chars
        prose += s[i].chars if kept[i] and not apart[i] else 0
    for i in range(t.n_segments if prose >= PROSE else 0):
        before += s[i].chars if kept[i] and not apart[i] else 0
        if apart[i] and s[i].zone != HEADLINE and 100 * before >= MOST_TEXT * prose:
            kept[i] = 0


# --------------------------------------------------------------------------------------------------
# Other articles.

def drop_others(Judged page not None):
    """Takes from the mask the siblings of the <article> of an article's headline that have a heading of its rank, if
    the title of the page has this headline; that of a blog has none.
    """
    cdef const tables_t* t = page.t
    cdef const block_t* b
    cdef Py_ssize_t i = 0, at = headline_of(t)
    cdef int32_t head, own, other, group
    while i < page.blocks.n and page.blocks.rows[i].heading != at:
        i += 1
    head = own = _head_of(t, &t.segments[at]) if i < page.blocks.n else -1
    while own > page.blocks.rows[i].element and t.elements[own].tag != TAG_ARTICLE:
        own = t.elements[own].parent
    if page.article < LIKELY or own < 0 or t.elements[own].tag != TAG_ARTICLE:
        return
    if t.text[t.segments[at].start : t.segments[at].end].decode().casefold() not in page.document.title.casefold():
        return
    group = page.blocks.rows[i].group
    for i in range(page.blocks.n):
        b = &page.blocks.rows[i]
        other = _head_of(t, &t.segments[b.heading]) if b.group == group and b.heading not in (-1, at) else -1
        if other >= 0 and t.elements[other].tag == t.elements[head].tag:
            memset(&page.kept[b.first_segment], 0, b.last_segment + 1 - b.first_segment)


# --------------------------------------------------------------------------------------------------
# The first and last lines of the text.

cdef enum:
    LAST_WORDS = 12
    RIGHTS_CHARS = 250
    # Hidden text goes if it is at most this part of the kept words.
    HIDDEN_PART = 3
    CRUMBS_WORDS = 25
    ARTICLE_WORDS = 150


# What is between the parts of a breadcrumb.
cdef words_t CRUMBS
fill_words(&CRUMBS, (" > ", " / ", " | ", " › ", " » ", " → "))


# `last_lines.txt` says what these are, and how to add one.
LAST_LINES = word_lists("methods/last_lines", "beginnings", "somewhere", "other pages", "appeals", "by programs")


cdef int _fill(words_t* words, str section) except -1:
    """Fills a table with the words of a section; only the letters a to z are found as capitals, too."""
    return fill_words(words, {form for text in LAST_LINES[section] for form in (text, text[:1].upper() + text[1:])})

cdef words_t BEGINNINGS, OF_RIGHTS, REFERENCES, APPEALS, PROGRAMS
_fill(&BEGINNINGS, "beginnings")
_fill(&OF_RIGHTS, "somewhere")
_fill(&REFERENCES, "other pages")
_fill(&APPEALS, "appeals")
_fill(&PROGRAMS, "by programs")


def drop_last_lines(Judged page not None):
    """Takes from the mask the lines at its end that are a copyright such as `© 2024 Name` or about the site
    (`Powered by …`), of up to twelve words, or a sentence about rights.

    Other text stays before them, so that the mask is never empty afterwards.
    """
    cdef const segment_t* s = page.s
    cdef const uint8_t* text = page.t.text
    cdef Py_ssize_t at = page.n - 1
    while at >= 0 and (
        not page.kept[at]
        or s[at].words <= LAST_WORDS and begins_any(text + s[at].start, s[at].end - s[at].start, BEGINNINGS.small)
        or s[at].chars <= RIGHTS_CHARS and find_any(text + s[at].start, s[at].end - s[at].start, &OF_RIGHTS)
    ):
        at -= 1
    if at >= 0:
        memset(page.kept + at + 1, 0, page.n - at - 1)


cdef bint _begins(const tables_t* t, const segment_t* s, const words_t* words) noexcept nogil:
    """Returns whether a segment begins with one of some words, such as `Read also`; signs and arrows may be before."""
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef const uint8_t* end = <const uint8_t*> t.text + s.end
    while p < end and not is_letter(p[0]) and (
        p[0] < 0x80 or p[0] == 0xE2 or p[0] == 0xE3 and p[1] == 0x80 or p[0] >= 0xEF
    ):
        p += 1 if p[0] < 0x80 else 3 if p[0] < 0xF0 else 4
    return end - p > 2 and words.begin[0][p[0] & 31] & words.begin[1][p[1] & 31] & words.begin[2][p[2] & 31] \
        and begins_any(p, <size_t> (end - p), words.small)


def drop_references(Judged page not None):
    """Takes from the mask lines of up to 25 words: those that begin like `Next message: Title` or `Last edited by`,
    which programs write; before the headline, those with links like `Home > News > Title`; and on an article of 150
    words and more, those that begin like `Subscribe to our newsletter`, and links that begin like `Read also: Title`.
    """
    cdef const tables_t* t = page.t
    cdef const segment_t* s = page.s
    cdef Py_ssize_t headline = headline_of(t), i
    cdef bint is_article = page.article >= LIKELY and page.words() >= ARTICLE_WORDS
    for i in range(t.n_segments):
        if page.kept[i] and s[i].words <= CRUMBS_WORDS and s[i].zone != HEADLINE and (
            _begins(t, &s[i], &PROGRAMS) or 5 * s[i].link_chars >= s[i].chars and i < headline < t.n_segments
            and find_any(t.text + s[i].start, s[i].end - s[i].start, &CRUMBS)
            or is_article and _begins(t, &s[i], &REFERENCES if 2 * s[i].link_chars >= s[i].chars else &APPEALS)
        ):
            page.kept[i] = False


def drop_hidden(Judged page not None):
    """Takes from the mask the text that is not shown at first, if it is at most a third of the kept words.

    What follows a kept heading, question or line with a colon stays: a reader opens it there.
    """
    cdef const segment_t* s = page.s
    cdef uint64_t hidden = page.words(HIDDEN)
    cdef Py_ssize_t above = -1, i
    if not hidden or HIDDEN_PART * hidden > page.words():
        return
    for i in range(page.n):
        if not s[i].flags & HIDDEN:
            above = i
        elif above < 0 or not page.kept[above] or _head_of(page.t, &s[above]) < 0 and last_mark(
            <const uint8_t*> page.t.text + s[above].start, <const uint8_t*> page.t.text + s[above].end
        ) not in (c'?', 0xFF1F, 0x61F, c':', 0xFF1A):
            page.kept[i] = False


# --------------------------------------------------------------------------------------------------
# What is kept whole.

cdef enum:
    # Fewest items of a list before text, most segments from it to the text, and from the text to one after it, and the
    # largest part of it that is in links.
    LIST = 3
    NEAR = 3
    AFTER = 2
    MOST_LINKS = 10
    # Most characters of a cell of a table of data.
    LONGEST_CELL = 400
    # Most words of a head, and elements from its text up to it.
    HEAD_WORDS = 40
    BOXES = 3
    # Ranks of heads: h1 to h6, titles of blocks, terms.
    RANKS = 8
    # Most segments between the headline and the first kept one that are added.
    LEADS = 4

# Least mean log-odds, in bits, of a list before text, and of one after it; those of a caption, and of a line that the
# page's data states.
cdef double LISTED = -1.5
cdef double ADDED = -2
cdef double STATES = -6

# Least log-odds, in bits, of what has the tag of a head.
cdef double HEAD = -5

# Least log-odds of what follows the headline.
cdef double LEAD = -1.6


cdef bint _is_near(Judged page, const group_t* of) noexcept:
    """Returns whether a list without gaps, that may be text, is right before kept text, or whether one without
    headings, of which nothing is kept, is right after that of an article."""
    cdef double score = 0
    cdef bint is_new = page.article >= LIKELY
    cdef Py_ssize_t i
    if of.parts != of.last + 1 - of.first or MOST_LINKS * of.link_chars > of.chars:
        return False
    for i in range(of.first, of.last + 1):
        score += page.odds[i]
        is_new = is_new and not page.kept[i] and page.s[i].kind != c'h'
        if page.s[i].flags & HIDDEN:
            return False
    for i in range(of.last + 1, min(of.last + 1 + NEAR, page.n) if of.size >= LIST else 0):
        if page.kept[i]:
            return score >= LISTED * of.parts
    for i in range(max(of.first - AFTER, 0), of.first if is_new else 0):
        if page.kept[i]:
            return score >= ADDED * of.parts
    return False


cdef bint _is_caption(Judged page, Py_ssize_t i) noexcept:
    """Returns whether a segment is a caption of six words or more between two kept segments of an article."""
    return 0 < i < page.n - 1 and page.s[i].zone == CAPTION and page.s[i].words >= WORDS \
        and page.article >= LIKELY and page.kept[i - 1] and page.kept[i + 1]


def complete_lists(Judged page not None):
    """Adds to the mask the lists that may be text: of three items and more right before kept text, as that of
    ingredients is above the steps, and, on an article, of two and more right after it, such as notes. Adds the shown
    lines that the data of the page states, and captions amid the text of an article, too.
    """
    cdef const group_t* g
    cdef Py_ssize_t i
    for i in range(page.blocks.n):
        g = &page.groups[i]
        if g.items and g.items == g.size and _is_near(page, g):
            memset(&page.kept[g.first], 1, g.parts)
    for i in range(page.n):
        if page.odds[i] >= STATES and not page.s[i].flags & HIDDEN and (
            page.s[i].flags & STATED or _is_caption(page, i)
        ):
            page.kept[i] = 1


cdef inline bint _is_cell(const element_t* e) noexcept nogil:
    """Returns whether an element is a cell with text."""
    return (e.tag == TAG_TD or e.tag == TAG_TH) and e.first_run < e.last_run


cdef void _fill_table(Judged page, int32_t table) noexcept:
    """Adds the cells of a table of data of whose text half is kept: short ones, two and more in a row, no table."""
    cdef const element_t* e = page.t.elements
    cdef int32_t end = table + 1, k
    cdef int64_t left = 0     # twice the characters that are kept, less all
    cdef int64_t cells = 0    # less two for each row
    cdef Py_ssize_t i, first, last
    cdef bint fills
    while end < page.t.n_elements and e[end].depth > e[table].depth:
        if e[end].tag == TAG_TABLE or _is_cell(&e[end]) and e[end].chars > LONGEST_CELL:
            return
        cells += _is_cell(&e[end]) - 2 * (e[end].tag == TAG_TR and e[end].first_run < e[end].last_run)
        end += 1
    for i in range(page.t.runs[e[table].first_run].segment, page.t.runs[e[table].last_run - 1].segment + 1):
        left += page.s[i].chars if page.kept[i] else -<int64_t> page.s[i].chars
    for k in range(table, end if left >= 0 and cells >= 0 else table):
        if _is_cell(&e[k]):
            first, last = page.t.runs[e[k].first_run].segment, page.t.runs[e[k].last_run - 1].segment
            fills = True
            for i in range(first, last + 1):
                fills = fills and not page.kept[i] and not page.s[i].link_chars and not page.s[i].flags & HIDDEN
            if fills:
                memset(&page.kept[first], 1, <size_t> (last + 1 - first))


def complete_tables(Judged page not None):
    """Adds to the mask the cells without links of tables of data that are kept for the most part: heads, and single
    letters, say little of what they are."""
    cdef int32_t e
    for e in range(<int32_t> page.t.n_elements):
        if page.t.elements[e].tag == TAG_TABLE and page.t.elements[e].first_run < page.t.elements[e].last_run:
            _fill_table(page, e)


cdef inline int _rank(int tag) noexcept nogil:
    """Returns the rank of what heads other text, 0 for the highest; `RANKS` for other elements."""
    return tag - TAG_H1 if TAG_H1 <= tag <= TAG_H6 else RANKS - 2 if tag == TAG_SUMMARY or tag == TAG_LEGEND \
        else RANKS - 1 if tag == TAG_DT else RANKS


cdef inline int32_t _head_of(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns the head around a segment, -1 for none; some tools put boxes into headings."""
    cdef int32_t e = s.element if s.words <= HEAD_WORDS else -1
    cdef int level = 0
    while e >= 0 and level < BOXES:
        if _rank(t.elements[e].tag) < RANKS:
            return e
        e = t.elements[e].parent
        level += 1
    return -1


cdef inline bint _may_head(const segment_t* s) noexcept nogil:
    return not s.flags & (HIDDEN | HEADER) and s.zone != BYLINE and 2 * s.link_chars <= s.chars


cdef void _add_lead(Judged page) noexcept:
    """Adds the sentences and the standfirst between the headline and the first kept segment near it."""
    cdef const segment_t* s = page.s
    cdef Py_ssize_t first = headline_of(page.t) + 1, end = first, i
    while end < page.n and end - first < LEADS and not page.kept[end]:
        end += 1
    for i in range(first, end if end < page.n and page.kept[end] else first):
        page.kept[i] = page.odds[i] >= LEAD and _may_head(&s[i]) and (
            s[i].zone == STANDFIRST or not s[i].zone and s[i].words >= WORDS
            and is_final(last_mark(<const uint8_t*> page.t.text + s[i].start, <const uint8_t*> page.t.text + s[i].end))
        )


def complete_heads(Judged page not None):
    """Adds to the mask each heading, term of a list and title of a block whose text is kept, unless it is surely none.

    This text reaches up to the next head of the same rank or a higher one, or to the end of the block. It begins with a
    kept segment, at least half of its words are kept, and so is one of the two segments before the head. Sentences that
    follow the headline, near the first kept segment, are added, too, and the first line of a plain text if it looks
    like a heading.
    """
    cdef uint8_t* kept = page.kept
    cdef const tables_t* t = page.t
    cdef const element_t* e = t.elements
    # the words before each segment, and those of them that are kept
    cdef uint64_t* words = <uint64_t*> zeros(page.memory, 2 * t.n_segments + 2, sizeof(uint64_t))
    cdef uint64_t* of_kept = words + t.n_segments + 1
    cdef Py_ssize_t[RANKS] below   # the next head of each rank, or of a higher one
    cdef Py_ssize_t i = t.n_segments, first, begin, end, k
    cdef int32_t head, block, rank
    for k in range(t.n_segments):
        words[k + 1] = words[k] + t.segments[k].words
        of_kept[k + 1] = of_kept[k] + (t.segments[k].words if kept[k] else 0)
    for k in range(RANKS):
        below[k] = i
    while i:
        i -= 1
        head = _head_of(t, &t.segments[i])
        if head < 0:
            continue
        begin = i + 1
        i = first = t.runs[e[head].first_run].segment
        block, rank = head, _rank(e[head].tag)
        while e[block].parent >= 0 and e[e[block].parent].first_run == e[head].first_run \
                and e[e[block].parent].last_run == e[head].last_run:
            block = e[block].parent
        block = e[block].parent
        end = min(below[rank], t.runs[e[block].last_run - 1].segment + 1) if block >= 0 else below[rank]
        for k in range(rank, RANKS):
            below[k] = first
        if begin < end and kept[begin] and first and (kept[first - 1] or first > 1 and kept[first - 2]) \
                and 2 * (of_kept[end] - of_kept[begin]) >= words[end] - words[begin]:
            for k in range(first, begin):
                kept[k] |= page.odds[k] >= HEAD and _may_head(&t.segments[k])
    if not t.n_elements and t.n_segments > 1 and kept[1]:
        kept[0] |= t.segments[0].kind == c'h' and _may_head(&t.segments[0])
    _add_lead(page)
