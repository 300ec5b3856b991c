"""Interface of the functions that know what a reader opens on a page."""

from ncleaner.parsing._structs cimport node_t, str_t

cdef enum:
    MOST_PANELS = 256        # on a page; further ones count as other blocks

# The ids of the blocks that elements open (`aria-controls`).
cdef struct panels_t:
    str_t* names[MOST_PANELS]
    size_t n


cdef void note_panel(panels_t* panels, node_t* node, str_t* name) noexcept nogil
cdef bint is_panel(const panels_t* panels, node_t* node, const str_t* name, const str_t* role) noexcept nogil
cdef bint is_row_of_tabs(node_t* root) noexcept nogil
