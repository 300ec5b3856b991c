"""The tables of a Document as a few bytes, and back.

Each column is a stream of numbers. What follows from other columns is not written: the runs of segments and elements,
their lengths, their numbers of words and characters. Of the rest, it is the difference of a value to the one that is
expected, and a general compression leaves little of it. What remains is the text, the hashes of classes, and the shape
of the tree.

One function has both directions: it writes a value, or reads it. What is read comes from a file, which may be broken or
made to do harm, so each number that names a place is compared with the bounds of its table.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ncleaner.document._hashes cimport mix
from ncleaner.document._marks cimport MARK_ALT, MARK_IMAGE
from ncleaner.document._tables cimport (
    COUNT, ELEMENTS, MARKS, NAMES, RELATED, RUNS, SEGMENTS, TEXT, VALUES, Tables, element_t, grow, mark_t, run_t,
    segment_t,
)
from ncleaner.document._tags cimport CONTEXT_LINK
from ncleaner.text._letters cimport is_white

cdef enum:
    SIZES                # numbers of rows, and of bytes of texts and columns
    RUN_START, RUN_END, RUN_SEGMENT, RUN_ELEMENT, RUN_CONTEXT, RUN_TAGS, RUN_MARKUP, RUN_OPENED, RUN_CLOSED
    SEGMENT_OPENED, SEGMENT_CLOSED, SEGMENT_KIND, SEGMENT_BREAKS, SEGMENT_ZONE, SEGMENT_FLAGS
    ELEMENT_DEPTH, ELEMENT_LIKE, ELEMENT_STYLE, ELEMENT_TAG, ELEMENT_CUES, ELEMENT_NAMES, ELEMENT_FIRST, ELEMENT_TAGS
    MARK_RUN, MARK_ELEMENT, MARK_KIND, MARK_LENGTH, MARK_VALUE
    COLUMNS

cdef enum:
    MOST_DEPTHS = 65535  # of elements; the depth of deeper ones is cut


ctypedef struct column_t:
    uint8_t* bytes
    size_t n             # bytes written, or to be read
    size_t cap
    size_t at            # the next one to read


ctypedef struct work_t:
    bint reading
    bint wrong           # the tables contradict each other, or what is read are none
    bint no_memory
    column_t columns[COLUMNS]
    void* rows[COUNT]
    int64_t sizes[COUNT]  # numbers of rows
    int64_t tags_behind
    # of the runs before each one: characters without white space, and those in links; words
    uint32_t* chars
    uint32_t* links
    uint32_t* words


cdef int64_t _next(column_t* c, bint* wrong) noexcept nogil:
    cdef uint64_t code = 0
    cdef int shift = 0
    cdef uint8_t byte = 128
    while byte & 128:
        if c.at >= c.n or shift > 56:
            wrong[0] = True
            return 0
        byte = c.bytes[c.at]
        c.at += 1
        code |= <uint64_t> (byte & 127) << shift
        shift += 7
    # an even number is not negative
    return <int64_t> (code >> 1) if not code & 1 else -<int64_t> (code >> 1) - 1


cdef void _add(column_t* c, int64_t difference, bint* no_memory) noexcept nogil:
    cdef uint64_t code = <uint64_t> difference << 1 if difference >= 0 else (<uint64_t> (-(difference + 1)) << 1) | 1
    if not grow(<void**> &c.bytes, &c.cap, c.n + 10, 1, no_memory):
        return
    while code >= 128:
        c.bytes[c.n] = <uint8_t> (code | 128)
        c.n += 1
        code >>= 7
    c.bytes[c.n] = <uint8_t> code
    c.n += 1


cdef inline int64_t _coded(
    work_t* w, int column, int64_t value, int64_t expected, int64_t least, int64_t most
) noexcept nogil:
    """Writes a value, or reads it; returns it, or a value within the bounds if it is outside."""
    if w.reading:
        value = expected + _next(&w.columns[column], &w.wrong)
    else:
        _add(&w.columns[column], value - expected, &w.no_memory)
    if value < least or value > most:
        w.wrong = True
        return least
    return value


cdef inline int64_t _number(work_t* w, int column, int64_t value, int64_t expected) noexcept nogil:
    """Is `_coded` for a column of 32 bits."""
    return _coded(w, column, value, expected, 0, 0xFFFFFFFF)


cdef inline int64_t _short(work_t* w, int column, int64_t value, int64_t expected) noexcept nogil:
    """Is `_coded` for a column of 16 bits."""
    return _coded(w, column, value, expected, 0, 0xFFFF)


cdef inline uint32_t _derived(work_t* w, uint32_t value, int64_t follows) noexcept nogil:
    """Returns a value that follows from others."""
    if not w.reading and value != follows:
        w.wrong = True
    return <uint32_t> follows


cdef void _code_runs(work_t* w) noexcept nogil:
    cdef const uint8_t* text = <const uint8_t*> w.rows[TEXT]
    cdef run_t* runs = <run_t*> w.rows[RUNS]
    cdef run_t r, before
    cdef int64_t i, at, length = w.sizes[TEXT]
    cdef uint32_t chars, words
    cdef bint white
    memset(&before, 0, sizeof(run_t))
    before.segment = -1
    for i in range(w.sizes[RUNS]):
        r = runs[i]
        r.segment = <int32_t> _coded(w, RUN_SEGMENT, r.segment, before.segment, before.segment, before.segment + 1)
        # a line feed is between segments, and the last one ends the text
        at = before.end + (r.segment > before.segment and i > 0)
        r.start = <uint32_t> _coded(w, RUN_START, r.start, at, at, length - 2)
        r.end = <uint32_t> _coded(w, RUN_END, r.end, r.start, r.start + 1, length - 1)
        if w.wrong:
            return
        # only white space is between runs
        for at in range(before.end, r.start):
            w.wrong = w.wrong or not is_white(text[at])
        # it begins and ends between two characters
        w.wrong = w.wrong or text[r.start] & 0xC0 == 0x80 or text[r.end] & 0xC0 == 0x80
        r.element = <int32_t> _coded(w, RUN_ELEMENT, r.element, before.element, -1, w.sizes[ELEMENTS] - 1)
        r.context = <uint32_t> _number(w, RUN_CONTEXT, r.context, 0)
        chars = words = 0
        white = r.start == 0 or is_white(text[r.start - 1])
        for at in range(r.start, r.end):
            if is_white(text[at]):
                white = True
            else:
                chars += text[at] & 0xC0 != 0x80
                words += white
                white = False
        r.words = _derived(w, r.words, words)
        w.chars[i + 1] = w.chars[i] + chars
        w.links[i + 1] = w.links[i] + (chars if r.context >> CONTEXT_LINK & 1 else 0)
        w.words[i + 1] = w.words[i] + words
        r.tags = <uint32_t> _number(w, RUN_TAGS, r.tags, 0)
        r.markup = <uint32_t> _number(w, RUN_MARKUP, r.markup, 0)
        r.opened = <uint16_t> _short(w, RUN_OPENED, r.opened, 0)
        r.closed = <uint16_t> _short(w, RUN_CLOSED, r.closed, <int64_t> r.tags - r.opened)
        before = r
        if w.reading:
            runs[i] = r


cdef void _code_segments(work_t* w) noexcept nogil:
    cdef const uint8_t* text = <const uint8_t*> w.rows[TEXT]
    cdef const run_t* runs = <const run_t*> w.rows[RUNS]
    cdef segment_t* segments = <segment_t*> w.rows[SEGMENTS]
    cdef segment_t s
    cdef int64_t i, run = 0, end = -1, n = w.sizes[RUNS]
    for i in range(w.sizes[SEGMENTS]):
        s = segments[i]
        if run == n or runs[run].segment != i:
            w.wrong = True
            return
        s.first_run = <int32_t> _derived(w, <uint32_t> s.first_run, run)
        while run < n and runs[run].segment == i:
            run += 1
        s.last_run = <int32_t> _derived(w, <uint32_t> s.last_run, run - 1)
        s.start = _derived(w, s.start, end + 1)
        s.end = _derived(w, s.end, runs[run - 1].end)
        end = s.end
        if runs[s.first_run].start < s.start or text[end] != c'\n':
            w.wrong = True
            return
        s.element = <int32_t> _derived(w, <uint32_t> s.element, <uint32_t> runs[s.first_run].element)
        s.chars = _derived(w, s.chars, w.chars[run] - w.chars[s.first_run])
        s.link_chars = _derived(w, s.link_chars, w.links[run] - w.links[s.first_run])
        s.words = _derived(w, s.words, w.words[run] - w.words[s.first_run])
        s.opened = <uint16_t> _short(w, SEGMENT_OPENED, s.opened, 0)
        s.closed = <uint16_t> _short(w, SEGMENT_CLOSED, s.closed, s.opened)
        s.kind = <uint8_t> _coded(w, SEGMENT_KIND, s.kind, c'p', 0, 255)
        s.breaks = <uint8_t> _coded(w, SEGMENT_BREAKS, s.breaks, 0, 0, 255)
        s.zone = <uint8_t> _coded(w, SEGMENT_ZONE, s.zone, 0, 0, RELATED)
        s.flags = <uint8_t> _coded(w, SEGMENT_FLAGS, s.flags, 0, 0, 255)
        if s.kind != c'p' and s.kind != c'h' and s.kind != c'l':
            w.wrong = True
        if w.reading:
            segments[i] = s
    if run != n or end + 1 != w.sizes[TEXT]:
        w.wrong = True


cdef void _code_elements(work_t* w) noexcept nogil:
    """Codes the elements: their tree, and what their classes say."""
    cdef element_t* elements = <element_t*> w.rows[ELEMENTS]
    cdef const uint16_t* names = <const uint16_t*> w.rows[NAMES]
    cdef element_t e, like
    cdef int64_t i, n = w.sizes[ELEMENTS], n_names = w.sizes[NAMES], known = 0, number, depth = -1, next_names = 0
    cdef size_t slot, rows = 2
    cdef int32_t* path = <int32_t*> malloc(MOST_DEPTHS * sizeof(int32_t))
    cdef int32_t* examples = <int32_t*> malloc(<size_t> (n + 1) * sizeof(int32_t))
    cdef int32_t* slots
    while rows < 2 * <size_t> n:
        rows *= 2
    slots = <int32_t*> calloc(rows, sizeof(int32_t))
    if path == NULL or examples == NULL or slots == NULL:
        w.no_memory = True
        n = 0
    for i in range(n):
        e = elements[i]
        depth = e.depth = <uint16_t> _coded(w, ELEMENT_DEPTH, e.depth, depth + 1, 0, min(depth + 1, MOST_DEPTHS - 1))
        path[depth] = <int32_t> i
        e.parent = <int32_t> _derived(w, <uint32_t> e.parent, <uint32_t> (path[depth - 1] if depth else -1))
        # an element with the style of one before it is nearly always like that one
        slot = <size_t> mix(e.style) & rows - 1
        number = 0
        if not w.reading:
            while slots[slot] and elements[examples[slots[slot]]].style != e.style:
                slot = slot + 1 & rows - 1
            number = slots[slot]
        number = _coded(w, ELEMENT_LIKE, number, 0, 0, known)
        if number:
            like = elements[examples[number]]
            e.style = like.style
        else:
            memset(&like, 0, sizeof(element_t))
            like.names = <uint32_t> next_names
            e.style = <uint32_t> _number(w, ELEMENT_STYLE, e.style, 0)
            known += 1
            number = known
            slots[slot] = <int32_t> known
        examples[number] = <int32_t> i
        e.tag = <uint16_t> _coded(w, ELEMENT_TAG, e.tag, like.tag, 0, 255)
        e.cues = <uint32_t> _number(w, ELEMENT_CUES, e.cues, like.cues)
        e.names = <uint32_t> _coded(w, ELEMENT_NAMES, e.names, like.names, 0, n_names - 1)
        if w.wrong or e.names + names[e.names] >= n_names:
            w.wrong = True
            break
        next_names = max(next_names, <int64_t> e.names + names[e.names] + 1)
        if w.reading:
            elements[i] = e
    free(path)
    free(examples)
    free(slots)


cdef void _code_contents(work_t* w) noexcept nogil:
    """Codes what is in elements: their runs, and the number of tags."""
    cdef element_t* elements = <element_t*> w.rows[ELEMENTS]
    cdef const run_t* runs = <const run_t*> w.rows[RUNS]
    cdef element_t e, above
    cdef int64_t i, run = 0, n = w.sizes[ELEMENTS], n_runs = w.sizes[RUNS]
    cdef int32_t* first = <int32_t*> malloc(<size_t> (n + 1) * sizeof(int32_t))
    cdef int32_t* last = <int32_t*> calloc(<size_t> (n + 1), sizeof(int32_t))
    cdef uint32_t* below = <uint32_t*> calloc(<size_t> (n + 1), sizeof(uint32_t))
    cdef uint32_t* used
    if first == NULL or last == NULL or below == NULL:
        w.no_memory = True
        free(first)
        free(last)
        free(below)
        return
    for i in range(n):
        first[i] = INT32_MAX
    for i in range(n_runs):
        if runs[i].element >= 0:
            first[runs[i].element] = min(first[runs[i].element], <int32_t> i)
            last[runs[i].element] = <int32_t> i + 1
    for i in range(n - 1, -1, -1):
        e = elements[i]
        e.tags = <uint32_t> _coded(w, ELEMENT_TAGS, e.tags, below[i], below[i], 0x7FFFFFFF)
        if w.reading:
            elements[i].tags = e.tags
        if e.parent >= 0:
            first[e.parent] = min(first[e.parent], first[i])
            last[e.parent] = max(last[e.parent], last[i])
            below[e.parent] += min(e.tags + 1, 0x7FFFFFFF - below[e.parent])
    used = below
    memset(used, 0, <size_t> (n + 1) * sizeof(uint32_t))
    for i in range(n):
        e = elements[i]
        if last[i]:
            e.first_run = <int32_t> _derived(w, <uint32_t> e.first_run, first[i])
            e.last_run = <int32_t> _derived(w, <uint32_t> e.last_run, last[i])
        else:
            # before the text of its parent, or after the element before it
            if i and e.parent < i - 1:
                run = max(run, elements[i - 1].last_run)
            e.first_run = <int32_t> _coded(w, ELEMENT_FIRST, e.first_run, run, 0, n_runs)
            e.last_run = <int32_t> _derived(w, <uint32_t> e.last_run, e.first_run)
        # inside of its parent, after its sibling; `used` is where the last child of each ends, the first that of a root
        if e.parent >= 0:
            above = elements[e.parent]
            w.wrong = w.wrong or e.first_run < above.first_run or e.last_run > above.last_run
        w.wrong = w.wrong or e.first_run < <int64_t> used[e.parent + 1]
        used[e.parent + 1] = <uint32_t> e.last_run
        run = e.first_run
        e.chars = _derived(w, e.chars, w.chars[e.last_run] - w.chars[e.first_run])
        if w.reading:
            elements[i] = e
    free(first)
    free(last)
    free(below)


cdef void _code_marks(work_t* w) noexcept nogil:
    cdef mark_t* marks = <mark_t*> w.rows[MARKS]
    cdef mark_t m, before
    cdef int64_t i, end = 0
    memset(&before, 0, sizeof(mark_t))
    for i in range(w.sizes[MARKS]):
        m = marks[i]
        m.run = <uint32_t> _coded(w, MARK_RUN, m.run, before.run, 0, w.sizes[RUNS])
        m.element = <int32_t> _coded(w, MARK_ELEMENT, m.element, before.element, -1, w.sizes[ELEMENTS] - 1)
        m.kind = <uint32_t> _number(w, MARK_KIND, m.kind, 0)
        m.length = <uint32_t> _coded(w, MARK_LENGTH, m.length, 0, 0, w.sizes[VALUES])
        if m.kind == MARK_ALT or m.length:
            m.value = <uint32_t> _coded(w, MARK_VALUE, m.value, end, 0, w.sizes[VALUES] - m.length)
            end = m.value + m.length
        else:
            m.value = <uint32_t> _number(w, MARK_VALUE, m.value, 0)
        # the next mark is read with that of an image
        if i and before.kind == MARK_IMAGE and m.kind != MARK_ALT:
            w.wrong = True
        before = m
        if w.reading:
            marks[i] = m
    if w.sizes[MARKS] and before.kind == MARK_IMAGE:
        w.wrong = True


cdef void _code(work_t* w) noexcept nogil:
    cdef size_t rows = <size_t> w.sizes[RUNS] + 1
    w.chars = <uint32_t*> calloc(rows, sizeof(uint32_t))
    w.links = <uint32_t*> calloc(rows, sizeof(uint32_t))
    w.words = <uint32_t*> calloc(rows, sizeof(uint32_t))
    if w.chars == NULL or w.links == NULL or w.words == NULL:
        w.no_memory = True
    else:
        _code_runs(w)
        if not w.wrong:
            _code_segments(w)
        if not w.wrong:
            _code_elements(w)
        if not w.wrong:
            _code_contents(w)
        if not w.wrong:
            _code_marks(w)
    free(w.chars)
    free(w.links)
    free(w.words)


cdef inline size_t _width(int table) noexcept nogil:
    if table == RUNS:
        return sizeof(run_t)
    if table == SEGMENTS:
        return sizeof(segment_t)
    if table == ELEMENTS:
        return sizeof(element_t)
    if table == MARKS:
        return sizeof(mark_t)
    return sizeof(uint16_t) if table == NAMES else 1


def pack(Tables tables not None):
    """Returns the tables as bytes, which `unpack` turns into the same tables.

    Raises ValueError if rows name unknown rows, MemoryError."""
    cdef work_t w
    cdef int i
    cdef size_t total = 0
    cdef uint8_t* out
    memset(&w, 0, sizeof(work_t))
    for i in range(COUNT):
        # nothing is written to them
        w.rows[i] = tables.rows[i]
        w.sizes[i] = tables.sizes[i] // <Py_ssize_t> _width(i)
    try:
        with nogil:
            _code(&w)
            for i in range(COUNT):
                _add(&w.columns[SIZES], w.sizes[i], &w.no_memory)
            _add(&w.columns[SIZES], tables.tags_behind, &w.no_memory)
            for i in range(1, COLUMNS):
                _add(&w.columns[SIZES], <int64_t> w.columns[i].n, &w.no_memory)
        if w.no_memory:
            raise MemoryError("not enough memory to store a document")
        if w.wrong:
            raise ValueError("the tables of the document contradict each other")
        for i in range(COLUMNS):
            total += w.columns[i].n
        for i in (NAMES, TEXT, VALUES):
            total += <size_t> tables.sizes[i]
        found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> total)
        out = <uint8_t*> PyBytes_AS_STRING(found)
        for i in range(COLUMNS):
            # an empty column has no memory
            if w.columns[i].n:
                memcpy(out, w.columns[i].bytes, w.columns[i].n)
                out += w.columns[i].n
        for i in (NAMES, TEXT, VALUES):
            memcpy(out, tables.rows[i], <size_t> tables.sizes[i])
            out += tables.sizes[i]
        return found
    finally:
        for i in range(COLUMNS):
            free(w.columns[i].bytes)


def unpack(bytes data not None):
    """Returns the tables that `pack` has made bytes of.

    Raises ValueError for other bytes, MemoryError."""
    cdef work_t w
    cdef int i
    cdef int64_t n
    cdef size_t at, length = <size_t> len(data)
    cdef uint8_t* p = <uint8_t*> PyBytes_AS_STRING(data)
    cdef void* own[COUNT]
    cdef Tables found
    memset(&w, 0, sizeof(work_t))
    memset(own, 0, sizeof(own))
    w.reading = True
    w.columns[SIZES].bytes = p
    w.columns[SIZES].n = length
    try:
        for i in range(COUNT):
            n = w.sizes[i] = _next(&w.columns[SIZES], &w.wrong)
            # each row has a byte at least
            w.wrong = w.wrong or n < 0 or <uint64_t> n > length
        w.tags_behind = _next(&w.columns[SIZES], &w.wrong)
        for i in range(1, COLUMNS):
            n = _next(&w.columns[SIZES], &w.wrong)
            w.wrong = w.wrong or n < 0 or <uint64_t> n > length
            w.columns[i].n = 0 if w.wrong else <size_t> n
        at = w.columns[SIZES].at
        for i in range(1, COLUMNS):
            w.columns[i].bytes = p + at
            at += w.columns[i].n
            w.wrong = w.wrong or at > length
        if not w.wrong:
            for i in range(COUNT):
                own[i] = w.rows[i] = calloc(<size_t> w.sizes[i] + 1, _width(i))
                if own[i] == NULL:
                    raise MemoryError("not enough memory to read a stored document")
            for i in (NAMES, TEXT, VALUES):
                n = w.sizes[i] * <int64_t> _width(i)
                if <size_t> n > length - at:
                    w.wrong = True
                    break
                memcpy(own[i], p + at, <size_t> n)
                at += <size_t> n
        if not w.wrong and at == length:
            with nogil:
                _code(&w)
            if w.no_memory:
                raise MemoryError("not enough memory to read a stored document")
        if w.wrong or at != length:
            raise ValueError("it is damaged")
        found = Tables.__new__(Tables)
        found.tags_behind = <Py_ssize_t> w.tags_behind
        for i in range(COUNT):
            found.take(i, &own[i], <size_t> w.sizes[i] * _width(i))
        found._point()
        # raises for what is no UTF-8, a kind of ValueError
        found.text.decode()
        (<const char*> found.rows[VALUES])[: found.sizes[VALUES]].decode()
        return found
    finally:
        for i in range(COUNT):
            free(own[i])
