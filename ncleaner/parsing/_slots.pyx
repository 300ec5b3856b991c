"""Moves what the markup of a page has in another place than its readers.

The content of an element with a declarative shadow root is shown in the slots of the root. React leaves
`<template id="B:1">` where a part of a page is not ready, followed by what is shown until then, up to the comment `/$`.
The part comes at the end of the page, in `<div hidden id="S:1">`, and a script moves it; it may have places of its own,
`P:2`.
"""

from libc.stdlib cimport strtoul
from libc.string cimport memset

from ncleaner.parsing._cues cimport OF_ID, OF_NAME, OF_SHADOW, OF_SLOT
from ncleaner.parsing._nodes cimport id_slot, id_span, value_of
from ncleaner.parsing._structs cimport COMMENT_NODE, ELEMENT_NODE, following, is_same, node_t, str_t, text_node_t
from ncleaner.text._ascii cimport begins

cdef enum:
    # Most slots of a root, and most elements around one; what others would have stays after the root. Most parts and
    # places of a page, too.
    MOST = 500
    DEEPEST = 200


cdef bint _is_deep(node_t* node, const node_t* top) noexcept nogil:
    """Returns whether an element has too many elements around it, or `top`."""
    cdef int depth = 0
    while node != NULL and node != top and depth <= DEEPEST:
        node = node.parent
        depth += 1
    return node != NULL


cdef void _move(node_t* node, node_t* around) noexcept nogil:
    """Moves a node that is not the first in its parent to the end of another element."""
    node.prev.next = node.next
    if node.next != NULL:
        node.next.prev = node.prev
    else:
        node.parent.last_child = node.prev
    node.prev, node.next, node.parent = around.last_child, NULL, around
    if around.last_child != NULL:
        around.last_child.next = node
    else:
        around.first_child = node
    around.last_child = node


cdef bint _is_for(node_t* node, const str_t* name) noexcept nogil:
    """Returns whether a slot with a name, which is NULL for the slot of all others, is that of a node."""
    cdef const str_t* wanted = value_of(node, OF_SLOT) if node.type == ELEMENT_NODE else NULL
    return name == wanted if name == NULL or wanted == NULL else is_same(name, wanted)


cdef void fill_slots(node_t* root) noexcept nogil:
    """Moves what follows a shadow root in its parent into the slots of the root; what has no slot stays after it."""
    cdef node_t* slots[MOST]
    cdef str_t* names[MOST]
    cdef bint is_filled[MOST]
    cdef node_t* node = root
    cdef node_t* next_ = root.next
    cdef int n = 0, i
    while node != NULL and n < MOST:
        if node.type == ELEMENT_NODE and node.local_name == id_slot and not _is_deep(node, NULL):
            slots[n], names[n], is_filled[n] = node, value_of(node, OF_NAME), False
            n += 1
        # the slots of a root inside are for what is inside
        node = following(node, root, node == root or node.type != ELEMENT_NODE or value_of(node, OF_SHADOW) == NULL)
    while next_ != NULL:
        node, next_ = next_, next_.next
        for i in range(n):
            if _is_for(node, names[i]):
                if not is_filled[i]:
                    slots[i].first_child = slots[i].last_child = NULL
                    is_filled[i] = True
                _move(node, slots[i])
                break


cdef void put_in_place(node_t* root) noexcept nogil:
    """Moves the parts that come at the end of a page to their places, and takes away what stands in for them."""
    # by their numbers: the places, then the parts
    cdef node_t* nodes[2 * MOST]
    cdef node_t* node = root
    cdef node_t* end
    cdef str_t* name
    cdef size_t number
    cdef int inside, i
    memset(nodes, 0, sizeof(nodes))
    while node != NULL:
        name = value_of(node, OF_ID) if node.type == ELEMENT_NODE else NULL
        if name != NULL and name.length > 2 and name.data[1] == c":":
            number = strtoul(<char*> name.data + 2, NULL, 16)
            if number < MOST and (name.data[0] == c"B" or name.data[0] == c"P"):
                nodes[number] = node
            elif number < MOST and name.data[0] == c"S" and node.prev != NULL:
                nodes[MOST + number] = node
        node = following(node, root, True)
    for i in range(MOST):
        node = nodes[i]
        if node == NULL or nodes[MOST + i] == NULL or _is_deep(node, nodes[MOST + i]):
            continue
        end = node.next if value_of(node, OF_ID).data[0] == c"B" else NULL
        inside = 1
        while end != NULL:
            if end.type == COMMENT_NODE:
                name = &(<text_node_t*> end).data
                inside += begins(name.data, name.length, b"$") - begins(name.data, name.length, b"/$")
                if not inside:
                    node.next, end.prev = end, node
                    break
            end = end.next
        # neither is a block
        node.local_name = nodes[MOST + i].local_name = id_span
        _move(nodes[MOST + i], node)
