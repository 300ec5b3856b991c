"""Blocks as Markdown: CommonMark, with the tables, footnotes and struck text of GitHub, and definition lists."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memchr, memset

from ncleaner.document._tables cimport mark_t, tables_t
from ncleaner.markup._escape cimport IN_CELL, IN_HEADING, put, put_byte, put_bytes, put_number
from ncleaner.markup._grid cimport close_rows, end_of, fill_row, is_head, open_rows, rows_t
from ncleaner.markup._inline cimport begin_line, line_t, put_break, put_code_lines, put_picture, put_segments
from ncleaner.markup._sheet cimport (
    ALONE, CAPTION, CODE, DEEPEST, DETAIL, GUTTER, HEADING, ITEM, LIST, LOOSE, NOTE, ORDERED, PICTURE, QUOTE, TABLE,
    TERM, TERMS, column_t, node_t,
)

cdef enum:
    FRAMES = 2 * DEEPEST + 16
    MOST_BLANKS = 20     # empty lines of preformatted text

# Below the head of a table, by the alignment of the column.
cdef const char** DELIMITERS = [b" --- |", b" :-- |", b" :-: |", b" --: |"]

# An open node.
cdef struct frame_t:
    int32_t node
    size_t prefix        # length of the prefix around it
    int32_t child        # the last node inside of it, -1 for none
    uint8_t sign         # of the items of a list, or of the last list inside

cdef struct writer_t:
    const sheet_t* sheet
    out_t* out
    out_t prefix         # what each line begins with
    frame_t frames[FRAMES]
    int n
    bint fresh           # the line has begun, and has its prefix and a sign


cdef void _new_line(writer_t* w, bint tight) noexcept nogil:
    """Begins a block: on a new line, after an empty one unless `tight`."""
    cdef size_t size = w.prefix.size
    if w.fresh:
        w.fresh = False
        return
    put(w.out, b"\n")
    if not tight:
        while size and w.prefix.data[size - 1] == c" ":
            size -= 1
        put_bytes(w.out, w.prefix.data, size)
        put(w.out, b"\n")
    put_bytes(w.out, w.prefix.data, w.prefix.size)


cdef void _indent(writer_t* w, size_t width) noexcept nogil:
    cdef size_t _i
    for _i in range(width):
        put_byte(&w.prefix, c" ")


cdef bint _is_tight(const writer_t* w, const node_t* node, const node_t* before) noexcept nogil:
    """Returns whether no empty line is before a node; `before` is the one before it in the same node, or NULL."""
    cdef const node_t* nodes = w.sheet.nodes
    cdef const node_t* around
    if node.parent < 0:
        return False
    around = &nodes[node.parent]
    if node.kind == ITEM and before != NULL:
        return before.kind == ITEM and not around.flags & LOOSE
    if node.kind == ITEM:
        # the first item of a list inside of an item
        return around.parent >= 0 and nodes[around.parent].kind == ITEM and nodes[around.parent].parent >= 0 \
            and not nodes[nodes[around.parent].parent].flags & LOOSE
    if node.kind == DETAIL and before != NULL:
        return before.kind == TERM
    return False


cdef bint _seems_a_term(const sheet_t* sheet, int32_t i) noexcept nogil:
    """Returns whether readers take the first line of a node for a term if a list of definitions is before it.

    They go on with the list as long as the next line but one begins like a definition, whatever the next line is.
    """
    cdef const node_t* nodes = sheet.nodes
    cdef const tables_t* t = sheet.t
    cdef const uint8_t* p
    cdef int32_t k
    while nodes[i].kind == LIST or nodes[i].kind == ITEM or nodes[i].kind == NOTE:
        i += 1
        if i == <int32_t> sheet.n_nodes:
            return False
    if nodes[i].kind != CODE:
        return nodes[i].kind == TERMS
    for k in range(nodes[i].first, nodes[i].last + 1):
        if not sheet.kept[k]:
            continue
        p = t.text + t.segments[k].start
        while p < t.text + t.segments[k].end:
            if p[0] > c" ":
                return p[0] == c":" or p[0] == c"~"
            p += 1
    return False


cdef void _begin_list(frame_t* frame, const node_t* node, const node_t* before, uint8_t sign) noexcept nogil:
    """Chooses the sign of a list. Two lists in a row have different ones, or they would be read as one."""
    cdef bint ordered = node.flags & ORDERED > 0
    frame.sign = c"." if ordered else c"-"
    if before != NULL and before.kind == LIST and sign == frame.sign:
        frame.sign = c")" if ordered else c"*"


cdef void _begin_item(writer_t* w, const node_t* node, uint8_t sign) noexcept nogil:
    cdef size_t start
    cdef int32_t number = node.number
    start = w.out.size
    if sign == c"-" or sign == c"*":
        put_byte(w.out, sign)
    else:
        # CommonMark has numbers of at most nine digits
        put_number(w.out, number if 0 <= number <= 999_999_999 else 0)
        put_byte(w.out, sign)
    put(w.out, b" ")
    _indent(w, w.out.size - start)
    w.fresh = True


cdef void _write_code(writer_t* w, const node_t* node) noexcept nogil:
    """Writes preformatted text between fences that are longer than all signs of this kind in it."""
    cdef const sheet_t* sheet = w.sheet
    cdef const tables_t* t = sheet.t
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* stop
    cdef const mark_t* language = NULL
    cdef size_t longest = 2, n, _k
    cdef int32_t element = node.element, blanks
    cdef int _level, _line
    cdef Py_ssize_t i
    for i in range(node.first, node.last + 1):
        p = t.text + t.segments[i].start
        n = 0
        while p < t.text + t.segments[i].end:
            n = n + 1 if p[0] == c"`" else 0
            longest = max(longest, n)
            p += 1
    for _level in range(3):
        if element >= 0 and sheet.places[element].language:
            language = &t.marks[sheet.places[element].language - 1]
            break
        element = t.elements[element].parent if element >= 0 else -1
    for _k in range(longest + 1):
        put(w.out, b"`")
    if language != NULL:
        put_bytes(w.out, t.values + language.value, language.length)
    for i in range(node.first, node.last + 1):
        if not sheet.kept[i]:
            continue
        blanks = sheet.extras[t.segments[i].first_run].blanks if i > node.first and t.n_runs else 0
        if blanks > 0 and not sheet.kept[i - 1]:
            blanks = 1
        for _line in range(min(blanks, MOST_BLANKS)):
            put(w.out, b"\n")
            n = w.prefix.size
            while n and w.prefix.data[n - 1] == c" ":
                n -= 1
            put_bytes(w.out, w.prefix.data, n)
        p = t.text + t.segments[i].start
        stop = t.text + t.segments[i].end
        while p < stop:
            end = <const uint8_t*> memchr(p, c"\n", <size_t> (stop - p))
            if end == NULL:
                end = stop
            put(w.out, b"\n")
            put_bytes(w.out, w.prefix.data, w.prefix.size)
            put_bytes(w.out, p, <size_t> (end - p))
            p = end + 1
    put(w.out, b"\n")
    put_bytes(w.out, w.prefix.data, w.prefix.size)
    for _k in range(longest + 1):
        put(w.out, b"`")


cdef void _write_cell(writer_t* w, int32_t cell, bint head) noexcept nogil:
    """Writes what is in a cell, in one line."""
    cdef const node_t* nodes = w.sheet.nodes
    cdef line_t line
    cdef int32_t node = cell + 1
    cdef bint begun = False
    begin_line(&line, w.sheet, w.out, False, &w.prefix)
    line.flags = IN_CELL
    line.light = head
    while node < <int32_t> w.sheet.n_nodes and nodes[node].depth > nodes[cell].depth:
        if nodes[node].kind <= PICTURE:
            if begun:
                put_break(&line)
            begun = True
            if nodes[node].kind == PICTURE:
                put_picture(&line, nodes[node].number)
            elif nodes[node].kind == CODE:
                put_code_lines(&line, nodes[node].first, nodes[node].last)
            else:
                put_segments(&line, nodes[node].first, nodes[node].last)
        node += 1


cdef void _write_row(writer_t* w, const rows_t* rows, int32_t row, bint head) noexcept nogil:
    """Writes a row; with a `row` of -1 an empty one."""
    cdef int32_t k, cell
    put(w.out, b"|")
    for k in range(rows.columns):
        cell = -1
        if row >= 0:
            cell = rows.cells[k]
            if w.sheet.repeats and cell < 0:
                cell = rows.carried[k]
            if not w.sheet.repeats and k and cell >= 0 and cell == rows.cells[k - 1]:
                cell = -1
        if cell >= 0:
            put(w.out, b" ")
            _write_cell(w, cell, head)
        put(w.out, b" |")


cdef void _write_table(writer_t* w, int32_t table) noexcept nogil:
    """Writes a table after its caption. A table whose first row is no head gets an empty one, as it has to have one."""
    cdef const sheet_t* sheet = w.sheet
    cdef const node_t* nodes = sheet.nodes
    cdef const column_t* columns = sheet.columns + sheet.places[nodes[table].element].column
    cdef int32_t end = end_of(sheet, table), node, k, c
    cdef bint begun = False, head
    cdef rows_t rows
    cdef line_t line
    if not open_rows(&rows, sheet, table):
        w.out.no_memory = True
        return
    for node in range(table + 1, end):
        if nodes[node].kind == CAPTION and nodes[node].parent == table:
            begin_line(&line, sheet, w.out, False, &w.prefix)
            put_segments(&line, nodes[node].first, nodes[node].last)
            _new_line(w, False)
    for node in range(table + 1, end):
        if nodes[node].parent != table or nodes[node].kind == CAPTION:
            continue
        fill_row(&rows, sheet, table, node)
        head = not begun and is_head(sheet, node)
        if begun:
            _new_line(w, True)
            _write_row(w, &rows, node, False)
            continue
        begun = True
        _write_row(w, &rows, node if head else -1, head)
        _new_line(w, True)
        put(w.out, b"|")
        c = 0
        for k in range(sheet.places[nodes[table].element].columns):
            if columns[k].place == c:
                put(w.out, DELIMITERS[columns[k].align])
                c += 1
        if not head:
            _new_line(w, True)
            _write_row(w, &rows, node, False)
    close_rows(&rows)


cdef void _write_leaf(writer_t* w, const node_t* node) noexcept nogil:
    cdef line_t line
    cdef int _k
    if node.kind == HEADING:
        for _k in range(node.number):
            put(w.out, b"#")
        put(w.out, b" ")
    begin_line(&line, w.sheet, w.out, False, &w.prefix)
    if node.kind == PICTURE:
        put_picture(&line, node.number)
        return
    if node.kind == HEADING:
        line.flags = IN_HEADING
        line.flat = line.light = True
    elif node.kind == TERM:
        line.flat = True
    put_segments(&line, node.first, node.last)


cdef void _enter(writer_t* w, int32_t i, frame_t* frame, const node_t* before, uint8_t sign) noexcept nogil:
    """Writes the beginning of a node that has others inside."""
    cdef const node_t* node = &w.sheet.nodes[i]
    if node.kind == LIST:
        _begin_list(frame, node, before, sign)
        return
    if node.kind == DETAIL and node.flags & ALONE:
        return
    if node.kind == ITEM or node.kind == QUOTE or node.kind == DETAIL or node.kind == NOTE:
        _new_line(w, _is_tight(w, node, before))
    if node.kind == ITEM:
        _begin_item(w, node, sign)
    elif node.kind == QUOTE:
        put(w.out, b"> ")
        put(&w.prefix, b"> ")
        w.fresh = True
    elif node.kind == DETAIL:
        put(w.out, b": ")
        _indent(w, 2)
        w.fresh = True
    elif node.kind == NOTE:
        put(w.out, b"[^")
        put_bytes(w.out, w.sheet.labels[node.number].data, <size_t> w.sheet.labels[node.number].length)
        put(w.out, b"]: ")
        _indent(w, 4)
        w.fresh = True


cdef void write_markdown(const sheet_t* sheet, out_t* out) noexcept nogil:
    """Writes all nodes, without a line end after the last one; nothing if there are none."""
    cdef writer_t w
    cdef const node_t* node
    cdef const node_t* before
    cdef frame_t* top
    cdef int32_t i = 0, child
    cdef uint8_t sign
    w.sheet = sheet
    w.out = out
    memset(&w.prefix, 0, sizeof(out_t))
    w.n = 1
    w.fresh = True
    w.frames[0].node = -1
    w.frames[0].prefix = 0
    w.frames[0].child = -1
    w.frames[0].sign = 0
    while i < <int32_t> sheet.n_nodes:
        node = &sheet.nodes[i]
        if node.flags & GUTTER and node.kind == CODE:
            i += 1
            continue
        while w.n - 1 > node.depth:
            w.n -= 1
            w.prefix.size = w.frames[w.n].prefix
        top = &w.frames[w.n - 1]
        child = top.child
        sign = top.sign
        before = &sheet.nodes[child] if child >= 0 else NULL
        top.child = i
        if before != NULL and before.kind == TERMS and node.kind != TERMS and _seems_a_term(sheet, i):
            _new_line(&w, False)
            put(out, b"<!-- -->")
        if node.kind == TABLE:
            _new_line(&w, False)
            _write_table(&w, i)
            i = end_of(sheet, i)
            continue
        if node.kind <= PICTURE:
            _new_line(&w, False)
            if node.kind == CODE:
                _write_code(&w, node)
            else:
                _write_leaf(&w, node)
            i += 1
            continue
        w.frames[w.n].node = i
        w.frames[w.n].prefix = w.prefix.size
        w.frames[w.n].child = -1
        w.frames[w.n].sign = 0
        _enter(&w, i, &w.frames[w.n], before, sign)
        if node.kind == LIST:
            # what the next list beside this one differs from
            top.sign = w.frames[w.n].sign
        w.n += 1
        i += 1
    out.no_memory |= w.prefix.no_memory
    free(w.prefix.data)
