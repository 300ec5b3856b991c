"""Attributes of documents, and tables of what is known of them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from ncleaner import Cleaner, Metadata
from ncleaner.describing.rights import Rights
from ncleaner.errors import InputError
from ncleaner.page import Page
from ncleaner.sinks.corpus import FIELDS, Fields, read_table
from ncleaner.sinks.formats import Output
from ncleaner.sinks.sink import METADATA

PAGE = Page(
    b"<title>Late</title><meta name=author content='Ann Lee'><h1>Late again</h1><p>The ferry was late &amp; full."
    b"<table><tr><td>cell<td><ul><li>item</ul></table>",
    "https://www.a.co.uk/late",
    source="crawl/page.html",
)


def of(*attributes: str, **options: Any) -> dict[str, str]:
    return Fields(attributes, **options).of(PAGE, *Cleaner("everything", facts=True).page(PAGE))


def test_all_fields_have_values() -> None:
    found = of(*FIELDS)
    assert list(found) == list(FIELDS) and all(isinstance(value, str) for value in found.values())
    assert found["domain"] == "a.co.uk" and found["file"] == "page.html" and found["authors"] == "Ann Lee"
    assert found["words"] == "10" and len(found["hash"]) == 16
    assert set(METADATA.values()) == {*Metadata().to_dict(), *Rights().to_dict()}


def test_names_of_ones_own() -> None:
    assert of("site=domain", "wc=words") == {"site": "a.co.uk", "wc": "10"}
    assert not Output(format="vertical", attributes=("a=url",)).wants_facts
    assert Output(format="vertical", attributes=("a=published",)).wants_facts


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        (["wrods"], "unknown field wrods: .*; --table adds your own"),
        (["a b=url"], "cannot be the name"),
        (["=url"], "cannot be the name"),
        (["1=url"], "cannot be the name"),
        (["a=url", "a=date"], "duplicate attribute a"),
    ],
)
def test_wrong_names(attributes: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Fields(attributes)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'url,genre,note\nhttps://www.a.co.uk/late,"news, ""x""",\n'),
        ("a.tsv", '\ufefffile\tgenre\tnote\npage.html\tnews, "x"\t\n'.replace('"x"', '"x"')),
        ("a.jsonl", '{"url": "https://www.a.co.uk/late", "genre": "news, \\"x\\"", "note": null}\n\n'),
    ],
)
def test_tables(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    found = of(table=str(path))
    assert found["genre"] == 'news, "x"' and found["note"] == "" and found["url"] == PAGE.url
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert of("g=genre", table=str(packed)) == {"g": 'news, "x"'}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("none.csv", None, "cannot read the table"),
        ("a.csv", b"", "has no rows"),
        ("a.csv", b"name,genre\nx,y\n", "no value in a column `url`"),
        ("a.csv", b"url,genre\n", "has no rows"),
        ("a.csv", b"url,genre\nx,y\nz\n", "row 1: line 3 has 1 cell for 2 columns"),
        ("a.csv", b"url,genre\nx,y,z\n", "row 0: line 2 has 3 cells for 2 columns"),
        ("a.csv", b"url,genre\n,y\n", "row 0: no value in a column"),
        ("a.csv", b'url,genre\n"x,y\n', "row 0: .* is a quote open"),
        ("b.csv.gz", gzip.compress(b"url,a" * 99, mtime=0)[:10] + b"\xff" * 20, "gzip"),
        ("a.jsonl", b'{"url": 1}\n{', "row 1: line that is no JSON object"),
        ("a.jsonl", b"[]", "row 0: line that is no JSON object"),
        ("a.pdf", b"%PDF-1.4", "is no table"),
    ],
)
def test_damaged_tables(name: str, data: bytes | None, said: str, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_table(str(tmp_path / name))


def test_a_line_separator_in_a_string_ends_no_row(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"url": "x", "note": "one\u2028two"}\n', "utf-8")
    assert read_table(str(tmp_path / "a.jsonl")) == {"x": {"note": "one\u2028two"}}


def test_a_table_that_has_changed_is_read_again(tmp_path: Path) -> None:
    for note in ("one", "three"):
        (tmp_path / "a.csv").write_text(f"url,note\nx,{note}\n")
        assert read_table(str(tmp_path / "a.csv")) == {"x": {"note": note}}


def test_cells_and_sentences() -> None:
    pytest.importorskip("sentencex", reason="sentencex is not installed")
    cleaner = Cleaner("everything")
    plain = Output(format="prevertical").sink().render(PAGE, *cleaner.page(PAGE), False).decode()
    assert plain.splitlines()[1:] == [
        "<h>", "Late again", "</h>", "<p>", "The ferry was late &amp; full.", "</p>",
        "<cell>", "cell", "</cell>", "<l>", "item", "</l>", "</doc>",
    ]  # fmt: skip
    page = Page(b"<html lang=en><p>Mr. Lee came. He left!", "u")
    sink = Output(format="vertical", sentences=True, attributes=("url",)).sink()
    lines = sink.render(page, *cleaner.page(page), False).decode().split("\n")
    assert lines == [
        '<doc url="u">', "<p>", "<s>", "Mr", "<g/>", ".", "Lee", "came", "<g/>", ".", "</s>",
        "<s>", "He", "left", "<g/>", "!", "</s>", "</p>", "</doc>", "",
    ]  # fmt: skip
