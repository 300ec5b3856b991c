"""Front matter: YAML before each page of Markdown, whatever the page writes there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin
from typer.testing import CliRunner

from ncleaner import Cleaner
from ncleaner.cli.program import app
from ncleaner.describing.metadata import Metadata
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.page import Page, TextLayout
from ncleaner.sinks.formats import Output

from ..outputs import all_of, none_of

EXAMPLES = Path(__file__).parents[2] / "examples"
FRONT: dict[str, Any] = {"metadata": True}
URL = "http://ferry.example/2024/05/back"
HTML = (
    "<html lang=en><title>The ferry is back | Gazette</title><meta property=og:site_name content=Gazette>"
    "<meta name=author content='Ann Lee, Bo Dahl'><meta name=date content=2024-05-01><p>It sails.<p>Again."
)


def rendered(html: str, single: bool = True, url: str = URL, date: str = "") -> str:
    document = dump_html(html, facts=True, marks=True)
    return (
        Output(format="markdown", **FRONT)
        .sink()
        .render(Page(b"", url, date), document, all_of(document), single)
        .decode()
    )


def front(text: str) -> dict[str, object]:
    tokens = MarkdownIt().use(front_matter_plugin).parse(text)
    assert tokens[0].type == "front_matter"
    found = yaml.safe_load(tokens[0].content)
    assert isinstance(found, dict)
    return found


def test_what_a_page_says() -> None:
    text = rendered(HTML, date="2024-06-01T00:00:00Z")
    assert front(text) == {
        "url": URL,
        "title": "The ferry is back",
        "authors": ["Ann Lee", "Bo Dahl"],
        "published": "2024-05-01",
        "date_source": "stated",
        "site": "Gazette",
        "hostname": "ferry.example",
        "date": "2024-06-01T00:00:00Z",
    }
    assert text.startswith('---\nurl: "http') and text.endswith("\n---\n\nIt sails.\n\nAgain.\n")


def test_a_page_that_says_nothing() -> None:
    assert rendered("<p>It sails.", url="") == "---\n---\n\nIt sails.\n"


def test_many_pages() -> None:
    text = rendered(HTML, False) + rendered("<p>No more.", False)
    assert text.count("\n---\n") == 3 and "Again.\n\n---\nurl:" in text


def test_a_page_without_text() -> None:
    document = dump_html(HTML, facts=True, marks=True)
    assert (
        Output(format="markdown", **FRONT).sink().render(Page(b"", URL), document, none_of(document), False)
        == b""
    )


def test_only_the_first_piece_of_a_text_has_it() -> None:
    sink, parts = Output(format="markdown", **FRONT).sink(), b""
    for begins, ends in ((True, False), (False, True)):
        document = dump_text("A line.")
        page = Page(b"", URL, layout=TextLayout("lines", begins=begins, ends=ends))
        parts += sink.render(page, document, all_of(document), False)
    assert parts.decode() == f'---\nurl: "{URL}"\nhostname: "ferry.example"\n---\n\nA line.\n\nA line.\n\n'


@given(st.text(), st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_any_text_stays_a_string(title: str, url: str, authors: list[str]) -> None:
    said = Metadata(
        title=title.encode("utf-8", "replace").decode(), authors=tuple(authors), description="---\n..."
    )
    document = dump_html("<p>It sails.", facts=True, marks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ncleaner.describing.metadata.metadata_of", lambda *_: said)
        sink = Output(format="markdown", **FRONT).sink()
        text = sink.render(Page(b"", url), document, all_of(document), True).decode()
    head, body = text.removeprefix("---\n").split("\n---\n", 1)
    assert body == "\nIt sails.\n"
    found = yaml.safe_load(head)
    assert found.get("title", "") == said.title and found["description"] == "---\n..."
    assert found.get("authors", []) == authors and found.get("url", "") == url


def test_the_cleaner_writes_it() -> None:
    cleaner = Cleaner("everything")
    text = cleaner.markdown(HTML, URL, metadata=True)
    assert front(text) == {**front(rendered(HTML)), "language": "en"}
    assert text.endswith("\n---\n\nIt sails.\n\nAgain.")
    assert cleaner.markdown("<title>No text</title>", metadata=True) == ""
    with pytest.raises(TypeError, match="metadata"):
        cleaner.markdown(HTML, metadata="yes")  # type: ignore[arg-type]


@pytest.mark.untraced
def test_the_command_writes_it(tmp_path: Path) -> None:
    crawl, out = str(EXAMPLES / "crawl.warc.gz"), tmp_path / "pages.md"
    found = CliRunner().invoke(app, ["clean", crawl, "-f", "markdown", "--metadata", "-o", str(out), "-q"])
    assert found.exit_code == 0, found.output
    plain = CliRunner().invoke(app, ["clean", crawl, "-f", "markdown", "-q"])
    assert out.read_text().count("\n---\n") + 1 == 2 * plain.output.count("\n---\n")
    refused = CliRunner().invoke(app, ["clean", crawl, "-f", "html", "--metadata"])
    assert refused.exit_code == 2 and "and markdown have it, not html" in " ".join(refused.output.split())
