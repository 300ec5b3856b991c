"""Hashed words: stock phrases, and the terms of notices.

*Stock phrases* are short segments with the same words on many sites, such as “Advertisement” or “7 likes”. A phrase is
a whole segment of up to seven words. Letters count without case, a sequence of numbers is one word, the same for all,
and all other characters separate words.

*Terms* describe a small page: the words that would be kept and those of its title, in one pass over the text. A page
whose text is a notice (an error message, a wall, an empty listing) has the words of such notices, and the structure of
other small pages. A term is a word in small letters, two words in a row, or the first letters of a longer word, in
place of its stem. A letter of a script that does not separate words is a word. Numbers count by their length. How often
a term occurs does not matter.
"""

from libc.math cimport NAN, sqrt
from libc.stdint cimport int8_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from ncleaner.document._hashes cimport FNV_OFFSET, FNV_PRIME, extended, fnv, mix
from ncleaner.document._tables cimport HEADLINE, Tables, segment_t, tables_t
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport (
    NO_LETTER, UPPER, Py_UNICODE_ISALNUM, Py_UNICODE_ISDIGIT, Py_UNICODE_TOLOWER, decode_utf8, fold, is_unspaced,
)

# --------------------------------------------------------------------------------------------------
# Stock phrases.

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
            number = number and is_digit(code)
            word = extended(word, code)
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
        Shape (segments,), uint32: the hash of each phrase; 0 for a segment that is not a phrase.
    """
    cdef Py_ssize_t n = tables.t.n_segments, i
    found = np.zeros(n, np.uint32)
    cdef uint32_t[::1] hashes = found
    with nogil:
        for i in range(n):
            hashes[i] = _hash(tables.t.text, &tables.t.segments[i])
    return found


cdef inline float _loss(
    const tables_t* t, Py_ssize_t i, const uint32_t* phrases, const float* losses, Py_ssize_t known
) noexcept nogil:
    """Returns the loss of a segment; 0 if it is no stock phrase. The headline loses nothing, whatever its words are."""
    cdef Py_ssize_t low = 0, size = known, half
    cdef uint32_t hash_ = _hash(t.text, &t.segments[i]) if t.segments[i].zone != HEADLINE else 0
    if not hash_:
        return 0
    while size > 1:
        half = size // 2
        # no branch: a processor cannot predict it
        low += half * (phrases[low + half - 1] < hash_)
        size -= half
    return losses[low] if size and phrases[low] == hash_ else 0


cdef void take_losses(
    const tables_t* t, const uint32_t* phrases, const float* losses, Py_ssize_t known, double* odds
) noexcept nogil:
    """Subtracts the losses of stock phrases from their log-odds; `phrases` are their `known` hashes, ascending."""
    cdef Py_ssize_t i
    for i in range(t.n_segments):
        odds[i] -= _loss(t, i, phrases, losses, known)


# --------------------------------------------------------------------------------------------------
# Terms.

cdef enum:
    BITS = 15                 # of a hash
    SLOTS = 1 << BITS
    BLOCKS = 1 << (BITS - 6)  # of 64 slots
    # The sizes of texts: a word counts 2, a letter of a script that does not separate words counts 1.
    WORD_SIZE = 2
    MOST_SIZE = 300           # of a text that is judged
    MOST_TITLE = 60           # of the part of a title that is read
    STEM = 5                  # letters that replace a longer word
    LONG_LINK = 60            # characters of a link that is the teaser of a page, not the item of a menu
    # each word gives at most itself, its stem, and its pair with the word before
    MOST_TERMS = 3 * (MOST_SIZE + MOST_TITLE)
    LONGEST_NUMBER = 5

# Number of the hashes of terms.
BUCKETS = SLOTS
# The version of the hashes: a model is of use only with those that it was trained with.
TERMS_VERSION = 1

cdef uint64_t GOLDEN = <uint64_t> 0x9E3779B97F4A7C15

# The distinct terms of a text.
ctypedef struct bag_t:
    uint64_t seen[BLOCKS]
    uint16_t terms[MOST_TERMS]
    int n_terms
    int size


cdef inline void _add(bag_t* bag, uint64_t hashed) noexcept nogil:
    cdef uint32_t slot = <uint32_t> (hashed * GOLDEN >> (64 - BITS))
    cdef uint64_t bit = <uint64_t> 1 << (slot & 63)
    if not bag.seen[slot >> 6] & bit and bag.n_terms < MOST_TERMS:
        bag.seen[slot >> 6] |= bit
        bag.terms[bag.n_terms] = <uint16_t> slot
        bag.n_terms += 1


cdef inline bint _is_unspaced(uint32_t code) noexcept nogil:
    """Whether a character is a letter of a script in which words are not separated, or are whole sentences."""
    return code >= 0x0E00 and (is_unspaced(code) or 0xAC00 <= code <= 0xD7A3 or 0x20000 <= code <= 0x3FFFF)


cdef inline void _add_word(bag_t* bag, uint64_t word, uint64_t* before, int size) noexcept nogil:
    """Adds a word and its pair with the word before."""
    _add(bag, word)
    if before[0]:
        _add(bag, fnv(before[0], word * FNV_PRIME))
    before[0] = word | 1
    bag.size += size


cdef bint _add_line(bag_t* bag, const uint8_t* p, const uint8_t* end, int most) noexcept nogil:
    """Adds the terms of a line of valid UTF-8. Stops and returns False when the text is larger than `most`."""
    cdef uint64_t word = FNV_OFFSET, stem = 0, before = 0
    cdef uint32_t code
    cdef int letters = 0, digits = 0
    while True:
        if p < end:
            p += decode_utf8(p, <size_t> (end - p), &code)
            if not _is_unspaced(code) and Py_UNICODE_ISALNUM(code):
                if letters == STEM:
                    stem = word
                digits += Py_UNICODE_ISDIGIT(code)
                letters += 1
                word = fnv(word, Py_UNICODE_TOLOWER(code))
                continue
        else:
            code = 0
        if letters:
            if digits == letters:
                word = fnv(FNV_OFFSET + <uint64_t> min(letters, LONGEST_NUMBER), 0)
            elif letters > STEM:
                _add(bag, stem + 1)
            _add_word(bag, word, &before, WORD_SIZE)
            word = FNV_OFFSET
            letters = digits = 0
        if bag.size > most:
            return False
        if not code and p >= end:
            return True
        if _is_unspaced(code) and Py_UNICODE_ISALNUM(code):
            _add_word(bag, fnv(FNV_OFFSET, code), &before, 1)


cdef inline bint _counts(
    const uint8_t* mask, const segment_t* segments, Py_ssize_t i, bint prose
) noexcept nogil:
    """Whether the text of a segment is judged: it would be kept and, if only prose counts, is neither a short link nor
    several links."""
    cdef const segment_t* s = &segments[i]
    return mask[i] and not (
        prose and 2 * s.link_chars > s.chars and (s.chars < LONG_LINK or s.first_run < s.last_run)
    )


cdef bint _has_few_words(const segment_t* segments, const uint8_t* mask, Py_ssize_t n, bint prose) noexcept nogil:
    """Whether a page is small as far as words are separated."""
    cdef uint32_t words = 0
    cdef Py_ssize_t i
    for i in range(n):
        if _counts(mask, segments, i, prose):
            words += segments[i].words
            if words * WORD_SIZE > MOST_SIZE:
                return False
    return True


cdef bint _read(
    bag_t* bag, const uint8_t* text, const segment_t* segments, const uint8_t* mask, Py_ssize_t n,
    const uint8_t* title, Py_ssize_t title_length, bint prose
) noexcept nogil:
    """Fills the bag with the terms of a page. Returns False for a page that is not small, or of which nothing is kept.

    prose: leave out the segments that are mostly links.
    """
    cdef Py_ssize_t i
    memset(bag.seen, 0, sizeof(bag.seen))
    bag.n_terms = bag.size = 0
    for i in range(n):
        if _counts(mask, segments, i, prose):
            if not _add_line(bag, text + segments[i].start, text + segments[i].end, MOST_SIZE):
                return False
    cdef int size = bag.size
    if not size:
        return False
    # the lengths of the title and the headline do not count
    _add_line(bag, title, title + title_length, size + MOST_TITLE)
    for i in range(n):
        if segments[i].zone == HEADLINE and not mask[i]:
            bag.size = size
            _add_line(bag, text + segments[i].start, text + segments[i].end, size + MOST_TITLE)
            break
    return True


cdef bint _fill(bag_t* bag, Tables tables, mask, bytes title, bint prose) except -1:
    cdef const uint8_t[::1] kept = np.ascontiguousarray(mask).view(np.uint8)
    cdef const uint8_t* head = <const uint8_t*> <const char*> title
    cdef Py_ssize_t n = tables.t.n_segments, title_length = len(title)
    cdef bint found
    if kept.shape[0] != n:
        raise ValueError("the mask has another length than the table")
    # most pages end here
    if not n or not _has_few_words(tables.t.segments, &kept[0], n, prose):
        return False
    with nogil:
        found = _read(bag, tables.t.text, tables.t.segments, &kept[0], n, head, title_length, prose)
    return found


def terms_of(Tables tables not None, mask, bytes title not None, bint prose=False):
    """Returns the terms of a page whose kept text is small.

    Args:
        tables: of the page.
        mask: shape (segments,), bool: the segments that would be kept. The headline counts in any case.
        title: UTF-8, the title of the page.
        prose: leave out the segments that are mostly links.

    Returns:
        Shape (terms,), uint16, below `BUCKETS`: the distinct terms in the order of the text. None if nothing would be
        kept, or more than 150 words or 300 letters of scripts that do not separate words.

    Raises:
        ValueError: the mask has another length than the table.
    """
    cdef bag_t bag
    cdef int k
    if not _fill(&bag, tables, mask, title, prose):
        return None
    found = np.empty(bag.n_terms, np.uint16)
    cdef uint16_t[::1] out = found
    for k in range(bag.n_terms):
        out[k] = bag.terms[k]
    return found


def score_of(
    Tables tables not None, mask, bytes title not None, const int8_t[::1] weights not None, bint prose=False
):
    """Returns the sum of the weights of a page's terms, divided by the square root of their number.

    Args:
        tables, mask, title, prose: as for `terms_of`.
        weights: shape (BUCKETS,).

    Returns:
        The quotient; NaN where `terms_of` returns None.

    Raises:
        ValueError: as `terms_of`, or the number of weights is not `BUCKETS`.
    """
    cdef bag_t bag
    cdef long total = 0
    cdef int k
    if weights.shape[0] != SLOTS:
        raise ValueError("as many weights as hashes of terms")
    if not _fill(&bag, tables, mask, title, prose):
        return NAN
    for k in range(bag.n_terms):
        total += weights[bag.terms[k]]
    return total / sqrt(<double> bag.n_terms) if bag.n_terms else NAN
