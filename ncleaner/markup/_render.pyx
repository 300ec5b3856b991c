"""Writes the tree of kept blocks as Markdown or as HTML, and gives both to Python.

Markdown is CommonMark with the tables, footnotes and struck text of GitHub, and definition lists. Elements of HTML have
no attributes but those of links, images, lists, cells, languages and notes.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.document._marks cimport MARK_IMAGE, MARK_LINK, MARK_LINK_END, MARK_SOURCES, mark_text
from ncleaner.document._tables cimport Tables, element_t, mark_t, segment_t, tables_t
from ncleaner.document._tags cimport CONTEXT_BOLD, TAG_LI
from ncleaner.markup._blocks cimport (
    ALONE, CAPTION, CELL, CODE, DEEPEST, DETAIL, HEAD, HEADING, ITEM, LIST, LOOSE, NOTE, ORDERED, PARAGRAPH, PICTURE,
    FOR_POST, QUOTE, ROW, RULE, SINGLE, TABLE, TERM, TERMS, TITLE, close_rows, close_sheet, column_t, columns_of,
    end_of, fill_row, first_run_of, is_head, block_t, open_rows, open_sheet, place_t, rows_t, blocks_t, given_t,
)
from ncleaner.markup._escape cimport (
    IN_CELL, IN_HEADING, backticks, line_end, out_t, put, put_between, put_byte, put_bytes, put_escaped, put_number,
    put_times,
)
from ncleaner.markup._inline cimport (
    begin_line, is_media, line_t, link_around, put_break, put_picture, put_segments,
)
from ncleaner.markup._outline cimport callout_of, choose_lead, language_of, may_be_written, outline

from ncleaner.text._ascii cimport holds

import numpy as np

cdef enum:
    FRAMES = 2 * DEEPEST + 16
    MOST_BLANKS = 20     # empty lines of preformatted text

# Below the head of a table in Markdown, by the alignment of the column.
cdef const char** DELIMITERS = [b" --- |", b" :-- |", b" :-: |", b" --: |"]
cdef const char** ALIGNMENTS = [b"", b"left", b"center", b"right"]
# The elements of nodes, by their kinds.
cdef const char** NAMES = [
    b"p", b"", b"", b"caption", b"dt", b"p", b"blockquote", b"ul", b"li", b"", b"", b"", b"dl", b"dd", b"div",
]
cdef const char** HEADINGS = [b"", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"]

# An open node.
cdef struct frame_t:
    int32_t node
    size_t prefix        # length of the prefix around it
    int32_t child        # the last node inside of it, -1 for none
    uint8_t sign         # of the items of a list, or of the last list inside

cdef struct markdown_t:
    const blocks_t* blocks
    out_t* out
    out_t prefix         # what each line begins with
    frame_t frames[FRAMES]
    int n
    bint fresh           # the line has begun, and has its prefix and a sign

cdef struct html_t:
    const blocks_t* blocks
    out_t* out
    int32_t open[FRAMES]
    int32_t last[FRAMES]  # of a list: the number of its last item
    int n
    bint head            # the head of a table is being written


cdef int32_t _blanks_before(const blocks_t* blocks, Py_ssize_t segment) noexcept nogil:
    """Returns how many empty lines are written before a segment of preformatted text that is not the first."""
    cdef int32_t blanks = blocks.extras[blocks.t.segments[segment].first_run].blanks if blocks.t.n_runs else 0
    return min(blanks, MOST_BLANKS if blocks.kept[segment - 1] else 1)


# --------------------------------------------------------------------------------------------------
# Markdown.

cdef void _put_bare_prefix(markdown_t* w) noexcept nogil:
    """Writes what an empty line begins with."""
    cdef size_t size = w.prefix.size
    while size and w.prefix.data[size - 1] == c" ":
        size -= 1
    put_bytes(w.out, w.prefix.data, size)


cdef void _new_line(markdown_t* w, bint tight) noexcept nogil:
    """Begins a block: on a new line, after an empty one unless `tight`."""
    if w.fresh:
        w.fresh = False
        return
    put(w.out, b"\n")
    if not tight:
        _put_bare_prefix(w)
        put(w.out, b"\n")
    put_bytes(w.out, w.prefix.data, w.prefix.size)


cdef bint _is_tight(const markdown_t* w, const block_t* node, const block_t* before) noexcept nogil:
    """Returns whether no empty line is before a node; `before` is the one before it in the same node, or NULL."""
    cdef const block_t* nodes = w.blocks.nodes
    if node.parent < 0:
        return False
    cdef const block_t* around = &nodes[node.parent]
    if node.kind == ITEM and before != NULL:
        return before.kind == ITEM and not around.flags & LOOSE
    if node.kind == ITEM:
        # the first item of a list inside of an item
        return around.parent >= 0 and nodes[around.parent].kind == ITEM and nodes[around.parent].parent >= 0 \
            and not nodes[nodes[around.parent].parent].flags & LOOSE
    return node.kind == DETAIL and before != NULL and before.kind == TERM


cdef void _begin_list(frame_t* frame, const block_t* node, const block_t* before, uint8_t sign) noexcept nogil:
    """Chooses the sign of a list. Two lists in a row have different ones, or they would be read as one."""
    cdef bint ordered = node.flags & ORDERED > 0
    frame.sign = c"." if ordered else c"-"
    if before != NULL and before.kind == LIST and sign == frame.sign:
        frame.sign = c")" if ordered else c"*"


cdef void _begin_item(markdown_t* w, const block_t* node, uint8_t sign) noexcept nogil:
    cdef int32_t number = node.number
    cdef size_t start = w.out.size
    if sign == c"-" or sign == c"*":
        put_byte(w.out, sign)
    else:
        # CommonMark has numbers of at most nine digits
        put_number(w.out, number if 0 <= number <= 999_999_999 else 0)
        put_byte(w.out, sign)
    put(w.out, b" ")
    put_times(&w.prefix, c" ", w.out.size - start)
    if node.element >= 0 and w.blocks.places[node.element].task:
        put(w.out, b"[x] " if w.blocks.places[node.element].task == 2 else b"[ ] ")
    w.fresh = True


cdef void _markdown_code(markdown_t* w, const block_t* node) noexcept nogil:
    """Writes preformatted text between fences that are longer than all signs of this kind in it."""
    cdef const blocks_t* blocks = w.blocks
    cdef const tables_t* t = blocks.t
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const uint8_t* stop
    cdef const mark_t* language = language_of(blocks, node.element)
    cdef uint8_t sign = c"`"
    cdef size_t fence = 3
    cdef bint formula = language != NULL and language.length == 4 and node.first == node.last \
        and memcmp(t.values + language.value, b"math", 4) == 0
    cdef int _line
    cdef Py_ssize_t i
    for i in range(node.first, node.last + 1):
        fence = max(fence, backticks(t.text + t.segments[i].start, t.text + t.segments[i].end) + 1)
    if formula:
        sign = c"$"
        fence = 2
    put_times(w.out, sign, fence)
    if language != NULL and not formula:
        put_bytes(w.out, t.values + language.value, language.length)
    for i in range(node.first, node.last + 1):
        if not blocks.kept[i]:
            continue
        for _line in range(_blanks_before(blocks, i) if i > node.first else 0):
            put(w.out, b"\n")
            _put_bare_prefix(w)
        p = t.text + t.segments[i].start
        stop = t.text + t.segments[i].end
        while p < stop:
            end = line_end(p, stop)
            put(w.out, b"\n")
            put_bytes(w.out, w.prefix.data, w.prefix.size)
            put_bytes(w.out, p, <size_t> (end - p))
            p = end + 1
    put(w.out, b"\n")
    put_bytes(w.out, w.prefix.data, w.prefix.size)
    put_times(w.out, sign, fence)


cdef void _markdown_cell(markdown_t* w, int32_t cell, bint head) noexcept nogil:
    """Writes what is in a cell, in one line."""
    cdef const block_t* nodes = w.blocks.nodes
    cdef line_t line
    cdef int32_t node
    cdef bint begun = False
    begin_line(&line, w.blocks, w.out, False, &w.prefix)
    line.flags = IN_CELL
    line.light = head
    for node in range(cell + 1, end_of(w.blocks, cell)):
        if nodes[node].kind > PICTURE:
            continue
        if begun:
            put_break(&line)
        begun = True
        if nodes[node].kind == PICTURE:
            put_picture(&line, nodes[node].number)
        else:
            put_segments(&line, nodes[node].first, nodes[node].last, nodes[node].kind == CODE)


cdef void _markdown_row(markdown_t* w, const rows_t* rows, int32_t row, bint head) noexcept nogil:
    """Writes a row; with a `row` of -1 an empty one."""
    cdef int32_t k, cell
    put(w.out, b"|")
    for k in range(rows.columns):
        cell = -1
        if row >= 0:
            cell = rows.cells[k]
            if w.blocks.repeats and cell < 0:
                cell = rows.carried[k]
            if not w.blocks.repeats and k and cell >= 0 and cell == rows.cells[k - 1]:
                cell = -1
        if cell >= 0:
            put(w.out, b" ")
            _markdown_cell(w, cell, head)
        put(w.out, b" |")


cdef bint _is_key(const blocks_t* blocks, int32_t cell) noexcept nogil:
    """Returns whether a cell is a head, or all of its text is bold."""
    cdef int32_t node, run, first, last
    cdef bint is_bold = False
    if cell < 0 or blocks.nodes[cell].flags & HEAD:
        return cell >= 0
    for node in range(cell + 1, end_of(blocks, cell)):
        if blocks.nodes[node].kind != PARAGRAPH:
            return False
        first, last = blocks.nodes[node].first, blocks.nodes[node].last
        for run in range(first_run_of(blocks, first), blocks.t.segments[last].last_run + 1):
            if not blocks.t.runs[run].context >> CONTEXT_BOLD & 1:
                return False
            is_bold = True
    return is_bold


cdef bint _has_key(const blocks_t* blocks, const rows_t* rows) noexcept nogil:
    """Returns whether a row has a key and its values: only its first cell is like a head."""
    cdef int32_t k
    for k in range(1, rows.columns):
        if _is_key(blocks, rows.cells[k]):
            return False
    return _is_key(blocks, rows.cells[0])


cdef void _markdown_table(markdown_t* w, int32_t table) noexcept nogil:
    """Writes a table after its caption. It must have a head: its first row, or an empty one where that is removed."""
    cdef const blocks_t* blocks = w.blocks
    cdef const block_t* nodes = blocks.nodes
    cdef const column_t* columns = blocks.columns + blocks.places[nodes[table].element].column
    cdef int32_t end = end_of(blocks, table), node, k, c
    cdef bint begun = False, head
    cdef rows_t rows
    cdef line_t line
    if not open_rows(&rows, blocks, table):
        w.out.no_memory = True
        return
    for node in range(table + 1, end):
        if nodes[node].kind == CAPTION and nodes[node].parent == table:
            begin_line(&line, blocks, w.out, False, &w.prefix)
            put_segments(&line, nodes[node].first, nodes[node].last)
            _new_line(w, False)
    for node in range(table + 1, end):
        if nodes[node].parent != table or nodes[node].kind == CAPTION:
            continue
        fill_row(&rows, blocks, table, node)
        head = is_head(blocks, node) or nodes[node].number == 0 and not _has_key(blocks, &rows)
        if begun:
            _new_line(w, True)
            _markdown_row(w, &rows, node, False)
            continue
        begun = True
        _markdown_row(w, &rows, node if head else -1, is_head(blocks, node))
        _new_line(w, True)
        put(w.out, b"|")
        c = 0
        for k in range(blocks.places[nodes[table].element].columns):
            if columns[k].place == c:
                put(w.out, DELIMITERS[columns[k].align])
                c += 1
        if not head:
            _new_line(w, True)
            _markdown_row(w, &rows, node, False)
    close_rows(&rows)


cdef bint _table_as_html(markdown_t* w, int32_t table) noexcept nogil:
    """Writes a table that Markdown cannot show as HTML; returns whether it has done so.

    It is at the beginning of lines, and has no empty line: there, HTML ends."""
    cdef const block_t* nodes = w.blocks.nodes
    cdef const place_t* place
    cdef int32_t node, cell = table
    cdef bint is_simple = True
    cdef size_t size = w.out.size
    cdef html_t html
    for node in range(table + 1, end_of(w.blocks, table)):
        if nodes[node].kind == CELL:
            place = &w.blocks.places[nodes[node].element]
            is_simple &= place.columns == 1 and place.rows == 1
            cell = node
        elif nodes[node].kind != ROW and nodes[node].kind != CAPTION:
            is_simple &= node == cell + 1 and (nodes[node].kind == PARAGRAPH or nodes[node].kind == PICTURE)
    if is_simple or w.prefix.size:
        return False
    html.blocks = w.blocks
    html.out = w.out
    html.n = 0
    html.head = False
    _html_table(&html, table)
    if not w.out.no_memory and not holds(<const uint8_t*> w.out.data + size, w.out.size - size, b"\n\n", 0):
        # without the last line end
        w.out.size -= 1
        return True
    w.out.size = size
    return False


cdef void _markdown_leaf(markdown_t* w, const block_t* node) noexcept nogil:
    cdef line_t line
    if node.kind == HEADING:
        put_times(w.out, c"#", <size_t> node.number)
        put(w.out, b" ")
    begin_line(&line, w.blocks, w.out, False, &w.prefix)
    if node.kind == PICTURE:
        put_picture(&line, node.number)
        return
    line.light = node.kind == HEADING
    line.flat = line.light or node.kind == TERM
    line.flags = IN_HEADING if line.light else 0
    put_segments(&line, node.first, node.last)


cdef bint _put_callout(markdown_t* w, const block_t* node) noexcept nogil:
    """Writes the kind of a callout, as GitHub and Obsidian have it: `[!NOTE]`. Returns whether a quotation is one."""
    cdef const mark_t* mark = callout_of(w.blocks, node)
    cdef uint32_t i
    if mark == NULL:
        return False
    cdef const uint8_t* kind = w.blocks.t.values + mark.value
    put(w.out, b"[!")
    for i in range(mark.length):
        put_byte(w.out, kind[i] - 32 if c"a" <= kind[i] <= c"z" else kind[i])
    put(w.out, b"]")
    return True


cdef void _enter(markdown_t* w, int32_t i, frame_t* frame, const block_t* before, uint8_t sign) noexcept nogil:
    """Writes the beginning of a node that has others inside."""
    cdef const block_t* node = &w.blocks.nodes[i]
    cdef const given_t* label
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
        w.fresh = not _put_callout(w, node)
    elif node.kind == DETAIL:
        put(w.out, b": ")
        put_times(&w.prefix, c" ", 2)
        w.fresh = True
    elif node.kind == NOTE:
        label = &w.blocks.labels[node.number]
        put_between(w.out, b"[^", label.data, <size_t> label.length, b"]: ")
        put_times(&w.prefix, c" ", 4)
        w.fresh = True


cdef void _write_markdown(const blocks_t* blocks, out_t* out) noexcept nogil:
    """Writes all nodes, without a line end after the last one; nothing if there are none."""
    cdef markdown_t w
    cdef const block_t* node
    cdef const block_t* before
    cdef frame_t* top
    cdef int32_t i = 0, child
    cdef uint8_t sign
    w.blocks = blocks
    w.out = out
    memset(&w.prefix, 0, sizeof(out_t))
    w.n = 1
    w.fresh = True
    w.frames[0] = frame_t(-1, 0, -1, 0)
    while i < <int32_t> blocks.n_nodes:
        node = &blocks.nodes[i]
        if node.flags & TITLE:
            i += 1
            continue
        while w.n - 1 > node.depth:
            w.n -= 1
            w.prefix.size = w.frames[w.n].prefix
        top = &w.frames[w.n - 1]
        child = top.child
        sign = top.sign
        before = &blocks.nodes[child] if child >= 0 else NULL
        top.child = i
        if before != NULL and before.kind == TERMS and (node.kind == CODE or node.kind == LIST or node.kind == NOTE):
            # readers go on with a list of definitions where the next line but one begins like a definition
            _new_line(&w, False)
            put(out, b"<!-- -->")
        if node.kind == TABLE:
            _new_line(&w, False)
            if not (blocks.tags and _table_as_html(&w, i)):
                _markdown_table(&w, i)
            i = end_of(blocks, i)
            continue
        if node.kind == RULE:
            _new_line(&w, False)
            put(out, b"* * *")
            i += 1
            continue
        if node.kind <= PICTURE:
            # the text of a callout follows its kind at once
            _new_line(
                &w, before == NULL and node.kind == PARAGRAPH and node.parent >= 0
                and callout_of(blocks, &blocks.nodes[node.parent]) != NULL
            )
            if node.kind == CODE:
                _markdown_code(&w, node)
            else:
                _markdown_leaf(&w, node)
            i += 1
            continue
        w.frames[w.n] = frame_t(i, w.prefix.size, -1, 0)
        _enter(&w, i, &w.frames[w.n], before, sign)
        if node.kind == LIST:
            # what the next list beside this one differs from
            top.sign = w.frames[w.n].sign
        w.n += 1
        i += 1
    out.no_memory |= w.prefix.no_memory
    free(w.prefix.data)


# --------------------------------------------------------------------------------------------------
# HTML.

cdef void _put_number_of(html_t* w, const char* attribute, int32_t number) noexcept nogil:
    put_between(w.out, b" ", attribute, strlen(attribute), b'="')
    put_number(w.out, number)
    put(w.out, b'"')


cdef const char* _name_of(const blocks_t* blocks, const block_t* node) noexcept nogil:
    """Returns the name of the element of a node, NULL if its text is bare in the element outside."""
    if node.kind == HEADING:
        return HEADINGS[node.number]
    if node.kind == LIST and node.flags & ORDERED:
        return b"ol"
    if node.kind == NOTE and node.parent >= 0 and blocks.nodes[node.parent].kind == LIST:
        return b"li"
    return NULL if (node.kind == PARAGRAPH or node.kind == PICTURE) and _is_bare(blocks, node) else NAMES[node.kind]


cdef bint _is_bare(const blocks_t* blocks, const block_t* node) noexcept nogil:
    """Returns whether the text of a paragraph is in the element around it."""
    if node.parent < 0:
        return False
    cdef const block_t* around = &blocks.nodes[node.parent]
    if around.kind == ITEM:
        return around.parent >= 0 and not blocks.nodes[around.parent].flags & LOOSE
    return (around.kind == CELL or around.kind == DETAIL or around.kind == NOTE) and around.flags & SINGLE


cdef void _html_code(html_t* w, const block_t* node) noexcept nogil:
    cdef const blocks_t* blocks = w.blocks
    cdef const tables_t* t = blocks.t
    cdef const mark_t* language = language_of(blocks, node.element)
    cdef bint begun = False
    cdef Py_ssize_t i
    put(w.out, b"<pre><code")
    if language != NULL:
        # the name of a language has no characters that mean something here
        put_between(w.out, b' class="language-', t.values + language.value, language.length, b'"')
    put(w.out, b">")
    for i in range(node.first, node.last + 1):
        if not blocks.kept[i]:
            continue
        if begun:
            put_times(w.out, c"\n", 1 + <size_t> _blanks_before(blocks, i))
        elif t.text[t.segments[i].start] == c"\n":
            # the first line end of <pre> is not read
            put(w.out, b"\n")
        begun = True
        put_escaped(w.out, t.text + t.segments[i].start, t.text + t.segments[i].end)
    put(w.out, b"</code></pre>\n")


cdef void _html_leaf(html_t* w, const block_t* node) noexcept nogil:
    cdef line_t line
    cdef const char* name = _name_of(w.blocks, node)
    if node.kind == CODE:
        _html_code(w, node)
        return
    if name != NULL:
        put_between(w.out, b"<", name, strlen(name), b">")
    begin_line(&line, w.blocks, w.out, True, NULL)
    line.light = node.kind == HEADING or w.head
    if node.kind == PICTURE:
        put_picture(&line, node.number)
    else:
        put_segments(&line, node.first, node.last)
    if name != NULL:
        _put_end(w, name)


cdef void _put_end(html_t* w, const char* name) noexcept nogil:
    put_between(w.out, b"</", name, strlen(name), b">\n")


cdef void _close(html_t* w) noexcept nogil:
    w.n -= 1
    _put_end(w, _name_of(w.blocks, &w.blocks.nodes[w.open[w.n]]))


cdef void _html_nodes(html_t* w, int32_t start, int32_t end, int depth) noexcept nogil:
    """Writes nodes that are inside of a node of depth `depth` - 1."""
    cdef const block_t* node
    cdef const given_t* label
    cdef int32_t i = start
    cdef int base = w.n
    while i < end:
        node = &w.blocks.nodes[i]
        while w.n - base > node.depth - depth:
            _close(w)
        if node.kind == TABLE:
            _html_table(w, i)
            i = end_of(w.blocks, i)
            continue
        if node.kind == RULE:
            put(w.out, b"<hr>\n")
            i += 1
            continue
        if node.kind <= PICTURE:
            _html_leaf(w, node)
            i += 1
            continue
        put(w.out, b"<")
        put(w.out, _name_of(w.blocks, node))
        if node.kind == LIST:
            w.last[w.n] = w.blocks.nodes[i + 1].number - 1 if w.blocks.nodes[i + 1].kind == ITEM else 0
            if node.flags & ORDERED and w.last[w.n]:
                _put_number_of(w, b"start", w.last[w.n] + 1)
        elif node.kind == ITEM and node.parent >= 0:
            if w.blocks.nodes[node.parent].flags & ORDERED and w.last[w.n - 1] != node.number - 1:
                _put_number_of(w, b"value", node.number)
            w.last[w.n - 1] = node.number
        elif node.kind == NOTE:
            label = &w.blocks.labels[node.number]
            put_between(w.out, b' id="note-', label.data, <size_t> label.length, b'"')
        put(w.out, b">" if node.kind == ITEM or node.kind == DETAIL or node.kind == NOTE else b">\n")
        w.open[w.n] = i
        w.n += 1
        i += 1
    while w.n > base:
        _close(w)


cdef void _html_cell(html_t* w, int32_t cell, int32_t columns, int32_t rows, int align) noexcept nogil:
    """Writes a cell and what is in it; with a `cell` of -1 an empty one."""
    cdef const char* name = b"th" if cell >= 0 and w.blocks.nodes[cell].flags & HEAD else b"td"
    put(w.out, b"<")
    put(w.out, name)
    if columns > 1:
        _put_number_of(w, b"colspan", columns)
    if rows > 1:
        _put_number_of(w, b"rowspan", rows)
    if align:
        put_between(w.out, b' align="', ALIGNMENTS[align], strlen(ALIGNMENTS[align]), b'"')
    put(w.out, b">")
    if cell >= 0:
        _html_nodes(w, cell + 1, end_of(w.blocks, cell), w.blocks.nodes[cell].depth + 1)
    put_between(w.out, b"</", name, strlen(name), b">")


cdef int32_t _rows_of(const html_t* w, int32_t cell, int32_t table, int32_t row) noexcept nogil:
    """Returns how many kept rows a cell covers."""
    cdef const block_t* nodes = w.blocks.nodes
    cdef const place_t* place = &w.blocks.places[nodes[cell].element]
    cdef int32_t node = row, n = 0
    if place.rows == 1:
        return 1
    while node < <int32_t> w.blocks.n_nodes and nodes[node].depth > nodes[table].depth:
        if nodes[node].parent == table and nodes[node].kind == ROW:
            if nodes[node].number >= nodes[row].number + place.rows:
                break
            n += 1
        node += 1
    return n


cdef void _html_table(html_t* w, int32_t table) noexcept nogil:
    cdef const blocks_t* blocks = w.blocks
    cdef const block_t* nodes = blocks.nodes
    cdef const place_t* place = &blocks.places[nodes[table].element]
    cdef const column_t* columns = blocks.columns + place.column
    cdef int32_t end = end_of(blocks, table), node, k, cell, first, n, c
    cdef rows_t rows
    cdef int align
    cdef bint begun = False, head = False
    if not open_rows(&rows, blocks, table):
        w.out.no_memory = True
        return
    put(w.out, b"<table>\n")
    for node in range(table + 1, end):
        if nodes[node].kind == CAPTION and nodes[node].parent == table:
            _html_leaf(w, &nodes[node])
    for node in range(table + 1, end):
        if nodes[node].parent != table or nodes[node].kind != ROW:
            continue
        fill_row(&rows, blocks, table, node)
        if not begun:
            head = is_head(blocks, node)
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
            if blocks.repeats:
                _html_cell(w, cell if cell >= 0 else rows.carried[c], 1, 1, align)
            elif cell >= 0:
                n = columns_of(blocks, table, cell, &first)
                if first == c:
                    _html_cell(w, cell, n, _rows_of(w, cell, table, node), align)
            elif rows.carried[c] < 0:
                _html_cell(w, -1, 1, 1, 0)
            c += 1
        put(w.out, b"</tr>\n")
    put(w.out, b"</thead>\n</table>\n" if head else b"</tbody>\n</table>\n")
    w.head = False
    close_rows(&rows)


cdef void _write_html(const blocks_t* blocks, out_t* out) noexcept nogil:
    """Writes all nodes, each block on lines of its own."""
    cdef html_t w
    w.blocks = blocks
    w.out = out
    w.n = 0
    w.head = False
    _html_nodes(&w, 0, <int32_t> blocks.n_nodes, 0)


# --------------------------------------------------------------------------------------------------
# What Python calls.

cdef const uint8_t[::1] _mask_of(Tables tables, mask):
    cdef const uint8_t[::1] kept = np.ascontiguousarray(mask).view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    return kept


cdef int _point(given_t* text, bytes given) except -1:
    text.data = <const char*> given
    text.length = len(given)
    return 0


cdef void _part(blocks_t* blocks, int32_t element, Py_ssize_t segment) noexcept nogil:
    """Notes that a rule is before the segment of a post. Its element is no item, nor are the posts a list."""
    cdef int32_t around = blocks.t.elements[element].parent
    if segment >= 0:
        blocks.posts[segment] = around + 2
    blocks.places[element].flags |= FOR_POST
    if blocks.t.elements[element].tag == TAG_LI and around >= 0:
        blocks.places[around].flags |= FOR_POST


def render(
    Tables tables not None, mask not None, bint html=False, dict addresses=None, notes=None, bint images=False,
    bint repeats=False, bint tags=False, leads=(), Py_ssize_t headline=-1, posts=(),
):
    """Returns the kept segments as Markdown or HTML, in UTF-8; empty if none is kept.

    Args:
        tables: those of the page; without marks, there is only what the other tables tell.
        mask: shape (segments,), bool.
        html: write HTML.
        addresses: {mark of a link or an image: its address, ready to be written}; others are left out.
        notes: `notes.Notes` of the page; None if there are none.
        images: write images that have an address, and leave their alternative texts out of the text.
        repeats: write a cell over several columns or rows in each of them.
        tags: write tables with such cells, or with several blocks in a cell, as HTML.
        leads: marks of images; if no other one of them is written, the first one at the text is.
        headline: the segment that is a headline without a tag of one, -1 for none.
        posts: (element, segment) of each post: a rule is before the segment, if it is not -1.

    Raises:
        ValueError: the mask does not fit the document.
        MemoryError: there is not enough memory.
    """
    cdef const uint8_t[::1] kept = _mask_of(tables, mask)
    cdef blocks_t blocks
    cdef out_t out
    cdef Py_ssize_t i
    cdef const uint8_t* first = &kept[0] if kept.shape[0] else NULL
    cdef const int32_t[::1] copies
    memset(&out, 0, sizeof(out))
    if open_sheet(&blocks, &tables.t, first) < 0:
        close_sheet(&blocks)
        raise MemoryError
    try:
        blocks.images = images
        blocks.whole = mask.all()
        blocks.repeats = repeats
        blocks.tags = tags
        blocks.headline = headline
        copies = np.array(leads, np.int32)
        choose_lead(&blocks, &copies[0] if copies.shape[0] else NULL, copies.shape[0])
        if addresses:
            blocks.addresses = <given_t*> calloc(<size_t> tables.t.n_marks + 1, sizeof(given_t))
            if blocks.addresses == NULL:
                raise MemoryError
            for mark, address in addresses.items():
                _point(&blocks.addresses[<Py_ssize_t> mark], address)
        if notes:
            references, elements, segments, labels, _, _, skips, _ = notes
            blocks.notes = <int32_t*> calloc(<size_t> tables.t.n_segments + 1, sizeof(int32_t))
            blocks.labels = <given_t*> calloc(len(labels) + 1, sizeof(given_t))
            if blocks.notes == NULL or blocks.labels == NULL:
                raise MemoryError
            for begin, end, note in references:
                for i in range(begin, end):
                    blocks.extras[i].note = note + 1
                if begin == end:
                    blocks.extras[<Py_ssize_t> begin - 1].noted = note + 1
            for run, skip in skips.items():
                blocks.extras[<Py_ssize_t> run].skip = skip
            for element, note in elements.items():
                blocks.places[<Py_ssize_t> element].note = note + 1
            for segment, note in segments.items():
                blocks.notes[<Py_ssize_t> segment] = note + 1
            for i in range(len(labels)):
                _point(&blocks.labels[i], labels[i])
        if posts:
            blocks.posts = <int32_t*> calloc(<size_t> tables.t.n_segments + 1, sizeof(int32_t))
            if blocks.posts == NULL:
                raise MemoryError
            for element, segment in posts:
                _part(&blocks, element, segment)
        with nogil:
            outline(&blocks)
            if not blocks.no_memory:
                if html:
                    _write_html(&blocks, &out)
                else:
                    _write_markdown(&blocks, &out)
        if blocks.no_memory or out.no_memory:
            raise MemoryError("not enough memory for the text of a page")
        return (<const char*> out.data)[: out.size] if out.size else b""
    finally:
        close_sheet(&blocks)
        free(blocks.addresses)
        free(blocks.notes)
        free(blocks.posts)
        free(blocks.labels)
        free(out.data)


def kept_links(Tables tables not None, mask not None, bint fragments):
    """Returns the links with kept text in the order of the page: (mark, target as written, first run, end of runs).

    With `fragments`, only those that go to a place in a page.
    """
    cdef const uint8_t[::1] kept = _mask_of(tables, mask)
    cdef const tables_t* t = &tables.t
    cdef const mark_t* link = NULL
    cdef Py_ssize_t i, mark = 0
    cdef uint32_t run, end
    found = []
    for i in range(t.n_marks + 1):
        if i < t.n_marks and t.marks[i].kind != MARK_LINK and t.marks[i].kind != MARK_LINK_END:
            continue
        if link != NULL and (not fragments or memchr(t.values + link.value, c"#", link.length) != NULL):
            end = t.marks[i].run if i < t.n_marks else <uint32_t> t.n_runs
            for run in range(link.run, min(end, <uint32_t> t.n_runs)):
                if kept[t.runs[run].segment]:
                    found.append((mark, mark_text(t, link), run, end))
                    break
        link = NULL
        if i < t.n_marks and t.marks[i].kind == MARK_LINK:
            link = &t.marks[i]
            mark = i
    return found


def text_of_runs(Tables tables not None, Py_ssize_t first, Py_ssize_t end):
    """Returns the text of some runs, at least one, without white space around it.

    Raises:
        IndexError: there are no such runs.
    """
    cdef const tables_t* t = &tables.t
    if not 0 <= first < end <= t.n_runs:
        raise IndexError(first, end)
    cdef uint32_t start = t.runs[first].start
    return PyUnicode_DecodeUTF8(<const char*> t.text + start, t.runs[end - 1].end - start, "replace").strip()


def tags_around(Tables tables not None, Py_ssize_t element):
    """Returns the tags of an element and of those around it, from the inside out; none for -1."""
    cdef const tables_t* t = &tables.t
    found = []
    while 0 <= element < t.n_elements:
        found.append(t.elements[element].tag)
        element = t.elements[element].parent
    return found


def element_at(Tables tables not None, Py_ssize_t element):
    """Returns (tag, parent, first run, end of runs) of an element. Raises IndexError."""
    if not 0 <= element < tables.t.n_elements:
        raise IndexError(element)
    cdef const element_t* e = &tables.t.elements[element]
    return e.tag, e.parent, e.first_run, e.last_run


def segment_at(Tables tables not None, Py_ssize_t segment):
    """Returns (innermost element, first run, end of runs) of a segment. Raises IndexError."""
    if not 0 <= segment < tables.t.n_segments:
        raise IndexError(segment)
    cdef const segment_t* s = &tables.t.segments[segment]
    return s.element, s.first_run, s.last_run + 1


def segment_of(Tables tables not None, Py_ssize_t run):
    """Returns the segment of a run. Raises IndexError."""
    if not 0 <= run < tables.t.n_runs:
        raise IndexError(run)
    return tables.t.runs[run].segment


def images_of(Tables tables not None, mask not None, tuple names not None=()):
    """Returns the images that may be written in the order of the page.

    Of a page, most images belong to text that is removed; these are returned only if one of `names`, or its end, is in
    their address.

    Returns:
        A list of (mark, source as written or empty, alternative text, kept run that follows, what each `srcset` before
        it says, mark of the link around it if this has no kept text, else -1, how surely it belongs to kept text: 2,
        1 if its address decides, 0 or less).
    """
    cdef const uint8_t[::1] kept = _mask_of(tables, mask)
    cdef const tables_t* t = &tables.t
    cdef const mark_t* mark
    cdef Py_ssize_t i
    cdef uint32_t run = 0
    cdef blocks_t blocks
    memset(&blocks, 0, sizeof(blocks))
    blocks.t = t
    blocks.kept = &kept[0] if kept.shape[0] else NULL
    blocks.whole = mask.all()
    found = []
    sets = []
    for i in range(t.n_marks):
        mark = &t.marks[i]
        if mark.kind == MARK_SOURCES:
            sets.append(mark_text(t, mark))
        elif mark.kind == MARK_IMAGE and i + 1 < t.n_marks:
            run = max(run, mark.run)
            while run < <uint32_t> t.n_runs and not kept[t.runs[run].segment]:
                run += 1
            source = mark_text(t, mark)
            # players have one title for all of them, which does not tell copies
            alt = b"" if is_media(t, i) else mark_text(t, mark + 1)
            surely = may_be_written(&blocks, mark)
            if surely > 0 or any(name in each for name in names for each in (source, *sets)):
                found.append((i, source, alt, run, sets, link_around(t, blocks.kept, i), surely))
            sets = []
    return found
