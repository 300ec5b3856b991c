"""How the other programs are called. Each is made up here, so none must be installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace
from typing import Any

import pytest

from ncleaner.lab.comparing.peers import NAMES, PEERS, USUAL, html_text
from ncleaner.lab.comparing.tools import tool_of
from ncleaner.page import Page

PAGE = Page(b"<p>caf\xc3\xa9", "http://a.example/")
Calls = list[tuple[Any, ...]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Puts in the place of each program one that writes down how it is called."""
    found: Calls = []

    def note(name: str, result: Any) -> Callable[..., Any]:
        def called(*arguments: Any, **settings: Any) -> Any:
            found.append((name, *arguments, settings))
            return result

        return called

    class Readability:
        def __init__(self, body: bytes) -> None:
            found.append(("Document", body))

        summary = staticmethod(note("summary", "<p>One</p>"))

    content = SimpleNamespace(get_content=note("get_content", "One"))
    general = SimpleNamespace(extract=note("extract", {"html": "<p>One</p>"}))
    parts = [
        SimpleNamespace(text="One\n more", is_boilerplate=False),
        SimpleNamespace(text="No", is_boilerplate=True),
    ]
    modules = {
        "trafilatura": SimpleNamespace(extract=note("extract", "One")),
        "resiliparse.extract.html2text": SimpleNamespace(extract_plain_text=note("text", "One")),
        "resiliparse.parse.encoding": SimpleNamespace(detect_encoding=note("detect", None)),
        "resiliparse.parse.html": SimpleNamespace(
            HTMLTree=SimpleNamespace(parse_from_bytes=note("parse", "tree"))
        ),
        "turbohtml": SimpleNamespace(
            parse=lambda body: SimpleNamespace(
                article=lambda: SimpleNamespace(text=note("turbo", "One")(body))
            )
        ),
        "justext": SimpleNamespace(
            justext=note("justext", parts),
            get_stoplists=lambda: {"Polish", "English"},
            get_stoplist=lambda name: {name},
        ),
        "boilerpy3.extractors": SimpleNamespace(ArticleExtractor=lambda: content),
        "readability": SimpleNamespace(Document=Readability),
        "rs_trafilatura": SimpleNamespace(
            extract_bytes=note("extract_bytes", SimpleNamespace(main_content="One"))
        ),
        "magic_html": SimpleNamespace(GeneralExtractor=lambda: general),
        "magic_html.utils": SimpleNamespace(decode_file=lambda body: body.decode()),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


@pytest.mark.parametrize(
    ("name", "comments", "called"),
    [
        ("trafilatura", None, [("extract", PAGE.body, {})]),
        ("trafilatura", False, [("extract", PAGE.body, {"include_comments": False})]),
        (
            "trafilatura-recall",
            True,
            [("extract", PAGE.body, {"favor_recall": True, "include_comments": True})],
        ),
        ("trafilatura-precision", None, [("extract", PAGE.body, {"favor_precision": True})]),
        (
            "resiliparse",
            False,
            [
                ("detect", PAGE.body, {}),
                ("parse", PAGE.body, "utf-8", {}),
                ("text", "tree", {"main_content": True, "comments": False}),
            ],
        ),
        ("rs-trafilatura", None, [("extract_bytes", PAGE.body, {"url": PAGE.url})]),
        ("rs-trafilatura", True, [("extract_bytes", PAGE.body, {"url": PAGE.url, "include_comments": True})]),
        ("turbohtml", None, [("turbo", PAGE.body, {})]),
        ("boilerpy3", False, [("get_content", "<p>café", {})]),
    ],
)
def test_a_program_is_called(name: str, comments: bool | None, called: Calls, calls: Calls) -> None:
    extract = tool_of(name, {} if comments is None else {"comments": comments}).extractor()
    assert extract(PAGE, "en") == "One"
    assert calls == called


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("readability", [("Document", PAGE.body), ("summary", {"html_partial": True})]),
        ("magic-html", [("extract", "<p>café", {"base_url": PAGE.url})]),
    ],
)
def test_a_program_that_returns_html(name: str, called: Calls, calls: Calls) -> None:
    pytest.importorskip("lxml.html", reason="lxml is not installed")
    assert str(tool_of(name).extractor()(PAGE, "en")).strip() == "One"
    assert calls == called


@pytest.mark.parametrize(
    ("name", "language", "words", "settings"),
    [
        ("justext", "pl", {"Polish"}, {}),
        ("justext", "", {"English", "Polish"}, {}),
        ("justext", "xx", {"English", "Polish"}, {}),
        ("justext", "zh", set(), {"stopwords_low": 0, "stopwords_high": 0}),
        ("justext-nolist", "pl", set(), {"stopwords_low": 0, "stopwords_high": 0}),
    ],
)
def test_stop_lists(
    name: str, language: str, words: set[str], settings: dict[str, int], calls: Calls
) -> None:
    assert tool_of(name).extractor()(PAGE, language) == "One more"
    assert calls == [("justext", PAGE.body, frozenset(words), settings)]


def test_the_table() -> None:
    for peer in PEERS.values():
        assert callable(peer.make)
        assert peer.install.startswith("pip install ")
    assert set(PEERS) < set(NAMES) and set(USUAL) < set(NAMES)
    assert "trafilatura" in USUAL and "trafilatura-recall" not in USUAL
    with pytest.raises(ValueError, match="no method or peer 'nobody': there are hybrid"):
        tool_of("nobody")


def test_titles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.lab.comparing.tools.version", lambda name: "2.0")
    recall = tool_of("trafilatura-recall", {"comments": False})
    assert recall.title == "trafilatura-recall 2.0" and recall.is_peer
    assert recall.settings == "favor_recall, no comments"
    assert tool_of("magic-html", {"comments": False}).settings == "articles"

    def missing(name: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr("ncleaner.lab.comparing.tools.version", missing)
    absent = tool_of("trafilatura", {"comments": True})
    assert absent.title == "trafilatura" and absent.settings == "comments"
    bte = tool_of("bte", {"comments": True})
    assert bte.title == "bte" and not bte.is_peer and not bte.trained


def test_html_text_sets_blocks_apart() -> None:
    pytest.importorskip("lxml.html", reason="lxml is not installed")
    html = "<div>One\n line <b>bold</b><p>Two</p><!-- no -->tail<br>after</div>"
    lines = [line.strip() for line in html_text(html).splitlines() if line.strip()]
    assert lines == ["One line bold", "Two", "tail", "after"]
    assert html_text(" ") == ""
