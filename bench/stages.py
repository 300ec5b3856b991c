"""The stages of a page, from the archive to its line of jsonl, each with its own CPU time.

The functions that `ncleaner.cleaner` and `ncleaner.dumping.html` call are replaced by ones that tell a clock
when they begin and end. The time of a stage is without that of the stages that it calls, so all of them add
up to the whole.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from unittest.mock import patch

from ncleaner import cleaner
from ncleaner.cleaner import Cleaner
from ncleaner.dumping import html
from ncleaner.methods import choice
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import read
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output

__all__ = ["ASIDE", "STAGES", "stages"]

#: The stages of `hybrid`, in the order of a page.
STAGES = (
    "reading", "decoding", "parsing", "walk", "embedded data", "tables",
    "document", "plain text", "language", "judging by hybrid", "rendering jsonl", "tally", "rest",
)  # fmt: skip
#: Measured on the same Documents, but no stage of `hybrid`.
ASIDE = "judging by ngram"
# The second look for the language, for `ngram`.
_AGAIN = "again"
# their names there are no part of their interface
_CLEANER: Any = cleaner
_CHOICE: Any = choice
# (module, name there, stage): the stage is the time of the function without those that it calls
_PLACES: tuple[tuple[Any, str, str], ...] = (
    (html, "decode", "decoding"),
    (html, "parsed_within_bounds", "parsing"),
    (html, "walk", "walk"),
    (html, "_add_embedded", "embedded data"),
    (html, "Document", "document"),
    # what is left of it: the builder, its tables, and the tree that is given back
    (_CLEANER, "dump_html", "tables"),
    (_CLEANER, "dump_text", "plain text"),
)

P = ParamSpec("P")
T = TypeVar("T")


class _Clock:
    """Adds CPU time up for the stage that runs, in nanoseconds."""

    def __init__(self) -> None:
        self.totals: defaultdict[str, int] = defaultdict(int)
        self.stage = "rest"
        self._since = time.process_time_ns()

    def change(self, stage: str) -> str:
        """Ends the current stage and begins another; returns the one that ends."""
        now = time.process_time_ns()
        self.totals[self.stage] += now - self._since
        ended, self.stage, self._since = self.stage, stage, now
        return ended

    def timed(self, stage: str, function: Callable[P, T]) -> Callable[P, T]:
        """Returns a function that does the same and is counted as a stage."""

        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            before = self.change(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self.change(before)

        return run


@contextmanager
def _watched(clock: _Clock) -> Iterator[None]:
    find_language = _CHOICE.find_language
    first = clock.timed("language", find_language)
    again = clock.timed(_AGAIN, find_language)

    def language(document: Any) -> Any:
        return (again if clock.stage == ASIDE else first)(document)

    with ExitStack() as stack:
        for module, name, stage in _PLACES:
            stack.enter_context(patch.object(module, name, clock.timed(stage, getattr(module, name))))
        stack.enter_context(patch.object(_CHOICE, "find_language", language))
        yield


def stages(archive: Path, most: int | None = None) -> dict[str, float]:
    """Cleans an archive, at most so many of its items; returns the CPU seconds of each stage.

    Raises:
        AttributeError: a function that is a stage has another name now; `_PLACES` names them.
    """
    hybrid, ngram, sink, tally = Cleaner("hybrid"), Cleaner("ngram"), Output(format="jsonl").sink(), Tally()
    # models and the identifier of languages are loaded for the first page
    for loaded in (hybrid, ngram):
        loaded.page(Page(b"<p>The ferry will sail until the end of May, the harbour board decided."))
    clock = _Clock()
    render = clock.timed("rendering jsonl", sink.render)
    count = clock.timed("tally", tally.add_page)
    dumped = clock.timed("rest", _dumped)
    judge = clock.timed("judging by hybrid", hybrid.keep)
    judge_aside = clock.timed(ASIDE, ngram.keep)
    following: Callable[[Iterator[Page | Skip | Damage]], Page | Skip | Damage | None] = clock.timed(
        "reading", lambda items: next(items, None)
    )
    with _watched(clock):
        items = islice(read(archive), most)
        while (item := following(items)) is not None:
            if isinstance(item, Page):
                document = dumped(item)
                kept = judge(document)
                judge_aside(document)
                render(item, document, kept, False)
                count(item, document, kept, 0.0)
        clock.change("rest")
    return {
        stage: clock.totals[stage] / 1e9
        for stage in (*STAGES, ASIDE)
        if clock.totals[stage] or stage == "rest"
    }


def _dumped(page: Page) -> Any:
    """Dumps a page as `Cleaner.page` does, by the names that are watched."""
    dump: Any = _CLEANER.dump_text if page.kind == "text" else _CLEANER.dump_html
    return dump(page.body, content_type=page.content_type)
