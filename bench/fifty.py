"""What pages of a language are worth: raw ones, cleaned ones, both; and whether what `train` prints holds.

    python -m bench.fifty GOLD_DIR[:LANG]... [--structure FILE] [--nonlexical FILE] [--draws 20] [--pages 50]

For each gold directory of one language, the F of words on pages of sites that no model has seen, by `hybrid`
and by the n-grams alone: from nothing (the structure model with non-lexical n-grams), from all raw pages of
the other sites (`clean --learn`, `train --from-crawl`), from 5, 10, 20 and 50 cleaned pages, from those on
top of the raw ones, and by the shipped model. Then the F that `train` prints, of draws of whole sites with up
to so many pages, against that of the same model on the other sites.

The shipped models have seen the pages of the gold directories: for figures of a new language, give models
that were trained without it (`scripts/train_models.py --without`).
"""

from __future__ import annotations

import json
import random
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer

from ncleaner.document.tables import Document
from ncleaner.errors import TrainingError
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.crawl import train_from_crawl
from ncleaner.lab.training.examples import belongs, folds
from ncleaner.lab.training.hybrid import train_hybrid
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.lab.training.validation import (
    Figures,
    Fold,
    figures_of_pages,
    mean_and_error,
    page_figures,
    validated,
)
from ncleaner.methods.choice import load_model, read_ngrams
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling.files import shipped_models
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.structure import Structure

SIZES = (5, 10, 20, 50)
METHODS = ("hybrid", "ngram")
Triple = tuple[float, float, float]


def cleaned(model: HybridModel, document: Document, method: str = "hybrid") -> npt.NDArray[np.bool_]:
    """Returns the mask of what `clean` keeps."""
    entry = entry_of(method)
    kept = entry.make(model if method == "hybrid" else model.ngrams).keep(document)
    return ZoneOptions.by_default(entry).applied(document, kept).mask


def some(pairs: Sequence[Pair], number: int, seed: int) -> list[Pair]:
    """Returns so many pages, of as many sites as there are: one of each, then another of each."""
    draw = random.Random(seed)
    homes: dict[str, list[Pair]] = {}
    for pair in draw.sample(pairs, len(pairs)):
        homes.setdefault(pair.site or pair.name, []).append(pair)
    turns = [pages[turn] for turn in range(len(pairs)) for pages in homes.values() if turn < len(pages)]
    return turns[:number]


class Rows:
    """Figures of pages by the name of a row, for each seed."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        self._rows: dict[str, dict[int, dict[int, Triple]]] = {}

    def note(self, name: str, seed: int, fold: Sequence[int], model: HybridModel) -> None:
        """Cleans the pages of a fold."""
        for method in METHODS:
            pages = self._rows.setdefault(f"{name:<18} {method:<6}", {}).setdefault(seed, {})
            for number in fold:
                pair = self._pairs[number]
                pages[number] = page_figures(pair, cleaned(model, pair.document, method))

    def figures(self) -> dict[str, list[Figures]]:
        """Returns the figures of each row, for each seed."""
        return {
            name: [
                figures_of_pages(
                    [pages[n] for n in sorted(pages)], [self._pairs[n].site for n in sorted(pages)]
                )
                for pages in seeds.values()
            ]
            for name, seeds in self._rows.items()
        }


def table(
    pairs: Sequence[Pair], start: HybridModel, shipped: HybridModel | None, seeds: int
) -> dict[str, list[Figures]]:
    """Returns the figures of each row, for each seed; sizes that are too small for a model have none."""
    rows = Rows(pairs)
    if shipped is not None:
        rows.note("shipped, has seen them", 0, range(len(pairs)), shipped)
    spent = 0.0
    for fold in folds([pair.site for pair in pairs], 5):
        rest = [pair for number, pair in enumerate(pairs) if number not in fold]
        rows.note("nothing", 0, fold, start)
        began = time.process_time()
        raw = train_from_crawl(rest, start=start)
        spent += time.process_time() - began
        rows.note("raw pages", 0, fold, raw)
        for seed in range(seeds):
            for size in SIZES:
                chosen = some(rest, size, seed)
                for name, options in (("", NGramOptions()), ("raw + ", NGramOptions(base=raw.ngrams))):
                    with suppress(TrainingError):
                        model = train_hybrid(chosen, structure=start.structure, ngrams=options)
                        rows.note(f"{name}{size} cleaned", seed, fold, model)
    print(f"  learning from raw pages: {spent / 5:.1f} s of CPU for {len(pairs) * 4 // 5} dumped pages")
    return rows.figures()


def pages_in(folder: Path, language: str) -> list[Pair]:
    """Returns the pages with a gold text; if a language is given, those that the manifest says are in it."""
    pairs = [pair for pair in read_pairs(folder / "raw", folder / "clean") if belongs(pair)]
    if not language:
        return pairs
    entries = map(json.loads, (folder / "manifest.jsonl").read_text("utf-8").splitlines())
    wanted = {entry["id"] for entry in entries if entry.get("language") == language}
    return [pair for pair in pairs if pair.name in wanted]


def draws(pairs: Sequence[Pair], structure: Structure, number: int, most: int) -> str:
    """Returns how far the F that training tells lies from that on other sites."""
    homes: dict[str, list[Pair]] = {}
    for pair in pairs:
        homes.setdefault(pair.site or pair.name, []).append(pair)
    inside, differences = 0, []
    for seed in range(number):
        draw = random.Random(seed)
        names = draw.sample(sorted(homes), len(homes))
        train: list[Pair] = []
        while names and len(train) < min(most, round(0.75 * len(pairs))):
            pages = homes[names.pop()]
            train += draw.sample(pages, min(len(pages), most - len(train)))
        test = [pair for name in names for pair in homes[name]]
        if len(names) < 2:
            continue
        model = train_hybrid(train, structure=structure)
        told = model.about["validation"]
        found = validated(test, [Fold(range(len(test)), model)], "hybrid")["validation"]
        error = np.hypot(told["f_score_error"], found["f_score_error"])
        differences.append(told["f_score"] - found["f_score"])
        inside += abs(differences[-1]) <= error
    mean, error = mean_and_error(np.array(differences), [""] * len(differences))
    return (
        f"F of train minus F on other sites: {100 * mean:+.1f} ± {100 * (error or 0):.1f} points in "
        f"{len(differences)} draws; within one standard error of the difference in {inside}"
    )


def main(
    gold: Annotated[
        list[str], typer.Argument(help="gold directories, each of one language, or with `:` and one")
    ],
    structure: Annotated[
        Path | None, typer.Option(help="a structure model in place of the shipped one")
    ] = None,
    nonlexical: Annotated[Path | None, typer.Option(help="non-lexical n-grams likewise")] = None,
    draws_number: Annotated[int, typer.Option("--draws")] = 20,
    pages: int = 50,
    seeds: int = 3,
) -> None:
    """Prints a table for each gold directory."""
    warnings.simplefilter("ignore")
    forest = Structure.of_model(load_model(structure or "structure"))
    start = HybridModel(read_ngrams(nonlexical or "nonlexical"), forest)
    for each in gold:
        path, _, language = each.partition(":")
        pairs = pages_in(Path(path), language)
        code = language or Path(path).name.rpartition("-")[2]
        shipped = None
        if code in shipped_models():
            shipped = HybridModel(read_ngrams(code), Structure.of_model(load_model("structure")))
        print(f"{Path(path).name} {code}: {len(pairs)} pages of {len({pair.site for pair in pairs})} sites")
        for name, found in table(pairs, start, shipped, seeds).items():
            values = [100 * each.f_score for each in found]
            error = 100 * (found[0].f_score_error or 0)
            spread = f"{len(values)} seeds ± {np.std(values):.1f}" if len(values) > 1 else ""
            print(f"  {name:<32} F {np.mean(values):5.1f} ± {error:4.1f}   {spread}")
        print("  " + draws(pairs, forest, draws_number, pages), flush=True)


if __name__ == "__main__":
    typer.run(main)
