"""The nodes of a tree by number, and CSS selectors of its elements."""

from libc.stdint cimport int32_t, int64_t, uintptr_t

from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, following, name_t, node_t,
)

import re

import numpy as np

from ncleaner.parsing._nodes import TAG_NAMES

# What a selector can say without escapes.
_NAME = re.compile(r"[a-z][a-z0-9-]*\Z").match
_NAMES = {number: name for number, name in TAG_NAMES.items() if _NAME(name)}
_ID = re.compile(rb"[A-Za-z][\w-]{0,199}\Z", re.ASCII).match
# Elements of which a page has one.
_SINGLE = frozenset(("html", "head", "body"))
# Start of an unknown place.
NOWHERE = 2**62
# Most steps of a path, and how often the number of steps is doubled that a shorter one has.
_STEPS, _DOUBLINGS = 48, 4


cdef bytes _id_of(const node_t* node):
    """Returns the id of an element if a selector can have it; else None."""
    cdef const attr_t* attr = (<const element_node_t*> node).attr_id
    if attr == NULL or attr.value == NULL:
        return None
    found = (<const char*> attr.value.data)[: attr.value.length]
    return found if _ID(found) else None


cdef str _tag_of(const node_t* node):
    """Returns the name of an element if a selector can have it; else an empty text."""
    if node.local_name < KNOWN_TAGS:
        return _NAMES.get(node.local_name, "")
    cdef const name_t* entry = <const name_t*> node.local_name
    if entry.length > 16:
        return ""
    name = (<const char*> entry.short_name)[: entry.length].decode("utf-8", "replace")
    return name if _NAME(name) else ""


cdef class Tree:
    """The nodes of a tree by their number in document order; time and memory are linear in the tree.

    A selector is the path to an element from the nearest element with an id of its own, or from the root. Of a path of
    more than 48 steps it is the last 16, if these lead to one element only, else it is empty. Selectors have in total
    at most `room` characters; those that exceed it are empty.
    """

    cdef object order             # shape (n,), int64; the numbers of the nodes by ascending address
    cdef object sorted            # shape (n,), int64; `nodes` in this order
    cdef int64_t[::1] nodes       # their addresses
    cdef int64_t[::1] names       # and numbers of their names
    cdef int32_t[::1] parents     # of each node; -1 above the root
    cdef int32_t[::1] lasts       # the last node below each, or itself
    cdef int32_t[::1] places      # of each element among its siblings, from 1; 0 for a text, -1 for others
    cdef int32_t[::1] steps       # of the path to each node
    cdef dict own                 # {element: its id}, of those with an id of their own
    cdef list made                # the selector of each element, None before it is asked
    cdef object short             # shape (n + 1,), bool: the last 16 steps lead to it only; None before it is asked
    cdef Py_ssize_t room

    def __init__(self, parser not None, Py_ssize_t room):
        cdef uintptr_t address = 0 if parser.root is None else parser.root.mem_id
        cdef node_t* root = <node_t*> address
        cdef node_t* node = root
        cdef Py_ssize_t n = 0, i
        self.short, self.room = None, room
        while node != NULL:
            n += 1
            node = following(node, root, True)
        self.made = [None] * n
        self.nodes, self.names = np.empty((2, n), np.int64)
        self.parents, self.lasts, self.places = (np.zeros(n, np.int32) for _ in range(3))
        if n:
            with nogil:
                self._number(root)
        self.order = np.argsort(self.nodes)
        self.sorted = np.asarray(self.nodes)[self.order]
        self._find_ids()
        self.steps = np.zeros(n, np.int32)
        for i in self.own:
            self.steps[i] = 1
        for i in range(n):
            if not self.steps[i]:
                self.steps[i] = self.steps[self.parents[i]] + 1 if i else 1

    cdef void _number(self, node_t* root) noexcept nogil:
        cdef node_t* node = root
        cdef int32_t n = 0, above = -1
        while True:
            self.nodes[n] = <int64_t> node
            self.names[n] = <int64_t> node.local_name
            self.parents[n] = above
            if node.type == ELEMENT_NODE:
                # until the end of an element, `lasts` has the number of its children
                self.places[n] = 1
                if above >= 0:
                    self.lasts[above] += 1
                    self.places[n] = self.lasts[above]
            elif node.type != TEXT_NODE:
                self.places[n] = -1
            n += 1
            if node.first_child != NULL:
                above = n - 1
                node = node.first_child
                continue
            self.lasts[n - 1] = n - 1
            while node != root and node.next == NULL:
                node = node.parent
                self.lasts[above] = n - 1
                above = self.parents[above]
            if node == root:
                return
            node = node.next

    cdef void _find_ids(self):
        cdef Py_ssize_t i
        cdef node_t* node
        cdef dict firsts = {}
        self.own = {}
        for i in range(self.nodes.shape[0]):
            node = <node_t*> self.nodes[i]
            if node.type == ELEMENT_NODE and (<element_node_t*> node).attr_id != NULL:
                found = _id_of(node)
                if found is not None:
                    # in quirks mode, capitals make no difference
                    first = firsts.setdefault(found.lower(), i)
                    if first == i:
                        self.own[i] = found
                    else:
                        self.own.pop(first, None)

    @property
    def size(self):
        """Number of nodes."""
        return len(self.sorted)

    def rows(self, addresses not None):
        """Returns the numbers of nodes.

        Args:
            addresses: shape (m,), int64.

        Returns:
            Shape (m,), int64; -1 for what is no address of a node.
        """
        if not len(self.sorted):
            return np.full(len(addresses), -1)
        at = np.minimum(np.searchsorted(self.sorted, addresses), len(self.sorted) - 1)
        return np.where(self.sorted[at] == addresses, self.order[at], -1)

    def elements(self, rows not None):
        """Returns each of some nodes that is no text, and the parents of texts: shape (m,), int64."""
        return np.where(np.asarray(self.places)[rows] > 0, rows, np.asarray(self.parents)[rows])

    def spread(self, where not None):
        """Returns the places of all nodes, those of elements widened by the texts below them.

        Args:
            where: shape (2, n), int64: starts and ends; an unknown place has an end of -1, and `NOWHERE` as start.

        Returns:
            Shape (2, n), int64.
        """
        cdef Py_ssize_t i
        cdef int32_t above
        cdef int64_t[:, ::1] texts = np.where(self.places, [[NOWHERE], [-1]], where)
        with nogil:
            for i in range(self.nodes.shape[0] - 1, 0, -1):
                above = self.parents[i]
                texts[0, above] = min(texts[0, above], texts[0, i])
                texts[1, above] = max(texts[1, above], texts[1, i])
        return np.array((np.minimum(where[0], texts[0]), np.maximum(where[1], texts[1])))

    def selector(self, Py_ssize_t first, Py_ssize_t last):
        """Returns the selector of the innermost element around all nodes from one to another."""
        while first >= 0 and (self.lasts[first] < last or self.places[first] < 1):
            first = self.parents[first]
        selector = self._of(first) if first >= 0 else ""
        self.room -= len(selector)
        return selector if self.room >= 0 else ""

    cdef str _of(self, Py_ssize_t i):
        cdef str base = self.made[i]
        if base is not None or self.room < 0:
            return base or ""
        if self.steps[i] > _STEPS:
            return self._last_steps(i)
        base = self._step(i)
        if self.steps[i] > 1:
            base = f"{self._of(self.parents[i])} > {base}"
        self.room -= len(base)
        if self.room < 0:
            return ""
        self.made[i] = base
        return base

    cdef str _last_steps(self, Py_ssize_t i):
        """Returns the last 16 steps to an element if they lead to no other; else an empty text."""
        cdef list steps = []
        if self.short is None:
            # equal numbers for equal paths of 1, 2, 4, 8, 16 steps
            paths = np.unique((np.append(self.places, 0), np.append(self.names, 0)), axis=1, return_inverse=True)[1]
            above = np.append(self.parents, -1)
            for _ in range(_DOUBLINGS):
                paths = np.unique(paths * len(paths) + paths[above], return_inverse=True)[1]
                above = above[above]
            self.short = np.bincount(paths)[paths] == 1
        if not self.short[i]:
            return ""
        for _ in range(2 ** _DOUBLINGS):
            steps.append(self._step(i))
            i = self.parents[i]
        # a step without a name leads to elements of all names
        return "" if any(step[0] == ":" for step in steps) else " > ".join(reversed(steps))

    cdef str _step(self, Py_ssize_t i):
        """Returns the selector of an element among its siblings, or by its id."""
        cdef str name = _tag_of(<node_t*> self.nodes[i])
        if i in self.own:
            return f"#{self.own[i].decode()}"
        return name if name in _SINGLE else f"{name}:nth-child({self.places[i]})"
