"""Contract of the look-up of stock phrases."""

from libc.stdint cimport uint32_t

from ncleaner.document._tables cimport tables_t

cdef void take_losses(
    const tables_t* t, const uint32_t* phrases, const float* losses, Py_ssize_t known, double* odds
) noexcept nogil
