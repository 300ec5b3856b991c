"""Contract of the features of segments that need no judgement."""

from libc.stdint cimport uint8_t

from ncleaner.document._tables cimport tables_t

cdef bint fill_segments(
    const tables_t* t, const uint8_t* title, size_t title_length, const double* odds, const double* posterior,
    const float* weights, float* out, Py_ssize_t width
) noexcept nogil
