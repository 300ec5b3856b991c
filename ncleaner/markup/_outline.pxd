"""The tree of the kept blocks of a page, in `blocks_t.nodes`."""

from libc.stdint cimport int32_t

from ncleaner.document._tables cimport mark_t
from ncleaner.markup._blocks cimport block_t, blocks_t


cdef int may_be_written(const blocks_t* blocks, const mark_t* image) noexcept nogil
cdef void choose_lead(blocks_t* blocks, const int32_t* marks, Py_ssize_t n) noexcept nogil
cdef void outline(blocks_t* blocks) noexcept nogil
cdef const mark_t* callout_of(const blocks_t* blocks, const block_t* node) noexcept nogil
cdef const mark_t* language_of(const blocks_t* blocks, int32_t element) noexcept nogil
