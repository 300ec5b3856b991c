"""Writes MathML, and the elements that MathJax shows in its place, in a line: `x = (−b ± √(b^2 − 4ac))/(2a)`.

A page has one <math> for two dimensions; without the signs for powers, indices, roots and brackets, its leaves in a row
say another formula: b2 − 4ac/2a. The signs are those of Unicode's linear form of mathematics (Unicode Technical Note
28): `^` and `_` before what stands above and below, `/`, `√`, and brackets around what has several parts. Cells of a
matrix are apart by a space, and its rows by a semicolon.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcmp, strlen

from ncleaner.dumping._builder cimport add_space, add_text
from ncleaner.dumping._formula cimport MFENCED, MI, MO, has_tag, is_apart_from_formula, stated, strip
from ncleaner.dumping._spaces cimport last_written
from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, following, name_t, node_t, str_t, text_node_t,
)
from ncleaner.text._letters cimport decode_utf8, is_white

cdef enum:
    DEEPEST = 100   # what is deeper is written without signs
    NEAR = 50       # most nodes among which a part is searched
    PARTS = 3       # most parts of an element: base, below, above
    NAMES = 17

# What an element says of its parts.
cdef enum kind_t:
    ROW             # nothing
    LEAF            # a name, a number, an operator or words
    LEFT_OUT
    FRACTION
    SUB
    SUP
    SUBSUP
    UNDER
    OVER
    UNDEROVER
    SQUARE_ROOT
    NTH_ROOT
    TABLE_ROW
    CELL
    FENCED

# Names without MathJax's `mjx-`. Lexbor knows those of <mi>, <mo>, <mn>, <ms> and <mtext>, which are leaves without
# elements inside; MathJax shows each letter of a leaf in an element of its own.
cdef const char** ELEMENT_NAMES = [
    b"mfrac", b"msub", b"msup", b"msubsup", b"munder", b"mover", b"munderover", b"msqrt", b"mroot", b"mtr",
    b"mlabeledtr", b"mtd", b"mi", b"mo", b"mn", b"ms", b"mtext",
]
cdef kind_t* NAMED = [
    FRACTION, SUB, SUP, SUBSUP, UNDER, OVER, UNDEROVER, SQUARE_ROOT, NTH_ROOT, TABLE_ROW,
    TABLE_ROW, CELL, LEAF, LEAF, LEAF, LEAF, LEAF,
]
# Elements in which MathJax puts the parts of others.
cdef const char** WRAPPERS = [b"frac", b"dbox", b"dtable", b"row", b"box", b"sqrt", b"munder", b"base", NULL]

cdef struct formula_t:
    builder_t* b
    size_t start    # end of the text (`mark`) before the formula
    size_t apart    # end of the text behind which a letter or a digit needs a space, or 0


cdef bint _is_mathjax(const node_t* node) noexcept nogil:
    cdef const name_t* entry = <const name_t*> node.local_name
    return node.local_name >= KNOWN_TAGS and 4 < entry.length <= 16 and memcmp(entry.short_name, b"mjx-", 4) == 0


cdef bint _has_name(const node_t* node, const char* name) noexcept nogil:
    """Returns whether an element has a name that Lexbor does not know, with or without `mjx-`."""
    cdef const name_t* entry = <const name_t*> node.local_name
    cdef size_t skip
    if node.type != ELEMENT_NODE or node.local_name < KNOWN_TAGS or entry.length > 16:
        return False
    skip = 4 if _is_mathjax(node) else 0
    return entry.length - skip == strlen(name) and memcmp(entry.short_name + skip, name, strlen(name)) == 0


cdef kind_t _kind_of(node_t* node) noexcept nogil:
    cdef node_t* child = node.first_child
    cdef int i
    if is_apart_from_formula(node):
        return LEFT_OUT
    if node.local_name >= KNOWN_TAGS:
        for i in range(NAMES):
            if _has_name(node, ELEMENT_NAMES[i]):
                return NAMED[i]
    elif has_tag(node, MFENCED):
        return FENCED
    while child != NULL:
        if child.type == ELEMENT_NODE and not is_apart_from_formula(child):
            return ROW
        child = child.next
    return LEAF


cdef node_t* _child(const node_t* node, int number) noexcept nogil:
    """Returns the element of this number in another, or NULL."""
    cdef node_t* child = node.first_child
    while child != NULL:
        if child.type == ELEMENT_NODE:
            if number == 0:
                return child
            number -= 1
        child = child.next
    return NULL


cdef node_t* _within(node_t* root, const char* name) noexcept nogil:
    """Returns what MathJax shows as this part of an element, or NULL."""
    cdef node_t* node = root.first_child
    cdef const char** wrapper
    cdef bint into
    cdef int left = NEAR
    while node != NULL and left:
        left -= 1
        into = False
        if node.type == ELEMENT_NODE:
            if _has_name(node, name):
                return node
            wrapper = WRAPPERS
            while wrapper[0] != NULL and not into:
                into = _has_name(node, wrapper[0])
                wrapper += 1
        node = following(node, root, into)
    return NULL


cdef void _find_parts(node_t* node, kind_t kind, node_t** part) noexcept nogil:
    """Finds the parts of an element, NULL for none: base, what is below, and above; or both of a fraction or root."""
    cdef node_t* script
    cdef int i, below = kind == SUB or kind == SUBSUP or kind == UNDER or kind == UNDEROVER
    for i in range(PARTS):
        part[i] = NULL
    if not _is_mathjax(node):
        part[0] = node if kind == SQUARE_ROOT else _child(node, 0)
        part[1 if below or kind == FRACTION or kind == NTH_ROOT else 2] = _child(node, 1)
        if kind == SUBSUP or kind == UNDEROVER:
            part[2] = _child(node, 2)
    elif kind == FRACTION:
        part[0], part[1] = _within(node, b"num"), _within(node, b"den")
    elif kind == SQUARE_ROOT or kind == NTH_ROOT:
        part[0], part[1] = _within(node, b"box"), _within(node, b"root")
    else:
        part[0] = _within(node, b"base")
        if part[0] == NULL:
            part[0] = _child(node, 0)
        script = _within(node, b"script")
        if script == NULL:
            part[1], part[2] = _within(node, b"under"), _within(node, b"over")
        elif kind == SUBSUP or kind == UNDEROVER:
            # the upper one first, and an element that is only space
            part[2], part[1] = _child(script, 0), _child(script, 2)
        else:
            part[1 if below else 2] = script


cdef uint32_t _first_sign(node_t* root) noexcept nogil:
    """Returns the first character in an element that is not white space, or 0."""
    cdef node_t* node = root
    cdef const str_t* text
    cdef uint32_t code = 0
    cdef size_t i
    while node != NULL:
        if node.type == TEXT_NODE:
            text = &(<text_node_t*> node).data
            for i in range(text.length):
                if not is_white(text.data[i]):
                    decode_utf8(text.data + i, text.length - i, &code)
                    return code
        node = following(node, root, not is_apart_from_formula(node))
    return 0


cdef bint _is_operator(const node_t* leaf) noexcept nogil:
    return has_tag(leaf, MO) or _has_name(leaf, b"mo")


cdef bint _is_mark(node_t* node) noexcept nogil:
    """Returns whether what stands above is a sign that stands there without `^`: a prime or degrees."""
    cdef uint32_t code
    if not _is_operator(node):
        return False
    code = _first_sign(node)
    return code == c"'" or code == 0xB0 or 0x2032 <= code <= 0x2037 or code == 0x2057


cdef int _bracket(node_t* node) noexcept nogil:
    """Returns 1 for an operator that opens a bracket, 2 for one that closes it, 3 for a line that may do both."""
    cdef uint32_t code
    if not _is_operator(node):
        return 0
    code = _first_sign(node)
    if code == c"|" or code == 0x2016 or code == 0x2225:
        return 3
    if code == c"(" or code == c"[" or code == c"{" or code == 0x27E8 or code == 0x2308 or code == 0x230A:
        return 1
    if code == c")" or code == c"]" or code == c"}" or code == 0x27E9 or code == 0x2309 or code == 0x230B:
        return 2
    return 0


cdef bint _stands_alone(node_t* node, bint with_scripts, bint is_row) noexcept nogil:
    """Returns whether a part needs no brackets: a leaf, what has brackets; `with_scripts`, one with scripts.

    `is_row` says that only what is in the element counts."""
    cdef kind_t kind
    cdef node_t* child
    cdef node_t* last
    cdef int n, brackets, opening
    while True:
        kind = ROW if is_row else _kind_of(node)
        is_row = False
        if kind == LEAF or kind == FENCED:
            return True
        if kind != ROW:
            return with_scripts and kind != FRACTION and kind != NTH_ROOT
        n = brackets = opening = 0
        last = NULL
        child = node.first_child
        while child != NULL:
            # space and the like has nothing inside
            if child.type == ELEMENT_NODE and child.first_child != NULL:
                if n == 0:
                    opening = _bracket(child)
                brackets += _bracket(child) > 0
                last = child
                n += 1
            child = child.next
        if n != 1:
            return n == 0 or brackets == 2 and opening & 1 and _bracket(last) & 2
        node = last


cdef bint _is_relation(uint32_t code) noexcept nogil:
    """Returns whether an operator has a space on either side: = < + ± ∈ → and similar ones."""
    return (
        code == c'=' or code == c'<' or code == c'>' or code == c'+' or code == c'-' or code == 0xB1 or code == 0xD7
        or code == 0xF7 or 0x2190 <= code <= 0x21FF or 0x2208 <= code <= 0x220D or code == 0x2212 or code == 0x2213
        or 0x2227 <= code <= 0x222A or 0x223C <= code <= 0x228B or 0x2295 <= code <= 0x22A5 or 0x22C4 <= code <= 0x22FF
    )


cdef bint _is_opening(uint32_t code) noexcept nogil:
    """Returns whether an operator behind this character is a sign."""
    return code == c'(' or code == c'[' or code == c'{' or code == c',' or code == c'^' or code == c'_' \
        or code == c'/' or code == 0x221A or _is_relation(code)


cdef bint _is_word(uint32_t code) noexcept nogil:
    """Returns whether a character is a letter or a digit, or an operator that is read as a word: ∑ or √."""
    return c'0' <= code <= c'9' or c'a' <= code | 32 <= c'z' or 0x220F <= code <= 0x2211 or code == 0x221A \
        or 0x222B <= code <= 0x2233 or 0x2100 <= code <= 0x214F \
        or code >= 0xC0 and code != 0xD7 and code != 0xF7 and not 0x2000 <= code <= 0x2BFF


cdef void _put(formula_t* f, const char* sign) noexcept nogil:
    add_text(f.b, <const unsigned char*> sign, strlen(sign))


cdef uint32_t _before(const formula_t* f) noexcept nogil:
    """Returns the last character of the formula so far, or 0."""
    return last_written(f.b, 0) if f.b.open and f.b.mark > f.start else 0


cdef bint _is_joint(const formula_t* f) noexcept nogil:
    """Returns whether a letter or a digit here would seem to belong to the part before it."""
    return f.apart and f.b.mark == f.apart


cdef void _add_operator(formula_t* f, const unsigned char* data, size_t length) noexcept nogil:
    """Writes an operator: a relation or binary one with spaces, a sign at the beginning or behind one without."""
    cdef uint32_t code, before
    decode_utf8(data, length, &code)
    if 0x2061 <= code <= 0x2064:  # invisible operators; the name of a function is apart from its argument
        if code == 0x2061:
            add_space(f.b)
        return
    before = _before(f)
    if _is_relation(code) and before and not _is_opening(before):
        add_space(f.b)
        add_text(f.b, data, length)
        add_space(f.b)
        return
    if _is_joint(f) and _is_word(code):
        add_space(f.b)
    add_text(f.b, data, length)
    if code == c',' or code == c';':
        add_space(f.b)


cdef void _add_leaf(formula_t* f, const str_t* text, bint is_operator, bint is_name) noexcept nogil:
    """Writes the text of a leaf. `is_name` says that it begins a name of several letters, which stands apart."""
    cdef const unsigned char* data = text.data
    cdef const unsigned char* end = data + text.length
    cdef size_t length
    cdef uint32_t code
    strip(&data, &end)
    if data == end:
        return
    length = <size_t> (end - data)
    if is_operator:
        _add_operator(f, data, length)
        return
    decode_utf8(data, length, &code)
    if _is_word(code) and (_is_joint(f) or is_name and _is_word(_before(f))):
        add_space(f.b)
    add_text(f.b, data, length)


cdef bint _is_long(const node_t* leaf) noexcept nogil:
    """Returns whether the name in a leaf, as in <mi>, has several letters."""
    cdef const str_t* text
    cdef uint32_t code
    cdef size_t i = 0
    if _has_name(leaf, b"mi"):
        return _child(leaf, 1) != NULL
    if not has_tag(leaf, MI) or leaf.first_child == NULL or leaf.first_child.type != TEXT_NODE:
        return False
    text = &(<const text_node_t*> leaf.first_child).data
    while i < text.length and is_white(text.data[i]):
        i += 1
    if i == text.length:
        return False
    i += decode_utf8(text.data + i, text.length - i, &code)
    return _is_word(code) and i < text.length and not is_white(text.data[i])


cdef void _write_texts(formula_t* f, node_t* root) noexcept nogil:
    """Writes the texts in an element without signs; those in one leaf are one name or number."""
    cdef node_t* node = root
    cdef bint is_operator = _is_operator(root), is_name = not is_operator and _is_long(root), begun = False
    while node != NULL:
        if node.type == TEXT_NODE:
            _add_leaf(f, &(<text_node_t*> node).data, is_operator or has_tag(node.parent, MO), is_name and not begun)
            begun = True
        node = following(node, root, not is_apart_from_formula(node))
    if is_name:
        f.apart = f.b.mark


cdef void _group(formula_t* f, node_t* node, bint with_scripts, bint is_row, int depth) noexcept nogil:
    """Writes a part, in brackets if it needs them."""
    cdef bint alone = _stands_alone(node, with_scripts, is_row)
    if not alone:
        _put(f, b"(")
    if is_row:
        _write_row(f, node, depth + 1)
    else:
        _write(f, node, depth + 1)
    if not alone:
        _put(f, b")")


cdef void _write_scripts(formula_t* f, kind_t kind, node_t** part, int depth) noexcept nogil:
    """Writes a base, what is below it, and what is above."""
    cdef bint over = kind == UNDER or kind == OVER or kind == UNDEROVER
    cdef int i
    if part[0] != NULL:
        _group(f, part[0], False, False, depth)
    for i in range(1, PARTS):
        if part[i] == NULL or _first_sign(part[i]) == 0:
            continue
        # a line over a letter, an arrow below it
        if not (over and _is_operator(part[i]) or i == 2 and _is_mark(part[i])):
            _put(f, b"_" if i == 1 else b"^")
        _group(f, part[i], False, False, depth)


cdef void _write_row(formula_t* f, node_t* row, int depth) noexcept nogil:
    """Writes what is in an element, one after the other."""
    cdef node_t* child = row.first_child
    cdef kind_t kind
    cdef bint fenced = has_tag(row, MFENCED), begun = False
    while child != NULL:
        if child.type == TEXT_NODE:
            _add_leaf(f, &(<text_node_t*> child).data, False, False)
        elif child.type == ELEMENT_NODE:
            kind = _kind_of(child)
            if begun:
                if kind == TABLE_ROW:
                    _put(f, b"; ")
                elif kind == CELL:
                    add_space(f.b)
                elif fenced:
                    _put(f, b", ")
            _write(f, child, depth)
            begun = True
        child = child.next


cdef void _put_stated(formula_t* f, const node_t* fenced, const char* name, const char* default_) noexcept nogil:
    """Writes the bracket that an element states."""
    cdef const str_t* sign = stated(fenced, name)
    if sign == NULL:
        _put(f, default_)
    else:
        add_text(f.b, sign.data, sign.length)


cdef void _write(formula_t* f, node_t* node, int depth) noexcept nogil:
    cdef kind_t kind = _kind_of(node)
    cdef node_t* part[PARTS]
    cdef const str_t* bar
    cdef size_t begin
    cdef bint stacked
    if kind == LEFT_OUT:
        return
    if kind == LEAF or depth >= DEEPEST:
        _write_texts(f, node)
        return
    if kind == FENCED:
        _put_stated(f, node, b"open", b"(")
        _write_row(f, node, depth + 1)
        _put_stated(f, node, b"close", b")")
        return
    if kind == ROW or kind == TABLE_ROW or kind == CELL:
        _write_row(f, node, depth + 1)
        return
    begin = f.b.mark
    _find_parts(node, kind, part)
    if kind == FRACTION:
        # without a bar it is a binomial coefficient, a column of two
        bar = stated(node, b"linethickness")
        stacked = bar != NULL and bar.length and bar.data[0] == c"0"
        if part[0] != NULL:
            _group(f, part[0], True, False, depth)
        if part[1] != NULL:
            _put(f, b"; " if stacked else b"/")
            _group(f, part[1], True, False, depth)
    elif kind == SQUARE_ROOT or kind == NTH_ROOT:
        if part[0] == NULL or _first_sign(part[0]) == 0:
            return
        if kind == SQUARE_ROOT:
            if _is_joint(f):
                add_space(f.b)
            _put(f, b"\xe2\x88\x9a")  # √
        _group(f, part[0], False, part[0] == node, depth)
        if part[1] != NULL:
            _put(f, b"^(1/")
            _group(f, part[1], False, False, depth)
            _put(f, b")")
    else:
        _write_scripts(f, kind, part, depth)
    if f.b.mark > begin:
        f.apart = f.b.mark


cdef void add_math(builder_t* b, node_t* math) noexcept nogil:
    """Writes the leaves of a <math> or <mjx-math> in a line, with signs for what has two dimensions."""
    cdef formula_t f
    f.b = b
    f.start = b.mark
    f.apart = 0
    _write(&f, math, 0)
