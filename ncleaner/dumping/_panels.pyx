"""Blocks that a reader opens, such as the answers to a list of questions, and the buttons above them.

Of the text of WCXB's and other gold pages that is hidden at first, 70 per cent is main text if an element outside of
navigation opens it, 11 per cent of other blocks, and 3 of menus. Buttons are form controls, and left out, unless they
are titles of such blocks.
"""

from libc.string cimport memcmp

from ncleaner.document._tags cimport (
    ROLE_LEFT_OUT, TAG_A, TAG_ARTICLE, TAG_DIV, TAG_DL, TAG_FOOTER, TAG_FORM, TAG_HEADER, TAG_NAV, TAG_UNKNOWN,
)
from ncleaner.dumping._code cimport has_code
from ncleaner.parsing._cues cimport OF_ID, OF_POPUP, OF_ROLE, is_one_of
from ncleaner.parsing._nodes cimport id_body, is_bare_text, meaning_of, meanings, value_of
from ncleaner.parsing._structs cimport ELEMENT_NODE, KNOWN_TAGS, following, is_same, node_t, str_t, text_node_t
from ncleaner.text._ascii cimport begins
from ncleaner.text._letters cimport is_white

# Roles of blocks that lie over the page when they are open.
cdef const char** POPUPS = [b"alertdialog", b"dialog", b"listbox", b"menu", NULL]

cdef enum:
    SHORTEST_QUESTION = 15   # bytes of a button that asks something
    MOST_LABELS = 200        # bytes of the labels of tabs
    MOST_BOXES = 4           # around a title
    MOST_NODES = 32          # in a title that are read, and a fourth of those in a row of tabs


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


cdef bint _asks(node_t* root) noexcept nogil:
    """Returns whether a button has a question as its text, and not only "Lost?"."""
    cdef node_t* node = root
    cdef str_t* text = NULL
    cdef size_t length, size = 0
    cdef int left = MOST_NODES
    while left:
        node = following(node, root, node == root or meaning_of(node).role != ROLE_LEFT_OUT)
        if node == NULL:
            break
        if is_bare_text(node):
            text = &(<text_node_t*> node).data
            size += text.length
        left -= 1
    if size < SHORTEST_QUESTION:
        return False
    length = text.length
    while is_white(text.data[length - 1]):
        length -= 1
    # also as Chinese and Arabic write it
    return text.data[length - 1] == c'?' or length >= 3 and memcmp(text.data + length - 3, b"\xef\xbc\x9f", 3) == 0 \
        or length >= 2 and memcmp(text.data + length - 2, b"\xd8\x9f", 2) == 0


cdef node_t* _block_behind(node_t* node) noexcept nogil:
    """Returns the block directly after an element, or after the boxes that end with the element; NULL if none is."""
    cdef node_t* beside
    cdef int code, _level
    for _level in range(MOST_BOXES):
        beside = node.next
        while beside != NULL and beside.type != ELEMENT_NODE and not is_bare_text(beside):
            beside = beside.next
        if beside != NULL:
            code = meaning_of(beside).code if beside.type == ELEMENT_NODE else TAG_UNKNOWN
            # <div>, <p>, <section>, but no <article>, which a button may share or print
            return beside if TAG_DIV <= code < TAG_ARTICLE or code == TAG_DL else NULL
        node = node.parent
        if node == NULL or node.type != ELEMENT_NODE or node.local_name == id_body:
            return NULL
    return NULL


cdef bint is_row_of_tabs(node_t* root) noexcept nogil:
    """Returns whether an element with the role of a list of tabs has only these; in some, the panels are inside, too."""
    cdef node_t* node = root
    cdef size_t size = 0
    cdef int left = 4 * MOST_NODES
    while node != NULL and left and size <= MOST_LABELS:
        size += (<text_node_t*> node).data.length if is_bare_text(node) else 0
        node = following(node, root, True)
        left -= 1
    return node == NULL and size <= MOST_LABELS


cdef bint is_above_panel(node_t* button, const str_t* name) noexcept nogil:
    """Returns whether a button is the title of the block after it: opens the block of this id, or asks a question.

    Other buttons that open something say "Share" or "Menu"."""
    if value_of(button, OF_POPUP) != NULL or value_of(button, OF_ROLE) != NULL:
        return False
    cdef node_t* block = _block_behind(button)
    if block == NULL or _is_in_navigation(button):
        return False
    cdef str_t* id_ = value_of(block, OF_ID)
    return name != NULL and id_ != NULL and is_same(name, id_) or _asks(button)
