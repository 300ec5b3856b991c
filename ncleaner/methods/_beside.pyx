"""Rules of `hybrid` after the judgement: what is of other pages, or stands twice, goes.

Each takes segments from a mask: shape (segments,), bool, changed in place, in time linear in the page.

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples. But a text that stands three times in a row is a
banner that moves.

*Runs of links.* Teasers of other pages read like prose, one by one. On an article, what tells them is that they stand
in a row, each a link as a whole, beside the block that holds the text or behind it.

*Summaries and strays* stand apart from the text: segments that go are between.

*Forms.* The words in a form ask for something: a name, an opinion, an address for news. So they go if the page has much
other text. The whole page is in a form on some sites, and a survey is one.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from ncleaner.document._hashes cimport letters_hash, mix, row_of, rows_for
from ncleaner.document._tables cimport (
    HEADLINE, PREFORMATTED, Tables, chain, element_t, fill_styles, segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport TAG_FORM, TAG_TD, TAG_TH
from ncleaner.methods._rules cimport is_link, kept_words, own_style
from ncleaner.text._memory cimport zeros

# --------------------------------------------------------------------------------------------------
# Copies.

cdef enum:
    # Shorter segments, such as prices and names, may well occur twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters are compared as a whole.
    BEGINNING = 48
    # Least number of times that a banner stands in a row, and least and most number of its words.
    REPEATS = 3
    BANNER = 3
    LONG_BANNER = 8

cdef struct text_t:
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
    if firsts != NULL:
        firsts[i] = <int32_t> first


cdef inline bint _are_equal(const tables_t* t, const segment_t* one, const segment_t* other) noexcept nogil:
    return one.end - one.start == other.end - other.start \
        and memcmp(t.text + one.start, t.text + other.start, one.end - one.start) == 0


cdef void _drop_beside(
    const tables_t* t, Py_ssize_t i, Py_ssize_t first, int step, uint8_t* kept, int32_t* firsts
) noexcept nogil:
    """Takes the short segments beside a copy that also stand beside the first one, as a price does on two cards.

    Args:
        step: 1 for those after the copy, -1 for those before it."""
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t stop = i if step > 0 else first
    i += step
    first += step
    while 0 <= first and i < t.n_segments and (first < stop if step > 0 else i > stop) \
            and kept[i] and kept[first] and not _is_long(&s[i]) and _are_equal(t, &s[i], &s[first]):
        _drop(i, first, kept, firsts)
        i += step
        first += step


cdef void _drop_forms_of(
    const tables_t* t, uint8_t* kept, int32_t* firsts, text_t* texts, uint64_t mask, uint64_t* styles
) noexcept nogil:
    """Takes copies in other styles from a mask; `texts` and `styles` are zero, and `firsts` may be NULL."""
    cdef const segment_t* s = t.segments
    cdef uint64_t style
    cdef text_t* found
    cdef Py_ssize_t i
    fill_styles(t.elements, t.n_elements, styles)
    for i in range(t.n_segments):
        if not kept[i] or not _is_long(&s[i]):
            continue
        style = style_of(styles, &s[i])
        found = <text_t*> row_of(texts, sizeof(text_t), mask, _letters_of(t.text, &s[i], BEGINNING) | 1)
        if not found.seen:
            found.seen = True
            found.style = style
            found.first = i
        elif (
            # the length bounds the time: it stays linear in the text of this segment
            found.style != style and s[found.first].chars <= 2 * s[i].chars
            and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
        ):
            _drop(i, found.first, kept, firsts)
            _drop_beside(t, i, found.first, -1, kept, firsts)
            _drop_beside(t, i, found.first, 1, kept, firsts)


cdef inline bint _may_repeat(const tables_t* t, const segment_t* s) noexcept nogil:
    return BANNER <= s.words <= LONG_BANNER and not s.flags & PREFORMATTED and not (
        0 <= s.element < t.n_elements and TAG_TD <= t.elements[s.element].tag <= TAG_TH
    )


cdef void _drop_repeats(const tables_t* t, uint8_t* kept, int32_t* firsts) noexcept nogil:
    """Takes the repetitions of banners from a mask: kept segments with one text in a row; `firsts` may be NULL."""
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
    around it that stand around the other one, too.

    Of a short text that stands three times in a row, only the first one stays.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the segments and their text.
        firsts: shape (segments,), int32: gets the segment that each removed one copies; None: no record.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef int32_t[::1] copied
    cdef int32_t* out = NULL
    cdef list memory = []
    cdef uint64_t size = rows_for(tables.t.n_segments)
    cdef text_t* texts
    cdef uint64_t* styles
    if not kept.shape[0]:
        return
    if firsts is not None:
        copied = firsts
        if copied.shape[0] != tables.t.n_segments:
            raise ValueError("the record of copies does not fit the document")
        out = &copied[0]
    texts = <text_t*> zeros(memory, size, sizeof(text_t))
    styles = <uint64_t*> zeros(memory, tables.t.n_elements + 1, sizeof(uint64_t))
    with nogil:
        _drop_forms_of(&tables.t, &kept[0], out, texts, size - 1, styles)
        _drop_repeats(&tables.t, &kept[0], out)


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

# Probabilities of an article from which on these go: a run beside the text, links behind the text, a run inside it.
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
    Py_ssize_t block    # the block of the text, the first element behind it, and its last kept segment
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
    """Returns the run of a line behind the text that follows a link, such as those below the titles of other stories;
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
    """Takes from a mask the links to other pages that stand in rows beside the text of an article.

    These are, on a page with 350 characters of other kept text: eight links and more under the same tags that are
    outside the innermost block with 60 per cent of that text; single links behind this block, and lines below three
    such links and more; and eight long links and more under the same tags inside it. A link is a segment of which 90
    per cent are in links.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements and segments of the page.
        article: probability that the page is an article, 0 to 1.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef beside_t beside
    cdef uint64_t size = rows_for(tables.t.n_segments)
    cdef list memory = []
    if article < MAYBE or not kept.shape[0]:
        return
    beside.t = &tables.t
    beside.kept = &kept[0]
    beside.mask = size - 1
    beside.paths = <uint64_t*> zeros(memory, tables.t.n_elements + 1, sizeof(uint64_t))
    beside.runs = <run_t*> zeros(memory, size, sizeof(run_t))
    with nogil:
        _take_runs(&beside, article)


# --------------------------------------------------------------------------------------------------
# What stands apart.

cdef enum:
    # Most segments from a removed link to the summary below it, and from this to the next one; fewest removed segments
    # between summaries and text, and fewest words of the text.
    BELOW = 4
    NEXT = 6
    APART = 6
    WORDS_BESIDE = 60
    # Text in forms goes if it is at most this part of the kept words: a fifth.
    FORM_PART = 5

cdef struct teasers_t:
    Py_ssize_t first
    Py_ssize_t last
    Py_ssize_t before    # the kept segment before them; -1 if there is none
    int count
    uint64_t words


cdef inline bint _is_nearly_link(const segment_t* s) noexcept nogil:
    return 5 * <uint64_t> s.link_chars >= 4 * <uint64_t> s.chars


cdef bint _is_summary(const segment_t* s, const uint8_t* kept, Py_ssize_t i) noexcept nogil:
    """Returns whether a kept segment is below a link that goes, perhaps with a date, and nothing kept is between."""
    cdef Py_ssize_t back
    if s[i].element < 0 or _is_nearly_link(&s[i]):
        return False
    for back in range(1, min(BELOW, i) + 1):
        if kept[i - back]:
            return False
        if _is_nearly_link(&s[i - back]):
            return True
    return False


def drop_teasers(Tables tables not None, mask not None):
    """Takes from a mask the summaries of other pages that stand apart from the text of an article.

    These are two kept segments or more in one style, each at most four segments below a link that is not kept, if the
    six segments before and after them go and 60 words of other text stay.

    Arguments and errors as `drop_link_runs`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef teasers_t found
    cdef Py_ssize_t n = kept.shape[0], before = -1, i, j
    cdef uint64_t words
    cdef bint is_summary
    if not n:
        return
    words = kept_words(s, &kept[0], 0, n)
    found.count = 0
    for i in range(n + 1):
        if i < n and not kept[i]:
            continue
        is_summary = i < n and _is_summary(s, &kept[0], i)
        if found.count and is_summary and i - found.last <= NEXT \
                and own_style(&tables.t, &s[i]) == own_style(&tables.t, &s[found.last]):
            found.count += 1
            found.words += s[i].words
            found.last = i
            continue
        if found.count >= 2 and found.before >= 0 and found.first - found.before > APART \
                and (i == n or i - found.last > APART) and words - found.words >= WORDS_BESIDE:
            for j in range(found.first, found.last + 1):
                kept[j] = False
            words -= found.words
        else:
            before = found.last if found.count else before
        found.count = 0
        if is_summary:
            found = teasers_t(i, i, before, 1, s[i].words)
        else:
            before = i


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


def drop_strays(Tables tables not None, mask not None, uint64_t words):
    """Takes from a mask groups of segments that stand apart behind the text, in other styles.

    Six segments or more are not kept between two groups. That with most words is the text; of those behind it, each
    with fewer than `words` and no style of the text goes.

    Other arguments and errors as `drop_link_runs`.
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
        is_alike = group.words >= words
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

    Arguments and errors as `drop_link_runs`.
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
