"""Victor: a conditional random field over the blocks of a page (Marek, Pecina and Spousta 2007).

"Web Page Cleaning with Conditional Random Fields" (CleanEval 2007) takes cleaning as labelling a sequence:
every block of text, the text between two tags, gets one of the five labels of `annotations.py`, by features
of its markup, its content and its place in the page; "Victor: the Web-Page Cleaning Tool" (Spousta, Marek
and Pecina 2008) is the system made public. Names, ways of counting, and the window of three blocks to
either side are those of its feature modules and of its template for CRF++ of 2008:

- *markup*: `container.X`, a block stands inside an element (`p`, `a`, `u`, `img`) or one of a class of
  elements; `split.X`, how many tags (opening or closing) stand between a block and the one before;
- *content*: shares of characters and of tokens by class; sentences and their length; whether a sentence
  begins and ends; duplicates on the page, with all but letters and digits folded; URLs, dates and times;
  what looks like a bullet or an enumeration;
- *document*: position, size, and groups: the blocks with the same innermost `td` or `div`, weighed by their
  words outside links. What describes the whole page is read at the block itself only.

What is our reading: the bins (half octaves for counts, tenths for shares; the configuration that had them
is not public); the members of the classes; dates by English month names; the mean length of a sentence as
tokens to a sentence; `fragmentation` as words to a block, of the whole page. A mark ends a sentence before
white space only. What the Document's tables cannot tell: `<br>` and `<hr>` are told from other tags by
opening without closing, but not from each other, so `split.hr` is part of `split.br`; `container.img` is
alternative text, where that is taken in. The language identification of 2008 is left out. Text that is not
shown at first is left out of the sequence, and always `o`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.errors import ModelError, TrainingError
from ncleaner.modelling._crf import marginals, state_scores, viterbi
from ncleaner.modelling._victor import NUMBER, features
from ncleaner.modelling.card import Card, Table
from ncleaner.modelling.container import Stored, about_of, pack, reals
from ncleaner.modelling.decision import Preset
from ncleaner.modelling.labels import LABELS, OTHER, Labels

__all__ = ["FEATURES", "VALUES", "Reading", "VictorModel", "block_features"]

_OWN = "position document.word-count document.sentence-count document.block-count document.max-div-group "
_OWN += "document.max-td-group fragmentation first-duplicate"
# In the order in which _victor.pyx writes them.
FEATURES: tuple[str, ...] = tuple(
    "container.p container.a container.u container.img container.class-header container.class-bold "
    "container.class-italic container.class-list container.class-form "
    "split.p split.br split.class-inline split.class-block "
    "char.alpha-rel char.num-rel char.punct-rel char.white-rel char.other-rel "
    "token.alpha-abs token.alpha-rel token.num-abs token.num-rel token.mix-abs token.mix-rel "
    "token.other-abs token.other-rel "
    "sentence.count sentence.avg-length avg-word-length avg-word-run sentence-begin sentence-end "
    "first-duplicate duplicate-count regexp.url regexp.date regexp.time bullet "
    "position document.word-count document.sentence-count document.block-count document.max-div-group "
    "document.max-td-group td-group.word-ratio div-group.word-ratio fragmentation".split()
)
assert len(FEATURES) == NUMBER
# features of the whole page, or that say nothing of the neighbours
_GLOBAL = frozenset(_OWN.split())
# a value takes four bits, of which the last one is for places outside the page (_crf.pyx)
VALUES = 16
# what is known of a block's neighbours, to either side
_WINDOW = 3

Slot = tuple[str, int]
"""A feature, and how many blocks ahead it is read."""


class Reading(NamedTuple):
    """What a model says of a document's blocks.

    Attributes:
        labels: shape (runs,), uint8: the likeliest sequence; `o` where the text is not shown.
        clean: shape (runs,), float64: the probability, given the page, that a block is not `o`.
    """

    labels: Labels
    clean: npt.NDArray[np.float64]


def visible_rows(document: Document) -> npt.NDArray[np.int32]:
    """Numbers of the runs that a reader sees."""
    return np.flatnonzero(document.visible[document.runs["segment"]]).astype(np.int32)


def block_features(document: Document, rows: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.uint8]:
    """Shape (rows, len(FEATURES)), uint8: the features of a document's visible runs, or of those named."""
    if rows is None:
        rows = visible_rows(document)
    return features(document.data, document.runs, document.segments, document.elements, rows)


def make_slots(without: Iterable[str] = (), window: int = _WINDOW) -> tuple[Slot, ...]:
    """All features but some, each with the places where it is read.

    Raises:
        TrainingError: there is no such feature.
    """
    left_out = set(without)
    if unknown := left_out - set(FEATURES):
        raise TrainingError(f"no feature {sorted(unknown)[0]!r}: there are {', '.join(FEATURES)}")
    return tuple(
        (name, offset)
        for name in FEATURES
        if name not in left_out
        for offset in ((0,) if name in _GLOBAL else range(-window, window + 1))
    )


def _slot_table(slots: Sequence[Slot]) -> npt.NDArray[np.int32]:
    return np.array([(FEATURES.index(name), offset) for name, offset in slots], np.int32).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class VictorModel(Stored):
    """A conditional random field over the blocks of a page.

    Attributes:
        slots: the features, and where each is read.
        state: shape (16 * slots, 5), float32: for each slot and value a weight for each label.
        transitions: shape (5, 5), float32: weight of going from the first label to the second.
        threshold: log-odds in bits from which a segment is kept; None to go by the likeliest sequence of
            labels, as the papers do.
        about: what the header says besides: name, language, training, sources.
    """

    KIND: ClassVar[str] = "victor"
    CALLED: ClassVar[str] = "a random field of Victor's"

    slots: tuple[Slot, ...]
    state: npt.NDArray[np.float32]
    transitions: npt.NDArray[np.float32]
    threshold: float | None = None
    about: dict[str, Any] = field(default_factory=dict)

    def with_threshold(self, threshold: float | Preset) -> VictorModel:
        """The same weights with a threshold, in bits.

        Raises:
            ModelError: presets (`precision`, `recall`) are for n-gram models.
        """
        if isinstance(threshold, str):
            raise ModelError(f"the model {self.name} has no preset {threshold!r}: give a threshold in bits")
        return replace(self, threshold=threshold)

    def scores(self, values: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Shape (blocks, 5): the state scores of blocks with these features, natural logarithm."""
        return state_scores(values, _slot_table(self.slots), self.state)

    def read(self, document: Document) -> Reading:
        """Labels all blocks of a page."""
        rows = visible_rows(document)
        scores = self.scores(block_features(document, rows))
        labels = np.full(len(document.runs), OTHER, np.uint8)
        clean = np.zeros(len(document.runs))
        labels[rows] = viterbi(scores, self.transitions)
        clean[rows] = 1 - marginals(scores, self.transitions)[:, OTHER]
        return Reading(labels, clean)

    def to_bytes(self) -> bytes:
        """The model file. The same model gives the same bytes."""
        header = {
            "kind": self.KIND,
            "labels": LABELS,
            "slots": [list(slot) for slot in self.slots],
            "threshold": self.threshold,
            **self.about,
        }
        return pack(header, {"state": self.state, "transitions": self.transitions})

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> VictorModel:
        """The model of an unpacked file."""
        slots = tuple((str(feature), int(offset)) for feature, offset in header["slots"])
        _slot_table(slots)
        threshold = None if header["threshold"] is None else float(header["threshold"])
        state, transitions = (reals(arrays[part]) for part in ("state", "transitions"))
        size = len(LABELS)
        if (
            header["labels"] != LABELS
            or state.shape != (VALUES * len(slots), size)
            or transitions.shape != (size, size)
            or (threshold is not None and not np.isfinite(threshold))
        ):
            raise ValueError("labels, slots and weights do not belong together")
        about = about_of(header, "labels", "slots", "threshold")
        return cls(slots, state, transitions, threshold, about)

    def summary(self) -> str:
        """What the model is, in a few words."""
        features = len({name for name, _ in self.slots})
        return f"{features} features, {np.count_nonzero(self.state):,} weights"

    def card(self, number: int = 20) -> Card:
        """Training, transitions, and up to `number` of the heaviest weights on either side."""
        training = self.about.get("training") or {}
        blocks = training.get("blocks") or {}
        facts = [
            ("name", self.name),
            ("language", str(self.about.get("language", "-"))),
            ("model", self.summary()),
            (
                "training",
                f"{training.get('pages', 0):,} pages of {training.get('sites', 0):,} sites "
                f"({sum(blocks.values()):,} blocks, {blocks.get('o', 0):,} of them to be removed)",
            ),
            ("sources", str(self.about.get("sources", "-"))),
        ]
        tables = [
            Table(
                "weights of going from label to label",
                ("from \\ to", *LABELS),
                [
                    (label, *(f"{weight:+.2f}" for weight in row))
                    for label, row in zip(LABELS, self.transitions.tolist(), strict=True)
                ],
            )
        ]
        # weight of the best label that keeps a block, against removing it
        ratio = self.state[:, :OTHER].max(axis=1) - self.state[:, OTHER]
        for side, order in (("keeping", -ratio), ("removing", ratio)):
            rows = []
            for position in np.argsort(order, kind="stable")[:number].tolist():
                slot, value = divmod(position, VALUES)
                name, offset = self.slots[slot]
                shown = "none" if value == VALUES - 1 else str(value)
                rows.append((name, f"{offset:+}", shown, f"{ratio[position]:+.2f}"))
            tables.append(Table(f"heaviest for {side}", ("feature", "at", "value", "weight"), rows))
        return Card(facts, tables)

    def __repr__(self) -> str:
        used = np.count_nonzero(self.state)
        return f"<VictorModel {self.name}: {len({name for name, _ in self.slots})} features, {used} weights>"
