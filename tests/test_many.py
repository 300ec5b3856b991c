"""Many pages in memory."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import ncleaner
from tests.processes import descendants, wait_until, workers

PAGES = [path.read_bytes() for path in sorted((Path(__file__).parent.parent / "examples/pages").iterdir())]
PROSE = "<p>The ferry will sail until the end of May, the harbour board decided on Monday.</p>"
TEXT = "The ferry will sail until the end of May, the harbour board decided on Monday."
# what is no page, in between
MIXED: list[Any] = [*PAGES[:5], None, b"%PDF-1.7", *PAGES[5:8], 5, lambda: None, "", b"x" * 20_000_001, PROSE]


class Faulty(ncleaner.Cleaner):
    """Does with a page what its address says."""

    def clean(self, html: Any, url: str = "") -> str:
        if url.startswith("SIG"):
            os.kill(os.getpid(), getattr(signal, url))
        if url == "spin":
            time.sleep(1000)
        if url == "bug":
            raise KeyError(url)
        if url == "memory":
            raise MemoryError
        return super().clean(html, url)


def shown(found: Iterator[Any]) -> list[Any]:
    return [repr(each) if isinstance(each, Exception) else each for each in found]


@pytest.mark.untraced
@pytest.mark.parametrize("jobs", [1, 2, None])
def test_each_page_gives_what_it_gives_alone(jobs: int | None) -> None:
    pages: list[Any] = [
        *PAGES,
        ncleaner.Page(PAGES[0], "https://a.example/2024/05/01/x"),
        PROSE,
        memoryview(PAGES[1]),
    ]
    assert list(ncleaner.clean_many(iter(pages), jobs=jobs)) == [ncleaner.clean(page) for page in pages]
    urls = [None, *(f"https://a.example/2024/05/{day}/x" for day in range(10, 10 + len(pages) - 1))]
    found = ncleaner.extract_many(pages, urls=urls, jobs=jobs, links=True)
    assert list(found) == [
        ncleaner.extract(page, url or "", links=True) for page, url in zip(pages, urls, strict=True)
    ]


def test_a_cleaner_and_no_pages() -> None:
    cleaner = ncleaner.Cleaner("everything")
    assert list(ncleaner.clean_many(PAGES * 9, cleaner=cleaner, jobs=2)) == [*map(cleaner.clean, PAGES)] * 9
    assert [*ncleaner.clean_many([]), *ncleaner.extract_many(iter([]), jobs=1)] == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_cannot_be_cleaned_costs_no_other_page(jobs: int) -> None:
    kept = list(ncleaner.clean_many(MIXED, errors="keep", jobs=jobs))
    wrong = {place: type(each) for place, each in enumerate(kept) if isinstance(each, Exception)}
    refused = ncleaner.InputError
    assert wrong == {5: TypeError, 6: refused, 10: TypeError, 11: TypeError, 13: refused}
    assert kept[4] == ncleaner.clean(PAGES[4]) and kept[12] == "" and kept[-1] == TEXT
    empty = list(ncleaner.clean_many(MIXED, errors="empty", jobs=jobs))
    assert empty == ["" if place in wrong else each for place, each in enumerate(kept)]
    found = list(ncleaner.extract_many(MIXED, errors="empty", jobs=jobs))
    assert [each.text for each in found] == empty and found[5].metadata == ncleaner.Metadata()
    given: list[str] = []
    with pytest.raises(TypeError, match="not None") as raised:
        given.extend(ncleaner.clean_many(MIXED, jobs=jobs))
    assert raised.value.__notes__ == ["This is page 5, counted from 0."]


def test_errors_and_warnings_are_those_of_this_process(recwarn: pytest.WarningsRecorder) -> None:
    one, two = (shown(ncleaner.clean_many([*MIXED, "page.html"], errors="keep", jobs=n)) for n in (1, 2))
    assert one == two
    assert [(each.category, each.filename) for each in recwarn] == [(ncleaner.InputWarning, __file__)] * 2


@pytest.mark.parametrize("column", ["pandas", "polars", "pyarrow"])
def test_columns(column: str) -> None:
    library = pytest.importorskip(column)
    values = {"html": [PROSE, None, PROSE], "url": ["https://a.example", None, None]}
    frame = library.table(values) if column == "pyarrow" else library.DataFrame(values)
    pages, urls = frame["html"], frame["url"]
    for jobs in (1, 2):
        found = ncleaner.clean_many(pages, urls=urls, errors="empty", jobs=jobs)
        assert list(found) == [TEXT, "", TEXT]
    with pytest.raises(TypeError, match="one column of a frame"):
        ncleaner.clean_many(frame)


def test_wrong_arguments() -> None:
    for pages in (PROSE, b"", ncleaner.Page(b"")):
        with pytest.raises(TypeError, match="give a list, or use extract"):
            ncleaner.extract_many(pages)
    wrong: Any
    call: Any = ncleaner.clean_many
    for wrong, message in (
        ({"pages": 5}, "pages must be an iterable, not 5"),
        ({"urls": "x"}, "urls must be many"),
        ({"errors": "ignore"}, "errors must be raise, empty or keep"),
        ({"jobs": 0}, "jobs must be a whole number of at least 1"),
        ({"cleaner": "ngram"}, "cleaner must be a Cleaner"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            call(**{"pages": [], **wrong})
    with pytest.raises(ValueError, match="spans"):
        ncleaner.extract_many([], spans="x")  # type: ignore[call-overload]
    for jobs in (1, 2):
        with pytest.raises(ValueError, match="as many urls as pages"):
            list(ncleaner.clean_many([PROSE], urls=[], jobs=jobs))
        (found,) = call([PROSE], urls=[5], errors="keep", jobs=jobs)
        assert str(found) == "url must be an address as str, not 5"


@pytest.mark.untraced
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_page_that_kills_workers_costs_no_other() -> None:
    urls = ["", "SIGSEGV", "SIGKILL", "", "spin", "bug", "memory", *[""] * 60, "SIGABRT"]
    cleaner = Faulty(limits=ncleaner.Limits(seconds=0.5))
    found = shown(ncleaner.clean_many([PROSE] * len(urls), urls=urls, errors="keep", jobs=2, cleaner=cleaner))
    assert [each for each in found if each != TEXT] == [
        "WorkerError('the worker was killed by SIGSEGV')",
        "WorkerError('the worker was killed by SIGKILL')",
        "WorkerError('not finished after 0.5 seconds')",
        "WorkerError(\"the page raises KeyError('bug'), a bug in ncleaner\")",
        "WorkerError('the page needs more memory than there is')",
        "WorkerError('the worker was killed by SIGABRT')",
    ]
    assert [place for place, each in enumerate(found) if each != TEXT] == [
        place for place, url in enumerate(urls) if url
    ]


@pytest.mark.untraced
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_iterable_comes_after_the_pages_before_it(jobs: int) -> None:
    def broken() -> Iterator[bytes]:
        yield from PAGES * 9
        raise OSError("the disk")

    given: list[str] = []
    with pytest.raises(OSError, match="the disk"):
        given.extend(ncleaner.clean_many(broken(), jobs=jobs))
    for text in ncleaner.clean_many(PAGES * 9):
        assert given.pop(0) == text
    assert given == []


def test_little_is_read_ahead_and_no_worker_is_left() -> None:
    taken = []

    def endless() -> Iterator[str]:
        while True:
            taken.append(1)
            yield PROSE * 100

    found = ncleaner.clean_many(endless(), jobs=2)
    assert len([next(found) for _ in range(200)]) == 200
    assert len(taken) < 200 + 9 * 64
    assert len(workers(os.getpid())) == 2
    del found
    assert workers(os.getpid()) == []
    # the traceback of an error holds nothing, either
    with pytest.raises(TypeError):
        list(ncleaner.clean_many(itertools.chain(PAGES, [None], endless()), jobs=2))
    assert workers(os.getpid()) == []


SCRIPT = f"""
import itertools
import ncleaner
if __name__ == "__main__":
    for _ in ncleaner.clean_many(itertools.repeat({PROSE!r}), jobs=2):
        print(end=".", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupt_leaves_no_worker(how: int, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        found = descendants(process.pid)
        assert len(found) == 2
        process.send_signal(how)
        process.stdout.read()
        assert (b"KeyboardInterrupt" in process.stderr.read()) == (how == signal.SIGINT)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found), "workers are left")


def _inside(queue: Any) -> None:
    for jobs in (1, 2):
        try:
            queue.put(list(ncleaner.clean_many([PROSE], jobs=jobs)))
        except ncleaner.NcleanerError as error:
            queue.put(str(error))


@pytest.mark.skipif(sys.platform == "win32", reason="a fork")
def test_in_a_process_that_may_start_none() -> None:
    context = get_context("fork")
    queue = context.Queue()
    process = context.Process(target=_inside, args=(queue,), daemon=True)
    process.start()
    assert queue.get(timeout=60) == [TEXT]
    assert queue.get(timeout=60).endswith("which can start no others: give jobs=1")
    process.join()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="other words")
def test_a_script_that_each_worker_would_run_again(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        "import threading, ncleaner\n"
        "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "list(ncleaner.clean_many(['<p>x'] * 99, jobs=2))\n"
    )
    result = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 1
    assert result.stderr.endswith('In a script, call this below `if __name__ == "__main__":`.\n')


@pytest.mark.slow
def test_where_workers_are_not_forked() -> None:
    """As on Windows and macOS: what a worker needs is sent to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ncleaner.pools.pool._context", lambda *_: get_context("spawn"))
        assert list(ncleaner.clean_many(PAGES, jobs=2)) == [*map(ncleaner.clean, PAGES)]
