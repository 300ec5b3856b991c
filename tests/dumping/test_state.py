"""The record that a page is about, in the state of its scripts. All pages are our own."""

from __future__ import annotations

import json
from html import escape
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner.document.tables import STATE
from ncleaner.dumping.html import dump_html

TITLE = "The last lamp of the north pier"
ONE = (
    "The keeper climbs the iron stair every evening at half past six, and he has done so since the winter of the "
    "great ice, when the old lamp went out and four boats were lost behind the bar before anyone on shore knew."
)
TWO = (
    "He carries two cans of oil, although the lamp has burned gas for twenty years, because his father carried two "
    "cans of oil, and because the stair feels wrong to him when his hands are empty and the wind is from the north."
)
THREE = (
    "In spring the harbour office will put an electric light on a steel mast. Nobody has told the keeper, who reads "
    "no newspapers, and nobody in the office wants to be the one who walks out along the pier to say it to him."
)
SHORT = "He said no."
TEXT = [ONE, TWO, SHORT, THREE]
PROSE = [ONE, TWO, THREE]
HTML = f"<p>{ONE}</p><p>{TWO}</p><p>{SHORT}</p><p>{THREE}</p>"

# What else is in such data: other records, menus, messages, identifiers. None of it is text of the page.
OTHER = [
    {
        "id": f"a{i}",
        "slug": f"another-{i}",
        "title": f"Another story of the coast, number {i}",
        "body": f"<p>On day {i} the boats of the south harbour stayed at home, and number {i} of the crew went "
        f"fishing from the wall with {i} hooks and no luck whatsoever until the evening bell.</p>",
    }
    for i in range(300)
]
MENU = [{"label": f"Section {i} of the site", "href": f"/section/{i}"} for i in range(40)]


def page(*parts: str, title: str = f"{TITLE} | Coast Courier", body: str = "<div id=root></div>") -> str:
    return f"<!doctype html><html lang=en><head><title>{escape(title)}</title></head><body>{body}{''.join(parts)}</body></html>"


def blob(value: object) -> str:
    return json.dumps(value).replace("</", "<\\/")


def script(value: object, attributes: str = "type='application/json'") -> str:
    return f"<script {attributes}>{blob(value)}</script>"


def assigned(name: str, value: object) -> str:
    return f"<script>window.{name} = {blob(value)};</script>"


STORY: dict[str, Any] = {"id": 7, "slug": "last-lamp", "title": TITLE, "body": HTML}

CONTENTFUL = {
    "nodeType": "document",
    "content": [
        {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": ONE[:80]}, {"nodeType": "text", "value": ONE[80:], "marks": []}]},
        {"nodeType": "paragraph", "content": [
            {"nodeType": "text", "value": TWO[:40]},
            {"nodeType": "hyperlink", "data": {"uri": "https://example.org/"}, "content": [{"nodeType": "text", "value": TWO[40:60]}]},
            {"nodeType": "text", "value": TWO[60:]},
        ]},
        {"nodeType": "heading-2", "content": [{"nodeType": "text", "value": "In spring"}]},
        {"nodeType": "unordered-list", "content": [
            {"nodeType": "list-item", "content": [{"nodeType": "paragraph", "content": [{"nodeType": "text", "value": SHORT}]}]}
        ]},
        {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": THREE}]},
    ],
}  # fmt: skip
BLOCKS = [
    {"_type": "block", "style": "normal", "children": [{"_type": "span", "text": ONE[:33]}, {"_type": "span", "text": ONE[33:]}]},
    {"_type": "block", "style": "normal", "children": [{"_type": "span", "text": TWO}]},
    {"_type": "block", "style": "h2", "children": [{"_type": "span", "text": "In spring"}]},
    {"_type": "block", "style": "normal", "children": [{"_type": "span", "text": THREE}]},
]  # fmt: skip
SLATE = [
    {"type": "paragraph", "children": [{"text": ONE[:50]}, {"text": ONE[50:70], "bold": True}, {"text": ONE[70:]}]},
    {"type": "paragraph", "children": [{"text": TWO[:30]}, {"type": "link", "url": "/x", "children": [{"text": TWO[30:]}]}]},
    {"type": "paragraph", "children": [{"text": SHORT}]},
    {"type": "paragraph", "children": [{"text": THREE}]},
]  # fmt: skip
ENTITIES = {
    "Paragraph:c": {"__typename": "Paragraph", "type": "P", "text": THREE},
    "Paragraph:b": {"__typename": "Paragraph", "type": "P", "text": TWO},
    "Paragraph:a": {"__typename": "Paragraph", "type": "P", "text": ONE},
    "Post:1": {
        "__typename": "Post", "title": TITLE,
        "related": [{"__ref": "Post:2"}], "author": {"__ref": "User:1"},
        "content": {"paragraphs": [{"__ref": "Paragraph:a"}, {"__ref": "Paragraph:b"}, {"__ref": "Paragraph:c"}]},
    },
    "Post:2": {"__typename": "Post", "headline": OTHER[0]["title"], "content": {"text": OTHER[0]["body"]}},
    "User:1": {"name": "A. Keeper", "bio": "A. Keeper has written about the coast, its boats and its lamps for thirty years."},
    "ROOT_QUERY": {"post": {"__ref": "Post:1"}},
}  # fmt: skip

PAGES: dict[str, tuple[str, list[str]]] = {
    "Next, HTML": (
        page(script({"props": {"pageProps": {"post": STORY, "related": OTHER, "menu": MENU}}}, "id=__NEXT_DATA__ type='application/json'")),
        [TITLE, *TEXT],
    ),
    "Next, Contentful": (
        page(script({"props": {"pageProps": {"menu": MENU, "more": OTHER, "entry": {"fields": {"title": TITLE, "slug": "x", "body": CONTENTFUL}}}}})),
        [TITLE, ONE, TWO, "In spring", SHORT, THREE],
    ),
    "Next, Portable Text": (
        page(script({"props": {"pageProps": {"more": OTHER, "post": {"title": TITLE, "slug": {"current": "x"}, "content": BLOCKS}}}})),
        [TITLE, ONE, TWO, "In spring", THREE],
    ),
    "Next, sections": (
        page(script({"pageProps": {"page": {"title": TITLE, "sections": [
            {"heading": "x", "title": "At night", "text": ONE}, {"title": "By day", "text": f"{TWO}\n\n{THREE}"}, {"title": "Empty"}
        ]}, "more": OTHER}})),
        [TITLE, "At night", ONE, "By day", TWO, THREE],
    ),
    "Next, WordPress": (
        page(script({"pageProps": {"others": OTHER, "post": {"slug": "x", "title": {"rendered": TITLE}, "content": {"rendered": HTML}, "excerpt": {"rendered": f"<p>{ONE[:90]}…</p>"}}}})),
        [TITLE, *TEXT],
    ),
    "Nuxt 2, JSON": (page(assigned("__NUXT__", {"data": [{"others": OTHER, "story": STORY}], "serverRendered": True})), [TITLE, *TEXT]),
    "Apollo": (page(assigned("__APOLLO_STATE__", {f"Story:{each['id']}": each for each in (*OTHER, STORY)})), [TITLE, *TEXT]),
    "Apollo, references": (page(assigned("__APOLLO_STATE__", ENTITIES)), [TITLE, *PROSE]),
    "Redux": (page(assigned("__INITIAL_STATE__", {"menu": MENU, "stories": {"byId": {"7": STORY, **{str(each["id"]): each for each in OTHER}}}})), [TITLE, *TEXT]),
    "Redux, parsed": (
        page(f"<script>window.__PRELOADED_STATE__ = JSON.parse({blob(json.dumps({'others': OTHER, 'story': STORY}))});</script>"),
        [TITLE, *TEXT],
    ),
    "Redux, Slate": (page(assigned("__INITIAL_STATE__", {"others": OTHER, "story": {"headline": TITLE, "url": "/x", "body": SLATE}})), [TITLE, *TEXT]),
    "JSON-LD, article": (
        page(script({"@type": "NewsArticle", "headline": TITLE, "description": ONE[:120], "articleBody": "\n\n".join(TEXT), "author": {"name": "A. Keeper of the Lamp", "url": "/a"}}, "type='application/ld+json'"), assigned("__DATA__", OTHER)),
        [TITLE, *TEXT],
    ),
    "JSON-LD, product": (
        page(script({"@graph": [{"@type": "WebSite", "name": "Coast Courier", "url": "/"}, {"@type": "Product", "name": TITLE, "sku": "7", "description": " ".join(PROSE)}]}, "type='application/ld+json'")),
        [TITLE, " ".join(PROSE)],
    ),
    "Inertia, attribute": (
        page(body=f"<div id=app data-page=\"{escape(json.dumps({'component': 'Story', 'props': {'others': OTHER, 'story': STORY}}))}\"></div>"),
        [TITLE, *TEXT],
    ),
    "JSON in a string of JSON": (page(assigned("__STATE__", {"cache": json.dumps({"others": OTHER, "story": json.dumps(STORY)})})), [TITLE, *TEXT]),
    "no title": (page(script({"others": [], "story": STORY | {"title": "x"}, "filler": MENU * 30}), title="Loading"), ["x", *TEXT]),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_only_in_its_state(name: str) -> None:
    html, expected = PAGES[name]
    document = dump_html(html)
    assert document.texts == expected
    assert document.has_state and (document.segments["flags"] & STATE).all()


@pytest.mark.parametrize("name", PAGES)
def test_such_a_page_is_cleaned(name: str) -> None:
    cleaner = ncleaner.Cleaner()
    document = cleaner.document(PAGES[name][0])
    kept = cleaner.keep(document)
    assert document.origin(kept.mask) == "state"
    assert ONE in cleaner.clean(PAGES[name][0])


MORE = "<p>" + "</p><p>".join(f"{THREE} That was in year {i}." for i in range(9)) + "</p>"


def test_a_page_that_shows_the_beginning_gets_the_rest_once() -> None:
    years = [f"Year {i}. {' '.join(Random(i).sample(THREE.split(), 30))}." for i in range(9)]
    story = {"headline": TITLE, "articleBody": "\n".join([ONE, TWO, *years])}
    html = page(
        script(story, "type='application/ld+json'"),
        body=f"<h1>{TITLE}</h1><p>{ONE}</p><p>{TWO}</p><p>{MENU[0]['label'] * 12}</p>",
    )
    document = dump_html(html)
    assert document.texts[0] == TITLE and document.texts.count(ONE) == document.texts.count(TWO) == 1
    assert document.texts[4:] == years
    mask = document.segments["flags"] & STATE != 0
    assert (
        document.origin(mask),
        document.origin(~mask),
        document.origin(mask | True),
        document.origin(mask & False),
    ) == ("state", "page", "both", "")


def test_a_page_that_shows_its_text_is_left_alone() -> None:
    for shown in (f"<h1>{TITLE}</h1>{HTML}{MORE}", f"<h1>{TITLE}</h1>{HTML}" * 2):
        document = dump_html(page(script(STORY), body=shown))
        assert not document.has_state and document.data == dump_html(page(body=shown)).data


def test_what_is_no_record_of_the_page() -> None:
    shown = f"<p>{ONE}</p>" * 5
    for value in (
        OTHER,
        {"stories": OTHER},
        {"title": "The last lamp", "body": HTML},
        {"title": TITLE, "url": "/", "stories": OTHER},
    ):
        assert not dump_html(page(script(value), body=shown)).has_state
    # a list of like records has none that is the page
    assert (
        "number 3 of the crew"
        not in dump_html(page(script({"stories": OTHER}), title="Stories of the coast")).text
    )


def test_text_in_noscript_is_what_the_page_shows() -> None:
    document = dump_html(page(script(STORY), body=f"<div id=root></div><noscript>{HTML}{MORE}</noscript>"))
    assert document.texts[:4] == TEXT and not document.has_state


HOSTILE = {
    "nested lists": "[" * 1_000_000 + "]" * 1_000_000,
    "nested objects": '{"a":' * 1_000_000 + "1" + "}" * 1_000_000,
    "not JSON": "{" + f"'title': '{TITLE}', body: `{HTML}`" + "}" * 1000,
    "cut": blob({"story": STORY, "others": OTHER})[:-5],
    "a long number": '{"title":"' + TITLE + '","n":' + "9" * 500_000 + "}",
    "many records": blob([{"title": TITLE, "url": "/"}] * 20_000),
    "many references": blob({"Post:1": {"title": TITLE, "all": [{"__ref": "Post:2"}] * 20_000}, "Post:2": {"body": HTML, "more": [{"__ref": "Post:1"}] * 50}}),
    "references in a circle": blob({"Post:1": {"title": TITLE, "next": {"__ref": "Post:2"}}, "Post:2": {"next": {"__ref": "Post:1"}, "x": [1]}}),
    "half characters": blob({"title": TITLE, "body": "\ud83c" * 100 + HTML}),
    "a title without end": blob({"title": TITLE * 50_000, "body": HTML}),
    "fifty megabytes": '{"rows":[' + ",".join(['{"title":"' + TITLE + '"}'] * 1_100_000) + "]}",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_state(name: str) -> None:
    data = HOSTILE[name]
    places = (
        f"<script type='application/json'>{data}</script>",
        f"<script type='application/json' id=__NUXT_DATA__>{data}</script>",
        f"<script>window.__STATE__={data}</script>",
        f"<script>window.__NUXT__=(function(a,b){{return {data}}}({data[:10_000]},a))</script>",
    )
    for html in places if len(data) < 10_000_000 else places[:1]:
        dump_html(page(html, body=f"<p>{ONE}</p>"), limits=ncleaner.Limits(bytes=100_000_000))


def test_many_assignments() -> None:
    for part in (
        "window.__A__={",
        "__A__=[[",
        '__A__=JSON.parse("',
        "__A__=(function(a){return {a:a}",
        "s.__b={c:",
    ):
        dump_html(page(f"<script>{part * 40_000}</script>"))


PIECES = st.sampled_from(
    ["window.__A__=", "{", "}", "[", "]", ",", ":", '"', '"title":', json.dumps(TITLE), '"body":', json.dumps(HTML), '"text":', json.dumps(ONE),
     "(function(a,b){return ", "}(", "a", "undefined", "void 0", "!0", '"__ref":"A:1"', '"A:1":', '"children":', '"type":"paragraph"', "1", "</script>"]
)  # fmt: skip


@given(
    st.lists(PIECES, max_size=40).map("".join),
    st.sampled_from(["", "type='application/json'", "type='application/json' id=__NUXT_DATA__"]),
)
def test_any_state(data: str, attributes: str) -> None:
    html = page(f"<script {attributes}>{data}</script>")
    assert dump_html(html).data == dump_html(html).data
