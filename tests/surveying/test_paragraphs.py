"""Sequences of words, and which paragraphs earlier pages of a survey have."""

from __future__ import annotations

import random
import re
import sqlite3
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cleaner import Cleaner
from ncleaner.document.kept import Kept
from ncleaner.errors import InputError, ModelError
from ncleaner.options import OptionError
from ncleaner.page import Page
from ncleaner.recipe import Recipe
from ncleaner.sinks.signatures import SignaturesSink
from ncleaner.sinks.sink import SinkOptions
from ncleaner.surveying._texts import sequences_of
from ncleaner.surveying.build import Builder
from ncleaner.surveying.duplicates import Sequences, sequences_on
from ncleaner.surveying.signatures import Signature, signature_of
from ncleaner.surveying.survey import Contents, Survey
from ncleaner.text.words import UNSPACED

from ..outputs import all_of, document, page
from .sealing import sealed_again

UNKNOWN = 2**39 - 1


def prose(seed: int, words: int = 40) -> str:
    chance = random.Random(seed)
    return " ".join(
        "".join(chance.choices("aeioubcdfghjklmnprst", k=chance.randint(2, 9))) for _ in range(words)
    )


def of(*texts: str) -> list[list[int]]:
    """The sequences of each of some segments."""
    made = document(*texts)
    hashes, owners = sequences_of(made.tables, np.ones(len(texts), bool))
    assert np.all(np.diff(owners) >= 0)
    return [hashes[owners == row].tolist() for row in range(len(texts))]


# --------------------------------------------------------------------------------------------------
# Sequences.


def mix(number: int) -> int:
    number = number * 0x9E3779B97F4A7C15 % (1 << 64)
    return number ^ number >> 32


def expected(text: str) -> list[int]:
    """The same, as one would write it without regard to time."""
    is_unspaced = re.compile(f"[{UNSPACED}]").match
    words: list[str] = []
    for chunk in text.split():
        word = ""
        for letter in chunk:
            if not letter.isalnum():
                continue
            words += [word, letter] if is_unspaced(letter) else []
            word = "" if is_unspaced(letter) else word + letter
        words.append(word)
    hashes = []
    for word in filter(None, words):
        found = 7
        for letter in word:
            small = letter.lower() if ord(letter) < 0x590 and len(letter.lower()) == 1 else letter
            found = ((found ^ ord(small)) * 0x100000001B3 + 1) % (1 << 64)
        hashes.append(mix(found))
    keys = []
    for at in range(len(hashes) - 6):
        key = 7
        for word_hash in hashes[at : at + 7]:
            key = mix(key ^ word_hash)
        keys.append(key >> 1)
    chosen = [key for key in keys if key % 8 == 0]
    return chosen + ([min(keys)] if keys and min(keys) % 8 else [])


# letters and digits as the compiled tables have them: what is numeric only, such as ½, is no digit
CHARACTERS = st.characters(codec="utf-8").filter(
    lambda c: not c.isalnum() or c.isalpha() or unicodedata.category(c) == "Nd"
)


@given(st.lists(st.text(CHARACTERS | st.sampled_from("ab é渡"), max_size=4), max_size=30))
def test_as_the_plain_way(words: list[str]) -> None:
    # white space of a dump is that of ASCII
    text = " ".join("".join(c for c in word if not c.isspace() and c > "\x1f") for word in words)
    assert of(text) == [expected(text)]


def test_words_count_without_case_and_punctuation() -> None:
    one, other, third = of(
        "The ferry, late again: nobody knows why.",
        "— THE FERRY late again — nobody “knows” why",
        "The ferry is late again: nobody knows why.",
    )
    assert one == other and len(one) == 1 and not set(one) & set(third)
    # surveys have these values: others need a new version
    assert one == [9062875289609916896]
    assert of("Six words are one too few.", "") == [[], []]


def test_of_a_long_paragraph_one_in_eight_is_chosen() -> None:
    [found] = of(prose(1, 8_000))
    assert 850 < len(found) < 1_150


def test_scripts_without_spaces() -> None:
    one, other = of("渡轮将航行到五月底没有人知道", "渡轮将航行到五月底，没有人知道")
    assert one == other != []


def test_only_kept_segments() -> None:
    made = document(prose(1), prose(2))
    hashes, owners = sequences_of(made.tables, np.array([False, True]))
    assert set(owners.tolist()) == {1} and hashes.tolist() == of(prose(2))[0]
    with pytest.raises(ValueError, match="does not fit"):
        sequences_of(made.tables, np.ones(3, bool))


# --------------------------------------------------------------------------------------------------
# Decisions.


def decided(kept: str, shares: Iterable[float]) -> str:
    """A mask without what is seen; `x` is kept."""
    found = Kept(np.array([each == "x" for each in kept]), seen=np.array(list(shares))).without_seen()
    assert found.remarks.seen == kept.count("x") - int(found.mask.sum())
    return "".join("x" if each else "." for each in found.mask)


def test_what_is_seen_goes() -> None:
    nan = float("nan")
    assert decided("xxx", [0.0, 0.51, 1.0]) == "x.."
    assert decided("xx", [0.5, nan]) == "xx"
    # a heading goes with the paragraphs on both sides
    assert decided("xxxx", [1.0, nan, nan, 1.0]) == "...."
    assert decided("xxxx", [1.0, nan, nan, 0.0]) == ".xxx"
    assert decided("xxx", [nan, 1.0, nan]) == "..."
    assert decided("xxx", [nan, 0.0, nan]) == "xxx"
    # segments that are not kept do not count
    assert decided("x.x.x", [1.0, nan, nan, nan, 1.0]) == "....."
    assert decided("", []) == ""
    assert Kept(np.ones(2, bool)).without_seen().mask.all()


# --------------------------------------------------------------------------------------------------
# Surveys.


def signed(number: int, *texts: str, **about: object) -> Signature:
    captured, made = page(number, **about), document(*texts)
    found = signature_of(
        captured.url, made, all_of(made), sequences=sequences_on(captured, made, all_of(made).mask)
    )
    assert found is not None
    return found


def survey(path: Path, *parts: Signature | Path) -> Survey:
    with Builder(path, Contents(paragraphs=True)) as builder:
        for part in parts:
            if isinstance(part, Path):
                builder.add_survey(part)
            else:
                builder.add([part])
        builder.finish()
    return Survey(path)


def shares(known: Survey, number: int, *texts: str, **about: object) -> list[float]:
    made = document(*texts)
    return list(known.shares_seen(page(number, **about), made, all_of(made).mask))


def test_the_page_that_was_captured_first_keeps_a_paragraph(tmp_path: Path) -> None:
    pages = [
        signed(1, prose(1), prose(2)),
        signed(2, prose(2), prose(3)),
        signed(3, prose(1), "A heading", date=""),
        signed(4, prose(3), prose(4), record_id="", url="http://other.example/4"),
    ]
    known = survey(tmp_path / "a.ncs", *pages)
    assert shares(known, 1, prose(1), prose(2)) == [0, 0]
    assert shares(known, 2, prose(2), prose(3)) == [1, 0]
    # a page without a date is the last one
    assert shares(known, 3, prose(1), "A heading", date="")[0] == 1
    assert shares(known, 4, prose(3), prose(4), record_id="", url="http://other.example/4") == [1, 0]
    # to a page that the survey does not have, all others are earlier
    assert shares(known, 9, prose(4), prose(5)) == [1, 0]
    assert np.isnan(shares(known, 9, "too few words")).all() and shares(known, 9) == []
    # the same file, whatever the order, and of surveys of parts
    again = survey(tmp_path / "b.ncs", *reversed(pages), pages[0])
    both = survey(
        tmp_path / "ab.ncs",
        survey(tmp_path / "p.ncs", *pages[:2]).path,
        survey(tmp_path / "q.ncs", *pages[2:]).path,
    )
    rows = "SELECT * FROM sequences JOIN moments ON first = moment"
    expected = known.shards[0].execute(rows).fetchall()
    assert expected == again.shards[0].execute(rows).fetchall() == both.shards[0].execute(rows).fetchall()
    assert known.path.read_bytes() == both.path.read_bytes()


def test_a_signature_as_a_line() -> None:
    one = signed(1, prose(1))
    line = one.line()
    found = Signature.of_line(line, "here").sequences
    assert found is not None and one.sequences is not None
    assert (found.capture, found.moment) == (one.sequences.capture, one.sequences.moment)
    assert found.hashes.tolist() == one.sequences.hashes.tolist()
    with pytest.raises(InputError, match="here: sequences of words of version 9"):
        Signature.of_line(line.replace(b'"sequences":{"version":2', b'"sequences":{"version":9'), "here")
    for old, new in ((b'"moment":', b'"moment":-'), (b'"hashes":"', b'"hashes":"f'), (b'"hashes"', b'"h"')):
        with pytest.raises(InputError, match="here: not the signature"):
            Signature.of_line(line.replace(old, new), "here")
    # a page without paragraphs, and a page of a survey without them
    made = document("short")
    assert sequences_on(Page(b""), made, all_of(made).mask).moment >> 24 == UNKNOWN
    assert signature_of("http://a.example/", made, all_of(made)).sequences is None  # type: ignore[union-attr]


def test_the_sink_of_signatures() -> None:
    made = document(prose(1))
    sinks = [SignaturesSink(SinkOptions(paragraphs=wanted)) for wanted in (False, True)]
    lines = [sink.render(page(1), made, all_of(made), False) for sink in sinks]
    found = [Signature.of_line(line, "here").sequences for line in lines]
    assert found[0] is None and isinstance(found[1], Sequences) and len(found[1].hashes) > 1


def test_what_lacks_paragraphs_is_refused(tmp_path: Path) -> None:
    plain = replace(signed(1, prose(1)), sequences=None)
    with Builder(tmp_path / "plain.ncs", Contents()) as builder:
        builder.add([plain])
        builder.finish()
    known = Survey(tmp_path / "plain.ncs")
    assert not known.contents.paragraphs
    with Builder(tmp_path / "x.ncs", Contents(paragraphs=True)) as builder:
        with pytest.raises(InputError, match=r"here, line 1: there is no sequence .* with --paragraphs"):
            builder.add_lines([plain.line()], "here")
        with pytest.raises(InputError, match=r"is without paragraphs: .* with --paragraphs"):
            builder.add_survey(known.path)
    with pytest.raises(ModelError, match=r"has no paragraphs: make it again with `survey --paragraphs`"):
        Cleaner(sites=known, drop_seen=True)
    with pytest.raises(ModelError, match="damaged"):
        shares(known, 1, prose(1))
    with pytest.raises(OptionError, match="needs a survey"):
        Recipe(drop_seen=True)
    made = survey(tmp_path / "a.ncs", signed(1, prose(1))).path
    database = sqlite3.connect(made)
    with database:
        database.execute("UPDATE about SET value = 9 WHERE key = 'sequences'")
    database.close()
    sealed_again(made)
    with pytest.raises(ModelError, match="other sequences of words"):
        Survey(made)
