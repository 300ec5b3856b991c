"""Puts the parts of a page that React streams after it into their places.

A server that renders a page in parts (`<Suspense>`) leaves `<template id="B:1">` where a part is not ready, followed by
what is shown until it is, up to the comment `/$`. The part comes at the end of the page, in `<div hidden id="S:1">`,
and a script moves it. A part may wait for parts of its own, whose places are `P:1`.
"""

from libc.string cimport memcmp

from ncleaner.parsing._structs cimport (
    COMMENT_NODE, ELEMENT_NODE, element_node_t, following, node_t, str_t, text_node_t,
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
    while around != NULL and around != part:
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


cdef void _put(node_t* part, node_t* place) noexcept nogil:
    cdef node_t* end = _end_of_stand_in(place) if has_id(place, c'B') else NULL
    cdef node_t* last = place
    if end == NULL:
        end = place.next
    if part.first_child != NULL:
        last.next = part.first_child
        part.first_child.prev = last
        last = part.last_child
        part.first_child = part.last_child = NULL
    last.next = end
    if end != NULL:
        end.prev = last
    else:
        place.parent.last_child = last
    while last != place:
        last.parent = place.parent
        last = last.prev


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
