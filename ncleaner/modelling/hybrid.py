"""The hybrid: a language's n-grams and the structure model together.

The structure model serves all languages and comes with the package; what differs from language to language is
the n-grams, and how far the two can be trusted there. So any n-gram model makes a hybrid, and one that was
trained for it carries its own calibration, and its own structure model where there were pages enough.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.modelling._decide import decide, probabilities_of
from ncleaner.modelling.card import Card, figures_of
from ncleaner.modelling.container import Stored, about_of, pack
from ncleaner.modelling.decision import Preset
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import BALANCES, Structure, load_structure

__all__ = ["Calibration", "HybridModel", "Judgement", "keep_of"]

_load_structure = cache(load_structure)


@dataclass(frozen=True)
class Calibration:
    """How the structure model's log-odds are read on pages like those trained on: slope · log-odds + offset,
    in nats, are the log-odds that a word is clean."""

    slope: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.slope) and math.isfinite(self.offset) and self.slope > 0):
            raise ValueError("a calibration has a positive slope and an offset, both finite")

    def __call__(self, odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Calibrated log-odds, in nats."""
        return self.slope * odds + self.offset


def keep_of(
    document: Document, odds: npt.NDArray[np.float64], balance: str = "balanced"
) -> npt.NDArray[np.bool_]:
    """Which segments to keep of a page, by their log-odds in nats: shape (segments,)."""
    # characters: words cannot be counted in every script
    sizes = document.segments["chars"].astype(np.float64)
    return decide(probabilities_of(odds), sizes, BALANCES[balance])


class Judgement(NamedTuple):
    """What the hybrid says of a document's segments.

    Attributes:
        mask: shape (segments,), bool: those to keep.
        scores: shape (segments,), float64: log-odds of being clean, in bits.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HybridModel(Stored):
    """N-grams of a language with a structure model.

    Attributes:
        ngrams: of the language.
        structure: shipped, or of its own.
        calibration: of the two on that language's pages.
        threshold: in bits; segments that reach it are kept. None decides for the page as a whole.
        balance: how that weighs recall against precision (`ncleaner.structure.BALANCES`).
        own: whether the structure model belongs to this model's file.
        about: what the header says besides: name, language, training, sources.
    """

    KIND: ClassVar[str] = "hybrid"
    CALLED: ClassVar[str] = "a hybrid"

    ngrams: NGramModel
    structure: Structure
    calibration: Calibration = Calibration()
    threshold: float | None = None
    balance: str = "balanced"
    own: bool = False
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_ngrams(cls, ngrams: NGramModel) -> HybridModel:
        """n-grams with the shipped structure model, as it is."""
        return cls(ngrams, _load_structure(), about=ngrams.about)

    @classmethod
    def of_model(cls, model: Stored) -> HybridModel:
        """The model itself, or n-grams with the shipped structure model. Raises ValueError: it is neither."""
        return cls.of_ngrams(model) if isinstance(model, NGramModel) else super().of_model(model)

    @property
    def name(self) -> str:
        """The name it was trained under."""
        return str(self.about.get("name", self.ngrams.name))

    def with_threshold(self, threshold: float | Preset) -> HybridModel:
        """The same model with another threshold, in bits, or a preset.

        Raises:
            ValueError: not a finite number.
        """
        if isinstance(threshold, str):
            return replace(self, balance=threshold, threshold=None)
        if not math.isfinite(threshold):
            raise ValueError(f"the threshold is {threshold}, but has to be a number")
        return replace(self, threshold=float(threshold))

    def judge(self, document: Document) -> Judgement:
        """Judges the segments of an HTML page."""
        table = document.segments
        sums, counts = self.ngrams.log_odds(document.data, table["start"], table["end"])
        posterior = self.ngrams.decision.statistics(sums, counts)
        odds = self.calibration(self.structure.judge(document, sums, posterior))
        scores = odds / math.log(2)
        if self.threshold is not None:
            mask = scores >= self.threshold
        else:
            mask = keep_of(document, odds, self.balance)
        return Judgement(mask, scores)

    def to_bytes(self) -> bytes:
        """The model file: the files of its parts in one. The same model gives the same bytes."""
        parts = {"ngrams": self.ngrams.to_bytes()}
        if self.own:
            parts["structure"] = self.structure.to_bytes()
        arrays = {name: np.frombuffer(data, np.uint8) for name, data in parts.items()}
        header = {
            "kind": self.KIND,
            "calibration": asdict(self.calibration),
            "threshold": self.threshold,
            "balance": self.balance,
            **self.about,
        }
        return pack(header, arrays)

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> HybridModel:
        """The model of an unpacked file. Raises ModelError for features that this version does not have."""
        ngrams = NGramModel.from_bytes(arrays["ngrams"].tobytes(), f"{name} (its n-grams)")
        own = "structure" in arrays
        structure = (
            Structure.from_bytes(arrays["structure"].tobytes(), f"{name} (its structure model)")
            if own
            else _load_structure()
        )
        threshold = header["threshold"]
        if header["balance"] not in BALANCES:
            raise ValueError(f"unknown balance {header['balance']!r}")
        return cls(
            ngrams,
            structure,
            Calibration(**{key: float(value) for key, value in header["calibration"].items()}),
            None if threshold is None else float(threshold),
            header["balance"],
            own,
            about_of(header, "calibration", "threshold", "balance"),
        )

    def summary(self) -> str:
        """What the model is, in a few words."""
        structure = "a structure model of their own" if self.own else "the shipped structure model"
        return f"{self.ngrams.summary()}, and {structure}"

    def card(self, number: int = 20) -> Card:
        """Its calibration and figures, its n-grams and, where it has one of its own, its structure model."""
        calibration = self.calibration
        structure = "of its own" if self.own else "the shipped one"
        decided = self.balance if self.threshold is None else f"threshold {self.threshold:g} bits"
        figures = figures_of(self.about)
        facts = [
            (
                "hybrid",
                f"structure model: {structure}; log-odds × {calibration.slope:g} {calibration.offset:+g}; "
                f"{decided}",
            ),
            ("validated", "-" if figures is None else "P {}  R {}  F {} (words, per cent)".format(*figures)),
        ]
        parts = [self.ngrams.card(number), *([self.structure.card(number)] if self.own else [])]
        return Card(
            [*facts, *(fact for part in parts for fact in part.facts)],
            [table for part in parts for table in part.tables],
        )

    def __repr__(self) -> str:
        return f"<HybridModel {self.name}: {self.ngrams!r}, {self.structure!r}>"
