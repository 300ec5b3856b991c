"""The structure model: it tells main text from boilerplate by the structure of the page, in any language.

Two forests of small trees judge each segment. The first forest sees the segment and the blocks above it. The
second
forest also sees what follows from the first judgement of all segments of the page: where the text is
concentrated, how segments of the same style are judged, what is before and after. The scores of the n-grams
are one feature among many. The model contains no words except those of class names, so it serves any
language.

`_decide` then chooses the kept segments for the page as a whole.
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

# Model files store the weights of names as small integers, in steps of this size.
STEP = 1 / 32

# Beta of the F-score whose expectation the decision maximises: the weight of recall against precision.
BALANCES: dict[str, float] = {"precision": 0.5, "balanced": 1.0, "recall": 2.0}
# The second forest skips segments whose first probability is below `_PLAIN`, and its trees behind the first
# `_EARLY` skip segments whose log-odds are beyond ±`_CLEAR` nats: they change no figure (docs/hybrid.md).
_PLAIN, _EARLY, _CLEAR = 0.1, 20, 1.5


@dataclass(frozen=True, eq=False)
class Trees:
    """A forest as arrays.

    Attributes:
        features: shape (nodes,), column of the feature that a node tests.
        rows: shape (nodes,), row that a node tests: 0 is the segment itself, −1 the segment before.
        thresholds: shape (nodes,), float32; values up to the threshold go left.
        left, right: shape (nodes,), children within the tree; leaf k is −1 − k.
        leaves: shape (leaves,), float32, log-odds.
        sizes: shape (trees,), number of nodes of each tree.
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
        """Makes the arrays from sequences of numbers."""
        return cls(
            **{
                column.name: np.asarray(
                    columns[column.name], np.float32 if column.name in ("thresholds", "leaves") else np.int64
                )
                for column in fields(cls)
            }  # type: ignore[arg-type]
        )

    def forest(self) -> Forest:
        """Returns the compiled forest.

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
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role, multiples of
            `STEP`.
        first, second: the two forests.
        about: other entries of the header: training data and figures.
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
        """Returns the log-odds that each segment of an HTML page is clean, in nats: shape (segments,).

        Args:
            document: the page.
            odds, posterior: shape (segments,): log-odds and statistics of the n-grams, in bits.
        """
        first, second = self._forests
        spare = max(first.reach, second.reach)
        matrix = first_features(document, odds, posterior, self.weights, spare)
        odds = first.predict(matrix, spare)
        probabilities = probabilities_of(odds)
        second_features(document, matrix, probabilities, spare)
        # most segments are clear after the first forest, or after a few trees of the second
        chosen = np.flatnonzero(probabilities >= _PLAIN).astype(np.int32)
        odds[chosen] = second.predict(matrix, spare, chosen, 0, _EARLY)[chosen]
        chosen = chosen[np.abs(odds[chosen]) <= _CLEAR]
        odds[chosen] += second.predict(matrix, spare, chosen, _EARLY)[chosen]
        return odds

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Returns {name: table} as model files store them."""
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
        """Makes the model from its tables; `features` are the names of the columns that the trees test.

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
        _ = model._forests  # raises ValueError if the trees are wrong
        return model

    def to_bytes(self) -> bytes:
        """Returns the model file. The same model gives the same bytes."""
        names = [feature.name for feature in FEATURES]
        header = {"kind": self.KIND, "hashes": HASHES_VERSION, "features": names, **self.about}
        return pack(header, self.arrays())

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Structure:
        """Makes the model from an unpacked file.

        Raises:
            ModelError: this version computes other hashes of names.
            ValueError: see `of_arrays`.
        """
        # files without a version were written before the hashes first changed
        hashes = header.get("hashes", 1)
        if hashes != HASHES_VERSION:
            raise ModelError(
                f"{name} was trained with version {hashes!r} of the hashes of names, and this ncleaner has "
                f"version {HASHES_VERSION}: train it again"
            )
        return cls.of_arrays(list(header["features"]), arrays, about_of(header, "features", "hashes"))

    def with_threshold(self, threshold: float | Preset) -> Structure:
        """Raises ModelError: a structure model decides only as part of a hybrid."""
        raise ModelError(f"the structure model {self.name} has no threshold: give it to a hybrid")

    def summary(self) -> str:
        """Describes the model in a few words."""
        return f"{len(self.first.sizes)} and {len(self.second.sizes)} trees"

    def card(self, number: int = 20) -> Card:
        """Describes training, trees, and the features that the trees test most often."""
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
        return Card(facts, [Table("tested most often", ("feature", "times", "what it is"), rows, (0, 2))])

    def __repr__(self) -> str:
        return f"<Structure {self.name}: {len(self.first.sizes)} and {len(self.second.sizes)} trees>"


# element types of the arrays of trees in a file
_STORED = {
    "features": "<u2", "rows": "i1", "thresholds": "<f4", "left": "<i2", "right": "<i2", "leaves": "<f4",
    "sizes": "<u2",
}  # fmt: skip


def load_structure(name: str | Path = "structure") -> Structure:
    """Loads the shipped structure model, or one from a file.

    Raises:
        ModelError: no such model, or the file is no structure model.
    """
    return Structure.from_bytes(model_bytes(name), str(name))
