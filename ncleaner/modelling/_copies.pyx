"""Text that stands twice on a page: sliders, tabs, cards for narrow and for wide screens, a teaser and its article.

A copy in a block of another style (other tags and classes from the root down) is such a second form of the same text.
Copies of one style are the page's own: refrains, repeated rows and examples.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from ncleaner.document._hashes cimport mix, row_of, rows_for
from ncleaner.document._tables cimport PREFORMATTED, Tables, segment_t, tables_t
from ncleaner.document._styles cimport fill_styles, style_of
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, fold

import numpy as np

cdef enum:
    # Shorter segments, such as prices and names, may well stand twice. In scripts without spaces, words are long.
    WORDS = 6
    CHARS = 18
    LONG_WORD = 8
    # Texts that begin with the same letters, so many, are compared as a whole.
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
            h = (h ^ code) * <uint64_t> 0x100000001B3 + 1
            n += 1
            if n == most:
                break
    return mix(h)


cdef bint drop_kept_copies(const tables_t* t, uint8_t* kept) noexcept nogil:
    """Takes copies from a mask, as `drop_copies`. Returns False if there was not enough memory."""
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
    free(texts)
    free(styles)
    return done


def drop_copies(Tables tables not None, mask not None):
    """Takes from a mask each kept segment whose text is kept before in a block of another style.

    Args:
        tables: those of the page.
        mask: shape (segments,), bool, changed in place. The time is linear in the segments and their text.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = mask.view(np.uint8)
    cdef bint done
    if kept.shape[0] != tables.t.n_segments:
        raise ValueError("the mask does not fit the document")
    if not kept.shape[0]:
        return
    with nogil:
        done = drop_kept_copies(&tables.t, &kept[0])
    if not done:
        raise MemoryError
