"""From scores to kept segments: the chain of the n-grams' statistic, and the decision of the hybrid.

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
"""

from libc.math cimport exp, fmax, fmin, log, tanh
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ncleaner.document._tables cimport Tables, tables_t

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
    cdef double* ahead = <double*> malloc(<size_t> n * sizeof(double))
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
