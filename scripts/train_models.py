"""Trains the models that come with the package, from gold directories, to the same bytes every time.

    python scripts/train_models.py GOLD [NAME]...

GOLD holds the unpacked gold directories named below, each with manifest.jsonl, raw/ and clean/. Writes
models/NAME.ncm for all models, or for those named.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ncleaner.catalogue import summary
from ncleaner.pairs import Pair, read_pairs
from ncleaner.training import TrainingWarning, train

MODELS = Path(__file__).parent.parent / "models"
CLEANEVAL = "CleanEval 2007 development set"
WCXB = "WCXB development set (Foley 2026, CC BY 4.0)"
DANIEL = "DAnIEL news corpus (Lejeune et al. 2012)"


@dataclass(frozen=True)
class Recipe:
    """What a shipped model is made of."""

    language: str
    sets: tuple[str, ...]
    sources: str
    alphabet: str = "learned"
    order: int | None = None


RECIPES = {
    "en": Recipe("en", ("cleaneval-dev", "wcxb-dev"), f"{CLEANEVAL}; {WCXB}"),
    "nonlexical": Recipe(
        "any",
        ("cleaneval-dev", "wcxb-dev", "daniel-el", "daniel-pl", "daniel-ru", "daniel-zh"),
        f"{CLEANEVAL}; {WCXB}; {DANIEL}",
        alphabet="nonlexical",
    ),
    **{language: Recipe(language, (f"daniel-{language}",), DANIEL) for language in ("el", "pl", "ru", "zh")},
}


def main(
    gold: Annotated[Path, typer.Argument(help="where the gold directories are")],
    names: Annotated[list[str] | None, typer.Argument(help="models to train; all by default")] = None,
) -> None:
    """Trains and writes shipped models."""
    warnings.simplefilter("ignore", TrainingWarning)
    for name in names or RECIPES:
        recipe = RECIPES[name]
        pairs: list[Pair] = []
        for folder in recipe.sets:
            pairs += read_pairs(gold / folder / "raw", gold / folder / "clean")
        model = train(
            pairs,
            order=recipe.order,
            alphabet=recipe.alphabet,
            about={
                "name": name, "language": recipe.language, "sources": recipe.sources, "date": "2026-11-21",
            },
        )  # fmt: skip
        path = MODELS / f"{name}.ncm"
        model.save(path)
        print(f"{path.name} ({path.stat().st_size / 1000:,.0f} kB): {summary(model)}", flush=True)


if __name__ == "__main__":
    typer.run(main)
