"""Finds sibling blocks: elements of one parent whose skeletons agree.

The *skeleton* of an element is its tag, the tags of its children that have text, and the tags of their children. Two
skeletons agree if each level differs by at most one tag, which is an optional part; elements of one class agree
whatever is inside, such as the posts of a forum. A *thin wrapper*, whose only content is one element, counts as this
element, unless it is an item. If all children of an element are siblings, as the cards in a row of a grid, those in
its siblings are siblings of theirs, too.

Paragraphs, headings and cells are not blocks. A block without blocks inside needs siblings of its class, or the tag of
an item. Time and memory are linear: one pass over the elements from the last to the first finds the skeletons, one
forward the groups. It compares each element with the first blocks of at most four groups.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from ncleaner.document._hashes cimport mix, row_of, rows_for
from ncleaner.document._tables cimport Tables, element_t, segment_t, tables_t
from ncleaner.document._tags cimport (
    CONTEXT_TIME, MAX_TAGS, TAG_ARTICLE, TAG_BODY, TAG_CAPTION, TAG_DD, TAG_DT, TAG_H1, TAG_H6, TAG_LI, TAG_P, TAG_TD,
    TAG_TH, TAG_TR,
)
from ncleaner.text._ascii cimport is_digit

from ncleaner.document import tags as _tags

cdef enum:
    # Most groups of one tag below a parent.
    GROUPS = 4
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90

cdef uint32_t of_byline = 1 << list(_tags.CUES).index("byline")
cdef uint32_t of_author = 1 << list(_tags.CUES).index("author")

cdef struct siblings_t:
    uint64_t key
    int32_t first        # element of the first block
    int32_t size
    int32_t number       # of the group, from 1 on; 0 before it has one
    int32_t met          # blocks written so far

# What is known of an element.
cdef struct node_t:
    siblings_t* group
    uint64_t children    # bits of tags, of the element or of what it wraps
    uint64_t below
    int32_t child        # its first child with text, and their number
    int32_t n
    int32_t row          # of the innermost block around it or itself, -1 for none
    int32_t heading
    uint32_t inside      # characters of its children
    uint32_t words
    uint32_t link_chars
    uint32_t facts
    uint16_t tag         # its own, or of what it wraps
    bint mixed           # its children do not all agree
    bint thin


cdef inline bint _may_be_block(int tag) noexcept nogil:
    return tag > TAG_BODY and tag != TAG_P and tag != TAG_TD and tag != TAG_TH and tag != TAG_CAPTION \
        and not TAG_H1 <= tag <= TAG_H6


cdef inline bint _is_item(int tag) noexcept nogil:
    return tag == TAG_LI or tag == TAG_DT or tag == TAG_DD or tag == TAG_TR or tag == TAG_ARTICLE


cdef inline bint _is_single(uint64_t bits) noexcept nogil:
    """Returns whether at most one bit is set."""
    return bits & (bits - 1) == 0


cdef inline bint _agree(const element_t* e, const node_t* nodes, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    """Returns whether two elements with one parent are siblings."""
    cdef const node_t* x = &nodes[a]
    cdef const node_t* y = &nodes[b]
    if x.tag != y.tag or not _may_be_block(x.tag):
        return False
    if e[a].style == e[b].style and e[a].names:
        return True
    return (_is_item(x.tag) or x.children & y.children) \
        and _is_single(x.children ^ y.children) and _is_single(x.below ^ y.below)


cdef void _read_segments(const tables_t* t, node_t* nodes) noexcept nogil:
    """Counts the segments directly in each element, and notes what they say."""
    cdef const segment_t* s
    cdef node_t* node
    cdef size_t at
    cdef Py_ssize_t i
    for i in range(t.n_elements):
        nodes[i].heading = -1
        nodes[i].facts = AUTHORED if t.elements[i].cues & of_author else 0
    for i in range(t.n_runs):
        if t.runs[i].context & (1 << CONTEXT_TIME):
            nodes[t.runs[i].element].facts |= DATED
    for i in range(t.n_segments - 1, -1, -1):
        s = &t.segments[i]
        node = &nodes[s.element]
        node.words += s.words
        node.link_chars += s.link_chars
        if s.kind == c'h':
            node.heading = <int32_t> i
        if t.elements[s.element].cues & of_byline and not node.facts & DATED:
            for at in range(s.start, s.end):
                if is_digit(t.text[at]):
                    node.facts |= DATED
                    break


cdef void _find_skeletons(const element_t* e, Py_ssize_t m, node_t* nodes) noexcept nogil:
    """Sums up what is inside of each element, from the last to the first."""
    cdef node_t* node
    cdef node_t* parent
    cdef Py_ssize_t i
    for i in range(m - 1, -1, -1):
        node = &nodes[i]
        node.thin = node.n == 1 and node.inside == e[i].chars and not _is_item(e[i].tag)
        node.tag = nodes[node.child].tag if node.thin else e[i].tag
        if node.thin:
            node.children, node.below = nodes[node.child].children, nodes[node.child].below
        if e[i].parent < 0 or e[i].first_run == e[i].last_run:
            continue
        parent = &nodes[e[i].parent]
        parent.mixed |= parent.n > 0 and not _agree(e, nodes, i, parent.child)
        parent.children |= <uint64_t> 1 << (node.tag & 63)
        parent.below |= node.children
        parent.child = <int32_t> i
        parent.n += 1
        parent.inside += e[i].chars
        parent.words += node.words
        parent.link_chars += node.link_chars
        parent.facts |= node.facts
        if node.heading >= 0:
            parent.heading = min(node.heading, parent.heading) if parent.heading >= 0 else node.heading


cdef siblings_t* _group_of(
    const element_t* e, const node_t* nodes, Py_ssize_t i, siblings_t* groups, uint64_t mask
) noexcept nogil:
    """Returns the group of an element, perhaps a new one; NULL if there are too many others below its parent."""
    cdef const node_t* parent = &nodes[e[i].parent]
    # the children of siblings are together if nothing else is in these
    cdef uint64_t owner = <uint64_t> e[i].parent
    cdef siblings_t* found
    cdef int k
    if parent.group != NULL and parent.n > 1 and not parent.mixed and parent.inside == e[e[i].parent].chars:
        owner = <uint64_t> parent.group.first
    for k in range(GROUPS):
        found = <siblings_t*> row_of(
            groups, sizeof(siblings_t), mask, mix((owner * MAX_TAGS + nodes[i].tag) * GROUPS + <uint64_t> k) | 1
        )
        if not found.size:
            found.first = <int32_t> i
        if _agree(e, nodes, found.first, i):
            found.size += 1
            return found
    return NULL


cdef Py_ssize_t _group_blocks(
    const element_t* e, Py_ssize_t m, node_t* nodes, siblings_t* groups, uint64_t mask
) noexcept nogil:
    """Finds the group of each element, numbers those of two and more, and returns the number of their blocks."""
    cdef Py_ssize_t i, n = 0
    cdef int32_t numbers = 0
    cdef node_t* node
    for i in range(m):
        node = &nodes[i]
        if e[i].parent < 0 or e[i].first_run == e[i].last_run:
            continue
        if nodes[e[i].parent].thin:
            node.group = nodes[e[i].parent].group
        elif _may_be_block(node.tag):
            node.group = _group_of(e, nodes, i, groups, mask)
    for i in range(m):
        node = &nodes[i]
        node.row = nodes[e[i].parent].row if e[i].parent >= 0 else -1
        if node.group != NULL and node.group.size > 1 and not nodes[e[i].parent].thin:
            if not node.group.number:
                numbers += 1
                node.group.number = numbers
            node.row = <int32_t> n
            n += 1
    return n


cdef void _write(const tables_t* t, const node_t* nodes, block_t* rows) noexcept nogil:
    cdef const element_t* e = t.elements
    cdef const node_t* node
    cdef const segment_t* head
    cdef block_t* row
    cdef int32_t i, above
    for i in range(t.n_elements):
        node = &nodes[i]
        above = nodes[e[i].parent].row if e[i].parent >= 0 else -1
        if node.row == above:
            continue
        row = &rows[node.row]
        row.element, row.parent = i, above
        row.group, row.size, row.order = node.group.number - 1, node.group.size, node.group.met
        node.group.met += 1
        row.first_segment = t.runs[e[i].first_run].segment
        row.last_segment = t.runs[e[i].last_run - 1].segment
        row.heading, row.words, row.chars = node.heading, node.words, e[i].chars
        row.link_chars, row.facts = node.link_chars, node.facts
        head = &t.segments[row.first_segment if node.heading < 0 else node.heading]
        if 100 * <uint64_t> head.link_chars >= ALL_LINK * <uint64_t> head.chars:
            row.facts |= LINKED


cdef Py_ssize_t find_blocks(const tables_t* t, block_t** rows) noexcept nogil:
    cdef uint64_t size = rows_for(t.n_elements)
    cdef Py_ssize_t n = -1
    cdef node_t* nodes = <node_t*> calloc(t.n_elements + 1, sizeof(node_t))
    cdef siblings_t* groups = <siblings_t*> calloc(size, sizeof(siblings_t))
    rows[0] = NULL
    if nodes != NULL and groups != NULL:
        # a plain text has no elements
        if t.n_elements:
            _read_segments(t, nodes)
            _find_skeletons(t.elements, t.n_elements, nodes)
        n = _group_blocks(t.elements, t.n_elements, nodes, groups, size - 1)
        rows[0] = <block_t*> calloc(n + 1, sizeof(block_t))
        if rows[0] != NULL:
            _write(t, nodes, rows[0])
        else:
            n = -1
    free(nodes)
    free(groups)
    return n


cdef block_t _block
cdef block_t[::1] _blocks = <block_t[:1]> &_block
BLOCK = np.asarray(_blocks).dtype


def blocks_of(Tables tables not None):
    """Returns the sibling blocks of a page: shape (blocks,), with the fields of `block_t`, in document order."""
    cdef block_t* rows
    cdef Py_ssize_t n
    with nogil:
        n = find_blocks(&tables.t, &rows)
    if n < 0:
        raise MemoryError
    # the bytes are a copy, so that NumPy's array owns its memory
    found = np.frombuffer((<char*> rows)[: n * <Py_ssize_t> sizeof(block_t)], BLOCK)
    free(rows)
    return found
