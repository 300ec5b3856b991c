"""Samples of the outputs of a run, for a report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ncleaner.errors import InputError
from ncleaner.reading.streams import inflated
from ncleaner.running.history import History
from ncleaner.storage.base import is_url
from ncleaner.storage.places import open_binary

__all__ = ["Sample", "samples"]

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
    lines = [line for line in history.lines if line.settings.get("format", "text") in _FORMATS]
    step = max(1, len(lines) // number) if number else 1
    found: list[Sample] = []
    for line in lines[::step][:number]:
        place = history.folder.rstrip("/") + "/" if is_url(history.folder) else f"{Path(history.folder)}/"
        try:
            with open_binary(place + line.output) as stream:
                data = inflated(stream, line.output, _MOST)
        except (OSError, InputError):
            continue
        rows = _rows_of_json(data) if line.settings.get("format") == "jsonl" else _pages(data)
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
