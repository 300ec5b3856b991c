"""Hostile pages: the output stays harmless, and as large as the page."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.markup import MarkupOptions, Spans
from ncleaner.markup._render import render
from ncleaner.markup.render import html_of, markdown_of

from ..outputs import document as made_document
from .rendering import clean_html, kept_of, markdown

BIG = {
    "columns": "<table>" + ("<tr>" + "<td>a" * 10_000) * 3 + "</table>",
    "nested tables": "<table><tr><td>a<td>b" * 500,
    "nested tables with heads": "<table><tr><th>a<th>b<tr><td>c<td>" * 500 + "d",
    "spans": "<table><tr><td colspan=1000000000 rowspan=1000000000>a<td>b<tr><td>c<td>d</table>",
    "spans of heads": "<table>" + "<tr><th rowspan=65534 colspan=9>a<th>b<tr><td>c" * 300 + "</table>",
    "long rows": "<table><tr><th>a<th>b" + "<tr><td>a" * 2_000 + "<tr>" + "<td>b" * 900 + "</table>",
    "lists": "<ul><li>a" * 3_000,
    "lists without items": "<ul>" * 3_000 + "a" + "<ol></ol>" * 3_000,
    "quotations": "<blockquote>a<p>b" * 1_000,
    "definitions": "<dl><dt>a<dd>b" * 1_000,
    "inline elements": "<p>" + "<b><i><sup><a href=x>" * 1_000 + "a",
    "emphasis": "<p>" + "<b><i>a</i>b</b>" * 3_000,
    "line breaks": "<p>" + "a<br>" * 5_000,
    "empty lines": "<pre>a" + "\n" * 50_000 + "b</pre>",
    "images": "<div>" * 2_000 + "<img src=a>" * 2_000 + "</div>" * 2_000 + "<p>a",
    "references": "<p>" + "".join(f"<sup><a href='#f{i}'>{i}</a></sup> " for i in range(500))
    + "".join(f"<p id=f{i}>b" for i in range(500)),
    "dollars": "<script src=mathjax.js></script><p>" + "\\(a $$ " * 3_000,
    "signs": "<p>" + "*_`[&lt;" * 3_000,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_large_pages(name: str) -> None:
    html = BIG[name]
    for spans in get_args(Spans):
        text = markdown(html, links=True, images=True, spans=spans)
        assert text and len(text) < 60 * len(html) + 1_000
        assert clean_html(html, links=True, images=True, spans=spans)


def test_numbers_that_are_none() -> None:
    assert markdown("<ol start=x><li value=->a<li value=' +7th'>b<li value=--1>c</ol>") == "1. a\n7. b\n8. c"
    assert (
        markdown("<table><tr><th colspan=-1>a<th rowspan=x>b<tr><td colspan=0>c<td>d</table>").count("\n")
        == 2
    )


def test_text_is_no_markup() -> None:
    # front matter, a link, an image, an element, a reference, a fence
    html = (
        "<p>---<p>title: x<p>---<p>[a](javascript:b) ![c](d)<p>&lt;script&gt;e&lt;/script&gt;<p>[f]: g<p>```"
    )
    assert markdown(html) == (
        "\\---\n\ntitle: x\n\n\\---\n\n\\[a\\](javascript:b) !\\[c\\](d)\n\n\\<script>e\\</script>\n\n\\[f\\]: g\n\n\\`\\`\\`"
    )
    assert "<script" not in clean_html(html) and "&lt;script&gt;" in clean_html(html)


def test_formulas_are_no_markup() -> None:
    html = "<p><math alttext='<script>a</script> [b](javascript:c) `d`'><mi>x</mi></math> <math alttext='<i>[a](b)'><mi>x</mi></math>"
    # what stands in it without a backslash is neither a tag nor a link
    assert markdown(html) == "\\<script>a\\</script> [b\\](javascript:c) \\`d\\` $< i>[a] (b)$"


def test_plain_text_is_paragraphs() -> None:
    document = dump_text("#One *two*\n\nthree + *\n\n1. four <b>\n")
    assert (
        markdown_of(document, kept_of(document)).decode()
        == "#One \\*two\\*\n\nthree + \\*\n\n1\\. four \\<b>"
    )
    assert html_of(document, kept_of(document)).decode() == (
        "<p>#One *two*</p>\n<p>three + *</p>\n<p>1. four &lt;b&gt;</p>\n"
    )


def test_documents_without_runs_and_marks() -> None:
    document = made_document("*a*", "", "b\nc", "- d")
    assert markdown_of(document, kept_of(document)).decode() == "\\*a\\*\n\n\n\nb\\\nc\n\n\\- d"
    without = dump_html("<ol start=3><li><a href=x>a</a></ol>")
    assert markdown_of(without, kept_of(without), MarkupOptions(links=True, images=True)).decode() == "1. a"
    assert markdown_of(made_document(), kept_of(made_document())) == b""


def test_text_from_the_data_of_a_page() -> None:
    prose = "The ferry sails until the end of May, and nobody knows why it was late again this morning."
    html = (
        "<title>The ferry is late</title><div id=app></div><script type='application/ld+json'>"
        f'{{"@type": "Article", "headline": "The ferry is late", "text": "<ol start=3><li>{prose}</ol>"}}</script>'
    )
    assert markdown(html) == f"# The ferry is late\n\n3. {prose}"


@pytest.mark.untraced
def test_a_page_above_the_bounds_is_written() -> None:
    html = "<b>" * 3_000 + "<div>" * 3_000 + "<ul><li>a<li><b>b</b></ul>"
    assert markdown(html) == "- **a**\n- **b**"


def test_a_mask_of_another_page() -> None:
    document = dump_html("<p>a<p>b")
    with pytest.raises(ValueError, match="does not fit"):
        render(document.tables, np.ones(3, bool))


TAGS = "p b i a code pre ul ol li dl dt dd table tr td th caption blockquote h2 br img hr sup math script span div".split()


@given(
    st.lists(
        st.sampled_from([f"<{tag}>" for tag in TAGS] + [f"</{tag}>" for tag in TAGS])
        | st.sampled_from(["a", "* b", "1.", " ", "\n", "<a href=x>", "<img src=y alt=z>", "<figure>", "</figure>", "<span style='font-weight:bold;font-style:italic'>", "<b style=font-weight:400>",
             "<iframe src=v title=t allowfullscreen></iframe>", "<td colspan=9 rowspan=0>", "$", "|"]),
        max_size=60,
    ).map("".join),
    st.lists(st.booleans(), min_size=1, max_size=20),
    st.booleans(),
)  # fmt: skip
def test_any_page_can_be_written(html: str, flags: list[bool], repeat: bool) -> None:
    document = dump_html(html, marks=True)
    kept = Kept(np.array([flags[i % len(flags)] for i in range(len(document))], bool))
    options = MarkupOptions(True, True, "repeat" if repeat else "merge")
    # a page of nothing but images has them
    assert bool(markdown_of(document, kept, MarkupOptions(True, True, "html"))) >= bool(kept.mask.any())
    assert bool(markdown_of(document, kept)) == bool(kept.mask.any())
    text = markdown_of(document, kept, options, "http://x.example/").decode()
    fragment = html_of(document, kept, options, "http://x.example/").decode()
    assert bool(text) == bool(fragment)
    if len(document) and not kept.mask.any():
        assert not text
    # all words that are kept are there
    letters = sum(
        t.count("a") + t.count("b") for t, flag in zip(document.texts, kept.mask, strict=True) if flag
    )
    if not repeat:
        plain = dump_html(fragment).text
        assert plain.count("a") + plain.count("b") == letters
