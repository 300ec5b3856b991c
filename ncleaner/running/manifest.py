"""What has been done in an output directory: an object a line in `manifest.jsonl` for each finished input.

A line is written when the output stands whole under its name, so what the manifest calls finished is
finished, whenever the run was ended; what was finished later than its last line is done again, to the same
bytes. A later line for the same input takes the place of an earlier one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, NamedTuple

from ncleaner.reading.inputs import Input
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.storage.base import Folder, Log

__all__ = ["NAME", "Line", "Manifest", "open_manifest", "settings_record"]

NAME = "manifest.jsonl"


def settings_record(settings: Settings, fingerprint: str) -> dict[str, Any]:
    """All that an output depends on besides its input, as JSON has it.

    Args:
        settings: of the run.
        fingerprint: of the models.
    """
    record = json.loads(json.dumps(asdict(settings)))
    return {**record, "model_fingerprint": fingerprint, "version": version("ncleaner")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of the manifest: one finished input. The one place that writes and reads them.

    Attributes:
        input: its path below the directory that was given, with slashes; see `Input.relative`.
        path: where it is.
        size, modified: its size in bytes and the time of its last change; see `Input`.
        output: the output's name in the directory.
        output_size: its size in bytes.
        finished: when, UTC.
        seconds: how long the input was at work.
        tally: what was counted.
        settings: see `settings_record`.
    """

    input: str
    path: str
    size: int
    modified: int
    output: str
    output_size: int
    finished: datetime
    seconds: float
    tally: Tally
    settings: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """The line as JSON has it."""
        return {
            "input": self.input,
            "path": self.path,
            "size": self.size,
            "modified": self.modified,
            "output": self.output,
            "output_size": self.output_size,
            "finished": self.finished.isoformat(timespec="milliseconds"),
            "seconds": round(self.seconds, 3),
            **self.tally.record(),
            "settings": self.settings,
        }

    @classmethod
    def of_json(cls, text: bytes) -> Line | None:
        """The line of a manifest; None for anything that this version does not write."""
        try:
            record = json.loads(text)
            settings = record["settings"]
            _ = settings["version"] + settings["method"] + settings["model"]
            return cls(
                input=str(record["input"]),
                path=str(record["path"]),
                size=int(record["size"]),
                modified=int(record["modified"]),
                output=str(record["output"]),
                output_size=int(record["output_size"]),
                finished=datetime.fromisoformat(record["finished"]),
                seconds=float(record["seconds"]),
                tally=Tally.of_record(record),
                settings=dict(settings),
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


class _Finished(NamedTuple):
    """What has to be the same for an output to stand: all that is held of a line while a run goes on."""

    size: int
    modified: int
    output: str
    output_size: int
    settings: str


class Manifest:
    """The manifest of an output directory, open for a run; see `open_manifest`.

    Attributes:
        changed: what is not as it was when inputs were finished: settings by name, "input", "output".
    """

    def __init__(self, folder: Folder, log: Log, settings: Mapping[str, Any], again: bool) -> None:
        self._folder = folder
        self._log = log
        self._settings = dict(settings)
        self._key = _key(settings)
        self._others: dict[str, dict[str, Any]] = {}
        self._finished: dict[str, _Finished] = {}
        self.changed: dict[str, int] = {}
        for line in log.lines():
            if not again:
                self._read(line)

    def _read(self, text: bytes) -> None:
        line = Line.of_json(text)
        if line is None:
            return  # of another version, or damaged: the input is cleaned again
        key = sys.intern(_key(line.settings))
        self._others.setdefault(key, line.settings)
        if line.tally.unread:
            self._finished.pop(line.input, None)
        else:
            self._finished[line.input] = _Finished(
                line.size, line.modified, line.output, line.output_size, key
            )

    def is_finished(self, source: Input, output: str) -> bool:
        """Whether an earlier run has made this output of this very input with these settings; counts in
        `changed` what is otherwise. `output` is a name in the directory."""
        found = self._finished.get(source.relative)
        if found is None or source.size < 0:
            return False
        reasons = []
        if found.settings != self._key:
            before = self._others[found.settings]
            reasons += sorted(
                name for name in {*before, *self._settings} if before.get(name) != self._settings.get(name)
            )
        if (found.size, found.modified) != (source.size, source.modified):
            reasons.append("input")
        if (found.output, found.output_size) != (output, self._folder.size(output)):
            reasons.append("output")
        for reason in reasons:
            self.changed[reason] = self.changed.get(reason, 0) + 1
        return not reasons

    def add(self, source: Input, output: str, tally: Tally, seconds: float) -> None:
        """Records a finished input.

        Raises:
            OSError: no space is left.
        """
        line = Line(
            input=source.relative,
            path=source.path,
            size=source.size,
            modified=source.modified,
            output=output,
            output_size=self._folder.size(output),
            finished=datetime.now(UTC),
            seconds=seconds,
            tally=tally,
            settings=self._settings,
        )
        self._log.add(json.dumps(line.record()).encode() + b"\n")


@contextmanager
def open_manifest(folder: Folder, settings: Mapping[str, Any], again: bool = False) -> Iterator[Manifest]:
    """Opens the manifest of an output directory, for one run at a time.

    Args:
        folder: the directory; it is made.
        settings: see `settings_record`.
        again: nothing that was done before counts.

    Raises:
        OutputError: the directory or the file cannot be made or read, or another run is writing there.
    """
    with folder.log(NAME) as log:
        yield Manifest(folder, log, settings, again)


def _key(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)
