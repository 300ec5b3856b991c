"""An upper bound of the parser's stack of open elements and of its list of active formatting elements.

The stack here contains every element that the parser's stack may contain: an element is removed only if the parser
certainly closes it. From index `sure` upwards the two stacks are known to be the same, and the HTML standard's
rules apply. Below `sure`, an end tag closes the innermost element or nothing. The rules here do not follow the
standard exactly for `<select>`, `<template>`, frames and markup inside <svg> and <math>. Where they do not, the
whole stack becomes unsure.

The same code follows a page in two cases. A page is *judged* to find out what parsing it can cost (`out` is NULL).
A page is *rewritten* if this cost is too high (`out` receives the new page).
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from ncleaner.document._markup cimport *

cdef enum:
    NOAH = 3                 # unclosed formatting elements of one kind that the parser remembers ("Noah's Ark clause")
    ROOM = 64                # elements that are closed when a rewritten page is nested as deep as it may be
    ROOM_INSIDE = 6          # levels that a list item or a table needs, so that what it begins with is inside it
    SHIFTED = 8              # most blocks over which the parser moves the end tag of a formatting element


cdef void scan_free(scan_t* s) noexcept nogil:
    free(s.stack)
    free(s.listed)
    free(s.loose)
    s.stack = NULL
    s.listed = NULL
    s.loose = NULL


cdef int scan_init(scan_t* s, size_t max_depth, uint64_t max_tags) noexcept nogil:
    memset(s, 0, sizeof(scan_t))
    s.stack = <open_t*> malloc(DEEPEST * sizeof(open_t))
    s.listed = <listed_t*> malloc(LISTED * sizeof(listed_t))
    s.max_depth = max_depth if max_depth < DEEPEST else DEEPEST
    s.max_tags = max_tags
    if s.stack == NULL or s.listed == NULL:
        scan_free(s)
        return -1
    return 0


cdef inline void _reopen(scan_t* s) noexcept nogil:
    """Handles a tag before which the parser creates the formatting elements after the last marker again."""
    s.reopened += s.n_listed - (0 if s.stale else s.last_marker)
    s.cloned += s.listed_attributes


cdef inline void _write_end(scan_t* s, const char* name, size_t length) noexcept nogil:
    write(s, b"</", 2)
    write(s, name, length)
    write(s, b">", 1)


cdef void unsure(scan_t* s) noexcept nogil:
    if s.out == NULL:
        s.sure = s.depth
        s.vague = s.n_listed
        s.island = 0
        s.stale |= s.objects > 0


cdef inline bint _is_marker(open_t* e) noexcept nogil:
    return e.kind & SCOPE and e.name != TABLE


cdef inline void _tally(scan_t* s, uint64_t name, uint8_t kind, int by) noexcept nogil:
    if name == P:
        s.paragraphs += by
    elif name == LI or name == DD or name == DT:
        s.items += by
    elif name == TABLE:
        s.tables += by
    elif name == SELECT:
        s.selects += by
    elif name == TEMPLATE:
        s.templates += by
    elif name == BUTTON:
        s.buttons += by
    elif name == FORM:
        if s.out != NULL:
            s.form = by > 0
    elif (kind & GROUP) == FOREIGN:
        s.foreign += by
    elif (kind & (GROUP | SCOPE)) == CONTROL | SCOPE:
        s.objects += by


cdef void _push(scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length) noexcept nogil:
    cdef open_t* e
    if s.depth >= s.max_depth:
        s.over = True
        return
    e = &s.stack[s.depth]
    e.name = name
    e.kind = kind
    e.written = written
    e.length = <uint32_t> length
    s.depth += 1
    _tally(s, name, kind, 1)
    if s.depth > s.deepest:
        s.deepest = s.depth
    if s.out == NULL and _is_marker(e):
        _list(s, 0)


cdef void _list(scan_t* s, uint64_t name) noexcept nogil:
    cdef size_t i = s.n_listed, same = 0
    if s.n_listed >= LISTED:
        s.over = True
        return
    s.listed[s.n_listed].name = name
    s.listed[s.n_listed].attributes = s.own if name else 0
    s.listed_attributes += s.listed[s.n_listed].attributes
    if name and s.own > s.most_own:
        s.most_own = s.own
    s.listed[s.n_listed].depth = <uint32_t> s.depth
    s.listed[s.n_listed].moved = False
    s.listed[s.n_listed].forgotten = False
    s.n_listed += 1
    # The parser keeps at most three equal elements in its list; a further one removes the first of them.
    while i > s.last_marker and name:
        i -= 1
        if s.listed[i].name == name:
            same += 1
            if same >= NOAH:
                s.listed[i].moved = s.listed[i].forgotten = True
    if not name:
        s.last_marker = s.n_listed
    elif s.n_listed > s.most_listed:
        s.most_listed = s.n_listed


cdef void _unlist(scan_t* s, size_t at) noexcept nogil:
    """Removes the entry `at` from the list of formatting elements."""
    cdef size_t i
    s.n_listed -= 1
    s.listed_attributes -= s.listed[at].attributes
    if s.floor_listed > s.n_listed:
        s.floor_listed = s.n_listed
    s.vague -= at < s.vague
    for i in range(at, s.n_listed):
        s.listed[i] = s.listed[i + 1]
    if at < s.last_marker:
        s.last_marker -= 1
        while s.last_marker and s.listed[s.last_marker - 1].name:
            s.last_marker -= 1


cdef void unlist_to(scan_t* s, size_t length) noexcept nogil:
    """Removes the last entries from the list of formatting elements, all but `length`."""
    while s.n_listed > length:
        _unlist(s, s.n_listed - 1)


cdef void _end_marker(scan_t* s, bint certain) noexcept nogil:
    """Removes the last marker from the list when a cell or an object ends.

    If `certain`, the parser certainly ends the same element. The formatting elements that are unclosed inside it
    are then removed too."""
    if s.last_marker:
        if certain:
            unlist_to(s, s.last_marker)
            if s.vague > s.n_listed:
                s.vague = s.n_listed
        _unlist(s, s.last_marker - 1)


cdef void pop_to(scan_t* s, size_t depth) noexcept nogil:
    cdef open_t* e
    cdef size_t i
    while s.depth > depth:
        s.depth -= 1
        e = &s.stack[s.depth]
        _tally(s, e.name, e.kind, -1)
        if s.out != NULL:
            _write_end(s, e.written, e.length)
        elif e.kind & SCOPE and (e.kind & GROUP) == TABLE_PART:
            _end_marker(s, s.depth >= s.sure)
    if s.sure > depth:
        s.sure = depth
    if s.floor > depth:
        s.floor = depth
    if s.island > depth:
        s.island = 0
    i = s.n_listed
    while i > 0 and s.listed[i - 1].depth > depth:
        i -= 1
        s.listed[i].depth = <uint32_t> depth
        s.listed[i].moved = True


# --------------------------------------------------------------------------------------------------
# The search for the element that is closed by an end tag, or by the start tag of a paragraph or item.

cdef enum:
    # How far the search goes (`reach`).
    INLINE = 0     # up to any element with the flag STOPS
    BLOCK = 1      # up to a scope boundary
    PARAGRAPH = 2  # up to a scope boundary or a button
    ITEM = 3       # up to a scope boundary or a list
    PART = 4       # up to the table
    WHOLE = 5      # without a limit: for the table itself, and for a template

    ABSENT = -1
    UNCERTAIN = -2


cdef Py_ssize_t _find(scan_t* s, uint64_t name, int reach) noexcept nogil:
    """Returns the index of the innermost open element that a tag of `name` closes.

    Returns ABSENT if the parser certainly has no such element within `reach`, and UNCERTAIN if it may have one. A
    `name` of 0 stands for any heading."""
    cdef size_t i = s.depth
    cdef open_t* e
    while i > s.sure:
        i -= 1
        e = &s.stack[i]
        if e.name == name or not name and e.kind & HEADING:
            return <Py_ssize_t> i
        if e.name == TEMPLATE or (e.kind & GROUP) == FOREIGN:
            return UNCERTAIN
        if reach == INLINE:
            if e.kind & STOPS:
                return ABSENT
        elif reach == WHOLE:
            pass
        elif reach == PART:
            if e.name == TABLE:
                return ABSENT
        elif e.kind & SCOPE:
            return ABSENT
        elif e.name == SELECT:
            return UNCERTAIN
        elif reach == PARAGRAPH:
            if e.name == BUTTON:
                return ABSENT
        elif reach == ITEM and (e.name == UL or e.name == OL):
            return ABSENT
    return UNCERTAIN if s.sure else ABSENT


cdef Py_ssize_t _find_item(scan_t* s, uint64_t one, uint64_t other) noexcept nogil:
    """Returns the index of the open list item that a new one ends, or ABSENT or UNCERTAIN.

    The search continues only through div, p, address and ordinary elements."""
    cdef size_t i = s.depth
    cdef open_t* e
    while i > s.sure:
        i -= 1
        e = &s.stack[i]
        if e.name == one or e.name == other:
            return <Py_ssize_t> i
        if e.kind & STOPS and e.name != DIV and e.name != P and e.name != ADDRESS:
            return ABSENT
    return UNCERTAIN if s.sure else ABSENT


cdef inline bint _takes(open_t* e, uint64_t name) noexcept nogil:
    """Returns whether `e` is an element in which the parser places the table part `name`.

    The start tag of the part then closes all elements that are open inside `e`. `name` is as in `_find_context`."""
    if e.name == TABLE or name == TABLE:
        return e.name == TABLE
    return e.name == TBODY or e.name == THEAD or e.name == TFOOT or not name and e.name == TR


cdef Py_ssize_t _find_context(scan_t* s, uint64_t name) noexcept nogil:
    """Returns the index of the element in which the parser places a table part, or ABSENT or UNCERTAIN.

    `name` is TR for a row, 0 for a cell, and TABLE for any other part."""
    cdef size_t i = s.depth
    cdef open_t* e
    while i > s.sure:
        i -= 1
        e = &s.stack[i]
        if _takes(e, name):
            return <Py_ssize_t> i
        if e.name == TEMPLATE or e.name == SELECT:
            return UNCERTAIN
    return UNCERTAIN if s.sure else ABSENT


cdef inline bint _is_innermost(scan_t* s, uint64_t name) noexcept nogil:
    return s.depth > 0 and s.stack[s.depth - 1].name == name


cdef void close_paragraph(scan_t* s) noexcept nogil:
    cdef Py_ssize_t at
    if not s.paragraphs:
        return
    at = _find(s, P, PARAGRAPH)
    if at >= 0:
        pop_to(s, <size_t> at)
    elif at == UNCERTAIN:
        if _is_innermost(s, P):
            pop_to(s, s.depth - 1)
        unsure(s)


cdef void _close(scan_t* s, uint64_t name, int reach) noexcept nogil:
    """Updates the stack for an end tag."""
    cdef Py_ssize_t at = _find(s, name, reach)
    cdef bint marker
    if at >= 0:
        marker = s.out == NULL and s.stack[at].kind & SCOPE and (s.stack[at].kind & GROUP) == CONTROL
        pop_to(s, <size_t> at)
        if marker:
            _end_marker(s, True)
    elif at == UNCERTAIN:
        if _is_innermost(s, name) or not name and s.depth and s.stack[s.depth - 1].kind & HEADING:
            marker = s.stack[s.depth - 1].kind & SCOPE and (s.stack[s.depth - 1].kind & GROUP) == CONTROL
            pop_to(s, s.depth - 1)
            if marker:
                _end_marker(s, False)
        unsure(s)


# --------------------------------------------------------------------------------------------------
# Formatting elements. While a page is judged, they are in a separate list, because the parser reopens them. While a
# page is rewritten, they are on the stack like other elements, and are closed together with the block around them.

cdef void _end_formatting(scan_t* s, uint64_t name) noexcept nogil:
    """Follows the adoption agency algorithm of the HTML standard for the end tag of a formatting element.

    It follows the algorithm only as far as elements are removed from the stack and the list."""
    cdef size_t at = s.n_listed, i, blocks = 0, depth
    cdef bint ordinary = False
    if s.stale:
        s.cloned += SHIFTED * s.most_own
        unsure(s)
        return
    while at > s.last_marker and s.listed[at - 1].name != name:
        at -= 1
    if at == s.last_marker:
        return
    at -= 1
    depth = s.listed[at].depth
    i = s.depth
    while i > depth:
        i -= 1
        if s.stack[i].kind & SCOPE or (s.stack[i].kind & GROUP) == CONTROL:
            blocks = SHIFTED
        if s.stack[i].kind & STOPS:
            blocks += 1
        else:
            ordinary = True
    if blocks and s.listed[at].forgotten:
        blocks = SHIFTED
    if blocks:
        # The parser copies the element into each block, and at most three that are open between them.
        s.cloned += (blocks if blocks < SHIFTED else SHIFTED) * min(s.listed_attributes, 4 * s.most_own)
    if ordinary and blocks == 0 and depth >= s.sure and at >= s.vague and not s.listed[at].moved:
        pop_to(s, depth)
    elif ordinary or blocks >= SHIFTED:
        unsure(s)
    # The formatting elements that were opened later are closed too, and are reopened in another place.
    for i in range(at, s.n_listed):
        s.listed[i].depth = <uint32_t> depth
        s.listed[i].moved = True
    if blocks < SHIFTED:
        _unlist(s, at)


cdef bint _start_formatting(scan_t* s, uint64_t name, const char* written, size_t length) noexcept nogil:
    cdef size_t i
    if s.out == NULL:
        if name == A or name == NOBR:
            _end_formatting(s, name)
        _list(s, name)
        return True
    if name == A or name == NOBR:
        i = s.depth
        while i > 0 and not _is_marker(&s.stack[i - 1]):
            i -= 1
            if s.stack[i].name == name:
                if _find(s, name, INLINE) < 0:
                    return False
                pop_to(s, i)
                break
    if s.depth >= s.max_depth:
        return False
    _push(s, name, FORMATTING, written, length)
    return True


# --------------------------------------------------------------------------------------------------

cdef void _push_part(scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length) noexcept nogil:
    """Pushes an element onto the stack.

    For a part of a table, first pushes the elements that the parser may insert around it."""
    cdef bint cell = (kind & (GROUP | SCOPE)) == TABLE_PART | SCOPE and name != CAPTION
    if cell or name == TR:
        _push(s, TBODY, TABLE_PART | STOPS, b"tbody", 5)
    if cell:
        _push(s, TR, TABLE_PART | STOPS, b"tr", 2)
    _push(s, name, kind, written, length)


cdef void _start_foreign(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil:
    """Updates the stack for a start tag while svg or math may be open.

    The innermost open element decides whether the tag is HTML."""
    cdef uint8_t group = kind & GROUP
    cdef bint text_point
    if s.island and (s.stack[s.depth - 1].kind & GROUP) != TEXT_POINT:
        text_point = group == TEXT_POINT or name == TITLE
        if text_point or group == GRAPHIC or group == UNKNOWN or group == FOREIGN or name == A or name == IMAGE \
                or name == STYLE or name == SCRIPT:
            if not self_closing:
                _push(s, name, TEXT_POINT if text_point else ORDINARY, written, length)
            return
    if group == RAW:
        s.doubt = True
    if group == FORMATTING:
        _list(s, name)
    _reopen(s)
    if kind & CLOSES_P and _is_innermost(s, P):
        pop_to(s, s.depth - 1)
    _push_part(s, name, kind, written, length)
    unsure(s)


cdef void _end_foreign(scan_t* s, uint64_t name) noexcept nogil:
    cdef size_t i = s.depth
    if s.island and (s.stack[i - 1].name == name or (s.stack[i - 1].kind & GROUP) != TEXT_POINT):
        while i >= s.island:
            i -= 1
            if s.stack[i].name == name:
                pop_to(s, i)
                return
    if _is_innermost(s, name):
        pop_to(s, s.depth - 1)
    unsure(s)


cdef bint _start_part(
    scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length
) noexcept nogil:
    """Updates the stack for the start tag of a part of a table.

    Returns whether the tag stays in a rewritten page: not if the parser ignores it, if it is nested too deep, or
    if it is <col> or <colgroup>."""
    cdef Py_ssize_t at
    cdef uint64_t row = name
    cdef bint cell = kind & SCOPE != 0 and name != CAPTION
    if cell:
        row = 0
    elif name != TR:
        row = TABLE
    if name == COL and s.templates:
        s.doubt = True  # the parser treats what follows as a column group, and does not recognize scripts there
    if not s.tables and not s.templates:
        return False
    at = _find_context(s, row)
    if at >= 0 and s.out != NULL and <size_t> at + 4 > s.max_depth:
        return False
    if at >= 0:
        pop_to(s, <size_t> at + 1)
        if name == COL or name == COLGROUP:
            return False
        # The parser inserts the <tbody> and the <tr> that the page leaves out.
        if (cell or name == TR) and s.stack[at].name == TABLE:
            _push(s, TBODY, TABLE_PART | STOPS, b"tbody", 5)
        if cell and s.stack[at].name != TR:
            _push(s, TR, TABLE_PART | STOPS, b"tr", 2)
        _push(s, name, kind, written, length)
        return True
    if s.out != NULL:
        return False
    if name != COL and name != COLGROUP:
        _push_part(s, name, kind, written, length)
    unsure(s)
    return False


cdef Py_ssize_t _find_table(scan_t* s) noexcept nogil:
    """Returns the index of the innermost table if no cell is open in it.

    Returns ABSENT inside a cell or outside of all tables, and UNCERTAIN if the parser's stack may differ."""
    cdef size_t i = s.depth
    cdef open_t* e
    if not s.tables:
        return ABSENT
    while i > s.sure:
        i -= 1
        e = &s.stack[i]
        if e.name == TABLE:
            return <Py_ssize_t> i
        if e.kind & SCOPE and (e.kind & GROUP) == TABLE_PART:
            return ABSENT
        if e.name == TEMPLATE or e.name == SELECT:
            return UNCERTAIN
    return UNCERTAIN if s.sure else ABSENT


cdef void text_in_table(scan_t* s, const char* p, const char* end) noexcept nogil:
    """Handles text while a table is open.

    The parser moves text that is not in a cell to the place before the table, and joins it to the text there. If
    anything else has been added to the table in between, the joined text is copied each time. In a rewritten page,
    an empty element keeps the two texts apart."""
    cdef open_t* e = &s.stack[s.depth - 1]
    if (s.out != NULL or s.depth > s.sure and not s.doubt) and e.name != TABLE and (
        (e.kind & GROUP) != TABLE_PART or e.kind & SCOPE
    ):
        return
    while p < end and is_space(p[0]):
        p += 1
    if p == end:
        return
    s.misplaced += <uint64_t> (end - p)
    s.moved += s.misplaced
    if s.out != NULL and s.written < s.max_tags and (
        s.out_length < 5 or memcmp(s.out + s.out_length - 5, b"<wbr>", 5) != 0
    ):
        s.written += 1
        write(s, b"<wbr>", 5)


cdef void _start_table(scan_t* s) noexcept nogil:
    """Updates the stack for the start tag of a table. A table directly inside another table ends the outer one."""
    cdef Py_ssize_t at
    if s.out != NULL:
        close_paragraph(s)
    elif s.paragraphs:
        unsure(s)  # in quirks mode, the parser leaves the paragraph open
    at = _find_table(s)
    if at >= 0:
        pop_to(s, <size_t> at)
    elif at == UNCERTAIN:
        unsure(s)


cdef bint _start_control(scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length) noexcept nogil:
    """Updates the stack for the start tag of a control (group CONTROL).

    Called only while a page is judged: a rewritten page contains no controls."""
    cdef Py_ssize_t at
    cdef bint in_head
    if name == BUTTON and s.buttons:
        at = _find(s, BUTTON, BLOCK)
        if at >= 0:
            pop_to(s, <size_t> at)
        elif at == UNCERTAIN:
            unsure(s)
    elif _is_innermost(s, OPTION) and (name == OPTION or name == OPTGROUP):
        if s.n_listed == s.last_marker:
            pop_to(s, s.depth - 1)
        else:
            unsure(s)
    in_head = s.sure == s.depth
    _push(s, name, kind, written, length)
    if name == TEMPLATE or name == FRAMESET or name == NOSCRIPT and in_head:
        unsure(s)
    if name == FRAMESET:
        s.doubt = True
    return True


cdef void _make_room(scan_t* s) noexcept nogil:
    """Closes the innermost elements of a rewritten page that is nested as deep as it may be.

    Blocks then go on as siblings. Without their tags, a list that is never closed would become one paragraph."""
    cdef size_t depth = s.max_depth - (ROOM if s.max_depth > 2 * ROOM else s.max_depth // 2)
    cdef open_t* e
    # The parser would move content that is directly inside a table to the place before it.
    while depth > 0:
        e = &s.stack[depth - 1]
        if e.name != TABLE and ((e.kind & GROUP) != TABLE_PART or e.kind & SCOPE):
            break
        depth -= 1
    if depth < s.depth:
        s.dropped += s.depth - depth
        pop_to(s, depth)


cdef bint start_tag(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil:
    """Updates the stack for a start tag. Returns True if the tag stays in a rewritten page."""
    cdef uint8_t group = kind & GROUP
    cdef Py_ssize_t at
    s.tags += 1
    s.unknown += group == UNKNOWN
    if s.doubt:
        if group == FORMATTING:
            _list(s, name)
        _reopen(s)
        _push_part(s, name, kind, written, length)
        return True
    if s.foreign:
        _start_foreign(s, name, kind, self_closing, written, length)
        return True
    if s.out != NULL and (
        group == FOREIGN or group == CONTROL or s.written >= s.max_tags or group == UNKNOWN and s.unknown > ALL_UNKNOWN
    ):
        s.inside += group == FOREIGN and not self_closing
        return False
    if kind & CLOSES_P:
        s.inside = 0
    if s.out != NULL and group == SPECIAL:
        if s.depth + (ROOM_INSIDE if name == TABLE or name == LI or name == DD or name == DT else 0) >= s.max_depth:
            _make_room(s)
    if group == ROOT:
        s.roots += 1
        return s.roots <= 3
    if group == FORMATTING:
        return _start_formatting(s, name, written, length)
    _reopen(s)
    if s.selects and name != OPTION and name != OPTGROUP:
        # Parsers differ in the elements that they allow inside a <select>.
        if group != VOID:
            _push_part(s, name, kind, written, length)
        unsure(s)
        return True
    if group == TABLE_PART or name == COL:
        return _start_part(s, name, kind, written, length)
    if group == VOID:
        if name == HR:
            close_paragraph(s)
        return name != FRAME
    if group == CONTROL:
        return _start_control(s, name, kind, written, length)
    if group == FOREIGN:
        if not self_closing:
            _push(s, name, kind, written, length)
            s.island = s.depth
        return True
    if s.out != NULL and s.depth >= s.max_depth:
        return False
    if name == FORM:
        if s.form and (s.out != NULL or not s.templates):
            return False
        at = _find_table(s)
        if at != ABSENT:
            # Directly inside a table, the parser opens a form and closes it immediately.
            s.form = s.out == NULL and not s.templates
            if at == UNCERTAIN:
                _push(s, name, kind, written, length)
                unsure(s)
            return False
        s.form = not s.templates
    if name == LI or name == DD or name == DT:
        if s.items:
            at = _find_item(s, LI, LI) if name == LI else _find_item(s, DD, DT)
            if at >= 0:
                pop_to(s, <size_t> at)
            elif at == UNCERTAIN:
                unsure(s)
    if name == TABLE:
        _start_table(s)
    elif kind & CLOSES_P:
        close_paragraph(s)
    if kind & HEADING and s.depth and s.stack[s.depth - 1].kind & HEADING:
        if s.n_listed == s.last_marker:
            pop_to(s, s.depth - 1)
        else:
            unsure(s)
    elif name == RB or name == RT or name == RTC or name == RP:
        if s.n_listed > s.last_marker or _find(s, RUBY, BLOCK) < 0:
            unsure(s)
        elif _is_innermost(s, RB) or _is_innermost(s, RT) or _is_innermost(s, RP):
            pop_to(s, s.depth - 1)
        elif not _is_innermost(s, RUBY):
            unsure(s)
    if s.out != NULL and s.depth >= s.max_depth:
        return False
    _push(s, name, kind if group == SPECIAL else ORDINARY, written, length)
    return True


cdef bint _end_form(scan_t* s) noexcept nogil:
    """Updates the stack for the end tag of a form: removes the form, but not the elements that are open inside it."""
    cdef Py_ssize_t at
    cdef size_t i
    if s.out != NULL:
        _close(s, FORM, BLOCK)
        return True
    if not s.form and not s.templates:
        return True
    s.form = s.form and s.templates > 0
    at = _find(s, FORM, BLOCK)
    if at >= 0 and <size_t> at + 1 == s.depth:
        pop_to(s, <size_t> at)
    elif at >= 0:
        for i in range(<size_t> at, s.depth - 1):
            s.stack[i] = s.stack[i + 1]
        s.depth -= 1
        s.floor -= s.floor > <size_t> at
        for i in range(s.n_listed):
            if s.listed[i].depth > <size_t> at:
                s.listed[i].depth -= 1
        unsure(s)  # the parser also closes the paragraphs and items that are open inside the form
    else:
        unsure(s)
    return True


cdef void end_tag(scan_t* s, uint64_t name, uint8_t kind) noexcept nogil:
    """Updates the stack for an end tag."""
    cdef uint8_t group = kind & GROUP
    cdef size_t i
    s.ends += group == ROOT
    if s.doubt:
        pass
    elif s.foreign:
        _end_foreign(s, name)
    elif group == FORMATTING:
        if s.out == NULL:
            _end_formatting(s, name)
        else:
            _close(s, name, INLINE)
    elif group == ROOT or group == VOID or group == RAW or group == FOREIGN or name == COLGROUP:
        s.inside -= group == FOREIGN and s.inside > 0
    elif name == FORM:
        _end_form(s)
    elif kind & HEADING:
        _close(s, 0, BLOCK)
    elif name == P:
        _close(s, P, PARAGRAPH)
    elif name == LI:
        _close(s, LI, ITEM)
    elif name == TABLE or group == TABLE_PART:
        if s.tables or s.templates:
            _close(s, name, WHOLE if name == TABLE else PART)
    elif name == TEMPLATE:
        if s.templates:
            i = s.depth
            while s.stack[i - 1].name != TEMPLATE:
                i -= 1
                s.stale |= _is_marker(&s.stack[i])
            _close(s, name, WHOLE)
    elif name == FRAMESET:
        unsure(s)
    elif group == SPECIAL or group == CONTROL and kind & STOPS and name != NOSCRIPT:
        _close(s, name, BLOCK)
    else:
        _close(s, name, INLINE)
