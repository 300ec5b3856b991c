"""Rules of `hybrid` after the judgement.

Each changes a mask in place: shape (segments,), bool, in time linear in the page.

What is of other pages, or is twice, goes:

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples.

*Runs of links.* Teasers of other pages read like prose, one by one. On an article, what tells them is that they are
siblings, each with a linked title, after the text.

*Strays* are apart from the text of a product: reviews, other products, what the shop says about itself.

What belongs to kept text is kept:

*Lists.* Short items are hard to judge one by one. So a list that may be text and has text after it is kept whole.

*Heads*, such as headings and terms, are short, and say little of what they are. The text before and below does.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from ncleaner.document._siblings cimport LINKED, Blocks, block_t
from ncleaner.document._hashes cimport letters_hash, row_of, rows_for
from ncleaner.document._tables cimport (
    BYLINE, HEADER, HEADLINE, HIDDEN, PREFORMATTED, STANDFIRST, Tables, element_t, fill_styles, segment_t,
    style_of, tables_t,
)
from ncleaner.document._tags cimport (
    TAG_ARTICLE, TAG_DD, TAG_DT, TAG_H1, TAG_H6, TAG_LEGEND, TAG_LI, TAG_SUMMARY, TAG_TR,
)
from ncleaner.text._ascii cimport begins_any, fill_words, find_any, is_letter, table_of, words_t
from ncleaner.text._letters cimport is_final, last_mark
from ncleaner.text._memory cimport zeros

from ncleaner.text.wordlists import word_lists

cdef enum:
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90


cdef inline bint is_link(const segment_t* s) noexcept nogil:
    return s.element >= 0 and s.zone != HEADLINE and 100 * <uint64_t> s.link_chars >= ALL_LINK * <uint64_t> s.chars


cdef inline uint64_t kept_words(const tables_t* t, const uint8_t[::1] kept) noexcept nogil:
    cdef uint64_t words = 0
    cdef Py_ssize_t i
    for i in range(t.n_segments):
        words += t.segments[i].words if kept[i] else 0
    return words


cdef inline bint fits(const uint8_t[::1] kept, const double[::1] scores) except -1:
    """Returns whether a page has segments. Raises ValueError: its scores do not fit."""
    if scores.shape[0] != kept.shape[0]:
        raise ValueError("the scores do not fit the document")
    return kept.shape[0] > 0


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


cdef inline bint _is_long(const segment_t* s) noexcept nogil:
    return not s.flags & PREFORMATTED and (s.words >= WORDS or s.chars >= CHARS and s.words * LONG_WORD < s.chars)


cdef inline uint64_t _letters_of(const uint8_t* text, const segment_t* s, int most) noexcept nogil:
    return letters_hash(text + s.start, text + s.end, True, most)


def drop_copies(Tables tables not None, mask not None, firsts=None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place.
        firsts: shape (segments,), int32: gets the segment that each removed one copies; None: no record.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s = t.segments
    cdef int32_t[::1] copied
    cdef list memory = []
    cdef uint64_t size = rows_for(t.n_segments), style
    cdef beginning_t* texts = <beginning_t*> zeros(memory, size, sizeof(beginning_t))
    cdef beginning_t* found
    cdef uint64_t* styles = <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t))
    cdef int32_t* out = <int32_t*> zeros(memory, t.n_segments, sizeof(int32_t))
    cdef Py_ssize_t i
    if not kept.shape[0]:
        return
    if firsts is not None:
        copied = firsts
        if copied.shape[0] != t.n_segments:
            raise ValueError("the record of copies does not fit the document")
        out = &copied[0]
    with nogil:
        fill_styles(t.elements, t.n_elements, styles)
        for i in range(t.n_segments):
            if not kept[i] or not _is_long(&s[i]):
                continue
            style = style_of(styles, &s[i]) | 1
            found = <beginning_t*> row_of(
                texts, sizeof(beginning_t), size - 1, _letters_of(t.text, &s[i], BEGINNING) | 1
            )
            if not found.style:
                found.style = style
                found.first = i
            elif (
                # the length bounds the time: it stays linear in the text of this segment
                found.style != style and s[found.first].chars <= 2 * s[i].chars
                and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
            ):
                kept[i] = 0
                out[i] = <int32_t> found.first


# --------------------------------------------------------------------------------------------------
# Runs of links.

cdef enum:
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

# The siblings of a group.
cdef struct run_t:
    int32_t links     # blocks with a link as their heading
    uint64_t parts    # segments
    uint64_t chars    # besides links


def drop_link_runs(Tables tables not None, mask not None, Blocks blocks not None, double article):
    """Takes from a mask what leads to other pages below the text of an article: links, and runs of teasers.

    A run is three sibling blocks or more, half of them with a link as heading or first line, with up to 300 characters
    besides links and four segments each. The page has 350 characters of other kept text, and 97 per cent of these are
    before.

    `article` is the probability that the page is an article, 0 to 1; `blocks` are the page's. Other arguments and
    errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s = t.segments
    cdef const block_t* b
    cdef const run_t* run
    cdef list memory = []
    cdef run_t* groups = <run_t*> zeros(memory, blocks.n, sizeof(run_t))
    cdef uint8_t* apart = <uint8_t*> zeros(memory, t.n_segments, 1)   # links, and what is in runs
    cdef uint64_t prose = 0, before = 0
    cdef Py_ssize_t i
    if article < LIKELY:
        return
    for i in range(blocks.n):
        b = &blocks.rows[i]
        groups[b.group].links += b.facts & LINKED > 0
        groups[b.group].parts += b.last_segment + 1 - b.first_segment
        groups[b.group].chars += b.chars - b.link_chars
    for i in range(blocks.n):
        b = &blocks.rows[i]
        run = &groups[b.group]
        if b.size >= TEASERS and 2 * run.links >= b.size and run.chars <= TEASER * b.size \
                and run.parts <= PARTS * b.size:
            memset(apart + b.first_segment, 1, b.last_segment + 1 - b.first_segment)
    for i in range(t.n_segments):
        apart[i] |= is_link(&s[i])
        prose += s[i].chars if kept[i] and not apart[i] else 0
    for i in range(t.n_segments if prose >= PROSE else 0):
        before += s[i].chars if kept[i] and not apart[i] else 0
        if apart[i] and s[i].zone != HEADLINE and 100 * before >= MOST_TEXT * prose:
            kept[i] = 0


# --------------------------------------------------------------------------------------------------
# What is apart.

cdef enum:
    # Fewest removed segments between groups of kept ones that are apart.
    APART = 6

# Probability of a product from which on they go, and log-odds from which on prose is sure, in bits.
cdef double PRODUCT = 0.6
cdef double SURE = 2


def drop_strays(Tables tables not None, mask not None, scores not None, double product):
    """Takes from a mask what is after the text of a product: reviews, other products, what the shop says about itself.

    The text is that of the groups of segments between which six and more are removed that has most words. What is after
    it goes, unless it has a quarter of the sure prose of the page.

    `scores`: shape (segments,), log-odds in bits; `product`: the probability that the page is of a product, 0 to 1.
    Other arguments and errors as `drop_copies`.
    """
    if product < PRODUCT:
        return
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const double[::1] odds = scores
    cdef const segment_t* s = tables.t.segments
    cdef uint64_t words = 0, most = 0, prose = 0, after = 0, sure
    cdef Py_ssize_t i, last = 0, gap = 0
    if not fits(kept, odds):
        return
    for i in range(kept.shape[0]):
        if not kept[i]:
            gap += 1
            continue
        words = s[i].words + (0 if gap >= APART else words)
        gap = 0
        sure = s[i].words if odds[i] >= SURE and 2 * s[i].link_chars <= s[i].chars else 0
        prose += sure
        after += sure
        if words > most:
            most, last, after = words, i, 0
    if not prose or 4 * after < prose:
        memset(&kept[last] + 1, 0, kept.shape[0] - last - 1)


def drop_others(Tables tables not None, mask not None, Blocks blocks not None, double article, str title not None):
    """Takes from a mask the siblings of the <article> of an article's headline that have a heading of its rank, if the
    title of the page has this headline; that of a blog has none.

    `article` is the probability that the page is an article, 0 to 1; `blocks` are the page's. Other arguments and
    errors as `drop_copies`.
    """
    cdef const tables_t* t = &tables.t
    cdef const block_t* b
    cdef Py_ssize_t i = 0, at = headline_of(t)
    cdef int32_t head, own, other, group
    while i < blocks.n and blocks.rows[i].heading != at:
        i += 1
    head = own = _head_of(t, &t.segments[at]) if i < blocks.n else -1
    while own > blocks.rows[i].element and t.elements[own].tag != TAG_ARTICLE:
        own = t.elements[own].parent
    if article < LIKELY or own < 0 or t.elements[own].tag != TAG_ARTICLE:
        return
    if t.text[t.segments[at].start : t.segments[at].end].decode().casefold() not in title.casefold():
        return
    cdef uint8_t[::1] kept = tables.kept(mask)
    group = blocks.rows[i].group
    for i in range(blocks.n):
        b = &blocks.rows[i]
        other = _head_of(t, &t.segments[b.heading]) if b.group == group and b.heading not in (-1, at) else -1
        if other >= 0 and t.elements[other].tag == t.elements[head].tag:
            memset(&kept[b.first_segment], 0, b.last_segment + 1 - b.first_segment)


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
LAST_LINES = word_lists("methods/last_lines", "beginnings", "somewhere", "other pages", "by programs")


cdef const char** _beginnings(str section):
    """Returns the words of a section; only the letters a to z are found as capitals, too."""
    return table_of({form for words in LAST_LINES[section] for form in (words, words[:1].upper() + words[1:])})

cdef const char** BEGINNINGS = _beginnings("beginnings")
cdef const char** REFERENCES = _beginnings("other pages")
cdef const char** PROGRAMS = _beginnings("by programs")
cdef words_t OF_RIGHTS
fill_words(&OF_RIGHTS, LAST_LINES["somewhere"])


cdef bint _is_last_line(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    return s.words <= LAST_WORDS and begins_any(p, size, BEGINNINGS) \
        or s.chars <= RIGHTS_CHARS and find_any(p, size, &OF_RIGHTS)


def drop_last_lines(Tables tables not None, mask not None):
    """Takes from a mask the lines at its end that are a copyright such as `© 2024 Name` or about the site (`Powered by
    …`), of up to twelve words, or a sentence about rights.

    Other text stays before them, so that the mask is never empty afterwards. Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef Py_ssize_t at = kept.shape[0] - 1
    while at >= 0 and (not kept[at] or _is_last_line(&tables.t, &tables.t.segments[at])):
        at -= 1
    if at >= 0:
        memset(&kept[at + 1], 0, kept.shape[0] - at - 1)


cdef bint _begins(const tables_t* t, const segment_t* s, const char** words) noexcept nogil:
    """Returns whether a segment begins with one of some words, such as `Read also`; signs and arrows may be before."""
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef const uint8_t* end = <const uint8_t*> t.text + s.end
    while p < end and not is_letter(p[0]) and (
        p[0] < 0x80 or p[0] == 0xE2 or p[0] == 0xE3 and p[1] == 0x80 or p[0] >= 0xEF
    ):
        p += 1 if p[0] < 0x80 else 3 if p[0] < 0xF0 else 4
    return p < end and begins_any(p, <size_t> (end - p), words)


def drop_references(Tables tables not None, mask not None, double article):
    """Takes from a mask lines of up to 25 words: those that begin like `Next message: Title` or `Last edited by`, which
    programs write; and lines with links: before the headline, those like `Home > News > Title`, and on an article of
    150 words and more, those that begin like `Read also: Title`.

    `article` is the probability that the page is an article, 0 to 1. Other arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t headline = headline_of(t), i
    cdef bint is_article = article >= LIKELY and kept_words(t, kept) >= ARTICLE_WORDS
    for i in range(t.n_segments):
        if kept[i] and s[i].words <= CRUMBS_WORDS and s[i].zone != HEADLINE and (
            _begins(t, &s[i], PROGRAMS) or 5 * s[i].link_chars >= s[i].chars and i < headline < t.n_segments
            and find_any(t.text + s[i].start, s[i].end - s[i].start, &CRUMBS)
            or is_article and 2 * s[i].link_chars >= s[i].chars and _begins(t, &s[i], REFERENCES)
        ):
            kept[i] = False


cdef bint _opens(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns whether a segment may be the title of hidden text: a heading, a question, a line with a colon."""
    cdef uint32_t mark = last_mark(<const uint8_t*> t.text + s.start, <const uint8_t*> t.text + s.end)
    return mark in (c'?', 0xFF1F, 0x61F, c':', 0xFF1A) or _head_of(t, s) >= 0


def drop_hidden(Tables tables not None, mask not None):
    """Takes from a mask the text that is not shown at first, if it is at most a third of the kept words.

    What follows a kept heading, question or line with a colon stays: a reader opens it there. Arguments and errors as
    `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef uint64_t hidden = 0
    cdef Py_ssize_t above = -1, i
    for i in range(kept.shape[0]):
        if s[i].flags & HIDDEN and kept[i]:
            hidden += s[i].words
    if not hidden or HIDDEN_PART * hidden > kept_words(&tables.t, kept):
        return
    for i in range(kept.shape[0]):
        if not s[i].flags & HIDDEN:
            above = i
        elif above < 0 or not kept[above] or not _opens(&tables.t, &s[above]):
            kept[i] = False


# --------------------------------------------------------------------------------------------------
# What is kept whole.

cdef enum:
    # Fewest items of a list near text, most segments from it to the text, and the largest part of it that is in links.
    LIST = 3
    NEAR = 3
    MOST_LINKS = 10
    # Most words of a head, and elements from its text up to it.
    HEAD_WORDS = 40
    BOXES = 3
    # Ranks of heads: h1 to h6, titles of blocks, terms.
    RANKS = 8
    # Most segments between the headline and the first kept one that are added.
    LEADS = 4

# Least mean log-odds, in bits, of a list near text.
cdef double LISTED = -1.5

# Least log-odds, in bits, of what has the tag of a head.
cdef double HEAD = -5

# Least log-odds of what follows the headline.
cdef double LEAD = -1.6

# Sibling items, terms or rows: their segments and characters.
cdef struct list_t:
    int32_t first
    int32_t last
    int32_t parts
    uint64_t chars
    uint64_t link_chars


cdef bint _is_near(const tables_t* t, const uint8_t* kept, const double* scores, const list_t* of) noexcept nogil:
    """Returns whether a list without gaps, that may be text, is right before kept text."""
    cdef double score = 0
    cdef Py_ssize_t i
    if of.parts != of.last + 1 - of.first or MOST_LINKS * of.link_chars > of.chars:
        return False
    for i in range(of.first, of.last + 1):
        score += scores[i]
        if t.segments[i].flags & HIDDEN:
            return False
    for i in range(of.last + 1, min(of.last + 1 + NEAR, t.n_segments)):
        if kept[i]:
            return score >= LISTED * of.parts
    return False


def complete_lists(Tables tables not None, mask not None, const double[::1] scores not None, Blocks blocks not None):
    """Adds to a mask the lists that may be text, of three items and more, right before kept text, as that of
    ingredients is above the steps.

    `scores`: shape (segments,), log-odds in bits; `blocks` are the page's. Other arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const block_t* b
    cdef list memory = []
    cdef list_t* lists = <list_t*> zeros(memory, blocks.n, sizeof(list_t))
    cdef list_t* found
    cdef Py_ssize_t i
    cdef int tag
    if not fits(kept, scores):
        return
    for i in range(blocks.n):
        b = &blocks.rows[i]
        tag = t.elements[b.element].tag
        if b.size >= LIST and (tag == TAG_TR or tag == TAG_LI or tag == TAG_DT or tag == TAG_DD):
            found = &lists[b.group]
            found.first = b.first_segment if not b.order else found.first
            found.last = b.last_segment
            found.parts += b.last_segment + 1 - b.first_segment
            found.chars += b.chars
            found.link_chars += b.link_chars
    for i in range(blocks.n):
        found = &lists[blocks.rows[i].group]
        if not blocks.rows[i].order and found.parts and _is_near(t, &kept[0], &scores[0], found):
            memset(&kept[found.first], 1, found.parts)


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


cdef void _add_lead(const tables_t* t, uint8_t* kept, const double* scores) noexcept nogil:
    """Adds the sentences and the standfirst between the headline and the first kept segment near it."""
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t first = headline_of(t) + 1, end = first, i
    while end < t.n_segments and end - first < LEADS and not kept[end]:
        end += 1
    for i in range(first, end if end < t.n_segments and kept[end] else first):
        kept[i] = scores[i] >= LEAD and _may_head(&s[i]) and (
            s[i].zone == STANDFIRST or not s[i].zone and s[i].words >= WORDS
            and is_final(last_mark(<const uint8_t*> t.text + s[i].start, <const uint8_t*> t.text + s[i].end))
        )


def complete_heads(Tables tables not None, mask not None, const double[::1] scores not None):
    """Adds to a mask each heading, term of a list and title of a block whose text is kept, unless it is surely none.

    This text reaches up to the next head of the same rank or a higher one, or to the end of the block. It begins with a
    kept segment, at least half of its words are kept, and so is one of the two segments before the head. Sentences that
    follow the headline, near the first kept segment, are added, too, and the first line of a plain text if it looks
    like a heading.

    `scores`: shape (segments,), log-odds in bits. Other arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const element_t* e = t.elements
    cdef list memory = []
    # the words before each segment, and those of them that are kept
    cdef uint64_t* words = <uint64_t*> zeros(memory, 2 * t.n_segments + 2, sizeof(uint64_t))
    cdef uint64_t* of_kept = words + t.n_segments + 1
    cdef Py_ssize_t[RANKS] below   # the next head of each rank, or of a higher one
    cdef Py_ssize_t i = t.n_segments, first, begin, end, k
    cdef int32_t head, block
    cdef int rank
    if not fits(kept, scores):
        return
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
                kept[k] |= scores[k] >= HEAD and _may_head(&t.segments[k])
    if not t.n_elements and t.n_segments > 1 and kept[1]:
        kept[0] |= t.segments[0].kind == c'h' and _may_head(&t.segments[0])
    _add_lead(t, &kept[0], &scores[0])
