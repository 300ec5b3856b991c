"""Features of one segment that need a first judgement of all segments of its page.

The first judgement gives each segment a probability. The *mass* of a segment is its number of characters times this
probability. The blocks that hold most of the page's mass are the blocks of the main text. Segments of the same style
(the same tags and classes from the root down: cards, comments, rows) are mostly all clean or all dirty.

The time is linear in segments and elements: one pass over the elements, in document order, passes the values of each
element to the elements below it.
"""

from libc.math cimport fabs, log
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from ncleaner.document._hashes cimport mix, row_of, rows_for
from ncleaner.document._tables cimport Tables, chain, element_t, fill_styles, segment_t, style_of, tables_t

# The columns, in the order of `features.py`, which says what they are.
cpdef enum:
    FIRST = 0, MASS_POSITION
    # of the segments of the same style, and of those under the same tags without classes
    STYLE_TIMES, STYLE_SHARE, STYLE_WORDS, STYLE_LINKS, STYLE_ODDS
    PATH_TIMES, PATH_SHARE, PATH_WORDS, PATH_LINKS, PATH_ODDS
    REPEATED, REPEATED_ABOVE, REPEATED_CHARS, CORE_ABOVE, CORE_BRANCH, CORE_DEPTH
    PAGE_WORDS, PAGE_SEGMENTS, PAGE_LINKS, PAGE_MASS, PAGE_MASS_SHARE, PAGE_POSITIVE, PAGE_ELEMENTS

cdef enum:
    # Then columns for the innermost block and for each of the five blocks above it: its characters, links, mass,
    # siblings, log-odds, density and order.
    N_LEVELS = 6
    N_PER_LEVEL = 7
    # And for each share of the page's mass, columns about the innermost block that holds it: inside, above, side.
    N_SHARES = 6
    N_PER_SHARE = 3

LEVELS = N_LEVELS
SHARES = (0.15, 0.35, 0.5, 0.6, 0.85, 0.95)
COLUMNS = int(PAGE_ELEMENTS) + 1 + N_LEVELS * N_PER_LEVEL + N_SHARES * N_PER_SHARE
cdef int columns = COLUMNS
cdef double shares[N_SHARES]
for _i, _share in enumerate(SHARES):
    shares[_i] = _share

# the bound of the log-odds, natural logarithm
cdef double BOUND = 6

cdef struct group_t:
    uint64_t key
    double times
    double words
    double chars
    double links
    double odds

cdef struct alike_t:       # elements of the same style with the same parent
    uint64_t key
    uint64_t times

cdef struct kin_t:         # of a segment
    double odds            # of its first judgement
    group_t* style
    group_t* path

cdef struct block_t:
    const alike_t* alike
    uint64_t style          # hash of tags and classes from the root down
    uint64_t path           # hash of tags from the root down
    # sums over all segments below the block: characters in links, mass, log-odds, segments
    double links
    double mass
    double odds
    double segments
    double branch
    float siblings
    float order
    float repeated
    float repeated_chars
    int32_t repeated_above
    int32_t core_above
    int32_t core_depth
    int32_t above[N_SHARES]


cdef inline group_t* _group(group_t* table, uint64_t mask, uint64_t key) noexcept nogil:
    return <group_t*> row_of(table, sizeof(group_t), mask, key | 1)


cdef inline void _count(group_t* g, const segment_t* s, double odds) noexcept nogil:
    g.times += 1
    g.words += s.words
    g.chars += s.chars
    g.links += s.link_chars
    g.odds += odds


cdef inline double _log_odds(double p) noexcept nogil:
    p = min(max(p, 1e-6), 1 - 1e-6)
    return max(-BOUND, min(BOUND, log(p / (1 - p))))


cdef inline uint64_t _siblings_key(const element_t* e) noexcept nogil:
    return mix(<uint64_t> (e.parent + 2) << 32 ^ e.style)


cdef void _sum_up(
    const segment_t* segments, Py_ssize_t n, const element_t* elements, Py_ssize_t m, const double* p,
    const kin_t* kin, block_t* blocks, alike_t* alike, uint64_t mask,
) noexcept nogil:
    """Sums the segments below each element, and counts the similar siblings of each element."""
    cdef Py_ssize_t i
    cdef int32_t parent
    cdef block_t* b
    cdef alike_t* same
    for i in range(n):
        if segments[i].element >= 0:
            b = &blocks[segments[i].element]
            b.links += segments[i].link_chars
            b.mass += p[i] * segments[i].chars
            b.odds += kin[i].odds
            b.segments += 1
    for i in range(m - 1, -1, -1):
        parent = elements[i].parent
        if parent >= 0:
            blocks[parent].links += blocks[i].links
            blocks[parent].mass += blocks[i].mass
            blocks[parent].odds += blocks[i].odds
            blocks[parent].segments += blocks[i].segments
    for i in range(m):
        same = <alike_t*> row_of(alike, sizeof(alike_t), mask, _siblings_key(&elements[i]) | 1)
        blocks[i].alike = same
        blocks[i].order = <float> same.times
        same.times += 1
    for i in range(m):
        blocks[i].siblings = <float> blocks[i].alike.times
        blocks[i].order /= blocks[i].siblings


cdef void _hand_down(
    const element_t* elements, Py_ssize_t m, double mass, block_t* blocks, int32_t* holders
) noexcept nogil:
    """Passes values from each element to the elements below it.

    `holders` gets one block for each share: the last block in document order with at least so much of the mass. It
    is the innermost one, unless two separate blocks both hold so much, which is possible for shares up to a half.
    """
    cdef Py_ssize_t i
    cdef int q
    cdef block_t* b
    cdef block_t* parent
    for q in range(N_SHARES):
        holders[q] = -1
        if mass > 0:
            for i in range(m - 1, -1, -1):
                if blocks[i].mass >= shares[q] * mass:
                    holders[q] = <int32_t> i
                    break
    for i in range(m):
        b = &blocks[i]
        parent = &blocks[elements[i].parent] if elements[i].parent >= 0 else NULL
        b.style = chain(parent.style if parent != NULL else 0, elements[i].style)
        b.path = chain(parent.path if parent != NULL else 0, elements[i].tag)
        b.repeated = b.siblings
        b.repeated_chars = elements[i].chars
        b.core_depth = elements[i].depth
        b.branch = b.mass
        if parent != NULL:
            if parent.repeated > b.repeated:
                b.repeated = parent.repeated
                b.repeated_chars = parent.repeated_chars
                b.repeated_above = parent.repeated_above + 1
            if 2 * b.mass < mass:
                b.core_above = parent.core_above + 1
                b.core_depth = parent.core_depth
                if parent.core_above:
                    b.branch = parent.branch
        for q in range(N_SHARES):
            b.above[q] = -1
            if holders[q] == i:
                b.above[q] = 0
            elif parent != NULL and parent.above[q] >= 0:
                b.above[q] = parent.above[q] + 1


cdef inline void _group_columns(const group_t* g, double chars, float* x) noexcept nogil:
    x[0] = <float> g.times
    x[1] = <float> (g.chars / (chars + 1))
    x[2] = <float> (g.words / g.times)
    x[3] = <float> (g.links / (g.chars + 1))
    x[4] = <float> (g.odds / g.times)


cdef void _block_columns(
    const segment_t* s, const element_t* elements, const block_t* blocks, double mass, const int32_t* holders,
    float* x,
) noexcept nogil:
    cdef int32_t at = s.element
    cdef int _level, k, q
    cdef const block_t* b = &blocks[at]
    x[REPEATED] = b.repeated
    x[REPEATED_ABOVE] = b.repeated_above
    x[REPEATED_CHARS] = b.repeated_chars
    x[CORE_ABOVE] = b.core_above
    x[CORE_BRANCH] = <float> (b.branch / (mass + 1))
    x[CORE_DEPTH] = b.core_depth
    x += PAGE_ELEMENTS + 1
    for _level in range(N_LEVELS):
        if at >= 0:
            b = &blocks[at]
            x[0] = elements[at].chars
            x[1] = <float> (b.links / (elements[at].chars + 1.0))
            x[2] = <float> (b.mass / (mass + 1))
            x[3] = b.siblings
            x[4] = <float> (b.odds / (b.segments + 0.001))
            x[5] = <float> (elements[at].chars / (elements[at].tags + 1.0))
            x[6] = b.order
            at = elements[at].parent
        else:
            # A level above the root repeats the values of the root.
            for k in range(N_PER_LEVEL):
                x[k] = x[k - N_PER_LEVEL]
        x += N_PER_LEVEL
    b = &blocks[s.element]
    for q in range(N_SHARES):
        x[0] = b.above[q] >= 0
        x[1] = b.above[q]
        if holders[q] >= 0 and b.above[q] < 0:
            x[2] = -1 if s.first_run < elements[holders[q]].first_run else 1
        x += N_PER_SHARE


cdef void _fill(
    const segment_t* segments, Py_ssize_t n, const element_t* elements, Py_ssize_t m, const double* p,
    kin_t* kin, block_t* blocks, alike_t* alike, uint64_t mask_alike, group_t* styles, group_t* paths, uint64_t mask,
    double least, int reach, float* out, Py_ssize_t width,
) noexcept nogil:
    cdef int32_t holders[N_SHARES]
    cdef Py_ssize_t i, next = 0
    cdef const segment_t* s
    cdef double mass = 0, words = 0, chars = 0, links = 0, positive = 0, before = 0
    cdef float* x
    cdef uint64_t style, path
    for i in range(n):
        s = &segments[i]
        mass += p[i] * s.chars
        words += s.words
        chars += s.chars
        links += s.link_chars
        if 2 * p[i] > 1:
            positive += s.chars
        kin[i].odds = _log_odds(p[i])
    _sum_up(segments, n, elements, m, p, kin, blocks, alike, mask_alike)
    _hand_down(elements, m, mass, blocks, holders)
    for i in range(n):
        s = &segments[i]
        style = blocks[s.element].style if s.element >= 0 else 3
        path = blocks[s.element].path if s.element >= 0 else 3
        kin[i].style = _group(styles, mask, mix(style + s.kind))
        kin[i].path = _group(paths, mask, mix(path + s.kind))
        _count(kin[i].style, s, kin[i].odds)
        _count(kin[i].path, s, kin[i].odds)
    for i in range(n):
        s = &segments[i]
        # `next` is the first segment from i − reach on that is judged again
        while next < n and (next < i - reach or p[next] < least):
            next += 1
        if next == n or next > i + reach:
            before += p[i] * s.chars
            continue
        x = out + i * width
        x[FIRST] = <float> p[i]
        x[MASS_POSITION] = <float> (before / (mass + 1))
        before += p[i] * s.chars
        _group_columns(kin[i].style, chars, x + STYLE_TIMES)
        _group_columns(kin[i].path, chars, x + PATH_TIMES)
        x[PAGE_WORDS] = <float> words
        x[PAGE_SEGMENTS] = n
        x[PAGE_LINKS] = <float> (links / (chars + 1))
        x[PAGE_MASS] = <float> mass
        x[PAGE_MASS_SHARE] = <float> (mass / (chars + 1))
        x[PAGE_POSITIVE] = <float> (positive / (chars + 1))
        x[PAGE_ELEMENTS] = m
        if s.element >= 0:
            _block_columns(s, elements, blocks, mass, holders, x)


cdef void average_rows(
    const tables_t* t, const double* p, const float* x, Py_ssize_t width, Py_ssize_t used, double least, float* out,
) noexcept nogil:
    """Writes the means of the features over the segments of a page, weighted by mass; `out` is filled with 0.

    Segments of a probability below `least` do not count."""
    cdef const segment_t* segments = t.segments
    cdef Py_ssize_t n = t.n_segments, i, j
    cdef double mass = 1
    cdef float m
    for i in range(n):
        if p[i] >= least:
            m = <float> (segments[i].chars * p[i])
            mass += m
            # a loop without a dependence between its turns, for the vector units of a processor
            for j in range(used):
                out[j] += m * x[j]
        x += width
    for j in range(used):
        out[j] = <float> (out[j] / mass)


# --------------------------------------------------------------------------------------------------
# Like segments have like fates.

cdef enum:
    # Least segments of a style that counts as evidence.
    FEW = 3

# The log-odds of an unsure segment move so much of the way to the mean of its style; from SURE nats on, a segment
# stays as it is, and up to UNSURE it moves all of this.
cdef double SHARED = 0.8
cdef double UNSURE = 1
cdef double SURE = 3


cdef bint even_out_odds(const tables_t* t, double* odds) noexcept nogil:
    """Moves the log-odds of unsure segments towards the mean of the segments of their kind and style.

    The rows of a table, the records of a list and the paragraphs of a text have the same tags and classes from the root
    down. Fewer than three segments of a style stay as they are. Returns False if there was not enough memory."""
    cdef const segment_t* segments = t.segments
    cdef uint64_t size = rows_for(t.n_segments)
    cdef uint64_t* styles = <uint64_t*> calloc(t.n_elements + 1, sizeof(uint64_t))
    cdef group_t* groups = <group_t*> calloc(size, sizeof(group_t))
    cdef bint done = styles != NULL and groups != NULL
    cdef Py_ssize_t n = t.n_segments if done else 0, i
    cdef double unsure
    cdef group_t* g
    if done:
        fill_styles(t.elements, t.n_elements, styles)
    for i in range(n):
        g = _group(groups, size - 1, mix(style_of(styles, &segments[i]) + segments[i].kind))
        g.times += 1
        g.odds += max(-BOUND, min(BOUND, odds[i]))
    for i in range(n):
        g = _group(groups, size - 1, mix(style_of(styles, &segments[i]) + segments[i].kind))
        if g.times >= FEW:
            unsure = max(0.0, min(1.0, (SURE - fabs(odds[i])) / (SURE - UNSURE)))
            odds[i] += SHARED * unsure * (g.odds / g.times - odds[i])
    free(styles)
    free(groups)
    return done


# --------------------------------------------------------------------------------------------------

cdef bint fill_page(
    const tables_t* t, const double* p, double least, int reach, float* out, Py_ssize_t width
) noexcept nogil:
    """Writes the features of the segments, into rows of `width` columns that are filled with 0. The features of a
    segment stay 0 if it and its `reach` neighbours to either side have probabilities below `least`.

    Returns False if there was not enough memory."""
    cdef uint64_t size = rows_for(t.n_segments), size_alike = rows_for(t.n_elements)
    cdef block_t* blocks = <block_t*> calloc(t.n_elements + 1, sizeof(block_t))
    cdef alike_t* alike = <alike_t*> calloc(size_alike, sizeof(alike_t))
    # one allocation for two tables
    cdef group_t* groups = <group_t*> calloc(2 * size, sizeof(group_t))
    cdef kin_t* kin = <kin_t*> malloc(<size_t> (t.n_segments + 1) * sizeof(kin_t))
    cdef bint done = blocks != NULL and alike != NULL and groups != NULL and kin != NULL
    if done:
        _fill(
            t.segments, t.n_segments, t.elements, t.n_elements, p, kin, blocks, alike, size_alike - 1, groups,
            groups + size, size - 1, least, reach, out, width,
        )
    free(blocks)
    free(alike)
    free(groups)
    free(kin)
    return done


def fill(Tables tables not None, const double[::1] p not None, float[:, ::1] matrix not None, int first, double least):
    """Writes the features of all segments of a page into its matrix.

    Args:
        tables: of the page.
        p: shape (segments,), float64: the first judgement, 0 to 1.
        matrix: shape (segments, columns), float32; it has zeros from the column `first` on.
        first: the first column of these features.
        least: segments of a smaller probability do not count in the means.

    Returns:
        The means of all columns up to the last of these features, weighted by mass: shape (first + COLUMNS,), float32.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    cdef Py_ssize_t n = tables.t.n_segments
    cdef bint done
    means = np.zeros(first + columns, np.float32)
    cdef float[::1] out = means
    if matrix.shape[0] != n or matrix.shape[1] < first + columns or p.shape[0] != n:
        raise ValueError("the matrix does not fit the document")
    if n:
        with nogil:
            done = fill_page(&tables.t, &p[0], 0, 0, &matrix[0, first], matrix.shape[1])
            if done:
                average_rows(&tables.t, &p[0], &matrix[0, 0], matrix.shape[1], first + columns, least, &out[0])
        if not done:
            raise MemoryError
    return means
