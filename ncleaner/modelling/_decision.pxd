"""Contract of the statistics of the segments of a page, and of the decision of the hybrid method."""

from libc.math cimport exp, fmax, fmin
from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    PER_CHARACTER = 0
    PER_SEGMENT = 1
    PER_PAGE = 2

# As the fields of `decision.Decision`, in bits; `empty` as in `Statistics`.
ctypedef struct statistic_t:
    int kind
    double slope
    double offset
    double to_clean
    double stay_clean
    double opening
    double closing
    double empty
    double scale
    double shift

cdef bint fill_statistics(
    const statistic_t* s, const double* sums, const uint32_t* counts, Py_ssize_t n, double* out
) noexcept nogil

cdef class Statistics:
    cdef statistic_t s


cdef inline double probability(double odds) noexcept nogil:
    """Converts log-odds (natural logarithm) to a probability."""
    return 1 / (1 + exp(-fmax(-30, fmin(30, odds))))


cdef double decide_rows(const double* p, const double* w, Py_ssize_t n, double beta, uint8_t* mask) noexcept nogil
