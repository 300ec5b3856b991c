"""Which lines of a page may say when it was made and by whom: what is tried before anything slower is."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr
from cpython.unicode cimport PyUnicode_READ_CHAR

from ncleaner.document._tables cimport BYLINE, COMMENT, HEADLINE, RELATED, Tables, segment_t, tables_t
from ncleaner.text._ascii cimport find, is_digit
from ncleaner.text._letters cimport Py_UNICODE_ISALNUM, Py_UNICODE_ISDECIMAL

from ncleaner.document._kept import text_of_row

cdef enum:
    # characters between a day and a year of two digits that has the name of a month between
    FEWEST_BETWEEN = 3
    MOST_BETWEEN = 40
    # segments beside the headline that are about the page even among those of other pages
    TOUCHING = 2


# Segments.

def headline_and_bylines(Tables tables not None):
    """Returns the segment of the headline, -1 if there is none, and a list of those of bylines."""
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t i, headline = -1
    cdef list bylines = []
    for i in range(t.n_segments):
        if t.segments[i].zone == HEADLINE and headline < 0:
            headline = i
        elif t.segments[i].zone == BYLINE:
            bylines.append(i)
    return headline, bylines


cdef bint _has_digits(const tables_t* t, const segment_t* s, int most) noexcept nogil:
    """Returns whether a segment has at least this many digits, or a year of East Asia. The first bytes of the letters
    and digits of Arabic, of India and of South-East Asia count, too."""
    cdef int n = 0
    cdef uint32_t at
    cdef uint8_t byte
    for at in range(s.start, s.end):
        byte = t.text[at]
        # without a branch, for the vector units of a processor
        n += (c'0' <= byte) & (byte <= c'9') | (byte == 0xD9) | (byte == 0xDB) | (byte == 0xE0) | (byte == 0xE1)
    return n >= most or memchr(t.text + s.start, 0xE5, s.end - s.start) != NULL and (
        find(t.text + s.start, s.end - s.start, b"\xe5\xb9\xb4") > 0
    ) or memchr(t.text + s.start, 0xD7, s.end - s.start) != NULL and (
        # as a year in letters of Hebrew begins
        find(t.text + s.start, s.end - s.start, b"\xd7\xaa\xd7\xa9") > 0
    )


cdef inline bint _is_about(
    const tables_t* t, Py_ssize_t row, uint32_t most, int digits, Py_ssize_t headline
) noexcept nogil:
    cdef const segment_t* s = &t.segments[row]
    return s.chars <= most and s.zone != COMMENT and (
        s.zone != RELATED or -TOUCHING <= row - headline <= TOUCHING
    ) and _has_digits(t, s, digits)


def rows_about(
    Tables tables not None, Py_ssize_t first, Py_ssize_t last, uint32_t most, int digits, Py_ssize_t headline
):
    """Returns a list of the segments in [first, last) that may be lines about the page, with at least `digits` digits.

    Segments of comments are none, nor those of related pages, but for the two before and after the headline.

    Args:
        tables: those of the page.
        first, last: segments; those that the page does not have are passed over.
        most: characters without white space of a segment.
        digits: 0 for all lines.
        headline: its segment.
    """
    cdef Py_ssize_t row
    return [
        row for row in range(max(first, 0), min(last, tables.t.n_segments))
        if _is_about(&tables.t, row, most, digits, headline)
    ]


def rows_beside(Tables tables not None, Py_ssize_t around, uint32_t most, int digits, Py_ssize_t headline):
    """Returns a list of such segments up to `around` before and after the headline, the closest first."""
    cdef Py_ssize_t distance, row
    cdef list rows = []
    for distance in range(1, around + 1):
        for row in (headline - distance, headline + distance):
            if 0 <= row < tables.t.n_segments and _is_about(&tables.t, row, most, digits, headline):
                rows.append(row)
    return rows


def dated_of(Tables tables not None, list rows not None, Py_ssize_t longest):
    """Returns (segment, its first `longest` characters) for those segments that may have a date there."""
    cdef list found = []
    cdef str text
    for row in rows:
        text = text_of_row(tables, row)[:longest]
        if may_have_date(text):
            found.append((row, text))
    return found


def bylike_of(Tables tables not None, list rows not None, frozenset starts not None):
    """Returns the texts of those segments that may be bylines: a word at their beginning says so, or they may have an
    address of electronic mail, or begin with a date. See `begins_like` for `starts`."""
    cdef list found = []
    cdef str text
    for row in rows:
        text = text_of_row(tables, row)
        if is_digit(_at(text, 0)) or begins_like(text, starts):
            found.append(text)
    return found


# Lines.

cdef inline Py_UCS4 _at(str text, Py_ssize_t i) noexcept:
    """Returns a character; 0 after the end."""
    return PyUnicode_READ_CHAR(text, i) if i < len(text) else 0


cpdef bint begins_like(str text, frozenset starts):
    """Returns whether the first word of a text begins with one of `starts`: two characters in small letters, or one
    beyond ASCII."""
    cdef Py_ssize_t i = 0
    cdef Py_UCS4 first = 0
    cdef str start
    while i < len(text):
        first = PyUnicode_READ_CHAR(text, i)
        if Py_UNICODE_ISALNUM(first) or first == c"_":
            break
        i += 1
    start = text[i:i + 2].replace("\u0130", "i").lower()
    return start in starts or first >= 0x80 and start[:1] in starts


cdef inline Py_ssize_t _behind(str text, Py_ssize_t i, Py_UCS4 wanted) noexcept:
    """Returns what follows a character, with a space before and after it or without; 0 if another one is there."""
    i += _at(text, i) == c" "
    if _at(text, i) != wanted:
        return 0
    return i + 1 + (_at(text, i + 1) == c" ")


cdef inline bint _has_year(str text, Py_ssize_t i) noexcept:
    """Returns whether exactly two digits are at a place."""
    return is_digit(_at(text, i)) and is_digit(_at(text, i + 1)) and not is_digit(_at(text, i + 2))


cdef bint _is_short(str text, Py_ssize_t i) noexcept:
    """Returns whether a month and a year of two digits, all in numbers, follow a day: 1.5.24, 01 / 05 / 24."""
    cdef Py_UCS4 separator = _at(text, i + (_at(text, i) == c" "))
    if separator != c"." and separator != c"/" and separator != c"-":
        return False
    i = _behind(text, i, separator)
    if not is_digit(_at(text, i)):
        return False
    i = _behind(text, i + 1 + is_digit(_at(text, i + 1)), separator)
    return i and _has_year(text, i)


cdef bint _ends(str text, Py_ssize_t i) noexcept:
    """Returns whether a date may end before a place, after a year of two digits."""
    cdef Py_UCS4 c
    i += _at(text, i) == c" "
    c = _at(text, i)
    return i >= len(text) or c == c"\n" and i == len(text) - 1 or c == c"-" and _at(text, i + 1) == c" " \
        or c in ")]|\u00b7\u2022,\u2013\u2014"


cpdef bint may_have_date(str text):
    """Returns whether a text may have a date: whether it has a year of one of the three calendars, or one of two digits
    after a day, or digits beyond ASCII."""
    cdef Py_ssize_t i, behind = 0    # the last digit
    cdef Py_UCS4 c, following
    for i in range(len(text)):
        c = PyUnicode_READ_CHAR(text, i)
        if not is_digit(c):
            # digits of other scripts, years of East Asia, and Hebrew ones in letters
            if c >= 0x80 and (
                c == 0x5E74 or c == 0xB144 or c == 0x5EA and _at(text, i + 1) == 0x5E9 or Py_UNICODE_ISDECIMAL(c)
            ):
                return True
            continue
        following = _at(text, i + 1)
        if (c == c"1" or c == c"2") and following in "034569" and _has_year(text, i + 2) or (
            c == c"5" and following in "78" and _has_year(text, i + 2)
        ):
            return True
        if behind and FEWEST_BETWEEN <= i - behind <= MOST_BETWEEN and is_digit(following) and _ends(text, i + 2):
            return True
        behind = i + 1
        if not is_digit(following) and _is_short(text, i + 1):
            return True
    return False
