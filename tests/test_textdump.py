from __future__ import annotations

import pytest

from ncleaner.errors import InputError
from ncleaner.limits import Limits
from ncleaner.textdump import dump_text


def segments(text: str | bytes, **options: str) -> list[tuple[str, str]]:
    return [(segment.kind, segment.text) for segment in dump_text(text, **options)]  # type: ignore[arg-type]


LYNX = """
                               The Harbour Gazette

   [Home] | [News]

Lamps for the north quay

   The harbour board has decided to light the north quay again. From the
   first of November two lamplighters will walk it every evening.

   Three reasons were given:
     * the cable has failed nine times since it was laid, and nobody can
       say where;
     * fishermen asked for it;
          + by letter
          + in person
     * the lamps are still there.

    1. First things
    2. Second things
"""


def test_lynx_dump() -> None:
    assert segments(LYNX) == [
        ("p", "The Harbour Gazette"),
        ("p", "[Home] | [News]"),
        ("h", "Lamps for the north quay"),
        ("p", "The harbour board has decided to light the north quay again. From the first of November two "
              "lamplighters will walk it every evening."),
        ("p", "Three reasons were given:"),
        ("l", "the cable has failed nine times since it was laid, and nobody can say where;"),
        ("l", "fishermen asked for it;"),
        ("l", "by letter"),
        ("l", "in person"),
        ("l", "the lamps are still there."),
        ("l", "1. First things"),
        ("l", "2. Second things"),
    ]  # fmt: skip


def test_one_paragraph_a_line() -> None:
    long = "This paragraph stands on a single line, as dumps of corpora have it, and is wider than any screen could be."
    assert segments(f"{long}\n{long}\n* an item\nShort.\n") == [
        ("p", long), ("p", long), ("l", "an item"), ("p", "Short."),
    ]  # fmt: skip


def test_short_lines_without_an_empty_one_are_paragraphs() -> None:
    lines = [
        "Home",
        "About the harbour",
        "The ferry was late again, and nobody on the pier minded.",
        "Read more",
    ]
    assert segments("\n".join(lines)) == [("p", line) for line in lines]
    chinese = ["首页", "渡轮今天早上又晚点了，没有人介意。", "联系我们", "隐私政策"]
    assert segments("\n".join(chinese)) == [("p", line) for line in chinese]


def test_full_lines_run_on() -> None:
    text = "The harbour board has decided to light\nthe north quay again. From November on\ntwo lamplighters will walk it."
    assert segments(text) == [("p", text.replace("\n", " "))]
    assert segments("渡轮今天早上又晚\n点了，没有人介意\n它的。")[1:] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("\n\n  \n", []),
        ("one\r\ntwo\r\n\r\nthree\r\n", [("p", "one two"), ("p", "three")]),
        ("one\rtwo", [("p", "one two")]),
        ("\ttab\n\ttab", [("p", "tab tab")]),
        ("- dash item\n- other", [("l", "dash item"), ("l", "other")]),
        ("• bullet\n• two", [("l", "bullet"), ("l", "two")]),
        ("-- \nsignature", [("p", "-- signature")]),
        ("   [spacer.gif]\n[Q.JPG] Why not? [INLINE]\n[1]Because", [("p", "Why not? [1]Because")]),
        ("one [IMG]\n[LINK]\ntwo [sic] [a.txt]", [("p", "one"), ("p", "two [sic] [a.txt]")]),
        ("a - b\nc", [("p", "a - b c")]),
        ("1999 was good.\nSo was 2000.", [("p", "1999 was good. So was 2000.")]),
        ("one\n        far indented", [("p", "one"), ("p", "far indented")]),
    ],
)
def test_table(text: str, found: list[tuple[str, str]]) -> None:
    assert segments(text) == found


def test_decodes() -> None:
    assert segments("café".encode("windows-1252"), content_type="text/plain; charset=windows-1252") == [
        ("p", "café")
    ]
    assert segments("привет".encode("koi8-r"), encoding="koi8-r") == [("p", "привет")]
    assert dump_text("café".encode()).encoding == "utf-8"


def test_has_no_elements() -> None:
    document = dump_text("one\n\ntwo")
    assert len(document.elements) == 0
    assert document.runs["element"].tolist() == [-1, -1]
    assert document[0].path == ""


def test_too_large() -> None:
    with pytest.raises(InputError, match="1,001 bytes"):
        dump_text(b"x" * 1001, limits=Limits(bytes=1000))
