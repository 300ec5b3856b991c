"""What Lexbor's nodes mean: their tags and attributes, read from small documents at import.

selectolax gives the address of each node (`mem_id`), but has no interface for a walk in C. So compiled code
reads Lexbor's structs (`_structs`). At import, `_prove_layout` compares them once with the results of selectolax's
Python interface for a small document. If they differ (a future Lexbor, or other struct packing by another compiler),
`html.py` refuses to work with this selectolax.
"""

from libc.stdint cimport uint8_t, uintptr_t
from libc.string cimport memcmp, memcpy, memset

from ncleaner.document._tags cimport FORM_PLAIN, ROLE_BLOCK, ROLE_BREAK, ROLE_INLINE, SIDE_OTHER, TAG_P, TAG_UNKNOWN
from ncleaner.parsing._cues cimport (
    NO_ATTRIBUTE, OF_ALIGN, OF_ALT, OF_ALTTEXT, OF_CALLOUT, OF_CHECKED, OF_CLASS, OF_COLSPAN, OF_CONTROLS, OF_DATETIME,
    OF_BLOCK, OF_DISABLED, OF_DISPLAY, OF_ENCODING, OF_HEIGHT, OF_HIDDEN, OF_HREF, OF_ID, OF_LANG, OF_LANGUAGE,
    OF_LEVEL, OF_MODAL, OF_NAME, OF_OPEN, OF_POPUP, OF_ROLE, OF_ROWSPAN, OF_SRC, OF_START, OF_STYLE, OF_TEX, OF_TITLE,
    OF_TYPE, OF_REVERSED, OF_SHADOW, OF_SLOT, OF_VALUE, OF_WIDTH,
)
from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, following, name_t, node_t, str_t, text_node_t,
)

from selectolax.lexbor import LexborHTMLParser

from ncleaner.document import tags as _tags
from ncleaner.text.wordlists import word_lists


# The attributes that are read, by the lengths of their names: all attributes of all elements are looked at.
_NUMBERS = {
    "id": OF_ID, "src": OF_SRC, "alt": OF_ALT, "href": OF_HREF, "name": OF_NAME, "role": OF_ROLE, "lang": OF_LANG,
    "type": OF_TYPE, "class": OF_CLASS, "style": OF_STYLE, "align": OF_ALIGN, "title": OF_TITLE, "width": OF_WIDTH,
    "start": OF_START, "value": OF_VALUE, "hidden": OF_HIDDEN, "height": OF_HEIGHT, "colspan": OF_COLSPAN,
    "rowspan": OF_ROWSPAN, "alttext": OF_ALTTEXT, "checked": OF_CHECKED, "display": OF_DISPLAY,
    "encoding": OF_ENCODING, "disabled": OF_DISABLED, "data-tex": OF_TEX, "data-lang": OF_LANGUAGE,
    "data-math": OF_TEX, "data-expr": OF_TEX, "aria-level": OF_LEVEL, "data-latex": OF_TEX, "data-formula": OF_TEX,
    "data-callout": OF_CALLOUT, "data-language": OF_LANGUAGE, "aria-controls": OF_CONTROLS,
    "aria-haspopup": OF_POPUP, "popover": OF_MODAL, "aria-modal": OF_MODAL, "open": OF_OPEN,
    "shadowrootmode": OF_SHADOW, "slot": OF_SLOT,
    "reversed": OF_REVERSED, "datetime": OF_DATETIME, "data-block-type": OF_BLOCK, "data-as": OF_BLOCK,
    "data-enlighter-language": OF_LANGUAGE, "data-syntaxhighlighter-params": OF_LANGUAGE,
}
cdef enum:
    LONGEST = 29
    OF_LENGTH = 7            # names of one length
cdef unsigned char names[LONGEST + 1][OF_LENGTH + 1][LONGEST + 1]
cdef int numbers[LONGEST + 1][OF_LENGTH + 1]


cdef int _fill_names() except -1:
    cdef bytes raw
    cdef size_t length, place
    assert max(map(len, _NUMBERS)) <= LONGEST
    memset(names, 0, sizeof(names))
    memset(numbers, NO_ATTRIBUTE, sizeof(numbers))
    for name, number in _NUMBERS.items():
        raw = name.encode()
        length = len(raw)
        place = 0
        while numbers[length][place]:
            place += 1
        # the last place of a length stays empty: it ends the search
        assert place < OF_LENGTH
        memcpy(names[length][place], <char*> raw, length)
        numbers[length][place] = number

_fill_names()


cdef int of_name(const unsigned char* name, size_t length) noexcept nogil:
    """Returns the number of an attribute, or NO_ATTRIBUTE."""
    cdef size_t place = 0
    if length > LONGEST:
        return NO_ATTRIBUTE
    while numbers[length][place] and memcmp(name, names[length][place], length):
        place += 1
    return numbers[length][place]


cdef str_t* value_of(node_t* node, int which) noexcept nogil:
    """Returns the value of an attribute, or NULL."""
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    while attr != NULL:
        if attribute_of(attr.node.local_name) == which:
            return attr.value
        attr = attr.next
    return NULL


cdef str_t* text_of(node_t* node) noexcept nogil:
    """Returns the text of an element whose first child is a text node that is not blank, or NULL."""
    return &(<text_node_t*> node.first_child).data if is_bare_text(node.first_child) else NULL


cdef enum:
    MOST_INLINE = 4   # inline elements between a paragraph and an element in a sentence


cdef bint is_in_sentence(node_t* node) noexcept nogil:
    """Returns whether an element is right beside text, and in a paragraph, maybe in inline elements of it."""
    cdef node_t* around = node.parent
    cdef int level = 0
    while around != NULL and around.local_name < KNOWN_TAGS and meanings[around.local_name].role == ROLE_INLINE \
            and level < MOST_INLINE:
        around = around.parent
        level += 1
    return around != NULL and around.local_name < KNOWN_TAGS and meanings[around.local_name].code == TAG_P \
        and (is_bare_text(node.prev) or is_bare_text(node.next))


cdef bint is_alone(node_t* node) noexcept nogil:
    """Returns whether an element has no text or inline element directly before or after it."""
    cdef node_t* beside
    cdef int side
    for side in range(2):
        beside = node.prev if side == 0 else node.next
        while beside != NULL:
            if is_bare_text(beside):
                return False
            if beside.type == ELEMENT_NODE:
                if meaning_of(beside).role == ROLE_BLOCK:
                    break
                if meaning_of(beside).role != ROLE_BREAK:
                    return False
            beside = beside.prev if side == 0 else beside.next
    return True


def has_attribute(uintptr_t root, list names not None):
    """Returns whether an element of a tree has one of the attributes.

    Args:
        root: the address of the outermost node (`mem_id`).
        names: in lower case, each as bytes; none is a name that HTML itself has.
    """
    cdef node_t* outermost = <node_t*> root
    cdef node_t* node = outermost
    cdef attr_t* attr
    cdef name_t* entry
    cdef bytes name
    while node != NULL:
        attr = (<element_node_t*> node).first_attr if node.type == ELEMENT_NODE else NULL
        while attr != NULL:
            if attr.node.local_name >= KNOWN_TAGS:
                entry = <name_t*> attr.node.local_name
                for name in names:
                    if entry.length == <size_t> len(name) and not memcmp(letters_of(entry), <char*> name, entry.length):
                        return True
            attr = attr.next
        node = following(node, outermost, True)
    return False


# --------------------------------------------------------------------------------------------------
# At import, the module reads the tag ids and checks the layout of the structs.

# `names.txt` says what these are.
_NAMES = word_lists("parsing/names", "elements, as written", "attributes")
OTHER_NAMES, ATTRIBUTES = _NAMES.values()


# {Lexbor's tag id: name}
TAG_NAMES = {}


def _tag_ids():
    """Returns {name: Lexbor's tag id} for every tag in tags.py.

    One small document has all of them. What its parser leaves out is tried in contexts of its own, until it is
    accepted."""
    ids = {}
    contexts = ["<table><{0}></{0}</table>", "<table><tr><{0}></table>", "<frameset><{0}>", "<{0}>",
                "<svg><{0}></{0}></svg>", "<math><{0}></{0}></math>"]
    names = {name.lower(): name for name in (*_tags.TAGS[2:], *_tags.VOID, *OTHER_NAMES)}

    def read(html):
        for node in LexborHTMLParser(html).root.traverse():
            name = names.get(node.tag.lower())
            if name is not None:
                ids.setdefault(name, node.tag_id)

    # <plaintext> takes all that follows it
    read("".join([f"<{name}></{name}>" for name in sorted(names, key="plaintext".__eq__)]))
    for name in names.values():
        for context in contexts:
            if name not in ids:
                read(context.format(name))
    return ids


cdef bint _fill_meanings():
    ids = _tag_ids()
    TAG_NAMES.update((number, name) for name, number in ids.items())
    for i in range(KNOWN_TAGS):
        meanings[i].role = ROLE_INLINE
        meanings[i].code = TAG_UNKNOWN
        meanings[i].form = FORM_PLAIN
        meanings[i].side = SIDE_OTHER
        meanings[i].object = False
        meanings[i].bit = NO_BIT
    for name, tag_id in ids.items():
        if not 0 < tag_id < KNOWN_TAGS:
            return False
        if name in _tags.VOID:
            meanings[tag_id].bit = VOID
        meanings[tag_id].length = <uint8_t> len(name)
        if name not in _tags.CODE:
            continue
        meanings[tag_id].role = _tags.ROLE[name] if name != "title" else ROLE_TITLE
        meanings[tag_id].code = _tags.CODE[name]
        meanings[tag_id].form = _tags.FORM.get(name, _tags.PLAIN)
        meanings[tag_id].side = _tags.SIDE[name]
        meanings[tag_id].object = name in _tags.OBJECTS
        if name in _tags.CONTEXT_BIT:
            meanings[tag_id].bit = _tags.CONTEXT_BIT[name]
    global id_html, id_body, id_button, id_span, id_math, id_script, id_ruby, id_rt, id_rtc, id_annotation_xml
    global id_base, id_source, id_iframe, id_video, id_audio, id_input, id_slot
    id_html, id_body, id_button, id_span, id_math, id_script, id_ruby, id_rt, id_rtc = [
        ids[name] for name in "html body button span math script ruby rt rtc".split()
    ]
    id_annotation_xml, id_base, id_source, id_iframe, id_video, id_audio, id_input, id_slot = [
        ids[name] for name in "annotation-xml base source iframe video audio input slot".split()
    ]
    return True


cdef void _fill_name_lengths():
    """Reads which of the names in ATTRIBUTES have an id."""
    cdef uintptr_t address
    cdef attr_t* attr
    memset(name_lengths, 0, sizeof(name_lengths))
    # the parser owns the tree: it must live as long as the addresses are used
    parser = LexborHTMLParser("".join([f"<b {name}></b>" for name in ATTRIBUTES]))
    for name, node in zip(ATTRIBUTES, parser.root.css("b"), strict=True):
        address = node.mem_id
        attr = (<element_node_t*> address).first_attr
        if attr != NULL and attr.node.local_name < KNOWN_TAGS:
            name_lengths[attr.node.local_name] = <uint8_t> len(name)
            raw = name.encode()
            attributes[attr.node.local_name] = <uint8_t> of_name(<const unsigned char*> <char*> raw, len(raw))


cdef bint _same_node(node_t* mine, theirs):
    """Returns whether the fields of the struct `mine` agree with selectolax's node `theirs`.

    The links are compared as addresses; the code follows an address only after this check."""
    cdef node_t* links[5]
    links[0] = mine.next
    links[1] = mine.prev
    links[2] = mine.parent
    links[3] = mine.first_child
    links[4] = mine.last_child
    for i, other in enumerate((theirs.next, theirs.prev, theirs.parent, theirs.first_child, theirs.last_child)):
        # selectolax has no node for the document, which is the parent of <html>.
        if other is None and i == 2:
            continue
        if <uintptr_t> links[i] != (<uintptr_t> 0 if other is None else <uintptr_t> other.mem_id):
            return False
    return mine.local_name == <uintptr_t> theirs.tag_id \
        and mine.type == (TEXT_NODE if theirs.is_text_node else ELEMENT_NODE)


cdef bint _prove_layout() except -1:
    memset(attributes, NO_ATTRIBUTE, sizeof(attributes))
    names = ("class", "id", "role", "hidden", "style", "alt", "lang", "href", "type", "encoding", "alttext")
    long_name = "x-name-of-more-than-sixteen-bytes"
    html = (
        "<p>plain</p>" + "".join(f"<b {name}=value-of-{name}>text</b>" for name in names)
        + f"<x-short></x-short><{long_name}></{long_name}><p id=one class=two title=three><i></i>four</p>"
    )
    parser = LexborHTMLParser(html)
    cdef node_t* node
    cdef element_node_t* element
    cdef attr_t* attr
    cdef uintptr_t address
    cdef bytes raw
    cdef int n = 0, code
    if not _fill_meanings():
        return False
    for theirs in parser.root.traverse(include_text=True):
        address = theirs.mem_id
        node = <node_t*> address
        if not _same_node(node, theirs):
            return False
        if theirs.is_text_node:
            text = theirs.text_content.encode()
            if (<text_node_t*> node).data.length != <size_t> len(text):
                return False
            if memcmp((<text_node_t*> node).data.data, <char*> text, len(text)) != 0:
                return False
        elif theirs.tag == "b":
            element = <element_node_t*> node
            if element.first_attr == NULL or element.first_attr != element.last_attr:
                return False
            attr = element.first_attr
            if (element.attr_class == attr) != (names[n] == "class") or (element.attr_id == attr) != (names[n] == "id"):
                return False
            value = f"value-of-{names[n]}".encode()
            if attr.owner != <void*> element or attr.next != NULL or attr.value == NULL:
                return False
            if attr.value.length != <size_t> len(value) or memcmp(attr.value.data, <char*> value, len(value)) != 0:
                return False
            n += 1
            raw = names[n - 1].encode()
            code = of_name(<const unsigned char*> <char*> raw, len(raw))
            if attr.node.local_name < KNOWN_TAGS:
                attributes[attr.node.local_name] = <uint8_t> code
            elif (<name_t*> attr.node.local_name).length != <size_t> len(raw):
                return False
            if attribute_of(attr.node.local_name) != code:
                return False
        elif theirs.tag in ("x-short", long_name):
            if node.local_name < KNOWN_TAGS or (<name_t*> node.local_name).length != <size_t> len(theirs.tag):
                return False
            if not is_custom(node.local_name):
                return False
        elif theirs.id == "one":
            element = <element_node_t*> node
            attr = element.first_attr
            if attr == NULL or attr != element.attr_id or attr.next != element.attr_class \
                    or attr.next.next != element.last_attr or element.last_attr.prev != element.attr_class:
                return False
        elif theirs.tag == "p" and (<element_node_t*> node).first_attr != NULL:
            return False
    if n != len(names):
        return False
    _fill_name_lengths()
    return True


def _proved():
    try:
        return bool(_prove_layout())
    except Exception:  # a selectolax with other names in Python
        return False


LAYOUT_PROVED = _proved()
