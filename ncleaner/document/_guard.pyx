"""Bounds the work of the parser while it parses.

Lexbor calls `watch` for each token, before it builds the tree. The guard looks at the parser's own stack of open
elements and list of active formatting elements, adds up what the token can cost, and stops the parser at the bounds of
`_bound`. It also stops where `_bound` may have to mend the page: at raw text without an end tag, and at a <noscript>
that leaves something open. A page that was stopped goes through `_bound`, and is parsed again. No other page does: a
scan of its own takes a seventh of the time of parsing, and the guard a thirtieth.

What is added up here is exact for the nesting, and an upper bound for what the parser creates again.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from ncleaner.document._markup cimport is_space, raw_end
from ncleaner.document._stack cimport (
    ALL_ATTRIBUTES, ALL_UNKNOWN, CLONED_MEMORY, DEEPEST, LOOK_UPS, MANY_ATTRIBUTES, MOVED_KB, REOPENED, REOPENED_MEMORY,
    ROOTS, TAG_MEMORY,
)
from ncleaner.document._structs cimport END_TAG, array_t, attribute_t, KNOWN_TAGS, node_t, token_t, tree_t

cdef enum:
    # Most elements that the parser creates for one misplaced end tag of a formatting element: the adoption agency
    # algorithm takes eight turns, and copies at most three elements and itself in each.
    ADOPTED = 32

memset(meanings, ANY, sizeof(meanings))
id_text = id_end_of_page = 0
marker = NULL


cdef void begin(guard_t* g, const char* end, uint64_t most_memory) noexcept nogil:
    """Prepares the guard for a page that ends at `end`, and may take so many bytes in the parser's tree."""
    g.end, g.most_memory, g.active, g.stopped = end, most_memory, True, False
    g.markup = g.look_ups = g.deepest = g.reopened = g.cloned = g.most_own = g.attributes = g.unknown = g.roots = 0
    g.misplaced = g.moved = g.raw = 0
    g.noscript_end, g.endless = NULL, False


cdef uint64_t memory_of(const guard_t* g) noexcept nogil:
    """Returns an upper bound of the bytes that the tree takes, without attributes, texts and names."""
    return TAG_MEMORY * g.markup + REOPENED_MEMORY * g.reopened + CLONED_MEMORY * g.cloned


cdef inline int _meaning(uintptr_t tag) noexcept nogil:
    return meanings[tag] if tag < KNOWN_TAGS else ANY


cdef inline bint _is_open(tree_t* tree, node_t* last) noexcept nogil:
    """Returns whether the last formatting element is open, or is a marker: then the parser creates none again."""
    cdef size_t i = tree.open_elements.length
    if last == marker:
        return True
    while i > 0:
        i -= 1
        if tree.open_elements.list[i] == last:
            return True
    return False


cdef void _text(guard_t* g, token_t* token) noexcept nogil:
    """Counts text directly inside a table: the parser joins it to the text that it has moved there before."""
    cdef const char* p = token.begin
    while p < token.end and is_space(p[0]):
        p += 1
    if p < token.end:
        g.misplaced += <uint64_t> (token.end - p)
        g.moved += g.misplaced


cdef void _save(guard_t* g) noexcept nogil:
    """Saves what is open and listed at the start tag of a <noscript>."""
    cdef array_t* open_ = g.tree.open_elements
    cdef array_t* listed = g.tree.active_formatting
    g.n_open, g.n_listed = open_.length, listed.length
    g.stopped |= g.n_open > SAVED or g.n_listed > SAVED
    memcpy(g.open, open_.list, min(g.n_open, <size_t> SAVED) * sizeof(void*))
    memcpy(g.listed, listed.list, min(g.n_listed, <size_t> SAVED) * sizeof(void*))


cdef bint _leaves_nothing(guard_t* g) noexcept nogil:
    """Returns whether, at the end tag of a <noscript>, only itself is open of what has been opened inside it.

    Its content may end the head of the page, and begin the body."""
    cdef array_t* open_ = g.tree.open_elements
    cdef array_t* listed = g.tree.active_formatting
    cdef size_t i
    cdef int meaning
    for i in range(open_.length):
        if i >= g.n_open or open_.list[i] != g.open[i]:
            meaning = _meaning(open_.list[i].local_name)
            if meaning != OF_ROOT and (meaning != OF_NOSCRIPT or i + 1 < open_.length):
                return False
    for i in range(listed.length):
        if i >= g.n_listed or listed.list[i] != g.listed[i]:
            return False
    return True


cdef void _end_tag(guard_t* g, token_t* token, int meaning, uintptr_t innermost, size_t listed) noexcept nogil:
    if meaning == OF_ROOT:
        g.roots += 1
    elif meaning == OF_NOSCRIPT and g.noscript_end != NULL and token.begin == g.noscript_end + 2:
        g.noscript_end = NULL
        g.stopped |= not _leaves_nothing(g)
    elif meaning == OF_FORMAT and listed and innermost != token.tag:
        _adopt(g)


cdef inline void _adopt(guard_t* g) noexcept nogil:
    g.reopened += ADOPTED
    g.cloned += ADOPTED * g.most_own


cdef void _start_tag(guard_t* g, token_t* token, int meaning, uintptr_t innermost, size_t listed) noexcept nogil:
    cdef uint64_t own = 0
    cdef attribute_t* attribute = token.attr_first
    while attribute != NULL and own <= MANY_ATTRIBUTES:
        own += 1
        attribute = attribute.next
    g.attributes += own
    g.stopped |= own > MANY_ATTRIBUTES
    g.unknown += token.tag >= KNOWN_TAGS
    if meaning == OF_ROOT:
        g.roots += 1
    elif meaning == OF_FORMAT:
        # a link inside a link ends the other one
        if listed and innermost != token.tag:
            _adopt(g)
        g.most_own = max(g.most_own, own)
    elif meaning == OF_TEXT:
        g.raw = token.tag
    elif meaning == OF_NOSCRIPT and g.noscript_end == NULL and not g.endless:
        # A browser with scripts on reads its content as text, up to the first end tag.
        g.noscript_end = raw_end(token.end, g.end, b"noscript", 8, False)
        if g.noscript_end == g.end:
            g.noscript_end = NULL
            g.endless = True
        _save(g)
    elif meaning == OF_FRAMES:
        g.stopped |= g.noscript_end != NULL


cdef token_t* watch(void* tokenizer, token_t* token, void* context) noexcept nogil:
    """Counts what a token costs, and lets the parser add it to the tree. Returns NULL to end the parsing."""
    cdef guard_t* g = <guard_t*> context
    cdef size_t depth, listed
    cdef uintptr_t innermost
    cdef int meaning
    if g.active:
        depth = g.tree.open_elements.length
        listed = g.tree.active_formatting.length
        innermost = g.tree.open_elements.list[depth - 1].local_name if depth else 0
        g.look_ups += depth + listed
        if listed and not _is_open(g.tree, g.tree.active_formatting.list[listed - 1]):
            g.reopened += listed
            g.cloned += listed * g.most_own
        g.deepest = max(g.deepest, <uint64_t> depth)
        if g.noscript_end != NULL:
            # something hides its end tag
            g.stopped |= token.begin == NULL or token.begin > g.noscript_end + 2
        if token.tag == id_text:
            if _meaning(innermost) == OF_TABLE:
                _text(g, token)
        else:
            g.markup += 1
            meaning = _meaning(token.tag)
            if token.tag == id_end_of_page:
                g.stopped |= g.raw != 0
            g.raw = 0
            if token.type & END_TAG:
                _end_tag(g, token, meaning, innermost, listed)
            else:
                _start_tag(g, token, meaning, innermost, listed)
        if (
            g.stopped or depth > DEEPEST or g.look_ups > LOOK_UPS or g.reopened > REOPENED
            or g.attributes > ALL_ATTRIBUTES or g.unknown > ALL_UNKNOWN or g.roots > ROOTS
            or g.moved > <uint64_t> 1000 * MOVED_KB
            or memory_of(g) > g.most_memory
        ):
            g.stopped = True
            return NULL
    return g.next(tokenizer, token, g.tree)
