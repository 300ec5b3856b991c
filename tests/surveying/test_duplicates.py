"""Sketches of texts, and which page of a survey repeats which."""

from __future__ import annotations

import importlib.util
import random
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import InputError, ModelError
from ncleaner.page import Page
from ncleaner.surveying.build import Builder
from ncleaner.surveying.duplicates import (
    CAPTURE_TABLES,
    SKETCH_TABLES,
    Sketch,
    capture_of,
    find_duplicates,
    find_edges,
    require_rensa,
    sketch_of,
)
from ncleaner.surveying.shards import shard_of
from ncleaner.surveying.signatures import Signature
from ncleaner.surveying.survey import Contents, Survey

from .sealing import sealed_again

BANDS = 14


def prose(seed: int, words: int = 300) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices("aeioubcdfghjklmnprst", k=chance.randint(2, 9))) for _ in range(words)]


def sketch(text: str, url: str = "http://a.example/1", record_id: str = "") -> Sketch:
    return sketch_of(Page(b"", url=url, record_id=record_id or url), text.encode())


def shared(left: str, right: str) -> bool:
    """Whether two texts share a band."""
    bands = [sketch(text).bands for text in (left, right)]
    return any(bands[0][at : at + 8] == bands[1][at : at + 8] for at in range(0, 8 * BANDS, 8))


def test_a_sketch_is_of_the_words() -> None:
    one = sketch("The ferry, late again: nobody knows why.")
    other = sketch("the ferry late\nagain — nobody knows WHY")
    assert one.bands == other.bands and len(one.bands) == 8 * BANDS and one.text != other.text
    # the form of the file: a change needs a new version
    assert one.bands[:8].hex() == "1b7845f93fd1edf4"
    assert sketch("... --").bands == b"" == sketch("").bands
    assert sketch("ferry").bands != sketch("boat").bands


@pytest.mark.parametrize("seed", range(20))
def test_near_duplicates_share_a_band(seed: int) -> None:
    words = prose(seed)
    # a similarity of 290 / 302: five shingles of each text are its own
    changed = [*words[:150], "otherwise", *words[151:]]
    assert shared(" ".join(words), " ".join(changed))
    assert not shared(" ".join(words), " ".join(prose(seed + 100)))
    # half of the words are the same: 0.33
    assert not shared(" ".join(words), " ".join(words[:150] + prose(seed + 100)[:150]))


def test_scripts_without_spaces() -> None:
    text = "渡轮将航行到五月底没有人知道它今天早上为什么又晚点了码头上的人也没有问"
    assert shared(text, f"{text}啊") and not shared(text, text[::-1])


def test_captures() -> None:
    page = Page(b"x", url="http://a.example/", date="2024-05-01T10:00:00Z", record_id="urn:uuid:1", offset=5)
    assert capture_of(page) == capture_of(page._replace(body=b"y", url="http://b.example/", offset=6))
    bare = page._replace(record_id="")
    assert capture_of(bare) == capture_of(bare._replace(offset=99)) != capture_of(page)
    assert capture_of(bare) != capture_of(bare._replace(date="2024-05-02T10:00:00Z"))


Row = tuple[int, str, int, tuple[int, ...]]


def oracle(rows: list[Row]) -> dict[int, tuple[int, bool]]:
    """{capture: (original, exact)} by the definition."""
    found: dict[int, tuple[int, bool]] = {}
    ranked = sorted((row for row in rows if row[3]), key=lambda row: (len(row[1]), row[0]))
    for number, (capture, _, text, bands) in enumerate(ranked):
        for earlier, _, other, others in ranked[:number]:
            if text == other or any(a == b for a, b in zip(bands, others, strict=True)):
                original = found[earlier][0] if earlier in found else earlier
                found[capture] = original, text in [row[2] for row in ranked[:number]]
                break
    return found


ROWS = st.lists(
    st.tuples(
        st.integers(0, 2**55 - 1),
        st.text("abc", min_size=1, max_size=3),
        st.integers(0, 20).map(lambda number: 2 * number),
        st.one_of(st.just(()), st.tuples(*[st.integers(0, 60)] * BANDS)),
    ),
    max_size=30,
    unique_by=lambda row: row[0],
)


@given(ROWS, st.integers(1, 4), st.randoms(use_true_random=False))
def test_duplicates_are_those_of_the_definition(rows: list[Row], number: int, chance: random.Random) -> None:
    expected = oracle(rows)
    chance.shuffle(rows)
    shards = [sqlite3.connect(":memory:") for _ in range(number)]
    for shard in shards:
        shard.executescript(CAPTURE_TABLES + SKETCH_TABLES)
    for capture, url, text, bands in rows:
        # as in a sketch, hashes of different bands are different, and spread
        blob = b"".join(
            (((band * 61 + hashed) * 0x9E3779B97F4A7C15) % 2**64 >> 2 << 2).to_bytes(8, "big")
            for band, hashed in enumerate(bands)
        )
        for band, page in Sketch(capture, url, text, blob).rows:
            shards[shard_of(band, 63, number)].execute("INSERT INTO banded VALUES (?, ?)", (band, page))
    for shard in shards:
        find_edges(shard)
    find_duplicates(shards)
    for place, shard in enumerate(shards):
        found = shard.execute("SELECT capture, original, exact FROM duplicates").fetchall()
        own = {capture: of for capture, of in expected.items() if shard_of(capture, 55, number) == place}
        assert {capture: (original, bool(exact)) for capture, original, exact in found} == own
        shard.close()


def signature(number: int, sketched: Sketch | None) -> Signature:
    return Signature(
        "a.example", number, 1, 10, 5, "en", "article", np.array([number], np.uint32), sketch=sketched
    )


def test_what_a_survey_knows(tmp_path: Path) -> None:
    text = " ".join(prose(1))
    pages = [
        Page(b"", url=url) for url in ("http://a.example/1?print", "http://a.example/1", "http://a.example/2")
    ]
    texts = [text, text, " ".join(prose(2))]
    again = Page(b"", url="http://a.example/1", date="2024-05-01T10:00:00Z")
    with Builder(tmp_path / "sites.ncs", Contents(duplicates=True)) as builder:
        for number, (page, each) in enumerate(zip([*pages, again], [*texts, f"{text} more"], strict=True)):
            builder.add([signature(number, sketch_of(page, each.encode()))] * 2)
        assert builder.finish()["duplicates"] == 2
    survey = Survey(tmp_path / "sites.ncs")
    assert survey.contents.duplicates
    assert [survey.duplicate_of(page) for page in (pages[0], pages[2])] == ["http://a.example/1", ""]
    # of two captures of a page, one repeats the other
    assert (survey.duplicate_of(again) == "") != (survey.duplicate_of(pages[1]) == "")
    assert survey.duplicate_of(Page(b"", url="http://a.example/3")) == ""
    counts = dict(survey.shards[0].execute("SELECT what, number FROM counts WHERE what IN ('exact', 'near')"))
    assert counts == {"exact": 1, "near": 1}


def test_a_survey_without_duplicates_knows_none(tmp_path: Path) -> None:
    page = Page(b"", url="http://a.example/1")
    with Builder(tmp_path / "sites.ncs", Contents()) as builder:
        builder.add([signature(1, sketch_of(page, b"some text")), signature(2, None)])
        builder.finish()
    survey = Survey(tmp_path / "sites.ncs")
    assert not survey.contents.duplicates and survey.duplicate_of(page) == ""
    with (
        Builder(tmp_path / "two.ncs", Contents(duplicates=True)) as builder,
        pytest.raises(InputError, match="is without duplicates"),
    ):
        builder.add_survey(tmp_path / "sites.ncs")


def test_lines(tmp_path: Path) -> None:
    whole = signature(1, sketch("The ferry is late again, and nobody knows why."))
    line = whole.line()
    assert Signature.of_line(line, "here").sketch == whole.sketch
    for wrong, message in [
        (line.replace(b'"sketch":{"version":2', b'"sketch":{"version":9'), "of version 9"),
        (line.replace(b'"capture":', b'"captured":'), "not the signature"),
        (line.replace(b'"bands":"', b'"bands":"00'), "not the signature"),
        (line.replace(b'"capture":', b'"capture":-'), "not the signature"),
        (line.replace(b'"url":"http', b'"url":7,"x":"http'), "not the signature"),
    ]:
        assert wrong != line
        with pytest.raises(InputError, match=message):
            Signature.of_line(wrong, "here")
    with (
        Builder(tmp_path / "sites.ncs", Contents(duplicates=True)) as builder,
        pytest.raises(InputError, match=r"there, line 1: there is no sketch in the signature"),
    ):
        builder.add_lines([signature(1, None).line()], "there")


def test_another_version(tmp_path: Path) -> None:
    with Builder(tmp_path / "sites.ncs", Contents(duplicates=True)) as builder:
        builder.finish()
    database = sqlite3.connect(tmp_path / "sites.ncs")
    with database:
        database.execute("UPDATE about SET value = 9 WHERE key = 'sketches'")
    database.close()
    sealed_again(tmp_path / "sites.ncs")
    with pytest.raises(ModelError, match="has other sketches"):
        Survey(tmp_path / "sites.ncs")


def test_without_rensa(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'ncleaner\[duplicates\]'"):
        require_rensa()


def test_another_rensa(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.surveying.duplicates._RENSA", 99)
    with pytest.raises(InputError, match="other sketches"):
        require_rensa()
