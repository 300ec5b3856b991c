"""Trains the models that come with the package, from gold directories, to the same bytes every time.

    python scripts/train_models.py GOLD [NAME]... [--without SET]... [--to models]

GOLD holds the unpacked gold directories named below, each with manifest.jsonl, raw/ and clean/. Writes
models/NAME.ncm for all models, or for those named. `--without` is for measurements on a set: it makes models
that have not seen it, into the directory of `--to`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from goldsets import NONLEXICAL, SETS, read_sets, stock_phrases, structure_examples, unseen_outputs
from notice_training import read_texts, small_parts, terms_of_texts, train_notices
from quality_training import fit_quality

from ncleaner.classics.trainers import train_fiasco, train_lines, train_victor
from ncleaner.cleaner import Cleaner
from ncleaner.errors import TrainingWarning
from ncleaner.lab.training.crawl import pages_by_language, train_from_crawl
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair, find_manifest
from ncleaner.lab.training.structure import train_structure
from ncleaner.modelling.container import ModelFile
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Page

MODELS = Path(__file__).parent.parent / "models"
# notices and ordinary short texts, written for ncleaner
TEXTS = Path(__file__).parent / "notices"
CLEANEVAL = "CleanEval 2007 development set"
WCXB = "WCXB development set (Foley 2026, CC BY 4.0)"
PORTAL = "CleanPortalEval (Endrédy and Novák 2013)"
L3S = "L3S-GN1 (Kohlschütter, Fankhauser and Nejdl 2010)"
DANIEL = "DAnIEL news corpus (Lejeune et al. 2012)"
FUNDUS = "fundus test pages (Dallabetta et al. 2024)"
HTMLDATE = "htmldate evaluation pages (Barbaresi 2020)"


ENGLISH = ("cleaneval-dev", "wcxb-dev", "l3s-dev", "daniel-en", "daniel-en-more", "fundus-dev")
# the notices and their figures are of these
FOR_NOTICES = tuple(name for name in SETS if name != "fundus-dev")
# seeds of the models whose outputs teach the estimate of quality
FOR_QUALITY = (1, 2)


@dataclass(frozen=True)
class Recipe:
    """What a shipped model is made of.

    Attributes:
        language, sources, alphabet, order, kind: of the model.
        sets: gold directories; of one with several languages, the pages in the language of the model.
        as_text: it learns from text dumps of the pages.
        raw: a directory of pages without gold texts, from which a model learns before it learns from `sets`.
    """

    language: str
    sets: tuple[str, ...]
    sources: str
    alphabet: str = "learned"
    order: int | None = None
    kind: str = "ngram"
    as_text: bool = False
    raw: str = ""


_OF_STRUCTURE = Recipe(
    "any", tuple(SETS), f"{CLEANEVAL}; {PORTAL}; {WCXB}; {L3S}; {DANIEL}; {FUNDUS}", kind="structure"
)
RECIPES = {
    "en": Recipe("en", ENGLISH, f"{CLEANEVAL}; {WCXB}; {L3S}; {DANIEL}; {FUNDUS}"),
    "nonlexical": Recipe("any", NONLEXICAL, f"{CLEANEVAL}; {WCXB}; {DANIEL}", alphabet="nonlexical"),
    "de": Recipe("de", ("fundus-dev",), f"{HTMLDATE}; {FUNDUS}", raw="htmldate-dev"),
    "el": Recipe("el", ("daniel-el",), DANIEL),
    **{
        language: Recipe(language, (f"daniel-{language}", "fundus-dev"), f"{DANIEL}; {FUNDUS}")
        for language in ("pl", "ru")
    },
    "zh": Recipe("zh", ("daniel-zh",), DANIEL),
    "structure": _OF_STRUCTURE,
    "text": replace(_OF_STRUCTURE, as_text=True),
    "notices": Recipe(
        "any",
        FOR_NOTICES,
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
TRAINERS: dict[str, Callable[..., ModelFile]] = {
    "victor": train_victor,
    "fiasco": train_fiasco,
    "lines": train_lines,
}


def from_raw(folder: Path, language: str, pairs: Sequence[Pair]) -> NGramModel:
    """Trains n-grams on the raw pages of a language, of other sites than those of `pairs`."""
    told = find_manifest(folder)
    pages = (
        Page(path.read_bytes(), told[path.stem]["url"], source=path.name)
        for path in sorted(folder.glob("*.html"))
    )
    found, _ = pages_by_language(pages, Cleaner("everything").document, language.__eq__)
    sites = {pair.site for pair in pairs}
    return train_from_crawl([page for page in found.get(language, []) if page.site not in sites]).ngrams


def main(
    gold: Annotated[Path, typer.Argument(help="where the gold directories are")],
    names: Annotated[list[str] | None, typer.Argument(help="models to train; all by default")] = None,
    without: Annotated[list[str], typer.Option(help="gold directories to leave out")] = [],  # noqa: B006
    to: Annotated[Path, typer.Option(help="directory of the models")] = MODELS,
) -> None:
    """Trains and writes shipped models."""
    warnings.simplefilter("ignore", TrainingWarning)
    for name in names or RECIPES:
        recipe = RECIPES[name]
        recipe = replace(recipe, sets=tuple(each for each in recipe.sets if each not in without))
        pairs: list[Pair] = []
        if recipe.kind != "structure":
            for of_set in read_sets(gold, recipe.sets).values():
                pairs += [pair for pair in of_set if recipe.language in ("any", pair.language)]
        about = {
            "name": name, "language": recipe.language, "sources": recipe.sources, "date": "2026-11-26",
        }  # fmt: skip
        path = to / f"{name}.ncm"
        if recipe.kind == "structure":
            sets = read_sets(gold, recipe.sets, recipe.as_text)
            _, examples = structure_examples(sets)
            # fragments teach only their kind, and are of pages that are counted already
            pages = [example for example in examples if not (len(example.silent) and example.silent.all())]
            training = {"pages": len(pages), "sites": len({page.site for page in pages})}
            structure = train_structure(
                examples, threads=2, stock=stock_phrases(), about={**about, "training": training}
            )
            outputs = [output for _, output in unseen_outputs(sets, FOR_QUALITY)]
            structure = replace(structure, quality=fit_quality(outputs))
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
            said = trained.summary()
        else:
            base = None if not recipe.raw else from_raw(gold / recipe.raw / "raw", recipe.language, pairs)
            model = train(
                pairs, method="ngram", order=recipe.order, alphabet=recipe.alphabet, base=base, about=about
            )
            model.save(path)
            said = model.summary()
        print(f"{path.name} ({path.stat().st_size / 1000:,.0f} kB): {said}", flush=True)


if __name__ == "__main__":
    typer.run(main)
