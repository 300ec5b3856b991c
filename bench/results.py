"""What is measured: tables of rows with one value for each round, kept as JSON."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Part", "Row", "Table", "load", "measured", "median_ratio", "ratios", "save", "spread"]


@dataclass(slots=True)
class Row:
    """One step.

    Attributes:
        name: what is measured.
        seconds: one value for each round, CPU time unless the table says otherwise.
        group: joins rows that are compared with each other, such as all steps on pages of one size.
        facts: sizes and peaks of memory, in bytes, and numbers of pages.
    """

    name: str
    seconds: list[float]
    group: str = ""
    facts: dict[str, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Median over the rounds, in seconds."""
        return statistics.median(self.seconds)


@dataclass(slots=True)
class Table:
    """Rows that were measured in turn.

    Attributes:
        name: of the table within its part.
        rows: the steps, with equally many values each.
        facts: what holds for all rows: pages, bytes, archive.
    """

    name: str
    rows: list[Row]
    facts: dict[str, Any] = field(default_factory=dict)

    def row(self, name: str, group: str = "") -> Row:
        """Returns a row. Raises KeyError: there is no such row."""
        for row in self.rows:
            if (row.name, row.group) == (name, group):
                return row
        raise KeyError(f"the table {self.name} has no row {name!r} in the group {group!r}")

    @property
    def groups(self) -> list[str]:
        """The groups of its rows, in order."""
        return list(dict.fromkeys(row.group for row in self.rows))


@dataclass(slots=True)
class Part:
    """The tables of one part, and the conditions under which they were measured."""

    conditions: dict[str, Any]
    tables: list[Table]


def median_ratio(row: Row, base: Row) -> float:
    """Returns the median of the ratios of two rows, round by round."""
    return statistics.median(ratios(row, base))


def ratios(row: Row, base: Row) -> list[float]:
    """Returns the ratios of two rows, round by round."""
    return [mine / its for mine, its in zip(row.seconds, base.seconds, strict=True)]


def spread(values: Sequence[float]) -> float:
    """Returns the median absolute deviation from the median, as a share of the median."""
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values) / middle if middle else 0.0


def measured(
    steps: Mapping[str, Callable[[], float]], rounds: int, note: Callable[[str], object] = len
) -> dict[str, list[float]]:
    """Runs all steps in every round, the order reversed in every second round.

    Args:
        steps: {name: function that runs the step and returns its seconds}.
        rounds: number of rounds.
        note: gets a sentence before each round.

    Returns:
        {name: seconds of each round}.
    """
    values: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds):
        note(f"round {number + 1} of {rounds}")
        names = list(steps)
        for name in names[::-1] if number % 2 else names:
            values[name].append(steps[name]())
    return values


def save(parts: Mapping[str, Part], path: Path) -> None:
    """Writes parts to a JSON file; those of an existing file that were not measured again stay."""
    merged = {**(load(path) if path.is_file() else {}), **parts}
    text = json.dumps({name: asdict(part) for name, part in merged.items()}, indent=1, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", "utf-8")


def load(path: Path) -> dict[str, Part]:
    """Reads parts from a JSON file.

    Raises:
        ValueError: the file is not one that `save` has written.
    """
    try:
        return {
            name: Part(
                part["conditions"],
                [
                    Table(table["name"], [Row(**row) for row in table["rows"]], table["facts"])
                    for table in part["tables"]
                ],
            )
            for name, part in json.loads(path.read_text("utf-8")).items()
        }
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} does not hold results of `python -m bench`: {error}") from error
