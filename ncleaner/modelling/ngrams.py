"""Trained n-gram models and their interpolation (Evert 2008, section 3).

A model holds counts, not probabilities: for each order up to n the n-grams that training saw, and their
frequencies in clean and in dirty text. Everything else (any q, a shorter n, the log-ratio table) follows from
the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Grams
from ncleaner.arguments import check_number, check_whole
from ncleaner.document import Document
from ncleaner.fastclass import fastclass
from ncleaner.modelling import LEAST_Q, MAX_ORDER, MOST_Q
from ncleaner.modelling._judge import NGramJudge
from ncleaner.modelling.alphabet import Alphabet, alphabet, compose
from ncleaner.modelling.container import (
    Card,
    ModelFile,
    Parts,
    Table,
    about_of,
    integers,
    pages_of,
    validated_facts,
)
from ncleaner.modelling.decision import Decision, Preset
from ncleaner.text.visible import counted

# a letter with a smaller share of the training text counts as unfamiliar, and so do the letters of a script
# that have less than the second share all together: English pages have some names in Cyrillic
_RARE, _RARE_SCRIPT = 1e-4, 1e-3
# most characters of training text: sums of counts are exact up to here
_MOST = 2.0**53
# largest dense table: 2^21 float32 are 8 MB
_DENSE_BITS = 21
Keys = npt.NDArray[np.uint64]
Tally = npt.NDArray[np.int64]


class Counts(NamedTuple):
    """n-grams of one length with their frequencies.

    Attributes:
        keys: sorted, distinct; the symbols of a gram, the last one in the lowest bits.
        clean, dirty: frequency of each in clean and in dirty text.
    """

    keys: Keys
    clean: Tally
    dirty: Tally


# ------------------------------------------------------------------------------------------------
# The model.


def interpolation_weights(order: int, q: float) -> list[float]:
    """Returns the weights of geometric interpolation, (1 − q) / (1 − qⁿ) · qⁱ (Evert 2008, equation 1), for
    i = 0 … n − 1, the number of history characters that are left out. They sum to 1."""
    check_number("q", q, low=LEAST_Q, high=MOST_Q)
    check_whole("order", order, 1, MAX_ORDER)
    return [(1 - q) / (1 - q**order) * q**i for i in range(order)]


def conditional(keys: Keys, counts: Tally, bits: int) -> npt.NDArray[np.float64]:
    """Returns the relative frequency of each gram among the grams of the same history; 0 for an unseen
    history."""
    history = keys >> np.uint64(bits)
    first = np.flatnonzero(np.concatenate(([True], history[1:] != history[:-1])))
    totals = np.add.reduceat(counts, first)
    total = np.repeat(totals, np.diff(np.concatenate((first, [len(keys)]))))
    shares = np.zeros(len(keys))
    np.divide(counts, total, out=shares, where=total > 0)
    return shares


def _positions(keys: Keys, wanted: Keys, bits: int) -> npt.NDArray[np.int64]:
    """Returns the position of each wanted key among the sorted keys, which contain all wanted keys."""
    if bits > 16:
        return np.searchsorted(keys, wanted)
    place = np.zeros(1 << bits, np.int64)
    place[keys.astype(np.int64)] = np.arange(len(keys))
    return place[wanted.astype(np.int64)]


@fastclass
class NGramModel(ModelFile):
    """A pair of n-gram models, clean and dirty, over one alphabet.

    >>> import ncleaner
    >>> model = ncleaner.load_model("en")
    >>> model.order, model.q, model.alphabet.name
    (3, 0.8, 'learned')
    >>> bigrams = model.with_parameters(order=2)
    >>> len(bigrams.log_probabilities("Ferry", "clean"))
    6

    Attributes:
        order: n, 1 to 8.
        q: interpolation factor, 0 < q < 1; larger values give the shorter histories more weight.
        alphabet: maps characters to symbols.
        levels: `Counts` for the lengths 1 … n.
        decision: turns scores into a mask.
        about: other entries of the header: name, language, training pages and words, date, sources.
        others: models for some segments of one page, with the rows of these segments; no part of the file.
    """

    KIND: ClassVar[str] = "ngram"
    CALLED: ClassVar[str] = "n-grams"

    order: int
    q: float
    alphabet: Alphabet
    levels: Sequence[Counts]
    decision: Decision = field(default_factory=Decision)
    about: dict[str, Any] = field(default_factory=dict)
    others: tuple[tuple[npt.NDArray[np.intp], NGramModel], ...] = ()

    def with_others(self, others: Sequence[tuple[npt.NDArray[np.intp], NGramModel]]) -> NGramModel:
        """Returns the model for one page, some of whose segments have the log-odds of other models.

        Args:
            others: for each of them the rows of its segments, and the model.
        """
        # with the table of scores that this model may have; `copy` would write and read a file
        mixed = object.__new__(type(self))
        mixed.__dict__.update(self.__dict__, others=tuple(others))
        return mixed

    def with_parameters(
        self, *, order: int | None = None, q: float | None = None, threshold: float | Preset | None = None
    ) -> NGramModel:
        """Returns the same counts with other parameters: `order` up to the trained order, `threshold` in bits
        or a preset. The calibration stays as it was trained for order and q.

        Raises:
            ModelError: the model has no such preset.
            ValueError: out of range.
        """
        new_order = self.order if order is None else order
        if not 1 <= new_order <= self.order:
            raise ValueError(f"the model was trained for orders 1 to {self.order}, not {order}")
        return replace(
            self,
            order=new_order,
            q=self.q if q is None else q,
            decision=self.decision if threshold is None else self.decision.with_threshold(threshold),
            levels=self.levels[:new_order],
        )

    def with_threshold(self, threshold: float | Preset) -> NGramModel:
        """Returns the model with another threshold, in bits, or with a preset."""
        return self.with_parameters(threshold=threshold)

    @classmethod
    def of_model(cls, model: ModelFile) -> NGramModel:
        """Returns the n-grams of a hybrid, or the model itself. Raises ValueError: the model has no
        n-grams."""
        return super().of_model(model.own_ngrams or model)

    @property
    def own_ngrams(self) -> NGramModel:
        """Itself."""
        return self

    def interpolated(self, side: Literal["clean", "dirty"]) -> list[npt.NDArray[np.float64]]:
        """Returns, for k = 1 … n, the interpolated probability of each seen gram of length k where no longer
        gram was seen: the sum of equation 1 over the orders up to k, with the weights of order n."""
        weights = interpolation_weights(self.order, self.q)
        bits = self.alphabet.bits
        size = self.alphabet.size
        sums: list[npt.NDArray[np.float64]] = []
        for k, level in enumerate(self.levels, 1):
            counts: Tally = getattr(level, side)
            weight = weights[self.order - k]
            if k == 1:
                unigrams = np.zeros(size, np.int64)
                unigrams[level.keys.astype(np.int64)] = counts
                # add-one smoothing, on unigrams only
                sums.append(weight * (unigrams + 1) / (unigrams.sum() + size))
                continue
            suffix = level.keys & np.uint64((1 << bits * (k - 1)) - 1)
            shorter = _positions(self.keys(k - 1), suffix, bits * (k - 1))
            sums.append(weight * conditional(level.keys, counts, bits) + sums[-1][shorter])
        return sums

    def keys(self, k: int) -> Keys:
        """Returns the n-grams of length k that have a probability, ascending: shape (grams,)."""
        return np.arange(self.alphabet.size, dtype=np.uint64) if k == 1 else self.levels[k - 1].keys

    @cached_property
    def ratio(self) -> Grams:
        """The table of log2 Pr(clean) − log2 Pr(dirty) of every gram, for scoring."""
        clean, dirty = self.interpolated("clean"), self.interpolated("dirty")
        levels = [
            (self.keys(k), np.log2(c / d)) for k, (c, d) in enumerate(zip(clean, dirty, strict=True), 1)
        ]
        return Grams(levels, self.alphabet.bits, self.order * self.alphabet.bits <= _DENSE_BITS)

    @cached_property
    def compiled(self) -> NGramJudge:
        """The model in compiled code, without `others`."""
        return NGramJudge(self.ratio, self.alphabet.encoder, self.decision.compiled)

    def log_probabilities(self, text: str, side: Literal["clean", "dirty"]) -> npt.NDArray[np.float64]:
        """Returns the log2 probability of each character of one segment and of its end: shape (characters +
        1,)."""
        return self.log_grams(side).values(self.alphabet.encoder, text.encode("utf-8", "replace"))

    def log_grams(self, side: Literal["clean", "dirty"]) -> Grams:
        """Returns the table of log2 probabilities of one side."""
        levels = [(self.keys(k), np.log2(s)) for k, s in enumerate(self.interpolated(side), 1)]
        return Grams(levels, self.alphabet.bits)

    def log_odds(
        self, data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]:
        """Returns for each segment [starts, ends) of UTF-8 text the log-odds of clean against dirty, in bits
        (float64), and the number of its characters plus one boundary (uint32)."""
        sums, counts = self.ratio.score(self.alphabet.encoder, *compose(data, starts, ends))
        for rows, model in self.others:
            sums[rows], counts[rows] = model.log_odds(data, starts[rows], ends[rows])
        return sums, counts

    def statistics(
        self, data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.float64]:
        """Returns the statistic that the decision uses, for each segment of one page, in bits (float64)."""
        return self.decision.statistics(*self.log_odds(data, starts, ends))

    def judge(self, document: Document) -> npt.NDArray[np.float64]:
        """Returns the statistic that the decision uses, for each segment of a page, in bits (float64)."""
        found = None if self.others else self.compiled.of(document.tables)
        if found is None:
            # the segments are not all scored as they are, or not all by this model
            table = document.segments
            found = self.statistics(document.data, table["start"], table["end"])
        return found

    def unfamiliarity(self, data: bytes) -> float:
        """Returns the share of letters in UTF-8 text that are rare in the training pages, 0 to 1. If it is
        high, the scores mean little."""
        whole = np.array([0], np.uint32), np.array([len(data)], np.uint32)
        familiar, rare = self.alphabet.encoder.count(compose(data, *whole)[0], self._letters)
        return rare / (familiar + rare) if familiar or rare else 0.0

    @cached_property
    def _letters(self) -> npt.NDArray[np.uint8]:
        """For each symbol 1 if it is a letter, 2 if it is one that is rare in the training pages, else 0:
        shape (256,)."""
        level = self.levels[0]
        seen = np.zeros(self.alphabet.size)
        seen[level.keys.astype(np.int64)] = level.clean + level.dirty
        letters = np.array([any(map(str.isalpha, shown)) for shown in self.alphabet.characters])
        scripts = np.array([len(shown) > 1 for shown in self.alphabet.characters])
        rare = seen < np.where(scripts, _RARE_SCRIPT, _RARE) * seen.sum()
        kinds = np.zeros(256, np.uint8)
        kinds[: self.alphabet.size] = np.where(letters, np.where(rare, 2, 1), 0)
        return kinds

    # ---------------------------------------------------------------------------------------------

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        for k, level in enumerate(self.levels, 1):
            # neighbouring keys differ little, so deltas are small numbers
            deltas = np.diff(level.keys, prepend=np.uint64(0))
            for name, values in (("keys", deltas), ("clean", level.clean), ("dirty", level.dirty)):
                arrays[f"{name}{k}"] = values.astype(np.min_scalar_type(int(values.max(initial=0))))
        own = {"alphabet": self.alphabet.header(), "decision": asdict(self.decision)}
        return {"order": self.order, "q": self.q, **own}, arrays

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> NGramModel:
        """Makes the model from an unpacked file."""
        order, q = int(header["order"]), float(header["q"])
        interpolation_weights(order, q)
        decision = Decision.of_header(header["decision"])
        spec = header["alphabet"]
        symbols = alphabet(spec)
        if symbols.size != spec["size"]:
            raise ValueError(
                f"alphabet {spec['name']!r} has changed since the model was trained: train it again"
            )
        levels = []
        shorter = np.arange(symbols.size, dtype=np.uint64)
        for k in range(1, order + 1):
            clean, dirty = (integers(arrays[f"{side}{k}"]) for side in ("clean", "dirty"))
            deltas = arrays[f"keys{k}"]
            if deltas.dtype.kind != "u" or deltas.ndim != 1:
                raise ValueError(f"the keys of order {k} are no keys")
            keys = np.cumsum(deltas, dtype=np.uint64)
            # a seen gram implies that the gram without its first symbol is seen
            last = keys & np.uint64((1 << symbols.bits * max(k - 1, 1)) - 1)
            if (
                not len(keys) == len(clean) == len(dirty) > 0
                or int(keys[-1] >> np.uint64((k - 1) * symbols.bits)) >= symbols.size
                or not np.all(keys[1:] > keys[:-1])
                or min(clean.min(), dirty.min()) < 0
                or max(clean.sum(dtype=np.float64), dirty.sum(dtype=np.float64)) > _MOST
                or not np.all(np.isin(last, shorter))
            ):
                raise ValueError(f"the tables of order {k} do not belong together")
            levels.append(Counts(keys, clean, dirty))
            if k > 1:
                shorter = keys
        about = about_of(header, "order", "q", "alphabet", "decision")
        return cls(order, q, symbols, levels, decision, about)

    def summary(self) -> str:
        """Describes the model in a few words."""
        return f"{self.alphabet.name} {self.order}-grams, q {self.q:g}"

    def card(self, number: int = 20) -> Card:
        """Describes parameters, training, figures, and up to `number` of the most informative n-grams of each
        side."""
        about, training = self.about, self.about.get("training") or {}
        decision = self.decision
        presets = "".join(f", --{name} {value:g}" for name, value in sorted(decision.presets.items()))
        facts = [
            ("name", self.name),
            ("language", str(about.get("language", "-"))),
            ("alphabet", f"{self.alphabet.name}, {counted(self.alphabet.size, 'symbol')}"),
            ("n, q", f"{self.order}, {self.q:g}"),
            (
                "training",
                f"{training.get('scheme', '-')}, {pages_of(training)}, "
                f"{training.get('clean_characters', 0):,} clean and "
                f"{counted(training.get('dirty_characters', 0), 'dirty character')}",
            ),
            (
                "decision",
                f"log-odds per {decision.statistic}, threshold {decision.threshold:g} bits{presets}",
            ),
            *validated_facts(about, "n-grams alone"),
            ("sources", str(about.get("sources", "-"))),
        ]
        tables = [
            Table(
                f"most informative of {side} text",
                ("n-gram", "clean", "dirty", "bits"),
                [(gram, str(clean), str(dirty), f"{bits:+.2f}") for gram, clean, dirty, bits in rows],
            )
            for side, rows in self.informative_grams(number)
        ]
        return Card(facts, tables)

    def informative_grams(self, number: int = 20) -> list[tuple[str, list[tuple[str, int, int, float]]]]:
        """Returns the most informative n-grams of full order for each side, by count times log-ratio: the
        contribution of a gram over the whole training text.

        Returns:
            `clean` and `dirty`, each with up to `number` of (gram, times in clean text, times in dirty text,
            log-ratio in bits): a space is shown as `␣`, the edge of a segment as `¶`.
        """
        level = self.levels[self.order - 1]
        ratio = np.log2(self.interpolated("clean")[-1] / self.interpolated("dirty")[-1])
        if self.order == 1:
            # the ratio covers all symbols, also unseen ones
            ratio = ratio[level.keys.astype(np.intp)]
        bits = self.alphabet.bits
        found = []
        for side, weight in (("clean", level.clean * ratio), ("dirty", -level.dirty * ratio)):
            best = np.argsort(-weight, kind="stable")[:number]
            rows = []
            for position in best[weight[best] > 0]:
                key = int(level.keys[position])
                symbols = (key >> bits * place & (1 << bits) - 1 for place in reversed(range(self.order)))
                gram = "".join(self.alphabet.characters[symbol] for symbol in symbols)
                rows.append(
                    (
                        gram.replace(" ", "␣").replace("\n", "¶"),
                        int(level.clean[position]),
                        int(level.dirty[position]),
                        float(ratio[position]),
                    )
                )
            found.append((side, rows))
        return found

    def __repr__(self) -> str:
        grams = sum(len(level.keys) for level in self.levels)
        return f"<NGramModel {self.name}: n={self.order}, q={self.q}, {self.alphabet.name}, {grams} n-grams>"
