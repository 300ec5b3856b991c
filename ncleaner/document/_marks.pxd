"""Marks: what only formats with structure need of a page, such as the targets of links.

A mark has a kind, its place (the run that follows, and an element), and a number or a text. Builders note them only if
`builder_t.marking` is set.
"""

from libc.stdint cimport uint32_t

from ncleaner.document._tables cimport builder_t, mark_t, tables_t

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
    MARK_VALUE = 11          # number of an <li>, with sign; 0: that after the item before
    MARK_COLUMNS = 12        # number of columns that a cell covers, if it is not one
    MARK_ROWS = 13           # number of rows that a cell covers, if it is not one
    MARK_ALIGN = 14          # of the text of a cell: ALIGN_…
    MARK_ID = 15             # text: the id of an element, or the name of an anchor
    MARK_LAYOUT = 16         # the element is a table only for its layout
    MARK_BASE = 17           # text: what addresses are relative to
    MARK_TYPESET = 18        # a script typesets formulas; number: 1 if a single dollar sign begins one, too
    MARK_CODE = 19           # an inline element of code begins
    MARK_SOURCES = 20        # text: a `srcset` of the image that follows, as written
    MARK_STYLE = 22          # an inline element with a style of its own begins; number: bits STYLE_…
    MARK_STYLE_END = 23
    MARK_MEDIA = 24          # the image that follows is a video, a sound, or a player in a frame
    MARK_SIDE = 25           # a note beside the text refers to what is before it
    MARK_SIDE_NOTE = 26      # the element is the note of the next MARK_SIDE, in their order
    MARK_CALLOUT = 27        # text: the element is a note, a warning …
    MARK_TASK = 28           # an item of a list of tasks; number: 1 if it is done
    MARK_HEADING = 29        # the element is a heading without a tag of one; number: its level
    MARK_LEVEL = 30          # number: the level of a list or an item that is not inside of those above it, from 1 on
    MARK_TIME = 32           # text: the time of a <time>, as a program reads it
    MARK_REVERSED = 31       # the numbers of an <ol> go down

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

cdef enum:
    LONGEST_TEXT = 4_000     # bytes of the text of a mark; a longer one is left out

cdef void add_mark(builder_t* b, int kind, uint32_t number) noexcept nogil
cdef void add_text_mark(builder_t* b, int kind, const unsigned char* text, size_t length) noexcept nogil
cdef void lengthen_mark(builder_t* b, const unsigned char* text, size_t length) noexcept nogil
cdef bytes mark_text(const tables_t* t, const mark_t* mark)
