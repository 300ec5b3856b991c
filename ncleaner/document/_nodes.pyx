"""What Lexbor's nodes mean: their tags and attributes, read from small documents at import.

selectolax gives the address of each node (`mem_id`), but has no interface for a walk in C. So compiled code
reads Lexbor's structs (`_structs`). At import, `_prove_layout` compares them once with the results of selectolax's
Python interface for a small document. If they differ (a future Lexbor, or other struct packing by another compiler),
`html.py` refuses to work with this selectolax.
"""

from libc.stdint cimport uint8_t, uintptr_t
from libc.string cimport memcmp, memset

from ncleaner.document._marks cimport (
    NO_ATTRIBUTE, OF_ALIGN, OF_ALT, OF_ALTTEXT, OF_CALLOUT, OF_CHECKED, OF_CLASS, OF_COLSPAN, OF_DISABLED, OF_DISPLAY,
    OF_ENCODING, OF_HEIGHT, OF_HIDDEN, OF_HREF, OF_ID, OF_LANG, OF_LANGUAGE, OF_LEVEL, OF_NAME, OF_ROLE, OF_ROWSPAN,
    OF_SRC, OF_START, OF_STYLE, OF_TEX, OF_TITLE, OF_TYPE, OF_VALUE, OF_WIDTH,
)
from ncleaner.document._spaces cimport is_blank
from ncleaner.document._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, name_t, node_t, str_t, text_node_t,
)
from ncleaner.document._tags cimport FORM_PLAIN, ROLE_INLINE, SIDE_OTHER, TAG_UNKNOWN

from selectolax.lexbor import LexborHTMLParser

from ncleaner.document import tags as _tags


cdef int of_name(const unsigned char* name, size_t length) noexcept nogil:
    """Returns the number of an attribute, or NO_ATTRIBUTE."""
    # by length: all attributes of all elements are looked at
    if length == 2:
        return OF_ID if memcmp(name, b"id", 2) == 0 else NO_ATTRIBUTE
    if length == 3:
        return OF_SRC if memcmp(name, b"src", 3) == 0 else OF_ALT if memcmp(name, b"alt", 3) == 0 else NO_ATTRIBUTE
    if length == 4:
        if memcmp(name, b"href", 4) == 0:
            return OF_HREF
        if memcmp(name, b"name", 4) == 0:
            return OF_NAME
        if memcmp(name, b"role", 4) == 0:
            return OF_ROLE
        if memcmp(name, b"lang", 4) == 0:
            return OF_LANG
        return OF_TYPE if memcmp(name, b"type", 4) == 0 else NO_ATTRIBUTE
    if length == 5:
        if memcmp(name, b"class", 5) == 0:
            return OF_CLASS
        if memcmp(name, b"style", 5) == 0:
            return OF_STYLE
        if memcmp(name, b"align", 5) == 0:
            return OF_ALIGN
        if memcmp(name, b"title", 5) == 0:
            return OF_TITLE
        if memcmp(name, b"width", 5) == 0:
            return OF_WIDTH
        return OF_START if memcmp(name, b"start", 5) == 0 else OF_VALUE if memcmp(name, b"value", 5) == 0 \
            else NO_ATTRIBUTE
    if length == 6:
        if memcmp(name, b"hidden", 6) == 0:
            return OF_HIDDEN
        return OF_HEIGHT if memcmp(name, b"height", 6) == 0 else NO_ATTRIBUTE
    if length == 7:
        if memcmp(name, b"colspan", 7) == 0:
            return OF_COLSPAN
        if memcmp(name, b"rowspan", 7) == 0:
            return OF_ROWSPAN
        if memcmp(name, b"alttext", 7) == 0:
            return OF_ALTTEXT
        if memcmp(name, b"checked", 7) == 0:
            return OF_CHECKED
        return OF_DISPLAY if memcmp(name, b"display", 7) == 0 else NO_ATTRIBUTE
    if length == 8:
        if memcmp(name, b"encoding", 8) == 0:
            return OF_ENCODING
        if memcmp(name, b"disabled", 8) == 0:
            return OF_DISABLED
        return OF_TEX if memcmp(name, b"data-tex", 8) == 0 else NO_ATTRIBUTE
    if length == 9:
        if memcmp(name, b"data-lang", 9) == 0:
            return OF_LANGUAGE
        return OF_TEX if memcmp(name, b"data-math", 9) == 0 or memcmp(name, b"data-expr", 9) == 0 else NO_ATTRIBUTE
    if length == 10 and memcmp(name, b"aria-level", 10) == 0:
        return OF_LEVEL
    if length == 10 and memcmp(name, b"data-latex", 10) == 0 or length == 12 and memcmp(name, b"data-formula", 12) == 0:
        return OF_TEX
    if length == 12 and memcmp(name, b"data-callout", 12) == 0:
        return OF_CALLOUT
    if length == 13 and memcmp(name, b"data-language", 13) == 0:
        return OF_LANGUAGE
    return NO_ATTRIBUTE


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
    cdef node_t* child = node.first_child
    if child == NULL or child.type != TEXT_NODE:
        return NULL
    if is_blank((<text_node_t*> child).data.data, (<text_node_t*> child).data.length):
        return NULL
    return &(<text_node_t*> child).data


# --------------------------------------------------------------------------------------------------
# At import, the module reads the tag ids and checks the layout of the structs.

# Names of elements that Lexbor has ids for, besides those of tags.py, and names of attributes that it has ids for.
# For most of them only the length matters.
OTHER_NAMES = (
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform annotation-xml clipPath desc "
    "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap "
    "feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode "
    "feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef "
    "isindex linearGradient malignmark mfenced mglyph mi mn mo ms mtext nextid path radialGradient selectedcontent "
    "spacer textPath"
).split()
ATTRIBUTES = (
    "accept accept-charset active align alink alt axis bgcolor charset checked class clear codetype color compact "
    "content declare defer dir direction disabled enctype face focus for frame height hover href hreflang html "
    "http-equiv id is lang language link maxlength media method multiple nohref noresize noshade nowrap "
    "placeholder pool public readonly rel required rev rules scheme scope scrolling selected shape size slot src "
    "style system target text title type valign valuetype vlink width xmlns"
).split()


# {Lexbor's tag id: name}
TAG_NAMES = {}


def _tag_ids():
    """Returns {name: Lexbor's tag id} for every tag in tags.py.

    The ids are read from small documents; each tag is tried in several contexts, until the parser accepts it."""
    ids = {}
    contexts = ["<{0}></{0}>", "<table><{0}></{0}</table>", "<table><tr><{0}></table>", "<frameset><{0}>", "<{0}>",
                "<svg><{0}></{0}></svg>", "<math><{0}></{0}></math>"]
    for name in dict.fromkeys((*_tags.TAGS[2:], *_tags.VOID, *OTHER_NAMES)):
        for context in contexts:
            parser = LexborHTMLParser(context.format(name))
            for node in parser.root.traverse():
                if node.tag.lower() == name.lower():
                    ids[name] = node.tag_id
            if name in ids:
                break
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
    global id_html, id_body, id_button, id_span
    id_html = ids["html"]
    id_body = ids["body"]
    id_button = ids["button"]
    id_span = ids["span"]
    global id_math, id_mo, id_script, id_ruby, id_rt, id_rtc, id_annotation_xml
    global id_base, id_source, id_iframe, id_video, id_audio, id_input
    id_source, id_iframe, id_video, id_audio, id_input = [
        ids[name] for name in ("source", "iframe", "video", "audio", "input")
    ]
    id_math, id_mo, id_script, id_ruby, id_rt, id_rtc, id_annotation_xml, id_base = [
        ids[name] for name in ("math", "mo", "script", "ruby", "rt", "rtc", "annotation-xml", "base")
    ]
    return True


cdef void _fill_name_lengths():
    """Reads which of the names in ATTRIBUTES have an id."""
    cdef uintptr_t address
    cdef attr_t* attr
    memset(name_lengths, 0, sizeof(name_lengths))
    for name in ATTRIBUTES:
        # the parser owns the tree: it must live as long as the address is used
        parser = LexborHTMLParser(f"<b {name}></b>")
        address = parser.root.css_first("b").mem_id
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
    if mine.local_name != <uintptr_t> theirs.tag_id:
        return False
    return mine.type == (TEXT_NODE if theirs.is_text_node else ELEMENT_NODE)


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
