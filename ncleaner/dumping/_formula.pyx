"""Recognizes formulas by their classes, and writes formulas and the readings of <ruby> into the line.

A formula is written once, as its TeX source without delimiters: with `$` around formulas, a corpus would have two kinds
of dollar signs, and a formula without TeX would be marked as something that it is not. Without TeX, the leaves of the
MathML are written in a line (`_linear`): `a = b + c`, `sin x`, `x^2/2`. Its elements are noted for those who write TeX
(markup/mathml.py).

The readings of <ruby> follow its whole text in brackets, 漢字(かんじ), also if the page has a reading for each
character: words stay whole for a search and for segmentation.
"""

from libc.stdint cimport uint32_t, uintptr_t
from libc.string cimport memcmp, strlen

from ncleaner.document._marks cimport MARK_FORMULA, MARK_FORMULA_END, MARK_TREE, add_mark, add_text_mark, lengthen_mark
from ncleaner.document._tags cimport ROLE_LEFT_OUT
from ncleaner.dumping._builder cimport add_space, add_text
from ncleaner.dumping._spaces cimport last_written
from ncleaner.parsing._cues cimport is_one_of
from ncleaner.parsing._nodes cimport id_annotation_xml, meaning_of
from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, name_t, node_t, str_t, text_node_t,
)
from ncleaner.text._ascii cimport fill_words, find_any, words_t
from ncleaner.text._letters cimport NO_LETTER, UNCASED, decode_utf8, is_white, letter_case

from ncleaner.parsing._nodes import TAG_NAMES

cdef enum:
    NAMES = 16
    LONGEST_TREE = 50_000    # bytes; longer formulas are written as plain text
    LONGEST_NAME = 16
    KNOWN_NAMES = 7

# The first name in a class attribute, and what it says. A name that ends in `*` stands for all that begin like it.
cdef const char** CLASSES = [
    b"MathJax", b"MathJax_CHTML", b"MathJax_SVG", b"mjx-chtml", b"MathJax_Preview", b"katex-html",
    b"mwe-math-mathml-*", b"mwe-math-fallback-image-*", b"tex", b"latex", b"MathJax_PHTML", b"math", b"math-tex",
    b"js-inline-math", b"js-display-math", b"language-math",
]
cdef int* MEANINGS = [
    FORMULA_RENDERED, FORMULA_RENDERED, FORMULA_RENDERED, FORMULA_RENDERED, FORMULA_PREVIEW, FORMULA_COPY,
    FORMULA_SOURCE, FORMULA_IMAGE, FORMULA_IMAGE, FORMULA_IMAGE, FORMULA_RENDERED, FORMULA_TEXT,
    FORMULA_TEXT, FORMULA_TEXT, FORMULA_TEXT, FORMULA_TEXT,
]


# Elements of MathML whose names Lexbor knows, and their ids; other names are in the tree.
cdef const char** FORMULA_TAGS = [b"math", b"mi", b"mo", b"mn", b"ms", b"mtext", b"mfenced"]
cdef uintptr_t formula_ids[KNOWN_NAMES]
# Attributes that change what a formula says.
cdef const char** SAYING = [b"open", b"close", b"separators", b"mathvariant", b"linethickness", b"width", NULL]


cdef int formula_class(const unsigned char* name, size_t length) noexcept nogil:
    """Returns what a class attribute says about formulas (FORMULA_…), from its first name."""
    cdef size_t n = 0, size
    cdef int i
    while n < length and not is_white(name[n]):
        n += 1
    for i in range(NAMES):
        size = strlen(CLASSES[i])
        if CLASSES[i][size - 1] == c'*':
            if n >= size and memcmp(name, CLASSES[i], size - 1) == 0:
                return MEANINGS[i]
        elif n == size and memcmp(name, CLASSES[i], size) == 0:
            return MEANINGS[i]
    return NO_FORMULA


cdef bint says_tex(const unsigned char* text, size_t length) noexcept nogil:
    """Returns whether text that may be TeX has a command, a script, a group or an equation."""
    cdef size_t i
    for i in range(length):
        if text[i] == c"\\" or text[i] == c"^" or text[i] == c"_" or text[i] == c"=" or text[i] == c"{":
            return True
    return False


cdef bint is_delimited(const unsigned char* text, size_t length) noexcept nogil:
    """Returns whether a text is as a whole TeX in its delimiters."""
    cdef const unsigned char* end = text + length
    strip(&text, &end)
    return _strip_pair(&text, &end, b"$", b"$") or _strip_pair(&text, &end, b"\\(", b"\\)") \
        or _strip_pair(&text, &end, b"\\[", b"\\]")


# Parts of a class beside `math` that say that an element is a formula, not a text about mathematics.
cdef words_t OF_FORMULA
fill_words(&OF_FORMULA, (b"inline", b"display", b"language-"))


cdef bint is_tex(
    const unsigned char* text, size_t length, const unsigned char* class_, size_t class_length
) noexcept nogil:
    """Returns whether the text of an element with the class `math` or the like is TeX, perhaps in delimiters."""
    cdef size_t i
    if is_delimited(text, length) or find_any(class_, class_length, &OF_FORMULA):
        return True
    for i in range(length):
        if text[i] == c"\\" or text[i] == c"^":
            return True
    return False


# Services and programs that draw formulas.
cdef words_t SERVICES
fill_words(&SERVICES, (
    b"latex.php?latex=", b"codecogs.com/", b"equation?tex=", b"math?tex=", b"cht=tx", b"ql-cache/", b"_images/math/",
))


cdef bint is_of_formula(const unsigned char* address, size_t length) noexcept nogil:
    """Returns whether the address of an image says that it shows a formula."""
    return find_any(address, length, &SERVICES)


cdef bint is_tex_type(const unsigned char* type_, size_t length) noexcept nogil:
    """Returns whether the type of a script says that it is TeX: `math/tex`, perhaps with parameters."""
    return length >= 8 and memcmp(type_, b"math/tex", 8) == 0


cdef void strip(const unsigned char** start, const unsigned char** end) noexcept nogil:
    """Leaves out white space on both sides of a text."""
    while start[0] < end[0] and is_white(start[0][0]):
        start[0] += 1
    while start[0] < end[0] and is_white((end[0] - 1)[0]):
        end[0] -= 1


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

    `display` says that it stands on a line of its own, which its delimiters can say, too."""
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
        _strip_pair(&tex, &end, b"\\displaystyle ", b"")
    if tex < end:
        if b.marking:
            add_mark(b, MARK_FORMULA, display)
        add_text(b, tex, <size_t> (end - tex))
        if b.marking:
            add_mark(b, MARK_FORMULA_END, 0)


cdef void _know_tags():
    """Reads the ids of elements whose names Lexbor knows; another Lexbor may have shown none (`_nodes`)."""
    ids = {name: number for number, name in TAG_NAMES.items()}
    for i in range(KNOWN_NAMES):
        formula_ids[i] = ids.get((<bytes> FORMULA_TAGS[i]).decode(), 0)

_know_tags()


cdef bint has_tag(const node_t* node, int number) noexcept nogil:
    """Returns whether an element has a name of formulas that Lexbor knows, as a number in FORMULA_TAGS."""
    return node.local_name == formula_ids[number] and node.local_name != 0


cdef const str_t* stated(const node_t* node, const char* name) noexcept nogil:
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


cdef void _put_name(builder_t* b, const node_t* node) noexcept nogil:
    """Writes the name of an element; one that is not of formulas has that of a row."""
    cdef const name_t* entry = <const name_t*> node.local_name
    cdef size_t i
    if node.local_name < KNOWN_TAGS:
        for i in range(KNOWN_NAMES):
            if node.local_name == formula_ids[i]:
                lengthen_mark(b, <const unsigned char*> FORMULA_TAGS[i], strlen(FORMULA_TAGS[i]))
                return
    elif entry.length <= LONGEST_NAME and entry.short_name[0] == c"m":
        i = 1
        while i < entry.length and (c"a" <= entry.short_name[i] <= c"z" or entry.short_name[i] == c"-"):
            i += 1
        if i == entry.length:
            lengthen_mark(b, entry.short_name, entry.length)
            return
    lengthen_mark(b, b"mrow", 4)


cdef void _put_xml(builder_t* b, const str_t* text) noexcept nogil:
    """Writes text as XML."""
    cdef size_t i
    cdef unsigned char c
    for i in range(text.length):
        c = text.data[i]
        if c == c"&":
            lengthen_mark(b, b"&amp;", 5)
        elif c == c"<":
            lengthen_mark(b, b"&lt;", 4)
        elif c == c'"':
            lengthen_mark(b, b"&quot;", 6)
        elif c < 32:
            lengthen_mark(b, b" ", 1)
        else:
            lengthen_mark(b, text.data + i, 1)


cdef void _put_tag(builder_t* b, const node_t* node) noexcept nogil:
    """Writes the start tag of an element."""
    cdef const element_node_t* element = <const element_node_t*> node
    cdef const attr_t* attr = element.first_attr
    cdef const name_t* name
    lengthen_mark(b, b"<", 1)
    _put_name(b, node)
    while attr != NULL:
        name = <const name_t*> attr.node.local_name
        if attr.value != NULL and attr.value.length <= LONGEST_NAME and attr.node.local_name >= KNOWN_TAGS \
                and name.length <= LONGEST_NAME and is_one_of(name.short_name, name.length, SAYING):
            lengthen_mark(b, b" ", 1)
            lengthen_mark(b, name.short_name, name.length)
            lengthen_mark(b, b'="', 2)
            _put_xml(b, attr.value)
            lengthen_mark(b, b'"', 1)
        attr = attr.next
    lengthen_mark(b, b">", 1)


cdef void _put_end(builder_t* b, const node_t* node) noexcept nogil:
    if node.type == ELEMENT_NODE:
        lengthen_mark(b, b"</", 2)
        _put_name(b, node)
        lengthen_mark(b, b">", 1)


cdef bint is_apart_from_formula(node_t* node) noexcept nogil:
    """Returns whether a node of a formula is no part of it: its other forms, scripts, styles and the like."""
    if node.type != ELEMENT_NODE:
        return False
    if node.local_name >= KNOWN_TAGS:
        return is_named(node, b"annotation")
    return node.local_name == id_annotation_xml or meaning_of(node).role == ROLE_LEFT_OUT


cdef void mark_tree(builder_t* b, node_t* root) noexcept nogil:
    """Notes the elements of a formula; those of one that is too long are not noted."""
    cdef node_t* node = root
    cdef size_t began = b.n_values
    add_text_mark(b, MARK_TREE, b"", 0)
    while not b.no_memory:
        if b.n_values - began > LONGEST_TREE:
            b.n_values = began
            b.marks[b.n_marks - 1].length = 0
            return
        if node.type == ELEMENT_NODE:
            _put_tag(b, node)
            if node.first_child != NULL and not is_apart_from_formula(node):
                node = node.first_child
                continue
        elif node.type == TEXT_NODE:
            _put_xml(b, &(<const text_node_t*> node).data)
        _put_end(b, node)
        while node != root and node.next == NULL:
            node = node.parent
            _put_end(b, node)
        if node == root:
            return
        node = node.next


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
