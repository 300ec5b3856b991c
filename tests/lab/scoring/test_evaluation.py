"""The figures of Evert's script, checked against a second, plainer reading of its rules."""

from __future__ import annotations

import difflib
import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import EvaluationError
from ncleaner.lab.commands.evaluating import evaluation_table
from ncleaner.lab.scoring.evaluation import Evaluation, evaluate, score_page
from ncleaner.lab.scoring.measures import Average, MatchCounts, Overlap, bag_overlap, split_words

Figures = tuple[int, int, int, int, int, int]


def reference_words(text: bytes, unlabelled: bool) -> list[bytes]:
    """The rules of 2008 on a string of one character per byte, as a list of plain steps."""
    chars = text.decode("latin-1")
    chars = re.sub(r"^[ \t\n\r\f\v]*URL[^\n]*", "", chars, flags=re.MULTILINE)
    chars = "".join(" " if c < " " else c for c in chars)
    for mark in "phl":
        for spelling in (f"<{mark}>", f"<{mark.upper()}>"):
            # The sentinel keeps a replaced mark from being found again as <p>.
            chars = chars.replace(spelling, f"\n\x00{'p' if unlabelled else spelling[1]}\x01 ")
    chars = chars.replace("\x00", "<").replace("\x01", ">")
    words, word = [], ""
    previous = ""
    for c in chars:
        if c not in " \n":
            word += c
        elif previous not in (" ", "\n") or not previous:
            words.append(word)
            word = ""
        previous = c
    return [w.encode("latin-1") for w in [*words, word]]


def reference_figures(text: bytes, gold: bytes, unlabelled: bool) -> Figures:
    ours, theirs = reference_words(text, unlabelled), reference_words(gold, unlabelled)
    marks = {b"<p>", b"<h>", b"<l>", b"<P>", b"<H>", b"<L>"}
    right = [
        w
        for block in difflib.SequenceMatcher(None, ours, theirs).get_matching_blocks()
        for w in ours[block.a : block.a + block.size]
    ]
    n, n_marks = len(right), sum(w in marks for w in right)
    return (
        n,
        len(ours) - n,
        len(theirs) - n,
        n_marks,
        sum(w in marks for w in ours) - n_marks,
        sum(w in marks for w in theirs) - n_marks,
    )


def figures(words: MatchCounts, marks: MatchCounts) -> Figures:
    return words.tp, words.fp, words.fn, marks.tp, marks.fp, marks.fn


PIECES = [b"<p>", b"<H>", b"<l>", b"URL: x.example", b"URL", b"\n", b"\r\n", b" ", b"\t", b"\x1f", b"\x0b"]
PIECES += [b"a", b"b", b"<q>", b"\xe4", b"\xa0", b"\x85", b"word"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join) | st.binary(max_size=40)


@given(texts, texts)
def test_same_counts_as_the_reference(text: bytes, gold: bytes) -> None:
    page, _ = score_page("x", text, gold)
    assert figures(page.words, page.marks) == reference_figures(text, gold, False)
    assert figures(page.words_unlabelled, page.marks_unlabelled) == reference_figures(text, gold, True)


@pytest.mark.slow
@given(st.lists(st.integers(0, 60), min_size=250, max_size=400), st.randoms())
def test_same_counts_with_popular_words(codes: list[int], random: object) -> None:
    words = [b"w%d" % code for code in codes]
    text = b" ".join(w for w, code in zip(words, codes, strict=True) if code % 3)
    gold = b"<p>" + b" ".join(words)
    page, _ = score_page("x", text, gold)
    assert figures(page.words, page.marks) == reference_figures(text, gold, False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", [b""]),
        (b"one two", [b"one", b"two"]),
        (b"<p>one", [b"", b"<p>", b"one"]),
        (b"one\n", [b"one", b""]),
        (b"a<H>b", [b"a", b"<H>", b"b"]),
        (b"URL: http://a.example/\n\n<p>one", [b"", b"<p>", b"one"]),
        (b"one\n \n URL of this page\ntwo", [b"one", b"two"]),
        (b"URL a\nURL b", [b"", b""]),
        (b"\n \nURL a\n\n \nURL b\n\nc", [b"", b"c"]),
        (b"the URL stays", [b"the", b"URL", b"stays"]),
        (b"a\x00\x1f\x0cb", [b"a", b"b"]),
        (b"a\xa0b \x85", [b"a\xa0b", b"\x85"]),
    ],
)
def test_words(text: bytes, words: list[bytes]) -> None:
    assert split_words(text) == words


def test_variants_of_words() -> None:
    assert split_words(b"<H>a<l>b", unlabelled=True) == [b"", b"<p>", b"a", b"<p>", b"b"]
    # Spaces are normalised before the high bytes go, so a word of high bytes alone leaves two of them.
    assert split_words("ein ü Käfer".encode(), ascii_only=True) == [b"ein", b"Kfer"]


def test_by_hand() -> None:
    # words: "" <h> A title <p> one two three | "" <p> A title <p> one three four
    page, alignment = score_page("x", b"<h>A title\n<p>one two three", b"<p>A title\n<p>one three four")
    assert page.words == MatchCounts(tp=6, fp=2, fn=2)
    assert page.marks == MatchCounts(tp=1, fp=1, fn=1)
    assert page.words.precision == page.words.recall == page.words.f_score == 75.0
    assert page.words_unlabelled == MatchCounts(tp=7, fp=1, fn=1)
    assert page.marks_unlabelled == MatchCounts(tp=2, fp=0, fn=0)
    assert page.bag == Overlap(shared=4, predicted=5, gold=5)
    assert page.bag.f_score == pytest.approx(80)
    assert alignment.split(b"\n")[2:6] == [
        b"<" * 40 + b" (false positive)",
        b"<h>",
        b">" * 40 + b" (false negative)",
        b"<p>",
    ]


def test_empty_words_count() -> None:
    assert score_page("x", b"", b"")[0].words == MatchCounts(tp=1)
    # A trailing newline on one side only is one word too many.
    assert score_page("x", b"one\n", b"one")[0].words == MatchCounts(tp=1, fp=1)
    assert score_page("x", b"", b"one")[0].words == MatchCounts(fp=1, fn=1)


def test_nothing_to_divide_by() -> None:
    assert (MatchCounts().precision, MatchCounts().recall, MatchCounts().f_score) == (0.0, 0.0, 0.0)
    assert (Overlap(0, 0, 0).precision, Overlap(0, 0, 0).recall, Overlap(0, 0, 0).f_score) == (
        100.0,
        100.0,
        100.0,
    )
    for overlap in (Overlap(0, 0, 5), Overlap(0, 5, 0)):
        assert (overlap.precision, overlap.recall, overlap.f_score) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "gold", "unit", "overlap"),
    [
        ("One, one two", "one two two", "word", Overlap(2, 3, 3)),
        ("<p>Über uns", "\ufeffURL: http://a.example/\n\n<H> <l>über UNS", "word", Overlap(2, 2, 2)),
        ("URL: http://a.example/\n<p>URL: no address here", "url no address here", "word", Overlap(4, 4, 4)),
        ("use <p> for paragraphs", "use for paragraphs", "word", Overlap(3, 4, 3)),
        ("日本 語", "日本語。", "char", Overlap(3, 3, 4)),
        ("日本 語", "日本語。", "word", Overlap(0, 2, 1)),
        ("", "<p>", "word", Overlap(0, 0, 0)),
    ],
)
def test_bag(text: str, gold: str, unit: str, overlap: Overlap) -> None:
    assert bag_overlap(text.encode(), gold.encode(), unit) == overlap  # type: ignore[arg-type]


def test_bag_of_undecodable_bytes() -> None:
    assert bag_overlap(b"caf\xe9 noir", "café noir".encode()) == Overlap(1, 2, 2)


def write(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return directory


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    gold = {
        "b.txt": "URL: http://b.example/\n\n<h>Ferries\n<p>The first leaves at six.\n",
        "a.txt": "<p>Gut Ding will Weile haben.\n<l>eins\n<l>zwei\n",
        "c.txt": "<p>Never predicted.\n",
    }
    pred = {
        "b.txt": "<p>Ferries\n<p>The first leaves at six.\n<p>Subscribe now\n",
        "a.txt": "<p>Gut Ding will haben.\n<l>eins\n<l>zwei\n",
        "d.txt": "<p>No gold.\n",
        "manifest.jsonl": "{}\n",
        ".DS_Store": "x",
        "_run/manifest.log": "{}\n",
        "_run/quarantine/b-txt.warc.gz": "x",
    }
    return write(tmp_path / "pred", pred), write(tmp_path / "gold", gold)


def test_directories(pair: tuple[Path, Path]) -> None:
    pred, gold = pair
    result = evaluate(pred, gold)
    assert [page.name for page in result.pages] == ["a.txt", "b.txt"]
    assert result.missing_gold == ("d.txt",)
    assert result.missing_pred == ("c.txt",)
    sums = [0] * 6
    for page in result.pages:
        expected = reference_figures((pred / page.name).read_bytes(), (gold / page.name).read_bytes(), False)
        assert figures(page.words, page.marks) == expected
        sums = [x + y for x, y in zip(sums, expected, strict=True)]
    assert [*figures(result.words.micro, result.marks.micro)] == sums
    f1, f2 = (page.words.f_score for page in result.pages)
    assert result.words.macro.f_score.mean == pytest.approx((f1 + f2) / 2)
    assert result.words.macro.f_score.sd == pytest.approx(abs(f1 - f2) / math.sqrt(2))


def test_parallel_is_serial(tmp_path: Path) -> None:
    words = [f"wort{i % 37}" for i in range(400)]
    gold = {f"{i:02}.txt": "<p>" + " ".join(words[i : i * 20 + 5]) for i in range(12)}
    pred = {name: text.replace("wort7 ", "") for name, text in gold.items()}
    write(tmp_path / "gold", gold)
    write(tmp_path / "pred", pred)
    calls: dict[int, list[tuple[int, int]]] = {1: [], 2: []}
    serial, parallel = (
        evaluate(
            tmp_path / "pred",
            tmp_path / "gold",
            jobs=jobs,
            progress=lambda *call, j=jobs: calls[j].append(call),
        )
        for jobs in (1, 2)
    )
    assert serial == parallel
    assert calls[1] == calls[2] == [(done, 12) for done in range(1, 13)]


def test_parallel_error(pair: tuple[Path, Path]) -> None:
    pred, gold = pair
    (pred / "a.txt.align").write_text("in the way")
    with pytest.raises(EvaluationError, match="cannot write"):
        evaluate(pred, gold, jobs=2, align_dir=pred / "a.txt.align")


def test_single_page(pair: tuple[Path, Path]) -> None:
    pred, gold = pair
    result = evaluate(pred / "a.txt", gold / "b.txt")
    assert len(result.pages) == 1
    assert result.words.macro.f_score.sd is None
    assert result.to_dict()["words"]["macro"]["f_score"]["sd"] is None
    assert re.search(r"standard deviation +- +- +-\n", evaluation_table(result))


def test_deviation_of_equal_values() -> None:
    flat = Average.of([99.1, 99.1, 99.1])
    assert flat.mean == pytest.approx(99.1)
    assert flat.sd == pytest.approx(0.0, abs=1e-5)
    assert Average.of([1.0, 2.0, 4.0]).sd == pytest.approx(math.sqrt(7 / 3))


def test_counterparts(tmp_path: Path) -> None:
    text = "<p>one two\n"
    pred = write(
        tmp_path / "pred", dict.fromkeys(["1.html", "1.txt", "2.html", "sub/3.x", "v1.2.text", "4"], text)
    )
    gold = write(
        tmp_path / "gold", dict.fromkeys(["1.txt", "2.txt", "sub/3.txt", "3.txt", "v1.2.txt", "4.txt"], text)
    )
    result = evaluate(pred, gold)
    assert [page.name for page in result.pages] == ["1.txt", "2.html", "4", "sub/3.x", "v1.2.text"]
    assert result.missing_gold == ("1.html",)
    assert result.missing_pred == ("3.txt",)


@pytest.mark.parametrize(
    ("pred", "gold", "message"),
    [
        ("nowhere", "gold", "there is no directory .*nowhere"),
        ("pred", "gold", r"no file in .*pred has a counterpart in .*gold: .*\(b.txt against c.txt, …\)"),
        ("empty", "gold", "an empty directory against"),
        ("pred/b.txt", "gold", "is a file: give two directories or two files"),
    ],
)
def test_not_comparable(tmp_path: Path, pred: str, gold: str, message: str) -> None:
    write(tmp_path, {"pred/b.txt": "one", "gold/c.txt": "one", "gold/d.txt": "one"})
    (tmp_path / "empty").mkdir()
    with pytest.raises(EvaluationError, match=message):
        evaluate(tmp_path / pred, tmp_path / gold)


def test_unknown_unit(pair: tuple[Path, Path]) -> None:
    with pytest.raises(EvaluationError, match="'word' or 'char', not 'syllable'"):
        evaluate(*pair, unit="syllable")  # type: ignore[arg-type]


def test_unreadable_page(pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(EvaluationError, match=r"cannot read .*[ab]\.txt: Permission denied"):
        evaluate(*pair)


def test_alignments_are_written(pair: tuple[Path, Path], tmp_path: Path) -> None:
    evaluate(*pair, align_dir=tmp_path / "new" / "align")
    assert sorted(path.name for path in (tmp_path / "new" / "align").iterdir()) == [
        "a.txt.align",
        "b.txt.align",
    ]
    assert "<p> Subscribe now" in (tmp_path / "new" / "align" / "b.txt.align").read_text()


def test_json(pair: tuple[Path, Path]) -> None:
    result = evaluate(*pair)
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["compared"] == 2
    assert data["words"]["micro"]["f_score"] == result.words.micro.f_score
    assert data["marks_unlabelled"]["macro"]["recall"] == {"mean": 100.0, "sd": 0.0}
    assert data["bag"]["f_score"]["mean"] == result.bag.f_score.mean
    assert [page["name"] for page in data["pages"]] == ["a.txt", "b.txt"]


def test_report(pair: tuple[Path, Path]) -> None:
    result = evaluate(*pair)
    report = evaluation_table(result, per_page=True)
    assert "2 pages compared" in report
    assert f"{result.words.micro.f_score:.2f}" in report
    assert "Segment marks" in report
    assert "NOT COMPARED, predicted but without gold text (1):\n  d.txt" in report
    assert "NOT COMPARED, with gold text but not predicted (1):\n  c.txt" in report
    rows = [line for line in report.splitlines() if line.startswith(("a.txt", "b.txt"))]
    assert len(rows) == 2
    assert len({len(row) for row in rows}) == 1


def test_report_without_marks(tmp_path: Path) -> None:
    write(tmp_path, {"pred/a.txt": "one two", "gold/a.txt": "one two"})
    result: Evaluation = evaluate(tmp_path / "pred", tmp_path / "gold", unit="char")
    assert "Segment marks" not in evaluation_table(result)
    assert "Characters in any order" in evaluation_table(result)


@pytest.mark.slow
def test_long_page() -> None:
    words = [b"w%d" % (i * i % 25_013) for i in range(50_000)]
    text = b" ".join(w for i, w in enumerate(words) if i // 40 % 5)
    page, _ = score_page("x", text, b" ".join(words))
    assert page.words.tp > 35_000


@pytest.mark.slow
def test_long_runs_of_space() -> None:
    """No time is measured: in quadratic time this would not end."""
    long = 1_000_000
    assert split_words(b"a" + b"\n " * long + b"URL b" + b"\n" * long + b"c") == [b"a", b"c"]
    assert bag_overlap(b"\n " * long + b"URL: b" + b" " * long, b"") == Overlap(0, 0, 0)
