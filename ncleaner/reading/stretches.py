"""Archives in stretches, which several processes read at the same time.

A stretch is given by two offsets. Its reader looks for the first record that begins at the first one or
after it, and reads up to the first record that begins at the second one or after it. What looks like the
beginning of a record may be within a page. So a stretch counts only if it begins where the one before it has
ended: then the items of all stretches together are those of `archive.read`. Any other stretch is read again,
from there.
"""

import io
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading._warc import MAX_HEAD
from ncleaner.reading.archive import InputFormat, unread_once
from ncleaner.reading.captures import page_of_record
from ncleaner.reading.inflating import NO_DICTIONARY, Codec, is_zip, zstd_dictionary
from ncleaner.reading.inputs import sniff
from ncleaner.reading.opening import compression_of, layers_of, opened
from ncleaner.reading.records import (
    ArchiveKind,
    Record,
    archive_kind,
    find_record,
    inner_codec,
    records_until,
)
from ncleaner.reading.streams import Source

_HEAD: Final = 4096
#: Bytes of a piece of a pipe; most of one in which no end is found, and seconds after which a pipe is slow.
PIECE: Final = 1 << 19
_LONGEST: Final = 1 << 22
_SLOW: Final = 0.5
#: What is said of a path whose file was another one before.
REPLACED: Final = "{}: has been replaced by another file while it was read"


class Layout(NamedTuple):
    """What the beginning of an archive says, its size in bytes, and the device and number of its file."""

    kind: ArchiveKind
    codec: Codec
    size: int
    file: tuple[int, int] | None = None


def layout_of(path: str, input_format: InputFormat) -> Layout | None:
    """Returns the layout of an archive that can be read in stretches; None for any other input.

    It can be if its file can go back, and its members are not cut at any byte of a record.

    Raises:
        InputError: the input cannot be opened.
    """
    with opened(path, pipes=False) as (stream, name):
        source = Source(stream, name, 1 << 20)
        found = layout_in(source, input_format) if source.is_seekable else None
        return found and found._replace(file=_file_of(stream))


def layout_in(source: Source, input_format: InputFormat) -> Layout | None:
    """Returns the layout of an archive that is open; see `layout_of`. The source is at its beginning."""
    name, head = source.name, source.peek(_HEAD)
    if input_format not in ("auto", "warc") or not head or is_zip(head):
        return None
    codec = compression_of(head, name)
    layers = layers_of(source, codec)
    content = layers[-1].peek(_HEAD)
    found = archive_kind(content) or "warc" if input_format == "warc" else sniff(content, name)
    if len(layers) > 1 or (found != "warc" and found != "arc"):
        return None
    source.rewind(source.start)
    if codec != "plain":
        dictionary = zstd_dictionary(source) if codec == "zstd" else NO_DICTIONARY
        if inner_codec(source, codec, dictionary, found) is not None:
            return None
    return None if source.broken else Layout(found, codec, source.size)


def pieces(source: Source, layout: Layout) -> Iterator[tuple[int, bytes]]:
    """Yields pieces of an archive of gzip members, and where they begin, as long as they can be cut.

    A piece ends where a member seems to begin with a record. That may be within a page that is itself an
    archive: then the piece ends in damage. Pieces end before the archive if its bytes come slowly, or no
    member begins in some megabytes.

    Args:
        source: at its beginning; it keeps the bytes of all pieces that may be read again.
        layout: see `layout_in`.
    """
    begins, data, since = source.tell(), b"", time.monotonic()
    while layout.codec == "gzip" and (block := source.read()):
        data += block
        if len(data) >= PIECE:
            alone = Source(io.BytesIO(data), source.name, 0)
            cut = find_record(alone, layout.codec, layout.kind, NO_DICTIONARY, PIECE // 2, -1)
            if cut > 0:
                yield begins, data[:cut]
                begins, data, since = begins + cut, data[cut:], time.monotonic()
        if len(data) > _LONGEST or time.monotonic() - since > _SLOW:
            source.rewind(begins)
            return
    if data and not source.broken:
        yield begins, data


def _file_of(stream: BinaryIO) -> tuple[int, int] | None:
    found = os.fstat(stream.fileno()) if isinstance(stream, io.FileIO) else None
    return found and (found.st_dev, found.st_ino)


class Stretch:
    """The items of a stretch; an iterator.

    Attributes:
        began: where the first record begins; -1 if none begins in the stretch.
        ended: after the last item, where the first record begins that is not read; -1 at the end of the
            archive, or where it cannot be read further.
    """

    def __init__(
        self, source: Source, layout: Layout, start: int, end: int, is_beginning: bool, limits: Limits
    ) -> None:
        """See `open_stretch`."""
        self._source = source
        self._layout = layout
        self._end = end
        self._limit = limits.bytes
        self._dictionary = zstd_dictionary(source) if layout.codec == "zstd" else NO_DICTIONARY
        self.began = start
        if not is_beginning:
            self.began = find_record(source, layout.codec, layout.kind, self._dictionary, start, end)
        self.ended = -1 if self.began >= 0 else start

    def __iter__(self) -> Iterator[Page | Skip | Damage]:
        return unread_once(self._items())

    def cut(self, step: int) -> Iterator[tuple[int, int]]:
        """Yields the offsets of smaller stretches, at which records are known to begin: each is `step` bytes
        to the end of a record. Everything is inflated for this, in a small part of the time of cleaning."""
        start = self.began
        while start >= 0:
            self._source.rewind(start)
            self._end = start + step
            deque(self._records(), 0)
            yield start, self.ended
            start = self.ended

    def _items(self) -> Iterator[Page | Skip | Damage]:
        source = self._source
        if self.began < 0:
            return
        if self._dictionary.damage and self.began == 0:
            yield Damage(self._dictionary.damage, source.name, 0)
        source.rewind(self.began)
        for item in self._records():
            if isinstance(item, Damage):
                yield item
            else:
                yield from page_of_record(item, source.name, self._limit)

    def _records(self) -> Iterator[Record | Damage]:
        kind, codec, *_ = self._layout
        bound = self._limit + MAX_HEAD
        self.ended = yield from records_until(self._source, codec, kind, self._dictionary, bound, self._end)


@contextmanager
def open_stretch(
    path: str,
    layout: Layout,
    start: int,
    end: int,
    is_beginning: bool,
    *,
    limits: Limits,
    on_read: Callable[[], None] | None = None,
) -> Iterator[Stretch]:
    """Opens a stretch of an archive.

    Args:
        path: of the archive.
        layout: of the archive.
        start, end: the offsets; an `end` of -1 is the end of the archive.
        is_beginning: whether a record is known to begin at `start`, or whatever else `archive.read` comes to
            there; otherwise the first one is looked for.
        limits, on_read: as for `archive.read`.

    Raises:
        InputError: the input cannot be opened, or another file has taken its place.
    """
    with opened(path, pipes=False) as (stream, name):
        if _file_of(stream) != layout.file:
            raise InputError(REPLACED.format(path))
        keep = max(limits.bytes + MAX_HEAD, 1 << 20)
        source = Source(stream, name, keep, on_read=on_read, size=layout.size)
        yield Stretch(source, layout, start, end, is_beginning, limits)
