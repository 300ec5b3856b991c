"""The manifest of an output directory: in `_run/manifest.log`, a line of JSON for each finished output.

A line is written when the output is complete under its name, so an input in the manifest is finished,
whenever the run was killed. An output that was finished after the last line is made again, with the same
bytes. The line that was finished last replaces others for the same input and output. An input may have
several outputs, of several formats, from as many runs.

Several processes can share a list of inputs: each has a shard of it, and a manifest of its own beside the
others, `_run/manifest.3-of-8.log`. On an object store, each run has one. All of them are read together.

Settings have a line of their own, before the first line of a run that is of an output. Other lines name them
by a hash. If such a line is damaged, those that name it cannot be read, and their inputs are cleaned again.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import PurePath
from typing import Any, NamedTuple

from ncleaner.errors import OutputError
from ncleaner.fastclass import fastclass
from ncleaner.options import WHOLE, Declared, Option, Shard, options_of, record_of
from ncleaner.reading.inputs import Input
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output
from ncleaner.storage.local import RUN, Folder, Log
from ncleaner.text.visible import counted, joined
from ncleaner.versions import OUTPUTS

# no format has this suffix, by which readers choose what is data
NAME = f"{RUN}/manifest.log"

# settings of a line on which its output does not depend
_INFORMATION = {"version"}
# settings of every line that are names
_NAMES = ("version", "method", "model", "format")
# outputs that differ in them stand side by side
_FORM = ("format", "compression")
# options that name a file: `model_fingerprint` changes with what is in it
FILES = {"sites", "table", "learn"}
# where no page was given up, an output depends on none of them
_BOUNDS = {"limits.seconds", "limits.memory"}


def _options(declared: Any, group: str = "") -> Iterator[tuple[str, Option]]:
    """Yields the options of a class, and those of classes within it, by their places in a record."""
    for each in options_of(declared):
        if isinstance(each.default, Declared):
            yield from _options(type(each.default), f"{each.name}.")
        else:
            yield group + each.name, each


@cache
def _user_options() -> dict[str, Option]:
    kinds: tuple[Any, ...] = (Recipe, Reading, Output)
    return dict(found for kind in kinds for found in _options(kind))


def _value_of(record: Mapping[str, Any], place: str, each: Option) -> Any:
    """Returns the value of an option in a record; its default if an earlier version did not have it."""
    group, _, name = place.rpartition(".")
    inner = record.get(group) if group else record
    return inner.get(name, _plain(each.default)) if isinstance(inner, dict) else _plain(each.default)


def _plain(value: Any) -> Any:
    """Returns a value as a line of the manifest has it."""
    return json.loads(json.dumps(value, default=str))


def settings_record(settings: Settings, fingerprint: str) -> dict[str, Any]:
    """Returns everything except the input that an output depends on, for JSON.

    Args:
        settings: of the run.
        fingerprint: of the models.
    """
    # only here: outputs that are not a directory have no manifest
    from importlib.metadata import version

    record = {
        **record_of(settings.recipe),
        **record_of(settings.reading),
        **record_of(settings.output),
        "many_pages": settings.many_pages,
        "model_fingerprint": fingerprint,
        "outputs": OUTPUTS,
        "version": version("ncleaner"),
    }
    # these follow from the options of the output
    del record["facts"], record["marks"]
    found: dict[str, Any] = _plain(record)
    return found


@fastclass(kw_only=True)
class Line:
    """A line of the manifest: one output of one finished input. Only this class writes and reads such lines.

    Attributes:
        input: the input's path below the directory that was given, with slashes; see `Input.relative`.
        path: the input's path or URL.
        size, modified: the input's size in bytes and the time of its last change; see `Input`.
        members: the same of all inputs that have this output together; empty for one input.
        outputs: the name in the directory, and the size in bytes, of the output and of its further files.
        finished: time of the end, in UTC.
        seconds: seconds between begin and end.
        tally: counts of the input.
        key: see `key_of`.
        settings: see `settings_record`.
    """

    input: str
    path: str
    size: int | None
    modified: int
    members: list[str]
    outputs: dict[str, int | None]
    finished: datetime
    seconds: float
    tally: Tally
    key: str
    settings: dict[str, Any]

    def record(self) -> dict[str, Any]:
        """Returns the line for JSON."""
        return {
            **{name: getattr(self, name) for name in "input path size modified members outputs".split()},
            "finished": self.finished.isoformat(timespec="milliseconds"),
            "seconds": round(self.seconds, 3),
            **self.tally.record(),
            "settings": self.key,
        }

    @property
    def files(self) -> list[str]:
        """The names of all inputs of the output."""
        return self.members or [self.input]

    @property
    def output(self) -> str:
        """The output's name in the directory."""
        return next(iter(self.outputs))

    @classmethod
    def of_record(cls, record: Any, known: Mapping[str, dict[str, Any]]) -> "Line":
        """Returns the line of a result of `record`; `known` are the settings by their keys.

        Raises:
            ValueError, KeyError, TypeError, AttributeError, OverflowError: `record` is not such a result.
        """
        members = [str(each) for each in record["members"]]
        tally = Tally.of_record(record)
        tally.inputs = len(members) or 1
        return cls(
            input=str(record["input"]), path=str(record["path"]), size=_size(record["size"]),
            modified=int(record["modified"]), members=members, outputs=_outputs(record["outputs"]),
            finished=_time(record["finished"]), seconds=_seconds(record["seconds"]), tally=tally,
            key=record["settings"], settings=known[record["settings"]],
        )  # fmt: skip


def key_of(settings: Mapping[str, Any]) -> str:
    """Returns the hash by which lines name their settings."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def line_of(
    folder: Folder, source: Input, outputs: Iterable[str], tally: Tally, seconds: float, key: str
) -> bytes:
    """Returns the line of a finished input, with its line feed.

    Args:
        folder: of the outputs.
        source, tally, seconds, key: see `Line`.
        outputs: the names of its output and of further files of it.
    """
    line = Line(
        input=source.relative, path=source.path, size=source.size, modified=source.modified,
        members=[each.relative for each in source.members],
        outputs={name: folder.size(name) for name in outputs}, finished=datetime.now(UTC), seconds=seconds,
        tally=tally, key=key, settings={},
    )  # fmt: skip
    return json.dumps(line.record()).encode() + b"\n"


def read_lines(texts: Iterable[bytes], known: dict[str, dict[str, Any]]) -> Iterator[Line | None]:
    """Yields the lines of a manifest that are of outputs; None for one that this version does not write, or
    that is damaged. The settings among them go into `known`, by their keys."""
    for text in texts:
        try:
            record = json.loads(text)
            if "key" not in record:
                yield Line.of_record(record, known)
                continue
            settings = dict(record["settings"])
            _ = settings["outputs"] + len("".join(settings[name] for name in _NAMES))
            if record["key"] != key_of(settings):
                raise ValueError(text)
            known[record["key"]] = settings
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            yield None


def _outputs(record: Any) -> dict[str, int | None]:
    """Returns names and sizes. Raises ValueError: there is none, or one is not in the directory; a later run
    may delete them."""
    if not record or any(PurePath(name).is_absolute() or ".." in PurePath(name).parts for name in record):
        raise ValueError(record)
    return {str(name): _size(size) for name, size in record.items()}


def _size(value: Any) -> int | None:
    return None if value is None else int(value)


def _time(text: str) -> datetime:
    """Returns a time. Raises ValueError: it is no time, or without the zone that this class writes."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None or found.year < 1970:
        raise ValueError(text)
    return found


def _seconds(value: Any) -> float:
    """Returns a duration. Raises ValueError: it is none."""
    if not 0 <= value < 1e9:
        raise ValueError(value)
    return float(value)


class _Finished(NamedTuple):
    """The values of a line that must be unchanged for its output to be valid, and what was wrong with its
    input; only these stay in memory."""

    size: int | None
    modified: int
    files: list[str]
    outputs: dict[str, int | None]
    finished: datetime
    settings: dict[str, Any]
    damaged: int
    lost: int
    unread: int


class Manifest:
    """The manifest of an output directory, open for a run; see `open_manifest`.

    Attributes:
        changed: numbers of finished inputs that are cleaned again, by reason: the name of a setting that
            follows from no option, "input", "member" (an input that shares the output) or "output".
        others: what differs, in words, where outputs were made with other options.
        key: of the settings of the run; see `key_of`.
    """

    def __init__(self, folder: Folder, log: Log, settings: Mapping[str, Any], again: bool) -> None:
        self._folder = folder
        self._log = log
        self._settings = dict(settings)
        self._again = again
        self.key = key_of(settings)
        self._has_written = False
        self._finished: dict[tuple[str, str], _Finished] = {}
        self.changed: dict[str, int] = {}
        self.others: set[str] = set()
        for line in read_lines(folder.lines(NAME, log), {}):
            # one of another version, or damaged: its input is cleaned again
            if line is None:
                continue
            place, tally = (line.input, line.output), line.tally
            if place not in self._finished or self._finished[place].finished <= line.finished:
                self._finished[place] = _Finished(
                    line.size, line.modified, line.files, line.outputs, line.finished, line.settings,
                    tally.damaged, tally.lost.total(), tally.unread,
                )  # fmt: skip
        self._size = folder.sizes() if self._finished else folder.size

    def is_finished(self, source: Input, output: str) -> bool:
        """Whether an earlier run has made this output from the same input with the same settings.

        If the output is in the manifest and anything has changed, counts it in `changed`, or adds to
        `others`.

        Args:
            source: the input.
            output: name of its output in the directory.
        """
        found = self._finished.get((source.relative, output))
        if found is None or found.unread or source.size is None or self._again:
            return False
        reasons = []
        sizes = {name: self._size(name) for name in found.outputs}
        # an output that is gone can be made with any options
        if sizes[output] is not None:
            reasons += self._compare(found)
        if (found.size, found.modified) != (source.size, source.modified):
            reasons.append("member" if source.members else "input")
        if found.outputs != sizes:
            reasons.append("output")
        for reason in reasons:
            self.changed[reason] = self.changed.get(reason, 0) + len(source.files)
        return not reasons and not self.others

    def _compare(self, found: _Finished) -> list[str]:
        """Returns the settings that follow from no option, and differ; adds options that do to `others`."""
        before, options = found.settings, _user_options()
        if before == self._settings:
            return []
        for place, each in options.items():
            was, now = _value_of(before, place, each), _value_of(self._settings, place, each)
            is_same = was == now or (place in FILES and was and now)
            if not (is_same or (place in _BOUNDS and not found.lost)):
                self.others.add(f"{each.shown} was {each.said(was)} and is {each.said(now)}")
        known = {place.partition(".")[0] for place in options}
        names = {*before, *self._settings} - _INFORMATION - known
        return sorted(name for name in names if before.get(name) != self._settings.get(name))

    def remove_outdated(self, names: Mapping[Input, str], left: Collection[Input]) -> None:
        """Deletes the files of earlier runs whose rows this run writes to others: small inputs are packed
        otherwise when some are added, and an output may have had more rows.

        Args:
            names: of all outputs, by their inputs.
            left: the inputs that this run cleans.

        Raises:
            OutputError: such a file also has pages of inputs that are not given, or is of other options.
        """
        given = {each.relative for source in names for each in source.files}
        made = {(source.relative, names[source]) for source in left}
        stay = {(source.relative, name) for source, name in names.items()} - made
        outputs = {*names.values()}
        outdated: list[str] = []
        shared: dict[str, str] = {}
        for place, found in self._finished.items():
            is_other = any(found.settings.get(name) != self._settings.get(name) for name in _FORM)
            if is_other or place in stay or given.isdisjoint(found.files):
                continue
            existing = [name for name in found.outputs if self._size(name) is not None]
            outdated += [name for name in existing if name not in outputs]
            if existing and not self._again:
                if place not in made:
                    self._compare(found)
                if missing := [name for name in found.files if name not in given]:
                    shared[existing[0]] = missing[0]
        self.check_options()
        if shared:
            name = next(iter(shared.values()))
            raise OutputError(
                f"outputs in {self._folder} ({joined(sorted(shared), 5)}) also have pages of inputs that are "
                f"not given, such as {name}: give all inputs, or another directory. To leave them out, "
                "delete the outputs, or give --again to clean all inputs again"
            )
        for name in outdated:
            self._folder.remove(name)

    def flaws(self, source: Input, output: str) -> str:
        """Returns what was wrong with an input that `is_finished`, in words; empty if nothing was."""
        found = self._finished[source.relative, output]
        damage = f"{counted(found.damaged, 'place')} of damage" if found.damaged else ""
        lost = f"{counted(found.lost, 'page')} given up" if found.lost else ""
        return " and ".join(filter(None, [damage, lost]))

    def check_options(self) -> None:
        """Raises OutputError: outputs that `is_finished` has looked at were made with other options."""
        if self.others:
            raise OutputError(
                f"the outputs in {self._folder} were made with other options: "
                f"{'; '.join(sorted(self.others))}. Give the same options or another directory, or --again "
                "to clean all inputs again"
            )

    def add(
        self, source: Input, output: str, tally: Tally, seconds: float, parts: Iterable[str] = ()
    ) -> None:
        """Adds the line of a finished input; `parts` are further files of its output.

        Raises:
            OSError: no space is left.
        """
        self.write(line_of(self._folder, source, (output, *parts), tally, seconds, self.key))

    def write(self, lines: bytes) -> None:
        """Adds lines that `line_of` has returned. Raises OSError: no space is left."""
        if not self._has_written:
            self._has_written = True
            self._log.add(json.dumps({"key": self.key, "settings": self._settings}).encode() + b"\n")
        self._log.add(lines)


@contextmanager
def open_manifest(
    folder: Folder, settings: Mapping[str, Any], again: bool = False, shard: Shard = WHOLE
) -> Iterator[Manifest]:
    """Opens the manifest of an output directory, for one run at a time, or one of each shard.

    Args:
        folder: the directory; it is made if it does not exist.
        settings: see `settings_record`.
        again: whether to ignore the inputs that earlier runs have finished.
        shard: of the inputs; it has a file of its own.

    Raises:
        OutputError: the directory or the file cannot be made or read, or another run is writing to it.
    """
    stem, _, suffix = NAME.rpartition(".")
    name = NAME if shard.of == 1 else f"{stem}.{shard.number}-of-{shard.of}.{suffix}"
    with folder.log(name) as log:
        yield Manifest(folder, log, settings, again)
