"""Contract of the forests: sums of trees for rows of a matrix of features."""

from libc.stdint cimport int32_t

cdef enum:
    TOGETHER = 8         # rows, or trees, that descend at a time

cdef packed struct split_t:
    float threshold
    int32_t distance     # from the row's first value to the tested value


cdef inline Py_ssize_t padded(Py_ssize_t n) noexcept nogil:
    """Returns the number of rows in whole groups."""
    return (n + TOGETHER - 1) // TOGETHER * TOGETHER


cdef inline void pad(int32_t* rows, Py_ssize_t n) noexcept nogil:
    """Fills the last group with copies of the last of `n` rows."""
    cdef Py_ssize_t i
    for i in range(n, padded(n)):
        rows[i] = rows[n - 1]


cdef class Forest:
    # complete trees, one after the other: nodes, leaves and depths; and the arrays that hold them
    cdef const split_t* nodes
    cdef const float* leaves
    cdef const int32_t* depths
    cdef object _nodes, _leaves, _depths
    cdef Py_ssize_t n_trees
    cdef readonly Py_ssize_t width, reach

    cdef void add(
        self, const float* matrix, const int32_t* rows, Py_ssize_t n, Py_ssize_t first, Py_ssize_t last, double* sums
    ) noexcept nogil
    cdef void add_classes(self, const float* row, int classes, double* sums) noexcept nogil
