"""From scores to kept segments: the chain of the n-grams' statistic, the decision of the hybrid, and changes after it.

*The chain* judges the segments of a page together, by forward and backward messages: neighbouring segments are often
both clean or both dirty. It has two states, dirty and clean. Each segment gives evidence as odds, and the model has the
transition probabilities. The posterior is exact and takes one pass in each direction (Rabiner 1989, section III).
Messages are odds, so a step costs one division.

*The decision* keeps the segments that maximise the expected F-score of the page. Let p be the probability that a
segment is clean, and w its weight. The expected F of a set of segments is close to
(1 + β²) · Σ p w of the set / (Σ w of the set + β² · Σ p w of the page). This is the decision rule of Ye, Chai, Lee
and Chieu (2012), “Optimizing F-measure”, section 4, for one page. On a page where all probabilities are low, the
rule also keeps segments of low probability; on a page with clear segments it removes them.

Dinkelbach's method (1967, “On nonlinear fractional programming”) finds the largest ratio of the two sums. The best
set holds all segments with (1 + β²) p above the best F. Each round takes the segments above the F of the round
before, and F grows until the best set is found. A few rounds are enough, and no sorting is necessary.

*The figures* of a decision, such as the F-score that it expects, tell how good it is (`structure.Structure.quality`).

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples. But a text that stands three times in a row is a
banner that moves.

*Runs of links.* Teasers of other pages read like prose, one by one. On an article, what tells them is that they stand
in a row, each a link as a whole, beside the block that holds the text or behind it.

*Tables.* A data table without the names of its columns, or with holes, says little. Short cells are hard to judge one
by one, and a value that occurs twice in a table is not a copy. So a table that is nearly all kept is kept whole, and a
table in the middle of the text.

*Code.* Half a program is none. So preformatted text of which a quarter is kept is kept whole.

*Items.* A listing shows each of its items in the same style: title, price, a line of text. Judged one by one, some
items lose what others keep. So on a listing, all of one style is kept if half of it is.

*Forms.* The words in a form ask for something: a name, an opinion, an address for news. So they go if the page has much
other text. The whole page is in a form on some sites, and a survey is one.

*Last headings.* A heading at the end, of which all text is removed, is that of what follows the text: “Related
stories”, “Share your thoughts”.
"""

from libc.math cimport exp, fmax, fmin, log, tanh
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memset

from ncleaner.document._hashes cimport letters_hash, mix, row_of, rows_for
from ncleaner.document._tables cimport (
    ASIDE, HEADLINE, HIDDEN, PREFORMATTED, Tables, chain, element_t, fill_styles, segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport TAG_CAPTION, TAG_FORM, TAG_H2, TAG_H6, TAG_TABLE, TAG_TD, TAG_TH, TAG_TR
from ncleaner.text._ascii cimport begins, begins_any, find_any, is_digit
from ncleaner.text._letters cimport is_white, last_mark

import numpy as np

# --------------------------------------------------------------------------------------------------
# The chain.

cdef enum:
    # The bound of one segment's evidence (natural logarithm): no single segment outweighs all its neighbours.
    LIMIT = 8

# Log-odds at which evidence saturates, in bits: the characters of a long segment are not independent.
SATURATION = 20.0
cdef double saturation = SATURATION
cdef double NATURAL = log(2)   # nats of a bit


cdef void _smooth(
    double* odds, double* ahead, Py_ssize_t n, double to_clean, double stay_clean, double opening,
    double closing, double empty
) noexcept nogil:
    """`odds` holds the evidence as odds on entry, and posterior log-odds on return. `ahead`: a buffer of size n."""
    cdef double stay_dirty = 1 - to_clean, to_dirty = 1 - stay_clean
    cdef double message = closing, x, all_dirty = 0, product = 1, some
    cdef Py_ssize_t i
    for i in range(n - 1, -1, -1):
        ahead[i] = message
        x = message * odds[i]
        message = (stay_clean * x + to_dirty) / (to_clean * x + stay_dirty)
    # The probability that all segments are dirty: a product of conditional probabilities.
    product += opening * odds[0] * ahead[0]
    for i in range(1, n):
        product *= 1 + to_clean / stay_dirty * odds[i] * ahead[i]
        if product > 1e200:
            all_dirty -= log(product)
            product = 1
    all_dirty = exp(all_dirty) / product
    some = fmax(1 - all_dirty + empty * all_dirty, 1e-12)
    message = opening
    for i in range(n):
        x = message * odds[i]
        message = (stay_clean * x + to_clean) / (to_dirty * x + stay_dirty)
        x *= ahead[i]
        # p = x / (1 + x) / some, as odds, and at most 1 - 1e-12
        odds[i] = log(fmax(x / fmax(some + some * x - x, 1e-12 * some * (1 + x)), 1e-300))


cdef inline double _odds(double log_odds) noexcept nogil:
    return exp(fmax(fmin(log_odds, LIMIT), -LIMIT))


cdef bint fill_statistics(
    const statistic_t* s, const double* sums, const uint32_t* counts, Py_ssize_t n, double* out
) noexcept nogil:
    """Writes the statistic of each segment, in bits. Returns False if there was not enough memory."""
    cdef Py_ssize_t i
    cdef double* ahead
    if s.kind == PER_CHARACTER:
        for i in range(n):
            out[i] = sums[i] / counts[i]
        return True
    if s.kind == PER_SEGMENT:
        for i in range(n):
            out[i] = sums[i]
        return True
    if n == 0:
        return True
    ahead = <double*> malloc(<size_t> n * sizeof(double))
    if ahead == NULL:
        return False
    for i in range(n):
        out[i] = _odds((s.slope * tanh(sums[i] / saturation) + s.offset) * NATURAL)
    _smooth(
        out, ahead, n, s.to_clean, s.stay_clean, _odds(s.opening * NATURAL), _odds(s.closing * NATURAL), s.empty
    )
    for i in range(n):
        out[i] = s.scale * (out[i] / NATURAL) + s.shift
    free(ahead)
    return True


cdef class Statistics:
    """The statistic of the segments of a page, as `decision.Decision` describes it.

    Args:
        kind: `character`, `segment` or `page`.
        numbers: {field of `statistic_t`: its value}, as in `Decision`; and `empty`, a factor for the probability that a
            page has no clean text at all, above 0 and at most 1. With 1 the chain is unchanged. A smaller factor lets a
            page keep its best segments instead of none.

    Raises:
        ValueError: a number is missing, or a probability or `empty` is out of range.
    """

    def __init__(self, str kind, dict numbers not None):
        cdef int number = PER_CHARACTER if kind == "character" else PER_SEGMENT if kind == "segment" else PER_PAGE
        self.s = dict(numbers, kind=number)
        if not (0 < self.s.to_clean < 1 and 0 < self.s.stay_clean < 1 and 0 < self.s.empty <= 1):
            raise ValueError("the probabilities of a chain have to lie between 0 and 1")

    def of(self, sums, counts):
        """Returns the statistic of each segment of one page, in bits: shape (segments,), float64.

        Args:
            sums: shape (segments,), float64; see `NGramModel.log_odds`.
            counts: shape (segments,), uint32.

        Raises:
            ValueError: sums and counts differ in number.
        """
        cdef const double[::1] given = np.ascontiguousarray(sums, np.float64)
        cdef const uint32_t[::1] sizes = np.ascontiguousarray(counts, np.uint32)
        cdef Py_ssize_t n = given.shape[0]
        cdef bint done
        if sizes.shape[0] != n:
            raise ValueError(f"{n} sums, but {sizes.shape[0]} counts")
        found = np.empty(n)
        cdef double[::1] out = found
        if n:
            with nogil:
                done = fill_statistics(&self.s, &given[0], &sizes[0], n, &out[0])
            if not done:
                raise MemoryError
        return found


# --------------------------------------------------------------------------------------------------
# The decision.

# A page whose expected F is below this value has no main text.
LEAST = 0.2
cdef double least = LEAST


cdef double _largest(const double* p, const double* w, Py_ssize_t n, double weight) noexcept nogil:
    """Returns the largest expected F. `weight`: β²."""
    cdef double all_right = 0, right, size, found, best = 0
    cdef Py_ssize_t i
    for i in range(n):
        all_right += p[i] * w[i]
    while True:
        right = size = 0
        for i in range(n):
            if (1 + weight) * p[i] > best:
                right += p[i] * w[i]
                size += w[i]
        found = (1 + weight) * right / (size + weight * all_right + 1e-9)
        if not found > best:
            return best
        best = found


cdef double decide_rows(const double* p, const double* w, Py_ssize_t n, double beta, uint8_t* mask) noexcept nogil:
    """Writes the set of segments that maximises the expected F-score, as `decide`.

    Returns the probability above which it keeps a segment; 1 if the page has no main text."""
    cdef double weight = beta * beta
    # the test for main text does not depend on the balance of precision and recall
    cdef double best = _largest(p, w, n, 1)
    cdef Py_ssize_t i
    if best < least:
        memset(mask, 0, <size_t> n)
        return 1
    if weight != 1:
        best = _largest(p, w, n, weight)
    for i in range(n):
        mask[i] = (1 + weight) * p[i] > best
    return best / (1 + weight)


def decide(probabilities, words, double beta=1.0):
    """Returns the set of segments that maximises the page's expected F-score.

    Args:
        probabilities: shape (segments,), float64: the probability that each segment is clean.
        words: shape (segments,), float64: the weight of each segment.
        beta: the weight of recall against precision: with 2, recall counts twice as much.

    Returns:
        Shape (segments,), bool: True for a segment that is kept. All are False if the largest expected balanced
        F is below `LEAST`.

    Raises:
        ValueError: the two arrays have different lengths.
    """
    cdef const double[::1] p = np.ascontiguousarray(probabilities, np.float64)
    cdef const double[::1] w = np.ascontiguousarray(words, np.float64)
    cdef Py_ssize_t n = p.shape[0]
    if w.shape[0] != n:
        raise ValueError(f"{n} probabilities, but {w.shape[0]} segments")
    kept = np.zeros(n, np.bool_)
    if not n:
        return kept
    cdef uint8_t[::1] mask = kept.view(np.uint8)
    with nogil:
        decide_rows(&p[0], &w[0], n, beta, &mask[0])
    return kept


def probabilities_of(odds):
    """Converts log-odds (natural logarithm) to probabilities, shape (segments,), float64."""
    found = np.array(odds, np.float64)
    cdef double[::1] p = found
    cdef Py_ssize_t i
    with nogil:
        for i in range(p.shape[0]):
            p[i] = probability(p[i])
    return found


# --------------------------------------------------------------------------------------------------
# What a decision tells of itself.

cdef enum:
    N_FIGURES = 14

# A score nearer to 0 than this is close to the border, in bits.
cdef double CLOSE = 2


def figures_of_decision(Tables tables not None, mask not None, scores not None, out not None):
    """Writes the figures of a decision from which its quality is estimated, in the order of `structure.QUALITY`.

    The mass of a segment is the number of its characters.

    Args:
        tables: of the page.
        mask: shape (segments,), bool.
        scores: shape (segments,), float64: log-odds, in bits.
        out: shape (14,) or longer, float32; the rest stays.

    Raises:
        ValueError: mask or scores do not fit the document, or `out` is too short.
    """
    cdef const uint8_t[::1] kept = mask.view(np.uint8)
    cdef const double[::1] odds = scores
    cdef float[::1] found = out
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t n = t.n_segments, i
    cdef bint began = False
    cdef double p, w, right = 0, all_right = 0, size = 0, everything = 0, unsure = 0, unsure_left = 0, close = 0
    cdef double sum_kept = 0, sum_left = 0, links = 0, all_links = 0, left = 0, hole = 0
    if kept.shape[0] != n or odds.shape[0] != n:
        raise ValueError("mask and scores do not fit the document")
    if found.shape[0] < N_FIGURES:
        raise ValueError(f"{found.shape[0]} places, but {N_FIGURES} figures")
    with nogil:
        for i in range(n):
            w = t.segments[i].chars
            p = probability(odds[i] * NATURAL)
            everything += w
            all_right += p * w
            all_links += t.segments[i].link_chars
            if -CLOSE < odds[i] < CLOSE:
                close += w
            if kept[i]:
                began = True
                # what is removed between two kept segments
                hole += left
                left = 0
                size += w
                right += p * w
                unsure += p * (1 - p) * w
                sum_kept += odds[i] * w
                links += t.segments[i].link_chars
            else:
                unsure_left += p * (1 - p) * w
                sum_left -= odds[i] * w
                if began:
                    left += w
        w = fmax(size, 1)
        found[0] = <float> (2 * right / fmax(size + all_right, 1e-9))
        found[1] = <float> (right / w)
        found[2] = <float> (right / fmax(all_right, 1e-9))
        found[3] = <float> log(1 + size)
        found[4] = <float> log(1 + everything)
        found[5] = <float> (size / fmax(everything, 1))
        found[6] = <float> (unsure / w)
        found[7] = <float> (unsure_left / w)
        found[8] = <float> (close / w)
        found[9] = <float> (sum_kept / w)
        found[10] = <float> (sum_left / fmax(everything - size, 1))
        found[11] = <float> (hole / fmax(size + hole, 1))
        found[12] = <float> (links / w)
        found[13] = <float> (all_links / fmax(everything, 1))


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


cdef bint drop_kept_copies(const tables_t* t, uint8_t* kept, int32_t* firsts) noexcept nogil:
    """Takes copies from a mask, as `drop_copies`; `firsts` may be NULL. Returns False if memory ran out."""
    cdef const segment_t* s = t.segments
    cdef uint64_t size = rows_for(t.n_segments), style
    cdef text_t* texts = <text_t*> calloc(size, sizeof(text_t))
    cdef uint64_t* styles = <uint64_t*> calloc(t.n_elements + 1, sizeof(uint64_t))
    cdef text_t* found
    cdef bint done = texts != NULL and styles != NULL
    cdef Py_ssize_t i
    if done:
        fill_styles(t.elements, t.n_elements, styles)
        for i in range(t.n_segments):
            if not kept[i] or not _is_long(&s[i]):
                continue
            style = style_of(styles, &s[i])
            found = <text_t*> row_of(texts, sizeof(text_t), size - 1, _letters_of(t.text, &s[i], BEGINNING) | 1)
            if not found.seen:
                found.seen = True
                found.style = style
                found.first = i
            elif (
                # the length bounds the time: it stays linear in the text of this segment
                found.style != style and s[found.first].chars <= 2 * s[i].chars
                and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
            ):
                kept[i] = 0
                if firsts != NULL:
                    firsts[i] = <int32_t> found.first
    free(texts)
    free(styles)
    return done


cdef inline bint _may_repeat(const tables_t* t, const segment_t* s) noexcept nogil:
    return BANNER <= s.words <= LONG_BANNER and not s.flags & PREFORMATTED and not (
        0 <= s.element < t.n_elements and TAG_TD <= t.elements[s.element].tag <= TAG_TH
    )


cdef void drop_repeats(const tables_t* t, uint8_t* kept, int32_t* firsts) noexcept nogil:
    """Takes the repetitions of banners from a mask: kept segments with one text in a row; `firsts` may be NULL."""
    cdef const segment_t* s = t.segments
    cdef Py_ssize_t first = -1, i, j
    cdef int n = 0
    for i in range(t.n_segments + 1):
        if i < t.n_segments and not kept[i]:
            continue
        if i < t.n_segments and first >= 0 and s[i].end - s[i].start == s[first].end - s[first].start \
                and memcmp(t.text + s[i].start, t.text + s[first].start, s[i].end - s[i].start) == 0:
            n += 1
            continue
        for j in range(first + 1, i if n >= REPEATS else 0):
            if kept[j]:
                kept[j] = 0
                if firsts != NULL:
                    firsts[j] = <int32_t> first
        first = i if i < t.n_segments and _may_repeat(t, &s[i]) else -1
        n = 1


cdef uint8_t[::1] _writable(Tables tables, mask):
    """Returns the bytes of a mask of a page."""
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    return kept


def drop_copies(Tables tables not None, mask not None, firsts=None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style.

    Of a short text that stands three times in a row, only the first one stays.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the segments and their text.
        firsts: shape (segments,), int32: gets the segment that each removed one copies; None: no record.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef int32_t[::1] copied
    cdef int32_t* out = NULL
    cdef bint done
    if not kept.shape[0]:
        return
    if firsts is not None:
        copied = firsts
        if copied.shape[0] != tables.t.n_segments:
            raise ValueError("the record of copies does not fit the document")
        out = &copied[0]
    with nogil:
        done = drop_kept_copies(&tables.t, &kept[0], out)
        drop_repeats(&tables.t, &kept[0], out)
    if not done:
        raise MemoryError


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
    # Share of the characters of a segment that are in links, and share of the text that its block holds, in per cent.
    ALL_LINK = 90
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


cdef inline bint _is_link(const segment_t* s) noexcept nogil:
    return s.element >= 0 and s.zone != HEADLINE and 100 * <uint64_t> s.link_chars >= ALL_LINK * <uint64_t> s.chars


cdef inline bint _may_be_teaser(const segment_t* s, const segment_t* before) noexcept nogil:
    """Returns whether a segment may be a line below the linked title of another page."""
    return s.chars <= TEASER and s.zone != HEADLINE and not _is_link(s) and _is_link(before)


cdef Py_ssize_t _block_of_text(const tables_t* t, const uint8_t* kept, uint64_t* chars) noexcept nogil:
    """Returns the innermost block that holds most of the kept text without links; -1 if there is too little of it.

    `chars`: a buffer with a zero for each element."""
    cdef const segment_t* s
    cdef uint64_t total = 0
    cdef Py_ssize_t i, found = -1
    for i in range(t.n_segments):
        s = &t.segments[i]
        if kept[i] and s.element >= 0 and not _is_link(s) and not (i and _may_be_teaser(s, s - 1)):
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
        if b.kept[i] and _is_link(&s[i]):
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
        if not b.kept[i] or not _is_link(&s[i]):
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
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef beside_t beside
    cdef uint64_t size = rows_for(tables.t.n_segments)
    cdef bint done
    if article < MAYBE or not kept.shape[0]:
        return
    with nogil:
        beside.t = &tables.t
        beside.kept = &kept[0]
        beside.mask = size - 1
        beside.paths = <uint64_t*> calloc(tables.t.n_elements + 1, sizeof(uint64_t))
        beside.runs = <run_t*> calloc(size, sizeof(run_t))
        done = beside.paths != NULL and beside.runs != NULL
        if done:
            _take_runs(&beside, article)
        free(beside.paths)
        free(beside.runs)
    if not done:
        raise MemoryError


cdef inline uint32_t _own_style(const tables_t* t, const segment_t* s) noexcept nogil:
    return t.elements[s.element].style if s.element >= 0 else 0


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

    Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef const segment_t* s = tables.t.segments
    cdef teasers_t found
    cdef Py_ssize_t n = kept.shape[0], before = -1, i, j
    cdef uint64_t words = 0
    cdef bint is_summary
    for i in range(n):
        words += s[i].words if kept[i] else 0
    found.count = 0
    for i in range(n + 1):
        if i < n and not kept[i]:
            continue
        is_summary = i < n and _is_summary(s, &kept[0], i)
        if found.count and is_summary and i - found.last <= NEXT \
                and _own_style(&tables.t, &s[i]) == _own_style(&tables.t, &s[found.last]):
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

    Other arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
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
            style = _own_style(&tables.t, &s[i])
            styles[style & 63] |= <uint64_t> 1 << (style >> 6 & 63)
    group = text
    while _next_group(s, &kept[0], n, &group):
        is_alike = group.words >= words
        for i in range(group.first, group.end):
            if kept[i]:
                style = _own_style(&tables.t, &s[i])
                is_alike |= styles[style & 63] >> (style >> 6 & 63) & 1
        if not is_alike:
            for i in range(group.first, group.end):
                kept[i] = False


# --------------------------------------------------------------------------------------------------
# Tables.

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
    # Text in forms goes if it is at most this part of the kept words: a fifth.
    FORM_PART = 5
    # Preformatted text is kept whole if this part of its characters is kept: a quarter.
    CODE_PART = 4
    # Least number of segments of one style that are parts of items.
    ITEMS = 6
    # Most words of a heading at the end that is removed without its text, and most of such headings.
    HEADING_WORDS = 8
    LAST_HEADINGS = 2
    # Fewest links at the end of a text, most words of a copyright line there, and fewest words before them.
    LAST_LINKS = 3
    COPYRIGHT_WORDS = 30
    LAST_WORDS = 12
    RIGHTS_CHARS = 250
    CRUMBS_WORDS = 25
    WORDS_BEFORE = 30
    # Most segments from a removed link to the summary below it, and from this to the next one; fewest removed segments
    # between summaries and text, and fewest words of the text.
    BELOW = 4
    NEXT = 6
    APART = 6
    WORDS_BESIDE = 60

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
    """Returns whether a table stands between two kept segments, of which the first one is in a block around the table,
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
    those of tables that stand between two kept segments of the same text, if at most 30 per cent of them are links.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements of the page.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
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


cdef bint _ends_in_colon(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef uint32_t mark = last_mark(<const uint8_t*> t.text + s.start, <const uint8_t*> t.text + s.end)
    return mark == c':' or mark == 0xFF1A


def complete_code(Tables tables not None, mask not None):
    """Adds preformatted text to a mask of which a quarter of the characters is kept, or that stands between two kept
    segments or below one that ends in a colon.

    Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
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
            i < n and kept[i] or _ends_in_colon(&tables.t, &s[first - 1])
        ):
            for k in range(first, i):
                if not s[k].flags & HIDDEN:
                    kept[k] = True


# The segments of one style.
cdef struct items_t:
    uint64_t style
    Py_ssize_t segments  # without hidden ones
    Py_ssize_t kept


cdef void _keep_whole_items(
    const tables_t* t, uint8_t* kept, uint64_t* styles, items_t* items, uint64_t mask
) noexcept nogil:
    """Adds segments to a mask, as `complete_items`; `items` is zero, and has a row for each style."""
    cdef Py_ssize_t i
    cdef items_t* found
    fill_styles(t.elements, t.n_elements, styles)
    for i in range(t.n_segments):
        if not t.segments[i].flags & HIDDEN:
            found = <items_t*> row_of(items, sizeof(items_t), mask, style_of(styles, &t.segments[i]) | 1)
            found.segments += 1
            found.kept += kept[i]
    for i in range(t.n_segments):
        if not t.segments[i].flags & HIDDEN:
            found = <items_t*> row_of(items, sizeof(items_t), mask, style_of(styles, &t.segments[i]) | 1)
            kept[i] |= found.segments >= ITEMS and 2 * found.kept >= found.segments


def complete_items(Tables tables not None, mask not None):
    """Adds to a mask the other segments of each style of which at least half is kept, from six segments on.

    Arguments as `complete_tables`.

    Raises:
        ValueError: the mask does not fit the document.
        MemoryError: there is not enough memory.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef uint64_t size = rows_for(tables.t.n_segments)
    cdef uint64_t* styles
    cdef items_t* items
    cdef bint done
    if not kept.shape[0]:
        return
    with nogil:
        styles = <uint64_t*> calloc(tables.t.n_elements + 1, sizeof(uint64_t))
        items = <items_t*> calloc(size, sizeof(items_t))
        done = styles != NULL and items != NULL
        if done:
            _keep_whole_items(&tables.t, &kept[0], styles, items, size - 1)
        free(styles)
        free(items)
    if not done:
        raise MemoryError


def keep_notes(Tables tables not None, mask not None):
    """Sets a mask for each note that the markup has inside of text (`tables.ASIDE`) as for this text.

    Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef Py_ssize_t i
    for i in range(1, kept.shape[0]):
        if tables.t.segments[i].flags & ASIDE:
            kept[i] = kept[i - 1]


cdef inline size_t _sign(const uint8_t* p, size_t size) noexcept nogil:
    """Returns the bytes of the copyright sign that a longer text begins with, © or (c); 0 for none."""
    return 2 if size > 2 and p[0] == 0xC2 and p[1] == 0xA9 else 3 if begins(p, size, b"(c)") else 0


cdef bint _is_copyright(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    return s.words <= COPYRIGHT_WORDS and (_sign(p, size) or begins(p, size, b"copyright"))


def drop_last_links(Tables tables not None, mask not None):
    """Takes from a mask the links to other pages at its end, and the copyright lines among them.

    These are three links or more, seven of ten in one style, behind 30 words. They stay below a heading or a colon,
    which say what they are.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef const segment_t* s = tables.t.segments
    cdef const segment_t* link = NULL
    cdef Py_ssize_t last = kept.shape[0] - 1, i
    cdef int links = 0, alike = 0
    cdef uint64_t words = 0
    while last >= 0 and (not kept[last] or _is_link(&s[last]) or _is_copyright(&tables.t, &s[last])):
        if kept[last] and _is_link(&s[last]):
            link = &s[last]
            links += 1
        last -= 1
    if links < LAST_LINKS or last < 0 or s[last].kind == c'h':
        return
    if _ends_in_colon(&tables.t, &s[last]):
        return
    for i in range(last + 1):
        words += s[i].words if kept[i] else 0
    for i in range(last + 1, kept.shape[0]):
        if kept[i] and _is_link(&s[i]):
            alike += _own_style(&tables.t, &s[i]) == _own_style(&tables.t, link)
    if words >= WORDS_BEFORE and 10 * alike >= 7 * links:
        for i in range(last + 1, kept.shape[0]):
            kept[i] = False


# What stands between the parts of a breadcrumb: > / | › » →
cdef const char** CRUMBS = [
    b" > ", b" / ", b" | ", b" \xE2\x80\xBA ", b" \xC2\xBB ", b" \xE2\x86\x92 ", NULL,
]


cdef bint _has_sign_and_year(const uint8_t* p, size_t size) noexcept nogil:
    """Returns whether a text begins like `© 2024` or `Copyright (c) 2024`."""
    cdef size_t at = 9 if begins(p, size, b"copyright") else 0, sign
    while at < size and is_white(p[at]):
        at += 1
    sign = _sign(p + at, size - at)
    if not sign:
        return False
    at += sign
    while at < size and is_white(p[at]):
        at += 1
    return (begins(p + at, size - at, b"19") or begins(p + at, size - at, b"20")) \
        and size - at >= 4 and is_digit(p[at + 2]) and is_digit(p[at + 3])


# What sites say at the end of a page, in small letters and in whatever sentence: "not the opinion of this site", "no
# reprint without permission", "all rights reserved", "for subscribers". In English, agencies say it in what gold texts
# keep.
cdef list _OF_RIGHTS = [text.encode() for text in (
    "不代表本网", "不代表本網", "不代表本站", "不代表本报", "不代表本報", "未经授权", "未經授權", "版权所有", "版權所有", "禁止转载",
    "不得转载", "不得轉載", "谢绝转载", "请勿转载", "文责自负", "文責自負", "书面授权", "書面授權", "版权均属", "版权归",
    "免责声明", "免責聲明", "無断転載", "転載を禁", "무단전재", "무단 전재", "재배포 금지",
    "lle rechte vorbehalten", "ous droits réservés", "odos los derechos reservados", "utti i diritti riservati",
    "odos os direitos reservados", "се права защищены", "szelkie prawa zastrzeżone",
    "会員限定の有料記事", "suite est réservée aux abonnés", "be the first to comment",
)]
cdef const char* OF_RIGHTS[48]
memset(OF_RIGHTS, 0, sizeof(OF_RIGHTS))
for _number, _text in enumerate(_OF_RIGHTS):
    OF_RIGHTS[_number] = _text


# How lines about the site begin.
cdef const char** BEGINNINGS = [
    b"powered by ", b"all rights reserved", b"design by ", b"designed by ", b"filed under", b"posted in ", b"follow us",
    b"sign up ", b"subscribe ", b"click here", b"share this", b"rate this", b"back to home", b"back to top",
    b"we use cookies", NULL,
]


cdef bint _is_last_line(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    if s.words <= LAST_WORDS and (_has_sign_and_year(p, size) or begins_any(p, size, BEGINNINGS)):
        return True
    return s.chars <= RIGHTS_CHARS and find_any(p, size, OF_RIGHTS)


cdef uint64_t _words_of_form(const tables_t* t, Py_ssize_t form, uint8_t* kept, bint drop) noexcept nogil:
    """Returns the number of kept words in a form; takes them from the mask if `drop`."""
    cdef const element_t* e = &t.elements[form]
    cdef uint64_t words = 0
    cdef Py_ssize_t i
    if e.tag != TAG_FORM or e.first_run == e.last_run:
        return 0
    for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
        if kept[i]:
            words += t.segments[i].words
            kept[i] = not drop
    return words


def drop_forms(Tables tables not None, mask not None):
    """Takes from a mask the text in forms, if it is at most a fifth of the kept words.

    Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef const tables_t* t = &tables.t
    cdef uint64_t words = 0, in_forms = 0
    cdef Py_ssize_t i
    if not kept.shape[0]:
        return
    for i in range(t.n_segments):
        words += t.segments[i].words if kept[i] else 0
    for i in range(t.n_elements):
        in_forms += _words_of_form(t, i, &kept[0], False)
    if in_forms and FORM_PART * in_forms <= words:
        for i in range(t.n_elements):
            _words_of_form(t, i, &kept[0], True)


def drop_last_lines(Tables tables not None, mask not None):
    """Takes from a mask the lines at its end that are a copyright such as `© 2024 Name` or about the site (`Powered by
    …`), of up to twelve words, or a sentence about rights.

    Other text stays before them, so that the mask is never empty afterwards. Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
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

    Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
    cdef const segment_t* s = tables.t.segments
    cdef Py_ssize_t headline = 0, i
    while headline < kept.shape[0] and s[headline].zone != HEADLINE:
        headline += 1
    if headline == kept.shape[0]:
        return
    for i in range(headline):
        if kept[i] and s[i].words <= CRUMBS_WORDS and 5 * s[i].link_chars >= s[i].chars and find_any(
            <const uint8_t*> tables.t.text + s[i].start, s[i].end - s[i].start, CRUMBS
        ):
            kept[i] = False


cdef bint _announces(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns whether a segment is a short heading, or a line that ends in a colon."""
    if s.words <= HEADING_WORDS and 0 <= s.element < t.n_elements \
            and TAG_H2 <= t.elements[s.element].tag <= TAG_H6:
        return True
    return s.words <= LAST_WORDS and _ends_in_colon(t, s)


def drop_last_headings(Tables tables not None, mask not None):
    """Takes from a mask the headings at its end, h2 to h6 of up to eight words, and lines of up to twelve that end in a
    colon, if something after them is removed.

    More than two of them are the items of a list. Other kept text before them stays, so that the mask is never empty
    afterwards. Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = _writable(tables, mask)
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
