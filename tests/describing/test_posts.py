"""Posts of forums, answers to questions, and comments."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

import ncleaner
from ncleaner.describing.posts import Post, posts_of
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.threads import places_of_posts
from ncleaner.dumping.html import dump_html
from ncleaner.markup.render import html_of, markdown_of
from ncleaner.page import Page
from ncleaner.sinks.formats import Output
from ncleaner.sinks.schema import schema_of
from ncleaner.sinks.sink import SinkOptions

SAYS = [
    "The ferry was late again this morning, and nobody on the pier knew why.",
    "Nine of us waited in the rain until the harbour master came with tea.",
    "Ask the captain, who has written all of it into the log of the harbour.",
    "I do not believe a word of it, and I have been on the pier since May.",
]
URL = "https://forum.example/t/9"


def posts(html: str, left_out: str = "-", kind: str = "forum", head: str = "") -> tuple[list[Post], str]:
    """The posts of a page, of which all segments are kept but those that begin with a sign; and its text."""
    document = dump_html(f"<title>Late</title>{head}<body>{html}", facts=True, marks=True)
    mask = np.array([not text.startswith(left_out) for text in document.texts])
    kept = Kept(mask, kinds={kind: 1.0})
    text = "\n".join(text for text, one in zip(document.texts, mask, strict=True) if one)
    return posts_of(document, kept, URL), text


def _dumped(html: str) -> tuple[Document, Kept]:
    document = dump_html(html, facts=True, marks=True)
    return document, Kept(
        np.array([not text.startswith("-") for text in document.texts]), kinds={"forum": 1.0}
    )


def post(number: int, inside: str = "", tag: str = "div", beside: str = "", text: str = "") -> str:
    """A post of a forum."""
    beside = beside or f"<div>-Ann{number}</div><div>-{number} May 2024, 10:00</div>"
    return f"<{tag} class='post' id=post-{number}>{beside}<p>{text or SAYS[number % 4]}</p>{inside}</{tag}>"


@pytest.mark.parametrize(
    ("beside", "author", "date"),
    [
        ("<div>-Ann Lee</div><div>-1 May 2024, 10:00</div>", "-Ann Lee", "2024-05-01"),
        ("<div>-»Ann by 1 May 2024</div>", "-»Ann", "2024-05-01"),
        ("<div>-- Joined May 2021</div><div>-- Ann V.</div><div>-1 May 2024</div>", "Ann V.", "2024-05-01"),
        ("<div>-Ana de Armas wrote on</div><div>-1 May 2024</div>", "-Ana de Armas", "2024-05-01"),
        ("<div>-- von A Ann » Mi 1. Mai 2024, 10:00</div>", "Ann", "2024-05-01"),
    ],
)
def test_lines_before_a_text(beside: str, author: str, date: str) -> None:
    found, _ = posts(post(0, beside=beside) + post(1, beside=beside))
    assert {(each.author.lstrip("-» "), each.date) for each in found} == {(author.lstrip("-» "), date)}


def test_a_thread() -> None:
    found, text = posts("<h1>Late</h1><main>" + "".join(map(post, range(1, 4))) + "</main>")
    assert [text[each.start : each.end] for each in found] == [SAYS[1], SAYS[2], SAYS[3]]
    assert [each.date for each in found] == ["2024-05-01", "2024-05-02", "2024-05-03"]
    assert [each.permalink for each in found] == [f"{URL}#post-{number}" for number in (1, 2, 3)]
    assert {(each.kind, each.reply_to) for each in found} == {("post", None)}


def test_the_text_above_the_first_block_is_the_first_post() -> None:
    page = f"<h1>Late</h1><p>{SAYS[0]}<p>{SAYS[3]}</p><main>{post(1)}{post(2)}</main>"
    found, text = posts(page, head="<meta name=author content='Bo Lee'>")
    assert [text[each.start : each.end] for each in found] == [f"{SAYS[0]}\n{SAYS[3]}", SAYS[1], SAYS[2]]
    assert found[0].author == "Bo Lee"


def test_posts_inside_of_posts_answer_them() -> None:
    inside = "<ul>" + post(3, tag="li") + post(4, tag="li") + "</ul>"
    found, _ = posts(post(1, inside) + post(2))
    assert [(each.reply_to, each.kind) for each in found] == [
        (None, "post"),
        (0, "comment"),
        (0, "comment"),
        (None, "post"),
    ]


def test_json_ld_says_who_has_written_what() -> None:
    answer = {
        "@type": "Answer",
        "text": f"<p>{SAYS[1]}</p>",
        "author": {"name": "Cy"},
        "url": "/a/1",
        "dateCreated": "2024-06-01",
    }
    said = {
        "@type": "QAPage",
        "mainEntity": {
            "@type": "Question", "name": "Late?", "text": SAYS[0], "author": {"name": "Di"},
            "acceptedAnswer": answer, "suggestedAnswer": [{"@type": "Answer", "text": SAYS[2]}],
        },
    }  # fmt: skip
    head = f"<script type=application/ld+json>{json.dumps(said)}</script>"
    found, _ = posts(f"<h1>Late?</h1><p>{SAYS[0]}</p><main>{post(1)}{post(2)}</main>", head=head)
    assert [(each.kind, each.reply_to) for each in found] == [
        ("question", None),
        ("accepted", 0),
        ("answer", 0),
    ]
    assert (found[1].author, found[1].date, found[1].permalink) == (
        "Cy",
        "2024-06-01",
        "https://forum.example/a/1",
    )


def test_a_question_with_one_answer() -> None:
    answer = "<div id=answers><div id=answer-7 class='answer{}'><p>{}</p></div></div>"
    found, text = posts(f"<h1>Late?</h1><div id=question><p>{SAYS[0]}</p></div>{answer.format('', SAYS[1])}")
    assert [(each.kind, each.reply_to) for each in found] == [("question", None), ("answer", 0)]
    assert text[found[1].start : found[1].end] == SAYS[1]
    found, _ = posts(f"<p>{SAYS[0]}</p>{answer.format(' accepted-answer', SAYS[1])}")
    assert [each.kind for each in found] == ["question", "accepted"]


def test_lines_between_posts_are_none() -> None:
    event = "<li class=event><p>Bo has moved this to the harbour.</p></li>"
    messages = [f"<li class=message><p>{text}</p></li>" for text in SAYS[:3]]
    found, text = posts("<ul>" + event.join([*messages, event * 3]) + "</ul>")
    assert [text[each.start : each.end] for each in found] == SAYS[:3]


def test_what_is_said_about_a_post_may_follow_its_title() -> None:
    page = "".join(
        f"<div id=p10{n}><h3>Re: Late</h3><p>-Ann » {n} May 2024</p><p>{SAYS[n]}</p></div>" for n in (1, 2, 3)
    )
    # their ids number them, although the page seems to be an article
    found, _ = posts(page, kind="article")
    assert [each.date for each in found] == ["2024-05-01", "2024-05-02", "2024-05-03"]
    assert {each.author for each in found} == {"-Ann"}
    assert posts(page.replace("p101", "p109"), kind="article")[0] == []


def test_a_line_that_says_how_long_ago_is_no_text() -> None:
    page = "".join(f"<section><p>Ann {n} years ago#{n}</p><p>{SAYS[n]}</p></section>" for n in (1, 2, 3))
    found, text = posts(f"<main>{page}</main>")
    assert [text[each.start : each.end] for each in found] == SAYS[1:]
    assert {(each.author, each.date) for each in found} == {("Ann", "")}


def test_a_time_says_the_date() -> None:
    beside = "<div>-Ann</div><div>-<time datetime=2024-05-09T10:00:00Z>yesterday</time></div>"
    found, _ = posts(post(1, beside=beside) + post(2, beside=beside))
    assert {each.date for each in found} == {"2024-05-09T10:00:00+00:00"}


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        # no dates; one alone; cards of a list; sections of a text
        (f"<p>{SAYS[0]}</p><p>{SAYS[1]}</p>", "forum"),
        (post(1), "forum"),
        ("".join(map(post, range(4))), "listing"),
        ("".join(f"<section><h2>A</h2><p>{text}</p></section>" for text in SAYS), "article"),
        ("", "forum"),
    ],
)
def test_what_are_no_posts(html: str, kind: str) -> None:
    assert posts(html, kind=kind)[0] == []


def test_comments_below_an_article() -> None:
    comment = "<li class=comment id=comment-{0}><b>-Ann</b> <p>-2 May 2024</p><p>{1}</p></li>"
    comments = "".join(comment.format(number, text) for number, text in enumerate(SAYS[1:]))
    found, text = posts(
        f"<article><h1>Late</h1><p>{SAYS[0]}</p></article><ol class=comments>{comments}</ol>", kind="article"
    )
    assert [each.kind for each in found] == ["comment"] * 3
    assert [text[each.start : each.end] for each in found] == SAYS[1:]


def test_readers_see_where_a_post_ends() -> None:
    items = "".join(
        f"<li class=post><div>-{number} May 2024</div><p>{text}</p></li>"
        for number, text in enumerate(SAYS[:3], 1)
    )
    document = dump_html(f"<ul>{items}</ul>", marks=True)
    kept = Kept(np.array([not text.startswith("-") for text in document.texts]), kinds={"forum": 1.0})
    page = Page(b"", URL)
    assert (
        Output(format="text").sink().render(page, document, kept, True).decode()
        == "\n***\n".join(SAYS[:3]) + "\n"
    )
    assert markdown_of(document, kept).decode() == "\n\n* * *\n\n".join(SAYS[:3])
    assert html_of(document, kept).decode() == "<hr>\n".join(f"<p>{text}</p>\n" for text in SAYS[:3])
    vertical = Output(format="prevertical").sink().render(page, document, kept, True).decode()
    assert (
        vertical.count("</post>\n") == 3
        and '<post n="2" kind="post" author="" date="2024-05-02">' in vertical
    )
    tei = Output(format="tei").sink().render(page, document, kept, True).decode()
    assert tei.count('<div type="post">') == 3


def test_rows_and_extract_have_posts() -> None:
    body = "<h1>Late ferries of the bay</h1><main class=thread>" + "".join(map(post, range(1, 9))) + "</main>"
    page = f"<title>Late ferries of the bay - Forum</title><body class=forum>{body}".replace(
        "-Ann", "Ann"
    ).replace(">-", ">")
    found = ncleaner.extract(page, URL, segments=True)
    if found.kind == "forum":
        assert found.posts and found.segments is not None
        assert found.to_dict()["posts"][0]["kind"] == found.posts[0].kind
    rows = schema_of(SinkOptions(posts=True))
    assert ncleaner.Extracted.schema().field("posts").type == rows.field("posts").type
    row = json.loads(Output(format="jsonl", posts=True).sink().render(Page(b"", URL), *_dumped(body), True))
    assert row["posts"][0] | {"start": 0, "end": 0} == {
        "author": "-Ann1", "date": "2024-05-01", "start": 0, "end": 0, "reply_to": None, "permalink": f"{URL}#post-1", "kind": "post",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "".join(post(number) for number in range(20_000)),
        "".join(f"<div class=post>-{n} May 2024 <p>{SAYS[0]}</p>" for n in range(1, 400)),
        f"<div class=post><p>{SAYS[0]}</p><p>{'1 May 2024 by ' * 2_000}</p></div>" * 50,
        f"<div class=post><i>{'-' * 4_000}</i><p>1 May 0000</p><p>31 February 2024</p><p>{SAYS[0]}</p></div>"
        * 50,
    ],
)
def test_hostile_pages_take_linear_time(html: str) -> None:
    began = time.monotonic()
    found, text = posts(html)
    assert all(0 <= each.start <= each.end <= len(text) for each in found)
    assert all(each.reply_to is None or each.reply_to < number for number, each in enumerate(found))
    assert time.monotonic() - began < 20


def test_places_without_posts() -> None:
    document = dump_html("<p>a")
    assert places_of_posts(document, Kept(np.array([True]), kinds={"forum": 1.0})) == []
