"""Counts how many segments of gold pages end in each leaf of the shipped structure model, for explanations.

    python scripts/count_leaves.py GOLD

GOLD has gold directories, of which only `raw` is read; the model of each page is that of its language. The
result is `ncleaner/explaining/structure.counts`, to the same bytes for the same pages. A new structure model
needs it again: `tests/explaining/test_background.py` tells.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from ncleaner.document.html import dump_html
from ncleaner.errors import InputError
from ncleaner.explaining.background import FILE, FORESTS, counts_file, page_counts
from ncleaner.explaining.structural import look
from ncleaner.methods.by_language import PerLanguage
from ncleaner.methods.choice import load_method
from ncleaner.modelling.structure import PART, load_structure

__all__ = ["main"]


def main(gold: Path) -> None:
    """Counts and writes the file. Raises SystemExit: there are no pages."""
    structure = load_structure()
    per_language = load_method("hybrid")
    assert isinstance(per_language, PerLanguage)
    trees = structure.trees()
    sums = {name: np.zeros(len(trees[name].leaves), np.int64) for name in FORESTS if name in trees}
    pages = segments = 0
    for path in sorted(gold.glob("*/raw/*.htm*")):
        try:
            document = dump_html(path.read_bytes())
        except InputError:
            continue
        if not 0 < len(document) <= PART or not document.tables.n_elements:
            continue
        method, _, _ = per_language.method_of(document)
        ngrams = method.model.ngrams  # type: ignore[attr-defined]
        odds, counts = ngrams.log_odds(document.data, document.segments["start"], document.segments["end"])
        looks = look(structure, document, odds, ngrams.decision.statistics(odds, counts))
        for name, found in page_counts(structure, looks).items():
            sums[name] += found
        pages += 1
        segments += len(document)
    if not pages:
        raise SystemExit(f"there are no pages in {gold}/*/raw")
    target = Path(__file__).parents[1] / "ncleaner" / "explaining" / FILE
    target.write_bytes(counts_file(structure, sums, {"pages": pages, "segments": segments}))
    print(f"{target}: {pages:,} pages, {segments:,} segments")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
