from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.tables import PREFORMATTED
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError
from ncleaner.limits import Limits


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
        ("h", "The Harbour Gazette"),
        ("h", "[Home] | [News]"),
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
    assert segments("\n".join(lines)) == [
        ("h", lines[0]), ("h", lines[1]), ("p", lines[2]), ("h", lines[3]),
    ]  # fmt: skip
    chinese = ["首页", "渡轮今天早上又晚点了，没有人介意。", "联系我们", "隐私政策"]
    assert segments("\n".join(chinese)) == [
        ("h", chinese[0]), ("p", chinese[1]), ("h", chinese[2]), ("h", chinese[3]),
    ]  # fmt: skip


def test_a_line_that_ends_early_ends_a_paragraph() -> None:
    text = """
   The harbour board has decided to light the north quay again, and two
   lamplighters will walk it every evening.
   Jane Doe
   12 November, 8:30
   She will not walk
   alone, as the board has said before, since it is dark there and there is
   much to fall over.

   14. Whoever wants to join them is asked to come to the office in person
   and to bring a lamp.
"""
    assert segments(text) == [
        ("p", "The harbour board has decided to light the north quay again, and two lamplighters will walk it "
              "every evening."),
        ("h", "Jane Doe"),
        ("h", "12 November, 8:30"),
        ("p", "She will not walk alone, as the board has said before, since it is dark there and there is much "
              "to fall over."),
        ("l", "14. Whoever wants to join them is asked to come to the office in person and to bring a lamp."),
    ]  # fmt: skip


def test_full_lines_run_on() -> None:
    text = "The harbour board has decided to light\nthe north quay again. From November on\ntwo lamplighters will walk it."
    assert segments(text) == [("p", text.replace("\n", " "))]
    assert segments("渡轮今天早上又晚\n点了，没有人介意\n它的。")[1:] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("\n\n  \n", []),
        ("one\r\ntwo\r\n\r\nthree\r\n", [("h", "one two"), ("h", "three")]),
        ("one\rtwo", [("h", "one two")]),
        ("\ttab\n\ttab", [("h", "tab tab")]),
        ("- dash item\n- other", [("l", "dash item"), ("l", "other")]),
        ("• bullet\n• two", [("l", "bullet"), ("l", "two")]),
        ("a.\n\n* * *\n\n* *b* c", [("p", "a."), ("l", "* * *"), ("l", "*b* c")]),
        ("-- \nsignature", [("h", "-- signature")]),
        ("   [spacer.gif]\n[Q.JPG] Why not? [INLINE]\n[1]Because", [("h", "Why not? [1]Because")]),
        ("one [IMG]\n[LINK]\ntwo [sic] [a.txt]", [("h", "one"), ("h", "two [sic] [a.txt]")]),
        (
            "a [link](http://x.y), [fig.png](z) and [inline]",
            [("p", "a [link](http://x.y), [fig.png](z) and [inline]")],
        ),
        ("a - b\nc", [("p", "a - b c")]),
        ("1999 was good.\nSo was 2000.", [("p", "1999 was good. So was 2000.")]),
        ("one\n        far indented", [("h", "one"), ("h", "far indented")]),
    ],
)
def test_table(text: str, found: list[tuple[str, str]]) -> None:
    assert segments(text) == found


def test_decodes() -> None:
    assert segments("café".encode("windows-1252"), content_type="text/plain; charset=windows-1252") == [
        ("h", "café")
    ]
    assert segments("привет".encode("koi8-r"), encoding="koi8-r") == [("h", "привет")]
    assert dump_text("café".encode()).encoding == "utf-8"


def test_has_no_elements() -> None:
    document = dump_text("one\n\ntwo")
    assert len(document.elements) == 0
    assert document.runs["element"].tolist() == [-1, -1]
    assert document[0].path == ""


def test_has_words_and_no_tags() -> None:
    document = dump_text("* one two\n* three\n\nfour")
    assert document.runs[["words", "tags"]].tolist() == [(2, 0), (1, 0), (1, 0)]
    assert document.tags_behind == 0


def test_too_large() -> None:
    with pytest.raises(InputError, match="1,001 bytes"):
        dump_text(b"x" * 1001, limits=Limits(bytes=1000))
    with pytest.raises(InputError, match="the page has 21 lines, more than twice the limit of 10 segments"):
        dump_text(b"x\n" * 21, limits=Limits(segments=10))


# mail and news ------------------------------------------------------------------------------------

MESSAGE = """\
From: Jane Doe <jane@harbour.example>
To: lamps@lists.example
Subject: Re: the lamps on the north quay, and who is to
 light them in winter

On Monday JD wrote:
> The lamps have been out since March, and I
> wonder whether anybody minds.
>
> > They were never lit on Sundays,
> > as far as I know.
>> Nor on Mondays.

I do mind, and so does everybody who walks there
after dark.
JD> We could ask the board for two more men,
JD> who would walk it
JD>
JD> every evening.
A fine idea.

| Will it cost
| much?

>From what I hear it will not, and the board has
money.

-- \n\
Jane Doe
Harbour Lane 4   +44 5550 100
http://jane.example/
"""


def texts(text: str) -> list[str]:
    return [text for _, text in segments(text)]


def test_message() -> None:
    assert texts(MESSAGE) == [
        "From: Jane Doe <jane@harbour.example>",
        "To: lamps@lists.example",
        "Subject: Re: the lamps on the north quay, and who is to light them in winter",
        "On Monday JD wrote:",
        "> The lamps have been out since March, and I > wonder whether anybody minds.",
        "> > They were never lit on Sundays, > > as far as I know. >> Nor on Mondays.",
        "I do mind, and so does everybody who walks there after dark.",
        "JD> We could ask the board for two more men, JD> who would walk it",
        "JD> every evening.",
        "A fine idea.",
        "| Will it cost | much?",
        ">From what I hear it will not, and the board has money.",
        "--",
        "Jane Doe",
        "Harbour Lane 4 +44 5550 100",
        "http://jane.example/",
    ]


def test_a_form_feed_ends_a_message() -> None:
    assert texts(f"{MESSAGE}\f{MESSAGE}") == texts(MESSAGE) * 2
    assert texts("One page of\nordinary text\n\fand the next.") == ["One page of ordinary text and the next."]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # a field that only mail has, and an empty line: else it is text
        ("Date: Monday\nWhere: the pier\n\nText.", ["Date: Monday", "Where: the pier", "Text."]),
        ("Serves: four\nTakes: an hour\n\nText.", ["Serves: four Takes: an hour", "Text."]),
        ("Subject: to change\nwithout a word\n\nText.", ["Subject: to change without a word", "Text."]),
        ("\nFrom: Jane\n\nText.", ["From: Jane", "Text."]),
        ("Text.\n\nFrom: Jane\nSubject: lamps", ["Text.", "From: Jane Subject: lamps"]),
        # a bare separator needs a short signature; the one with a space does not
        ("one\n--\ntwo\nthree\n\nfour", ["one", "--", "two", "three", "four"]),
        ("one\n--\n" + "two\n" * 17 + "\nthree", ["one -- " + "two " * 16 + "two", "three"]),
        ("one\n--\n" + "two\n" * 16, ["one", "--", *["two"] * 16]),
        ("one\n\n-- \n" + "two\n" * 17, ["one", "--", *["two"] * 17]),
        ("one\n---\ntwo\n\nthree", ["one --- two", "three"]),
        # what looks like quoting
        ("   > one\n   > two\n\nthree", ["> one > two", "three"]),
        ("| a | b |\n| c | d |\n\ntext", ["| a | b | | c | d |", "text"]),
        ("if a\n>\nb\n\nthen", ["if a > b", "then"]),
        ("one\nlower> two\nThree>four\n\nfive", ["one lower> two Three>four", "five"]),
        ("one\n > two\n >three\n\nfour", ["one", "> two >three", "four"]),
        ("one\n> two\nthree\n\nfour", ["one", "> two", "three", "four"]),
        ("one\n> - two\n> - three\n\nfour", ["one", "> - two > - three", "four"]),
    ],
)
def test_what_is_mail_and_what_is_not(text: str, found: list[str]) -> None:
    assert texts(text) == found


def test_a_long_header_does_not_make_the_text_below_one_paragraph_a_line() -> None:
    header = "From: Jane\nReceived: " + "by relay.example " * 20
    found = texts(f"{header}\n\nOne paragraph\nin two lines.\n\nAnother.")
    assert found[2:] == ["One paragraph in two lines.", "Another."]


FENCED = """The tool reads its settings from a file in the folder of the user, and
writes them back when it ends. A setting that it does not know stays.

```toml
[limits]
    pages = 3
```
~~~
``` is a fence, too
~~~

- The file is made at the first start, with all settings
  at their defaults.
"""


def test_code_between_fences_keeps_its_lines() -> None:
    assert segments(FENCED) == [
        ("p", "The tool reads its settings from a file in the folder of the user, and "
         "writes them back when it ends. A setting that it does not know stays."),
        ("p", "```toml\n[limits]\n    pages = 3\n```"),
        ("p", "~~~\n``` is a fence, too\n~~~"),
        ("l", "The file is made at the first start, with all settings at their defaults."),
    ]  # fmt: skip
    document = dump_text(FENCED)
    assert (document.segments["flags"] & PREFORMATTED > 0).tolist() == [False, True, True, False]
    # without an end it is none
    assert "```toml [limits] pages = 3" in dump_text(FENCED.split("```\n")[0], layout="paragraphs").text


@given(st.text(alphabet="aB \t\r\n.`~", max_size=60))
def test_lines_end_with_any_of_three_marks(text: str) -> None:
    assert segments(text) == segments(text.replace("\r\n", "\n").replace("\r", "\n"))


@pytest.mark.untraced
@pytest.mark.parametrize("piece", ["[usemap:", "a\r", "a\r\n"])
def test_texts_take_linear_time(piece: str) -> None:
    assert len(dump_text(piece * 1_000_000).data) > 1_000_000
