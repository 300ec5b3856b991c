"""What a mask keeps of a Document, for every page: its text and its sums; `kept.py` has what few outputs want.

The text goes from the Document's UTF-8 to the output's without being decoded.
"""

from libc.math cimport fabs, rint
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8

from ncleaner.document._tables cimport Tables, segment_t, tables_t
from ncleaner.text._letters cimport Py_UNICODE_ISALNUM, Py_UNICODE_ISALPHA, decode_utf8, is_unspaced, is_white

import numpy as np

# How many bytes a byte of text takes inside of a JSON string, and the letter of a short escape.
cdef uint8_t json_width[256]
cdef uint8_t json_letter[256]


cdef void _fill_json_tables():
    for c in range(256):
        json_width[c] = 6 if c < 32 else 1
        json_letter[c] = 0
    for c, letter in zip(b'"\\\b\t\n\f\r', b'"\\btnfr'):
        json_width[c] = 2
        json_letter[c] = letter

_fill_json_tables()


cdef object BOOL = np.dtype(np.bool_)


cdef class _Mask:
    """The bytes of a mask, which stay in place while this object lives. Every page has several: a view of Cython takes
    three times as long to make."""

    cdef Py_buffer view
    cdef const uint8_t* rows

    def __cinit__(self, Tables tables not None, mask not None):
        if getattr(mask, "dtype", None) is not BOOL:
            raise TypeError("the mask must be an array of bool")
        if not mask.flags.c_contiguous:
            mask = np.ascontiguousarray(mask)
        PyObject_GetBuffer(mask, &self.view, PyBUF_SIMPLE)
        self.rows = <const uint8_t*> self.view.buf
        if self.view.len != tables.t.n_segments:
            raise ValueError("the mask does not fit the document")

    def __dealloc__(self):
        PyBuffer_Release(&self.view)


def without(Tables tables not None, int flags):
    """Returns the segments that have none of some flags: shape (segments,), bool."""
    cdef Py_ssize_t n = tables.t.n_segments, i
    found = PyByteArray_FromStringAndSize(NULL, n)
    cdef char* out = PyByteArray_AS_STRING(found)
    for i in range(n):
        out[i] = tables.t.segments[i].flags & flags == 0
    return np.frombuffer(found, np.bool_)


def text_of(Tables tables not None, mask not None, bytes end not None=b""):
    """Returns the kept segments in UTF-8, each on its own line, and after the last one `end`.

    Args:
        tables: those of the page.
        mask: shape (segments,), bool.
        end: what follows the last kept segment; nothing does if there is none.

    Raises:
        TypeError: the mask is no array of bool.
        ValueError: the mask does not fit the document.
    """
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s
    cdef size_t size = 0, after = len(end)
    cdef const char* ending = <const char*> end
    cdef Py_ssize_t i
    for i in range(t.n_segments):
        if kept[i]:
            size += t.segments[i].end - t.segments[i].start + 1
    if not size or size + after == 1:
        # also for one segment without text: Python has one empty object for all, which no code may write to
        return b""
    found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (size - 1 + after))
    cdef char* out = PyBytes_AS_STRING(found)
    with nogil:
        for i in range(t.n_segments):
            if kept[i]:
                s = &t.segments[i]
                memcpy(out, t.text + s.start, s.end - s.start)
                out += s.end - s.start
                # the last one is in the place of the end, or the zero byte after the object's bytes
                out[0] = c"\n"
                out += 1
        memcpy(out - 1, ending, after + 1)
    return found


cdef inline bint _is_plain(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether a JSON string has this text as it is, as nearly all text."""
    cdef uint8_t escaped = 0
    # a loop without a branch, for the vector units of a processor
    while p < end:
        escaped |= (p[0] < 32) | (p[0] == c'"') | (p[0] == c"\\")
        p += 1
    return not escaped


def has_line_ends(bytes text not None):
    """Returns whether a text in UTF-8 has U+0085, U+2028 or U+2029, which are line ends for some readers."""
    cdef const uint8_t* p = <const uint8_t*> PyBytes_AS_STRING(text)
    cdef uint8_t found = 0
    cdef Py_ssize_t i, n = len(text)
    with nogil:
        # without a branch, as above; a zero byte is after the object's bytes
        for i in range(n - 1):
            found |= (p[i] == 0xC2) & (p[i + 1] == 0x85)
            found |= (p[i] == 0xE2) & (p[i + 1] == 0x80) & ((p[i + 2] & 0xFE) == 0xA8)
    return found != 0


cdef inline size_t _json_size(const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef size_t size = 0
    while p < end:
        size += json_width[p[0]]
        p += 1
    return size


def json_of(Tables tables not None, mask not None):
    """Returns the kept segments as a JSON string in UTF-8, with its quotation marks; a line end between two segments.

    Only quotation marks, backslashes and controls are escaped, as orjson does it. Arguments and errors as `text_of`.
    """
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef const tables_t* t = &tables.t
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef const char* digits = "0123456789abcdef"
    cdef size_t size = 2
    cdef Py_ssize_t i
    cdef bint any_kept = False
    with nogil:
        for i in range(t.n_segments):
            if kept[i]:
                p = t.text + t.segments[i].start
                end = t.text + t.segments[i].end
                size += (<size_t> (end - p) if _is_plain(p, end) else _json_size(p, end)) + 2 * any_kept
                any_kept = True
    found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> size)
    cdef char* out = PyBytes_AS_STRING(found)
    with nogil:
        out[0] = c'"'
        out += 1
        any_kept = False
        for i in range(t.n_segments):
            if not kept[i]:
                continue
            if any_kept:
                memcpy(out, b"\\n", 2)
                out += 2
            any_kept = True
            p = t.text + t.segments[i].start
            end = t.text + t.segments[i].end
            if _is_plain(p, end):
                memcpy(out, p, <size_t> (end - p))
                out += end - p
                continue
            while p < end:
                if json_width[p[0]] == 1:
                    out[0] = <char> p[0]
                    out += 1
                elif json_letter[p[0]]:
                    out[0] = c"\\"
                    out[1] = <char> json_letter[p[0]]
                    out += 2
                else:
                    memcpy(out, b"\\u00", 4)
                    out[4] = digits[p[0] >> 4]
                    out[5] = digits[p[0] & 15]
                    out += 6
                p += 1
        out[0] = c'"'
    return found


def number_kept(Tables tables not None, mask not None):
    """Returns the number of kept segments. Arguments and errors as `text_of`."""
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef Py_ssize_t n = 0, i
    for i in range(tables.t.n_segments):
        n += kept[i] != 0
    return n


def sums_of(Tables tables not None, mask not None):
    """Returns sums over the kept segments: (characters, characters in links).

    Arguments and errors as `text_of`.
    """
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef const tables_t* t = &tables.t
    cdef uint64_t chars = 0, links = 0
    cdef Py_ssize_t i
    with nogil:
        for i in range(t.n_segments):
            if kept[i]:
                chars += t.segments[i].chars
                links += t.segments[i].link_chars
    return chars, links


cdef bint _may_be_unspaced(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Whether a text may have letters of scripts without spaces: bytes that begin them, but not those of typography."""
    cdef uint8_t found = 0
    # a loop without a branch, for the vector units of a processor
    while p < end:
        found |= (p[0] >= 0xE0) & (p[0] != 0xE2)
        p += 1
    return found


cdef uint32_t _words_of(const uint8_t* text, const segment_t* s) noexcept nogil:
    """The words of a segment; see `words_of`."""
    cdef const uint8_t* p = text + s.start
    cdef const uint8_t* end = text + s.end
    cdef uint32_t words = s.words, letters = 0, others = 0, code
    cdef bint other = False
    if not _may_be_unspaced(p, end):
        return words
    while p < end:
        if is_white(p[0]):
            words += letters + others - 1 if letters else 0
            letters = others = 0
            other = False
            p += 1
            continue
        p += decode_utf8(p, <size_t> (end - p), &code)
        if is_unspaced(code) and Py_UNICODE_ISALPHA(code):
            letters += 1
            other = False
        elif Py_UNICODE_ISALNUM(code):
            others += not other
            other = True
        else:
            other = False
    return words + (letters + others - 1 if letters else 0)


def counts_of(Tables tables not None, mask not None):
    """Returns (kept segments, their words, the words of all segments); words as in `words_of`.

    Arguments and errors as `text_of`.
    """
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef const tables_t* t = &tables.t
    cdef uint64_t segments = 0, words = 0, all_words = 0
    cdef uint32_t own
    cdef Py_ssize_t i
    cdef bint unspaced
    with nogil:
        unspaced = _may_be_unspaced(t.text, t.text + t.length)
        for i in range(t.n_segments):
            own = _words_of(t.text, &t.segments[i]) if unspaced else t.segments[i].words
            all_words += own
            if kept[i]:
                segments += 1
                words += own
    return segments, words, all_words


def words_of(Tables tables not None):
    """Returns the words of each segment as readers count them.

    White space separates words. In a word with letters of a script without spaces (Chinese, Japanese, Thai, Lao, Khmer,
    Burmese), each of these letters counts, and each sequence of other letters and digits. Methods read
    `segments["words"]`, which knows white space alone: models have learned from it.

    Returns:
        Shape (segments,), uint32.
    """
    found = np.zeros(tables.t.n_segments, np.uint32)
    cdef uint32_t[::1] words = found
    cdef Py_ssize_t i
    with nogil:
        for i in range(tables.t.n_segments):
            words[i] = _words_of(tables.t.text, &tables.t.segments[i])
    return found


def words_of_row(Tables tables not None, Py_ssize_t row):
    """Returns the words of one segment, as `words_of`.

    Raises:
        IndexError: there is no such segment.
    """
    if not 0 <= row < tables.t.n_segments:
        raise IndexError(row)
    return _words_of(tables.t.text, &tables.t.segments[row])


def with_zone(Tables tables not None, mask not None, int zone, bint keep):
    """Returns the mask with all segments of a zone kept, or none; the mask itself if it has them so.

    Args:
        tables: those of the page.
        mask: shape (segments,), bool.
        zone: number of the zone in `tables.ZONES`.
        keep: whether they are kept.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef _Mask masked = _Mask(tables, mask)
    cdef const uint8_t* kept = masked.rows
    cdef uint8_t[::1] changed
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t i = 0
    while i < t.n_segments and (t.segments[i].zone != zone or kept[i] == keep):
        i += 1
    if i == t.n_segments:
        return mask
    found = np.array(mask)
    changed = found.view(np.uint8)
    while i < t.n_segments:
        if t.segments[i].zone == zone:
            changed[i] = keep
        i += 1
    return found


def thousandths(probabilities not None):
    """Returns a dict whose probabilities have three decimal places; `round` takes ten times as long for the same."""
    cdef dict found = {}
    cdef double probability, exact, whole
    for name, probability in probabilities.items():
        exact = 1_000 * probability
        whole = rint(exact)
        # `round` knows on which side of a half the number is
        found[name] = whole / 1_000 if fabs(exact - whole) < 0.499 else round(probability, 3)
    return found


def text_of_row(Tables tables not None, Py_ssize_t row):
    """Returns the text of a segment.

    Raises:
        IndexError: there is no such segment.
    """
    cdef const tables_t* t = &tables.t
    if not 0 <= row < t.n_segments:
        raise IndexError(row)
    cdef const segment_t* s = &t.segments[row]
    return PyUnicode_DecodeUTF8(<const char*> t.text + s.start, s.end - s.start, "replace")
