"""Figures on which the filters of Gopher, C4 and FineWeb decide, as datatrove computes them.

Words are cut here, see `_next`: as nearly as simple rules can to how spaCy cuts them, which datatrove uses for English.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.text._ascii cimport fill_words, find_any, table_of, words_t
from ncleaner.text._letters cimport decode_utf8, is_unspaced

from ncleaner.text.wordlists import word_lists

cdef extern from "Python.h" nogil:
    bint Py_UNICODE_ISALNUM(Py_UCS4)
    bint Py_UNICODE_ISALPHA(Py_UCS4)
    bint Py_UNICODE_ISDECIMAL(Py_UCS4)
    bint Py_UNICODE_ISSPACE(Py_UCS4)

cdef enum:
    # kinds of characters: those of Python, and of filters.txt
    SPACE = 1
    LETTER = 2
    UNSPACED = 4
    FINAL = 8
    PUNCTUATION = 16
    SIGN = 32
    JOINT = 64
    BULLET = 128
    END = 256

    KNOWN = 0x20000         # code points whose kinds are looked up; beyond them are ideographs
    SHORT_LINE = 30         # FineWeb: characters
    LONGEST_WORD = 1000     # C4: characters of a word between white space
    LEAST_WORDS = 3         # C4: words of a line
    MOST_STOPS = 32
    LONGEST_TOP = 4         # Gopher: of n-grams up to this length, the most frequent counts; of longer ones, all repeated
    LONGEST_GRAM = 10

cdef uint64_t BASE = 0x9E3779B97F4A7C15, SPREAD = 0xD1B54A32D192ED03

cdef struct word_t:
    uint64_t hash
    uint64_t power          # BASE to the power of the characters
    uint32_t chars
    uint32_t sign           # the character of a word of signs, else 0
    uint16_t any            # kinds that one character has
    uint16_t all            # kinds that all have

cdef struct row_t:
    # a word or a line
    uint64_t hash
    uint64_t power
    uint32_t end            # characters of all rows up to this one

cdef struct rows_t:
    row_t* rows             # the first one has no characters
    size_t n
    size_t cap

cdef struct sums_t:
    size_t chars, line_feeds
    size_t lines, final_lines, short_lines, repeated_lines
    # of all line breaks of Unicode
    size_t broken_lines, bullets, ellipsis_lines
    size_t words, real_words, real_chars, lettered, hashes, ellipses
    size_t c4_lines, c4_sentences, c4_filler, c4_braces, c4_policies
    # characters of n-grams, by their length; 1 for lines
    size_t grams[LONGEST_GRAM + 1]
    uint32_t stops          # a bit for each

cdef uint16_t kinds[KNOWN]
cdef uint64_t stops[MOST_STOPS]
cdef int n_stops = 0
cdef words_t filler, code_words, policies
cdef const char** citations


cdef inline uint16_t _kinds_of(uint32_t code) noexcept nogil:
    if code < KNOWN:
        return kinds[code]
    return LETTER if Py_UNICODE_ISALPHA(code) else 0


cdef inline void _add(word_t* word, uint32_t code, uint16_t kind) noexcept nogil:
    word.hash = word.hash * BASE + code + 1
    word.power *= BASE
    word.chars += 1
    word.any |= kind
    word.all &= kind


cdef const uint8_t* _next(const uint8_t* p, const uint8_t* end, word_t* word) noexcept nogil:
    """Reads the next word of a text; returns its end, or NULL if there is none.

    A letter of a script without spaces is a word; so is a run of the same sign. Other words are runs of what is neither
    white space nor such a letter or sign; a JOINT sign between two of these is part of the word.
    """
    cdef uint32_t code, first
    cdef uint16_t kind
    cdef size_t width
    while True:
        if p >= end:
            return NULL
        width = decode_utf8(p, <size_t> (end - p), &first)
        kind = _kinds_of(first)
        p += width
        if not kind & SPACE:
            break
    word.hash, word.power, word.chars, word.any, word.all = 0, 1, 0, 0, 0xFFFF
    word.sign = first if kind & SIGN else 0
    _add(word, first, kind)
    if kind & UNSPACED:
        return p
    while p < end:
        width = decode_utf8(p, <size_t> (end - p), &code)
        if word.sign:
            if code != first:
                break
        else:
            kind = _kinds_of(code)
            if kind & (SPACE | UNSPACED):
                break
            if kind & SIGN:
                if not kind & JOINT or p + width >= end:
                    break
                decode_utf8(p + width, <size_t> (end - p) - width, &first)
                if _kinds_of(first) & (SPACE | UNSPACED | SIGN):
                    break
        _add(word, code, kind)
        p += width
    return p


cdef bint _push(rows_t* table, uint64_t hash, uint64_t power, uint32_t chars) noexcept nogil:
    """Adds a row; returns False if there is not enough memory."""
    cdef row_t* moved
    if table.n + 2 > table.cap:
        moved = <row_t*> realloc(table.rows, (2 * table.cap + 512) * sizeof(row_t))
        if moved == NULL:
            return False
        table.rows, table.cap = moved, 2 * table.cap + 512
        table.rows[0].end = 0
    table.n += 1
    table.rows[table.n].hash, table.rows[table.n].power = hash, power
    table.rows[table.n].end = table.rows[table.n - 1].end + chars
    return True


# --------------------------------------------------------------------------------------------------
# Repetition.

cdef inline uint32_t* _slot(uint32_t* slots, int shift, const uint64_t* hashes, size_t i) noexcept nogil:
    """Returns the place of a hash in a table of numbers of hashes, counted from 1; 0 if it is not there."""
    cdef size_t mask = (<size_t> 1 << (64 - shift)) - 1, at = <size_t> ((hashes[i] * SPREAD) >> shift)
    while slots[at] and hashes[slots[at] - 1] != hashes[i]:
        at = (at + 1) & mask
    return &slots[at]


cdef Py_ssize_t _repetition(const rows_t* table, size_t shortest, size_t longest, size_t* grams) noexcept nogil:
    """Counts the characters of n-grams of rows: of those that repeat an earlier one and do not overlap; or of the most
    frequent one, with a space between its words, if the longest has LONGEST_TOP words.

    Args:
        table: words or lines.
        shortest, longest: lengths of the n-grams, in rows.
        grams: the result, by length.

    Returns:
        The number of n-grams that repeat an earlier one, or -1 if there is not enough memory.
    """
    cdef size_t n = table.n, i, k, first, best
    cdef Py_ssize_t repeated = 0
    cdef const row_t* rows = table.rows
    cdef bint top = longest == LONGEST_TOP
    cdef uint32_t* slot
    cdef int shift = 60
    while <size_t> 1 << (64 - shift) < 2 * n:
        shift -= 1
    cdef size_t size = (<size_t> 1 << (64 - shift)) * sizeof(uint32_t)
    cdef uint64_t* hashes = <uint64_t*> malloc((n + 1) * sizeof(uint64_t))
    cdef uint32_t* counts = <uint32_t*> malloc((n + 1) * sizeof(uint32_t))
    cdef uint32_t* slots = <uint32_t*> malloc(size)
    if hashes == NULL or counts == NULL or slots == NULL:
        repeated = -1
        longest = 0
    for k in range(1, min(n, longest) + 1):
        for i in range(n - k + 1):
            if k == 1:
                hashes[i] = rows[i + 1].hash
            else:
                # without a space between the words, n-grams with the same characters are the same
                hashes[i] = hashes[i] * (SPREAD if top else rows[i + k].power) + rows[i + k].hash
        if k < shortest:
            continue
        memset(slots, 0, size)
        i = best = 0
        while i + k <= n:
            slot = _slot(slots, shift, hashes, i)
            if not slot[0]:
                slot[0] = <uint32_t> i + 1
                counts[i] = 1
            elif top:
                first = slot[0] - 1
                counts[first] += 1
                # of several, the one that is first in the text
                if counts[first] > counts[best] or counts[first] == counts[best] and first < best:
                    best = first
            else:
                grams[k] += rows[i + k].end - rows[i].end
                repeated += 1
                i += k - 1
            i += 1
        if top:
            grams[k] = counts[best] * (rows[best + k].end - rows[best].end + k - 1)
    free(hashes)
    free(counts)
    free(slots)
    return repeated


# --------------------------------------------------------------------------------------------------
# Lines.

cdef inline const uint8_t* _before(const uint8_t* start, const uint8_t* p, uint32_t* code) noexcept nogil:
    """Returns where the character that ends at `p` begins, and decodes it."""
    cdef const uint8_t* at = p - 1
    while at > start and at[0] & 0xC0 == 0x80:
        at -= 1
    decode_utf8(at, <size_t> (p - at), code)
    return at


cdef const uint8_t* _uncited(const uint8_t* p, const uint8_t* end, uint8_t* out) noexcept nogil:
    """Copies a line without what stands for sources, such as `[12]`; returns the end of the copy."""
    cdef const uint8_t* at
    cdef const char** citation
    cdef uint32_t code
    cdef size_t width
    while p < end:
        if p[0] == c'[':
            at = p + 1
            citation = citations
            while citation[0] != NULL:
                width = strlen(citation[0])
                if <size_t> (end - at) >= width and memcmp(at, citation[0], width) == 0:
                    break
                citation += 1
            if citation[0] != NULL:
                p = at + width
                continue
            while at < end:
                width = decode_utf8(at, <size_t> (end - at), &code)
                if not Py_UNICODE_ISDECIMAL(code):
                    break
                at += width
            if at < end and at[0] == c']':
                p = at + 1
                continue
        out[0] = p[0]
        out += 1
        p += 1
    return out


cdef void _read_line(const uint8_t* p, const uint8_t* end, uint8_t* scratch, sums_t* sums) noexcept nogil:
    """Adds up what Gopher and C4 ask of a line, which has no white space at its ends.

    Args:
        p, end: the line.
        scratch: for a copy of the line; NULL if the text has no brackets.
        sums: the result.
    """
    cdef uint32_t code
    cdef size_t n = 0, words = 0, size
    cdef const uint8_t* at = p
    cdef word_t word
    cdef bint ended = False
    if p == end:
        return
    decode_utf8(p, <size_t> (end - p), &code)
    sums.bullets += _kinds_of(code) & BULLET != 0
    _before(p, end, &code)
    sums.ellipsis_lines += code == 0x2026 or end - p > 2 and memcmp(end - 3, b"...", 3) == 0
    while at < end:
        at += decode_utf8(at, <size_t> (end - at), &code)
        if _kinds_of(code) & SPACE:
            n = 0
        else:
            words += not n
            n += 1
            if n > LONGEST_WORD:
                return
    if words < LEAST_WORDS:
        return
    if scratch != NULL and memchr(p, c'[', <size_t> (end - p)) != NULL:
        end = _uncited(p, end, scratch)
        p = scratch
        if p == end:
            return
    _before(p, end, &code)
    if not _kinds_of(code) & END or end - p > 2 and memcmp(end - 3, b"...", 3) == 0:
        return
    size = <size_t> (end - p)
    if find_any(p, size, &filler):
        sums.c4_filler += 1
    elif find_any(p, size, &code_words):
        return
    elif memchr(p, c'{', size) != NULL:
        sums.c4_braces += 1
    elif find_any(p, size, &policies):
        sums.c4_policies += 1
    else:
        sums.c4_lines += 1
        sums.c4_sentences += 1
        p = _next(p, end, &word)
        while p != NULL:
            # an ellipsis ends none
            if word.sign and word.any & FINAL and (word.chars == 1 or word.sign != c'.'):
                ended = True
            elif ended and not word.sign:
                sums.c4_sentences += 1
                ended = False
            p = _next(p, end, &word)


cdef inline size_t _break_width(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of the line break at `p`, as `str.splitlines` finds them; 0 if there is none."""
    cdef uint8_t c = p[0]
    if c < 0x20:
        if c == c'\r' and end - p > 1 and p[1] == c'\n':
            return 2
        return 10 <= c <= 13 or 0x1C <= c <= 0x1E
    if c < 0xC2:
        return 0
    if c == 0xC2:
        return 2 if p[1] == 0x85 else 0
    return 3 if c == 0xE2 and p[1] == 0x80 and p[2] & 0xFE == 0xA8 else 0


cdef void _read_lines(const uint8_t* p, const uint8_t* end, uint8_t* scratch, sums_t* sums) noexcept nogil:
    """Adds up what Gopher and C4 ask of lines, which end at any line break of Unicode."""
    cdef const uint8_t* start
    cdef const uint8_t* stop
    cdef const uint8_t* at
    cdef uint32_t code
    cdef size_t width
    while p < end:
        start = p
        width = 0
        while p < end:
            width = _break_width(p, end)
            if width:
                break
            p += 1
        stop = p
        p += width
        sums.broken_lines += 1
        while stop > start:
            at = _before(start, stop, &code)
            if not _kinds_of(code) & SPACE:
                break
            stop = at
        while start < stop:
            width = decode_utf8(start, <size_t> (stop - start), &code)
            if not _kinds_of(code) & SPACE:
                break
            start += width
        _read_line(start, stop, scratch, sums)


cdef bint _read(const uint8_t* p, const uint8_t* end, uint8_t* scratch, sums_t* sums) noexcept nogil:
    """Adds up all; returns False if there is not enough memory."""
    cdef rows_t words, lines
    cdef const uint8_t* at = p
    cdef const uint8_t* start
    cdef const uint8_t* stop
    cdef uint64_t hash
    cdef uint32_t code, chars
    cdef word_t word
    cdef Py_ssize_t repeated
    cdef bint enough = True
    cdef int i
    memset(&words, 0, sizeof(words))
    memset(&lines, 0, sizeof(lines))
    _read_lines(p, end, scratch, sums)
    while p < end and enough:
        start = p
        stop = <const uint8_t*> memchr(p, c'\n', <size_t> (end - p))
        sums.line_feeds += stop != NULL
        stop = end if stop == NULL else stop
        hash = chars = 0
        while p < stop:
            chars += p[0] & 0xC0 != 0x80
            hash = hash * BASE + p[0] + 1
            p += 1
        p += 1
        if chars:
            _before(start, stop, &code)
            sums.final_lines += _kinds_of(code) & FINAL != 0
            sums.short_lines += chars <= SHORT_LINE
            sums.chars += chars
            enough = _push(&lines, hash, 0, chars)
    at = _next(at, end, &word)
    while at != NULL and enough:
        enough = _push(&words, word.hash, word.power, word.chars)
        sums.lettered += word.any & LETTER != 0
        if not word.all & PUNCTUATION:
            sums.real_words += 1
            sums.real_chars += word.chars
        if word.sign == c'#':
            sums.hashes += word.chars
        elif word.sign == c'.':
            sums.ellipses += word.chars // 3
        elif word.sign == 0x2026:
            sums.ellipses += word.chars
        for i in range(n_stops):
            if word.hash == stops[i]:
                sums.stops |= <uint32_t> 1 << i
        at = _next(at, end, &word)
    sums.lines, sums.words = lines.n, words.n
    repeated = _repetition(&lines, 1, 1, sums.grams) if enough else -1
    sums.repeated_lines = <size_t> repeated
    enough = (
        repeated >= 0 and _repetition(&words, 2, LONGEST_TOP, sums.grams) >= 0
        and _repetition(&words, LONGEST_TOP + 1, LONGEST_GRAM, sums.grams) >= 0
    )
    free(words.rows)
    free(lines.rows)
    return enough


def figures_of(bytes text not None):
    """Returns the figures of a clean text, in the order of `FILTERS` of signals.py; shares of an empty text are None.

    Args:
        text: UTF-8; lines with a line feed between two, none of which is blank.

    Raises:
        MemoryError: there is not enough memory.
    """
    cdef const uint8_t* p = <const uint8_t*> <const char*> text
    cdef size_t size = len(text)
    cdef sums_t sums
    cdef uint8_t* scratch = NULL
    cdef bint enough = True
    memset(&sums, 0, sizeof(sums))
    with nogil:
        if memchr(p, c'[', size) != NULL:
            scratch = <uint8_t*> malloc(size)
            enough = scratch != NULL
        enough = enough and _read(p, p + size, scratch, &sums)
        free(scratch)
    if not enough:
        raise MemoryError

    def share(part, whole):
        return part / whole if whole else None

    chars = sums.chars + sums.line_feeds
    return (
        share(sums.repeated_lines, sums.lines),
        share(sums.grams[1], chars),
        *[share(sums.grams[k], chars) for k in range(2, LONGEST_GRAM + 1)],
        share(sums.real_chars, sums.real_words),
        share(sums.hashes, sums.words),
        share(sums.ellipses, sums.words),
        share(sums.bullets, sums.broken_lines),
        share(sums.ellipsis_lines, sums.broken_lines),
        share(sums.lettered, sums.words),
        share(sums.final_lines, sums.lines),
        share(sums.short_lines, sums.lines),
        share(sums.grams[1], sums.chars),
        share(sums.line_feeds, sums.words),
        sums.real_words,
        sums.stops.bit_count(),
        sums.c4_lines,
        sums.c4_sentences,
        sums.c4_filler,
        sums.c4_braces,
        sums.c4_policies,
    )


# --------------------------------------------------------------------------------------------------
# What is in filters.txt.

cdef void _fill_kinds(lists):
    cdef uint32_t code
    cdef uint16_t kind
    for code in range(KNOWN):
        kinds[code] = (
            (SPACE if Py_UNICODE_ISSPACE(code) else 0) | (LETTER if Py_UNICODE_ISALPHA(code) else 0)
            | (UNSPACED if is_unspaced(code) else 0)
        )
    for name, kind in (
        ("final", FINAL | PUNCTUATION | SIGN), ("punctuation", PUNCTUATION | SIGN), ("signs", SIGN), ("joints", JOINT),
        ("bullets", BULLET), ("ends", END),
    ):
        for word in lists[name]:
            first, _, last = word.partition("-")
            for code in range(int(first, 16), int(last or first, 16) + 1):
                kinds[code] |= kind & ~SIGN if Py_UNICODE_ISALNUM(code) or Py_UNICODE_ISSPACE(code) else kind


cdef int _fill() except -1:
    global citations, n_stops
    cdef word_t word
    cdef bytes stop
    cdef const uint8_t* p
    lists = word_lists(
        "describing/filters", "stop words", "bullets", "ends", "filler", "code", "policies", "citations", "final",
        "punctuation", "signs", "joints",
    )
    _fill_kinds(lists)
    fill_words(&filler, lists["filler"])
    fill_words(&code_words, lists["code"])
    fill_words(&policies, lists["policies"])
    citations = table_of(lists["citations"])
    for text in lists["stop words"][:MOST_STOPS]:
        stop = text.encode()
        p = <const uint8_t*> <const char*> stop
        _next(p, p + len(stop), &word)
        stops[n_stops] = word.hash
        n_stops += 1
    return 0

_fill()
