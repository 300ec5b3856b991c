"""Marks: what only formats with structure need of a page, such as the targets of links.

A mark has a kind, its place (the run that follows, and an element), and a number or a text. Builders note them only if
`builder_t.marking` is set.
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from ncleaner.parsing._structs cimport str_t
from ncleaner.document._tables cimport builder_t
from ncleaner.text._letters cimport is_white

cpdef enum Mark:
    MARK_LINK = 0            # a link begins; text: its target as written
    MARK_LINK_END = 1
    MARK_IMAGE = 2           # text: its source as written; MARK_ALT follows
    MARK_ALT = 3             # text: the alternative text of the image before, maybe empty
    MARK_BREAK = 4           # <br>, outside of preformatted text
    MARK_RULE = 5            # <hr>
    MARK_BLANK = 6           # a number of empty lines in preformatted text
    MARK_FORMULA = 7         # TeX begins; number: 1 for a formula on a line of its own
    MARK_FORMULA_END = 8
    MARK_LANGUAGE = 9        # text: the programming language of the element
    MARK_START = 10          # number of the first item of an <ol>, with sign
    MARK_VALUE = 11          # number of an <li>, with sign
    MARK_COLUMNS = 12        # number of columns that a cell covers, if it is not one
    MARK_ROWS = 13           # number of rows that a cell covers, if it is not one
    MARK_ALIGN = 14          # of the text of a cell: ALIGN_…
    MARK_ID = 15             # text: the id of an element, or the name of an anchor
    MARK_LAYOUT = 16         # the element is a table only for its layout
    MARK_BASE = 17           # text: what addresses are relative to
    MARK_TYPESET = 18        # a script typesets formulas; number: 1 if a single dollar sign begins one, too
    MARK_CODE = 19           # an inline element of code begins
    MARK_SOURCES = 20        # text: a `srcset` of the image that follows, as written
    MARK_TREE = 21           # text: the elements of the formula before it, which has no TeX, as XML
    MARK_STYLE = 22          # an inline element with a style of its own begins; number: bits STYLE_…
    MARK_STYLE_END = 23
    MARK_MEDIA = 24          # the image that follows is a video, a sound, or a player in a frame
    MARK_SIDE = 25           # a note beside the text refers to what is before it
    MARK_SIDE_NOTE = 26      # the element is the note of the next MARK_SIDE, in their order
    MARK_CALLOUT = 27        # text: the element is a note, a warning …
    MARK_TASK = 28           # an item of a list of tasks; number: 1 if it is done
    MARK_HEADING = 29        # the element is a heading without a tag of one; number: its level

cpdef enum Alignment:
    ALIGN_LEFT = 1
    ALIGN_CENTER = 2
    ALIGN_RIGHT = 3

# Bits of MARK_STYLE. None of two bits: as around the element.
cdef enum:
    STYLE_BOLD = 1
    STYLE_LIGHT = 2
    STYLE_ITALIC = 4
    STYLE_UPRIGHT = 8

# Attributes that are read; the numbers are used only in memory.
cdef enum:
    NO_ATTRIBUTE = 0
    OF_HREF = 1
    OF_ID = 2
    OF_NAME = 3
    OF_START = 4
    OF_VALUE = 5
    OF_COLSPAN = 6
    OF_ROWSPAN = 7
    OF_ALIGN = 8
    OF_STYLE = 9
    OF_CLASS = 10
    OF_LANGUAGE = 11
    OF_ROLE = 12
    OF_SRC = 14
    OF_BASE = 15             # the address of a <base>
    OF_ALT = 16
    OF_DISPLAY = 17
    OF_TYPE = 18
    OF_HIDDEN = 19           # this one and the next ones only tell the walk something
    OF_LANG = 20
    OF_ENCODING = 21
    OF_ALTTEXT = 22
    OF_WIDTH = 23
    OF_HEIGHT = 24
    OF_TEX = 25
    OF_TITLE = 26
    OF_CALLOUT = 27
    OF_CHECKED = 28
    OF_DISABLED = 29
    OF_LEVEL = 30
    OF_CONTROLS = 31
    OF_POPUP = 32
    OF_OPEN = 33

cdef inline bint next_name(
    const unsigned char* value, size_t length, size_t* begin, size_t* end
) noexcept nogil:
    """Finds the next name in a class attribute from `end` on, which is 0 at first. Returns whether there is one."""
    begin[0] = end[0]
    while begin[0] < length and is_white(value[begin[0]]):
        begin[0] += 1
    end[0] = begin[0]
    while end[0] < length and (value[end[0]] > c" " or not is_white(value[end[0]])):
        end[0] += 1
    return end[0] > begin[0]


cdef bint is_one_of(const unsigned char* name, size_t length, const char** names) noexcept nogil
cdef void add_mark(builder_t* b, int kind, uint32_t number) noexcept nogil
cdef void add_text_mark(builder_t* b, int kind, const unsigned char* text, size_t length) noexcept nogil
cdef void lengthen_mark(builder_t* b, const unsigned char* text, size_t length) noexcept nogil
cdef void mark_attribute(
    builder_t* b, int tag, int which, const unsigned char* value, size_t length
) noexcept nogil

cdef void mark_callout(builder_t* b, const unsigned char* class_, size_t length) noexcept nogil

# What the attributes of an <img> say.
ctypedef struct picture_t:
    const str_t* source      # what it gets when it is seen, or its own; NULL for none
    const str_t* alt         # NULL for none
    bint late                # the source is the one that it gets when it is seen
    int32_t width            # in pixels, -1 if it is not said
    int32_t height

cdef void open_picture(picture_t* picture) noexcept nogil
cdef void picture_attribute(
    builder_t* b, picture_t* picture, int which, const unsigned char* name, size_t length, const str_t* value
) noexcept nogil
cdef void mark_picture(builder_t* b, const picture_t* picture, bint media) noexcept nogil
cdef bint typesets(const unsigned char* text, size_t length) noexcept nogil
cdef void mark_script(builder_t* b, const str_t* source, const str_t* text) noexcept nogil
cdef size_t value_at(const unsigned char* style, size_t length, const char* name) noexcept nogil
cdef uint32_t style_of(const unsigned char* style, size_t length) noexcept nogil
cdef bint says_display(int which, const unsigned char* value, size_t length) noexcept nogil
cdef bint class_conceals(const unsigned char* value, size_t length) noexcept nogil
cdef bint names_overlay(const unsigned char* value, size_t length) noexcept nogil
cdef uint64_t style_hash(int tag, const unsigned char* name, size_t length) noexcept nogil
cdef uint32_t read_class(
    builder_t* b, uint64_t style, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil
cdef uint32_t read_names(
    builder_t* b, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil
