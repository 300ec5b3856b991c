"""Keeps a page within what the parser can take in linear time and memory.

Lexbor follows the HTML standard's tree construction, whose cost is tags times nesting: a start tag looks
through the stack of open elements, and every block reopens the formatting elements left unclosed. 100,000
nested <div> take 14 seconds, and 5,000 unclosed <b> of different attributes make 12 million nodes; 200,000
names of its own invention make a page as slow. Native code cannot be stopped inside a process, so the page
is looked at first:

1. `_count` adds up tags; nearly every page is so small that nothing in it can be costly.
2. `_scan` follows the tokenizer's states and the stack of open elements closely enough to bound nesting,
   unclosed formatting elements and attributes from above. Tags that it takes for comment, script or
   attribute are counted too: if the parser saw them otherwise, they could nest at most that deep.
3. Only a page that is over the bounds is written anew, by the same scan: every tag that would nest too
   deep goes, and all script, comment and foreign markup (and formatting, where that is what costs); all
   text stays.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy, memset

cdef enum:
    ORDINARY = 0   # span, unknown tags: an end tag looks up to the next special element
    SPECIAL = 1    # div, p, li, …: an end tag looks up to the next scope boundary
    FORMATTING = 2
    VOID = 3
    RAW = 4        # content is no markup up to the matching end tag
    TABLE_PART = 5
    FOREIGN = 6    # svg, math
    ROOT = 7       # html, head, body: one of each
    CONTROL = 8    # select, button, object, template, …: scope boundaries of their own
    UNKNOWN = 9    # custom elements: as ORDINARY

    SCOPE = 16     # flag: scope boundary
    CLOSES_P = 32  # flag: its start tag ends an open <p>

    SLOTS = 512
    DEEPEST = 4096           # entries of the simulated stack; deeper pages are over any bound
    HARMLESS_TAGS = 10_000
    HARMLESS_BYTES = 400_000
    LONG_TAG = 4_096         # bytes from which a tag's attributes are counted in any case
    MANY_ATTRIBUTES = 1_000  # in one tag: they are compared pairwise
    ALL_ATTRIBUTES = 100_000 # of the page: unknown names are found through short hash chains …
    ALL_UNKNOWN = 50_000     # … and so are unknown tags

cdef uint64_t LOOK_UPS = 300_000_000   # tags times nesting
cdef uint64_t REOPENED = 2_000_000     # formatting elements reopened

cdef uint64_t keys[SLOTS]
cdef uint8_t classes[SLOTS]


cdef inline uint64_t _key(const char* name, size_t length) noexcept nogil:
    """The first eight bytes of a name, in small letters: enough to tell all known names apart."""
    cdef uint64_t key = 0
    cdef size_t i
    for i in range(length if length < 8 else 8):
        key = key << 8 | (<uint8_t> name[i] | (0x20 if c'A' <= name[i] <= c'Z' else 0))
    return key


cdef inline size_t _slot(uint64_t key) noexcept nogil:
    return <size_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> 55)


cdef inline uint8_t _class(uint64_t key) noexcept nogil:
    cdef size_t slot = _slot(key)
    while keys[slot]:
        if keys[slot] == key:
            return classes[slot]
        slot = (slot + 1) % SLOTS
    return UNKNOWN


cdef uint64_t P, LI, DD, DT, FORM, TABLE, TR, A, NOBR, SCRIPT, PLAINTEXT, UL, OL, DIV, ADDRESS, BUTTON


cdef uint64_t _key_of(str name):
    cdef bytes raw = name.encode()
    return _key(<char*> raw, len(raw))


cdef void _learn():
    cdef size_t slot
    cdef uint64_t key
    groups = {
        SPECIAL | CLOSES_P: "address article aside blockquote center details dialog dir div dl fieldset figcaption "
        "figure footer header hgroup main menu nav ol p search section summary ul h1 h2 h3 h4 h5 h6 pre listing "
        "form li dd dt",
        SPECIAL | SCOPE | CLOSES_P: "table",
        TABLE_PART | SCOPE: "td th caption",
        TABLE_PART: "tr tbody thead tfoot colgroup",
        FORMATTING: "a b big code em font i nobr s small strike strong tt u",
        VOID: "area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr",
        RAW: "script style title textarea xmp iframe noembed noframes plaintext",
        FOREIGN | SCOPE: "svg math",
        ROOT: "html head body",
        CONTROL | SCOPE: "applet object marquee template button select",
        CONTROL: "option optgroup frameset noscript",
        ORDINARY: "span label abbr acronym bdi bdo cite data del dfn ins kbd mark meter output picture progress q rb "
        "rp rt rtc ruby samp slot sub sup time var video audio canvas datalist legend map menuitem blink "
        "path g rect circle line polyline polygon ellipse use defs text tspan symbol lineargradient "
        "radialgradient stop clippath mask pattern filter image desc foreignobject",
    }
    for kind, names in groups.items():
        for name in names.split():
            key = _key_of(name)
            slot = _slot(key)
            while keys[slot]:
                slot = (slot + 1) % SLOTS
            keys[slot] = key
            classes[slot] = kind
    global P, LI, DD, DT, FORM, TABLE, TR, A, NOBR, SCRIPT, PLAINTEXT, UL, OL, DIV, ADDRESS, BUTTON
    P, LI, DD, DT, FORM, TABLE, TR, A, NOBR, SCRIPT, PLAINTEXT, UL, OL, DIV, ADDRESS, BUTTON = [
        _key_of(name) for name in
        "p li dd dt form table tr a nobr script plaintext ul ol div address button".split()
    ]

memset(keys, 0, sizeof(keys))
_learn()


cdef inline bint _is_letter(char c) noexcept nogil:
    return c'a' <= (c | 0x20) <= c'z'


cdef inline bint _is_space(char c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\t' or c == c'\r' or c == c'\f'


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


cdef inline const char* _name_end(const char* p, const char* end) noexcept nogil:
    while p < end and not _is_space(p[0]) and p[0] != c'>' and p[0] != c'/':
        p += 1
    return p


# --------------------------------------------------------------------------------------------------

cdef struct counts_t:
    uint64_t tags         # start tags, or what looks like one
    uint64_t formatting   # of these, formatting elements
    bint crowded          # a tag has more than MANY_ATTRIBUTES


cdef counts_t _count(const char* p, size_t n) noexcept nogil:
    cdef counts_t counts
    cdef const char* end = p + n
    cdef const char* name
    cdef const char* last = NULL
    cdef char first
    cdef bint self_closing
    cdef uint64_t attributes
    counts.tags = 0
    counts.formatting = 0
    counts.crowded = False
    while True:
        p = <const char*> memchr(p, c'<', <size_t> (end - p))
        if last != NULL and (end if p == NULL else p) - last > LONG_TAG:
            attributes = 0
            _attributes_end(_name_end(last, end), end, &self_closing, &attributes)
            counts.crowded |= attributes > MANY_ATTRIBUTES
        last = NULL
        if p == NULL or p + 1 >= end:
            return counts
        p += 1
        if _is_letter(p[0]):
            last = p
            counts.tags += 1
            first = p[0] | 0x20
            # cheap: only the initials of formatting elements are looked at further
            if first == c'a' or first == c'b' or first == c'c' or first == c'e' or first == c'f' or first == c'i' \
                    or first == c'n' or first == c's' or first == c't' or first == c'u':
                name = p
                while p < end and p - name < 8 and (_is_letter(p[0])):
                    p += 1
                if _class(_key(name, <size_t> (p - name))) == FORMATTING:
                    counts.formatting += 1


# --------------------------------------------------------------------------------------------------

cdef struct scan_t:
    uint64_t tags         # start tags that the tokenizer would see
    uint64_t deepest
    uint64_t reopened     # formatting elements that blocks would reopen, summed
    uint64_t attributes
    uint64_t crowded      # tags with more than MANY_ATTRIBUTES
    uint64_t unknown      # tags of names not in the table
    uint64_t roots
    uint64_t dropped
    # the stack of open elements
    uint64_t* names
    uint8_t* kinds
    size_t depth
    size_t foreign        # open svg and math
    # unclosed formatting elements, by slot of their name
    uint64_t unclosed
    uint64_t* unclosed_by_slot
    # where the page is written anew, or NULL
    char* out
    size_t out_length
    size_t max_depth
    uint64_t max_tags
    bint plain            # formatting elements go too


cdef inline void _write(scan_t* s, const char* p, size_t n) noexcept nogil:
    if s.out != NULL:
        memcpy(s.out + s.out_length, p, n)
        s.out_length += n


cdef inline size_t _find(scan_t* s, uint64_t name, uint8_t stop, uint64_t stop_name) noexcept nogil:
    """One more than the index of the innermost open `name`, 0 if a boundary comes first."""
    cdef size_t i = s.depth
    while i > 0:
        i -= 1
        if s.names[i] == name:
            return i + 1
        if s.kinds[i] & SCOPE or (stop and (s.kinds[i] & 15) == stop) or s.names[i] == stop_name:
            return 0
    return 0


cdef inline void _pop_to(scan_t* s, size_t depth) noexcept nogil:
    while s.depth > depth:
        s.depth -= 1
        if (s.kinds[s.depth] & 15) == FOREIGN:
            s.foreign -= 1


cdef size_t _find_item(scan_t* s, uint64_t one, uint64_t other) noexcept nogil:
    """The open list item that a new one ends: looks through div, p, address and ordinary elements only."""
    cdef size_t i = s.depth
    cdef uint64_t name
    while i > 0:
        i -= 1
        name = s.names[i]
        if name == one or name == other:
            return i + 1
        if (s.kinds[i] & 15) != ORDINARY and name != DIV and name != P and name != ADDRESS:
            return 0
    return 0


cdef size_t _table_context(scan_t* s, bint row, bint cell) noexcept nogil:
    """Depth to which the start of a table part clears the stack; 0 when no table is open."""
    cdef size_t i = s.depth
    while i > 0:
        i -= 1
        if s.names[i] == TABLE:
            return i + 1
        if (s.kinds[i] & 15) == FOREIGN or (s.kinds[i] & 15) == CONTROL and s.kinds[i] & SCOPE:
            return 0
        if (s.kinds[i] & (15 | SCOPE)) == TABLE_PART and (cell or row and s.names[i] != TR):
            return i + 1
    return 0


cdef bint _start_tag(scan_t* s, uint64_t name, uint8_t kind, bint self_closing) noexcept nogil:
    """Follows a start tag on the stack. True when the tag is to stay in a page that is written anew."""
    cdef uint8_t group = kind & 15
    cdef size_t at
    cdef bint row, cell
    s.tags += 1
    if s.foreign and not (kind & CLOSES_P):
        if self_closing or group == VOID:
            return False
        group = ORDINARY if group != FOREIGN else FOREIGN
        kind = group | (kind & SCOPE if group == FOREIGN else 0)
    elif group == FORMATTING:
        at = _slot(name)
        if not ((name == A or name == NOBR) and s.unclosed_by_slot[at]):
            s.unclosed_by_slot[at] += 1
            s.unclosed += 1
        return not s.plain
    elif group == ROOT:
        s.roots += 1
        return s.roots <= 3
    elif group == VOID:
        s.reopened += s.unclosed
        return True
    elif group == UNKNOWN:
        s.unknown += 1
        if s.out != NULL and s.unknown > ALL_UNKNOWN:
            return False
        group = ORDINARY
        kind = ORDINARY
    s.reopened += s.unclosed
    if kind & CLOSES_P:
        at = _find(s, P, 0, BUTTON)
        if at:
            _pop_to(s, at - 1)
    if name == LI or name == DD or name == DT:
        at = _find_item(s, LI, LI) if name == LI else _find_item(s, DD, DT)
        if at:
            _pop_to(s, at - 1)
    elif group == TABLE_PART:
        cell = kind & SCOPE != 0
        row = name == TR
        at = _table_context(s, row, cell)
        if at == 0:
            return False
        _pop_to(s, at)
    if s.depth >= s.max_depth or (s.out != NULL and (s.tags > s.max_tags or group == FOREIGN or group == CONTROL)):
        return False
    s.names[s.depth] = name
    s.kinds[s.depth] = kind
    s.depth += 1
    if group == FOREIGN:
        s.foreign += 1
    if s.depth > s.deepest:
        s.deepest = s.depth
    return True


cdef bint _end_tag(scan_t* s, uint64_t name, uint8_t kind) noexcept nogil:
    """Follows an end tag on the stack. True when the tag is to stay in a page that is written anew."""
    cdef uint8_t group = kind & 15
    cdef size_t at, i
    if group == UNKNOWN:
        group = ORDINARY
        kind = ORDINARY
    if group == FORMATTING and not s.foreign:
        at = _slot(name)
        if s.unclosed_by_slot[at]:
            s.unclosed_by_slot[at] -= 1
            s.unclosed -= 1
        return not s.plain
    if group == ROOT or group == VOID or group == RAW:
        return False
    if group == SPECIAL and not (kind & SCOPE):
        if name == FORM:
            # takes the form off the stack, not what is open inside it
            at = _find(s, FORM, 0, 0)
            if at:
                for i in range(at - 1, s.depth - 1):
                    s.names[i] = s.names[i + 1]
                    s.kinds[i] = s.kinds[i + 1]
                s.depth -= 1
            return at != 0
        at = _find(s, name, 0, UL if name == LI else 0)
    elif kind & SCOPE or group == TABLE_PART:
        at = s.depth
        while at > 0 and s.names[at - 1] != name:
            at -= 1
            if s.names[at] == TABLE or (s.kinds[at] & 15) == FOREIGN \
                    or (s.kinds[at] & 15) == CONTROL and s.kinds[at] & SCOPE:
                at = 0
    else:
        at = _find(s, name, SPECIAL, 0)
    if at == 0:
        return False
    _pop_to(s, at - 1)
    return True


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
    kind &= 15
    return kind == FORMATTING or kind == ORDINARY or kind == UNKNOWN


cdef void _scan(const char* p, size_t n, scan_t* s) noexcept nogil:
    cdef const char* end = p + n
    cdef const char* q
    cdef const char* name
    cdef const char* close
    cdef uint64_t key
    cdef uint8_t kind
    cdef bint self_closing, keep
    cdef uint64_t before
    while p < end:
        q = <const char*> memchr(p, c'<', <size_t> (end - p))
        if q == NULL or q + 1 >= end:
            _write(s, p, <size_t> (end - p))
            return
        _write(s, p, <size_t> (q - p))
        p = q + 1
        if _is_letter(p[0]):
            name = p
            p = _name_end(p, end)
            before = s.attributes
            close = _attributes_end(p, end, &self_closing, &s.attributes)
            if close == end:
                return  # the tokenizer drops a tag that never ends
            s.crowded += s.attributes - before > MANY_ATTRIBUTES
            key = _key(name, <size_t> (p - name))
            kind = _class(key)
            if (kind & 15) == RAW and not s.foreign:
                s.tags += 1
                if key == PLAINTEXT:
                    s.dropped += s.out != NULL
                    _write(s, close + 1, <size_t> (end - close - 1) if s.out == NULL else 0)
                    return
                p = _raw_end(close + 1, end, name, <size_t> (p - name), key == SCRIPT)
                if p < end:
                    p = <const char*> memchr(p, c'>', <size_t> (end - p))
                    p = end if p == NULL else p + 1
                if s.out != NULL:
                    s.dropped += 1
                    _write(s, b" ", 1)
                continue
            keep = _start_tag(s, key, kind, self_closing)
            if s.out != NULL:
                if not keep:
                    s.dropped += 1
                    # a tag that would have split words still does
                    if not _runs_on(kind):
                        _write(s, b" ", 1)
                elif s.attributes - before > MANY_ATTRIBUTES or s.attributes > ALL_ATTRIBUTES:
                    s.dropped += 1
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
                keep = _end_tag(s, key, kind)
                if keep:
                    _write(s, q, <size_t> (p - q))
                    _write(s, b">", 1)
                elif not _runs_on(kind):
                    _write(s, b" ", 1)
                p = close + 1
            else:
                p = <const char*> memchr(p, c'>', <size_t> (end - p))
                p = end if p == NULL else p + 1
        elif p[0] == c'!' and end - p >= 3 and p[1] == c'-' and p[2] == c'-':
            # <!--> and <!---> are whole comments
            p += 3
            if p < end and p[0] == c'>':
                p += 1
                continue
            if end - p >= 2 and p[0] == c'-' and p[1] == c'>':
                p += 2
                continue
            while True:
                p = <const char*> memchr(p, c'>', <size_t> (end - p))
                if p == NULL:
                    return
                p += 1
                if p - q >= 7 and (p - 2)[0] == c'-' and (p - 3)[0] == c'-' or p - q >= 8 and (p - 2)[0] == c'!' and (p - 3)[0] == c'-' \
                        and (p - 4)[0] == c'-':
                    break
        elif p[0] == c'!' or p[0] == c'?':
            close = <const char*> memchr(p, c'>', <size_t> (end - p))
            if close == NULL:
                return
            if p[0] == c'!' and (p[1] | 0x20) == c'd':
                _write(s, q, <size_t> (close + 1 - q))
            p = close + 1
        else:
            _write(s, b"&lt;", 4 if s.out != NULL else 0)


cdef int _scan_init(scan_t* s, size_t max_depth, uint64_t max_tags) noexcept nogil:
    memset(s, 0, sizeof(scan_t))
    s.names = <uint64_t*> malloc(DEEPEST * sizeof(uint64_t))
    s.kinds = <uint8_t*> malloc(DEEPEST)
    s.unclosed_by_slot = <uint64_t*> malloc(SLOTS * sizeof(uint64_t))
    s.max_depth = max_depth if max_depth < DEEPEST else DEEPEST
    s.max_tags = max_tags
    if s.names == NULL or s.kinds == NULL or s.unclosed_by_slot == NULL:
        return -1
    memset(s.unclosed_by_slot, 0, SLOTS * sizeof(uint64_t))
    return 0


cdef void _scan_free(scan_t* s) noexcept nogil:
    free(s.names)
    free(s.kinds)
    free(s.unclosed_by_slot)


def bounded(bytes html not None, size_t nesting=512, size_t tags=1_500_000):
    """The page as it may go to the parser, and how many tags had to be dropped for that.

    Args:
        html: UTF-8.
        nesting: deepest nesting, in elements, in a page that has to be rewritten.
        tags: most tags.

    Returns:
        (html, 0) with the same object for all but pathological pages, else (rewritten page, dropped).
    """
    cdef const char* p = html
    cdef size_t n = len(html)
    cdef counts_t counts
    cdef scan_t s
    cdef uint64_t hidden, deepest
    cdef bint fine, plain
    cdef bytes rewritten
    with nogil:
        counts = _count(p, n)
        fine = n <= HARMLESS_BYTES and not counts.crowded and counts.tags <= HARMLESS_TAGS and counts.tags <= tags \
            and counts.formatting * (counts.tags - counts.formatting) <= REOPENED
    if fine:
        return html, 0
    try:
        with nogil:
            # a page that reaches this depth is over the bound, and the scan's own time stays within it
            deepest = LOOK_UPS // (counts.tags + 1) + 1
            if _scan_init(&s, <size_t> deepest, tags) < 0:
                with gil:
                    raise MemoryError
            _scan(p, n, &s)
            hidden = counts.tags - s.tags if counts.tags > s.tags else 0
            fine = (
                s.deepest < s.max_depth
                and counts.tags <= tags
                and s.attributes <= ALL_ATTRIBUTES
                and s.crowded == 0
                and s.unknown <= ALL_UNKNOWN
                and s.roots <= 100
                and (s.deepest + hidden) * counts.tags <= LOOK_UPS
                and s.reopened <= REOPENED
            )
        if fine:
            return html, 0
        # hidden tags may all be formatting elements
        plain = s.reopened + hidden * counts.tags > REOPENED
        _scan_free(&s)
        with nogil:
            if _scan_init(&s, nesting, tags) < 0:
                with gil:
                    raise MemoryError
            s.plain = plain
            # a lone `<` becomes four bytes; nothing else grows
            s.out = <char*> malloc(4 * n + 64)
            if s.out == NULL:
                with gil:
                    raise MemoryError
            _scan(p, n, &s)
        rewritten = s.out[: s.out_length]
        return rewritten, s.dropped
    finally:
        free(s.out)
        _scan_free(&s)
