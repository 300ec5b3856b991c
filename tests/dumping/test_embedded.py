"""Text that stands in a page's data only. All pages are our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncleaner
from ncleaner.document import tags
from ncleaner.document.tables import STATED
from ncleaner.dumping.embedded import _PLACES, find_record, places_of
from ncleaner.dumping.html import dump_html, parse
from ncleaner.limits import Limits

from .test_state import ONE, THREE, TWO

FOG = "The fog came in over the harbour before noon, and nobody saw the ferry leave."
TIDE = "By evening the tide had turned, and the boats lay on their sides in the mud."
BELL = "She rang the bell twice and waited, but only the gulls gave her an answer."
ZH = "清晨的雾气笼罩着整个港口，渡轮在无人注意时悄悄离开了码头。"
TH = "หมอกยามเช้าปกคลุมท่าเรือและเรือข้ามฟากออกไปโดยไม่มีใครเห็นเลย"
RU = "Туман накрыл гавань ещё до полудня, и никто не видел, как ушёл паром."
HI = "सुबह का कोहरा पूरे बंदरगाह पर छाया रहा और किसी ने नाव को जाते नहीं देखा।"


def lines(html: str | bytes) -> list[str]:
    return dump_html(html).text.splitlines()


def data(value: object, kind: str = "application/json") -> str:
    blob = json.dumps(value).replace("</", "<\\/")
    return f"<script type='{kind}'>{blob}</script>"


def ld(value: object) -> str:
    return data(value, "application/ld+json")


TITLE = "Fog in the harbour again"
PAGE = "<title>Fog in the harbour again - The Shore Post</title><body><p>Loading</p>"
# A record needs a title that is the page's, and some text.
DAYS = [ONE, TWO, THREE]
RECORD = {"id": 7, "title": TITLE, "slug": "fog-in-the-harbour-again", "more": DAYS}
STATE = json.dumps({"page": RECORD})

FOUND: dict[str, tuple[str, list[str]]] = {
    # JSON-LD, which may be short
    "article": (ld({"@type": "NewsArticle", "headline": TITLE, "articleBody": f"{FOG}\n\n{TIDE}"}), [TITLE, FOG, TIDE]),
    "questions": (
        ld({"@type": "QAPage", "name": TITLE, "mainEntity": [
            {"name": "Who?", "acceptedAnswer": {"text": FOG}}, {"name": "When?", "acceptedAnswer": {"text": TIDE}},
        ]}),
        [TITLE, "Who?", FOG, "When?", TIDE],
    ),
    "recipe": (
        ld({"@graph": [{"@type": "WebSite", "name": "Shore"}, {"@type": "Recipe", "name": TITLE, "recipeIngredient": ["2 eggs", "1 fog"],
            "recipeInstructions": [{"@type": "HowToStep", "text": FOG}, {"@type": "HowToStep", "text": "Stir."}]}]}),
        [TITLE, "2 eggs", "1 fog", FOG, "Stir."],
    ),
    "items with names": (
        ld({"@type": "Product", "name": TITLE, "description": FOG, "additionalProperty": [
            {"@type": "PropertyValue", "name": "Size", "value": "40 cm"}, {"@type": "PropertyValue", "name": "Cord", "value": 1}]}),
        [TITLE, FOG, "Size: 40 cm", "Cord"],
    ),
    "tools": (
        ld({"@type": "HowTo", "name": TITLE, "tool": [{"@type": "HowToTool", "name": "needle"}], "step": [{"@type": "HowToStep", "text": FOG}]}),
        [TITLE, "needle", FOG],
    ),
    "page by its type": (
        ld({"@type": "FAQPage", "mainEntity": [{"@type": "Question", "name": "Who?", "acceptedAnswer": {"text": FOG}}]}), ["Who?", FOG],
    ),
    "escaped markup": (
        ld({"@type": "Product", "name": TITLE, "description": f"&lt;p&gt;{FOG}&lt;br&gt;&lt;br&gt;{TIDE}&lt;/p&gt;"}), [TITLE, FOG, TIDE]
    ),
    "entities": (ld({"@type": "Product", "name": TITLE, "description": f"Salt &amp; sand. {FOG}"}), [TITLE, f"Salt & sand. {FOG}"]),
    "line ends in strings": (
        f'<script type="application/ld+json">{{"@type": "Article", "headline": "{TITLE}", "text": "{FOG}\n{TIDE}"}}</script>', [TITLE, FOG, TIDE]
    ),
    "Chinese": (ld({"@type": "Article", "headline": TITLE, "text": ZH * 2}), [TITLE, ZH * 2]),
    "Thai": (ld({"@type": "Article", "headline": TITLE, "text": TH}), [TITLE, TH]),
    "Russian": (ld({"@type": "Article", "headline": TITLE, "text": RU}), [TITLE, RU]),
    "Hindi": (ld({"@type": "Article", "headline": TITLE, "text": HI}), [TITLE, HI]),
    # state
    "state": (f'<script id=__NEXT_DATA__ type="application/json">{STATE}</script>', [TITLE, *DAYS]),
    "state in a comment": (f'<script type="application/json"><!--{STATE}--></script>', [TITLE, *DAYS]),
    "in upper case": (f'<SCRIPT TYPE="Application/JSON">{STATE}</SCRIPT>', [TITLE, *DAYS]),
    "URL-escaped": (f'<script type="application/json">\n {quote(STATE)}</script>', [TITLE, *DAYS]),
    "quotes as code points": (
        '<script type="application/json">' + STATE.replace('"', "\\u0022") + "</script>", [TITLE, *DAYS]
    ),
    "quotes as entities": (f'<script type="application/json">{escape(STATE)}</script>', [TITLE, *DAYS]),
    "two escapes, one character": (data(RECORD | {"more": [*DAYS, f"{TIDE} \U0001f30a"]}), [TITLE, *DAYS, f"{TIDE} \U0001f30a"]),
    # attributes
    "preloaded": (
        f"<div data-preloaded=\"{escape(json.dumps({'topic': json.dumps({'title': TITLE, 'slug': 'x', 'posts': [{'cooked': f'<p>{day}</p>'} for day in DAYS]})}))}\"></div>",
        [TITLE, *DAYS],
    ),
    "attribute": (f"<div id=app data-page='{escape(STATE)}'></div>", [TITLE, *DAYS]),
    "island": (f'<x-island props="{escape(STATE)}"></x-island>', [TITLE, *DAYS]),
    # scripts
    "assignment": (f"<script>window.__STATE__ = {STATE};</script>", [TITLE, *DAYS]),
    "parsed": (f"<script type=module>window.__STATE__ = JSON.parse({json.dumps(STATE)});</script>", [TITLE, *DAYS]),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    html, expected = FOUND[name]
    assert lines(PAGE + html) == ["Loading", *expected]


def test_a_short_title_is_enough_for_data_with_a_type() -> None:
    recipe = {"@type": "Recipe", "name": "Rye bread", "recipeIngredient": [FOG]}
    page = "<title>Rye bread | Shore</title><p>Loading</p>"
    assert lines(page + ld(recipe)) == ["Loading", "Rye bread", FOG]
    # before the site's name, and nowhere else
    assert lines(page + ld(recipe | {"name": "Shore"})) == ["Loading"]
    assert lines(page + ld(recipe | {"@type": "Thing", "name": "Rye"})) == ["Loading", "Rye", FOG]


NOT_FOUND: dict[str, str] = {
    "addresses": data({"url": "https://example.org/a/b/c/d/e/f/g/h/i/j/k/l.html", "path": "/one two/three four/five six/seven eight/nine.png"}),
    "classes": data({"classes": "flex mx-auto px-4 md:w-1/2 text-lg font-bold items-center justify-between. p-1"}),
    "identifiers": data({"ids": "3f2a 77c1 9b0e 4d5d 8812 aa01 0c4e 77f1 23ab 9e9e."}),
    "style": data({"text": "a { color: red; margin: 0 } b { border: 1px solid; padding: 2px } c { display: none }."}),
    "code": data({"text": "if (a[i] == b[j]) { return x_of(a, i); } else { y_of(b, j); } while (true) { next(); }."}),
    "labels": data(["Add to cart", "Buy now", "See all reviews", "Small, medium, large, extra large, one size, petite, tall"]),
    "messages": data({f"key{i}": f"Please enter word number {i} of the text that you see above." for i in range(9)}),
    "message by its key": data({"cart.empty.text": FOG, "alternativeText": TIDE, "errorMessage": BELL}),
    "template": f"<script type='text/template'>{STATE}</script>",
    "code in a script": f'<script>throw Error("{FOG}"); alert("{TIDE}")</script>',
    "comment": f"<!-- <script type='application/json'>{STATE}</script> -->",
    "description of the page": f"<meta name=description content='{FOG}'>",
    "too much data": data([FOG + " " + TIDE * 5000]),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_FOUND)
def test_not_found(name: str) -> None:
    assert lines(f"<p>Loading</p>{NOT_FOUND[name]}") == ["Loading"]


def test_what_the_page_shows_is_not_found_again() -> None:
    article = {"@type": "Article", "headline": TITLE, "text": f"<p>{FOG}</p><p>{TIDE}</p><p>{BELL}</p>"}
    html = f"{PAGE}<h1>{TITLE}</h1><p>{FOG.upper()}</p><p hidden>{BELL[:40]}</p>{ld(article)}"
    assert lines(html) == ["Loading", TITLE, FOG.upper(), BELL[:40].strip(), TIDE, BELL]


def test_a_page_that_shows_its_text_is_left_alone() -> None:
    for text in (
        "".join(f"<p>Paragraph {i} says that {FOG}</p>" for i in range(20)),
        "".join(f"<p><a href=/{i}>Headline {i} says that {FOG}</a></p>" for i in range(20)),
        "".join(f"<td>word {i}</td>" for i in range(400)),
        "".join(f"<p>{i}。{ZH}" for i in range(20)),
    ):
        assert dump_html(PAGE + text + data(RECORD)).data == dump_html(PAGE + text).data
    # what is not shown does not count as shown
    hidden = "".join(f"<p hidden>Paragraph {i} says that {TIDE}</p>" for i in range(20))
    assert lines(PAGE + hidden + data(RECORD))[-1] == DAYS[-1]


def test_it_stands_in_a_block_of_its_own() -> None:
    document = dump_html(
        PAGE + ld({"@type": "Article", "headline": TITLE, "text": f"{FOG}<ul><li>{TIDE}</ul>"})
    )
    assert [segment.path for segment in document][1:] == [
        "script/html/body/h1",
        "script/html/body",
        "script/html/body/ul/li",
    ]
    assert [segment.kind for segment in document][1:] == ["h", "p", "l"]
    rows = [row for row in document.elements if row["tag"] == tags.CODE["script"]]
    assert [(row["parent"], row["depth"]) for row in rows] == [(-1, 0)]
    assert tags.CODE["script"] not in dump_html(NOT_FOUND["labels"]).elements["tag"]


def test_the_rest_of_the_document_stays() -> None:
    document = dump_html(f"<html lang=en>{PAGE}{data(RECORD)}".encode("utf-16"))
    assert (document.title, document.lang) == ("Fog in the harbour again - The Shore Post", "en")
    assert (document.encoding, document.dropped_tags) == ("utf-16le", 0)


def test_markup_in_data_is_walked_as_a_page() -> None:
    markup = f"<style>p {{}}</style><script>x()</script><p>{FOG}</p><select><option>No</select><p hidden>{TIDE}</p>{BELL}"
    document = dump_html(PAGE + ld({"@type": "Article", "headline": TITLE, "text": markup}))
    assert document.text.splitlines() == ["Loading", TITLE, FOG, TIDE, BELL]
    assert document.segments["flags"].tolist() == [0, 8, 8, 8 + 2, 8]


def test_bounds() -> None:
    deep = {"@type": "Article", "headline": TITLE, "text": "<div>" * 10_000 + FOG}
    document = dump_html(PAGE + ld(deep), limits=Limits(nesting=16, tags=1000))
    assert document.text.endswith(FOG + "\n")
    assert document.dropped_tags > 8_000
    assert document.elements["depth"].max() < 40
    nested = RECORD
    for level in range(6):
        assert (lines(PAGE + data(nested))[-1] == DAYS[-1]) == (level < 4)
        nested = {"page": json.dumps(nested)}


HOSTILE = {
    "brackets": "[" * 500_000,
    "objects": '{"a":' * 200_000,
    "empty lists": "[],[]," * 200_000,
    "quotes": '"' * 500_000,
    "escaped quotes": '"' + '\\"' * 500_000,
    "spaces": '"' + " " * 500_000 + '" ' * 200_000,
    "backslashes": '"' + "\\" * 500_001,
    "data in data": '["' + '[\\"' * 200_000,
    "tags": '"' + "<a " * 300_000 + '"',
    "long number": f'{{"a": {"9" * 200_000}, "text": "{FOG}"}}',
    "letters beyond ASCII": '"' + "ж”" * 300_000 + '1 a b c d e f g."',
    "percent signs": '["%7B' + "%22%5B" * 200_000 + '"]',
}


@pytest.mark.untraced
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_data(name: str) -> None:
    blob = HOSTILE[name]
    for html in (
        f"<script type='application/json'>{blob}</script>",
        f"<script>x={blob}</script>",
        f"<p data-x='{blob}'>",
    ):
        dump_html(html)
    # and what comes after it is read
    assert lines(f"{PAGE}<script type='application/json'>{blob}</script>{data(RECORD)}")[-1] == DAYS[-1]


@pytest.mark.untraced
@pytest.mark.parametrize(
    "html", ["<script" * 50_000, "<script>" * 50_000, "<!--" * 50_000, "='{" * 50_000, '="[' * 50_000 + "'"]
)
def test_hostile_places(html: str) -> None:
    dump_html(f"<p>Loading</p><script></script>{html}")


PIECES = st.sampled_from(
    ["<script type='application/json'>", "<script>", "</script>", "<p data-x='", "'>", '"', ":", ",", "[", "{", "]", "}", "\\", "\\u0022", "%7B",
     "&quot;", "<p>", "<!--", "-->", "=", '"text"', f'"{FOG}"', f'"<div hidden>{TIDE}"', json.dumps(json.dumps({"a": BELL}))]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join))
def test_any_page(html: str) -> None:
    document = dump_html(html)
    assert document.data.decode() == dump_html(html.encode("utf-8", "replace"), encoding="utf-8").text


def test_any_process_gives_the_same_bytes(tmp_path: Path) -> None:
    html = PAGE + "".join(page for page, _ in FOUND.values())
    script = "import sys; from ncleaner.dumping.html import dump_html, parse; sys.stdout.buffer.write(dump_html(sys.stdin.buffer.read()).data)"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            input=html.encode("utf-8", "replace"),
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) > len(DAYS)


@pytest.mark.parametrize("name", FOUND)
def test_such_a_page_can_be_cleaned(name: str) -> None:
    ncleaner.clean(PAGE + FOUND[name][0])


@pytest.mark.parametrize("bracket", ["{", "&#123;", "&#x7b;", "&lbrace;", "&lcub;"])
def test_a_page_that_may_have_data_is_searched(bracket: str) -> None:
    page = f"{PAGE}<div data-page='{bracket}{STATE[1:]}'></div>"
    assert find_record(parse(page.encode()).parser, PAGE, "", 0, {}).startswith(
        f"<h1>{TITLE}</h1><p>{DAYS[0]}"
    )
    assert lines(page) == ["Loading", TITLE, *DAYS]


@pytest.mark.parametrize(
    ("page", "places"),
    [
        ("", ""),
        (
            "<p>one<script>2</script><svg><script>3</script></svg><template><script>4</script></template>",
            "script script",
        ),
        ("<div data-page=1></div><script>2</script>", "div script"),
        ("<html props><script>2</script><p DATA-STATE=3><b data-json></b>", "html script p b"),
        ("<p data-pages=1 id=props data-prop=2><script>3</script>", "script"),
    ],
)
def test_scripts_and_attributes_are_places_of_data(page: str, places: str) -> None:
    assert [node.tag for node in places_of(parse(page.encode()).parser)] == places.split()


@given(
    st.lists(
        st.sampled_from(
            ("<div data-page=1>", "<p data-x=1>", "<script></script>", "</div>", "<b props>", "text", "<svg>")
        ),
        max_size=20,
    )
)
def test_places_of_data_are_those_of_the_selector(pieces: list[str]) -> None:
    tree = parse("".join(pieces).encode()).parser
    assert [node.mem_id for node in places_of(tree)] == [node.mem_id for node in tree.css(_PLACES)]


def stated(body: str, *values: object) -> list[tuple[str, bool]]:
    """The texts of a page, and whether its data states them; what precedes `body` is a block of class `recipe`."""
    document = dump_html(
        f"<div class=recipe-card>{''.join(map(ld, values))}{body}</div><p>{' '.join(TEXT)}</p>"
    )
    flags = document.segments["flags"][:-1] & STATED > 0
    return list(zip(document.texts[:-1], flags.tolist(), strict=True))


TEXT = (FOG, TIDE, BELL) * 5
FLOUR = {"@type": "Recipe", "recipeIngredient": ["300 g rye flour", "½ cup of <b>salt</b>", "", "dulse"]}


@pytest.mark.parametrize(
    ("body", "value", "expected"),
    [
        ("<p>300 g Rye flour.<p>Salt", FLOUR, [("300 g Rye flour.", True), ("Salt", False)]),
        # an amount and what it is of, and its unit, are one line; not those of other lines
        ("<li><div>300 g</div><div>rye flour</div>", FLOUR, [("300 g rye flour", True)]),
        ("<div>½</div><div>cup</div><p>of salt<p>-", FLOUR, [("½ cup of salt", True), ("-", False)]),
        ("<p>300<p>g<p>rye<p>flour", FLOUR, [("300", False), ("g", False), ("rye", False), ("flour", False)]),
        # steps and answers, which may be HTML or several lines
        ("<p>Knead.<p>Bake.", {"recipeInstructions": [{"text": "Knead."}, "Bake."]}, [("Knead.", True), ("Bake.", True)]),
        ("<p>a<p>b", [{"acceptedAnswer": {"text": "<p>A</p><p>B</p>"}}], [("a", True), ("b", True)]),
        ("<p>a<p>b", [{"acceptedAnswer": {"text": "a\nb"}}], [("a", True), ("b", True)]),
        # other keys, numbers, data that is cut off
        ("<p>a", {"name": "a"}, [("a", False)]),
        ("<p>1", {"recipeIngredient": [1, None, {"text": 1}]}, [("1", False)]),
        ("<p>a<script>{\"recipeIngredient\": [\"a\"</script>", {}, [("a", False)]),
    ],
)  # fmt: skip
def test_lines_that_data_states(body: str, value: object, expected: list[tuple[str, bool]]) -> None:
    assert stated(body, value) == expected


def test_lines_that_are_joined_keep_their_runs_and_places() -> None:
    html = f"<div id=recipe>{ld(FLOUR)}<p>a<p><i>300</i> g<p>rye flour<p>b</div><p>{' '.join(TEXT)}"
    document = dump_html(html, sources=True, marks=True)
    runs = document.runs["segment"].tolist()
    assert runs == sorted(runs) and set(runs) == set(range(len(document)))
    assert document.segments[1][["words", "chars"]].tolist() == (4, 12)
    assert document.sources is not None
    place = html[int(document.sources.starts[1]) : int(document.sources.ends[1])]
    assert place.removeprefix("<i>") == "300</i> g<p>rye flour"


def test_lines_of_much_data_take_linear_time() -> None:
    many = [{"acceptedAnswer": {"text": f"line {i}"}} for i in range(3_000)]
    found = stated("".join(f"<p>line {i}</p>" for i in range(3_000)), many)
    assert sum(flag for _, flag in found) == 100
