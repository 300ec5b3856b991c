"""Reads what the marks of a page say about its elements and runs."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ncleaner.document._marks cimport (
    MARK_ALIGN, MARK_BLANK, MARK_BREAK, MARK_CODE, MARK_COLUMNS, MARK_FORMULA, MARK_FORMULA_END, MARK_IMAGE,
    MARK_LANGUAGE, MARK_LAYOUT, MARK_LINK, MARK_LINK_END, MARK_ROWS, MARK_START, MARK_TYPESET, MARK_VALUE,
)
from ncleaner.document._tables cimport mark_t
from ncleaner.document._tags cimport TAG_LI


cdef int open_sheet(sheet_t* sheet, const tables_t* t, const uint8_t* kept) noexcept nogil:
    """Begins a sheet; returns 0, or -1 if there is not enough memory."""
    memset(sheet, 0, sizeof(sheet_t))
    sheet.t = t
    sheet.kept = kept
    sheet.places = <place_t*> calloc(<size_t> t.n_elements + 1, sizeof(place_t))
    sheet.extras = <extra_t*> calloc(<size_t> t.n_runs + 1, sizeof(extra_t))
    return 0 if sheet.places != NULL and sheet.extras != NULL else -1


cdef void close_sheet(sheet_t* sheet) noexcept nogil:
    free(sheet.places)
    free(sheet.extras)
    free(sheet.nodes)
    free(sheet.columns)


cdef void _fill_runs(sheet_t* sheet, uint32_t start, uint32_t end, int32_t link, uint8_t formula) noexcept nogil:
    cdef uint32_t run
    for run in range(start, min(end, <uint32_t> sheet.t.n_runs)):
        if formula:
            sheet.extras[run].formula = formula
        else:
            sheet.extras[run].link = link


cdef void _number_items(sheet_t* sheet) noexcept nogil:
    """Numbers the items of all lists, with those that are not kept."""
    cdef const tables_t* t = sheet.t
    cdef place_t* place
    cdef place_t* around
    cdef Py_ssize_t e
    cdef int32_t parent
    for e in range(t.n_elements):
        parent = t.elements[e].parent
        if t.elements[e].tag != TAG_LI or not 0 <= parent < t.n_elements:
            continue
        place = &sheet.places[e]
        around = &sheet.places[parent]
        if place.flags & HAS_VALUE:
            around.number = place.number
        place.number = around.number
        if around.number < 999_999_999:
            around.number += 1


cdef void read_marks(sheet_t* sheet) noexcept nogil:
    """Fills the sheet with what the marks say."""
    cdef const tables_t* t = sheet.t
    cdef const mark_t* mark
    cdef place_t* place
    cdef extra_t* extra
    cdef int32_t link = -1
    cdef uint32_t formula = 0, began = 0
    cdef Py_ssize_t i
    for i in range(t.n_elements):
        sheet.places[i].number = 1
        sheet.places[i].columns = 1
        sheet.places[i].rows = 1
    for i in range(t.n_marks):
        mark = &t.marks[i]
        if mark.run > <uint32_t> t.n_runs or mark.element >= t.n_elements:
            continue
        extra = &sheet.extras[mark.run]
        # an element that is none has the place behind the last
        place = &sheet.places[mark.element if mark.element >= 0 else t.n_elements]
        if mark.kind == MARK_LINK or mark.kind == MARK_LINK_END:
            if link >= 0:
                _fill_runs(sheet, t.marks[link].run, mark.run, link + 1, 0)
            link = <int32_t> i if mark.kind == MARK_LINK else -1
        elif mark.kind == MARK_FORMULA:
            # two formulas that touch differ by one bit
            formula = (formula & NEXT_FORMULA ^ NEXT_FORMULA) | (DISPLAY if mark.value else INLINE)
            began = mark.run
        elif mark.kind == MARK_FORMULA_END:
            _fill_runs(sheet, began, mark.run, 0, <uint8_t> formula)
            sheet.has_formulas = True
        elif mark.kind == MARK_IMAGE:
            if not extra.image:
                extra.image = <int32_t> i + 1
        elif mark.kind == MARK_BREAK:
            if extra.breaks < 2:
                extra.breaks += 1
        elif mark.kind == MARK_CODE:
            extra.code = True
        elif mark.kind == MARK_BLANK:
            extra.blanks = <int32_t> mark.value
        elif mark.kind == MARK_LANGUAGE:
            if not place.language:
                place.language = <int32_t> i + 1
        elif mark.kind == MARK_START:
            place.number = <int32_t> mark.value
        elif mark.kind == MARK_VALUE:
            place.number = <int32_t> mark.value
            place.flags |= HAS_VALUE
        elif mark.kind == MARK_COLUMNS:
            place.columns = <int32_t> mark.value
        elif mark.kind == MARK_ROWS:
            place.rows = <int32_t> mark.value
        elif mark.kind == MARK_ALIGN:
            place.align = <uint8_t> mark.value
        elif mark.kind == MARK_LAYOUT:
            place.flags |= FOR_LAYOUT
        elif mark.kind == MARK_TYPESET:
            sheet.typeset = max(sheet.typeset, 1 + <int32_t> mark.value)
    if link >= 0:
        _fill_runs(sheet, t.marks[link].run, <uint32_t> t.n_runs, link + 1, 0)
    _number_items(sheet)
