"""The elements of segments, and their CSS selectors."""

from libc.stdint cimport uintptr_t

from ncleaner.document._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, following, name_t, node_t,
)

import re

from ncleaner.document._nodes import TAG_NAMES

# What a selector can say without escapes.
_NAME = re.compile(r"[a-z][a-z0-9-]*\Z").match
_ID = re.compile(rb"[A-Za-z][\w-]*\Z", re.ASCII).match
# Elements of which a page has one.
_SINGLE = frozenset(("html", "head", "body"))


cdef inline node_t* _element(uintptr_t address) noexcept:
    cdef node_t* node = <node_t*> address
    return node.parent if node.type == TEXT_NODE else node


cdef inline int _depth(const node_t* node) noexcept nogil:
    cdef int depth = 0
    while node != NULL:
        node = node.parent
        depth += 1
    return depth


cdef node_t* _common(node_t* one, node_t* other) noexcept nogil:
    """Returns the innermost node around two nodes."""
    cdef int above = _depth(one), beside = _depth(other)
    while one != other:
        if above >= beside:
            one = one.parent
            above -= 1
        else:
            other = other.parent
            beside -= 1
    return one


def texts_below(uintptr_t address):
    """Returns the addresses of the text nodes below a node, in order."""
    cdef node_t* root = <node_t*> address
    cdef node_t* node = following(root, root, True)
    found = []
    while node != NULL:
        if node.type == TEXT_NODE:
            found.append(<uintptr_t> node)
        node = following(node, root, True)
    return found


cdef bytes _id_of(const node_t* node):
    """Returns the id of an element if a selector can have it; else None."""
    cdef const attr_t* attr = (<const element_node_t*> node).attr_id
    if attr == NULL or attr.value == NULL:
        return None
    found = (<const char*> attr.value.data)[: attr.value.length]
    return found if _ID(found) else None


cdef str _tag_of(const node_t* node):
    """Returns the name of an element if a selector can have it; else an empty text."""
    cdef const name_t* entry
    if node.local_name < KNOWN_TAGS:
        name = TAG_NAMES.get(node.local_name, "")
    else:
        entry = <const name_t*> node.local_name
        if entry.length > 16:
            return ""
        name = (<const char*> entry.short_name)[: entry.length].decode("utf-8", "replace")
    return name if _NAME(name) else ""


cdef class Selectors:
    """Selectors of the elements of a tree, each with its path from the nearest element with an id of its own.

    In total they have at most `room` characters; the others are empty. The time is linear in the tree and in `room`.
    """

    cdef dict ids                 # {id in small letters: number of elements}
    cdef dict made                # {address of an element: its selector}
    cdef dict places              # {address of an element: number among its siblings, from 1}
    cdef Py_ssize_t room

    def __init__(self, parser not None, Py_ssize_t room):
        cdef uintptr_t address
        cdef node_t* root
        cdef node_t* node
        self.ids, self.made, self.places, self.room = {}, {}, {}, room
        if parser.root is None:
            return
        address = parser.root.mem_id
        root = node = <node_t*> address
        while node != NULL:
            if node.type == ELEMENT_NODE and (<element_node_t*> node).attr_id != NULL:
                found = _id_of(node)
                if found is not None:
                    # in quirks mode, capitals make no difference
                    found = found.lower()
                    self.ids[found] = self.ids.get(found, 0) + 1
            node = following(node, root, True)

    def around(self, list nodes not None):
        """Returns the selector of the innermost element around nodes, which are given by their addresses."""
        cdef node_t* found
        if not nodes:
            return ""
        found = _element(nodes[0])
        for address in nodes[1:]:
            found = _common(found, _element(address))
        selector = self._of(found) if found != NULL and found.type == ELEMENT_NODE else ""
        self.room -= len(selector)
        return selector if self.room >= 0 else ""

    cdef bytes _own_id(self, const node_t* node):
        """Returns the id of an element if no other element has it; else None."""
        cdef bytes found = _id_of(node)
        return found if found is not None and self.ids.get(found.lower()) == 1 else None

    cdef str _of(self, node_t* node):
        cdef list path = []
        cdef str base = ""
        while node != NULL and node.type == ELEMENT_NODE:
            base = self.made.get(<uintptr_t> node)
            if base is not None:
                break
            base = ""
            path.append(<uintptr_t> node)
            if self._own_id(node) is not None:
                break
            node = node.parent
        for address in reversed(path):
            step = self._step(address)
            base = f"{base} > {step}" if base else step
            self.room -= len(base)
            if self.room < 0:
                return ""
            self.made[address] = base
        return base

    cdef str _step(self, uintptr_t address):
        """Returns the selector of an element among its siblings, or by its id."""
        cdef node_t* node = <node_t*> address
        cdef node_t* sibling
        cdef str name = _tag_of(node)
        cdef bytes own = self._own_id(node)
        cdef Py_ssize_t n = 0
        if own is not None:
            return f"#{own.decode()}"
        if name in _SINGLE:
            return name
        if address not in self.places:
            sibling = node.parent.first_child if node.parent != NULL else node
            while sibling != NULL:
                if sibling.type == ELEMENT_NODE:
                    n += 1
                    self.places[<uintptr_t> sibling] = n
                sibling = sibling.next
        return f"{name}:nth-child({self.places[address]})"
