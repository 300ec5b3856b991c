"""The hybrid: a language's n-grams and the structure model together.

The structure model serves all languages and comes with the package. Each language has its own n-grams, and
its own calibration of the two. So every n-gram model makes a hybrid; a hybrid model file adds a calibration
and, if it was trained on enough pages, its own structure model. Plain text is judged by another structure
model, which also comes with the package, and by the n-grams in equal parts.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.fastclass import fastclass
from ncleaner.modelling._judge import HybridJudge, Steps
from ncleaner.modelling.container import Card, ModelFile, Parts, about_of, validated_facts
from ncleaner.modelling.decision import Decision, Preset
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import BALANCES, Structure, shipped_structure

# Losses of a segment, in nats, whose text is on many pages of the site, and, on an article, on another one.
# A forest with the numbers of pages as features gained no more, and lost on two sets (docs/sites.md).
# Headlines are on other pages as links to theirs, and lose nothing.
_REPEATED, _SHARED = 10.0, 3.0


@dataclass(frozen=True)
class Calibration:
    """Calibration of the structure model's log-odds on pages like the training pages: slope · log-odds +
    offset, in nats, are the log-odds that a word is clean."""

    slope: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.slope) and math.isfinite(self.offset) and self.slope > 0):
            raise ValueError("a calibration has a positive slope and an offset, both finite")

    def __call__(self, odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Returns calibrated log-odds, in nats."""
        return self.slope * odds + self.offset


class StructureChoice(NamedTuple):
    """How the structure of a page or of a plain text is judged.

    Attributes:
        structure: the structure model.
        calibration: of its log-odds.
        share: weight of the statistic of the n-grams beside them, where it is a log-odds given the page.
    """

    structure: Structure
    calibration: Calibration = Calibration()
    share: float = 0.0

    def mixed(
        self, odds: npt.NDArray[np.float64], statistic: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """Returns the log-odds of segments, in nats.

        Args:
            odds: shape (segments,): those of the structure model, in nats.
            statistic: shape (segments,): of the n-grams, in bits.
        """
        return self.calibration(odds) + self.share * math.log(2) * statistic


# Plain text tells less of its structure than a page, and languages and sites differ more: the mean of both
# log-odds is as good as either on all sets (docs/hybrid.md).
_SHARE = 0.5


def part_of_text(decision: Decision, structure: Structure | None = None) -> StructureChoice:
    """Returns how a plain text is judged beside n-grams with this decision, by default with the shipped
    structure model."""
    share = _SHARE if decision.statistic == "page" else 0.0
    return StructureChoice(structure or shipped_structure("text"), Calibration(1 - share), share)


class Judgement(NamedTuple):
    """The hybrid's judgement of a document's segments.

    Attributes:
        mask: shape (segments,), bool: those to keep.
        scores: shape (segments,), float64: log-odds of being clean, in bits.
        kinds: shape (len(KINDS),), float64: probability of each kind of page; all 0 if the model
            does not know kinds.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64]
    kinds: npt.NDArray[np.float64]


@fastclass
class HybridModel(ModelFile):
    """N-grams of a language with a structure model.

    >>> import ncleaner
    >>> pairs = ncleaner.read_pairs("examples/pages", "examples/gold")
    >>> model = ncleaner.train(pairs, alphabet="nonlexical")
    >>> model.ngrams.order, model.own, sorted(model.about["validation"])[:2]
    (2, False, ['f_score', 'f_score_error'])

    Attributes:
        ngrams: n-grams of the language.
        structure: the shipped structure model, or its own.
        calibration: calibration of the two on pages of that language.
        threshold: in bits; segments with at least these log-odds are kept. None: decide for the page as a
            whole.
        balance: weight of recall against precision in that decision; see `structure.BALANCES`.
        own: whether the structure model is part of this model's file.
        news: all pages are articles; a setting of the user, which model files do not store.
        of_text: the structure model of plain text, which model files do not store; None: the shipped one.
        text_by_ngrams: plain text is judged by the n-grams alone, as the method `ngram` does it.
        about: other entries of the header: name, language, training, sources.
    """

    KIND: ClassVar[str] = "hybrid"
    CALLED: ClassVar[str] = "a hybrid"

    ngrams: NGramModel
    structure: Structure
    calibration: Calibration = Calibration()
    threshold: float | None = None
    balance: str = "balanced"
    own: bool = False
    news: bool = False
    of_text: Structure | None = None
    text_by_ngrams: bool = False
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_ngrams(cls, ngrams: NGramModel) -> HybridModel:
        """Makes a hybrid from n-grams and the uncalibrated shipped structure model."""
        return cls(ngrams, shipped_structure(), about=ngrams.about)

    @classmethod
    def of_model(cls, model: ModelFile) -> HybridModel:
        """Returns the model itself, or makes it from n-grams. Raises ValueError: the model is neither."""
        return cls.of_ngrams(model) if isinstance(model, NGramModel) else super().of_model(model)

    @property
    def name(self) -> str:
        """The name that training recorded."""
        return str(self.about.get("name", self.ngrams.name))

    def with_threshold(self, threshold: float | Preset) -> HybridModel:
        """Returns the model with another threshold, in bits, or with a preset.

        Raises:
            ValueError: not a finite number.
        """
        if isinstance(threshold, str):
            return replace(self, balance=threshold, threshold=None)
        if not math.isfinite(threshold):
            raise ValueError(f"the threshold is {threshold}, but must be a number")
        return replace(self, threshold=float(threshold))

    def for_news(self) -> Self:
        """Returns the model for pages that are all articles."""
        return replace(self, news=True)

    def judge(self, document: Document, steps: Steps | None = None) -> Judgement:
        """Judges the segments of a document; `steps` gets the results of the steps, for explanations."""
        title = document.title.encode()
        on_site = None if document.site is None else document.site.repetition
        judge = self._of_text if document.is_text else self._of_pages
        found = None if self.ngrams.others else judge.judge(document.tables, title, None, on_site, steps)
        if found is None:
            # the segments of the page are not all scored as they are, or not all by one model
            table = document.segments
            scored = self.ngrams.log_odds(document.data, table["start"], table["end"])
            found = judge.judge(document.tables, title, scored, on_site, steps)
        assert found is not None
        return Judgement(*found)

    @property
    def own_ngrams(self) -> NGramModel:
        """The n-grams."""
        return self.ngrams

    @property
    def can_estimate(self) -> bool:
        """False with a structure model that does not estimate quality, such as one of its own."""
        return self.structure.quality is not None

    def part(self, is_text: bool) -> StructureChoice:
        """Returns how the structure of a page, or of a plain text, is judged.

        Raises ModelError: the shipped model of plain text cannot be read."""
        if is_text:
            return part_of_text(self.ngrams.decision, self.of_text)
        return StructureChoice(self.structure, self.calibration)

    @cached_property
    def _of_pages(self) -> HybridJudge:
        return self._compiled(self.part(False))

    @cached_property
    def _of_text(self) -> HybridJudge:
        return self._compiled(self.part(True))

    def _compiled(self, part: StructureChoice) -> HybridJudge:
        return HybridJudge(
            self.ngrams.compiled, part.structure.compiled, part.calibration.slope, part.calibration.offset,
            part.share, _REPEATED, _SHARED, self.threshold, BALANCES[self.balance], self.news,
        )  # fmt: skip

    def parts(self) -> Parts:
        """Returns the entries of the header, and the files of the models that it consists of."""
        files = {"ngrams": self.ngrams.to_bytes()}
        if self.own:
            files["structure"] = self.structure.to_bytes()
        arrays = {name: np.frombuffer(data, np.uint8) for name, data in files.items()}
        own: dict[str, Any] = {"threshold": self.threshold, "balance": self.balance}
        if self.text_by_ngrams:
            own["text_by_ngrams"] = True
        return {"calibration": asdict(self.calibration), **own}, arrays

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> HybridModel:
        """Makes the model from an unpacked file. Raises ModelError: this version lacks one of its
        features."""
        ngrams = NGramModel.from_bytes(arrays["ngrams"].tobytes(), f"{name} (its n-grams)")
        own = "structure" in arrays
        structure = (
            Structure.from_bytes(arrays["structure"].tobytes(), f"{name} (its structure model)")
            if own
            else shipped_structure()
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
            text_by_ngrams=bool(header.get("text_by_ngrams", False)),
            about=about_of(header, "calibration", "threshold", "balance", "text_by_ngrams"),
        )

    def summary(self) -> str:
        """Describes the model in a few words."""
        structure = "a structure model of their own" if self.own else "the shipped structure model"
        return f"{self.ngrams.summary()}, and {structure}"

    def card(self, number: int = 20) -> Card:
        """Describes its calibration and figures, its n-grams and, if it has its own, its structure model."""
        calibration = self.calibration
        structure = "of its own" if self.own else "the shipped one"
        decided = self.balance if self.threshold is None else f"threshold {self.threshold:g} bits"
        facts = [
            (
                "hybrid",
                f"structure model: {structure}; log-odds × {calibration.slope:g} {calibration.offset:+g}; "
                f"{decided}",
            ),
            *validated_facts(self.about, "hybrid"),
        ]
        parts = [self.ngrams.card(number), *([self.structure.card(number)] if self.own else [])]
        return Card(
            [*facts, *(fact for part in parts for fact in part.facts if fact not in facts)],
            [table for part in parts for table in part.tables],
        )

    def __repr__(self) -> str:
        return f"<HybridModel {self.name}: {self.ngrams!r}, {self.structure!r}>"
