"""How a line begins and ends: letter case, the end of a sentence, bullets and enumerations. And whether bytes are
valid UTF-8.

Free functions without the GIL. Python's own character tables are used beyond ASCII.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from ncleaner.text._ascii cimport is_digit, is_letter

import unicodedata


cdef int letter_case(uint32_t code) noexcept nogil:
    """Returns NO_LETTER, UPPER (also for digits), LOWER or UNCASED."""
    if code < 0x80:
        if c'a' <= code <= c'z':
            return LOWER
        return UPPER if c'A' <= code <= c'Z' or is_digit(code) else NO_LETTER
    if not Py_UNICODE_ISALPHA(code):
        return UPPER if Py_UNICODE_ISDIGIT(code) else NO_LETTER
    if Py_UNICODE_ISLOWER(code):
        return LOWER
    return UPPER if Py_UNICODE_ISUPPER(code) else UNCASED


cdef enum:
    FOLDED = 0x590      # small letters of the code points below it are looked up

cdef uint32_t small_letters[FOLDED]
cdef int cases[FOLDED]


cdef void _fill_letters():
    cdef int code
    for code in range(FOLDED):
        small = chr(code).lower()
        small_letters[code] = ord(small) if len(small) == 1 else code
        cases[code] = letter_case(code)

_fill_letters()


cdef int fold(uint32_t* code) noexcept nogil:
    """Replaces a letter by its small letter, as far as those of Latin, Greek, Cyrillic and their neighbours; returns
    its case as `letter_case` does."""
    cdef int kind
    if code[0] < FOLDED:
        kind = cases[code[0]]
        code[0] = small_letters[code[0]]
        return kind
    return letter_case(code[0])


cdef inline const uint8_t* _before(const uint8_t* start, const uint8_t* p) noexcept nogil:
    """Returns where the character that ends at `p` begins."""
    p -= 1
    while p > start and (p[0] & 0xC0) == 0x80:
        p -= 1
    return p


cdef inline bint _closes(uint32_t code) noexcept nogil:
    """Whether a character is a closing quote or bracket, which may follow the last mark of a sentence."""
    return (
        code == c'"' or code == c"'" or code == c')' or code == c']' or code == 0xBB or code == 0x2019
        or code == 0x201D or code == 0x203A or code == 0x300D or code == 0x300F or code == 0xFF09
    )


cdef uint32_t last_mark(const uint8_t* start, const uint8_t* end) noexcept nogil:
    """Returns the last character that is neither white space nor a closing quote or bracket; 0 if none is."""
    cdef uint32_t code
    while end > start:
        end = _before(start, end)
        decode_utf8(end, 4, &code)
        if code > 0x20 and not _closes(code):
            return code
    return 0


cdef bint is_final(uint32_t code) noexcept nogil:
    """Whether a character is a mark that ends a sentence, in any script."""
    if code < 0x80:
        return code == c'.' or code == c'!' or code == c'?'
    return (
        code == 0x2026 or code == 0x3002 or code == 0xFF01 or code == 0xFF1F or code == 0xFF0E or code == 0xFF61
        or code == 0x061F or code == 0x06D4 or code == 0x0964 or code == 0x0965 or code == 0x0589
        or code == 0x203C or code == 0x2047 or code == 0x2048 or code == 0x2049 or code == 0x1362
        or code == 0x037E or code == 0x104B or 0x17D4 <= code <= 0x17D5 or 0x0F0D <= code <= 0x0F0E
    )


cdef const uint8_t* enumeration_end(const uint8_t* p, const uint8_t* end, int* kind) noexcept nogil:
    """Returns the end of the enumeration with which a text begins, such as `(iv)` or `12.`; NULL if with none.

    It is a number of up to three digits, a Roman number of up to five letters, or a letter, with a dot or a
    bracket. What follows it is for the caller to look at. `kind` is set to NUMBERED, LETTERED or ROMAN.
    """
    cdef size_t n = 0
    if p < end and p[0] == c'(':
        p += 1
    kind[0] = NUMBERED
    while n < 3 and p < end and is_digit(p[0]):
        p += 1
        n += 1
    if not n:
        kind[0] = ROMAN
        while n < 5 and p < end and (p[0] | 0x20 == c'i' or p[0] | 0x20 == c'v' or p[0] | 0x20 == c'x'):
            p += 1
            n += 1
    if not n and p < end and is_letter(p[0]):
        kind[0] = LETTERED
        p += 1
        n = 1
    return p + 1 if n and p < end and (p[0] == c'.' or p[0] == c')') else NULL


cdef bint has_marker(const uint8_t* start, const uint8_t* end) noexcept nogil:
    """Whether a line begins with a bullet or an enumeration, followed by a space."""
    cdef const uint8_t* p = start
    cdef uint32_t code
    cdef int kind
    if p == end:
        return False
    p += decode_utf8(p, <size_t> (end - p), &code)
    if not is_bullet(code):
        p = enumeration_end(start, end, &kind)
    return p != NULL and p < end and p[0] == c' '


# --------------------------------------------------------------------------------------------------
# Characters that Unicode's normalisation form C may change: those that combine with the character before, and
# those that it replaces. Characters beyond the first plane are so rare that they do not matter here.

cdef enum:
    BLOCK = 64

cdef uint8_t changes[65536]
cdef bint blocks = True           # whether `_is_stable` knows all of them


cdef inline bint _is_stable(const uint8_t* p) noexcept nogil:
    """Returns whether none of the characters that begin in the BLOCK bytes at `p` may change.

    The two bytes after the block are read. False also for many characters that do not change. There is no branch in
    the loop: the compiler makes it one of vectors.
    """
    cdef uint8_t found = 0, c, next, last
    cdef int k
    for k in range(BLOCK):
        c, next, last = p[k], p[k + 1], p[k + 2]
        # ranges and bits, since compilers make many comparisons of one byte a look-up in a mask, and no vectors
        found |= (c & 0xFE) == 0xCC
        found |= (c == 0xCE) & (next == 0x87)
        found |= (c == 0xD9) & (<uint8_t> (next - 0x93) < 3)
        found |= (c == 0xE0) & (next >= 0xA0)
        found |= (c == 0xE1) & ((next < 0x82) | (<uint8_t> (next - 0x85) < 3) | (next >= 0xBC))
        found |= (c == 0xE1) & (next == 0xAC)
        found |= (c == 0xE2) & ((next | 0x08) == 0x8C)
        found |= (c == 0xE2) & (next == 0xAB)
        found |= (c == 0xE2) & (next == 0x80) & (last < 0x82)
        found |= (c == 0xE3) & (next == 0x82) & (<uint8_t> (last - 0x99) < 2)
        found |= (c == 0xEF) & (<uint8_t> (next - 0xA4) < 10)
    return found == 0


cdef void _fill_changes():
    global blocks
    cdef int code
    cdef bytes alone
    decompositions = unicodedata.decomposition
    normalize = unicodedata.normalize
    memset(changes, 0, sizeof(changes))
    found = {*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)}
    # the ranges that contain the characters with canonical decompositions
    for first, last in (
        (0xC0, 0x234), (0x340, 0x4FA), (0x622, 0x6D4), (0x929, 0xDDF), (0xF43, 0xFBA), (0x1026, 0x1027),
        (0x1B06, 0x1B44), (0x1E00, 0x2002), (0x2126, 0x22EE), (0x2ADC, 0x2ADD), (0x304C, 0x30FF),
        (0xF900, 0xFADA), (0xFB1D, 0xFB4F),
    ):
        for code in range(first, last):
            parts = decompositions(chr(code))
            if parts and parts[0] != "<":
                if normalize("NFC", chr(code)) != chr(code):
                    found.add(code)
                elif " " in parts:
                    found.add(int(parts.split()[1], 16))
    for code in found:
        if code < 65536:
            changes[code] = 1
            # a later Unicode may have more
            alone = chr(code).encode() + bytes(BLOCK)
            blocks = blocks and not _is_stable(<const uint8_t*> <const char*> alone)

_fill_changes()


cdef bint may_change(const uint8_t* p, const uint8_t* end) noexcept nogil:
    cdef uint32_t code
    cdef uint64_t eight
    cdef const uint8_t* odd = p   # up to here, characters are looked at one by one
    while p < end:
        if p[0] < 0x80:
            p += 1
            # ASCII comes in long runs
            while end - p >= 8:
                memcpy(&eight, p, 8)
                if eight & <uint64_t> 0x8080808080808080:
                    break
                p += 8
            continue
        if blocks and p >= odd and end - p >= BLOCK + 2:
            if _is_stable(p):
                p += BLOCK
                while p[0] & 0xC0 == 0x80:
                    # the block has ended in the middle of a character
                    p += 1
                continue
            odd = p + BLOCK
        if p[0] < 0xE0 and end - p > 1:
            if changes[(p[0] & 0x1F) << 6 | (p[1] & 0x3F)]:
                return True
            p += 2
            continue
        p += decode_utf8(p, <size_t> (end - p), &code)
        if code < 65536 and changes[code]:
            return True
    return False


def may_compose(bytes data not None):
    """Whether UTF-8 text contains a character that normalisation form C may change."""
    cdef const uint8_t* p = <const uint8_t*> <const char*> data
    cdef Py_ssize_t size = len(data)
    cdef bint found
    with nogil:
        found = may_change(p, p + size)
    return found


# --------------------------------------------------------------------------------------------------
# Whether bytes are valid UTF-8. Every page is tested, so the test must be cheap against the parsing. Python can only
# decode, which allocates and fills a string four times as large for a page with a single emoji.

cdef inline bint _is_ascii(const uint8_t* p) noexcept nogil:
    """Returns whether the BLOCK bytes at `p` are ASCII."""
    cdef uint64_t word, all_ = 0
    cdef int k
    for k in range(BLOCK // 8):
        memcpy(&word, p + 8 * k, 8)
        all_ |= word
    return not all_ & <uint64_t> 0x8080808080808080


cdef inline bint _is_plain(const uint8_t* p) noexcept nogil:
    """Returns whether the BLOCK bytes at `p` are valid UTF-8, except that the last character may go on after them,
    without any sign of UTF-8 encoded twice.

    The three bytes before `p` are read, and end with a character; so are the two bytes after the block. There is no
    branch in the loop: the compiler makes it one of vectors.
    """
    cdef uint8_t bad = 0, c, before, third, fourth
    cdef int k
    for k in range(BLOCK):
        c, before, third, fourth = p[k], p[k - 1], p[k - 2], p[k - 3]
        # a byte in the middle of a character is behind those that ask for one, and nowhere else
        bad |= ((c & 0xC0) == 0x80) ^ ((before >= 0xC0) | (third >= 0xE0) | (fourth >= 0xF0))
        bad |= ((c & 0xFE) == 0xC0) | (c >= 0xF5)
        bad |= (before == 0xE0) & (c < 0xA0)
        bad |= (before == 0xED) & (c > 0x9F)
        bad |= (before == 0xF0) & (c < 0x90)
        bad |= (before == 0xF4) & (c > 0x8F)
        bad |= (c == 0xC3) & (p[k + 2] >= 0xC0)
    return bad == 0


cdef size_t _valid_length(const uint8_t* p, size_t n, size_t* signs, size_t* others) noexcept nogil:
    """Returns the length of the longest prefix that is valid UTF-8 (Unicode 15, table 3-7).

    Adds to `signs` and `others` the numbers of places that look like UTF-8 encoded twice, see `examine`."""
    cdef size_t i = 0
    cdef uint64_t word
    cdef uint8_t c, low, high
    cdef size_t follow, k
    cdef size_t odd = 3           # up to here, characters are looked at one by one
    while i < n:
        # eight ASCII characters at a time, and behind such ones 64
        while i + 8 <= n:
            memcpy(&word, p + i, 8)
            if word & <uint64_t> 0x8080808080808080:
                break
            i += 8
            while i + BLOCK <= n and _is_ascii(p + i):
                i += BLOCK
        if i == n:
            return i
        c = p[i]
        if i >= odd and i + BLOCK + 2 <= n:
            if _is_plain(p + i):
                i += BLOCK
                # back to a character that goes on after the block
                if p[i - 1] >= 0xC0:
                    i -= 1
                elif p[i - 2] >= 0xE0:
                    i -= 2
                elif p[i - 3] >= 0xF0:
                    i -= 3
                continue
            odd = i + BLOCK
        if c < 0x80:
            i += 1
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= c <= 0xDF:
            follow = 1
            if c == 0xC3 and i + 2 < n and 0x82 <= p[i + 1] <= 0xB4 and (
                p[i + 2] == 0xC2 or p[i + 2] == 0xE2 or 0xC5 <= p[i + 2] <= 0xC6 or p[i + 2] == 0xCB
            ):
                if p[i + 1] <= 0x83 or p[i + 1] == 0xA2:
                    signs[0] += 1
                else:
                    others[0] += 1
        elif 0xE0 <= c <= 0xEF:
            follow = 2
            if c == 0xE0:
                low = 0xA0
            elif c == 0xED:
                high = 0x9F
        elif 0xF0 <= c <= 0xF4:
            follow = 3
            if c == 0xF0:
                low = 0x90
            elif c == 0xF4:
                high = 0x8F
        else:
            return i
        if i + follow >= n or not low <= p[i + 1] <= high:
            return i
        for k in range(2, follow + 1):
            if not 0x80 <= p[i + k] <= 0xBF:
                return i
        i += follow + 1
    return i


def valid_length(bytes data not None):
    """Returns the length in bytes of the longest prefix of `data` that is valid UTF-8.

    `data` as a whole is valid UTF-8 if the result equals `len(data)`.
    """
    return examine(data)[0]


def examine(bytes data not None):
    """Returns (length as `valid_length`, number of signs of UTF-8 encoded twice, number of further places).

    A sign is Â, Ã or â before a character that windows-1252 or Latin-1 has in the place of a further byte of UTF-8.
    A further place is any other letter before such a character."""
    cdef size_t n = len(data), length, signs = 0, others = 0
    cdef const uint8_t* p = <const uint8_t*> <const char*> data
    with nogil:
        length = _valid_length(p, n, &signs, &others)
    return length, signs, others
