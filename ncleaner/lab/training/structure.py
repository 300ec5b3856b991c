"""Training of the structure model: labels by alignment, forests by LightGBM.

Features that come from training never see the page that they describe: n-grams, first forest and the forest
of kinds judge a training page after training without its site, and the weights of names are counted without
its site.

Only this module needs LightGBM (extra `train`); the model consists of plain arrays.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, KINDS
from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingError, require
from ncleaner.lab.training.examples import folds
from ncleaner.modelling import _page_features, _segment_features
from ncleaner.modelling._decision import probabilities_of
from ncleaner.modelling._terms import phrase_hashes
from ncleaner.modelling.features import (
    FEATURES,
    KIND_COLUMN,
    OUTSIDE,
    PLAIN,
    SEGMENT_COLUMNS,
    WEIGHTS,
    Matrix,
    columns_of,
)
from ncleaner.modelling.structure import STEP, Stock, Structure, Trees


class _Neighbours(NamedTuple):
    """Features of the neighbours of a segment that a forest may test, and which neighbours: −1 is the segment
    before."""

    names: tuple[str, ...]
    rows: tuple[int, ...]


# On a page, the first forest tests the segment alone, and the second one what is near.
_NONE = _Neighbours((), ())
_NAMES_NEAR = "first holder60-inside core-above words link-density sentences style-words up1-mass"
_NEAR = _Neighbours(tuple(_NAMES_NEAR.split()), (-2, -1, 1, 2))
# A plain text has no blocks: the lines around a segment have to tell where it is (docs/hybrid.md).
_LINES_NEAR = _Neighbours(("words", "odds-per-char", "sentences"), (-4, -3, -2, -1, 1, 2, 3, 4))
_LINES_AROUND = _Neighbours(
    ("first", "words", "odds-per-char", "sentences"), (-8, -6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 8)
)
# of the forests
_PARAMETERS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_PARAMETERS["kinds"]["num_class"] = len(KINDS)
_INNER = 5
# Least number of pages with a kind for learning kinds, and of articles for the forest of articles.
_LEAST_KINDS, _LEAST_ARTICLES = 100, 100
# Additive smoothing: number of sites, of this cleanliness, that are added to every word of a name and every
# phrase.
_PSEUDO_SITES, _NAME_PRIOR, _PHRASE_PRIOR = 4.0, 0.45, 0.25
# Least number of sites of a phrase.
_FEW_PHRASES = 3
# Sites of a phrase that is known to be boilerplate everywhere.
_KNOWN_SITES = 300
# A stock phrase loses so much of its log-odds beyond the second number, in nats (docs/hybrid.md).
_STOCK_WEIGHT, _STOCK = 2.0, 1.0


def first_features(
    document: Document,
    odds: npt.NDArray[np.float64],
    posterior: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float32],
) -> Matrix:
    """Returns a page's matrix with the columns that need no first judgement; the other columns are 0.

    Args:
        document: the page.
        odds, posterior: shape (segments,), float64: log-odds of the n-gram models, in bits.
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role.

    Returns:
        Shape (segments, features), float32.
    """
    matrix = np.empty((len(document), len(FEATURES)), np.float32)
    _segment_features.fill(document.tables, document.title.encode(), odds, posterior, weights, matrix)
    return matrix


def second_features(
    document: Document, matrix: Matrix, probabilities: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Fills the columns that need a first judgement, except the kinds.

    Args:
        document: the page.
        matrix: shape (segments, features), from `first_features`.
        probabilities: shape (segments,), float64: the first judgement, 0 to 1.

    Returns:
        The features of the page as a whole, `PAGE_FEATURES`: shape (page features,), float32.
    """
    return _page_features.fill(document.tables, probabilities, matrix, SEGMENT_COLUMNS, PLAIN)


@dataclass(frozen=True, eq=False)
class Example:
    """A training page.

    Attributes:
        document: the page.
        site: registered domain; pages of one site are never on both sides of a cross-validation.
        clean: shape (segments,), float64: share of each segment that the gold text contains, 0 to 1.
        words: shape (segments,), float64: words of each segment.
        odds, posterior: shape (segments,), float64: scores of n-grams trained without the site, in bits.
        kind: kind of the page, one of `document.kept.KINDS`; empty if it is unknown. A fragment teaches only
            its kind, not which segments are clean.
        silent: shape (segments,), bool: segments on which the gold text has no information, since its
            convention is another.
    """

    document: Document
    site: str
    clean: npt.NDArray[np.float64]
    words: npt.NDArray[np.float64]
    odds: npt.NDArray[np.float64]
    posterior: npt.NDArray[np.float64]
    kind: str
    silent: npt.NDArray[np.bool_]


class NameCounts:
    """Cleanliness of the text below elements whose class, id or role has a word, by hashed word and site."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._sites: dict[str, dict[int, list[float]]] = defaultdict(dict)
        for example in examples:
            self._add(example)
        self._sums, self._numbers = np.zeros(WEIGHTS), np.zeros(WEIGHTS)
        for words in self._sites.values():
            for word, (clean, total) in words.items():
                self._sums[word] += clean / total
                self._numbers[word] += 1

    def _add(self, example: Example) -> None:
        elements, names = example.document.elements, example.document.names.tolist()
        counted = np.sqrt(example.words)
        counted[example.silent] = 0
        below = np.zeros((len(elements), 2))
        inside = example.document.segments["element"]
        there = inside >= 0
        np.add.at(below, inside[there], np.stack((counted * example.clean, counted), 1)[there])
        parents = elements["parent"].tolist()
        for element in range(len(elements) - 1, 0, -1):
            if parents[element] >= 0:
                below[parents[element]] += below[element]
        found = self._sites[example.site]
        shift = (1 << 16) // WEIGHTS
        for (clean, total), start in zip(below.tolist(), elements["names"].tolist(), strict=True):
            if total > 0:
                for word in names[start + 1 : start + 1 + names[start]]:
                    sums = found.setdefault(word // shift, [0.0, 0.0])
                    sums[0] += clean
                    sums[1] += total

    def weights(self, without: str | None = None) -> npt.NDArray[np.float32]:
        """Returns the log-odds of each word against the average word, from all sites except `without`: shape
        (WEIGHTS,). A word on a single site gets 0."""
        sums, numbers = self._sums, self._numbers
        if without is not None and without in self._sites:
            sums, numbers = sums.copy(), numbers.copy()
            for word, (clean, total) in self._sites[without].items():
                sums[word] -= clean / total
                numbers[word] -= 1
        odds = _log_odds(sums, numbers, _NAME_PRIOR)
        return np.where(numbers >= 1.5, odds, 0).astype(np.float32)


def _log_odds(sums: Any, numbers: Any, prior: float) -> npt.NDArray[np.float64]:
    """Returns the smoothed log-odds of things against an unseen thing, in steps of `STEP`; `sums` are of the
    shares of clean text on the sites of each, `prior` is that of an unseen thing."""
    share = (sums + _PSEUDO_SITES * prior) / (numbers + _PSEUDO_SITES)
    odds = np.log(share / (1 - share)) - np.log(prior / (1 - prior))
    steps: npt.NDArray[np.float64] = np.rint(odds / STEP) * STEP
    return steps


def stock_of(examples: Sequence[Example], known: Sequence[str] = ()) -> Stock:
    """Finds the stock phrases of training pages: short segments that are boilerplate wherever they are.

    Args:
        examples: the pages.
        known: phrases that are boilerplate on many sites; each counts as on `_KNOWN_SITES` sites.
    """
    sites: dict[tuple[int, str], list[float]] = defaultdict(list)
    for example in examples:
        hashes = phrase_hashes(example.document.tables)
        said = (hashes > 0) & ~example.silent
        for phrase, clean in zip(hashes[said].tolist(), example.clean[said].tolist(), strict=True):
            sites[phrase, example.site].append(clean)
    shares: dict[int, list[float]] = defaultdict(list)
    for (phrase, _), values in sites.items():
        shares[phrase].append(sum(values) / len(values))
    page = dump_html("".join(f"<p>{escape(phrase)}</p>" for phrase in known))
    for phrase in phrase_hashes(page.tables).tolist():
        shares[phrase] += [0.0] * _KNOWN_SITES
    losses = {
        phrase: _STOCK_WEIGHT * (-float(_log_odds(sum(values), len(values), _PHRASE_PRIOR)) - _STOCK)
        for phrase, values in shares.items()
        if phrase and len(values) >= _FEW_PHRASES
    }
    return Stock.of({phrase: loss for phrase, loss in losses.items() if loss > 0})


def _weights(example: Example) -> npt.NDArray[np.float64]:
    """Returns the weight of each segment: all pages weigh the same, segments by their words."""
    words = np.maximum(example.words, 0.5)
    shares: npt.NDArray[np.float64] = 1000 * words / words.sum()
    shares[example.silent] = 0
    return shares


def grow(
    rows: Matrix,
    labels: npt.NDArray[Any],
    weights: npt.NDArray[np.float64] | None,
    settings: Mapping[str, Any],
) -> Any:
    """Grows trees by LightGBM, with the settings of all forests and some of their own.

    Args:
        rows: shape (rows, features).
        labels: shape (rows,): what the trees learn, 0 to 1; or classes.
        weights: shape (rows,); None: all are the same.
        settings: names and values of LightGBM; `rounds` is the number of trees, of each class. The result
            does not depend on `num_threads`.

    Raises:
        TrainingError: LightGBM is not installed.
    """
    require("training a structure model", "lightgbm", "train", "LightGBM", TrainingError)
    import lightgbm

    settings = {**_PARAMETERS["common"], **settings}
    data = lightgbm.Dataset(rows, labels, weight=weights, params=settings)
    return lightgbm.train(settings, data, settings.pop("rounds"))


def _fit(
    examples: Sequence[Example],
    matrices: Sequence[Matrix] | Mapping[int, Matrix],
    chosen: Iterable[int],
    settings: Mapping[str, Any],
) -> Any:
    """Grows trees on the chosen pages, by their numbers."""
    rows = [number for number in chosen if len(matrices[number])]
    # A segment without a label has no weight, but it counts in the borders of steps and the sizes
    # of leaves: without it, three seeds were 0.02 worse on Greek and Polish news.
    return grow(
        np.concatenate([matrices[number] for number in rows]),
        np.concatenate([examples[number].clean for number in rows]),
        np.concatenate([_weights(examples[number]) for number in rows]),
        settings,
    )


def _scores(booster: Any, rows: Matrix, settings: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """Returns the sums of the trees for each row."""
    return np.asarray(booster.predict(rows, raw_score=True, num_threads=settings["num_threads"]))


def trees_of(booster: Any, places: Sequence[tuple[int, int]]) -> Trees:
    """Returns LightGBM's trees as arrays. `places`: feature and row of each of its columns."""
    columns: dict[str, list[Any]] = {
        name: [] for name in ("features", "rows", "thresholds", "left", "right", "leaves", "sizes")
    }
    for tree in booster.dump_model()["tree_info"]:
        nodes: list[dict[str, Any]] = []
        leaves: list[float] = []
        if _number(tree["tree_structure"], nodes, leaves) < 0:
            # a tree without a split becomes a node with the same leaf on both sides
            nodes.append({"split_feature": 0, "threshold": 0.0, "left": -1, "right": -2})
            leaves.append(leaves[0])
        for node in nodes:
            feature, row = places[node["split_feature"]]
            columns["features"].append(feature)
            columns["rows"].append(row)
            columns["thresholds"].append(node["threshold"])
            columns["left"].append(node["left"])
            columns["right"].append(node["right"])
        columns["leaves"] += leaves
        columns["sizes"].append(len(nodes))
    columns["thresholds"] = rounded_down(np.array(columns["thresholds"])).tolist()
    return Trees.of_columns(columns)


def _number(node: dict[str, Any], nodes: list[dict[str, Any]], leaves: list[float]) -> int:
    """Adds a node and all below it to the lists; returns its place, below 0 for a leaf."""
    if "split_feature" not in node:
        leaves.append(node["leaf_value"])
        return -len(leaves)
    place = len(nodes)
    nodes.append(node)
    node["left"] = _number(node["left_child"], nodes, leaves)
    node["right"] = _number(node["right_child"], nodes, leaves)
    return place


def rounded_down(thresholds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Returns the largest float32 up to each threshold, so that the same float32 values go left."""
    values = thresholds.astype(np.float32)
    return np.where(values > thresholds, np.nextafter(values, np.float32(-np.inf)), values)


def _wide(matrix: Matrix, places: Sequence[tuple[int, int]]) -> Matrix:
    """Returns what a forest may test of each segment: shape (rows, places). `places`: the feature of each of
    its columns, and the row beside the segment that it is of."""
    size = len(matrix)
    found = np.full((size, len(places)), OUTSIDE, np.float32)
    for number, (column, row) in enumerate(places):
        if abs(row) < size:
            inside = slice(max(0, -row), size - max(0, row))
            found[inside, number] = matrix[max(0, row) : size + min(0, row), column]
    return found


def _places(columns: Sequence[int], near: _Neighbours) -> list[tuple[int, int]]:
    """Returns feature and row of what a forest may test, if it may test these features of a segment."""
    numbers = {feature.name: column for column, feature in enumerate(FEATURES)}
    beside = [numbers[name] for name in near.names if numbers[name] in columns]
    return [(column, 0) for column in columns] + [(column, row) for row in near.rows for column in beside]


def train_structure(
    examples: Sequence[Example],
    *,
    without: Iterable[str] = (),
    threads: int = 1,
    seed: int = 1,
    stock: Sequence[str] = (),
    about: Mapping[str, Any] | None = None,
) -> Structure:
    """Trains the forests: of the two judgements, and of kinds and articles if enough kinds are known.

    Args:
        examples: pages of at least two sites, all HTML or all plain text; a model for all kinds of pages
            needs hundreds.
        without: features or groups of features to leave out; see `modelling.features`.
        threads: of LightGBM; the model does not depend on their number.
        seed: of the samples of segments and features that LightGBM draws for each tree.
        stock: phrases that are boilerplate on many sites, besides the phrases of the pages.
        about: further entries of the header.

    Raises:
        TrainingError: LightGBM is not installed, or the pages are of fewer than two sites.
        ValueError: a feature to leave out does not exist.
    """
    if len({example.site for example in examples}) < 2:
        raise TrainingError("a structure model needs pages of at least two sites")
    of_text = not any(len(example.document.elements) for example in examples)
    first_settings, second_settings, kinds_settings = (
        {**_PARAMETERS[name], "seed": seed, "num_threads": threads}
        for name in ("first-of-text" if of_text else "first", "second", "kinds")
    )
    columns = columns_of(without)
    own = [column for column in columns if column < SEGMENT_COLUMNS]
    first_places = _places(own, _LINES_NEAR if of_text else _NONE)
    places = _places(columns, _LINES_AROUND if of_text else _NEAR)
    pages = [number for number, example in enumerate(examples) if example.kind != FRAGMENT]
    parts = folds([example.site for example in examples], _INNER)
    names = NameCounts([examples[number] for number in pages])
    # weights of names are those of the other sites
    tables = {site: names.weights(site) for site in {example.site for example in examples}}
    matrices = [
        first_features(example.document, example.odds, example.posterior, tables[example.site])
        for example in examples
    ]
    narrow = [_wide(matrix, first_places) for matrix in matrices]
    first = trees_of(_fit(examples, narrow, pages, first_settings), first_places)
    judged = _first_judgements(examples, narrow, pages, parts, first_settings)
    summaries = []
    for example, matrix, odds in zip(examples, matrices, judged, strict=True):
        probabilities = probabilities_of(odds)
        summaries.append(second_features(example.document, matrix, probabilities))
    kinds = None
    if sum(bool(examples[number].kind) for number in pages) >= _LEAST_KINDS:
        kinds = _fit_kinds(examples, np.array(summaries), parts, matrices, columns, kinds_settings)
    wide = {number: _wide(matrices[number], places) for number in pages}
    second = trees_of(_fit(examples, wide, pages, second_settings), places)
    articles = [number for number in pages if examples[number].kind == "article"]
    of_articles = None
    if kinds is not None and len(articles) >= _LEAST_ARTICLES:
        of_articles = trees_of(_fit(examples, wide, articles, second_settings), places)
    return Structure(
        names.weights(),
        first,
        second,
        kinds,
        of_articles,
        stock_of([examples[number] for number in pages], stock),
        dict(about or {}),
    )


def _first_judgements(
    examples: Sequence[Example],
    narrow: Sequence[Matrix],
    pages: Sequence[int],
    parts: Sequence[Sequence[int]],
    settings: Mapping[str, Any],
) -> list[npt.NDArray[np.float64]]:
    """Returns the log-odds of each page by a first forest that has not seen its site. `narrow` has the
    features of the pages before any judgement, and `pages` the numbers of those that teach."""
    judged: list[npt.NDArray[np.float64]] = [np.zeros(len(matrix)) for matrix in narrow]
    for fold in parts:
        rest = [number for number in pages if number not in set(fold)]
        booster = _fit(examples, narrow, rest, settings)
        for number in fold:
            if len(narrow[number]):
                judged[number] = _scores(booster, narrow[number], settings)
    return judged


def _fit_kinds(
    examples: Sequence[Example],
    summaries: Matrix,
    parts: Sequence[Sequence[int]],
    matrices: Sequence[Matrix],
    columns: Sequence[int],
    settings: dict[str, Any],
) -> Trees:
    """Grows the forest of kinds on the pages whose kind is known, and writes into the matrix of each page the
    kind that a forest without its site judges. The forest may test the means of `columns`."""
    used = [column for column in columns if column < KIND_COLUMN]
    known = np.array([KINDS.index(example.kind) if example.kind else -1 for example in examples])

    def fit(chosen: npt.NDArray[np.bool_]) -> Any:
        return grow(summaries[chosen][:, used], known[chosen], None, settings)

    for fold in parts:
        taught = known >= 0
        taught[list(fold)] = False
        scores = _scores(fit(taught), summaries[list(fold)][:, used], settings)
        for number, row in zip(fold, scores, strict=True):
            powers = np.exp(row - row.max())
            matrices[number][:, KIND_COLUMN:] = powers / powers.sum()
    return trees_of(fit(known >= 0), [(column, 0) for column in used])
