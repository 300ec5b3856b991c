"""Puts the kept cells of a row into the kept columns of its table."""

from libc.stdlib cimport free, malloc

from ncleaner.markup._sheet cimport CELL, HEAD, column_t, node_t


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
