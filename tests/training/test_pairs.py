from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncleaner.document import Document
from ncleaner.errors import TrainingError
from ncleaner.training.pairs import Source, find_sources, read_pairs, read_texts


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


def test_sources_are_found_without_reading_the_pages(tmp_path: Path) -> None:
    raw = write(tmp_path / "raw", {"a.html": b"<p>A", "b.txt": b"B", "c.html": b""})
    clean = write(tmp_path / "clean", {"a.txt": b"caf\xe9", "b.txt": b"B"})
    entry = {"id": "a", "url": "http://a.example/", "lang": "en", "page_type": "blog"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry) + "\n" + json.dumps({"id": "b", "lang": None}))
    first, second = find_sources(raw, clean)
    assert first == Source("a", raw / "a.html", clean / "a.txt", "http://a.example/", "en", "blog")
    assert second == Source("b", raw / "b.txt", clean / "b.txt")
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
    with pytest.raises(TrainingError, match=r"a\.txt is not UTF-8 \(byte 3\)"):
        read_pairs(raw, write(tmp_path / "latin", {"a.txt": b"caf\xe9"}))


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
