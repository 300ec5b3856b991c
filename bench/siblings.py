"""How often like siblings have different fates.

    python -m bench.siblings GOLD_DIR [--model FILE]

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Siblings are three and more segments of a page of
the same kind and style (tags and classes from the root down), all in the gold text or none. Prints for each
kind of page of how many such groups the hybrid keeps only a part. The shipped models have learned from most
gold directories; with --model the pages can be judged by a model that has not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from bench.crossval import load_gold
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods.registry import DEFAULT_MODEL

# Fewer segments are no group.
FEW = 3


def styles_of(document: Document) -> npt.NDArray[np.int64]:
    """The number of each segment's kind and style: shape (segments,), int64."""
    numbers: dict[tuple[int, int], int] = {}
    paths: list[int] = []
    for parent, style in document.elements[["parent", "style"]].tolist():
        above = paths[parent] if parent >= 0 else -1
        paths.append(numbers.setdefault((above, style), len(numbers)))
    found: dict[tuple[int, int], int] = {}
    keys = [
        (paths[element] if element >= 0 else -1, kind)
        for element, kind in document.segments[["element", "kind"]].tolist()
    ]
    return np.array([found.setdefault(key, len(found)) for key in keys], np.int64)


def groups_of(pair: Pair) -> Iterator[npt.NDArray[np.int64]]:
    """The siblings of a page on which the gold text is of one mind, as numbers of segments."""
    styles, alignment = styles_of(pair.document), pair.alignment
    for style in np.flatnonzero(np.bincount(styles) >= FEW).tolist():
        rows = np.flatnonzero((styles == style) & (alignment.words > 0))
        if len(rows) >= FEW and alignment.clean[rows].all() | alignment.dirty[rows].all():
            yield rows


def is_split(mask: npt.NDArray[np.bool_], rows: npt.NDArray[np.int64]) -> bool:
    """Tells whether some of these segments are kept and others are not."""
    return bool(mask[rows].any() and not mask[rows].all())


def main(
    gold: Annotated[Path, typer.Argument(help="gold directory")],
    model: Annotated[str, typer.Option(help="auto, name or file, as `clean` takes it")] = DEFAULT_MODEL,
) -> None:
    """Prints the shares."""
    method = Cleaner("hybrid", model).method
    found: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for pair in load_gold(gold):
        groups = list(groups_of(pair))
        if not groups:
            continue
        mask = method.keep(pair.document).mask
        for rows in groups:
            fates = bool(pair.alignment.clean[rows[0]]), is_split(mask, rows)
            for kind in {"all", pair.kind or "all"}:
                found[kind].append(fates)
    print(f"{'':<16}{'groups':>8}{'in gold':>9}{'split':>8}")
    for kind, fates_of_kind in sorted(found.items(), key=lambda item: (item[0] != "all", item[0])):
        clean, split = np.mean(fates_of_kind, axis=0)
        print(f"{kind:<16}{len(fates_of_kind):>8}{100 * clean:>8.1f}%{100 * split:>7.2f}%")


if __name__ == "__main__":
    typer.run(main)
