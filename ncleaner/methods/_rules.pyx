"""Rules of `hybrid` after the judgement.

Each changes a mask in place: shape (segments,), bool, in time linear in the page.

What is of other pages, or is twice, goes:

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples. But a text that is three times in a row is a
banner that moves.

*Runs of links.* Teasers of other pages read like prose, one by one. On an article, what tells them is that they stand
in a row, each a link as a whole, beside the block that holds the text or after it.

*Summaries and strays* stand apart from the text: segments that go are between.

*Forms.* The words in a form ask for something: a name, an opinion, an address for news. So they go if the page has much
other text. The whole page is in a form on some sites, and a survey is one.

*Last headings.* A heading at the end, of which all text is removed, is that of what follows the text: “Related
stories”, “Share your thoughts”.

What is nearly all kept is kept whole:

*Tables.* A data table without the names of its columns, or with holes, says little. Short cells are hard to judge one
by one, and a value that occurs twice in a table is not a copy. So a table that is nearly all kept is kept whole, and a
table in the middle of the text.

*Code.* Half a program is none. So preformatted text of which a quarter is kept is kept whole.

*Headings* are short, and say little of what they are. The text before and below does.

*Items.* A listing shows each of its items in the same style: title, price, a line of text. Judged one by one, some
items lose what others keep. So on a listing, all of one style is kept if half of it is.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from ncleaner.document._hashes cimport letters_hash, mix, row_of, rows_for
from ncleaner.document._tables cimport (
    ASIDE, HEADLINE, HIDDEN, PREFORMATTED, Tables, chain, element_t, fill_styles, segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport (
    TAG_CAPTION, TAG_FORM, TAG_H1, TAG_H2, TAG_H6, TAG_TABLE, TAG_TD, TAG_TH, TAG_TR,
)
from ncleaner.text._ascii cimport begins, begins_any, fill_words, find_any, is_digit, table_of, words_t
from ncleaner.text._letters cimport after_white, last_mark
from ncleaner.text._memory cimport zeros

from ncleaner.text.wordlists import word_lists

cdef enum:
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90


cdef inline bint is_link(const segment_t* s) noexcept nogil:
    return s.element >= 0 and s.zone != HEADLINE and 100 * <uint64_t> s.link_chars >= ALL_LINK * <uint64_t> s.chars


cdef inline uint32_t own_style(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns the hash of tag and class of the block around a segment; 0 on plain text."""
    return t.elements[s.element].style if s.element >= 0 else 0


cdef inline uint64_t kept_words(
    const segment_t* s, const uint8_t* kept, Py_ssize_t first, Py_ssize_t end
) noexcept nogil:
    """Returns the number of words of the kept segments in [first, end)."""
    cdef uint64_t words = 0
    cdef Py_ssize_t i
    for i in range(first, end):
        words += s[i].words if kept[i] else 0
    return words


cdef inline bint ends_in_colon(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef uint32_t mark = last_mark(<const uint8_t*> t.text + s.start, <const uint8_t*> t.text + s.end)
    return mark == c':' or mark == 0xFF1A


# --------------------------------------------------------------------------------------------------
# Copies.

cdef enum:
    # Shorter segments, such as prices and names, may well occur twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters are compared as a whole.
    BEGINNING = 48
    # Least number of times that a banner is in a row, and least and most number of its words.
    REPEATS = 3
    BANNER = 3
    LONG_BANNER = 8

cdef struct beginning_t:
    uint64_t key
    uint64_t style
    Py_ssize_t first
    bint seen


cdef inline bint _is_long(const segment_t* s) noexcept nogil:
    return not s.flags & PREFORMATTED and (s.words >= WORDS or s.chars >= CHARS and s.words * LONG_WORD < s.chars)


cdef inline uint64_t _letters_of(const uint8_t* text, const segment_t* s, int most) noexcept nogil:
    return letters_hash(text + s.start, text + s.end, True, most)


cdef inline void _drop(Py_ssize_t i, Py_ssize_t first, uint8_t* kept, int32_t* firsts) noexcept nogil:
    kept[i] = 0
    firsts[i] = <int32_t> first


cdef inline bint _are_equal(const tables_t* t, const segment_t* one, const segment_t* other) noexcept nogil:
    return one.end - one.start == other.end - other.start \
        and memcmp(t.text + one.start, t.text + other.start, one.end - one.start) == 0


cdef void _drop_beside(
    const tables_t* t, Py_ssize_t i, Py_ssize_t first, int step, uint8_t* kept, int32_t* firsts
) noexcept nogil:
    """Takes the short segments beside a copy that also are beside the first one, as a price does on two cards.

    `step` is 1 for those after the copy, -1 for those before it."""
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t stop = i if step > 0 else first
    i += step
    first += step
    while 0 <= first and i < t.n_segments and (first < stop if step > 0 else i > stop) \
            and kept[i] and kept[first] and not _is_long(&s[i]) and _are_equal(t, &s[i], &s[first]):
        _drop(i, first, kept, firsts)
        i += step
        first += step


cdef inline bint _may_repeat(const tables_t* t, const segment_t* s) noexcept nogil:
    return BANNER <= s.words <= LONG_BANNER and not s.flags & PREFORMATTED and not (
        0 <= s.element < t.n_elements and TAG_TD <= t.elements[s.element].tag <= TAG_TH
    )


cdef void _drop_repeats(const tables_t* t, uint8_t* kept, int32_t* firsts) noexcept nogil:
    """Takes the repetitions of banners from a mask: kept segments with one text in a row."""
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t first = -1, i, j
    cdef int n = 0
    for i in range(t.n_segments + 1):
        if i < t.n_segments and not kept[i]:
            continue
        if i < t.n_segments and first >= 0 and _are_equal(t, &s[i], &s[first]):
            n += 1
            continue
        for j in range(first + 1, i if n >= REPEATS else 0):
            if kept[j]:
                _drop(j, first, kept, firsts)
        first = i if i < t.n_segments and _may_repeat(t, &s[i]) else -1
        n = 1


def drop_copies(Tables tables not None, mask not None, firsts=None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style, and the short ones
    around it that are around the other one, too.

    Of a short text that is three times in a row, only the first one stays.

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
            style = style_of(styles, &s[i])
            found = <beginning_t*> row_of(
                texts, sizeof(beginning_t), size - 1, _letters_of(t.text, &s[i], BEGINNING) | 1
            )
            if not found.seen:
                found.seen = True
                found.style = style
                found.first = i
            elif (
                # the length bounds the time: it stays linear in the text of this segment
                found.style != style and s[found.first].chars <= 2 * s[i].chars
                and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
            ):
                _drop(i, found.first, &kept[0], out)
                _drop_beside(t, i, found.first, -1, &kept[0], out)
                _drop_beside(t, i, found.first, 1, &kept[0], out)
        _drop_repeats(t, &kept[0], out)


# --------------------------------------------------------------------------------------------------
# Runs of links.

cdef enum:
    # Least number of links under the same tags.
    RUN = 8
    # Inside the block that holds the text, links of a run have at least this number of characters in the mean: lists
    # of names and of sources are shorter.
    LONG_LINK = 60
    # Least number of characters of kept text besides links: a page with less may consist of its links.
    PROSE = 350
    # Least number of teasers of which a line follows the link, and most segments from the link to the line.
    TEASERS = 3
    REACH = 2
    # Most characters of such a line.
    TEASER = 400
    # Least share of the text that its block holds, in per cent.
    MOST_TEXT = 60

# Probabilities of an article from which on these go: a run beside the text, links after the text, a run inside it.
cdef double MAYBE = 0.2
cdef double LIKELY = 0.5
cdef double SURELY = 0.8

# The kept links under the same tags, on one side of the border of the text; or the kept lines behind such links.
cdef struct run_t:
    uint64_t key
    Py_ssize_t links
    Py_ssize_t chars

cdef struct beside_t:
    const tables_t* t
    uint8_t* kept
    uint64_t* paths     # hash of the tags from the root down, of each element
    run_t* runs
    uint64_t mask
    Py_ssize_t block    # the block of the text, the first element after it, and its last kept segment
    Py_ssize_t end
    Py_ssize_t last


cdef inline bint _may_be_teaser(const segment_t* s, const segment_t* before) noexcept nogil:
    """Returns whether a segment may be a line below the linked title of another page."""
    return s.chars <= TEASER and s.zone != HEADLINE and not is_link(s) and is_link(before)


cdef Py_ssize_t _block_of_text(const tables_t* t, const uint8_t* kept, uint64_t* chars) noexcept nogil:
    """Returns the innermost block that holds most of the kept text without links; -1 if there is too little of it.

    `chars`: a buffer with a zero for each element."""
    cdef const segment_t* s
    cdef uint64_t total = 0
    cdef Py_ssize_t i, found = -1
    for i in range(t.n_segments):
        s = &t.segments[i]
        if kept[i] and s.element >= 0 and not is_link(s) and not (i and _may_be_teaser(s, s - 1)):
            chars[s.element] += s.chars
            total += s.chars
    if total < PROSE:
        return -1
    for i in range(t.n_elements - 1, 0, -1):
        if t.elements[i].parent >= 0:
            chars[t.elements[i].parent] += chars[i]
    for i in range(t.n_elements):
        if 100 * chars[i] >= MOST_TEXT * total:
            found = i
    return found


cdef inline bint _is_inside(const beside_t* b, Py_ssize_t i) noexcept nogil:
    return b.block <= b.t.segments[i].element < b.end


cdef run_t* _run_of(const beside_t* b, Py_ssize_t i) noexcept nogil:
    """Returns the run of a link."""
    cdef uint64_t path = b.paths[b.t.segments[i].element]
    return <run_t*> row_of(b.runs, sizeof(run_t), b.mask, mix(2 * path + _is_inside(b, i)) | 1)


cdef run_t* _teasers_of(const beside_t* b, Py_ssize_t i) noexcept nogil:
    """Returns the run of a line after the text that follows a link, such as those below the titles of other stories;
    NULL for any other segment."""
    cdef const segment_t* s = b.t.segments
    cdef Py_ssize_t back
    if s[i].element < 0 or _is_inside(b, i):
        return NULL
    for back in range(1, min(REACH, i) + 1):
        if _may_be_teaser(&s[i], &s[i - back]) and not _is_inside(b, i - back):
            return <run_t*> row_of(
                b.runs, sizeof(run_t), b.mask,
                mix(mix(b.paths[s[i - back].element]) + 31 * b.paths[s[i].element] + <uint64_t> back) | 1,
            )
    return NULL


cdef void _take_runs(beside_t* b, double article) noexcept nogil:
    """Takes links from a mask, as `drop_link_runs`. `b.paths` and `b.runs` are zero."""
    cdef const tables_t* t = b.t
    cdef const segment_t* s = t.segments
    cdef run_t* run
    cdef Py_ssize_t i
    b.block = _block_of_text(t, b.kept, b.paths)
    if b.block < 0:
        return
    b.end = b.block + 1
    b.last = -1
    while b.end < t.n_elements and t.elements[b.end].depth > t.elements[b.block].depth:
        b.end += 1
    for i in range(t.n_elements):
        b.paths[i] = chain(b.paths[t.elements[i].parent] if t.elements[i].parent >= 0 else 0, t.elements[i].tag)
    for i in range(t.n_segments):
        if b.kept[i] and _is_inside(b, i):
            b.last = i
        if b.kept[i] and is_link(&s[i]):
            run = _run_of(b, i)
            run.links += 1
            run.chars += s[i].chars
    if article >= LIKELY:
        for i in range(b.last + 1, t.n_segments):
            run = _teasers_of(b, i)
            if run != NULL:
                run.links += 1
        for i in range(b.last + 1, t.n_segments):
            run = _teasers_of(b, i)
            if run != NULL and run.links >= TEASERS:
                b.kept[i] = 0
    for i in range(t.n_segments):
        if not b.kept[i] or not is_link(&s[i]):
            continue
        run = _run_of(b, i)
        if _is_inside(b, i):
            if article >= SURELY and run.links >= RUN and run.chars >= LONG_LINK * run.links:
                b.kept[i] = 0
        elif run.links >= RUN or article >= LIKELY and i > b.last:
            b.kept[i] = 0


def drop_link_runs(Tables tables not None, mask not None, double article):
    """Takes from a mask the links to other pages that are in rows beside the text of an article.

    These are, on a page with 350 characters of other kept text: eight links and more under the same tags that are
    outside the innermost block with 60 per cent of that text; single links after this block, and lines below three
    such links and more; and eight long links and more under the same tags inside it. A link is a segment of which 90
    per cent are in links.

    `article` is the probability that the page is an article, 0 to 1. Other arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef beside_t beside
    cdef uint64_t size = rows_for(t.n_segments)
    cdef list memory = []
    if article < MAYBE or not kept.shape[0]:
        return
    beside.t, beside.kept, beside.mask = t, &kept[0], size - 1
    beside.paths = <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t))
    beside.runs = <run_t*> zeros(memory, size, sizeof(run_t))
    with nogil:
        _take_runs(&beside, article)


# --------------------------------------------------------------------------------------------------
# What is apart.

cdef enum:
    # Fewest removed segments between groups of kept ones that stand apart.
    APART = 6
    # Text in forms goes if it is at most this part of the kept words: a fifth.
    FORM_PART = 5

# Kept segments between which fewer than `APART` go.
cdef struct group_t:
    Py_ssize_t first
    Py_ssize_t end
    uint64_t words


cdef bint _next_group(const segment_t* s, const uint8_t* kept, Py_ssize_t n, group_t* group) noexcept nogil:
    """Goes on to the next group; returns whether there is one."""
    cdef Py_ssize_t i = group.end
    while i < n and not kept[i]:
        i += 1
    group.first, group.end, group.words = i, i, 0
    while i < n and i - group.end < APART:
        if kept[i]:
            group.end = i + 1
            group.words += s[i].words
        i += 1
    return group.end > group.first


def drop_strays(Tables tables not None, mask not None):
    """Takes from a mask groups of segments that stand apart after the text, in other styles.

    Six segments or more are not kept between two groups. That with most words is the text; of those after it, each
    without a style of the text goes.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef group_t group = group_t(0, 0, 0), text = group
    # a bit for the style of each segment of the text; if two share one, a group stays
    cdef uint64_t[64] styles
    cdef Py_ssize_t n = kept.shape[0], i
    cdef uint32_t style
    cdef bint is_alike
    if not n or not tables.t.n_elements:
        return
    while _next_group(s, &kept[0], n, &group):
        if group.words > text.words:
            text = group
    memset(styles, 0, sizeof(styles))
    for i in range(text.first, text.end):
        if kept[i]:
            style = own_style(&tables.t, &s[i])
            styles[style & 63] |= <uint64_t> 1 << (style >> 6 & 63)
    group = text
    while _next_group(s, &kept[0], n, &group):
        is_alike = False
        for i in range(group.first, group.end):
            if kept[i]:
                style = own_style(&tables.t, &s[i])
                is_alike |= styles[style & 63] >> (style >> 6 & 63) & 1
        if not is_alike:
            for i in range(group.first, group.end):
                kept[i] = False


cdef bint _is_form(const tables_t* t, Py_ssize_t element, Py_ssize_t* first, Py_ssize_t* end) noexcept nogil:
    """Returns whether an element is a form with segments; `first` and `end` get them."""
    cdef const element_t* e = &t.elements[element]
    if e.tag != TAG_FORM or e.first_run == e.last_run:
        return False
    first[0] = t.runs[e.first_run].segment
    end[0] = t.runs[e.last_run - 1].segment + 1
    return True


def drop_forms(Tables tables not None, mask not None):
    """Takes from a mask the text in forms, if it is at most a fifth of the kept words.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef uint64_t in_forms = 0
    cdef Py_ssize_t i, first, end
    for i in range(t.n_elements):
        if _is_form(t, i, &first, &end):
            in_forms += kept_words(t.segments, &kept[0], first, end)
    if not in_forms or FORM_PART * in_forms > kept_words(t.segments, &kept[0], 0, t.n_segments):
        return
    for i in range(t.n_elements):
        if _is_form(t, i, &first, &end):
            memset(&kept[first], 0, end - first)


# --------------------------------------------------------------------------------------------------
# The first and last lines of the text.

cdef enum:
    # Most words of a heading at the end that is removed without its text, and most of such headings.
    HEADING_WORDS = 8
    LAST_HEADINGS = 2
    LAST_WORDS = 12
    RIGHTS_CHARS = 250
    CRUMBS_WORDS = 25


cdef inline size_t _sign(const uint8_t* p, size_t size) noexcept nogil:
    """Returns the bytes of the copyright sign that a longer text begins with, © or (c); 0 for none."""
    return 2 if size > 2 and p[0] == 0xC2 and p[1] == 0xA9 else 3 if begins(p, size, b"(c)") else 0


# What is between the parts of a breadcrumb.
cdef words_t CRUMBS
fill_words(&CRUMBS, (" > ", " / ", " | ", " › ", " » ", " → "))


cdef bint _has_sign_and_year(const uint8_t* p, size_t size) noexcept nogil:
    """Returns whether a text begins like `© 2024` or `Copyright (c) 2024`."""
    cdef const uint8_t* end = p + size
    p = after_white(p + (9 if begins(p, size, b"copyright") else 0), end)
    cdef size_t sign = _sign(p, <size_t> (end - p))
    if not sign:
        return False
    p = after_white(p + sign, end)
    size = <size_t> (end - p)
    return size >= 4 and (begins(p, size, b"19") or begins(p, size, b"20")) and is_digit(p[2]) and is_digit(p[3])


# `last_lines.txt` says what these are, and how to add one.
LAST_LINES = word_lists("methods/last_lines", "beginnings", "somewhere")
cdef const char** BEGINNINGS = table_of(LAST_LINES["beginnings"])
cdef words_t OF_RIGHTS
fill_words(&OF_RIGHTS, LAST_LINES["somewhere"])


cdef bint _is_last_line(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    return s.words <= LAST_WORDS and (_has_sign_and_year(p, size) or begins_any(p, size, BEGINNINGS)) \
        or s.chars <= RIGHTS_CHARS and find_any(p, size, &OF_RIGHTS)


def drop_last_lines(Tables tables not None, mask not None):
    """Takes from a mask the lines at its end that are a copyright such as `© 2024 Name` or about the site (`Powered by
    …`), of up to twelve words, or a sentence about rights.

    Other text stays before them, so that the mask is never empty afterwards. Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef Py_ssize_t last = kept.shape[0], i
    for i in range(kept.shape[0] - 1, -1, -1):
        if kept[i]:
            if last < kept.shape[0]:
                kept[last] = False
            if not _is_last_line(&tables.t, &tables.t.segments[i]):
                return
            last = i


def drop_breadcrumbs(Tables tables not None, mask not None):
    """Takes from a mask the lines before the headline that lead to the page: `Home > News > Title`, with links.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef Py_ssize_t headline = 0, i
    while headline < kept.shape[0] and s[headline].zone != HEADLINE:
        headline += 1
    if headline == kept.shape[0]:
        return
    for i in range(headline):
        if kept[i] and s[i].words <= CRUMBS_WORDS and 5 * s[i].link_chars >= s[i].chars and find_any(
            <const uint8_t*> tables.t.text + s[i].start, s[i].end - s[i].start, &CRUMBS
        ):
            kept[i] = False


cdef bint _announces(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns whether a segment is a short heading, or a line that ends in a colon."""
    return s.words <= HEADING_WORDS and 0 <= s.element < t.n_elements \
        and TAG_H2 <= t.elements[s.element].tag <= TAG_H6 or s.words <= LAST_WORDS and ends_in_colon(t, s)


def drop_last_headings(Tables tables not None, mask not None):
    """Takes from a mask the headings at its end, h2 to h6 of up to eight words, and lines of up to twelve that end in a
    colon, if something after them is removed.

    More than two of them are the items of a list. Other kept text before them stays, so that the mask is never empty
    afterwards. Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t at = kept.shape[0] - 1
    cdef Py_ssize_t headings[LAST_HEADINGS + 1]
    cdef int n = 0, k
    while at >= 0 and not kept[at]:
        at -= 1
    if at == kept.shape[0] - 1:
        return
    while at >= 0 and n <= LAST_HEADINGS:
        if kept[at]:
            if not _announces(t, &t.segments[at]):
                break
            headings[n] = at
            n += 1
        at -= 1
    if 0 < n <= LAST_HEADINGS and at >= 0:
        for k in range(n):
            kept[headings[k]] = False


# --------------------------------------------------------------------------------------------------
# What is kept whole.

cdef enum:
    # A cell with more or longer segments has text of its own, and its table may be one for layout.
    MOST_SEGMENTS = 3
    LONGEST = 400
    # Least number of rows and cells with text in a data table.
    ROWS = 2
    CELLS = 4
    # Least share of the segments in its cells that is kept, in per cent.
    SHARE = 70
    # Largest share of links in a table that is kept because it is in the middle of the text, in per cent.
    LINKS = 30
    # Preformatted text is kept whole if this part of its characters is kept: a quarter.
    CODE_PART = 4
    # Least number of segments of one style that are parts of items.
    ITEMS = 6
    # Elements from the text of a heading up to it.
    BOXES = 3

# What is counted of a table.
cdef struct count_t:
    Py_ssize_t end       # the first element after it
    Py_ssize_t rows      # with text
    Py_ssize_t cells     # with text
    Py_ssize_t segments  # in cells, without hidden ones
    Py_ssize_t kept
    uint64_t chars       # of these segments
    uint64_t links


cdef inline bint _is_cell(const element_t* e) noexcept nogil:
    return (e.tag == TAG_TD or e.tag == TAG_TH) and e.first_run < e.last_run


cdef bint _count(const tables_t* t, Py_ssize_t table, const uint8_t* kept, count_t* found) noexcept nogil:
    """Counts a table. Returns False if it has another one inside, or a cell with text of its own."""
    cdef const element_t* elements = t.elements
    cdef const segment_t* s
    cdef Py_ssize_t e = table + 1
    cdef int32_t first, last, i
    cdef bint named = False
    found.rows = found.cells = found.segments = found.kept = 0
    found.chars = found.links = 0
    while e < t.n_elements and elements[e].depth > elements[table].depth:
        if elements[e].tag == TAG_TABLE:
            return False
        if elements[e].tag == TAG_TR:
            named = False
        elif _is_cell(&elements[e]):
            first = t.runs[elements[e].first_run].segment
            last = t.runs[elements[e].last_run - 1].segment
            if last - first >= MOST_SEGMENTS:
                return False
            found.cells += 1
            if not named:
                named = True
                found.rows += 1
            for i in range(first, last + 1):
                s = &t.segments[i]
                if s.chars > LONGEST:
                    return False
                if not s.flags & HIDDEN:
                    found.segments += 1
                    found.kept += kept[i]
                    found.chars += s.chars
                    found.links += s.link_chars
        e += 1
    found.end = e
    return found.rows >= ROWS and found.cells >= CELLS


cdef bint _is_amid(const tables_t* t, Py_ssize_t table, const uint8_t* kept) noexcept nogil:
    """Returns whether a table is between two kept segments, of which the first one is in a block around the table,
    or its child."""
    cdef const element_t* e = &t.elements[table]
    cdef Py_ssize_t before = t.runs[e.first_run].segment - 1, behind = t.runs[e.last_run - 1].segment + 1
    cdef int32_t above = <int32_t> table, block
    if before < 0 or behind >= t.n_segments or not kept[before] or not kept[behind]:
        return False
    block = t.segments[before].element
    if block >= 0:
        block = t.elements[block].parent
    while above >= 0 and above != block:
        above = t.elements[above].parent
    return above >= 0


def complete_tables(Tables tables not None, mask not None):
    """Adds to a mask the other cells of tables of data of which at least 70 per cent is kept, and their captions; and
    those of tables that are between two kept segments of the same text, if at most 30 per cent of them are links.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const element_t* e
    cdef Py_ssize_t table, k
    cdef int32_t i
    cdef count_t found
    if not kept.shape[0]:
        return
    with nogil:
        for table in range(t.n_elements):
            e = &t.elements[table]
            if e.tag != TAG_TABLE or e.first_run == e.last_run or not _count(t, table, &kept[0], &found):
                continue
            if 100 * found.kept < SHARE * found.segments and (
                100 * found.links > LINKS * found.chars or not _is_amid(t, table, &kept[0])
            ):
                continue
            for k in range(table + 1, found.end):
                e = &t.elements[k]
                if _is_cell(e) or e.tag == TAG_CAPTION and e.first_run < e.last_run:
                    for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
                        if not t.segments[i].flags & HIDDEN:
                            kept[i] = True


def complete_code(Tables tables not None, mask not None):
    """Adds preformatted text to a mask of which a quarter of the characters is kept, or that is between two kept
    segments or below one that ends in a colon.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef Py_ssize_t n = kept.shape[0], i = 0, first, k
    cdef uint64_t chars, of_kept
    while i < n:
        first = i
        chars = of_kept = 0
        while i < n and s[i].flags & PREFORMATTED:
            if not s[i].flags & HIDDEN:
                chars += s[i].chars
                of_kept += s[i].chars if kept[i] else 0
            i += 1
        if first == i:
            i += 1
        elif CODE_PART * of_kept >= chars or first > 0 and kept[first - 1] and (
            i < n and kept[i] or ends_in_colon(&tables.t, &s[first - 1])
        ):
            for k in range(first, i):
                if not s[k].flags & HIDDEN:
                    kept[k] = True


# The segments of one style.
cdef struct items_t:
    uint64_t style
    Py_ssize_t segments  # without hidden ones
    Py_ssize_t kept


def complete_items(Tables tables not None, mask not None):
    """Adds to a mask the other segments of each style of which at least half is kept, from six segments on.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef uint64_t size = rows_for(t.n_segments)
    cdef list memory = []
    cdef uint64_t* styles = <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t))
    cdef items_t* items = <items_t*> zeros(memory, size, sizeof(items_t))
    cdef items_t* found
    cdef Py_ssize_t i
    with nogil:
        fill_styles(t.elements, t.n_elements, styles)
        for i in range(t.n_segments):
            if not t.segments[i].flags & HIDDEN:
                found = <items_t*> row_of(items, sizeof(items_t), size - 1, style_of(styles, &t.segments[i]) | 1)
                found.segments += 1
                found.kept += kept[i]
        for i in range(t.n_segments):
            if not t.segments[i].flags & HIDDEN:
                found = <items_t*> row_of(items, sizeof(items_t), size - 1, style_of(styles, &t.segments[i]) | 1)
                kept[i] |= found.segments >= ITEMS and 2 * found.kept >= found.segments


cdef inline int32_t _heading_of(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns the heading around a segment, -1 for none; some tools put boxes into headings."""
    cdef int32_t e = s.element if s.element < t.n_elements else -1
    cdef int level = 0
    while e >= 0 and level < BOXES:
        if TAG_H1 <= t.elements[e].tag <= TAG_H6:
            return e
        e = t.elements[e].parent
        level += 1
    return -1


def complete_headings(Tables tables not None, mask not None):
    """Adds to a mask each heading between two kept segments that is not a link, and is beside the text below it.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s = t.segments
    cdef int32_t heading
    cdef Py_ssize_t i
    for i in range(1, t.n_segments - 1):
        if kept[i] or not kept[i - 1] or not kept[i + 1] or s[i].flags & HIDDEN or 2 * s[i].link_chars > s[i].chars:
            continue
        heading = _heading_of(t, &s[i])
        if heading >= 0 and 0 <= s[i + 1].element and _heading_of(t, &s[i + 1]) < 0 \
                and t.elements[heading].parent == t.elements[s[i + 1].element].parent:
            kept[i] = True


def keep_notes(Tables tables not None, mask not None):
    """Sets a mask for each note that the markup has inside of text (`tables.ASIDE`) as for this text.

    Arguments and errors as `drop_copies`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef Py_ssize_t i
    for i in range(1, kept.shape[0]):
        if tables.t.segments[i].flags & ASIDE:
            kept[i] = kept[i - 1]
