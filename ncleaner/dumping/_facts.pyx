"""The metadata of a page: the values of elements that hold metadata.

The walk (`_walk`) notes at most `MOST` of them; `tables.Fact` says what they mean. What says how the page may be used
is read wherever it is.
"""

import re
from functools import lru_cache

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uintptr_t
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, following, name_t, text_node_t,
)

from selectolax.lexbor import LexborHTMLParser

from ncleaner.document.fact_names import NAMES
from ncleaner.parsing._nodes import LAYOUT_PROVED
from ncleaner.text._ascii cimport begins, begins_any, find, holds, is_digit, lower, table_of

cdef enum:
    # what is read of each of them, in bytes; of what says how the page may be used, all
    VALUE = 2_000
    TEXT = 400
    SCRIPT = 1_000_000
    TEXT_NODES = 40
    ABOVE = 100              # elements around it, where its item is looked for

# The attributes that are read.
cdef enum:
    OTHER = 0
    NAME = 1
    PROPERTY = 2
    ITEMPROP = 3
    HTTP_EQUIV = 4
    CONTENT = 5
    REL = 6
    HREF = 7
    DATETIME = 8
    TYPE = 9
    CLASS = 10
    SRC = 11
    ITEMTYPE = 12
    AUTHORED = 13            # of a post, in programs of forums

ATTRIBUTES = (
    "name", "property", "itemprop", "http-equiv", "content", "rel", "href", "datetime", "type", "class", "src",
    "itemtype", "data-author",
)

_READ = frozenset(name for names in NAMES.values() for name in names)
_RIGHTS = frozenset(NAMES["rights"])
_SEPARATORS = re.compile(r"[\s,;\u200b\ufeff]+")


@lru_cache(4_096)
def _read_of(str names):
    """Returns those names that are read, in small letters. RDFa has a prefix, as in schema:dateCreated."""
    each = [name.removeprefix("schema:") for name in _SEPARATORS.split(names.lower())]
    return " ".join([name for name in each if name in _READ])


cdef uint8_t codes[KNOWN_TAGS]
cdef uintptr_t id_meta, id_link, id_script, id_style, id_time, id_a, id_img

cdef enum:
    META = 1
    LINK = 2
    DATA = 3
    TIME = 4
    ITEM = 5
    AUTHOR = 6
    LICENCE = 7


# attributes that Lexbor does not know
cdef const char** UNKNOWN = [b"name", b"property", b"itemprop", b"datetime", b"itemtype", b"data-author"]
cdef int* CODES = [NAME, PROPERTY, ITEMPROP, DATETIME, ITEMTYPE, AUTHORED]


cdef inline int _code(uintptr_t name) noexcept nogil:
    cdef int i
    if name < KNOWN_TAGS:
        return codes[name]
    cdef name_t* entry = <name_t*> name
    if entry.length == 4 or entry.length == 8 or entry.length == 11:
        for i in range(6):
            if entry.length == strlen(UNKNOWN[i]) and memcmp(entry.short_name, UNKNOWN[i], entry.length) == 0:
                return CODES[i]
    return OTHER


# attributes in which scripts find the moment that they show: seconds or milliseconds since 1970
cdef const char** moments = table_of(
    ("time", "timestamp", "unixtime", "utime", "epoch", "date", "datetime", "published")
)


cdef inline bint _is_moment(const attr_t* attr) noexcept nogil:
    """Returns whether an attribute is such a one: data-timestamp="1710234900"."""
    cdef const name_t* name = <const name_t*> attr.node.local_name
    cdef size_t i
    if attr.value.length != 10 and attr.value.length != 13 or attr.node.local_name < KNOWN_TAGS or (
        name.length > 16 or not begins(name.short_name, name.length, b"data-")
    ):
        return False
    for i in range(attr.value.length):
        if not is_digit(attr.value.data[i]):
            return False
    return begins_any(name.short_name + 5, name.length - 5, moments) == name.length - 5


cdef inline bint _contains(const str_t* value, const char* small) noexcept nogil:
    return value != NULL and find(value.data, value.length, small) > 0


cdef inline void _read(noted_t* noted, node_t* node) noexcept nogil:
    """Reads the attributes of an element."""
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    cdef int code
    memset(noted.values, 0, sizeof(noted.values))
    while attr != NULL:
        code = _code(attr.node.local_name)
        if code == OTHER and attr.value != NULL and _is_moment(attr):
            code = DATETIME
        if code != OTHER and attr.value != NULL and noted.values[code] == NULL:
            noted.values[code] = attr.value
        attr = attr.next


cdef inline bint _has_word(const str_t* value, int first, const char* rest, const char* other) noexcept nogil:
    """Returns whether a value has a word of six letters, the first one small or not: `first` and `rest` or `other`.

    The second letter is searched for, which few classes have."""
    cdef const unsigned char* end = value.data + value.length
    cdef const unsigned char* at = value.data
    while True:
        at = <const unsigned char*> memchr(at, rest[0], end - at)
        if at == NULL:
            return False
        if at > value.data and end - at >= 5 and lower((at - 1)[0]) == first and (
            memcmp(at, rest, 5) == 0 or memcmp(at, other, 5) == 0
        ):
            return True
        at += 1


cdef inline bint _names_author(const str_t* value) noexcept nogil:
    """Returns whether a class has the word author or byline, in small letters but for the first one."""
    return value.length >= 6 and (
        _has_word(value, c'a', b"uthor", b"uthor") or _has_word(value, c'b', b"yline", b"yLine")
    )


cdef inline int _kind_in_text(node_t* node, bint is_link) noexcept nogil:
    """Returns what an element of the text is by its attributes: ITEM (it has a property of microdata or RDFa), TIME (it
    has a moment for scripts), AUTHOR, LICENCE or 0."""
    cdef element_node_t* element = <element_node_t*> node
    cdef attr_t* attr = element.first_attr
    cdef attr_t* class_ = element.attr_class
    cdef str_t* rel = NULL
    cdef str_t* href = NULL
    cdef int code
    while attr != NULL:
        # most attributes are these two, whose names need not be read
        if attr != class_ and attr != element.attr_id and attr.value != NULL:
            code = _code(attr.node.local_name)
            if code == ITEMPROP or code == PROPERTY:
                return ITEM
            if code == AUTHORED:
                return AUTHOR
            if code == REL and rel == NULL:
                rel = attr.value
            elif code == HREF and href == NULL:
                href = attr.value
            elif code == OTHER and _is_moment(attr):
                return TIME
        # nothing is after the last one, which saves reading it
        attr = attr.next if attr != element.last_attr else NULL
    if is_link:
        if _contains(rel, b"author"):
            return AUTHOR
        if _contains(rel, b"license") or href != NULL and holds(href.data, href.length, b"creativecommons.org/", 6):
            return LICENCE
    return AUTHOR if class_ != NULL and class_.value != NULL and _names_author(class_.value) else 0


cdef inline bint _ends(const str_t* value, const char* small) noexcept nogil:
    """Returns whether a value ends with a word, or with more than one of it."""
    cdef size_t length = value.length - (value.data[value.length - 1] == c's'), word = strlen(small)
    return length >= word and begins(value.data + length - word, word, small)


cdef bint _is_of_path(node_t* node) noexcept nogil:
    """Returns whether an element is a list of breadcrumbs in microdata."""
    cdef noted_t one
    if node == NULL or node.type != ELEMENT_NODE:
        return False
    _read(&one, node)
    return one.values[ITEMTYPE] != NULL and _ends(one.values[ITEMTYPE], b"breadcrumblist")


cdef bint _is_of_others(node_t* node) noexcept nogil:
    """Returns whether an element is in a review, an answer or a comment of a page, by microdata."""
    cdef attr_t* attr
    cdef str_t* value
    cdef int code, seen = 0
    node = node.parent
    while node != NULL and seen < ABOVE:
        seen += 1
        attr = (<element_node_t*> node).first_attr if node.type == ELEMENT_NODE else NULL
        while attr != NULL:
            value = attr.value
            code = _code(attr.node.local_name) if value != NULL and value.length >= 6 else OTHER
            if code == ITEMPROP and begins(value.data, value.length, b"review") and value.length < 8 or (
                (code == ITEMPROP or code == ITEMTYPE) and (_ends(value, b"comment") or _ends(value, b"answer"))
            ):
                return True
            attr = attr.next
        node = node.parent
    return False


cdef inline int _kind(noted_t* noted, node_t* node) noexcept nogil:
    """Returns what an element is, and reads its attributes where they matter; 0 for an element without metadata."""
    cdef uintptr_t tag = node.local_name
    cdef int kind
    if tag == id_time:
        _read(noted, node)
        return TIME
    if (<element_node_t*> node).first_attr == NULL:
        return 0
    if tag != id_meta and tag != id_link and tag != id_script:
        kind = _kind_in_text(node, tag == id_a)
        if kind:
            _read(noted, node)
        return kind
    _read(noted, node)
    if tag == id_meta:
        return META if noted.values[CONTENT] != NULL else 0
    if tag == id_link:
        # most of them are style sheets and icons
        return LINK if noted.values[HREF] != NULL and (
            _contains(noted.values[REL], b"canonical") or _contains(noted.values[REL], b"license")
        ) else 0
    return DATA if _contains(noted.values[TYPE], b"ld+json") else 0


cdef void note_fact(facts_t* facts, node_t* node) noexcept nogil:
    """Notes an element if it holds metadata and there is room; elements come in document order."""
    if facts.n < MOST:
        facts.noted[facts.n].kind = _kind(&facts.noted[facts.n], node)
        if facts.noted[facts.n].kind:
            facts.noted[facts.n].node = node
            facts.n += 1


cdef str _decoded(const str_t* value, size_t most):
    """Returns a value; of more than `most` bytes, if it is not 0, only these."""
    if value == NULL:
        return ""
    if value.length <= most or not most:
        return PyUnicode_DecodeUTF8(<const char*> value.data, value.length, "replace")
    return PyUnicode_DecodeUTF8(<const char*> value.data, most, "ignore")


cdef str _joined(noted_t* one, int first, int second, int third=OTHER, int fourth=OTHER):
    """Returns the values of some attributes, with spaces between them."""
    cdef int* codes = [first, second, third, fourth]
    cdef str names = ""
    cdef str value
    cdef int i
    for i in range(4):
        if one.values[codes[i]] != NULL:
            value = _decoded(one.values[codes[i]], VALUE)
            names = f"{names} {value}" if names and value else names or value
    return names


cdef str _text(node_t* root, size_t most):
    """Returns the text of an element, without scripts and styles, up to a length; a line for each element in it."""
    cdef node_t* node = root.first_child
    cdef list parts = []
    cdef size_t length = 0
    cdef int seen = 0
    cdef bint into
    while node != NULL and length < most and seen < TEXT_NODES:
        into = True
        if node.type == TEXT_NODE:
            # a line break in the source is white space
            parts.append(_decoded(&(<text_node_t*> node).data, most - length).replace("\n", " "))
            length += (<text_node_t*> node).data.length
            seen += 1
        elif node.type == ELEMENT_NODE:
            into = node.local_name != id_script and node.local_name != id_style
            parts.append("\n")
        node = following(node, root, into)
    return "".join(parts)


cdef str _named(node_t* root):
    """Returns the content of `<meta itemprop=name>` in an element; empty if it has none."""
    cdef node_t* node = root.first_child
    cdef noted_t one
    cdef str_t* value
    cdef int seen = 0
    while node != NULL and seen < TEXT_NODES:
        if node.type == ELEMENT_NODE:
            seen += 1
            if node.local_name == id_meta:
                _read(&one, node)
                value = one.values[ITEMPROP]
                if value != NULL and value.length == 4 and begins(value.data, 4, b"name"):
                    return _decoded(one.values[CONTENT], VALUE)
        node = following(node, root, True)
    return ""


cdef list read_facts(facts_t* facts):
    """Returns what was noted, while its tree is there, as `tables.Fact` has it: (kind, names, value), without elements
    whose names are not read."""
    cdef size_t i
    cdef noted_t* one
    cdef noted_t further
    cdef str_t* value
    cdef node_t* trail = NULL
    found = []
    for i in range(facts.n):
        one = &facts.noted[i]
        if (one.kind == TIME or one.values[ITEMPROP] != NULL or one.values[AUTHORED] != NULL) and (
            _is_of_others(one.node)
        ):
            continue
        if one.kind == META:
            if names := _read_of(_joined(one, NAME, PROPERTY, ITEMPROP, HTTP_EQUIV)):
                most = VALUE if _RIGHTS.isdisjoint(names.split()) else 0
                found.append(("meta", names, _decoded(one.values[CONTENT], most)))
        elif one.kind == LINK:
            if names := _read_of(_decoded(one.values[REL], VALUE)):
                found.append(("link", names, _decoded(one.values[HREF], VALUE)))
        elif one.kind == DATA:
            if one.node.first_child != NULL and one.node.first_child.type == TEXT_NODE:
                value = &(<text_node_t*> one.node.first_child).data
                if value.length <= SCRIPT:
                    found.append(("data", "", _decoded(value, SCRIPT)))
        elif one.kind == TIME:
            shown = _decoded(one.values[DATETIME], VALUE) or _text(one.node, TEXT)
            found.append(("time", _joined(one, ITEMPROP, PROPERTY, CLASS), shown))
        elif one.kind == ITEM:
            names = _read_of(_decoded(one.values[ITEMPROP], VALUE) or _decoded(one.values[PROPERTY], VALUE))
            if not names:
                continue
            if names == "itemlistelement":
                # lists of products have such items, too; of several trails, the first one counts
                if not _is_of_path(one.node.parent) or trail != NULL and one.node.parent != trail:
                    continue
                trail = one.node.parent
            value = one.values[CONTENT]
            if value == NULL:
                value = one.values[DATETIME]
            if value == NULL:
                value = one.values[SRC] if one.node.local_name == id_img else NULL
            shown = _decoded(value, VALUE) if value != NULL else _text(one.node, TEXT)
            found.append(("item", names, shown if shown and not shown.isspace() else _named(one.node)))
        elif one.kind == AUTHOR:
            shown = _decoded(one.values[AUTHORED], VALUE) or _text(one.node, TEXT)
            found.append(("author", _joined(one, REL, CLASS), shown))
        else:
            found.append(("licence", "", _decoded(one.values[HREF], VALUE)))
    cdef node_t* node = facts.noted[MOST - 1].node if facts.n == MOST else NULL
    while node != NULL:
        node = following(node, NULL, True)
        if node != NULL and node.local_name == id_meta and node.type == ELEMENT_NODE:
            _read(&further, node)
            names = _read_of(_joined(&further, NAME, PROPERTY, ITEMPROP, HTTP_EQUIV))
            if not _RIGHTS.isdisjoint(names.split()):
                found.append(("meta", names, _decoded(further.values[CONTENT], 0)))
    return found


# --------------------------------------------------------------------------------------------------

cdef bint _learn() except -1:
    """Reads the ids of tags and attributes from small documents, as `_nodes` does."""
    cdef uintptr_t address
    cdef attr_t* attr
    global id_meta, id_link, id_script, id_style, id_time, id_a, id_img
    memset(codes, 0, sizeof(codes))
    for code, name in enumerate(ATTRIBUTES, 1):
        parser = LexborHTMLParser(f"<b {name}=x></b>")
        address = parser.root.css_first("b").mem_id
        attr = (<element_node_t*> address).first_attr
        if attr.node.local_name < KNOWN_TAGS:
            codes[attr.node.local_name] = <uint8_t> code
        elif _code(attr.node.local_name) != code:
            return False
    ids = []
    for name in ("meta", "link", "script", "style", "time", "a", "img"):
        parser = LexborHTMLParser(f"<{name}></{name}>")
        ids.append(parser.root.css_first(name).tag_id)
    id_meta, id_link, id_script, id_style, id_time, id_a, id_img = ids
    return True


if LAYOUT_PROVED and not _learn():
    raise ImportError("selectolax names attributes in another way than is expected")
