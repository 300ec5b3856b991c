from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from ncleaner.document import Document
from ncleaner.document.kept import KINDS
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.training.structure import first_features, second_features
from ncleaner.modelling import _page_features, _segment_features
from ncleaner.modelling.features import (
    FEATURES,
    GROUPS,
    KIND_COLUMN,
    OUTSIDE,
    PAGE_FEATURES,
    SEGMENT_COLUMNS,
    WEIGHTS,
    Matrix,
    columns_of,
)

NAMES = [feature.name for feature in FEATURES]
LEVEL_NAMES = ("chars", "links", "mass", "siblings", "odds", "density", "order")


def matrix_of(document: Document, probabilities: Any = None, weights: Any = None, odds: Any = None) -> Matrix:
    size = len(document)
    odds = np.zeros(size) if odds is None else np.asarray(odds, np.float64)
    weights = np.zeros(WEIGHTS, np.float32) if weights is None else weights
    found = first_features(document, odds, odds / 2, weights)
    second_features(
        document, found, np.full(size, 0.5) if probabilities is None else np.asarray(probabilities, float)
    )
    return found


def values(html: str, text: str, **options: Any) -> dict[str, float]:
    """The features of the first segment with this text."""
    document = dump_html(html)
    row = [segment.text for segment in document].index(text)
    return dict(zip(NAMES, matrix_of(document, **options)[row].tolist(), strict=True))


# the list of features -----------------------------------------------------------------------------


def test_every_feature_has_a_name_of_its_own_and_says_what_it_is() -> None:
    assert [name for name, times in Counter(NAMES).items() if times > 1] == []
    assert all(feature.about and feature.group in GROUPS for feature in FEATURES)
    assert all("{" not in feature.about and " " not in feature.name for feature in FEATURES)
    assert not {*NAMES} & {*GROUPS}


def test_there_are_as_many_as_compiled_code_fills() -> None:
    assert len(FEATURES) == _segment_features.COLUMNS + _page_features.COLUMNS + len(KINDS)
    assert len(FEATURES) - len(KINDS) == KIND_COLUMN
    assert len(PAGE_FEATURES) == KIND_COLUMN
    assert SEGMENT_COLUMNS == _segment_features.COLUMNS == NAMES.index("first")
    for name in (
        "up0-chars",
        "up5-order",
        "holder15-inside",
        "holder95-side",
        "tag-p",
        "in-article",
        "cue-hidden",
    ):
        assert name in NAMES


def test_columns_without() -> None:
    assert columns_of() == list(range(len(FEATURES)))
    left = columns_of(["n-grams", "words", "tags"])
    out = {FEATURES[column].name for column in set(columns_of()) - set(left)}
    assert {"words", "odds", "odds-per-char", "posterior", "tag-p", "in-nav"} <= out
    assert out == {f.name for f in FEATURES if f.group in ("n-grams", "tags") or f.name == "words"}
    assert columns_of(GROUPS) == []
    with pytest.raises(ValueError, match="no feature or group 'magic', 'wordz': the groups are text, markup"):
        columns_of(["wordz", "words", "magic"])


# values -------------------------------------------------------------------------------------------

LINE = "Ann saw 12 boats, « two » of them new! Was it 3 % or #4? Yes."
PAGE = (
    "<title>Ferry news: late again</title><body><div class='page x'><ul id=nav><li><a href=/>Home</a><li><a "
    "href=/n>News</a> 7</ul><h1>The ferry, late again</h1><div class=text><p><b>Late</b> <i>again</i>, it "
    "was.</p><p>News</p><h3>Tides</h3><p>low and<br>high:</p></div></div><div><aside>News</aside></div>"
)  # fmt: skip


@pytest.mark.parametrize(
    ("html", "text", "expected"),
    [
        (
            f"<p>{LINE}",
            LINE,
            {
                "words": 17, "chars": 45, "word-length": 45 / 17, "lower": 30 / 45, "upper": 3 / 45, "digits": 4 / 45,
                "punctuation": 8 / 45, "without-case": 0, "sentences": 3, "commas": 1, "questions": 2,
                "separators": 1, "money": 1, "signs": 1, "quotes": 1, "capitalised": 3 / 14, "ends-sentence": 1,
                "begins-upper": 1, "begins-lower": 0, "begins-digit": 0,
            },
        ),
        ("<p>港の明かり。", "港の明かり。", {"without-case": 5 / 6, "sentences": 1, "ends-sentence": 1, "lower": 0}),
        ("<p>7 up", "7 up", {"begins-digit": 1, "begins-upper": 0, "bullet": 0}),
        ("<p>• up:", "• up:", {"bullet": 1, "ends-colon": 1, "begins-lower": 0, "ends-sentence": 0}),
        ("<p>a) He said “Go.”", "a) He said “Go.”", {"bullet": 1, "ends-sentence": 1, "begins-lower": 1}),
        ("<p>été", "été", {"begins-lower": 1, "lower": 1, "chars": 3}),
        ("<p>a <a href=x>bc</a>", "a bc", {"link-density": 2 / 3, "runs": 2}),
        (PAGE, "Late again, it was.", {"bold": 4 / 19, "italic": 5 / 19, "runs": 3, "code": 0, "font": 0}),
        ("<p><small>ab</small><time>cd</time>", "abcd", {"small": 0.5, "time": 0.5}),
        ("<p><code><font>ab</font></code>", "ab", {"code": 1, "font": 1}),
        ("<p><label>a</label><span>bcd</span>", "abcd", {"label": 0.25, "span": 0.75}),
        ("<pre>a\nb</pre>", "a\nb", {"preformatted": 1, "breaks": 1, "hidden": 0}),
        ("<div hidden><p>a</div>", "a", {"hidden": 1, "preformatted": 0}),
        (PAGE, "The ferry, late again", {"heading": 1, "item": 0}),
        (PAGE, "Home", {"heading": 0, "item": 1, "opened": 5, "closed": 0}),
        (PAGE, "News 7", {"opened": 1, "closed": 1}),
        (PAGE, "low and high:", {"breaks": 1, "ends-colon": 1}),
        # copies
        (PAGE, "News", {"duplicates": 2, "seen-before": 0}),
        (PAGE, "Home", {"duplicates": 1, "seen-before": 0, "of-title": 0, "title-covered": 0}),
        (PAGE, "The ferry, late again", {"of-title": 3 / 4, "title-covered": 3 / 4}),
        # place
        (PAGE, "Home", {"position": 0, "char-position": 0, "from-start": 0, "from-end": 8, "from-headline": -2}),
        (PAGE, "Home", {"headline-above": 2, "headline-below": 1, "has-h1": 1, "from-heading": 8, "heading-level": 0}),
        (PAGE, "News 7", {"position": 1 / 8, "char-position": 4 / 67}),
        (PAGE, "The ferry, late again", {"from-headline": 0, "headline-above": 0, "headline-below": 0}),
        (PAGE, "Late again, it was.", {"from-headline": 1, "headline-above": 2, "from-heading": 1, "heading-level": 1}),
        (PAGE, "low and high:", {"from-headline": 4, "from-heading": 1, "heading-level": 3, "depth": 4}),
        # tags and cues
        (PAGE, "Home", {"tag-li": 1, "tag-p": 0, "in-ul": 1, "in-li": 1, "in-aside": 0, "cue-navigation": 2}),
        # the innermost three blocks are near
        (PAGE, "Home", {"cue-main": 2, "cue-text": 0}),
        ("<div class=main><div role=main><section><div><p>a", "a", {"cue-main": 1}),
        (PAGE, "low and high:", {"tag-p": 1, "in-p": 1, "in-ul": 0, "cue-text": 2, "cue-navigation": 0}),
        ("<nav><div><section><div>a", "a", {"tag-div": 1, "tag-section": 0, "in-nav": 1, "in-section": 1}),
        ("<x-card>a", "a", {"tag--": 1, "in--": 1}),
        ("<h5>a", "a", {"tag-h4": 1}),
        # styles: two paragraphs alike, a heading of their path's length
        (PAGE, "Late again, it was.", {"style-times": 1, "style-words": 4, "style-links": 0, "path-times": 1}),
        (PAGE, "Home", {"style-times": 2, "style-words": 1.5, "style-links": 8 / 10, "repeated": 2, "repeated-above": 0}),
        (PAGE, "News", {"repeated": 3, "repeated-above": 0, "repeated-chars": 4}),
        # page
        (PAGE, "Home", {"page-words": 17, "page-segments": 8, "page-links": 8 / 68, "page-mass": 33.5}),
        (PAGE, "Home", {"page-mass-share": 33.5 / 68, "page-positive": 0, "page-elements": 14, "first": 0.5}),
    ],
)  # fmt: skip
def test_values(html: str, text: str, expected: dict[str, float]) -> None:
    found = values(html, text)
    assert {name: found[name] for name in expected} == {
        name: pytest.approx(value, abs=1e-6) for name, value in expected.items()
    }


def test_ngrams() -> None:
    found = values("<p>abc<p>de", "de", odds=[1.0, -6.0])
    assert (found["odds"], found["odds-per-char"], found["posterior"]) == (-6, -2, -3)


def test_names_are_weighed() -> None:
    html = "<div class='aa bb'><div id=cc><p class=dd>x</p></div><p>y</p></div>"
    document = dump_html(html)
    words: dict[int, int] = {}
    for row in document.elements:
        start = int(row["names"])
        for word in document.names[start + 1 : start + 1 + document.names[start]].tolist():
            words[len(words)] = word * WEIGHTS >> 16
    weights = np.zeros(WEIGHTS, np.float32)
    weights[list(words.values())] = [1.0, 0.5, -2.0, 3.0]
    found = values(html, "x", weights=weights)
    assert [found[f"names-{part}"] for part in ("own", "least", "most", "sum", "near")] == [
        3, -2, 3, 3 - 2 + 1.5, 3 - 2 / 2 + 1.5 / 4,
    ]  # fmt: skip
    found = values(html, "y", weights=weights)
    assert [found[f"names-{part}"] for part in ("own", "least", "most", "sum", "near")] == [
        0, 0, 1, 1.5, 0.75,
    ]  # fmt: skip


def test_zones_are_features() -> None:
    html = "<title>Late boats</title><h2>News</h2><h3>Late boats</h3><p>x<div class=comments>y</div>"
    assert values(html, "x")["from-headline"] == 1
    assert values(html, "News")["from-headline"] == -1
    assert values("<p>x", "x")["headline-above"] == -1
    assert (values(html, "x")["in-comment"], values(html, "y")["in-comment"]) == (0, 1)


def test_links_around() -> None:
    html = "<h2><a href=/>A tale</a></h2><p>x</p><p><a href=/>More</a> yes</p><p>y</p>"
    found = values(html, "x")
    assert (found["links-before"], found["heading-links"]) == (1, 1)
    assert found["links-after"] == pytest.approx(4 / 7)
    found = values(html, "y")
    assert found["links-before"] == pytest.approx(4 / 7)
    assert found["links-after"] == 0
    assert values(html, "A tale")["links-before"] == 0


def means_of(html: str, probabilities: list[float]) -> dict[str, float]:
    document = dump_html(html)
    zeros = np.zeros(len(document))
    matrix = first_features(document, zeros, zeros, np.zeros(WEIGHTS, np.float32))
    row = second_features(document, matrix, np.array(probabilities))
    return dict(zip(PAGE_FEATURES, row.tolist(), strict=True))


def test_means_over_the_page() -> None:
    html = "<p>abcd</p><p>ab <a href=/>cdef</a></p>"
    # a mass of 4 and 3 characters, and one more
    found = means_of(html, [1.0, 0.5])["link-density by mass"]
    assert found == pytest.approx(3 * (4 / 6) / 8)
    # what is surely no text has no say
    assert means_of(html, [1.0, 0.05])["link-density by mass"] == 0
    assert not any(means_of("", []).values())


def test_a_matrix_of_another_page() -> None:
    document = dump_html("<p>abcd</p>")
    with pytest.raises(ValueError, match="does not fit"):
        second_features(document, np.zeros((1, len(FEATURES)), np.float32), np.zeros(2))


def test_containers() -> None:
    html = "<div><p>menu</p></div><div><div><p>abcdefgh</p><p>ijklmnop</p></div><p>more</p></div>"
    found = {text: values(html, text, probabilities=[0, 1, 1, 0.5]) for text in ("menu", "ijklmnop", "more")}
    names = [f"up{level}-{name}" for level in range(6) for name in LEVEL_NAMES]
    assert set(names) <= set(NAMES)
    x = found["ijklmnop"]
    assert [x[f"up{level}-chars"] for level in range(6)] == [8, 16, 20, 24, 24, 24]
    assert [x[f"up{level}-mass"] for level in range(4)] == pytest.approx([8 / 19, 16 / 19, 18 / 19, 18 / 19])
    assert [x[f"up{level}-siblings"] for level in range(3)] == [2, 1, 2]
    assert [x[f"up{level}-order"] for level in range(3)] == [0.5, 0, 0.5]
    assert [x[f"up{level}-density"] for level in range(3)] == pytest.approx([8, 16 / 3, 20 / 5])
    assert [x[f"up{level}-odds"] for level in range(3)] == pytest.approx([6, 6, 4], rel=2e-3)
    # half of the mass: the inner <div> holds 16 of 18
    assert [t["core-above"] for t in found.values()] == [2, 1, 1]
    assert x["core-branch"] == pytest.approx(8 / 19)
    assert (x["core-depth"], found["more"]["core-depth"]) == (4 - 1, 3 - 1)
    assert [t["holder85-inside"] for t in found.values()] == [0, 1, 0]
    assert [t["holder85-above"] for t in found.values()] == [-1, 1, -1]
    assert [t["holder85-side"] for t in found.values()] == [-1, 0, 1]
    assert [t["holder95-inside"] for t in found.values()] == [0, 1, 1]
    assert [t["mass-position"] for t in found.values()] == pytest.approx([0, 8 / 19, 16 / 19])


def test_styles_share_what_the_first_judgement_says() -> None:
    html = "<ul><li class=a>one</li><li class=b>two</li><li class=a>three</li></ul>"
    found = values(html, "one", probabilities=[0.9, 0.5, 0.9])
    assert found["style-times"] == 2 and found["path-times"] == 3
    assert found["style-odds"] == pytest.approx(np.log(9))
    assert found["path-odds"] == pytest.approx(np.log(9) * 2 / 3)
    assert found["style-share"] == pytest.approx(8 / 12)


# what a page is not -------------------------------------------------------------------------------


def test_nothing_outside_of_the_page_counts() -> None:
    document = dump_html(PAGE)
    plain = matrix_of(document)
    assert plain.min() > OUTSIDE
    matrix_of(dump_html("<h1>other</h1>" + "<p class=x>page " * 50))
    assert matrix_of(dump_html(PAGE)).tobytes() == plain.tobytes()


@pytest.mark.parametrize(
    "html", ["", "<div></div>", "<body>text", "<p hidden>x", "<body hidden>x", "<li>" * 9]
)
def test_small_pages(html: str) -> None:
    document = dump_html(html)
    found = matrix_of(document)
    assert found.shape == (len(document), len(FEATURES))
    assert np.isfinite(found).all()


def test_a_page_of_one_text() -> None:
    found = values("<body>Text", "Text", probabilities=[1])
    expected = {"page-segments": 1, "position": 0, "from-end": 1, "depth": 1, "core-above": 0, "up5-chars": 4}
    assert {name: found[name] for name in expected} == expected
    assert found["holder95-inside"] == 1


def test_plain_text_has_no_blocks() -> None:
    document = dump_text("One line.\n\nAnother line.")
    found = matrix_of(document)
    assert found[:, NAMES.index("words")].tolist() == [2, 2]
    assert not found[:, NAMES.index("up0-chars") :].any()
    assert np.isfinite(found).all()


def test_nothing_is_certain() -> None:
    document = dump_html(PAGE)
    for share in (0.0, 1.0):
        assert np.isfinite(matrix_of(document, np.full(len(document), share))).all()


@pytest.mark.untraced
def test_a_hundred_thousand_segments() -> None:
    document = dump_html(
        "<title>row</title>" + "".join(f"<p class=c{i % 7}>row {i % 999}" for i in range(100_000))
    )
    found = matrix_of(document)
    assert found.shape == (100_000, len(FEATURES))
    assert np.isfinite(found).all()
    assert found[:, NAMES.index("duplicates")].min() == 100
    assert found[:, NAMES.index("seen-before")].max() == 100


def test_a_page_a_thousand_levels_deep() -> None:
    document = dump_html("<div class=a>x" * 500)
    assert np.isfinite(matrix_of(document)).all()


# what does not fit --------------------------------------------------------------------------------


def fits(size: int, weights: int = WEIGHTS, columns: int = SEGMENT_COLUMNS, rows: int = 8) -> None:
    out = np.zeros((rows, columns), np.float32)
    zeros = np.zeros(size)
    _segment_features.fill(dump_html(PAGE).tables, b"", zeros, zeros, np.zeros(weights, np.float32), out)


def test_arrays_that_do_not_fit() -> None:
    fits(8)
    fits(8, columns=SEGMENT_COLUMNS + 3)
    for changed in ({"size": 7}, {"size": 9}, {"columns": SEGMENT_COLUMNS - 1}, {"rows": 7}):
        with pytest.raises(ValueError, match="does not fit the document"):
            fits(**{"size": 8, **changed})
    with pytest.raises(ValueError, match="weights of names"):
        fits(8, weights=WEIGHTS // 2)
    document = dump_html(PAGE)
    for shape in ((7, len(FEATURES)), (8, SEGMENT_COLUMNS)):
        with pytest.raises(ValueError, match="does not fit the document"):
            second_features(document, np.zeros(shape, np.float32), np.zeros(8))
