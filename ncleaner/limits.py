"""Bounds for one page, in the Python API and on the command line."""

from dataclasses import dataclass

from ncleaner.errors import InputError
from ncleaner.options import Declared, option

# `bytes` is a limit of the class below.
Text = bytes
_PANEL = "Limits of a page"
# Offsets in the text of a page have 32 bits, and the text may be twice as long as the page is in UTF-8.
MOST_BYTES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Limits(Declared):
    """Bounds for one page.

    A page above `bytes`, `segments`, `seconds` or `memory` is given up. A page above `nesting` or `tags` is
    flattened: tags are dropped, and the text is kept.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner(limits=ncleaner.Limits(bytes=1000))
    >>> cleaner.clean("<p>" + 1000 * "a")
    Traceback (most recent call last):
        ...
    ncleaner.errors.InputError: the page has 1,003 bytes, more than the limit of 1,000

    Attributes:
        bytes: largest body, in bytes, both before and after chunked transfer and Content-Encoding are undone;
            at most 2,147,483,647. Memory is bounded, too: decoding stops at this size.
        nesting: deepest element nesting, in levels, of a page that would take the parser too long, since
            its time is the product of tags and nesting. Tags beyond this depth are dropped, their text is
            kept. Pages that parse fast keep any nesting.
        tags: most tags, end tags and comments that are given to the parser, whose tree takes some 300 bytes
            for each. What the parser creates again, because a page leaves it open, counts by its memory. Of a
            page with more, tags are dropped after half as many elements; the text is kept.
        segments: most segments (paragraphs, headings, list items) of a page's text dump. A plain-text dump
            has at most twice as many lines.
        seconds: wall-clock seconds that a worker process may spend on one page. After that, the worker is
            replaced and the page is given up. Holds in the engine only: native code cannot be stopped inside
            a process.
        memory: bytes of data that a worker process may allocate after its start; a page that needs more is
            given up. None: no bound. Holds in the engine only, and on systems that bound a process's data
            (Linux).

    Raises:
        TypeError: a value is not a number.
        ValueError: a value is out of range.
    """

    bytes: int = option(
        20_000_000,
        "Largest page, in bytes, before and after decompression; larger pages are given up.",
        low=1, high=MOST_BYTES, flags="--max-bytes", panel=_PANEL,
    )  # fmt: skip
    nesting: int = option(
        512,
        "Deepest nesting of elements in a page that is slow to parse; deeper tags are dropped.",
        low=16, high=2**31 - 1, flags="--max-nesting", panel=_PANEL,
    )  # fmt: skip
    tags: int = option(
        450_000, "Most tags that are given to the parser.", low=1000, high=2**31 - 1, flags=None
    )
    segments: int = option(
        1_000_000,
        "Largest number of segments of a page; pages with more are given up.",
        low=1, high=2**31 - 1, flags="--max-segments", panel=_PANEL,
    )  # fmt: skip
    seconds: float = option(
        60.0,
        "Longest time for one page, in seconds; slower pages are given up.",
        above=0, least=0.1, what="a number above 0", metavar="SECONDS", flags="--max-seconds", panel=_PANEL,
    )  # fmt: skip
    memory: int | None = option(
        None,
        "Memory of a worker, in MB; pages that need more are given up (Linux).",
        kind=int, low=1, high=2**62, least=200, unit=1_000_000, otherwise="no limit", metavar="MB",
        flags="--max-memory", panel=_PANEL,
    )  # fmt: skip

    def check_size(self, size: int) -> None:
        """Raises InputError for a page of more than `bytes` bytes."""
        if size > self.bytes:
            raise InputError(f"the page has {size:,} bytes, more than the limit of {self.bytes:,}")

    def check_decoded(self, page: Text | str, utf8: Text) -> None:
        """Raises InputError for decoded text above `bytes`, and for a page with too many bytes in UTF-8."""
        if isinstance(page, str) or len(utf8) > MOST_BYTES:
            self.check_size(len(utf8))

    def check_lines(self, text: Text) -> None:
        """Raises InputError for a plain-text dump of more than twice `segments` lines."""
        # most texts have fewer bytes
        if len(text) > 2 * self.segments and (count := text.count(b"\n")) > 2 * self.segments:
            most = f"{self.segments:,} segment{'' if self.segments == 1 else 's'}"
            raise InputError(f"the page has {count:,} lines, more than twice the limit of {most}")

    def check_segments(self, count: int) -> None:
        """Raises InputError for a page of more than `segments` segments."""
        if count > self.segments:
            raise InputError(f"the page has {count:,} segments, more than the limit of {self.segments:,}")
