"""Writes the nodes of a page as Markdown."""

from ncleaner.markup._escape cimport out_t
from ncleaner.markup._sheet cimport sheet_t

cdef void write_markdown(const sheet_t* sheet, out_t* out) noexcept nogil
