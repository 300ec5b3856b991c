"""Shows the content of an element with a declarative shadow root in the slots of the root."""

from ncleaner.parsing._cues cimport OF_NAME, OF_SHADOW, OF_SLOT
from ncleaner.parsing._nodes cimport id_slot, value_of
from ncleaner.parsing._structs cimport ELEMENT_NODE, following, is_same, node_t, str_t

cdef enum:
    # Most slots of a root, and most elements around one; what others would have stays after the root.
    MOST = 500
    DEEPEST = 200


cdef bint _is_deep(node_t* node) noexcept nogil:
    cdef int depth = 0
    while node != NULL and depth <= DEEPEST:
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
        if node.type == ELEMENT_NODE and node.local_name == id_slot and not _is_deep(node):
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
