"""The scorer: character n-grams of NCleaner's two models, encoded, looked up and added up without the GIL.

S. Evert, "A lightweight and efficient tool for cleaning Web pages" (LREC 2008), takes cleaning as a choice between
two languages. Each segment of a page, such as a paragraph or an item of a menu, is a sequence of characters
c_1 ... c_m with boundaries around it. Two models of character n-grams give it a probability: "clean", of running text,
and "dirty", of boilerplate. The segment is kept if

    log2 Pr_clean(c_1 ... c_m) - log2 Pr_dirty(c_1 ... c_m)

reaches a threshold. The probability of a segment is the product of those of its characters, each given the n - 1
before it.

*Two models.* Only the difference of the logarithms is ever needed. So a model file holds the counts of both, and
`modelling/ngrams.py` (`NGramModel.ratio`) makes one table of differences; this module adds up its values.

*Geometric interpolation* (equation 1) smooths the relative frequencies of all orders:

    Pr(c_n | c_1 ... c_n-1) = (1 - q) / (1 - q^n)
                              * (f(c_n | c_1 ... c_n-1) + q f(c_n | c_2 ... c_n-1) + ... + q^(n-1) f(c_n))

with 0 < q < 1; near 0 it is an n-gram model without interpolation, and larger values smooth more. The weights are in
`modelling/ngrams.py` (`interpolation_weights`), the frequencies f in `conditional`, the sum in
`NGramModel.interpolated`; `lab/training/tuning.py` computes it for all n and q at once, to choose them by
cross-entropy. An unseen n-gram adds nothing to the sum: its probability is that of its longest seen suffix, with
the weights of the full order. So the sum is computed once for each seen n-gram, and this module only finds the longest
suffix: with one access to a dense table if the table fits into memory, and with a few hash probes otherwise.

*Differential training.* Gold standards have cleaned pages, and do not say what was removed. So the counts of the dirty
model are those of the raw pages minus those of the clean ones: `lab/training/counting.py` (`two_sides`, with
`differential`), for `lab/training/ngrams.py`. Where segments can be aligned with the clean text, both sides are counted
instead (`--scheme aligned`, our default).

*What we add.* Alphabets of other languages (`modelling/alphabet.py`), and a decision about a segment given the whole
page (`modelling/decision.py`, `_decision.pyx`); Evert's last stage, menus and copyright lines, is
`methods/_forms.pyx`. `methods/ngram.py` is the method as users call it.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

import numpy as np

from ncleaner.text._letters cimport decode_utf8


cdef inline const uint8_t* next_symbol(
    const symbols_t* s, const uint8_t* p, const uint8_t* end, uint8_t* symbol
) noexcept nogil:
    """Decodes one character of valid UTF-8 at `p`, and returns the place of the next character."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        symbol[0] = s.low[c]
        return p + 1
    if c < 0xE0 and p + 1 < end:
        symbol[0] = s.low[(c & 0x1F) << 6 | (p[1] & 0x3F)]
        return p + 2
    p += decode_utf8(p, <size_t> (end - p), &c)
    symbol[0] = s.pages[<size_t> s.index[c >> 8] * 256 + (c & 0xFF)]
    return p


cdef inline uint64_t _hash(uint64_t key) noexcept nogil:
    key *= <uint64_t> 0x9E3779B97F4A7C15
    return key ^ key >> 29


cdef inline bint _find(const slots_t* level, uint64_t key, double* value) noexcept nogil:
    cdef uint64_t slot = _hash(key) & level.mask
    while level.used[slot]:
        if level.keys[slot] == key:
            value[0] = level.values[slot]
            return True
        slot = (slot + 1) & level.mask
    return False


cdef double look_up(const grams_t* g, uint64_t gram) noexcept nogil:
    """Returns the value of the longest suffix of an n-gram of full order. Level 1 holds every symbol."""
    cdef int k
    cdef double value = 0
    if g.dense != NULL:
        return g.dense[gram & g.window]
    for k in range(g.order, 0, -1):
        if _find(&g.levels[k], gram & ((<uint64_t> 1 << k * g.bits) - 1 if k * g.bits < 64 else ~<uint64_t> 0), &value):
            return value
    return value


cdef double score(
    const grams_t* g, const symbols_t* s, const uint8_t* p, size_t length, uint32_t* characters
) noexcept nogil:
    """Returns the sum of the values of a segment's n-grams, with the final boundary. `characters` gets their number."""
    cdef const uint8_t* end = p + length
    cdef const float* dense = g.dense
    cdef uint64_t gram = 0, window = g.window
    cdef int bits = g.bits
    cdef uint8_t symbol = 0
    cdef double total = 0
    cdef uint32_t n = 0
    if dense != NULL:
        while p < end:
            p = next_symbol(s, p, end, &symbol)
            gram = (gram << bits | symbol) & window
            total += dense[gram]
            n += 1
        total += dense[(gram << bits) & window]
    else:
        while p < end:
            p = next_symbol(s, p, end, &symbol)
            gram = gram << bits | symbol
            total += look_up(g, gram)
            n += 1
        total += look_up(g, gram << bits)
    characters[0] = n + 1
    return total


cdef class Encoder:
    """An encoder from UTF-8 to the symbols of one alphabet.

    Args:
        index: shape (4352,), uint16: for each page of 256 code points its row in `pages`.
        pages: shape (rows, 256), uint8: the symbol of each code point.

    Raises:
        ValueError: the arrays have other shapes, or `index` names a missing row.
    """

    def __init__(self, index, pages):
        cdef const uint16_t[::1] i = np.ascontiguousarray(index, np.uint16)
        cdef const uint8_t[:, ::1] p = np.ascontiguousarray(pages, np.uint8)
        if i.shape[0] != 4352 or p.shape[1] != 256 or p.shape[0] <= int(np.max(i)):
            raise ValueError("an alphabet is a page index of 4352 rows into pages of 256")
        self._keep = (i, p)
        self.symbols.index = &i[0]
        self.symbols.pages = &p[0, 0]
        for c in range(2048):
            self.symbols.low[c] = p[i[c >> 8], c & 255]

    def encode(self, bytes data not None, starts, ends, int order):
        """Encodes the segments [starts, ends) of `data`, each with order − 1 boundaries before and one after it.

        Args:
            data: UTF-8 text.
            starts, ends: shape (segments,), uint32: byte offsets into `data`.
            order: n of the n-grams.

        Returns:
            The symbols, shape (symbols,), uint8; and for each segment the index of its first character among
            them, shape (segments,), int64.

        Raises:
            ValueError: the arrays have different lengths, or a segment is outside the text.
        """
        cdef const uint32_t[::1] first = np.ascontiguousarray(starts, np.uint32)
        cdef const uint32_t[::1] last = np.ascontiguousarray(ends, np.uint32)
        cdef Py_ssize_t n = first.shape[0], i
        if last.shape[0] != n:
            raise ValueError("as many ends as starts")
        cdef size_t room = 0, length = len(data)
        if order < 1:
            raise ValueError("the order must be at least 1")
        for i in range(n):
            if last[i] > length or first[i] > last[i]:
                raise ValueError("segment outside of the text")
            room += last[i] - first[i] + <size_t> order
        out_array = np.zeros(room, np.uint8)
        where_array = np.zeros(n, np.int64)
        cdef uint8_t[::1] out = out_array
        cdef int64_t[::1] where = where_array
        cdef const uint8_t* text = <const uint8_t*> <const char*> data
        cdef const uint8_t* p
        cdef const uint8_t* end
        cdef size_t at = 0
        cdef uint8_t symbol = 0
        with nogil:
            for i in range(n):
                at += order - 1
                where[i] = <int64_t> at
                p = text + first[i]
                end = text + last[i]
                while p < end:
                    p = next_symbol(&self.symbols, p, end, &symbol)
                    out[at] = symbol
                    at += 1
                at += 1
        return out_array[:at], where_array

    def count(self, bytes data not None, kinds):
        """Counts the characters of two kinds.

        Args:
            data: UTF-8 text.
            kinds: shape (256,), uint8: the kind of each symbol, 1 or 2; 0 for those that do not count.

        Returns:
            The numbers of characters of kind 1 and of kind 2.

        Raises:
            ValueError: `kinds` has another shape.
        """
        cdef const uint8_t[::1] kind = np.ascontiguousarray(kinds, np.uint8)
        if kind.shape[0] != 256:
            raise ValueError("there are 256 symbols")
        cdef const uint8_t* p = <const uint8_t*> <const char*> data
        cdef const uint8_t* end = p + len(data)
        cdef uint8_t symbol = 0
        # both numbers at once, one in each half
        cdef uint64_t steps[256]
        cdef uint64_t counts = 0
        cdef int c
        with nogil:
            for c in range(256):
                steps[c] = (kind[c] == 1) | <uint64_t> (kind[c] == 2) << 32
            while p < end:
                p = next_symbol(&self.symbols, p, end, &symbol)
                counts += steps[symbol]
        return <uint32_t> counts, counts >> 32


cdef class Grams:
    """A table of the values of n-grams. The value of an n-gram is that of its longest suffix in the table.

    Args:
        levels: for k = 1 … order a pair (keys, values): shape (grams,), uint64 and float64, the keys distinct.
            Level 1 holds every symbol.
        bits: number of bits per symbol; order · bits is at most 64.
        dense: whether the values are also stored in one float32 table of 2^(order·bits), which takes one access
            per character.
    """

    def __cinit__(self, levels, int bits, bint dense=False):
        cdef int order = len(levels), k
        cdef const uint64_t[::1] keys
        cdef const double[::1] values
        cdef slots_t* level
        cdef uint64_t slot, size
        cdef Py_ssize_t i
        if not 1 <= order <= MAX_ORDER or bits < 1 or order * bits > 64:
            raise ValueError(f"order {order} with {bits} bits per symbol is out of range")
        self.grams.order = order
        self.grams.bits = bits
        self.grams.window = (<uint64_t> 1 << order * bits) - 1 if order * bits < 64 else ~<uint64_t> 0
        if dense:
            self._lay_out(levels)
            return
        for k in range(1, order + 1):
            keys = np.ascontiguousarray(levels[k - 1][0], np.uint64)
            values = np.ascontiguousarray(levels[k - 1][1], np.float64)
            if keys.shape[0] != values.shape[0]:
                raise ValueError("as many values as keys")
            size = 16
            while size < 2 * <uint64_t> keys.shape[0]:
                size *= 2
            level = &self.grams.levels[k]
            level.mask = size - 1
            level.keys = <uint64_t*> malloc(size * sizeof(uint64_t))
            level.values = <double*> malloc(size * sizeof(double))
            level.used = <uint8_t*> calloc(size, 1)
            if level.keys == NULL or level.values == NULL or level.used == NULL:
                raise MemoryError
            with nogil:
                for i in range(keys.shape[0]):
                    slot = _hash(keys[i]) & level.mask
                    while level.used[slot]:
                        slot = (slot + 1) & level.mask
                    level.used[slot] = 1
                    level.keys[slot] = keys[i]
                    level.values[slot] = values[i]

    def _lay_out(self, levels):
        """Fills the dense table from short to long n-grams: a seen n-gram overwrites the value of its suffix."""
        cdef int bits = self.grams.bits
        cdef const float[::1] view
        table = np.zeros(1, np.float32)
        for keys, values in levels:
            table = np.tile(table, 1 << bits)
            table[np.asarray(keys, np.int64)] = values
        self._dense = table
        view = table
        self.grams.dense = &view[0]

    def __dealloc__(self):
        for k in range(1, MAX_ORDER + 1):
            free(self.grams.levels[k].keys)
            free(self.grams.levels[k].values)
            free(self.grams.levels[k].used)

    def score(self, Encoder encoder not None, bytes data not None, starts, ends):
        """Scores the segments [starts, ends) of `data`.

        Args:
            encoder: the encoder of the same alphabet.
            data: UTF-8 text.
            starts, ends: shape (segments,), uint32: byte offsets into `data`.

        Returns:
            The sum of the values of each segment's n-grams, shape (segments,), float64; and the number of its
            n-grams, shape (segments,), uint32: its characters and one boundary.

        Raises:
            ValueError: the arrays have different lengths, or a segment is outside the text.
        """
        cdef const uint32_t[:] first = np.asarray(starts, np.uint32)
        cdef const uint32_t[:] last = np.asarray(ends, np.uint32)
        cdef Py_ssize_t n = first.shape[0], i
        cdef size_t length = len(data)
        if last.shape[0] != n:
            raise ValueError("as many ends as starts")
        sums_array = np.zeros(n, np.float64)
        counts_array = np.zeros(n, np.uint32)
        cdef double[::1] sums = sums_array
        cdef uint32_t[::1] counts = counts_array
        cdef const uint8_t* text = <const uint8_t*> <const char*> data
        for i in range(n):
            if last[i] > length or first[i] > last[i]:
                raise ValueError("segment outside of the text")
        with nogil:
            for i in range(n):
                sums[i] = score(&self.grams, &encoder.symbols, text + first[i], last[i] - first[i], &counts[i])
        return sums_array, counts_array

    def values(self, Encoder encoder not None, bytes data not None):
        """Returns the value of each n-gram of one segment, in order: shape (characters + 1,), float64."""
        cdef const uint8_t* p = <const uint8_t*> <const char*> data
        cdef const uint8_t* end = p + len(data)
        cdef uint64_t gram = 0
        cdef uint8_t symbol = 0
        found = []
        while p < end:
            p = next_symbol(&encoder.symbols, p, end, &symbol)
            gram = gram << self.grams.bits | symbol
            found.append(look_up(&self.grams, gram))
        found.append(look_up(&self.grams, gram << self.grams.bits))
        return np.array(found, np.float64)
