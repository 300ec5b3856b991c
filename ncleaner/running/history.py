"""What a manifest tells of the runs into an output directory."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ncleaner.errors import InputError
from ncleaner.reading.streams import inflated
from ncleaner.running.manifest import NAME
from ncleaner.storage.base import is_url
from ncleaner.storage.places import open_binary

__all__ = ["RunReport", "read_report"]


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page that stands out: an input, a byte offset in it (-1: unknown), a URL, and why."""

    input: str
    offset: int
    url: str
    what: str


@dataclass(slots=True)
class RunReport:
    """What was done in an output directory.

    Attributes:
        folder: the directory.
        inputs: the manifest's last entry for each input, in the order of their names; see
            `Manifest.add` for the keys.
        foreign: lines that are not as this version writes them.
    """

    folder: str
    inputs: list[dict[str, Any]] = field(default_factory=list)
    foreign: int = 0

    def total(self, key: str) -> int:
        """Sum of a figure over all inputs."""
        return sum(entry[key] for entry in self.inputs)

    def counts(self, key: str) -> Counter[str]:
        """Sums by name over all inputs: of `given_up`, `records_skipped`, `encodings`, `languages`."""
        found: Counter[str] = Counter()
        for entry in self.inputs:
            found.update(entry[key])
        return found

    @property
    def outcomes(self) -> Counter[str]:
        """Pages by what became of them."""
        given_up = {f"given up: {reason}": number for reason, number in self.counts("given_up").items()}
        return Counter({"cleaned": self.total("cleaned"), "empty": self.total("empty"), **given_up})

    @property
    def seconds(self) -> float:
        """Seconds that all inputs together were at work."""
        return float(sum(entry["seconds"] for entry in self.inputs))

    def over_time(self) -> list[tuple[datetime, int]]:
        """Pages read until each time at which an input was finished, from when the first one was begun."""
        done = 0
        points: list[tuple[datetime, int]] = []
        for entry in sorted(self.inputs, key=lambda entry: str(entry["finished"])):
            time = datetime.fromisoformat(entry["finished"])
            if not points:
                points.append((time - timedelta(seconds=entry["seconds"]), 0))
            done += entry["pages"]
            points.append((time, done))
        return points

    def slowest(self, number: int) -> list[PageRow]:
        """The slowest pages, the slowest first."""
        rows = [
            (
                page["seconds"],
                PageRow(entry["input"], page["offset"], page["url"], f"{page['seconds']:.3f} s"),
            )
            for entry in self.inputs
            for page in entry["slowest"]
        ]
        return [row for _, row in sorted(rows, key=lambda item: -item[0])[:number]]

    def quarantined(self) -> list[PageRow]:
        """Pages that were given up for what they did to their workers."""
        return [
            PageRow(entry["input"], page["offset"], page["url"], page["why"])
            for entry in self.inputs
            for page in entry["quarantined"]
        ]

    def damage(self) -> list[PageRow]:
        """Places where inputs are broken; the first hundred of each."""
        return [
            PageRow(entry["input"], place["offset"], "", place["what"])
            for entry in self.inputs
            for place in entry["damage"]
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "folder": self.folder,
            "inputs": self.inputs,
            "outcomes": dict(self.outcomes),
            "records_skipped": dict(self.counts("records_skipped")),
            "encodings": dict(self.counts("encodings")),
            "languages": dict(self.counts("languages")),
            "words_kept": self.total("words_kept"),
            "words_removed": self.total("words_removed"),
            "bytes": self.total("bytes"),
            "seconds": round(self.seconds, 3),
        }


def read_report(folder: str) -> RunReport:
    """Reads the manifest of an output directory, on this machine or at a URL.

    Raises:
        InputError: there is none, or it cannot be read.
    """
    path = f"{folder.rstrip('/')}/{NAME}" if is_url(folder) else str(Path(folder) / NAME)
    try:
        with open_binary(path) as stream:
            lines = inflated(stream, path).splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror} (ncleaner clean -o DIRECTORY writes it)") from error
    report = RunReport(folder)
    latest: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            entry = json.loads(line)
            _check(entry)
        except (ValueError, KeyError, TypeError, AttributeError):
            report.foreign += 1
        else:
            latest[entry["input"]] = entry
    report.inputs = [latest[name] for name in sorted(latest)]
    return report


def _check(entry: dict[str, Any]) -> None:
    """Raises one error or another for an entry that is not as `Manifest.add` makes it."""
    for key in ("pages", "cleaned", "empty", "damaged", "bytes", "words_kept", "words_removed"):
        entry[key] += 0
    for key in ("given_up", "records_skipped", "encodings", "languages"):
        Counter({str(name): number + 0 for name, number in entry[key].items()})
    for key, names in (("slowest", "seconds"), ("quarantined", "why"), ("damage", "what")):
        for row in entry[key]:
            row["offset"] += 0
            row[names], "" if key == "damage" else row["url"] + ""
    entry["seconds"] += 0
    entry["input"] + entry["settings"]["version"] + entry["settings"]["model"] + entry["settings"]["method"]
    datetime.fromisoformat(entry["finished"])
    entry["unread"]
