"""The attributes that are read, and the words of class, id and role."""

from libc.stdint cimport uint32_t, uint64_t

from ncleaner.document._tables cimport builder_t
from ncleaner.text._letters cimport is_white

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
    OF_MODAL = 34
    OF_SHADOW = 35           # of a declarative shadow root
    OF_SLOT = 36
    OF_REVERSED = 37
    OF_DATETIME = 39
    OF_BLOCK = 38            # what a block of an editor is

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
