"""The journal of a sort: in `sorting.jsonl` of the output directory, one line per finished part of the work.

A line is written when its files are complete, so whenever a sort is killed, the journal names only what is
whole. A sort has two parts: it scans all inputs, and then merges them, directory by directory. The line
between the two parts says which inputs are merged, and in which order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Final

from ncleaner.reading.inputs import STDIN, Input
from ncleaner.sorting.names import By
from ncleaner.sorting.tasks import Merged, Scanned
from ncleaner.storage.base import Log, is_url

__all__ = ["NAME", "InputLine", "Journal", "folder_of", "key_of"]

NAME: Final = "sorting.jsonl"
# Of the run files and the names of outputs. What another version has begun is sorted again.
_FORMAT: Final = 1


def key_of(source: Input) -> str:
    """Returns the name of an input in the journal: its URL, or its absolute path."""
    if source.path == STDIN or is_url(source.path):
        return source.path
    return os.path.abspath(source.path)  # noqa: PTH100 (links are not followed)


@dataclass(frozen=True, slots=True)
class InputLine:
    """An input that has been scanned.

    Attributes:
        size, modified: see `Input`.
        records, copied, runs, bytes, damaged: see `Scanned`.
    """

    size: int
    modified: int
    records: int
    copied: int
    runs: int
    bytes: int
    damaged: int

    def is_of(self, source: Input) -> bool:
        """Whether the input has not changed since."""
        return self.size >= 0 and (self.size, self.modified) == (source.size, source.modified)


class Journal:
    """The lines of a journal, and what they say.

    Attributes:
        exists: whether a sort has begun here before.
        by: how it groups records; empty if that sort is of another version.
        inputs: scanned inputs.
        order: the inputs that are merged; None before all are scanned.
        placed: the inputs whose records may be in the archives, also while they are sorted again.
        directories: what has been merged.
        ended: whether everything has been merged.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.exists = False
        self.by = ""
        self.placed: list[str] = []
        self._forget()
        for line in log.lines():
            try:
                self._read(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a damaged line: that part is done again

    def _forget(self) -> None:
        self.inputs: dict[str, InputLine] = {}
        self._forget_merged()

    def _forget_merged(self) -> None:
        self.order: list[str] | None = None
        self.directories: dict[str, Merged] = {}
        self.ended = False

    def _read(self, line: dict[str, Any]) -> None:
        event = line.pop("event")
        if event == "begin":
            self.exists = True
            self.by = str(line["by"]) if line["format"] == _FORMAT else ""
            self._forget()
        elif event == "input":
            key = str(line.pop("path"))
            self.inputs[key] = InputLine(**line)
        elif event == "inputs_changed":
            self._forget_merged()
        elif event == "merge":
            self.order = self.placed = [str(key) for key in line["inputs"]]
        elif event == "directory":
            name = str(line.pop("name"))
            self.directories[name] = Merged(**line)
        elif event == "end":
            self.ended = True

    def _add(self, event: str, **values: Any) -> None:
        line = {"event": event, **values}
        self._log.add(json.dumps(line).encode() + b"\n")
        self._read(line)

    def begin(self, by: By) -> None:
        """Begins a sort, and forgets all that has been before."""
        self._add("begin", format=_FORMAT, by=by)

    def add_input(self, source: Input, found: Scanned) -> None:
        """Adds an input that has been scanned."""
        line = InputLine(
            source.size,
            source.modified,
            found.records,
            found.copied,
            found.runs,
            found.bytes,
            found.damaged,
        )
        self._add("input", path=key_of(source), **asdict(line))

    def forget_merged(self) -> None:
        """Notes that the inputs have changed, so that all directories have to be merged again."""
        self._add("inputs_changed")

    def merge(self, order: Sequence[str]) -> None:
        """Notes that all inputs are scanned, and their order."""
        self._add("merge", inputs=list(order))

    def add_directory(self, name: str, merged: Merged) -> None:
        """Adds a directory that is complete."""
        self._add("directory", name=name, **asdict(merged))

    def end(self) -> None:
        """Notes that all directories are complete."""
        self._add("end")


def folder_of(key: str) -> str:
    """Returns the name of the folder for the runs of an input."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
