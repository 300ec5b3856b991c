"""Changes of a mask after the decision: copies of text are removed, cells of tables are added.

*Copies.* Sliders, tabs, cards for narrow and wide screens, or a teaser and its article have a text twice on a page. A
copy in a block of another style (other tags and classes from the root down) is a second form of the same text. Copies
of one style are the page's own: refrains, repeated rows and examples.

*Tables.* A data table without the names of its columns, or with holes, says little. Short cells are hard to judge one
by one, and a value that occurs twice in a table is not a copy. So a table that is nearly all kept is kept whole.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ncleaner.document._hashes cimport extended, mix, row_of, rows_for
from ncleaner.document._styles cimport fill_styles, style_of
from ncleaner.document._tables cimport HIDDEN, PREFORMATTED, Tables, element_t, segment_t, tables_t
from ncleaner.document._tags cimport TAG_TABLE, TAG_TD, TAG_TH, TAG_TR
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, fold

import numpy as np

# --------------------------------------------------------------------------------------------------
# Copies.

cdef enum:
    # Shorter segments, such as prices and names, may well occur twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters are compared as a whole.
    BEGINNING = 48

cdef struct text_t:
    uint64_t key
    uint64_t style
    Py_ssize_t first
    bint seen


cdef inline bint _is_long(const segment_t* s) noexcept nogil:
    return not s.flags & PREFORMATTED and (s.words >= WORDS or s.chars >= CHARS and s.words * LONG_WORD < s.chars)


cdef uint64_t _letters_of(const uint8_t* text, const segment_t* s, int most) noexcept nogil:
    """Returns the hash of the letters and digits of a segment, without case; of the first `most`, if this is not 0."""
    cdef const uint8_t* p = text + s.start
    cdef const uint8_t* end = text + s.end
    cdef uint64_t h = 7
    cdef uint32_t code
    cdef int n = 0
    while p < end:
        p += decode_utf8(p, <size_t> (end - p), &code)
        if fold(&code) != NO_LETTER:
            h = extended(h, code)
            n += 1
            if n == most:
                break
    return mix(h)


cdef bint drop_kept_copies(const tables_t* t, uint8_t* kept, int32_t* firsts) noexcept nogil:
    """Takes copies from a mask, as `drop_copies`; `firsts` may be NULL. Returns False if memory ran out."""
    cdef const segment_t* s = t.segments
    cdef uint64_t size = rows_for(t.n_segments), style
    cdef text_t* texts = <text_t*> calloc(size, sizeof(text_t))
    cdef uint64_t* styles = <uint64_t*> calloc(t.n_elements + 1, sizeof(uint64_t))
    cdef text_t* found
    cdef bint done = texts != NULL and styles != NULL
    cdef Py_ssize_t i
    if done:
        fill_styles(t.elements, t.n_elements, styles)
        for i in range(t.n_segments):
            if not kept[i] or not _is_long(&s[i]):
                continue
            style = style_of(styles, &s[i])
            found = <text_t*> row_of(texts, sizeof(text_t), size - 1, _letters_of(t.text, &s[i], BEGINNING) | 1)
            if not found.seen:
                found.seen = True
                found.style = style
                found.first = i
            elif (
                # the length bounds the time: it stays linear in the text of this segment
                found.style != style and s[found.first].chars <= 2 * s[i].chars
                and _letters_of(t.text, &s[i], 0) == _letters_of(t.text, &s[found.first], 0)
            ):
                kept[i] = 0
                if firsts != NULL:
                    firsts[i] = <int32_t> found.first
    free(texts)
    free(styles)
    return done


def drop_copies(Tables tables not None, mask not None, firsts=None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the segments and their text.
        firsts: shape (segments,), int32: gets the segment that each removed one copies; None: no record.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    cdef int32_t[::1] copied
    cdef int32_t* out = NULL
    cdef bint done
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    if firsts is not None:
        copied = firsts
        if copied.shape[0] != tables.t.n_segments:
            raise ValueError("the record of copies does not fit the document")
        out = &copied[0]
    with nogil:
        done = drop_kept_copies(&tables.t, &kept[0], out)
    if not done:
        raise MemoryError


# --------------------------------------------------------------------------------------------------
# Tables.

cdef enum:
    # A cell with more or longer segments has text of its own, and its table may be one for layout.
    MOST_SEGMENTS = 3
    LONGEST = 400
    # Least number of rows and cells with text in a data table.
    ROWS = 2
    CELLS = 4
    # Least share of the segments in its cells that is kept, in per cent.
    SHARE = 70

# What is counted of a table.
cdef struct count_t:
    Py_ssize_t end       # the first element after it
    Py_ssize_t rows      # with text
    Py_ssize_t cells     # with text
    Py_ssize_t segments  # in cells, without hidden ones
    Py_ssize_t kept


cdef inline bint _is_cell(const element_t* e) noexcept nogil:
    return (e.tag == TAG_TD or e.tag == TAG_TH) and e.first_run < e.last_run


cdef bint _count(const tables_t* t, Py_ssize_t table, const uint8_t* kept, count_t* found) noexcept nogil:
    """Counts a table. Returns False if it has another one inside, or a cell with text of its own."""
    cdef const element_t* elements = t.elements
    cdef const segment_t* s
    cdef Py_ssize_t e = table + 1
    cdef int32_t first, last, i
    cdef bint named = False
    found.rows = found.cells = found.segments = found.kept = 0
    while e < t.n_elements and elements[e].depth > elements[table].depth:
        if elements[e].tag == TAG_TABLE:
            return False
        if elements[e].tag == TAG_TR:
            named = False
        elif _is_cell(&elements[e]):
            first = t.runs[elements[e].first_run].segment
            last = t.runs[elements[e].last_run - 1].segment
            if last - first >= MOST_SEGMENTS:
                return False
            found.cells += 1
            if not named:
                named = True
                found.rows += 1
            for i in range(first, last + 1):
                s = &t.segments[i]
                if s.chars > LONGEST:
                    return False
                if not s.flags & HIDDEN:
                    found.segments += 1
                    found.kept += kept[i]
        e += 1
    found.end = e
    return found.rows >= ROWS and found.cells >= CELLS


cdef void keep_whole_tables(const tables_t* t, uint8_t* kept) noexcept nogil:
    """Adds cells to a mask, as `complete_tables`."""
    cdef const element_t* e
    cdef Py_ssize_t table, k
    cdef int32_t i
    cdef count_t found
    for table in range(t.n_elements):
        e = &t.elements[table]
        if e.tag != TAG_TABLE or e.first_run == e.last_run or not _count(t, table, kept, &found):
            continue
        if found.kept == found.segments or 100 * found.kept < SHARE * found.segments:
            continue
        for k in range(table + 1, found.end):
            e = &t.elements[k]
            if _is_cell(e):
                for i in range(t.runs[e.first_run].segment, t.runs[e.last_run - 1].segment + 1):
                    if not t.segments[i].flags & HIDDEN:
                        kept[i] = True


def complete_tables(Tables tables not None, mask not None):
    """Adds to a mask the other cells of tables of data of which at least 70 per cent is kept.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the elements of the page.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    with nogil:
        keep_whole_tables(&tables.t, &kept[0])
