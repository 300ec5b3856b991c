"""The layout of plain text: what tells it, and what each one makes of the same lines."""

from __future__ import annotations

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError
from ncleaner.page import LAYOUTS, Page, TextLayout
from ncleaner.text import _layout
from ncleaner.text._layout import layout_of

PROSE = (
    "The harbour board has decided to light the north quay again. From the first of November two lamplighters "
    "will walk it every evening, and nobody has to wait for the ferry in the dark any more. The board has heard "
    "this for years, and it was glad to hear it no longer."
)
RUSSIAN = (
    "Правление гавани решило снова освещать северную набережную. С первого ноября два фонарщика будут обходить "
    "её каждый вечер, и никому больше не придётся ждать парома в темноте. Правление слышало об этом много лет."
)
CHINESE = (
    "港务局决定重新照亮北码头。从十一月一日起，两名点灯人将每天晚上巡视，再也没有人需要在黑暗中等渡轮。" * 3
)


def told(text: str) -> str:
    return LAYOUTS[layout_of(text.encode())[0]]


def wrap(text: str, width: int) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def texts(text: str, layout: str = "auto") -> list[str]:
    return [str(segment) for segment in dump_text(text, layout=layout)]


def test_compiled_code_has_the_same_names() -> None:
    numbers = [getattr(_layout, name.upper()) for name in LAYOUTS]
    assert numbers == list(range(len(LAYOUTS)))


def test_a_menu_stays_apart_in_text_with_a_paragraph_on_each_line() -> None:
    lines = [
        "The ferry was late again, and nobody on the pier minded it.",
        "Home | About | Contact",
        "",
        "Two lamplighters will walk the north quay from November on.",
        "Nobody knows where they are to live.",
        "Read more",
        "",
        "The board meets again on Monday.",
    ]
    assert texts("\n".join(lines)) == [line for line in lines if line]
    # a single pair of lines is enough if a sentence ends
    assert texts("\n".join(lines[:4])) == [lines[0], lines[1], lines[3]]


@pytest.mark.parametrize("prose", [PROSE, RUSSIAN])
@pytest.mark.parametrize("width", [60, 72, 120])
def test_prose_that_is_wrapped(prose: str, width: int) -> None:
    text = "\n\n".join([wrap(prose, width)] * 3)
    assert told(text) == "wrapped"
    assert texts(text) == [prose] * 3
    # with a first line that is indented, and no empty lines
    indented = "\n".join([wrap(f"xx{prose}", width).replace("xx", "  ")] * 6)
    assert told(indented) == "wrapped" or width > 100


def test_chinese() -> None:
    lines = [CHINESE[start : start + 38] for start in range(0, len(CHINESE), 38)]
    assert told("\n".join([*lines, "", *lines])) == "wrapped"
    assert told("\n".join([CHINESE, "联系我们", CHINESE, "", "首页", CHINESE])) == "lines"


@pytest.mark.parametrize("prose", [PROSE, RUSSIAN, CHINESE])
def test_prose_with_a_paragraph_on_each_line(prose: str) -> None:
    sentences = [f"{part}." for part in prose.replace("。", ".").rstrip(".").split(".")]
    text = "\n".join([*sentences, "", *sentences, *sentences, "", *sentences])
    assert told(text) == "lines"


def test_a_poem_keeps_its_lines() -> None:
    verses = ["The lamps are lit along the quay,", "And no one walks there now but me;", "The boats are in,",
              "The night is long,", "And on the pier there is a song."]  # fmt: skip
    poem = "\n\n".join(["\n".join(verses)] * 4)
    assert told(poem) == "lines"


def test_lines_that_end_where_the_author_wants() -> None:
    clauses = ["The harbour board has decided", "to light the north quay again,", "because it is dark there", "and because " + "many people " * 9, "have asked for it."]  # fmt: skip
    text = "\n\n".join(["\n".join(clauses)] * 5)
    assert told(text) == "paragraphs"
    assert texts(text) == [" ".join(" ".join(clauses).split())] * 5


def test_the_user_says_the_layout() -> None:
    text = "one two\n  * three\nfour.\n\nFive\n"
    assert texts(text, "lines") == ["one two", "three", "four.", "Five"]
    assert texts(text, "paragraphs") == ["one two * three four.", "Five"]
    assert texts(text, "wrapped") == ["one two", "three", "four.", "Five"]
    assert texts("one\n\ttwo\n\u3000\nthree", "paragraphs") == ["one two", "three"]
    with pytest.raises(InputError, match="unknown layout of text 'prose': give auto, lines"):
        dump_text(text, layout="prose")
    with pytest.raises(TypeError, match="layout"):
        dump_text(text, layout=3)  # type: ignore[arg-type]
    cleaner = Cleaner("everything", text="paragraphs")
    assert len(cleaner.page(Page(text.encode(), kind="text"))[0]) == 2
    page = Page(text.encode(), kind="text", layout=TextLayout("lines"))
    assert len(cleaner.page(page)[0]) == 2
    assert len(Cleaner("everything").page(page)[0]) == 4
    with pytest.raises(ValueError, match="text"):
        Cleaner("everything", text="prose")


MESSAGE = """From jane@harbour.example Mon Jan  1 10:00:00 2001
From: Jane Doe <jane@harbour.example>
Received: from relay.example by mx.example; Mon, 1 Jan 2001
\t10:00:00 +0100
Subject: the lamps

The board has decided to light the north quay again.
Nobody has asked it to.
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_method_keeps_the_header_of_a_message(layout: str) -> None:
    body = ["The board has decided to light the north quay again.", "Nobody has asked it to."]
    expected = body if layout == "lines" else [" ".join(body)]
    cleaner = Cleaner("everything", text=layout)
    # at the beginning of a text, after a form feed, and where a message in a mailbox begins
    for text, times in ((MESSAGE, 1), (f"{MESSAGE}\f{MESSAGE}", 2), (f"{MESSAGE}\n{MESSAGE}", 2)):
        document, kept = cleaner.page(Page(text.encode(), kind="text"))
        mask = kept.mask
        assert [str(segment) for segment in document if mask[segment.index]] == expected * times
        mask = Cleaner("ngram", text=layout).keep(document).mask
        assert not any(str(segment).startswith(("From", "Received", "Subject")) and mask[segment.index]
                       for segment in document)  # fmt: skip
    # in the middle of a text there are no messages
    text = f"Text before.\n\nSubject: the lamps\n\n{PROSE}"
    assert cleaner.page(Page(text.encode(), kind="text"))[1].mask.all()
