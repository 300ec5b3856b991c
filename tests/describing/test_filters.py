"""The figures of `--signals` on which the filters of datatrove decide, beside these filters themselves, which get our
words and sentences."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner import Cleaner
from ncleaner.describing._filters import figures_of
from ncleaner.describing.signals import FILTERS
from ncleaner.page import Page
from ncleaner.reading.archive import read
from ncleaner.sinks.text import kept_text
from ncleaner.text.wordlists import word_lists
from ncleaner.text.words import UNSPACED

ROOT = Path(__file__).parent.parent.parent
RECIPE = ROOT / "docs" / "language-model.md"
LISTS = word_lists(
    "describing/filters", "stop words", "bullets", "ends", "filler", "scripts", "policies", "citations",
    "breaks", "final", "punctuation", "signs", "joints",
)  # fmt: skip


def characters(*sections: str) -> str:
    """The characters of sections as a class of a regular expression has them."""
    codes = (code.partition("-") for section in sections for code in LISTS[section])
    ranges = (range(int(first, 16), int(last or first, 16) + 1) for first, _, last in codes)
    every = sorted({chr(code) for codes in ranges for code in codes})
    return re.escape("".join(each for each in every if not each.isspace()))


SIGNS = characters("final", "punctuation", "signs")
# as `_next` cuts words; letters and digits that the lists have are no signs
LETTER = rf"(?:[^\s{SIGNS}{UNSPACED}]|[^\W_{UNSPACED}])"
WORD = re.compile(rf"[{UNSPACED}]|{LETTER}+(?:[{characters('joints')}]{LETTER}+)*|([{SIGNS}])\1*", re.DOTALL)
FINAL = re.compile(f"[{characters('final')}]")


def words_of(text: str, language: str = "") -> list[str]:
    return [match[0] for match in WORD.finditer(text)]


def sentences_of(line: str, language: str = "") -> list[str]:
    """As many as a line has."""
    found, ended = 1, False
    for word in words_of(line):
        if re.match(f"[{SIGNS}]", word) and not re.match(r"[^\W_]", word):
            ended |= bool(FINAL.match(word)) and not word.startswith("..")
        elif ended:
            found, ended = found + 1, False
    return [""] * found


def figures(text: str) -> dict[str, Any]:
    return dict(zip(FILTERS, figures_of(text.encode()), strict=True))


# datatrove's filters ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def filters() -> Any:
    """The modules of datatrove's filters with our words: repetition, quality, c4, fineweb."""
    pytest.importorskip("datatrove", reason="datatrove is not installed: install ncleaner[datatrove]")
    from datatrove.pipeline.filters import (
        c4_filters,
        fineweb_quality_filter,
        gopher_quality_filter,
        gopher_repetition_filter,
    )

    with pytest.MonkeyPatch.context() as patch:
        for module in (gopher_repetition_filter, gopher_quality_filter, fineweb_quality_filter):
            patch.setattr(module, "split_into_words", words_of)
        patch.setattr(c4_filters, "split_into_sentences", sentences_of)
        yield gopher_repetition_filter, gopher_quality_filter, c4_filters, fineweb_quality_filter


REPETITION = ("dup_line_frac", "dup_para_frac", "dup_line_char_frac", "dup_para_char_frac")
# the figure that each rule asks for
QUALITY = {
    "min_doc_words": "real_words",
    "max_doc_words": "",
    "min_avg_word_length": "mean_word_length",
    "max_avg_word_length": "",
    "max_symbol_word_ratio": "",
    "max_bullet_lines_ratio": "bullet_lines",
    "max_ellipsis_lines_ratio": "ellipsis_lines",
    "max_non_alpha_words_ratio": "letter_words",
    "min_stop_words": "stop_words",
}
FINEWEB = {
    "line_punct_thr": "punctuated_lines",
    "short_line_thr": "short_lines",
    "char_duplicates_ratio": "repeated_chars",
    "new_line_ratio": "newlines_a_word",
}
PASSING = dict.fromkeys(FINEWEB, math.inf) | {"line_punct_thr": 0}


def agree(filters: Any, text: str) -> int:
    """Asserts that each filter with one rule passes a text where the threshold is our figure, and refuses it with
    the next number as the threshold: both have computed the same double. Returns the number of these figures."""
    from datatrove.data import Document

    repetition, quality, c4, fineweb = filters
    found = figures(text)
    compared = 0

    def result(kind: Any, **rules: Any) -> tuple[Any, str]:
        document = Document(text=text, id="")
        return kind(**rules).filter(document), document.text

    def bounds(
        kind: Any, name: str, others: dict[str, Any], rule: str, least: bool = False, n: int = 0
    ) -> None:
        def rules(threshold: float) -> dict[str, Any]:
            return {**others, rule: ((n, threshold),) if n else threshold}

        nonlocal compared
        value = found[name]
        if value is None:
            return
        # zero switches many rules off
        passes = value if least else value or math.ulp(0)
        refuses = value + 1 if isinstance(value, int) else math.nextafter(value, math.inf if least else 0)
        assert result(kind, **rules(passes))[0] is True, (name, value, text)
        assert refuses == 0 or result(kind, **rules(refuses))[0] is not True, (name, value, text)
        compared += 1

    none: dict[str, Any] = {**dict.fromkeys(REPETITION), "top_n_grams": (), "dup_n_grams": ()}
    kind = repetition.GopherRepetitionFilter
    for rule, name in (("dup_line_frac", "repeated_lines"), ("dup_line_char_frac", "repeated_line_chars")):
        bounds(kind, name, none, rule)
    for n in range(2, 11):
        rule, name = ("top_n_grams", f"top_{n}_gram") if n < 5 else ("dup_n_grams", f"repeated_{n}_grams")
        bounds(kind, name, none, rule, n=n)
    kind = quality.GopherQualityFilter
    none = dict.fromkeys(QUALITY)
    for rule, name in QUALITY.items():
        # of no words, it computes the mean
        if name and found["real_words"]:
            least = rule.startswith("min_") or name == "letter_words"
            bounds(kind, name, none, rule, least)
    found["symbols"] = max(found["hash_ratio"], found["ellipsis_ratio"])
    if found["real_words"]:
        bounds(kind, "symbols", none, "max_symbol_word_ratio")
    kind = c4.C4QualityFilter
    refused = found["c4_lorem_ipsum"] + found["c4_braces"]
    kept, lines = result(kind, min_num_sentences=-1)
    assert (kept is True) == (not refused)
    if not refused:
        assert len(lines.splitlines()) == found["c4_lines"] or not lines
        policies = result(kind, min_num_sentences=-1, filter_policy=False)[1]
        assert bool(policies) == bool(found["c4_lines"] + found["c4_policies"])
        bounds(kind, "c4_sentences", {}, "min_num_sentences", least=True)

    kind = fineweb.FineWebQualityFilter
    for rule, name in FINEWEB.items():
        least = rule == "line_punct_thr"
        bounds(kind, name, PASSING, rule, least)
    return compared


PROSE = (
    "The keeper counts the ships that pass [12], and writes to the book: “12 ships”, 3.5 m. And with that…",
    "Am Abend, wenn der Wind nachlässt, zählt er die Möwen (»nur so«) – 1.234,5 Stück!",
    "Le phare de l'île n'est allumé qu'à la tombée de la nuit; 1\u202f234,5 lampes.",
    "灯台守は船を数える。「三隻だ」と言った。カモメも数える！",
    "守塔人数着船，写在本子上。一共三艘船？",
    "Маяк горит всю ночь, и корабли идут мимо... Да-да.",
    "Ο φαροφύλακας μετρά τα πλοία· τι ώρα είναι;",
    "Latarnik liczy statki, a potem mewy.",
    "يعدّ الحارس السفن؟ نعم، كل ليلة.",
    "प्रकाशस्तंभ का रखवाला जहाज़ गिनता है। फिर सो जाता है॥",
    "ผู้ดูแลประภาคารนับเรือ ทุกคืน",
    "등대지기는 배를 센다. 그리고 적는다.",
)
PIECES = (
    *PROSE, *(text for name in ("filler", "scripts", "policies", "stop words") for text in LISTS[name]),
    "Lorem Ipsum", "{x}", "[1]", "[edit]", "[Edit]", "[١]", "[]", "[citation needed]", "- ", "• ", "...", "…", "..",
    "#", "##", ".", "!?", "a", "b", "ab", "1", "11", "\u2028", "\r", "\x85", "\x1f", "\u3000", "\u200d", "_", "𠀀",
    "\U0001f600", "x" * 1001, "don't", "U.S.", "①", "１", "\0", "'", '"', "។",
)  # fmt: skip
lines = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda space: space.join(pieces))
)
texts = st.lists(st.one_of(lines, st.text(min_size=1, max_size=40))).map(
    lambda found: "\n".join(line for text in found for line in text.split("\n") if line.strip())
)


@pytest.mark.slow
@given(text=texts.filter(bool))
def test_every_figure_is_that_of_datatrove(filters: Any, text: str) -> None:
    assert agree(filters, text) >= 10


@pytest.mark.parametrize("text", PROSE, ids=lambda text: text[:9])
def test_in_many_languages(filters: Any, text: str) -> None:
    assert agree(filters, "\n".join([text, text[: len(text) // 2], text])) > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crawl", "town"])
def test_of_real_pages(filters: Any, name: str) -> None:
    cleaner = Cleaner()
    pages = (page for page in read(ROOT / "examples" / f"{name}.warc.gz") if isinstance(page, Page))
    found = [kept_text(*cleaner.page(page)).decode() for page in pages]
    found = [text for text in found if text][:25]
    assert len(found) > 10 and sum(agree(filters, text) for text in found) > 20 * len(found)


def decisions_of(filters: Any, text: str) -> list[bool]:
    """Which filters keep a text, with their default thresholds."""
    from datatrove.data import Document

    repetition, quality, c4, fineweb = filters
    kinds = (
        repetition.GopherRepetitionFilter,
        quality.GopherQualityFilter,
        c4.C4QualityFilter,
        fineweb.FineWebQualityFilter,
    )
    return [kind().filter(Document(text=text, id="")) is True for kind in kinds]


@pytest.mark.slow
def test_the_recipe_in_sql_keeps_the_same_pages(
    filters: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    if not RECIPE.is_file():
        pytest.skip("docs/ is not here")
    import duckdb
    import pyarrow as pa

    cleaners = Cleaner(), Cleaner("everything")
    pages = [
        page
        for name in ("crawl", "town")
        for page in read(ROOT / "examples" / f"{name}.warc.gz")
        if isinstance(page, Page)
    ][:60]
    found = {kept_text(*cleaner.page(page)).decode() for page in pages for cleaner in cleaners}
    prose = "\n".join(sorted({line for text in found for line in text.split("\n") if len(line) > 80})[:20])
    spoilt = ("{x}.", "Lorem ipsum.", "# " * 90, "... " * 90, "• a\n" * 400, "x…\n" * 40, "1, " * 400, prose)
    found |= {prose, prose[:200], *(f"{prose}\n{each}".strip() for each in spoilt)}
    rows = [
        {"url": str(number), "language": "en", "text": text, "signals": figures(text)}
        for number, text in enumerate(sorted(found - {""}))
    ]
    (tmp_path / "final").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "final" / "pages.parquet")
    blocks = re.findall(r"^```python\n(.*?)^```", RECIPE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = (each for each in blocks if "judged" in each)
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    judged: Any = duckdb.sql("SELECT text, gopher_repetition, gopher_quality, c4, fineweb FROM judged")
    kept = {text: list(each) for text, *each in judged.fetchall()}
    duckdb.sql("DROP VIEW judged")
    assert kept == {text: decisions_of(filters, text) for text in found - {""}}
    # each filter keeps some and drops some
    assert [set(each) for each in zip(*kept.values(), strict=True)] == [{True, False}] * 4


# without datatrove ------------------------------------------------------------------------------------


def test_of_nothing() -> None:
    found = figures("")
    assert {name: value for name, value in found.items() if value is not None} == dict.fromkeys(
        [name for name, whole in FILTERS.items() if whole], 0
    )
    assert figures("…")["real_words"] == 0 and figures("…")["mean_word_length"] is None


def test_words() -> None:
    """As spaCy cuts them where rules are enough: what is cut by one is not by the other in few places."""
    text = (
        "I don't know: U.S. firms paid $1,000 (5%) - well-known at a.example/x?y=1 and/or snake_case!!! 100€"
    )
    assert words_of(text) == [
        "I", "don't", "know", ":", "U.S", ".", "firms", "paid", "$", "1,000", "(", "5", "%", ")", "-", "well", "-",
        "known", "at", "a.example/x?y=1", "and/or", "snake_case", "!!!", "100", "€",
    ]  # fmt: skip
    assert figures(text)["letter_words"] == 12 / 25


@pytest.mark.slow
def test_a_line_of_eight_megabytes() -> None:
    """In about a second, whatever is in it; the bound leaves room for a busy machine."""
    began = time.process_time()
    found = figures("to be, " * 1_200_000)
    assert found["c4_lines"] == 0 and found["stop_words"] == 2
    assert found["repeated_10_grams"] > 0.7
    found = figures("[1." * 2_800_000)
    assert found["repeated_lines"] == 0
    assert time.process_time() - began < 8


def test_only_signals_load_it() -> None:
    """Other outputs do not pay for its tables."""
    script = (
        "import sys; from ncleaner import Cleaner; from ncleaner.sinks import corpus, schema; "
        "assert Cleaner().clean('<p>The ferry leaves at nine in the morning.'); "
        "sys.exit('ncleaner.describing._filters' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
