"""The gold directories that models are trained and measured on, and how structure models learn from them.

Each has manifest.jsonl, raw/ID.html and clean/ID.txt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ncleaner.methods.table import entry_of
from ncleaner.methods.zones import Wanted
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.training.hybrid import examples_of, fragments_of
from ncleaner.training.ngrams import train_and_score
from ncleaner.training.pairs import Pair, read_pairs
from ncleaner.training.structure import Example

# What `Cleaner` wants by default with the method hybrid.
DEFAULTS = Wanted(entry_of("hybrid").keeps_headline or None)


@dataclass(frozen=True)
class GoldSet:
    """A gold directory.

    Attributes:
        language: ISO 639 code.
        news: all pages are articles. The manifest of WCXB has the kind of each page; CleanEval's are of all
            kinds.
        wanted: what a user wants who follows its convention.
    """

    language: str = "en"
    news: bool = True
    wanted: Wanted = DEFAULTS

    @property
    def unit(self) -> str:
        """What the multiset F counts."""
        return "char" if self.language == "zh" else "word"


NO_COMMENTS = DEFAULTS._replace(comments=False)
SETS = {
    "cleaneval-dev": GoldSet(news=False),
    "cleanportaleval": GoldSet(wanted=NO_COMMENTS),
    "wcxb-dev": GoldSet(news=False, wanted=Wanted(headline=False, comments=False)),
    "l3s-dev": GoldSet(wanted=NO_COMMENTS),
    **{
        f"daniel-{suffix}": GoldSet(suffix[:2], wanted=NO_COMMENTS)
        for suffix in ("el", "en", "en-more", "pl", "ru", "zh")
    },
}
STOCK = Path(__file__).parent / "boilerplate" / "phrases.txt"


def stock_phrases() -> list[str]:
    """The phrases that are boilerplate on many sites, in many languages."""
    return [line for line in STOCK.read_text("utf-8").splitlines() if not line.startswith("#")]


def read_sets(gold: Path, names: Iterable[str]) -> dict[str, list[Pair]]:
    """Reads gold directories below `gold`, with the kind of their pages."""
    found = {}
    for name in names:
        pairs = read_pairs(gold / name / "raw", gold / name / "clean")
        found[name] = [replace(pair, kind="article") for pair in pairs] if SETS[name].news else pairs
    return found


def structure_examples(
    sets: Mapping[str, Sequence[Pair]],
) -> tuple[dict[str, NGramModel], list[Example]]:
    """Makes the training pages of a structure model.

    N-grams are of a language, as in use: those of all sets of a language are trained together, and each page
    has what they say without its site. Conventions are of a set.

    Args:
        sets: pages of each set, by its name.

    Returns:
        The n-grams of each language, and the pages and fragments.
    """
    ngrams: dict[str, NGramModel] = {}
    found: dict[str, list[Example]] = {}
    for language in dict.fromkeys(SETS[name].language for name in sets):
        names = [name for name in sets if SETS[name].language == language]
        trained, used, scores, _ = train_and_score([pair for name in names for pair in sets[name]])
        ngrams[language] = trained
        scored = {id(pair): score for pair, score in zip(used, scores, strict=True)}
        for name in names:
            pairs = [pair for pair in sets[name] if id(pair) in scored]
            told = [scored[id(pair)] for pair in pairs]
            found[name] = [*examples_of(pairs, told, trained), *fragments_of(pairs, told, trained)]
    return ngrams, [example for name in sets for example in found[name]]
