"""Reads WARC records that are as the standard has them, whole member by whole member.

It takes nothing but what it understands completely: a member that inflates with the right length and CRC-32,
and holds nothing but records whose header lines are regular and whose lengths are right. Before anything else
it stops, at the beginning of the member or record in question, for the careful reader. So both give the same
items, and this one needs a few Python calls for a record.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove

from ncleaner.reading._heads cimport begins, head_at
from ncleaner.reading._libdeflate cimport DONE, TOO_SMALL, Gunzip

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
    Span length_field, type_field, url, date, id, content_type, truncated


_TYPES = (
    "response", "resource", "conversion", "request", "metadata", "revisit", "warcinfo", "continuation",
)  # fmt: skip
cdef enum:
    _NUMBER_OF_TYPES = 8
    _RESPONSE = 0

cdef const char* _TYPE_NAMES[_NUMBER_OF_TYPES]
for _number, _name in enumerate(_TYPES):
    # a literal, which is never freed
    _TYPE_NAMES[_number] = PyUnicode_AsUTF8(_name)


cdef inline bint _is_white(unsigned char c) noexcept nogil:
    """White space that may stand between records."""
    return c == 32 or c == 9 or c == 10 or c == 13


cdef bint _is_version(const unsigned char* p, Py_ssize_t n) noexcept nogil:
    """Whether bytes begin with a version line."""
    return (
        n >= 10 and memcmp(p, b"WARC/", 5) == 0 and 48 <= p[5] <= 57 and p[6] == 46 and 48 <= p[7] <= 57
        and p[8] == 13 and p[9] == 10
    )  # fmt: skip


cdef void _keep(Span* span, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Keeps a field's value; the first one counts."""
    if span.start < 0:
        span.start = start
        span.end = end


cdef Found _header(const unsigned char* p, Py_ssize_t n, Fields* found) noexcept nogil:
    """Parses the header block of a record, after white space; STOP if anything in it is irregular."""
    cdef Py_ssize_t at = 0, stop, colon, start, end, i
    cdef const unsigned char* feed
    cdef Span* spans = &found.length_field
    for i in range(7):
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
        i = stop - start
        if i == 9 and begins(p + start, i, b"warc-type", 9):
            _keep(&found.type_field, colon, end)
        elif i == 9 and begins(p + start, i, b"warc-date", 9):
            _keep(&found.date, colon, end)
        elif i == 12 and begins(p + start, i, b"content-type", 12):
            _keep(&found.content_type, colon, end)
        elif i == 14 and begins(p + start, i, b"content-length", 14):
            _keep(&found.length_field, colon, end)
        elif i == 14 and begins(p + start, i, b"warc-record-id", 14):
            _keep(&found.id, colon, end)
        elif i == 14 and begins(p + start, i, b"warc-truncated", 14):
            _keep(&found.truncated, colon, end)
        elif i == 15 and begins(p + start, i, b"warc-target-uri", 15):
            _keep(&found.url, colon, end)
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
        feed = <const unsigned char*> _TYPE_NAMES[i]
        if p[start] == feed[0] and _same(p + start, end - start, _TYPE_NAMES[i]):
            found.type = <int> i
            return RECORD
    return STOP


cdef bint _same(const unsigned char* p, Py_ssize_t size, const char* word) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(size):
        if word[i] == 0 or p[i] != <unsigned char> word[i]:
            return False
    return word[size] == 0


cdef str _text(const unsigned char* p, Span span):
    """Decodes a field's value: UTF-8 as in the standard, else Latin-1."""
    if span.start < 0 or span.start == span.end:
        return ""
    try:
        return p[span.start:span.end].decode("utf-8")
    except UnicodeDecodeError:
        return p[span.start:span.end].decode("latin-1")


cdef str _bare(str text):
    """Removes the brackets of an identifier."""
    return text.strip("<>")


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

    def __cinit__(self):
        self._stored = NULL
        self._out = NULL

    def __init__(
        self, source, bytes magic not None, inflate, Py_ssize_t bound, pages, record, *, end=-1, bint alone=False
    ):
        """Reads from the position of the source on.

        Args:
            source: a `streams.Source`, which this reader leaves somewhere behind `position`.
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
        self._stored = <unsigned char*> malloc(self._room)
        self._out = <unsigned char*> malloc(self._out_room)
        if self._stored == NULL or self._out == NULL:
            raise MemoryError
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
        cdef bytes data
        cdef Py_ssize_t size
        cdef unsigned char* larger
        if self._ended or self._high - self._low >= self._most:
            return False
        if self._low:
            # the records before have been returned
            self._source.mark(self._at + self._low)
            memmove(self._stored, self._stored + self._low, self._high - self._low)
            self._at += self._low
            self._high -= self._low
            self._low = 0
        data = self._read(_BLOCK)
        size = PyBytes_GET_SIZE(data)
        if not size:
            self._ended = True
            return False
        if self._high + size > self._room:
            larger = <unsigned char*> realloc(self._stored, 2 * (self._high + size))
            if larger == NULL:
                raise MemoryError
            self._stored = larger
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
        cdef const unsigned char* p
        cdef const unsigned char* found
        cdef const unsigned char* magic = <const unsigned char*> PyBytes_AS_STRING(self._magic)
        cdef Py_ssize_t length = PyBytes_GET_SIZE(self._magic), n
        while True:
            p = self._stored + self._low
            n = self._high - self._low - length + 1
            while ahead < n:
                found = <const unsigned char*> memchr(p + ahead, magic[0], n - ahead)
                if found == NULL:
                    ahead = n
                    break
                ahead = found - p
                if memcmp(found, magic, length) == 0:
                    return ahead
                ahead += 1
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
            # A member whose end has not been read is not begun. The bytes of a next beginning may stand within
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
        cdef unsigned char* larger
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
            larger = <unsigned char*> realloc(self._out, room)
            if larger == NULL:
                raise MemoryError
            self._out = larger
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
        self._pass(begin)
        return record

    cdef object _make(self, const unsigned char* p, Fields* found, object offset):
        """Makes a record, whose header begins at `p`."""
        cdef object block, head
        cdef const unsigned char* body = p + found.body
        cdef Py_ssize_t size = found.length, end
        kind = _TYPES[found.type]
        if self._alone:
            return self._record(kind, offset, _bare(_text(p, found.url)))
        if not self._is_wanted[found.type]:
            return self._record(kind, offset)
        head = head_at(body, size) if found.type == _RESPONSE else None
        end = 0 if head is None else head.end
        block = PyBytes_FromStringAndSize(<const char*> body + end, size - end)
        return self._record(
            kind, offset, _bare(_text(p, found.url)), _text(p, found.date), _bare(_text(p, found.id)),
            _text(p, found.content_type), block, False, found.truncated.start >= 0, b"", False, head,
        )  # fmt: skip
