"""Composes letters and marks as Unicode's normalisation form C (NFC) does, in the cases that are frequent.

These are letters with their marks in the order of the standard, as in decomposed text. For all others (signs that are
replaced, marks in another order, marks after a letter that is composed already, Hangul in parts, rare planes) Python is
asked. `tests/text` compares the two.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memmove

import unicodedata

import numpy as np

from ncleaner.text._letters cimport decode_utf8, may_change

cdef enum:
    PLANE = 65536
    SLOTS = 4096          # of the table of pairs; a power of two
    # What a character is, besides its combining class.
    REPLACED = 1          # NFC replaces it, or it is a part of a Hangul syllable
    SECOND = 2            # it composes with a character before it
    COMPOSED = 4          # it is composed of others
    # More marks in a row than these are broken up, see `compose_text`.
    MARKS = 30
    # From here on there are only pictures and ideographs; the compatibility ideographs among them are replaced.
    PICTURES = 0x1F000
    COMPATIBILITY = 0x2F800
    COMPATIBILITY_END = 0x2FA20

cdef uint8_t* classes = NULL     # combining class of each character of the first plane
cdef uint8_t what[PLANE]
cdef uint32_t pairs[SLOTS]       # first and second character; 0: an empty slot
cdef uint16_t results[SLOTS]


cdef inline uint32_t _slot(uint32_t key) noexcept nogil:
    return <uint32_t> ((<uint64_t> key * <uint64_t> 0x9E3779B97F4A7C15) >> 52)


cdef void prepare():
    """Fills the tables from Python's. It takes some milliseconds, so that only text with marks pays for it."""
    global classes
    cdef uint8_t* found
    cdef uint32_t key, slot
    cdef int code
    if classes != NULL:
        return
    found = <uint8_t*> calloc(PLANE, 1)
    if found == NULL:
        raise MemoryError
    combining, decomposition, normalize = unicodedata.combining, unicodedata.decomposition, unicodedata.normalize
    for code in range(0xC0, PLANE):
        if 0x3400 <= code < 0xA000 or 0xAC00 <= code < 0xF900:
            # ideographs, Hangul syllables, surrogates and private characters
            continue
        letter = chr(code)
        found[code] = combining(letter)
        parts = decomposition(letter)
        if parts and parts[0] != "<":
            what[code] |= COMPOSED
            if normalize("NFC", letter) != letter:
                what[code] |= REPLACED
            elif " " in parts:
                first, second = (int(part, 16) for part in parts.split())
                what[second] |= SECOND
                key = <uint32_t> (first << 16 | second)
                slot = _slot(key)
                while pairs[slot]:
                    slot = (slot + 1) % SLOTS
                pairs[slot] = key
                results[slot] = code
    for code in (*range(0x1100, 0x1200), *range(0xA960, 0xA980), *range(0xD7B0, 0xD800)):
        what[code] |= REPLACED
    # last, so that another thread finds all of it
    classes = found


cdef inline uint32_t _composed(uint32_t first, uint32_t second) noexcept nogil:
    """Returns the character that two characters compose to; 0 if they do not."""
    cdef uint32_t key = first << 16 | second
    cdef uint32_t slot
    if first >= PLANE:
        return 0
    slot = _slot(key)
    while pairs[slot]:
        if pairs[slot] == key:
            return results[slot]
        slot = (slot + 1) % SLOTS
    return 0


cdef inline size_t _encode(uint32_t code, uint8_t* out) noexcept nogil:
    """Writes a character of the first plane; returns its width in bytes."""
    if code < 0x80:
        out[0] = <uint8_t> code
        return 1
    if code < 0x800:
        out[0] = <uint8_t> (0xC0 | code >> 6)
        out[1] = <uint8_t> (0x80 | (code & 0x3F))
        return 2
    out[0] = <uint8_t> (0xE0 | code >> 12)
    out[1] = <uint8_t> (0x80 | (code >> 6 & 0x3F))
    out[2] = <uint8_t> (0x80 | (code & 0x3F))
    return 3


cdef Py_ssize_t compose_text(const uint8_t* p, const uint8_t* end, uint8_t* out) noexcept nogil:
    """Writes a text in normalisation form C; returns its length in bytes, or -1 if it is not one of the frequent cases.

    Args:
        p, end: valid UTF-8.
        out: room for as many bytes: a letter and a mark are never shorter than what they compose to.
    """
    cdef uint8_t* begin = out
    cdef uint8_t* letter = NULL    # where the last character that is no mark is written
    cdef uint32_t code, starter = 0, made
    cdef uint32_t marks = 0        # since this letter
    cdef size_t width, old, new
    cdef uint8_t of_class, last = 0, before = 0   # those of the last mark, and of the last one that is left
    cdef bint own = False          # the letter was composed before
    while p < end:
        if p[0] < 0x80:
            letter = out
            starter = p[0]
            out[0] = p[0]
            out += 1
            p += 1
            marks = last = before = 0
            own = False
            continue
        width = decode_utf8(p, <size_t> (end - p), &code)
        if code >= PLANE:
            if code < PICTURES or COMPATIBILITY <= code < COMPATIBILITY_END:
                return -1
            of_class = 0
        else:
            if what[code] & REPLACED:
                return -1
            of_class = classes[code]
        if of_class or (code < PLANE and what[code] & SECOND):
            if own or marks == MARKS or of_class < last or what[code] & COMPOSED:
                return -1
            marks += of_class != 0
            last = of_class
            # a mark of the same class before it keeps it apart from the letter
            made = 0
            if letter != NULL and (not before or before < of_class):
                made = _composed(starter, code)
            if made:
                old = 1 if starter < 0x80 else 2 if starter < 0x800 else 3
                new = 1 if made < 0x80 else 2 if made < 0x800 else 3
                if new != old:
                    # the marks that are left after the letter
                    memmove(letter + new, letter + old, <size_t> (out - letter) - old)
                    out = out + new - old
                _encode(made, letter)
                starter = made
                p += width
                continue
            if not of_class:
                # not composed: it is a letter
                letter = out
                starter = code
                marks = last = before = 0
                own = False
            else:
                before = of_class
        else:
            letter = out
            starter = code
            marks = last = before = 0
            own = code < PLANE and what[code] & COMPOSED != 0
        memcpy(out, p, width)
        out += width
        p += width
    return out - begin


def compose_segments(bytes data not None, const uint32_t[:] starts not None, const uint32_t[:] ends not None, compose):
    """Returns the segments [starts, ends) of a text in normalisation form C, one after the other, with their lengths.

    Args:
        data: UTF-8.
        starts, ends: shape (segments,), uint32: byte offsets of the segments.
        compose: composes a segment that is not one of the frequent cases: bytes to bytes.

    Returns:
        The text, and the lengths in bytes, shape (segments,), uint32; None if all segments are in this form.

    Raises:
        ValueError: an offset is not in the text, or starts and ends differ in number.
    """
    cdef const uint8_t* text = <const uint8_t*> <const char*> data
    cdef Py_ssize_t i, count = starts.shape[0], size = len(data), length
    cdef size_t room = 16, at = 0
    cdef uint8_t* out
    cdef bint changed = False
    cdef bytes other
    if ends.shape[0] != count:
        raise ValueError("starts and ends differ in number")
    for i in range(count):
        if not starts[i] <= ends[i] <= size:
            raise ValueError("a segment is not in the text")
        room += ends[i] - starts[i]
    prepare()
    found = np.zeros(count, np.uint32)
    cdef uint32_t[::1] lengths = found
    out = <uint8_t*> malloc(room)
    if out == NULL:
        raise MemoryError
    try:
        i = 0
        while i < count:
            with nogil:
                while i < count:
                    length = ends[i] - starts[i]
                    if may_change(text + starts[i], text + ends[i]):
                        length = compose_text(text + starts[i], text + ends[i], out + at)
                        if length < 0:
                            break
                        changed = changed or length != ends[i] - starts[i] or memcmp(
                            out + at, text + starts[i], <size_t> length
                        ) != 0
                    else:
                        memcpy(out + at, text + starts[i], <size_t> length)
                    lengths[i] = <uint32_t> length
                    at += <size_t> length
                    i += 1
            if i < count:
                other = compose(data[starts[i] : ends[i]])
                length = len(other)
                if length > ends[i] - starts[i]:
                    room += <size_t> length
                    out = _larger(out, room)
                changed = changed or length != ends[i] - starts[i] or memcmp(
                    <const char*> other, text + starts[i], <size_t> length
                ) != 0
                memcpy(out + at, <const char*> other, <size_t> length)
                lengths[i] = <uint32_t> length
                at += <size_t> length
                i += 1
        return ((<const char*> out)[:at], found) if changed else None
    finally:
        free(out)


cdef uint8_t* _larger(uint8_t* out, size_t room) except NULL:
    cdef uint8_t* moved = <uint8_t*> realloc(out, room)
    if moved == NULL:
        raise MemoryError
    return moved
