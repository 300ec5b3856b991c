"""Roles, forms, codes of tags and bits of the inline context, for compiled code.

The numbers are those of `tags.py`, which has the names of all tags; here stand the ones that compiled code
asks for. `_tags.check`, which `_document.pyx` calls at import, compares them all. What binds the numbers: the
headings h1 … h6 stand in a row (`TAG_H1 <= tag <= TAG_H6`), a code of a tag fits into a byte, and a context bit
into the 32 of `run_t.context`. Model files hold none of them: features and their groups of tags go by name.
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

cpdef enum Tag:
    TAG_UNKNOWN = 0      # inline
    TAG_CUSTOM = 1       # custom elements, which are blocks
    TAG_TD = 31
    TAG_TH = 32
    TAG_H1 = 41
    TAG_H2 = 42
    TAG_H3 = 43
    TAG_H4 = 44
    TAG_H5 = 45
    TAG_H6 = 46

cpdef enum Context:
    CONTEXT_LINK = 0
    CONTEXT_BOLD = 1
    CONTEXT_ITALIC = 2
    CONTEXT_UNDERLINE = 3
    CONTEXT_CODE = 5
    CONTEXT_SMALL = 6
    CONTEXT_FONT = 8
    CONTEXT_TIME = 13
    CONTEXT_LABEL = 14
    CONTEXT_SPAN = 16
    CONTEXT_ALT = 17

cdef enum:
    MAX_TAGS = 256       # codes are below
    MAX_CONTEXTS = 32    # bits of the inline context are below
    MAX_CUES = 30        # bits of `element_t.cues` are below; the next is CONCEALED
