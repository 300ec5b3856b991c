"""Markdown and HTML have the same structure: a reader of Markdown makes of the one what the other says."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html

from .rendering import clean_html, markdown, outline, read

WORDS = (
    "a word it's x_y 1. - + * ** _ ` `` [x] ](u) ![ ! <b> & &amp; # ## > ~ ~~ $5 | : = --- \\ \\* é — « » 。中文 (p) 😀 1) "
    'http://x.example/a_b *a* _b_ "q"'
).split()
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
PIECE = st.builds(lambda words, joint: escape(joint.join(words)), TEXT, st.sampled_from(["", " "]))


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tag = st.sampled_from(["b", "i", "s", "sup", "sub", "a href=b.html", "a href=c.html"])
    element = st.builds(lambda name, text: f"<{name}>{text}</{name.split()[0]}>", tag, inner)
    return st.lists(element | PIECE | st.just("<br>") | st.just(" "), min_size=1, max_size=3).map("".join)


CODE = PIECE.map(lambda text: f"<code>{text}</code>")
INLINE = st.recursive(PIECE | CODE, wrapped, max_leaves=6)


def tables(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    cell = st.builds(
        lambda name, span, text: f"<{name}{span}>{text}</{name}>",
        st.sampled_from(["td", "th"]),
        st.sampled_from(["", "", " colspan=2", " rowspan=2"]),
        inner,
    )
    row = st.lists(cell, min_size=2, max_size=3).map(lambda cells: f"<tr>{''.join(cells)}</tr>")
    return st.lists(row, min_size=2, max_size=3).map(lambda rows: f"<table>{''.join(rows)}</table>")


def blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists((inner | INLINE).map(lambda text: f"<li>{text}</li>"), min_size=1, max_size=3).map(
        "".join
    )
    return (
        st.builds(
            lambda kind, text: f"<{kind}>{text}</{kind.split()[0]}>",
            st.sampled_from(["ul", "ol", "ol start=3"]),
            items,
        )
        | inner.map(lambda text: f"<blockquote>{text}</blockquote>")
        | st.lists(inner, min_size=1, max_size=3).map("".join)
    )


LEAVES = (
    INLINE.map(lambda text: f"<p>{text}</p>")
    | st.builds(lambda level, text: f"<h{level}>{text}</h{level}>", st.integers(1, 6), INLINE)
    | st.lists(PIECE, min_size=1, max_size=3).map(
        lambda lines: f"<pre class=language-c>{chr(10).join(lines)}</pre>"
    )
    | tables(INLINE)
)
TERM = "<dl><dt>a</dt><dd>b</dd></dl>"
TERMS = st.builds(lambda term, text: f"<dl><dt>a{term}</dt><dd>b{text}</dd></dl>", INLINE, INLINE)
PAGES = st.recursive(LEAVES | TERMS, blocks, max_leaves=6)
# In Markdown, a definition without its term is a paragraph.
PARTED = st.recursive(LEAVES, blocks, max_leaves=6)


def check(html: str) -> None:
    written = markdown(html, links=True, spans="repeat")
    assert outline(read(written)) == outline(clean_html(html, links=True, spans="repeat")), written


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(PAGES)
def test_structure(html: str) -> None:
    check(html)


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(
    "html",
    [
        f"<ul><li>{TERM}</li></ul>",
        f"<ol><li><ul><li>{TERM}</ul></ol>",
        "<pre>: b\nc</pre>",
        "<pre>\n\n  ~ b</pre>",
        "<ul><li><pre>: b</pre></ul>",
    ],
)
def test_what_is_after_definitions_is_none(html: str) -> None:
    """Readers take any line for a term that is before a line which begins like a definition."""
    check(TERM + html)
    check(f"<blockquote>{TERM}{html}</blockquote>{html}")


@pytest.mark.parametrize("html", ["b<b>_b_</b><b>_b_</b>", "<i>a_</i>_b", "a_<b>_b</b>_c<i>_</i>d"])
def test_markup_beside_underscores(html: str) -> None:
    check(html)


# Lists of few items that follow each other, as Notion writes the items of one list.
ITEM = st.sampled_from(
    ["a", "<p>b</p>", "<p>c</p><p>d</p>", "e<ul><li>f</ul>", "<ul><li>g</ul>", "<pre>h</pre>"]
)
SHORT_LIST = st.builds(
    lambda name, items: f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name.split()[0]}>",
    st.sampled_from(["ul", "ol", "ol start=2", "ol start=3"]),
    st.lists(ITEM, min_size=1, max_size=2),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(
    st.lists(SHORT_LIST | st.sampled_from(["<p>x</p>", "<hr>"]), max_size=5),
    st.sampled_from(["{}", "<blockquote>{}</blockquote>", "<ul><li>y{}</ul>"]),
)
def test_lists_that_go_on(lists: list[str], around: str) -> None:
    check(around.format("".join(lists)))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=400)
@given(PAGES)
def test_more_structures(html: str) -> None:
    check(html)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(PARTED, st.lists(st.booleans(), min_size=1, max_size=30))
def test_structure_of_what_is_kept(html: str, flags: list[bool]) -> None:
    document = dump_html(html)
    keep = [i for i in range(len(document)) if flags[i % len(flags)]]
    written = markdown(html, keep, links=True, spans="repeat")
    assert outline(read(written)) == outline(clean_html(html, keep, links=True, spans="repeat")), written
