"""Parsers that are used again and watched: a page is parsed in the memory of the page before it, within bounds.

selectolax makes a document for each page and frees it. Its extension exports Lexbor's own functions; with their
addresses, the next page is parsed into the document of an existing `LexborHTMLParser`, whose Python interface then
shows the new tree. This saves a sixth of the time of parsing. The guard (`_guard`) bounds the work of the parser
meanwhile.

At import, `_prove` finds the functions, compares what they say of small pages with what is known of these, and
compares their trees with those of new parsers. If anything differs (another build that hides the functions, another
layout), each page has a parser of its own, and `coarse` bounds it before it is parsed.
"""

from libc.stdint cimport uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset

import numpy as np
import selectolax.lexbor
from selectolax.lexbor import LexborHTMLParser

from ncleaner.parsing.elements import ELEMENTS

from ncleaner.parsing cimport _guard
from ncleaner.parsing._guard cimport (
    ALL, BROKEN, COSTLY, CROWDED, FORMULAS, OF_BLOCK, OF_CELL, OF_CONTROL, OF_FOREIGN, OF_FORMAT, OF_FRAMES,
    OF_HEADING, OF_ITEM, OF_NOSCRIPT, OF_OPTION, OF_PLAIN, OF_POINT, OF_ROOT, OF_SELECT, OF_TABLE, OF_TEXT, OF_VOID,
    STATEMENTS, TYPESETTERS, begin, guard_t, is_crowded, memory_of, placed_t, watch, watch_places,
)
from ncleaner.parsing._markup cimport outgrows
from ncleaner.parsing._slots cimport put_in_place
from ncleaner.parsing._structs cimport (
    END_TAG, KNOWN_TAGS, array_t, attribute_t, document_t, done_t, node_t, token_t, tokenizer_t, tree_t,
)


cdef extern from *:
    """
    #ifdef _WIN32
    static void* function_of(const char* library, const char* name) { return 0; }
    #else
    #include <dlfcn.h>
    /* The library is loaded already; it stays so, as Python modules do. */
    static void* function_of(const char* library, const char* name) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        return handle ? dlsym(handle, name) : 0;
    }
    #endif
    """
    void* function_of(const char* library, const char* name) nogil

ctypedef void* (*make_t)() noexcept nogil
ctypedef void* (*of_t)(void* one) noexcept nogil
ctypedef unsigned int (*act_t)(void* one) noexcept nogil
ctypedef unsigned int (*with_t)(void* one, void* other) noexcept nogil
ctypedef unsigned int (*parse_t)(void* parser, const char* html, size_t size) noexcept nogil
ctypedef void (*listen_t)(void* tokenizer, done_t done, void* context) noexcept nogil

# Lexbor's functions.
cdef struct lexbor_t:
    make_t create
    act_t init
    of_t destroy
    of_t tokenizer
    of_t tree
    of_t context
    listen_t listen
    act_t clean_document
    act_t clean_parser
    with_t prepare
    parse_t process
    act_t finish
    make_t marker


def _options():
    """Returns the arguments of a new parser. Mutation events are needed only for documents with running scripts, and no
    code here uses them; a selectolax that does not know the option gets none."""
    try:
        options = {"options": int(selectolax.lexbor.LexborDocumentOptions.WO_EVENTS)}
        LexborHTMLParser("", **options)
        return options
    except (AttributeError, TypeError, ValueError):
        return {}


# The scripts whose content is in the tree; see `parsed_within_bounds`.
SCRIPTS = {"formulas": FORMULAS, "statements": STATEMENTS, "typesetters": TYPESETTERS, "all": ALL}

cdef dict OPTIONS = _options()
# Number of idle documents and parsers that are kept for the next pages; threads may need more than one at a time.
cdef int WAITING = 4

cdef enum:
    # Bytes that the tokenizer gets at a time. A single tag may have hundreds of thousands of attributes, which take
    # the tokenizer quadratic time before it makes a token of them; in this many bytes they take a tenth of a second.
    PIECE = 262_144
    # Places of texts and tags that a parser keeps memory for; they take 24 bytes each.
    FEW_PLACES = 100_000

cdef lexbor_t lexbor
cdef bint found_lexbor = False
cdef list waiting = []
cdef list machines = []


cdef document_t* _document_of(parser):
    """Returns the address of a parser's document, which is its outermost node; NULL if the fields say otherwise."""
    root = parser.root
    if root is None:
        return NULL
    cdef uintptr_t address = root.mem_id
    cdef node_t* node = <node_t*> address
    return <document_t*> node.parent if node.owner_document == <void*> node.parent else NULL


cdef class _Machine:
    """A parser of Lexbor's, which parses into any document, and its guard."""

    cdef void* parser
    cdef guard_t guard
    cdef size_t read              # bytes that the tokenizer has got, in all passes
    cdef bytes html               # what `passed` points into

    def __cinit__(self):
        self.parser = lexbor.create()
        if self.parser == NULL or lexbor.init(self.parser):
            raise MemoryError
        cdef tokenizer_t* tokenizer = <tokenizer_t*> lexbor.tokenizer(self.parser)
        self.guard.tokenizer = tokenizer
        self.guard.next = tokenizer.done
        self.guard.tree = <tree_t*> lexbor.tree(self.parser)
        lexbor.listen(tokenizer, watch, &self.guard)

    def __dealloc__(self):
        free(self.guard.passed)
        free(self.guard.placed)
        if self.parser != NULL:
            lexbor.destroy(self.parser)

    cdef bint parse(self, document_t* document, const char* html, size_t size) noexcept nogil:
        """Parses a page; returns False if the guard has stopped it, or the memory does not suffice."""
        cdef size_t start = 0, length
        lexbor.clean_document(document)
        lexbor.clean_parser(self.parser)
        document.quirks = 0
        begin(&self.guard, <char*> html, <char*> html + size)
        if lexbor.prepare(self.parser, document):
            return False
        while True:
            length = min(size - start, <size_t> PIECE)
            self.read += length
            if lexbor.process(self.parser, html + start, length):
                return False
            start += length
            if start == size:
                return not lexbor.finish(self.parser)
            if is_crowded(&self.guard):
                return False

    cdef bint parse_within_bounds(
        self, document_t* document, bytes html, bint bounding, int scripts, bint placing
    ) except -1:
        """Parses a page in as many passes as it takes; returns False if the memory does not suffice."""
        cdef guard_t* g = &self.guard
        cdef const char* text
        cdef bytearray copy
        cdef size_t size
        cdef bint done
        cdef int found = 0
        g.active, g.mending, g.bounding, g.patience = True, False, bounding, 1
        lexbor.listen(g.tokenizer, watch_places if placing else watch, g)
        while True:
            size, self.html = len(html), html
            g.scripts = ALL if g.mending or g.bounding else scripts
            if g.mending or g.bounding:
                copy = bytearray(html)
                text = copy
            else:
                text = html
            with nogil:
                done = self.parse(document, text, size)
                if done and g.streamed:
                    put_in_place(&document.node)
            if done or not g.found:
                return done
            if g.found & CROWDED:
                from ncleaner.parsing.coarse import flattened, thinned  # imported lazily: rarely needed

                if found & CROWDED:
                    html, _removed = flattened(html, g.most_tags // 2)
                else:
                    html, _removed = thinned(html)
                    g.patience = 2
            g.mending |= (g.found & BROKEN) != 0
            g.bounding |= (g.found & COSTLY) != 0
            found |= g.found


cdef class Parsed:
    """The tree of a page.

    Attributes:
        parser: selectolax's parser, whose tree it is until `release`.
        dropped: number of tags that were dropped to keep the bounds.
    """

    cdef readonly object parser
    cdef readonly size_t dropped
    cdef bint is_placed           # the parser has noted where texts are in the page as it was given
    cdef document_t* document
    cdef _Machine machine         # that has parsed it

    def passed_over(self):
        """Returns {address of its node: content} of the scripts that are empty in the tree; see `scripts`."""
        cdef size_t i
        if self.machine is None:
            return {}
        cdef guard_t* g = &self.machine.guard
        return {
            <uintptr_t> g.passed[i].node: <bytes> g.passed[i].start[: g.passed[i].end - g.passed[i].start]
            for i in range(g.n_passed)
        }

    def places(self):
        """Returns where texts and start tags are in the page, in its order.

        Returns:
            Shape (rows, 3), int64: address of a node, start, end, in bytes. The address is 0 for text directly in a
            table, which is moved to the place before it. A text node may be in several rows, and so may an element,
            whose first row counts. None if the tree is not of the page as it is: something was removed before it was
            parsed.
        """
        cdef size_t i
        if self.machine is None or not self.is_placed:
            return None
        cdef guard_t* g = &self.machine.guard
        if g.no_memory:
            raise MemoryError("not enough memory for the places of a page's texts")
        placed = np.frombuffer((<const char*> g.placed)[: g.n_placed * sizeof(placed_t)], np.int64)
        passed = [
            (<uintptr_t> g.passed[i].node, g.passed[i].start - g.start, g.passed[i].end - g.start)
            for i in range(g.n_passed)
        ]
        return np.concatenate((placed, np.array(passed, np.int64).ravel())).reshape(-1, 3)

    def release(self):
        """Lets the next page have the memory. The tree, and all nodes of it, must not be used any more."""
        cdef Parsed next_
        if self.machine is not None:
            self.machine.html = None
            if self.machine.guard.placed_room > FEW_PLACES:
                free(self.machine.guard.placed)
                self.machine.guard.placed, self.machine.guard.placed_room = NULL, 0
            _keep(self.machine)
            self.machine = None
        if self.document != NULL and len(waiting) < WAITING:
            next_ = Parsed.__new__(Parsed)
            next_.parser, next_.document = self.parser, self.document
            waiting.append(next_)
        self.document = NULL

    cdef bint _parse(self, bytes html) except -1:
        """Parses without bounds."""
        cdef const char* text = html
        cdef size_t size = len(html)
        cdef _Machine machine = machines.pop() if machines else _Machine()
        cdef bint done
        machine.guard.active = False
        with nogil:
            done = machine.parse(self.document, text, size)
        _keep(machine)
        return done


cdef inline void _keep(_Machine machine):
    """Keeps a parser for the next page."""
    if len(machines) < WAITING:
        machines.append(machine)


cdef Parsed _make(bytes html, bint again):
    """Returns a tree with a document of its own; `again` says whether it may be that of other pages, too."""
    cdef Parsed made = Parsed.__new__(Parsed)
    made.parser = LexborHTMLParser(html, **OPTIONS)
    made.document = _document_of(made.parser) if again and found_lexbor else NULL
    return made


def parsed(bytes html not None, bint again=True):
    """Parses a page without bounds.

    Args:
        html: UTF-8.
        again: whether the memory is used again for other pages. The memory of a large page goes back to the system.

    Returns:
        The tree, `Parsed`.
    """
    cdef Parsed found
    if again and waiting:
        found = waiting.pop()
        if found._parse(html):
            return found
    return _make(html, again)


def parsed_within_bounds(
    bytes html not None, size_t nesting=512, size_t tags=450_000, bint again=True, bint bounding=False,
    int scripts=ALL, bint places=False
):
    """Parses a page in linear time and memory.

    Args:
        html: UTF-8.
        nesting: most open elements of a page that must be bounded.
        tags: most tags and comments, or what takes the same memory in the parser's tree, of a page that is not bounded.
        again: as for `parsed`.
        bounding: bound a page that need not be bounded, too; for tests.
        scripts: the scripts whose content is in the tree; the others, and style sheets, may be empty, and a page of
            today takes a fifth less time. `SCRIPTS` has the numbers: "formulas" (TeX), "statements" (JSON-LD, too),
            "typesetters" (and what may typeset formulas), "all".
        places: note where texts and tags are in the page, for `Parsed.places`.

    Returns:
        The tree, `Parsed`.

    Raises:
        MemoryError: there is not enough memory.
    """
    cdef Parsed found
    cdef const char* text = html
    given = html
    if outgrows(text, text + len(html)):
        html = html.replace(b"&nGt;", "≫\u20d2".encode()).replace(b"&nLt;", "≪\u20d2".encode())
    if not found_lexbor:
        from ncleaner.parsing.coarse import bounded

        html, dropped = bounded(html, tags)
        found = _make(html, False)
        found.dropped = dropped
        return found
    found = waiting.pop() if again and waiting else _make(b"", True)
    if found.document == NULL:
        raise MemoryError
    cdef _Machine machine = machines.pop() if machines else _Machine()
    machine.guard.nesting, machine.guard.most_tags = nesting, tags
    if not machine.parse_within_bounds(found.document, html, bounding, scripts, places):
        raise MemoryError
    found.dropped, found.machine = machine.guard.dropped, machine
    found.is_placed = places and machine.html is given
    if not again:
        found.document = NULL
    return found


def costs(bytes html not None, size_t nesting=512, size_t tags=450_000):
    """Returns what the guard has counted in the last pass over a page, {name: number}.

    `nesting` is the greatest depth of the stack of open elements, with <html> and <body>; `tags` counts all tags and
    comments that the parser got, `look_ups` its steps through the two lists, `reopened` the formatting elements that it
    may have created again, and `memory` bounds the bytes of its tree. `searched` counts the bytes that the guard itself
    has looked at, `bounding` and `mending` say what the pass did, and `read` counts the bytes of all passes.
    """
    cdef Parsed one = _make(b"", True)
    cdef _Machine machine = _Machine()
    cdef guard_t* g = &machine.guard
    g.nesting, g.most_tags = nesting, tags
    if one.document == NULL or not machine.parse_within_bounds(one.document, html, False, ALL, False):
        raise MemoryError
    return {
        "tags": g.markup, "nesting": g.deepest, "look_ups": g.look_ups, "reopened": g.reopened, "memory": memory_of(g),
        "searched": g.searched, "bounding": g.bounding, "mending": g.mending, "read": machine.read,
    }


# --------------------------------------------------------------------------------------------------

# What a small page has, for the proof: (name, meaning) of its tags, in order. Each is followed by its end tag.
# They are the sections of `elements.txt`, and elements with a meaning of their own.
_MEANINGS = [(name, meaning) for names, meaning in zip(ELEMENTS.values(), (
    OF_ROOT, OF_TEXT, OF_FORMAT, OF_TABLE, OF_CELL, OF_BLOCK, OF_ITEM, OF_HEADING, OF_VOID, OF_CONTROL, OF_POINT,
), strict=True) for name in names] + [
    ("svg", OF_FOREIGN), ("math", OF_FOREIGN), ("noscript", OF_NOSCRIPT), ("frameset", OF_FRAMES),
    ("select", OF_SELECT), ("option", OF_OPTION), ("xmp", OF_PLAIN),
]

cdef enum:
    NOTED = 256

cdef struct notes_t:
    done_t next
    tree_t* tree
    const char* text
    int n
    uintptr_t tags[NOTED]
    int types[NOTED]
    Py_ssize_t begins[NOTED]
    Py_ssize_t ends[NOTED]
    size_t depths[NOTED]
    size_t listed[NOTED]
    bint has_attributes
    bint is_pending               # each token is the one that the tokenizer says it reads


cdef token_t* _note(void* tokenizer, token_t* token, void* context) noexcept nogil:
    """Notes what the first tokens say."""
    cdef notes_t* notes = <notes_t*> context
    cdef attribute_t* first = token.attr_first
    cdef int n = notes.n
    notes.is_pending &= (<tokenizer_t*> tokenizer).token == token
    if n < NOTED:
        notes.tags[n] = token.tag
        notes.types[n] = token.type
        notes.begins[n] = token.begin - notes.text if token.begin != NULL else -1
        notes.ends[n] = token.end - notes.text if token.end != NULL else -1
        notes.depths[n] = notes.tree.open_elements.length
        notes.listed[n] = notes.tree.active_formatting.length
        notes.n += 1
        if n == 0:
            # three attributes, `c=1 d e`; addresses are compared before they are followed
            notes.has_attributes = (
                first != NULL and token.attr_last == first + 2
                and first.name_begin == notes.text + 3 and first.value_begin == notes.text + 5
                and first.next == first + 1 and first.next.next == first + 2 and first.next.next.next == NULL
            )
    return notes.next(tokenizer, token, notes.tree)


cdef bint _is_array(const array_t* array) noexcept nogil:
    """Returns whether an array of a new parser can be at an address: it is empty and has room."""
    return array != NULL and <uintptr_t> array % 8 == 0 and array.length == 0 < array.size and array.list != NULL


cdef bint _prove_tokens(document_t* document) except -1:
    """Compares the fields of tokens and trees with what is known of a small page, and learns the numbers of tags."""
    cdef notes_t notes
    cdef _Machine machine = _Machine()
    cdef tokenizer_t* tokenizer = <tokenizer_t*> lexbor.tokenizer(machine.parser)
    cdef bytes tags = b"".join(f"<{name}></{name}>".encode() for name, _meaning in _MEANINGS)
    cdef bytes page = b"<p c=1 d e>" + tags + b"<p><b>x<i><td><plaintext>"
    cdef const char* text = page
    cdef int i, at = 1
    # the guard is where it has been put, as the function for it says
    if tokenizer.done != watch or tokenizer.context != &machine.guard or lexbor.context(tokenizer) != &machine.guard:
        return False
    if machine.guard.tree.tokenizer != tokenizer or not _is_array(machine.guard.tree.open_elements):
        return False
    if not _is_array(machine.guard.tree.active_formatting):
        return False
    memset(&notes, 0, sizeof(notes_t))
    notes.next, notes.tree, notes.text, notes.is_pending = machine.guard.next, machine.guard.tree, text, True
    lexbor.listen(tokenizer, _note, &notes)
    if not machine.parse(document, text, len(page)) or not notes.has_attributes or not notes.is_pending:
        return False
    expected = [(b"p", 0)]
    for name, _meaning in _MEANINGS:
        expected += [(name.encode(), 0), (name.encode(), END_TAG)]
    expected += [(b"p", 0), (b"b", 0), (b"x", 0), (b"i", 0), (b"td", 0), (b"plaintext", 0), (b"", 0)]
    if notes.n != len(expected):
        return False
    for i, (name, is_end) in enumerate(expected):
        if page[max(notes.begins[i], 0) : max(notes.ends[i], 0)] != name or notes.types[i] & END_TAG != is_end:
            return False
    ids = {}
    for name, meaning in _MEANINGS:
        if not 0 < notes.tags[at] < KNOWN_TAGS or notes.tags[at + 1] != notes.tags[at]:
            return False
        _guard.meanings[notes.tags[at]] = meaning
        ids[name] = notes.tags[at]
        at += 2
    _guard.id_text, _guard.id_end_of_page = notes.tags[notes.n - 5], notes.tags[notes.n - 1]
    _guard.id_p, _guard.id_br, _guard.id_pre, _guard.id_wbr = [ids[name] for name in ("p", "br", "pre", "wbr")]
    _guard.id_div, _guard.id_template, _guard.id_code = ids["div"], ids["template"], ids["code"]
    _guard.id_table, _guard.id_form, _guard.id_title, _guard.id_svg, _guard.id_math = [
        ids[name] for name in ("table", "form", "title", "svg", "math")
    ]
    _guard.meanings[notes.tags[notes.n - 2] % KNOWN_TAGS] = OF_PLAIN
    # before the last tag, html, body, p, b and i are open (the cell is dropped), and b and i are listed
    if (notes.depths[0], notes.listed[0]) != (0, 0) or notes.listed[notes.n - 2] != 2:
        return False
    if notes.depths[notes.n - 2] - notes.depths[notes.n - 6] != 2:
        return False
    return notes.tags[0] == _guard.id_p and (
        len({_guard.id_text, _guard.id_end_of_page, *ids.values()}) == 2 + len(_MEANINGS)
    )


cdef bint _find_functions() except -1:
    cdef bytes library = selectolax.lexbor.__file__.encode()
    names = (
        b"lxb_html_parser_create", b"lxb_html_parser_init", b"lxb_html_parser_destroy",
        b"lxb_html_parser_tokenizer_noi", b"lxb_html_parser_tree_noi",
        b"lxb_html_tokenizer_callback_token_done_ctx_noi",
        b"lxb_html_tokenizer_callback_token_done_set_noi", b"lxb_html_document_clean", b"lxb_html_parser_clean",
        b"lxb_html_parse_chunk_prepare", b"lxb_html_parse_chunk_process", b"lxb_html_parse_chunk_end",
        b"lxb_html_tree_active_formatting_marker",
    )
    cdef void** places = <void**> &lexbor
    for place, name in enumerate(names):
        places[<int> place] = function_of(library, <bytes> name)
        if places[<int> place] == NULL:
            return False
    return True


cdef bint _prove() except -1:
    """Finds Lexbor's functions, and compares what they say of small pages, and their trees, with what is known."""
    global found_lexbor
    if not _find_functions():
        return False
    _guard.marker = <node_t*> lexbor.marker()
    # each mode, as Lexbor numbers them, and as the field says it
    for mode, doctype in enumerate((
        b"<!DOCTYPE html>", b"", b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">',
    )):
        parser = LexborHTMLParser(doctype + b"<title>one</title><p id=two>three", **OPTIONS)
        if _document_of(parser) == NULL or _document_of(parser).quirks != <unsigned int> mode:
            return False
    if not _prove_tokens(_document_of(parser)):
        return False
    found_lexbor = True
    pages = (
        b"<html lang=en><body class=x><p>four<b>five<p>six<!-- seven --><x-y z=1>eight</x-y><svg><g/></svg>", b"",
        b"<!doctype html><select><option>nine<option selected>ten</select><p>ten<table><td>eleven", b"<p>ten<table>",
    )
    kept = parsed(b"")
    for html in (*pages, *reversed(pages)):
        kept.release()
        kept = parsed(html)
        if kept.parser.html != LexborHTMLParser(html, **OPTIONS).html:
            found_lexbor = False
            break
    for html, expected in (
        (b"<p>one[vc_row]&#40;<pre>[vc_row]", "<head></head><body><p>one        (</p><pre>[vc_row]</pre></body>"),
        (b"<title>one\n<p>two", "<head><title>one</title>\n</head><body><p>two</p></body>"),
        (b"<p>one<noscript><div>two</noscript>three", "<head></head><body><p>one<noscript></noscript></p>"
         "<div>two</div>three</body>"),
    ):
        if found_lexbor and parsed_within_bounds(html).parser.html != f"<html>{expected}</html>":
            found_lexbor = False
    waiting.clear()
    return found_lexbor


def _proved():
    global found_lexbor
    try:
        return _prove()
    except Exception:  # a selectolax with other names in Python
        found_lexbor = False
        return False


PARSES_AGAIN = _proved()


# --------------------------------------------------------------------------------------------------

cdef extern from *:
    """
    #ifdef __GLIBC__
    #include <malloc.h>
    static void give_back(void) { malloc_trim(0); }
    static void keep_for_next(void) { mallopt(M_MMAP_THRESHOLD, 4 << 20); mallopt(M_TRIM_THRESHOLD, 16 << 20); }
    #else
    static void give_back(void) {}
    static void keep_for_next(void) {}
    #endif
    """
    void give_back() nogil
    void keep_for_next() nogil


def release_memory():
    """Gives freed memory back to the system. The allocator of glibc keeps it below what is still in use."""
    with nogil:
        give_back()


def reuse_memory():
    """Keeps some megabytes of freed memory for the next page, in a process that reads pages and does nothing else.

    The allocator of glibc gives blocks of megabytes back to the system, which fills the next ones with zeros: a sixth
    of the time that plain text takes.
    """
    with nogil:
        keep_for_next()
