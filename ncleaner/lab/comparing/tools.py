"""What is compared: the methods of ncleaner, and the peers, each under one name; and how one of them runs
over many pages, in a process of its own.

A tool may raise, crash its process, or never end; this costs the page, and nothing else.
"""

import logging
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from ncleaner.cleaner import Cleaner
from ncleaner.errors import EvaluationError, ModelError, NcleanerError
from ncleaner.lab.comparing.gold import GoldPage
from ncleaner.lab.comparing.peers import NAMES, PEERS, Extractor
from ncleaner.methods.choice import model_files
from ncleaner.methods.registry import DEFAULT_MODEL, METHODS
from ncleaner.modelling.container import header_of
from ncleaner.modelling.files import as_text, model_bytes
from ncleaner.page import Page
from ncleaner.pools.pool import Activity, Death, Doing, Done, Pool
from ncleaner.sinks.formats import Output


@dataclass(frozen=True, slots=True)
class Tool:
    """A method or a peer, as it runs on one gold standard. It pickles.

    Attributes:
        name: as users give it.
        make: makes what cleans a page; it raises ImportError if a package is missing, and ModelError if the
            method has no such model.
        arguments: of this function.
        version: of the package; empty for a method of ncleaner, and for a package that is not installed.
        settings: what is not as by default, for people.
        install: the command that installs it; empty for a method of ncleaner.
        trained: it uses a model.
    """

    name: str
    make: Callable[..., Extractor]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    settings: str = ""
    install: str = ""
    trained: bool = False

    @property
    def is_peer(self) -> bool:
        """It is another program."""
        return bool(self.install)

    @property
    def title(self) -> str:
        """Name, and version where there is one."""
        return f"{self.name} {self.version}".strip()

    def extractor(self) -> Extractor:
        """Returns what cleans a page. Raises as `make`."""
        return self.make(**self.arguments)


def tool_of(
    name: str,
    wishes: Mapping[str, bool] = MappingProxyType({}),
    model: str | Path = DEFAULT_MODEL,
    sites: str | None = None,
) -> Tool:
    """Returns the method or peer of a name.

    Args:
        name: one of `NAMES`.
        wishes: options of a recipe for what it should keep, as far as it has a switch.
        model: for the methods of ncleaner that use one, as `clean` takes it.
        sites: a survey of sites for the methods of ncleaner that use it.

    Raises:
        ValueError: there is no such method or peer.
    """
    if name in METHODS:
        trained = bool(METHODS[name].kinds)
        own = {"method": name, "model": as_text(model if trained else DEFAULT_MODEL), "sites": sites}
        return Tool(name, method, own | dict(wishes), trained=trained)
    if name not in PEERS:
        raise ValueError(f"no method or peer {name!r}: there are {', '.join(NAMES)}")
    peer = PEERS[name]
    arguments, settings = dict(peer.settings), [peer.about] if peer.about else []
    if peer.comments:
        arguments["comments"] = comments = wishes.get("comments")
        if comments is not None:
            settings.append("comments" if comments else "no comments")
    try:
        installed = version(peer.distribution)
    except PackageNotFoundError:
        installed = ""
    return Tool(name, peer.make, arguments, installed, ", ".join(settings), peer.install)


def method(**recipe: Any) -> Extractor:
    """A method of ncleaner, from the bytes of a page to its text in CleanEval's format; see `Recipe`."""
    cleaner = Cleaner(**recipe)
    sink = Output(format="cleaneval").sink()

    def extract(page: Page, language: str) -> bytes:
        return sink.render(page, *cleaner.page(page), True)

    return extract


def sources_of(tool: Tool) -> list[str]:
    """Returns what the model files of a method were trained on, as their headers tell it; the name of a file
    that does not tell. Empty for a tool without a model, and for a model that cannot be read.
    """
    found: dict[str, None] = {}
    try:
        for file in model_files(tool.name, tool.arguments["model"]) if tool.trained else []:
            header = header_of(model_bytes(file), str(file))
            told = str(header.get("sources") or f"the unknown pages of {file}")
            found |= dict.fromkeys(told.split("; "))
    except ModelError:
        return []
    return list(found)


# --------------------------------------------------------------------------------------------------
# Processes.

# pages at even distances that a process cleans before its time counts: models and tables are loaded by then
_WARM_UP = 8
# seconds between two looks at `stop`
_GLANCE = 0.2
_SPACE = re.compile(r"\s+")


class ToolError(EvaluationError):
    """A tool that cannot run at all; `missing`: its package is not installed."""

    def __init__(self, reason: str, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool made of one page.

    Attributes:
        text: in CleanEval's format.
        failure: why there is nothing; empty otherwise.
        seconds: CPU time of the process in each round; empty for a failure.
    """

    text: bytes = b""
    failure: str = ""
    seconds: tuple[float, ...] = ()

    @property
    def time(self) -> float | None:
        """Median CPU time in seconds; None for a failure."""
        return median(self.seconds) if self.seconds else None


def run(
    tool: Tool,
    pages: Sequence[GoldPage],
    *,
    rounds: int = 1,
    seconds: float = 60.0,
    progress: Callable[[], None] = lambda: None,
    stop: threading.Event | None = None,
) -> list[Outcome]:
    """Cleans all pages with a tool, in a process of its own, once in each round.

    Args:
        tool: the tool.
        pages: the pages.
        rounds: how often all pages are cleaned; the text is that of the first round.
        seconds: the wall-clock time that a page may take.
        progress: called after each page of each round.
        stop: ends the run early if it is set.

    Returns:
        An outcome for each page.

    Raises:
        ToolError: the tool cannot run at all.
    """
    outcomes = [Outcome() for _ in pages]
    count = min(_WARM_UP, len(pages))
    warm_up = [pages[i * len(pages) // count] for i in range(count)]
    # pages that ended a process are not tried again
    fatal: dict[str, str] = {}
    with Pool(1, _Made, seconds=seconds, fresh=True) as pool:
        for _ in range(rounds):
            for number, page in enumerate(pages):
                before = outcomes[number]
                if not before.failure:
                    found = _clean(pool, tool, page, warm_up, fatal, stop)
                    if before.seconds and not found.failure:
                        found = replace(before, seconds=before.seconds + found.seconds)
                    outcomes[number] = found
                progress()
    return outcomes


def _clean(
    pool: Pool,
    tool: Tool,
    page: GoldPage,
    warm_up: Sequence[GoldPage],
    fatal: dict[str, str],
    stop: threading.Event | None,
) -> Outcome:
    """Cleans a page in the only worker of a pool. Raises ToolError: the tool cannot run at all."""
    answer: Outcome | None = None
    while page.name not in fatal:
        job = _Job(tool, page, tuple(other for other in warm_up if other.name not in fatal))
        pool.submit(job)
        ended = False
        while not ended:
            for _, event in pool.poll(_GLANCE):
                if isinstance(event, ToolError):
                    raise event
                if isinstance(event, Outcome):
                    answer = event
                elif isinstance(event, Death):
                    ended = True
                    why = event.why.replace("the worker", "its process")
                    if event.item < 0:
                        raise ToolError(f"its process did not start: {why}")
                    # at this page, or at one of those before it
                    fatal[[page, *job.warm_up][event.item].name] = why
                elif isinstance(event, Done):
                    assert answer is not None
                    return answer
            if stop is not None and stop.is_set():
                raise KeyboardInterrupt
    return Outcome(failure=fatal[page.name])


class _Made:
    """In the process of a tool: what the tool has made, as soon as a page needs it."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._extract: Extractor | None = None

    def extractor(self, tool: Tool, warm_up: Sequence[GoldPage]) -> Extractor:
        """Returns what cleans a page; models and tables are loaded. Raises ToolError."""
        if self._extract is None:
            # tools log and print what they could not parse; the figures show it
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            logging.disable(logging.CRITICAL)
            warnings.simplefilter("ignore")
            self._extract = _made(tool)
            for number, page in enumerate(warm_up, 1):
                self.begin_page(number)
                _answer(self._extract, page)
        return self._extract

    def begin_page(self, number: int = 0) -> None:
        """Begins the time that a page may take: that of the job, or one of the warm-up."""
        self._activity.begin(Doing.ITEM, number)


def _made(tool: Tool) -> Extractor:
    try:
        return tool.extractor()
    except ImportError as error:
        raise ToolError(str(error), tool.is_peer) from None
    except NcleanerError as error:
        raise ToolError(str(error)) from None
    # whatever else another program raises
    except BaseException as error:
        raise ToolError(_said(error)) from None


@dataclass(frozen=True, slots=True)
class _Job:
    """A page for the process of a tool."""

    tool: Tool
    page: GoldPage
    warm_up: tuple[GoldPage, ...]

    def run(self, made: _Made) -> Iterator[object]:
        """Yields the answer, or why the tool cannot run."""
        try:
            extract = made.extractor(self.tool, self.warm_up)
        except ToolError as error:
            yield error
            return
        made.begin_page()
        yield _answer(extract, self.page)


def _answer(extract: Extractor, page: GoldPage) -> Outcome:
    try:
        given = page.page()
        start = time.process_time()
        text = extract(given, page.source.language)
        seconds = time.process_time() - start
    # A panic in Rust is no Exception, and must not end the comparison either.
    except BaseException as error:
        return Outcome(failure=_said(error))
    if not isinstance(text, bytes):
        lines = [_SPACE.sub(" ", line).strip() for line in (text or "").splitlines()]
        text = "".join(f"<p>{line}\n" for line in lines if line).encode("utf-8", "replace")
    return Outcome(text, seconds=(seconds,))


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
