"""Sums of decision trees over the rows of a feature matrix.

A node tests whether one value, of this row or of a row near it, is at most a threshold. The node stores the place
of the value as a distance from the row's first value, so that a value of a neighbour costs as much as a value of
the row itself. The matrix has spare rows at both ends for positions outside the page.

Each tree is stored as a complete tree of its depth: the children of node i are 2 i + 1 and 2 i + 2, and the
descent has no branch that a processor could mispredict. Eight rows descend at a time, so that their memory
accesses overlap.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef enum:
    # Number of rows that go through all trees before the next rows do, so that they stay in the nearest cache.
    BLOCK = 48
    # A tree of depth d takes 2 to the power of d places.
    MOST_LEVELS = 10

MAX_DEPTH = MOST_LEVELS
# A forest takes more memory than its file; this bound keeps a crafted file from filling the memory.
MAX_TREES = 4096
# Largest distance, in rows, of the values that a tree reads.
MAX_REACH = 100

cdef inline Py_ssize_t _step(const split_t* nodes, const float* x, Py_ssize_t at) noexcept nogil:
    return 2 * at + 1 + <Py_ssize_t> (x[nodes[at].distance] > nodes[at].threshold)


cdef void _add_tree(
    const split_t* nodes, const float* leaves, int depth, const float* first, Py_ssize_t width,
    const int32_t* rows, Py_ssize_t n, double* sums
) noexcept nogil:
    """Adds one tree's value to the sum of each of the `n` rows, a multiple of TOGETHER."""
    cdef Py_ssize_t inner = (<Py_ssize_t> 1 << depth) - 1, i = 0
    cdef Py_ssize_t at[TOGETHER]
    cdef const float* x[TOGETHER]
    cdef int _level, k
    while i < n:
        # the compiler unrolls the loops over the rows, and keeps their places in registers
        for k in range(TOGETHER):
            at[k] = 0
            x[k] = first + rows[i + k] * width
        for _level in range(depth):
            for k in range(TOGETHER):
                at[k] = _step(nodes, x[k], at[k])
        for k in range(TOGETHER):
            sums[i + k] += leaves[at[k] - inner]
        i += TOGETHER


cdef class Forest:
    """Trees for matrices of one width.

    Args:
        features: shape (nodes,), integers: the column that each node tests.
        rows: shape (nodes,), integers: the row that each node tests, relative to its own; negative for rows before.
        thresholds: shape (nodes,), float32; values up to the threshold go left.
        left, right: shape (nodes,), integers: the children of each node, as numbers within its tree. A leaf is
            -1 - the number of the leaf within its tree.
        leaves: shape (leaves,), float32: the values of the leaves.
        sizes: shape (trees,), integers: the number of nodes of each tree. A tree has one leaf more than nodes.
        width: the number of columns of the matrix.

    Raises:
        ValueError: the arrays do not fit each other, or do not describe trees, or a tree is deeper than
            `MAX_DEPTH`.
    """

    def __init__(self, features, rows, thresholds, left, right, leaves, sizes, Py_ssize_t width):
        features, rows, left, right, sizes = (
            np.asarray(a, np.int64) for a in (features, rows, left, right, sizes)
        )
        total = len(features)
        if not all(np.ndim(a) == 1 for a in (features, rows, thresholds, left, right, leaves, sizes)):
            raise ValueError("the trees' arrays have more than one dimension")
        if not all(len(a) == total for a in (rows, thresholds, left, right)):
            raise ValueError("the trees' arrays are of different lengths")
        if len(sizes) > MAX_TREES:
            raise ValueError(f"there are {len(sizes)} trees, and {MAX_TREES} are the most")
        if np.any(sizes < 1) or np.any(sizes > total) or sizes.sum() != total or (sizes + 1).sum() != len(leaves):
            raise ValueError("the trees' sizes do not fit their nodes and leaves")
        if total and not -MAX_REACH <= rows.min() <= rows.max() <= MAX_REACH:
            raise ValueError("a tree reads rows too far away")
        if total and (features.min() < 0 or features.max() >= width):
            raise ValueError("a tree asks for a feature that does not exist")
        if not (np.all(np.isfinite(thresholds)) and np.all(np.isfinite(leaves))):
            raise ValueError("a threshold or a leaf is not a number")
        distances = (rows * width + features).astype(np.int32)
        self._depths = _depths(left, right, sizes)
        inner = (1 << self._depths.astype(np.int64)).sum() - len(sizes)
        self._nodes = np.zeros(inner, np.dtype([("threshold", "f4"), ("distance", "i4")])).view(np.uint8)
        self._leaves = np.zeros(inner + len(sizes), np.float32)
        self.width = width
        self.reach = int(np.abs(rows).max()) if total else 0
        self.n_trees = len(sizes)
        cdef unsigned char[::1] nodes = self._nodes
        cdef float[::1] values = self._leaves
        cdef const int32_t[::1] depths = self._depths
        if total:
            self.nodes, self.leaves, self.depths = <const split_t*> &nodes[0], &values[0], &depths[0]
            _fill(
                <split_t*> &nodes[0], &values[0], depths, np.asarray(thresholds, np.float32), distances, left, right,
                np.asarray(leaves, np.float32), sizes,
            )

    cdef void add(
        self, const float* matrix, const int32_t* rows, Py_ssize_t n, Py_ssize_t first, Py_ssize_t last, double* sums
    ) noexcept nogil:
        """Adds the trees first … last − 1 to the sums of `n` rows, a multiple of TOGETHER.

        `matrix` is the row that has the number 0."""
        cdef const split_t* node
        cdef const float* leaf
        cdef Py_ssize_t start = 0, tree, skipped_nodes = 0, skipped_leaves = 0
        last = min(last, self.n_trees)
        if first >= last:
            return
        for tree in range(first):
            skipped_nodes += (<Py_ssize_t> 1 << self.depths[tree]) - 1
            skipped_leaves += <Py_ssize_t> 1 << self.depths[tree]
        while start < n:
            node = self.nodes + skipped_nodes
            leaf = self.leaves + skipped_leaves
            for tree in range(first, last):
                _add_tree(
                    node, leaf, self.depths[tree], matrix, self.width, rows + start, min(<Py_ssize_t> BLOCK, n - start),
                    sums + start,
                )
                node += (<Py_ssize_t> 1 << self.depths[tree]) - 1
                leaf += <Py_ssize_t> 1 << self.depths[tree]
            start += BLOCK

    cdef void add_classes(self, const float* row, int classes, double* sums) noexcept nogil:
        """Adds the trees to the sums of one row; tree t is of class t modulo `classes`. TOGETHER trees at a time."""
        cdef const split_t* nodes[TOGETHER]
        cdef const split_t* node = self.nodes
        cdef const float* leaf = self.leaves
        cdef Py_ssize_t at[TOGETHER]
        cdef Py_ssize_t tree = 0
        cdef int k, some, level, deepest
        while tree < self.n_trees:
            some = <int> min(<Py_ssize_t> TOGETHER, self.n_trees - tree)
            deepest = 0
            for k in range(some):
                at[k] = 0
                nodes[k] = node
                node += (<Py_ssize_t> 1 << self.depths[tree + k]) - 1
                deepest = max(deepest, <int> self.depths[tree + k])
            for level in range(deepest):
                for k in range(some):
                    if level < self.depths[tree + k]:
                        at[k] = _step(nodes[k], row, at[k])
            for k in range(some):
                sums[(tree + k) % classes] += leaf[at[k] - (<Py_ssize_t> 1 << self.depths[tree + k]) + 1]
                leaf += <Py_ssize_t> 1 << self.depths[tree + k]
            tree += some

    def score(self, const float[::1] row not None):
        """Returns the sum of the trees for one row, faster than `predict` does.

        Args:
            row: shape (width,), float32.

        Raises:
            ValueError: the row has another width, or the trees read other rows.
        """
        cdef double found = 0
        if row.shape[0] != self.width or self.reach:
            raise ValueError("the row does not fit the trees")
        if self.n_trees:
            self.add_classes(&row[0], 1, &found)
        return found

    def predict(self, const float[:, ::1] matrix not None, Py_ssize_t spare, Py_ssize_t first=0, last=None):
        """Returns the sum of the trees for each row except the `spare` rows at either end.

        Args:
            matrix: shape (rows, width), float32.
            spare: the number of rows at either end that the trees read but that get no sum.
            first, last: the trees first … last − 1; all trees by default.

        Returns:
            Shape (rows − 2 · spare,), float64.

        Raises:
            ValueError: the matrix has another width, or fewer spare rows than the trees read, or a tree does not
                exist.
        """
        cdef Py_ssize_t n = matrix.shape[0] - 2 * spare, end
        if matrix.shape[1] != self.width or spare < self.reach or n < 0:
            raise ValueError("the matrix does not fit the trees")
        if first < 0:
            raise ValueError("there is no such tree")
        end = self.n_trees if last is None else last
        cdef int32_t[::1] rows = np.arange(padded(n), dtype=np.int32)
        cdef double[::1] sums = np.zeros(padded(n))
        if n:
            with nogil:
                pad(&rows[0], n)
                self.add(&matrix[spare, 0], &rows[0], padded(n), first, end, &sums[0])
        return np.asarray(sums)[:n]

    def contributions(
        self, const float[:, ::1] matrix not None, Py_ssize_t spare, chosen, background, Py_ssize_t first=0, last=None
    ):
        """Returns what each feature adds to the sums of the trees, along the way of each row through them.

        The value of a node is the mean of the leaves below it, weighted by the number of background rows that
        reach them; a leaf at depth d has a weight of 2 to the power of −d besides, which decides where no row goes.
        A test adds the difference between the values of the node that follows it and of its own. So the values of
        the roots and all contributions sum up to what `predict` returns (Saabas 2014, “Interpreting random forests”).

        Args:
            matrix, spare, first, last: as `predict` takes them.
            chosen: shape (some,), int32: the rows, counted from the first row that is not spare.
            background: shape (any,), int32: the rows with which they are compared.

        Returns:
            The sum of the values of the roots; and the contributions, shape (some, 2 · reach + 1, width), float64: of
            the features in each row from `reach` rows before to `reach` rows behind.

        Raises:
            ValueError: the matrix has another width or too few spare rows, or a row does not exist.
        """
        cdef Py_ssize_t n = matrix.shape[0] - 2 * spare, end, tree, i, some, at, child, center, inner
        cdef const split_t* nodes = self.nodes
        cdef const float* leaves = self.leaves
        cdef const float* x
        cdef double base = 0
        cdef int _level
        if matrix.shape[1] != self.width or spare < self.reach or n < 0 or first < 0:
            raise ValueError("the matrix does not fit the trees")
        cdef const int32_t[::1] rows = np.ascontiguousarray(chosen, np.int32)
        cdef const int32_t[::1] others = np.ascontiguousarray(background, np.int32)
        some = rows.shape[0]
        for each in (chosen, background):
            if len(each) and not 0 <= np.min(each) <= np.max(each) < n:
                raise ValueError("there is no such row")
        end = self.n_trees if last is None else min(last, self.n_trees)
        center = self.reach * self.width
        found = np.zeros((some, 2 * self.reach + 1, self.width))
        cdef double[:, ::1] out = found.reshape(some, (2 * self.reach + 1) * self.width)
        # of the nodes and the leaves of a tree, by their places
        cdef double[::1] values = np.zeros(2 << MAX_DEPTH), weights = np.zeros(2 << MAX_DEPTH)
        for tree in range(end):
            inner = (<Py_ssize_t> 1 << self.depths[tree]) - 1
            if tree >= first and some:
                for at in range(inner, 2 * inner + 1):
                    weights[at] = 1 / <double> (inner + 1)
                    values[at] = leaves[at - inner]
                for i in range(others.shape[0]):
                    at = 0
                    x = &matrix[spare + others[i], 0]
                    for _level in range(self.depths[tree]):
                        at = _step(nodes, x, at)
                    weights[at] += 1
                for at in range(inner - 1, -1, -1):
                    weights[at] = weights[2 * at + 1] + weights[2 * at + 2]
                    values[at] = (
                        weights[2 * at + 1] * values[2 * at + 1] + weights[2 * at + 2] * values[2 * at + 2]
                    ) / weights[at]
                base += values[0]
                for i in range(some):
                    at = 0
                    x = &matrix[spare + rows[i], 0]
                    for _level in range(self.depths[tree]):
                        child = _step(nodes, x, at)
                        out[i, center + nodes[at].distance] += values[child] - values[at]
                        at = child
            nodes += inner
            leaves += inner + 1
        return base, found


cdef _fill(
    split_t* nodes, float* values, const int32_t[::1] depths, const float[:] thresholds, const int32_t[:] distances,
    const int64_t[:] left, const int64_t[:] right, const float[:] leaves, const int64_t[:] sizes
):
    """Makes complete trees. A leaf above the lowest level fills all places below it on the lowest level."""
    cdef Py_ssize_t places[1 << MOST_LEVELS]
    cdef Py_ssize_t tree, node = 0, leaf = 0, i, place, first, at
    cdef int64_t child
    cdef int depth, side, level
    for tree in range(len(sizes)):
        depth = depths[tree]
        places[0] = 0
        for i in range(sizes[tree]):
            nodes[places[i]].threshold = thresholds[node + i]
            nodes[places[i]].distance = distances[node + i]
            for side in range(2):
                child = right[node + i] if side else left[node + i]
                place = 2 * places[i] + 1 + side
                if child >= 0:
                    places[child] = place
                    continue
                level = 0
                while (<Py_ssize_t> 2 << level) - 1 <= place:
                    level += 1
                first = ((place + 1) << (depth - level)) - (<Py_ssize_t> 1 << depth)
                for at in range(first, first + (<Py_ssize_t> 1 << (depth - level))):
                    values[at] = leaves[leaf - child - 1]
        nodes += (<Py_ssize_t> 1 << depth) - 1
        values += <Py_ssize_t> 1 << depth
        node += sizes[tree]
        leaf += sizes[tree] + 1


cdef _depths(const int64_t[:] left, const int64_t[:] right, const int64_t[:] sizes):
    """Returns the depth of each tree. Checks that children follow their parents and that each occurs once."""
    cdef Py_ssize_t tree, i, node = 0, size
    cdef int64_t child
    cdef int side, deepest
    # of the nodes of a tree, 0 before it is known; and whether a leaf has occurred
    cdef int32_t[::1] levels = np.zeros(len(left) + 1, np.int32)
    cdef int32_t[::1] seen = np.zeros(len(left) + len(sizes) + 1, np.int32)
    found = []
    for tree in range(len(sizes)):
        size = sizes[tree]
        levels[node] = deepest = 1
        for i in range(size):
            if not levels[node + i]:
                raise ValueError("a tree's nodes do not form a tree")
            for side in range(2):
                child = right[node + i] if side else left[node + i]
                if not -size - 1 <= child < size or 0 <= child <= i or (
                    levels[node + child] if child >= 0 else seen[node + tree - child - 1]
                ):
                    raise ValueError("a tree's nodes do not form a tree")
                if child >= 0:
                    levels[node + child] = levels[node + i] + 1
                    deepest = max(deepest, levels[node + i] + 1)
                else:
                    seen[node + tree - child - 1] = 1
        if deepest > MAX_DEPTH:
            raise ValueError(f"a tree is {deepest} levels deep, and {MAX_DEPTH} are the most")
        found.append(deepest)
        node += size
    return np.array(found, np.int32)
