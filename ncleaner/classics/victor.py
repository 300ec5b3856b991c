"""Victor: a conditional random field over the blocks of a page (Marek, Pecina and Spousta 2007).

"Web Page Cleaning with Conditional Random Fields" (CleanEval 2007) treats cleaning as sequence labelling. A
block is the text between two tags. Every block gets one of five labels, from features of
its markup, its content and its place in the page. "Victor: the Web-Page Cleaning Tool" (Spousta, Marek and
Pecina 2008) is the published system. The names, the counts, and the window of three blocks on either side
follow its feature modules and its CRF++ template of 2008:

- *markup*: `container.X`: the block is inside an element (`p`, `a`, `u`, `img`) or inside an element of a
  class; `split.X`: the number of tags (opening or closing) between the block and the one before;
- *content*: shares of characters by class; tokens, separated by white space, by class; sentences and their
  length in words; whether a sentence begins and ends; duplicates on the page, where only letters count; URLs,
  dates and times, by the number of the pattern; bullets and enumerations, with one value for each kind;
- *document*: position, size, and groups: the blocks with the same innermost `td` or `div`, by their words
  outside links. Features of the whole page are read at the block itself only.

Some details are not published, and this module chooses them: the bins (half octaves for counts, tenths for
shares); the members of the classes; dates by English month names; one group of all blocks outside any `td` or
`div`; the words of a group as a share of all words of the page; `fragmentation` as words per block, of the
whole page. A mark ends a sentence only before white space.

Two differences come from the Document's tables. They show `<br>` and `<hr>` as tags that open but never
close, and cannot tell the two apart, so `split.br` includes `split.hr`. `container.img` means alternative
text, if the Document contains it. The language identification of 2008 is left out. Hidden text is not in the
sequence, and its label is always `o`; the tags of hidden blocks count for the next block. docs/methods.md
lists all differences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ncleaner.classics._victor import NUMBER, features, marginals, state_scores
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import run_chars
from ncleaner.errors import TrainingError
from ncleaner.lab.training.labels import LABELS, OTHER
from ncleaner.modelling.container import Card, ModelFile, Parts, Table, about_of, reals
from ncleaner.text.visible import counted

_OWN = "position document.word-count document.sentence-count document.block-count document.max-div-group "
_OWN += "document.max-td-group fragmentation first-duplicate"
# In the order of _victor.pyx.
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
# Features of the whole page, and features whose value at a neighbour has no information about the block.
_GLOBAL = frozenset(_OWN.split())
# The version of the features: a change of what a name means needs a new version, and new training.
_VERSION = 1
# A value takes four bits. The last value is for positions outside the page (_victor.pyx).
VALUES = 16
# the number of neighbours on either side whose features are read
WINDOW = 3

# bound for log-odds of Victor, in bits
_CERTAIN = 40.0

Slot = tuple[str, int]
"""A feature, and the offset in blocks at which it is read (positive is ahead)."""


def visible_rows(document: Document) -> npt.NDArray[np.int32]:
    """Returns the numbers of the visible runs, int32."""
    return np.flatnonzero(document.visible[document.runs["segment"]]).astype(np.int32)


def block_features(document: Document, rows: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.uint8]:
    """Returns the features of a document's runs, shape (rows, len(FEATURES)), uint8.

    Args:
        document: the page.
        rows: shape (rows,), int32: the numbers of the runs; all visible runs by default.
    """
    if rows is None:
        rows = visible_rows(document)
    return features(document.tables, rows)


def make_slots(without: Iterable[str] = (), window: int = WINDOW) -> tuple[Slot, ...]:
    """Returns the slots of all features except those in `without`: each feature with its offsets.

    Raises:
        TrainingError: a name in `without` is not a feature.
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


def slot_table(slots: Sequence[Slot]) -> npt.NDArray[np.int32]:
    """Returns the numbers of the features and their offsets, shape (slots, 2), int32."""
    return np.array([(FEATURES.index(name), offset) for name, offset in slots], np.int32).reshape(-1, 2)


@dataclass(frozen=True, eq=False, repr=False)
class VictorModel(ModelFile):
    """A conditional random field over the blocks of a page.

    Attributes:
        slots: the features, and the offset of each.
        state: shape (16 * slots, 5), float32: for each slot and value one weight per label.
        transitions: shape (5, 5), float32: the weight of the transition from the first label to the second.
        threshold: the least log-odds, in bits, of a segment that is kept.
        about: further entries of the header: name, language, training, sources.
    """

    KIND: ClassVar[str] = "victor"
    CALLED: ClassVar[str] = "a random field of Victor's"

    slots: tuple[Slot, ...]
    state: npt.NDArray[np.float32]
    transitions: npt.NDArray[np.float32]
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)

    def scores(self, values: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
        """Returns the state scores of blocks with these features, shape (blocks, 5), natural logarithm."""
        return state_scores(values, slot_table(self.slots), self.state)

    def read(self, document: Document) -> npt.NDArray[np.float64]:
        """Returns the probability of each block, given the page, that it is not `o`: shape (runs,); 0 for
        hidden text."""
        rows = visible_rows(document)
        scores = self.scores(block_features(document, rows))
        clean = np.zeros(len(document.runs))
        clean[rows] = 1 - marginals(scores, self.transitions)[:, OTHER]
        return clean

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        header = {
            "labels": LABELS,
            "features": _VERSION,
            "slots": [list(slot) for slot in self.slots],
            "threshold": self.threshold,
        }
        return header, {"state": self.state, "transitions": self.transitions}

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Self:
        """Returns the model of an unpacked file."""
        if header["features"] != _VERSION:
            raise ValueError("the features have changed since the model was trained: train it again")
        slots = tuple((str(feature), int(offset)) for feature, offset in header["slots"])
        slot_table(slots)
        threshold = float(header["threshold"])
        state, transitions = (reals(arrays[part]) for part in ("state", "transitions"))
        size = len(LABELS)
        if (
            header["labels"] != LABELS
            or state.shape != (VALUES * len(slots), size)
            or transitions.shape != (size, size)
            or not np.isfinite(threshold)
        ):
            raise ValueError("labels, slots and weights do not belong together")
        about = about_of(header, "labels", "features", "slots", "threshold")
        return cls(slots, state, transitions, threshold, about)

    def summary(self) -> str:
        """Describes the model in a few words."""
        features = len({name for name, _ in self.slots})
        return f"{counted(features, 'feature')}, {counted(int(np.count_nonzero(self.state)), 'weight')}"

    def card(self, number: int = 20) -> Card:
        """Returns the training, the transitions, and up to `number` heaviest weights for either decision."""
        training = self.about.get("training") or {}
        blocks = training.get("blocks") or {}
        facts = self.trained_facts(
            f"{counted(sum(blocks.values()), 'block')}, {blocks.get('o', 0):,} of them to be removed"
        )
        tables = [
            Table(
                "weights of the transitions between labels",
                ("from \\ to", *LABELS),
                [
                    (label, *(f"{weight:+.2f}" for weight in row))
                    for label, row in zip(LABELS, self.transitions.tolist(), strict=True)
                ],
            )
        ]
        # The weight of the best label that keeps a block, minus the weight of the label that removes it.
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


class Victor:
    """Keeps the segments whose characters are likely to be in blocks that are not labelled `o`.

    Args:
        model: the conditional random field.
    """

    name = "victor"

    def __init__(self, model: VictorModel) -> None:
        self.model = model

    def keep(self, document: Document) -> Kept:
        """Decides with scores that are log-odds, in bits, of a character of the segment being clean.

        The kinds of segments stay those of the document: the kinds of the labels lost eleven points of
        labelled segmentation on CleanEval's development set.
        """
        owners, chars = document.runs["segment"], run_chars(document)
        size = len(document)
        clean = np.bincount(owners, chars * self.model.read(document), minlength=size)
        whole = np.bincount(owners, chars, minlength=size)
        with np.errstate(divide="ignore"):
            scores = np.log2(clean) - np.log2(np.maximum(whole - clean, 0))
        scores = np.clip(scores, -_CERTAIN, _CERTAIN)
        return Kept(scores >= self.model.threshold, scores)
