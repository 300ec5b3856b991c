"""From n-gram scores to the segments that are kept: the statistic, its calibration, its thresholds.

Three statistics of a segment, all in bits (log2), larger for cleaner text:

`character` the mean log-odds per character, the difference of two cross-entropies (Evert 2008, section 3).
`segment`   their sum, the log-odds of the segment as a whole: a short one has to be cleaner to be kept.
`page`      the posterior log-odds given all segments of the page: the sum, bounded and calibrated by logistic
            regression, is the evidence in a two-state chain of clean and dirty segments.

docs/accuracy.md has the figures for each.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from ncleaner.errors import ModelError
from ncleaner.modelling._chain import posterior

__all__ = ["PRESETS", "STATISTICS", "Decision", "Preset", "Statistic"]

Statistic = Literal["page", "segment", "character"]
STATISTICS: tuple[Statistic, ...] = ("page", "segment", "character")
Preset = Literal["balanced", "precision", "recall"]
PRESETS: tuple[Preset, ...] = ("balanced", "precision", "recall")
# log-odds around which evidence saturates, in bits: the characters of a long segment are far from independent
_SATURATION = 20.0
# a page without any clean text is this much less likely than the chain believes
_EMPTY = 0.01


@dataclass(frozen=True)
class Decision:
    """How scores become a mask.

    Attributes:
        statistic: `page`, `segment` or `character`.
        threshold: segments whose statistic reaches it are kept, in bits.
        presets: thresholds that favour precision or recall, by name.
        slope, offset: calibration of a segment's log-odds as evidence in the chain, in bits:
            slope · tanh(log-odds / 20) + offset; `page` only.
        to_clean, stay_clean: transition probabilities of the chain; `page` only.
        opening, closing: log-odds in bits that a page begins with a clean segment, and log-ratio in bits of
            the probabilities that a clean and that a dirty one is the last; `page` only.
        scale, shift: calibration of what the chain says, in bits, so that a word of a segment is as likely
            clean as its statistic says: scale · odds + shift; `page` only.
    """

    statistic: Statistic = "segment"
    threshold: float = 0.0
    presets: dict[str, float] = field(default_factory=dict)
    slope: float = 1.0
    offset: float = 0.0
    to_clean: float = 0.5
    stay_clean: float = 0.5
    opening: float = 0.0
    closing: float = 0.0
    scale: float = 1.0
    shift: float = 0.0

    def with_threshold(self, threshold: float | Preset) -> Decision:
        """The same decision with another threshold, in bits, or one of its presets.

        Raises:
            ModelError: a preset that was not found when the model was trained.
            ValueError: not a finite number.
        """
        if isinstance(threshold, str):
            if threshold not in self.presets:
                raise ModelError(
                    f"the model has no preset {threshold!r}: give a threshold in bits, or train it again"
                )
            threshold = self.presets[threshold]
        if not math.isfinite(threshold):
            raise ValueError(f"the threshold is {threshold}, but has to be a number")
        return replace(self, threshold=float(threshold))

    def statistics(
        self, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.float64]:
        """The statistic of each segment of one page, in bits: shape (segments,), of `NGramModel.log_odds`."""
        if self.statistic == "character":
            means: npt.NDArray[np.float64] = sums / counts
            return means
        if self.statistic == "segment":
            return sums
        evidence = (self.slope * saturated(sums) + self.offset) * math.log(2)
        ends = self.opening * math.log(2), self.closing * math.log(2)
        odds = posterior(evidence, self.to_clean, self.stay_clean, *ends, _EMPTY) / math.log(2)
        return self.scale * odds + self.shift

    def header(self) -> dict[str, Any]:
        """What a model file records of it."""
        return asdict(self)

    @classmethod
    def of_header(cls, header: dict[str, Any]) -> Decision:
        """The decision that a model file describes.

        Raises:
            ValueError: unknown statistic, or numbers out of range.
        """
        if header["statistic"] not in STATISTICS:
            raise ValueError(f"unknown statistic {header['statistic']!r}")
        numbers = {
            name: float(header[name])
            for name in (
                "threshold", "slope", "offset", "to_clean", "stay_clean", "opening", "closing", "scale",
                "shift",
            )
        }  # fmt: skip
        presets = {str(name): float(value) for name, value in header["presets"].items()}
        if not all(map(math.isfinite, (*numbers.values(), *presets.values()))):
            raise ValueError("a threshold or a calibration is not a number")
        if not all(0 < numbers[name] < 1 for name in ("to_clean", "stay_clean")):
            raise ValueError("the transition probabilities have to lie between 0 and 1")
        return cls(statistic=cast(Statistic, header["statistic"]), presets=presets, **numbers)


def saturated(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Log-odds in bits, bounded smoothly to -1 … 1: evidence of a long segment saturates."""
    bounded: npt.NDArray[np.float64] = np.tanh(sums / _SATURATION)
    return bounded
