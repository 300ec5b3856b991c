from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError
from ncleaner.methods.choice import load_model
from ncleaner.modelling._terms import BUCKETS, score_of, terms_of
from ncleaner.modelling.files import model_bytes
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.notices import Notices, shipped_notices

from ..tables import with_tables


def everything(document: Document) -> npt.NDArray[np.bool_]:
    return np.ones(len(document), bool)


def terms(html: str, mask: npt.NDArray[np.bool_] | None = None, *, prose: bool = False) -> set[int] | None:
    document = dump_html(html)
    chosen = everything(document) if mask is None else mask
    found = terms_of(document.tables, chosen, document.title.encode(), prose)
    if found is None:
        return None
    assert len(set(found.tolist())) == len(found)
    assert int(found.max()) < BUCKETS
    return set(found.tolist())


def words(number: int) -> str:
    return " ".join(f"word{'abcdefghij'[n % 10]}" for n in range(number))


# terms ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("gone", 1),
        ("page gone", 3),
        ("page gone page gone", 4),  # `gone page` is new
        ("missing", 2),  # and its stem
        ("404", 1),
        ("页面不存在", 9),
        ("!", None),
    ],
)
def test_words_pairs_and_stems_are_terms(text: str, number: int | None) -> None:
    found = terms(f"<p>{text}</p>")
    assert number == (None if found is None else len(found))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Page NOT found", "page not found"),
        ("ΣΕΛΊΔΑ", "σελίδα"),
        ("error 404", "error 503"),
        ("page, not: found!", "page not found"),
        ("found not found", "found not found not found"),
    ],
)
def test_case_punctuation_and_digits_do_not_matter(one: str, other: str) -> None:
    assert terms(f"<p>{one}") == terms(f"<p>{other}")


def test_what_differs() -> None:
    assert terms("<p>error 40") != terms("<p>error 404")
    assert terms("<p>not found") != terms("<p>found not")
    # a pair does not reach over segments
    both = terms("<p>not found")
    apart = terms("<p>not<p>found")
    assert both is not None and apart is not None and apart < both
    # the longer words share their stem
    assert len((terms("<p>cookie") or set()) & (terms("<p>cookies") or set())) == 1


def test_the_title_and_the_headline_count_with_what_is_kept() -> None:
    html = "<title>Not found</title><h1>Not found</h1><p>It is gone.</p>"
    last = np.array([False, True])
    assert terms(html) == terms(html, last)
    assert terms(html.replace("<title>Not found</title>", ""), np.array([True, False])) == terms(
        "<p>Not found"
    )
    # but alone they are nothing
    assert terms(html, np.zeros(2, bool)) is None
    assert terms("<title>Not found</title>") is None
    assert terms("") is None


def test_of_many_headlines_the_first_counts() -> None:
    rows = "".join(f"<p>{' '.join(f'{chr(97 + n % 26)}{n}{row}' for n in range(29))}" for row in range(80))
    document = dump_html(f"<h1>Gone</h1>{rows}")
    segments = document.segments.copy()
    segments["zone"][1:] = ZONES.index("headline")
    odd = with_tables(
        document, data=document.data, runs=document.runs, segments=segments, elements=document.elements
    )
    mask = np.arange(len(odd)) == 0
    both = terms_of(odd.tables, mask, b"", False)
    first = terms_of(dump_html(f"<h1>Gone</h1>{odd[1].text}").tables, np.array([True, True]), b"", False)
    assert both is not None and first is not None
    assert set(both.tolist()) == set(first.tolist())


def test_only_small_pages_have_terms() -> None:
    assert terms(f"<p>{words(150)}") is not None
    assert terms(f"<p>{words(151)}") is None
    assert terms(f"<p>{words(76)}<p>{words(75)}") is None
    assert terms(f"<p>{'字' * 300}") is not None
    assert terms(f"<p>{'字' * 301}") is None
    # words that are written together
    assert terms(f"<p>{words(160).replace(' ', '/')}") is None
    # the length of the title does not matter
    assert terms(f"<title>{words(5000)}</title><p>gone") is not None


def test_links_can_be_left_out() -> None:
    links = "<p>" + " ".join(f"<a href=/>{words(4)}</a>" for _ in range(50)) + "</p>"
    assert terms(f"<p>Not found</p>{links}") is None
    assert terms(f"<p>Not found</p>{links}", prose=True) == terms("<p>Not found</p>")
    assert terms(links, prose=True) is None
    # a single long one is the teaser of a page
    teaser = terms(f"<p>Not found</p><p><a href=/>{words(20)}</a></p>", prose=True)
    assert teaser is not None and len(teaser) > 20


@given(st.text(), st.text())
def test_any_text_has_terms_or_none(title: str, text: str) -> None:
    document = dump_html(f"<p>{text}</p>")
    parts = document.tables, everything(document), title.encode("utf-8", "replace")
    found = terms_of(*parts)
    score = score_of(*parts, np.ones(BUCKETS, np.int8))
    if found is None:
        assert math.isnan(score)
    else:
        # the weights of n terms are 1
        assert score == pytest.approx(math.sqrt(len(found)))


def test_arrays_that_do_not_belong_together() -> None:
    document = dump_html("<p>gone")
    weights = np.ones(BUCKETS, np.int8)
    with pytest.raises(ValueError, match="the mask has another length"):
        score_of(document.tables, np.ones(2, bool), b"", weights)
    with pytest.raises(ValueError, match="as many weights"):
        score_of(document.tables, np.ones(1, bool), b"", weights[:-1])


# the model ------------------------------------------------------------------------------------------


def model(text: str, weight: int = 100, **about: object) -> Notices:
    """A model that knows the terms of a text."""
    weights = np.zeros(BUCKETS, np.int8)
    weights[sorted(terms(f"<p>{text}") or set())] = weight
    return Notices(weights, 0.05, -1.0, {"name": "small", **about})


def probability(notices: Notices, html: str) -> float:
    document = dump_html(html)
    return notices.probability(document, everything(document))


def test_the_probability_of_a_notice() -> None:
    notices = model("page not found")
    assert probability(notices, "<p>Page not found") > 0.99
    assert probability(notices, "<p>A boat came in") == pytest.approx(1 / (1 + math.e))
    assert probability(model("page not found", -100), "<p>Page not found") < 0.01
    assert probability(notices, f"<p>{words(200)}") == 0
    assert probability(notices, "") == 0
    # so low that it is none
    assert probability(Notices(notices.weights, 10.0, -1e9), "<p>Page not found") == 0


def test_lines_of_code_are_no_notice() -> None:
    notices = model("page not found")
    assert probability(notices, "<pre><code>page not\nfound</code></pre>") == 0
    assert probability(notices, "<pre><p><code>page</code><p>not found</pre>") == 0
    assert probability(notices, "<pre><code>page not found</code></pre>") > 0.99
    assert probability(notices, "<pre>page not\nfound</pre>") > 0.99
    assert probability(notices, "<p><code>page</code> not found") > 0.99


def test_sections_are_no_notice() -> None:
    notices = model("page not found")
    section = "<h2>Page</h2><p>The page was not found.</p>"
    assert probability(notices, section * 3) == 0
    assert probability(notices, section * 2 + "<h2>Page</h2><p>Not found.</p>") > 0.9
    assert (
        probability(notices, section * 2 + "<h2>Page</h2><p><a href=/>The page was not found.</a></p>") > 0.9
    )
    document = dump_text("page not found\n\npage not found\n")
    assert notices.probability(document, everything(document)) > 0.9


def test_a_long_list_of_links_asks_for_more() -> None:
    notices = model("page not found")
    links = "<p>" + " ".join(f"<a href=/>{words(4)}</a>" for _ in range(50)) + "</p>"
    alone = probability(notices, "<p>Page not found</p>")
    below = probability(notices, f"<p>Page not found</p>{links}")
    assert math.log(alone / (1 - alone)) - math.log(below / (1 - below)) == pytest.approx(1)


def test_a_model_is_written_and_read(tmp_path: Path) -> None:
    notices = model("page not found", sources="ours")
    notices.save(tmp_path / "n.ncm")
    again = Notices.of_model(load_model(tmp_path / "n.ncm"))
    assert again.to_bytes() == notices.to_bytes() == pickle.loads(pickle.dumps(notices)).to_bytes()
    assert (again.step, again.offset, again.about) == (notices.step, notices.offset, notices.about)
    assert repr(again) == "<Notices small: 5 hashed terms>"
    facts = dict(again.card().facts)
    assert facts["terms"] == "5 hashes for a notice, 0 against it, of 32,768"
    assert facts["sources"] == "ours"
    with pytest.raises(ModelError, match="has no threshold"):
        again.with_threshold(1.0)
    with pytest.raises(ModelError, match="kind 'notices', not a hybrid"):
        HybridModel.from_bytes(again.to_bytes())


def test_models_that_cannot_be() -> None:
    weights = np.zeros(BUCKETS, np.int8)
    for step, offset in ((0.0, 0.0), (-1.0, 0.0), (math.inf, 0.0), (1.0, math.nan)):
        with pytest.raises(ValueError, match="finite"):
            Notices(weights, step, offset)
    with pytest.raises(ValueError, match="another size"):
        Notices(weights[:5], 1.0, 0.0)
    with pytest.raises(ModelError, match=r"version 99 of the hashes of terms.* train it again"):
        Notices.of_parts({"terms": 99}, {"weights": weights}, "n.ncm")


# the shipped model ----------------------------------------------------------------------------------


def test_the_shipped_model() -> None:
    notices = shipped_notices()
    assert model_bytes("notices") == notices.to_bytes()
    assert len(model_bytes("notices")) < 50_000
    assert shipped_notices() is shipped_notices()
    # a page in a language that it does not know is no notice
    assert probability(notices, "<p>Is fearr rith maith ná drochsheasamh.") < 0.5


def test_a_sentence_about_cookies_beside_a_text_makes_no_notice() -> None:
    text = (
        "<h1>About us</h1><p>The bakery was founded by two sisters in 1931, and bakes its bread at night.</p>"
    )
    cookies = "<p>We use cookies to ensure that we give you the best experience on our website.</p>"
    notices = shipped_notices()
    for html, is_notice in ((text + cookies, False), (cookies, True), (f"<h1>Cookies</h1>{cookies}", True)):
        document = dump_html(html)
        assert (notices.probability(document, everything(document)) > 0.5) is is_notice
