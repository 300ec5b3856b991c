"""TEI, valid by the schema TEI-all."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner import Cleaner
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

from ..outputs import written

etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")
SCHEMA = os.environ.get("NCLEANER_TEI_ALL", "")
TEI = "{http://www.tei-c.org/ns/1.0}"
HTML = b"""
<title>Boats &amp; people</title><meta name=author content="Ann Lee, Ben Moss"><meta name=date content=2024-05-01>
<meta property=og:title content="Boats &amp; people">
<p>This is what stands before any heading.<h1>Boats &lt;here&gt;</h1><h2>All</h2><p>Mr. Lee came at 5 p.m. He left.
<pre>This is line one of two.
And here is line two.</pre><ul><li>first<li>second</ul>
<table><tr><th>Boat<th>Year</tr><tr><td>Ann<td><p>In 1950, they say.<p>Or in 1951.</td></tr><tr><td><ul><li>item</ul></table>
<h2>The end</h2><p>\x01\xef\xbf\xbe This is the end of it."""


def tei(*pages: Page, **options: Any) -> bytes:
    chosen = Output(format="tei", **options)
    sink = chosen.sink()
    cleaner = Cleaner("everything", facts=chosen.wants_facts)
    return written(sink, [sink.render(page, *cleaner.page(page), False) for page in pages])


def texts(node: Any, name: str) -> list[str]:
    return ["".join(found.itertext()) for found in node.iter(f"{TEI}{name}")]


def test_the_structure_of_a_page() -> None:
    root = etree.fromstring(tei(Page(HTML, "https://a.example/?a=1&b=2", date="2024-06-01T10:00:00Z")))
    body = next(root.iter(f"{TEI}body"))
    assert [child.tag.removeprefix(TEI) for child in body] == ["p", "div", "div", "div"]
    assert texts(body, "head") == ["Boats <here>", "All", "The end"]
    assert texts(body, "item") == ["first", "second", "item"]
    assert [texts(row, "cell") for row in body.iter(f"{TEI}row")] == [["Boat", "Year"], ["Ann"]]
    # prose in a table is prose: many tables are only layout
    assert "In 1950, they say." in texts(body, "p")
    assert len(list(body.iter(f"{TEI}lb"))) == 1
    header = next(root.iter(f"{TEI}sourceDesc"))
    assert texts(header, "p") == ["Each text has its own source."]
    (bibl,) = root.iter(f"{TEI}bibl")
    assert texts(bibl, "idno")[0] == "https://a.example/?a=1&b=2" and texts(bibl, "author") == []
    assert [date.get("when") for date in bibl.iter(f"{TEI}date")] == ["2024-06-01"]


def test_metadata_a_table_and_sentences(tmp_path: Path) -> None:
    pytest.importorskip("sentencex", reason="sentencex is not installed")
    table = tmp_path / "known.tsv"
    table.write_text("url\tgenre\nhttps://a.example/\tnews & views\n", "utf-8")
    page = Page(HTML, "https://a.example/")
    root = etree.fromstring(tei(page, metadata=True, sentences=True, table=str(table)))
    (bibl,) = root.iter(f"{TEI}bibl")
    assert texts(bibl, "author") == ["Ann Lee", "Ben Moss"] and texts(bibl, "title") == ["Boats & people"]
    assert [(note.get("type"), note.text) for note in bibl.iter(f"{TEI}note")] == [("genre", "news & views")]
    assert "Mr. Lee came at 5 p.m." in texts(root, "s") or "Mr. Lee came at 5 p.m. He left." in texts(
        root, "s"
    )


def test_an_output_without_text_has_a_header() -> None:
    empty = tei()
    assert empty == tei(Page(b"<p>", ""))
    assert [node.tag for node in etree.fromstring(empty)] == [f"{TEI}teiHeader"]


@pytest.mark.slow
@pytest.mark.skipif(
    not SCHEMA, reason="NCLEANER_TEI_ALL names no tei_all.rng (scripts/tei_schema.sh gets one)"
)
@pytest.mark.parametrize("options", [{}, {"metadata": True}, {"metadata": True, "sentences": True}], ids=str)
def test_it_is_valid(options: dict[str, object]) -> None:
    if "sentences" in options:
        pytest.importorskip("sentencex", reason="sentencex is not installed")
    crawl = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
    schema = etree.RelaxNG(etree.parse(SCHEMA))
    text = Page(b"By Ann Lee", kind="text")
    data = tei(*ncleaner.pages(crawl), Page(HTML, "u"), text, **options)
    assert schema.validate(etree.parse(io.BytesIO(data))), schema.error_log


@given(st.text(max_size=60), st.text(max_size=30), st.sampled_from(["h1", "li", "td", "pre", "p"]))
def test_whatever_a_page_says(text: str, title: str, tag: str) -> None:
    html = f"<title>{title}</title><meta name=author content='{title}'><{tag}>{text} x</{tag}>".encode(
        "utf-8", "replace"
    )
    data = tei(Page(html, title, source="crawl.warc"), metadata=True)
    assert etree.fromstring(data) is not None
