"""What a survey of sites adds to the hybrid, and how much its pages per site matter.

    python -m bench.sites GOLD_ROOT [--seeds 1,2,3] [--pages 32]

GOLD_ROOT holds the gold directories of scripts/goldsets.py. Five folds by registered domain over all sets
together, as bench/together.py has them: no model has seen a page of the site that it cleans. The survey is of
all pages of the gold sets, so a page's site is known by its other pages in them. Prints for each set how many
pages have known others, the mean difference of the bag F1 over these and over the set with
standard errors over the pages, and that of each seed; then the same by the number of known pages. A page's
difference is the mean over the seeds.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from bench.together import mean_and_error

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
from goldsets import SETS, GoldPair, Place, folds_of, read_sets

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.errors import TrainingWarning
from ncleaner.methods.hybrid import Hybrid
from ncleaner.surveying.build import Builder
from ncleaner.surveying.signatures import signature_of
from ncleaner.surveying.survey import Contents, Survey

_KNOWN = 1
_BOUNDS = (1, 3, 5, 9, 17)


def address(pair: GoldPair, place: Place) -> str:
    """A URL for a page, of which the gold sets often have the site only."""
    return f"http://{pair.site}/{place.set}/{place.number}"


def survey_of(sets: dict[str, list[GoldPair]], path: Path, pages: int) -> Survey:
    """The survey of all pages whose site is known."""
    with Builder(path, Contents(pages)) as builder:
        for name, pairs in sets.items():
            for number, pair in enumerate(pairs):
                document = pair.document
                signature = signature_of(address(pair, Place(name, number)), document, Kept(document.visible))
                builder.add([signature] if pair.site and signature else [])
        builder.finish()
    return Survey(path)


def main(
    gold: Annotated[Path, typer.Argument(help="where the gold directories are")],
    seeds: Annotated[str, typer.Option(help="of the trees")] = "1,2,3",
    pages: Annotated[int, typer.Option(help="pages of a site that the survey keeps")] = 32,
    threads: Annotated[int, typer.Option(help="for training")] = 2,
) -> None:
    """Prints the tables."""
    warnings.simplefilter("ignore", TrainingWarning)
    sets = read_sets(gold, SETS)

    def score(method: Hybrid, document: Document, place: Place) -> float:
        kept = SETS[place.set].wanted.applied(document, method.keep(document))
        return 100 * replace(sets[place.set][place.number], document=document).score(kept)

    differences: dict[Place, list[float]] = defaultdict(list)
    known: dict[Place, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        survey = survey_of(sets, Path(folder) / "sites.ncs", pages)
        for _, tested, methods in folds_of(sets, [int(seed) for seed in seeds.split(",")], threads=threads):
            for place in tested:
                pair = sets[place.set][place.number]
                site = survey.look_up(address(pair, place), pair.document) if pair.site else None
                known[place] = 0 if site is None else site.pages
                if site is None or not site.repetition.any():
                    differences[place].append(0.0)
                    continue
                method = methods[pair.model]
                told = replace(pair.document, site=site)
                differences[place].append(score(method, told, place) - score(method, pair.document, place))
    print(f"{'':<17}{'pages':>6}{'known':>7}   over these        over the set      by seed")
    for name in sets:
        own = [Place(name, number) for number in range(len(sets[name]))]
        means = {place: float(np.mean(differences[place])) for place in own}
        some = [means[place] for place in own if known[place] >= _KNOWN]
        here, error = mean_and_error(some) if some else (float("nan"), float("nan"))
        whole, whole_error = mean_and_error(list(means.values()))
        by_seed = np.mean([differences[place] for place in own], axis=0)
        print(
            f"{name:<17}{len(own):>6}{len(some):>7}   {here:+6.2f} ± {error:.2f}     "
            f"{whole:+7.3f} ± {whole_error:.3f}   {' '.join(f'{value:+.2f}' for value in by_seed)}"
        )
    for low, high in zip(_BOUNDS, (*_BOUNDS[1:], 1_000), strict=True):
        found = [
            float(np.mean(values)) for place, values in differences.items() if low <= known[place] < high
        ]
        mean, error = mean_and_error(found)
        print(f"{low} to {high - 1} known pages: {len(found)} pages, {mean:+.2f} ± {error:.2f}")


if __name__ == "__main__":
    typer.run(main)
