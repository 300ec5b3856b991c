"""Zones of a page, by pages of our own; each case says in brackets what the text of a zone is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PROSE = (
    "<p>The ferry between the two islands was late again this morning, and nobody on the pier knew why.</p>"
    "<p>Those who had come early stood there for an hour and talked about the weather and the harbour.</p>"
)
MENU = "<ul class=menu><li><a href=/>Front page</a><li><a href=/w>Weather today</a></ul>"


def zone(document: Document, name: str) -> str:
    """The text of a zone."""
    return " / ".join(segment.text for segment in document if segment.zone == name)


@pytest.mark.parametrize(
    ("html", "headline"),
    [
        (f"<title>Late again</title><h1>Late again</h1>{PROSE}", "Late again"),
        # without a title, without a heading tag
        (f"<h2>Late again</h2>{PROSE}", "Late again"),
        (f"<div>Menu</div><p><b>Ferry is late again</b></p>{PROSE}", "Ferry is late again"),
        (f"<title>Ferry late again | Daily Tide</title>{MENU}<p>Ferry late again</p>{PROSE}", "Ferry late again"),
        # the site's name in an <h1>, and the headline below it
        (
            f"<title>Daily Tide - Ferry late again, and no reason given</title><h1>Daily Tide</h1>{MENU}"
            f"<h2>Ferry late again, and no reason given</h2>{PROSE}",
            "Ferry late again, and no reason given",
        ),
        # a section's name
        (f"<title>Ferry late - News - Tide</title><h1>News</h1>{MENU * 8}<h1>Ferry late</h1>{PROSE}", "Ferry late"),
        # six of them
        (
            f"<title>Storm over the bay</title><h1>Weather</h1><h1>Storm over the bay</h1>{PROSE}"
            + "".join(f"<h1>More of topic {n}</h1>" for n in range(4)),
            "Storm over the bay",
        ),
        # other scripts
        (f"<title>渡轮又晚点了_海湾日报</title><h2>渡轮又晚点了</h2><p>{'今天早上两岛之间的渡轮又晚点了，没有人知道原因。' * 3}</p>", "渡轮又晚点了"),
        (f"<title>ПАРОМ ОПОЗДАЛ</title><div>Паром опоздал</div>{PROSE}", "Паром опоздал"),
        # in the breadcrumb, in related links, in the footer: not the headline
        (f"<title>Late again</title><nav>Home › Late again</nav><h1>Late again</h1>{PROSE}", "Late again"),
        (f"<h1><img src=h.png></h1>{PROSE}<footer><h2>About us</h2></footer>", ""),
        (f"{PROSE}<aside class=related><h3>Other stories</h3></aside>", ""),
        (f"<p>05.01.2012, 11:23</p>{PROSE}", ""),
        # the class of the main text tells of the side bar in it, and the title stands in that, too
        (
            f"<title>Late again</title><div class=has-sidebar><h1>Nobody knows why the ferry is late</h1>{PROSE}"
            "<div class=sidebar><h3>Most read</h3><h4><a href=/l>Late again</a></h4></div></div>",
            "Nobody knows why the ferry is late",
        ),
        # a section of a home page, with and without a title to compare with
        (f"<title>Island ferries</title><h2>Hear from our customers</h2>{MENU * 2}{PROSE}", ""),
        (f"<title>Island ferries</title><h2>Ferries for everyone</h2>{MENU * 2}{PROSE}", "Ferries for everyone"),
        (f"<h2>Hear from our customers</h2>{MENU * 2}{PROSE}", "Hear from our customers"),
        (PROSE, ""),
        ("<h1>Hello</h1>", "Hello"),
        ("<h1 hidden>Late again</h1>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_headline(html: str, headline: str) -> None:
    assert zone(dump_html(html), "headline") == headline


ARTICLE = f"<title>Late again</title><article><h1>Late again</h1>{PROSE}</article>"


POLICY = "<section id=comments-policy><h2>On comments</h2><p>The builders noted it.</section>"


@pytest.mark.parametrize(
    ("html", "comments"),
    [
        (ARTICLE, ""),
        (f"{ARTICLE}<div id=comments><p>So it was.</p><ul><li>Yes</ul></div>Imprint", "So it was. / Yes"),
        (f"{ARTICLE}<section class='post-replies'>Yes</section>", "Yes"),
        (f"{ARTICLE}<div id=disqus_thread>Yes</div>", "Yes"),
        (f"{ARTICLE}<div role=comment>Yes</div>", "Yes"),
        (f"{ARTICLE}<div class=commonwealth>Yes</div>", ""),
        (f"{ARTICLE}<div hidden class=comments>Yes</div>", "Yes"),
        # the words are about the page
        (f"<body class=comments-open>{ARTICLE}", ""),
        ("<main class=has-comments><p>b</p></main>c", ""),
        (f"<article class=comments>{ARTICLE}</article>", ""),
        # a block that holds the headline is the page
        (f"<div class=comments>{ARTICLE}<p>More</p></div><p>{'Other text. ' * 30}", ""),
        # but not its sections
        (f"<div class=comments>{ARTICLE}<div class=replies>Yes</div></div>", "Yes"),
        # nearly all of the text is no section of it either
        ("<p>One.</p><div class=comments><p>Thread without a headline, all of it answers to one line.</div>", ""),
        ("<div class=comments><p>a</p></div>", ""),
        # a section of the text, with more of it after; with many blocks inside, it is a thread
        (f"<article>{ARTICLE}{PROSE}{POLICY}{PROSE}</article>", ""),
        (f"<article>{ARTICLE}{PROSE}{POLICY}</article>", "On comments / The builders noted it."),
        (f"<article>{ARTICLE}{PROSE}<div class=comments>{'<p>Yes' * 12}</div>{PROSE}</article>", "Yes / " * 11 + "Yes"),
    ],
)  # fmt: skip
def test_comments(html: str, comments: str) -> None:
    assert zone(dump_html(html), "comment") == comments


LONG = f"<h1>Late again</h1>{PROSE * 3}"
THREAD = "<p>So it was.</p><p>Not at all: it sailed on time, and I was on it with two friends.</p>"
SAID = "So it was. / Not at all: it sailed on time, and I was on it with two friends."


@pytest.mark.parametrize(
    ("html", "comments"),
    [
        (f"<div>{LONG}</div><div><h3>Comments (2)</h3>{THREAD}</div>Imprint", f"Comments (2) / {SAID}"),
        # the heading stands beside them, or in a block of its own
        (f"<div>{LONG}<h3>25 Kommentare</h3>{THREAD}</div><div>Imprint</div>", f"25 Kommentare / {SAID}"),
        (f"<div>{LONG}</div><div><div><b>Komentarze:</b></div>{THREAD}</div>", f"Komentarze: / {SAID}"),
        (f"<div>{LONG}<p>网友评论（3）{THREAD}</div>", f"网友评论（3） / {SAID}"),
        # nothing is below it
        (f"<div>{LONG}</div><h3>0 comments</h3>{THREAD}", ""),
        # above the text, in a menu, in a sentence
        (f"<h1>Late again</h1><a href=#c>3 comments</a>{PROSE * 3}", ""),
        (f"{LONG}<nav><p>Comments</nav>{THREAD}", ""),
        (f"{LONG}<p>Comments on the ferry were rare.</p>{THREAD}", ""),
        # a list of pages
        (f"{LONG}<div>" + f"<h2>Tides</h2>{PROSE}<p>4 comments</p>" * 4, ""),
    ],
)
def test_comments_below_a_heading(html: str, comments: str) -> None:
    assert zone(dump_html(html), "comment") == comments


@pytest.mark.parametrize(
    ("html", "name", "text"),
    [
        (f"<h1>Late</h1><p class=byline>By Ann Seaton</p>{PROSE}", "byline", "By Ann Seaton"),
        (f"<h1>Late</h1><p><time>Monday</time></p>{PROSE}", "byline", "Monday"),
        (f"<h1>Late</h1><p>5 January 2012, 11:23</p>{PROSE}", "byline", "5 January 2012, 11:23"),
        (f"<h1>Late</h1><address>Ann Seaton</address>{PROSE}", "byline", "Ann Seaton"),
        # a price has digits, too; a date below the text is no byline
        (f"<h1>Boots</h1><p>$ 1,049.00</p>{PROSE}", "byline", ""),
        (f"<h1>Late</h1>{PROSE}<p>5 January 2012</p>", "byline", ""),
        (f"<h1>Late</h1><p class=standfirst>Nobody knows why.</p>{PROSE}", "standfirst", "Nobody knows why."),
        (f"{PROSE}<p class=standfirst>Nobody knows why.</p>", "standfirst", ""),
        (f"<h1>Late</h1>{PROSE}<figure><figcaption>The pier</figcaption></figure>", "caption", "The pier"),
        (f"<h1>Late</h1>{PROSE}<div class=wp-caption-text>The pier</div>", "caption", "The pier"),
        (f"<h1>Late</h1>{PROSE}<table><caption>Times</caption><tr><td>9:15", "caption", "Times"),
        # what is long, and what is a menu, is no caption
        (f"<h1>Late</h1><figcaption>{PROSE * 6}</figcaption>", "caption", ""),
        (f"<h1>Late</h1>{PROSE}<nav><p class=caption>Menu</p></nav>", "caption", ""),
        (f"<h1>Late</h1>{PROSE}<div class=related-posts><a href=/>Tides</a></div>", "related", "Tides"),
    ],
)  # fmt: skip
def test_other_zones(html: str, name: str, text: str) -> None:
    assert zone(dump_html(html), name) == text


def test_plain_text_has_no_zones() -> None:
    assert {segment.zone for segment in dump_text("Late again\n\nThe ferry was late.")} == {""}


MARKUP = st.sampled_from(
    [
        "<h1>", "</h1>", "<h2>", "<p>", "<div class=comments>", "</div>", "<figcaption>", "<article>", "<b>",
        "</b>", "<nav>", "</nav>", "late again", "ferry", " - ", "2012", PROSE, "渡轮", "<div class=byline>",
        "<br><br>",
    ]
)  # fmt: skip


@given(st.text(max_size=20), st.lists(MARKUP, max_size=30))
def test_at_most_one_headline_and_known_zones(title: str, parts: list[str]) -> None:
    page = dump_html(f"<title>{title}</title>{''.join(parts)}")
    zones = page.segments["zone"]
    assert (zones == ZONES.index("headline")).sum() <= 1
    assert zones.max(initial=0) < len(ZONES)


def test_words_of_classes_that_are_not_about_related_pages() -> None:
    # Tailwind's `contrast-more:` and Writerside's class for the text below a heading say nothing
    for name, zone in (
        ("article__p h2-related", ""),
        ("border contrast-more:border-2", ""),
        ("contrast-more", "related"),
        ("related-posts", "related"),
        ("h2 related", "related"),
    ):
        document = dump_html(
            "<h1>Ferry</h1><p>The ferry sails until the end of May.</p>"
            f"<dl class='{name}'><dt>late()</dt><dd>Returns whether the ferry is late.</dd></dl>"
        )
        assert {segment.zone for segment in list(document)[2:]} == {zone}


def test_the_name_of_the_site_is_no_headline() -> None:
    # as VitePress and Starlight have it; the name is longer than the headline
    document = dump_html(
        "<title>Queues | Tidepool Scheduler</title><header><a class=title href=/>Tidepool Scheduler</a></header>"
        "<main><h1>Queues</h1><p>The scheduler keeps a queue of jobs for every worker, and hands them out.</main>"
    )
    assert [segment.text for segment in document if segment.zone == "headline"] == ["Queues"]


@pytest.mark.parametrize(
    ("title", "site", "heading"),
    [
        # as phpBB, Blogger and old blogs of WordPress have it
        (
            "The rope broke - Harbour Board",
            "<h1>Harbour Board</h1>",
            "<h2><a href=/t>The rope broke</a></h2>",
        ),
        (
            "Slow Gears: The rope broke",
            "<h1><a href=/>Slow Gears</a></h1>",
            "<div class=widget><h3>The rope broke</h3></div>",
        ),
        (
            "Slow Gears » The rope broke",
            "<h1><a href=/>Slow Gears</a></h1>",
            "<div class=widget><h3>The rope broke</h3></div>",
        ),
        # the name of the site behind the headline
        ("The rope broke - Harbour Board", "<h1>The rope broke</h1>", "<h2>Harbour Board</h2>"),
        ("Harbour Board: The rope broke", "<h1>The rope broke</h1>", "<h2>Harbour Board</h2>"),
    ],
)
def test_a_site_above_the_headline(title: str, site: str, heading: str) -> None:
    text = "<p>The harbour keeps a rope for every boat, and hands them out in the evening, but not to everybody.</p>"
    document = dump_html(f"<title>{title}</title>{site}{heading}{text}")
    assert [segment.text for segment in document if segment.zone == "headline"] == ["The rope broke"]


def test_of_two_linked_headings_the_first_part_of_the_title() -> None:
    # as blogs of Hatena have it
    document = dump_html(
        "<title>灯台の夜 - 港の日記</title><div id=blog-title><h1 id=title><a href=/>港の日記</a></h1></div>"
        "<article><h1 class=entry-title><a href=/e>灯台の夜</a></h1>"
        "<p>昨日の夜、港の灯台守は船を数えて、その名前を帳面に書きました。風が強かったので、カモメはいませんでした。"
    )
    assert [segment.text for segment in document if segment.zone == "headline"] == ["灯台の夜"]
