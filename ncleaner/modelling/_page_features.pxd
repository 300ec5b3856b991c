"""Contract of the features of segments that need a first judgement, and of what follows from them for the page."""

from ncleaner.document._tables cimport tables_t

cdef bint fill_page(
    const tables_t* t, const double* p, double least, int reach, float* out, Py_ssize_t width
) noexcept nogil
cdef void average_rows(
    const tables_t* t, const double* p, const float* x, Py_ssize_t width, Py_ssize_t used, double least, float* out
) noexcept nogil
cdef bint even_out_odds(const tables_t* t, double* odds) noexcept nogil
