"""Stock phrases: short segments with the same words on many sites, such as “Advertisement” or “7 likes”.

A phrase is a whole segment of up to seven words. Letters count without case, a sequence of numbers is one word, the
same for all, and all other characters separate words.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from ncleaner.document._hashes cimport mix
from ncleaner.document._tables cimport HEADLINE, Tables, segment_t, tables_t
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


def phrase_hashes(Tables tables not None):
    """Finds the phrases among the segments of a Document.

    Returns:
        Shape (segments,), uint32: the hash of each phrase; 0 for a segment that is none.
    """
    cdef Py_ssize_t n = tables.t.n_segments, i
    found = np.zeros(n, np.uint32)
    cdef uint32_t[::1] hashes = found
    with nogil:
        for i in range(n):
            hashes[i] = _hash(tables.t.text, &tables.t.segments[i])
    return found


cdef void take_losses(
    const tables_t* t, const uint32_t* phrases, const float* losses, Py_ssize_t known, double* odds
) noexcept nogil:
    """Takes from the log-odds of stock phrases what they lose.

    `phrases` are the `known` hashes of stock phrases, ascending. The headline of the page loses nothing, whatever its
    words are."""
    cdef Py_ssize_t i, low, high, middle
    cdef uint32_t hash_
    for i in range(t.n_segments):
        hash_ = _hash(t.text, &t.segments[i]) if t.segments[i].zone != HEADLINE else 0
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
            odds[i] -= losses[low]


def phrase_losses(Tables tables not None, const uint32_t[::1] phrases not None, const float[::1] losses not None):
    """Returns what the segments of a page lose as stock phrases: shape (segments,), float64.

    Args:
        tables: those of the page.
        phrases: shape (phrases,), uint32, ascending: hashes of the stock phrases.
        losses: shape (phrases,), float32: what each of them loses.

    Raises:
        ValueError: there is not one loss for each phrase.
    """
    cdef Py_ssize_t n = tables.t.n_segments, known = phrases.shape[0]
    if losses.shape[0] != known:
        raise ValueError(f"{known} phrases, but {losses.shape[0]} losses")
    found = np.zeros(n)
    cdef double[::1] odds = found
    if n and known:
        with nogil:
            take_losses(&tables.t, &phrases[0], &losses[0], known, &odds[0])
    return -found
