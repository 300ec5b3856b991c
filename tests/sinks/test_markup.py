"""Markdown and HTML as output formats, and Markdown as a column."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from ncleaner import Cleaner, pages
from ncleaner.cli.program import app
from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.markup import MarkupOptions
from ncleaner.page import Page, TextLayout
from ncleaner.sinks.formats import Output

from ..outputs import Pipe, all_of, none_of, page, written

EXAMPLES = Path(__file__).parents[2] / "examples"
HTML = "<h1>A</h1><p>b <a href='c'>d</a><table><tr><th>e<th>f<tr><td>g<td>h</table>"


def render(name: str, single: bool, **options: Any) -> str:
    document = dump_html(HTML, marks=True)
    return Output(format=name, **options).sink().render(page(1), document, all_of(document), single).decode()


def test_markdown() -> None:
    text = "# A\n\nb d\n\n| e | f |\n| --- | --- |\n| g | h |\n"
    assert render("markdown", True) == text
    assert render("markdown", False) == text + "\n---\n\n"
    links = {"markup": MarkupOptions(links=True)}
    assert "b [d](http://example.org/c)" in render("markdown", True, **links)


def test_html() -> None:
    assert render("html", True) == render("html", False)
    assert render("html", True).startswith("<article>\n<h1>A</h1>\n<p>b d</p>\n<table>")
    sink = Output(format="html").sink()
    found = written(sink, [render("html", False).encode()] * 2, [1, 1]).decode()
    assert found.startswith("<!DOCTYPE html>\n") and found.endswith("</article>\n</body>\n</html>\n")
    assert found.count("<article>") == 2
    assert written(sink, []).decode().count("<body>") == 1


@pytest.mark.parametrize("name", ["markdown", "html"])
def test_a_page_of_which_nothing_is_left(name: str) -> None:
    document = dump_html(HTML)
    assert Output(format=name).sink().render(page(1), document, none_of(document), False) == b""


def test_pieces_of_a_text() -> None:
    sink, html = Output(format="markdown").sink(), Output(format="html").sink()
    parts, articles = b"", b""
    layouts = [(True, False), (False, False), (False, True)]
    for number, (begins, ends) in enumerate(layouts):
        piece = Page(b"", layout=TextLayout("lines", begins=begins, ends=ends))
        document = dump_text(f"1. Line {number}")
        parts += sink.render(piece, document, all_of(document), False)
        articles += html.render(piece, document, all_of(document), False)
    assert parts.decode() == "1\\. Line 0\n\n1\\. Line 1\n\n1\\. Line 2\n\n---\n\n"
    assert (
        articles.decode() == "<article>\n<p>1. Line 0</p>\n<p>1. Line 1</p>\n<p>1. Line 2</p>\n</article>\n"
    )


def test_a_column_of_markdown() -> None:
    plain, more = render("jsonl", False), render("jsonl", False, markdown=True)
    assert "markdown" not in json.loads(plain)
    assert json.loads(more).pop("markdown") == render("markdown", True).rstrip("\n")
    options: dict[str, Any] = {"markdown": True, "markup": MarkupOptions(links=True)}
    assert "[d](http://example.org/c)" in json.loads(render("jsonl", False, **options))["markdown"]


def test_a_column_of_parquet(tmp_path: Path) -> None:
    document = dump_html(HTML, marks=True)
    for markdown in (True, False):
        sink = Output(format="parquet", markdown=markdown).sink()
        out = Pipe()
        with sink.wrapped(out) as stream:
            stream.write(sink.render(page(1), document, all_of(document), False))
        (tmp_path / "a.parquet").write_bytes(out.data)
        table = pq.read_table(tmp_path / "a.parquet")
        assert ("markdown" in table.column_names) == markdown
        if markdown:
            assert table["markdown"].to_pylist() == [render("markdown", True).rstrip("\n")]


def test_the_cleaner_writes_markup() -> None:
    cleaner = Cleaner("ngram", threshold="precision")
    prose = "Nobody knows why the ferry was late again this morning, and those on the pier did not ask."
    html = f"<ul><li>Home<li>News</ul><h2>Late</h2><p>{prose} <a href=b>More</a> <img src=c>"
    assert cleaner.markdown(html) == f"# Late\n\n{prose} More"
    assert cleaner.html(html) == f"<h1>Late</h1>\n<p>{prose} More</p>\n"
    text = cleaner.markdown(html.encode(), "http://x.example/a", links=True, images=True)
    assert text.endswith("[More](http://x.example/b)\n\n![](http://x.example/c)")
    assert cleaner.markdown("") == cleaner.html("") == ""
    with pytest.raises(ValueError, match="spans"):
        cleaner.markdown(html, spans="both")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="links"):
        cleaner.markdown(html, links="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        Cleaner("ngram", "en", limits=Limits(segments=1)).markdown(html)


@pytest.mark.untraced
def test_the_text_is_that_of_the_text_format() -> None:
    with_marks, without = Cleaner(marks=True), Cleaner()
    for found in pages(EXAMPLES / "crawl.warc.gz"):
        document, kept = with_marks.page(found)
        again, same = without.page(found)
        assert np.array_equal(kept.mask, same.mask) and document.data == again.data
        html = Output(format="html").sink().render(found, document, Kept(kept.mask), True)
        text = Output(format="text").sink().render(found, document, kept, True).decode()
        # but for the numbers of footnotes, the signs of headings that link to themselves, and the ends of posts
        assert re.sub(r"[\s#¶\d.*]", "", dump_html(html).text) == re.sub(r"[\s#¶\d.*]", "", text)


@pytest.mark.untraced
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_command_writes_markup(tmp_path: Path, jobs: int) -> None:
    crawl = str(EXAMPLES / "crawl.warc.gz")
    for name, suffix in (("markdown", "md"), ("html", "html")):
        result = CliRunner().invoke(
            app, ["clean", crawl, "-f", name, "-o", str(tmp_path), "-q", "-j", str(jobs), "--links"]
        )
        assert result.exit_code == 0, result.output
        assert (tmp_path / f"crawl.{suffix}").stat().st_size > 10_000
    assert (tmp_path / "crawl.md").read_text().count("\n---\n") == (
        tmp_path / "crawl.html"
    ).read_text().count("<article>")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--links"], "only markdown, html and --markdown have it, not text"),
        (["-f", "jsonl", "--images"], "not jsonl"),
        (["-f", "wet", "--spans", "repeat"], "not wet"),
        (["-f", "markdown", "--markdown"], "only jsonl and parquet have it"),
        (["-f", "markdown", "--spans", "both"], "both"),
    ],
)
def test_options_that_do_not_go_together(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["clean", str(EXAMPLES / "crawl.warc.gz"), *options])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
