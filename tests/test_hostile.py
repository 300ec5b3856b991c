"""Input made to break things: a few hundred cases of each of `scripts/fuzz`'s targets, and what they have found.

`scripts/fuzz.sh` runs many more of them against extensions built with sanitizers.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import models
from fuzz.invariants import BrokenRuleError, check_document, same
from fuzz.mutate import MARKUP, UTF8
from fuzz.run import main
from fuzz.source import ODD
from fuzz.targets import TARGETS
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.classics.victor import VictorModel
from ncleaner.document import Document
from ncleaner.dumping.html import dump_html, parse
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.methods.choice import read_ngrams
from ncleaner.methods.registry import entry_of
from ncleaner.modelling.alphabet import alphabet, compose
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.notices import Notices
from ncleaner.modelling.structure import Structure

from .tables import with_tables

ROOT = Path(__file__).parent.parent

METHOD = entry_of("ngram").make(read_ngrams("en"))
PAGE = dump_html(
    "<title>Fog</title><ul class=nav><li><a href=/>Home</a><li>About us</ul>"
    "<div id=main><h1>Fog at sea</h1><p>The <b>ferry</b> was late.<p>Nobody knew why.</div>"
)


# --------------------------------------------------------------------------------------------------
# Cases by grammar


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_hostile_input_by_grammar(target: str) -> None:
    for seed in range(300):
        TARGETS[target].check(TARGETS[target].case(seed))


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_seed_gives_the_same_case(target: str) -> None:
    assert [TARGETS[target].case(seed) for seed in range(20)] == [
        TARGETS[target].case(seed) for seed in range(20)
    ]


TOKENS = st.one_of(
    st.sampled_from([*MARKUP, *UTF8, *(odd.encode("utf-8", "surrogatepass") for odd in ODD)]),
    st.sampled_from(
        [f"<{name} class=nav>".encode() for name in "div li td a b h1 pre svg select template".split()]
    ),
    st.sampled_from([f"</{name}>".encode() for name in "div li td a b h1 pre svg select template".split()]),
    st.sampled_from([b"Words. ", b"&nGt;", b"&#0;", b"\n\n", b" "]),
    st.binary(max_size=4),
)


# the way from a finding to the smallest page that shows it is hypothesis's
@given(st.integers(0, 255), st.lists(TOKENS, max_size=40))
def test_any_tokens_as_a_page(options: int, tokens: list[bytes]) -> None:
    TARGETS["page"].check(bytes([options]) + b"".join(tokens))


@given(
    st.integers(0, 255),
    st.lists(st.sampled_from([*TARGETS["text"].tokens, b"word ", b"\n", b"   "]), max_size=40),
)
def test_any_tokens_as_a_text(options: int, tokens: list[bytes]) -> None:
    TARGETS["text"].check(bytes([options]) + b"".join(tokens))


@given(st.integers(0, 255), st.lists(st.sampled_from([*TARGETS["archive"].tokens, b"x" * 20]), max_size=30))
def test_any_tokens_as_an_archive(options: int, tokens: list[bytes]) -> None:
    TARGETS["archive"].check(bytes([options]) + b"".join(tokens))


@given(
    st.integers(0, 6),
    st.binary(min_size=4, max_size=4),
    st.lists(st.one_of(st.sampled_from(UTF8), st.binary()), max_size=9),
)
def test_any_bytes_for_the_ngrams(options: int, places: bytes, tokens: list[bytes]) -> None:
    TARGETS["ngram"].check(bytes([options]) + places + b"".join(tokens))


@pytest.mark.slow
def test_findings_are_kept_and_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "findings"
    # no page takes no time at all
    assert main(["--target", "page", "--cases", "2", "--seconds", "1e-9", "--out", str(out)]) == 1
    assert "2 cases" in capsys.readouterr().out
    assert (out / "page-1").read_bytes() == TARGETS["page"].case(1)
    assert "TimeoutError" in (out / "page-1.txt").read_text()
    assert main(["--target", "page", str(out / "page-1")]) == 0


# --------------------------------------------------------------------------------------------------
# The rules themselves


def _with(document: Document, table: str, column: str, row: int, value: int) -> Document:
    changed = getattr(document, table).copy()
    changed[column][row] = value
    return with_tables(document, **{table: changed})


@pytest.mark.parametrize(
    ("table", "column", "row", "value"),
    [
        ("segments", "start", 1, 0), ("segments", "end", 0, 10_000), ("segments", "kind", 0, 120),
        ("segments", "first_run", 0, 1), ("segments", "last_run", -1, 0), ("segments", "words", 0, 99),
        ("segments", "chars", 0, 99_999), ("segments", "element", 0, -1), ("runs", "segment", 0, 1),
        ("runs", "end", 0, 0), ("runs", "element", 0, 9999), ("elements", "parent", 1, 1),
        ("elements", "depth", 1, 7), ("elements", "last_run", 0, 0), ("elements", "names", 0, 60_000),
        ("elements", "tag", 0, 999),
    ],
)  # fmt: skip
def test_broken_tables_are_seen(table: str, column: str, row: int, value: int) -> None:
    check_document(PAGE)
    broken = _with(PAGE, table, column, row, value)
    assert not same(PAGE, broken)
    with pytest.raises(BrokenRuleError):
        check_document(broken)


def test_broken_text_is_seen() -> None:
    with pytest.raises(UnicodeDecodeError):
        check_document(with_tables(PAGE, data=PAGE.data[:-2] + b"\xff\n"))
    with pytest.raises(BrokenRuleError):
        check_document(with_tables(PAGE, data=PAGE.data[:-1]))


# --------------------------------------------------------------------------------------------------
# What has been found


@pytest.mark.parametrize("blank", ["\u3000", "\xa0", "\x1f", "\x0b\x1c", " \u2003\u3000", "\u2028"])
def test_a_line_of_wide_white_space_is_empty(blank: str) -> None:
    text = f"One paragraph of text.\n{blank}\nAnother paragraph."
    assert [str(segment) for segment in dump_text(text)] == ["One paragraph of text.", "Another paragraph."]
    assert [str(segment) for segment in dump_text(f"{blank}\n{blank}\nx")] == ["x"]


def test_references_that_grow_are_kept_from_the_parser() -> None:
    # Lexbor 3.1 writes the last byte of these behind its buffer of 4,096 bytes and of any larger one
    for name, character in (("nGt", "≫\u20d2"), ("nLt", "≪\u20d2")):
        reference = f"&{name};"
        for size in (*range(4080, 4100), 20_000):
            html = f"<p>{'x' * size}{reference}{reference} y".encode()
            assert dump_html(html).text == f"{'x' * size}{character}{character} y\n"
        titled = parse(f"<b title='{reference}'>".encode()).parser.css_first("b")
        assert titled is not None and titled.attributes["title"] == character


@pytest.mark.untraced
def test_a_long_run_of_letters_at_the_end_does_not_overrun_the_detector() -> None:
    # read in a process of its own: uchardet 0.0.8 writes behind a buffer, which may or may not be seen at once
    letters = "가각간갇갈갉갊감갑값".encode() * 1000
    program = "import sys; from ncleaner.text.charset import decode; body = sys.stdin.buffer.read()\n"
    program += "for _ in range(50): decode(body)"
    for body in (letters[:-1], b"\xe9 " * 500 + letters[:-1], letters[:3500] + b"\xff" * 20):
        subprocess.run([sys.executable, "-c", program], input=body, check=True, cwd=ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\u0344\u0323"])
def test_composing_takes_time_by_the_length(marks: str) -> None:
    # by the square of it this would take an hour
    page = f"<p>e\u0301 a{marks * 1_500_000}"
    assert len(METHOD.keep(dump_html(page)).mask) == 1


@pytest.mark.untraced
def test_composing_changes_nothing_else() -> None:
    def composed(text: str) -> str:
        data = text.encode()
        return compose(data, np.zeros(1, np.uint32), np.array([len(data)], np.uint32))[0].decode()

    for letter in ("e\u0301", "\u1112\u1161\u11ab", "\u0915\u093c", "x\u0323\u0301" * 3):
        for text in (letter, letter * 10_000, f"{letter} " * 10_000, "y" * 65_535 + letter * 10_000):
            assert composed(text) == unicodedata.normalize("NFC", text)
    # marks beyond thirty are set off by what stands for nothing
    assert composed("e" + "\u0301" * 61) == "é" + "\u0301" * 29 + "\u034f" + "\u0301" * 30 + "\u034f\u0301"


@pytest.mark.slow
def test_tables_with_a_secret_of_the_process_give_the_same_in_another() -> None:
    # where rows stand in hash tables is the process's secret, so that no page can be made to fill one place
    program = (
        "import hashlib, sys; from ncleaner import Cleaner; page = sys.stdin.buffer.read(); said = hashlib.sha256()\n"
        "for method in ('hybrid', 'victor'):\n"
        "    cleaner = Cleaner(method); said.update(cleaner.keep(cleaner.document(page)).scores.tobytes())\n"
        "print(said.hexdigest())"
    )
    items = b"".join(b"<li class=x%d><a href=/>%s</a>" % (i % 7, b"Home " * (i % 3)) for i in range(300))
    page = (
        b"<div class=nav><ul>"
        + items
        + b"</ul></div>"
        + b"<p>The ferry was late again, and nobody knew why." * 9
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], input=page, capture_output=True, check=True, cwd=ROOT
        ).stdout
        for _ in range(3)
    }
    assert len(found) == 1


def test_an_empty_id_is_none() -> None:
    found, plain = dump_html("<p id='' role=''>x"), dump_html("<p>x")
    assert found.names.tolist() == plain.names.tolist()
    assert found.elements.tolist() == plain.elements.tolist()


def test_segments_that_are_none_are_not_encoded() -> None:
    encoder = alphabet("ascii").encoder
    # the first is shorter than nothing, which would be taken off the room for the second
    for starts, ends in (([4, 0], [0, 4]), ([0], [5]), ([5], [5])):
        with pytest.raises(ValueError, match="outside of the text"):
            encoder.encode(b"text", np.array(starts, np.uint32), np.array(ends, np.uint32), 3)
    with pytest.raises(ValueError, match="at least 1"):
        encoder.encode(b"text", np.zeros(1, np.uint32), np.ones(1, np.uint32), 0)


def _refused(kind: str, match: str, header: dict[str, object] | None = None, **arrays: Any) -> None:
    """Whether a model file of this kind with some parts replaced, and right checksums, is refused."""
    named = {name.replace("_", ".", 1): values for name, values in arrays.items()}
    data = models.remade(models.small_model(kind).to_bytes(), header, named)
    readers: dict[str, Callable[[bytes], object]] = {
        "ngram": NGramModel.from_bytes, "structure": Structure.from_bytes, "hybrid": HybridModel.from_bytes,
        "victor": VictorModel.from_bytes, "notices": Notices.from_bytes,
    }  # fmt: skip
    with pytest.raises(ModelError, match=match):
        readers[kind](data)


def test_numbers_that_run_over_are_refused() -> None:
    _refused("victor", "not finite", state=np.full((16 * 4, 5), 1e300))
    _refused("structure", "whole numbers", weights=np.full(1 << 14, np.nan))
    _refused("structure", "another size", weights=np.full(1 << 14, 1 << 40))
    _refused("structure", "too large", first_rows=np.full(1, 2**64 - 1, np.uint64))
    _refused("structure", "not finite", second_thresholds=np.full(1, np.inf))
    _refused("notices", "out of range", weights=np.full(1 << 15, 128))
    _refused("notices", "another size", weights=np.zeros(1 << 14, np.int8))
    _refused("notices", "finite", {"step": 0})
    _refused("notices", "finite", {"offset": "nan"})
    _refused("ngram", "whole numbers", clean1=np.array([0.5]))
    _refused("ngram", "are no keys", keys1=np.array([1.5]))
    _refused(
        "ngram",
        "do not belong together",
        clean1=np.array([2**62]),
        dirty1=np.array([1]),
        keys1=np.array([1], np.uint8),
    )
    _refused("ngram", "out of range", header={"q": float("nan")})
    _refused("ngram", "out of range", header={"order": 10**30})
    _refused("hybrid", "out of range", header={"calibration": {"slope": 1e300, "offset": 0.0}})
    _refused("hybrid", "out of range", header={"threshold": float("inf")})


def test_a_threshold_far_away_comes_back() -> None:
    for threshold in (2.0**31, -1e100):
        model = NGramModel.from_bytes(models.small_model("ngram").to_bytes()).with_parameters(
            threshold=threshold
        )
        assert pickle.loads(pickle.dumps(model)).decision.threshold == threshold


def test_headers_of_other_things_are_refused() -> None:
    _refused("ngram", "surrogates not allowed", header={"name": "\udc00"})
    _refused("ngram", "is not an object", header={"training": [1]})
    _refused("victor", "is not an object", header={"validation": "good"})
    for text in (b"[]", b'"x"', b"1", b"null", b"[" * 100_000, b'"\xff"'):
        with pytest.raises(ModelError):
            NGramModel.from_bytes(models.summed(text, b""))


def test_a_small_file_cannot_fill_the_memory() -> None:
    model = models.small_model("victor")
    header, blocks = models.opened(model.to_bytes())
    header["arrays"][0]["shape"] = [1 << 40, 5]
    text = json.dumps(header).encode()
    stored = model.to_bytes()
    payload = stored[len(stored) - sum(entry["bytes"] for entry in header["arrays"]) :]
    with pytest.raises(ModelError, match="not as long"):
        VictorModel.from_bytes(models.summed(text, payload))
    assert blocks


# --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(
    not os.environ.get("NCLEANER_SANITIZE"), reason="NCLEANER_SANITIZE is not set: it takes a minute"
)
def test_hostile_input_under_sanitizers(tmp_path: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no gcc")
    for library in ("libasan.so", "libubsan.so"):
        found = subprocess.run(
            [compiler, f"-print-file-name={library}"], capture_output=True, text=True, check=True
        )
        if not Path(found.stdout.strip()).is_absolute():
            pytest.skip(f"gcc comes without {library}")
    environment = {**os.environ, "CC": compiler, "PYTHON": sys.executable}
    command = ["bash", str(ROOT / "scripts" / "fuzz.sh"), "150", "0", str(tmp_path / "findings")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" 0 findings") == len(TARGETS), done.stdout
