"""Pages at addresses: archive, offset and length, as Common Crawl's index and our own rows have them.

Of an archive, only the records that are asked for are read, those of one archive together. Neighbours come in
one request, and requests to a server run ahead. An address that has no length is found by reading the whole
input.
"""

import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading._warc import MAX_HEAD
from ncleaner.reading.captures import page_of_record
from ncleaner.reading.cells import Address
from ncleaner.reading.opening import compression_of, layers_of
from ncleaner.reading.records import Record, archive_kind, records
from ncleaner.reading.streams import Source
from ncleaner.storage.local import is_url
from ncleaner.storage.places import read_range
from ncleaner.text.visible import counted

# Bytes between two records for which one request is cheaper than two: those that come in the time of an
# answer. And most bytes of a request, unless one record is longer.
_GAP: Final = 1 << 18
_MOST: Final = 1 << 23
# Requests to a server that run at a time.
_AHEAD: Final = 8
_HEAD: Final = 4096

_Range = tuple[int, int, list[Address]]


def pages_at(
    addresses: Iterable[Address], limits: Limits, read: Callable[[str], Iterable[Page | Skip | Damage]]
) -> Iterator[Page | Skip | Damage]:
    """Reads the pages at some addresses, archive by archive, in the order of the first address of each, and
    in each by offset. An address without a page is a `Skip` that says why.

    Args:
        addresses: of the pages.
        limits: bounds for one page.
        read: reads a whole input.
    """
    by_archive: dict[str, list[Address]] = {}
    for each in addresses:
        by_archive.setdefault(each.archive, []).append(each)
    for path, wanted in by_archive.items():
        try:
            ranged = sorted((each for each in wanted if each.offset >= 0 and each.length > 0), key=_place)
            yield from _of_ranges(path, ranged, limits)
            if len(ranged) < len(wanted):
                whole = [each for each in wanted if each.offset < 0 or each.length <= 0]
                yield from _of_whole(read(path), path, whole)
        except (OSError, InputError) as error:
            what = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            what = what.removeprefix(f"{path}: ")
            yield Damage(f"{what}; {counted(len(wanted), 'address', 'addresses')} in it", path, unread=True)


def _place(address: Address) -> tuple[int, str]:
    return address.offset, address.url


def _of_ranges(path: str, addresses: Sequence[Address], limits: Limits) -> Iterator[Page | Skip | Damage]:
    ranges = _ranges(path, addresses, limits)
    with ThreadPoolExecutor(_AHEAD if is_url(path) else 1) as threads:
        begun: deque[tuple[_Range, Future[bytes]]] = deque()
        for each in ranges:
            begun.append((each, threads.submit(read_range, path, each[0], each[1])))
            if len(begun) == _AHEAD:
                yield from _of_range(path, *begun.popleft(), limits)
        while begun:
            yield from _of_range(path, *begun.popleft(), limits)


def _ranges(path: str, addresses: Sequence[Address], limits: Limits) -> Iterator[_Range]:
    """Yields the offset and the size of each request, and the addresses in it."""
    held: list[Address] = []
    start = end = 0
    for each in addresses:
        if each.length > limits.bytes + MAX_HEAD:
            # `_of_range` finds that nothing was read
            yield each.offset, 0, [each]
            continue
        stop = each.offset + each.length
        if held and (each.offset > end + _GAP or stop - start > _MOST):
            yield start, end - start, held
            held = []
        if not held:
            start = end = each.offset
        held.append(each)
        end = max(end, stop)
    if held:
        yield start, end - start, held


def _of_range(
    path: str, range_: _Range, future: Future[bytes], limits: Limits
) -> Iterator[Page | Skip | Damage]:
    start, size, addresses = range_
    data = memoryview(future.result())
    for each in addresses:
        at = each.offset - start
        record = bytes(data[at : at + each.length])
        if not size:
            yield Skip("too large", each.url, path, each.offset, lost=True)
        elif len(record) < each.length:
            yield Skip("address beyond the end of its archive", each.url, path, each.offset, lost=True)
        else:
            yield from _of_record(path, record, each, limits)


def _of_record(path: str, data: bytes, address: Address, limits: Limits) -> Iterator[Page | Skip | Damage]:
    """Yields the page in the stored bytes of a record, and its damage."""
    source = Source(io.BytesIO(data), path, len(data))
    codec = compression_of(data[:_HEAD], "")
    kind = archive_kind(layers_of(source, codec)[-1].peek(_HEAD))
    source.rewind(0)
    others, damages = "", []
    for item in () if kind is None else records(source, codec, kind, limits.bytes + MAX_HEAD):
        if not isinstance(item, Record):
            damages.append(item._replace(offset=address.offset))
        elif address.url and item.url and item.url != address.url:
            others = others or item.url
        else:
            item.offset, item.length = address.offset, address.length
            yield from damages
            for found in page_of_record(item, path, limits.bytes):
                yield found._replace(carried=address.carried) if isinstance(found, Page) else found
            return
    what = "address of the record of another URL" if others else "address where no record begins"
    yield Skip(what, address.url, path, address.offset, lost=True, advice=others)


def _of_whole(
    items: Iterable[Page | Skip | Damage], path: str, addresses: Sequence[Address]
) -> Iterator[Page | Skip | Damage]:
    """Reads an input whose records have no lengths, and yields those at the addresses."""
    wanted: dict[tuple[int, str], Address] = {}
    for each in addresses:
        wanted[each.offset, each.url] = each
    for item in items:
        if isinstance(item, Damage):
            yield item
            continue
        for key in ((item.offset, item.url), (item.offset, "")):
            if (found := wanted.pop(key, None)) is not None:
                yield item._replace(carried=found.carried) if isinstance(item, Page) else item
                break
    for each in wanted.values():
        yield Skip("address where no page begins", each.url, path, each.offset, lost=True)
