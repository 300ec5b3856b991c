"""The page that is written: what its marks say, and its tables of data.

Layout tables are not treated as tables: their cells are blocks like any others. Rows and columns without kept text are
left out of a table of data. All steps are linear in the elements of the page, whatever numbers of columns and rows it
gives.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from ncleaner.document._marks cimport (
    MARK_ALIGN, MARK_BLANK, MARK_BREAK, MARK_CALLOUT, MARK_CODE, MARK_COLUMNS, MARK_FORMULA, MARK_FORMULA_END,
    MARK_HEADING, MARK_IMAGE, MARK_LANGUAGE, MARK_LAYOUT, MARK_LEVEL, MARK_LINK, MARK_LINK_END, MARK_REVERSED,
    MARK_ROWS, MARK_START,
    MARK_STYLE, MARK_STYLE_END, MARK_TASK, MARK_TYPESET, MARK_VALUE, STYLE_BOLD, STYLE_ITALIC,
    STYLE_LIGHT, STYLE_UPRIGHT,
)
from ncleaner.document._tables cimport grow, mark_t, segment_t
from ncleaner.document._tags cimport (
    TAG_BLOCKQUOTE, TAG_CAPTION, TAG_H1, TAG_H6, TAG_LI, TAG_PRE, TAG_TABLE, TAG_TD, TAG_TH, TAG_THEAD, TAG_TR, TAG_XMP,
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
    MOST_STYLES = 32      # styles inside of each other
    LONGEST_HEADING = 120  # characters of a heading without a tag of one
    TASK_LEVELS = 4       # between the box of a task and its item

# What is counted of a table.
cdef struct count_t:
    int32_t rows          # that are kept
    int32_t last_row      # the last of them
    int32_t cells         # that are kept
    int32_t longest       # characters of a kept cell
    int32_t fullest       # segments of a kept cell
    int32_t columns       # with the first column of a kept cell
    int32_t first         # kept cells of the first row that is kept
    int32_t heads         # those of them that have quotations or headings
    bint headed           # some cell is <th>, or there is a caption
    bint above            # a kept cell of the first row, or one over several columns, has quotations or headings
    bint heavy            # another kept cell has some
    bint coded            # some kept cell has preformatted text


# --------------------------------------------------------------------------------------------------
# What the marks say.

cdef int open_sheet(blocks_t* blocks, const tables_t* t, const uint8_t* kept) noexcept nogil:
    """Begins the blocks of a page; returns 0, or -1 if there is not enough memory."""
    memset(blocks, 0, sizeof(blocks_t))
    blocks.t = t
    blocks.kept = kept
    blocks.places = <place_t*> calloc(<size_t> t.n_elements + 1, sizeof(place_t))
    blocks.extras = <extra_t*> calloc(<size_t> t.n_runs + 1, sizeof(extra_t))
    return 0 if blocks.places != NULL and blocks.extras != NULL else -1


cdef void close_sheet(blocks_t* blocks) noexcept nogil:
    free(blocks.places)
    free(blocks.extras)
    free(blocks.nodes)
    free(blocks.columns)


cdef void _fill_runs(blocks_t* blocks, uint32_t start, uint32_t end, int32_t link, uint8_t formula) noexcept nogil:
    cdef uint32_t run
    for run in range(start, min(end, <uint32_t> blocks.t.n_runs)):
        if formula:
            blocks.extras[run].formula = formula
        else:
            blocks.extras[run].link = link


cdef void _number_items(blocks_t* blocks) noexcept nogil:
    """Numbers the items of all lists, with those that are not kept."""
    cdef const tables_t* t = blocks.t
    cdef place_t* place
    cdef place_t* around
    cdef Py_ssize_t e
    cdef int32_t parent
    for e in range(t.n_elements if blocks.has_reversed else 0):
        parent = t.elements[e].parent
        if t.elements[e].tag != TAG_LI or not 0 <= parent < t.n_elements:
            continue
        around = &blocks.places[parent]
        # without a number of their own, such lists end with 1
        around.number += around.flags & (REVERSED | HAS_VALUE) == REVERSED
    for e in range(t.n_elements):
        parent = t.elements[e].parent
        if t.elements[e].tag != TAG_LI or not 0 <= parent < t.n_elements:
            continue
        place = &blocks.places[e]
        around = &blocks.places[parent]
        if place.flags & HAS_VALUE:
            around.number = place.number
        place.number = around.number
        if around.flags & REVERSED:
            around.number -= around.number > 0
        elif around.number < 999_999_999:
            around.number += 1


# The styles of the open elements.
cdef struct styles_t:
    uint8_t bits[MOST_STYLES + 1]    # the last is that of all deeper ones, too
    Py_ssize_t depth
    uint32_t began                   # the first run of the current one


cdef void _change_style(blocks_t* blocks, styles_t* styles, const mark_t* mark) noexcept nogil:
    """Gives the runs up to a mark their style, and takes over what the mark changes."""
    cdef uint8_t bits = styles.bits[min(styles.depth, MOST_STYLES)]
    cdef uint8_t own = <uint8_t> mark.value
    cdef uint32_t run
    if bits:
        for run in range(styles.began, min(mark.run, <uint32_t> blocks.t.n_runs)):
            blocks.extras[run].style = bits
    styles.began = mark.run
    if mark.kind == MARK_STYLE_END:
        styles.depth -= styles.depth > 0
        return
    if own & (STYLE_BOLD | STYLE_LIGHT):
        bits &= ~<uint8_t> (STYLE_BOLD | STYLE_LIGHT)
    if own & (STYLE_ITALIC | STYLE_UPRIGHT):
        bits &= ~<uint8_t> (STYLE_ITALIC | STYLE_UPRIGHT)
    styles.depth += 1
    if styles.depth <= MOST_STYLES:
        styles.bits[styles.depth] = bits | own


cdef void _note_task(blocks_t* blocks, const mark_t* mark) noexcept nogil:
    """Notes the box of a task at its item, which may be some levels above."""
    cdef int32_t element = mark.element
    cdef int _level
    for _level in range(TASK_LEVELS):
        if element < 0:
            return
        if blocks.t.elements[element].tag == TAG_LI:
            blocks.places[element].task = 2 if mark.value else 1
            return
        element = blocks.t.elements[element].parent


cdef void _read_marks(blocks_t* blocks) noexcept nogil:
    """Fills the blocks with what the marks say."""
    cdef const tables_t* t = blocks.t
    cdef const mark_t* mark
    cdef place_t* place
    cdef extra_t* extra
    cdef int32_t link = -1
    cdef uint32_t formula = 0, began = 0
    cdef styles_t styles
    cdef Py_ssize_t i
    styles.depth = 0
    styles.began = 0
    styles.bits[0] = 0
    for i in range(t.n_elements):
        blocks.places[i].number = 1
        blocks.places[i].columns = 1
        blocks.places[i].rows = 1
    for i in range(t.n_marks):
        mark = &t.marks[i]
        if mark.run > <uint32_t> t.n_runs or mark.element >= t.n_elements:
            continue
        extra = &blocks.extras[mark.run]
        # an element that is none has the place after the last
        place = &blocks.places[mark.element if mark.element >= 0 else t.n_elements]
        if mark.kind == MARK_LINK or mark.kind == MARK_LINK_END:
            if link >= 0:
                _fill_runs(blocks, t.marks[link].run, mark.run, link + 1, 0)
            link = <int32_t> i if mark.kind == MARK_LINK else -1
        elif mark.kind == MARK_FORMULA:
            # two formulas that touch differ by one bit
            formula = (formula & NEXT_FORMULA ^ NEXT_FORMULA) | (DISPLAY if mark.value else INLINE)
            began = mark.run
        elif mark.kind == MARK_FORMULA_END:
            _fill_runs(blocks, began, mark.run, 0, <uint8_t> formula)
            blocks.has_formulas = True
        elif mark.kind == MARK_STYLE or mark.kind == MARK_STYLE_END:
            _change_style(blocks, &styles, mark)
        elif mark.kind == MARK_IMAGE:
            if not extra.image:
                extra.image = <int32_t> i + 1
        elif mark.kind == MARK_BREAK:
            if extra.breaks < 2:
                extra.breaks += 1
        elif mark.kind == MARK_CODE:
            extra.code = True
        elif mark.kind == MARK_BLANK:
            extra.blanks = <int32_t> mark.value
        elif mark.kind == MARK_LANGUAGE:
            if not place.language:
                place.language = <int32_t> i + 1
        elif mark.kind == MARK_HEADING:
            # some pages call a comment a heading
            if mark.element >= 0 and t.elements[mark.element].chars <= LONGEST_HEADING:
                place.heading = <int32_t> mark.value
                place.flags |= HEAVY
        elif mark.kind == MARK_TASK:
            _note_task(blocks, mark)
        elif mark.kind == MARK_CALLOUT:
            place.callout = <int32_t> i + 1
            place.flags |= HEAVY
        elif mark.kind == MARK_LEVEL:
            place.level = <int32_t> mark.value
        elif mark.kind == MARK_REVERSED:
            place.flags |= REVERSED
            blocks.has_reversed = True
            place.number -= not place.flags & HAS_VALUE
        elif mark.kind == MARK_START or mark.kind == MARK_VALUE:
            place.number = <int32_t> mark.value
            place.flags |= HAS_VALUE
        elif mark.kind == MARK_COLUMNS:
            place.columns = <int32_t> mark.value
        elif mark.kind == MARK_ROWS:
            place.rows = <int32_t> mark.value
        elif mark.kind == MARK_ALIGN:
            place.align = <uint8_t> mark.value
        elif mark.kind == MARK_LAYOUT:
            place.flags |= FOR_LAYOUT
        elif mark.kind == MARK_TYPESET:
            blocks.typeset = max(blocks.typeset, 1 + <int32_t> mark.value)
    if link >= 0:
        _fill_runs(blocks, t.marks[link].run, <uint32_t> t.n_runs, link + 1, 0)
    _number_items(blocks)


# --------------------------------------------------------------------------------------------------
# Tables of data, and the columns of their cells.

cdef void _find_places(blocks_t* blocks) noexcept nogil:
    """Gives each element its table and its cell."""
    cdef place_t* places = blocks.places
    cdef Py_ssize_t e
    cdef int32_t parent
    cdef int tag
    for e in range(blocks.t.n_elements):
        parent = blocks.t.elements[e].parent
        tag = blocks.t.elements[e].tag
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
            blocks.has_tables = True
        elif tag == TAG_THEAD:
            places[e].flags |= IN_HEAD
        elif (tag == TAG_TD or tag == TAG_TH) and places[e].table >= 0:
            places[e].cell = <int32_t> e
            places[e].flags &= ~(HEAVY | CODED)
        elif tag == TAG_BLOCKQUOTE or TAG_H1 <= tag <= TAG_H6:
            places[e].flags |= HEAVY
        elif TAG_PRE <= tag <= TAG_XMP:
            places[e].flags |= CODED


cdef void _count_kept(blocks_t* blocks) noexcept nogil:
    """Counts the kept text of cells and tables, and notes which tables have others inside of them."""
    cdef place_t* places = blocks.places
    cdef const segment_t* s
    cdef int32_t e, cell, table, around
    cdef Py_ssize_t i
    for i in range(blocks.t.n_segments):
        e = element_of(blocks, i)
        if not blocks.kept[i] or e < 0 or places[e].table < 0:
            continue
        s = &blocks.t.segments[i]
        table = places[e].table
        cell = places[e].cell
        if not places[table].segments:
            around = blocks.t.elements[table].parent
            around = places[around].table if around >= 0 else -1
            while around >= 0 and not places[around].flags & NESTED:
                places[around].flags |= NESTED
                around = blocks.t.elements[around].parent
                around = places[around].table if around >= 0 else -1
        places[table].segments += 1
        if cell < 0:
            continue
        places[cell].segments += 1
        places[cell].chars = min(places[cell].chars + <int32_t> min(s.chars, 1_000_000), 1_000_000)
        places[cell].flags |= places[e].flags & (HEAVY | CODED)


cdef void _count_images(blocks_t* blocks) noexcept nogil:
    """Counts an image that is written as the text of its cell, if that has no other."""
    cdef const tables_t* t = blocks.t
    cdef Py_ssize_t mark
    cdef int32_t cell, place
    if blocks.addresses == NULL:
        return
    for mark in range(t.n_marks):
        place = t.marks[mark].element
        if t.marks[mark].kind == MARK_IMAGE and blocks.addresses[mark].data != NULL and 0 <= place < t.n_elements:
            cell = blocks.places[place].cell
            if cell >= 0 and not blocks.places[cell].segments and blocks.places[blocks.places[place].table].segments:
                blocks.places[cell].segments = 1


cdef bint _place_cells(blocks_t* blocks, int32_t table, int32_t* taken, uint8_t* used, count_t* count) noexcept nogil:
    """Gives the cells of a table their rows and columns. Returns False if the table is too wide.

    Args:
        taken: shape (MOST_COLUMNS,): the first row in which a column is free.
        used: shape (MOST_COLUMNS,): whether a kept cell begins in a column.
    """
    cdef place_t* places = blocks.places
    cdef place_t* place
    cdef int32_t e, row = -1, number = 0, column = 0, k, width = 0
    cdef int tag
    for k in range(MOST_COLUMNS):
        taken[k] = 0
        used[k] = False
    e = table + 1
    while e < blocks.t.n_elements and blocks.t.elements[e].depth > blocks.t.elements[table].depth:
        place = &places[e]
        tag = blocks.t.elements[e].tag
        if place.table == table and tag == TAG_TR:
            row += 1
            column = 0
            place.number = number
            # an empty row is no head: the next one is
            number += blocks.t.elements[e].first_run < blocks.t.elements[e].last_run
        elif place.table == table and tag == TAG_CAPTION:
            count.headed |= blocks.t.elements[e].first_run < blocks.t.elements[e].last_run
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
                if row != count.last_row:
                    count.rows += 1
                    count.last_row = row
                count.first += count.rows == 1
                if place.flags & HEAVY and (count.rows == 1 or place.columns > 1):
                    count.heads += count.rows == 1
                    count.above = True
                elif place.flags & HEAVY:
                    count.heavy = True
                if place.flags & CODED:
                    count.coded = True
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
    if count.above and (
        # headings are heads of a grid: above all of its columns, or above parts of it
        count.rows < 3 or count.heads and (count.heads < count.first or count.first < 2)
        or 4 * count.cells < 3 * <int64_t> count.rows * count.columns
    ):
        return False
    return not count.heavy and not count.coded and count.longest <= LONGEST and count.fullest <= MOST_SEGMENTS


cdef void _keep_columns(blocks_t* blocks, int32_t table, const uint8_t* used) noexcept nogil:
    """Numbers the kept columns of a table, and gives each its alignment: that of its first cell below the heads."""
    cdef place_t* places = blocks.places
    cdef int32_t width = places[table].columns, e, k, number = 0
    if not grow(
        <void**> &blocks.columns, &blocks.cap_columns, blocks.n_columns + width, sizeof(column_t), &blocks.no_memory
    ):
        return
    cdef column_t* columns = blocks.columns + blocks.n_columns
    places[table].column = <int32_t> blocks.n_columns
    blocks.n_columns += width
    for k in range(width):
        columns[k].place = number if used[k] else -1
        columns[k].align = 0
        number += used[k]
    places[table].number = number
    places[table].flags |= DATA
    e = table + 1
    while e < blocks.t.n_elements and blocks.t.elements[e].depth > blocks.t.elements[table].depth:
        k = places[e].column
        if places[e].cell == e and places[e].table == table and places[e].segments and places[e].align:
            if not columns[k].align or (columns[k].align & 4 and blocks.t.elements[e].tag == TAG_TD):
                # a head gives way to a cell
                columns[k].align = places[e].align | (4 if blocks.t.elements[e].tag == TAG_TH else 0)
        e += 1
    for k in range(width):
        columns[k].align &= 3


cdef void _find_tables(blocks_t* blocks) noexcept nogil:
    """Finds the tables of data, and the columns of their cells."""
    cdef Py_ssize_t e
    cdef place_t* place
    cdef count_t count
    _find_places(blocks)
    if not blocks.has_tables:
        return
    _count_kept(blocks)
    _count_images(blocks)
    cdef int32_t* taken = <int32_t*> malloc(MOST_COLUMNS * sizeof(int32_t))
    cdef uint8_t* used = <uint8_t*> malloc(MOST_COLUMNS)
    if taken == NULL or used == NULL:
        blocks.no_memory = True
    else:
        for e in range(blocks.t.n_elements):
            place = &blocks.places[e]
            if blocks.t.elements[e].tag != TAG_TABLE or place.segments < 2 or place.flags & (FOR_LAYOUT | NESTED):
                continue
            memset(&count, 0, sizeof(count_t))
            count.last_row = -1
            if _place_cells(blocks, <int32_t> e, taken, used, &count) and _is_data(&count):
                _keep_columns(blocks, <int32_t> e, used)
    free(taken)
    free(used)


cdef void read_sheet(blocks_t* blocks) noexcept nogil:
    """Reads what the marks say, and finds the tables of data."""
    _read_marks(blocks)
    _find_tables(blocks)


# --------------------------------------------------------------------------------------------------
# The kept cells of a row in the kept columns of a table that is being written.

cdef bint open_rows(rows_t* rows, const blocks_t* blocks, int32_t table) noexcept nogil:
    """Begins a table; returns False if there is not enough memory. `table` is its node."""
    cdef int32_t n = blocks.places[blocks.nodes[table].element].number, k
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


cdef int32_t end_of(const blocks_t* blocks, int32_t node) noexcept nogil:
    """Returns the first node that is not inside of a node."""
    cdef int32_t end = node + 1
    while end < <int32_t> blocks.n_nodes and blocks.nodes[end].depth > blocks.nodes[node].depth:
        end += 1
    return end


cdef int32_t columns_of(const blocks_t* blocks, int32_t table, int32_t cell, int32_t* first) noexcept nogil:
    """Returns how many kept columns a cell covers, and sets `first` to the first of them. Both are nodes."""
    cdef int32_t e = blocks.nodes[cell].element, t = blocks.nodes[table].element, k, n = 0
    cdef const column_t* columns = blocks.columns + blocks.places[t].column
    first[0] = -1
    for k in range(blocks.places[e].columns):
        if columns[blocks.places[e].column + k].place >= 0:
            if first[0] < 0:
                first[0] = columns[blocks.places[e].column + k].place
            n += 1
    return n


cdef void fill_row(rows_t* rows, const blocks_t* blocks, int32_t table, int32_t row) noexcept nogil:
    """Fills `cells` with those of a row, and `carried` with those of rows above that cover a part of it."""
    cdef int32_t number = blocks.nodes[row].number, k, n, first, node
    cdef const block_t* nodes = blocks.nodes
    for k in range(rows.columns):
        rows.cells[k] = -1
        if rows.until[k] <= number:
            rows.carried[k] = -1
    for node in range(row + 1, end_of(blocks, row)):
        if nodes[node].kind == CELL and nodes[node].parent == row:
            n = columns_of(blocks, table, node, &first)
            for k in range(first, first + n):
                # a cell that covers one which belongs to two rows is an error of the page: the new one counts
                rows.cells[k] = node
                rows.carried[k] = node
                rows.until[k] = number + blocks.places[nodes[node].element].rows


cdef bint is_head(const blocks_t* blocks, int32_t row) noexcept nogil:
    """Returns whether all cells of a row are heads."""
    cdef int32_t node
    for node in range(row + 1, end_of(blocks, row)):
        if blocks.nodes[node].parent == row and not blocks.nodes[node].flags & HEAD:
            return False
    return True
