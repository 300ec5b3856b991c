from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.training.examples import folds, site_notes
from ncleaner.lab.training.pairs import PairSource, find_sources, read_pairs, read_texts, sites_of_names


def write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_read_pairs_matches_by_stem(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"b.html": b"<p>B", "a.txt": b"A line.", "c.html": b"<p>C", ".hidden": b""})
    clean = write(tmp_path / "clean", {"a.txt": b"A line.", "b.txt": b"\xef\xbb\xbfB", "d.txt": b"D"})
    seen: list[tuple[int, int]] = []
    with pytest.warns(TrainingWarning, match=r"1 text of .* without a page of the same name in .*: d\.txt;"):
        pairs = read_pairs(raw, clean, progress=lambda done, total: seen.append((done, total)))
    assert [p.name for p in pairs] == ["a", "b"]
    assert [p.gold for p in pairs] == ["A line.", "B"]
    assert [[str(s) for s in p.document] for p in pairs] == [["A line."], ["B"]]
    assert isinstance(pairs[0].document, Document)
    assert seen == [(1, 2), (2, 2)]


def test_sources_are_found_without_reading_the_pages(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A", "b.txt": b"B", "c.html": b""})
    clean = write(tmp_path / "clean", {"a.txt": b"caf\xe9", "b.txt": b"B"})
    entry = {"id": "a", "url": "http://a.example/", "lang": "en", "page_type": "blog"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry) + "\n" + json.dumps({"id": "b", "lang": None}))
    first, second = find_sources(raw, clean)
    assert first == PairSource("a", raw / "a.html", clean / "a.txt", "http://a.example/", "en", "blog")
    assert second == PairSource("b", raw / "b.txt", clean / "b.txt")
    assert (first.is_text, second.is_text) == (False, True)
    # a type of page that ncleaner does not know is no kind
    (clean / "a.txt").write_text("A")
    assert (first.pair().kind, first.pair().site) == ("", "a.example")


def test_read_pairs_that_cannot_be_read(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    with pytest.raises(TrainingError, match="not a directory"):
        read_pairs(raw, tmp_path / "nowhere")
    with pytest.raises(TrainingError, match="matched by name"):
        read_pairs(raw, write(tmp_path / "other", {"b.txt": b"B"}))


LATIN = "Das Café am Hafen öffnet wieder, sagte der Wirt am Freitag, und die Fähre fährt früher.".encode(
    "cp1252"
)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LATIN, r"not UTF-8 \(byte 7\): convert it first; if it is windows-1252, with `iconv -f windows-1252 -t"),
        (b"PK\x03\x04 a letter", r"not plain text \(ZIP, as are docx"),
        (rb"{\rtf1 A letter}", r"not plain text \(RTF\)"),
        (b"<!-- saved --> <!DOCTYPE html><p>A", "an HTML page, not clean text: .*clean -m everything"),
    ],
)  # fmt: skip
def test_clean_texts_that_are_none(tmp_path: Path, content: bytes, said: str) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    with pytest.raises(TrainingError, match=rf"a\.txt is {said}"):
        read_pairs(raw, write(tmp_path / "clean", {"a.txt": content}))


def test_all_texts_that_cannot_be_read_are_named_at_once(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {f"{n}.html": b"<p>A" for n in range(7)})
    clean = write(tmp_path / "clean", {f"{n}.txt": LATIN for n in range(7)})
    with pytest.raises(TrainingError, match=r"0\.txt is .*; .*4\.txt is [^;]*;[^;]*; and 2 more$"):
        read_pairs(raw, clean)


def test_a_text_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {f"{n}.html": b"<p>A" for n in range(7)})
    clean = write(tmp_path / "clean", {f"{n}.txt": b"<html><p>A" if n % 3 == 1 else b"A" for n in range(7)})
    with pytest.warns(
        TrainingWarning, match=r"^2 pages left out: .*1\.txt is an HTML page.*4\.txt is an HTML page"
    ):
        pairs = read_pairs(raw, clean)
    assert [pair.name for pair in pairs] == list("02356")


def test_a_text_in_utf_16(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    clean = write(tmp_path / "clean", {"a.txt": "<p>Ά\n".encode("utf-16")})
    assert read_pairs(raw, clean)[0].gold == "<p>Ά\n"


def test_several_files_of_the_same_name(tmp_path: Path) -> None:
    """Copies of editors, notes about a page, and texts in the directory of the pages."""
    files = {"a.html": b"<p>Raw", "a.json": b"{}", "a.png": b"\x89PNG", "a.txt": b"Clean", "a.txt~": b"Old"}
    both = write(tmp_path / "both", files)
    (pair,) = read_pairs(both, both)
    assert (str(pair.document[0]), pair.gold) == ("Raw", "Clean")


def test_texts_without_a_page_are_named(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A", "not-cleaned-yet.html": b"<p>B"})
    clean = write(tmp_path / "clean", {"a.txt": b"A", "a.html.txt": b"A", "B.TXT": b"B", "Thumbs.db": b""})
    said = (
        r"2 texts of .*clean without a page of the same name in .*raw: B\.TXT, a\.html\.txt; page\.txt is for"
    )
    with pytest.warns(TrainingWarning, match=said):
        assert len(read_pairs(raw, clean)) == 1


def test_sites_come_from_the_manifest_the_clean_text_or_the_page(tmp_path: Path) -> None:
    raw = write(
        tmp_path / "raw",
        {
            "a.html": b"<p>A",
            "b.html": b'<link rel=canonical href="https://www.paper.example/b"><p>B',
            "c.html": b'<meta property="og:url" content="http://news.other.co.uk/c"><p>C',
            "d.txt": b"D",
            "e.html": b"<p>E",
            "f.html": b'<link rel=canonical href="/relative"><p>F',
        },
    )
    clean = write(tmp_path / "clean", {f"{n}.txt": n.upper().encode() for n in "abcef"})
    (clean / "d.txt").write_text("URL: http://www.dumps.org/d\n\n<p>D")
    (tmp_path / "manifest.jsonl").write_text(
        json.dumps({"id": "a", "url": "https://a.site.example/1"}) + "\n\n"
    )
    assert {p.name: p.site for p in read_pairs(raw, clean)} == {
        "a": "site.example", "b": "paper.example", "c": "other.co.uk", "d": "dumps.org", "e": "", "f": "",
    }  # fmt: skip
    other = tmp_path / "other.jsonl"
    other.write_text('{"id": "e", "url": "http://127.0.0.1:80/x"}')
    assert {p.name: p.site for p in read_pairs(raw, clean, manifest=other)}["e"] == "127.0.0.1"


def test_manifests_that_cannot_be_read(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    clean = write(tmp_path / "clean", {"a.txt": b"A"})
    with pytest.raises(TrainingError, match="there is no manifest"):
        read_pairs(raw, clean, manifest=tmp_path / "none.jsonl")
    for bad in ("[1]", "{", '{"url": "x"}', '"text"'):
        (tmp_path / "manifest.jsonl").write_text(f'{{"id": "a", "url": ""}}\n{bad}\n')
        with pytest.raises(TrainingError, match=r"manifest\.jsonl, line 2: not a JSON object"):
            read_pairs(raw, clean)


def test_a_manifest_with_a_line_separator_in_a_string(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A"})
    clean = write(tmp_path / "clean", {"a.txt": b"A"})
    (tmp_path / "manifest.jsonl").write_text('{"id": "a", "url": "http://a.example/", "title": "x\u2028y"}\n')
    assert [pair.site for pair in read_pairs(raw, clean)] == ["a.example"]


def test_texts_that_are_clean_or_dirty_as_a_whole(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "more", {"a.txt": b"<p>One\n<l>Two\n", "b.html": b"<p>Three<p>Four", "c.txt": b"\xff"}
    )
    first, second = read_texts([folder / "a.txt", folder / "b.html"])
    assert [str(s) for s in first] == ["One", "Two"]
    assert [str(s) for s in second] == ["Three", "Four"]
    for name, said in (("c.txt", "not UTF-8"), ("d.txt", "cannot read"), ("d.html", "cannot read")):
        with pytest.raises(TrainingError, match=said):
            read_texts([folder / name])


# sites


@given(
    sites=st.lists(st.sampled_from(["", "a.org", "b.org", "c.org", "d.org"]), min_size=1, max_size=40),
    k=st.integers(2, 6),
)
def test_folds_share_no_site_and_lose_no_page(sites: list[str], k: int) -> None:
    dealt = folds(sites, k)
    assert sorted(page for fold in dealt for page in fold) == list(range(len(sites)))
    assert all(dealt) and len(dealt) <= k
    homes = [{sites[page] for page in fold if sites[page]} for fold in dealt]
    assert sum(map(len, homes)) == len(set().union(*homes))
    assert dealt == folds(sites, k)


def test_pages_of_unknown_sites_stay_with_their_neighbours() -> None:
    dealt = folds([""] * 40, 5)
    assert [len(fold) for fold in dealt] == [8] * 5
    assert all(fold[i + 1] - fold[i] == 1 for fold in dealt for i in (0, 1, 2))


def test_names_tell_sites() -> None:
    names = ["kyma_01", "kyma_02", "pylos-3", "other"]
    assert sites_of_names(names, r"^([a-z]+)[_-]") == ["kyma", "kyma", "pylos", ""]
    assert sites_of_names(names, r"^[a-z]+") == ["kyma", "kyma", "pylos", "other"]
    # the first group, also where others match
    assert sites_of_names(names, r"(k|p)(y)") == ["k", "k", "p", ""]


@pytest.mark.parametrize(("pattern", "match"), [("(", "not a regular expression"), ("x{5}", "finds no site")])
def test_patterns_that_find_nothing(pattern: str, match: str) -> None:
    with pytest.raises(TrainingError, match=match):
        sites_of_names(["one", "two"], pattern)


@pytest.mark.parametrize(
    ("sites", "said"),
    [
        (["a", "b", "c", "d", "e"], []),
        (["a", "b", "", "", "e"], ["the sites of 2 of 5 pages are not known"]),
        ([""] * 6, ["the sites of all pages are not known"]),
        (["a"] * 6 + ["b", "c", "d", "e"], ["a has 6 of 10 pages: they are judged by a model of only 4"]),
        (["a", "a", "b", "b"], ["the pages are of only 2 sites"]),
        (["a"], []),
        ([""], []),
        ([*"abcdefghi", ""], []),
    ],
)
def test_what_makes_figures_doubtful(sites: list[str], said: list[str]) -> None:
    notes = site_notes(sites)
    assert len(notes) == len(said)
    for note, beginning in zip(notes, said, strict=True):
        assert note.startswith(beginning)
