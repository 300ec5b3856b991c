"""Texts of many documents: which lines set them off, and how a stream is cut at them."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cleaner import Cleaner
from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.page import Page, Skip
from ncleaner.reading import archive
from ncleaner.reading.markers import (
    FORMS,
    LONGEST,
    MarkedText,
    MarkerForm,
    custom_form,
    detect_form,
    split_documents,
)

from ..archives import Item, Pipe

NCLEANER = str(Path(sys.executable).with_name("ncleaner"))
URL, CURRENT, TEXT, DOC, MBOX = FORMS
RULE = custom_form(r"^=+ ?(\S+)?")


def read(text: bytes, *, name: str = "t.txt", marker: str | None = None, limit: int = 10_000) -> list[Item]:
    """Reads from a seekable stream and from pipes, which must make no difference."""
    limits = Limits(bytes=limit)
    found = list(archive.read(io.BytesIO(text), name=name, marker=marker, limits=limits))
    for block in (1 << 20, 7, 1):
        piped = list(archive.read(Pipe(text, block), name=name, marker=marker, limits=limits))  # type: ignore[arg-type]
        assert piped == found
    return found


def bodies(found: list[Item]) -> list[tuple[str, bytes]]:
    return [(item.url, item.body) for item in found if isinstance(item, Page)]


# forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "line", "url"),
    [
        (URL, b"URL: http://a.example/x y", "http://a.example/x y"),
        (URL, b"URL:\thttp://a.example\r\n", "http://a.example"),
        (URL, b"\xef\xbb\xbfURL: http://a.example\n", "http://a.example"),
        (URL, b"URL:", None),
        (URL, b"URL: ", None),
        (URL, b" URL: http://a.example", None),
        (URL, b"See URL: http://a.example", None),
        (URL, b"URL: http://a.example\rText of old.", None),
        (URL, b"URL: " + b"x" * LONGEST, None),
        (CURRENT, b"CURRENT URL http://a.example/\n", "http://a.example/"),
        (CURRENT, b"CURRENT URLS are many", None),
        (TEXT, b'<text id="http://a.example/">', "http://a.example/"),
        (TEXT, b"<text id='wac:http://a.example/?a=1&amp;b=2' date=1999>  ", "http://a.example/?a=1&b=2"),
        (TEXT, b'<text id="17">', ""),
        (TEXT, b'<text id="17" url="https://a.example/">', "https://a.example/"),
        (TEXT, b'<text title="a > b" id = x>', ""),
        (TEXT, b"<text>", None),
        (TEXT, b'<text lang="en">', None),
        (TEXT, b'<text id="17">And more.', None),
        (TEXT, b'<text id="17"><p>', None),
        (TEXT, b'<textarea id="17">', None),
        (DOC, '<doc id="3" url="http://a.example/ä" title="Über">'.encode(), "http://a.example/ä"),
        (DOC, b'<document url="http://a.example/">', None),
        (MBOX, b"From jane@harbour.example Mon Jan  1 10:00:00 2001\n", ""),
        (MBOX, b"From jane at harbour.example  Thu Nov 12 08:30 CET 1998\r\n", ""),
        (MBOX, b"From - Thu Nov 12 08:30:00 1998 remote from mail", ""),
        (MBOX, b"From here on, Mon Jan 1 was the day", None),
        (MBOX, b"From jane Mon Jan 1 2001", None),
        (MBOX, b">From jane@harbour.example Mon Jan  1 10:00:00 2001", None),
        (MBOX, b" From jane@harbour.example Mon Jan  1 10:00:00 2001", None),
        (RULE, b"==== http://a.example/", "http://a.example/"),
        (RULE, b"====", ""),
        (RULE, b"a ====", None),
        (custom_form("a b"), b"x a b y\r\n", ""),
        (custom_form("Ü=(.*)$"), "Ü=ä\r\n".encode(), "ä"),
        (custom_form("^$"), b"\r\n", ""),
    ],
)
def test_form(form: MarkerForm, line: bytes, url: str | None) -> None:
    assert form.url(line) == url


@pytest.mark.parametrize(
    ("head", "form"),
    [
        (b"URL: http://a.example/\nText", URL),
        (b"\xef\xbb\xbf\n \r\n\nCURRENT URL http://a.example/", CURRENT),
        (b'<text id="1">\n<doc id="1">\n', TEXT),
        (b'<doc id="1">', DOC),
        (b"From j@h.example Mon Jan  1 10:00:00 2001\nFrom: Jane", MBOX),
        (b"From: Jane\n", None),
        (b"Text\nURL: http://a.example/\n", None),
        (b"", None),
        (b"\n\n", None),
        ("URL: http://a.example/\n".encode("utf-16"), None),
    ],
)
def test_form_of(head: bytes, form: MarkerForm | None) -> None:
    assert detect_form(head) is form


def test_hostile_lines_take_linear_time() -> None:
    size = LONGEST - 20
    for line in (
        b"a" * size,
        b"a " * (size // 2),
        b"id=" * (size // 3),
        b"id=x " * (size // 5),
        b'a="' * (size // 3),
    ):
        for _ in range(20):
            assert detect_form(b"<text " + line) is None
            TEXT.url(b"<text " + line + b">")


@pytest.mark.parametrize(
    ("marker", "beginning"),
    [
        (r"^# newdoc id = (\S+)", b"# newdoc id = "),
        ("^=+ ?", b"="),
        ("^ab?c", b"a"),
        ("^a*b", b""),
        ("^ab{0,2}c", b"a"),
        ("^ab|c", b""),
        ("^.b", b""),
        ("ab", b""),
        ("(?i)^ab", b""),
        (r"^a\b", b"a"),
        ("^aü?", b"a"),
        ("^aü", b"a"),
        ("^", b""),
    ],
)
def test_lines_that_cannot_match_are_passed_over(marker: str, beginning: bytes) -> None:
    form = custom_form(marker)
    assert form.beginning == beginning
    text = "ab\nA\nac\n# newdoc id = 7\r\nabbc\n== x\nc\n\ufeffab\naü\n a\na\nabb".encode()
    looked_at_each = list(split_documents([text], form._replace(beginning=b""), 100))
    assert list(split_documents([text], form, 100)) == looked_at_each


def test_bad_expressions() -> None:
    with pytest.raises(InputError, match=r"'\(' is not a regular expression: missing \)"):
        custom_form("(")
    with pytest.raises(InputError, match="empty"):
        custom_form("")
    with pytest.raises(InputError, match="not a regular expression"):
        next(archive.read(io.BytesIO(b"text"), marker="[", name="t.txt"))


# splitting ----------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [b"URL: http://e.org/", b"URL: x", b"URL:", b"text", b"", b"\r", b"\xef\xbb\xbfURL: y", b"x" * LONGEST, b"x" * (LONGEST - 1)]
)  # fmt: skip


def cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    edges = [0, *sorted(min(place, len(data)) for place in places), len(data)]
    for start, end in pairwise(edges):
        if data[start:end]:
            yield data[start:end]


@given(
    st.lists(LINES, max_size=12),
    st.sampled_from([b"", b"\n"]),
    st.lists(st.integers(0, 3 * LONGEST), max_size=20),
)
def test_parts_are_the_stream_however_it_comes(lines: list[bytes], end: bytes, places: list[int]) -> None:
    data = b"\n".join(lines) + end
    found = list(split_documents([data] if data else [], URL, 1 << 20))
    assert b"".join(part.marker + (part.body or b"") for part in found) == data
    for part in found:
        assert data.startswith(part.marker + (part.body or b""), part.offset)
    assert list(split_documents(cut(data, places), URL, 1 << 20)) == found
    urls = [URL.url(line) for line in lines]
    assert [part.url for part in found if part.marker] == [url for url in urls if url is not None]


FROM = b"From j@h.example Mon Jan  1 10:00:00 2001"
MAIL = st.sampled_from(
    [FROM, b"", b"\r", b" ", b"x" * LONGEST, b"x" * (LONGEST + 1), b"\xef\xbb\xbf" + FROM, b"text"]
)


@given(
    st.lists(MAIL, max_size=12),
    st.sampled_from([b"", b"\n"]),
    st.lists(st.integers(0, 3 * LONGEST), max_size=20),
)
def test_a_message_begins_after_an_empty_line_however_it_comes(
    lines: list[bytes], end: bytes, places: list[int]
) -> None:
    data = b"\n".join(lines) + end
    found = list(split_documents([data] if data else [], MBOX, 1 << 20))
    assert b"".join(part.marker + (part.body or b"") for part in found) == data
    assert list(split_documents(cut(data, places), MBOX, 1 << 20)) == found
    begun = [
        line.endswith(FROM) and (not number or not lines[number - 1].strip())
        for number, line in enumerate(lines)
    ]
    assert sum(bool(part.marker) for part in found) == sum(begun)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=50), st.integers(0, 50))
def test_any_bytes_are_cut_alike(data: bytes, places: list[int], limit: int) -> None:
    form = custom_form("[a-f]([0-9]?)")
    whole = list(split_documents([data], form, 1000))
    assert b"".join(part.marker + (part.body or b"") for part in whole) == data
    bounded = [
        MarkedText(part.offset, part.marker, part.url, part.body if len(part.body or b"") <= limit else None)
        for part in whole
    ]
    assert list(split_documents(cut(data, places), form, limit)) == bounded


def test_a_line_that_is_too_long_is_no_marker_line_in_any_blocks() -> None:
    line = b"= " + b"x" * (LONGEST - 2)
    for text, count in ((line, 1), (line + b"x", 0), (line + b"\r", 0), (b"y" * LONGEST + b"z\n= a\n", 1)):
        for size in (len(text), 1000, LONGEST, LONGEST + 1, 1 << 20):
            blocks = [text[at : at + size] for at in range(0, len(text), size)]
            parts = list(split_documents(blocks, custom_form("^=.*x$|^= a"), 1 << 20))
            assert sum(bool(part.marker) for part in parts) == count


# reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            b"CURRENT URL http://a.example/\nOne.\nCURRENT URL http://b.example/\nURL: http://c.example/\n",
            [("http://a.example/", b"One.\n"), ("http://b.example/", b"URL: http://c.example/\n")],
        ),
        (
            b'<text id="wac:http://a.example/">\nOne.\n</text>\n<text id="2">\r\n\r\nTwo.\r\n</text>\r\n',
            [("http://a.example/", b"One.\n"), ("", b"\r\nTwo.\r\n")],
        ),
        (
            b'\n<doc id="1" url="http://a.example/" title="A">\nA\n\nOne </doc> two.\n</doc>\n\n<doc id="2">\n</doc>',
            [("http://a.example/", b"A\n\nOne </doc> two.\n\n"), ("", b"")],
        ),
    ],
)
@pytest.mark.parametrize("name", ["t.txt", "t", ""])
def test_known_forms(text: bytes, found: list[tuple[str, bytes]], name: str) -> None:
    items = read(text, name=name)
    assert bodies(items) == found
    for item in items:
        assert isinstance(item, Page) and item.kind == "text" and item.offset >= 0
        assert text[item.offset :].startswith((b"CURRENT", b"<"))


@pytest.mark.parametrize("name", ["t", "t.txt", "t.html"])
def test_a_page_in_a_text_tag_is_a_page(name: str) -> None:
    page = b'<text id="http://a.example/" title="A">\n<html><p>One.\n</text>\n'
    assert [(item.kind, item.body) for item in read(page, name=name) if isinstance(item, Page)] == [
        ("html", page)
    ]
    if name != "t.txt":
        page = page.replace(b"<html>", b"")
        assert [item.kind for item in read(page, name=name) if isinstance(item, Page)] == ["html"]


@pytest.mark.parametrize("name", ["t", "t.txt", "t.prevert", "t.html"])
def test_the_documents_of_a_prevertical_are_pages(name: str) -> None:
    text = (
        b'<doc id="1" url="http://a.example/">\n<p heading="1">\nOne.\n</p>\n<p>\nTwo.\n</p>\n</doc>\n'
        b'<doc id="2" url="http://b.example/">\n<h>\nThree.\n</h>\n<l>\nFour\n</l>\n<l>\nFive\n</l>\n</doc>\n'
    )
    pages = [item for item in read(text, name=name) if isinstance(item, Page)]
    if name == "t.html":
        assert [(page.kind, page.url) for page in pages] == [("html", name)]
        return
    assert [(page.kind, page.url, page.offset) for page in pages] == [
        ("html", "http://a.example/", 0),
        ("html", "http://b.example/", text.index(b"<doc", 1)),
    ]
    cleaner = Cleaner("everything")
    assert [cleaner.clean(page) for page in pages] == ["One.\nTwo.", "Three.\nFour\nFive"]
    assert [segment.kind for segment in cleaner.document(pages[1])] == ["h", "l", "l"]


def test_a_tag_within_a_text_makes_no_prevertical() -> None:
    text = b'<doc id="1" url="http://a.example/">\nOne <i>word</i>.\n<p>\nTwo.\n</doc>\n'
    assert [item.kind for item in read(text, name="t.txt") if isinstance(item, Page)] == ["text"]


def test_compressed_text_has_offsets_within_the_text() -> None:
    text = b"URL: http://a.example/\nOne.\nURL: http://b.example/\nTwo.\n"
    plain, packed = read(text, name="t.txt"), read(gzip.compress(text), name="t.txt")
    assert packed == plain
    assert [item.offset for item in plain] == [0, 28]


def test_own_marker() -> None:
    text = b"Before.\n=== http://a.example/\nOne.\n===\nTwo.\nURL: http://b.example/\n"
    found = read(text, marker=r"^=+ ?(\S+)?")
    assert bodies(found) == [
        ("", b"Before.\n"),
        ("http://a.example/", b"One.\n"),
        ("", b"Two.\nURL: http://b.example/\n"),
    ]
    assert [item.offset for item in found] == [0, 8, 35]
    # known forms do not hold beside it
    known = b"URL: http://a.example/\nOne.\n"
    none, page = read(known, marker="^=+")
    assert page == Page(known, "t.txt", source="t.txt", kind="text")
    # the run counts texts in which nothing is found, and says so at its end
    assert none == Skip("text without a marker line", "t.txt", "t.txt")
    assert bodies(read(b"\n \n===\nOne.\n", marker="^=+")) == [("", b"One.\n")]


def test_own_marker_may_be_a_tag() -> None:
    text = b'<page href="http://a.example/">\nOne.\n<page href="http://b.example/">\nTwo.\n'
    marker = '^<page href="(.*?)"'
    assert bodies(read(text, name="t", marker=marker)) == [
        ("http://a.example/", b"One.\n"),
        ("http://b.example/", b"Two.\n"),
    ]
    html = b"<html><p>A page.\n<p>===\n"
    for name in ("t", "t.html"):
        assert read(html, name=name, marker="===") == [Page(html, name, source=name)]


def test_wide_text_is_one_document() -> None:
    wide = "URL: http://a.example/\nOne.\nURL: http://b.example/\nTwo.\n".encode("utf-16")
    assert bodies(read(wide)) == bodies(read(wide, marker="U")) == [("t.txt", wide)]


def test_encodings_that_have_ascii_in_them() -> None:
    text = "URL: http://a.example/\nпривет\nURL: http://b.example/\nмир\n".encode("koi8-r")
    assert [body.decode("koi8-r") for _, body in bodies(read(text))] == ["привет\n", "мир\n"]


@pytest.mark.parametrize("marker", [None, "^URL: (.*)"])
def test_a_document_that_is_too_large_costs_no_neighbour(marker: str | None) -> None:
    text = b"URL: http://a/\nOne.\nURL: http://b/\n" + b"word\n" * 4000 + b"URL: http://c/\nThree.\n"
    first, second, third = read(text, marker=marker)
    assert bodies([first, third]) == [("http://a/", b"One.\n"), ("http://c/", b"Three.\n")]
    assert second == Skip("too large", "http://b/", "t.txt", 20, lost=True)
    assert bodies(read(b"x" * 20_000 + b"\nURL: http://c/\nThree.\n", marker="^URL: (.*)")) == [
        ("http://c/", b"Three.\n")
    ]


@pytest.mark.slow
def test_memory_is_bounded() -> None:
    class Endless:
        """A pipe of documents, with large ones and long lines among them."""

        def __init__(self) -> None:
            self.blocks = 600

        def read(self, size: int) -> bytes:
            self.blocks -= 1
            if self.blocks < 0:
                return b""
            if self.blocks % 100 < 50:
                return b"x" * size
            return (b"\n== a\n" + b"Some words of text.\n" * (size // 20))[:size]

    tracemalloc.start()
    count = lost = 0
    for item in archive.read(Endless(), marker="^==", limits=Limits(bytes=100_000)):  # type: ignore[arg-type]
        count += 1
        lost += isinstance(item, Skip)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count > 250 and lost >= 6
    assert peak < 8_000_000


# command line -------------------------------------------------------------------------------------


def ncleaner(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    result = subprocess.run(
        [NCLEANER, *arguments], input=stdin, capture_output=True, timeout=120, env=os.environ
    )
    assert b"Traceback" not in result.stderr, result.stderr.decode()
    return result


@pytest.mark.slow
@pytest.mark.parametrize("command", ["clean", "dump"])
@pytest.mark.parametrize("marker", ["(", "*a", ""])
def test_a_bad_marker_is_usage(command: str, marker: str) -> None:
    result = ncleaner(command, "--marker", marker, stdin=b"text")
    assert result.returncode == 2
    assert b"--marker" in result.stderr and b"marker" in result.stderr.split(b"--marker")[1]


@pytest.mark.slow
def test_marker_through_a_pipe() -> None:
    text = b"== http://a.example/\nThe ferry was late.\n== http://b.example/\nNobody minded it.\n"
    arguments = ("--marker", r"^== (.*)")
    result = ncleaner("clean", *arguments, "-m", "everything", "-f", "cleaneval", stdin=text)
    assert result.stdout == (
        b"URL: http://a.example/\n<p>The ferry was late.\n\nURL: http://b.example/\n<p>Nobody minded it.\n\n"
    )
    assert (
        ncleaner("clean", "-m", "everything", "-f", "cleaneval", stdin=result.stdout).stdout.count(b"URL: ")
        == 2
    )
    result = ncleaner("dump", *arguments, stdin=text)
    assert result.stdout.startswith(b"URL: http://a.example/\np\tThe ferry was late.\n\nURL: ")
