"""Many pages in memory: a column of a data frame, a list, a generator; in worker processes, in order."""

import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import closing, suppress
from functools import partial
from itertools import repeat, zip_longest
from multiprocessing import current_process
from typing import Any, Literal, overload

from ncleaner.arguments import check_choice, check_is, check_page, check_whole, is_null, page_of
from ncleaner.cleaner import Cleaner, Extracted, hints, nothing_extracted
from ncleaner.errors import InputWarning, NcleanerError, WorkerError
from ncleaner.fastclass import fastclass
from ncleaner.markup import MarkupOptions, Spans
from ncleaner.page import Page
from ncleaner.parsing._lexbor import reuse_memory
from ncleaner.pools import cores
from ncleaner.pools.pool import Activity, Death, Doing, Failed, Pool
from ncleaner.reading.inputs import Input
from ncleaner.recipe import Recipe
from ncleaner.running.jobs import Chunk, CleaningJob, TrackedJob, in_order
from ncleaner.running.tally import Tally

# A batch is sent when it has this many pages or bytes, or has been gathered for some time.
_BATCH_PAGES = 64
_BATCH_BYTES = 1 << 19
_SECONDS = 0.5
# Batches for each worker that are being cleaned, or wait for those before them.
_BATCHES = 4
# Pages that keep a worker busy for less time than its start takes.
_FEW = 16
_END = object()
_SAMPLE = "<p>The ferry will sail until the end of May, the harbour board decided on Monday.</p>"

Errors = Literal["raise", "empty", "keep"]
_Urls = Iterable[str | None] | None


@overload
def clean_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Literal["raise", "empty"] = "raise", cleaner: Cleaner | None = None,
) -> Iterator[str]: ...  # fmt: skip
@overload
def clean_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Errors, cleaner: Cleaner | None = None,
) -> Iterator[str | Exception]: ...  # fmt: skip
@hints
def clean_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Errors = "raise", cleaner: Cleaner | None = None,
) -> Iterator[Any]:  # fmt: skip
    """Yields the clean text of each page, in order: that which `clean` returns, whatever the number of jobs.

    >>> import ncleaner
    >>> pages = ["<p>The ferry will sail until the end of May.</p>", b"%PDF-1.7", None]
    >>> list(ncleaner.clean_many(pages, errors="empty", jobs=1))
    ['The ferry will sail until the end of May.', '', '']

    Workers clean while you use the results; only a few batches of pages are held at a time. A page that kills
    a worker, or holds it up for longer than `limits.seconds`, is a page that cannot be cleaned, as a PDF is.
    No worker is left when the iterator ends, is closed or is deleted.

    Args:
        pages: any iterable of pages as `clean` takes them, an Arrow column, or a Series of pandas or Polars.
        urls: the address of each page, for a cleaner with a survey of sites.
        jobs: most worker processes; by default one for each core. 1: this process cleans, and a page
            that crashes it ends it.
        errors: what becomes of what cannot be cleaned, such as a PDF, a null or a page above the limits.
            `raise` raises its error at its place; `empty` yields an empty result; `keep` yields the error.
        cleaner: what cleans the pages; by default that of `clean`.

    Raises:
        TypeError: an argument has another type. Of a page: it is none.
        ValueError: a value is out of range, or the number of `urls` is not that of the pages.
        InputError: of a page, as `clean` raises it.
        WorkerError: of a page, if workers die at it; else workers cannot start.
    """
    return _many("clean", "", pages, urls, jobs, errors, cleaner)


@overload
def extract_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Literal["raise", "empty"] = "raise", cleaner: Cleaner | None = None,
    links: bool = False, images: bool = False, spans: Spans = "merge",
) -> Iterator[Extracted]: ...  # fmt: skip
@overload
def extract_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Errors, cleaner: Cleaner | None = None,
    links: bool = False, images: bool = False, spans: Spans = "merge",
) -> Iterator[Extracted | Exception]: ...  # fmt: skip
@hints
def extract_many(
    pages: Iterable[Any], *, urls: _Urls = None, jobs: int | None = None,
    errors: Errors = "raise", cleaner: Cleaner | None = None,
    links: bool = False, images: bool = False, spans: Spans = "merge",
) -> Iterator[Any]:  # fmt: skip
    """Yields text, Markdown, metadata, language and kind of each page, in order, as `extract` returns them.

    >>> import ncleaner
    >>> page = "<h1>Back</h1><p>The ferry <b>will sail</b> until the end of May."
    >>> [found.markdown.splitlines()[-1] for found in ncleaner.extract_many([page], jobs=1)]
    ['The ferry **will sail** until the end of May.']

    Args:
        pages, jobs, errors, cleaner: as for `clean_many`.
        urls: the address of each page, for relative addresses in it and for the date in it.
        links, images, spans: as for `extract`.

    Raises as `clean_many` does.
    """
    MarkupOptions(links, images, spans)
    options = {"links": links, "images": images, "spans": spans}
    return _many("extract", nothing_extracted(), pages, urls, jobs, errors, cleaner, **options)


_Call = Callable[..., Any]
# a page, or why it is none; and its address
_Item = tuple[Any, Any]


def _many(
    method: str, empty: Any, pages: Any, urls: Any, jobs: Any, errors: Any, cleaner: Any, **options: Any
) -> Iterator[Any]:
    """Checks the arguments, and returns the results."""
    for name, given in (("pages", pages), ("urls", () if urls is None else urls)):
        if isinstance(given, str | bytes | bytearray | memoryview | Page):
            raise TypeError(f"{name} must be many, not one: give a list, or use {method}")
        if hasattr(given, "columns"):
            raise TypeError(f"{name} must be one column of a frame, not the frame: give frame['html']")
        check_is(name, given, Iterable, "an iterable")
    check_choice("errors", errors, ("raise", "empty", "keep"))
    if jobs is not None:
        check_whole("jobs", jobs, 1)
    if cleaner is not None:
        check_is("cleaner", cleaner, Cleaner, "a Cleaner")
    own = Cleaner() if cleaner is None else cleaner
    call, items = partial(getattr(own, method), **options), _items(pages, urls)
    if jobs == 1:
        return _yielded((_tried(call, *item) for item in items), errors, empty)
    jobs = jobs or cores()
    if isinstance(pages, Sized):
        jobs = min(jobs, 1 + len(pages) // _FEW)
    return _yielded(_in_workers(items, call, jobs, own.recipe), errors, empty)


def _items(pages: Iterable[Any], urls: Iterable[Any] | None) -> Iterator[_Item]:
    both: Iterable[_Item]
    both = zip(pages, repeat("")) if urls is None else zip_longest(pages, urls, fillvalue=_END)
    for page, url in both:
        if page is _END or url is _END:
            raise ValueError("there must be as many urls as pages")
        yield _plain(page), _plain(url, "")


def _plain(value: Any, otherwise: Any = None) -> Any:
    """Returns a scalar of Arrow as that of Python, a null as something else, any other value as it is."""
    value = value.as_py() if hasattr(type(value), "as_py") else value
    return otherwise if is_null(value) else value


def _yielded(found: Any, errors: Errors, empty: Any) -> Iterator[Any]:
    # closed at once: the traceback of an error would hold the workers
    with closing(found):
        for number, each in enumerate(found):
            if isinstance(each, Exception) and errors == "raise":
                each.add_note(f"This is page {number}, counted from 0.")
                raise each
            yield empty if isinstance(each, Exception) and errors == "empty" else each


def _tried(call: _Call, page: Any, url: Any) -> Any:
    """Returns the result for a page, or the error."""
    if isinstance(page, Exception):
        return page
    try:
        return call(page, url)
    except (NcleanerError, TypeError, ValueError) as error:
        return error
    except MemoryError:
        return WorkerError("the page needs more memory than there is")
    except Exception as error:
        return WorkerError(f"the page raises {error!r}, a bug in ncleaner")


@fastclass
class _Setup:
    """Makes the state of a worker."""

    call: _Call

    def __call__(self, activity: Activity) -> tuple[_Call, Activity]:
        reuse_memory()
        # the parent has warned
        warnings.simplefilter("ignore", InputWarning)
        return self.call, activity


@fastclass
class _Job(CleaningJob):
    """Pages that the caller has given; a chunk has their results, pickled."""

    items: tuple[_Item, ...] = ()

    def run(self, state: Any) -> Iterator[Chunk]:
        """Cleans the pages."""
        call, activity = state
        found: list[Any] = []
        began = time.monotonic()
        for number, item in enumerate(self.items[self.skip :], self.skip):
            activity.begin(Doing.ITEM, number)
            given_up = self.given_up.get(number)
            found.append(WorkerError(given_up.why) if given_up else _tried(call, *item))
            now = activity.begin(Doing.SENDING)
            if number <= self.send_each_until or now - began >= _SECONDS or number == len(self.items) - 1:
                yield Chunk(pickle.dumps(found, pickle.HIGHEST_PROTOCOL), Tally(), len(found), -1)
                found, began = [], now


def _in_workers(items: Iterator[_Item], call: _Call, jobs: int, recipe: Recipe) -> Iterator[Any]:
    """Yields the results or errors of pages, which workers clean."""
    if current_process().daemon:
        raise WorkerError("this process is itself a worker, which can start no others: give jobs=1")
    limits = recipe.limits
    # so that workers that are forked share the models; the limits may be below any page
    with suppress(NcleanerError):
        call(_SAMPLE)
    failures: list[Exception] = []
    batches = _batches(items, failures, recipe.encoding)
    try:
        with Pool(jobs, _Setup(call), seconds=limits.seconds, memory=limits.memory) as pool:
            for batch, event in in_order(batches, pool, _BATCHES * jobs):
                if isinstance(event, Chunk):
                    yield from pickle.loads(event.output)
                elif isinstance(event, Failed | Death):
                    assert isinstance(batch.job, _Job)
                    left = len(batch.job.items) - batch.items
                    yield from (WorkerError(event.why) for _ in range(left))
    except WorkerError as error:
        # not of a page
        error.add_note('In a script, call this below `if __name__ == "__main__":`.')
        raise
    if failures:
        raise failures[0]


def _batches(items: Iterator[_Item], failures: list[Exception], encoding: str | None) -> Iterator[TrackedJob]:
    """Collects pages in batches. An error of the iterable is kept: it is raised after the results of the
    pages before it."""
    more = True
    while more:
        gathered: list[_Item] = []
        try:
            more = _gathered(items, gathered, encoding)
        except Exception as error:
            more = False
            failures.append(error)
        if gathered:
            yield TrackedJob(Input("", "", None), _Job(items=tuple(gathered)))


def _gathered(items: Iterator[_Item], batch: list[_Item], encoding: str | None) -> bool:
    """Fills a batch with pages; returns whether there may be more. What is no page is found here: it may not
    pickle."""
    size, since = 0, time.monotonic()
    for page, url in items:
        try:
            check_is("url", url, str, "an address as str")
            if isinstance(page, Page):
                check_page(page)
            else:
                page = page_of(page, encoding)
            size += len(page.body if isinstance(page, Page) else page)
        except (NcleanerError, TypeError, ValueError) as error:
            page, url = error, ""
        batch.append((page, url))
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_PAGES or time.monotonic() - since >= _SECONDS:
            return True
    return False
