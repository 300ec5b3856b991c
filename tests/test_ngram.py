"""The compiled n-grams against an independent reference of Evert's (2008) equation 1."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncleaner._ngram import Grams
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.training.counting import GramCounter, two_sides
from ncleaner.methods.baselines import Heuristics
from ncleaner.methods.ngram import NGram
from ncleaner.modelling.alphabet import alphabet
from ncleaner.modelling.decision import Decision
from ncleaner.modelling.ngrams import NGramModel, interpolation_weights

CLEAN = ["The ferry was late again, and nobody minded.", "Naïve café — “quoted” text.", "1,234 people came."]
DIRTY = ["Home | About | Contact", "Log in", "© 2024 All rights reserved", "Home"]
SYMBOLS = alphabet("ascii")


def framed(text: str, order: int, name: str = "ascii") -> list[int]:
    """Symbols of a segment with its boundaries, by the alphabet's own tables."""
    symbols = alphabet(name)
    found = [int(symbols.pages[symbols.index[ord(c) >> 8], ord(c) & 255]) for c in text]
    return [0] * (order - 1) + found + [0]


class Reference:
    """Equation 1, written out: relative frequencies of each order, weighted and added."""

    def __init__(self, texts: list[str], order: int, q: float, name: str = "ascii") -> None:
        self.order, self.q, self.name = order, q, name
        self.grams: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
        self.histories: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
        for text in texts:
            symbols = framed(text, order, name)
            for end in range(order, len(symbols) + 1):
                for k in range(1, order + 1):
                    gram = tuple(symbols[end - k : end])
                    self.grams[k][gram] += 1
                    self.histories[k][gram[:-1]] += 1

    def probability(self, gram: tuple[int, ...]) -> float:
        total = 0.0
        for i in range(self.order):
            k = self.order - i
            part = gram[i:]
            if k == 1:
                share = (self.grams[1][part] + 1) / (self.histories[1][()] + alphabet(self.name).size)
            else:
                seen = self.histories[k][part[:-1]]
                share = self.grams[k][part] / seen if seen else 0.0
            total += (1 - self.q) / (1 - self.q**self.order) * self.q**i * share
        return total

    def of_text(self, text: str) -> list[float]:
        symbols = framed(text, self.order, self.name)
        return [
            self.probability(tuple(symbols[e - self.order : e])) for e in range(self.order, len(symbols) + 1)
        ]


def model_of(clean: list[str], dirty: list[str], order: int, q: float, name: str = "ascii") -> NGramModel:
    symbols = alphabet(name)
    tallies = []
    for texts in (clean, dirty):
        counter = GramCounter(symbols, order)
        for text in texts:
            data = text.encode()
            counter.add(data, np.array([0], np.uint32), np.array([len(data)], np.uint32))
        tallies.append(counter.tallies())
    return NGramModel(order, q, symbols, two_sides(tallies[0], tallies[1], False))


@pytest.mark.parametrize("order", range(1, 9))
@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("name", ["ascii", "nonlexical"])
def test_probabilities_are_those_of_equation_1(order: int, q: float, name: str) -> None:
    model = model_of(CLEAN, DIRTY, order, q, name)
    for side, texts in (("clean", CLEAN), ("dirty", DIRTY)):
        reference = Reference(texts, order, q, name)
        for text in [*CLEAN, *DIRTY, "", "x", "zzz qqq ÄÖÜ 世界", "The ferry"]:
            found = 2 ** model.log_probabilities(text, side)  # type: ignore[arg-type]
            assert found == pytest.approx(reference.of_text(text), rel=1e-9, abs=0)


TEXT = st.text(alphabet=st.sampled_from("ab c.é世\u00a0|"), max_size=12)


@settings(max_examples=40)
@given(
    clean=st.lists(TEXT, min_size=1, max_size=4), dirty=st.lists(TEXT, min_size=1, max_size=4), text=TEXT,
    order=st.integers(1, 5), q=st.floats(0.05, 0.95),
)  # fmt: skip
def test_any_text_scores_as_the_reference(
    clean: list[str], dirty: list[str], text: str, order: int, q: float
) -> None:
    model = model_of(clean, dirty, order, q)
    odds = np.log2(Reference(clean, order, q).of_text(text)) - np.log2(
        Reference(dirty, order, q).of_text(text)
    )
    data = text.encode()
    sums, counts = model.ratio.score(
        model.alphabet.encoder, data, np.array([0], np.uint32), np.array([len(data)], np.uint32)
    )
    assert counts[0] == len(text) + 1
    assert sums[0] == pytest.approx(odds.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_dense_table_says_what_the_hash_tables_say(order: int) -> None:
    model = model_of(CLEAN, DIRTY, order, 0.5)
    sides = zip(model.interpolated("clean"), model.interpolated("dirty"), strict=True)
    levels = [(model.keys(k), np.log2(c / d)) for k, (c, d) in enumerate(sides, 1)]
    dense, sparse = Grams(levels, SYMBOLS.bits, True), Grams(levels, SYMBOLS.bits, False)
    for text in [*CLEAN, *DIRTY, "neither of them, #~"]:
        data = text.encode()
        assert dense.values(model.alphabet.encoder, data) == pytest.approx(
            sparse.values(model.alphabet.encoder, data), rel=1e-6
        )


def test_the_sum_of_the_parts_is_the_whole() -> None:
    model = model_of(CLEAN, DIRTY, 3, 0.5)
    data = "\n".join(CLEAN).encode()
    ends = np.cumsum([len(text.encode()) + 1 for text in CLEAN]) - 1
    starts = np.concatenate(([0], ends[:-1] + 1))
    sums, counts = model.ratio.score(
        model.alphabet.encoder, data, starts.astype(np.uint32), ends.astype(np.uint32)
    )
    for text, total, count in zip(CLEAN, sums, counts, strict=True):
        values = model.ratio.values(model.alphabet.encoder, text.encode())
        assert total == pytest.approx(values.sum())
        assert count == len(values) == len(text) + 1


@pytest.mark.parametrize("order", [1, 2, 4])
def test_probabilities_sum_to_one_after_a_seen_history(order: int) -> None:
    model = model_of(CLEAN, DIRTY, order, 0.5)
    reference = Reference(CLEAN, order, 0.5)
    history = tuple(framed(CLEAN[0], order)[order + 4 : 2 * order + 3])
    total = sum(reference.probability((*history, symbol)) for symbol in range(SYMBOLS.size))
    assert total == pytest.approx(1)
    # an unseen history gives its weight to nobody
    if order > 1:
        unseen = (SYMBOLS.size - 1,) * (order - 1)
        assert sum(reference.probability((*unseen, symbol)) for symbol in range(SYMBOLS.size)) < 1
    assert model.order == order


@pytest.mark.parametrize("order", range(1, 9))
def test_weights_sum_to_one(order: int) -> None:
    for q in (0.01, 0.5, 0.99):
        weights = interpolation_weights(order, q)
        assert math.fsum(weights) == pytest.approx(1)
        assert weights == sorted(weights, reverse=True)


def test_weights_as_the_paper_describes_them() -> None:
    """Evert (2008, section 3): n = 6 and q = 0.6 leave unigrams a weight of 0.03; q near 0 is an n-gram model
    without interpolation, q near 1 gives equal weight to all lengths of history."""
    assert interpolation_weights(6, 0.6)[-1] == pytest.approx(0.03, abs=0.005)
    assert interpolation_weights(3, 1e-6) == pytest.approx([1, 0, 0], abs=1e-5)
    assert interpolation_weights(3, 1 - 1e-6) == pytest.approx([1 / 3] * 3, abs=1e-5)


def test_a_segment_is_removed_if_the_dirty_model_gives_it_the_higher_probability() -> None:
    """Evert (2008, section 2): the decision at a threshold of 0, per segment or per character."""
    model = model_of(CLEAN, DIRTY, 3, 0.5)
    document = dump_text("\n\n".join([*CLEAN, *DIRTY, "zzz", "The ferry home"]))
    kept = []
    for segment in document:
        clean, dirty = (model.log_probabilities(str(segment), side).sum() for side in ("clean", "dirty"))
        kept.append(bool(clean >= dirty))
    assert True in kept and False in kept
    for statistic in ("segment", "character"):
        decided = replace(model, decision=Decision(statistic))
        allowed = Heuristics().keep(document).mask
        mask = NGram(decided).keep(document).mask
        assert mask.tolist() == (np.array(kept) & allowed).tolist()
    # both models alike: the dirty one is not likelier
    same = replace(model_of(CLEAN, CLEAN, 3, 0.5), decision=Decision("segment"))
    assert NGram(same).keep(document).mask.tolist() == allowed.tolist()


@pytest.mark.parametrize("q", [0, 1, -0.5, 2, 1e-200, 1 - 1e-16, float("nan")])
def test_q_out_of_range(q: float) -> None:
    with pytest.raises(ValueError, match="q must be a number from"):
        interpolation_weights(3, q)


def test_encoding_frames_each_segment() -> None:
    symbols, where = SYMBOLS.encoder.encode(
        b"ab\nc", np.array([0, 3], np.uint32), np.array([2, 4], np.uint32), 3
    )
    a, b, c = (framed(letter, 1)[0] for letter in "abc")
    assert symbols.tolist() == [0, 0, a, b, 0, 0, 0, c, 0]
    assert where.tolist() == [2, 7]


@given(st.text(st.sampled_from("abжя文かé1.\n 𐀀"), max_size=40))
def test_characters_of_two_kinds_are_counted(text: str) -> None:
    encoder = alphabet("nonlexical").encoder
    kinds = np.arange(256, dtype=np.uint8) % 3
    found = kinds[framed(text, 1, "nonlexical")[:-1]]
    assert encoder.count(text.encode(), kinds) == (np.sum(found == 1), np.sum(found == 2))
    with pytest.raises(ValueError, match="256"):
        encoder.count(b"", kinds[:3])


@pytest.mark.parametrize(
    ("starts", "ends"),
    [([0], [9]), ([3], [2]), ([0, 1], [2]), ([2**32 - 1], [2])],
    ids=["after", "order", "number", "far"],
)
def test_segments_outside_of_the_text(starts: list[int], ends: list[int]) -> None:
    model = model_of(CLEAN, DIRTY, 2, 0.5)
    first, last = np.array(starts, np.uint32), np.array(ends, np.uint32)
    with pytest.raises(ValueError, match=r"text|ends"):
        model.ratio.score(model.alphabet.encoder, b"abcd", first, last)


@pytest.mark.parametrize(("levels", "bits"), [([], 7), ([(np.array([0]), np.array([0.0]))] * 9, 7), ([], 0)])
def test_tables_out_of_range(levels: list[object], bits: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        Grams(levels, bits)  # type: ignore[arg-type]
