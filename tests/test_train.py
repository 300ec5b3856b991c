from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ncleaner.alphabet import alphabet
from ncleaner.document import Document
from ncleaner.dump import dump_html
from ncleaner.errors import TrainingError
from ncleaner.model import NGramModel
from ncleaner.train import Pair, Scheme, read_pairs, train

# the package's function of this name hides its module
training = sys.modules["ncleaner.train"]

PROSE = [
    "The ferry was late this morning, and nobody on the pier seemed to mind.",
    "She had lived above the bakery for thirty years before the river came.",
    "When the committee met again in autumn, two of its members had left.",
    "A good loaf wants time, and little else that money can buy.",
    "He wrote to the paper every week, and every week they printed it.",
]
MENU = ["Home", "Contact us", "Log in", "Imprint", "Privacy policy"]


def pair(number: int) -> Pair:
    items = "".join(f"<li><a href=/{item}>{item}</a>" for item in MENU[number % 3 :])
    return Pair(
        f"page{number}",
        dump_html(
            f"<ul>{items}</ul><p>{PROSE[number % 5]}<p>{PROSE[(number + 2) % 5]}<div>© 2024 Bakery</div>"
        ),
        f"<p>{PROSE[number % 5]}\n\n<p>{PROSE[(number + 2) % 5]}\n",
    )


PAIRS = [pair(number) for number in range(12)]


def grams(texts: list[str], order: int) -> Counter[str]:
    """Of folded text, framed: the same thing by string slices."""
    found: Counter[str] = Counter()
    for text in texts:
        framed = "\n" * (order - 1) + text.replace("©", "~") + "\n"
        found.update(framed[i : i + order] for i in range(len(framed) - order + 1))
    return found


def as_strings(model: NGramModel, order: int, side: str) -> Counter[str]:
    symbols = alphabet("ascii")
    level = model.levels[order - 1]
    found: Counter[str] = Counter()
    for key, count in zip(level.keys.tolist(), getattr(level, side).tolist(), strict=True):
        codes = [key >> symbols.bits * k & (1 << symbols.bits) - 1 for k in reversed(range(order))]
        found["".join(symbols.characters[code] for code in codes)] = count
    return +found


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_differential_counts_are_raw_minus_clean_and_never_below_zero(order: int) -> None:
    model = train(PAIRS, order=order, scheme="differential", threshold=0)
    raw = grams([str(segment) for p in PAIRS for segment in p.document], order)
    clean = grams([line[3:] for p in PAIRS for line in p.gold.splitlines() if line], order)
    assert as_strings(model, order, "clean") == clean
    assert as_strings(model, order, "dirty") == raw - clean


def test_aligned_counts_are_those_of_the_labelled_segments() -> None:
    model = train(PAIRS, order=3, threshold=0)
    texts = [str(segment) for p in PAIRS for segment in p.document]
    assert as_strings(model, 3, "clean") == grams([text for text in texts if text in PROSE], 3)
    assert as_strings(model, 3, "dirty") == grams([text for text in texts if text not in PROSE], 3)


@pytest.mark.parametrize("scheme", ["aligned", "differential"])
def test_training_is_deterministic_and_does_not_depend_on_chunks(
    scheme: Scheme, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train(PAIRS, scheme=scheme).to_bytes()
    assert train(PAIRS, scheme=scheme).to_bytes() == whole
    monkeypatch.setattr(training, "_CHUNK", 50)
    assert train(PAIRS, scheme=scheme).to_bytes() == whole


def test_what_was_trained_is_learned() -> None:
    model = train(PAIRS[:8])
    for p in PAIRS[8:]:
        table = p.document.segments
        odds = model.log_odds(p.document.data, table["start"], table["end"])
        assert [str(s) in PROSE for s in p.document] == (odds >= model.threshold).tolist()


def test_header_tells_what_it_was_trained_on() -> None:
    about = train(PAIRS, about={"name": "x", "language": "en"}).about
    assert about["name"] == "x"
    assert about["training"]["pages"] == 12
    assert about["training"]["words"] == sum(len(str(s).split()) for p in PAIRS for s in p.document)
    assert about["training"]["scheme"] == "aligned"


def test_threshold_is_zero_unless_the_pages_say_otherwise() -> None:
    odds = np.array([2.0, 1.0, -1.0, -2.0])
    words = np.array([10, 10, 10, 10])
    assert training._best_threshold(odds, words, np.array([True, True, False, False])) == 0
    assert 1 < training._best_threshold(odds, words, np.array([True, False, False, False])) <= 1.5
    assert -1.5 <= training._best_threshold(odds, words, np.array([True, True, True, False])) <= -1


def test_nothing_to_train_on() -> None:
    with pytest.raises(TrainingError, match="no pages"):
        train([])
    empty = Pair("x", dump_html("<script>1</script>"), "Some text.")
    with pytest.raises(TrainingError, match="no clean text"):
        train([empty])
    same = Pair("x", dump_html(f"<p>{PROSE[0]}"), PROSE[0])
    with pytest.raises(TrainingError, match=r"no dirty text.*the same"):
        train([same])
    foreign = Pair("x", dump_html(f"<p>{PROSE[0]}"), "Entirely different words stand here instead.")
    with pytest.raises(TrainingError, match=r"no clean text.*belong together"):
        train([foreign])


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_read_pairs_matches_by_stem(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"b.html": b"<p>B", "a.txt": b"A line.", "c.html": b"<p>C", ".hidden": b""})
    clean = write(tmp_path / "clean", {"a.txt": b"A line.", "b.txt": b"\xef\xbb\xbfB", "d.txt": b"D"})
    seen: list[tuple[int, int]] = []
    pairs = read_pairs(raw, clean, progress=lambda done, total: seen.append((done, total)))
    assert [p.name for p in pairs] == ["a", "b"]
    assert [p.gold for p in pairs] == ["A line.", "B"]
    assert [[str(s) for s in p.document] for p in pairs] == [["A line."], ["B"]]
    assert isinstance(pairs[0].document, Document)
    assert seen == [(1, 2), (2, 2)]


def test_read_pairs_that_cannot_be_read(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    with pytest.raises(TrainingError, match="not a directory"):
        read_pairs(raw, tmp_path / "nowhere")
    with pytest.raises(TrainingError, match="matched by name"):
        read_pairs(raw, write(tmp_path / "other", {"b.txt": b"B"}))
    with pytest.raises(TrainingError, match=r"a\.txt is not UTF-8 \(byte 3\)"):
        read_pairs(raw, write(tmp_path / "latin", {"a.txt": b"caf\xe9"}))
