"""Puts the parts of a page that React streams after it into their places.

A server that renders a page in parts (`<Suspense>`) leaves `<template id="B:1">` where a part is not ready, followed by
what is shown until it is, up to the comment `/$`. The part comes at the end of the page, in `<div hidden id="S:1">`,
and a script moves it. A part may wait for parts of its own, whose places are `P:1`.

The content of an element with a declarative shadow root is shown in the slots of the root.
"""

from libc.string cimport memcmp

from ncleaner.parsing._cues cimport OF_NAME, OF_SHADOW, OF_SLOT
from ncleaner.parsing._nodes cimport id_slot, value_of
from ncleaner.parsing._structs cimport (
    COMMENT_NODE, ELEMENT_NODE, element_node_t, following, is_same, node_t, str_t, text_node_t,
)

cdef enum:
    # Most parts and most places of a page, and most elements around a place; others stay at the end.
    MOST = 500
    DEEPEST = 200


cdef inline str_t* _id_of(node_t* node) noexcept nogil:
    return (<element_node_t*> node).attr_id.value


cdef bint _may_be_in(node_t* place, node_t* part) noexcept nogil:
    """Returns whether a part may be put in a place: it is not around it, and the page gets no deeper than others."""
    cdef node_t* around = place.parent
    cdef int depth = 0
    while around != NULL and around != part and depth <= DEEPEST:
        around = around.parent
        depth += 1
    return around == NULL and depth <= DEEPEST


cdef node_t* _end_of_stand_in(node_t* place) noexcept nogil:
    """Returns the comment after what is shown until the part comes, NULL for none."""
    cdef node_t* node = place.next
    cdef str_t* data
    cdef int inside = 0
    while node != NULL:
        if node.type == COMMENT_NODE:
            data = &(<text_node_t*> node).data
            if data.length == 2 and data.data[0] == c'/' and data.data[1] == c'$':
                if not inside:
                    return node
                inside -= 1
            elif 1 <= data.length <= 2 and data.data[0] == c'$':
                inside += 1
        node = node.next
    return NULL


cdef void _move(node_t* node, node_t* around, node_t* behind) noexcept nogil:
    """Moves a node into an element, before one of its nodes or, if that is NULL, to its end."""
    cdef node_t* before = behind.prev if behind != NULL else around.last_child
    _link(node.prev, node.next, node.parent)
    node.parent = around
    _link(before, node, around)
    _link(node, behind, around)


cdef void _link(node_t* before, node_t* behind, node_t* around) noexcept nogil:
    """Makes two nodes neighbours; NULL is beside the first and the last one."""
    if before != NULL:
        before.next = behind
    else:
        around.first_child = behind
    if behind != NULL:
        behind.prev = before
    else:
        around.last_child = before


cdef void _put(node_t* part, node_t* place) noexcept nogil:
    cdef node_t* end = _end_of_stand_in(place) if has_id(place, c'B') else NULL
    if end != NULL:
        _link(place, end, place.parent)
    end = place.next
    while part.first_child != NULL:
        _move(part.first_child, place.parent, end)


cdef void put_in_place(node_t* first) noexcept nogil:
    """Moves the parts of a page to their places, and takes away what stands in for them.

    Args:
        first: the first place of the page; all others, and all parts, follow it.
    """
    cdef node_t* parts[MOST]
    cdef node_t* places[MOST]
    cdef node_t* root = first
    cdef node_t* node = first
    cdef str_t* one
    cdef str_t* other
    cdef int n_parts = 0, n_places = 0, i, k
    while root.parent != NULL:
        root = root.parent
    while node != NULL:
        if node.type == ELEMENT_NODE:
            if n_places < MOST and is_place(node):
                places[n_places] = node
                n_places += 1
            elif n_parts < MOST and has_id(node, c'S'):
                parts[n_parts] = node
                n_parts += 1
        node = following(node, root, True)
    for i in range(n_parts):
        one = _id_of(parts[i])
        for k in range(n_places):
            if places[k] == NULL:
                continue
            other = _id_of(places[k])
            if one.length == other.length and memcmp(one.data + 1, other.data + 1, one.length - 1) == 0:
                if _may_be_in(places[k], parts[i]):
                    _put(parts[i], places[k])
                    places[k] = NULL
                break


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
        if node.type == ELEMENT_NODE and node.local_name == id_slot and _may_be_in(node, NULL):
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
                _move(node, slots[i], NULL)
                break
