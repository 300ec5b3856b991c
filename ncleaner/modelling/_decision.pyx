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

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples.

*Tables.* A data table without the names of its columns, or with holes, says little. Short cells are hard to judge one
by one, and a value that occurs twice in a table is not a copy. So a table that is nearly all kept is kept whole.
"""

from libc.math cimport exp, fmax, fmin, log, tanh
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ncleaner.document._hashes cimport extended, mix, row_of, rows_for
from ncleaner.document._tables cimport (
    HIDDEN, PREFORMATTED, Tables, element_t, fill_styles, segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport TAG_TABLE, TAG_TD, TAG_TH, TAG_TR
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, fold

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


cdef _check(double to_clean, double stay_clean, double empty):
    if not (0 < to_clean < 1 and 0 < stay_clean < 1 and 0 < empty <= 1):
        raise ValueError("the probabilities of a chain have to lie between 0 and 1")


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
        slope, offset, to_clean, stay_clean, opening, closing, scale, shift: see `Decision`.
        empty: factor for the probability that a page has no clean text at all, above 0 and at most 1. With 1 the
            chain is unchanged. A smaller factor lets a page keep its best segments instead of none.

    Raises:
        ValueError: a probability or `empty` is out of range.
    """

    def __init__(
        self, str kind, double slope, double offset, double to_clean, double stay_clean, double opening, double closing,
        double empty, double scale, double shift
    ):
        _check(to_clean, stay_clean, empty)
        self.s.kind = PER_CHARACTER if kind == "character" else PER_SEGMENT if kind == "segment" else PER_PAGE
        self.s.slope = slope
        self.s.offset = offset
        self.s.to_clean = to_clean
        self.s.stay_clean = stay_clean
        self.s.opening = opening
        self.s.closing = closing
        self.s.empty = empty
        self.s.scale = scale
        self.s.shift = shift

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
# Copies.

cdef enum:
    # Shorter segments, such as prices and names, may well occur twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters are compared as a whole.
    BEGINNING = 48

cdef struct text_t:
    uint64_t key
    uint64_t style
    Py_ssize_t first
    bint seen


cdef inline bint _is_long(const segment_t* s) noexcept nogil:
    return not s.flags & PREFORMATTED and (s.words >= WORDS or s.chars >= CHARS and s.words * LONG_WORD < s.chars)


cdef uint64_t _letters_of(const uint8_t* text, const segment_t* s, int most) noexcept nogil:
    """Returns the hash of the letters and digits of a segment, without case; of the first `most`, if this is not 0."""
    cdef const uint8_t* p = text + s.start
    cdef const uint8_t* end = text + s.end
    cdef uint64_t h = 7
    cdef uint32_t code
    cdef int n = 0
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if fold(&code) != NO_LETTER:
            h = extended(h, code)
            n += 1
            if n == most:
                break
    return mix(h)


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


def drop_copies(Tables tables not None, mask not None, firsts=None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the segments and their text.
        firsts: shape (segments,), int32: gets the segment that each removed one copies; None: no record.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    cdef int32_t[::1] copied
    cdef int32_t* out = NULL
    cdef bint done
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    if firsts is not None:
        copied = firsts
        if copied.shape[0] != tables.t.n_segments:
            raise ValueError("the record of copies does not fit the document")
        out = &copied[0]
    with nogil:
        done = drop_kept_copies(&tables.t, &kept[0], out)
    if not done:
        raise MemoryError


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

# What is counted of a table.
cdef struct count_t:
    Py_ssize_t end       # the first element after it
    Py_ssize_t rows      # with text
    Py_ssize_t cells     # with text
    Py_ssize_t segments  # in cells, without hidden ones
    Py_ssize_t kept


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
        e += 1
    found.end = e
    return found.rows >= ROWS and found.cells >= CELLS


cdef void keep_whole_tables(const tables_t* t, uint8_t* kept) noexcept nogil:
    """Adds cells to a mask, as `complete_tables`."""
    cdef const element_t* e
    cdef Py_ssize_t table, k
    cdef int32_t i
    cdef count_t found
    for table in range(t.n_elements):
        e = &t.elements[table]
        if e.tag != TAG_TABLE or e.first_run == e.last_run or not _count(t, table, kept, &found):
            continue
        if found.kept == found.segments or 100 * found.kept < SHARE * found.segments:
            continue
        for k in range(table + 1, found.end):
            e = &t.elements[k]
            if _is_cell(e):
                for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
                    if not t.segments[i].flags & HIDDEN:
                        kept[i] = True


def complete_tables(Tables tables not None, mask not None):
    """Adds to a mask the other cells of tables of data of which at least 70 per cent is kept.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements of the page.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    with nogil:
        keep_whole_tables(&tables.t, &kept[0])
