"""Sorts: scans all inputs to runs, and merges the runs to one archive per site.

Every step writes to a new folder below `.sorting` in the output directory, which gets its place when it is
complete, and then a line in the journal, `sorting.jsonl` of the output directory. So a sort can be killed
anywhere: the journal names only what is whole, and the next sort removes the folders without a line and goes
on. What workers of the killed one may still write is in folders of other names.

A sort has two parts: it scans all inputs, and then merges them, directory by directory. The line of the
journal between the two parts says which inputs are merged, and in which order.
"""

import json
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from ncleaner.errors import InputError, OutputError
from ncleaner.pools.pool import results
from ncleaner.reading.inputs import STDIN, Input, total_size
from ncleaner.running.outputs import output_errors
from ncleaner.running.tally import Note, note_of
from ncleaner.sorting.runs import DIRECTORIES, NO_HOST, By, Merged, MergeTask, Scanned, ScanTask
from ncleaner.storage.local import LocalFolder, Log, flush_directories, is_url
from ncleaner.text.visible import counted

_NAME: Final = "sorting.jsonl"
# Of the run files and the names of outputs. What another version has begun is sorted again.
_FORMAT: Final = 1


def _key_of(source: Input) -> str:
    """Returns the name of an input in the journal: its URL, or its absolute path."""
    if source.path == STDIN or is_url(source.path):
        return source.path
    return os.path.abspath(source.path)  # noqa: PTH100 (links are not followed)


_COUNTS: Final = ("records", "copied", "runs", "bytes", "damaged")


@dataclass(frozen=True, slots=True)
class _InputLine:
    """An input that has been scanned: `size` and `modified` as in `Input`, `_COUNTS` as in `Scanned`."""

    size: int | None
    modified: int
    records: int
    copied: int
    runs: int
    bytes: int
    damaged: int

    def is_of(self, source: Input) -> bool:
        """Whether the input has not changed since."""
        return self.size is not None and (self.size, self.modified) == (source.size, source.modified)


class _Journal:
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

    def __init__(self, log: Log, lines: Iterable[bytes]) -> None:
        self._log = log
        self.exists = False
        self.by = ""
        self.placed: list[str] = []
        self._forget()
        for line in lines:
            try:
                self._read(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # a damaged line: that part is done again

    def _forget(self) -> None:
        self.inputs: dict[str, _InputLine] = {}
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
            self.inputs[key] = _InputLine(**line)
        elif event == "inputs_changed":
            self._forget_merged()
        elif event == "merge":
            self.order = self.placed = [str(key) for key in line["inputs"]]
        elif event == "directory":
            name = str(line.pop("name"))
            self.directories[name] = Merged(**line)
        elif event == "end":
            self.ended = True

    def add(self, event: str, **values: Any) -> None:
        """Adds a line: `begin` (a sort, which forgets all that has been before), `input` (one that has been
        scanned), `inputs_changed` (all directories must be merged again), `merge` (all inputs are scanned,
        and merged in this order), `directory` (one that is complete), `end` (all are)."""
        line = {"event": event, **values}
        self._log.add(json.dumps(line).encode() + b"\n")
        self._read(line)


def _folder_of(key: str) -> str:
    """Returns the name of the folder for the runs of an input."""
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


_WORK: Final = ".sorting"
# Seconds between two times that directories are brought to the disk and get their places.
_COMMIT_SECONDS: Final = 5.0


@dataclass(slots=True)
class SortTally:
    """What a sort has done, with the parts that earlier runs have done.

    Attributes:
        inputs: inputs that were read.
        resumed: those of them that an earlier run has read.
        unread: inputs that could not be read, or not to their end, because of a disk or a network.
        records: whole records in all inputs.
        copied: those of them whose member or frame is copied byte for byte; all others are compressed again.
        damaged: places of damage in the inputs.
        sites: hosts or registered domains.
        files: archives in the output directory.
        bytes: their bytes.
        merged: whether the archives are complete.
    """

    inputs: int = 0
    resumed: int = 0
    unread: int = 0
    records: int = 0
    copied: int = 0
    damaged: int = 0
    sites: int = 0
    files: int = 0
    bytes: int = 0
    merged: bool = False

    @property
    def complete(self) -> bool:
        """Whether every byte of the inputs that is no padding is in the archives."""
        return self.merged and not self.damaged


@dataclass(frozen=True, slots=True)
class Phase:
    """How far a sort is: bytes done, and bytes in all (None: unknown) of the phase."""

    name: str
    done: int
    total: int | None


# Called with the phase after each part of the work, and with notes for the user.
Progress = Callable[[Phase, Sequence[Note]], object]


def sort(
    inputs: list[Input],
    output: str | Path,
    *,
    by: By = "host",
    jobs: int = 1,
    progress: Progress = lambda phase, notes: None,
    again: bool = False,
) -> SortTally:
    """Regroups the records of archives into one archive per host or registered domain.

    The archives are in `output/XX/SITE.warc.gz`; XX is from a hash of the site. In each, records are in the
    order of the inputs, and of offsets in each input.

    Args:
        inputs: see `find_inputs`.
        output: a directory on this machine, new or empty or of an earlier sort. An earlier sort of the same
            inputs is continued. If inputs are new or have changed, or `by` is another, everything is sorted
            again.
        by: what an archive has the records of.
        jobs: number of processes; the output does not depend on it.
        progress: called after each part of the work.
        again: also sort again what is finished, and replace archives of inputs that are no longer given.

    Returns:
        The counts. If `unread` is not 0, nothing has been merged: a later run goes on.

    Raises:
        InputError: an input is given twice.
        OutputError: the output cannot be written, is in use, is not a sort's, or is of inputs that are no
            longer given.
        WorkerError: a worker process has been killed.
    """
    if is_url(str(output)):
        raise OutputError(f"{output}: sorting needs a directory on this machine")
    path = Path(output)
    inputs = _outside(path, inputs)
    with output_errors(path):
        if path.is_dir() and not (path / _NAME).exists() and any(path.iterdir()):
            raise OutputError(f"{path} is not empty, and no sort has made it: give a new directory")
        folder = LocalFolder(path)
        with folder.log(_NAME) as log:
            work = _Sort(path, _Journal(log, folder.lines(_NAME, log)), inputs, by, jobs, progress)
            try:
                return work.run(again)
            except BaseException:
                work.remove_unfinished()
                raise


def _outside(path: Path, inputs: list[Input]) -> list[Input]:
    """Returns the inputs that are not in the output directory. Raises InputError."""
    root = os.path.abspath(path) + os.sep  # noqa: PTH100 (links are not followed)
    outside = [source for source in inputs if not _key_of(source).startswith(root)]
    if inputs and not outside:
        raise InputError(f"all inputs are in the output directory {path}: give another one")
    for key, number in Counter(map(_key_of, outside)).items():
        if number > 1:
            raise InputError(f"{key} is given twice: each of its records would be there twice")
    return outside


class _Sort:
    def __init__(
        self, path: Path, journal: _Journal, inputs: list[Input], by: By, jobs: int, progress: Progress
    ) -> None:
        self._path = path
        self._work = path / _WORK
        self._journal = journal
        self._inputs = {_key_of(source): source for source in inputs}
        self._by: By = by
        self._jobs = jobs
        self._progress = progress
        self._phase = Phase("", 0, None)
        self._mark = f"{secrets.token_hex(4)}.part"
        self._tally = SortTally(inputs=len(inputs))

    def run(self, again: bool) -> SortTally:
        """Does what is left to do."""
        self._compare(again)
        journal = self._journal
        if journal.ended:
            self._tally.resumed = len(self._inputs)
        else:
            self._work.mkdir(exist_ok=True)
            self._scan()
            if self._tally.unread:
                return self._count_scanned()
            self._merge()
            journal.add("end")
        shutil.rmtree(self._work, ignore_errors=True)
        return self._count_merged()

    def remove_unfinished(self) -> None:
        """Removes what cannot be used, so that it does not fill the disk."""
        with suppress(OSError):
            for folder in self._work.glob(f"*.{self._mark}"):
                shutil.rmtree(folder, ignore_errors=True)

    def _note(self, event: str, what: str) -> None:
        self._progress(self._phase, [Note(event, what)])

    def _report(self, size: int) -> None:
        self._phase = Phase(self._phase.name, self._phase.done + size, self._phase.total)
        self._progress(self._phase, ())

    # What an earlier run has done

    def _compare(self, again: bool) -> None:
        """Decides what of an earlier run is still valid, and says why anything is not."""
        journal = self._journal
        if not journal.exists:
            journal.add("begin", format=_FORMAT, by=self._by)
            return
        # they may be nowhere else
        missing = [key for key in journal.placed if key not in self._inputs]
        if missing and not again:
            raise OutputError(
                f"{self._path} has the records of "
                f"{counted(len(missing), 'input that is', 'inputs that are')} not given now, such as "
                f"{missing[0]}: give them, too, or another directory, or --again to replace them"
            )
        if again or journal.by != self._by:
            if not again:
                before = f"by {journal.by}" if journal.by else "by another version of ncleaner"
                self._note("sorted_again", f"sorting everything again, which was sorted {before}")
            journal.add("begin", format=_FORMAT, by=self._by)
            return
        if journal.order is None:
            return
        journal.directories = {
            name: merged for name, merged in journal.directories.items() if self._is_there(name, merged.files)
        }
        reasons = self._changes(journal.order)
        if journal.ended and len(journal.directories) < len(DIRECTORIES):
            reasons.append("archives have been removed or added")
        if reasons:
            self._note("sorted_again", f"sorting everything again: {', '.join(reasons)}")
            journal.add("inputs_changed")

    def _is_there(self, name: str, files: int) -> bool:
        try:
            return len(os.listdir(self._path / name)) == files  # noqa: PTH208 (a million names)
        except OSError:
            return not files

    def _changes(self, order: list[str]) -> list[str]:
        before = self._journal.inputs
        new = len(self._inputs.keys() - set(order))
        changed = sum(key in before and not before[key].is_of(self._inputs[key]) for key in order)
        reasons = []
        if new:
            reasons.append(f"{counted(new, 'input is', 'inputs are')} new")
        if changed:
            reasons.append(f"{counted(changed, 'input has', 'inputs have')} changed")
        if not new and order != list(self._inputs):
            reasons.append("the inputs are in another order")
        return reasons

    # Scanning

    def _scan(self) -> None:
        """Scans the inputs of which no runs are there."""
        journal = self._journal
        done = {
            key
            for key, source in self._inputs.items()
            if key in journal.inputs and journal.inputs[key].is_of(source) and self._has_runs(key)
        }
        self._tally.resumed = len(done)
        keep = {_folder_of(key) for key in done}
        for entry in os.scandir(self._work):
            if entry.name not in keep:
                shutil.rmtree(entry.path, ignore_errors=True)
        left = {key: source for key, source in self._inputs.items() if key not in done}
        self._phase = Phase("reading", 0, total_size(left.values()))
        # only this process has its standard input
        pipes = [source for source in left.values() if source.is_pipe]
        for jobs, sources in ((1, pipes), (self._jobs, [s for s in left.values() if not s.is_pipe])):
            tasks = [
                ScanTask(source.path, self._work / f"{number}.{self._mark}", self._by, source.is_pipe)
                for number, source in enumerate(sources)
            ]
            with closing(results(tasks, jobs, report=self._report)) as found:
                for index, scanned in found:
                    self._add_scanned(sources[index], tasks[index].folder, scanned)

    def _has_runs(self, key: str) -> bool:
        folder = self._work / _folder_of(key)
        return all((folder / str(run)).exists() for run in range(self._journal.inputs[key].runs))

    def _add_scanned(self, source: Input, folder: Path, scanned: Scanned) -> None:
        self._progress(self._phase, [note_of(each) for each in scanned.damages])
        if scanned.unread:
            self._tally.unread += 1
            shutil.rmtree(folder)
            return
        place = self._work / _folder_of(_key_of(source))
        shutil.rmtree(place, ignore_errors=True)
        folder.rename(place)
        counts = {name: getattr(scanned, name) for name in _COUNTS}
        self._journal.add("input", path=_key_of(source), size=source.size, modified=source.modified, **counts)

    # Merging

    def _merge(self) -> None:
        """Merges the directories that are not complete."""
        journal = self._journal
        order = list(self._inputs)
        if journal.order is None:
            journal.add("merge", inputs=order)
        runs = tuple(
            self._work / _folder_of(key) / str(run)
            for key in order
            for run in range(journal.inputs[key].runs)
        )
        left = [number for number, name in enumerate(DIRECTORIES) if name not in journal.directories]
        total = sum(journal.inputs[key].bytes for key in order)
        before = sum(merged.bytes for merged in journal.directories.values())
        self._phase = Phase("writing", before, total)
        tasks = [MergeTask(number, self._work / f"{number}.{self._mark}", runs) for number in left]
        finished: list[tuple[str, Path, Merged]] = []
        since = time.monotonic()
        with closing(results(tasks, self._jobs, report=self._report)) as found:
            for index, merged in found:
                finished.append((DIRECTORIES[left[index]], tasks[index].folder, merged))
                if time.monotonic() - since >= _COMMIT_SECONDS:
                    self._commit(finished)
                    finished.clear()
                    since = time.monotonic()
        self._commit(finished)

    def _commit(self, finished: list[tuple[str, Path, Merged]]) -> None:
        """Puts directories in their places: (name, folder with the archives, counts)."""
        flush_directories(folder for _, folder, merged in finished if merged.files)
        for name, folder, merged in finished:
            place = self._path / name
            before = self._work / f"before-{name}.{self._mark}"
            if place.exists():
                # of the sort before
                place.rename(before)
            if merged.files:
                folder.rename(place)
            self._journal.add("directory", name=name, **asdict(merged))
            shutil.rmtree(before, ignore_errors=True)

    # Counting

    def _count_scanned(self) -> SortTally:
        tally = self._tally
        lines = [line for key, line in self._journal.inputs.items() if key in self._inputs]
        tally.records = sum(line.records for line in lines)
        tally.copied = sum(line.copied for line in lines)
        tally.damaged = sum(line.damaged for line in lines)
        return tally

    def _count_merged(self) -> SortTally:
        tally = self._count_scanned()
        merged = self._journal.directories.values()
        tally.files = sum(each.files for each in merged)
        tally.sites = sum(each.sites for name, each in self._journal.directories.items() if name != NO_HOST)
        tally.bytes = sum(each.bytes for each in merged)
        tally.merged = True
        return tally
