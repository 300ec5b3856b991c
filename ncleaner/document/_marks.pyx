"""Notes the marks of a page in the builder's tables, and reads their texts."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from ncleaner.document._tables cimport Tables, grow, mark_t, tables_t

cdef enum:
    LONGEST_SET = 16_000     # bytes of a `srcset`


cdef void add_mark(builder_t* b, int kind, uint32_t number) noexcept nogil:
    """Notes a mark at the end of the text so far."""
    if not grow(<void**> &b.marks, &b.cap_marks, b.n_marks + 1, sizeof(mark_t), &b.no_memory):
        return
    cdef mark_t* mark = &b.marks[b.n_marks]
    mark.run = <uint32_t> b.n_runs
    mark.element = b.element
    mark.kind = <uint32_t> kind
    mark.value = number
    mark.length = 0
    b.n_marks += 1


cdef void add_text_mark(builder_t* b, int kind, const unsigned char* text, size_t length) noexcept nogil:
    """Notes a mark with a text; a text that is too long is left out with its mark."""
    if length <= (LONGEST_SET if kind == MARK_SOURCES else LONGEST_TEXT):
        add_mark(b, kind, <uint32_t> b.n_values)
        lengthen_mark(b, text, length)


cdef void lengthen_mark(builder_t* b, const unsigned char* text, size_t length) noexcept nogil:
    """Adds to the text of the last mark."""
    if not b.no_memory and length and grow(
        <void**> &b.values, &b.cap_values, b.n_values + length, 1, &b.no_memory
    ):
        memcpy(b.values + b.n_values, text, length)
        b.n_values += length
        b.marks[b.n_marks - 1].length += <uint32_t> length


cdef bytes mark_text(const tables_t* t, const mark_t* mark):
    return (<const char*> t.values)[mark.value : mark.value + mark.length]


def text_at(Tables tables not None, Py_ssize_t mark):
    """Returns the text of a mark."""
    return mark_text(&tables.t, &tables.t.marks[mark])


def texts_of(Tables tables not None, int kind):
    """Returns the texts of all marks of a kind: (text, element, mark, run that follows)."""
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t i
    return [
        (mark_text(t, &t.marks[i]), t.marks[i].element, i, t.marks[i].run)
        for i in range(t.n_marks) if t.marks[i].kind == <uint32_t> kind
    ]
