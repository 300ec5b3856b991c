"""Trains the models that come with the package, from gold directories, to the same bytes every time.

    python scripts/train_models.py GOLD [NAME]...

GOLD holds the unpacked gold directories named below, each with manifest.jsonl, raw/ and clean/. Writes
models/NAME.ncm for all models, or for those named.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from goldsets import SETS, read_sets, stock_phrases, structure_examples
from notice_training import read_texts, small_parts, terms_of_texts, train_notices

from ncleaner.errors import TrainingWarning
from ncleaner.modelling.container import Stored
from ncleaner.people.cards import trained_sentence
from ncleaner.training.classic import train_fiasco, train_lines, train_victor
from ncleaner.training.pairs import Pair, read_pairs
from ncleaner.training.structure import train_structure
from ncleaner.training.train import train

MODELS = Path(__file__).parent.parent / "models"
# notices and ordinary short texts, written for ncleaner
TEXTS = Path(__file__).parent / "notices"
CLEANEVAL = "CleanEval 2007 development set"
WCXB = "WCXB development set (Foley 2026, CC BY 4.0)"
PORTAL = "CleanPortalEval (Endrédy and Novák 2013)"
L3S = "L3S-GN1 (Kohlschütter, Fankhauser and Nejdl 2010)"
DANIEL = "DAnIEL news corpus (Lejeune et al. 2012)"


ENGLISH = ("cleaneval-dev", "wcxb-dev", "l3s-dev", "daniel-en", "daniel-en-more")


@dataclass(frozen=True)
class Recipe:
    """What a shipped model is made of."""

    language: str
    sets: tuple[str, ...]
    sources: str
    alphabet: str = "learned"
    order: int | None = None
    kind: str = "ngram"


RECIPES = {
    "en": Recipe("en", ENGLISH, f"{CLEANEVAL}; {WCXB}; {L3S}; {DANIEL}"),
    "nonlexical": Recipe(
        "any",
        ("cleaneval-dev", "wcxb-dev", "daniel-el", "daniel-pl", "daniel-ru", "daniel-zh"),
        f"{CLEANEVAL}; {WCXB}; {DANIEL}",
        alphabet="nonlexical",
    ),
    **{language: Recipe(language, (f"daniel-{language}",), DANIEL) for language in ("el", "pl", "ru", "zh")},
    "structure": Recipe(
        "any",
        tuple(SETS),
        f"{CLEANEVAL}; {PORTAL}; {WCXB}; {L3S}; {DANIEL}",
        kind="structure",
    ),
    "notices": Recipe(
        "any",
        tuple(SETS),
        f"texts written for ncleaner; {CLEANEVAL}; {PORTAL}; {WCXB}; {L3S}; {DANIEL}",
        kind="notices",
    ),
    **{
        name: Recipe(
            "en",
            ("cleaneval-dev", "cleanportaleval", "wcxb-dev"),
            f"{CLEANEVAL}; {PORTAL}; {WCXB}",
            kind=name,
        )
        for name in ("victor", "fiasco", "lines")
    },
}
# kinds that are trained on pairs alone
TRAINERS: dict[str, Callable[..., Stored]] = {
    "victor": train_victor,
    "fiasco": train_fiasco,
    "lines": train_lines,
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
        for folder in recipe.sets if recipe.kind != "structure" else ():
            pairs += read_pairs(gold / folder / "raw", gold / folder / "clean")
        about = {
            "name": name, "language": recipe.language, "sources": recipe.sources, "date": "2026-11-22",
        }  # fmt: skip
        path = MODELS / f"{name}.ncm"
        if recipe.kind == "structure":
            _, examples = structure_examples(read_sets(gold, recipe.sets))
            # fragments teach only their kind, and are of pages that are counted already
            pages = [example for example in examples if not (len(example.silent) and example.silent.all())]
            training = {"pages": len(pages), "sites": len({page.site for page in pages})}
            structure = train_structure(
                examples, threads=2, stock=stock_phrases(), about={**about, "training": training}
            )
            structure.save(path)
            said = f"{structure!r}, {training['pages']:,} pages of {training['sites']:,} sites"
        elif recipe.kind == "notices":
            notices, ordinary = (read_texts(TEXTS / f"{part}.txt") for part in ("notices", "ordinary"))
            parts = [part for pair in pairs for part in small_parts(pair)]
            training = {
                "notices": len(notices),
                "pages": len(ordinary) + len(parts),
                "sites": len({part.site for part in parts}),
            }
            model_of_notices = train_notices(
                terms_of_texts(notices),
                [*terms_of_texts(ordinary), *(part.terms for part in parts)],
                about={**about, "training": training},
            )
            model_of_notices.save(path)
            said = f"{model_of_notices!r}, {training['notices']:,} notices, {training['pages']:,} other texts"
        elif recipe.kind in TRAINERS:
            trained = TRAINERS[recipe.kind](pairs, about=about)
            trained.save(path)
            said = trained_sentence(trained)
        else:
            model = train(pairs, method="ngram", order=recipe.order, alphabet=recipe.alphabet, about=about)
            model.save(path)
            said = trained_sentence(model)
        print(f"{path.name} ({path.stat().st_size / 1000:,.0f} kB): {said}", flush=True)


if __name__ == "__main__":
    typer.run(main)
