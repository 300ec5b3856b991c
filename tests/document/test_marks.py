"""Marks: what they are, that both walks note the same ones, and that they cost nobody else anything."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document._marks import Mark
from ncleaner.dumping.html import dump_html

from ..tables import with_tables


def marks(html: str) -> list[tuple[str, int, str | int]]:
    document = dump_html(html, marks=True)
    values = document.values
    return [
        (
            Mark(row["kind"]).name.removeprefix("MARK_"),
            int(row["run"]),
            values[row["value"] : row["value"] + row["length"]].decode()
            if row["length"]
            else int(row["value"]),
        )
        for row in document.marks
    ]


PAGES: list[tuple[str, list[tuple[str, int, str | int]]]] = [
    ("a<a href=' x '>b</a>c", [("LINK", 1, " x "), ("LINK_END", 2, 0)]),
    ("<a>a</a>", [("LINK_END", 1, 0)]),
    ("a<br>b<hr>c", [("BREAK", 1, 0), ("RULE", 2, 0)]),
    ("<pre>a<br>b\n\n\n\nc</pre>", [("BLANK", 2, 3)]),
    ("<pre>a\n\n</pre><pre>b</pre>", []),
    ("<ol start=' -3x'><li value=4>a</ol>", [("START", 0, 2**32 - 3), ("VALUE", 0, 4)]),
    ("<ul start=3><p value=4>a</ul>", []),
    ("<table role=presentation><tr><td colspan=2 rowspan=0 align=RIGHT>a</table>",
     [("LAYOUT", 0, 0), ("COLUMNS", 0, 2), ("ROWS", 0, 65_534), ("ALIGN", 0, 3)]),
    ("<table><tr><th style='color:red; TEXT-ALIGN:  center'>a</table>", [("ALIGN", 0, 2)]),
    ("<p id=a>b<a name=c></a>", [("ID", 0, "a"), ("ID", 1, "c"), ("LINK_END", 1, 0)]),
    ("<base href=/x><p>a", [("BASE", 0, "/x")]),
    ("<p>a<img src=b alt=c><img alt=d><img src=data:e data-src=f>",
     [("IMAGE", 1, "b"), ("ALT", 1, "c"), ("IMAGE", 1, 2), ("ALT", 1, "d"), ("IMAGE", 1, "f"), ("ALT", 1, 4)]),
    ("<pre class='a lang-c'>b</pre>", [("LANGUAGE", 0, "c")]),
    ("<p>a <code>b</code>", [("CODE", 1, 0)]),
    ("<script src=/MathJax.js></script>a", [("TYPESET", 0, 0)]),
    ("<script>x=[['$','$']]</script>a", [("TYPESET", 0, 1)]),
    ("<script>f('$')</script>a", []),
    ("<p>a <math display=block alttext=x></math>b", [("FORMULA", 1, 1), ("FORMULA_END", 2, 0)]),
    ("<script type='math/tex'>x</script>", [("FORMULA", 0, 0), ("FORMULA_END", 1, 0)]),
    ("<script type='math/tex; mode=display'>x</script>", [("FORMULA", 0, 1), ("FORMULA_END", 1, 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), PAGES)
def test_marks(html: str, expected: list[tuple[str, int, str | int]]) -> None:
    assert marks(html) == expected


ATTRIBUTES = st.sampled_from(
    "href=a href id=b name=c start=3 value=-4 colspan=2 rowspan=0 align=left style='text-align:right' "
    "class='language-x' class='brush: c' data-lang=d data-language=e role=none role=presentation data-src=f "
    "data-original=g data-lazy-src=h src=i src=data:j alt=k display=block type='math/tex; mode=display' "
    "class='katex-display' class='hljs c' hidden alttext=m".replace("' ", "'\0")
    .replace("brush: c", "brush:\1c")
    .split()
).map(lambda text: text.replace("\0", " ").replace("\1", " "))
NAMES = st.sampled_from(
    "a b p div pre code td th tr table ol ul li img base script math span h1 br hr kbd x-y annotation".split()
)
ELEMENTS = st.builds(
    lambda name, attributes, end: f"<{name} {' '.join(attributes)}>text" + (f"</{name}>" if end else ""),
    NAMES,
    st.lists(ATTRIBUTES, max_size=4),
    st.booleans(),
)


@given(st.lists(ELEMENTS, max_size=12).map("\n".join), st.booleans())
def test_marks_of_any_page_have_a_place_and_change_no_other_table(html: str, alt_text: bool) -> None:
    plain, marked = (dump_html(html, marks=marks, alt_text=alt_text) for marks in (False, True))
    assert plain.data == marked.data and plain.runs.tobytes() == marked.runs.tobytes()
    assert (marked.marks["run"] <= len(marked.runs)).all()
    assert (marked.marks["element"] < len(marked.elements)).all()
    assert (np.diff(marked.marks["run"].astype(np.int64)) >= 0).all()


def test_without_marks_the_other_tables_are_the_same() -> None:
    html = "".join(page for page, _ in PAGES)
    plain, marked = dump_html(html), dump_html(html, marks=True)
    assert len(plain.marks) == 0 and plain.values == b"" and len(marked.marks)
    assert plain.data == marked.data
    for name in ("runs", "segments", "elements", "names"):
        assert getattr(plain, name).tobytes() == getattr(marked, name).tobytes()


def test_marks_are_pickled_and_stay_in_copies() -> None:
    document = dump_html("<p>a<br>b <a href=x>c</a>", marks=True)
    assert pickle.loads(pickle.dumps(document)).tables == document.tables
    assert with_tables(document).tables == document.tables


def test_values_are_bounded() -> None:
    assert marks(f"<a href={'x' * 5_000}>a</a><p id={'x' * 300}>b") == [("LINK_END", 1, 0)]
    assert marks("<pre class=language-" + "x" * 40 + ">a</pre>") == []
