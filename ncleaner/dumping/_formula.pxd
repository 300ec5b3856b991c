"""Interface of the functions that recognize formulas and write them."""

from ncleaner.document._tables cimport builder_t
from ncleaner.parsing._structs cimport node_t, str_t

cdef enum:
    # What the class of an element says about formulas.
    NO_FORMULA = 0
    FORMULA_RENDERED = 1  # a formula as MathJax shows it; its TeX or MathML may be inside or after it
    FORMULA_PREVIEW = 2   # what MathJax shows until the formula is ready
    FORMULA_COPY = 3      # a second form of the formula before it
    FORMULA_SOURCE = 4    # MathML that is hidden, because an image shows the formula
    FORMULA_IMAGE = 5     # an image of a formula, with TeX as alternative text
    FORMULA_TEXT = 6      # TeX in its delimiters, which a script typesets


cdef unsigned char begins_formula[256]

cdef inline bint may_be_formula(const unsigned char* name, size_t length) noexcept nogil:
    """Returns False for nearly all classes, by the first character."""
    return length > 2 and begins_formula[name[0]]


cdef int formula_class(const unsigned char* name, size_t length) noexcept nogil
cdef bint says_tex(const unsigned char* text, size_t length) noexcept nogil
cdef bint is_tex(
    const unsigned char* text, size_t length, const unsigned char* class_, size_t class_length
) noexcept nogil
cdef bint is_of_formula(const unsigned char* address, size_t length) noexcept nogil
cdef void add_tex(builder_t* b, const unsigned char* tex, size_t length, bint display) noexcept nogil
cdef bint is_named(const node_t* node, const char* name) noexcept nogil
cdef int add_math(builder_t* b, node_t* math, bint display) except -1
cdef void add_unread(builder_t* b) noexcept nogil
cdef int add_drawn(builder_t* b, const str_t* source) except -1
cdef bint add_reading(
    builder_t* b, const unsigned char* data, size_t length, bint open_, bint apart
) noexcept nogil
cdef void end_readings(builder_t* b) noexcept nogil
