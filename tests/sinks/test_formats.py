from __future__ import annotations

import gc
import json
from typing import Any

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.page import Page
from ncleaner.sinks.formats import COMPRESSIONS, FORMATS, Output

from ..outputs import Pipe, rendered, written

HTML = "<html lang=de><title>T &amp; T</title><h1>Überschrift</h1><p>Weg damit.</p><ul><li>Eins</ul><pre>a\n  b</pre>"
PAGE = Page(b"", "http://x.example/ü", "2024-01-02T03:04:05Z", offset=17, record_id="urn:uuid:1")


def document() -> tuple[Document, Kept]:
    dumped = dump_html(HTML)
    return dumped, Kept(np.array([True, False, True, True]), np.array([0.5, -1.0, 0.25, 1 / 3]))


def render(name: str, single: bool = False, page: Page = PAGE, options: dict[str, Any] | None = None) -> str:
    dumped, kept = document()
    return Output(format=name, **(options or {})).sink().render(page, dumped, kept, single).decode()


def test_text() -> None:
    assert render("text") == "Überschrift\nEins\na\n  b\n\n"
    assert render("text", single=True) == "Überschrift\nEins\na\n  b\n"


def test_cleaneval() -> None:
    assert render("cleaneval") == "URL: http://x.example/ü\n<h>Überschrift\n<l>Eins\n<p>a   b\n\n"
    assert render("cleaneval", single=True) == "<h>Überschrift\n<l>Eins\n<p>a   b\n"
    assert render("cleaneval", page=Page(b"", offset=5)).startswith("URL: offset:5\n")


def test_jsonl() -> None:
    line = render("jsonl")
    assert line.endswith("}\n")
    assert json.loads(line) == {
        "id": "urn:uuid:1",
        "url": "http://x.example/ü",
        "host": "x.example",
        "date": "2024-01-02T03:04:05Z",
        "html_title": "T & T",
        "lang": "de",
        **dict.fromkeys(("language", "language_score", "model", "page_kind", "page_kinds", "quality")),
        "origin": "page",
        **dict.fromkeys(("duplicate_of", "encoding", "archive")),
        "offset": 17,
        **dict.fromkeys(("length", "http_status", "truncated")),
        "segments_kept": 3,
        "text": "Überschrift\nEins\na\n  b",
    }


def test_a_line_break_in_a_url_begins_no_line() -> None:
    text = render("cleaneval", page=Page(b"", "a\r\n<p>b\u2028c\udc80\x1b[2J"))
    assert text.splitlines()[0] == r"URL: a\r\n<p>b\u2028c\x80\x1b[2J"


def test_jsonl_of_strings_that_have_no_utf8() -> None:
    # a file's name that is no UTF-8, as the system gives it
    record = json.loads(render("jsonl", page=Page(b"", "pages/\udce4.html")))
    assert record["url"] == "pages/?.html"


def test_sources_of_segments() -> None:
    body = HTML.encode()
    dumped = dump_html(body, sources=True)
    _, kept = document()
    for name in ("jsonl", "parquet"):
        sink = Output(format=name, segments=True, source=True).sink()
        row = json.loads(sink.render(PAGE, dumped, kept, False))
        places = [
            (body[each["source_start"] : each["source_end"]].decode(), each["selector"])
            for each in row["segments"]
        ]
        assert places == [
            ("Überschrift", "html > body > h1:nth-child(1)"),
            ("Eins", "html > body > ul:nth-child(3) > li:nth-child(1)"),
            ("a\n  b", "html > body > pre:nth-child(4)"),
        ]
    with pytest.raises(ValueError, match="--segments"):
        Output(format="parquet", source=True)
    with pytest.raises(ValueError, match="jsonl and parquet"):
        Output(format="text", source=True)


def test_jsonl_segments_point_into_the_text() -> None:
    record = json.loads(render("jsonl", options={"segments": True}))
    texts = [record["text"][segment["start"] : segment["end"]] for segment in record["segments"]]
    assert texts == ["Überschrift", "Eins", "a\n  b"]
    assert [segment["index"] for segment in record["segments"]] == [0, 2, 3]
    assert [segment["kind"] for segment in record["segments"]] == ["h", "l", "p"]
    assert [segment["score"] for segment in record["segments"]] == [0.5, 0.25, 0.3333]


@pytest.mark.parametrize(("name", "output"), [("text", ""), ("cleaneval", "URL: http://x.example/ü\n\n")])
def test_a_page_of_which_nothing_is_left(name: str, output: str) -> None:
    nothing = Kept(np.zeros(4, bool))
    assert Output(format=name).sink().render(PAGE, document()[0], nothing, False).decode() == output
    assert Output(format=name).sink().render(PAGE, document()[0], nothing, True) == b""


SUFFIXES = {
    "text": ".txt",
    "markdown": ".md",
    "html": ".html",
    "cleaneval": ".txt",
    "jsonl": ".jsonl",
    "vertical": ".vert",
    "prevertical": ".prevert",
    "tei": ".xml",
    "signatures": ".signatures.jsonl",
    "wet": ".warc.wet.gz",
    "parquet": ".parquet",
}


def test_suffixes() -> None:
    assert {name: Output(format=name).sink().suffix for name in FORMATS} == SUFFIXES
    for name in [name for name in FORMATS if not FORMATS[name].compresses]:
        for compression in COMPRESSIONS:
            sink = Output(format=name, compression=compression).sink()
            assert sink.suffix == f"{SUFFIXES[name]}.{compression}"


def test_what_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"format must be .*, not 'pdf'"):
        Output(format="pdf").sink()
    with pytest.raises(ValueError, match="compression must be gz or zst, not 'rar'"):
        Output(format="text", compression="rar").sink()
    for name in [name for name in FORMATS if FORMATS[name].compresses]:
        with pytest.raises(ValueError, match=f"have it, not {name}: see --format"):
            Output(format=name, compression="gz").sink()


@pytest.mark.parametrize("name", ["text", "markdown", "cleaneval", "jsonl", "vertical"])
def test_text_is_written_as_it_is_rendered(name: str) -> None:
    sink = Output(format=name).sink()
    parts = rendered(sink, 7)
    assert written(sink, parts, [2, 0, 3]) == b"".join(parts)
    assert written(sink, []) == b""


@pytest.mark.parametrize("name", FORMATS)
def test_after_an_exception_nothing_more_is_written(name: str) -> None:
    sink = Output(format=name).sink()
    out = Pipe()
    with pytest.raises(KeyboardInterrupt), sink.wrapped(out) as stream:
        stream.write(b"".join(rendered(sink, 3)))
        before = out.data
        raise KeyboardInterrupt
    # what is younger than this test
    gc.collect(1)
    assert out.data == before


@pytest.mark.parametrize("name", FORMATS)
def test_what_the_output_raises_comes_through(name: str) -> None:
    sink = Output(format=name).sink()

    class Closed:
        def write(self, data: bytes) -> None:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError), sink.wrapped(Closed()) as stream:
        stream.write(b"".join(rendered(sink, 3)))


@pytest.mark.parametrize(
    ("file", "given", "expected"),
    [
        ("a.jsonl", (None, None), ("jsonl", None)),
        ("A.JSONL.GZ", (None, None), ("jsonl", "gz")),
        ("s3://bucket/a.md.zst", (None, None), ("markdown", "zst")),
        ("a.signatures.jsonl", (None, None), ("signatures", None)),
        ("a.warc.wet.gz", (None, None), ("wet", None)),
        ("a.prevert", (None, None), ("prevertical", None)),
        ("a.out", ("text", None), ("text", None)),
        ("a.gz", (None, None), ("text", "gz")),
        ("a.txt", ("jsonl", None), ("jsonl", None)),
        ("a.json", ("jsonl", None), ("jsonl", None)),
        ("a.jsonl.gz", (None, "zst"), ("jsonl", "zst")),
        ("a.parquet.gz", ("parquet", None), ("parquet", None)),
    ],
)
def test_a_file_has_the_format_of_its_suffix(
    file: str, given: tuple[str | None, str | None], expected: tuple[str, str | None]
) -> None:
    assert Output.named(file, *given) == expected


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "cleaneval"])
def test_the_suffix_of_a_format_stands_for_it(name: str) -> None:
    assert Output.named(f"crawl{Output(format=name).sink().suffix}", None, None)[0] == name


def test_json_is_no_format() -> None:
    with pytest.raises(
        ValueError, match=r"a\.out: no format has the suffix \.out: give one of \.txt, .* --format"
    ):
        Output.named("a.out", None, None)
    with pytest.raises(ValueError, match=r"a\.json: JSON lines have the suffix \.jsonl; or give --format"):
        Output.named("a.json", None, None)


def test_what_is_removed() -> None:
    both = {"removed": True, "segments": True}
    row = json.loads(render("jsonl", options=both))
    assert row["text"] == "Überschrift\nEins\na\n  b" and row["removed"] == "Weg damit."
    told = [(each["index"], each["kept"], each["start"], each["end"]) for each in row["segments"]]
    assert told == [(0, True, 0, 11), (1, False, 0, 10), (2, True, 12, 16), (3, True, 17, 22)]
    for each in row["segments"]:
        text = row["text"] if each["kept"] else row["removed"]
        assert text[each["start"] : each["end"]] == str(document()[0][each["index"]])
    assert (
        "removed" not in json.loads(render("jsonl"))
        and "kept" not in json.loads(render("jsonl", options={"segments": True}))["segments"][0]
    )
    hidden = dump_html("<p>One.<p hidden>Two.<p>Three.")
    kept = Kept(np.array([True, False, False]))
    line = Output(format="jsonl", removed=True).sink().render(PAGE, hidden, kept, False)
    assert json.loads(line)["removed"] == "Three."
    with pytest.raises(ValueError, match="only jsonl and parquet have it"):
        Output(format="text", removed=True)
