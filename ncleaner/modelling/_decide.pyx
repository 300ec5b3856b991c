"""The decision of the hybrid method: it keeps the segments that maximise the expected F-score of the page.

Let p be the probability that a segment is clean, and w its weight. The expected F of a set of segments is close to
(1 + β²) · Σ p w of the set / (Σ w of the set + β² · Σ p w of the page). This is the decision rule of Ye, Chai, Lee
and Chieu (2012), “Optimizing F-measure”, section 4, for one page. On a page where all probabilities are low, the
rule also keeps segments of low probability; on a page with clear segments it removes them.

Dinkelbach's method (1967, “On nonlinear fractional programming”) finds the largest ratio of the two sums. The best
set holds all segments with (1 + β²) p above the best F. Each round takes the segments above the F of the round
before, and F grows until the best set is found. A few rounds are enough, and no sorting is necessary.
"""

from libc.stdint cimport uint8_t
from libc.string cimport memset

import numpy as np

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
