"""What has been done in an output directory: an object a line in `manifest.jsonl` for each finished input.

A line is written when the output stands whole under its name, so what the manifest calls finished is
finished, whenever the run was ended; what was finished later than its last line is done again, to the same
bytes. A later line for the same input takes the place of an earlier one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from ncleaner.errors import OutputError
from ncleaner.inputs import Input
from ncleaner.report import Tally
from ncleaner.workers import Settings

try:
    import fcntl
except ImportError:  # not on this system: nobody keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

__all__ = ["NAME", "Manifest", "settings_record"]

NAME = "manifest.jsonl"


def settings_record(settings: Settings, fingerprint: str) -> dict[str, Any]:
    """All that an output depends on besides its input, as JSON has it.

    Args:
        settings: of the run.
        fingerprint: of the models.
    """
    record = json.loads(json.dumps(asdict(settings)))
    return {**record, "model_fingerprint": fingerprint, "version": version("ncleaner")}


class _Finished(NamedTuple):
    """What has to be the same for an output to stand."""

    size: int
    modified: int
    output: str
    output_size: int
    settings: str


class Manifest:
    """The manifest of an output directory, open for a run. A context manager.

    Args:
        folder: the directory; it is made.
        settings: see `settings_record`.
        again: nothing that was done before counts.

    Attributes:
        changed: what is not as it was when inputs were finished: settings by name, "input", "output".

    Raises:
        OutputError: the directory or the file cannot be made or read, or another run is writing there.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], again: bool = False) -> None:
        self._folder = folder
        self._settings = dict(settings)
        self._key = _key(settings)
        self._others: dict[str, dict[str, Any]] = {}
        self._finished: dict[str, _Finished] = {}
        self.changed: dict[str, int] = {}
        path = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b", buffering=0)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror}") from error
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise OutputError(
                f"another run is writing to {folder}: wait for it, or give another directory"
            ) from None
        self._read(again)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            os.fsync(self._file.fileno())
        self._file.close()

    def _read(self, again: bool) -> None:
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                # the run was ended while it wrote this one
                self._file.truncate(whole)
                break
            whole += len(line)
            if again:
                continue
            try:
                entry = json.loads(line)
                settings = entry["settings"]
                key = sys.intern(_key(settings))
                finished = _Finished(
                    int(entry["size"]),
                    int(entry["modified"]),
                    str(entry["output"]),
                    int(entry["output_size"]),
                    key,
                )
                name = str(entry["input"])
            except (ValueError, KeyError, TypeError):
                continue  # not ours, or of another version: the input is cleaned again
            self._others.setdefault(key, settings)
            if entry.get("unread"):
                self._finished.pop(name, None)
            else:
                self._finished[name] = finished

    def is_finished(self, source: Input, output: Path) -> bool:
        """Whether an earlier run has made this output of this very input with these settings; counts in
        `changed` what is otherwise."""
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
        try:
            size = output.stat().st_size
        except OSError:
            size = -1
        if (found.output, found.output_size) != (self._name(output), size):
            reasons.append("output")
        for reason in reasons:
            self.changed[reason] = self.changed.get(reason, 0) + 1
        return not reasons

    def _name(self, output: Path) -> str:
        return output.relative_to(self._folder).as_posix()

    def add(self, source: Input, output: Path, tally: Tally, seconds: float) -> None:
        """Records a finished input.

        Raises:
            OSError: no space is left.
        """
        entry = {
            "input": source.relative,
            "path": source.path,
            "size": source.size,
            "modified": source.modified,
            "output": self._name(output),
            "output_size": output.stat().st_size,
            "seconds": round(seconds, 3),
            **tally.record(),
            "settings": self._settings,
        }
        # in one piece; a line that is lost with the machine costs no more than its input's time
        self._file.write(json.dumps(entry).encode() + b"\n")


def _key(settings: Mapping[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)
