"""Training pages with their labels: the usable ones, folds with no site in two of them, counts by fold, and
scores of a model.

A model that has seen other pages of a site knows the site's menus: a split with a site on both sides
overstates accuracy by several points.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.scoring.measures import clusters_of
from ncleaner.lab.training.alignment import gold_document
from ncleaner.lab.training.calibration import Scored
from ncleaner.lab.training.counting import GramCounter, Tallies
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling import FOLDS, Scheme
from ncleaner.modelling.alphabet import Alphabet
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.text.visible import counted, joined

# a pair is usable if the raw page contains at least this share of the clean text
_BELONGS = 0.3
# clean texts with fewer words are not checked against their page
_FEW_WORDS = 5
# With fewer sites, a standard error says little.
_FEW_SITES = 5
# A smaller share of pages of unknown sites changes no figure.
_FEW_UNKNOWN = 0.1
ADVICE = "about 50 are advised"


class Examples:
    """Training pages, with their folds for cross-validation.

    Args:
        pairs: pages with their gold text.
        k: number of folds.
    """

    def __init__(self, pairs: Sequence[Pair], k: int = FOLDS) -> None:
        self.pairs = pairs
        self.folds = folds([pair.site for pair in pairs], k) if pairs else []

    @property
    def sites(self) -> int:
        """Number of known sites, plus one for each page without a known site."""
        return count_sites(pair.site for pair in self.pairs)

    @property
    def characters(self) -> int:
        """Number of characters of the raw text, without white space."""
        return sum(int(pair.document.segments["chars"].sum()) for pair in self.pairs)

    def tallies(self, symbols: Alphabet, order: int, scheme: Scheme) -> list[tuple[Tallies, Tallies]]:
        """Returns for each fold the counts of its clean text, and of its dirty text (`aligned`) or of all its
        raw text (`differential`)."""
        found = []
        for fold in self.folds:
            clean, other = GramCounter(symbols, order), GramCounter(symbols, order)
            for pair in (self.pairs[number] for number in fold):
                page, gold, alignment = pair.document, pair.document, pair.alignment
                kept, left = alignment.clean & page.visible, alignment.dirty & page.visible
                if scheme == "differential":
                    gold = gold_document(pair.gold)
                    kept, left = np.ones(len(gold), bool), np.ones(len(page), bool)
                for counter, document, chosen in ((clean, gold, kept), (other, page, left)):
                    rows = document.segments[chosen]
                    counter.add(document.data, rows["start"], rows["end"])
            found.append((clean.tallies(), other.tallies()))
        return found


def score_page(pair: Pair, model: NGramModel) -> Scored:
    """Returns a page with its labels and a model's scores, for calibration and tuning."""
    table = pair.document.segments
    return labelled(pair, *model.log_odds(pair.document.data, table["start"], table["end"]))


def labelled(pair: Pair, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.uint32]) -> Scored:
    """Returns a page's labels with scores of its segments: log-odds in bits, and characters plus one
    boundary.

    Hidden segments get no words, since n-grams never keep them.
    """
    alignment, visible = pair.alignment, pair.document.visible
    words = alignment.words * visible
    matched = alignment.shares * words
    return Scored(pair.site, sums, counts, words, alignment.clean & visible, alignment.gold_words, matched)


def belongs(pair: Pair) -> bool:
    """Tells whether a page contains enough of its gold text to belong to it; a very short gold text always
    does."""
    return pair.alignment.gold_words < _FEW_WORDS or pair.alignment.found >= _BELONGS


def checked_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """Returns the usable pairs, and warns of the others.

    Raises:
        TrainingError: most raw and clean texts do not belong together, or all clean texts are empty.
    """
    empty = [pair for pair in pairs if not pair.alignment.gold_words]
    foreign = [pair for pair in pairs if not belongs(pair)]
    if len(empty) == len(pairs):
        raise TrainingError("all clean files are empty: there is no clean text to learn from")
    if foreign:
        shown = joined([f"{pair.name} ({100 * pair.alignment.found:.0f} %)" for pair in foreign], 10)
        problem = (
            f"{len(foreign)} of {len(pairs)} raw and clean texts do not belong together (in brackets the "
            f"share of clean words that the raw page contains): {shown}"
        )
        if 2 * len(foreign) > len(pairs) - len(empty):
            raise TrainingError(f"{problem}; check that the files of both directories have the same names")
        warnings.warn(f"{problem}; they are left out", TrainingWarning, stacklevel=3)
    if empty:
        names = joined([pair.name for pair in empty], 10)
        warnings.warn(
            f"{counted(len(empty), 'clean file is', 'clean files are')} empty, so all text of "
            f"{'its page' if len(empty) == 1 else 'their pages'} counts as dirty: {names}",
            TrainingWarning,
            stacklevel=3,
        )
    used = [pair for pair in pairs if belongs(pair)]
    for note in site_notes([pair.site for pair in used]):
        warnings.warn(note, TrainingWarning, stacklevel=3)
    if len(used) < 10:
        number = "only one page" if len(used) == 1 else f"only {len(used)} pages"
        warnings.warn(f"{number} to train on: {ADVICE}", TrainingWarning, stacklevel=3)
    return used


def site_notes(sites: Sequence[str]) -> list[str]:
    """Returns what makes cross-validated figures doubtful, in sentences: sites that are not known, that have
    most of the pages, or that are few."""
    notes = []
    known = Counter(filter(None, sites))
    unknown = len(sites) - known.total()
    if unknown > _FEW_UNKNOWN * len(sites) and len(sites) > 1:
        pages = "all pages" if unknown == len(sites) else f"{unknown:,} of {counted(len(sites), 'page')}"
        notes.append(
            f"the sites of {pages} are not known: each page counts as a separate site, and neighbours by "
            "name stay together in the cross-validation. If several are of one site, the figures are too "
            "good; a manifest with URLs (--manifest) or --site-from gives the sites"
        )
    largest, most = known.most_common(1)[0] if known else ("", 0)
    if len(known) > 1 and 2 * most > len(sites):
        notes.append(
            f"{largest} has {most:,} of {counted(len(sites), 'page')}: they are judged by a model of only "
            f"{len(sites) - most:,}, so that the figures are too low, and hold mostly for this site"
        )
    number = len(known) + unknown
    if 1 < number < _FEW_SITES:
        notes.append(f"the pages are of only {number} sites: standard errors say little about further ones")
    return notes


def count_sites(sites: Iterable[str]) -> int:
    """Returns the number of sites; a page without a known site (empty) counts as one of its own."""
    return len(set(clusters_of(sites)))


def folds(sites: Sequence[str], k: int) -> list[list[int]]:
    """Divides pages into at most k folds of about equal size; no site is in two folds.

    The largest sites come first, each into the smallest fold; the result depends only on `sites`. Pages of
    unknown sites (empty) stay together with their neighbours in the list, since names are often sorted by
    site.

    Args:
        sites: the site of each page.
        k: number of folds, at least 2.

    Returns:
        Lists of page numbers, ascending, none empty: fewer than k where there are fewer sites.
    """
    homes: dict[str, list[int]] = {}
    unknown = [page for page, site in enumerate(sites) if not site]
    for page, site in enumerate(sites):
        if site:
            homes.setdefault(site, []).append(page)
    # pages of unknown sites: 2 k runs of neighbours, so that the folds fill evenly
    pieces = min(len(unknown), 2 * k)
    groups = list(homes.values()) + [
        unknown[len(unknown) * i // pieces : len(unknown) * (i + 1) // pieces] for i in range(pieces)
    ]
    groups.sort(key=lambda pages: (-len(pages), pages[0]))
    dealt: list[list[int]] = [[] for _ in range(min(k, len(groups)))]
    for pages in groups:
        min(dealt, key=len).extend(pages)
    return sorted(sorted(fold) for fold in dealt)
