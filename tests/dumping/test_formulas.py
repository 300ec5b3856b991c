"""Formulas, ruby and drawings inside a paragraph: one segment, and each formula once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.cleaner import Cleaner
from ncleaner.dumping.html import dump_html

MATHML = "<mrow><mi>a</mi><mo>=</mo><mi>b</mi><mo>+</mo><mn>1</mn></mrow>"
TEX = "<annotation encoding='application/x-tex'>a=b+1</annotation>"
MATH = f"<math><semantics>{MATHML}{TEX}</semantics></math>"
KATEX_HTML = (
    "<span class=katex-html aria-hidden=true><span class=mord>a</span><span class=mrel>=</span>…</span>"
)
MATHJAX = (
    "<span class=MathJax id=MathJax-Element-1-Frame><nobr aria-hidden=true><span class=mi>a</span>=b+1</nobr>"
)
ASSISTIVE = f"<span class=MJX_Assistive_MathML role=presentation><math>{MATHML}</math></span>"

CASES = [
    # MathML
    (f"where {MATH} is", "where a=b+1 is"),
    (f"where <math>{MATHML}</math> is", "where a = b + 1 is"),
    (f"where <math alttext='a=b+1'>{MATHML}</math> is", "where a=b+1 is"),
    (f"where <math alttext=' '>{MATHML}</math>.", "where a = b + 1."),
    ("an <math><mi>n</mi></math>-gon", "an n-gon"),
    ("<math><mo>-</mo><mi>x</mi><mo>,</mo><mo>-</mo><mn>2</mn></math>", "-x, -2"),
    ("<math><mi>f</mi><mo>(</mo><mo>−</mo><mi>x</mi><mo>)</mo></math>", "f(-x)"),
    ("<math><mi>sin</mi><mo>\u2061</mo><mi>x</mi><mo>≤</mo><mn>2</mn><mo>\u2062</mo><mi>y</mi></math>", r"\sin x \leq 2y"),
    ("<math><mfrac><mn>1</mn><mrow><mn>2</mn><mi>x</mi></mrow></mfrac></math> of it", r"\frac{1}{2x} of it"),
    ("<math>\n <msup>\n  <mi>x</mi>\n  <mn>2</mn>\n </msup>\n</math>", "x^{2}"),
    ("<math><mi>x<script>var a</script></mi><mo>=<style>p{}</style></mo><mtext>y</mtext></math>", r"x = \text{y}"),
    ("<math><mtext>if&nbsp;x</mtext><annotation-xml><ci>y</ci></annotation-xml></math>", r"\text{if x}"),
    ("<math><semantics><mi>x</mi><annotation encoding='text/plain'>y</annotation></semantics></math>", "x"),
    (f"a <math display=block>{MATHML}{TEX}</math> b", "a a=b+1 b"),
    ("a <math></math> b", "a b"),
    # KaTeX
    (f"so <span class=katex><span class=katex-mathml>{MATH}</span>{KATEX_HTML}</span>.", "so a=b+1."),
    (f"so <span class=katex>{MATH}</span>.", "so a=b+1."),
    ("so <span class=katex><span class=katex-html><span class=mord>a</span>=b</span></span>.", "so a=b."),
    # MathJax
    (f"so {MATHJAX}</span><script type='math/tex'>a=b+1</script>.", "so a=b+1."),
    (
        f"so <span class=MathJax_Preview>[math]</span>{MATHJAX}{ASSISTIVE}</span>"
        "<script type='math/tex; mode=display' id=x>a=b+1</script>.",
        "so a=b+1.",
    ),
    (f"so {MATHJAX}{ASSISTIVE}</span>.", "so a = b + 1."),
    (f"so {MATHJAX}</span>.", "so a=b+1."),
    ("so <span class='MathJax_Preview'>a=b</span><script type='math/tex'>a=b</script>.", "so a=b."),
    ("so <span class='MathJax_Preview'>a=b</span>.", "so a=b."),
    ("so <script type='math/tex'>a &lt b</script>and <script type='text/javascript'>x</script>c", "so a &lt band c"),
    (
        "so <mjx-container class=MathJax jax=CHTML><mjx-math aria-hidden=true><mjx-mi></mjx-mi></mjx-math>"
        f"<mjx-assistive-mml><math>{MATHML}</math></mjx-assistive-mml></mjx-container>.",
        "so a = b + 1.",
    ),
    (f"so <mjx-container jax=SVG><svg><g/></svg>{MATH}</mjx-container>.", "so a=b+1."),
    ("so <mjx-container jax=SVG><svg><g/></svg></mjx-container> on", "so on"),
    # Wikipedia
    (
        "of <span class='mwe-math-element mwe-math-element-inline'><span class='mwe-math-mathml-inline "
        "mwe-math-mathml-a11y' style='display: none;'><math alttext='{\\displaystyle x^{2}}'><mi>x</mi></math></span>"
        "<img class='mwe-math-fallback-image-inline' alt='{\\displaystyle x^{2}}' src=x></span>, which",
        "of x^{2}, which",
    ),
    ("of <img class='mwe-math-fallback-image-inline' alt='{\\displaystyle x}' src=x>, which", "of x, which"),
    ("of <img class=tex alt='x^2' src=x> and <img class=latex alt='$y$' src=y>.", "of x^2 and y."),
    ("of <img class=tex src=x> and <img class=latex alt='' src=y>.", "of [formula] and [formula]."),
    # delimiters
    (r"<math alttext='$$x$$'></math> <math alttext='\(y\)'></math> <math alttext='\[ z \]'></math>", "x y z"),
    (r"<math alttext='\displaystyle x'></math> <math alttext='{\textstyle y}'></math>", "x y"),
    # ruby
    ("これは<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>です", "これは漢字(かんじ)です"),
    ("これは<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>です", "これは漢字(かんじ)です"),
    ("<ruby>\n<rb>短</rb>\n <rt>たん</rt>\n <rb>槍</rb>\n <rt>そう</rt>\n</ruby>だ", "短槍(たんそう)だ"),
    ("<ruby>北京<rt>Běi</rt><rt>jīng</rt></ruby>市", "北京(Běi jīng)市"),
    ("<ruby><rb>旧<rb>金<rt>jiù<rt>jīn<rtc>San <b>F</b></ruby>", "旧金(jiù jīn)(San F)"),
    ("<ruby>漢字</ruby>と<ruby>字<rt> </rt></ruby>", "漢字と字"),
    ("<ruby>漢<ruby>字<rt>じ</rt></ruby><rt>かん</rt></ruby>", "漢字(じかん)"),
    ("<ruby>漢<script>var a</script><rt>か<script>var b</script>ん<style>p{}</style></rt></ruby>", "漢(かん)"),
    ("x <rt>y</rt> z", "x y z"),
    # drawings
    ("a <svg><title>icon</title><text>b</text></svg> c", "a c"),
    ("press <svg><use/></svg>Start", "press Start"),
]  # fmt: skip

FRACTION = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
SUM = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"
FENCED = f"<mrow><mo>(</mo>{SUM[6:-7]}<mo>)</mo></mrow>"
SQUARE = "<msup><mi>b</mi><mn>2</mn></msup>"
LINEAR = [
    (
        f"<mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt>{SQUARE}<mo>−</mo><mn>4</mn><mi>a</mi>"
        "<mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>",
        r"x = \frac{-b \pm \sqrt{b^{2} - 4ac}}{2a}",
    ),
    (
        "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
        "<msub><mi>a</mi><mi>i</mi></msub>",
        r"\sum_{i = 1}^{n}a_{i}",
    ),
    (
        "<munder><mi>lim</mi><mrow><mi>h</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>f</mi><mo>(</mo><mi>h</mi><mo>)</mo>",
        r"\lim_{h \rightarrow 0}f(h)",
    ),
    # what needs a space, and what does not
    (f"{FRACTION}<mi>ρ</mi>{SQUARE}<mi>A</mi><msub><mi>C</mi><mi>L</mi></msub>", r"\frac{1}{2}\rho b^{2}AC_{L}"),
    ("<mn>2</mn><mi>sin</mi><mi>x</mi><mo>+</mo><mi>speed</mi>", r"2\sin x + \mathrm{speed}"),
    ("<mi>n</mi><mtext>th</mtext>", r"n\text{th}"),
    (f"{SQUARE}<mo>+</mo>{SQUARE}<mo>∑</mo>", r"b^{2} + b^{2}\sum"),
    (f"{SQUARE}<msqrt><mi>c</mi></msqrt><mi>d</mi>", r"b^{2}\sqrt{c}d"),
    # brackets
    (f"<msup>{SUM}<mn>2</mn></msup>", "{a + b}^{2}"),
    (f"<msup>{FENCED}<mn>2</mn></msup>", r"\left(a + b\right)^{2}"),
    (f"<msup><mrow>{FENCED}{FENCED}</mrow><mn>2</mn></msup>", r"\left(a + b\right)\left(a + b\right)^{2}"),
    (f"<msup>{SQUARE}<mi>n</mi></msup>", "{b^{2}}^{n}"),
    (f"<mfrac>{SQUARE}{FRACTION}</mfrac>", r"\frac{b^{2}}{\frac{1}{2}}"),
    (f"<msup><mi>e</mi>{FRACTION}</msup>", r"e^{\frac{1}{2}}"),
    ("<msup><mi>e</mi><mrow><mo>−</mo><mi>x</mi></mrow></msup><mi>y</mi>", "e^{-x}y"),
    ("<mroot><mrow><mi>x</mi><mi>y</mi></mrow><mn>3</mn></mroot>", r"\sqrt[3]{xy}"),
    ("<mfrac><mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow><mstyle><mrow><mn>2</mn></mrow></mstyle></mfrac>", r"\frac{\left|x\right|}{2}"),
    # scripts
    ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup><msubsup><mi>y</mi><none/><mo>*</mo></msubsup>", "x_{i}^{2}y^{*}"),
    ("<msup><mi>f</mi><mo>′</mo></msup><mo>(</mo><mi>x</mi><mo>)</mo>", "f'(x)"),
    ("<msup><mi>H</mi><mo>+</mo></msup><mover><mi>x</mi><mo>¯</mo></mover>", r"H^{+}\overline{x}"),
    ("<mmultiscripts><mi>X</mi><mi>i</mi><none/><mprescripts/><none/><mn>2</mn></mmultiscripts>", "{}^{2}X_{i}"),
    ("<mi>a</mi><mphantom><mi>b</mi></mphantom>", "a"),
    # tables and brackets that are stated
    (
        "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mi>a</mi></mtd><mtd>"
        "<mi>b</mi></mtd></mtr></mtable><mo>)</mo>",
        r"\begin{pmatrix}1 & 0 \\ a & b\end{pmatrix}",
    ),
    ("<mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>", r"\left(\genfrac{}{}{0pt}{}{n}{k}\right)"),
    ("<mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced>", r"f\left(x, y\right)"),
    ("<mfenced open='[' close=']'><mi>x</mi></mfenced><msup><mfenced><mi>y</mi></mfenced><mn>2</mn></msup>", r"\left[x\right]\left(y\right)^{2}"),
    # MathJax
    (
        "<mjx-math><mjx-mfrac><mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut><mjx-mn><mjx-c>1</mjx-c><mjx-c>2</mjx-c>"
        "</mjx-mn></mjx-num><mjx-dbox><mjx-dtable><mjx-row><mjx-den><mjx-mi><mjx-c>n</mjx-c></mjx-mi></mjx-den></mjx-row>"
        "</mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac><mjx-munderover><mjx-over><mjx-mi><mjx-c>n</mjx-c></mjx-mi>"
        "</mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base><mjx-mo><mjx-c>∑</mjx-c></mjx-mo></mjx-base></mjx-row>"
        "<mjx-row><mjx-under><mjx-mi><mjx-c>i</mjx-c></mjx-mi></mjx-under></mjx-row></mjx-munder></mjx-box>"
        "</mjx-munderover><mjx-msubsup><mjx-mi><mjx-c>x</mjx-c></mjx-mi><mjx-script><mjx-mn><mjx-c>2</mjx-c></mjx-mn>"
        "<mjx-spacer></mjx-spacer><mjx-mi><mjx-c>i</mjx-c><mjx-c>n</mjx-c></mjx-mi></mjx-script></mjx-msubsup></mjx-math>",
        r"\frac{12}{n}\sum_{i}^{n}x_{\mathrm{in}}^{2}",
    ),
    (
        "<mjx-math><mjx-msqrt><mjx-sqrt><mjx-surd><mjx-mo><mjx-c>√</mjx-c></mjx-mo></mjx-surd><mjx-box><mjx-mi>"
        "<mjx-c>n</mjx-c></mjx-mi></mjx-box></mjx-sqrt></mjx-msqrt><mjx-msub><mjx-mi><mjx-c>y</mjx-c></mjx-mi>"
        "<mjx-script><mjx-mi><mjx-c>i</mjx-c></mjx-mi></mjx-script></mjx-msub></mjx-math>",
        r"\sqrt{n}y_{i}",
    ),
    # broken ones
    ("<mfrac></mfrac><msup></msup><msqrt></msqrt><mroot><mi>x</mi></mroot><mfrac><mi>a</mi></mfrac>", r"\frac{}{}{}\sqrt{}\sqrt{x}\frac{a}{}"),
    ("<msup><mi>x</mi><mrow></mrow></msup><msub><mrow></mrow><mn>2</mn></msub>", "x{}_{2}"),
]  # fmt: skip


@pytest.mark.parametrize(("inside", "text"), LINEAR, ids=[text for _, text in LINEAR])
def test_mathml_is_written_as_tex(inside: str, text: str) -> None:
    html = (
        f"<mjx-container class=MathJax>{inside}</mjx-container>"
        if inside.startswith("<mjx")
        else f"<math>{inside}</math>"
    )
    document = dump_html(f"<p>so {html}.")
    assert document.text == f"so {text}.\n"
    assert document.runs["words"].sum() == len(document.text.split())


@pytest.mark.parametrize(("html", "text"), CASES, ids=[text for _, text in CASES])
def test_one_paragraph_with_each_formula_once(html: str, text: str) -> None:
    page = f"<body><p>{html}</p>"
    document = dump_html(page)
    assert document.text == f"{text}\n"
    assert len(document) == 1
    assert document.runs["words"].sum() == document.segments["words"].sum() == len(text.split())


PIECES = st.sampled_from(
    "x|y |12|=|漢|かん| |\n|<p>|</p>|<b>|</b>|<br>|<span>|</span>|<math>|</math>|<math alttext='a'>|<mi>|</mi>|<mo>|"
    "</mo>|<mfrac>|</mfrac>|<msup>|</msup>|<munderover>|</munderover>|<mroot>|</mroot>|<msqrt>|</msqrt>|<mtr>|<mtd>|"
    "<mfenced>|</mfenced>|<mjx-math>|</mjx-math>|<mjx-msubsup>|<mjx-script>|<annotation encoding='application/x-tex'>|"
    "</annotation>|<span class=katex-html>|<span class=MathJax>|<span class=MathJax_Preview>|"
    "<script type='math/tex'>z</script>|<script>z</script>|<script>é</script>|<script>|<style>|"
    "<mjx-container>|</mjx-container>|<span class='mwe-math-mathml-inline' style='display:none'>|"
    "<img class=mwe-math-fallback-image-inline alt=c>|<img class=tex alt='$d$'>|<ruby>|</ruby>|<rt>|</rt>|<rtc>|<rb>|"
    "<rp>|<pre>|</pre>|<svg>|</svg>".split("|")
)


@given(html=st.lists(PIECES, max_size=30).map("".join), alt_text=st.booleans())
def test_words_are_counted_with_formulas(html: str, alt_text: bool) -> None:
    document = dump_html(html, alt_text=alt_text)
    words = np.bincount(document.runs["segment"], document.runs["words"], len(document)).astype(int)
    assert words.tolist() == document.segments["words"].tolist()
    assert [len(segment.text.split()) for segment in document] == words.tolist()


def test_two_formulas_in_a_row_are_both_written() -> None:
    assert dump_html(f"<p>{MATH}{MATH} {MATH}").text == "a=b+1a=b+1 a=b+1\n"


@pytest.mark.slow
def test_formulas_take_linear_time() -> None:
    size = 20_000
    assert dump_html("<p><span class=MathJax>" * 300 + "x" * size).text == "x" * size + "\n"
    assert len(dump_html("<p>" + MATH * size).text) == 5 * size + 1
    assert len(dump_html(f"<p><math>{'<msqrt><mi>x</mi>' * size}").text) > size
    assert len(dump_html(f"<p><math>{'<mrow>' * size}x{'</mrow><mo>=</mo>' * size}").text) > size
    assert len(dump_html(f"<p><math><mrow>{'<msup><mi>x</mi><mn>2</mn></msup>' * size}").text) == 2 * size + 1
    assert len(dump_html("<p><ruby>" + "<rb>x<rt>y" * size).text) == 3 * size + 2
    preview = "<span class=MathJax_Preview>x</span>"
    assert len(dump_html("<p>" + preview * size).text) == size + 1


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("これは<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>です", "これは漢字です"),
        ("<ruby>\n<rb>短</rb>\n <rt>たん</rt>\n</ruby>だ", "短だ"),
        ("the <ruby>harbour<rt>port</rt></ruby> of", "the harbour of"),
    ],
)
def test_readings_can_be_left_out(html: str, text: str) -> None:
    assert dump_html(f"<p>{html}", readings=False).texts == [text]
    assert Cleaner("everything", readings=False).clean(f"<p>{html}") == text
    assert Cleaner("everything").clean(f"<p>{html}") != text


def test_an_interrupt_within_a_formula_ends_the_dump(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    page = f"<p>so <math>{MATHML}</math> and <math>{MATHML}</math>"
    monkeypatch.setattr("ncleaner.dumping.mathml.tex_of", interrupt)
    with pytest.raises(KeyboardInterrupt):
        dump_html(page)
    monkeypatch.undo()
    assert dump_html(page).text == "so a = b + 1 and a = b + 1\n"
