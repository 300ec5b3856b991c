"""Writes the nodes of a page as clean HTML."""

from ncleaner.markup._escape cimport out_t
from ncleaner.markup._sheet cimport sheet_t

cdef void write_html(const sheet_t* sheet, out_t* out) noexcept nogil
