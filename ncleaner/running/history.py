"""Reads from a manifest what the runs into a directory have done, and samples of their outputs."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from ncleaner.document.kept import LEFT_OUT
from ncleaner.errors import InputError
from ncleaner.reading.streams import inflated
from ncleaner.running.manifest import NAME, Line, read_lines
from ncleaner.running.tally import Tally
from ncleaner.storage.local import is_url
from ncleaner.storage.places import folder_at, open_binary


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page or a place in a report: an input, a byte offset in it (-1: unknown), a URL, and a remark."""

    input: str
    offset: int
    url: str
    what: str


@dataclass(frozen=True, slots=True)
class ReportLine:
    """Inputs that a report has one line for.

    Attributes:
        first, last: names of the first and of the last of them.
        inputs: their number.
        unread: those of them that could not be read to their end.
        tally: the sum of their counts.
        seconds: the sum of the seconds between begin and end of each.
    """

    first: str
    last: str
    inputs: int
    unread: int
    tally: Tally
    seconds: float

    @classmethod
    def of(cls, lines: list[Line]) -> "ReportLine":
        """Returns the group of some lines of a manifest."""
        tally = Tally()
        for line in lines:
            tally += line.tally
        unread = sum(min(line.tally.unread, line.tally.inputs) for line in lines)
        seconds = float(sum(line.seconds for line in lines))
        first, last = (lines[0].files[0], lines[-1].files[-1]) if lines else ("", "")
        return cls(first, last, tally.inputs, unread, tally, seconds)


@dataclass
class History:
    """The finished inputs of an output directory.

    Attributes:
        folder: the directory.
        lines: the manifest's last lines for all inputs, in the order of the names.
        formats: numbers of outputs by format: an input may have outputs of several formats.
        foreign: number of lines that cannot be read: of other versions, or damaged.
    """

    folder: str
    lines: list[Line] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)
    foreign: int = 0

    @cached_property
    def whole(self) -> ReportLine:
        """All inputs as one group."""
        return ReportLine.of(self.lines)

    @property
    def total(self) -> Tally:
        """The sum of the counts of all inputs."""
        return self.whole.tally

    @property
    def outcomes(self) -> Counter[str]:
        """Numbers of pages by outcome: cleaned, empty, a notice, or left out or given up for a reason."""
        total = self.total
        given_up = {f"given up: {reason}": number for reason, number in total.lost.items()}
        why = {
            "empty: a notice": total.notices,
            **{f"left out: {reason.outcome}": total.left_out[name] for name, reason in LEFT_OUT.items()},
        }
        return Counter(
            {
                "cleaned": total.cleaned,
                "empty": total.empty - sum(why.values()),
                **{reason: number for reason, number in why.items() if number},
                **given_up,
            }
        )

    def over_time(self) -> list[tuple[datetime, int]]:
        """Returns (time, pages finished until then) for the start of the first input and each input's end."""
        done = 0
        points: list[tuple[datetime, int]] = []
        for line in sorted(self.lines, key=lambda line: line.finished):
            if not points:
                points.append((line.finished - timedelta(seconds=line.seconds), 0))
            done += line.tally.pages
            points.append((line.finished, done))
        return points

    def groups(self, size: int) -> Iterator[ReportLine]:
        """Yields like inputs together, up to `size` in a group: in folders whose names differ in digits only,
        and with the same suffix."""
        by_kind: dict[str, list[Line]] = {}
        for line in self.lines:
            by_kind.setdefault(_likeness(line.input), []).append(line)
        for lines in by_kind.values():
            for start in range(0, len(lines), size):
                yield ReportLine.of(lines[start : start + size])

    def slowest(self, number: int) -> list[PageRow]:
        """Returns the `number` slowest pages, the slowest first."""
        rows = [
            (seconds, PageRow(line.input, offset, url, f"{seconds:.3f} s"))
            for line in self.lines
            for seconds, offset, url in line.tally.slowest
        ]
        return [row for _, row in sorted(rows, key=lambda item: -item[0])[:number]]

    def quarantined(self) -> list[PageRow]:
        """Returns the pages that were given up because they killed, held up or broke a worker."""
        return [
            PageRow(_named(line, file), offset, url, why)
            for line in self.lines
            for offset, url, why, file in line.tally.quarantined
        ]

    def damage(self) -> list[PageRow]:
        """Returns the places where inputs are broken; the first hundred of each input."""
        return [
            PageRow(_named(line, file), offset, "", what)
            for line in self.lines
            for offset, what, file in line.tally.damages
        ]

    def to_dict(self) -> dict[str, Any]:
        """Returns all of this, for JSON."""
        total, record = self.total, self.total.record()
        return {
            "folder": self.folder,
            "settings": {line.key: line.settings for line in self.lines},
            "inputs": [line.record() for line in self.lines],
            "formats": dict(self.formats),
            "outcomes": dict(self.outcomes),
            "records_skipped": dict(total.skipped),
            **{name: dict(getattr(total, name)) for name in ("encodings", "languages", "models", "kinds")},
            **{name: record[name] for name in ("shares", "lengths", "qualities", "times")},
            "words_kept": total.words_kept,
            "words_removed": total.words_removed,
            "bytes": total.bytes,
            "seconds": round(self.whole.seconds, 3),
        }


def read_history(folder: str) -> History:
    """Reads the manifest of an output directory, on this machine or at a URL.

    Raises:
        InputError: the manifest does not exist or cannot be read.
    """
    try:
        found = list(read_lines(folder_at(folder).lines(NAME), {}))
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error
    if not found:
        raise InputError(f"{folder}: there is no {NAME}, which `ncleaner clean -o DIRECTORY` writes")
    lines: dict[int, Line] = {}
    # numbers of lines, by input, and by input and format
    latest: dict[str, int] = {}
    outputs: dict[tuple[str, str], int] = {}
    made = sorted((line for line in found if line is not None), key=lambda line: line.finished)
    history = History(folder, foreign=len(found) - len(made))
    for number, line in enumerate(made):
        lines[number] = line
        for name in line.files:
            place = name, line.settings["format"]
            # a run deletes what earlier ones have written of its inputs to other files
            lines.pop(outputs.get(place, -1), None)
            latest[name] = outputs[place] = number
    numbers = lines.keys() & set(latest.values())
    history.lines = sorted((lines[number] for number in numbers), key=lambda line: line.files[0])
    history.formats = Counter(line.settings["format"] for line in lines.values())
    return history


def _named(line: Line, file: str) -> str:
    """Returns the name of the input that a file is: that of the line, unless several have its output."""
    return file if line.members else line.input


def _likeness(name: str) -> str:
    """Returns what like inputs have in common: their folder without its digits, and their suffixes."""
    folder, _, file = name.rpartition("/")
    _, _, suffixes = file.partition(".")
    # a name may have points, too: a suffix is short
    suffix = "".join(f".{part}" for part in suffixes.split(".")[-2:] if part.isalpha() and len(part) < 8)
    return re.sub(r"\d+", "#", folder) + "/" + suffix


# bytes that are read of an output at most: some pages
_MOST = 200_000
# words of a page that is worth showing, and words that are shown of it
_FEW, _SHOWN = 25, 70
# formats whose outputs can be cut into pages
_FORMATS = ("jsonl", "text")


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of the clean text of one page.

    Attributes:
        input: the name of its input.
        url: the page's URL; empty if the output does not have it.
        language: of the page; empty if the output does not have it.
        text: the first words.
    """

    input: str
    url: str
    language: str
    text: str


def samples(history: History, number: int) -> list[Sample]:
    """Returns the beginnings of some pages: one of each of up to `number` outputs, at even distances. Outputs
    that are gone, damaged, or of a format without pages give none."""
    lines = [line for line in history.lines if line.settings["format"] in _FORMATS]
    step = max(1, len(lines) // number) if number else 1
    found: list[Sample] = []
    for line in lines[::step][:number]:
        place = history.folder.rstrip("/") + "/" if is_url(history.folder) else f"{Path(history.folder)}/"
        try:
            with open_binary(place + line.output) as stream:
                data = inflated(stream, line.output, _MOST)
        except (OSError, InputError):
            continue
        rows = _rows_of_json(data) if line.settings["format"] == "jsonl" else _pages(data)
        for url, language, text in rows:
            words = text.split()
            if len(words) >= _FEW:
                shown = " ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else "")
                found.append(Sample(line.input, url, language, shown))
                break
    return found


def _rows_of_json(data: bytes) -> Iterator[tuple[str, str, str]]:
    for row in data.split(b"\n"):
        try:
            record = json.loads(row)
            yield str(record["url"]), str(record["language"]), str(record["text"])
        except (ValueError, KeyError, TypeError):
            # the last row is cut; others are not this package's
            continue


def _pages(data: bytes) -> Iterator[tuple[str, str, str]]:
    for page in data.decode("utf-8", "replace").split("\n\n"):
        yield "", "", page
