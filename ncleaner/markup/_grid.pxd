"""Which tables of a page are tables, and where their cells stand."""

from ncleaner.markup._sheet cimport sheet_t

cdef void find_tables(sheet_t* sheet) noexcept nogil
