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
from ncleaner.dumping.embedded import _PLACES, find_passages, places_of
from ncleaner.dumping.html import dump_html, parse
from ncleaner.limits import Limits

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


STATE = json.dumps({"page": {"id": 7, "body": FOG, "slug": "fog-in-the-harbour-again", "more": [TIDE]}})

FOUND: dict[str, tuple[str, list[str]]] = {
    # JSON-LD
    "article": (ld({"@type": "NewsArticle", "headline": "Fog", "articleBody": f"{FOG}\n\n{TIDE}"}), ["Fog", FOG, TIDE]),
    "questions": (
        ld({"mainEntity": [{"name": "Who?", "acceptedAnswer": {"text": FOG}}, {"name": "When?", "acceptedAnswer": {"text": TIDE}}]}),
        ["Who?", FOG, "When?", TIDE],
    ),
    "reviews": (ld({"review": [{"reviewBody": FOG}, {"reviewBody": TIDE}]}), [FOG, TIDE]),
    "comment": (ld({"comment": [{"@type": "Comment", "text": f"<p>{FOG}</p><p>{TIDE}</p>"}]}), [FOG, TIDE]),
    "escaped markup": (ld({"description": f"&lt;p&gt;{FOG}&lt;br&gt;&lt;br&gt;{TIDE}&lt;/p&gt;"}), [FOG, TIDE]),
    "entities": (ld({"description": f"Salt &amp; sand. {FOG}"}), [f"Salt & sand. {FOG}"]),
    # state
    "state": (f'<script id=__NEXT_DATA__ type="application/json">{STATE}</script>', [FOG, TIDE]),
    "state in a comment": (f'<script type="application/json"><!--{STATE}--></script>', [FOG, TIDE]),
    "in upper case": (f'<SCRIPT TYPE="Application/JSON">{STATE}</SCRIPT>', [FOG, TIDE]),
    "URL-escaped": (f'<script type="application/json">\n {quote(STATE)}</script>', [FOG, TIDE]),
    "quotes as code points": (
        '<script type="application/json">' + json.dumps({"a": f'"{FOG}" "{TIDE}"'}).replace('"', "\\u0022") + "</script>",
        [f'"{FOG}" "{TIDE}"'],
    ),
    "quotes as entities": (f'<script type="application/json">{escape(STATE)}</script>', [FOG, TIDE]),
    "HTML": (data({"content": f"<h2>Fog</h2><p>{FOG}<p>{TIDE}"}), ["Fog", FOG, TIDE]),
    "two escapes, one character": (data({"text": f"{FOG} \U0001f30a"}), [f"{FOG} \U0001f30a"]),
    "half a character": (data({"text": f"{FOG} \ud83c"}), [FOG]),
    # attributes
    "preloaded": (
        f"<div data-preloaded=\"{escape(json.dumps({'topic': json.dumps({'posts': [{'cooked': f'<p>{FOG}</p>'}, {'cooked': f'<p>{TIDE}</p>'}]})}))}\"></div>",
        [FOG, TIDE],
    ),
    "attribute": (f"<div id=app data-page='{escape(STATE)}'></div>", [FOG, TIDE]),
    "island": (f'<x-island props="{escape(json.dumps([FOG, TIDE]))}"></x-island>', [FOG, TIDE]),
    # scripts
    "assignment": (f"<script>window.__STATE__ = {STATE};</script>", [FOG, TIDE]),
    "parsed": (f"<script type=module>s = JSON.parse({json.dumps(STATE)});</script>", [FOG, TIDE]),
    "escapes of JavaScript": (f"<script>s = {{\"text\": \"It\\'s \\x41pril. {FOG}\"}}</script>", [f"It's April. {FOG}"]),
    "streamed": (
        f"<script>self.__next_f.push([1,{json.dumps('5:' + json.dumps(['$', 'p', None, {'children': FOG}]))}])</script>"
        f"<script>self.__next_f.push([1,{json.dumps(f'<p>{TIDE}</p>')}])</script>",
        [FOG, TIDE],
    ),
    # damaged
    "cut": (f'<script type="application/json">{{"a": "{FOG}", "b": "{TIDE}", "c": "{BELL[:50]}', [FOG, TIDE]),
    "quotes left as they are": (
        f'<script type="application/ld+json">{{"text": "They said "fog" again. {FOG}", "b": "{TIDE}"}}</script>',
        [f'They said "fog" again. {FOG}', TIDE],
    ),
    "line ends in strings": (f'<script type="application/ld+json">{{"text": "{FOG}\n{TIDE}",}}</script>', [FOG, TIDE]),
    "no braces": (f'<script type="application/ld+json">]]}}"text": "{FOG}", "b": "{TIDE}"</script>', [FOG, TIDE]),
    "end in a backslash": (f'<script type="application/json">["{FOG}", "{TIDE}\\', [FOG]),
    # other scripts
    "Chinese": (data({"text": ZH}), [ZH]),
    "Chinese, as it is": (f'<script type="application/json">{{"text": "{ZH}"}}</script>', [ZH]),
    "Thai": (data({"text": TH}), [TH]),
    "Russian": (data({"title": "Туман", "text": RU}), ["Туман", RU]),
    "Hindi": (data({"text": HI}), [HI]),
    # what the page says of itself, when there is nothing else
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    html, expected = FOUND[name]
    assert lines(html) == expected
    assert lines(f"<title>Fog</title><body><p>Loading</p>{html}") == ["Loading", *expected]


NOT_FOUND: dict[str, str] = {
    "addresses": data({"url": "https://example.org/a/b/c/d/e/f/g/h/i/j/k/l.html", "path": "/one two/three four/five six/seven eight/nine.png"}),
    "classes": data({"classes": "flex mx-auto px-4 md:w-1/2 text-lg font-bold items-center justify-between. p-1"}),
    "identifiers": data({"ids": "3f2a 77c1 9b0e 4d5d 8812 aa01 0c4e 77f1 23ab 9e9e."}),
    "style": data({"text": "a { color: red; margin: 0 } b { border: 1px solid; padding: 2px } c { display: none }."}),
    "code": data({"text": "if (a[i] == b[j]) { return x_of(a, i); } else { y_of(b, j); } while (true) { next(); }."}),
    "labels": data(["Add to cart", "Buy now", "See all reviews", "Small, medium, large, extra large, one size, petite, tall"]),
    "messages": data({f"key{i}": f"Please enter word number {i} of the text that you see above." for i in range(9)}),
    "message by its key": data({"cart.empty.text": FOG, "alternativeText": TIDE, "errorMessage": BELL}),
    "messages by their script": f"<script id=translations type='application/json'>{STATE}</script>",
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
    html = (
        f"<p>{FOG}</p><p hidden>{BELL}</p>"
        + ld({"text": f"<b>{FOG.upper()}</b>"})
        + data([BELL, TIDE, TIDE])
        + ld({"text": TIDE})
    )
    assert lines(html) == [FOG, BELL, TIDE]
    assert lines("<h1>Low tide</h1>" + data({"title": "Low tide", "text": TIDE})) == ["Low tide", TIDE]


def test_a_page_that_shows_its_text_is_left_alone() -> None:
    for text in (
        "".join(f"<p>Paragraph {i} says that {FOG}</p>" for i in range(20)),
        "".join(f"<p><a href=/{i}>Headline {i} says that {FOG}</a></p>" for i in range(20)),
        "".join(f"<td>word {i}</td>" for i in range(400)),
        "".join(f"<p>{i}。{ZH}" for i in range(20)),
    ):
        assert dump_html(text + data([TIDE])).data == dump_html(text).data
    # what is not shown does not count as shown
    hidden = "".join(f"<p hidden>Paragraph {i} says that {FOG}</p>" for i in range(20))
    assert lines(hidden + data([TIDE]))[-1] == TIDE


def test_it_stands_in_a_block_of_its_own() -> None:
    html = f"<body><p>Loading</p>{data([FOG])}{ld({'text': f'<ul><li>{TIDE}</ul>'})}"
    document = dump_html(html)
    assert [segment.path for segment in document] == ["html/body/p", "script/p", "script/html/body/ul/li"]
    assert [segment.kind for segment in document][1:] == ["p", "l"]
    rows = [row for row in document.elements if row["tag"] == tags.CODE["script"]]
    assert [(row["parent"], row["depth"]) for row in rows] == [(-1, 0)]
    assert (rows[0]["first_run"], rows[0]["last_run"]) == (1, 3)
    # the page's tags, those of the passage with markup, and those of the blocks made for the two
    assert (document.runs["tags"].tolist(), document.tags_behind) == ([5, 7 + 2, 1 + 6], 4 + 1)
    assert tags.CODE["script"] not in dump_html(NOT_FOUND["labels"]).elements["tag"]


def test_the_rest_of_the_document_stays() -> None:
    html = f"<html lang=en><title>Harbour</title><p>Loading{data([FOG])}".encode("utf-16")
    document = dump_html(html)
    assert (document.title, document.lang, document.encoding, document.dropped_tags) == (
        "Harbour",
        "en",
        "utf-16le",
        0,
    )
    assert document.text == f"Loading\n{FOG}\n"


def test_markup_in_data_is_walked_as_a_page() -> None:
    html = data(
        {
            "html": f"<style>p {{}}</style><script>x()</script><p>{FOG}</p><select><option>No</select><p hidden>{TIDE}</p>{BELL}"
        }
    )
    document = dump_html(html)
    assert document.text.splitlines() == [FOG, TIDE, BELL]
    assert document.segments["flags"].tolist() == [8, 8 + 2, 8]


def test_bounds() -> None:
    limits = Limits(nesting=16, tags=1000)
    deep = dump_html(data({"html": "<div>" * 10_000 + FOG}), limits=limits)
    assert deep.text == FOG + "\n"
    assert deep.dropped_tags > 8_000
    assert deep.elements["depth"].max() < 40
    many = data([f"Sentence {i} is not like sentence {i + 1} nor like sentence {i + 2}." for i in range(700)])
    assert len(dump_html(many).segments) == 700
    assert not len(dump_html(many + many).segments) > 700
    nested = FOG
    for level in range(6):
        assert dump_html(data([nested])).text == (f"{FOG}\n" if level < 4 else "")
        nested = json.dumps([nested])


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
    assert lines(f"<script type='application/json'>{blob}</script>{data([TIDE])}")[-1] == TIDE


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
    html = "".join(page for page, _ in FOUND.values())
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
    assert len(outputs.pop().splitlines()) == 8


@pytest.mark.parametrize("name", FOUND)
def test_such_a_page_can_be_cleaned(name: str) -> None:
    ncleaner.clean(FOUND[name][0])


BODY = json.dumps({"body": FOG})


@pytest.mark.parametrize(
    "page",
    [
        f"<SCRIPT TYPE=application/json>{BODY}</SCRIPT>",
        f'<script type=application/json>"{FOG}"</script>',
        f"<div data-page='{BODY}'></div>",
        f"<div data-page='[{BODY}]'></div>",
        *(
            f"<div data-page='{BODY.replace('{', bracket).replace('}', '&#125;')}'></div>"
            for bracket in ("&#123;", "&#x7b;", "&lbrace;", "&lcub;")
        ),
        *(
            f"<div data-page='{bracket}\"{FOG}\",1&#93;'></div>"
            for bracket in ("&#91;", "&lbrack;", "&lsqb;")
        ),
    ],
)
def test_a_page_that_may_have_data_is_searched(page: str) -> None:
    tree = parse(page.encode())
    assert [passage.text for passage in find_passages(tree.parser, "", "", 0, {})] == [FOG]
    assert lines(page) == [FOG]


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
