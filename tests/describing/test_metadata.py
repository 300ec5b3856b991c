"""The metadata of pages: which source wins, and what damaged and hostile pages give."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner.describing.metadata import DATE_SOURCES, Metadata, metadata_of
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

URL = "https://www.gazette.example/news/ferry"
PROSE = "".join(
    f"<p>The ferry between the two islands was late again this morning, and nobody on pier {number} knew why.</p>"
    for number in range(4)
)


def described(**values: Any) -> str:
    return f"<script type=application/ld+json>{json.dumps({'@type': 'NewsArticle', **values})}</script>"


@pytest.mark.parametrize(
    ("html", "field", "wanted", "source"),
    [
        # titles
        ("<title>Back | Gazette</title><meta property=og:site_name content=Gazette>", "title", "Back", "title"),
        ("<meta property=og:title content='Back again'><h1>Back</h1>" + PROSE, "title", "Back again", "meta og:title"),
        ("<title>x</title><h1>Back at last</h1>" + PROSE, "title", "Back at last", "headline"),
        (described(headline="Back &amp; late"), "title", "Back & late", "JSON-LD headline"),
        (described(headline="Back") + "<meta property=og:title content='Back again'>", "title", "Back again", "meta og:title"),
        # the title with the name of the site is made for search engines
        (
            described(headline="Back") + "<meta property=og:site_name content=Gazette><meta property=og:title content='All about ferries | Gazette'>",
            "title", "Back", "JSON-LD headline",
        ),
        ("<meta property=og:title content='Ferries are back – HG – 1.5.2024'><h1>Ferries are back</h1>" + PROSE, "title", "Ferries are back", "meta og:title"),
        # the headline in its place, unless that is another text, or what stands behind a colon
        ("<meta property=og:site_name content=Gazette><meta property=og:title content='10 best spring gardens - Gazette'><h1>Ten gardens in spring</h1>" + PROSE, "title", "Ten gardens in spring", "meta og:title"),
        ("<meta property=og:site_name content=Gazette><meta property=og:title content='10 best spring gardens - Gazette'><h1>Join us today</h1>" + PROSE, "title", "10 best spring gardens", "meta og:title"),
        ("<meta property=og:site_name content=CodeHub><meta property=og:title content='CodeHub - ann/knot: Ropes and knots'><h1>Ropes and knots</h1>" + PROSE, "title", "ann/knot: Ropes and knots", "meta og:title"),
        # the name of a thing, where the headline has it, too
        ("<meta property=og:title content='The best dulse bread ever'><script type=application/ld+json>{\"@type\": \"Recipe\", \"name\": \"Dulse bread\"}</script><h1>Dulse bread</h1>" + PROSE, "title", "Dulse bread", "JSON-LD name"),
        # authors
        (described(author={"@type": "Person", "name": "Ann Lee"}), "authors", ("Ann Lee",), "JSON-LD author"),
        (described(author=[{"name": "Ann Lee"}, "Ben Moss"]), "authors", ("Ann Lee", "Ben Moss"), "JSON-LD author"),
        (
            "<script type=application/ld+json>"
            '{"@graph": [{"@type": "Article", "author": {"@id": "#ann"}}, {"@id": "#ann", "name": "Ann Lee"}]}</script>',
            "authors", ("Ann Lee",), "JSON-LD author",
        ),
        (described(author="https://a.example") + "<meta name=author content='Ann Lee'>", "authors", ("Ann Lee",), "meta author"),
        ("<meta name=author content=admin><span itemprop=author>Ann Lee</span>", "authors", ("Ann Lee",), "itemprop author"),
        ("<p class=byline>By <a>Ann Lee</a></p>", "authors", ("Ann Lee",), "class author"),
        ("<h1>Ferry late again</h1><a rel=author>Ann Lee</a>" + PROSE, "authors", ("Ann Lee",), "rel author"),
        ("<a rel=author>Books</a><p class=author>By Ann Lee</p>", "authors", ("Ann Lee",), "rel author"),
        ("<h1>Ferry late again</h1><div>By Ann Lee</div>" + PROSE, "authors", ("Ann Lee",), None),
        # a statement that names the site or an account, and a byline that names a person
        (described(author="The Gazette", publisher={"name": "Gazette"}) + "<h1>Ferry late again</h1><div>By Ann Lee</div>" + PROSE, "authors", ("Ann Lee",), None),
        (described(author="The Gazette", publisher={"name": "Gazette"}), "authors", ("The Gazette",), "JSON-LD author"),
        ("<meta name=author content=a.lee><h1>Ferry late again</h1><div>By Ann Lee</div>" + PROSE, "authors", ("Ann Lee",), None),
        # the readers of a forum see an account
        ("<h1>Ferry late again</h1><p class=author>by annlee77</p>" + PROSE + "<p class=author>by Ben Moss</p>" + PROSE, "authors", ("annlee77",), None),
        # the first post of a forum, and not those who answer
        ("<h1>Late again</h1><div data-author=annlee><p>annlee</p>First</div><div itemscope itemtype=https://schema.org/Comment><b itemprop=author>mia</b></div>", "authors", ("annlee",), "class author"),
        # dates
        (described(datePublished="2024-05-01T08:00Z"), "published", "2024-05-01T08:00:00+00:00", "JSON-LD datePublished"),
        (described(datePublished="soon") + "<meta name=date content=2024-05-02>", "published", "2024-05-02", "meta date"),
        ("<time datetime=2024-05-03>May 3</time>", "published", "2024-05-03", "time"),
        ("<time class='entry-date published updated'>2024-05-03</time>", "published", "2024-05-03", None),
        ("<span data-timestamp=1710234900>3 hours ago</span>", "published", "2024-03-12T09:15:00+00:00", "time"),
        ("<time data-utime=1710234900123>3 hours ago</time>", "published", "2024-03-12T09:15:00+00:00", "time"),
        ("<span data-number=1710234900 data-time=17102349xx data-date=99>3 hours ago</span>", "published", "", None),
        ("<time class=updated>2024-05-03</time>", "modified", "2024-05-03", "time"),
        ("<h1>Ferry late again</h1><p class=meta>May 3, 2024</p>" + PROSE, "published", "2024-05-03", None),
        (described(dateModified="2024-05-04"), "modified", "2024-05-04", "JSON-LD dateModified"),
        # addresses
        ("<link rel=canonical href=/ferry>", "canonical", "https://www.gazette.example/ferry", "link canonical"),
        ("<meta property=og:image content=//cdn.example/a.png>", "image", "https://cdn.example/a.png", "meta og:image"),
        ("<link rel=canonical href='javascript:alert(1)'>", "canonical", "", None),
        ("<link rel=canonical href='http://[x'>", "canonical", "", None),
        ("<a rel=license href=https://creativecommons.org/licenses/by/4.0/>x</a>", "licence", "https://creativecommons.org/licenses/by/4.0/", "a link"),
        ("<meta name=dcterms.rights content='CC BY-SA 4.0'>", "licence", "CC BY-SA 4.0", "meta dcterms.rights"),
        ("<meta name=dc.rights content='© 2024 The Gazette. All rights reserved.'>", "licence", "", None),
        # the place in the site
        ("<link rel=canonical href=https://gazette.example/ferry>", "hostname", "gazette.example", "address"),
        (
            '<script type=application/ld+json>{"@type": "WebPage", "breadcrumb": {"@type": "BreadcrumbList", "itemListElement": ['
            '{"position": 1, "name": "Home"}, {"position": 2, "item": {"@id": "x", "name": "Islands ›"}}, 3, {"item": "x"}]}}</script>',
            "breadcrumbs", ("Home", "Islands"), "breadcrumbs",
        ),
        (
            "<ol itemscope itemtype=https://schema.org/BreadcrumbList><li itemprop=itemListElement><b itemprop=name>Home</b>"
            "<li itemprop=itemListElement><b itemprop=name>Islands</b></ol>"
            "<ul itemscope itemtype=https://schema.org/ItemList><li itemprop=itemListElement>A kettle</ul>",
            "breadcrumbs", ("Home", "Islands"), "breadcrumbs",
        ),
        # RDFa
        ("<span property=schema:dateCreated content=2024-05-02T10:00></span>", "published", "2024-05-02T10:00:00", "itemprop datecreated"),
        # the day that readers see: the statement is in UTC
        (described(datePublished="2024-05-02T03:00Z") + "<h1>Late again</h1><p class=byline>1 May 2024</p>" + PROSE, "published", "2024-05-01", "byline"),
        (described(datePublished="2024-05-02T03:00Z") + "<h1>Late again</h1><p class=byline>3 May 2024</p>" + PROSE, "published", "2024-05-02T03:00:00+00:00", "JSON-LD datePublished"),
        # statements that contradict each other
        (described(datePublished="2024-05-01") + "<meta name=date content=2024-04-02><h1>Late again</h1><p class=byline>2 April 2024</p>" + PROSE, "published", "2024-04-02", "meta date"),
        # days of events, and of reviews of a product
        ("<h1>Apple day</h1><p>When: <time itemprop=startDate datetime=2023-10-05T10:00>Thu 5 Oct 2023</time></p>" + PROSE, "published", "", None),
        ("<script type=application/ld+json>{\"@type\": \"Event\", \"startDate\": \"2023-10-05\"}</script><h1>Apple day</h1><p>5 October 2023</p>" + PROSE, "published", "", None),
        ("<script type=application/ld+json>[{\"@type\": \"Product\"}, {\"@type\": \"Review\", \"datePublished\": \"2023-10-05\"}]</script>", "published", "", None),
        ("<script type=application/ld+json>{\"@type\": \"Book\", \"datePublished\": \"1995-10-05\"}</script>", "published", "", None),
        # dates that are shown: beside the headline, at the beginning of a paragraph, in a line with a label
        ("<h1>Ferry late again</h1><div>Islands, 31.10.23</div>" + PROSE, "published", "2023-10-31", None),
        ("<h1>Ferry late again</h1>" + PROSE.replace("<p>", "<p>31.10.2023 - ", 1), "published", "2023-10-31", "beginning of a paragraph"),
        (PROSE + "<div>Datum: 3.5.2024</div>", "published", "2024-05-03", "text"),
        # nor are those of reviews, answers and comments in microdata
        (
            "<div itemprop=review itemscope><b itemprop=author>Ann Lee</b><time itemprop=datePublished datetime=2024-05-03>May</time></div>"
            "<div itemprop=suggestedAnswer itemscope><meta itemprop=dateCreated content=2024-05-03></div>",
            "published", "", None,
        ),
        ("<div itemprop=author itemscope><meta itemprop=name content='Ann Lee'></div>", "authors", ("Ann Lee",), "itemprop author"),
        ("<h1>A kettle</h1>" + PROSE + "<p>Lena</p><p class=date>4.0 stars Reviewed in Canada on 3 May 2024</p>", "published", "", None),
        # a label of its own, the order of days that readers see, and what is stated before an event
        ("<h1>Ferry late again</h1><p>Last update:</p><p>3 May 2024</p>" + PROSE, "modified", "", None),
        (described(datePublished="11/01/2023") + "<h1>Ferry late again</h1><p>01.11.2023</p>" + PROSE, "published", "2023-11-01", None),
        ("<p>Posted: 3 May 2024</p>" + PROSE + "<time datetime=2024-06-01>1 June</time>", "published", "2024-05-03", None),
        ("<p>Effective beginning 1 June 2024, the ferry leaves at nine.</p>" + PROSE, "published", "", None),
        ("<h1>Ferry late again</h1><p>Comments</p><p>Print</p><p>3 May 2024</p>" + PROSE, "published", "2024-05-03", None),
        # the line of a change is the last resort
        (PROSE + "<p>This page was last edited on 3 May 2024.</p>", "modified", "2024-05-03", "text"),
        # libraries begin with the family name
        ("<meta name=citation_author content='Lee, Ann'><meta name=citation_author content='Ben Moss'>", "authors", ("Ann Lee", "Ben Moss"), "meta citation_author"),
        # the site beside its people; the name of the site in the title, if the host has it
        (described(author=[{"name": "Ann Lee"}, {"name": "The Gazette"}], publisher={"name": "The Gazette"}), "authors", ("Ann Lee",), "JSON-LD author"),
        ("<title>Ferry late again | Harbour Gazette</title>" + PROSE, "site", "Harbour Gazette", "title"),
        ("<title>Ferry late again | Islands</title>" + PROSE, "site", "", None),
        # nothing is changed before it is published
        (described(datePublished="2024-05-03", dateModified="2020-01-01"), "modified", "", None),
        (described(datePublished="2024-05-03T10:00", dateModified="2024-05-03"), "modified", "2024-05-03", "JSON-LD dateModified"),
        # dates of comments and copyrights are no dates of the page
        (PROSE + "<p>© 3.5.2024 The Gazette</p>", "published", "", None),
        # tags
        (described(keywords=["Ferries", "ferries", "Islands"]), "tags", ("Ferries", "Islands"), "JSON-LD keywords"),
        (described(keywords="Ferries, Islands"), "tags", ("Ferries", "Islands"), "JSON-LD keywords"),
        ("<meta property=article:tag content=Ferries><meta property=article:tag content=Islands>", "tags", ("Ferries", "Islands"), "meta article:tag"),
        # the rest
        (described(publisher={"name": "The Gazette"}), "site", "The Gazette", "JSON-LD publisher"),
        ("<meta name=description content='  All about\n ferries '>", "description", "All about ferries", "meta description"),
        # an article counts, not what it mentions
        (
            "<script type=application/ld+json>"
            '[{"@type": "WebPage", "name": "Page"}, {"@type": "Comment", "author": "Troll"},'
            ' {"@type": "Article", "headline": "Article", "comment": {"@type": "Article", "headline": "no"}}]</script>',
            "title", "Article", "JSON-LD headline",
        ),
    ],
)  # fmt: skip
def test_sources(html: str, field: str, wanted: object, source: str | None) -> None:
    found = metadata_of(dump_html(html, facts=True), URL)
    assert getattr(found, field) == wanted
    if source is not None:
        assert found.sources[field] == source


def test_the_first_paragraph_of_data_is_no_headline() -> None:
    story = (
        "<p>Ferries are late in the islands. Ten years on, the harbour office looks for captains.</p>"
        "<p>The reason is simple: nobody wants to sail at night, and the pier is cold and wet.</p>"
    )
    state = json.dumps({"@type": "Article", "headline": "Ferries are late", "articleBody": story})
    page = f"<title>Ferries are late</title><p>Wait<script type=application/ld+json>{state}</script>"
    assert "captains" in ncleaner.extract(page).text
    assert ncleaner.metadata(page).title == "Ferries are late"


def test_an_address_tells_the_date_only_where_nothing_else_does() -> None:
    url = "https://www.gazette.example/2024/05/01/ferry"
    assert ncleaner.metadata("<p>x", url).published == "2024-05-01"
    assert ncleaner.metadata("<meta name=date content=2024-05-02>", url).published == "2024-05-02"


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"@type": "Article", "headline": "Back"} -->',
        '//<![CDATA[\n{"@type": "Article", "headline": "Back"}\n//]]>',
        '{"@type": "Article", "headline": "Back",}',
        '{"@type": ["Thing", "BlogPosting"], "headline": "Back", "description": "a\nb"}',
        '{"@type": "http://schema.org/NewsArticle", "headline": "Back"}',
    ],
)
def test_json_that_templates_get_wrong(text: str) -> None:
    page = f"<script type=application/ld+json>{text}</script>"
    assert ncleaner.metadata(page).title == "Back"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        '{"@type": "Article", "headline": ["Back"], "author": ' + '{"author":' * 500 + "1" + "}" * 501,
        '{"@type": 7, "@graph": 3}',
        '{"@type": "Article", "author": {"@id": "#a", "name": 3}, "datePublished": 20240501, "headline": {"x": 1}}',
        json.dumps([{"@type": "Article"}] * 5_000),
    ],
)
def test_json_that_says_nothing(text: str) -> None:
    page = f"<title>Back</title><script type=application/ld+json>{text}</script>"
    found = ncleaner.metadata(page)
    assert found.title == "Back" and found.authors == ()


def test_long_values_are_bounded() -> None:
    page = f"<meta property=og:title content='{'x' * 9_000}'><meta name=description content='{'y ' * 9_000}'>"
    found = ncleaner.metadata(page)
    assert len(found.title) == 500 and len(found.description) <= 2_000


@pytest.mark.parametrize(
    ("html", "url", "wanted"),
    [
        ("<meta name=date content=2024-05-02>", "", "stated"),
        ("<h1>Ferry late again</h1><div>31.10.2023</div>" + PROSE, "", "shown"),
        ("<p>x", "https://gazette.example/2024/05/01/ferry", "address"),
        (PROSE + "<div>Datum: 3.5.2024</div>", "", "text"),
        (PROSE + "<p>Last edited on 3 May 2024</p>", "", "changed"),
        (PROSE, "", ""),
    ],
)
def test_how_the_date_was_found(html: str, url: str, wanted: str) -> None:
    assert ncleaner.metadata(html, url).date_source == wanted
    assert not wanted or wanted in DATE_SOURCES


def test_a_date_as_the_language_of_the_page_writes_it() -> None:
    byline = "<h1>Ferry late again</h1><p class=byline>03/05/2024</p>" + PROSE
    for lang, wanted in ("en-US", "2024-03-05"), ("en-GB", "2024-05-03"), ("fr", "2024-05-03"):
        assert ncleaner.metadata(f"<html lang={lang}>{byline}").published == wanted


@pytest.mark.untraced
def test_a_hundred_thousand_dates_take_no_time() -> None:
    many = "".join(f"<li>{1 + number % 28}.5.2024" for number in range(100_000))
    assert ncleaner.metadata(f"{PROSE}<ul>{many}</ul>").published == ""
    assert ncleaner.metadata("<time>1.5.2024</time>" * 100_000).published == "2024-05-01"
    assert len(ncleaner.metadata("<meta property=article:tag content='a,b'>" * 100_000).tags) == 2


def test_pages_that_say_nothing() -> None:
    assert ncleaner.metadata("") == Metadata()
    assert metadata_of(dump_text("By Ann Lee")) == Metadata()
    with pytest.raises(ValueError, match="facts=True"):
        metadata_of(dump_html("<p>x"))
    with pytest.raises(TypeError, match="url"):
        ncleaner.metadata("<p>x", url=3)  # type: ignore[arg-type]


def test_a_cleaner_with_facts_parses_once() -> None:
    cleaner = ncleaner.Cleaner(facts=True)
    page = "<meta name=author content='Ann Lee'>" + PROSE
    document = cleaner.document(page)
    assert metadata_of(document, URL).authors == cleaner.metadata(page, URL).authors == ("Ann Lee",)
    assert cleaner.keep(document).mask.all()


JSON = st.recursive(
    st.one_of(
        st.none(), st.integers(), st.text(max_size=20), st.sampled_from(["Article", "2024-05-01", "#a"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                "@type @id @graph author name headline datePublished publisher image license".split()
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@pytest.mark.untraced
@given(JSON, st.text(max_size=30), st.text(max_size=40))
def test_whatever_a_page_says(data: object, text: str, url: str) -> None:
    page = (
        f"<title>{text}</title><meta name=date content='{text}'><meta name=author content='{text}'>"
        f"<link rel=canonical href='{text}'><script type=application/ld+json>{json.dumps(data)}</script><h1>{text}"
    )
    found = ncleaner.metadata(page, url)
    json.dumps(found.to_dict()).encode()
    assert found == ncleaner.metadata(page, url)


PARAGRAPH = (
    "<p>The ferry across the narrow bay had not run for eleven winters when the council voted to buy a boat."
)
CRUMBS = "<ol itemscope itemtype=https://schema.org/BreadcrumbList>{}</ol>"


@pytest.mark.parametrize(
    ("page", "name", "value"),
    [
        # years of eras with dots; those that no era has; a year of Islam on a page that is not of Arabia
        ("<html lang=ja><h1>題</h1><div class=date>令和4.4.25</div>", "published", "2022-04-25"),
        ("<html lang=ja><h1>題</h1><div class=date>R4.4.25</div>", "published", "2022-04-25"),
        ("<html lang=ja><h1>題</h1><div class=date>令和0年4月25日</div>", "published", ""),
        ("<html lang=en><h1>T</h1><div class=date>1443/9/24</div>", "published", ""),
        ("<html lang=en><h1>T</h1><div class=date>1403/2/5</div>", "published", "2024-04-24"),
        ("<html lang=he><title>Old ferry</title><h1>Old ferry</h1><div>כ\"ה בניסן תשפ\"ב</div>", "published", "2022-04-26"),
        # the date of a member
        ("<h1>T</h1><div class=user>Join Date: Mar 12, 2009</div>", "published", ""),
        ("<h1>T</h1><a rel=license href='javascript:x'>CC</a>", "licence", ""),
        ("<html lang=zh><h1>渡輪</h1><div class=byline>台北報導</div>", "authors", []),
        ("<h1>Ferries</h1><div class=byline>By land and sea</div>", "authors", []),
        ('<script type=application/ld+json>{"@type": "Article", "headline": "A\\u0000 ferry"}</script>', "title", "A ferry"),
        (
            '<script type=application/ld+json>{"@type": "BreadcrumbList", "itemListElement": [{"position": 2, "name": "B"},'
            '{"position": "1", "name": "A"}]}</script>',
            "breadcrumbs",
            ["A", "B"],
        ),
        (
            CRUMBS.format("<li itemprop=itemListElement>A<li itemprop=itemListElement>B")
            + CRUMBS.format("<li itemprop=itemListElement>C"),
            "breadcrumbs",
            ["A", "B"],
        ),
    ],
)  # fmt: skip
def test_statements_that_say_something_else(page: str, name: str, value: object) -> None:
    assert ncleaner.metadata(page + PARAGRAPH).to_dict()[name] == value
