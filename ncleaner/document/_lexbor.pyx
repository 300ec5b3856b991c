"""Parsers that are used again: the tree of a page is made in the memory of the tree before it.

selectolax makes a document for each page and frees it. Its extension exports Lexbor's own functions; with the address
of one of them, the next page is parsed into the document of an existing `LexborHTMLParser`, whose Python interface then
shows the new tree. This saves a sixth of the time of parsing.

At import, `_prove` finds the function and compares the trees of small documents. If anything differs (another build
that hides the function, another layout), each page has a parser of its own.
"""

from libc.stdint cimport uintptr_t

import selectolax.lexbor
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

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

# lxb_status_t lxb_html_document_parse(lxb_html_document_t* document, const lxb_char_t* html, size_t size)
ctypedef unsigned int (*parse_t)(document_t* document, const char* html, size_t size) noexcept nogil

# Lexbor's nodes, as in `_dump`, and the beginning of its documents.
cdef struct node_t:
    void* events
    uintptr_t local_name
    uintptr_t prefix
    uintptr_t ns
    void* owner_document
    node_t* next
    node_t* prev
    node_t* parent
    node_t* first_child
    node_t* last_child
    void* user
    int type

cdef struct document_t:
    node_t node
    unsigned int quirks      # 0: no quirks mode; Lexbor does not reset it when it parses the next page

# Mutation events are needed only for documents with running scripts, and no code here uses them.
cdef int OPTIONS = int(LexborDocumentOptions.WO_EVENTS)
# So many parsers wait for their next page; threads may need more than one at a time.
cdef int WAITING = 4

cdef parse_t parse_into = NULL
cdef list waiting = []


cdef document_t* _document_of(parser):
    """Returns the address of a parser's document, which is its outermost node; NULL if the fields say otherwise."""
    root = parser.root
    if root is None:
        return NULL
    cdef uintptr_t address = root.mem_id
    cdef node_t* node = <node_t*> address
    return <document_t*> node.parent if node.owner_document == <void*> node.parent else NULL


cdef class Parsed:
    """The tree of a page.

    Attributes:
        parser: selectolax's parser, whose tree it is until `release`.
    """

    cdef readonly object parser
    cdef document_t* document

    def release(self):
        """Lets the next page have the memory. The tree, and all nodes of it, must not be used any more."""
        if self.document != NULL and len(waiting) < WAITING:
            waiting.append(self)

    cdef bint _parse(self, bytes html) except -1:
        cdef const char* text = html
        cdef size_t size = len(html)
        cdef unsigned int status
        self.document.quirks = 0
        with nogil:
            status = parse_into(self.document, text, size)
        return status == 0


def parsed(bytes html not None, bint again=True):
    """Parses a page.

    Args:
        html: UTF-8.
        again: whether the memory is used again for other pages. That of a large page had better go back to the system.

    Returns:
        The tree, `Parsed`.
    """
    cdef Parsed found
    if again and waiting:
        found = waiting.pop()
        if found._parse(html):
            return found
    found = Parsed.__new__(Parsed)
    found.parser = LexborHTMLParser(html, options=OPTIONS)
    found.document = _document_of(found.parser) if again and parse_into != NULL else NULL
    return found


def _prove():
    """Finds Lexbor's function, and compares the trees that it makes with those of new parsers."""
    global parse_into
    cdef bytes library = selectolax.lexbor.__file__.encode()
    cdef parse_t found = <parse_t> function_of(library, b"lxb_html_document_parse")
    if found == NULL:
        return False
    # each mode, as Lexbor numbers them, and as the field says it
    for mode, doctype in enumerate((
        b"<!DOCTYPE html>", b"", b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN">',
    )):
        parser = LexborHTMLParser(doctype + b"<title>one</title><p id=two>three", options=OPTIONS)
        if _document_of(parser) == NULL or _document_of(parser).quirks != <unsigned int> mode:
            return False
    parse_into = found
    pages = (
        b"<html lang=en><body class=x><p>four<b>five<p>six<!-- seven --><x-y z=1>eight</x-y><svg><g/></svg>", b"",
        b"<!doctype html><select><option>nine<option selected>ten</select><p>ten<table><td>eleven", b"<p>ten<table>",
    )
    kept = parsed(b"")
    for html in (*pages, *reversed(pages)):
        kept.release()
        kept = parsed(html)
        if kept.parser.html != LexborHTMLParser(html, options=OPTIONS).html:
            parse_into = NULL
            break
    waiting.clear()
    return parse_into != NULL


PARSES_AGAIN = _prove()
