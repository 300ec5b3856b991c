"""The gold directories that models are trained and measured on, and how structure models learn from them.

Each has manifest.jsonl, raw/ID.html and clean/ID.txt.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from quality_training import Unseen

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, Kept
from ncleaner.document.tables import ZONES
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.scoring.measures import BagUnit, bag_overlap
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.examples import folds, score_page
from ncleaner.lab.training.fragments import as_lines
from ncleaner.lab.training.hybrid import examples_of, fragments_of
from ncleaner.lab.training.ngrams import train_and_score
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.lab.training.structure import Example, train_structure
from ncleaner.methods.choice import key_of
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling import FOLDS
from ncleaner.modelling.decision import Preset
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

# What `Cleaner` wants by default with the method hybrid.
DEFAULTS = ZoneOptions.by_default(entry_of("hybrid"))


@dataclass(frozen=True)
class GoldSet:
    """A gold directory.

    Attributes:
        language: ISO 639 code; empty if the manifest tells that of each page.
        news: all pages are articles. The manifest of WCXB has the kind of each page; CleanEval's are of all
            kinds.
        wanted: what a user wants who follows its convention.
    """

    language: str = "en"
    news: bool = True
    wanted: ZoneOptions = DEFAULTS


SETS = {
    "cleaneval-dev": GoldSet(news=False, wanted=DEFAULTS._replace(comments=True)),
    "cleanportaleval": GoldSet(),
    "wcxb-dev": GoldSet(news=False, wanted=ZoneOptions(headline=False, comments=False)),
    "l3s-dev": GoldSet(),
    **{
        f"daniel-{suffix}": GoldSet(suffix[:2]) for suffix in ("el", "en", "en-more", "pl", "ru", "zh")
    },
    "fundus-dev": GoldSet("", wanted=ZoneOptions(headline=False, comments=False, captions=False)),
}  # fmt: skip
# Those that the n-grams of no language are trained on.
NONLEXICAL = ("cleaneval-dev", "wcxb-dev", "daniel-el", "daniel-pl", "daniel-ru", "daniel-zh")
# Languages with n-grams of their own; the empty code stands for all others.
LANGUAGES = dict.fromkeys(("en", "de", "el", "pl", "ru", "zh", ""))
STOCK = Path(__file__).parent / "boilerplate" / "phrases.txt"
_LEFT_OUT = [ZONES.index(name) for name in ("comment", "caption")]


@dataclass(frozen=True, eq=False)
class GoldPair(Pair):
    """A page of a gold directory, with its language (ISO 639)."""

    language: str = field(default="", kw_only=True)

    @property
    def model(self) -> str:
        """The key of `LANGUAGES` whose n-grams it gets."""
        return key_of(self.language, LANGUAGES)

    @property
    def unit(self) -> BagUnit:
        """What the multiset F counts."""
        return "char" if self.language in ("zh", "ja") else "word"

    def f1(self, text: bytes) -> float:
        """Returns the multiset F1 of a text, 0 to 1."""
        return bag_overlap(text, self.gold.encode(), self.unit).f_score / 100

    def score(self, kept: Kept) -> float:
        """Returns the multiset F1 of what is kept, 0 to 1."""
        return self.f1(rendered(self, kept))


def _dumped(pair: GoldPair) -> GoldPair:
    """Returns a page as a text dump with a segment on each line, as WET files have it."""
    lines = as_lines(pair.document, range(len(pair.document)))
    return replace(pair, document=dump_text(lines, layout="lines"))


_SINK = Output(format="cleaneval").sink()


def rendered(pair: Pair, kept: Kept) -> bytes:
    """Returns what is kept of a page, in CleanEval's format."""
    return _SINK.render(Page(b""), pair.document, kept, True)


def stock_phrases() -> list[str]:
    """The phrases that are boilerplate on many sites, in many languages."""
    return [line for line in STOCK.read_text("utf-8").splitlines() if not line.startswith("#")]


def read_sets(gold: Path, names: Iterable[str], as_text: bool = False) -> dict[str, list[GoldPair]]:
    """Reads gold directories below `gold`, with the kind and the language of their pages; with `as_text`, the
    text dumps of the pages."""
    found = {}
    for name in names:
        of_set = SETS[name]
        with (gold / name / "manifest.jsonl").open(encoding="utf-8") as lines:
            told = {entry["id"]: entry.get("language", "") for entry in map(json.loads, lines)}
        found[name] = [
            GoldPair(
                pair.name, pair.document, pair.gold, pair.site, "article" if of_set.news else pair.kind,
                language=of_set.language or told[pair.name],
            )
            for pair in read_pairs(gold / name / "raw", gold / name / "clean")
        ]  # fmt: skip
        if as_text:
            found[name] = list(map(_dumped, found[name]))
    return found


def structure_examples(sets: Mapping[str, Sequence[GoldPair]]) -> tuple[dict[str, NGramModel], list[Example]]:
    """Makes the training pages of a structure model.

    N-grams are of a language, as in use: the pages of all sets in a language are trained together, and each
    page has what they say without its site. Conventions are of a set.

    Args:
        sets: pages of each set, by its name.

    Returns:
        The n-grams of each language, and the pages and fragments.
    """
    ngrams: dict[str, NGramModel] = {}
    found: dict[str, list[Example]] = {name: [] for name in sets}
    for language in LANGUAGES:
        own = [pair for name in sets for pair in sets[name] if pair.model == language]
        if language:
            # a language that is written alike only uses them
            taught = [pair for pair in own if pair.language == language]
        else:
            taught = [pair for name in NONLEXICAL for pair in sets.get(name, ())]
        if not taught:
            continue
        options = NGramOptions() if language else NGramOptions(alphabet="nonlexical")
        trained, used, scores, _ = train_and_score(taught, options)
        ngrams[language] = trained
        scored = {id(pair): score for pair, score in zip(used, scores, strict=True)}
        scored |= {id(pair): score_page(pair, trained) for pair in own if pair.language != language}
        for name, pairs in sets.items():
            chosen = [pair for pair in pairs if pair.model == language and id(pair) in scored]
            told = [scored[id(pair)] for pair in chosen]
            made = [*examples_of(chosen, told, trained), *fragments_of(chosen, told, trained)]
            found[name] += made if SETS[name].wanted.captions else map(_without_zones, made)
    return ngrams, [example for name in sets for example in found[name]]


def _without_zones(example: Example) -> Example:
    """Returns a page of a gold standard that leaves comments and captions out: they have no labels."""
    if example.kind == FRAGMENT:
        return example
    zones = example.document.segments["zone"]
    return replace(example, silent=example.silent | np.isin(zones, _LEFT_OUT))


class Place(NamedTuple):
    """A page: its set, and its number in the set."""

    set: str
    number: int


def _site(pair: Pair, place: Place) -> str:
    """Returns the site of a page; a page of an unknown site is a site of its own."""
    return pair.site or f"{place.set}/{place.number}"


def folds_of(
    sets: Mapping[str, Sequence[GoldPair]],
    seeds: Sequence[int],
    preset: Preset = "balanced",
    threads: int = 1,
) -> Iterator[tuple[int, list[Place], dict[str, Hybrid]]]:
    """Trains hybrids for a cross-validation: five folds by registered domain over all sets together.

    Says on standard error how far it is.

    Yields:
        A seed of the forests, the pages of a fold, and the hybrid of each key of `LANGUAGES`, which has seen
        no page of their sites.
    """
    places = [Place(name, number) for name, pairs in sets.items() for number in range(len(pairs))]
    sites = [_site(sets[place.set][place.number], place) for place in places]
    stock, started = stock_phrases(), time.monotonic()
    for fold, members in enumerate(folds(sites, FOLDS), 1):
        tested = {places[member] for member in members}
        ngrams, examples = structure_examples(
            {
                name: [pair for number, pair in enumerate(pairs) if Place(name, number) not in tested]
                for name, pairs in sets.items()
            }
        )
        for seed in seeds:
            structure = train_structure(examples, threads=threads, stock=stock, seed=seed)
            yield (
                seed,
                sorted(tested),
                {
                    language: Hybrid(HybridModel(model, structure, of_text=structure).with_threshold(preset))
                    for language, model in ngrams.items()
                },
            )
            spent = time.monotonic() - started
            print(f"fold {fold} of {FOLDS}, seed {seed}: {spent:.0f} s", file=sys.stderr, flush=True)


def unseen_outputs(
    sets: Mapping[str, Sequence[GoldPair]], seeds: Sequence[int]
) -> Iterator[tuple[Place, Unseen]]:
    """Yields the output of each page by its set's convention, once with each seed; see `folds_of`.

    Every tenth page also has outputs that are spoiled, so that the estimate of quality knows such.
    """
    for seed, tested, methods in folds_of(sets, seeds):
        for place in tested:
            pair = sets[place.set][place.number]
            kept = methods[pair.model].keep(pair.document)
            chosen = SETS[place.set].wanted.applied(pair.document, kept)
            spoiled = spoiled_outputs(pair.document, chosen) if place.number % 10 == seed % 10 else ()
            for output in (chosen, *spoiled):
                yield place, Unseen(pair.document, output, _site(pair, place), pair.score(output))


def spoiled_outputs(document: Document, kept: Kept) -> Iterator[Kept]:
    """Yields an output of a page without its second half, and one with the last two thirds of what is
    removed, as if a second article followed; nothing of a plain text, or of a page of few kept or removed
    segments."""
    own, others = np.flatnonzero(kept.mask), np.flatnonzero(~kept.mask)
    if min(len(own), len(others)) > 3 and not document.is_text:
        for rows, keep in ((own[len(own) // 2 :], False), (others[len(others) // 3 :], True)):
            mask = kept.mask.copy()
            mask[rows] = keep
            yield kept._replace(mask=mask)
