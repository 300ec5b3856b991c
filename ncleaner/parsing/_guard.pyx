"""Bounds the work of the parser while it parses, and mends what would swallow the rest of a page.

Lexbor follows the HTML standard's tree construction. Its cost is the number of tags times the depth of nesting: a
tag searches the stack of open elements, and every block opens the formatting elements again that are still unclosed.
100,000 nested <div> take 14 seconds, and 40 KB of unclosed <b> with different attributes make 4 million nodes. Native
code cannot be stopped inside a process, so Lexbor calls `watch` for each token, before it builds the tree. The guard
looks at the parser's own stack of open elements and list of active formatting elements, and adds up what the token
can cost. The sum is exact for the nesting, and an upper bound for what the parser creates again.

Nearly all pages take one pass. A pass stops for one of three reasons, and the page is parsed again:

- COSTLY: the next pass bounds. Start tags beyond the depth, the number of tags and the like are not given to the
  parser, nor are their end tags; a space takes the place of a tag that separates words.
- CROWDED: too many attributes or invented names, which `coarse.thinned` removes before the next pass.
- BROKEN: raw text, such as a <title>, has no end tag, or a <noscript> leaves something open; the next pass mends it.
  The parser reads the content of a <noscript> as markup, as a browser without scripts does. A browser with scripts
  sees only its end tag, so what begins inside it must end there.

A pass that mends reads a copy of the page, in which it may blank what the parser has not read yet.

A first pass may hurry: half of a news page is scripts and style sheets, and few of them have text that is read. After
the start tags of the others the guard finds their end tags itself, and the tokenizer goes on there, as if they were
empty.
"""

from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memchr, memcpy, memset, strlen

from ncleaner.document._tables cimport grow
from ncleaner.parsing._cues cimport typesets
from ncleaner.parsing._markup cimport (
    PLAINTEXT, SCRIPT, STYLE, TEXTAREA, TITLE, XMP, attributes_end, blank_shortcodes, body_start, raw_end, raw_kind,
    unfinished,
)
from ncleaner.parsing._structs cimport (
    END_TAG, KNOWN_TAGS, SELF_CLOSING, TEXT_NODE, array_t, attribute_t, node_t, text_node_t, token_t, tree_t,
)
from ncleaner.text._ascii cimport begins, find, is_space

cdef enum:
    LOOK_UPS = 300_000_000        # most markup times nesting
    REOPENED = 500_000            # most formatting elements that the parser creates again
    MOVED_KB = 5_000_000          # most text that the parser copies again, in units of 1,000 bytes
    # What the parser's tree takes, in bytes, for a formatting element and an attribute that the parser creates again.
    # Measured with Lexbor 3.1 on pages of each kind.
    REOPENED_MEMORY = 175
    CLONED_MEMORY = 190
    # Most elements that the parser creates for one misplaced end tag of a formatting element: the adoption agency
    # algorithm takes eight turns, and copies at most three elements and itself in each.
    ADOPTED = 32
    # Look-ups for each tag of a <select> before an <option>: the parser searches them for the selected one.
    SELECTING = 6
    # In a pass that bounds:
    MOST_LISTED = 256             # formatting elements
    JOINED = 2_000                # bytes of a text that others are joined to
    FREE_REOPENED = 10_000        # formatting elements that are created again, besides one for each tag
    ROOM = 64                     # elements that are closed when the nesting is as deep as it may be
    SHORTEST_CODE = 7             # bytes of a text that may have a shortcode
    ROOM_INSIDE = 6               # levels that a list item or a table needs, so that what it begins with is inside it

cdef struct own_t:                # a token of the guard's own, with space for fields that are not known here
    token_t token
    char padding[128]

memset(meanings, ANY, sizeof(meanings))
id_text = id_end_of_page = id_p = id_br = id_pre = id_wbr = id_table = id_form = id_title = id_svg = id_math = 0
id_div = id_template = id_code = 0
marker = NULL


cdef void begin(guard_t* g, char* start, char* end) noexcept nogil:
    """Prepares the guard for a pass over a page."""
    g.start, g.end, g.found, g.n_passed, g.n_placed, g.no_memory = start, end, 0, 0, 0, False
    g.dropped = g.searched = g.markup = g.elements = g.look_ups = g.deepest = g.reopened = g.cloned = g.most_own = 0
    g.attributes = g.unknown = g.root_attributes = g.misplaced = g.apart_at = g.moved = g.select_at = 0
    memset(g.skipped, 0, sizeof(g.skipped))
    g.raw = g.ending = 0
    g.templates = 0
    g.spaced = g.streamed = False
    g.endless = g.endless_inside = 0
    g.noscript_end, g.no_noscript_ends = NULL, False


cdef uint64_t memory_of(const guard_t* g) noexcept nogil:
    """Returns an upper bound of the bytes that the tree takes, without attributes, texts and names."""
    return TAG_MEMORY * g.markup + REOPENED_MEMORY * g.reopened + CLONED_MEMORY * g.cloned


cdef inline uint64_t _own_attributes(const token_t* token) noexcept nogil:
    """Returns the number of attributes of a tag, counted up to the bound."""
    cdef uint64_t own = 0
    cdef attribute_t* attribute = token.attr_first
    while attribute != NULL and own <= MANY_ATTRIBUTES:
        own += 1
        attribute = attribute.next
    return own


cdef bint is_crowded(guard_t* g) noexcept nogil:
    """Returns whether the tag that is being read, which no token has been made of yet, has too many attributes."""
    if g.active and g.tokenizer.token != NULL and _own_attributes(g.tokenizer.token) > MANY_ATTRIBUTES:
        g.found |= CROWDED
        return True
    return False


cdef inline int _meaning(uintptr_t tag) noexcept nogil:
    return meanings[tag] if tag < KNOWN_TAGS else ANY


cdef inline bint _is_listed_open(tree_t* tree) noexcept nogil:
    """Returns whether the parser creates no formatting element again: the last one is open, or is a marker."""
    cdef array_t* listed = tree.active_formatting
    cdef size_t i = tree.open_elements.length
    if not listed.length:
        return True
    cdef node_t* last = listed.list[listed.length - 1]
    if last == marker:
        return True
    while i > 0:
        i -= 1
        if tree.open_elements.list[i] == last:
            return True
    return False


cdef inline bint _is_foreign(const tree_t* tree) noexcept nogil:
    """Returns whether the innermost open element is one of svg or math that has no HTML inside."""
    cdef const array_t* open_ = tree.open_elements
    if not open_.length:
        return False
    cdef const node_t* innermost = open_.list[open_.length - 1]
    return innermost.ns != open_.list[0].ns and innermost.local_name != id_title \
        and _meaning(innermost.local_name) != OF_POINT


# --------------------------------------------------------------------------------------------------
# Tokens of the guard's own.

cdef void _send(guard_t* g, uintptr_t tag, int type_) noexcept nogil:
    """Gives the parser a tag."""
    cdef own_t own
    memset(&own, 0, sizeof(own_t))
    own.token.tag, own.token.type = tag, type_
    g.next(g.tokenizer, &own.token, g.tree)


cdef void _send_space(guard_t* g) noexcept nogil:
    """Gives the parser a space, once between two texts."""
    cdef own_t own
    if g.spaced:
        return
    g.spaced = True
    memset(&own, 0, sizeof(own_t))
    own.token.tag = id_text
    own.token.text_start = b" "
    own.token.text_end = own.token.text_start + 1
    g.next(g.tokenizer, &own.token, g.tree)


cdef void _close_to(guard_t* g, size_t depth) noexcept nogil:
    """Closes the innermost open elements by their end tags, until only `depth` are open, as far as they close."""
    cdef array_t* open_ = g.tree.open_elements
    cdef array_t* listed = g.tree.active_formatting
    cdef size_t before, listed_before
    cdef node_t* innermost
    cdef void* form
    while open_.length > depth and _meaning(open_.list[open_.length - 1].local_name) != OF_ROOT:
        before, listed_before = open_.length, listed.length
        innermost = open_.list[before - 1]
        form = g.tree.form
        if innermost.local_name == id_form:
            g.tree.form = innermost  # the parser closes only the one that it remembers
        _send(g, innermost.local_name, END_TAG)
        if form != NULL and form != innermost:
            g.tree.form = form
        # the end tag may only take an element of the same name off the list
        if open_.length >= before and listed.length >= listed_before:
            return


cdef char* _content_of(const guard_t* g, const token_t* token) noexcept nogil:
    """Returns a pointer to what follows a start tag."""
    cdef uint64_t count = 0
    cdef char* p = <char*> attributes_end(token.end, g.end, &count)
    return p + 1 if p < g.end else p


# --------------------------------------------------------------------------------------------------
# What a token costs.

cdef inline void _keep_apart(guard_t* g) noexcept nogil:
    """Puts an empty element between a text and the one before it, which the parser would join."""
    g.elements += 1
    _send(g, id_wbr, 0)


cdef void _count_moved(guard_t* g, const token_t* token) noexcept nogil:
    """Counts text directly inside a table: the parser joins it to the text that it has moved there before."""
    cdef const char* p = token.begin
    while p < token.end and is_space(p[0]):
        p += 1
    if p < token.end:
        g.misplaced += <uint64_t> (token.end - p)
        g.moved += g.misplaced
        if g.bounding and (not _is_spent(g) or g.misplaced - g.apart_at > JOINED):
            g.apart_at = g.misplaced
            _keep_apart(g)


cdef inline void _count_joined(guard_t* g, const node_t* innermost) noexcept nogil:
    """Counts text that follows other text, such as after an end tag that closes nothing: the parser copies both."""
    cdef const text_node_t* last = <const text_node_t*> innermost.last_child
    if last != NULL and last.node.type == TEXT_NODE:
        g.moved += last.data.length
        if g.bounding and last.data.length > JOINED:
            _keep_apart(g)


cdef inline void _adopt(guard_t* g) noexcept nogil:
    g.reopened += ADOPTED
    g.cloned += ADOPTED * g.most_own


cdef void _count_tag(guard_t* g, token_t* token, int meaning, uintptr_t innermost, size_t listed) noexcept nogil:
    cdef uint64_t own
    if token.attr_first != NULL:
        own = _own_attributes(token)
        g.attributes += own
        if own > MANY_ATTRIBUTES or g.attributes > ALL_ATTRIBUTES * g.patience:
            g.found |= CROWDED
    else:
        own = 0
    if token.tag >= KNOWN_TAGS:
        g.unknown += 1
        if g.unknown > ALL_UNKNOWN * g.patience:
            g.found |= CROWDED
    if meaning == OF_ROOT:
        # the parser compares them with those that the element has
        g.root_attributes += own
        if not g.bounding or g.root_attributes <= MANY_ATTRIBUTES:
            g.look_ups += 4 * own * g.root_attributes
    elif meaning == OF_FORMAT:
        # an end tag of another element; or a link inside a link, which ends the other one
        if listed and innermost != token.tag:
            _adopt(g)
        if not token.type & END_TAG and own > g.most_own:
            g.most_own = own
    elif meaning == OF_SELECT:
        g.select_at = 0 if token.type & END_TAG else g.markup
    elif token.type & END_TAG:
        return
    elif meaning == OF_OPTION:
        if g.select_at and not g.bounding:
            g.look_ups += SELECTING * (g.markup - g.select_at)


cdef inline bint _is_over(const guard_t* g) noexcept nogil:
    return (
        g.deepest > DEEPEST or g.tree.active_formatting.length > DEEPEST or g.look_ups > LOOK_UPS
        or g.reopened > REOPENED or g.moved > <uint64_t> 1000 * MOVED_KB
        or memory_of(g) > TAG_MEMORY * g.most_tags
    )


# --------------------------------------------------------------------------------------------------
# A pass that bounds.

cdef inline bint _is_spent(const guard_t* g) noexcept nogil:
    """Returns whether the rest of the page becomes text."""
    return g.elements >= g.most_tags // 2 or memory_of(g) > TAG_MEMORY * g.most_tags or g.look_ups > LOOK_UPS


cdef inline bint _is_in_dropped(const guard_t* g) noexcept nogil:
    """Returns whether an svg or math that was dropped has not ended."""
    return g.skipped[id_svg] > 0 or g.skipped[id_math] > 0


cdef void _forget_formatting(guard_t* g) noexcept nogil:
    """Takes the formatting elements that the parser would create again off its list."""
    cdef array_t* listed = g.tree.active_formatting
    while listed.length and listed.list[listed.length - 1] != marker:
        listed.length -= 1


cdef void _make_room(guard_t* g) noexcept nogil:
    """Closes the innermost elements of a page that is nested as deep as it may be.

    Blocks then go on as siblings. Without their tags, a list that is never closed would become one paragraph."""
    cdef array_t* open_ = g.tree.open_elements
    cdef size_t depth = g.nesting - (ROOM if g.nesting > 2 * ROOM else g.nesting // 2)
    cdef size_t before = open_.length
    # the parser would move content that is directly inside a table to the place before it
    while depth > 2 and _meaning(open_.list[depth - 1].local_name) == OF_TABLE:
        depth -= 1
    _close_to(g, depth)
    g.dropped += before - min(open_.length, before)


cdef inline bint _drop(guard_t* g, const token_t* token, int meaning) noexcept nogil:
    """Drops a tag; returns False."""
    g.dropped += not token.type & END_TAG
    g.markup -= 1
    if meaning > OF_POINT:
        _send_space(g)
    return False


cdef bint _skip(guard_t* g, const token_t* token, int meaning) noexcept nogil:
    """Drops a start tag and, when it comes, the end tag; returns False."""
    g.skipped[token.tag if token.tag < KNOWN_TAGS else 0] += 1
    return _drop(g, token, meaning)


cdef char* _end_of_raw(guard_t* g, const token_t* token, char* p, char* limit, int kind) noexcept nogil:
    """Returns a pointer to the end tag of raw text that begins at `p`, or `limit`."""
    cdef char* last = <char*> raw_end(p, limit, token.begin, <size_t> (token.end - token.begin), kind == SCRIPT)
    g.searched += <uint64_t> (last - p)
    return last


cdef bint _drop_raw(guard_t* g, const token_t* token) noexcept nogil:
    """Drops an element of raw text with its content; returns False.

    In a dropped svg, the content of one that does not end is markup, as it is for the parser inside svg."""
    cdef int kind = raw_kind(token.begin, <size_t> (token.end - token.begin))
    cdef char* p = _content_of(g, token)
    cdef char* last = g.end
    if not g.endless & 1 << kind:
        last = _end_of_raw(g, token, p, g.end, kind)
        if last == g.end:
            g.endless |= 1 << kind
    if last < g.end or (kind == SCRIPT or kind == STYLE) and not _is_in_dropped(g):
        memset(p, c' ', <size_t> (last - p))
    return _drop(g, token, OF_TEXT)


cdef bint _admit_end(guard_t* g, const token_t* token, int meaning, uintptr_t innermost) noexcept nogil:
    cdef uintptr_t name = token.tag if token.tag < KNOWN_TAGS else 0
    if g.skipped[name]:
        g.skipped[name] -= 1
        return _drop(g, token, meaning)
    if _is_spent(g):
        return _drop(g, token, meaning)
    # without a start tag, these two make an element
    g.elements += innermost != id_p and (token.tag == id_p or token.tag == id_br)
    return True


cdef bint _admit(guard_t* g, const token_t* token, int meaning, uintptr_t innermost) noexcept nogil:
    """Returns whether the parser gets a tag or comment of a page over its bounds."""
    cdef size_t deepest = g.nesting + 2  # with html and body
    if g.raw == token.tag or token.tag == id_end_of_page:
        return True
    if token.type & END_TAG:
        return _admit_end(g, token, meaning, innermost)
    if _is_spent(g):
        return _drop_raw(g, token) if meaning == OF_TEXT else _drop(g, token, meaning)
    if meaning == OF_ROOT:
        if g.root_attributes > MANY_ATTRIBUTES and token.attr_first != NULL:
            return _drop(g, token, meaning)
    elif meaning >= OF_SELECT:
        # what is inside drawings and controls becomes text of the page
        return _drop(g, token, meaning) if token.type & SELF_CLOSING else _skip(g, token, meaning)
    elif meaning == OF_FORMAT:
        if g.tree.active_formatting.length >= MOST_LISTED or g.tree.open_elements.length >= deepest:
            return _skip(g, token, meaning)
    elif OF_BLOCK <= meaning <= OF_ITEM or token.tag == id_table:
        g.skipped[id_svg] = g.skipped[id_math] = 0  # they end here
        if g.tree.open_elements.length + (ROOM_INSIDE if meaning == OF_ITEM or token.tag == id_table else 0) >= deepest:
            _make_room(g)
    # inside svg, each element may have others inside
    if (meaning != OF_TEXT and meaning != OF_VOID or _is_foreign(g.tree)) and g.tree.open_elements.length >= deepest:
        return _skip(g, token, meaning)
    g.elements += 1
    return True


# --------------------------------------------------------------------------------------------------
# <noscript>

cdef inline void _save(saved_t* saved, const array_t* array) noexcept nogil:
    saved.n = min(array.length, <size_t> DEEPEST)
    memcpy(saved.nodes, array.list, saved.n * sizeof(void*))


cdef inline bint _is_saved(const saved_t* saved, const array_t* array, size_t i) noexcept nogil:
    return i < saved.n and array.list[i] == saved.nodes[i]


cdef void _blank(char* p, char* end) noexcept nogil:
    """Blanks markup: as a comment if there is room for one."""
    if p < end:
        memset(p, c' ', <size_t> (end - p))
    if end - p >= 3:
        p[0], p[1], (end - 1)[0] = c'<', c'!', c'>'


cdef void _begin_noscript(guard_t* g, token_t* token) noexcept nogil:
    """Finds where a <noscript> must end, and saves what is open and listed.

    A browser with scripts on reads its content as text, up to the first end tag."""
    cdef char* content = _content_of(g, token)
    cdef char* last = <char*> raw_end(content, g.end, b"noscript", 8, False)
    g.searched += <uint64_t> (last - content)
    if last == g.end:
        g.no_noscript_ends = True  # otherwise, each <noscript> that follows would need a search
        return
    g.noscript_end = last
    g.endless_inside = 0
    _save(&g.open, g.tree.open_elements)
    _save(&g.listed, g.tree.active_formatting)
    if g.mending:
        _blank(<char*> unfinished(content, last), last)


cdef bint _leaves_nothing(guard_t* g) noexcept nogil:
    """Returns whether, at the end tag of a <noscript>, only itself is open of what has been opened inside it.

    Its content may end the head of the page, and begin the body."""
    cdef array_t* open_ = g.tree.open_elements
    cdef array_t* listed = g.tree.active_formatting
    cdef size_t i
    cdef int meaning
    for i in range(open_.length):
        if not _is_saved(&g.open, open_, i):
            meaning = _meaning(open_.list[i].local_name)
            if meaning != OF_ROOT and (meaning != OF_NOSCRIPT or i + 1 < open_.length):
                return False
    for i in range(listed.length):
        if not _is_saved(&g.listed, listed, i):
            return False
    return True


cdef void _close_inside(guard_t* g) noexcept nogil:
    """Closes what has been opened inside a <noscript>, which its end tag then closes itself."""
    cdef array_t* open_ = g.tree.open_elements
    cdef array_t* listed = g.tree.active_formatting
    cdef size_t i = 0, kept = 0, saved = 0
    while i < open_.length and (
        _is_saved(&g.open, open_, i) or _meaning(open_.list[i].local_name) == OF_ROOT
    ):
        i += 1
    if i < open_.length and _meaning(open_.list[i].local_name) == OF_NOSCRIPT:
        i += 1
    _close_to(g, i)
    for i in range(listed.length):
        while saved < g.listed.n and g.listed.nodes[saved] != listed.list[i]:
            saved += 1
        if saved == g.listed.n:
            break
        saved += 1
        kept += 1
    listed.length = kept


cdef bint _has_inside(guard_t* g, uintptr_t tag, int meaning) noexcept nogil:
    """Returns whether an element has been opened inside the <noscript> and is open: one of this tag, or any
    heading for a heading."""
    cdef array_t* open_ = g.tree.open_elements
    cdef size_t i = open_.length
    while i > 0:
        i -= 1
        g.searched += 1
        if _is_saved(&g.open, open_, i):
            return False
        if open_.list[i].local_name == tag:
            return True
        if meaning == OF_HEADING and _meaning(open_.list[i].local_name) == OF_HEADING:
            return True
    return False


cdef bint _stays_inside(guard_t* g, const token_t* token, int meaning) noexcept nogil:
    """Returns whether a tag in a <noscript> concerns only what is inside it."""
    if token.type & END_TAG:
        return token.tag == id_p or token.tag == id_br or _has_inside(g, token.tag, meaning)
    if meaning == OF_CELL or meaning == OF_TABLE and token.tag != id_table:
        return _has_inside(g, id_table, ANY)
    return meaning != OF_ROOT and meaning != OF_FRAMES


# --------------------------------------------------------------------------------------------------
# Raw text without an end tag: a browser swallows the rest of the page.

cdef bint _mend_raw(guard_t* g, token_t* token) noexcept nogil:
    """Ends raw text that has no end tag. Returns whether the start tag is still to be given to the parser.

    A title, and text in a form, end at the first tag or line end (`_end_line`); fallback text (`<iframe …/>` in
    <noscript>) is empty. A script or a style sheet may be cut off with the page, and ends only where the body begins.
    Where such a tag occurs again, it becomes that of a paragraph: otherwise each would need a search."""
    cdef size_t length = <size_t> (token.end - token.begin)
    cdef int kind = raw_kind(token.begin, length)
    cdef int* endless = &g.endless_inside if g.noscript_end != NULL else &g.endless
    cdef char* limit = g.noscript_end if g.noscript_end != NULL else g.end
    cdef char* p = _content_of(g, token)
    cdef char* last
    cdef void* state = g.tokenizer.state
    cdef bint again = endless[0] & 1 << kind
    if not kind or p > limit:
        return True
    if kind != PLAINTEXT and not again and _end_of_raw(g, token, p, limit, kind) < limit:
        return True
    endless[0] |= 1 << kind
    if kind == XMP or kind == PLAINTEXT:
        if g.noscript_end != NULL:
            token.tag = id_pre
        return True
    if again:
        token.tag = id_p
        return True
    if kind == SCRIPT or kind == STYLE:
        last = <char*> body_start(p, limit)
        if last == limit:
            return True
        if last - p < <Py_ssize_t> length + 3:
            memset(p, c' ', <size_t> (last - p))
        else:
            p = last - length - 3
            p[0], p[1], (last - 1)[0] = c'<', c'/', c'>'
            memcpy(p + 2, token.begin, length)
            return True
    g.next(g.tokenizer, token, g.tree)
    if kind == TITLE or kind == TEXTAREA:
        g.ending = token.tag
    else:
        _send(g, token.tag, END_TAG)
    g.tokenizer.state = state
    return False


cdef void _end_line(guard_t* g, token_t* token) noexcept nogil:
    """Ends a title or textarea before a token, or after the first line of it that is not blank."""
    cdef uintptr_t tag = g.ending
    cdef const char* p = token.text_start
    cdef own_t line
    g.ending = 0
    if token.tag == id_text:
        while p < token.text_end and is_space(p[0]):
            p += 1
        while p < token.text_end and p[0] != c'\n' and p[0] != c'\r':
            p += 1
        memset(&line, 0, sizeof(own_t))
        line.token = token[0]
        if not token.null_count:
            line.token.text_end = p
            token.text_start = p
        else:
            token.text_start, token.null_count = token.text_end, 0
        g.next(g.tokenizer, &line.token, g.tree)
    _send(g, tag, END_TAG)


cdef bint _mend(guard_t* g, token_t* token, int meaning) noexcept nogil:
    """Mends what would swallow the rest of the page. Returns whether a token is still to be given to the parser."""
    if g.noscript_end != NULL and not _stays_inside(g, token, meaning):
        return False
    if (meaning == OF_TEXT or meaning == OF_PLAIN) and not token.type & END_TAG and not _is_foreign(g.tree):
        return _mend_raw(g, token)
    return True


# --------------------------------------------------------------------------------------------------

cdef inline void _follow_noscript(guard_t* g, token_t* token, int meaning) noexcept nogil:
    """Looks at a token inside a <noscript>: whether it is the end tag, or lies beyond it."""
    if token.begin == NULL or token.begin > g.noscript_end + 2:
        g.noscript_end = NULL
        g.found |= 0 if g.mending else BROKEN  # something hides the end tag
    elif meaning == OF_NOSCRIPT and token.type & END_TAG and token.begin == g.noscript_end + 2:
        if g.mending:
            _close_inside(g)
        elif not _leaves_nothing(g):
            g.found |= BROKEN
        g.noscript_end = NULL
    elif meaning == OF_FRAMES and not g.mending:
        g.found |= BROKEN


# --------------------------------------------------------------------------------------------------
# A pass that hurries.

cdef const attribute_t* _attribute(const token_t* token, const char* name) noexcept nogil:
    """Returns the attribute of a tag with a name, or NULL."""
    cdef const attribute_t* attribute = token.attr_first
    cdef size_t length = strlen(name)
    while attribute != NULL and not (
        <size_t> (attribute.name_end - attribute.name_begin) == length
        and begins(<const unsigned char*> attribute.name_begin, length, name)
    ):
        attribute = attribute.next
    return attribute


cdef bint _has_no_reader(const guard_t* g, const token_t* token) noexcept nogil:
    """Returns whether the type of a script says that its content is of no use for this page."""
    cdef const attribute_t* attribute = _attribute(token, b"type")
    cdef const unsigned char* value
    cdef size_t length
    if attribute == NULL or attribute.value_begin == NULL:
        return True
    value, length = <const unsigned char*> attribute.value_begin, <size_t> (attribute.value_end - attribute.value_begin)
    # a character reference may hide any type
    return not (
        find(value, length, b"math/tex") or find(value, length, b"&") or find(value, length, b"syntaxhighlighter")
        or g.scripts != FORMULAS and find(value, length, b"ld+json")
    )


cdef const char* _pass_over(void* tokenizer, const char* data, const char* end) noexcept nogil:
    """A state of the tokenizer: at the beginning of raw text, goes on at its end tag."""
    cdef guard_t* g = <guard_t*> (<tokenizer_t*> tokenizer).context
    if g.resume >= end:
        return end
    g.tokenizer.state = g.state
    return g.resume


cdef bint _note(guard_t* g, const char* content) noexcept nogil:
    """Notes the innermost open element as one that is passed over; returns False if there is no memory."""
    cdef const array_t* open_ = g.tree.open_elements
    cdef bint no_memory = False
    if not grow(<void**> &g.passed, &g.passed_room, g.n_passed + 1, sizeof(passed_t), &no_memory):
        return False
    g.passed[g.n_passed] = passed_t(open_.list[open_.length - 1], content, g.resume)
    g.n_passed += 1
    return True


cdef token_t* _hurry(guard_t* g, token_t* token) noexcept nogil:
    """Gives the parser the start tag of raw text, and takes care that the content is passed over if it may be."""
    cdef void* before = g.tokenizer.state
    cdef int kind = raw_kind(token.begin, <size_t> (token.end - token.begin))
    cdef bint may = kind == STYLE or kind == SCRIPT and _has_no_reader(g, token)
    cdef token_t* got = g.next(g.tokenizer, token, g.tree)
    # inside svg, the parser reads the content as markup
    if not may or got == NULL or g.tokenizer.state == before:
        return got
    cdef char* content = _content_of(g, token)
    g.resume = _end_of_raw(g, token, content, g.end, kind)
    if not content < g.resume < g.end:
        return got
    cdef size_t size = <size_t> (g.resume - content)
    if kind == SCRIPT and g.scripts == TYPESETTERS and typesets(<unsigned char*> content, size):
        return got
    if kind == STYLE or _note(g, content):
        g.state = g.tokenizer.state
        g.tokenizer.state = <void*> _pass_over
    return got


cdef void _read_template(guard_t* g, token_t* token) noexcept nogil:
    """Makes a block of a <template> whose content the page shows instead of its parent's: a declarative shadow root.
    Notes one that is a place of what comes later."""
    cdef bint is_root
    cdef const attribute_t* name = _attribute(token, b"id")
    g.streamed |= name != NULL and name.value_end - name.value_begin > 2 and name.value_begin[1] == c":"
    if token.type & END_TAG:
        is_root = g.templates & 1
        g.templates >>= 1
    else:
        is_root = _attribute(token, b"shadowrootmode") != NULL
        g.templates = g.templates << 1 | is_root
    if is_root:
        token.tag = id_div


cdef bint _watch_tag(guard_t* g, token_t* token, uintptr_t innermost, size_t listed) noexcept nogil:
    """Counts a tag, a comment or the end of the page. Returns whether the parser gets it."""
    if token.tag == id_template:
        _read_template(g, token)
    cdef int meaning = _meaning(token.tag)
    g.markup += 1
    if g.noscript_end != NULL:
        _follow_noscript(g, token, meaning)
    if token.tag == id_end_of_page and g.raw and not g.mending:
        g.found |= BROKEN
    _count_tag(g, token, meaning, innermost, listed)
    if g.bounding and meaning == OF_TEXT and not token.type & END_TAG and _is_in_dropped(g):
        return _drop_raw(g, token)
    g.raw = g.raw if g.raw == token.tag else 0
    if g.mending:
        if not _mend(g, token, meaning):
            return False
        meaning = _meaning(token.tag)  # raw text may have become a paragraph
    if g.bounding and not _admit(g, token, meaning, innermost):
        return False
    g.raw = 0
    if not token.type & END_TAG:
        if meaning == OF_TEXT:
            g.raw = token.tag
        elif meaning == OF_NOSCRIPT and g.noscript_end == NULL and not g.no_noscript_ends \
                and not _is_foreign(g.tree):
            _begin_noscript(g, token)
    return True


cdef inline void _leave_out_shortcodes(const guard_t* g, const token_t* token) noexcept nogil:
    """Blanks the shortcodes in a text before the parser copies it; in code, they are examples."""
    cdef const array_t* open_ = g.tree.open_elements
    cdef const char* first = <const char*> memchr(token.text_start, c"[", <size_t> (token.text_end - token.text_start))
    cdef size_t i
    for i in range(open_.length if first != NULL else 0):
        if open_.list[i].local_name == id_pre or open_.list[i].local_name == id_code:
            return
    if first != NULL:
        blank_shortcodes(<unsigned char*> first, <const unsigned char*> token.text_end)


cdef token_t* watch(void* tokenizer, token_t* token, void* context) noexcept nogil:
    """Counts what a token costs, and lets the parser add it to the tree. Returns NULL to end the pass."""
    cdef guard_t* g = <guard_t*> context
    cdef array_t* open_ = g.tree.open_elements
    cdef size_t listed = g.tree.active_formatting.length
    if not g.active:
        return g.next(tokenizer, token, g.tree)
    if g.ending:
        _end_line(g, token)
    if listed and not _is_listed_open(g.tree):
        g.reopened += listed
        g.cloned += listed * g.most_own
        if g.bounding and g.reopened + g.cloned > g.markup + FREE_REOPENED:
            _forget_formatting(g)
    g.look_ups += open_.length + listed
    g.deepest = max(g.deepest, <uint64_t> open_.length)
    cdef uintptr_t innermost = open_.list[open_.length - 1].local_name if open_.length else 0
    if token.tag == id_text:
        g.spaced = False
        if not g.raw and token.text_end - token.text_start > SHORTEST_CODE:
            _leave_out_shortcodes(g, token)
        if _meaning(innermost) == OF_TABLE:
            _count_moved(g, token)
        elif open_.length:
            _count_joined(g, open_.list[open_.length - 1])
        if g.noscript_end != NULL:
            _follow_noscript(g, token, ANY)
    elif not _watch_tag(g, token, innermost, listed):
        return NULL if g.found else token
    elif not g.bounding and _is_over(g):
        g.found |= COSTLY  # the cost of a text is found at the tag after it
    if g.found:
        return NULL
    if g.scripts != ALL and g.raw and g.noscript_end == NULL and token.tag != id_text:
        return _hurry(g, token)
    return g.next(tokenizer, token, g.tree)


# --------------------------------------------------------------------------------------------------
# Where texts and tags are in the page.

cdef void _place(guard_t* g, const node_t* node, const char* start, const char* end) noexcept nogil:
    # others are of the guard's own
    if g.start <= start and end <= g.end and grow(
        <void**> &g.placed, &g.placed_room, g.n_placed + 1, sizeof(placed_t), &g.no_memory
    ):
        g.placed[g.n_placed] = placed_t(node, <size_t> (start - g.start), <size_t> (end - g.start))
        g.n_placed += 1


cdef token_t* watch_places(void* tokenizer, token_t* token, void* context) noexcept nogil:
    """Does what `watch` does, and notes what has become of a text or a start tag.

    The parser appends a text to the innermost open element, and makes an element of a start tag: afterwards it is
    the innermost open one, or, if it has no content, the last child of that."""
    cdef guard_t* g = <guard_t*> context
    cdef int type_ = token.type
    cdef const char* start = token.begin
    cdef const char* end = token.end
    cdef uint64_t count = 0
    cdef token_t* got = watch(tokenizer, token, context)
    cdef uintptr_t tag = token.tag
    cdef const array_t* open_ = g.tree.open_elements
    if start == NULL or not open_.length or type_ & END_TAG:
        return got
    cdef const node_t* inner = open_.list[open_.length - 1]
    if tag == id_text:
        if _meaning(inner.local_name) == OF_TABLE:
            _place(g, NULL, start, end)
        elif inner.last_child != NULL and inner.last_child.type == TEXT_NODE:
            _place(g, inner.last_child, start, end)
        return got
    if inner.local_name != tag:
        inner = inner.last_child
    if inner != NULL and inner.local_name == tag:
        end = attributes_end(end, g.end, &count)
        _place(g, inner, start - 1, end + 1 if end < g.end else g.end)
    return got
