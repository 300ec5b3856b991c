"""Roles, forms, codes of tags and bits of the inline context, for compiled code.

The numbers are those of `tags.py`, which lists all tags, and says which conditions the numbers satisfy; this file has
only those that compiled code needs. `dumping/_builder.pyx` calls `_tags.check` at import, which compares all of them.
"""

cpdef enum Role:
    ROLE_INLINE = 0
    ROLE_BLOCK = 1
    ROLE_LEFT_OUT = 2
    ROLE_BREAK = 3
    ROLE_IMAGE = 4
    ROLE_RULE = 5

cpdef enum Form:
    FORM_PLAIN = 0
    FORM_HEADING = 1
    FORM_ITEM = 2
    FORM_PREFORMATTED = 3

cpdef enum Side:
    SIDE_TEXT = 0
    SIDE_FORMAT = 1
    SIDE_SHIFTED = 2
    SIDE_LINK = 3
    SIDE_OTHER = 4

cpdef enum Tag:
    TAG_UNKNOWN = 0      # unknown tags, which are inline
    TAG_CUSTOM = 1       # custom elements, which are blocks
    TAG_HTML = 2
    TAG_BODY = 3
    TAG_DIV = 4
    TAG_P = 5
    TAG_ARTICLE = 7
    TAG_MAIN = 8
    TAG_ASIDE = 9
    TAG_HEADER = 10
    TAG_FOOTER = 11
    TAG_NAV = 12
    TAG_BLOCKQUOTE = 15
    TAG_FORM = 17
    TAG_LEGEND = 19
    TAG_SUMMARY = 21
    TAG_DIALOG = 22
    TAG_FIGURE = 23
    TAG_FIGCAPTION = 24
    TAG_TABLE = 25
    TAG_CAPTION = 26
    TAG_THEAD = 28
    TAG_TR = 30
    TAG_TD = 31
    TAG_TH = 32
    TAG_UL = 33
    TAG_OL = 34
    TAG_LI = 37
    TAG_DL = 38
    TAG_DT = 39
    TAG_DD = 40
    TAG_H1 = 41
    TAG_H2 = 42
    TAG_H3 = 43
    TAG_H4 = 44
    TAG_H5 = 45
    TAG_H6 = 46
    TAG_PRE = 47
    TAG_LISTING = 48
    TAG_XMP = 49
    TAG_PLAINTEXT = 50
    TAG_A = 55
    TAG_CODE = 68
    TAG_MATH = 97

cpdef enum Context:
    CONTEXT_LINK = 0
    CONTEXT_BOLD = 1
    CONTEXT_ITALIC = 2
    CONTEXT_UNDERLINE = 3
    CONTEXT_STRIKE = 4
    CONTEXT_CODE = 5
    CONTEXT_SMALL = 6
    CONTEXT_FONT = 8
    CONTEXT_SUB = 9
    CONTEXT_SUP = 10
    CONTEXT_QUOTE = 11
    CONTEXT_TIME = 13
    CONTEXT_LABEL = 14
    CONTEXT_MARK = 15
    CONTEXT_SPAN = 16
    CONTEXT_ALT = 17

cdef enum:
    MAX_TAGS = 256       # codes of tags are smaller
    MAX_CONTEXTS = 32    # bits of the inline context have smaller numbers
    MAX_CUES = 29        # bits of cues in `element_t.cues` have smaller numbers; those of CONCEALED and SPECIAL follow
