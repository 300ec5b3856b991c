"""How fast this machine cleans, on the pages of `examples/`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ncleaner.checking.findings import FINE, Finding

__all__ = ["rates"]

# seconds for each rate, after a first round that is not counted; all of it has to take less than ten
_SECONDS = 1.5
_METHODS = ("hybrid", "ngram")
# bytes of the text that is cleaned
_TEXT = 1 << 20


def _crawl() -> Traversable:
    """Returns the sample crawl: in the package, or beside it in a source tree."""
    package = resources.files("ncleaner")
    installed = package / "examples" / "crawl.warc.gz"
    return installed if installed.is_file() else Path(str(package)).parent / "examples" / "crawl.warc.gz"


def rates() -> Iterator[Finding]:
    """Yields rates of one core: pages from the archive to JSON lines, and plain text.

    Raises:
        OSError: the sample crawl is not there.
    """
    from io import BytesIO

    from ncleaner.cleaner import Cleaner
    from ncleaner.document._document import reuse_memory
    from ncleaner.page import Page
    from ncleaner.reading.archive import read
    from ncleaner.sinks.choice import Output

    stored = _crawl().read_bytes()
    sink = Output(format="jsonl").sink()
    reuse_memory()
    pages = [page for page in read(BytesIO(stored), name="crawl.warc.gz") if isinstance(page, Page)]
    size = sum(len(page.body) for page in pages)
    text = b""
    for method in _METHODS:
        cleaner = Cleaner(method)
        text = text or "\n".join(cleaner.clean(page.body) for page in pages).encode()

        def once(cleaner: Cleaner = cleaner) -> None:
            for page in read(BytesIO(stored), name="crawl.warc.gz"):
                if isinstance(page, Page):
                    sink.render(page, *cleaner.page(page), single=False)

        seconds = _seconds(once)
        per_second, megabytes = len(pages) / seconds, size / seconds / 1e6
        yield Finding(
            "speed of one core", f"clean -m {method}", FINE,
            f"{per_second:,.0f} pages/s, {megabytes:,.1f} MB/s ({size / len(pages) / 1e3:.0f} kB a page)",
            values={"pages_per_second": round(per_second, 1), "megabytes_per_second": round(megabytes, 2)},
        )  # fmt: skip
    cleaner = Cleaner("ngram")
    plain = Page(text * (_TEXT // len(text) + 1), kind="text")
    seconds = _seconds(lambda: cleaner.page(plain))
    yield Finding(
        "speed of one core", "plain text", FINE, f"{len(plain.body) / seconds / 1e6:,.1f} MB/s",
        values={"megabytes_per_second": round(len(plain.body) / seconds / 1e6, 2)},
    )  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    """Returns the seconds of one round of work: of the shortest of all rounds that there is time for."""
    work()
    shortest = float("inf")
    end = time.perf_counter() + _SECONDS
    while (now := time.perf_counter()) < end:
        work()
        shortest = min(shortest, time.perf_counter() - now)
    return shortest
