"""Recognizes formulas by their classes, and writes formulas and the readings of <ruby> into the line.

A formula is written once, as its TeX source without delimiters: with `$` around formulas, a corpus would have two kinds
of dollar signs. Without TeX, that of its MathML is written (`mathml`). What cannot be read is `[formula]`.

The readings of <ruby> follow its whole text in brackets, 漢字(かんじ), also if the page has a reading for each
character: words stay whole for a search and for segmentation.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcmp, memset, strlen

from ncleaner.document._marks cimport MARK_FORMULA, MARK_FORMULA_END, add_mark
from ncleaner.document._tags cimport ROLE_LEFT_OUT
from ncleaner.dumping._builder cimport add_space, add_text
from ncleaner.dumping._spaces cimport last_written
from ncleaner.parsing._cues cimport OF_CLASS
from ncleaner.parsing._nodes cimport id_annotation_xml, meaning_of, value_of
from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, name_t, node_t, str_t, text_node_t,
)
from ncleaner.text._ascii cimport fill_words, find_any, table_of, words_t
from ncleaner.text._letters cimport NO_LETTER, UNCASED, decode_utf8, is_white, letter_case, strip

import re
from urllib.parse import unquote

from ncleaner.parsing._nodes import TAG_NAMES
from ncleaner.text.wordlists import word_lists

cdef enum:
    LONGEST_NAME = 16

# What the first name in a class attribute says.
cdef int* MEANINGS = [
    FORMULA_RENDERED, FORMULA_PREVIEW, FORMULA_COPY, FORMULA_SOURCE, FORMULA_IMAGE, FORMULA_TEXT,
]
SAYINGS = (
    "shown, as written", "preview, as written", "copy, as written", "source, as written", "image, as written",
    "text, as written",
)
# `formulas.txt` says what these are, and how to add one.
WORDS = word_lists("dumping/formulas", *SAYINGS, "beside math", "drawn")
cdef const char** CLASSES[6]


cdef int _fill_classes() except -1:
    cdef int k
    for k in range(6):
        CLASSES[k] = table_of(WORDS[SAYINGS[k]])
        for word in WORDS[SAYINGS[k]]:
            begins_formula[<int> word.encode()[0]] = True
    return 0

memset(begins_formula, 0, sizeof(begins_formula))
_fill_classes()


# Attributes that change what a formula says.
SAYING = (b"open", b"close", b"separators", b"mathvariant", b"linethickness", b"width")


cdef int formula_class(const unsigned char* name, size_t length) noexcept nogil:
    """Returns what a class attribute says about formulas (FORMULA_…), from its first name."""
    cdef size_t n = 0, size
    cdef const char** each
    cdef int i
    while n < length and not is_white(name[n]):
        n += 1
    for i in range(6):
        each = CLASSES[i]
        while each[0] != NULL:
            size = strlen(each[0])
            if memcmp(name, each[0], size - 1) == 0 if each[0][size - 1] == c'*' and n >= size else \
                    n == size and memcmp(name, each[0], size) == 0:
                return MEANINGS[i]
            each += 1
    return NO_FORMULA


cdef bint says_tex(const unsigned char* text, size_t length) noexcept nogil:
    """Returns whether text that may be TeX has a command, a script, a group or an equation."""
    cdef size_t i
    for i in range(length):
        if text[i] == c"\\" or text[i] == c"^" or text[i] == c"_" or text[i] == c"=" or text[i] == c"{":
            return True
    return False


cdef words_t OF_FORMULA
fill_words(&OF_FORMULA, WORDS["beside math"])


cdef bint is_tex(
    const unsigned char* text, size_t length, const unsigned char* class_, size_t class_length
) noexcept nogil:
    """Returns whether the text of an element with the class `math` or the like is TeX, perhaps in delimiters."""
    cdef const unsigned char* first = text
    cdef const unsigned char* end = text + length
    cdef size_t i
    strip(&first, &end)
    if _strip_pair(&first, &end, b"$", b"$") or _strip_pair(&first, &end, b"\\(", b"\\)") \
            or _strip_pair(&first, &end, b"\\[", b"\\]") or find_any(class_, class_length, &OF_FORMULA):
        return True
    for i in range(length):
        if text[i] == c"\\" or text[i] == c"^":
            return True
    return False


cdef words_t SERVICES
fill_words(&SERVICES, WORDS["drawn"])


cdef bint is_of_formula(const unsigned char* address, size_t length) noexcept nogil:
    """Returns whether the address of an image says that it shows a formula."""
    return find_any(address, length, &SERVICES)


cdef inline bint _strip_pair(
    const unsigned char** start, const unsigned char** end, const char* opening, const char* closing
) noexcept nogil:
    cdef size_t n = strlen(opening), m = strlen(closing)
    if <size_t> (end[0] - start[0]) < n + m or memcmp(start[0], opening, n) or memcmp(end[0] - m, closing, m):
        return False
    start[0] += n
    end[0] -= m
    strip(start, end)
    return True


cdef void add_tex(builder_t* b, const unsigned char* tex, size_t length, bint display) noexcept nogil:
    """Writes the TeX source of a formula, without delimiters and without the style that a converter puts around it.

    `display` says that it is on a line of its own, which its delimiters can say, too."""
    cdef const unsigned char* end = tex + length
    strip(&tex, &end)
    # as kramdown writes it
    _strip_pair(&tex, &end, b"% <![CDATA[", b"%]]>")
    if _strip_pair(&tex, &end, b"$$", b"$$") or _strip_pair(&tex, &end, b"\\[", b"\\]"):
        display = True
    elif not (
        _strip_pair(&tex, &end, b"$", b"$") or _strip_pair(&tex, &end, b"\\(", b"\\)")
        or _strip_pair(&tex, &end, b"{\\displaystyle ", b"}") or _strip_pair(&tex, &end, b"{\\textstyle ", b"}")
    ):
        _strip_pair(&tex, &end, b"\\displaystyle", b"")
    if tex < end:
        if b.marking:
            add_mark(b, MARK_FORMULA, display)
        add_text(b, tex, <size_t> (end - tex))
        if b.marking:
            add_mark(b, MARK_FORMULA_END, 0)


cdef const str_t* _stated(const node_t* node, const char* name) noexcept nogil:
    """Returns the value of an attribute whose name Lexbor does not know, or NULL."""
    cdef const attr_t* attr = (<const element_node_t*> node).first_attr
    cdef const name_t* entry
    while attr != NULL:
        entry = <const name_t*> attr.node.local_name
        if attr.node.local_name >= KNOWN_TAGS and entry.length == strlen(name) and entry.length <= LONGEST_NAME \
                and memcmp(entry.short_name, name, entry.length) == 0:
            return attr.value
        attr = attr.next
    return NULL


cdef bint is_named(const node_t* node, const char* name) noexcept nogil:
    """Returns whether an element has a name that Lexbor does not know, of at most 16 bytes."""
    cdef const name_t* entry = <const name_t*> node.local_name
    return node.type == ELEMENT_NODE and node.local_name >= KNOWN_TAGS and entry.length == strlen(name) \
        and memcmp(entry.short_name, name, entry.length) == 0


cdef bint _is_apart(node_t* node) noexcept nogil:
    """Returns whether a node of a formula is no part of it: its other forms, scripts, styles and the like."""
    if node.type != ELEMENT_NODE:
        return False
    if node.local_name >= KNOWN_TAGS:
        return is_named(node, b"annotation")
    return node.local_name == id_annotation_xml or meaning_of(node).role == ROLE_LEFT_OUT


cdef str _name_of(const node_t* node):
    """The name of an element of formulas; other names are of no use."""
    cdef const name_t* entry = <const name_t*> node.local_name
    if node.local_name < KNOWN_TAGS:
        return TAG_NAMES.get(node.local_name, "")
    return entry.short_name[:entry.length].decode("utf-8", "replace") if entry.length <= LONGEST_NAME else ""


cdef str _glyph(const str_t* class_):
    """Returns the character of an <mjx-c>, which its class has as a number: `mjx-c1D465 TEX-I`."""
    found = re.match(rb"mjx-c([0-9A-F]{2,5})\b", class_.data[: class_.length]) if class_ != NULL else None
    return chr(int(found[1], 16)) if found else ""


cdef object _tree(node_t* root):
    """Returns a formula as an `xml.etree.ElementTree.Element`."""
    cdef node_t* node = root
    cdef const str_t* text
    from xml.etree.ElementTree import TreeBuilder  # few pages show formulas
    tree = TreeBuilder()
    while True:
        if node.type == ELEMENT_NODE:
            said = {}
            for name in SAYING:
                text = _stated(node, name)
                if text != NULL and text.length <= LONGEST_NAME:
                    said[name.decode()] = text.data[:text.length].decode("utf-8", "replace")
            tree.start(_name_of(node), said)
            if node.first_child == NULL and is_named(node, b"mjx-c"):
                tree.data(_glyph(value_of(node, OF_CLASS)))
            if node.first_child != NULL and not _is_apart(node):
                node = node.first_child
                continue
            tree.end(_name_of(node))
        elif node.type == TEXT_NODE:
            text = &(<const text_node_t*> node).data
            tree.data(text.data[:text.length].decode("utf-8", "replace"))
        while node != root and node.next == NULL:
            node = node.parent
            tree.end(_name_of(node))
        if node == root:
            return tree.close()
        node = node.next


cdef int add_math(builder_t* b, node_t* math, bint display) except -1:
    """Writes the TeX of a <math> or <mjx-math> without its own."""
    from ncleaner.dumping.mathml import tex_of  # few pages show formulas
    cdef bytes tex = tex_of(_tree(math)).encode()
    add_tex(b, tex, len(tex), display)
    return 0


cdef void add_unread(builder_t* b) noexcept nogil:
    """Writes that there is a formula which cannot be read."""
    add_space(b)
    add_text(b, b"[formula]", 9)


cdef int add_drawn(builder_t* b, const str_t* source) except -1:
    """Writes a formula that a service draws: the TeX in its address."""
    address = unquote(source.data[: source.length].decode("utf-8", "replace"))
    found = re.search(r"(?:latex|tex|chl)=([^&]+)|\.(?:latex|image|gif|png|svg)\?([^&]+)", address)
    cdef bytes tex = (found[1] or found[2]).encode() if found else b""
    if tex:
        add_tex(b, tex, len(tex), False)
    else:
        add_unread(b)
    return 0


cdef inline void _drop_space(builder_t* b) noexcept nogil:
    """Removes the white space at the end of the open segment."""
    if b.open:
        b.text_len = b.mark
        b.space = False


cdef bint add_reading(
    builder_t* b, const unsigned char* data, size_t length, bint open_, bint apart
) noexcept nogil:
    """Writes the text of an <rt> in brackets. Returns whether the bracket is open now, for the next call.

    `apart` says that the text begins another <rt>: readings in an alphabet with case are then words."""
    cdef const unsigned char* start = data
    cdef const unsigned char* end = data + length
    cdef uint32_t code
    strip(&start, &end)
    if start == end:
        if open_ and not apart:
            add_space(b)
        return open_
    if open_ and not apart:
        add_text(b, data, length)
        return True
    length -= <size_t> (start - data)
    if not open_:
        add_text(b, b"(", 1)
    else:
        _drop_space(b)
        decode_utf8(start, length, &code)
        if letter_case(code) != UNCASED and letter_case(code) != NO_LETTER \
                and letter_case(last_written(b, 0)) != UNCASED:
            add_space(b)
    add_text(b, start, length)
    return True


cdef void end_readings(builder_t* b) noexcept nogil:
    _drop_space(b)
    add_text(b, b")", 1)
