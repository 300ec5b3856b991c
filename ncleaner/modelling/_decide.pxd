"""Contract of the decision of the hybrid method."""

from libc.math cimport exp, fmax, fmin
from libc.stdint cimport uint8_t


cdef inline double probability(double odds) noexcept nogil:
    """Converts log-odds (natural logarithm) to a probability."""
    return 1 / (1 + exp(-fmax(-30, fmin(30, odds))))


cdef double decide_rows(const double* p, const double* w, Py_ssize_t n, double beta, uint8_t* mask) noexcept nogil
