"""Blocks that a reader opens, such as the answers to a list of questions.

Of the text of WCXB's and other gold pages that is hidden at first, 70 per cent is main text if an element outside of
navigation opens it, 11 per cent of other blocks, and 3 of menus.
"""

from ncleaner.document._tags cimport TAG_FOOTER, TAG_FORM, TAG_HEADER, TAG_NAV, TAG_UNKNOWN
from ncleaner.dumping._code cimport has_code
from ncleaner.parsing._cues cimport OF_POPUP, is_one_of
from ncleaner.parsing._nodes cimport is_bare_text, meanings, value_of
from ncleaner.parsing._structs cimport ELEMENT_NODE, KNOWN_TAGS, following, is_same, node_t, str_t, text_node_t
from ncleaner.text._ascii cimport begins

# Roles of blocks that lie over the page when they are open.
cdef const char** POPUPS = [b"alertdialog", b"dialog", b"listbox", b"menu", NULL]

cdef enum:
    MOST_LABELS = 200        # bytes of the labels of tabs
    MOST_NODES = 128         # in a row of tabs


cdef bint _is_in_navigation(node_t* node) noexcept nogil:
    """Returns whether an element is inside navigation, a header, a footer or a form."""
    cdef int code
    while node.parent != NULL and node.parent.type == ELEMENT_NODE:
        node = node.parent
        code = meanings[node.local_name].code if node.local_name < KNOWN_TAGS else TAG_UNKNOWN
        if code == TAG_NAV or code == TAG_HEADER or code == TAG_FOOTER or code == TAG_FORM:
            return True
    return False


cdef void note_panel(panels_t* panels, node_t* node, str_t* name) noexcept nogil:
    """Notes the id of a block that an element opens, but not of menus and dialogues."""
    if panels.n < MOST_PANELS and value_of(node, OF_POPUP) == NULL and not _is_in_navigation(node):
        panels.names[panels.n] = name
        panels.n += 1


cdef bint is_panel(const panels_t* panels, node_t* node, const str_t* name, const str_t* role) noexcept nogil:
    """Returns whether a block of this id and role, which may be NULL, has an element before it that opens it, or is
    the same code for other programs under a tab."""
    cdef size_t i
    if role != NULL and begins(role.data, role.length, b"tabpanel") and has_code(node):
        return True
    if name == NULL or role != NULL and is_one_of(role.data, role.length, POPUPS):
        return False
    for i in range(panels.n):
        if is_same(panels.names[i], name):
            return True
    return False


cdef bint is_row_of_tabs(node_t* root) noexcept nogil:
    """Returns whether an element with the role of a list of tabs has only these; some have the panels inside, too."""
    cdef node_t* node = root
    cdef size_t size = 0
    cdef int left = MOST_NODES
    while node != NULL and left and size <= MOST_LABELS:
        size += (<text_node_t*> node).data.length if is_bare_text(node) else 0
        node = following(node, root, True)
        left -= 1
    return node == NULL and size <= MOST_LABELS
