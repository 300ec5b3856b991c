"""Which tables of a page are tables, where their cells are, and the fields of a row that is written."""

from libc.stdint cimport int32_t

from ncleaner.markup._sheet cimport sheet_t

# A table that is being written. All arrays have one value for each kept column.
ctypedef struct rows_t:
    int32_t columns
    int32_t* cells       # node of the cell in the row, -1 for none
    int32_t* carried     # node of the cell of a row above that goes on in this row, -1 for none
    int32_t* until       # first row that it does not cover

cdef bint open_rows(rows_t* rows, const sheet_t* sheet, int32_t table) noexcept nogil
cdef void close_rows(rows_t* rows) noexcept nogil
cdef void fill_row(rows_t* rows, const sheet_t* sheet, int32_t table, int32_t row) noexcept nogil
cdef int32_t end_of(const sheet_t* sheet, int32_t node) noexcept nogil
cdef int32_t columns_of(const sheet_t* sheet, int32_t table, int32_t cell, int32_t* first) noexcept nogil
cdef bint is_head(const sheet_t* sheet, int32_t row) noexcept nogil
cdef void find_tables(sheet_t* sheet) noexcept nogil
