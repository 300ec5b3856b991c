"""A sample of a page's running text, the script that it is in, and its frequent words, in one pass over the segments.

Most of the longest segments of a page are running text. A single one may be a list of names, a licence or code, so
the sample has a few bytes of several segments. Text inside links and text that is not shown are navigation more often
than not: they count only on pages that have no other.

The words are counted because a language identifier needs tables that are not in the processor's cache when a page
comes: it takes ten times as long as in a loop of its own.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from ncleaner.document._tables cimport HIDDEN, PREFORMATTED, Tables, segment_t
from ncleaner.text._letters cimport decode_utf8

cpdef enum:
    OF_LANGUAGE = 32      # offset of languages in the results of `foreign`; more than any script

cdef extern from "Python.h":
    ctypedef struct PyInterpreterState:
        pass
    PyInterpreterState* PyInterpreterState_Get() nogil
    PyInterpreterState* PyInterpreterState_Main() nogil

cdef enum:
    SEGMENTS = 8          # number of the longest segments that are read
    SAMPLE_BYTES = 240    # most bytes of a sample, without the spaces
    READ_BYTES = 960      # most bytes of all these segments in which words are looked up
    MOST_PARTS = 4        # segments in a sample; the others only show whether the page is in one language
    MOST_VOTES = 500      # bytes of a segment that count for the script of the page
    CLASSES = 32          # bound of the number of classes
    LANGUAGES = 8         # bound of the number of lists of words
    FOREIGN_BYTES = 240   # of a segment that show its script and its language
    FOREIGN_CHARS = 40    # of the shortest segment in another language: that of a language in a menu is not text
    SPARSEST = 20         # a segment is in a language if one in this number of its words is listed
    WORD_BYTES = 16       # longest word in a list
    SLOTS = 512           # of the hash table of words; a power of two
    MOST_WORDS = 200      # words in the table: it stays sparse


def in_main_interpreter():
    """Tells whether the caller is in the interpreter that Python started with."""
    return PyInterpreterState_Get() == PyInterpreterState_Main()


cdef inline uint32_t _weight(const segment_t* segment, bint all_text) noexcept nogil:
    """Returns the number of characters that count: all, or those outside of links in segments that are shown."""
    cdef uint32_t weight = segment.chars
    if not all_text:
        if segment.flags & HIDDEN or segment.link_chars > segment.chars:
            return 0
        weight -= segment.link_chars
    # code, or a mail: next to a paragraph as long it is rather code
    return weight // 4 if segment.flags & PREFORMATTED else weight


cdef int _heaviest(const segment_t* segments, Py_ssize_t n, bint all_text, Py_ssize_t* rows) noexcept nogil:
    """Writes the rows of the segments with the largest weights to `rows`, the largest first; returns their number."""
    cdef uint32_t weights[SEGMENTS]
    cdef uint32_t weight, smallest = 0
    cdef int found = 0, at
    cdef Py_ssize_t i
    for i in range(n):
        weight = _weight(&segments[i], all_text)
        if weight <= smallest:
            continue
        # the last one makes room; of two equal weights the first in the page goes before
        at = found if found < SEGMENTS else SEGMENTS - 1
        while at > 0 and weights[at - 1] < weight:
            weights[at] = weights[at - 1]
            rows[at] = rows[at - 1]
            at -= 1
        weights[at] = weight
        rows[at] = i
        if found < SEGMENTS:
            found += 1
        if found == SEGMENTS:
            smallest = weights[SEGMENTS - 1]
    return found


cdef inline size_t _begin(const uint8_t* text, size_t length, size_t most) noexcept nogil:
    """Returns the number of bytes in the first characters of a text, up to `most`."""
    if length <= most:
        return length
    while most and text[most] & 0xC0 == 0x80:
        most -= 1
    return most


cdef inline uint64_t _key(uint64_t key, uint8_t c) noexcept nogil:
    """Returns the key of a word with one more byte: of up to eight bytes these bytes, the last one lowest; of a longer
    word a hash."""
    return (key << 8 | c) + (key >> 56) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline uint32_t _slot(uint64_t word) noexcept nogil:
    return <uint32_t> (word * <uint64_t> 0x9E3779B97F4A7C15 >> 55)


cdef class Sampler:
    """Takes samples of pages, with letters classed by script, and counts the frequent words of some languages.

    Args:
        index, pages: class of each code point, as `Encoder` takes them: the alphabet `scripts`.
        first_letter: the first class of letters; classes below are digits, punctuation and other signs.
        kana: the class of Kana, which decides for a text that has a little of it.
        words: for each language its words, in UTF-8 and small letters, at most 16 bytes long; no word is in two lists.

    Raises:
        ValueError: there are too many classes or words, a word is too long or in two lists, or the arrays have other
            shapes.
    """

    cdef const uint16_t[::1] index
    cdef const uint8_t[:, ::1] pages
    cdef int first_letter
    cdef int kana
    cdef uint64_t words[SLOTS]   # the key of each word; 0: an empty slot
    cdef uint8_t languages[SLOTS]

    def __init__(self, index, pages, int first_letter, int kana, words=()):
        self.index = np.ascontiguousarray(index, np.uint16)
        self.pages = np.ascontiguousarray(pages, np.uint8)
        if (
            self.index.shape[0] != 4352 or self.pages.shape[1] != 256 or self.pages.shape[0] <= int(np.max(index))
            or int(np.max(pages)) >= CLASSES or not 0 <= first_letter < CLASSES or not 0 <= kana < CLASSES
        ):
            raise ValueError("the classes do not fit a sampler")
        self.first_letter = first_letter
        self.kana = kana
        memset(self.words, 0, sizeof(self.words))
        if len(words) > LANGUAGES or sum(map(len, words)) > MOST_WORDS:
            raise ValueError("too many words")
        cdef uint64_t key
        cdef uint32_t slot
        cdef uint8_t c
        for language, listed in enumerate(words):
            for word in listed:
                if not 1 <= len(word) <= WORD_BYTES:
                    raise ValueError(f"{word!r} is too long")
                key = 0
                for c in word:
                    key = _key(key, c)
                slot = _slot(key)
                while self.words[slot]:
                    if self.words[slot] == key:
                        raise ValueError(f"{word!r} is listed twice")
                    slot = (slot + 1) % SLOTS
                self.words[slot] = key
                self.languages[slot] = language

    cdef void _count(self, const uint8_t* p, const uint8_t* end, uint32_t* counts) noexcept nogil:
        """Adds the bytes of each class to `counts`.

        So a Chinese character counts as three Latin letters, which say as much, and a Cyrillic or Greek one as two:
        pages in these scripts with English text are more frequent than English pages with text in these scripts.
        """
        cdef uint32_t code
        cdef size_t width
        while p < end:
            width = decode_utf8(p, <size_t> (end - p), &code)
            counts[self.pages[self.index[code >> 8], code & 255]] += <uint32_t> width
            p += width

    cdef int _script(self, const uint32_t* counts) noexcept nogil:
        """Returns the class of most letters; 0 without letters."""
        cdef uint32_t total = 0, most = 0
        cdef int script = 0, i
        for i in range(self.first_letter, CLASSES):
            total += counts[i]
            if counts[i] > most:
                most = counts[i]
                script = i
        # Japanese mixes scripts
        return self.kana if counts[self.kana] * 20 > total else script

    cdef uint32_t _hits(self, const uint8_t* p, const uint8_t* end, uint32_t* hits) noexcept nogil:
        """Adds the listed words of each language to `hits`; returns the number of all words."""
        cdef uint64_t key
        cdef uint32_t slot, all_words = 0
        cdef size_t size
        cdef uint8_t c
        while p < end:
            key = 0
            size = 0
            while p < end:
                c = p[0]
                if c < 0x80:
                    c |= 0x20
                    if c < c"a" or c > c"z":
                        break
                key = _key(key, c)
                size += 1
                p += 1
            p += 1
            if not size:
                continue
            all_words += 1
            if size > WORD_BYTES:
                continue
            slot = _slot(key)
            while self.words[slot]:
                if self.words[slot] == key:
                    hits[self.languages[slot]] += 1
                    break
                slot = (slot + 1) % SLOTS
        return all_words

    def take(self, Tables tables not None):
        """Takes a sample: the first bytes of up to four of the longest segments.

        A segment whose letters are mostly in another script than the letters of all segments is left out.

        Returns:
            The script of most letters, as its class, 0 if the text has no letters; the sample in UTF-8, the
            longest segment first, with spaces between segments and no line ends; the number of words that were
            looked up; the language with most of the listed words, as its index; its number of them; that of all
            other languages; and the number of segments that are left out.
        """
        cdef Py_ssize_t n = tables.t.n_segments
        if not n:
            return 0, b"", 0, 0, 0, 0, 0
        cdef const segment_t* table = tables.t.segments
        cdef const uint8_t* text = tables.t.text
        cdef size_t room, size, i
        cdef Py_ssize_t rows[SEGMENTS]
        cdef size_t starts[SEGMENTS]
        cdef size_t ends[SEGMENTS]
        cdef int own[SEGMENTS]
        cdef uint32_t counts[CLASSES]
        cdef uint32_t sums[CLASSES]
        cdef uint32_t hits[LANGUAGES]
        cdef uint8_t out[SAMPLE_BYTES + SEGMENTS]
        cdef size_t written = 0
        cdef uint32_t words = 0, rest = 0
        cdef int found, k, c, script, language = 0, left_out = 0, parts = 0
        with nogil:
            found = _heaviest(table, n, False, rows)
            if not found:
                found = _heaviest(table, n, True, rows)
            memset(sums, 0, sizeof(sums))
            memset(hits, 0, sizeof(hits))
            for k in range(found):
                starts[k] = table[rows[k]].start
                ends[k] = starts[k] + _begin(
                    text + starts[k], table[rows[k]].end - starts[k],
                    <size_t> (SAMPLE_BYTES // (found if found < MOST_PARTS else MOST_PARTS)),
                )
                memset(counts, 0, sizeof(counts))
                self._count(text + starts[k], text + ends[k], counts)
                own[k] = self._script(counts)
                if table[rows[k]].flags & ~table[rows[0]].flags & PREFORMATTED:
                    # code below longer text
                    own[k] = 0
                    continue
                # a long segment counts more than a short one, up to a bound: it may be a list or a licence
                size = table[rows[k]].end - starts[k]
                if size > MOST_VOTES:
                    size = MOST_VOTES
                if ends[k] > starts[k]:
                    for c in range(CLASSES):
                        sums[c] += <uint32_t> (counts[c] * size // (ends[k] - starts[k]))
            script = self._script(sums)
            room = <size_t> (READ_BYTES // found) if found else 0
            for k in range(found):
                if not script or own[k] != script:
                    left_out += own[k] != 0
                    continue
                if parts < MOST_PARTS:
                    if written:
                        out[written] = c" "
                        written += 1
                    size = ends[k] - starts[k]
                    memcpy(out + written, text + starts[k], size)
                    for i in range(written, written + size):
                        if out[i] == c"\n":
                            out[i] = c" "
                    written += size
                    parts += 1
                size = _begin(text + starts[k], table[rows[k]].end - starts[k], room)
                words += self._hits(text + starts[k], text + starts[k] + size, hits)
            for c in range(LANGUAGES):
                rest += hits[c]
                if hits[c] > hits[language]:
                    language = c
        return script, (<const char*> out)[:written], words, language, hits[language], rest - hits[language], left_out

    def foreign(self, Tables tables not None, int script, int least):
        """Finds the segments of a page that are in another language than the page.

        Args:
            tables: of a Document.
            script: of the page.
            least: a segment is in a language with at least so many of its listed words, if it has enough words for its
                length. In another script than the page one word is enough, and half of them for its length.

        Returns:
            Shape (segments,), uint8: for a segment in a language with listed words its index plus 32; for any other
            segment in another script this script; else 0.
        """
        cdef Py_ssize_t n = tables.t.n_segments, i
        found = np.zeros(n, np.uint8)
        cdef uint8_t[::1] out = found
        cdef const segment_t* table = tables.t.segments
        cdef const uint8_t* text = tables.t.text
        cdef const uint8_t* p
        cdef const uint8_t* end
        cdef uint32_t counts[CLASSES]
        cdef uint32_t hits[LANGUAGES]
        cdef uint32_t words
        cdef int own, c, language
        cdef bint other
        with nogil:
            for i in range(n):
                if table[i].chars < FOREIGN_CHARS:
                    continue
                p = text + table[i].start
                end = p + _begin(p, table[i].end - table[i].start, FOREIGN_BYTES)
                memset(counts, 0, sizeof(counts))
                memset(hits, 0, sizeof(hits))
                self._count(p, end, counts)
                own = self._script(counts)
                words = self._hits(p, end, hits)
                language = 0
                for c in range(LANGUAGES):
                    if hits[c] > hits[language]:
                        language = c
                other = own and own != script
                if (
                    hits[language] >= <uint32_t> (1 if other else least)
                    and hits[language] * <uint32_t> (2 * SPARSEST if other else SPARSEST) >= words
                ):
                    out[i] = <uint8_t> (OF_LANGUAGE + language)
                elif other:
                    out[i] = <uint8_t> own
        return found
