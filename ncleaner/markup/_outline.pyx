"""The tree of the kept blocks of a page.

A node of the tree is made when the first kept segment inside of its element comes. So the nodes are in the order of
the page, all nodes of a block follow it, and what is not kept leaves no node behind.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memset

from ncleaner.document._marks cimport MARK_IMAGE, MARK_RULE
from ncleaner.document._tables cimport CAPTION as ZONE_CAPTION, element_t, grow, mark_t, segment_t, tables_t
from ncleaner.document._tags cimport (
    MAX_TAGS, TAG_ASIDE, TAG_BLOCKQUOTE, TAG_DD, TAG_DT, TAG_FIGCAPTION, TAG_FIGURE, TAG_FOOTER, TAG_H1, TAG_NAV,
    TAG_OL, TAG_TABLE, TAG_TH,
)
from ncleaner.markup._blocks cimport (
    ALONE, CAPTION, CELL, CODE, DATA, DEEPEST, DETAIL, FOR_POST, HAS_VALUE, HEAD, HEADING, IMPLIED, IN_HEAD, ITEM, LIST,
    LOOSE, NOTE, ORDERED, PARAGRAPH, PICTURE, QUOTE, ROW, RULE, SINGLE, TABLE, TERM, TERMS, TITLE, element_of,
    first_run_of, block_t, place_t, read_sheet, blocks_t,
)
from ncleaner.text._ascii cimport lower

from ncleaner.document.tags import CODE as TAG_CODES
from ncleaner.document.tags import CUES

cdef enum:
    NO_BOX = -1
    # Nodes that are open at once: an item or a definition may be implied for each of the others.
    FRAMES = 2 * DEEPEST + 16
    FIGURE_LEVELS = 8     # between an image and its figure
    CLOSE = 6             # segments between an image and the text that it belongs to

# Cues of blocks that are no part of the text, and of those among them whose images never are.
cdef uint32_t cues_of_advert, cues_beside, cues_over
cues_over = 1 << CUES.index("overlay")
cues_of_advert = sum(1 << CUES.index(_name) for _name in ("advert", "share", "consent"))
cues_beside = cues_of_advert | sum(1 << CUES.index(_name) for _name in ("navigation", "footer", "related", "comment"))

# The node that an element with a tag may become.
cdef int8_t box_of_tag[MAX_TAGS]


cdef void _fill_boxes():
    memset(box_of_tag, NO_BOX, sizeof(box_of_tag))
    for names, kind in (
        ("h1 h2 h3 h4 h5 h6", HEADING), ("ul ol menu dir", LIST), ("li", ITEM), ("blockquote", QUOTE), ("dl", TERMS),
        ("dt", TERM), ("dd", DETAIL), ("pre listing xmp plaintext", CODE), ("table", TABLE), ("tr", ROW),
        ("td th", CELL), ("caption", CAPTION),
    ):
        for name in names.split():
            box_of_tag[<int> TAG_CODES[name]] = kind

_fill_boxes()

# A node that is open.
cdef struct frame_t:
    int32_t node
    int32_t element      # -1 if no element has it

cdef struct stack_t:
    frame_t frames[FRAMES]
    int32_t n


cdef int _kind_of(const blocks_t* blocks, int32_t e) noexcept nogil:
    """Returns the node that an element may become, or NO_BOX."""
    if blocks.places[e].flags & FOR_POST:
        return NO_BOX
    if blocks.places[e].note:
        return NOTE
    if blocks.places[e].heading:
        return HEADING
    return QUOTE if blocks.places[e].callout else _kind_of_tag(blocks, e)


cdef int _kind_of_tag(const blocks_t* blocks, int32_t e) noexcept nogil:
    cdef int kind = box_of_tag[blocks.t.elements[e].tag]
    cdef int32_t table = blocks.places[e].table
    # only of a table that is written as one
    if (TABLE <= kind <= CELL or kind == CAPTION) and (table < 0 or not blocks.places[table].flags & DATA):
        return NO_BOX
    return kind


cdef void _find_boxes(blocks_t* blocks) noexcept nogil:
    cdef const element_t* elements = blocks.t.elements
    cdef int32_t e, quote = -1
    for e in range(<int32_t> blocks.t.n_elements):
        blocks.places[e].box = e if _kind_of(blocks, e) != NO_BOX else _around(blocks, e)
        if elements[e].tag == TAG_BLOCKQUOTE:
            quote = e
        elif elements[e].tag == TAG_FIGCAPTION and quote >= 0 and elements[e].parent == elements[quote].parent:
            # the source of a quotation is its last line
            blocks.places[e].box = quote


cdef block_t* _add(blocks_t* blocks, stack_t* stack, int kind, int32_t element) noexcept nogil:
    """Adds a node inside of the innermost open one."""
    cdef frame_t* top = &stack.frames[stack.n - 1]
    if not grow(<void**> &blocks.nodes, &blocks.cap_nodes, blocks.n_nodes + 1, sizeof(block_t), &blocks.no_memory):
        return NULL
    cdef block_t* node = &blocks.nodes[blocks.n_nodes]
    node.kind = kind
    node.depth = stack.n - 1
    node.parent = top.node
    node.element = element
    node.first = node.last = -1
    node.number = node.flags = 0
    blocks.n_nodes += 1
    return node


cdef void _push(blocks_t* blocks, stack_t* stack, int32_t node, int32_t element) noexcept nogil:
    stack.frames[stack.n] = frame_t(node, element)
    stack.n += 1
    if element >= 0:
        blocks.places[element].frame = stack.n


cdef inline int _top(const blocks_t* blocks, const stack_t* stack) noexcept nogil:
    """Returns the kind of the innermost open node, NO_BOX for none."""
    cdef int32_t node = stack.frames[stack.n - 1].node
    return blocks.nodes[node].kind if node >= 0 else NO_BOX


cdef int32_t _last_inside(const blocks_t* blocks, const stack_t* stack) noexcept nogil:
    """Returns the last node directly inside of the innermost open one, -1 for none."""
    cdef int32_t around = stack.frames[stack.n - 1].node
    cdef int32_t node = <int32_t> blocks.n_nodes - 1
    while node > around and blocks.nodes[node].parent != around:
        node = blocks.nodes[node].parent
    return node if node > around else -1


cdef bint _reopen(blocks_t* blocks, stack_t* stack, int kind, int32_t mask, int32_t flags) noexcept nogil:
    """Opens the last node inside of the innermost open one again, if it is of a kind and has these flags of a mask;
    returns whether it is. What was inside of it is complete."""
    cdef int32_t node = _last_inside(blocks, stack)
    if node < 0 or blocks.nodes[node].kind != kind or blocks.nodes[node].flags & mask != flags:
        return False
    _push(blocks, stack, node, -1)
    return True


cdef bint _goes_on(const blocks_t* blocks, const stack_t* stack, int32_t list_) noexcept nogil:
    """Returns whether a list is more of the list before it, as Notion has them: a list for each item.

    The page has nothing between them, and one of both has a single item, or goes on with the numbers."""
    cdef int32_t node = _last_inside(blocks, stack)
    cdef int32_t before = blocks.nodes[node].element if node >= 0 and blocks.nodes[node].kind == LIST else -1
    if before < 0 or blocks.t.elements[before].last_run != blocks.t.elements[list_].first_run:
        return False
    if blocks.t.elements[list_].tag == TAG_OL:
        return list_ + 1 < blocks.t.n_elements and blocks.places[list_ + 1].number == blocks.places[before].number
    # the number of a list is that after its last item
    return blocks.places[list_].number == 2 or blocks.places[before].number == 2


cdef bint _descends(blocks_t* blocks, stack_t* stack, int kind, int level) noexcept nogil:
    """Opens the last list or item inside of the innermost open node again, if its own level is above another one."""
    cdef int32_t element
    if not _reopen(blocks, stack, kind, 0, 0):
        return False
    element = blocks.nodes[stack.frames[stack.n - 1].node].element
    if element >= 0 and blocks.places[element].level >= level:
        stack.n -= 1
        return False
    return True


cdef void _open_implied(blocks_t* blocks, stack_t* stack, int kind, int32_t flags=0) noexcept nogil:
    """Opens a node that the page does not have: a list around an item, an item or a definition around other nodes.

    Goes on with the last one, if it is of this kind: an item without a list is one more item of the list before, and
    a list inside of a list belongs to the item before."""
    if kind == LIST:
        flags |= IMPLIED
    if _reopen(blocks, stack, kind, ORDERED | IMPLIED, flags):
        return
    cdef block_t* node = _add(blocks, stack, kind, -1)
    if node == NULL:
        return
    node.flags = flags
    if kind == ITEM:
        node.number = 1
    _push(blocks, stack, <int32_t> blocks.n_nodes - 1, -1)


cdef void _make_room(blocks_t* blocks, stack_t* stack, int kind) noexcept nogil:
    """Opens what must be between the innermost open node and a node of a kind."""
    cdef int top = _top(blocks, stack)
    if top == LIST and kind != ITEM and kind != NOTE:
        _open_implied(blocks, stack, ITEM)
    elif top == TERMS and kind != TERM and kind != DETAIL and kind != NOTE:
        _open_implied(blocks, stack, DETAIL)


cdef bint _may_open(const blocks_t* blocks, const stack_t* stack, int kind) noexcept nogil:
    """Returns whether a node may be inside of the innermost open one."""
    cdef int top = _top(blocks, stack)
    cdef int32_t i
    if top == HEADING or top == CODE or top == CAPTION or top == TERM:
        return False
    if kind == TERM or kind == DETAIL:
        return top == TERMS
    if kind == ROW or kind == CAPTION:
        return top == TABLE
    if kind == CELL:
        return top == ROW
    if kind == NOTE:
        return stack.n == 1 or stack.n == 2 and (top == LIST or top == TERMS)
    if kind == ITEM and top == LIST:
        return True
    if stack.n > DEEPEST:
        return kind == CODE
    if kind == HEADING or kind == QUOTE or kind == TERMS or kind == TABLE:
        for i in range(stack.n):
            if stack.frames[i].node >= 0 and blocks.nodes[stack.frames[i].node].kind == CELL:
                return False
    return True


cdef void _open(blocks_t* blocks, stack_t* stack, int32_t e) noexcept nogil:
    """Opens the node of an element, if there may be one here; else the innermost open node is also that of the
    element."""
    cdef int kind = _kind_of(blocks, e)
    cdef place_t* place = &blocks.places[e]
    cdef int tag = blocks.t.elements[e].tag
    if kind == NOTE and not _may_open(blocks, stack, kind):
        kind = _kind_of_tag(blocks, e)
    if kind == NO_BOX or not _may_open(blocks, stack, kind):
        place.frame = stack.n
        return
    cdef int32_t flags = ORDERED if kind == LIST and tag == TAG_OL else 0
    cdef int _level
    for _level in range(1, place.level):
        if not (_descends(blocks, stack, LIST, place.level) and _descends(blocks, stack, ITEM, place.level)):
            break
    if kind == ITEM and _top(blocks, stack) != LIST:
        _open_implied(blocks, stack, LIST, ORDERED if place.flags & HAS_VALUE else 0)
    elif kind == LIST and (place.level or _goes_on(blocks, stack, e)) and _reopen(blocks, stack, LIST, ORDERED, flags):
        blocks.nodes[stack.frames[stack.n - 1].node].element = e
        place.frame = stack.n
        return
    _make_room(blocks, stack, kind)
    cdef int32_t last = _last_inside(blocks, stack)
    cdef block_t* node = _add(blocks, stack, kind, e)
    if node == NULL:
        return
    if kind == HEADING:
        node.number = place.heading if place.heading else tag - TAG_H1 + 1
    elif kind == LIST:
        node.flags = ORDERED if tag == TAG_OL else 0
    elif kind == ITEM and place.flags & HAS_VALUE and not place.number:
        node.number = 1 + (blocks.nodes[last].number if last >= 0 else 0)
    elif kind == ITEM or kind == ROW:
        node.number = place.number
    elif kind == CELL:
        node.flags = HEAD if tag == TAG_TH or place.flags & IN_HEAD else 0
    elif kind == NOTE:
        node.number = place.note - 1
    _push(blocks, stack, <int32_t> blocks.n_nodes - 1, e)


cdef bint _has_lost_its_text(const blocks_t* blocks, const stack_t* stack, int32_t item, int32_t inside) noexcept nogil:
    """Returns whether all text of an item before the list in it is removed, so that its own items take its place."""
    cdef const element_t* elements = blocks.t.elements
    return (
        _kind_of(blocks, item) == ITEM and _kind_of(blocks, inside) == LIST and _top(blocks, stack) == LIST
        and elements[item].first_run < elements[inside].first_run
        and (elements[inside].tag == TAG_OL) == (blocks.nodes[stack.frames[stack.n - 1].node].flags & ORDERED > 0)
    )


cdef void _open_all(blocks_t* blocks, stack_t* stack, int32_t element) noexcept nogil:
    """Closes the open nodes that are not around an element, and opens those that are."""
    cdef int32_t path[FRAMES]
    cdef int32_t e = blocks.places[element].box if element >= 0 else -1
    cdef int32_t depth, n = 0, level
    # the path from the element to the first open node around it; beyond the deepest nodes, only the outer ones count
    while e >= 0 and not _is_open(blocks, stack, e):
        path[n % FRAMES] = e
        n += 1
        e = _around(blocks, e)
    depth = blocks.places[e].frame if e >= 0 else 1
    stack.n = depth
    level = n
    while level > 0 and level > n - FRAMES:
        level -= 1
        if level and n <= FRAMES and _has_lost_its_text(blocks, stack, path[level], path[level - 1]):
            # its place is that of the list around it
            blocks.places[path[level]].frame = blocks.places[path[level - 1]].frame = stack.n
            level -= 1
            continue
        _open(blocks, stack, path[level % FRAMES])
    if n > FRAMES:
        # so that the way to an open node is short for the next segment, too
        e = blocks.places[element].box
        while e >= 0 and not _is_open(blocks, stack, e):
            blocks.places[e].frame = stack.n
            e = _around(blocks, e)


cdef inline int32_t _around(const blocks_t* blocks, int32_t e) noexcept nogil:
    cdef int32_t parent = blocks.t.elements[e].parent
    return blocks.places[parent].box if 0 <= parent < e else -1


cdef inline bint _is_open(const blocks_t* blocks, const stack_t* stack, int32_t e) noexcept nogil:
    """Returns whether the node of an element is open, or another one in its place."""
    cdef int32_t frame = blocks.places[e].frame
    return 0 < frame <= stack.n


cdef bint _continues(const blocks_t* blocks, Py_ssize_t segment) noexcept nogil:
    """Returns whether a segment is one more line of the paragraph before: only one <br> is between them."""
    cdef const segment_t* s = &blocks.t.segments[segment]
    cdef int32_t run = first_run_of(blocks, segment)
    if not blocks.n_nodes or run < 0:
        return False
    cdef const block_t* node = &blocks.nodes[blocks.n_nodes - 1]
    return (
        node.kind == PARAGRAPH and node.last == segment - 1 and not s.opened and not s.closed
        and blocks.extras[run].breaks == 1 and s.element == blocks.t.segments[segment - 1].element
    )


cdef void _add_segment(blocks_t* blocks, stack_t* stack, Py_ssize_t segment) noexcept nogil:
    cdef block_t* node
    _open_all(blocks, stack, element_of(blocks, segment))
    if blocks.notes != NULL and blocks.notes[segment] and _may_open(blocks, stack, NOTE):
        node = _add(blocks, stack, NOTE, -1)
        if node == NULL:
            return
        node.number = blocks.notes[segment] - 1
        _push(blocks, stack, <int32_t> blocks.n_nodes - 1, -1)
    cdef int top = _top(blocks, stack)
    if top == HEADING or top == CODE or top == CAPTION or top == TERM:
        node = &blocks.nodes[stack.frames[stack.n - 1].node]
    else:
        if _continues(blocks, segment):
            blocks.nodes[blocks.n_nodes - 1].last = <int32_t> segment
            return
        _make_room(blocks, stack, PARAGRAPH)
        node = _add(blocks, stack, PARAGRAPH, -1)
        if node == NULL:
            return
        if top == NO_BOX and segment == blocks.headline:
            node.kind = HEADING
            node.number = 1
    if node.first < 0:
        node.first = <int32_t> segment
    node.last = <int32_t> segment


# --------------------------------------------------------------------------------------------------
# Images on their own.

cdef int _is_among_kept(const blocks_t* blocks, int32_t run, int32_t element) noexcept nogil:
    """Returns how surely an image before a run belongs to kept text: -1 for never, 0, 1 or 2.

    Its neighbours are the segments before and after it, as far as they are inside of the innermost block that has any
    text besides that of its figure and captions that are removed; those of a block beside the text, such as related
    links, do not count. There must be some, unless nothing of the page is removed. 2: all of them are kept; 1: one of
    two."""
    cdef const tables_t* t = blocks.t
    cdef int32_t before = run, after = run
    cdef int levels = 0
    cdef bint has_before, has_after
    cdef int32_t figure = element
    while figure >= 0 and levels < FIGURE_LEVELS and t.elements[figure].tag != TAG_FIGURE:
        figure = t.elements[figure].parent
        levels += 1
    if figure >= 0 and levels < FIGURE_LEVELS and t.elements[figure].last_run - t.elements[figure].first_run < FRAMES:
        # a caption without a tag, names of photographers and buttons are in it
        before, after = t.elements[figure].first_run, t.elements[figure].last_run
        for run in range(before, after):
            if blocks.kept[t.runs[run].segment]:
                return 2
        run = before
    levels = 0
    while before > 0 and run - before < FRAMES and _is_removed_caption(blocks, before - 1):
        before -= 1
    while after < t.n_runs and after - run < FRAMES and _is_removed_caption(blocks, after):
        after += 1
    while element >= 0 and t.elements[element].first_run >= before and t.elements[element].last_run <= after:
        if t.elements[element].cues & cues_of_advert:
            return -1
        element = t.elements[element].parent
        levels += 1
    if blocks.whole:
        return 2
    if element < 0 or levels > FRAMES:
        return 0
    cdef const element_t* e = &t.elements[element]
    has_before = before > e.first_run and not _is_beside(blocks, before - 1, element)
    has_after = after < e.last_run and not _is_beside(blocks, after, element)
    levels = blocks.kept[t.runs[before - 1].segment] if has_before else 0
    levels += blocks.kept[t.runs[after].segment] if has_after else 0
    return levels if levels < <int> has_before + <int> has_after else 2 * (levels > 0)


cdef bint _is_beside(const blocks_t* blocks, int32_t run, int32_t around) noexcept nogil:
    """Returns whether a run that is removed is in a block beside the text, below a block around both."""
    cdef const tables_t* t = blocks.t
    cdef int32_t segment = t.runs[run].segment
    cdef int32_t element = t.segments[segment].element
    cdef int tag
    if blocks.kept[segment]:
        return False
    while element >= 0 and element != around:
        tag = t.elements[element].tag
        if t.elements[element].cues & cues_beside or tag == TAG_NAV or tag == TAG_ASIDE or tag == TAG_FOOTER:
            return True
        element = t.elements[element].parent
    return False


cdef inline int _stands_alone(const blocks_t* blocks, const mark_t* image) noexcept nogil:
    """Returns how surely an image is written in a block of its own."""
    if image.run > <uint32_t> blocks.t.n_runs or not 0 <= image.element < blocks.t.n_elements:
        return 0
    return _is_among_kept(blocks, <int32_t> image.run, image.element)


cdef int may_be_written(const blocks_t* blocks, const mark_t* image) noexcept nogil:
    """Returns how surely an image is written, in a line or in a block of its own: 2, 1 if it depends on its address,
    0 or -1 for never."""
    cdef const tables_t* t = blocks.t
    cdef bint follows = image.run < <uint32_t> t.n_runs and blocks.kept[t.runs[image.run].segment]
    if follows and (t.runs[image.run].element == image.element or _is_inside(blocks, <int32_t> image.run)):
        return 2
    cdef int surely = _stands_alone(blocks, image)
    return surely if surely else follows


cdef void choose_lead(blocks_t* blocks, const int32_t* marks, Py_ssize_t n) noexcept nogil:
    """Chooses the image that the page names as its own among its copies, unless one of them is among kept text.

    On pages of news, it is between the headline and the text, among dates, names and buttons that are removed. Kept
    text must follow it, and be before it, too, or close to it: in the head of a page, far from its text, is the
    logo."""
    cdef const tables_t* t = blocks.t
    cdef const mark_t* mark
    cdef Py_ssize_t first = 0, last = t.n_segments - 1, segment, i
    blocks.lead = -1
    while first <= last and not blocks.kept[first]:
        first += 1
    while last >= 0 and not blocks.kept[last]:
        last -= 1
    for i in range(n):
        mark = &t.marks[marks[i]]
        if _stands_alone(blocks, mark) > 0:
            blocks.lead = -1
            return
        segment = t.runs[mark.run].segment if mark.run < <uint32_t> t.n_runs else t.n_segments
        if blocks.lead < 0 and first - CLOSE < segment <= last:
            blocks.lead = marks[i]


cdef inline bint _is_removed_caption(const blocks_t* blocks, int32_t run) noexcept nogil:
    """Returns whether a run is removed, and in a caption or in a button over the image."""
    cdef int32_t segment = blocks.t.runs[run].segment
    cdef int32_t element = element_of(blocks, segment)
    return not blocks.kept[segment] and (
        blocks.t.segments[segment].zone == ZONE_CAPTION
        or element >= 0 and blocks.t.elements[element].cues & cues_over > 0
    )


cdef block_t* _add_alone(blocks_t* blocks, stack_t* stack, int kind, int32_t element) noexcept nogil:
    """Adds a node that has no text, in an element; returns NULL where none may be."""
    cdef int32_t box = blocks.places[element].box if element >= 0 else -1
    # it is beside a heading without text, not in it
    while box >= 0 and _kind_of(blocks, box) <= PICTURE:
        box = _around(blocks, box)
    _open_all(blocks, stack, box)
    if NO_BOX < _top(blocks, stack) <= PICTURE:
        return NULL
    _make_room(blocks, stack, PICTURE)
    return _add(blocks, stack, kind, -1)


cdef bint _is_among_text(const blocks_t* blocks, int32_t run, int32_t element) noexcept nogil:
    """Returns whether a rule is between two kept segments that follow each other in its element, and in no table; of a
    page that is kept whole, it may also be before its text and behind it."""
    cdef const tables_t* t = blocks.t
    if blocks.whole and t.n_segments and blocks.notes == NULL:
        return 0 <= element < t.n_elements and blocks.places[element].cell < 0
    return 0 <= element < t.n_elements and t.elements[element].first_run < run < t.elements[element].last_run \
        and run < t.n_runs and blocks.places[element].cell < 0 and blocks.kept[t.runs[run].segment] \
        and blocks.kept[t.runs[run - 1].segment] and not blocks.places[t.runs[run].element].note \
        and (blocks.notes == NULL or not blocks.notes[t.runs[run].segment])


cdef Py_ssize_t _add_pictures(
    blocks_t* blocks, stack_t* stack, Py_ssize_t mark, int32_t until, int32_t element
) noexcept nogil:
    """Adds the rules and images up to a run that are not inside of a paragraph; returns the first mark after them.

    Args:
        mark: the first mark that has not been looked at.
        until: the run.
        element: its block; an image in it is in its line. -1 for none.
    """
    cdef const tables_t* t = blocks.t
    cdef int32_t run, place
    cdef block_t* node
    while mark < t.n_marks and t.marks[mark].run <= <uint32_t> until:
        run = <int32_t> t.marks[mark].run
        place = t.marks[mark].element
        if t.marks[mark].kind == MARK_RULE and _is_among_text(blocks, run, place):
            _add_alone(blocks, stack, RULE, place)
        elif t.marks[mark].kind == MARK_IMAGE and blocks.addresses != NULL and blocks.addresses[mark].data != NULL \
                and run <= t.n_runs and 0 <= place < t.n_elements \
                and not (run == until and place == element) and not _is_inside(blocks, run) \
                and (blocks.places[place].cell < 0 or blocks.places[blocks.places[place].cell].segments) \
                and (mark == blocks.lead or _is_among_kept(blocks, run, place) > 0):
            node = _add_alone(blocks, stack, PICTURE, place)
            if node != NULL:
                node.number = <int32_t> mark
        mark += 1
    return mark


cdef inline bint _is_inside(const blocks_t* blocks, int32_t run) noexcept nogil:
    """Returns whether a place is inside of a segment."""
    return 0 < run < blocks.t.n_runs and blocks.t.runs[run].segment == blocks.t.runs[run - 1].segment


# --------------------------------------------------------------------------------------------------

cdef const mark_t* language_of(const blocks_t* blocks, int32_t element) noexcept nogil:
    """Returns the mark with the programming language of preformatted text, at its element or just above; or NULL.

    The parts of a table around it do not count: they put the numbers of lines beside it."""
    cdef int level = 0
    cdef int _step
    for _step in range(FRAMES):
        if element < 0 or level > 3:
            break
        if blocks.places[element].language:
            return &blocks.t.marks[blocks.places[element].language - 1]
        level += not TAG_TABLE <= blocks.t.elements[element].tag <= TAG_TH
        element = blocks.t.elements[element].parent
    return NULL


cdef const mark_t* callout_of(const blocks_t* blocks, const block_t* node) noexcept nogil:
    """Returns the mark that says which callout a quotation is; NULL for all other nodes."""
    if node.kind != QUOTE or node.element < 0 or not blocks.places[node.element].callout:
        return NULL
    return &blocks.t.marks[blocks.places[node.element].callout - 1]


cdef bint _names(const blocks_t* blocks, const block_t* node, const mark_t* name) noexcept nogil:
    """Returns whether a paragraph or a heading has only the name of the callout around it or of the language of the
    code below it: `Note`, `See also:`."""
    cdef uint32_t found = 0
    if name == NULL or node.kind != PARAGRAPH and node.kind != HEADING or node.first != node.last:
        return False
    cdef const uint8_t* p = blocks.t.text + blocks.t.segments[node.first].start
    cdef const uint8_t* end = blocks.t.text + blocks.t.segments[node.first].end
    while p < end:
        if found < name.length and lower(p[0]) == lower(blocks.t.values[name.value + found]):
            found += 1
        elif p[0] != c' ' and p[0] != c':':
            return False
        p += 1
    return found == name.length


cdef bint _lacks_term(const blocks_t* blocks, const block_t* node, const block_t* before) noexcept nogil:
    """Returns whether a definition would be read as one of another term, since its own is removed.

    Args:
        before: the node before it in its list."""
    cdef const element_t* elements = blocks.t.elements
    cdef bint is_defined = before.kind == DETAIL
    cdef int32_t e
    if before.element >= 0 and node.element >= 0:
        for e in range(before.element + 1, node.element):
            if elements[e].depth == elements[node.element].depth:
                if elements[e].tag == TAG_DT and is_defined:
                    return True
                is_defined |= elements[e].tag == TAG_DD
    return before.kind == DETAIL and before.flags & ALONE


cdef void _judge(blocks_t* blocks) noexcept nogil:
    """Finds what depends on the nodes inside of a node or before it: loose lists, lists that go on, definitions without
    a term, numbers of lines."""
    cdef block_t* nodes = blocks.nodes
    cdef block_t* node
    cdef block_t* around
    cdef Py_ssize_t i
    for i in range(<Py_ssize_t> blocks.n_nodes):
        node = &nodes[i]
        if node.kind == CODE and i and nodes[i - 1].kind == PARAGRAPH and nodes[i - 1].parent == node.parent \
                and _names(blocks, &nodes[i - 1], language_of(blocks, node.element)):
            nodes[i - 1].flags |= TITLE
        if node.parent < 0:
            continue
        around = &nodes[node.parent]
        if node.parent == i - 1 and _names(blocks, node, callout_of(blocks, around)):
            node.flags |= TITLE
        if around.kind == ITEM or around.kind == DETAIL or around.kind == CELL or around.kind == NOTE:
            # `last` counts the nodes inside
            if around.last == -1:
                around.flags |= SINGLE
            else:
                around.flags &= ~SINGLE
            around.last -= 1
            if around.kind == ITEM and around.parent >= 0 and nodes[around.parent].kind == LIST:
                if not (node.kind == PARAGRAPH and around.last == -2 or node.kind == LIST):
                    nodes[around.parent].flags |= LOOSE
                elif node.kind == LIST and node.flags & ORDERED and around.last < -2 \
                        and i + 1 < <Py_ssize_t> blocks.n_nodes and nodes[i + 1].number != 1:
                    # such a list does not begin in the line after a paragraph
                    nodes[around.parent].flags |= LOOSE
        elif around.kind == TERMS:
            if node.kind == DETAIL and (around.last == -1 or _lacks_term(blocks, node, &nodes[-2 - around.last])):
                node.flags |= ALONE
            # the node before the next one in the list
            around.last = <int32_t> (-2 - i)


cdef void _raise_headings(blocks_t* blocks) noexcept nogil:
    """Makes the highest level of the headings that are kept the first one."""
    cdef size_t i
    cdef int32_t highest = 7
    for i in range(blocks.n_nodes):
        if blocks.nodes[i].kind == HEADING:
            highest = min(highest, blocks.nodes[i].number)
    for i in range(blocks.n_nodes):
        if blocks.nodes[i].kind == HEADING:
            blocks.nodes[i].number -= highest - 1


cdef void outline(blocks_t* blocks) noexcept nogil:
    """Makes the nodes of a page."""
    cdef stack_t stack
    cdef Py_ssize_t i, mark = 0
    cdef int32_t run
    read_sheet(blocks)
    _find_boxes(blocks)
    stack.n = 0
    _push(blocks, &stack, -1, -1)
    for i in range(blocks.t.n_segments):
        if not blocks.kept[i]:
            continue
        run = first_run_of(blocks, i)
        if run >= 0:
            mark = _add_pictures(blocks, &stack, mark, run, element_of(blocks, i))
        if blocks.posts != NULL and blocks.posts[i]:
            _add_alone(blocks, &stack, RULE, blocks.posts[i] - 2)
        _add_segment(blocks, &stack, i)
        if blocks.no_memory:
            return
    _add_pictures(blocks, &stack, mark, <int32_t> blocks.t.n_runs, -1)
    _judge(blocks)
    _raise_headings(blocks)
