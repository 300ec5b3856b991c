"""Makes the tree of kept blocks: what is not kept leaves no node behind.

A node is made when the first kept segment inside of its element comes. So the nodes are in the order of the page, and
all nodes of a block follow it.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from ncleaner.document._growing cimport grow
from ncleaner.document._marks cimport MARK_IMAGE
from ncleaner.document._tables cimport element_t, segment_t, tables_t
from ncleaner.document._tags cimport (
    TAG_BLOCKQUOTE, TAG_CAPTION, TAG_DD, TAG_DIR, TAG_DL, TAG_DT, TAG_H1, TAG_H6, TAG_LI, TAG_MENU, TAG_OL,
    TAG_PLAINTEXT, TAG_PRE, TAG_TABLE, TAG_TD, TAG_TH, TAG_TR, TAG_UL,
)
from ncleaner.markup._grid cimport find_tables
from ncleaner.markup._sheet cimport (
    ALONE, CAPTION, CELL, CODE, DATA, DEEPEST, DETAIL, GUTTER, HEAD, HEADING, IMPLIED, IN_HEAD, ITEM, LIST, LOOSE, NOTE,
    ORDERED, PARAGRAPH, PICTURE, QUOTE, ROW, SINGLE, TABLE, TERM, TERMS, element_of, first_run_of, node_t, place_t,
    read_marks, sheet_t,
)
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport is_white

cdef enum:
    NO_BOX = -1
    # Nodes that are open at once: an item or a definition may be implied for each of the others.
    FRAMES = 2 * DEEPEST + 16

# A node that is open.
cdef struct frame_t:
    int32_t node
    int32_t element      # -1 if no element has it
    int32_t child        # the last node inside of it, -1 for none

cdef struct stack_t:
    frame_t frames[FRAMES]
    int32_t n


cdef int _kind_of(const sheet_t* sheet, int32_t e) noexcept nogil:
    """Returns the node that an element may become, or NO_BOX."""
    return NOTE if sheet.places[e].note else _kind_of_tag(sheet, e)


cdef int _kind_of_tag(const sheet_t* sheet, int32_t e) noexcept nogil:
    cdef int tag = sheet.t.elements[e].tag
    cdef int32_t table
    if TAG_H1 <= tag <= TAG_H6:
        return HEADING
    if tag == TAG_UL or tag == TAG_OL or tag == TAG_MENU or tag == TAG_DIR:
        return LIST
    if tag == TAG_LI:
        return ITEM
    if tag == TAG_BLOCKQUOTE:
        return QUOTE
    if TAG_PRE <= tag <= TAG_PLAINTEXT:
        return CODE
    if tag == TAG_DL:
        return TERMS
    if tag == TAG_DT:
        return TERM
    if tag == TAG_DD:
        return DETAIL
    if tag != TAG_TABLE and tag != TAG_TR and tag != TAG_TD and tag != TAG_TH and tag != TAG_CAPTION:
        return NO_BOX
    table = sheet.places[e].table
    if table < 0 or not sheet.places[table].flags & DATA:
        return NO_BOX
    if tag == TAG_TABLE:
        return TABLE
    if tag == TAG_TR:
        return ROW
    return CAPTION if tag == TAG_CAPTION else CELL


cdef void _find_boxes(sheet_t* sheet) noexcept nogil:
    cdef Py_ssize_t e
    cdef int32_t parent
    for e in range(sheet.t.n_elements):
        parent = sheet.t.elements[e].parent
        if _kind_of(sheet, <int32_t> e) != NO_BOX:
            sheet.places[e].box = <int32_t> e
        else:
            sheet.places[e].box = sheet.places[parent].box if 0 <= parent < e else -1


cdef node_t* _add(sheet_t* sheet, stack_t* stack, int kind, int32_t element) noexcept nogil:
    """Adds a node inside of the innermost open one."""
    cdef node_t* node
    cdef frame_t* top = &stack.frames[stack.n - 1]
    if not grow(<void**> &sheet.nodes, &sheet.cap_nodes, sheet.n_nodes + 1, sizeof(node_t), &sheet.no_memory):
        return NULL
    node = &sheet.nodes[sheet.n_nodes]
    node.kind = kind
    node.depth = stack.n - 1
    node.parent = top.node
    node.element = element
    node.first = node.last = -1
    node.number = node.flags = 0
    top.child = <int32_t> sheet.n_nodes
    sheet.n_nodes += 1
    return node


cdef void _push(sheet_t* sheet, stack_t* stack, int32_t node, int32_t element) noexcept nogil:
    cdef frame_t* frame = &stack.frames[stack.n]
    frame.node = node
    frame.element = element
    frame.child = -1
    stack.n += 1
    if element >= 0:
        sheet.places[element].frame = stack.n


cdef inline int _top(const sheet_t* sheet, const stack_t* stack) noexcept nogil:
    """Returns the kind of the innermost open node, NO_BOX for none."""
    cdef int32_t node = stack.frames[stack.n - 1].node
    return sheet.nodes[node].kind if node >= 0 else NO_BOX


cdef void _open_implied(sheet_t* sheet, stack_t* stack, int kind) noexcept nogil:
    """Opens a node that the page does not have: a list around an item, an item or a definition around other nodes.

    Goes on with the last one, if it is of this kind: an item without a list is one more item of the list before, and
    a list inside of a list belongs to the item before."""
    cdef frame_t* top = &stack.frames[stack.n - 1]
    cdef node_t* node
    if top.child >= 0 and sheet.nodes[top.child].kind == kind \
            and (kind != LIST or sheet.nodes[top.child].flags & IMPLIED):
        _push(sheet, stack, top.child, -1)
        # what was inside of it is complete
        return
    node = _add(sheet, stack, kind, -1)
    if node == NULL:
        return
    if kind == LIST:
        node.flags = IMPLIED
    elif kind == ITEM:
        node.number = 1
    _push(sheet, stack, <int32_t> sheet.n_nodes - 1, -1)


cdef void _make_room(sheet_t* sheet, stack_t* stack, int kind) noexcept nogil:
    """Opens what has to be between the innermost open node and a node of a kind."""
    cdef int top = _top(sheet, stack)
    if top == LIST and kind != ITEM and kind != NOTE:
        _open_implied(sheet, stack, ITEM)
    elif top == TERMS and kind != TERM and kind != DETAIL:
        _open_implied(sheet, stack, DETAIL)


cdef bint _may_open(const sheet_t* sheet, const stack_t* stack, int kind) noexcept nogil:
    """Returns whether a node may be inside of the innermost open one."""
    cdef int top = _top(sheet, stack)
    cdef int32_t i
    if top == HEADING or top == CODE or top == CAPTION or top == TERM:
        return False
    if kind == TERM or kind == DETAIL:
        return top == TERMS
    if kind == ROW:
        return top == TABLE
    if kind == CELL:
        return top == ROW
    if kind == CAPTION:
        return top == TABLE
    if kind == NOTE:
        return stack.n == 1 or stack.n == 2 and top == LIST
    if kind == ITEM and top == LIST:
        return True
    if stack.n > DEEPEST:
        return kind == CODE
    if kind == HEADING or kind == QUOTE or kind == TERMS or kind == TABLE:
        for i in range(stack.n):
            if stack.frames[i].node >= 0 and sheet.nodes[stack.frames[i].node].kind == CELL:
                return False
    return True


cdef void _open(sheet_t* sheet, stack_t* stack, int32_t e) noexcept nogil:
    """Opens the node of an element, if there may be one here; else the innermost open node is also that of the
    element."""
    cdef int kind = _kind_of(sheet, e)
    cdef place_t* place = &sheet.places[e]
    cdef int tag = sheet.t.elements[e].tag
    cdef node_t* node
    if kind == NOTE and not _may_open(sheet, stack, kind):
        kind = _kind_of_tag(sheet, e)
    if kind == NO_BOX or not _may_open(sheet, stack, kind):
        place.frame = stack.n
        return
    if kind == ITEM and _top(sheet, stack) != LIST:
        _open_implied(sheet, stack, LIST)
    _make_room(sheet, stack, kind)
    node = _add(sheet, stack, kind, e)
    if node == NULL:
        return
    if kind == HEADING:
        node.number = tag - TAG_H1 + 1
    elif kind == LIST:
        node.flags = ORDERED if tag == TAG_OL else 0
    elif kind == ITEM or kind == ROW:
        node.number = place.number
    elif kind == CELL:
        node.flags = HEAD if tag == TAG_TH or place.flags & IN_HEAD else 0
    elif kind == NOTE:
        node.number = place.note - 1
    _push(sheet, stack, <int32_t> sheet.n_nodes - 1, e)


cdef void _open_all(sheet_t* sheet, stack_t* stack, int32_t element) noexcept nogil:
    """Closes the open nodes that are not around an element, and opens those that are."""
    cdef int32_t path[FRAMES]
    cdef int32_t e = sheet.places[element].box if element >= 0 else -1
    cdef int32_t depth, n = 0, level
    # the path from the element to the first open node around it; beyond the deepest nodes, only the outer ones count
    while e >= 0 and not _is_open(sheet, stack, e):
        path[n % FRAMES] = e
        n += 1
        e = _around(sheet, e)
    depth = sheet.places[e].frame if e >= 0 else 1
    stack.n = depth
    level = n
    while level > 0 and level > n - FRAMES:
        level -= 1
        _open(sheet, stack, path[level % FRAMES])
    if n > FRAMES:
        # so that the way to an open node is short for the next segment, too
        e = sheet.places[element].box
        while e >= 0 and not _is_open(sheet, stack, e):
            sheet.places[e].frame = stack.n
            e = _around(sheet, e)


cdef inline int32_t _around(const sheet_t* sheet, int32_t e) noexcept nogil:
    cdef int32_t parent = sheet.t.elements[e].parent
    return sheet.places[parent].box if 0 <= parent < e else -1


cdef inline bint _is_open(const sheet_t* sheet, const stack_t* stack, int32_t e) noexcept nogil:
    """Returns whether the node of an element is open, or another one in its place."""
    cdef int32_t frame = sheet.places[e].frame
    return 0 < frame <= stack.n


cdef bint _continues(const sheet_t* sheet, Py_ssize_t segment) noexcept nogil:
    """Returns whether a segment is one more line of the paragraph before: only one <br> is between them."""
    cdef const node_t* node
    cdef const segment_t* s = &sheet.t.segments[segment]
    cdef int32_t run = first_run_of(sheet, segment)
    if not sheet.n_nodes or run < 0:
        return False
    node = &sheet.nodes[sheet.n_nodes - 1]
    return (
        node.kind == PARAGRAPH and node.last == segment - 1 and not s.opened and not s.closed
        and sheet.extras[run].breaks == 1 and s.element == sheet.t.segments[segment - 1].element
    )


cdef void _add_segment(sheet_t* sheet, stack_t* stack, Py_ssize_t segment) noexcept nogil:
    cdef node_t* node
    cdef int top
    _open_all(sheet, stack, element_of(sheet, segment))
    top = _top(sheet, stack)
    if top == HEADING or top == CODE or top == CAPTION or top == TERM:
        node = &sheet.nodes[stack.frames[stack.n - 1].node]
    else:
        if _continues(sheet, segment):
            sheet.nodes[sheet.n_nodes - 1].last = <int32_t> segment
            return
        _make_room(sheet, stack, PARAGRAPH)
        node = _add(sheet, stack, PARAGRAPH, -1)
        if node == NULL:
            return
    if node.first < 0:
        node.first = <int32_t> segment
    node.last = <int32_t> segment


# --------------------------------------------------------------------------------------------------
# Images on their own.

cdef bint _is_among_kept(const sheet_t* sheet, int32_t run, int32_t element) noexcept nogil:
    """Returns whether an image before a run belongs to kept text.

    Its neighbours are the segments before and after it, as far as they are inside of the innermost block that has any
    text. There have to be some, and all of them are kept."""
    cdef const element_t* e
    cdef bint found = False
    cdef int levels = 0
    while element >= 0 and sheet.t.elements[element].first_run == sheet.t.elements[element].last_run:
        element = sheet.t.elements[element].parent
        levels += 1
    if element < 0 or levels > FRAMES:
        return False
    e = &sheet.t.elements[element]
    if run > e.first_run:
        if not sheet.kept[sheet.t.runs[run - 1].segment]:
            return False
        found = True
    if run < e.last_run:
        if not sheet.kept[sheet.t.runs[run].segment]:
            return False
        found = True
    return found


cdef Py_ssize_t _add_pictures(
    sheet_t* sheet, stack_t* stack, Py_ssize_t mark, int32_t until, int32_t element
) noexcept nogil:
    """Adds the images up to a run that are not inside of a paragraph; returns the first mark after them.

    Args:
        mark: the first mark that has not been looked at.
        until: the run.
        element: its block; an image in it stands in its line. -1 for none.
    """
    cdef const tables_t* t = sheet.t
    cdef int32_t run, place
    cdef node_t* node
    while mark < t.n_marks and t.marks[mark].run <= <uint32_t> until:
        run = <int32_t> t.marks[mark].run
        place = t.marks[mark].element
        if t.marks[mark].kind == MARK_IMAGE and run <= t.n_runs and 0 <= place < t.n_elements \
                and not (run == until and place == element) and not _is_inside(sheet, run) \
                and (sheet.places[place].cell < 0 or sheet.places[sheet.places[place].cell].segments) \
                and _is_among_kept(sheet, run, place):
            _open_all(sheet, stack, place)
            if _top(sheet, stack) > PICTURE or _top(sheet, stack) == NO_BOX:
                _make_room(sheet, stack, PICTURE)
                node = _add(sheet, stack, PICTURE, -1)
                if node != NULL:
                    node.number = <int32_t> mark
        mark += 1
    return mark


cdef inline bint _is_inside(const sheet_t* sheet, int32_t run) noexcept nogil:
    """Returns whether a place is inside of a segment."""
    return 0 < run < sheet.t.n_runs and sheet.t.runs[run].segment == sheet.t.runs[run - 1].segment


# --------------------------------------------------------------------------------------------------

cdef bint _is_gutter(const sheet_t* sheet, const node_t* node, const node_t* following) noexcept nogil:
    """Returns whether preformatted text is only the numbers of the lines of the next one, in a table for both."""
    cdef int32_t table
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef int64_t number, before = -1
    cdef Py_ssize_t i
    if node.kind != CODE or following.kind != CODE or node.parent != following.parent:
        return False
    table = sheet.places[node.element].table
    if table < 0 or table != sheet.places[following.element].table:
        return False
    for i in range(node.first, node.last + 1):
        p = sheet.t.text + sheet.t.segments[i].start
        end = sheet.t.text + sheet.t.segments[i].end
        while p < end:
            if is_white(p[0]):
                p += 1
                continue
            number = 0
            while p < end and is_digit(p[0]) and number < 1_000_000:
                number = 10 * number + p[0] - c'0'
                p += 1
            if p < end and not is_white(p[0]) or before >= 0 and number != before + 1:
                return False
            before = number
    return before >= 0


cdef void _judge(sheet_t* sheet) noexcept nogil:
    """Finds what depends on all nodes inside of a node: loose lists, definitions without a term, numbers of lines."""
    cdef node_t* nodes = sheet.nodes
    cdef node_t* node
    cdef node_t* around
    cdef Py_ssize_t i
    for i in range(<Py_ssize_t> sheet.n_nodes):
        node = &nodes[i]
        if i + 1 < <Py_ssize_t> sheet.n_nodes and _is_gutter(sheet, node, &nodes[i + 1]):
            node.flags |= GUTTER
        if node.parent < 0:
            continue
        around = &nodes[node.parent]
        if around.kind == ITEM:
            # `last` counts the nodes of an item
            if around.last == -1:
                around.flags |= SINGLE
            else:
                around.flags &= ~SINGLE
            around.last -= 1
            if around.parent >= 0 and nodes[around.parent].kind == LIST:
                if not (node.kind == PARAGRAPH and around.last == -2 or node.kind == LIST):
                    nodes[around.parent].flags |= LOOSE
                elif node.kind == LIST and node.flags & ORDERED and around.last < -2 \
                        and i + 1 < <Py_ssize_t> sheet.n_nodes and nodes[i + 1].number != 1:
                    # such a list does not begin in the line after a paragraph
                    nodes[around.parent].flags |= LOOSE
        elif around.kind == DETAIL or around.kind == CELL or around.kind == NOTE:
            if around.last == -1:
                around.flags |= SINGLE
            else:
                around.flags &= ~SINGLE
            around.last -= 1
        elif around.kind == TERMS:
            if node.kind == DETAIL and around.last == -1:
                node.flags |= ALONE
            # a term stands before all that follows; definitions before it have none
            around.last = -2 if node.kind == TERM else around.last


cdef void outline(sheet_t* sheet) noexcept nogil:
    """Makes the nodes of a page."""
    cdef stack_t stack
    cdef Py_ssize_t i, mark = 0
    cdef int32_t run
    read_marks(sheet)
    find_tables(sheet)
    _find_boxes(sheet)
    stack.n = 0
    _push(sheet, &stack, -1, -1)
    for i in range(sheet.t.n_segments):
        if not sheet.kept[i]:
            continue
        run = first_run_of(sheet, i)
        if sheet.images and run >= 0:
            mark = _add_pictures(sheet, &stack, mark, run, element_of(sheet, i))
        _add_segment(sheet, &stack, i)
        if sheet.no_memory:
            return
    if sheet.images:
        _add_pictures(sheet, &stack, mark, <int32_t> sheet.t.n_runs, -1)
    _judge(sheet)
