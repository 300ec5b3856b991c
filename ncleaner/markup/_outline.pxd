"""The tree of the kept blocks of a page."""

from ncleaner.markup._sheet cimport sheet_t

cdef void outline(sheet_t* sheet) noexcept nogil
