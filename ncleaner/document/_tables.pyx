"""The tables of a Document, in memory that a builder has filled or in arrays.

Compiled code reads them in place. A page that is only cleaned needs no NumPy arrays: they are made when somebody asks.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint16_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp

import numpy as np

# The rows as NumPy has them, with the layout that the compiler gives the structs.
cdef run_t _run
cdef segment_t _segment
cdef element_t _element
cdef mark_t _mark
cdef run_t[::1] _runs = <run_t[:1]> &_run
cdef segment_t[::1] _segments = <segment_t[:1]> &_segment
cdef element_t[::1] _elements = <element_t[:1]> &_element
cdef mark_t[::1] _marks = <mark_t[:1]> &_mark
RUN, SEGMENT, ELEMENT, MARK = [np.asarray(each).dtype for each in (_runs, _segments, _elements, _marks)]
cdef list DTYPES = [np.uint8, RUN, SEGMENT, ELEMENT, np.uint16, MARK, np.uint8]

# What an empty table points to; no code reads it.
cdef uint64_t nothing[8]


cdef class _Part:
    """One table as bytes that cannot be changed. It keeps all tables alive."""

    cdef Tables owner
    cdef void* rows
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.rows, self.size, 1, flags)

    def __releasebuffer__(self, Py_buffer* view):
        pass


cdef class Tables:
    """The tables of a Document: text, runs, segments, elements, names and marks; see `tables.Document`.

    Args:
        text: UTF-8.
        runs, segments, elements, names: the rows, as arrays or bytes. They are not copied if they are contiguous. Rows
            have to name only rows that there are: nothing checks this.
        tags_behind: number of tags of the tree after the last run.
        marks, values: the rows of marks, and the UTF-8 of their texts; empty if they are not asked for.
    """

    def __cinit__(self, *_, **__):
        cdef int i
        self.arrays = [None] * COUNT
        for i in range(COUNT):
            self.rows[i] = <void*> nothing

    def __init__(
        self, bytes text not None, runs, segments, elements, names, Py_ssize_t tags_behind=0, marks=b"", values=b""
    ):
        cdef Py_buffer view
        cdef int i
        for i, table in enumerate((text, runs, segments, elements, names, marks, values)):
            if not isinstance(table, bytes):
                table = np.ascontiguousarray(table)
            self.arrays[i] = table
            # the array stays, and with it the memory
            PyObject_GetBuffer(table if isinstance(table, bytes) else table.view(np.uint8), &view, PyBUF_SIMPLE)
            if view.len:
                self.rows[i] = view.buf
                self.sizes[i] = view.len
            PyBuffer_Release(&view)
        self.tags_behind = tags_behind
        self._point()

    def __dealloc__(self):
        cdef int i
        for i in range(COUNT):
            free(self.own[i])

    cdef void _point(self) noexcept:
        """Sets the places and numbers of rows that compiled code reads."""
        self.t.text = <const uint8_t*> self.rows[TEXT]
        self.t.length = <size_t> self.sizes[TEXT]
        self.t.runs = <const run_t*> self.rows[RUNS]
        self.t.n_runs = self.sizes[RUNS] // <Py_ssize_t> sizeof(run_t)
        self.t.segments = <const segment_t*> self.rows[SEGMENTS]
        self.t.n_segments = self.sizes[SEGMENTS] // <Py_ssize_t> sizeof(segment_t)
        self.t.elements = <const element_t*> self.rows[ELEMENTS]
        self.t.n_elements = self.sizes[ELEMENTS] // <Py_ssize_t> sizeof(element_t)
        self.t.names = <const uint16_t*> self.rows[NAMES]
        self.t.n_names = self.sizes[NAMES] // <Py_ssize_t> sizeof(uint16_t)
        self.t.marks = <const mark_t*> self.rows[MARKS]
        self.t.n_marks = self.sizes[MARKS] // <Py_ssize_t> sizeof(mark_t)
        self.t.values = <const uint8_t*> self.rows[VALUES]
        self.t.n_values = <size_t> self.sizes[VALUES]

    cdef void take(self, int which, void** rows, size_t size) noexcept:
        """Takes over the memory of a table, of which `size` bytes are used."""
        cdef void* smaller
        if size:
            smaller = realloc(rows[0], size)
            self.own[which] = self.rows[which] = smaller if smaller != NULL else rows[0]
            self.sizes[which] = <Py_ssize_t> size
        else:
            free(rows[0])
        rows[0] = NULL

    cdef uint8_t[::1] kept(self, mask):
        """Returns the bytes of a mask: shape (segments,), bool. Raises ValueError: it has another length."""
        cdef uint8_t[::1] kept = mask.view(np.uint8)
        if kept.shape[0] != self.t.n_segments:
            raise ValueError("the mask does not fit the document")
        return kept

    def __len__(self):
        """Number of segments."""
        return self.t.n_segments

    def __eq__(self, other):
        cdef int i
        if not isinstance(other, Tables):
            return NotImplemented
        cdef Tables theirs = other
        for i in range(COUNT):
            if self.sizes[i] != theirs.sizes[i] or memcmp(self.rows[i], theirs.rows[i], <size_t> self.sizes[i]):
                return False
        return self.tags_behind == theirs.tags_behind

    __hash__ = None

    @property
    def text(self):
        """The text, UTF-8."""
        if self.arrays[TEXT] is None:
            self.arrays[TEXT] = (<const char*> self.rows[TEXT])[: self.sizes[TEXT]]
        return self.arrays[TEXT]

    @property
    def n_runs(self):
        """Number of runs."""
        return self.t.n_runs

    @property
    def n_elements(self):
        """Number of elements."""
        return self.t.n_elements

    def array(self, int which):
        """Returns a table as an array of its rows. The array of a builder's table is read-only.

        Args:
            which: RUNS, SEGMENTS, ELEMENTS, NAMES, MARKS or VALUES.
        """
        cdef _Part part
        found = self.arrays[which]
        if found is None:
            part = _Part.__new__(_Part)
            part.owner = self
            part.rows = self.rows[which]
            part.size = self.sizes[which]
            # not kept: it keeps these tables, and Python does not find cycles through arrays
            return np.frombuffer(part, DTYPES[which])
        if isinstance(found, bytes):
            self.arrays[which] = found = np.frombuffer(found, DTYPES[which])
        return found

    def __reduce__(self):
        parts = [(<const char*> self.rows[i])[: self.sizes[i]] for i in range(COUNT)]
        return Tables, (*parts[:MARKS], self.tags_behind, *parts[MARKS:])
