from __future__ import annotations

import csv
import gzip
import html
import io
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
import regex
from hypothesis import given

from ncleaner.errors import OutputError
from ncleaner.page import Page
from ncleaner.sinks import vertical
from ncleaner.sinks.formats import Output
from ncleaner.text.tokens import tokens

from ..outputs import HOSTILE, HOSTILE_TEXT, PROSE, all_of, document, none_of, page, rendered, written


class Doc(NamedTuple):
    """A document as `read` finds it: kinds, tokens and whether they stand together with the one before."""

    attributes: dict[str, str]
    segments: list[tuple[str, list[tuple[str, bool]]]]


OPEN = regex.compile(r'<doc((?: [a-z]+="[^"<>]*")*)>')


def read(data: bytes) -> list[Doc]:
    """As strict as corpus software is at its strictest; lines as Python's `splitlines` sees them."""
    docs: list[Doc] = []
    inside = ""
    glued = False
    lines = data.decode().split("\n")
    assert lines.pop() == ""
    assert "\n".join(lines).splitlines() == lines
    for line in lines:
        assert len(line.encode()) < 65_534
        assert line == line.strip() != ""
        opened = OPEN.fullmatch(line)
        if opened and not inside:
            pairs = regex.findall(r' ([a-z]+)="([^"]*)"', opened[1])
            docs.append(Doc({name: html.unescape(value) for name, value in pairs}, []))
            assert [name for name, _ in pairs] == ["id", "url", "date", "title", "lang", "language"]
            assert all(len(value.encode()) < 4_096 for value in docs[-1].attributes.values())
            inside = "doc"
        elif line in ("<p>", "<h>", "<l>"):
            assert inside == "doc"
            inside = line[1]
            docs[-1].segments.append((inside, []))
        elif line in ("</p>", "</h>", "</l>"):
            assert inside == line[2]
            assert not glued
            assert docs[-1].segments[-1][1]
            inside = "doc"
        elif line == "</doc>":
            assert inside == "doc"
            assert docs[-1].segments
            inside = ""
        elif line == "<g/>":
            assert docs[-1].segments[-1][1]
            assert not glued
            glued = True
        else:
            assert inside in ("p", "h", "l")
            assert not regex.search(r"[<>\s]|&(?!amp;|lt;|gt;)", line)
            token = html.unescape(line)
            assert len(token.encode()) < 4_096
            docs[-1].segments[-1][1].append((token, glued))
            glued = False
    assert not inside
    return docs


def one(
    page: Page, *segments: str, kinds: str = "", title: str = "", lang: str = "", language: str = ""
) -> bytes:
    """One page of which all is kept."""
    dumped = document(*segments, kinds=kinds, title=title, lang=lang)
    return (
        Output(format="vertical")
        .sink()
        .render(page, dumped, all_of(dumped).remarked(language=language), False)
    )


def test_a_document() -> None:
    data = one(
        page(1),
        "Lighthouses",
        "Two ships (& a <boat>), so.",
        kinds="hp",
        title='"L" & Co',
        lang="cy-GB",
        language="en",
    )
    assert data.decode() == (
        '<doc id="00000001-0000-4000-8000-000000000000" url="http://example.org/1" date="2024-05-01T10:00:01Z"'
        ' title="&quot;L&quot; &amp; Co" lang="cy-GB" language="en">\n'
        "<h>\nLighthouses\n</h>\n"
        "<p>\nTwo\nships\n(\n<g/>\n&amp;\na\n&lt;\n<g/>\nboat\n<g/>\n&gt;\n<g/>\n)\n<g/>\n,\nso\n<g/>\n.\n</p>\n"
        "</doc>\n"
    )


def test_the_text_can_be_put_together_again() -> None:
    (doc,) = read(one(page(1), *PROSE, kinds="hplp"))
    assert [kind for kind, _ in doc.segments] == list("hplp")
    for (_, found), text in zip(doc.segments, PROSE, strict=True):
        assert "".join(token if glued else " " + token for token, glued in found)[1:] == text


def test_ids() -> None:
    def name(page: Page, text: str = "x") -> str:
        return read(one(page, text))[0].attributes["id"]

    assert name(page(1, record_id="<other>")) == "<other>"
    files = {name(Page(body, url)) for url in "ab" for body in (b"x", b"y")}
    assert len(files) == 4
    assert files == {name(Page(body, url)) for url in "ab" for body in (b"x", b"y")}


def test_a_page_without_tokens_has_no_document() -> None:
    dumped = document("x")
    assert Output(format="vertical").sink().render(page(1), dumped, none_of(dumped), False) == b""
    assert one(page(1), " ", "\u200b\u200e", "\x00") == b""
    assert [kind for kind, _ in read(one(page(1), " ", "x", kinds="hp"))[0].segments] == ["p"]


def test_attributes_are_not_longer_than_corpora_take() -> None:
    for sign in ('"', "a", "ü", "漢", "\u0958", "& "):
        (doc,) = read(one(page(1, url=sign * 100_000, record_id=sign * 50_000), "x", title=sign * 90_000))
        assert len(doc.attributes["url"].encode()) > 1_000
        assert (sign * 100_000).startswith(doc.attributes["url"])


@given(url=HOSTILE, title=HOSTILE, date=HOSTILE, record_id=HOSTILE, lang=HOSTILE, text=HOSTILE_TEXT)
def test_whatever_a_page_says_of_itself(
    url: str, title: str, date: str, record_id: str, lang: str, text: str
) -> None:
    (doc,) = read(one(Page(b"", url, date, record_id=record_id), f"a {text} b", title=title, lang=lang))
    visible = regex.sub(
        r"[\p{Cc}\p{Noncharacter_Code_Point}]", " ", title.encode("utf-8", "replace").decode()
    )
    assert doc.attributes["title"] == " ".join(visible.split())
    found = [token for token, _ in doc.segments[0][1]]
    assert found == [token for word in f"a {text} b".split() for token in tokens(word)]


def test_without_regex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OutputError, match=r"pip install 'ncleaner\[vertical\]'"):
        Output(format="vertical").sink()
    assert Output(format="prevertical").sink()


def test_words_that_were_forgotten_are_the_same() -> None:
    sink = Output(format="vertical").sink()
    data = written(sink, rendered(sink, 20))
    assert len(read(data)) == 16
    with patch.object(vertical, "_KNOWN", 3):
        sink = Output(format="vertical").sink()
        assert written(sink, rendered(sink, 20)) == data


def _run(*command: str | Path) -> str:
    found = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    for complaint in ("ignored", "Malformed", "Warning", "literally", "truncated"):
        assert complaint not in found.stderr
    return found.stdout


@pytest.mark.skipif(shutil.which("cwb-encode") is None, reason="the Corpus Workbench (cwb) is not installed")
def test_the_corpus_workbench_encodes_it(tmp_path: Path) -> None:
    sink = Output(format="vertical").sink()
    signs = one(
        page(99, url='http://x/?a=1&b="2"'), "AT&T <b> &lt;", "d" * 5_000, title="<T> & " + "é" * 9_000
    )
    source = tmp_path / "pages.vert"
    source.write_bytes(written(sink, rendered(sink, 50)) + signs)
    docs = read(source.read_bytes())

    (tmp_path / "data").mkdir()
    registry = tmp_path / "registry"
    registry.mkdir()
    _run(
        *(
            "cwb-encode",
            "-d",
            tmp_path / "data",
            "-f",
            source,
            "-R",
            registry / "pages",
            "-c",
            "utf8",
            "-xsB",
        ),
        *("-S", "doc:0+id+url+date+title+lang", "-S", "p:0", "-S", "h:0", "-S", "l:0", "-0", "g"),
    )
    _run("cwb-makeall", "-r", registry, "PAGES")
    found = _run("cwb-decode", "-r", registry, "-C", "PAGES", "-P", "word").splitlines()
    assert found == [token for doc in docs for _, segment in doc.segments for token, _ in segment]
    for name in ("id", "url", "date", "title", "lang"):
        regions = _run("cwb-s-decode", "-r", registry, "PAGES", "-S", f"doc_{name}").splitlines()
        assert [region.split("\t", 2)[2] for region in regions] == [doc.attributes[name] for doc in docs]


@pytest.mark.slow
def test_tools_around_the_corpus_workbench_read_it(tmp_path: Path) -> None:
    pytest.importorskip("vrt", reason="the reader is that of cwb-vrt")
    sink = Output(format="vertical").sink()
    source, table = tmp_path / "pages.vrt.gz", tmp_path / "pages.tsv.gz"
    data = written(sink, rendered(sink, 50)) + one(page(99, url='http://x/?a=1&b="2"'), "AT&T <b> &lt;")
    source.write_bytes(gzip.compress(data))
    command = Path(sys.executable).with_name("cwb-vrt")
    _run(command, "meta", source, "-t", "doc", "-c", "-s", "p", "h", "l", "-o", table)
    rows = list(csv.DictReader(io.StringIO(gzip.decompress(table.read_bytes()).decode()), delimiter="\t"))
    for row, doc in zip(rows, read(data), strict=True):
        kinds = Counter(kind for kind, _ in doc.segments)
        assert {name: row[f"nr_{name}"] for name in "phl"} == {name: str(kinds[name]) for name in "phl"}
        assert row["nr_tokens"] == str(sum(len(found) for _, found in doc.segments))
        assert [html.unescape(row[name]) for name in doc.attributes] == list(doc.attributes.values())
