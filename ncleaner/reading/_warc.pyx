"""Reads WARC records that are as the standard has them, whole member by whole member; and HTTP header blocks.

The reader takes nothing but what it understands completely: a member that inflates with the right length and CRC-32,
and holds nothing but records whose header lines are regular and whose lengths are right. Before anything else
it stops, at the beginning of the member or record in question, for the careful reader. So both give the same
items, and this one needs a few Python calls for a record.

Members of gzip are inflated in one call each by libdeflate, whose functions are those of the extension module of the
package `deflate`. It exports libdeflate's public interface, which is stable, but offers Python no way to learn where a
member ends. So the functions are looked up by their names and tried on a small member; where that fails (on
Windows an extension exports nothing), `AVAILABLE` is False, and callers use a slower library.
"""

import os
import zlib

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, strlen

from ncleaner.text._ascii cimport begins, is_digit, lower
from ncleaner.text._letters cimport is_white

# --------------------------------------------------------------------------------------------------
# HTTP header blocks: what the package needs of them, in one pass over their bytes.

#: Longest HTTP header block in bytes; browsers refuse longer ones.
MAX_HEAD = 1 << 18
cdef enum:
    _MAX_HEAD = 1 << 18
    _MAX_NAME = 256


cdef class Head:
    """The fields of an HTTP header block that the package needs.

    Attributes:
        status: the status code; 0 if the status line has no code.
        content_type: the whole Content-Type; empty when missing.
        content_encoding: Content-Encoding, in lower case; empty when missing.
        transfer_encoding: Transfer-Encoding, in lower case; empty when missing.
        rights: the fields X-Robots-Tag, TDM-Reservation and TDM-Policy, with a line feed between two; empty when
            missing. A field that is folded over several lines is joined.
        end: offset in the block at which the body begins.
    """

    cdef readonly int status
    cdef readonly str content_type
    cdef readonly str content_encoding
    cdef readonly str transfer_encoding
    cdef readonly str rights
    cdef readonly Py_ssize_t end

    def __init__(
        self, int status, str content_type, str content_encoding, str transfer_encoding, Py_ssize_t end,
        str rights="",
    ):
        self.status = status
        self.content_type = content_type
        self.content_encoding = content_encoding
        self.transfer_encoding = transfer_encoding
        self.end = end
        self.rights = rights


def split_head(bytes block not None):
    """Returns the HTTP header block at the beginning of a record; None if it does not begin with one."""
    return head_at(block, len(block))


cdef inline bint _is_blank(unsigned char c) noexcept nogil:
    return c == 32 or c == 9


cdef int _status(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Returns the code of a status line, `HTTP/1.1 200` or `ICY 200`; -1 if there is none."""
    cdef Py_ssize_t i
    if begins(p, n, b"http"):
        i = 4
        if i < n and p[i] == 47:
            i += 1
            if i == n or not is_digit(p[i]):
                return -1
            while i < n and not is_white(p[i]):
                i += 1
    elif begins(p, n, b"icy"):
        i = 3
    else:
        return -1
    if i == n or not _is_blank(p[i]):
        return -1
    while i < n and _is_blank(p[i]):
        i += 1
    cdef Py_ssize_t digits = i
    if i + 3 > n or not (is_digit(p[i]) and is_digit(p[i + 1]) and is_digit(p[i + 2])):
        return -1
    i += 3
    if i < n and (is_digit(p[i]) or p[i] == 95 or 97 <= lower(p[i]) <= 122):
        return -1
    return (p[digits] - 48) * 100 + (p[digits + 1] - 48) * 10 + (p[digits + 2] - 48)


cdef Py_ssize_t _find(
    const unsigned char* p, Py_ssize_t n, const char* word, Py_ssize_t length
) noexcept nogil:
    """Returns the index of a word; -1 without it."""
    cdef const unsigned char* found
    cdef Py_ssize_t i = 0
    while i + length <= n:
        found = <const unsigned char*> memchr(p + i, word[0], n - length + 1 - i)
        if found == NULL:
            return -1
        i = found - p
        if memcmp(found, word, length) == 0:
            return i
        i += 1
    return -1


cdef Py_ssize_t _line_end(const unsigned char* p, Py_ssize_t position, Py_ssize_t n) noexcept nogil:
    """Returns the index after a line's line feed; `n` if there is none within MAX_HEAD bytes."""
    cdef Py_ssize_t room = min(n - position, <Py_ssize_t> _MAX_HEAD)
    cdef const unsigned char* found = <const unsigned char*> memchr(p + position, 10, room)
    return n if found == NULL else found - p + 1


cdef bint _is_field(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Whether a line is a header field, or continues one."""
    cdef Py_ssize_t i = 0
    if _is_blank(p[0]):
        return True
    while i < n and i < _MAX_NAME and not is_white(p[i]) and p[i] != 58 and p[i] != 60 and p[i] != 62:
        i += 1
    if i == 0:
        return False
    while i < n and _is_blank(p[i]):
        i += 1
    return i < n and p[i] == 58


cdef bint _is_empty(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if not is_white(p[i]):
            return False
    return True


cdef Py_ssize_t _ragged_end(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Returns the end of a header block without a blank line: the first line that is not a header."""
    cdef Py_ssize_t limit = min(n, <Py_ssize_t> _MAX_HEAD)
    cdef const unsigned char* found = <const unsigned char*> memchr(p, 10, limit)
    cdef Py_ssize_t position, end
    if found == NULL:
        return limit
    position = found - p + 1
    while position < n:
        end = _line_end(p, position, n)
        if _is_empty(p + position, end - position):
            return end
        if not _is_field(p + position, end - position):
            return position
        position = end
    return n


cdef str _value(const unsigned char* p, Py_ssize_t start, Py_ssize_t end):
    """Returns a value without the white space around it, and around the line feeds of a folded one."""
    while start < end and is_white(p[start]):
        start += 1
    while end > start and is_white(p[end - 1]):
        end -= 1
    if memchr(p + start, 10, end - start) == NULL:
        return p[start:end].decode("latin-1")
    return b" ".join([line.strip() for line in p[start:end].split(b"\n")]).decode("latin-1")


cdef const char** _HEAD_NAMES = [
    b"content-type", b"content-encoding", b"transfer-encoding", b"x-robots-tag", b"tdm-reservation", b"tdm-policy",
]
cdef enum:
    # of the names, those from this one on say how the page may be used
    _ABOUT_RIGHTS = 3
    _OTHER_FIELD = 6


cdef bint _ends_lines_with_cr(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Whether a header block has no line feed before its blank line, `\\r\\r`."""
    cdef const unsigned char* found = <const unsigned char*> memchr(p, 13, n)
    if found == NULL or found - p + 1 == n or found[1] == 10:
        return False
    cdef Py_ssize_t blank = _find(p, n, b"\r\r", 2)
    # a copy made as text has `\r\r\n` at the end of each line
    return blank >= 0 and memchr(p, 10, min(blank + 3, n)) == NULL


cdef object head_at(const unsigned char* block, Py_ssize_t size):
    """Returns the Head of a block; None if it does not begin with one."""
    cdef int status = _status(block, size)
    if status < 0:
        return None
    cdef Py_ssize_t limit = min(size, <Py_ssize_t> _MAX_HEAD)
    cdef bytes with_feeds
    if _ends_lines_with_cr(block, limit):
        with_feeds = block[:limit].replace(b"\r", b"\n")
        return head_at(with_feeds, limit)
    cdef Py_ssize_t end = _find(block, limit, b"\r\n\r\n", 4)
    cdef Py_ssize_t after = end + 4
    # Some servers end lines with a line feed alone, and a few send no blank line before the markup.
    cdef Py_ssize_t other = _find(block, end if end >= 0 else limit, b"\n\n", 2)
    if other >= 0:
        end = other
        after = other + 2
    if end < 0 or _find(block, end, b"\n<", 2) >= 0:
        end = after = _ragged_end(block, size)
    cdef list texts = ["", "", ""], rights = []
    cdef Py_ssize_t start = 0, stop, at, value
    cdef int which
    cdef const unsigned char* found
    # The last one counts if a field occurs twice, as in browsers.
    while start < end:
        found = <const unsigned char*> memchr(block + start, 10, end - start)
        stop = end if found == NULL else found - block
        # "x-robots-tag" has 12 letters: lines of as many or fewer, with no value, are not looked at
        which = 0 if stop - start > 12 else _OTHER_FIELD
        while which < _OTHER_FIELD and not begins(block + start, stop - start, _HEAD_NAMES[which]):
            which += 1
        if which < _OTHER_FIELD:
            while stop + 1 < end and _is_blank(block[stop + 1]):
                found = <const unsigned char*> memchr(block + stop + 1, 10, end - stop - 1)
                stop = end if found == NULL else found - block
        if _ABOUT_RIGHTS <= which < _OTHER_FIELD:
            rights.append(_value(block, start, stop))
        elif which < _ABOUT_RIGHTS:
            at = start + <Py_ssize_t> strlen(_HEAD_NAMES[which])
            while at < stop and _is_blank(block[at]):
                at += 1
            if at < stop and block[at] == 58:
                value = at + 1
                found = NULL
                if memchr(block + value, 10, stop - value) == NULL:
                    found = <const unsigned char*> memchr(block + value, 13, stop - value)
                texts[which] = _value(block, value, stop if found == NULL else found - block)
        start = stop + 1
    return Head(status, texts[0], texts[1].lower(), texts[2].lower(), after, "\n".join(rights))


# --------------------------------------------------------------------------------------------------
# Members of gzip.

cdef extern from *:
    """
    #ifdef _WIN32
    static void *ncleaner_symbol(const char *path, const char *name) { return 0; }
    #else
    #include <dlfcn.h>
    static void *ncleaner_symbol(const char *path, const char *name) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        return library ? dlsym(library, name) : 0;
    }
    #endif
    """
    void* ncleaner_symbol(const char* path, const char* name)

ctypedef void* (*Alloc)() noexcept nogil
ctypedef void (*Free)(void*) noexcept nogil
ctypedef int (*Member)(
    void*, const void*, size_t, void*, size_t, size_t*, size_t*
) noexcept nogil

cdef Alloc _alloc = NULL
cdef Free _free = NULL
cdef Member _member = NULL


cdef enum Result:
    DONE = 0
    BROKEN = 1
    TOO_SMALL = 3


cdef class Gunzip:
    """A decompressor; one thread at a time may use it."""

    cdef void* _decompressor

    def __cinit__(self):
        if _alloc == NULL:
            raise RuntimeError("libdeflate is not available")
        self._decompressor = _alloc()
        if self._decompressor == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self._decompressor != NULL:
            _free(self._decompressor)

    cdef int member(
        self, const unsigned char* data, size_t size, unsigned char* out, size_t room,
        size_t* taken, size_t* given,
    ) noexcept nogil:
        """Inflates the member at the beginning of `data`, and compares its length and CRC-32.

        Returns DONE, BROKEN (or cut short), or TOO_SMALL: the member has more than `room` bytes. Sets the bytes
        that the member takes, and those that it gives, if it is DONE.
        """
        return _member(self._decompressor, data, size, out, room, taken, given)


cdef bint _works() except -1:
    """Whether the functions do what they are to do, with a whole and a broken member."""
    cdef bytes text = b"one line of text, and one line of text more"
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    cdef bytes stored = packer.compress(text) + packer.flush()
    cdef bytes data = stored + b"and more"
    cdef bytearray broken = bytearray(stored)
    cdef unsigned char[64] out
    cdef size_t taken = 0, given = 0
    cdef Gunzip gunzip = Gunzip()
    cdef const unsigned char* start = data
    if gunzip.member(start, len(data), out, sizeof(out), &taken, &given) != DONE:
        return False
    if taken != <size_t> len(stored) or out[:given] != text:
        return False
    if gunzip.member(start, len(data), out, 8, &taken, &given) != TOO_SMALL:
        return False
    broken[len(broken) - 8] ^= 1
    return gunzip.member(broken, len(broken), out, sizeof(out), &taken, &given) == BROKEN


cdef bint _find_functions() except -1:
    """Looks the functions up; returns whether they are there and work."""
    global _alloc, _free, _member
    try:
        from deflate import _deflate
    except ImportError:
        return False
    cdef bytes path = os.fsencode(_deflate.__file__ or "")
    _alloc = <Alloc> ncleaner_symbol(path, b"libdeflate_alloc_decompressor")
    _free = <Free> ncleaner_symbol(path, b"libdeflate_free_decompressor")
    _member = <Member> ncleaner_symbol(path, b"libdeflate_gzip_decompress_ex")
    if _alloc == NULL or _free == NULL or _member == NULL:
        _alloc = NULL
        return False
    return _works()


#: Whether libdeflate's functions have been found, and work.
AVAILABLE = _find_functions()


# --------------------------------------------------------------------------------------------------
# Records.

cdef enum:
    # bytes that are read at once
    _BLOCK = 1 << 16
    # longest header block, and bytes in which a version line and the white space before it must be
    _MAX_FIELDS = 1 << 16
    _VERSION = 64
    # bytes of the first buffer for inflated members, and least bound for stored ones
    _FIRST_ROOM = 1 << 18
    _LEAST_STORED = 1 << 20
    # shortest gzip member, and Zstandard or LZ4 frame
    _SHORTEST = 8
    # beginnings of a next member after which a member that cannot be inflated is left to the careful reader
    _TRIES = 3


cdef enum Found:
    # the end, or something irregular; more bytes are needed; a record, white space only
    STOP, MORE, RECORD, BLANK


cdef struct Span:
    Py_ssize_t start
    Py_ssize_t end


cdef struct Fields:
    # offsets in the bytes that were parsed; a field that is missing has `start` -1
    Py_ssize_t begin, body, length, after
    int type
    # in the order of `_FIELD_NAMES`
    Span length_field, type_field, url, date, id, content_type, truncated


cdef const char** _FIELD_NAMES = [
    b"content-length", b"warc-type", b"warc-target-uri", b"warc-date", b"warc-record-id", b"content-type",
    b"warc-truncated",
]

_TYPES = (
    "response", "resource", "conversion", "request", "metadata", "revisit", "warcinfo", "continuation",
)  # fmt: skip
cdef enum:
    _NUMBER_OF_FIELDS = 7
    _NUMBER_OF_TYPES = 8
    _RESPONSE = 0

cdef const char* _TYPE_NAMES[_NUMBER_OF_TYPES]
for _number, _name in enumerate(_TYPES):
    # a literal, which is never freed
    _TYPE_NAMES[_number] = PyUnicode_AsUTF8(_name)


cdef inline bint _is_white(unsigned char c) noexcept nogil:
    """White space that may be between records."""
    return c == 32 or c == 9 or c == 10 or c == 13


cdef bint _is_version(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Whether bytes begin with a version line."""
    return (
        n >= 10 and memcmp(p, b"WARC/", 5) == 0 and 48 <= p[5] <= 57 and p[6] == 46 and 48 <= p[7] <= 57
        and p[8] == 13 and p[9] == 10
    )  # fmt: skip


cdef Found _header(const unsigned char* p, Py_ssize_t n, Fields* found) noexcept nogil:
    """Parses the header block of a record, after white space; STOP if anything in it is irregular."""
    cdef Py_ssize_t at = 0, stop, colon, start, end, i
    cdef const unsigned char* feed
    cdef Span* spans = &found.length_field
    for i in range(_NUMBER_OF_FIELDS):
        spans[i].start = -1
    while at < n and _is_white(p[at]):
        at += 1
    found.begin = at
    if at == n:
        return BLANK
    if n - at < 10:
        return MORE
    if not _is_version(p + at, n - at):
        return STOP
    at += 10
    while True:
        feed = <const unsigned char*> memchr(p + at, 10, min(n - at, <Py_ssize_t> _MAX_FIELDS))
        if feed == NULL:
            return MORE if n - found.begin < _MAX_FIELDS else STOP
        stop = feed - p
        if stop == at or p[stop - 1] != 13:
            return STOP
        start = at
        at = stop + 1
        stop -= 1
        if stop == start:
            break
        # a name without white space, a colon, a value without control characters
        colon = start
        while colon < stop and 33 <= p[colon] < 127 and p[colon] != 58:
            colon += 1
        if colon == start or colon == stop or p[colon] != 58:
            return STOP
        for i in range(colon + 1, stop):
            if p[i] < 32 and p[i] != 9:
                return STOP
        end = stop
        stop = colon
        colon += 1
        while colon < end and (p[colon] == 32 or p[colon] == 9):
            colon += 1
        while end > colon and (p[end - 1] == 32 or p[end - 1] == 9):
            end -= 1
        for i in range(_NUMBER_OF_FIELDS):
            # the first one of a name counts
            if spans[i].start < 0 and <size_t> (stop - start) == strlen(_FIELD_NAMES[i]) \
                    and begins(p + start, stop - start, _FIELD_NAMES[i]):
                spans[i] = Span(colon, end)
    if at - found.begin > _MAX_FIELDS:
        return STOP
    found.body = at
    start = found.length_field.start
    end = found.length_field.end
    if start < 0 or start == end or end - start > 18:
        return STOP
    found.length = 0
    for i in range(start, end):
        if not 48 <= p[i] <= 57:
            return STOP
        found.length = found.length * 10 + (p[i] - 48)
    start = found.type_field.start
    if start < 0:
        return STOP
    end = found.type_field.end
    for i in range(_NUMBER_OF_TYPES):
        if end - start == <Py_ssize_t> strlen(_TYPE_NAMES[i]) and memcmp(p + start, _TYPE_NAMES[i], end - start) == 0:
            found.type = <int> i
            return RECORD
    return STOP


cdef str _text(const unsigned char* p, Span span):
    """Decodes a field's value: UTF-8 as in the standard, else Latin-1."""
    if span.start < 0 or span.start == span.end:
        return ""
    try:
        return p[span.start:span.end].decode("utf-8")
    except UnicodeDecodeError:
        return p[span.start:span.end].decode("latin-1")


cdef unsigned char* _grown(unsigned char* buffer, Py_ssize_t size) except NULL:
    """Returns a buffer with room for this many bytes, and what is in it. Raises MemoryError; the old one stays then."""
    cdef unsigned char* larger = <unsigned char*> realloc(buffer, size)
    if larger == NULL:
        raise MemoryError
    return larger


cdef class RegularReader:
    """An iterator over records, which stops at the first that is not regular.

    Attributes:
        position: offset in the source of the first byte that belongs to none of the records returned so far.
    """

    cdef readonly object position
    cdef object _source, _read, _record, _inflate
    cdef Gunzip _gunzip
    cdef bytes _magic
    cdef bint _alone
    cdef object _end
    cdef bint[8] _is_wanted
    cdef Py_ssize_t _bound
    # records of the last member that have not been returned, the first of them last
    cdef list _waiting
    # the stored bytes that have been read ahead, from `_low` to `_high`; `_at` is the offset of the first
    cdef unsigned char* _stored
    cdef Py_ssize_t _room, _low, _high, _most
    cdef object _at
    cdef bint _ended
    # the buffer for inflated bytes
    cdef unsigned char* _out
    cdef Py_ssize_t _out_room, _out_most

    def __init__(
        self, source, bytes magic not None, inflate, Py_ssize_t bound, pages, record, *, end=-1, bint alone=False
    ):
        """Reads from the position of the source on.

        Args:
            source: a `streams.Source`, which this reader leaves somewhere after `position`.
            magic: first bytes of a member; empty for a plain source.
            inflate: a `Gunzip`, or a function that inflates the member at the beginning of bytes: it takes
                the bytes and the most bytes to return, returns the bytes and how many bytes the member has,
                and raises ValueError for one that is broken, cut short, or longer; None for a plain source.
            bound: largest block to read, in bytes.
            pages: types of the records of which more than the type is read.
            record: the class of the records.
            end: offset from which on no member or record begins that is read; -1: read to the end.
            alone: stop at a member that is more than one record and the white space after it; read no block,
                but of every record the URL.
        """
        cdef Py_ssize_t i
        self._source = source
        self._read = source.read
        self._record = record
        self._magic = magic
        self._alone = alone
        self._end = None if end < 0 else end
        self._gunzip = inflate if isinstance(inflate, Gunzip) else None
        self._inflate = inflate
        self._bound = bound
        for i in range(_NUMBER_OF_TYPES):
            self._is_wanted[i] = _TYPES[i] in pages
        self._waiting = []
        # what has been read ahead must be kept by the source, to go back
        self._most = max(<Py_ssize_t> _LEAST_STORED, bound) - 2 * _BLOCK
        self._out_most = bound + _MAX_FIELDS + _VERSION
        self._out_room = min(<Py_ssize_t> _FIRST_ROOM, self._out_most)
        self._room = 4 * _BLOCK
        self._stored = _grown(NULL, self._room)
        self._out = _grown(NULL, self._out_room)
        self._low = self._high = 0
        self._at = self.position = source.tell()
        self._ended = False

    def __dealloc__(self):
        free(self._stored)
        free(self._out)

    def __iter__(self):
        return self

    def __next__(self):
        if self._waiting:
            return self._waiting.pop()
        while True:
            if self._end is not None and self.position >= self._end:
                raise StopIteration
            record = self._of_member() if self._magic else self._of_plain()
            if record is None:
                raise StopIteration
            if record is not self:
                return record

    # Stored bytes

    cdef bint _fill(self) except -1:
        """Reads more stored bytes; returns False at the end, and if too many have been read ahead."""
        if self._ended or self._high - self._low >= self._most:
            return False
        if self._low:
            # the records before have been returned
            self._source.mark(self._at + self._low)
            memmove(self._stored, self._stored + self._low, self._high - self._low)
            self._at += self._low
            self._high -= self._low
            self._low = 0
        cdef bytes data = self._read(_BLOCK)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        if not size:
            self._ended = True
            return False
        if self._high + size > self._room:
            self._stored = _grown(self._stored, 2 * (self._high + size))
            self._room = 2 * (self._high + size)
        memcpy(self._stored + self._high, PyBytes_AS_STRING(data), size)
        self._high += size
        return True

    cdef int _pass(self, Py_ssize_t size) except -1:
        self._low += size
        self.position = self._at + self._low
        return 0

    # Members

    cdef Py_ssize_t _to_magic(self, Py_ssize_t ahead) except -2:
        """Returns how far ahead the next beginning of a member is, from `ahead` on; -1 if there is none."""
        cdef const char* magic = PyBytes_AS_STRING(self._magic)
        cdef Py_ssize_t length = PyBytes_GET_SIZE(self._magic), size, found
        while True:
            size = self._high - self._low
            found = _find(self._stored + self._low + ahead, size - ahead, magic, length)
            if found >= 0:
                return ahead + found
            ahead = max(ahead, size - length + 1)
            if not self._fill():
                return -1

    cdef object _of_member(self):
        """Returns the first record of the next member; itself if it has none; None if it is irregular."""
        cdef Py_ssize_t length = PyBytes_GET_SIZE(self._magic), ahead, size
        cdef int _tries
        cdef bytes whole
        cdef size_t taken = 0, given = 0
        cdef const unsigned char* data
        while self._high - self._low < _SHORTEST:
            if not self._fill():
                return None
        if memcmp(self._stored + self._low, PyBytes_AS_STRING(self._magic), length) != 0:
            return None
        if self._gunzip is not None and self._stored[self._low + 3] & 2:
            # the CRC-16 of the header, which libdeflate does not compare
            return None
        ahead = _SHORTEST
        for _tries in range(_TRIES):
            # A member whose end has not been read is not begun. The bytes of a next beginning may be within
            # a member by chance.
            ahead = self._to_magic(ahead)
            if ahead < 0:
                if not self._ended:
                    return None
                ahead = self._high - self._low
            size = self._high - self._low
            if self._gunzip is not None:
                if self._gunzipped(size, &taken, &given):
                    return self._records_of(self._out, given, taken)
                # all bytes that have been read have been tried
                ahead = size - length + 1
            else:
                try:
                    whole, taken = self._inflate(self._stored[self._low:self._low + ahead], self._out_most)
                    data = <const unsigned char*> PyBytes_AS_STRING(whole)
                    return self._records_of(data, PyBytes_GET_SIZE(whole), taken)
                except ValueError:
                    ahead += 1
            if self._ended and ahead + length > size:
                return None
        return None

    cdef bint _gunzipped(self, Py_ssize_t size, size_t* taken, size_t* given) except -1:
        """Inflates the gzip member at the beginning of the stored bytes; returns False if that fails."""
        cdef int result
        cdef Py_ssize_t room
        while True:
            with nogil:
                result = self._gunzip.member(
                    self._stored + self._low, size, self._out, self._out_room, taken, given
                )
            if result == DONE:
                return True
            if result != TOO_SMALL or self._out_room == self._out_most:
                return False
            room = min(4 * self._out_room, self._out_most)
            self._out = _grown(self._out, room)
            self._out_room = room

    cdef object _records_of(self, const unsigned char* p, Py_ssize_t n, Py_ssize_t stored):
        """Returns the first record of an inflated member, and keeps the others; None if one is irregular."""
        cdef Fields found
        cdef Py_ssize_t at = 0
        cdef Found what
        cdef list records = None
        offset = self._at + self._low
        first = None
        while True:
            what = _header(p + at, n - at, &found)
            if what == BLANK:
                break
            if what != RECORD or found.length > n - at - found.body:
                return None
            if self._is_wanted[found.type] and found.length > self._bound:
                return None
            if self._alone and (found.begin or first is not None):
                return None
            record = self._make(p + at, &found, offset)
            if first is None:
                first = record
            elif records is None:
                records = [record]
            else:
                records.append(record)
            at += found.body + found.length
        if self._alone and first is None:
            return None
        self._pass(stored)
        if records is None and first is not None and not self._alone:
            first.length = stored
        if records is not None:
            records.reverse()
            self._waiting = records
        return self if first is None else first

    # Plain sources

    cdef object _of_plain(self):
        """Returns the next record; None if it is irregular, or none follows it."""
        cdef Fields found
        cdef Found what
        cdef Py_ssize_t end, begin
        while True:
            what = _header(self._stored + self._low, self._high - self._low, &found)
            if what == RECORD:
                break
            if what == STOP or not self._fill():
                return None
        if found.length > self._bound:
            return None
        end = found.body + found.length
        while self._high - self._low < end:
            if not self._fill():
                return None
        # a record, or nothing, must follow
        begin = end
        while True:
            while begin < self._high - self._low and _is_white(self._stored[self._low + begin]):
                begin += 1
            if self._high - self._low - begin >= 10:
                if not _is_version(self._stored + self._low + begin, 10):
                    return None
                break
            if not self._fill():
                if not self._ended or begin < self._high - self._low:
                    return None
                break
        record = self._make(self._stored + self._low, &found, self._at + self._low + found.begin)
        if not self._alone:
            record.length = begin - found.begin
        self._pass(begin)
        return record

    cdef object _make(self, const unsigned char* p, Fields* found, object offset):
        """Makes a record, whose header begins at `p`."""
        cdef object block, head
        cdef const unsigned char* body = p + found.body
        cdef Py_ssize_t size = found.length, end
        kind = _TYPES[found.type]
        if self._alone:
            return self._record(kind, offset, _text(p, found.url).strip("<>"))
        if not self._is_wanted[found.type]:
            return self._record(kind, offset)
        truncated = "" if found.truncated.start < 0 else _text(p, found.truncated) or "unspecified"
        head = head_at(body, size) if found.type == _RESPONSE else None
        end = 0 if head is None else head.end
        block = PyBytes_FromStringAndSize(<const char*> body + end, size - end)
        return self._record(
            kind, offset, _text(p, found.url).strip("<>"), _text(p, found.date), _text(p, found.id).strip("<>"),
            _text(p, found.content_type), block, False, truncated, b"", False, head,
        )  # fmt: skip
