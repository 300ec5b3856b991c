"""Progress and summary of a run: a bar on a terminal, a line every ten seconds elsewhere, JSON for
programs."""

import json
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ncleaner.cli.printing import may_be_terminal, tell, tell_raw
from ncleaner.document.kept import LEFT_OUT
from ncleaner.errors import ModelError
from ncleaner.methods.choice import key_of, language_of_model
from ncleaner.methods.registry import FALLBACK_MODEL
from ncleaner.modelling.files import own_models, shipped_models
from ncleaner.reading.inputs import UNMARKED, Input, total_size
from ncleaner.running.tally import OTHERS, Note, Tally
from ncleaner.text.visible import counted, visible, visible_lines

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from ncleaner.sorting.regroup import Phase, SortTally


# seconds between plain lines, and between two updates of the bar
_EVERY = 10.0
_REFRESH = 0.2
# Events of one kind in one input that are reported; an archive may be damaged in thousands of places.
_TOLD = 20
_MANY = {"damage": "places of damage", "page_given_up": "pages that are given up"}


class Display:
    """A rich bar on a terminal, else a line on standard error every ten seconds."""

    def __init__(self, total: int | None, quiet: bool, as_json: bool = False) -> None:
        self._quiet = quiet
        self._as_json = as_json
        self._total = total
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._started = self._said = time.monotonic()
        self._told: Counter[tuple[str, str]] = Counter()

    def __enter__(self) -> Self:
        if not self._quiet and not self._as_json and may_be_terminal():
            # only here: it takes longer to load than a page to clean
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            console = Console(stderr=True)
            if not console.is_terminal:
                return self
            self._bar = Progress(
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TextColumn("{task.description}"),
                TimeRemainingColumn(),
                console=console,
                transient=True,
                auto_refresh=False,
            )  # fmt: skip; a thread that refreshes would keep workers from being forked
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self, text: str, done: int, **figures: float) -> None:
        if self._quiet:
            return
        now = time.monotonic()
        if self._bar is not None and self._task is not None:
            refresh = now - self._said >= _REFRESH
            self._bar.update(self._task, description=text, completed=done, total=self._total, refresh=refresh)
            if refresh:
                self._said = now
            return
        if now - self._said >= _EVERY:
            self._said = now
            if self._as_json:
                log("progress", bytes_read=done, bytes_in_all=self._total, **figures)
                return
            tell(f"ncleaner: {text}{self._left(done, now)}")

    def _left(self, done: int, now: float) -> str:
        if not self._total or not done:
            return ""
        seconds = (now - self._started) * (self._total - done) / done
        return f", {100 * done / self._total:.0f} % done, {_duration(seconds)} left"

    def _tell(self, note: Note) -> None:
        if self._as_json:
            log(**note._asdict())
            return
        kind = note.event, note.source
        self._told[kind] += 1
        if note.event not in _MANY or self._told[kind] <= _TOLD:
            self.say(f"ncleaner: {note}")
        elif self._told[kind] == _TOLD + 1:
            what = f"further {_MANY[note.event]} are only counted; --log-json lists them"
            self.say(f"ncleaner: {note._replace(event='', what=what, offset=-1, url='')}")

    def say(self, message: str) -> None:
        """Shows a message, above the bar."""
        if self._bar is not None:
            from rich.text import Text

            # a plain text: nothing in it is markup, a number to be coloured, or the name of an emoji
            self._bar.console.print(Text(visible_lines(message)), highlight=False, soft_wrap=True)
        else:
            tell(message)


def log(event: str, **what: Any) -> None:
    """Writes an event to standard error: one JSON object per line."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    tell_raw(json.dumps({"time": now, "event": event, **what}))


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


class ProgressDisplay(Display):
    """Progress of a cleaning run, by bytes of input. Notes of lost pages and damage are always shown.

    Args:
        inputs: of the run.
        quiet: nothing but these notes.
        as_json: for programs: each line is an object with `time` (UTC), `event` and what belongs to it.
    """

    def __init__(self, inputs: Collection[Input], quiet: bool, as_json: bool) -> None:
        super().__init__(total_size(inputs), quiet, as_json)
        self._is_piped = all(each.is_pipe for each in inputs)
        self._reached: dict[Input, int] = {}
        self._done = 0
        self._pages = 0
        self._bytes = 0

    def advance(self, tally: Tally, source: Input, offset: int | None) -> None:
        """Shows what the engine reports; see `running.jobs.Progress`."""
        for note in tally.notes:
            self._tell(note)
        self._pages += tally.pages
        self._bytes += tally.bytes
        before = self._reached.get(source, 0)
        if offset is not None and offset > before:
            self._done += offset - before
            self._reached[source] = offset
        if tally.inputs:
            self._reached.pop(source, None)
            if self._as_json and not self._quiet:
                for each in source.files:
                    log("input_finished", source=each.path)
        seconds = max(time.monotonic() - self._started, 1e-3)
        pages, megabytes = self._pages / seconds, self._bytes / seconds / 1e6
        self._show(
            f"{counted(self._pages, 'page')}, {pages:,.0f} pages/s, {megabytes:.1f} MB/s", self._done,
            pages=self._pages, pages_per_second=round(pages, 1), megabytes_per_second=round(megabytes, 2),
        )  # fmt: skip

    def finish(self, tally: Tally, advises: bool = False) -> None:
        """Shows the summary of the run; see `run_summary`."""
        if self._quiet:
            return
        if self._as_json:
            log("finished", inputs=tally.inputs, resumed=tally.resumed, **tally.record())
        else:
            in_short = tally.pages == 1 and self._is_piped and not sys.stdout.isatty()
            self.say(run_summary(tally, in_short, advises and not self._is_piped))


class SortDisplay(Display):
    """Progress of a sort, by bytes of its present phase; see `ProgressDisplay`."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        super().__init__(None, quiet, as_json)
        self._phase = ""
        self._before = 0

    def advance(self, phase: "Phase", notes: Iterable[Note]) -> None:
        """Shows what the sort reports; see `sorting.regroup.Progress`."""
        for note in notes:
            self._tell(note)
        if phase.name != self._phase:
            self._phase = phase.name
            self._started = time.monotonic()
            self._before = phase.done
        self._total = phase.total
        seconds = max(time.monotonic() - self._started, 1e-3)
        megabytes = (phase.done - self._before) / seconds / 1e6
        self._show(
            f"{phase.name}, {phase.done / 1e6:,.0f} MB, {megabytes:.1f} MB/s",
            phase.done,
            megabytes_per_second=round(megabytes, 2),
        )

    def finish(self, tally: "SortTally") -> None:
        """Shows the summary of the sort."""
        if self._quiet:
            return
        if self._as_json:
            log("finished", **asdict(tally))
        else:
            self.say(sort_summary(tally))


def sort_summary(tally: "SortTally") -> str:
    """Returns the summary of a sort as text."""
    read = tally.inputs - tally.unread
    lines = [
        f"{counted(tally.records, 'record')} of {counted(read, 'input')}: {tally.copied:,} copied as they "
        f"are stored, {tally.records - tally.copied:,} compressed again"
    ]
    if tally.merged:
        lines.append(
            f"{counted(tally.sites, 'site')} in {counted(tally.files, 'archive')}, "
            f"{tally.bytes / 1e6:,.1f} MB"
        )
    if tally.resumed:
        lines.append(f"{counted(tally.resumed, 'input was', 'inputs were')} read by an earlier run")
    if tally.damaged:
        lines.append(f"{counted(tally.damaged, 'place')} of damage in the inputs; everything else is sorted")
    if tally.unread:
        unread = counted(tally.unread, "input")
        lines.append(f"{unread} could not be read to the end, so nothing is sorted yet: run it again")
    return "\n".join(lines)


# most reasons that a summary names; the rest is summed up
_REASONS = 100
# longest reason, in characters: some are what an archive says
_LONGEST = 120


def _by_reason(counter: Counter[str], most: int = _REASONS) -> str:
    if not counter:
        return ""
    ranked = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    if len(ranked) > most:
        ranked = [*ranked[:most], (OTHERS, sum(number for _, number in ranked[most:]))]
    return " (" + ", ".join(f"{visible(reason, _LONGEST)}: {number:,}" for reason, number in ranked) + ")"


# most languages that a summary names
_FREQUENT = 10
# from this number of pages on, a model of the language can be learned
_WORTH_A_MODEL = 20


def _without_model(tally: Tally) -> Iterator[str]:
    """Yields a line about each language that has no model, and pages enough to learn one."""
    known = {"", "unknown", *tally.models}
    for name in [*own_models(), *shipped_models("ngram")]:
        # one of the user's own may be damaged, and is not used here
        with suppress(ModelError):
            known.add(language_of_model(name))
    for language, number in tally.languages.most_common():
        if number >= _WORTH_A_MODEL and tally.models[FALLBACK_MODEL] and not key_of(language, known):
            pages = f"{counted(number, 'page')} in {visible(language)}"
            yield f"{pages} were cleaned without a model: `--learn` makes one in some seconds"


def run_summary(tally: Tally, in_short: bool = False, advises: bool = False) -> str:
    """Returns the summary of a run as text.

    Args:
        tally: of the run.
        in_short: without numbers of what is in the pages.
        advises: to learn models of languages that have none.
    """
    without = _without_model(tally) if advises else []
    return "\n".join([*_of_pages(tally, in_short), *without, *_of_left_out(tally), *_of_inputs(tally)])


def _of_pages(tally: Tally, in_short: bool) -> Iterator[str]:
    """Yields how much was cleaned, by which languages, models and methods, and what to do better."""
    number = tally.left_out.total()
    left_out = f"{number:,} left out, " if number else ""
    yield (
        f"{counted(tally.pages, 'page')} read: {tally.cleaned:,} cleaned, "
        f"{tally.empty - number:,} empty, {left_out}"
        f"{tally.lost.total():,} given up{_by_reason(tally.lost)}"
    )
    if not in_short:
        yield (
            f"{counted(tally.segments_kept, 'segment')} kept, {tally.segments_removed:,} removed; "
            f"{counted(tally.words_kept, 'word')} kept, {tally.words_removed:,} removed"
        )
    if number := tally.resumed:
        yield f"{counted(number, 'input was', 'inputs were')} finished by an earlier run"
    if tally.languages and not in_short:
        yield f"languages{_by_reason(tally.languages, _FREQUENT)}"
    if tally.models and not in_short:
        yield f"models{_by_reason(tally.models, _FREQUENT)}"
    for method, number in sorted(tally.fallbacks.items()):
        yield (
            f"{counted(number, 'page is', 'pages are')} plain text, which has no structure: cleaned by the "
            f"method {method}"
        )
    if number := tally.unfamiliar:
        yield (
            f"{counted(number, 'page is', 'pages are')} in letters that the model hardly knows, so its "
            "n-grams say little: `ncleaner models` lists all models, and `ncleaner train` makes one"
        )
    if number := tally.notices:
        is_only = f"{counted(number, 'empty page is', 'empty pages are')} only a notice"
        yield f"{is_only}, such as an error message or a cookie wall: --notices keeps such pages"


def _of_left_out(tally: Tally) -> Iterator[str]:
    """Yields which pages and paragraphs the user's options left out."""
    for name, reason in LEFT_OUT.items():
        if number := tally.left_out[name]:
            yield f"{counted(number, 'page is', 'pages are')} left out for {reason.sentence}"
    if number := tally.duplicates - tally.left_out["duplicate"]:
        repeats = counted(number, "page repeats", "pages repeat")
        yield f"{repeats} another page of the survey: duplicate_of names it in jsonl and parquet"
    if number := tally.seen:
        left_out = counted(number, "paragraph is", "paragraphs are")
        yield f"{left_out} left out, since an earlier page has the same (--drop-seen)"


def _of_inputs(tally: Tally) -> Iterator[str]:
    """Yields what is wrong with the inputs, and with records and pages in them."""
    skipped = tally.skipped.copy()
    if number := skipped.pop(UNMARKED, 0):
        yield f"{counted(number, 'text has', 'texts have')} no line that --marker matches: read as a whole"
    if skipped:
        yield f"{counted(skipped.total(), 'record')} skipped{_by_reason(skipped)}"
    if number := tally.flattened:
        yield f"{counted(number, 'page has', 'pages have')} elements nested too deeply: they were flattened"
    if number := tally.unread:
        yield f"{counted(number, 'input')} could not be read, or not to the end: run the same command again"
    if number := tally.whole:
        yield f"{counted(number, 'input has', 'inputs have')} nothing to clean: no text or no column of pages"
    if number := tally.damaged - tally.unread - tally.whole:
        yield f"{counted(number, 'place')} of damage; the rest is cleaned. Download truncated archives again"
