"""Finds sibling blocks: elements of one parent whose skeletons agree.

The *skeleton* of an element is its tag, the tags of its children that have text, and the tags of their children. Two
skeletons agree if each level differs by at most one tag, which is an optional part; elements of one class agree
whatever is inside, such as the posts of a forum. A *thin wrapper*, whose only content is one element, counts as this
element, unless it is an item.

Paragraphs, headings and cells are not blocks. A block without blocks inside needs siblings of its class, or the tag of
an item. Time and memory are linear: one pass over the elements from the last to the first finds the skeletons, one
forward the groups. It compares each element with those of the two siblings before it, so that something else may be
between two blocks, as a definition between terms.
"""

from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from ncleaner.document._tables cimport Tables, element_t, segment_t, tables_t
from ncleaner.document._tags cimport (
    TAG_ARTICLE, TAG_BODY, TAG_CAPTION, TAG_DD, TAG_DT, TAG_H1, TAG_H6, TAG_LI, TAG_P, TAG_TD, TAG_TH, TAG_TR,
)

cdef enum:
    # The siblings before an element that it is compared with.
    BACK = 2
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90

# What is known of an element.
cdef struct node_t:
    uint64_t children    # bits of tags, of the element or of what it wraps
    uint64_t below
    int32_t child        # its first child with text, and their number
    int32_t n
    int32_t previous     # the sibling with text before it, 0 for none, as the root has none
    int32_t first        # the first block of its group, 0 for none; of that, the number of blocks, ...
    int32_t size
    int32_t group        # ... the number of the group, and the blocks written so far
    int32_t met
    int32_t row          # of the innermost block around it or itself, -1 for none
    uint32_t inside      # characters of its children
    uint16_t tag         # its own, or of what it wraps
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


cdef void _find_skeletons(const element_t* e, Py_ssize_t m, node_t* nodes) noexcept nogil:
    """Sums up what is inside of each element, from the last to the first."""
    cdef node_t* node
    cdef node_t* parent
    cdef Py_ssize_t i
    for i in range(m - 1, 0, -1):
        if e[i].parent < 0 or e[i].first_run == e[i].last_run:
            continue
        node = &nodes[i]
        node.thin = node.n == 1 and node.inside == e[i].chars and not _is_item(e[i].tag)
        node.tag = nodes[node.child].tag if node.thin else e[i].tag
        if node.thin:
            node.children, node.below = nodes[node.child].children, nodes[node.child].below
        parent = &nodes[e[i].parent]
        if parent.n:
            nodes[parent.child].previous = <int32_t> i
        # the cells of a row count alike
        parent.children |= <uint64_t> 1 << ((TAG_TD if node.tag == TAG_TH else node.tag) & 63)
        parent.below |= node.children
        parent.child = <int32_t> i
        parent.n += 1
        parent.inside += e[i].chars


cdef void _find_group(const element_t* e, node_t* nodes, int32_t i) noexcept nogil:
    """Finds the first block of the group of an element with a parent: perhaps the element itself."""
    cdef node_t* node = &nodes[i]
    cdef int32_t at = node.previous
    cdef int _step
    node.first = i
    for _step in range(BACK):
        if nodes[at].first and _agree(e, nodes, nodes[at].first, i):
            node.first = nodes[at].first
            break
        at = nodes[at].previous
    nodes[node.first].size += 1


cdef void _describe(const tables_t* t, block_t* row) noexcept nogil:
    """Writes what a block has inside."""
    cdef const segment_t* s
    cdef int32_t i
    row.first_segment = t.runs[t.elements[row.element].first_run].segment
    row.last_segment = t.runs[t.elements[row.element].last_run - 1].segment
    row.chars = t.elements[row.element].chars
    row.heading = -1
    for i in range(row.first_segment, row.last_segment + 1):
        s = &t.segments[i]
        row.words += s.words
        row.link_chars += s.link_chars
        if row.heading < 0 and s.kind == c'h':
            row.heading = i
    s = &t.segments[row.first_segment if row.heading < 0 else row.heading]
    if 100 * <uint64_t> s.link_chars >= ALL_LINK * <uint64_t> s.chars:
        row.facts |= LINKED


cdef int32_t _write(const tables_t* t, node_t* nodes, block_t* rows) noexcept nogil:
    """Writes the blocks of groups of two and more, and returns their number."""
    cdef node_t* node
    cdef node_t* first
    cdef int32_t i, n = 0, numbers = 0, above
    nodes.row = -1
    for i in range(1, <int32_t> t.n_elements):
        node = &nodes[i]
        above = max(t.elements[i].parent, 0)
        node.row = nodes[above].row
        if not node.first or nodes[node.first].size < 2 or nodes[above].thin:
            continue
        first = &nodes[node.first]
        if node.first == i:
            first.group = numbers
            numbers += 1
        rows[n].element, rows[n].parent = i, node.row
        rows[n].group, rows[n].size, rows[n].order = first.group, first.size, first.met
        _describe(t, &rows[n])
        first.met += 1
        node.row = n
        n += 1
    return n


cdef Py_ssize_t find_blocks(const tables_t* t, block_t** rows) noexcept nogil:
    cdef const element_t* e = t.elements
    cdef Py_ssize_t n = -1
    cdef int32_t i
    cdef node_t* nodes = <node_t*> calloc(t.n_elements + 1, sizeof(node_t))
    rows[0] = <block_t*> calloc(t.n_elements + 1, sizeof(block_t))
    if nodes != NULL and rows[0] != NULL:
        _find_skeletons(e, t.n_elements, nodes)
        for i in range(1, <int32_t> t.n_elements):
            if nodes[max(e[i].parent, 0)].thin:
                nodes[i].first = nodes[e[i].parent].first
            elif _may_be_block(nodes[i].tag):
                _find_group(e, nodes, i)
        n = _write(t, nodes, rows[0])
    free(nodes)
    return n


cdef block_t _block
cdef block_t[::1] _blocks = <block_t[:1]> &_block
BLOCK = np.asarray(_blocks).dtype


cdef class Blocks:
    """The sibling blocks of a page, for compiled code, which reads its rows in place.

    Args:
        tables: of the page.
    """

    def __cinit__(self, Tables tables not None):
        with nogil:
            self.n = find_blocks(&tables.t, &self.rows)
        if self.n < 0:
            raise MemoryError

    def __dealloc__(self):
        free(self.rows)

    def array(self):
        """Returns a copy: shape (blocks,), with the fields of `block_t`, in document order."""
        return np.frombuffer((<char*> self.rows)[: self.n * <Py_ssize_t> sizeof(block_t)], BLOCK)
