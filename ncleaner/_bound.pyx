"""Keeps a page within what the parser can take in linear time and memory.

Lexbor follows the HTML standard's tree construction, whose cost is tags times nesting: a tag looks through
the stack of open elements, and every block reopens the formatting elements left unclosed. 100,000 nested
<div> take 14 seconds, and 40 KB of unclosed <b> of different attributes make 4 million nodes; 200,000 names
of its own invention make a page as slow. Native code cannot be stopped inside a process, so the page is
looked at first:

1. `_scan` follows the tokenizer, and judges nesting and unclosed formatting from above. Its stack holds
   every element that the parser's may hold. It closes an element only where the parser must: from `sure`
   upwards the two stacks are known to be the same and the standard's rules apply; below, an end tag closes
   the innermost element or nothing. Whatever the rules here do not follow exactly makes the whole stack
   unsure. `<select>`, `<template>`, frames and markup inside <svg> and <math> are such cases. On real pages
   it takes an eighth of the time of parsing.
2. Only a page that is over the bounds is written anew, by the same scan: well nested, each element closed
   by its own end tag, so that the parser's stack is the scan's. Tags that would nest too deep go, and so do
   scripts, comments, forms' controls and foreign markup; all text stays.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy, memset

import os

cdef enum:
    ORDINARY = 0   # span and the like: an end tag looks up to the next element that stops it
    SPECIAL = 1    # div, p, li, …: an end tag looks up to the next scope boundary
    FORMATTING = 2
    VOID = 3
    RAW = 4        # content is no markup up to the matching end tag
    TABLE_PART = 5
    FOREIGN = 6    # svg, math
    ROOT = 7       # html, head, body: one of each
    CONTROL = 8    # select, button, object, template, …: rules of their own
    GRAPHIC = 9    # what svg is made of; elsewhere as ORDINARY
    TEXT_POINT = 10 # desc, mi, …: HTML may stand inside, in svg or math; elsewhere as ORDINARY
    UNKNOWN = 11   # any other name; as ORDINARY
    GROUP = 15     # mask of the above

    SCOPE = 16     # flag: scope boundary
    CLOSES_P = 32  # flag: its start tag ends an open <p>
    STOPS = 64     # flag: end tags of ordinary elements do not look beyond it
    HEADING = 128  # flag: h1 … h6

    SLOTS = 512
    DEEPEST = 4096           # entries of the stack; deeper pages are over any bound
    LISTED = 2048            # entries of the list of unclosed formatting elements, likewise
    NOAH = 3                 # unclosed formatting elements of a kind that the parser remembers
    SHIFTED = 8              # blocks that the parser moves a formatting element's end tag over
    MANY_ATTRIBUTES = 1_000  # in one tag: they are compared pairwise
    ALL_ATTRIBUTES = 100_000 # of the page: unknown names are found through short hash chains …
    ALL_UNKNOWN = 50_000     # … and so are unknown tags

cdef uint64_t LOOK_UPS = 300_000_000   # markup times nesting
cdef uint64_t REOPENED = 500_000       # formatting elements reopened

cdef uint64_t keys[SLOTS]
cdef uint8_t classes[SLOTS]
# Names of more than eight bytes are known by a hash; nobody outside can make two of them meet.
cdef uint64_t secret = int.from_bytes(os.urandom(8), "little") | 1


cdef inline uint64_t _key(const char* name, size_t length) noexcept nogil:
    """A number for a name in any case: its bytes, or the hash of more than eight."""
    cdef uint64_t key = 0
    cdef size_t i
    if length <= 8:
        for i in range(length):
            key = key << 8 | (<uint8_t> name[i] | (0x20 if c'A' <= name[i] <= c'Z' else 0))
        return key
    for i in range(length):
        key = (key ^ (<uint8_t> name[i] | (0x20 if c'A' <= name[i] <= c'Z' else 0))) * secret
        key ^= key >> 31
    return key | <uint64_t> 1 << 63


cdef inline size_t _slot(uint64_t key) noexcept nogil:
    return <size_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 55)


cdef inline uint8_t _class(uint64_t key) noexcept nogil:
    cdef size_t slot = _slot(key)
    while keys[slot]:
        if keys[slot] == key:
            return classes[slot]
        slot = (slot + 1) % SLOTS
    return UNKNOWN


cdef uint64_t P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV
cdef uint64_t ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN
cdef uint64_t FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG


cdef uint64_t _key_of(str name):
    cdef bytes raw = name.encode()
    return _key(<char*> raw, len(raw))


cdef void _learn():
    cdef size_t slot
    cdef uint64_t key
    groups = {
        SPECIAL | STOPS | CLOSES_P: "address article aside blockquote center details dialog dir div dl fieldset "
        "figcaption figure footer header hgroup main menu nav ol p search section summary ul pre listing form li dd dt",
        SPECIAL | STOPS | CLOSES_P | HEADING: "h1 h2 h3 h4 h5 h6",
        SPECIAL | STOPS | SCOPE | CLOSES_P: "table",
        TABLE_PART | STOPS | SCOPE: "td th caption",
        TABLE_PART | STOPS: "tr tbody thead tfoot",
        TABLE_PART: "colgroup",
        FORMATTING: "a b big code em font i nobr s small strike strong tt u",
        VOID: "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr",
        RAW: "script style title textarea xmp iframe noembed noframes plaintext",
        FOREIGN: "svg math",
        ROOT: "html head body",
        CONTROL | STOPS | SCOPE: "applet object marquee template",
        CONTROL | STOPS: "button select frameset noscript",
        CONTROL: "option optgroup",
        ORDINARY: "span label abbr acronym bdi bdo cite data del dfn ins kbd mark meter output picture progress q rb "
        "rp rt rtc ruby samp slot sub sup time var video audio canvas datalist legend map menuitem blink",
        GRAPHIC: "path g rect circle line polyline polygon ellipse use defs text tspan textpath symbol lineargradient "
        "radialgradient stop clippath mask pattern marker filter switch view metadata animate animatetransform "
        "animatemotion set mrow mfrac msub msup msubsup munder mover munderover msqrt mroot mtable mtr mtd mspace "
        "mstyle mpadded mphantom mfenced menclose semantics annotation",
        TEXT_POINT: "desc foreignobject mi mo mn ms mtext annotation-xml",
    }
    for kind, names in groups.items():
        for name in names.split():
            key = _key_of(name)
            slot = _slot(key)
            while keys[slot]:
                slot = (slot + 1) % SLOTS
            keys[slot] = key
            classes[slot] = kind
    global P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV
    global ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN
    global FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG
    P, LI, DD, DT, FORM, TABLE, TBODY, THEAD, TFOOT, TR, A, NOBR, SCRIPT, PLAINTEXT, XMP, TITLE, UL, OL, DIV = [
        _key_of(name) for name in
        "p li dd dt form table tbody thead tfoot tr a nobr script plaintext xmp title ul ol div".split()
    ]
    ADDRESS, BUTTON, SELECT, OPTION, OPTGROUP, TEMPLATE, NOSCRIPT, COL, COLGROUP, CAPTION, HR, INPUT, KEYGEN = [
        _key_of(name) for name in
        "address button select option optgroup template noscript col colgroup caption hr input keygen".split()
    ]
    FRAME, FRAMESET, RUBY, RB, RT, RTC, RP, IMAGE, STYLE, SVG = [
        _key_of(name) for name in "frame frameset ruby rb rt rtc rp image style svg".split()
    ]

memset(keys, 0, sizeof(keys))
_learn()


cdef inline bint _is_letter(char c) noexcept nogil:
    return c'a' <= (c | 0x20) <= c'z'


cdef inline bint _is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


cdef inline const char* _name_end(const char* p, const char* end) noexcept nogil:
    while p < end and not _is_space(p[0]) and p[0] != c'>' and p[0] != c'/':
        p += 1
    return p


# --------------------------------------------------------------------------------------------------

cdef struct open_t:       # an open element
    uint64_t name
    const char* written   # its name as written, for its end tag
    uint32_t length
    uint8_t kind

cdef struct listed_t:     # an unclosed formatting element, or a marker
    uint64_t name         # 0 for a marker
    uint32_t depth        # of the stack when it was opened, or the least since
    bint moved            # it may stand elsewhere since, or nowhere
    bint forgotten        # it may not be in the parser's list, only on its stack

cdef struct scan_t:
    uint64_t markup       # tags, comments and the like
    uint64_t tags         # start tags
    uint64_t deepest
    uint64_t most_listed
    uint64_t reopened     # formatting elements that blocks would reopen, summed
    uint64_t attributes
    uint64_t crowded      # tags with more than MANY_ATTRIBUTES
    uint64_t unknown      # tags of names not in the table
    uint64_t roots
    bint over             # nested too deep to go on
    # the stack of open elements; only those from `sure` on are certain to be the parser's innermost
    open_t* stack
    size_t depth
    size_t sure
    size_t foreign        # open svg and math
    size_t island         # 1 + index of the svg or math whose content has held no surprise, or 0
    bint doubt            # scan and tokenizer may have come apart: no end tag is trusted any more
    size_t paragraphs
    size_t items
    size_t tables
    size_t selects
    size_t templates
    size_t buttons
    size_t objects        # object, applet, marquee
    bint form             # the parser's form pointer
    # the list of active formatting elements
    listed_t* listed
    size_t n_listed
    size_t last_marker    # entries since then are reopened
    size_t vague          # entries before may stand elsewhere, or nowhere
    bint stale            # the parser's markers may be others: no entry is taken out any more
    # where the page is written anew, or NULL
    char* out
    size_t out_length
    size_t max_depth
    uint64_t max_tags
    uint64_t written
    uint64_t dropped
    size_t inside         # svg and math that are left out around this
    bint bare             # what looks like raw text in them is none
    bint titled


cdef inline void _write(scan_t* s, const char* p, size_t n) noexcept nogil:
    if s.out != NULL:
        memcpy(s.out + s.out_length, p, n)
        s.out_length += n


cdef inline void _write_end(scan_t* s, const char* name, size_t length) noexcept nogil:
    _write(s, b"</", 2)
    _write(s, name, length)
    _write(s, b">", 1)


cdef inline void _unsure(scan_t* s) noexcept nogil:
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
    s.listed[s.n_listed].depth = <uint32_t> s.depth
    s.listed[s.n_listed].moved = False
    s.listed[s.n_listed].forgotten = False
    s.n_listed += 1
    # the parser keeps three that are the same, and forgets the first
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
    """Takes one entry from the list."""
    cdef size_t i
    s.n_listed -= 1
    s.vague -= at < s.vague
    for i in range(at, s.n_listed):
        s.listed[i] = s.listed[i + 1]
    if at < s.last_marker:
        s.last_marker -= 1
        while s.last_marker and s.listed[s.last_marker - 1].name:
            s.last_marker -= 1


cdef void _end_marker(scan_t* s, bint certain) noexcept nogil:
    """What was left unclosed in a cell or an object ends with it, if the parser's was open too."""
    if s.last_marker:
        if certain:
            s.n_listed = s.last_marker
            if s.vague > s.n_listed:
                s.vague = s.n_listed
        _unlist(s, s.last_marker - 1)


cdef void _pop_to(scan_t* s, size_t depth) noexcept nogil:
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
    if s.island > depth:
        s.island = 0
    i = s.n_listed
    while i > 0 and s.listed[i - 1].depth > depth:
        i -= 1
        s.listed[i].depth = <uint32_t> depth
        s.listed[i].moved = True


# --------------------------------------------------------------------------------------------------
# What an end tag, or the start tag of a paragraph or item, would close.

cdef enum:
    INLINE = 0     # up to any element that stops it
    BLOCK = 1      # up to a scope boundary
    PARAGRAPH = 2  # … or a button
    ITEM = 3       # … or a list
    PART = 4       # up to the table
    WHOLE = 5      # the table itself, a template

    ABSENT = -1
    UNCERTAIN = -2


cdef Py_ssize_t _find(scan_t* s, uint64_t name, int reach) noexcept nogil:
    """Index of the innermost open element that a tag of `name` would close; ABSENT when the parser has none
    in reach, UNCERTAIN when it may have one. A name of 0 is any heading."""
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
    """The open list item that a new one ends: looks through div, p, address and ordinary elements only."""
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
    """Whether the start tag of a table part ends what is open up to this element, and stands in it."""
    if e.name == TABLE or name == TABLE:
        return e.name == TABLE
    return e.name == TBODY or e.name == THEAD or e.name == TFOOT or not name and e.name == TR


cdef Py_ssize_t _find_context(scan_t* s, uint64_t name) noexcept nogil:
    """Index of what a table part would stand in. `name` is TR, 0 for a cell, TABLE for any other part."""
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


cdef void _close_paragraph(scan_t* s) noexcept nogil:
    cdef Py_ssize_t at
    if not s.paragraphs:
        return
    at = _find(s, P, PARAGRAPH)
    if at >= 0:
        _pop_to(s, <size_t> at)
    elif at == UNCERTAIN:
        if _is_innermost(s, P):
            _pop_to(s, s.depth - 1)
        _unsure(s)


cdef void _close(scan_t* s, uint64_t name, int reach) noexcept nogil:
    """What an end tag does to the stack."""
    cdef Py_ssize_t at = _find(s, name, reach)
    cdef bint marker
    if at >= 0:
        marker = s.out == NULL and s.stack[at].kind & SCOPE and (s.stack[at].kind & GROUP) == CONTROL
        _pop_to(s, <size_t> at)
        if marker:
            _end_marker(s, True)
    elif at == UNCERTAIN:
        if _is_innermost(s, name) or not name and s.depth and s.stack[s.depth - 1].kind & HEADING:
            marker = s.stack[s.depth - 1].kind & SCOPE and (s.stack[s.depth - 1].kind & GROUP) == CONTROL
            _pop_to(s, s.depth - 1)
            if marker:
                _end_marker(s, False)
        _unsure(s)


# --------------------------------------------------------------------------------------------------
# Formatting elements. In a page that is judged they stand in a list of their own, as the parser reopens
# them; in one that is written anew they are elements like others, closed with the block around them.

cdef void _end_formatting(scan_t* s, uint64_t name) noexcept nogil:
    """The standard's adoption agency, as far as it takes elements from stack and list."""
    cdef size_t at = s.n_listed, i, blocks = 0, depth
    cdef bint ordinary = False
    if s.stale:
        _unsure(s)
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
    if ordinary and blocks == 0 and depth >= s.sure and at >= s.vague and not s.listed[at].moved:
        _pop_to(s, depth)
    elif ordinary or blocks >= SHIFTED:
        _unsure(s)
    # those opened since are closed too, and come back elsewhere
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
                _pop_to(s, i)
                break
    if s.depth >= s.max_depth:
        return False
    _push(s, name, FORMATTING, written, length)
    return True


# --------------------------------------------------------------------------------------------------

cdef void _push_part(scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length) noexcept nogil:
    """An element, and what the parser may put around it where it is part of a table."""
    cdef bint cell = (kind & (GROUP | SCOPE)) == TABLE_PART | SCOPE and name != CAPTION
    if cell or name == TR:
        _push(s, TBODY, TABLE_PART | STOPS, b"tbody", 5)
    if cell:
        _push(s, TR, TABLE_PART | STOPS, b"tr", 2)
    _push(s, name, kind, written, length)


cdef void _start_foreign(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil:
    """A start tag while svg or math may be open: HTML or not, depending on what is innermost."""
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
    s.reopened += s.n_listed - (0 if s.stale else s.last_marker)
    if kind & CLOSES_P and _is_innermost(s, P):
        _pop_to(s, s.depth - 1)
    _push_part(s, name, kind, written, length)
    _unsure(s)


cdef void _end_foreign(scan_t* s, uint64_t name) noexcept nogil:
    cdef size_t i = s.depth
    if s.island and (s.stack[i - 1].name == name or (s.stack[i - 1].kind & GROUP) != TEXT_POINT):
        while i >= s.island:
            i -= 1
            if s.stack[i].name == name:
                _pop_to(s, i)
                return
    if _is_innermost(s, name):
        _pop_to(s, s.depth - 1)
    _unsure(s)


cdef bint _start_part(
    scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length
) noexcept nogil:
    """A part of a table. False where the parser ignores it, or where it stands too deep."""
    cdef Py_ssize_t at
    cdef uint64_t row = name
    cdef bint cell = kind & SCOPE != 0 and name != CAPTION
    if cell:
        row = 0
    elif name != TR:
        row = TABLE
    if name == COL and s.templates:
        s.doubt = True  # what follows is column groups to the parser, and scripts are none
    if not s.tables and not s.templates:
        return False
    at = _find_context(s, row)
    if at >= 0 and s.out != NULL and <size_t> at + 4 > s.max_depth:
        return False
    if at >= 0:
        _pop_to(s, <size_t> at + 1)
        if name == COL or name == COLGROUP:
            return False
        # the parser puts in what is left out
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
    _unsure(s)
    return False


cdef Py_ssize_t _find_table(scan_t* s) noexcept nogil:
    """Index of the innermost table, where no cell is open in it; ABSENT in a cell or outside of tables."""
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


cdef void _start_table(scan_t* s) noexcept nogil:
    """A table right inside another ends it."""
    cdef Py_ssize_t at
    if s.out != NULL:
        _close_paragraph(s)
    elif s.paragraphs:
        _unsure(s)  # in quirks mode a paragraph stays open
    at = _find_table(s)
    if at >= 0:
        _pop_to(s, <size_t> at)
    elif at == UNCERTAIN:
        _unsure(s)


cdef bint _start_control(scan_t* s, uint64_t name, uint8_t kind, const char* written, size_t length) noexcept nogil:
    """Only in a page that is judged."""
    cdef Py_ssize_t at
    cdef bint in_head
    if name == BUTTON and s.buttons:
        at = _find(s, BUTTON, BLOCK)
        if at >= 0:
            _pop_to(s, <size_t> at)
        elif at == UNCERTAIN:
            _unsure(s)
    elif _is_innermost(s, OPTION) and (name == OPTION or name == OPTGROUP):
        if s.n_listed == s.last_marker:
            _pop_to(s, s.depth - 1)
        else:
            _unsure(s)
    in_head = s.sure == s.depth
    _push(s, name, kind, written, length)
    if name == TEMPLATE or name == FRAMESET or name == NOSCRIPT and in_head:
        _unsure(s)
    if name == FRAMESET:
        s.doubt = True
    return True


cdef bint _start_tag(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil:
    """Follows a start tag on the stack. True when the tag is to stay in a page that is written anew."""
    cdef uint8_t group = kind & GROUP
    cdef Py_ssize_t at
    s.tags += 1
    s.unknown += group == UNKNOWN
    if s.doubt:
        if group == FORMATTING:
            _list(s, name)
        s.reopened += s.n_listed - (0 if s.stale else s.last_marker)
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
    if group == ROOT:
        s.roots += 1
        return s.roots <= 3
    if group == FORMATTING:
        return _start_formatting(s, name, written, length)
    s.reopened += s.n_listed - (0 if s.stale else s.last_marker)
    if s.selects and name != OPTION and name != OPTGROUP:
        # parsers differ in what they let stand in a select
        if group != VOID:
            _push_part(s, name, kind, written, length)
        _unsure(s)
        return True
    if group == TABLE_PART or name == COL:
        return _start_part(s, name, kind, written, length)
    if group == VOID:
        if name == HR:
            _close_paragraph(s)
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
            # right inside a table the parser opens a form and closes it at once
            s.form = s.out == NULL and not s.templates
            if at == UNCERTAIN:
                _push(s, name, kind, written, length)
                _unsure(s)
            return False
        s.form = not s.templates
    if name == LI or name == DD or name == DT:
        if s.items:
            at = _find_item(s, LI, LI) if name == LI else _find_item(s, DD, DT)
            if at >= 0:
                _pop_to(s, <size_t> at)
            elif at == UNCERTAIN:
                _unsure(s)
    if name == TABLE:
        _start_table(s)
    elif kind & CLOSES_P:
        _close_paragraph(s)
    if kind & HEADING and s.depth and s.stack[s.depth - 1].kind & HEADING:
        if s.n_listed == s.last_marker:
            _pop_to(s, s.depth - 1)
        else:
            _unsure(s)
    elif name == RB or name == RT or name == RTC or name == RP:
        if s.n_listed > s.last_marker or _find(s, RUBY, BLOCK) < 0:
            _unsure(s)
        elif _is_innermost(s, RB) or _is_innermost(s, RT) or _is_innermost(s, RP):
            _pop_to(s, s.depth - 1)
        elif not _is_innermost(s, RUBY):
            _unsure(s)
    if s.out != NULL and s.depth >= s.max_depth:
        return False
    _push(s, name, kind if group == SPECIAL else ORDINARY, written, length)
    return True


cdef bint _end_form(scan_t* s) noexcept nogil:
    """Takes the form off the stack, not what is open inside it."""
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
        _pop_to(s, <size_t> at)
    elif at >= 0:
        for i in range(<size_t> at, s.depth - 1):
            s.stack[i] = s.stack[i + 1]
        s.depth -= 1
        for i in range(s.n_listed):
            if s.listed[i].depth > <size_t> at:
                s.listed[i].depth -= 1
        _unsure(s)  # paragraphs and items left open in it are closed too
    else:
        _unsure(s)
    return True


cdef void _end_tag(scan_t* s, uint64_t name, uint8_t kind) noexcept nogil:
    """Follows an end tag on the stack."""
    cdef uint8_t group = kind & GROUP
    cdef size_t i
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
        _unsure(s)
    elif group == SPECIAL or group == CONTROL and kind & STOPS and name != NOSCRIPT:
        _close(s, name, BLOCK)
    else:
        _close(s, name, INLINE)


# --------------------------------------------------------------------------------------------------
# The tokenizer.

cdef enum:
    AT_SPACE = 1
    AT_END = 2
    AT_SLASH = 3
    AT_EQUALS = 4
    AT_QUOTE = 5

cdef uint8_t attribute_class[256]
memset(attribute_class, 0, sizeof(attribute_class))
attribute_class[c' '] = attribute_class[c'\n'] = attribute_class[c'\t'] = AT_SPACE
attribute_class[c'\r'] = attribute_class[c'\f'] = AT_SPACE
attribute_class[c'>'] = AT_END
attribute_class[c'/'] = AT_SLASH
attribute_class[c'='] = AT_EQUALS
attribute_class[c'"'] = attribute_class[c"'"] = AT_QUOTE


cdef const char* _attributes_end(
    const char* p, const char* end, bint* self_closing, uint64_t* count
) noexcept nogil:
    """From behind a tag's name to its `>`, through the tokenizer's attribute states; `end` if there is none.
    Adds the attributes to `count`."""
    cdef int state = 0  # 0 before a name, 1 in a name, 2 before a value, 3 in an unquoted value, 4 after a name
    cdef uint8_t kind
    self_closing[0] = False
    while p < end:
        kind = attribute_class[<uint8_t> p[0]]
        if kind == 0:
            if state == 2:
                state = 3
            elif state != 1 and state != 3:
                state = 1
                count[0] += 1
            p += 1
            while p < end and attribute_class[<uint8_t> p[0]] == 0:
                p += 1
            continue
        if kind == AT_SPACE:
            # `name = value`: white space ends a value, but an equals sign may still follow a name
            if state == 3:
                state = 0
            elif state == 1:
                state = 4
        elif kind == AT_END:
            self_closing[0] = (p - 1)[0] == c'/' and state != 3
            return p
        elif kind == AT_QUOTE:
            if state == 2:
                p = <const char*> memchr(p + 1, p[0], <size_t> (end - p - 1))
                if p == NULL:
                    return end
                state = 0
            elif state != 1 and state != 3:
                state = 1
                count[0] += 1
        elif kind == AT_SLASH:
            if state == 1 or state == 4:
                state = 0
            elif state == 2:
                state = 3
        else:  # an equals sign; one where a name should begin belongs to the name
            if state == 1 or state == 4:
                state = 2
            elif state == 0:
                state = 1
                count[0] += 1
            elif state == 2:
                state = 3
        p += 1
    return end


cdef const char* _raw_end(const char* p, const char* end, const char* name, size_t length, bint script) noexcept nogil:
    """End of raw text: the `<` of the matching end tag. In scripts, `<!--` and a further `<script` hide
    end tags as the tokenizer's escaped states do."""
    cdef int escaped = 0  # 1 inside <!--, 2 inside a <script in it
    cdef const char* q
    cdef const char* after
    cdef bint closing
    while True:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        after = p
        while script and escaped:
            # `-->` ends both escaped states
            after = <const char*> memchr(after, c'>', <size_t> ((q if q != NULL else end) - after))
            if after == NULL:
                break
            if after - p >= 2 and (after - 1)[0] == c'-' and (after - 2)[0] == c'-':
                escaped = 0
            after += 1
        if q == NULL or q + 1 >= end:
            return end
        p = q + 1
        if script and not escaped and end - p >= 3 and p[0] == c'!' and p[1] == c'-' and p[2] == c'-':
            escaped = 1
            p += 1  # `<!-->` closes at once: its dashes count
            continue
        closing = p[0] == c'/'
        if closing:
            p += 1
        elif not (script and escaped == 1):
            continue
        after = p + length
        if after >= end or _key(p, length) != _key(name, length) or not (
            _is_space(after[0]) or after[0] == c'>' or after[0] == c'/'
        ):
            continue
        if not closing:
            escaped = 2
        elif escaped == 2:
            escaped = 1
        else:
            return q


cdef inline bint _runs_on(uint8_t kind) noexcept nogil:
    """Whether text runs on across a tag of this kind."""
    kind &= GROUP
    return kind == FORMATTING or kind == ORDINARY or kind >= GRAPHIC


cdef inline bint _is(const char* p, const char* end, const char* what, size_t length) noexcept nogil:
    return <size_t> (end - p) >= length and memcmp(p, what, length) == 0


cdef const char* _comment_end(const char* p, const char* end) noexcept nogil:
    """From behind `<!--` to behind the comment; `end` if it never closes."""
    cdef const char* first = p
    # `<!-->` and `<!--->` are whole comments
    if _is(p, end, b">", 1):
        return p + 1
    if _is(p, end, b"->", 2):
        return p + 2
    while True:
        p = <const char*> memchr(p, c'>', <size_t> (end - p))
        if p == NULL:
            return end
        if p - first >= 2 and memcmp(p - 2, b"--", 2) == 0 or p - first >= 3 and memcmp(p - 3, b"--!", 3) == 0:
            return p + 1
        p += 1


cdef bint _has_tag(const char* p, const char* end) noexcept nogil:
    while True:
        p = <const char*> memchr(p, c'<', <size_t> (end - p))
        if p == NULL or p + 1 >= end:
            return False
        p += 1
        if _is_letter(p[0]):
            return True


cdef void _write_preformatted(scan_t* s, const char* p, const char* end) noexcept nogil:
    cdef bint room = s.written < s.max_tags and s.depth < s.max_depth
    s.written += room
    s.dropped += not room
    _write(s, b"<pre>" if room else b" ", 5 if room else 1)
    while p < end:
        if p[0] == c'<':
            _write(s, b"&lt;", 4)
        elif p[0] == c'&':
            _write(s, b"&amp;", 5)
        else:
            _write(s, p, 1)
        p += 1
    _write(s, b"</pre>" if room else b" ", 6 if room else 1)


cdef const char* _skip_raw(
    scan_t* s, const char* name, size_t length, uint64_t key, const char* p, const char* end
) noexcept nogil:
    """From behind the start tag of raw text to behind its end tag. A page that is written anew keeps what is
    text of the page, or its title."""
    cdef const char* last = end
    cdef const char* close = end
    cdef bint self_closing
    cdef uint64_t attributes = 0
    s.tags += 1
    if s.selects:
        s.doubt = True
        _unsure(s)
    if key != PLAINTEXT and not (s.inside and s.bare):
        last = _raw_end(p, end, name, length, key == SCRIPT)
        if last < end:
            close = _attributes_end(last + 2 + length, end, &self_closing, &attributes)
            close = end if close == end else close + 1
    if (key == XMP or key == PLAINTEXT) and not s.doubt:
        _close_paragraph(s)
    if s.inside and (s.bare or last == end or key == STYLE and _has_tag(p, last)):
        s.bare = True
        s.dropped += 1
        return p  # a style or title of svg, which hides no markup
    if s.out != NULL:
        if key == TITLE and not s.inside and not s.titled and p < last < end:
            s.titled = True
            _write(s, b"<title>", 7)
            _write(s, p, <size_t> (last - p))
            _write(s, b"</title>", 8)
        elif key == XMP or key == PLAINTEXT:
            _write_preformatted(s, p, last)
        else:
            s.dropped += 1
            _write(s, b" ", 1)
    return close


cdef void _scan(const char* p, size_t n, scan_t* s) noexcept nogil:
    cdef const char* end = p + n
    cdef const char* q
    cdef const char* name
    cdef const char* close
    cdef size_t length, depth
    cdef uint64_t key, before
    cdef uint8_t kind
    cdef bint self_closing, keep
    while p < end and not s.over:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or q + 1 >= end:
            _write(s, p, <size_t> (end - p))
            return
        _write(s, p, <size_t> (q - p))
        p = q + 1
        s.markup += 1
        if s.out == NULL and (s.depth + s.n_listed) * s.markup > LOOK_UPS:
            s.over = True  # the scan itself takes no longer than the parser may
        if _is_letter(p[0]):
            name = p
            p = _name_end(p, end)
            length = <size_t> (p - name)
            before = s.attributes
            close = _attributes_end(p, end, &self_closing, &s.attributes)
            if close == end:
                return  # the tokenizer drops a tag that never ends
            s.crowded += s.attributes - before > MANY_ATTRIBUTES
            key = _key(name, length)
            kind = _class(key)
            if (kind & GROUP) == RAW and not s.foreign:
                p = _skip_raw(s, name, length, key, close + 1, end)
                continue
            keep = _start_tag(s, key, kind, self_closing, name, length)
            if s.out != NULL:
                if not keep:
                    s.dropped += 1
                    # a tag that would have split words still does
                    if not _runs_on(kind):
                        _write(s, b" ", 1)
                else:
                    s.written += 1
                    if s.attributes - before > MANY_ATTRIBUTES or s.attributes > ALL_ATTRIBUTES:
                        _write(s, q, <size_t> (p - q))
                        _write(s, b">", 1)
                    else:
                        _write(s, q, <size_t> (close + 1 - q))
            p = close + 1
        elif p[0] == c'/':
            p += 1
            if p < end and _is_letter(p[0]):
                name = p
                p = _name_end(p, end)
                close = _attributes_end(p, end, &self_closing, &s.attributes)
                if close == end:
                    return
                key = _key(name, <size_t> (p - name))
                kind = _class(key)
                depth = s.depth
                _end_tag(s, key, kind)
                if s.depth == depth and not _runs_on(kind):
                    _write(s, b" ", 1)
                p = close + 1
            else:
                p = <const char*> memchr(p, c'>', <size_t> (end - p))
                p = end if p == NULL else p + 1
        elif _is(p, end, b"!--", 3):
            p = _comment_end(p + 3, end)
        elif s.foreign and _is(p, end, b"![CDATA[", 8):
            # text up to `]]>` where the parser is inside foreign markup, else a comment up to `>`
            close = p
            while True:
                close = <const char*> memchr(close, c'>', <size_t> (end - close))
                if close == NULL:
                    close = end - 1
                    break
                if memcmp(close - 2, b"]]", 2) == 0:
                    break
                close += 1
            if s.island and (s.stack[s.depth - 1].kind & GROUP) != TEXT_POINT:
                p = close + 1
            else:
                s.doubt = True
                p += 8
        elif p[0] == c'!' or p[0] == c'?':
            close = <const char*> memchr(p, c'>', <size_t> (end - p))
            if close == NULL:
                return
            if p[0] == c'!' and (p[1] | 0x20) == c'd':
                _write(s, q, <size_t> (close + 1 - q))
            p = close + 1
        else:
            _write(s, b"&lt;", 4)


cdef void _scan_free(scan_t* s) noexcept nogil:
    free(s.stack)
    free(s.listed)
    s.stack = NULL
    s.listed = NULL


cdef int _scan_init(scan_t* s, size_t max_depth, uint64_t max_tags) noexcept nogil:
    memset(s, 0, sizeof(scan_t))
    s.stack = <open_t*> malloc(DEEPEST * sizeof(open_t))
    s.listed = <listed_t*> malloc(LISTED * sizeof(listed_t))
    s.max_depth = max_depth if max_depth < DEEPEST else DEEPEST
    s.max_tags = max_tags
    if s.stack == NULL or s.listed == NULL:
        _scan_free(s)
        return -1
    return 0


cdef uint64_t _hidden(const char* p, size_t n, scan_t* s) noexcept nogil:
    """What looks like a start tag and was none in the scan: where scan and tokenizer may have come apart,
    it may be one all the same."""
    cdef const char* end = p + n
    cdef uint64_t tags = 0
    if not s.doubt:
        return 0
    while True:
        p = <const char*> memchr(p, c'<', <size_t> (end - p))
        if p == NULL or p + 1 >= end:
            return tags - s.tags if tags > s.tags else 0
        p += 1
        tags += _is_letter(p[0])


def judge(bytes html not None):
    """Bounds of what parsing a page can cost: {name: number}, or None when the page is over any bound.

    `nesting` bounds the depth of the stack of open elements, <html> and <body> not counted, `reopened` the
    formatting elements that are made again; `hidden` tags may come on top.
    """
    cdef scan_t s
    cdef const char* p = html
    cdef size_t n = len(html)
    cdef uint64_t hidden
    cdef bint fits
    if _scan_init(&s, DEEPEST, 0) < 0:
        raise MemoryError
    with nogil:
        _scan(p, n, &s)
        hidden = _hidden(p, n, &s)
        _scan_free(&s)
        fits = (
            not s.over
            and s.attributes <= ALL_ATTRIBUTES
            and s.crowded == 0
            and s.unknown <= ALL_UNKNOWN
            and s.roots <= 100
            and (s.deepest + s.most_listed + hidden) * s.markup <= LOOK_UPS
            and s.reopened + hidden * s.tags <= REOPENED
        )
    if not fits:
        return None
    return {"tags": s.tags + hidden, "nesting": s.deepest + s.most_listed, "reopened": s.reopened, "hidden": hidden}


def rewritten(bytes html not None, size_t nesting=512, size_t tags=1_500_000):
    """The page well nested within these bounds, and how many of its tags are not in it."""
    cdef const char* p = html
    cdef size_t n = len(html)
    cdef scan_t s
    if _scan_init(&s, nesting, tags) < 0:
        raise MemoryError
    try:
        # a lone `<` becomes four bytes; an element of three, `<b>`, gets an end tag of four more, and a
        # cell those of body and row
        s.out = <char*> malloc(6 * n + 64)
        if s.out == NULL:
            raise MemoryError
        with nogil:
            _scan(p, n, &s)
        return s.out[: s.out_length], s.dropped
    finally:
        free(s.out)
        _scan_free(&s)


def bounded(bytes html not None, size_t nesting=512, size_t tags=1_500_000):
    """The page as it may go to the parser, and how many tags had to be dropped for that.

    Args:
        html: UTF-8.
        nesting: deepest nesting, in elements, in a page that has to be rewritten.
        tags: most tags.

    Returns:
        (html, 0) with the same object for all but pathological pages, else (rewritten page, dropped).
    """
    bounds = judge(html)
    if bounds is not None and bounds["tags"] <= tags:
        return html, 0
    return rewritten(html, nesting, tags)
