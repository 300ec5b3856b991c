"""Decides the segments of a page together: a two-state Markov chain, by forward and backward messages.

Neighbouring segments are often both clean or both dirty. The chain has two states, dirty and clean. Each segment
gives evidence as odds, and the model gives the transition probabilities. The posterior is exact and takes one pass
in each direction (Rabiner 1989, section III). Messages are odds, so a step costs one division.
"""

from libc.math cimport exp, fmax, fmin, log

import numpy as np

cdef enum:
    # The bound of one segment's evidence (natural logarithm): no single segment outweighs all its neighbours.
    LIMIT = 8


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


def posterior(
    evidence, double to_clean, double stay_clean, double opening=0, double closing=0, double empty=1
):
    """Returns the posterior log-odds of clean for the segments of one page, in page order.

    Args:
        evidence: shape (segments,), float64: log-odds of each segment alone, natural logarithm; bounded to ±8.
        to_clean: probability that a dirty segment is followed by a clean one, between 0 and 1.
        stay_clean: probability that a clean segment is followed by a clean one, between 0 and 1.
        opening: log-odds that a page begins with a clean segment, natural logarithm.
        closing: log-ratio of two probabilities: that a clean segment is the last of a page, and that a dirty
            segment is.
        empty: factor for the chain's probability that a page has no clean text at all, above 0 and at most 1.
            With 1 the chain is unchanged. A smaller factor lets a page keep its best segments instead of none.

    Returns:
        Shape (segments,), float64, natural logarithm.

    Raises:
        ValueError: a probability or `empty` is out of range.
    """
    opening = exp(fmax(fmin(opening, LIMIT), -LIMIT))
    closing = exp(fmax(fmin(closing, LIMIT), -LIMIT))
    odds_array = np.array(evidence, np.float64)
    cdef Py_ssize_t n = odds_array.shape[0], i
    if not n:
        return odds_array
    if not (0 < to_clean < 1 and 0 < stay_clean < 1 and 0 < empty <= 1):
        raise ValueError("the probabilities of a chain have to lie between 0 and 1")
    ahead_array = np.empty(n, np.float64)
    cdef double[::1] odds = odds_array
    cdef double[::1] ahead = ahead_array
    with nogil:
        for i in range(n):
            odds[i] = exp(fmax(fmin(odds[i], LIMIT), -LIMIT))
        _smooth(&odds[0], &ahead[0], n, to_clean, stay_clean, opening, closing, empty)
    return odds_array
