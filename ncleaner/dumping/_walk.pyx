"""HTML tree to Document tables: a walk over Lexbor's node structs (`_nodes`) without the GIL."""

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.document._marks cimport (
    MARK_CODE, MARK_LEVEL, MARK_LINK_END, MARK_REVERSED, MARK_SIDE, MARK_SIDE_NOTE, MARK_STYLE, MARK_STYLE_END,
    MARK_TASK, MARK_VALUE, STYLE_BOLD, STYLE_ITALIC, STYLE_LIGHT, STYLE_UPRIGHT, add_mark,
)
from ncleaner.document._tables cimport CONCEALED, SPECIAL, builder_t, grow
from ncleaner.document._tags cimport (
    CONTEXT_ALT, CONTEXT_BOLD, CONTEXT_CODE, CONTEXT_ITALIC, CONTEXT_LABEL, FORM_ITEM, FORM_PLAIN, FORM_PREFORMATTED,
    ROLE_BLOCK, ROLE_BREAK, ROLE_IMAGE, ROLE_INLINE, ROLE_LEFT_OUT, ROLE_RULE, TAG_A, TAG_ARTICLE, TAG_BLOCKQUOTE,
    TAG_BODY, TAG_CODE, TAG_CUSTOM, TAG_DIALOG, TAG_DIV, TAG_DT, TAG_FIGURE, TAG_FOOTER, TAG_H1, TAG_HTML, TAG_LI,
    TAG_MAIN, TAG_OL, TAG_MATH, TAG_P, TAG_PRE, TAG_TD,
)
from ncleaner.dumping._attributes cimport (
    mark_attribute, mark_callout, mark_picture, mark_script, open_picture, picture_attribute, picture_t,
    says_display, style_of,
)
from ncleaner.dumping._builder cimport (
    Builder, add_break, add_rule, add_space, add_text, close_block, close_inline, end_line, end_segment, open_block,
    open_inline,
)
from ncleaner.dumping._code cimport (
    has_class, is_beside_code, is_code, is_code_block, is_code_box, is_code_label, is_line, is_line_number,
    is_over_code,
)
from ncleaner.dumping._editors cimport add_macro, is_marker, level_in_word, read_kind
from ncleaner.dumping._facts cimport facts_t, note_fact, read_facts
from ncleaner.dumping._formula cimport (
    FORMULA_COPY, FORMULA_IMAGE, FORMULA_PREVIEW, FORMULA_RENDERED, FORMULA_SOURCE, FORMULA_TEXT, NO_FORMULA, add_drawn,
    add_math, add_reading, add_tex, add_unread, end_readings, formula_class, is_named, is_of_formula, is_tex,
    may_be_formula, says_tex,
)
from ncleaner.dumping._panels cimport is_panel, is_row_of_tabs, note_panel, panels_t
from ncleaner.dumping._spaces cimport CLOSED, JOINT_LEVELS, begin_side, is_apart, joint, side_t, widen_side
from ncleaner.parsing._cues cimport (
    NO_ATTRIBUTE, OF_ALT, OF_ALTTEXT, OF_BASE, OF_BLOCK, OF_CHECKED, OF_CLASS, OF_CONTROLS, OF_DISABLED, OF_ENCODING,
    OF_HIDDEN, OF_HREF, OF_ID, OF_LANG, OF_LANGUAGE, OF_MODAL, OF_OPEN, OF_REVERSED, OF_ROLE, OF_SHADOW, OF_SRC,
    OF_STYLE, OF_TEX, OF_TITLE, OF_TYPE, class_conceals, is_one_of, names_overlay, read_class, read_names, style_hash,
    value_at,
)
from ncleaner.parsing._nodes cimport (
    ROLE_TITLE, SHORT_NAME, VOID, attribute_of, attributes, end_tag, id_audio, id_base, id_body,
    id_button, id_html, id_iframe, id_input, id_math, id_rt, id_rtc, id_ruby, id_script, id_source, id_span,
    id_video, is_alone, is_bare_text, meaning_of, meaning_t, own_tags, start_tag, text_of, value_of,
)
from ncleaner.parsing._slots cimport fill_slots
from ncleaner.parsing._structs cimport (
    ELEMENT_NODE, KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, following, name_t, node_t, str_t, text_node_t,
)
from ncleaner.text._ascii cimport begins, begins_any, fill_words, find, find_any, is_letter, table_of, words_t
from ncleaner.text._letters cimport is_blank, is_white, strip

from ncleaner.parsing._cues import CLASSES

# --------------------------------------------------------------------------------------------------
# What attributes say.

cdef str_t NONE
NONE.data = b""
NONE.length = 0


cdef inline const str_t* _value_or_none(node_t* node, int which) noexcept nogil:
    """Returns the value of an attribute, or an empty text."""
    cdef const str_t* value = value_of(node, which)
    return value if value != NULL else &NONE


cdef enum:
    LONGEST_SHOWING = 17     # characters of a declaration that hides, or makes a block
    # What a style says.
    NOT_SHOWN = 1
    SHOWN_APART = 2
cdef const char** HIDES = [b"display:none", b"visibility:hidden", NULL]
cdef const char** PARTS = [b"display:block", b"display:flex", b"display:grid", b"display:table", NULL]
# These hide together: a block that unfolds, and that can be seen through until then.
cdef const char** FLAT = [b"height:0", b"height:0px", b"max-height:0", b"max-height:0px", NULL]


cdef int shown_as(const unsigned char* style, size_t length) noexcept nogil:
    """Returns what a style attribute says of an element: NOT_SHOWN for `display:none`, `visibility:hidden`, or a height
    and an opacity of 0; SHOWN_APART if it is a block; else 0.

    White space and the difference between small and capital letters are ignored. The names of other properties may end
    like these: `--footer-display:none`. The time is linear in `length`."""
    cdef unsigned char[LONGEST_SHOWING + 1] said
    cdef size_t i, n = 0
    cdef unsigned char c
    cdef int found = 0
    # most styles do not have even this letter of all three names
    if length < 12 or memchr(style, c'y', length) == NULL and memchr(style, c'Y', length) == NULL:
        return 0
    for i in range(length + 1):
        c = style[i] if i < length else c';'
        if c == c';' or c == c'!':
            # the end of a value
            if is_one_of(said, n, HIDES):
                return NOT_SHOWN
            found |= (n == 9 and memcmp(said, b"opacity:0", 9) == 0) | is_one_of(said, n, FLAT) << 1 \
                | is_one_of(said, n, PARTS) << 2
            n = 0
        elif not is_white(c) and n <= LONGEST_SHOWING:
            said[n] = c + 32 if c'A' <= c <= c'Z' else c
            n += 1
    return NOT_SHOWN if found & 3 == 3 else SHOWN_APART if found & 4 else 0


cpdef enum Met:
    # What a walk meets: a text node, an element that it enters, its end, an element that it passes as a whole; two
    # text nodes that touch, with a space between them and without one; and the readings of a <ruby>.
    TEXT = 0
    ENTERED = 1
    LEFT = 2
    PASSED = 3
    APART = 4
    TOGETHER = 5
    READINGS = 6

cdef struct met_t:
    uintptr_t node
    size_t what
    size_t start             # end of the text (`mark`) before and after it
    size_t end

cdef struct trace_t:
    met_t* rows
    size_t n
    size_t cap
    bint no_memory


cdef inline void _note(trace_t* trace, const node_t* node, int what, size_t start, size_t end) noexcept nogil:
    """Notes what the walk meets, unless the trace is NULL."""
    if trace != NULL and grow(<void**> &trace.rows, &trace.cap, trace.n + 1, sizeof(met_t), &trace.no_memory):
        trace.rows[trace.n] = met_t(<uintptr_t> node, <size_t> what, start, end)
        trace.n += 1


cdef enum:
    MOST_NOTES = 64          # inside of the text of a block; further ones stay in it
    # What `_enter` has decided about an element that is open, a byte for each: its form (FORM_…), and these bits.
    AS_PART = 16             # an inline element that its style makes a block
    AS_BLOCK = 32
    AS_STYLED = 64           # it has a MARK_STYLE
    AS_PLACE = 128           # a link of a heading that leads to the heading
    OPENED_FORM = 15

cdef struct found_t:         # what the walk finds besides the text
    const unsigned char* title
    size_t title_length
    const unsigned char* lang
    size_t lang_length
    # What the walk remembers.
    node_t* last             # the text node with the last character that is not white space; NULL after a formula
    size_t formula           # end of the text (`mark`) after the last formula, or 0
    size_t rubies            # number of open <ruby>
    bint alt_text            # the alternative texts of images are text
    bint no_readings         # the readings of <ruby> are left out
    trace_t* trace           # gets what the walk meets; NULL without a trace
    facts_t* facts           # gets the elements that hold metadata, in document order; NULL: they are not asked for
    # Notes inside of the text of a block, which are written at its end; and the one that is being written.
    node_t* notes[MOST_NOTES]
    size_t n_notes
    int32_t noted            # the block, as the builder counts it
    node_t* note
    panels_t panels          # blocks that a reader opens
    unsigned char* opened    # the elements that are open
    size_t n_opened
    size_t cap_opened
    PyObject* error          # an exception, which is raised after the walk
    node_t* broken           # the parent of the last line break


cdef bint _leave_out(builder_t* b, node_t* root, found_t* found) noexcept nogil:
    """Counts the tags of an element that is left out, and of all elements inside it, without recursion.

    Its own start tag is not measured: the walk has done that. Returns False."""
    cdef node_t* node = root.first_child
    cdef int tags = own_tags(root)
    cdef uint32_t markup = end_tag(root)
    while node != NULL:
        if node.type == ELEMENT_NODE:
            tags += own_tags(node)
            markup += start_tag(node) + end_tag(node)
            if found.facts != NULL:
                note_fact(found.facts, node)
        node = following(node, root, True)
    b.unheard += tags
    b.markup += markup
    return False


# --------------------------------------------------------------------------------------------------
# Formulas and the readings of <ruby>.

cdef enum:
    NEAR = 4                 # most siblings among which the TeX of a formula that MathJax shows is searched
    FORMULA_NODES = 10_000   # most nodes of a formula that MathJax shows


cdef str_t* _tex_of_script(node_t* node) noexcept nogil:
    """Returns the TeX in a <script type="math/tex">, or NULL."""
    if node.type != ELEMENT_NODE or node.local_name != id_script:
        return NULL
    cdef str_t* type_ = value_of(node, OF_TYPE)
    if type_ == NULL or not begins(type_.data, type_.length, b"math/tex"):
        return NULL
    return text_of(node)


cdef bint _is_display(builder_t* b, node_t* node) noexcept nogil:
    """Returns whether a formula is on a line of its own, as it or an element around it says; only for marks."""
    cdef attr_t* attr
    cdef int _level
    if not b.marking:
        return False
    for _level in range(NEAR):
        if node == NULL or node.type != ELEMENT_NODE:
            return False
        attr = (<element_node_t*> node).first_attr
        while attr != NULL:
            if attr.value != NULL and says_display(
                attribute_of(attr.node.local_name), attr.value.data, attr.value.length
            ):
                return True
            attr = attr.next
        node = node.parent
    return False


cdef void _mark(builder_t* b, node_t* node, int tag) noexcept nogil:
    """Notes the attributes of the element that was opened last."""
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    cdef int which
    while attr != NULL:
        which = attribute_of(attr.node.local_name)
        if which == OF_REVERSED and tag == TAG_OL:
            add_mark(b, MARK_REVERSED, 0)
        elif which != NO_ATTRIBUTE and attr.value != NULL:
            if which == OF_HREF and node.local_name == id_base:
                which = OF_BASE
            mark_attribute(b, tag, which, attr.value.data, attr.value.length)
        attr = attr.next


cdef words_t TASKS
fill_words(&TASKS, CLASSES["tasks"])


cdef void _mark_task(builder_t* b, node_t* node) noexcept nogil:
    """Notes the box of a task at the beginning of an item, and whether it is ticked.

    Readers cannot tick it, or a class around it says that it is a task; other boxes belong to filters."""
    cdef str_t* type_ = value_of(node, OF_TYPE)
    cdef str_t* class_
    cdef node_t* around = node.parent
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    cdef bint done = False, is_task = False
    cdef int _level
    for _level in range(NEAR):
        class_ = value_of(around, OF_CLASS) if around != NULL and around.type == ELEMENT_NODE else NULL
        is_task |= class_ != NULL and find_any(class_.data, class_.length, &TASKS)
        around = around.parent if around != NULL else NULL
    if type_ == NULL or not begins(type_.data, type_.length, b"checkbox"):
        return
    while attr != NULL:
        done |= attribute_of(attr.node.local_name) == OF_CHECKED
        is_task |= attribute_of(attr.node.local_name) == OF_DISABLED
        attr = attr.next
    if is_task:
        add_mark(b, MARK_TASK, done)


cdef bint _may_play(const name_t* name, const str_t* value) noexcept nogil:
    """Returns whether an attribute of a frame says that it may fill the screen or play by itself, as players do."""
    if name.length == 5 and memcmp(name.short_name, b"allow", 5) == 0:
        return value != NULL and (
            find(value.data, value.length, b"autoplay") > 0 or find(value.data, value.length, b"fullscreen") > 0
        )
    return name.length == 15 and memcmp(name.short_name, b"allowfullscreen", 15) == 0


cdef void _mark_picture(builder_t* b, node_t* node, bint is_media=False) noexcept nogil:
    """Notes an image, or the addresses that a <source> has for the one that follows; or a video, a sound, or a player
    in a frame."""
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    cdef node_t* child = node.first_child
    cdef name_t* name
    cdef picture_t picture
    cdef bint plays = node.local_name != id_iframe
    cdef int which
    open_picture(&picture)
    while attr != NULL:
        name = <name_t*> attr.node.local_name
        which = attributes[attr.node.local_name] if attr.node.local_name < KNOWN_TAGS else NO_ATTRIBUTE
        if is_media and which == OF_TITLE:
            picture.alt = attr.value
        elif attr.node.local_name >= KNOWN_TAGS and name.length <= SHORT_NAME:
            plays |= is_media and _may_play(name, attr.value)
            if attr.value != NULL and attr.value.length:
                picture_attribute(b, &picture, NO_ATTRIBUTE, name.short_name, name.length, attr.value)
        elif which != NO_ATTRIBUTE and attr.value != NULL and attr.value.length:
            picture_attribute(b, &picture, which, b"", 0, attr.value)
        attr = attr.next
    while is_media and picture.source == NULL and child != NULL:
        if child.local_name == id_source and child.type == ELEMENT_NODE:
            picture.source = value_of(child, OF_SRC)
        child = child.next
    if node.local_name != id_source and plays and not (is_media and picture.source == NULL):
        mark_picture(b, &picture, is_media)


cdef void _script(builder_t* b, node_t* node, found_t* found) noexcept nogil:
    cdef str_t* tex = _tex_of_script(node)
    if tex != NULL:
        add_tex(b, tex.data, tex.length, _is_display(b, node))
        found.formula = b.mark
        found.last = NULL


cdef bint _tex_follows(node_t* node) noexcept nogil:
    """Returns whether a script with the TeX of a formula follows, after the element or after its parent."""
    cdef node_t* other
    cdef int _i, _level
    for _level in range(2):
        other = node.next
        for _i in range(NEAR):
            if other == NULL:
                break
            if _tex_of_script(other) != NULL:
                return True
            other = other.next
        node = node.parent
        if node == NULL:
            return False
    return False


cdef node_t* _math_in(node_t* root) noexcept nogil:
    """Returns the first <math> in an element, else the first <mjx-math>, or NULL."""
    cdef node_t* node = root
    cdef node_t* shown = NULL
    cdef size_t n = 0
    while node != NULL and n < FORMULA_NODES:
        if node.type == ELEMENT_NODE and node.local_name == id_math:
            return node
        if shown == NULL and is_named(node, b"mjx-math"):
            shown = node
        node = following(node, root, True)
        n += 1
    return shown


cdef void _add_tree(builder_t* b, node_t* math, const str_t* source, found_t* found) noexcept with gil:
    """Writes a formula, or one that an image with an address shows. An exception is noted, and raised later."""
    try:
        if source != NULL:
            add_drawn(b, source)
        else:
            add_math(b, math, _is_display(b, math))
    except BaseException as error:
        if found.error == NULL:
            Py_INCREF(error)
            found.error = <PyObject*> error


cdef void _add_formula(builder_t* b, node_t* math, found_t* found) noexcept nogil:
    """Writes a <math> or <mjx-math>: its TeX if it has any, otherwise the text of its leaves."""
    cdef node_t* node = math
    cdef str_t* tex = NULL
    cdef str_t* text
    while node != NULL and tex == NULL:
        if is_named(node, b"annotation"):
            text = value_of(node, OF_ENCODING)
            if text != NULL and text.length == 17 and memcmp(text.data, b"application/x-tex", 17) == 0:
                tex = text_of(node)
        node = following(node, math, True)
    if tex == NULL:
        tex = value_of(math, OF_ALTTEXT)
    if tex != NULL and not is_blank(tex.data, tex.length):
        add_tex(b, tex.data, tex.length, _is_display(b, math))
    else:
        _add_tree(b, math, NULL, found)
    found.formula = b.mark
    found.last = NULL


cdef bint _enter_formula(builder_t* b, node_t* node, int kind, str_t* alt, found_t* found) noexcept nogil:
    """Handles an element whose class is one of formulas. Returns whether the element is done."""
    cdef bint apart
    if kind == FORMULA_COPY:
        return found.formula > 0 and found.formula == b.mark
    if kind == FORMULA_IMAGE:
        if alt == NULL or is_blank(alt.data, alt.length):
            add_unread(b)
            return True
        if not (found.formula > 0 and found.formula == b.mark):
            apart = meaning_of(node.parent).role == ROLE_BLOCK and is_alone(node)
            add_tex(b, alt.data, alt.length, apart or _is_display(b, node))
            found.formula = b.mark
            found.last = NULL
        return True
    if _tex_follows(node):
        return True
    if kind == FORMULA_PREVIEW:
        return False
    cdef node_t* math = _math_in(node)
    if math != NULL:
        _add_formula(b, math, found)
    elif is_named(node, b"mjx-container"):
        add_unread(b)
    else:
        return False
    return True


cdef void _add_stated(
    builder_t* b, node_t* node, meaning_t m, const unsigned char* class_, size_t length, const str_t* tex,
    found_t* found,
) noexcept nogil:
    """Writes the TeX that an attribute of an element states, in place of the element."""
    cdef bint is_block = m.role == ROLE_BLOCK and m.code != TAG_CUSTOM
    if is_block:
        open_block(b, m.code, m.form, <uint32_t> style_hash(m.code, class_, length), 0, 0)
    add_tex(b, tex.data, tex.length, is_block or _is_display(b, node))
    if is_block:
        close_block(b, m.form)
    else:
        found.formula = b.mark
        found.last = NULL


cdef void _add_readings(builder_t* b, node_t* ruby) noexcept nogil:
    """Writes the readings of a <ruby> in brackets after its text; those of an <rtc> have brackets of their own."""
    cdef node_t* node = ruby
    cdef node_t* part = NULL  # the <rt> or <rtc> around `node`
    cdef bint open_ = False, apart = False, into
    cdef str_t* text
    while True:
        into = node.type != ELEMENT_NODE or meaning_of(node).role != ROLE_LEFT_OUT
        node = following(node, part if part != NULL else ruby, into)
        if node == NULL:
            if part == NULL:
                break
            node = part
            part = NULL
            node = following(node, ruby, False)
            if node == NULL:
                break
        if node.type == TEXT_NODE:
            if part != NULL:
                text = &(<text_node_t*> node).data
                open_ = add_reading(b, text.data, text.length, open_, apart)
                apart = False
        elif node.type == ELEMENT_NODE and part == NULL and (node.local_name == id_rt or node.local_name == id_rtc):
            if node.local_name == id_rtc and open_:
                end_readings(b)
                open_ = False
            part = node
            apart = True
    if open_:
        end_readings(b)


# --------------------------------------------------------------------------------------------------
# What a page adds to headings and text for readers on a screen.

# The texts of links that lead to where they are: ¶ 🔗 ⚓, the chain of Font Awesome (Read the Docs), ◆ with a space
# (Doxygen), what is not seen, and, in headings, # and §.
cdef const char** PERMALINKS = [
    b"\xC2\xB6", b"\xF0\x9F\x94\x97", b"\xE2\x9A\x93", b"\xEF\x83\x81", b"\xE2\x97\x86\xC2\xA0",
    b"\xE2\x80\x8B", b"\xEF\xBB\xBF", b"#", b"\xC2\xA7",
]
cdef enum:
    ANYWHERE = 7
    N_PERMALINKS = 9
    LONGEST_PERMALINK = 16  # with white space
cdef bint _is_permalink(node_t* node, bint heading) noexcept nogil:
    """Returns whether a link leads to the heading or paragraph that it is in, as its text and target say."""
    cdef str_t* text = text_of(node)
    cdef int i
    if text == NULL or text.length > LONGEST_PERMALINK or node.first_child != node.last_child:
        return False
    cdef str_t* href = value_of(node, OF_HREF)
    if href == NULL or href.length == 0 or href.data[0] != c'#':
        return False
    cdef const unsigned char* first = text.data
    cdef const unsigned char* end = first + text.length
    strip(&first, &end)
    for i in range(N_PERMALINKS if heading else ANYWHERE):
        if strlen(PERMALINKS[i]) == <size_t> (end - first) and memcmp(PERMALINKS[i], first, end - first) == 0:
            return True
    return False


cdef inline bint _leads_here(node_t* link) noexcept nogil:
    """Returns whether the target of a link is a place on the page."""
    cdef str_t* href = value_of(link, OF_HREF)
    return href != NULL and href.length > 1 and href.data[0] == c'#'


cdef words_t EMOJI
fill_words(&EMOJI, CLASSES["emoji"])
cdef const char** SIDE_NOTES = table_of(CLASSES["notes beside the text"])
cdef enum:
    LONGEST_EMOJI = 32       # bytes
    LONGEST_ADDRESS = 2_000
    LONGEST_NUMBER = 6       # of a note, with brackets and white space


cdef inline uint32_t _style(builder_t* b, node_t* node, meaning_t m) noexcept nogil:
    """Returns the style of an inline element that its mark has, as bits; 0 for an element without a mark.

    Inside of one with a style, elements that are bold or italic by themselves have one, too."""
    cdef uint32_t bits = 0
    if m.role == ROLE_BLOCK:
        return 0
    cdef str_t* style = value_of(node, OF_STYLE) if (<element_node_t*> node).first_attr != NULL else NULL
    if style != NULL:
        bits = style_of(style.data, style.length)
    if b.styled:
        if m.bit == CONTEXT_BOLD and not bits & (STYLE_BOLD | STYLE_LIGHT):
            bits |= STYLE_BOLD
        elif m.bit == CONTEXT_ITALIC and not bits & (STYLE_ITALIC | STYLE_UPRIGHT):
            bits |= STYLE_ITALIC
    return bits


cdef bint _has_word(const str_t* text) noexcept nogil:
    cdef size_t at
    for at in range(text.length):
        if is_letter(text.data[at]):
            return True
    return False


cdef bint _is_number(node_t* node) noexcept nogil:
    """Returns whether an element at the beginning of a note has only its number or sign."""
    cdef str_t* text = text_of(node)
    return text != NULL and text.length <= LONGEST_NUMBER and node.first_child == node.last_child \
        and not _has_word(text)


cdef enum:
    LINES_OF_VERSE = 3       # or more before a <br>, none of which has more than the next number of characters
    WIDEST_VERSE = 50
    VERSE_NODES = 256        # that are read


cdef bint _is_verse(const node_t* around) noexcept nogil:
    """Returns whether the lines that <br> makes in an element are those of a verse: shorter than of a text."""
    cdef node_t* node = around.first_child
    cdef const unsigned char* p
    cdef const unsigned char* end
    cdef int lines = 0, chars = 0, left = VERSE_NODES
    while node != NULL and left and chars <= WIDEST_VERSE:
        left -= 1
        if node.type == TEXT_NODE:
            p = (<text_node_t*> node).data.data
            end = p + (<text_node_t*> node).data.length
            strip(&p, &end)
            while p < end and chars <= WIDEST_VERSE:
                # letters of East Asia are two wide
                chars += (p[0] & 0xC0 != 0x80) + (p[0] >= 0xE0)
                p += 1
        elif node.type == ELEMENT_NODE and meaning_of(node).role == ROLE_BREAK:
            lines += chars > 0
            chars = 0
        node = following(node, around, node.type != ELEMENT_NODE or meaning_of(node).role == ROLE_INLINE)
    return lines >= LINES_OF_VERSE and chars <= WIDEST_VERSE


# --------------------------------------------------------------------------------------------------
# The walk.

# What the attributes of an element say.
cdef struct said_t:
    const unsigned char* class_   # NULL for none, as all others
    size_t class_length
    str_t* id_
    str_t* role
    str_t* alt
    str_t* tex
    str_t* controls
    str_t* style
    str_t* kind                   # of a block of an editor
    bint hidden
    bint part                     # its style makes it a block
    bint is_root                  # of a shadow tree
    bint open_                    # of a dialogue
    bint over                     # it is a dialogue or a popover
    bint has_language
    bint is_special               # the class has the bit SPECIAL; only of blocks


cdef const char** DIALOGUES = [b"alertdialog", b"dialog", NULL]


cdef bint _is_title(builder_t* b, node_t* node, found_t* found) noexcept nogil:
    """Returns whether a button is a title: inside a heading. Notes what it opens.

    After other text, it does something: Copy, Close, Expand all."""
    if node.local_name != id_button:
        return False
    cdef str_t* panel = value_of(node, OF_CONTROLS)
    if panel != NULL:
        note_panel(&found.panels, node, panel)
    return not b.open and b.headings > 0


cdef inline void _read_attributes(builder_t* b, node_t* node, said_t* said, found_t* found) noexcept nogil:
    cdef element_node_t* element = <element_node_t*> node
    cdef attr_t* attr = element.first_attr
    cdef int name, shown
    memset(said, 0, sizeof(said_t))
    if attr != NULL and attr == element.attr_class and attr == element.last_attr and attr.value != NULL:
        # In the most frequent case, class is the only attribute, and its name need not be read.
        said.class_ = attr.value.data
        said.class_length = attr.value.length
        return
    while attr != NULL:
        name = attribute_of(attr.node.local_name)
        if name == OF_HIDDEN:
            # a reader who searches the page finds and opens it
            said.hidden |= attr.value == NULL or not begins(attr.value.data, attr.value.length, b"until-found")
        elif name == OF_MODAL:
            said.over |= attr.value == NULL or not begins(attr.value.data, attr.value.length, b"false")
        elif name == OF_OPEN:
            said.open_ = True
        elif attr.value != NULL:
            if name == OF_CLASS:
                said.class_ = attr.value.data
                said.class_length = attr.value.length
            elif name == OF_STYLE:
                said.style = attr.value
                shown = shown_as(attr.value.data, attr.value.length)
                said.hidden |= shown == NOT_SHOWN
                said.part = shown == SHOWN_APART
            elif name == OF_ID:
                said.id_ = attr.value
            elif name == OF_ROLE:
                said.role = attr.value
                said.over |= is_one_of(attr.value.data, attr.value.length, DIALOGUES)
            elif name == OF_ALT:
                said.alt = attr.value
            elif name == OF_TEX:
                said.tex = attr.value
            elif name == OF_CONTROLS:
                said.controls = attr.value
            elif name == OF_LANGUAGE:
                said.has_language = True
            elif name == OF_BLOCK:
                said.kind = attr.value
            elif name == OF_SHADOW:
                said.is_root = True
            elif name == OF_LANG:
                if b.element < 0:
                    found.lang = attr.value.data
                    found.lang_length = attr.value.length
        attr = attr.next
    # what React sends at the end of a page, as `S:1`, is hidden until a script puts it in its place
    if said.hidden and (
        said.id_ != NULL and said.id_.length > 2 and begins(said.id_.data, 2, b"s:")
        or node.local_name == id_body or node.local_name == id_html
    ):
        said.hidden = False


cdef bint _pass_over(builder_t* b, node_t* node, meaning_t m, found_t* found) noexcept nogil:
    """Handles an element that has no text. Returns False."""
    cdef str_t* text
    b.object |= m.object and b.open
    if node.local_name == id_script:
        if (<element_node_t*> node).first_attr != NULL:
            if not add_macro(b, node):
                _script(b, node, found)
        text = text_of(node)
        if b.marking:
            mark_script(b, _value_or_none(node, OF_SRC), text if text != NULL else &NONE)
    elif b.marking and node.local_name == id_source:
        _mark_picture(b, node)
    elif b.marking and (node.local_name == id_iframe or node.local_name == id_video or node.local_name == id_audio):
        _mark_picture(b, node, True)
    elif b.marking and node.local_name == id_input and b.item and not b.open:
        _mark_task(b, node)
    return _leave_out(b, node, found)


cdef bint _is_formula(builder_t* b, node_t* node, meaning_t m, said_t* said, found_t* found) noexcept nogil:
    """Writes an element that is a formula by its attributes. Returns whether it is one."""
    cdef str_t* tex
    if said.tex != NULL and not said.hidden and says_tex(said.tex.data, said.tex.length):
        _add_stated(b, node, m, said.class_, said.class_length, said.tex, found)
        return True
    if not may_be_formula(said.class_, said.class_length):
        return False
    cdef int formula = formula_class(said.class_, said.class_length)
    if formula == FORMULA_SOURCE:
        said.hidden = False
    elif formula == FORMULA_TEXT:
        tex = text_of(node) if node.first_child == node.last_child else NULL
        if m.role == ROLE_IMAGE:
            return said.alt != NULL and says_tex(said.alt.data, said.alt.length) and _enter_formula(
                b, node, FORMULA_IMAGE, said.alt, found
            )
        if tex != NULL and not said.hidden and not b.pres and is_tex(
            tex.data, tex.length, said.class_, said.class_length
        ):
            _add_stated(b, node, m, said.class_, said.class_length, tex, found)
            return True
    elif formula != NO_FORMULA and not said.hidden:
        return _enter_formula(b, node, formula, said.alt, found)
    return False


cdef bint _enter_image(builder_t* b, node_t* node, const said_t* said, found_t* found) noexcept nogil:
    """Passes an image to the builder. Returns False."""
    cdef str_t* alt = said.alt if said.alt != NULL else value_of(node, OF_TITLE)
    cdef str_t* source
    b.object |= b.open
    source = value_of(node, OF_SRC)
    if source != NULL and is_of_formula(source.data, min(source.length, <size_t> LONGEST_ADDRESS)):
        if alt != NULL and says_tex(alt.data, alt.length):
            _enter_formula(b, node, FORMULA_IMAGE, alt, found)
        else:
            _add_tree(b, node, source, found)
        return False
    alt = said.alt
    if alt != NULL and said.class_ != NULL and 0 < alt.length <= LONGEST_EMOJI \
            and find_any(said.class_, said.class_length, &EMOJI) and not _has_word(alt):
        add_text(b, alt.data, alt.length)
        b.unheard += 1
        return False
    if b.marking and not (said.class_ != NULL and find(said.class_, said.class_length, b"avatar")):
        _mark_picture(b, node)
    if found.alt_text and alt != NULL:
        add_space(b)
        open_inline(b, CONTEXT_ALT)
        add_text(b, alt.data, alt.length)
        close_inline(b, CONTEXT_ALT)
        add_space(b)
        b.unheard -= 1
    else:
        b.unheard += 1
    return False


cdef enum:
    LARGEST_OVERLAY = 3_000  # elements and texts

cdef bint _is_overlay(node_t* root) noexcept nogil:
    """Returns whether a block that is said to lie over the page does so. One that holds a <main>, an <article> or an
    <h1>, or is large, is the page with such a block open."""
    cdef node_t* node = root.first_child
    cdef int code, left = LARGEST_OVERLAY
    while node != NULL and left:
        code = meaning_of(node).code
        if code == TAG_MAIN or code == TAG_ARTICLE or code == TAG_H1:
            return False
        node = following(node, root, True)
        left -= 1
    code = meaning_of(root).code
    return node == NULL and code != TAG_BODY and code != TAG_HTML


cdef inline bint _enter_block(
    builder_t* b, node_t* node, meaning_t* m, said_t* said, found_t* found
) noexcept nogil:
    """Opens a block, which may become one of code. Returns whether the walk goes into it."""
    cdef uint32_t cues, names = 0
    cdef int level = 0, kind = 0
    if said.kind != NULL:
        kind = read_kind(m, NULL, 0, said.kind)
    elif m.code == TAG_P and said.style != NULL:
        level = level_in_word(said.class_, said.class_length, said.style)
        if level:
            m.code = TAG_LI
            m.form = FORM_ITEM
    if m.code == TAG_CUSTOM and is_named(node, b"mjx-container"):
        _enter_formula(b, node, FORMULA_RENDERED, NULL, found)
        return False
    if m.code == TAG_CODE or said.has_language and m.code == TAG_DIV and is_code(
        node, said.class_, said.class_length
    ):
        m.code = TAG_PRE
        m.form = FORM_PREFORMATTED
    cdef uint64_t style = style_hash(m.code, said.class_, said.class_length)
    cues = read_class(b, style, said.class_, said.class_length, &names)
    if cues & SPECIAL:
        cues &= ~<uint32_t> SPECIAL
        said.is_special = True
        kind = read_kind(m, said.class_, said.class_length, NULL) or kind
        if is_line_number(node, said.class_, said.class_length) or is_beside_code(
            said.class_, said.class_length
        ):
            return False
        said.over |= names_overlay(said.class_, said.class_length)
        if not b.pres and is_code_box(node, said.class_, said.class_length):
            m.code = TAG_PRE
            m.form = FORM_PREFORMATTED
    if said.id_ != NULL:
        said.over |= names_overlay(said.id_.data, said.id_.length)
        cues |= read_names(b, said.id_.data, said.id_.length, &names)
    if said.role != NULL:
        cues |= read_names(b, said.role.data, said.role.length, &names)
    said.hidden |= m.code == TAG_DIALOG and not said.open_
    if (said.over or said.hidden and m.code == TAG_DIALOG) and _is_overlay(node):
        end_segment(b)
        return False
    if said.hidden:
        cues |= CONCEALED
    if cues & CONCEALED and is_panel(&found.panels, node, said.id_, said.role):
        cues &= ~<uint32_t> CONCEALED
    open_block(b, m.code, m.form, <uint32_t> style, cues, names)
    if b.marking and node == found.note:
        add_mark(b, MARK_SIDE_NOTE, 0)
    if b.marking and level:
        add_mark(b, MARK_LEVEL, <uint32_t> level)
    if b.marking and kind == TAG_OL:
        add_mark(b, MARK_VALUE, 0)
    return True


cdef bint _is_aside(builder_t* b, node_t* node, meaning_t m, const said_t* said, found_t* found) noexcept nogil:
    """Returns whether an inline element is no part of the text: a number, a link to itself, or a reading."""
    if found.note != NULL and not b.open and _is_number(node):
        return True
    if m.bit == CONTEXT_LABEL and said.class_ != NULL and find(said.class_, said.class_length, b"margin-toggle") \
            and _is_number(node):
        return True
    if m.code == TAG_A:
        return _is_permalink(node, b.headings > 0 or meaning_of(node.parent).code == TAG_DT)
    return found.rubies and (node.local_name == id_rt or node.local_name == id_rtc)


cdef bint _puts_off(builder_t* b, node_t* node, const said_t* said, found_t* found) noexcept nogil:
    """Returns whether an inline element is a note beside the text, which is written at the end of the block."""
    cdef node_t* inside
    if said.class_ == NULL or found.note != NULL or not b.open or b.pres or b.headings or found.n_notes == MOST_NOTES \
            or found.n_notes and found.noted != b.element or not (
                find(said.class_, said.class_length, b"note") and has_class(said.class_, said.class_length, SIDE_NOTES)
            ):
        return False
    if b.marking:
        add_mark(b, MARK_SIDE, 0)
    found.noted = b.element
    found.notes[found.n_notes] = node
    found.n_notes += 1
    b.markup -= start_tag(node)
    if found.facts != NULL:
        inside = following(node, node, True)
        while inside != NULL:
            if inside.type == ELEMENT_NODE:
                note_fact(found.facts, inside)
            inside = following(inside, node, True)
    return True


cdef inline void _push(builder_t* b, found_t* found, int opened) noexcept nogil:
    if grow(<void**> &found.opened, &found.cap_opened, found.n_opened + 1, 1, &b.no_memory):
        found.opened[found.n_opened] = <unsigned char> opened
        found.n_opened += 1


cdef inline int _pop(found_t* found) noexcept nogil:
    """Returns what the element that is opened last was opened as; 0 where there was no memory to note it."""
    if not found.n_opened:
        return 0
    found.n_opened -= 1
    return found.opened[found.n_opened]


cdef bint _enter(builder_t* b, node_t* node, found_t* found) noexcept nogil:
    """Passes the opening of an element to the builder.

    Returns whether the walk goes into the element: False if the element and all elements inside it are left out,
    and for line breaks, rules and images. An element that the walk goes into is noted in `found.opened`."""
    cdef meaning_t m = meaning_of(node)
    cdef said_t said
    cdef uint32_t bits = 0
    cdef int opened = 0
    if m.role == ROLE_LEFT_OUT:
        if not _is_title(b, node, found):
            return _pass_over(b, node, m, found)
    if m.role == ROLE_BREAK:
        if node.parent != found.broken:
            found.broken = node.parent
            b.verse = _is_verse(node.parent)
        add_break(b)
        return False
    if m.role == ROLE_RULE:
        add_rule(b)
        return False
    if m.role == ROLE_TITLE:
        if found.title == NULL and node.first_child != NULL and node.first_child.type == TEXT_NODE:
            found.title = (<text_node_t*> node.first_child).data.data
            found.title_length = (<text_node_t*> node.first_child).data.length
        return _leave_out(b, node, found)
    _read_attributes(b, node, &said, found)
    if said.controls != NULL and node.local_name != id_button:
        note_panel(&found.panels, node, said.controls)
    if _is_formula(b, node, m, &said, found):
        return _leave_out(b, node, found)
    if m.role != ROLE_BLOCK and (
        said.hidden or said.class_ != NULL and class_conceals(said.class_, said.class_length)
    ):
        return _leave_out(b, node, found)
    if said.class_ != NULL and (b.pres or m.code == TAG_TD) and is_line_number(
        node, said.class_, said.class_length
    ) or b.pres and is_code_label(node, said.class_, said.class_length):
        return _leave_out(b, node, found)
    if said.class_ != NULL and (b.pres or b.inside[<int> CONTEXT_CODE]) \
            and is_over_code(said.class_, said.class_length):
        return _leave_out(b, node, found)
    if m.role == ROLE_IMAGE:
        return _enter_image(b, node, &said, found)
    if b.item and not b.open and (is_marker(b, node, said.style) or find(said.class_, said.class_length, b"tag_item")):
        return _leave_out(b, node, found)
    if said.is_root:
        fill_slots(node)
    if said.role != NULL and begins(said.role.data, said.role.length, b"tablist") and is_row_of_tabs(node):
        return _leave_out(b, node, found)
    if node == found.note:
        m.role = ROLE_BLOCK
        m.code = TAG_DIV
        m.form = FORM_PLAIN
        said.class_ = NULL
        said.class_length = 0
    elif m.code == TAG_CODE and is_code_block(node):
        m.role = ROLE_BLOCK
    elif said.kind != NULL and node.local_name == id_span and read_kind(&m, NULL, 0, said.kind):
        m.role = ROLE_BLOCK
    elif m.code == TAG_FOOTER and meaning_of(node.parent).code == TAG_BLOCKQUOTE:
        m.code = TAG_P  # the source of a quotation
    if m.role == ROLE_BLOCK:
        if not _enter_block(b, node, &m, &said, found):
            return _leave_out(b, node, found)
    elif m.code == TAG_MATH:
        _add_formula(b, node, found)
        return _leave_out(b, node, found)
    elif _is_aside(b, node, m, &said, found):
        return _leave_out(b, node, found)
    elif _puts_off(b, node, &said, found):
        return False
    else:
        found.rubies += node.local_name == id_ruby
        if m.code == TAG_A and b.headings and _leads_here(node):
            opened = AS_PLACE
        if said.part and not b.pres:
            opened |= AS_PART
            end_segment(b)
        open_inline(b, -1 if opened & AS_PLACE else m.bit)
    if b.marking:
        if m.bit == CONTEXT_CODE and b.inside[m.bit] == 1:
            add_mark(b, MARK_CODE, 0)
        bits = _style(b, node, m)
        if bits:
            add_mark(b, MARK_STYLE, bits)
            b.styled += 1
        _mark(b, node, m.code)
        if said.is_special and TAG_DIV <= m.code < TAG_FIGURE:
            mark_callout(b, said.class_, said.class_length)
    _push(b, found, (AS_BLOCK | m.form if m.role == ROLE_BLOCK else opened) | (AS_STYLED if bits else 0))
    return True


cdef inline void _leave(builder_t* b, node_t* node, found_t* found) noexcept nogil:
    """Passes the end of an element to the builder, as `_enter` has opened it."""
    cdef meaning_t m = meaning_of(node)
    cdef int opened = _pop(found)
    cdef size_t written
    b.markup += end_tag(node)
    _note(found.trace, node, LEFT, b.mark, b.mark)
    if found.rubies and node.local_name == id_ruby:
        found.rubies -= 1
        if not found.rubies:
            if not found.no_readings:
                written = b.mark
                _add_readings(b, node)
                _note(found.trace, node, READINGS, written, b.mark)
            found.last = NULL
    if opened & AS_BLOCK:
        close_block(b, opened & OPENED_FORM)
    else:
        close_inline(b, -1 if opened & AS_PLACE else m.bit)
        if opened & AS_PART:
            end_segment(b)
        if b.pres and is_line(node):
            end_line(b, node.first_child == NULL)
        if m.bit == VOID:
            b.unheard -= 1
        if b.marking and m.code == TAG_A:
            add_mark(b, MARK_LINK_END, 0)
        if opened & AS_STYLED:
            add_mark(b, MARK_STYLE_END, 0)
            b.styled -= 1


cdef void _fill_side(side_t* side, node_t* text, node_t* around) noexcept nogil:
    """Sets a side of a joint to a text node and the elements around it below `around`."""
    cdef node_t* node = text.parent
    cdef meaning_t m
    begin_side(side, (<text_node_t*> text).data.data, (<text_node_t*> text).data.length)
    while node != around:
        m = meaning_of(node)
        widen_side(
            side, m.side, m.code, _value_or_none(node, OF_CLASS), _value_or_none(node, OF_STYLE),
            _value_or_none(node, OF_HREF),
        )
        node = node.parent


cdef const char** BOXES = table_of(CLASSES["sets its parts apart"])


cdef bint _sets_apart(node_t* around) noexcept nogil:
    """Returns whether the parts of an element are beside each other, each in a box: as its style or a class says."""
    cdef const str_t* style = _value_or_none(around, OF_STYLE)
    cdef const str_t* class_ = _value_or_none(around, OF_CLASS)
    cdef size_t at = value_at(style.data, style.length, b"display:")
    return has_class(class_.data, class_.length, BOXES) \
        or at and begins_any(style.data + at, style.length - at, BOXES) > 0


cdef bint _are_apart(builder_t* b, node_t* before, node_t* after) noexcept nogil:
    """Returns whether a space belongs between two text nodes that touch."""
    cdef node_t* above[JOINT_LEVELS + 1]
    cdef node_t* left = before
    cdef node_t* right = after
    cdef side_t sides[2]
    cdef int levels = 0, i, _level
    while levels <= JOINT_LEVELS and left.parent != NULL:
        left = left.parent
        above[levels] = left
        levels += 1
    for _level in range(JOINT_LEVELS + 1):
        if right.parent == NULL:
            return False
        for i in range(levels):
            if above[i] == right.parent:
                if _sets_apart(above[i]):
                    return True
                left = above[i - 1] if i else before
                _fill_side(&sides[0], before, above[i])
                _fill_side(&sides[1], after, above[i])
                return is_apart(
                    b, (<text_node_t*> after).data.data, (<text_node_t*> after).data.length, &sides[0], &sides[1],
                    is_bare_text(left.prev) or is_bare_text(right.next),
                )
        right = right.parent
    return False


cdef void _write_notes(builder_t* b, found_t* found) noexcept nogil:
    """Writes the notes that are inside of the text of a block, each as a block."""
    cdef facts_t* facts = found.facts
    cdef size_t i
    found.facts = NULL  # what a note holds has been noted at its place
    for i in range(found.n_notes):
        found.note = found.notes[i]
        _walk(b, found.note, found)
    found.facts = facts
    found.note = NULL
    found.n_notes = 0


cdef void _walk(builder_t* b, node_t* root, found_t* found) noexcept nogil:
    """Walks the tree depth first. There is no recursion, because a page can nest deeper than the C stack allows."""
    cdef node_t* node = root
    cdef str_t* data
    cdef size_t written
    cdef bint down, apart
    while True:
        down = False
        if node.type == TEXT_NODE:
            data = &(<text_node_t*> node).data
            if b.open and not b.space and data.length and found.last != NULL \
                    and joint(b, data.data, data.length) != CLOSED:
                apart = _are_apart(b, found.last, node)
                _note(found.trace, node, APART if apart else TOGETHER, b.mark, b.mark)
                if apart:
                    add_space(b)
            written = b.mark
            # White space between the parts of <ruby> is layout.
            if not (found.rubies and node.parent.local_name == id_ruby and is_blank(data.data, data.length)):
                add_text(b, data.data, data.length)
            _note(found.trace, node, TEXT, written, b.mark)
            if b.mark != written:
                found.last = node
        elif node.type == ELEMENT_NODE:
            b.markup += start_tag(node)
            written = b.mark
            if found.facts != NULL:
                note_fact(found.facts, node)
            down = _enter(b, node, found)
            _note(found.trace, node, ENTERED if down else PASSED, written, b.mark)
            if down and node.first_child == NULL:
                _leave(b, node, found)
                down = False
        if down:
            node = node.first_child
            continue
        while node != root and node.next == NULL:
            node = node.parent
            if found.n_notes and found.note == NULL and found.noted == b.element \
                    and meaning_of(node).role == ROLE_BLOCK:
                _write_notes(b, found)
            _leave(b, node, found)
        if node == root:
            return
        node = node.next


def walk(
    parser not None, Builder builder not None, bint alt_text=False, bint readings=True, bytearray met=None,
    list facts=None
):
    """Walks a parsed document (`LexborHTMLParser`) and passes its contents to `builder`.

    With `alt_text`, the alternative texts of images become text too; without `readings`, those of <ruby> do not.
    Returns (title, lang): the UTF-8 bytes of the first <title> and of <html lang>, empty if the page has none. May be
    called only if `LAYOUT_PROVED` is True: with another struct layout, the walk reads memory at wrong addresses.

    Appends to `met` what it meets, in order, each as four numbers of 64 bits: `mem_id` of a node, what of `Met`, the
    end of the text in the builder, in bytes, before and after. Appends to `facts` the metadata of the page, in document
    order: the fields of a `tables.Fact` for each of the first 512 elements that hold metadata, but for those whose
    names are not read, and for each further one that says how the page may be used.
    """
    cdef found_t found
    cdef facts_t noted
    cdef trace_t trace
    cdef uintptr_t address
    memset(&found, 0, sizeof(found))
    memset(&trace, 0, sizeof(trace))
    found.alt_text = alt_text
    found.no_readings = not readings
    noted.n = 0
    if met is not None:
        found.trace = &trace
    if facts is not None:
        found.facts = &noted
    if parser.root is not None:
        address = parser.root.mem_id
        with nogil:
            _walk(&builder.b, <node_t*> address, &found)
    try:
        if found.error != NULL:
            error = <object> found.error
            Py_DECREF(error)
            raise error
        if trace.no_memory:
            raise MemoryError("not enough memory for the trace of a page")
        if trace.n:
            met += (<const char*> trace.rows)[: trace.n * sizeof(met_t)]
    finally:
        free(trace.rows)
        free(found.opened)
    if facts is not None:
        facts += read_facts(&noted)
    return (
        (<const char*> found.title)[: found.title_length] if found.title != NULL else b"",
        (<const char*> found.lang)[: found.lang_length] if found.lang != NULL else b"",
    )
