"""Tells tables of data from tables for layout, finds the columns of those of data, and fills rows that are written.

Layout tables are not treated as tables: their cells are blocks like any others. Rows and columns without kept text are
left out of a table of data. All steps are linear in the elements of the page, whatever numbers of columns and rows it
gives.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from ncleaner.document._growing cimport grow
from ncleaner.document._tables cimport segment_t
from ncleaner.document._tags cimport (
    TAG_BLOCKQUOTE, TAG_H1, TAG_H6, TAG_PRE, TAG_TABLE, TAG_TD, TAG_TH, TAG_THEAD, TAG_TR, TAG_XMP,
)
from ncleaner.markup._sheet cimport (
    CELL, CODED, DATA, FOR_LAYOUT, HEAD, HEAVY, IN_HEAD, MOST_COLUMNS, NESTED, column_t, element_of, node_t, place_t,
    sheet_t,
)

cdef enum:
    # Most characters of a kept cell, without white space, in a table with heads and in one without.
    LONGEST_HEADED = 4_000
    LONGEST = 400
    # Most segments of a kept cell in a table without heads.
    MOST_SEGMENTS = 3
    # A table has at most this many fields for each kept cell, besides the first ones.
    FIELDS_PER_CELL = 16
    FREE_FIELDS = 256

# What is counted of a table.
cdef struct count_t:
    int32_t rows          # that are kept
    int32_t last_row      # the last of them
    int32_t cells         # that are kept
    int32_t longest       # characters of a kept cell
    int32_t fullest       # segments of a kept cell
    int32_t columns       # with the first column of a kept cell
    bint headed           # some cell is <th>
    bint heavy            # some kept cell has quotations or headings
    bint coded            # some kept cell has preformatted text


cdef void _find_places(sheet_t* sheet) noexcept nogil:
    """Gives each element its table and its cell."""
    cdef place_t* places = sheet.places
    cdef Py_ssize_t e
    cdef int32_t parent
    cdef int tag
    for e in range(sheet.t.n_elements):
        parent = sheet.t.elements[e].parent
        tag = sheet.t.elements[e].tag
        if 0 <= parent < e:
            places[e].table = places[parent].table
            places[e].cell = places[parent].cell
            places[e].flags |= places[parent].flags & (IN_HEAD | HEAVY | CODED)
        else:
            places[e].table = places[e].cell = -1
        if tag == TAG_TABLE:
            places[e].table = <int32_t> e
            places[e].cell = -1
            places[e].flags &= ~(IN_HEAD | HEAVY | CODED)
            sheet.has_tables = True
        elif tag == TAG_THEAD:
            places[e].flags |= IN_HEAD
        elif (tag == TAG_TD or tag == TAG_TH) and places[e].table >= 0:
            places[e].cell = <int32_t> e
            places[e].flags &= ~(HEAVY | CODED)
        elif tag == TAG_BLOCKQUOTE or TAG_H1 <= tag <= TAG_H6:
            places[e].flags |= HEAVY
        elif TAG_PRE <= tag <= TAG_XMP:
            places[e].flags |= CODED


cdef void _count_kept(sheet_t* sheet) noexcept nogil:
    """Counts the kept text of cells and tables, and notes which tables have others inside of them."""
    cdef place_t* places = sheet.places
    cdef const segment_t* s
    cdef int32_t e, cell, table, around
    cdef Py_ssize_t i
    for i in range(sheet.t.n_segments):
        e = element_of(sheet, i)
        if not sheet.kept[i] or e < 0 or places[e].table < 0:
            continue
        s = &sheet.t.segments[i]
        table = places[e].table
        cell = places[e].cell
        if not places[table].segments:
            around = sheet.t.elements[table].parent
            around = places[around].table if around >= 0 else -1
            while around >= 0 and not places[around].flags & NESTED:
                places[around].flags |= NESTED
                around = sheet.t.elements[around].parent
                around = places[around].table if around >= 0 else -1
        places[table].segments += 1
        if cell < 0:
            continue
        places[cell].segments += 1
        places[cell].chars = min(places[cell].chars + <int32_t> min(s.chars, 1_000_000), 1_000_000)
        places[cell].flags |= places[e].flags & (HEAVY | CODED)


cdef bint _place_cells(sheet_t* sheet, int32_t table, int32_t* taken, uint8_t* used, count_t* count) noexcept nogil:
    """Gives the cells of a table their rows and columns. Returns False if the table is too wide.

    Args:
        taken: shape (MOST_COLUMNS,): the first row in which a column is free.
        used: shape (MOST_COLUMNS,): whether a kept cell begins in a column.
    """
    cdef place_t* places = sheet.places
    cdef place_t* place
    cdef int32_t e, row = -1, column = 0, k, width = 0
    cdef int tag
    for k in range(MOST_COLUMNS):
        taken[k] = 0
        used[k] = False
    e = table + 1
    while e < sheet.t.n_elements and sheet.t.elements[e].depth > sheet.t.elements[table].depth:
        place = &places[e]
        tag = sheet.t.elements[e].tag
        if place.table == table and tag == TAG_TR:
            row += 1
            column = 0
            place.number = row
        elif place.cell == e and place.table == table and row >= 0:
            while column < MOST_COLUMNS and taken[column] > row:
                column += 1
            if column == MOST_COLUMNS:
                return False
            place.column = column
            place.columns = max(1, min(place.columns, MOST_COLUMNS - column))
            place.rows = max(1, place.rows)
            for k in range(place.columns):
                taken[column + k] = row + place.rows
            width = max(width, column + place.columns)
            if tag == TAG_TH or place.flags & IN_HEAD:
                count.headed = True
            if place.segments:
                used[column] = True
                count.cells += 1
                count.longest = max(count.longest, place.chars)
                count.fullest = max(count.fullest, place.segments)
                if place.flags & HEAVY:
                    count.heavy = True
                if place.flags & CODED:
                    count.coded = True
                if row != count.last_row:
                    count.rows += 1
                    count.last_row = row
            column += place.columns
        e += 1
    places[table].columns = width
    for k in range(width):
        count.columns += used[k]
    return True


cdef bint _is_data(const count_t* count) noexcept nogil:
    """Returns whether a table is one of data, by what is kept of it."""
    if count.rows < 2 or count.columns < 2 or <int64_t> count.rows * count.columns > \
            <int64_t> count.cells * FIELDS_PER_CELL + FREE_FIELDS:
        return False
    if count.headed:
        return count.longest <= LONGEST_HEADED
    return not count.heavy and not count.coded and count.longest <= LONGEST and count.fullest <= MOST_SEGMENTS


cdef void _keep_columns(sheet_t* sheet, int32_t table, const uint8_t* used) noexcept nogil:
    """Numbers the kept columns of a table, and gives each its alignment: that of its first cell below the heads."""
    cdef place_t* places = sheet.places
    cdef int32_t width = places[table].columns, e, k, number = 0
    cdef column_t* columns
    if not grow(
        <void**> &sheet.columns, &sheet.cap_columns, sheet.n_columns + width, sizeof(column_t), &sheet.no_memory
    ):
        return
    columns = sheet.columns + sheet.n_columns
    places[table].column = <int32_t> sheet.n_columns
    sheet.n_columns += width
    for k in range(width):
        columns[k].place = number if used[k] else -1
        columns[k].align = 0
        number += used[k]
    places[table].number = number
    places[table].flags |= DATA
    e = table + 1
    while e < sheet.t.n_elements and sheet.t.elements[e].depth > sheet.t.elements[table].depth:
        k = places[e].column
        if places[e].cell == e and places[e].table == table and places[e].segments and places[e].align:
            if not columns[k].align or (columns[k].align & 4 and sheet.t.elements[e].tag == TAG_TD):
                # a head gives way to a cell
                columns[k].align = places[e].align | (4 if sheet.t.elements[e].tag == TAG_TH else 0)
        e += 1
    for k in range(width):
        columns[k].align &= 3


cdef void find_tables(sheet_t* sheet) noexcept nogil:
    """Finds the tables of data, and the columns of their cells."""
    cdef Py_ssize_t e
    cdef place_t* place
    cdef int32_t* taken
    cdef uint8_t* used
    cdef count_t count
    _find_places(sheet)
    if not sheet.has_tables:
        return
    _count_kept(sheet)
    taken = <int32_t*> malloc(MOST_COLUMNS * sizeof(int32_t))
    used = <uint8_t*> malloc(MOST_COLUMNS)
    if taken == NULL or used == NULL:
        sheet.no_memory = True
    else:
        for e in range(sheet.t.n_elements):
            place = &sheet.places[e]
            if sheet.t.elements[e].tag != TAG_TABLE or place.segments < 2 or place.flags & (FOR_LAYOUT | NESTED):
                continue
            count.rows = count.cells = count.longest = count.fullest = count.columns = 0
            count.last_row = -1
            count.headed = count.heavy = count.coded = False
            if _place_cells(sheet, <int32_t> e, taken, used, &count) and _is_data(&count):
                _keep_columns(sheet, <int32_t> e, used)
    free(taken)
    free(used)


# --------------------------------------------------------------------------------------------------
# The kept cells of a row in the kept columns of a table that is being written.

cdef bint open_rows(rows_t* rows, const sheet_t* sheet, int32_t table) noexcept nogil:
    """Begins a table; returns False if there is not enough memory. `table` is its node."""
    cdef int32_t n = sheet.places[sheet.nodes[table].element].number, k
    rows.columns = n
    rows.cells = <int32_t*> malloc(3 * <size_t> n * sizeof(int32_t))
    if rows.cells == NULL:
        return False
    rows.carried = rows.cells + n
    rows.until = rows.carried + n
    for k in range(n):
        rows.carried[k] = -1
        rows.until[k] = 0
    return True


cdef void close_rows(rows_t* rows) noexcept nogil:
    free(rows.cells)


cdef int32_t end_of(const sheet_t* sheet, int32_t node) noexcept nogil:
    """Returns the first node that is not inside of a node."""
    cdef int32_t end = node + 1
    while end < <int32_t> sheet.n_nodes and sheet.nodes[end].depth > sheet.nodes[node].depth:
        end += 1
    return end


cdef int32_t columns_of(const sheet_t* sheet, int32_t table, int32_t cell, int32_t* first) noexcept nogil:
    """Returns how many kept columns a cell covers, and sets `first` to the first of them. Both are nodes."""
    cdef int32_t e = sheet.nodes[cell].element, t = sheet.nodes[table].element, k, n = 0
    cdef const column_t* columns = sheet.columns + sheet.places[t].column
    first[0] = -1
    for k in range(sheet.places[e].columns):
        if columns[sheet.places[e].column + k].place >= 0:
            if first[0] < 0:
                first[0] = columns[sheet.places[e].column + k].place
            n += 1
    return n


cdef void fill_row(rows_t* rows, const sheet_t* sheet, int32_t table, int32_t row) noexcept nogil:
    """Fills `cells` with those of a row, and `carried` with those of rows above that cover a part of it."""
    cdef int32_t number = sheet.nodes[row].number, k, n, first, node = row + 1
    cdef const node_t* nodes = sheet.nodes
    for k in range(rows.columns):
        rows.cells[k] = -1
        if rows.until[k] <= number:
            rows.carried[k] = -1
    while node < <int32_t> sheet.n_nodes and nodes[node].depth > nodes[row].depth:
        if nodes[node].kind == CELL and nodes[node].parent == row:
            n = columns_of(sheet, table, node, &first)
            for k in range(first, first + n):
                # a cell that covers one which belongs to two rows is an error of the page: the new one counts
                rows.cells[k] = node
                rows.carried[k] = node
                rows.until[k] = number + sheet.places[nodes[node].element].rows
        node += 1


cdef bint is_head(const sheet_t* sheet, int32_t row) noexcept nogil:
    """Returns whether all cells of a row are heads."""
    cdef int32_t node = row + 1
    while node < <int32_t> sheet.n_nodes and sheet.nodes[node].depth > sheet.nodes[row].depth:
        if sheet.nodes[node].parent == row and not sheet.nodes[node].flags & HEAD:
            return False
        node += 1
    return True
