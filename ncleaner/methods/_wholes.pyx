"""Rules of `hybrid` after the judgement: what is nearly all kept is kept whole.

Each adds segments to a mask: shape (segments,), bool, changed in place, in time linear in the page.

*Tables.* A data table without the names of its columns, or with holes, says little. Short cells are hard to judge one
by one, and a value that occurs twice in a table is not a copy. So a table that is nearly all kept is kept whole, and a
table in the middle of the text.

*Code.* Half a program is none. So preformatted text of which a quarter is kept is kept whole.

*Items.* A listing shows each of its items in the same style: title, price, a line of text. Judged one by one, some
items lose what others keep. So on a listing, all of one style is kept if half of it is.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from ncleaner.document._hashes cimport row_of, rows_for
from ncleaner.document._tables cimport (
    ASIDE, HIDDEN, PREFORMATTED, Tables, element_t, fill_styles, segment_t, style_of, tables_t,
)
from ncleaner.document._tags cimport TAG_CAPTION, TAG_TABLE, TAG_TD, TAG_TH, TAG_TR
from ncleaner.methods._rules cimport ends_in_colon
from ncleaner.text._memory cimport zeros

cdef enum:
    # A cell with more or longer segments has text of its own, and its table may be one for layout.
    MOST_SEGMENTS = 3
    LONGEST = 400
    # Least number of rows and cells with text in a data table.
    ROWS = 2
    CELLS = 4
    # Least share of the segments in its cells that is kept, in per cent.
    SHARE = 70
    # Largest share of links in a table that is kept because it is in the middle of the text, in per cent.
    LINKS = 30
    # Preformatted text is kept whole if this part of its characters is kept: a quarter.
    CODE_PART = 4
    # Least number of segments of one style that are parts of items.
    ITEMS = 6

# What is counted of a table.
cdef struct count_t:
    Py_ssize_t end       # the first element after it
    Py_ssize_t rows      # with text
    Py_ssize_t cells     # with text
    Py_ssize_t segments  # in cells, without hidden ones
    Py_ssize_t kept
    uint64_t chars       # of these segments
    uint64_t links


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
    found.chars = found.links = 0
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
                    found.chars += s.chars
                    found.links += s.link_chars
        e += 1
    found.end = e
    return found.rows >= ROWS and found.cells >= CELLS


cdef bint _is_amid(const tables_t* t, Py_ssize_t table, const uint8_t* kept) noexcept nogil:
    """Returns whether a table stands between two kept segments, of which the first one is in a block around the table,
    or its child."""
    cdef const element_t* e = &t.elements[table]
    cdef Py_ssize_t before = t.runs[e.first_run].segment - 1, behind = t.runs[e.last_run - 1].segment + 1
    cdef int32_t above = <int32_t> table, block
    if before < 0 or behind >= t.n_segments or not kept[before] or not kept[behind]:
        return False
    block = t.segments[before].element
    if block >= 0:
        block = t.elements[block].parent
    while above >= 0 and above != block:
        above = t.elements[above].parent
    return above >= 0


def complete_tables(Tables tables not None, mask not None):
    """Adds to a mask the other cells of tables of data of which at least 70 per cent is kept, and their captions; and
    those of tables that stand between two kept segments of the same text, if at most 30 per cent of them are links.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements of the page.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef const element_t* e
    cdef Py_ssize_t table, k
    cdef int32_t i
    cdef count_t found
    if not kept.shape[0]:
        return
    with nogil:
        for table in range(t.n_elements):
            e = &t.elements[table]
            if e.tag != TAG_TABLE or e.first_run == e.last_run or not _count(t, table, &kept[0], &found):
                continue
            if 100 * found.kept < SHARE * found.segments and (
                100 * found.links > LINKS * found.chars or not _is_amid(t, table, &kept[0])
            ):
                continue
            for k in range(table + 1, found.end):
                e = &t.elements[k]
                if _is_cell(e) or e.tag == TAG_CAPTION and e.first_run < e.last_run:
                    for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
                        if not t.segments[i].flags & HIDDEN:
                            kept[i] = True


def complete_code(Tables tables not None, mask not None):
    """Adds preformatted text to a mask of which a quarter of the characters is kept, or that stands between two kept
    segments or below one that ends in a colon.

    Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef Py_ssize_t n = kept.shape[0], i = 0, first, k
    cdef uint64_t chars, of_kept
    while i < n:
        first = i
        chars = of_kept = 0
        while i < n and s[i].flags & PREFORMATTED:
            if not s[i].flags & HIDDEN:
                chars += s[i].chars
                of_kept += s[i].chars if kept[i] else 0
            i += 1
        if first == i:
            i += 1
        elif CODE_PART * of_kept >= chars or first > 0 and kept[first - 1] and (
            i < n and kept[i] or ends_in_colon(&tables.t, &s[first - 1])
        ):
            for k in range(first, i):
                if not s[k].flags & HIDDEN:
                    kept[k] = True


# The segments of one style.
cdef struct items_t:
    uint64_t style
    Py_ssize_t segments  # without hidden ones
    Py_ssize_t kept


def complete_items(Tables tables not None, mask not None):
    """Adds to a mask the other segments of each style of which at least half is kept, from six segments on.

    Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef uint64_t size = rows_for(t.n_segments)
    cdef list memory = []
    cdef uint64_t* styles = <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t))
    cdef items_t* items = <items_t*> zeros(memory, size, sizeof(items_t))
    cdef items_t* found
    cdef Py_ssize_t i
    fill_styles(t.elements, t.n_elements, styles)
    for i in range(t.n_segments):
        if not t.segments[i].flags & HIDDEN:
            found = <items_t*> row_of(items, sizeof(items_t), size - 1, style_of(styles, &t.segments[i]) | 1)
            found.segments += 1
            found.kept += kept[i]
    for i in range(t.n_segments):
        if not t.segments[i].flags & HIDDEN:
            found = <items_t*> row_of(items, sizeof(items_t), size - 1, style_of(styles, &t.segments[i]) | 1)
            kept[i] |= found.segments >= ITEMS and 2 * found.kept >= found.segments


def keep_notes(Tables tables not None, mask not None):
    """Sets a mask for each note that the markup has inside of text (`tables.ASIDE`) as for this text.

    Arguments and errors as `complete_tables`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef Py_ssize_t i
    for i in range(1, kept.shape[0]):
        if tables.t.segments[i].flags & ASIDE:
            kept[i] = kept[i - 1]
