"""What editors and exports write in place of headings, items and code: Word, Feishu, Notion, Confluence.

Word writes an item as a paragraph whose style says `mso-list:l0 level1 lfo1`, and its sign in `mso-list:Ignore`.
Editors of the Web make all of <div>, and say in an attribute or a class what a block is.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp, strlen

from ncleaner.document._tables cimport builder_t
from ncleaner.document._tags cimport (
    FORM_HEADING, FORM_ITEM, FORM_PLAIN, FORM_PREFORMATTED, MAX_TAGS, TAG_H1, TAG_H6, TAG_LI, TAG_OL, TAG_PRE,
)
from ncleaner.dumping._attributes cimport mark_attribute
from ncleaner.dumping._builder cimport add_text, close_block, open_block
from ncleaner.parsing._cues cimport OF_CLASS, OF_TYPE, OF_VALUE, is_one_of, next_name, style_hash
from ncleaner.parsing._nodes cimport meaning_of, meaning_t, text_of, value_of
from ncleaner.parsing._structs cimport node_t, str_t
from ncleaner.text._ascii cimport begins, begins_any, find, is_digit, table_of
from ncleaner.text._letters cimport strip

from ncleaner.document.tags import CODE
from ncleaner.parsing._cues import CLASSES
from ncleaner.text.wordlists import pairs_of, word_lists

# `editors.txt` says what these are, and how to add one.
_WORDS = word_lists("dumping/editors", "blocks, as written", "bullets")
_BLOCKS = pairs_of(_WORDS["blocks, as written"])
cdef const char** NAMES = table_of(CLASSES["blocks of editors"])
cdef const char** BULLETS = table_of(_WORDS["bullets"])
cdef const char** BLOCKS = table_of(_BLOCKS)
cdef int tags_of_blocks[MAX_TAGS]
for _i, _name in enumerate(sorted(_BLOCKS, key=len, reverse=True)):
    tags_of_blocks[<int> _i] = CODE[_BLOCKS[_name]]

cdef enum:
    LONGEST_MARKER = 8       # bytes


cdef int _become(meaning_t* m, const unsigned char* name, size_t length) noexcept nogil:
    """Gives a block the meaning of the tag that a name stands for; returns its code, 0 if there is none."""
    cdef int i = 0
    while BLOCKS[i] != NULL:
        if length == strlen(BLOCKS[i]) and memcmp(name, BLOCKS[i], length) == 0:
            m.code = <uint8_t> (tags_of_blocks[i] if tags_of_blocks[i] != TAG_OL else TAG_LI)
            m.form = FORM_ITEM if m.code == TAG_LI else FORM_PREFORMATTED if m.code == TAG_PRE else (
                FORM_HEADING if TAG_H1 <= m.code <= TAG_H6 else FORM_PLAIN
            )
            return tags_of_blocks[i]
        i += 1
    return 0


cdef int read_kind(meaning_t* m, const unsigned char* class_, size_t length, const str_t* kind) noexcept nogil:
    """Gives a block of an editor the meaning of the element that it stands for, as its kind or else its class says;
    returns the code of this element, that of <ol> for a numbered item, and 0 if none of them says one."""
    cdef size_t begin, end = 0
    cdef int tag
    if kind != NULL:
        return _become(m, kind.data, kind.length)
    while next_name(class_, length, &begin, &end):
        tag = _become(m, class_ + begin, end - begin) if begins_any(class_ + begin, end - begin, NAMES) else 0
        if tag:
            return tag
    return 0


cdef int level_in_word(const unsigned char* class_, size_t length, const str_t* style) noexcept nogil:
    """Returns the level of a paragraph of Word that is an item, as its style says; 0 for others."""
    cdef size_t at
    if not begins(class_, length, b"mso"):
        return 0
    at = find(style.data, style.length, b"mso-list:")
    at = find(style.data + at, style.length - at, b"level") + at if at else 0
    return style.data[at] - c'0' if 0 < at < style.length and is_digit(style.data[at]) else 0


cdef bint is_marker(builder_t* b, node_t* node, const str_t* style) noexcept nogil:
    """Returns whether an element at the beginning of an item is only its sign or number, which is noted."""
    cdef str_t* text = text_of(node)
    cdef bint of_word = style != NULL and begins(style.data, style.length, b"mso-list:ignore")
    cdef bint is_written = meaning_of(node.parent).code == TAG_LI
    cdef const unsigned char* first
    cdef const unsigned char* end
    if text == NULL or not of_word and (text.length > LONGEST_MARKER or node.first_child != node.last_child):
        return of_word
    first, end = text.data, text.data + text.length
    strip(&first, &end)
    if not of_word and is_one_of(first, <size_t> (end - first), BULLETS):
        return True
    if of_word and first < end and not is_digit(first[0]) and ((end - 1)[0] == c'.' or (end - 1)[0] == c')'):
        # letters and Roman numbers
        first = b"0"
        end = first + 1
    elif is_written or not is_digit(first[0]) or not (of_word or (end - 1)[0] == c'.'):
        return of_word
    cdef int32_t item = b.element
    cdef size_t marks = b.n_marks
    while item >= 0 and b.elements[item].tag != TAG_LI:
        item = b.elements[item].parent
    if b.marking and item >= 0:
        mark_attribute(b, TAG_LI, OF_VALUE, first, <size_t> (end - first))
        if b.n_marks > marks:
            b.marks[marks].element = item
    return True


cdef bint add_macro(builder_t* b, node_t* node) noexcept nogil:
    """Writes the code in a <script type="syntaxhighlighter">, as Confluence has it; returns whether it is one."""
    cdef str_t* type_ = value_of(node, OF_TYPE)
    cdef str_t* class_ = value_of(node, OF_CLASS)
    cdef str_t* text = text_of(node)
    cdef size_t start, length
    if type_ == NULL or text == NULL or not begins(type_.data, type_.length, b"syntaxhighlighter"):
        return False
    start, length = find(text.data, min(text.length, <size_t> 32), b"<![cdata["), text.length
    if length > start + 3 and memcmp(text.data + length - 3, b"]]>", 3) == 0:
        length -= 3
    open_block(b, TAG_PRE, FORM_PREFORMATTED, <uint32_t> style_hash(TAG_PRE, NULL, 0), 0, 0)
    if b.marking and class_ != NULL:
        mark_attribute(b, TAG_PRE, OF_CLASS, class_.data, class_.length)
    add_text(b, text.data + start, length - start)
    close_block(b, FORM_PREFORMATTED)
    return True
