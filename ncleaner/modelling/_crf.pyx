"""Linear-chain conditional random fields: state scores, exact marginals, the best sequence.

The marginals come from forward and backward messages in probability space, scaled to sum to one at each position
(Rabiner 1989, section V.A; Sutton and McCallum 2012, section 4.1). The best sequence comes from the Viterbi
algorithm. The time of all three is linear in the number of positions, and they release the GIL.
"""

from libc.math cimport exp, fmax
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef enum:
    MAX_LABELS = 8
    # The number of values of a feature. The last value is that of a position outside the sequence.
    VALUES = 16
    OUTSIDE = 15
    # The bound of a difference of scores (natural logarithm): a product of two probabilities never underflows to 0.
    LIMIT = 300


cdef void _state_scores(
    const uint8_t* values, Py_ssize_t n, Py_ssize_t features, const int32_t* slots, const int32_t* first,
    const float* weights, int labels, double* scores
) noexcept nogil:
    """Adds the weights of each position's features to its scores.

    `slots` holds pairs of slot number and offset, sorted by feature: the pairs of feature f are
    `first[f]` … `first[f + 1] - 1`.
    """
    cdef Py_ssize_t t, f, k, at, ahead
    cdef int y
    cdef uint8_t value
    cdef const float* row
    cdef double* sums
    for t in range(n):
        for f in range(features):
            value = values[t * features + f] & 15
            # Value 0 has no weight, and most values are 0.
            if value == 0:
                continue
            for k in range(first[f], first[f + 1]):
                at = t - slots[2 * k + 1]
                if 0 <= at < n:
                    row = weights + (slots[2 * k] * VALUES + value) * labels
                    sums = scores + at * labels
                    for y in range(labels):
                        sums[y] += row[y]
    # A position near an end reads positions outside the sequence.
    for k in range(first[features]):
        ahead = slots[2 * k + 1]
        row = weights + (slots[2 * k] * VALUES + OUTSIDE) * labels
        for t in range(max(0, n - ahead) if ahead > 0 else 0, n if ahead > 0 else min(n, -ahead)):
            sums = scores + t * labels
            for y in range(labels):
                sums[y] += row[y]


cdef void _scaled(const double* scores, int labels, double* psi) noexcept nogil:
    """Computes exp(score − largest score) of each label."""
    cdef double largest = scores[0]
    cdef int y
    for y in range(1, labels):
        largest = fmax(largest, scores[y])
    for y in range(labels):
        psi[y] = exp(fmax(scores[y] - largest, -LIMIT))


cdef void _marginals(
    const double* scores, Py_ssize_t n, const double* moves, int labels, double* result
) noexcept nogil:
    """`moves[a * labels + b]` is the factor of the transition from a to b."""
    cdef double[MAX_LABELS] psi
    cdef double[MAX_LABELS] message
    cdef double[MAX_LABELS] next
    cdef double total
    cdef Py_ssize_t t
    cdef int a, b
    # Forward: the evidence up to and including this position.
    for t in range(n):
        _scaled(scores + t * labels, labels, psi)
        total = 0
        for b in range(labels):
            if t:
                next[b] = 0
                for a in range(labels):
                    next[b] += result[(t - 1) * labels + a] * moves[a * labels + b]
                next[b] *= psi[b]
            else:
                next[b] = psi[b]
            total += next[b]
        for b in range(labels):
            result[t * labels + b] = next[b] / total
    # Backward: the evidence after this position.
    for a in range(labels):
        message[a] = 1
    for t in range(n - 1, -1, -1):
        total = 0
        for a in range(labels):
            result[t * labels + a] *= message[a]
            total += result[t * labels + a]
        for a in range(labels):
            result[t * labels + a] /= total
        _scaled(scores + t * labels, labels, psi)
        total = 0
        for a in range(labels):
            next[a] = 0
            for b in range(labels):
                next[a] += moves[a * labels + b] * psi[b] * message[b]
            total += next[a]
        for a in range(labels):
            message[a] = next[a] / total


cdef void _viterbi(
    const double* scores, Py_ssize_t n, const double* transitions, int labels, uint8_t* back, uint8_t* path
) noexcept nogil:
    cdef double[MAX_LABELS] best
    cdef double[MAX_LABELS] next
    cdef double x
    cdef Py_ssize_t t
    cdef int a, b, chosen
    for b in range(labels):
        best[b] = scores[b]
    for t in range(1, n):
        for b in range(labels):
            chosen = 0
            next[b] = best[0] + transitions[b]
            for a in range(1, labels):
                x = best[a] + transitions[a * labels + b]
                if x > next[b]:
                    next[b] = x
                    chosen = a
            next[b] += scores[t * labels + b]
            back[t * labels + b] = <uint8_t> chosen
        for b in range(labels):
            best[b] = next[b]
    chosen = 0
    for b in range(1, labels):
        if best[b] > best[chosen]:
            chosen = b
    for t in range(n - 1, -1, -1):
        path[t] = <uint8_t> chosen
        if t:
            chosen = back[t * labels + chosen]


def _checked(scores, transitions):
    found = np.ascontiguousarray(scores, np.float64)
    moves = np.ascontiguousarray(transitions, np.float64)
    if found.ndim != 2 or not 1 <= found.shape[1] <= MAX_LABELS or moves.shape != (found.shape[1],) * 2:
        raise ValueError(f"scores and transitions do not belong together: {found.shape}, {moves.shape}")
    return found, moves


def state_scores(values, slots, weights):
    """Returns the state score of every label at every position: the sum of the weights of its features.

    Args:
        values: shape (positions, features), uint8, 0 to 14. The value 0 means "absent" and has no weight.
        slots: shape (slots, 2), int32: the number of a feature, and the offset at which it is read (in
            positions; positive is ahead).
        weights: shape (16 * slots, labels), float32: for each slot one row per value. The last row is for
            positions outside the sequence.

    Returns:
        Shape (positions, labels), float64.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    values, slots = np.ascontiguousarray(values, np.uint8), np.ascontiguousarray(slots, np.int32)
    weights = np.ascontiguousarray(weights, np.float32)
    if not (
        values.ndim == slots.ndim == weights.ndim == 2
        and slots.shape[1] == 2
        and len(weights) == VALUES * len(slots)
        and (not len(slots) or 0 <= slots[:, 0].min() <= slots[:, 0].max() < values.shape[1])
    ):
        raise ValueError(
            f"values, slots and weights do not belong together: {values.shape}, {slots.shape}, {weights.shape}"
        )
    scores = np.zeros((len(values), weights.shape[1]))
    order = np.argsort(slots[:, 0], kind="stable")
    by_feature = np.column_stack((order, slots[order, 1])).astype(np.int32)
    starts = np.searchsorted(slots[order, 0], np.arange(values.shape[1] + 1)).astype(np.int32)
    cdef const uint8_t[:, ::1] v = values
    cdef const int32_t[:, ::1] s = by_feature
    cdef const int32_t[::1] f = starts
    cdef const float[:, ::1] w = weights
    cdef double[:, ::1] result = scores
    if scores.size and len(slots):
        with nogil:
            _state_scores(
                &v[0, 0], v.shape[0], v.shape[1], &s[0, 0], &f[0], &w[0, 0], <int> w.shape[1], &result[0, 0]
            )
    return scores


def marginals(scores, transitions):
    """Returns the probability of every label at every position, given the whole sequence.

    Args:
        scores: shape (positions, labels), float64, finite, natural logarithm. At most eight labels.
        transitions: shape (labels, labels), float64, finite: the score of the transition from the first label
            to the second.

    Returns:
        Shape (positions, labels), float64; rows sum to one.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    scores, transitions = _checked(scores, transitions)
    result = np.empty_like(scores)
    if not len(scores):
        return result
    factors = np.exp(np.maximum(transitions - transitions.max(), -LIMIT))
    cdef const double[:, ::1] s = scores
    cdef const double[:, ::1] f = factors
    cdef double[:, ::1] r = result
    with nogil:
        _marginals(&s[0, 0], s.shape[0], &f[0, 0], <int> s.shape[1], &r[0, 0])
    return result


def viterbi(scores, transitions):
    """Returns the likeliest sequence of labels, shape (positions,), uint8. Arguments: as for `marginals`."""
    scores, transitions = _checked(scores, transitions)
    path = np.empty(len(scores), np.uint8)
    if not len(scores):
        return path
    cdef const double[:, ::1] s = scores
    cdef const double[:, ::1] m = transitions
    cdef uint8_t[::1] p = path
    cdef uint8_t* back = <uint8_t*> malloc(<size_t> (s.shape[0] * s.shape[1]))
    if back == NULL:
        raise MemoryError
    with nogil:
        _viterbi(&s[0, 0], s.shape[0], &m[0, 0], <int> s.shape[1], back, &p[0])
        free(back)
    return path
