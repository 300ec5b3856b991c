"""The tree of the kept blocks of a page, in `sheet_t.nodes`."""

from libc.stdint cimport int32_t

from ncleaner.document._tables cimport mark_t
from ncleaner.markup._blocks cimport node_t, sheet_t


cdef bint may_be_written(const sheet_t* sheet, const mark_t* image) noexcept nogil
cdef void choose_lead(sheet_t* sheet, const int32_t* marks, Py_ssize_t n) noexcept nogil
cdef void outline(sheet_t* sheet) noexcept nogil
cdef const mark_t* callout_of(const sheet_t* sheet, const node_t* node) noexcept nogil
cdef const mark_t* language_of(const sheet_t* sheet, int32_t element) noexcept nogil
