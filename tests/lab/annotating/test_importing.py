"""Pages of archives in the directory of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncleaner.errors import InputError, OutputError
from ncleaner.lab.annotating.project import import_pages, open_project
from ncleaner.reading.inputs import find_inputs

from ...archives import http, members, warc
from . import made

CRAWL = made.EXAMPLES / "crawl.warc.gz"


def manifest(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]


def test_all_pages_of_a_small_archive(tmp_path: Path) -> None:
    found = import_pages(find_inputs([CRAWL]), tmp_path / "gold", 500)
    assert (found.found, found.written) == (15, 15)
    project = open_project(tmp_path / "gold")
    assert len(project.pages) == 15
    entries = manifest(tmp_path / "gold")
    assert [entry["id"] for entry in entries] == [*project.pages]
    assert {entry["lang"] for entry in entries} >= {"en", "de", "ru", "el"}
    assert all(project.site(page) for page in project.pages)
    # nothing is left of the way there
    assert sorted(path.name for path in (tmp_path / "gold").iterdir()) == ["manifest.jsonl", "raw"]


def test_some_pages_of_each_site_and_always_the_same(tmp_path: Path) -> None:
    records = [
        warc(number, http(made.page(number).encode()), target=f"https://{site}.example/{number}")
        for site in ("big", "big", "big", "small", "tiny")
        for number in range(3)
    ]
    archive = tmp_path / "crawl.warc"
    archive.write_bytes(b"".join(records))
    for name in ("one", "two"):
        found = import_pages(find_inputs([archive]), tmp_path / name, 6)
        assert (found.found, found.written) == (15, 6)
    sites = [entry["url"].split("/")[2] for entry in manifest(tmp_path / "one")]
    assert sorted(sites) == ["big.example"] * 2 + ["small.example"] * 2 + ["tiny.example"] * 2
    files = [sorted((tmp_path / name / "raw").iterdir()) for name in ("one", "two")]
    assert [path.read_bytes() for path in files[0]] == [path.read_bytes() for path in files[1]]


def test_what_only_the_server_says_of_the_encoding(tmp_path: Path) -> None:
    text = "Маяк покрасили прошлой весной, и смотритель говорит, что белая краска продержится десять лет."
    body = f"<html><head><meta charset=windows-1252></head><p>{text}</p></html>".encode("koi8-r")
    archive = tmp_path / "crawl.warc"
    archive.write_bytes(
        warc(0, http(body, content_type="text/html; charset=koi8-r"), target="https://mayak.example/")
    )
    import_pages(find_inputs([archive]), tmp_path / "gold", 5)
    project = open_project(tmp_path / "gold")
    assert project.document("0001").texts == [text]


def test_pages_without_text_are_left_out(tmp_path: Path) -> None:
    archive = tmp_path / "crawl.warc"
    archive.write_bytes(warc(0, http(b"<img src=x>")))
    with pytest.raises(InputError, match="none of 1 page has any text"):
        import_pages(find_inputs([archive]), tmp_path / "gold", 5)
    archive.write_bytes(warc(0, http(b"gif", content_type="image/gif")))
    with pytest.raises(InputError, match="there is no page in"):
        import_pages(find_inputs([archive]), tmp_path / "gold", 5)


def test_damage_is_told_and_the_rest_is_taken(tmp_path: Path) -> None:
    archive = tmp_path / "crawl.warc.gz"
    whole = members([warc(number, http(made.page(number).encode())) for number in range(3)])
    archive.write_bytes(whole[:-20])
    found = import_pages(find_inputs([archive]), tmp_path / "gold", 5)
    assert found.written >= 2 and found.notes


def test_texts_stay_texts(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "mail.txt").write_text("\n\n".join(made.PROSE))
    found = import_pages(find_inputs([tmp_path / "in"]), tmp_path / "gold", 5)
    assert found.written == 1
    assert open_project(tmp_path / "gold").document("0001").texts == [*made.PROSE]


def test_no_place_for_the_pages(tmp_path: Path) -> None:
    (tmp_path / "gold").write_text("a file in the way")
    with pytest.raises(OutputError, match="cannot write"):
        import_pages(find_inputs([CRAWL]), tmp_path / "gold", 5)
