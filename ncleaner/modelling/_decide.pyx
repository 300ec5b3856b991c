"""Which segments of a page to keep, so that the F-score to be expected of the page is largest.

With p the probability that a segment is clean and w what it counts for, the F of a set of segments is close to
(1 + β²) · Σ p w of the set / (Σ w of the set + β² · Σ p w of the page), which is the decision rule of Ye, Chai,
Lee and Chieu (2012), “Optimizing F-measure”, section 4, for one page. Where little is certain a segment of low
probability is worth keeping, on a clear page it is not.

The largest ratio of two sums is found by Dinkelbach's method (1967, “On nonlinear fractional programming”): the
best set holds all segments with (1 + β²) p above the best F, and taking those above the F reached so far
reaches more, until it does not. A handful of rounds does; nothing need be sorted.
"""

from libc.math cimport exp, fmax, fmin
from libc.stdint cimport uint8_t

import numpy as np

# A page of which no more is to be expected is taken to have no main text at all.
LEAST = 0.2
cdef double least = LEAST


cdef double _largest(const double* p, const double* w, Py_ssize_t n, double weight) noexcept nogil:
    """The largest expected F. `weight`: β²."""
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


def decide(probabilities, words, double beta=1.0):
    """The segments whose being kept makes the page's expected F-score largest.

    Args:
        probabilities: shape (segments,), float64: that a segment is clean.
        words: shape (segments,), float64: what each counts for.
        beta: recall counts so many times as much as precision.

    Returns:
        Shape (segments,), bool; all False where no balanced F of `LEAST` is to be expected.

    Raises:
        ValueError: the two are of different lengths.
    """
    cdef const double[::1] p = np.ascontiguousarray(probabilities, np.float64)
    cdef const double[::1] w = np.ascontiguousarray(words, np.float64)
    cdef Py_ssize_t n = p.shape[0], i
    cdef double best
    cdef double weight = beta * beta
    if w.shape[0] != n:
        raise ValueError(f"{n} probabilities, but {w.shape[0]} segments")
    kept = np.zeros(n, np.bool_)
    if not n:
        return kept
    cdef uint8_t[::1] mask = kept.view(np.uint8)
    with nogil:
        # whether there is any main text does not depend on how the two are balanced
        best = _largest(&p[0], &w[0], n, 1)
        if best >= least:
            if weight != 1:
                best = _largest(&p[0], &w[0], n, weight)
            for i in range(n):
                mask[i] = (1 + weight) * p[i] > best
    return kept


def probabilities_of(odds):
    """Log-odds in nats to probabilities: shape (segments,), float64."""
    found = np.array(odds, np.float64)
    cdef double[::1] p = found
    cdef Py_ssize_t i
    with nogil:
        for i in range(p.shape[0]):
            p[i] = 1 / (1 + exp(-fmax(-30, fmin(30, p[i]))))
    return found
