"""Finds sibling blocks: elements of one parent whose skeletons agree.

The *skeleton* of an element is its tag, the tags of its children that have text, and the tags of their children. Two
skeletons agree if each level differs by at most one tag, which is an optional part; elements of one class agree
whatever is inside, such as the posts of a forum. A *thin wrapper*, whose only content is one element, counts as this
element, unless it is an item. If all children of an element are siblings, as the cards in a row of a grid, those in
its siblings are siblings of theirs, too.

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
    CONTEXT_TIME, TAG_ARTICLE, TAG_BODY, TAG_CAPTION, TAG_DD, TAG_DT, TAG_H1, TAG_H6, TAG_LI, TAG_P, TAG_TD,
    TAG_TH, TAG_TR,
)
from ncleaner.text._ascii cimport is_digit

from ncleaner.document import tags as _tags

cdef enum:
    # The siblings before an element that it is compared with.
    BACK = 2
    # Least share of the characters of a link that are in links, in per cent.
    ALL_LINK = 90

cdef uint32_t of_byline = 1 << list(_tags.CUES).index("byline")
cdef uint32_t of_author = 1 << list(_tags.CUES).index("author")

# What is known of an element.
cdef struct node_t:
    uint64_t children    # bits of tags, of the element or of what it wraps
    uint64_t below
    int32_t child        # its first child with text, and their number
    int32_t n
    int32_t previous     # the sibling with text before it, -1 for none
    int32_t first        # the first block of its group, -1 for none; of that, the number of blocks, ...
    int32_t size
    int32_t group        # ... the number of the group, the blocks written so far, and the first block in its blocks
    int32_t met
    int32_t inner
    int32_t row          # of the innermost block around it or itself, -1 for none
    uint32_t heading     # the largest number for none
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
        nodes[i].previous = nodes[i].first = -1
        nodes[i].heading = <uint32_t> -1
        nodes[i].facts = AUTHORED if t.elements[i].cues & of_author else 0
    for i in range(t.n_runs):
        if t.runs[i].context & (1 << CONTEXT_TIME):
            nodes[max(t.runs[i].element, 0)].facts |= DATED
    for i in range(t.n_segments - 1, -1, -1):
        s = &t.segments[i]
        node = &nodes[max(s.element, 0)]
        node.words += s.words
        node.link_chars += s.link_chars
        if s.kind == c'h':
            node.heading = <uint32_t> i
        if t.elements[max(s.element, 0)].cues & of_byline and not node.facts & DATED:
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
        if parent.n:
            nodes[parent.child].previous = <int32_t> i
            parent.mixed |= not _agree(e, nodes, i, parent.child)
        # the cells of a row count alike
        parent.children |= <uint64_t> 1 << ((TAG_TD if node.tag == TAG_TH else node.tag) & 63)
        parent.below |= node.children
        parent.child = <int32_t> i
        parent.n += 1
        parent.inside += e[i].chars
        parent.words += node.words
        parent.link_chars += node.link_chars
        parent.facts |= node.facts
        parent.heading = min(node.heading, parent.heading)


cdef void _find_group(const element_t* e, node_t* nodes, int32_t i) noexcept nogil:
    """Finds the first block of the group of an element with a parent: perhaps the element itself."""
    cdef node_t* node = &nodes[i]
    cdef const node_t* parent = &nodes[e[i].parent]
    cdef int32_t at = node.previous
    cdef int _step
    node.first = i
    for _step in range(BACK):
        if at >= 0 and nodes[at].first >= 0 and _agree(e, nodes, nodes[at].first, i):
            node.first = nodes[at].first
            break
        at = nodes[at].previous if at >= 0 else -1
    # the children of siblings are together if nothing else is in these
    if parent.first >= 0 and parent.n > 1 and not parent.mixed and parent.inside == e[e[i].parent].chars:
        at = nodes[parent.first].inner
        if at and _agree(e, nodes, at, i):
            node.first = at
        else:
            nodes[parent.first].inner = node.first
    nodes[node.first].size += 1


cdef int32_t _write(const tables_t* t, node_t* nodes, block_t* rows) noexcept nogil:
    """Writes the blocks of groups of two and more, or counts them if `rows` is NULL. Returns their number."""
    cdef const element_t* e = t.elements
    cdef const node_t* node
    cdef node_t* first
    cdef const segment_t* head
    cdef block_t* row
    cdef int32_t i, n = 0, numbers = 0
    for i in range(<int32_t> t.n_elements):
        node = &nodes[i]
        nodes[i].row = nodes[e[i].parent].row if e[i].parent >= 0 else -1
        if node.first < 0 or nodes[node.first].size < 2 or nodes[e[i].parent].thin:
            continue
        first = &nodes[node.first]
        if rows != NULL:
            row = &rows[n]
            if node.first == i:
                first.group = numbers
                numbers += 1
            row.element, row.parent = i, node.row
            row.group, row.size, row.order = first.group, first.size, first.met
            first.met += 1
            row.first_segment = t.runs[e[i].first_run].segment
            row.last_segment = t.runs[e[i].last_run - 1].segment
            row.heading, row.words, row.chars = <int32_t> node.heading, node.words, e[i].chars
            row.link_chars, row.facts = node.link_chars, node.facts
            head = &t.segments[row.first_segment if row.heading < 0 else row.heading]
            if 100 * <uint64_t> head.link_chars >= ALL_LINK * <uint64_t> head.chars:
                row.facts |= LINKED
        nodes[i].row = n
        n += 1
    return n


cdef Py_ssize_t find_blocks(const tables_t* t, block_t** rows) noexcept nogil:
    cdef const element_t* e = t.elements
    cdef Py_ssize_t n = 0
    cdef int32_t i
    cdef node_t* nodes = <node_t*> calloc(t.n_elements + 1, sizeof(node_t))
    # a plain text has no elements
    if nodes != NULL and t.n_elements:
        _read_segments(t, nodes)
        _find_skeletons(e, t.n_elements, nodes)
        for i in range(<int32_t> t.n_elements):
            if e[i].parent >= 0 and nodes[e[i].parent].thin:
                nodes[i].first = nodes[e[i].parent].first
            elif e[i].parent >= 0 and e[i].first_run < e[i].last_run and _may_be_block(nodes[i].tag):
                _find_group(e, nodes, i)
        n = _write(t, nodes, NULL)
    rows[0] = <block_t*> calloc(n + 1, sizeof(block_t))
    if nodes == NULL or rows[0] == NULL:
        n = -1
    else:
        _write(t, nodes, rows[0])
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
