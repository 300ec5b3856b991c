"""Hashes of the texts and of the layout of a page, and of the sequences of words in its paragraphs."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from ncleaner.document._hashes cimport extended, hash_bytes, mix
from ncleaner.document._tables cimport Tables, fill_styles, grow, segment_t, tables_t
from ncleaner.text._letters cimport NO_LETTER, decode_utf8, fold, is_unspaced, is_white

# The version of the hashes of texts and layouts. Files of surveys record it.
HASHES_VERSION = 1
# The version of the hashes of sequences, and of their choice.
SEQUENCES_VERSION = 2

cdef enum:
    WORDS = 7      # words of a sequence, as Onion has them
    SAMPLE = 8     # one in this number of sequences is chosen, a power of two

# A chosen sequence.
cdef struct sequence_t:
    uint64_t key
    int32_t segment

# The sequences that are chosen of a page, and the state of the segment that is read.
cdef struct chosen_t:
    sequence_t* rows
    size_t number
    size_t room
    bint no_memory
    int32_t segment
    uint64_t word           # hash of the open word, 0 for none
    uint64_t words[WORDS]   # hashes of the last words
    size_t read             # number of words of the segment so far
    uint64_t least          # smallest hash of its sequences, NONE without one

cdef uint64_t NONE = <uint64_t> -1


def text_hashes(Tables tables not None):
    """Returns a hash of the text of each segment: shape (segments,), uint32."""
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s
    cdef Py_ssize_t i
    found = np.empty(t.n_segments, np.uint32)
    cdef uint32_t[::1] out = found
    with nogil:
        for i in range(t.n_segments):
            s = &t.segments[i]
            out[i] = <uint32_t> (mix(hash_bytes(s.end - s.start, t.text + s.start, s.end - s.start)) >> 32)
    return found


def layout_hash(Tables tables not None):
    """Returns the smallest hash of a style on a page, 0 to 2³² - 1; 0 without elements.

    A style is the tags and classes from the root to a block. Two pages have the same hash with a probability that
    is the share of the styles of both that they have in common (Broder 1997).
    """
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t i
    cdef uint32_t least = <uint32_t> -1 if t.n_elements else 0
    cdef uint64_t* styles = <uint64_t*> malloc(<size_t> (t.n_elements + 1) * sizeof(uint64_t))
    if styles == NULL:
        raise MemoryError
    with nogil:
        fill_styles(t.elements, t.n_elements, styles)
        for i in range(t.n_elements):
            least = min(least, <uint32_t> (mix(styles[i]) >> 32))
        free(styles)
    return least


cdef inline void _choose(chosen_t* chosen, uint64_t key) noexcept nogil:
    if grow(<void**> &chosen.rows, &chosen.room, chosen.number + 1, sizeof(sequence_t), &chosen.no_memory):
        chosen.rows[chosen.number] = sequence_t(key, chosen.segment)
        chosen.number += 1


cdef void _end_word(chosen_t* chosen) noexcept nogil:
    """Ends the open word, if there is one, and chooses the sequence that ends with it, if it is to be chosen."""
    cdef uint64_t key = 7
    cdef size_t i
    if not chosen.word:
        return
    chosen.words[chosen.read % WORDS] = mix(chosen.word)
    chosen.word = 0
    chosen.read += 1
    if chosen.read < WORDS:
        return
    for i in range(chosen.read, chosen.read + WORDS):
        key = mix(key ^ chosen.words[i % WORDS])
    # SQLite has signed numbers
    key >>= 1
    if key < chosen.least:
        chosen.least = key
    if key % SAMPLE == 0:
        _choose(chosen, key)


cdef void _choose_of(const uint8_t* p, const uint8_t* end, chosen_t* chosen) noexcept nogil:
    """Chooses sequences of the text of a segment."""
    cdef uint32_t code
    chosen.word = chosen.read = 0
    chosen.least = NONE
    while p < end:
        if is_white(p[0]):
            _end_word(chosen)
            p += 1
            continue
        p += decode_utf8(p, <size_t> (end - p), &code)
        if fold(&code) == NO_LETTER:
            continue
        if is_unspaced(code):
            _end_word(chosen)
        chosen.word = extended(chosen.word if chosen.word else 7, code)
        if is_unspaced(code):
            _end_word(chosen)
    _end_word(chosen)
    if chosen.least != NONE and chosen.least % SAMPLE:
        _choose(chosen, chosen.least)


def sequences_of(Tables tables not None, mask not None):
    """Returns a sample of the sequences of seven successive words in each kept segment.

    Of a segment, these are one in eight by their hashes, and the one with the smallest hash: so a segment that is
    repeated as a whole has the same ones. Case and punctuation do not count. In scripts without spaces, each letter is
    a word.

    Args:
        tables: those of the page.
        mask: shape (segments,), bool.

    Returns:
        Hashes of the sequences, uint64, 0 to 2⁶³ - 1, and the segment of each, int32, ascending. A segment of fewer
        than seven words has none.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef const uint8_t[::1] kept = np.ascontiguousarray(mask).view(np.uint8)
    cdef const tables_t* t = &tables.t
    cdef const segment_t* s
    cdef chosen_t chosen
    cdef uint64_t[::1] keys
    cdef int32_t[::1] owners
    cdef Py_ssize_t i
    if kept.shape[0] != t.n_segments:
        raise ValueError("the mask does not fit the document")
    memset(&chosen, 0, sizeof(chosen_t))
    try:
        with nogil:
            for i in range(t.n_segments):
                if kept[i]:
                    s = &t.segments[i]
                    chosen.segment = <int32_t> i
                    _choose_of(t.text + s.start, t.text + s.end, &chosen)
        if chosen.no_memory:
            raise MemoryError
        found, of = np.empty(chosen.number, np.uint64), np.empty(chosen.number, np.int32)
        keys, owners = found, of
        for i in range(<Py_ssize_t> chosen.number):
            keys[i], owners[i] = chosen.rows[i].key, chosen.rows[i].segment
        return found, of
    finally:
        free(chosen.rows)
