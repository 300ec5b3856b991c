"""Training of models that others have described: Victor (a conditional random field), FIASCO (a support
vector machine), and lines (a decision tree)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.classics.fiasco import FIASCO_FEATURES, FiascoModel, Nodes, keyword_shares, target_nodes
from ncleaner.classics.line_tree import CLASSES, LinesModel, line_features
from ncleaner.classics.victor import (
    VALUES,
    WINDOW,
    Slot,
    VictorModel,
    block_features,
    make_slots,
    slot_table,
    visible_rows,
)
from ncleaner.document import Document
from ncleaner.errors import TrainingError, named, require
from ncleaner.lab.training.annotations import Annotated, labels_from_alignment
from ncleaner.lab.training.examples import checked_pairs, count_sites
from ncleaner.lab.training.labels import LABELS, OTHER, Labels, gold_of
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.structure import rounded_down

# smaller weights decide nothing and only cost space
_NEGLIGIBLE = 1e-3


def attributes(
    values: npt.NDArray[np.uint8], slots: Sequence[Slot], names: npt.NDArray[np.object_]
) -> list[list[str]]:
    """Returns the names of each block's attributes; a feature of value 0 has no attribute."""
    table = slot_table(slots)
    size = len(values)
    found = np.full((size, len(slots)), VALUES - 1, np.uint8)
    for slot, (feature, offset) in enumerate(table.tolist()):
        start, end = max(0, -offset), min(size, size - offset)
        if start < end:
            found[start:end, slot] = values[start + offset : end + offset, feature]
    rows, columns = np.nonzero(found)
    flat = names[columns, found[rows, columns]].tolist()
    ends = np.cumsum(np.bincount(rows, minlength=size)).tolist()
    return [flat[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def attribute_names(slots: Sequence[Slot]) -> npt.NDArray[np.object_]:
    """Returns the trainer's name of each slot and value: shape (slots, 16)."""
    return np.array([[f"{slot}:{value}" for value in range(VALUES)] for slot in range(len(slots))], object)


def train_victor(
    pairs: Sequence[Pair] = (),
    annotated: Sequence[Annotated] = (),
    *,
    without: Iterable[str] = (),
    window: int = WINDOW,
    c1: float = 0.3,
    c2: float = 0.5,
    iterations: int = 100,
    rare: int = 3,
    about: Mapping[str, Any] | None = None,
) -> VictorModel:
    """Trains a model from pages with their cleaned text, from annotated pages, or from both.

    The same pages in the same order give the same model, to the byte of its file. It decides at even odds of
    each segment (threshold 0), which in cross-validation has a better F than the likeliest sequence of
    labels: 94.3 against 94.1 (words) on CleanEval's development set, 0.79 against 0.74 (multiset) on WCXB's.

    Args:
        pairs: see `read_pairs`; labelled by alignment.
        annotated: pages with labels.
        without: features to leave out.
        window: neighbours to either side whose features count.
        c1, c2: strength of the L1 and the L2 penalty.
        iterations: largest number of steps of L-BFGS.
        rare: attributes with fewer occurrences with a label are left out.
        about: further entries of the header.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts.

    Raises:
        TrainingError: python-crfsuite is not installed, there is nothing to train on, all blocks have one
            label, or most raw and clean texts do not belong together.
    """
    require("training this kind of model", "pycrfsuite", "train", "python-crfsuite", TrainingError)
    import pycrfsuite

    slots = make_slots(without, window)
    if not pairs and not annotated:
        raise TrainingError("no pages to train on: give pages with their clean text, or annotated pages")
    used = checked_pairs(pairs) if pairs else []
    pages = [(pair.document, labels_from_alignment(pair), pair.site) for pair in used]
    pages += [(page.document, page.labels, page.site) for page in annotated]
    names = attribute_names(slots)
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    blocks = _append(trainer, [(document, labels) for document, labels, _ in pages], slots, names)
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": iterations, "feature.minfreq": rare})
    state, transitions = _weights(pycrfsuite, trainer, names)
    training = {
        "pages": len(pages),
        "annotated": len(annotated),
        "sites": count_sites(site for _, _, site in pages),
        "blocks": dict(zip(LABELS, blocks.tolist(), strict=True)),
        "without": sorted(set(without)),
        "c1": c1,
        "c2": c2,
    }
    return VictorModel(slots, state, transitions, 0.0, {**(about or {}), "training": training})


def _append(
    trainer: Any,
    pages: Iterable[tuple[Document, Labels]],
    slots: Sequence[Slot],
    names: npt.NDArray[np.object_],
) -> npt.NDArray[np.int64]:
    """Gives the trainer all pages. Returns the number of blocks with each label: shape (labels,).

    Raises:
        TrainingError: there is no text to keep, or none to remove.
    """
    blocks = np.zeros(len(LABELS), np.int64)
    for document, labels in pages:
        rows = visible_rows(document)
        chosen = labels[rows]
        blocks += np.bincount(chosen, minlength=len(LABELS))
        if len(rows):
            trainer.append(
                attributes(block_features(document, rows), slots, names),
                [LABELS[label] for label in chosen.tolist()],
            )
    if not blocks[OTHER] or blocks[OTHER] == blocks.sum():
        side = "to keep" if blocks[OTHER] else "to remove"
        raise TrainingError(f"the training pages have no text {side}: there is nothing to learn")
    return blocks


def _weights(
    pycrfsuite: Any, trainer: Any, names: npt.NDArray[np.object_]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Trains, and reads the weights from the trainer's own file."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "crf")
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    place = {name: position for position, name in enumerate(names.reshape(-1).tolist())}
    state = np.zeros((names.size, len(LABELS)), np.float32)
    transitions = np.zeros((len(LABELS), len(LABELS)), np.float32)
    for (name, label), weight in info.state_features.items():
        if abs(weight) >= _NEGLIGIBLE:
            state[place[name], LABELS.index(label)] = weight
    for (before, label), weight in info.transitions.items():
        transitions[LABELS.index(before), LABELS.index(label)] = weight
    return state, transitions


# FIASCO and lines

_KEYWORDS = 100
# inverse strength of the penalty of FIASCO's machine
_PENALTY = 1.0
# most levels of the tree of lines
_DEPTH = 10
# Least number of pages with a keyword in dirty nodes.
_PAGES = 5


def _learner(name: str, pairs: Sequence[Pair]) -> Any:
    """Returns a class of scikit-learn. Raises TrainingError: it is not installed, or there are no pages."""
    require("training this kind of model", "sklearn", "train", "scikit-learn", TrainingError)
    if not pairs:
        raise TrainingError("no pages to train on: give pages with their clean text")
    return named(name)


def _keywords(pages: Sequence[tuple[Nodes, Any]]) -> tuple[str, ...]:
    """The words that prevail most strongly in dirty nodes."""
    clean: Counter[str] = Counter()
    dirty: Counter[str] = Counter()
    spread: Counter[str] = Counter()
    for nodes, labels in pages:
        here: set[str] = set()
        for words, label in zip(nodes.words, labels.tolist(), strict=True):
            (clean if label else dirty).update(words)
            if not label:
                here.update(words)
        spread.update(here)
    evidence = {
        word: times * math.log((times + 0.5) / (clean[word] + 0.5))
        for word, times in dirty.items()
        if spread[word] >= _PAGES and any(map(str.isalpha, word))
    }
    return tuple(sorted(evidence, key=lambda word: (-evidence[word], word))[:_KEYWORDS])


def train_fiasco(pairs: Sequence[Pair], *, about: Mapping[str, Any] | None = None) -> FiascoModel:
    """Trains a model from pages with their cleaned text. A node is clean if most of its words are.

    Args:
        pairs: see `read_pairs`; labelled by alignment.
        about: further entries of the header.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts.

    Raises:
        TrainingError: scikit-learn is not installed, there is nothing to train on, all text is clean or none,
            or most raw and clean texts do not belong together.
    """
    learner = _learner("sklearn.svm:LinearSVC", pairs)
    used = checked_pairs(pairs)
    pages = []
    for pair in used:
        if not len(pair.document.elements) or not len(pair.document):
            continue
        nodes = target_nodes(pair.document)
        words = pair.document.segments["words"]
        size = len(nodes.words)
        kept = np.bincount(nodes.of_segment, words * pair.alignment.clean, minlength=size)
        pages.append((nodes, 2 * kept >= np.maximum(np.bincount(nodes.of_segment, words, minlength=size), 1)))
    labels = np.concatenate([labels for _, labels in pages]) if pages else np.zeros(0, bool)
    if labels.all() or not labels.any():
        raise TrainingError("all target nodes of the pages are clean, or none is: there is nothing to learn")
    keywords = _keywords(pages)
    values = np.concatenate([nodes.values for nodes, _ in pages])
    values[:, FIASCO_FEATURES.index("keywords")] = [
        share for nodes, _ in pages for share in keyword_shares(nodes.words, frozenset(keywords))
    ]
    mean, deviation = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
    machine = learner(C=_PENALTY, dual=False, random_state=0, max_iter=10_000)
    machine.fit((values - mean) / deviation, labels)
    weights = machine.coef_[0] / deviation
    training = {
        "pages": len(pages),
        "sites": count_sites(pair.site for pair in used),
        "nodes": len(labels),
        "c": _PENALTY,
    }
    return FiascoModel(
        weights.astype(np.float32), float(machine.intercept_[0] - weights @ mean), keywords,
        about={**(about or {}), "training": training},
    )  # fmt: skip


def train_lines(
    pairs: Sequence[Pair], *, leaf: int = 50, about: Mapping[str, Any] | None = None
) -> LinesModel:
    """Trains a tree from pages with their cleaned text; CleanEval's marks in it give the kinds of segments.

    Args:
        pairs: see `read_pairs`; labelled by alignment.
        leaf: fewest segments of a leaf.
        about: further entries of the header.

    Warns:
        TrainingWarning: pairs that do not belong together, empty clean texts.

    Raises:
        TrainingError: scikit-learn is not installed, there is nothing to train on, all segments are of one
            class, or most raw and clean texts do not belong together.
    """
    learner = _learner("sklearn.tree:DecisionTreeClassifier", pairs)
    rows, labels = [], []
    used = checked_pairs(pairs)
    codes = np.zeros(256, np.int64)
    codes[np.frombuffer(CLASSES.encode(), np.uint8)] = range(len(CLASSES))
    for pair in used:
        gold = gold_of(pair.document, labels_from_alignment(pair))
        shown = pair.document.visible
        rows.append(line_features(pair.document)[shown])
        labels.append(np.where(gold.kept, codes[gold.kinds], CLASSES.index("n"))[shown])
    wanted = np.concatenate(labels)
    if len(np.unique(wanted)) < 2:
        raise TrainingError("all text of the training pages is of one class: there is nothing to learn")
    grown = learner(max_depth=_DEPTH, min_samples_leaf=leaf, random_state=0)
    training = {"pages": len(used), "sites": count_sites(pair.site for pair in used), "segments": len(wanted)}
    return model_of_tree(grown.fit(np.concatenate(rows), wanted), {**(about or {}), "training": training})


def model_of_tree(grown: Any, about: dict[str, Any]) -> LinesModel:
    """Returns the model of a fitted `DecisionTreeClassifier`, whose classes are positions in `CLASSES`."""
    tree = grown.tree_
    return LinesModel(
        np.maximum(tree.feature.astype(np.int64), -1), rounded_down(tree.threshold),
        np.maximum(tree.children_left, 0).astype(np.int64),
        np.maximum(tree.children_right, 0).astype(np.int64),
        grown.classes_[tree.value[:, 0, :].argmax(axis=1)].astype(np.int64), about=about,
    )  # fmt: skip
