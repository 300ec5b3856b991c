"""What is learned in the background, in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner.lab.annotating.learning as learning_module
from ncleaner.lab.annotating.learning import Entry, Learning, finished_pairs, in_order, learn, read_learned
from ncleaner.lab.annotating.project import PageLabels, Project, digest_of, letters_of_runs, open_project
from ncleaner.lab.training.annotations import labels_from_alignment
from ncleaner.lab.training.pairs import read_pairs

from . import made

PAIRS = {
    pair.name: pair
    for pair in read_pairs(made.EXAMPLES / "pages", made.EXAMPLES / "gold")
    if pair.name in made.ENGLISH
}


def project(folder: Path, finished: int, name: str = "me") -> Project:
    """English example pages, of which a person has finished some as their gold says."""
    (folder / "raw").mkdir(parents=True)
    for page in PAIRS:
        shutil.copy(made.EXAMPLES / "pages" / f"{page}.html", folder / "raw")
    shutil.copy(made.EXAMPLES / "manifest.jsonl", folder)
    found = open_project(folder)
    for page in [*PAIRS][:finished]:
        document = found.document(page)
        letters = letters_of_runs(document, labels_from_alignment(PAIRS[page]))
        found.save(
            name, PageLabels(page, letters, digest_of(document), 1, True, finished="2026-01-01T00:00:00Z")
        )
    return found


def test_what_is_learned_from(tmp_path: Path) -> None:
    found = project(tmp_path, 2)
    assert [pair.name for pair in finished_pairs(found, "me")] == [*PAIRS][:2]
    # two people judge by themselves
    assert finished_pairs(found, "ben") == []
    # clean texts from elsewhere are for both
    found.clean.mkdir()
    for page in [*PAIRS][:4]:
        shutil.copy(made.EXAMPLES / "gold" / f"{page}.gold", found.clean / f"{page}.txt")
    assert [pair.name for pair in finished_pairs(found, "me")] == [*PAIRS][:4]
    assert [pair.name for pair in finished_pairs(found, "ben")] == [*PAIRS][2:4]


@pytest.mark.slow
@pytest.mark.traced
def test_without_finished_pages_it_knows_the_doubt_of_all(tmp_path: Path) -> None:
    found = project(tmp_path, 0)
    learn(str(tmp_path), None, "me", "auto")
    learned = read_learned(found.own("me"))
    assert set(learned.pages) == set(PAIRS)
    assert all(0 < entry["doubt"] < 1 and entry["words"] > 50 for entry in learned.pages.values())
    assert (learned.trained, learned.own, learned.curve) == (0, False, [])
    assert learned.pages["kettle-product"]["site"] == "northlight-kitchen.example"


@pytest.mark.slow
def test_with_finished_pages_it_trains_and_draws_a_curve(tmp_path: Path) -> None:
    found = project(tmp_path, 7)
    learn(str(tmp_path), None, "me", "nonlexical")
    learned = read_learned(found.own("me"))
    assert learned.trained == 7 and len(learned.curve) == 2 and 0 < learned.start["f"] < 1
    assert "Go on" in learned.advice
    before = (found.own("me") / "learned.json").read_bytes()
    learn(str(tmp_path), None, "me", "nonlexical")
    assert (found.own("me") / "learned.json").read_bytes() == before


@pytest.mark.slow
def test_a_page_that_cannot_be_read_does_not_end_it(tmp_path: Path) -> None:
    found = project(tmp_path, 5)
    (tmp_path / "raw" / "tidepool-docs.html").write_bytes(b"<p>x</p>" * 3_000_000)
    (tmp_path / "labels" / "me" / "kettle-product.json").write_text("broken")
    learn(str(tmp_path), None, "me", "auto")
    learned = read_learned(found.own("me"))
    assert "error" in learned.pages["tidepool-docs"] and learned.trained == 4


@pytest.mark.slow
def test_in_a_process(tmp_path: Path) -> None:
    learning = Learning(project(tmp_path, 5), "me", "auto")
    assert not learning.busy and not learning.poll()
    learning.begin()
    # the second call waits for the first one
    learning.begin()
    rounds = 0
    while learning.busy:
        rounds += learning.poll()
        time.sleep(0.02)
    assert rounds == 2 and learning.failed == "" and learning.learned.trained == 5
    learning.begin()
    learning.end()
    assert not learning.busy


@pytest.mark.slow
def test_what_is_learned_cannot_be_written(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = project(tmp_path, 0)
    (found.own("me") / "learned.json").mkdir(parents=True)
    learning = Learning(found, "me", "auto")
    learning.begin()
    while learning.busy:
        assert not learning.poll()
        time.sleep(0.02)
    assert (
        learning.failed.startswith("learning has ended: cannot write ") and "learned.json" in learning.failed
    )
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say that a process is stopped")
def test_a_process_that_is_stopped_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning_module, "STOPPED_AFTER", 0.2)
    learning = Learning(project(tmp_path, 5), "me", "auto")
    learning.begin()
    os.kill(learning._process.pid, signal.SIGSTOP)
    learning.begin()
    failed = ""
    while learning.busy:
        learning.poll()
        failed = failed or learning.failed
        time.sleep(0.02)
    assert failed == "learning has ended with status -9"
    assert learning.failed == "" and learning.learned.trained == 5


def test_what_was_learned_by_another_version_is_forgotten(tmp_path: Path) -> None:
    assert read_learned(tmp_path).trained == 0
    for content in ("", "[]", "{}", json.dumps({"new": 1}), "\xff"):
        (tmp_path / "learned.json").write_bytes(content.encode("latin-1"))
        assert read_learned(tmp_path).pages == {}


UNREAD = st.fixed_dictionaries({"site": st.sampled_from(["", "a.example", "b.example"])})
READ = st.fixed_dictionaries(
    {
        "site": st.sampled_from(["", "a.example", "b.example"]),
        "kind": st.sampled_from(["", "article", "forum"]),
        "doubt": st.floats(0, 1),
        "words": st.integers(0, 1000),
    }
)
PAGES = st.dictionaries(st.text("abc", min_size=1, max_size=4), UNREAD | READ)


def page(site: str = "", kind: str = "", doubt: float = 0.1) -> Entry:
    return {"site": site, "kind": kind, "doubt": doubt, "words": 100}


# so many pages that doubt counts
DONE = [page(f"s{number}.example") for number in range(8)]


def test_typical_pages_come_first_and_doubtful_ones_after_them() -> None:
    left = {"a": page(doubt=0.01), "b": page(doubt=0.3), "c": page(doubt=0.1)}
    assert in_order(left, []) == ["c", "b", "a"]
    assert in_order(left, DONE[:7]) == ["c", "b", "a"]
    assert in_order(left, DONE) == ["b", "c", "a"]


def test_other_sites_come_first() -> None:
    left = {"a": page("one.example", doubt=0.12), "b": page("two.example")}
    assert in_order(left, DONE) == ["a", "b"]
    assert in_order(left, [*DONE, page("one.example")]) == ["b", "a"]


def test_other_kinds_come_first() -> None:
    left = {"a": page(kind="forum", doubt=0.12), "b": page(kind="article")}
    assert in_order(left, DONE) == ["a", "b"]
    assert in_order(left, [page(kind="forum")] * 9) == ["b", "a"]


def test_a_page_that_nobody_has_looked_at_is_like_the_others() -> None:
    left = {"a": page(doubt=0.3), "b": {"site": ""}, "c": page(doubt=0.2), "d": page(doubt=0.1)}
    assert in_order(left, DONE) == ["a", "b", "c", "d"]


def test_a_page_without_words_teaches_nothing() -> None:
    empty = {"site": "", "doubt": 0.0, "words": 0}
    assert in_order({"empty": empty, "b": page(doubt=0.001)}, []) == ["b", "empty"]


@given(PAGES, PAGES)
def test_no_page_is_lost_and_the_order_is_always_the_same(
    left: dict[str, Entry], done: dict[str, Entry]
) -> None:
    order = in_order(left, done.values())
    assert sorted(order) == sorted(left)
    backwards = dict(reversed(left.items()))
    assert in_order(backwards, list(done.values())[::-1]) == order
