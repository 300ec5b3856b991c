"""Blocks as HTML: elements without attributes but those of links, images, lists, cells, languages and notes."""

from libc.stdint cimport int32_t

from ncleaner.document._tables cimport mark_t, tables_t
from ncleaner.markup._escape cimport put, put_bytes, put_escaped, put_number
from ncleaner.markup._grid cimport close_rows, columns_of, end_of, fill_row, is_head, open_rows, rows_t
from ncleaner.markup._inline cimport begin_line, line_t, put_picture, put_segments
from ncleaner.markup._sheet cimport (
    CAPTION, CELL, CODE, DEEPEST, DETAIL, GUTTER, HEAD, HEADING, ITEM, LIST, LOOSE, NOTE, ORDERED, PICTURE, QUOTE,
    ROW, SINGLE, TABLE, TERM, TERMS, column_t, node_t, place_t,
)

cdef enum:
    FRAMES = 2 * DEEPEST + 16
    MOST_BLANKS = 20

cdef const char** ALIGNMENTS = [b"", b"left", b"center", b"right"]

cdef struct writer_t:
    const sheet_t* sheet
    out_t* out
    int32_t open[FRAMES]
    int n
    bint head            # the head of a table is being written


cdef const char* _name_of(const sheet_t* sheet, const node_t* node) noexcept nogil:
    """Returns the name of the element of a node that has others inside."""
    if node.kind == LIST:
        return b"ol" if node.flags & ORDERED else b"ul"
    if node.kind == NOTE:
        return b"li" if node.parent >= 0 and sheet.nodes[node.parent].kind == LIST else b"div"
    if node.kind == TERMS:
        return b"dl"
    return b"blockquote" if node.kind == QUOTE else b"dd" if node.kind == DETAIL else b"li"


cdef bint _is_bare(const sheet_t* sheet, const node_t* node) noexcept nogil:
    """Returns whether the text of a paragraph stands in the element around it."""
    cdef const node_t* around
    if node.parent < 0:
        return False
    around = &sheet.nodes[node.parent]
    if around.kind == ITEM:
        return around.parent >= 0 and not sheet.nodes[around.parent].flags & LOOSE
    return (around.kind == CELL or around.kind == DETAIL or around.kind == NOTE) and around.flags & SINGLE


cdef void _write_code(writer_t* w, const node_t* node) noexcept nogil:
    cdef const sheet_t* sheet = w.sheet
    cdef const tables_t* t = sheet.t
    cdef const mark_t* language
    cdef int32_t element = node.element, blanks, _level, _k
    cdef bint begun = False
    cdef Py_ssize_t i
    put(w.out, b"<pre><code")
    for _level in range(3):
        if element >= 0 and sheet.places[element].language:
            language = &t.marks[sheet.places[element].language - 1]
            # the name of a language has no characters that mean something here
            put(w.out, b' class="language-')
            put_bytes(w.out, t.values + language.value, language.length)
            put(w.out, b'"')
            break
        element = t.elements[element].parent if element >= 0 else -1
    put(w.out, b">")
    for i in range(node.first, node.last + 1):
        if not sheet.kept[i]:
            continue
        if begun:
            put(w.out, b"\n")
            blanks = sheet.extras[t.segments[i].first_run].blanks if t.n_runs else 0
            if blanks > 0 and not sheet.kept[i - 1]:
                blanks = 1
            for _k in range(min(blanks, MOST_BLANKS)):
                put(w.out, b"\n")
        elif t.text[t.segments[i].start] == c"\n":
            # the first line end of <pre> is not read
            put(w.out, b"\n")
        begun = True
        put_escaped(w.out, t.text + t.segments[i].start, t.text + t.segments[i].end)
    put(w.out, b"</code></pre>\n")


cdef void _write_leaf(writer_t* w, const node_t* node) noexcept nogil:
    cdef line_t line
    cdef bint bare = _is_bare(w.sheet, node)
    if node.kind == CODE:
        _write_code(w, node)
        return
    if node.kind == HEADING:
        put(w.out, b"<h")
        put_number(w.out, node.number)
        put(w.out, b">")
    elif node.kind == TERM:
        put(w.out, b"<dt>")
    elif node.kind == CAPTION:
        put(w.out, b"<caption>")
    elif not bare:
        put(w.out, b"<p>")
    begin_line(&line, w.sheet, w.out, True, NULL)
    line.light = node.kind == HEADING or w.head
    if node.kind == PICTURE:
        put_picture(&line, node.number)
    else:
        put_segments(&line, node.first, node.last)
    if node.kind == HEADING:
        put(w.out, b"</h")
        put_number(w.out, node.number)
        put(w.out, b">\n")
    elif node.kind == TERM:
        put(w.out, b"</dt>\n")
    elif node.kind == CAPTION:
        put(w.out, b"</caption>\n")
    elif not bare:
        put(w.out, b"</p>\n")


cdef void _close(writer_t* w) noexcept nogil:
    w.n -= 1
    put(w.out, b"</")
    put(w.out, _name_of(w.sheet, &w.sheet.nodes[w.open[w.n]]))
    put(w.out, b">\n")


cdef void _write_nodes(writer_t* w, int32_t start, int32_t end, int depth) noexcept nogil:
    """Writes nodes that stand inside of a node of depth `depth` - 1."""
    cdef const node_t* node
    cdef const node_t* around
    cdef int32_t i = start
    cdef int base = w.n
    while i < end:
        node = &w.sheet.nodes[i]
        if node.flags & GUTTER and node.kind == CODE:
            i += 1
            continue
        while w.n - base > node.depth - depth:
            _close(w)
        if node.kind == TABLE:
            _write_table(w, i)
            i = end_of(w.sheet, i)
            continue
        if node.kind <= PICTURE:
            _write_leaf(w, node)
            i += 1
            continue
        put(w.out, b"<")
        put(w.out, _name_of(w.sheet, node))
        if node.kind == LIST and node.flags & ORDERED and w.sheet.nodes[i + 1].number != 1 \
                and w.sheet.nodes[i + 1].kind == ITEM:
            put(w.out, b' start="')
            put_number(w.out, w.sheet.nodes[i + 1].number)
            put(w.out, b'"')
        elif node.kind == ITEM and node.parent >= 0:
            around = &w.sheet.nodes[node.parent]
            if around.flags & ORDERED and _before(w, i, node) >= 0 \
                    and w.sheet.nodes[_before(w, i, node)].number != node.number - 1:
                put(w.out, b' value="')
                put_number(w.out, node.number)
                put(w.out, b'"')
        elif node.kind == NOTE:
            put(w.out, b' id="note-')
            put_bytes(w.out, w.sheet.labels[node.number].data, <size_t> w.sheet.labels[node.number].length)
            put(w.out, b'"')
        put(w.out, b">" if node.kind == ITEM or node.kind == DETAIL or node.kind == NOTE else b">\n")
        w.open[w.n] = i
        w.n += 1
        i += 1
    while w.n > base:
        _close(w)


cdef int32_t _before(const writer_t* w, int32_t i, const node_t* node) noexcept nogil:
    """Returns the item before an item, -1 for none. It looks at the nodes in between once for each item."""
    cdef int32_t k = i - 1
    while k > node.parent and w.sheet.nodes[k].depth > node.depth:
        k -= 1
    return k if k > node.parent else -1


cdef void _write_cell(writer_t* w, int32_t cell, int32_t columns, int32_t rows, int align) noexcept nogil:
    """Writes a cell and what is in it; with a `cell` of -1 an empty one."""
    cdef const char* name = b"th" if cell >= 0 and w.sheet.nodes[cell].flags & HEAD else b"td"
    put(w.out, b"<")
    put(w.out, name)
    if columns > 1:
        put(w.out, b' colspan="')
        put_number(w.out, columns)
        put(w.out, b'"')
    if rows > 1:
        put(w.out, b' rowspan="')
        put_number(w.out, rows)
        put(w.out, b'"')
    if align:
        put(w.out, b' align="')
        put(w.out, ALIGNMENTS[align])
        put(w.out, b'"')
    put(w.out, b">")
    if cell >= 0:
        _write_nodes(w, cell + 1, end_of(w.sheet, cell), w.sheet.nodes[cell].depth + 1)
    put(w.out, b"</")
    put(w.out, name)
    put(w.out, b">")


cdef int32_t _rows_of(const writer_t* w, int32_t cell, int32_t table, int32_t row) noexcept nogil:
    """Returns how many kept rows a cell covers."""
    cdef const node_t* nodes = w.sheet.nodes
    cdef const place_t* place = &w.sheet.places[nodes[cell].element]
    cdef int32_t node = row, n = 0
    if place.rows == 1:
        return 1
    while node < <int32_t> w.sheet.n_nodes and nodes[node].depth > nodes[table].depth:
        if nodes[node].parent == table and nodes[node].kind == ROW:
            if nodes[node].number >= nodes[row].number + place.rows:
                break
            n += 1
        node += 1
    return n


cdef void _write_table(writer_t* w, int32_t table) noexcept nogil:
    cdef const sheet_t* sheet = w.sheet
    cdef const node_t* nodes = sheet.nodes
    cdef const place_t* place = &sheet.places[nodes[table].element]
    cdef const column_t* columns = sheet.columns + place.column
    cdef int32_t end = end_of(sheet, table), node, k, cell, first, n, c
    cdef rows_t rows
    cdef int align
    cdef bint begun = False, head = False
    if not open_rows(&rows, sheet, table):
        w.out.no_memory = True
        return
    put(w.out, b"<table>\n")
    for node in range(table + 1, end):
        if nodes[node].kind == CAPTION and nodes[node].parent == table:
            _write_leaf(w, &nodes[node])
    for node in range(table + 1, end):
        if nodes[node].parent != table or nodes[node].kind != ROW:
            continue
        fill_row(&rows, sheet, table, node)
        if not begun:
            head = is_head(sheet, node)
            put(w.out, b"<thead>\n" if head else b"<tbody>\n")
        elif head:
            head = False
            put(w.out, b"</thead>\n<tbody>\n")
        begun = True
        w.head = head
        put(w.out, b"<tr>")
        c = 0
        for k in range(place.columns):
            if columns[k].place != c:
                continue
            align = columns[k].align
            cell = rows.cells[c]
            if sheet.repeats:
                _write_cell(w, cell if cell >= 0 else rows.carried[c], 1, 1, align)
            elif cell >= 0:
                n = columns_of(sheet, table, cell, &first)
                if first == c:
                    _write_cell(w, cell, n, _rows_of(w, cell, table, node), align)
            elif rows.carried[c] < 0:
                _write_cell(w, -1, 1, 1, 0)
            c += 1
        put(w.out, b"</tr>\n")
    put(w.out, b"</thead>\n</table>\n" if head else b"</tbody>\n</table>\n")
    w.head = False
    close_rows(&rows)


cdef void write_html(const sheet_t* sheet, out_t* out) noexcept nogil:
    """Writes all nodes, each block on lines of its own."""
    cdef writer_t w
    w.sheet = sheet
    w.out = out
    w.n = 0
    w.head = False
    _write_nodes(&w, 0, <int32_t> sheet.n_nodes, 0)
