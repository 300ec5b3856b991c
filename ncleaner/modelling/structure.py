"""The structure model: what tells main text from boilerplate on a page, apart from the words of a language.

Two forests of small trees judge each segment. The first sees the segment and the blocks above it; the second
sees what follows from the first judgement of all segments of the page, too: where the text gathers, what
segments of the same style are like, what stands before and after. Both take the n-grams' verdict as one
feature among many, so the model holds no words but those of class names, and serves any language.

Which segments are kept is then decided for the page as a whole (`_decide.pyx`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._document import HASHES_VERSION
from ncleaner.errors import ModelError
from ncleaner.modelling._decide import probabilities_of
from ncleaner.modelling._forest import Forest
from ncleaner.modelling.card import Card, Table
from ncleaner.modelling.container import Stored, about_of, integers, pack, reals
from ncleaner.modelling.decision import Preset
from ncleaner.modelling.features import FEATURES, WEIGHTS, first_features, second_features
from ncleaner.modelling.shipped import model_bytes

__all__ = ["BALANCES", "STEP", "Structure", "Trees", "load_structure"]

# Weights of names are kept in steps of this, as small integers.
STEP = 1 / 32

# How much more recall counts than precision: beta of the F-score that is expected to be largest.
BALANCES: dict[str, float] = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
# A first judgement below this stands, and so does what the first trees of the second forest say in more nats
# than these: what the later trees say of such segments changes no figure (docs/hybrid.md).
_PLAIN, _EARLY, _CLEAR = 0.1, 20, 1.5


@dataclass(frozen=True, eq=False)
class Trees:
    """A forest as arrays.

    Attributes:
        features: shape (nodes,), the name of the feature that a node asks for, as its column.
        rows: shape (nodes,), which row: 0 the segment's own, -1 the one before.
        thresholds: shape (nodes,), float32; values at most as large go left.
        left, right: shape (nodes,), children within the tree; leaf k is -1 - k.
        leaves: shape (leaves,), float32, log-odds.
        sizes: shape (trees,), nodes of each.
    """

    features: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    thresholds: npt.NDArray[np.float32]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    leaves: npt.NDArray[np.float32]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any]) -> Trees:
        """From sequences of numbers by the names above."""
        return cls(
            **{
                column.name: np.asarray(
                    columns[column.name], np.float32 if column.name in ("thresholds", "leaves") else np.int64
                )
                for column in fields(cls)
            }  # type: ignore[arg-type]
        )

    def forest(self) -> Forest:
        """Ready for use on pages' matrices.

        Raises:
            ValueError: the arrays do not belong together.
        """
        return Forest(
            self.features, self.rows, self.thresholds, self.left, self.right, self.leaves, self.sizes,
            len(FEATURES),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Structure(Stored):
    """A trained structure model.

    Attributes:
        weights: shape (WEIGHTS,), float32: of the hashed words in class, id and role, in steps of `STEP`.
        first, second: the forests that judge.
        about: training data and figures, for the header.
    """

    KIND: ClassVar[str] = "structure"
    CALLED: ClassVar[str] = "a structure model"

    weights: npt.NDArray[np.float32]
    first: Trees
    second: Trees
    about: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def _forests(self) -> tuple[Forest, Forest]:
        return self.first.forest(), self.second.forest()

    def judge(
        self, document: Document, odds: npt.NDArray[np.float64], posterior: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Log-odds that each segment of an HTML page is clean, in nats: shape (segments,).

        Args:
            document: the page.
            odds, posterior: shape (segments,): what the n-grams say, in bits.
        """
        first, second = self._forests
        spare = max(first.reach, second.reach)
        matrix = first_features(document, odds, posterior, self.weights, spare)
        odds = first.predict(matrix, spare)
        probabilities = probabilities_of(odds)
        second_features(document, matrix, probabilities, spare)
        # most segments are clear at the first look, or soon in the second
        chosen = np.flatnonzero(probabilities >= _PLAIN).astype(np.int32)
        odds[chosen] = second.predict(matrix, spare, chosen, 0, _EARLY)[chosen]
        chosen = chosen[np.abs(odds[chosen]) <= _CLEAR]
        odds[chosen] += second.predict(matrix, spare, chosen, _EARLY)[chosen]
        return odds

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All its tables by name, as model files hold them."""
        found: dict[str, npt.NDArray[Any]] = {"weights": np.rint(self.weights / STEP).astype(np.int16)}
        forests = {"first": self.first, "second": self.second}
        for name, trees in forests.items():
            for column in fields(Trees):
                values = getattr(trees, column.name)
                kind = _STORED[column.name]
                if values.dtype.kind == "i" and not np.array_equal(values, values.astype(kind)):
                    raise ValueError(f"{name}: {column.name} is out of range")
                found[f"{name}.{column.name}"] = values.astype(kind)
        return found

    @classmethod
    def of_arrays(
        cls, features: list[str], arrays: Mapping[str, npt.NDArray[Any]], about: dict[str, Any]
    ) -> Structure:
        """A model from its tables; `features` are the names that the trees' columns stand for.

        Raises:
            ValueError: the tables do not belong together, or the features are not those of this version.
        """
        here = {feature.name: column for column, feature in enumerate(FEATURES)}
        place = np.array([here.get(name, -1) for name in features], np.int64)

        def trees_of(name: str) -> Trees:
            columns: dict[str, npt.NDArray[Any]] = {}
            for column in fields(Trees):
                checked = reals if column.name in ("thresholds", "leaves") else integers
                columns[column.name] = checked(arrays[f"{name}.{column.name}"])
            asked = columns.pop("features")
            if np.any(asked < 0) or np.any(asked >= len(features)):
                raise ValueError("its trees ask for features that it does not name")
            unknown = sorted({features[number] for number in asked.tolist() if place[number] < 0})
            if unknown:
                raise ValueError(
                    f"its trees ask for features that there are not ({', '.join(unknown)}): it is of another "
                    "version of ncleaner; train it again"
                )
            return Trees.of_columns({**columns, "features": place[asked]})

        steps = integers(arrays["weights"])
        if steps.shape != (WEIGHTS,) or np.any(steps != steps.astype(np.int16)):
            raise ValueError("the weights of names are of another size")
        weights = steps.astype(np.float32) * np.float32(STEP)
        model = cls(weights, trees_of("first"), trees_of("second"), about)
        _ = model._forests  # says what is wrong with the trees
        return model

    def to_bytes(self) -> bytes:
        """The model file. The same model gives the same bytes."""
        names = [feature.name for feature in FEATURES]
        header = {"kind": self.KIND, "hashes": HASHES_VERSION, "features": names, **self.about}
        return pack(header, self.arrays())

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Structure:
        """The model of an unpacked file.

        Raises:
            ModelError: this version hashes the words of names in another way.
            ValueError: see `of_arrays`.
        """
        # Files without a version are older than the first change of the hashes.
        hashes = header.get("hashes", 1)
        if hashes != HASHES_VERSION:
            raise ModelError(
                f"{name} was trained with version {hashes!r} of the hashes of names, and this ncleaner has "
                f"version {HASHES_VERSION}: train it again"
            )
        return cls.of_arrays(list(header["features"]), arrays, about_of(header, "features", "hashes"))

    def with_threshold(self, threshold: float | Preset) -> Structure:
        """A structure model decides nothing by itself. Raises ModelError."""
        raise ModelError(f"the structure model {self.name} has no threshold: give it to a hybrid")

    def summary(self) -> str:
        """What the model is, in a few words."""
        return f"{len(self.first.sizes)} and {len(self.second.sizes)} trees"

    def card(self, number: int = 20) -> Card:
        """Training, trees, and the features that they ask for most."""
        training = self.about.get("training") or {}
        asked = Counter(self.first.features.tolist()) + Counter(self.second.features.tolist())
        ranked = sorted(asked.items(), key=lambda item: (-item[1], item[0]))[:number]
        facts = [
            ("name", self.name),
            ("training", f"{training.get('pages', 0):,} pages of {training.get('sites', 0):,} sites"),
            (
                "trees",
                f"{len(self.first.sizes)} for the first judgement, {len(self.second.sizes)} for the second",
            ),
            ("names", f"{np.count_nonzero(self.weights):,} hashed words of class, id and role"),
            ("sources", str(self.about.get("sources", "-"))),
        ]
        rows = [(FEATURES[column].name, str(times), FEATURES[column].about) for column, times in ranked]
        return Card(facts, [Table("asked for most often", ("feature", "times", "what it is"), rows, (0, 2))])

    def __repr__(self) -> str:
        return f"<Structure {self.name}: {len(self.first.sizes)} and {len(self.second.sizes)} trees>"


# how the arrays of trees stand in a file
_STORED = {
    "features": "<u2", "rows": "i1", "thresholds": "<f4", "left": "<i2", "right": "<i2", "leaves": "<f4",
    "sizes": "<u2",
}  # fmt: skip


def load_structure(name: str | Path = "structure") -> Structure:
    """The shipped structure model, or one from a file.

    Raises:
        ModelError: no such model, or the file is no structure model.
    """
    return Structure.from_bytes(model_bytes(name), str(name))
