"""Tables of data of which nearly all is kept: the rest of their cells is kept, too.

A table without the names of its columns, or with holes, says little. Short cells are hard to judge one by one, and a
value that stands twice in a table is no copy.
"""

from libc.stdint cimport int32_t, uint8_t

from ncleaner.document._tables cimport HIDDEN, Tables, element_t, segment_t, tables_t
from ncleaner.document._tags cimport TAG_TABLE, TAG_TD, TAG_TH, TAG_TR

import numpy as np

cdef enum:
    # A cell with more or longer segments has text of its own, and its table may be one for layout.
    MOST_SEGMENTS = 3
    LONGEST = 400
    # A table of data has at least so many rows and cells with text.
    ROWS = 2
    CELLS = 4
    # The least share of the segments in its cells that is kept, in per cent.
    SHARE = 70

# What is counted of a table.
cdef struct count_t:
    Py_ssize_t end       # the first element after it
    Py_ssize_t rows      # with text
    Py_ssize_t cells     # with text
    Py_ssize_t segments  # in cells, without hidden ones
    Py_ssize_t kept


cdef inline bint _is_cell(const element_t* e) noexcept nogil:
    return (e.tag == TAG_TD or e.tag == TAG_TH) and e.first_run < e.last_run


cdef bint _count(const tables_t* t, Py_ssize_t table, const uint8_t* kept, count_t* found) noexcept nogil:
    """Counts a table. Returns False if it has another one inside, or a cell with text of its own."""
    cdef const element_t* elements = t.elements
    cdef const segment_t* s
    cdef Py_ssize_t e = table + 1
    cdef int32_t first, last, i
    cdef bint named = False
    found.rows = found.cells = found.segments = found.kept = 0
    while e < t.n_elements and elements[e].depth > elements[table].depth:
        if elements[e].tag == TAG_TABLE:
            return False
        if elements[e].tag == TAG_TR:
            named = False
        elif _is_cell(&elements[e]):
            first = t.runs[elements[e].first_run].segment
            last = t.runs[elements[e].last_run - 1].segment
            if last - first >= MOST_SEGMENTS:
                return False
            found.cells += 1
            if not named:
                named = True
                found.rows += 1
            for i in range(first, last + 1):
                s = &t.segments[i]
                if s.chars > LONGEST:
                    return False
                if not s.flags & HIDDEN:
                    found.segments += 1
                    found.kept += kept[i]
        e += 1
    found.end = e
    return found.rows >= ROWS and found.cells >= CELLS


cdef void keep_whole_tables(const tables_t* t, uint8_t* kept) noexcept nogil:
    """Adds cells to a mask, as `complete_tables`."""
    cdef const element_t* e
    cdef Py_ssize_t table, k
    cdef int32_t i
    cdef count_t found
    for table in range(t.n_elements):
        e = &t.elements[table]
        if e.tag != TAG_TABLE or e.first_run == e.last_run or not _count(t, table, kept, &found):
            continue
        if found.kept == found.segments or 100 * found.kept < SHARE * found.segments:
            continue
        for k in range(table + 1, found.end):
            e = &t.elements[k]
            if _is_cell(e):
                for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
                    if not t.segments[i].flags & HIDDEN:
                        kept[i] = True


def complete_tables(Tables tables not None, mask not None):
    """Adds to a mask the other cells of tables of data of which at least 70 per cent is kept.

    Args:
        tables: those of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements of the page.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    with nogil:
        keep_whole_tables(&tables.t, &kept[0])
