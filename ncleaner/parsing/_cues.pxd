"""The attributes that are read, and the words of class, id and role."""

from libc.stdint cimport uint32_t, uint64_t

from ncleaner.document._tables cimport builder_t
from ncleaner.text._letters cimport is_white

# Attributes that are read.
cdef enum:
    NO_ATTRIBUTE, OF_HREF, OF_ID, OF_NAME, OF_START, OF_VALUE, OF_COLSPAN, OF_ROWSPAN, OF_ALIGN, OF_STYLE, OF_CLASS
    # OF_BASE: the address of a <base>
    OF_LANGUAGE, OF_ROLE, OF_SRC, OF_BASE, OF_ALT, OF_DISPLAY, OF_TYPE
    # These only tell the walk something. OF_SHADOW: of a declarative shadow root; OF_BLOCK: what one of an editor is.
    OF_HIDDEN, OF_LANG, OF_ENCODING, OF_ALTTEXT, OF_WIDTH, OF_HEIGHT, OF_TEX, OF_TITLE, OF_CALLOUT, OF_CHECKED
    OF_DISABLED, OF_LEVEL, OF_CONTROLS, OF_POPUP, OF_OPEN, OF_MODAL, OF_SHADOW, OF_SLOT, OF_REVERSED, OF_BLOCK
    OF_DATETIME

cdef enum:
    SCRIPT_BYTES = 8_000     # of a script that are looked at

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


cdef const char** CALLOUT_CLASSES

cdef bint is_one_of(const unsigned char* name, size_t length, const char** names) noexcept nogil
cdef size_t value_at(const unsigned char* style, size_t length, const char* name) noexcept nogil
cdef bint has_dollars(const unsigned char* text, size_t length) noexcept nogil
cdef bint typesets(const unsigned char* text, size_t length) noexcept nogil
cdef bint class_conceals(const unsigned char* value, size_t length) noexcept nogil
cdef bint names_overlay(const unsigned char* value, size_t length) noexcept nogil
cdef uint64_t style_hash(int tag, const unsigned char* name, size_t length) noexcept nogil
cdef uint32_t read_class(
    builder_t* b, uint64_t style, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil
cdef uint32_t read_names(
    builder_t* b, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil
