"""From n-gram scores to the kept segments: the statistic, its calibration, its thresholds.

A segment has three statistics, all in bits (log2); a larger value means cleaner text:

`character` is the mean log-odds per character, the difference of two cross-entropies (Evert 2008, section 3).
`segment`   is their sum, the log-odds of the whole segment: a short segment must be cleaner to be kept.
`page`      is the posterior log-odds given all segments of the page: the sum, bounded and calibrated by
            logistic regression, is the evidence in a two-state chain of clean and dirty segments.

docs/languages.md has the figures for each.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from ncleaner.errors import ModelError
from ncleaner.modelling import STATISTICS, Statistic
from ncleaner.modelling._decision import Statistics

Preset = Literal["balanced", "precision", "recall"]
PRESETS: tuple[Preset, ...] = ("balanced", "precision", "recall")
# Factor on the chain's probability that a page has no clean text: such pages are rarer than the chain
# expects.
_EMPTY = 0.01
# The numbers of a decision besides its thresholds.
_CALIBRATION = ("slope", "offset", "to_clean", "stay_clean", "opening", "closing", "scale", "shift")


@dataclass(frozen=True)
class Decision:
    """Turns scores into a mask.

    Attributes:
        statistic: `page`, `segment` or `character`.
        threshold: in bits; segments with at least this statistic are kept.
        presets: {name: threshold} for precision or recall.
        slope, offset: calibration of a segment's log-odds as evidence in the chain, in bits:
            slope · tanh(log-odds / 20) + offset; `page` only.
        to_clean, stay_clean: transition probabilities of the chain; `page` only.
        opening: log-odds, in bits, that a page begins with a clean segment; `page` only.
        closing: log-ratio, in bits, of the probabilities that a clean and that a dirty segment is the last;
            `page` only.
        scale, shift: calibration of the chain's odds, in bits: scale · odds + shift are the log-odds that a
            word of the segment is clean; `page` only.
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

    def with_threshold(self, threshold: float | Preset) -> "Decision":
        """Returns the decision with another threshold, in bits, or with one of its presets.

        Raises:
            ModelError: the model has no such preset.
            ValueError: the threshold is not a finite number.
        """
        if isinstance(threshold, str):
            if threshold not in self.presets:
                raise ModelError(
                    f"the model has no preset {threshold!r}: give a threshold in bits, or train it again"
                )
            threshold = self.presets[threshold]
        if not math.isfinite(threshold):
            raise ValueError(f"the threshold is {threshold}, but must be a number")
        return replace(self, threshold=float(threshold))

    def statistics(
        self, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.float64]:
        """Returns the statistic of each segment of one page, in bits: shape (segments,).

        Args:
            sums, counts: shape (segments,); see `NGramModel.log_odds`.
        """
        return self.compiled.of(sums, counts)

    @cached_property
    def compiled(self) -> Statistics:
        """The statistic in compiled code."""
        return Statistics(
            self.statistic, {"empty": _EMPTY} | {name: getattr(self, name) for name in _CALIBRATION}
        )

    @classmethod
    def of_header(cls, header: dict[str, Any]) -> "Decision":
        """Makes the decision from the entry of a model's header, which has its fields.

        Raises:
            ValueError: unknown statistic, or numbers out of range.
        """
        if header["statistic"] not in STATISTICS:
            raise ValueError(f"unknown statistic {header['statistic']!r}")
        numbers = {name: float(header[name]) for name in ("threshold", *_CALIBRATION)}
        presets = {str(name): float(value) for name, value in header["presets"].items()}
        if not all(map(math.isfinite, (*numbers.values(), *presets.values()))):
            raise ValueError("a threshold or a calibration is not a number")
        if not all(0 < numbers[name] < 1 for name in ("to_clean", "stay_clean")):
            raise ValueError("the transition probabilities have to lie between 0 and 1")
        return cls(statistic=cast(Statistic, header["statistic"]), presets=presets, **numbers)
