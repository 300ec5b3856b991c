"""What Python sees of the writers: a mask and what it knows of links go in, bytes come out."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ncleaner.document._marks cimport MARK_IMAGE, MARK_LINK, MARK_LINK_END
from ncleaner.document._tables cimport Tables, mark_t, tables_t
from ncleaner.markup._html cimport write_html
from ncleaner.markup._markdown cimport write_markdown
from ncleaner.markup._escape cimport out_t
from ncleaner.markup._outline cimport outline
from ncleaner.markup._sheet cimport close_sheet, open_sheet, sheet_t, text_t

import numpy as np


cdef const uint8_t[::1] _rows_of(Tables tables, mask):
    cdef const uint8_t[::1] kept = np.ascontiguousarray(mask).view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    return kept


cdef int _point(text_t* text, bytes given) except -1:
    text.data = <const char*> given
    text.length = len(given)
    return 0


def render(
    Tables tables not None, mask not None, bint html=False, dict addresses=None, dict notes=None, dict definitions=None,
    list labels=None, bint images=False, bint repeats=False,
):
    """Returns the kept segments as Markdown or HTML, in UTF-8; empty if none is kept.

    Args:
        tables: those of the page; without marks, there is only what the other tables tell.
        mask: shape (segments,), bool.
        html: write HTML.
        addresses: {mark of a link or an image: its address, ready to be written}; others are left out.
        notes: {mark of a link: the footnote that it refers to, or -2 for a link back to the text}.
        definitions: {element: the footnote that it is}.
        labels: those of the footnotes, ready to be written.
        images: write images that have an address, and leave their alternative texts out of the text.
        repeats: write a cell over several columns or rows in each of them.

    Raises:
        ValueError: the mask does not fit the document.
        MemoryError: there is not enough memory.
    """
    cdef const uint8_t[::1] kept = _rows_of(tables, mask)
    cdef sheet_t sheet
    cdef out_t out
    cdef Py_ssize_t i
    cdef const uint8_t* first = &kept[0] if kept.shape[0] else NULL
    memset(&out, 0, sizeof(out))
    if open_sheet(&sheet, &tables.t, first) < 0:
        close_sheet(&sheet)
        raise MemoryError
    try:
        sheet.images = images
        sheet.repeats = repeats
        if addresses:
            sheet.addresses = <text_t*> calloc(<size_t> tables.t.n_marks + 1, sizeof(text_t))
            if sheet.addresses == NULL:
                raise MemoryError
            for mark, address in addresses.items():
                _point(&sheet.addresses[<Py_ssize_t> mark], address)
        if notes:
            sheet.notes = <int32_t*> calloc(<size_t> tables.t.n_marks + 1, sizeof(int32_t))
            sheet.labels = <text_t*> calloc(len(labels) + 1, sizeof(text_t))
            if sheet.notes == NULL or sheet.labels == NULL:
                raise MemoryError
            for mark, note in notes.items():
                sheet.notes[<Py_ssize_t> mark] = note + 1
            for element, note in definitions.items():
                sheet.places[<Py_ssize_t> element].note = note + 1
            for i in range(len(labels)):
                _point(&sheet.labels[i], labels[i])
        with nogil:
            outline(&sheet)
            if not sheet.no_memory:
                if html:
                    write_html(&sheet, &out)
                else:
                    write_markdown(&sheet, &out)
        if sheet.no_memory or out.no_memory:
            raise MemoryError("not enough memory for the text of a page")
        return (<const char*> out.data)[: out.size] if out.size else b""
    finally:
        close_sheet(&sheet)
        free(sheet.addresses)
        free(sheet.notes)
        free(sheet.labels)
        free(out.data)


def kept_links(Tables tables not None, mask not None, bint fragments):
    """Returns the links with kept text in the order of the page: (mark, target as written, first run, end of runs).

    With `fragments`, only those that go to a place in the page itself.
    """
    cdef const uint8_t[::1] kept = _rows_of(tables, mask)
    cdef const tables_t* t = &tables.t
    cdef const mark_t* link = NULL
    cdef Py_ssize_t i, mark = 0
    cdef uint32_t run, end
    found = []
    for i in range(t.n_marks + 1):
        if i < t.n_marks and t.marks[i].kind != MARK_LINK and t.marks[i].kind != MARK_LINK_END:
            continue
        if link != NULL and (not fragments or link.length > 1 and t.values[link.value] == c"#"):
            end = t.marks[i].run if i < t.n_marks else <uint32_t> t.n_runs
            for run in range(link.run, min(end, <uint32_t> t.n_runs)):
                if kept[t.runs[run].segment]:
                    found.append((mark, (<const char*> t.values)[link.value : link.value + link.length], run, end))
                    break
        link = NULL
        if i < t.n_marks and t.marks[i].kind == MARK_LINK:
            link = &t.marks[i]
            mark = i
    return found


def images_of(Tables tables not None):
    """Returns all images: (mark, source as written)."""
    return [(mark, text) for text, _, mark in texts_of(tables, MARK_IMAGE)]


def texts_of(Tables tables not None, int kind):
    """Returns the texts of all marks of a kind: (text, element, mark)."""
    cdef const tables_t* t = &tables.t
    cdef const mark_t* mark
    cdef Py_ssize_t i
    found = []
    for i in range(t.n_marks):
        mark = &t.marks[i]
        if mark.kind == <uint32_t> kind:
            found.append(((<const char*> t.values)[mark.value : mark.value + mark.length], mark.element, i))
    return found
