"""TeX of formulas without TeX."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping import mathml


def tex_of(formula: bytes) -> str:
    return mathml.tex_of(fromstring(formula))


def mi(text: str) -> str:
    return f"<mi>{text}</mi>"


def mo(text: str) -> str:
    return f"<mo>{text}</mo>"


def table(*rows: str) -> str:
    cells = ("".join(f"<mtd>{cell}</mtd>" for cell in row.split("|")) for row in rows)
    return "<mtable>" + "".join(f"<mtr>{row}</mtr>" for row in cells) + "</mtable>"


A, B, N = mi("a"), mi("b"), "<mn>2</mn>"
FORMULAS = [
    ("", ""),
    # text beside elements, which has no place there
    ("a" + B + "c", r"\text{a}b\text{c}"),
    (A + mo("=") + mo("−") + B, "a = -b"),
    (mo("±") + A + mo("⁢") + B + mo("≤") + N, r"\pm ab \leq 2"),
    # letters
    (mi("α") + B + mi("Ω") + mi("λ"), r"\alpha b\Omega\lambda"),
    (mi("ε") + mi("ϵ") + mi("ο") + mi("Α"), r"\varepsilon\epsilon oA"),
    (mi("𝑥") + mi("ℝ") + mi("𝐯") + mi("𝒜") + mi("𝔤"), r"x\mathbb{R}\mathbf{v}\mathcal{A}\mathfrak{g}"),
    ('<mi mathvariant="bold">v</mi><mi mathvariant="normal">d</mi><mi mathvariant="normal">Ω</mi>',
     r"\mathbf{v}\mathrm{d}\Omega"),
    (mi("sin") + mo("\u2061") + A, r"\sin a"),
    (mi("speed") + mo("mod") + A, r"\mathrm{speed}\operatorname{mod}a"),
    (mi("字") + mo("∞") + mi("%"), r"字\infty\%"),
    # parts
    (f"<mfrac><mrow>{A}{mo('+')}{B}</mrow>{N}</mfrac>", r"\frac{a + b}{2}"),
    (f'<mfrac linethickness="0">{A}{B}</mfrac>', r"\genfrac{}{}{0pt}{}{a}{b}"),
    (f"<msqrt>{A}{B}</msqrt><mroot>{A}<mn>3</mn></mroot><mroot>{A}</mroot>", r"\sqrt{ab}\sqrt[3]{a}\sqrt{a}"),
    (f"<msup><mrow>{A}{B}</mrow>{N}</msup>", "{ab}^{2}"),
    (f"<msubsup>{A}{B}{N}</msubsup><msup>{A}{mo('′')}</msup>", "a_{b}^{2}a'"),
    (f"<msub>{A}<mrow></mrow></msub><msup>{A}</msup>", "aa"),
    (f"<munderover>{mo('∑')}{A}{B}</munderover>{N}", r"\sum_{a}^{b}2"),
    (f"<munder><mrow>{mo('lim')}</mrow><mrow>{A}{mo('→')}{mo('∞')}</mrow></munder>", r"\lim_{a \rightarrow \infty}"),
    (f"<mover>{A}{mo('¯')}</mover><mover>{A}{mo('→')}</mover><mover>{A}{mo('!')}</mover>",
     r"\overline{a}\vec{a}\overset{!}{a}"),
    (f"<munder>{A}{mo('⏟')}</munder><munder>{A}{B}</munder>", r"\underbrace{a}\underset{b}{a}"),
    (f"<mmultiscripts>{A}{B}<none></none><mprescripts></mprescripts>{N}{N}</mmultiscripts>", "{}_{2}^{2}a_{b}"),
    (f"<mmultiscripts>{A}{B}{N}{N}{B}</mmultiscripts><mmultiscripts></mmultiscripts>", "a_{b}^{2}{}_{2}^{b}{}"),
    (f"<mphantom>{A}</mphantom><mspace width='1em'></mspace><mspace width='0.3em'></mspace><mspace width='.'></mspace>",
     r"\quad \;"),
    ("<mtext>if 5%</mtext><mtext> </mtext><ms>x_y</ms>", r"\text{if 5\%}\;\text{x\_y}"),
    (f"<semantics><mrow>{A}</mrow>{B}</semantics><maction>{A}{B}</maction><semantics></semantics>", "aa"),
    (f"<mstyle>{A}</mstyle><merror>{A}</merror><munknown>{A}</munknown>", "aaa"),
    # brackets
    (mo("(") + A + mo(")") + mo("(") + B + mo(")"), "(a)(b)"),
    (f"{A}<mrow>{mo('(')}{B}{mo(')')}</mrow>", r"a\left(b\right)"),
    (mo("⟨") + A + mo("⟩"), r"\left\langle a\right\rangle"),
    (mo("|") + A + mo("|") + B + mo("|"), "|a|b|"),
    (f'<mfenced>{A}{B}</mfenced><mfenced open="[" close="" separators=";">{A}{B}</mfenced>',
     r"\left(a, b\right)[a; b"),
    # tables
    (table(A + "|" + B, N + "|"), r"\begin{aligned}a & b \\ 2 & \end{aligned}"),
    (mo("(") + table(A, B) + mo(")"), r"\begin{pmatrix}a \\ b\end{pmatrix}"),
    (f'<mfenced open="|" close="|">{table(A, B)}</mfenced>', r"\begin{vmatrix}a \\ b\end{vmatrix}"),
    (f"<mrow>{mo('{')}{table(A + '|' + B, N)}<mo></mo></mrow>", r"\begin{cases}a & b \\ 2\end{cases}"),
    (f"<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd>{A}</mtd></mlabeledtr></mtable>", r"a \tag{1}"),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "expected"), FORMULAS)
def test_formulas(tree: str, expected: str) -> None:
    assert tex_of(f"<math>{tree}</math>".encode()) == expected


def shown(name: str, *parts: str) -> str:
    """An element of MathJax."""
    return f"<mjx-{name}>{''.join(parts)}</mjx-{name}>"


X, Y, Z = (shown("mi", shown("c", char)) for char in "xyz")
SHOWN = [
    (X + shown("mo", shown("c", "="), shown("c", "")) + Y, "x = y"),
    (shown("mi", shown("c", "m"), shown("c", "a"), shown("c", "x")), r"\max"),
    (shown("mfrac", shown("frac", shown("num", shown("nstrut"), X), shown("dbox", shown("row", shown("den", Y))))),
     r"\frac{x}{y}"),
    (shown("msqrt", shown("sqrt", shown("surd", shown("mo", "√")), shown("box", X))), r"\sqrt{x}"),
    (shown("mroot", shown("root", X), shown("sqrt", shown("box", Y))), r"\sqrt[x]{y}"),
    # the denominator of the fraction in its numerator is another one
    (shown("mfrac", shown("frac", shown("num", shown("mfrac", shown("num", X), shown("den", Y))), shown("den", Z))),
     r"\frac{\frac{x}{y}}{z}"),
    (shown("msub", X, shown("script", Y)), "x_{y}"),
    (shown("msubsup", X, shown("script", Y, shown("spacer"), Z)), "x_{z}^{y}"),
    (shown("munderover", shown("over", Z), shown("box", shown("munder", shown("row", shown("base", X)),
     shown("row", shown("under", Y))))), r"\overset{z}{\underset{y}{x}}"),
    (shown("munder", shown("row", shown("base", X)), shown("row", shown("under", Y))), r"\underset{y}{x}"),
    (shown("mover", shown("over", Y), shown("base", X)), r"\overset{y}{x}"),
    (shown("munder", X, shown("script", Y)), "x_{y}"),
    (shown("mtable", shown("table", shown("itable", shown("mtr", shown("mtd", X), shown("mtd", Y)),
     shown("mtr", shown("mtd", Z))))), r"\begin{aligned}x & y \\ z\end{aligned}"),
    (shown("msub"), ""),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "expected"), SHOWN)
def test_what_mathjax_shows(tree: str, expected: str) -> None:
    assert tex_of(shown("math", tree).encode()) == expected


def test_formulas_that_are_too_deep_or_too_large_are_text() -> None:
    assert tex_of(b"<math><mspace/><mtext> </mtext></math>") == ""
    half = f"<mfrac>{A}{B}</mfrac>"
    assert tex_of(f"<math>{'<mrow>' * 97}{half}{'</mrow>' * 97}</math>".encode()) == r"\frac{a}{b}"
    assert tex_of(f"<math>{'<mrow>' * 98}{half}{'</mrow>' * 98}</math>".encode()) == "ab"
    assert tex_of(b"<math>" + b"<mrow>" * 50_000 + b"a" + b"</mrow>" * 50_000 + b"</math>") == "a"
    many = "<mrow>" + mo("(") + A + mo(")") + "</mrow>"
    assert tex_of(f"<math>{many * 5_000}</math>".encode()) == r"\left(a\right)" * 5_000
    assert tex_of(f"<math>{many * 5_001}</math>".encode()) == "(a)" * 5_001
    deep = A
    for _ in range(90):
        deep = f"<mrow>{mo('(')}{deep}{mo(')')}</mrow>"
    assert tex_of(f"<math>{deep}</math>".encode()).count("right") == 90


NAMES = st.sampled_from(
    "mi mo mn mtext mrow mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mlabeledtr mfenced "
    "mmultiscripts mprescripts none semantics mspace mphantom mjx-mi mjx-mo mjx-mfrac mjx-num mjx-den mjx-script "
    "mjx-base mjx-under mjx-over mjx-munder mjx-msubsup mjx-mtr mjx-mtd mjx-mtable mjx-c".split()
)
LEAVES = st.sampled_from(["a", "∑", "(", ")", "{", "|", "sin", "=", "″", " ", "", "x_1", "¯", "字"])
TREES = st.recursive(
    LEAVES,
    lambda inside: st.builds(
        lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", NAMES, st.lists(inside, max_size=4)
    ),
    max_leaves=30,
)


@given(TREES, st.sampled_from(["math", "mjx-math"]))
def test_any_tree_is_tex_with_its_groups_closed(tree: str, name: str) -> None:
    found = tex_of(f"<{name}>{tree}</{name}>".encode())
    bare = found.replace(r"\{", "").replace(r"\}", "")
    assert bare.count("{") == bare.count("}")
    assert found.count(r"\left") - found.count(r"\leftarrow") == found.count(r"\right") - found.count(
        r"\rightarrow"
    )
    assert "\n" not in found
    assert found == found.strip()
