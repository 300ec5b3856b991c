"""Stock phrases: short segments with the same words on many sites, such as “Advertisement” or “7 likes”.

A phrase is a whole segment of up to seven words. Letters count without case, a sequence of numbers is one word, the
same for all, and all other characters separate words.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ncleaner.document._hashes cimport mix
from ncleaner.document._tables cimport HEADLINE, segment_t
from ncleaner.text._letters cimport NO_LETTER, UPPER, decode_utf8, fold

import numpy as np

cdef enum:
    WORDS = 7       # words of the longest phrase


# The small letter or digit of an ASCII character; 0 for all others.
cdef uint8_t ascii_letters[128]
for _code in range(128):
    ascii_letters[_code] = ord(chr(_code).lower()) if chr(_code).isalnum() else 0


cdef uint32_t _hash(const uint8_t* text, const segment_t* s) noexcept nogil:
    """Returns the hash of a phrase; 0 for text without words, or with too many."""
    cdef const uint8_t* p = text + s.start
    cdef const uint8_t* end = text + s.end
    cdef uint64_t whole = 7, word = 0
    cdef uint32_t code
    cdef int words = 0, kind
    cdef bint number = True, after_number = False
    if s.words > WORDS:
        return 0
    while p <= end:
        code = 0
        kind = NO_LETTER
        if p == end:
            p += 1
        elif p[0] < 0x80:
            # most text
            code = ascii_letters[p[0]]
            kind = UPPER if code else NO_LETTER
            p += 1
        else:
            p += decode_utf8(p, <size_t> (end - p), &code)
            kind = fold(&code)
        if kind != NO_LETTER:
            number = number and c'0' <= code <= c'9'
            word = (word ^ code) * <uint64_t> 0x100000001B3 + 1
        elif word:
            if not number or not after_number:
                words += 1
                if words > WORDS:
                    return 0
                whole = mix(whole * 31 + (1 if number else mix(word)))
            after_number = number
            word = 0
            number = True
    return <uint32_t> (whole >> 32) | 1 if words else 0


def phrase_hashes(document):
    """Finds the phrases among the segments of a Document.

    Returns:
        Shape (segments,), uint32: the hash of each phrase; 0 for a segment that is none.
    """
    cdef Py_ssize_t n = len(document.segments), i
    cdef bytes data = document.data
    cdef const uint8_t* text = <const uint8_t*> <const char*> data
    found = np.zeros(n, np.uint32)
    if not n:
        return found
    cdef uint32_t[::1] hashes = found
    cdef const uint8_t[::1] segments = document.segments.view(np.uint8)
    cdef const segment_t* s = <const segment_t*> &segments[0]
    with nogil:
        for i in range(n):
            hashes[i] = _hash(text, &s[i])
    return found


def phrase_losses(document, const uint32_t[::1] phrases not None, const float[::1] losses not None):
    """Returns what the segments of a page lose as stock phrases: shape (segments,), float32.

    Args:
        document: the page. Compiled code reads its tables in place.
        phrases: shape (phrases,), uint32, ascending: hashes of the stock phrases.
        losses: shape (phrases,), float32: what each of them loses. The headline of the page loses nothing, whatever
            its words are.

    Raises:
        ValueError: there is not one loss for each phrase.
    """
    cdef Py_ssize_t n = len(document.segments), known = phrases.shape[0], i, low, high, middle
    cdef bytes data = document.data
    cdef const uint8_t* text = <const uint8_t*> <const char*> data
    cdef uint32_t hash_
    if losses.shape[0] != known:
        raise ValueError(f"{known} phrases, but {losses.shape[0]} losses")
    lost = np.zeros(n, np.float32)
    if not n or not known:
        return lost
    cdef float[::1] out = lost
    cdef const uint8_t[::1] segments = document.segments.view(np.uint8)
    cdef const segment_t* s = <const segment_t*> &segments[0]
    with nogil:
        for i in range(n):
            hash_ = _hash(text, &s[i]) if s[i].zone != HEADLINE else 0
            if not hash_:
                continue
            low = 0
            high = known
            while low < high:
                middle = (low + high) // 2
                if phrases[middle] < hash_:
                    low = middle + 1
                else:
                    high = middle
            if low < known and phrases[low] == hash_:
                out[i] = losses[low]
    return lost
