"""Figures on which the filters of Gopher, C4 and FineWeb decide, as datatrove computes them from the same words.

`_next` cuts words: as nearly as simple rules can to how spaCy cuts them, which datatrove uses for English.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memset, strlen

from ncleaner.text._ascii cimport fill_words, find_any, table_of, words_t
from ncleaner.text._letters cimport (
    Py_UNICODE_ISALNUM, Py_UNICODE_ISALPHA, Py_UNICODE_ISDECIMAL, Py_UNICODE_ISSPACE, decode_utf8, is_unspaced,
)

from ncleaner.text.wordlists import word_lists

cdef enum:
    # kinds of characters: those of Python, and those of filters.txt
    SPACE = 1, LETTER = 2, UNSPACED = 4
    BREAK = 8, FINAL = 16, PUNCTUATION = 32, SIGN = 64, JOINT = 128, BULLET = 256, END = 512
    APART = SPACE | UNSPACED | SIGN

    KNOWN = 0x33480         # code points from here on are of no kind
    SHORT_LINE = 30         # FineWeb: characters
    LONGEST_WORD = 1000     # C4: characters between white space
    LEAST_WORDS = 3         # C4: in a line
    MOST_STOPS = 32
    FITTING = 1 << 16
    LONGEST_TOP = 4         # Gopher: of n-grams up to this length, the most frequent counts; of others, repeated ones
    LONGEST_GRAM = 10

cdef uint64_t BASE = 0x9E3779B97F4A7C15, SPREAD = 0xD1B54A32D192ED03

cdef struct word_t:
    uint64_t hash
    uint64_t power          # BASE to the power of the characters
    uint32_t chars
    uint32_t first          # its first character
    uint16_t any            # kinds that one character has
    uint16_t all            # kinds that all have

cdef struct row_t:
    # a word or a line
    uint64_t hash
    uint64_t power
    uint32_t end            # characters of all rows up to this one

cdef struct sums_t:
    size_t chars, line_feeds, lines, final_lines, short_lines, repeated_lines
    # of lines that any line break of Unicode ends
    size_t broken_lines, bullets, ellipsis_lines, c4_lines, c4_sentences, c4_filler, c4_braces, c4_policies
    size_t words, real_words, real_chars, lettered, hashes, ellipses
    # characters of n-grams, by their length; at 1 those of lines
    size_t grams[LONGEST_GRAM + 1]
    uint32_t stops          # a bit for each stop word

cdef uint16_t kinds[KNOWN]
cdef uint64_t stops[MOST_STOPS]
cdef int n_stops = 0
cdef words_t filler, scripts, phrases
cdef const char** citations


cdef inline size_t _decode(const uint8_t* p, const uint8_t* end, uint32_t* code, uint16_t* kind) noexcept nogil:
    """Decodes a character, and finds its kinds; returns its width in bytes."""
    cdef size_t width = decode_utf8(p, <size_t> (end - p), code)
    kind[0] = kinds[code[0]] if code[0] < KNOWN else 0
    return width


cdef const uint8_t* _next(const uint8_t* p, const uint8_t* end, word_t* word) noexcept nogil:
    """Reads the next word of a text; returns its end, or NULL if there is none.

    A letter of a script without spaces is a word; so is a run of the same sign. Other words are runs of what is neither
    white space nor such a letter or sign; a JOINT sign between two of these is part of the word.
    """
    # not in the struct: to the compiler, any byte of the text might be a part of it
    cdef uint64_t hash = 0, power = 1
    cdef uint32_t code, after, first = 0, chars = 0
    cdef uint16_t kind, some = 0, every = 0xFFFF
    cdef size_t width
    while p < end:
        width = _decode(p, end, &code, &kind)
        if not chars:
            if kind & SPACE:
                p += width
                continue
            first = code
        elif some & (UNSPACED | SIGN) and (some & UNSPACED or every & SIGN and code != first):
            break
        elif kind & APART and not every & SIGN:
            if not kind & JOINT or p + width == end:
                break
            _decode(p + width, end, &after, &kind)
            if kind & APART:
                break
            kind = kinds[code]
        hash = hash * BASE + code + 1
        power *= BASE
        chars += 1
        some |= kind
        every &= kind
        p += width
    word.hash, word.power, word.chars, word.first, word.any, word.all = hash, power, chars, first, some, every
    return p if chars else NULL


# --------------------------------------------------------------------------------------------------
# Repetition.

cdef bint _count_grams(const row_t* rows, size_t n, size_t shortest, size_t longest, sums_t* sums) noexcept nogil:
    """Counts the characters of n-grams of rows: of those that repeat an earlier one and do not overlap; or of the most
    frequent one, with a space between its words, if the longest has LONGEST_TOP words.

    Args:
        rows: words or lines: `n` of them, after a row without characters.
        shortest, longest: lengths of the n-grams, in rows.
        sums: gets the characters by length, and how many lines repeat an earlier one.

    Returns:
        Whether there was enough memory.
    """
    cdef size_t i, k, at, first, best, bits = 4
    cdef bint top = longest == LONGEST_TOP
    # half empty; three quarters where that fits into the processor's cache
    while <size_t> 1 << bits < 2 * n + min(2 * n, <size_t> FITTING):
        bits += 1
    cdef size_t mask = (<size_t> 1 << bits) - 1
    cdef uint64_t* hashes = <uint64_t*> malloc(12 * n + 4 * (mask + 1))
    # how often the n-gram that begins at a row is in the text, if no earlier one is the same
    cdef uint32_t* counts = <uint32_t*> (hashes + n)
    # a table of such rows by their hashes, counted from 1
    cdef uint32_t* slots = counts + n
    if hashes == NULL:
        return False
    for k in range(1, min(n, longest) + 1):
        for i in range(n - k + 1):
            if k == 1:
                hashes[i] = rows[i + 1].hash
            else:
                # where repeated ones count, n-grams with the same characters are the same, however they are cut
                hashes[i] = hashes[i] * (SPREAD if top else rows[i + k].power) + rows[i + k].hash
        if k < shortest:
            continue
        memset(slots, 0, 4 * (mask + 1))
        i = best = 0
        while i + k <= n:
            at = <size_t> ((hashes[i] * SPREAD) >> (64 - bits))
            while slots[at] and hashes[slots[at] - 1] != hashes[i]:
                at = (at + 1) & mask
            if not slots[at]:
                slots[at] = <uint32_t> i + 1
                counts[i] = 1
            elif top:
                first = slots[at] - 1
                counts[first] += 1
                # of several, the one that is first in the text
                if counts[first] > counts[best] or counts[first] == counts[best] and first < best:
                    best = first
            else:
                sums.grams[k] += rows[i + k].end - rows[i].end
                sums.repeated_lines += k == 1
                i += k - 1
            i += 1
        if top:
            sums.grams[k] = counts[best] * (rows[best + k].end - rows[best].end + k - 1)
    free(hashes)
    return True


# --------------------------------------------------------------------------------------------------
# Lines.

cdef size_t _citation(const uint8_t* p, const uint8_t* end) noexcept nogil:
    """Returns the bytes of what stands for a source at the `[` at `p`, such as `[12]`; 0 for other text."""
    cdef const uint8_t* at = p + 1
    cdef const char** text = citations
    cdef uint32_t code
    while text[0] != NULL:
        if <size_t> (end - at) >= strlen(text[0]) and memcmp(at, text[0], strlen(text[0])) == 0:
            return strlen(text[0]) + 1
        text += 1
    while at < end and at[0] != c']':
        at += decode_utf8(at, <size_t> (end - at), &code)
        if not Py_UNICODE_ISDECIMAL(code):
            return 0
    return <size_t> (at + 1 - p) if at < end else 0


cdef bint _is_ellipsis(const uint8_t* p, const uint8_t* end) noexcept nogil:
    return end - p > 2 and memcmp(end - 3, b"...", 3) == 0


cdef void _judge_line(const uint8_t* p, const uint8_t* end, uint8_t* scratch, sums_t* sums) noexcept nogil:
    """Counts a line as C4 does, which has enough words, as one that it keeps or one for which it drops the page.

    Args:
        p, end: the line, without white space at its ends.
        scratch: for a copy of the line; NULL if the text has no brackets.
        sums: the result.
    """
    cdef word_t word
    cdef uint8_t* out = scratch
    cdef size_t size
    cdef bint ended = False, has_phrase
    if scratch != NULL:
        while p < end:
            size = _citation(p, end) if p[0] == c'[' else 0
            if not size:
                out[0] = p[0]
                out += 1
                size = 1
            p += size
        p, end = scratch, out
    # all last characters that C4 takes are of one byte
    if p == end or not kinds[(end - 1)[0]] & END or _is_ellipsis(p, end):
        return
    size = <size_t> (end - p)
    has_phrase = find_any(p, size, &phrases)
    if has_phrase and find_any(p, size, &filler):
        sums.c4_filler += 1
    elif has_phrase and find_any(p, size, &scripts):
        return
    elif memchr(p, c'{', size) != NULL:
        sums.c4_braces += 1
    elif has_phrase:
        sums.c4_policies += 1
    else:
        sums.c4_lines += 1
        sums.c4_sentences += 1
        p = _next(p, end, &word)
        while p != NULL:
            # an ellipsis ends none
            if word.any & FINAL and word.all & SIGN and (word.chars == 1 or word.first != c'.'):
                ended = True
            elif ended and not word.all & SIGN:
                sums.c4_sentences += 1
                ended = False
            p = _next(p, end, &word)


cdef size_t _read_lines(const uint8_t* p, const uint8_t* end, row_t* rows, uint8_t* scratch, sums_t* sums) \
        noexcept nogil:
    """Adds up what is asked of lines; returns how many have a row. A line feed ends these, as in FineWeb; the others
    are those of Gopher and C4, which end with any line break of Unicode."""
    cdef const uint8_t* at
    cdef const uint8_t* first = NULL
    cdef const uint8_t* last = NULL
    cdef uint32_t code, code_of_last = 0, chars = 0
    cdef uint16_t kind, begins = 0, final = 0
    cdef size_t n = 0, words = 0, length = 0, longest = 0
    cdef uint64_t hash = 0
    while p < end:
        at = p
        p += _decode(p, end, &code, &kind)
        if code != c'\n':
            hash = hash * BASE + code + 1
            chars += 1
            final = kind
        if kind & SPACE:
            length = 0
        else:
            if first == NULL:
                first, begins = at, kind
            last, code_of_last = p, code
            words += not length
            length += 1
            longest = max(longest, length)
        if p < end and (not kind & BREAK or code == c'\r' and p[0] == c'\n'):
            continue
        sums.broken_lines += 1
        if first != NULL:
            sums.bullets += begins & BULLET != 0
            sums.ellipsis_lines += code_of_last == 0x2026 or _is_ellipsis(first, last)
            if words >= LEAST_WORDS and longest <= LONGEST_WORD:
                _judge_line(first, last, scratch, sums)
        first = NULL
        words = length = longest = 0
        if p == end or code == c'\n':
            sums.line_feeds += code == c'\n'
            if chars:
                n += 1
                rows[n].hash, rows[n].end = hash, rows[n - 1].end + chars
                sums.final_lines += final & FINAL != 0
                sums.short_lines += chars <= SHORT_LINE
                sums.chars += chars
            hash = chars = 0
    return n


cdef size_t _read_words(const uint8_t* p, const uint8_t* end, row_t* rows, sums_t* sums) noexcept nogil:
    """Adds up what is asked of words, and fills their rows; returns how many there are."""
    cdef word_t word
    cdef size_t n = 0
    cdef int i
    p = _next(p, end, &word)
    while p != NULL:
        n += 1
        rows[n].hash, rows[n].power, rows[n].end = word.hash, word.power, rows[n - 1].end + word.chars
        sums.lettered += word.any & LETTER != 0
        if not word.all & PUNCTUATION:
            sums.real_words += 1
            sums.real_chars += word.chars
        if word.first == c'#':
            sums.hashes += word.chars
        elif word.first == c'.':
            sums.ellipses += word.chars // 3
        elif word.first == 0x2026:
            sums.ellipses += word.chars
        for i in range(n_stops):
            if word.hash == stops[i]:
                sums.stops |= <uint32_t> 1 << i
        p = _next(p, end, &word)
    return n


def figures_of(bytes text not None):
    """Returns the figures of a clean text, in the order of `FILTERS` of signals.py; shares of an empty text are None.

    Args:
        text: UTF-8; lines with a line feed between two, none of which is blank.

    Raises:
        MemoryError: there is not enough memory.
    """
    cdef const uint8_t* p = <const uint8_t*> <const char*> text
    cdef size_t size = len(text)
    cdef sums_t s
    cdef row_t* rows
    cdef uint8_t* scratch = NULL
    cdef bint enough
    memset(&s, 0, sizeof(s))
    with nogil:
        # a word has at least one byte
        rows = <row_t*> malloc((size + 1) * sizeof(row_t))
        if memchr(p, c'[', size) != NULL:
            scratch = <uint8_t*> malloc(size)
        enough = rows != NULL
        if enough:
            rows[0].end = 0
            s.lines = _read_lines(p, p + size, rows, scratch, &s)
            enough = _count_grams(rows, s.lines, 1, 1, &s)
            s.words = _read_words(p, p + size, rows, &s)
            enough = (
                enough and _count_grams(rows, s.words, 2, LONGEST_TOP, &s)
                and _count_grams(rows, s.words, LONGEST_TOP + 1, LONGEST_GRAM, &s)
            )
        free(rows)
        free(scratch)
    if not enough:
        raise MemoryError
    chars = s.chars + s.line_feeds
    shares = (
        (s.repeated_lines, s.lines), *((s.grams[k], chars) for k in range(1, LONGEST_GRAM + 1)),
        (s.real_chars, s.real_words), (s.hashes, s.words), (s.ellipses, s.words), (s.bullets, s.broken_lines),
        (s.ellipsis_lines, s.broken_lines), (s.lettered, s.words), (s.final_lines, s.lines), (s.short_lines, s.lines),
        (s.grams[1], s.chars), (s.line_feeds, s.words),
    )
    return (
        *(part / whole if whole else None for part, whole in shares), s.real_words, s.stops.bit_count(), s.c4_lines,
        s.c4_sentences, s.c4_filler, s.c4_braces, s.c4_policies,
    )


# --------------------------------------------------------------------------------------------------
# What is in filters.txt.

cdef int _fill() except -1:
    global citations, n_stops
    cdef word_t word
    cdef bytes stop
    cdef int code
    cdef uint16_t kind
    for code in range(KNOWN):
        kinds[code] = (
            Py_UNICODE_ISSPACE(code) * SPACE | Py_UNICODE_ISALPHA(code) * LETTER | is_unspaced(code) * UNSPACED
        )
    sections = {
        "breaks": BREAK, "final": FINAL | PUNCTUATION | SIGN, "punctuation": PUNCTUATION | SIGN, "signs": SIGN,
        "joints": JOINT, "bullets": BULLET, "ends": END,
    }
    lists = word_lists(
        "describing/filters", *sections, "stop words", "filler", "scripts", "policies", "citations"
    )
    for section, value in sections.items():
        for text in lists[section]:
            first, _, end = text.partition("-")
            for code in range(int(first, 16), int(end or first, 16) + 1):
                kind = value & ~SIGN if Py_UNICODE_ISALNUM(code) or kinds[code] & SPACE else value
                kinds[code] |= kind
    fill_words(&filler, lists["filler"])
    fill_words(&scripts, lists["scripts"])
    fill_words(&phrases, lists["filler"] + lists["scripts"] + lists["policies"])
    citations = table_of(lists["citations"])
    for text in lists["stop words"][:MOST_STOPS]:
        stop = text.encode()
        _next(<const uint8_t*> <const char*> stop, <const uint8_t*> <const char*> stop + len(stop), &word)
        stops[n_stops] = word.hash
        n_stops += 1
    return 0

_fill()
