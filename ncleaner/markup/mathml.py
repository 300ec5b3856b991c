"""TeX of formulas that a page has only as MathML, or as the elements that MathJax shows in its place.

Converters that the registries have lose matrices and the names of functions, and are not kept up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# deeper formulas are written as plain text
_DEEPEST = 100

_FUNCTIONS = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf "
    "limsup ln log max min Pr sec sin sinh sup tan tanh".split()
)
# functions and operators whose limits stand below and above them
_LIMITS = frozenset("det gcd inf lim liminf limsup max min Pr sup".split())


def _commands(signs: str, names: str) -> dict[str, str]:
    return dict(zip(signs, names.split(), strict=True))


_LARGE = _commands(
    "∑∏∐∫∬∭∮⋂⋃⋀⋁⨁⨂⨀⨆",
    "sum prod coprod int iint iiint oint bigcap bigcup bigwedge bigvee bigoplus bigotimes bigodot bigsqcup",
)
# relations and binary operators: what stands around them is apart
_BINARY = _commands(
    "±∓×÷∗⋆∘∙⋅·∩∪∧∨⊕⊖⊗⊙∖⊎",
    "pm mp times div ast star circ bullet cdot cdot cap cup wedge vee oplus ominus otimes odot setminus "
    "uplus",
)
_BINARY |= _commands(
    "≤≥≪≫≠≡≈≅∼≃≍∝∈∉∋⊂⊃⊆⊇⊏⊐⊢⊣⊨⊥∣∥≺≻≔⩽⩾⊊",
    "leq geq ll gg neq equiv approx cong sim simeq asymp propto in notin ni subset supset subseteq supseteq "
    "sqsubset sqsupset vdash dashv models perp mid parallel prec succ coloneqq leqslant geqslant subsetneq",
)
_BINARY |= _commands(
    "←→↔⇐⇒⇔↦⟵⟶⟷⟸⟹⟺⟼↑↓⇑⇓↪↩⇌",
    "leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow mapsto longleftarrow "
    "longrightarrow longleftrightarrow Longleftarrow Longrightarrow Longleftrightarrow longmapsto uparrow "
    "downarrow Uparrow Downarrow hookrightarrow hookleftarrow rightleftharpoons",
)
_SIGNS = _commands(
    "∞∂∇∀∃¬∅ℓℏℜℑℵ∠△□◇…⋯⋮⋱′″‖⟨⟩⌈⌉⌊⌋√†‡§¶ϵϑϖϱςϕ°∎",
    r"\infty \partial \nabla \forall \exists \neg \emptyset \ell \hbar \Re \Im \aleph \angle \triangle "
    r"\square \diamond \ldots \cdots \vdots \ddots ' '' \Vert \langle \rangle \lceil \rceil \lfloor \rfloor "
    r"\surd \dagger \ddagger \S \P \epsilon \vartheta \varpi \varrho \varsigma \phi ^{\circ} \blacksquare",
)
# what has another meaning in TeX
_SPECIAL = {char: f"\\{char}" for char in "#$%&_{}"} | {"\\": r"\backslash", "~": r"\sim", "^": r"\hat{}"}
_PLAIN_BINARY = {"−": "-", "=": "=", "+": "+", "-": "-", "<": "<", ">": ">"}
# operators without a sign: multiplication, the application of a function
_UNSEEN = "\u2061\u2062\u2063\u2064\u200b"
_OVER = _commands(
    "¯‾_―^ˆ˜~∼→⃗˙.¨ˇ˘´`⏞⏜",
    "overline overline overline overline hat hat tilde tilde tilde vec vec dot dot ddot check breve acute "
    "grave overbrace overparen",
)
_UNDER = _commands("_¯‾⏟", "underline underline underline underbrace")
_VARIANTS = {
    "bold": "mathbf",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    "script": "mathcal",
    "bold-script": "mathcal",
    "fraktur": "mathfrak",
    "sans-serif": "mathsf",
    "monospace": "mathtt",
    "normal": "mathrm",
}
# from the names of letters of mathematical alphabets in Unicode
_ALPHABETS = {
    "BOLD ITALIC": "boldsymbol",
    "DOUBLE-STRUCK": "mathbb",
    "SCRIPT": "mathcal",
    "FRAKTUR": "mathfrak",
    "BLACK-LETTER": "mathfrak",
    "SANS-SERIF": "mathsf",
    "MONOSPACE": "mathtt",
    "BOLD": "mathbf",
}
_OPENING = _commands("([{|‖∥⟨⌈⌊", r"( [ \{ | \Vert \Vert \langle \lceil \lfloor")
_CLOSING = _commands(")]}|‖∥⟩⌉⌋", r") ] \} | \Vert \Vert \rangle \rceil \rfloor")
_MATRICES = {
    "()": "pmatrix",
    "[]": "bmatrix",
    "{}": "Bmatrix",
    "||": "vmatrix",
    "‖‖": "Vmatrix",
    "∥∥": "Vmatrix",
    "{": "cases",
}
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)")
# TeX has no names for those that look like Latin letters
_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))


def tex_of(tree: bytes) -> str:
    """Returns the TeX of a formula.

    Args:
        tree: the elements of a <math>, or of an <mjx-math>, as XML.

    Returns:
        On one line, without delimiters; empty where the formula is empty, broken, or nested too deep.
    """
    try:
        root = ElementTree.fromstring(tree)
    except ElementTree.ParseError:
        return ""
    if _is_deep(root):
        return ""
    if root.tag.startswith("mjx-"):
        root = _of_mathjax(root)
    else:
        _wrap_text(root)
    return _row(root).strip()


def _wrap_text(root: Element) -> None:
    """Puts text beside elements, which MathML does not have, into elements of its own."""
    for element in [each for each in root.iter() if len(each) and each.tag in _ROWS]:
        before = [(0, element.text), *((at, child.tail) for at, child in enumerate(element, 1))]
        for at, text in reversed(before):
            if text and text.strip():
                made = Element("mtext")
                made.text = text
                element.insert(at, made)


def _is_deep(root: Element) -> bool:
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


# MathJax ----------------------------------------------------------------------------------------------


def _of_mathjax(element: Element) -> Element:
    """The MathML that MathJax shows by an element."""
    name = element.tag.removeprefix("mjx-")
    made = Element(name, element.attrib)
    match name:
        case "mi" | "mo" | "mn" | "mtext" | "ms":
            made.text = "".join(element.itertext())
        case "mfrac":
            made.extend(_parts(element, "num", "den"))
        case "msqrt" | "mroot":
            made.extend(_parts(element, "box", "root") if name == "mroot" else _parts(element, "box"))
        case "msub" | "msup" | "msubsup" | "munder" | "mover" | "munderover":
            made = _scripts(element, name)
        case "mtable":
            made.extend(map(_of_mathjax, _below(element, ("mjx-mtr", "mjx-mlabeledtr"))))
        case _:
            made.extend(_of_mathjax(child) for child in element if child.tag != "mjx-c")
    return made


def _below(element: Element, names: Sequence[str]) -> Iterator[Element]:
    """The outermost elements of some names."""
    for child in element:
        if child.tag in names:
            yield child
        else:
            yield from _below(child, names)


def _parts(element: Element, *names: str) -> list[Element]:
    """The first element of each name as a row."""
    found = []
    for name in names:
        row = Element("mrow")
        for part in _below(element, (f"mjx-{name}",)):
            row.extend(map(_of_mathjax, part))
            break
        found.append(row)
    return found


def _scripts(element: Element, name: str) -> Element:
    base = _parts(element, "base")[0] if name.startswith(("mu", "mo")) else Element("mrow")
    script = element.find("mjx-script")
    if script is not None:
        # limits in a line stand as scripts do: the upper one first
        made = Element({"munder": "msub", "mover": "msup", "munderover": "msubsup"}.get(name, name))
        scripts = [_of_mathjax(child) for child in script if child.tag != "mjx-spacer"]
        made.append(_of_mathjax(element[0]) if not len(base) else base)
        made.extend(reversed(scripts))
        return made
    made = Element(name)
    made.append(base)
    if name != "mover":
        made.extend(_parts(element, "under"))
    if name != "munder":
        made.extend(_parts(element, "over"))
    return made


# MathML -----------------------------------------------------------------------------------------------


def _joined(parts: list[str]) -> str:
    """Puts a space where a command would swallow a letter, and one where there are several."""
    made = ""
    for part in parts:
        if part[:1].isalnum() and re.search(r"\\[A-Za-z]+$", made):
            made += " "
        made += part
    return re.sub(r" {2,}", " ", made)


def _row(element: Element) -> str:
    """What is inside of an element."""
    children = [child for child in element if not (child.tag == "mo" and _text(child) in _UNSEEN)]
    if not children and element.tag in _ROWS:
        return _escaped(_text(element))
    if len(children) > 1 and (fenced := _fenced(children)):
        return fenced
    return _joined(_sequence(children))


def _sequence(children: Iterable[Element]) -> list[str]:
    """The parts of a row; a sign at its beginning or after another one belongs to what follows."""
    parts: list[str] = []
    for child in children:
        parts.append(_tex(child, bool(parts) and parts[-1][-1:] != " "))
    return parts


def _fenced(children: list[Element]) -> str:
    """A row in brackets, which grow with it; a matrix in brackets; or nothing."""
    first, last = children[0], children[-1]
    opening = _text(first) if first.tag == "mo" else ""
    closing = _text(last) if last.tag == "mo" else ""
    if opening not in _OPENING or any(
        child.tag == "mo" and _text(child) == opening for child in children[1:-1]
    ):
        return ""
    if closing not in _CLOSING:
        if opening != "{":
            return ""
        closing = ""
    inside = [child for child in children[1 : -1 if closing else None] if not _is_empty(child)]
    while len(inside) == 1 and inside[0].tag in _ROWS and len(inside[0]) == 1:
        inside = list(inside[0])
    if len(inside) == 1 and inside[0].tag == "mtable" and (name := _MATRICES.get(opening + closing)):
        return _lines(inside[0], name)
    if not closing:
        return ""
    if any(child.tag == "mo" and _text(child) in ")]}⟩⌉⌋" for child in children[1:-1]):
        return ""
    return _bracketed(_OPENING[opening], _sequence(inside), _CLOSING[closing])


def _bracketed(left: str, parts: list[str], right: str) -> str:
    """Puts brackets that grow around the parts of a row."""
    return _joined([f"\\left{left}", " " if left[-1].isalpha() else "", *parts, f"\\right{right}"])


def _is_empty(element: Element) -> bool:
    return (element.tag == "mo" or element.tag in _ROWS) and not "".join(element.itertext()).strip()


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _escaped(text: str) -> str:
    return "".join(_sign(char) for char in text)


@cache
def _sign(char: str) -> str:
    """TeX for a character."""
    if char.isascii():
        return _SPECIAL.get(char, char)
    if char in _SIGNS:
        return _SIGNS[char]
    for signs in (_BINARY, _LARGE):
        if char in signs:
            return "\\" + signs[char]
    if char in _PLAIN_BINARY:
        return _PLAIN_BINARY[char]
    name = unicodedata.name(char, "")
    plain = unicodedata.normalize("NFKC", char)
    if plain != char and len(plain) == 1 and (name.startswith("MATHEMATICAL") or plain.isascii()):
        for words, command in _ALPHABETS.items():
            if words in name:
                return f"\\{command}{{{_sign(plain)}}}"
        return _sign(plain)
    if char in _LATIN:
        return _LATIN[char]
    if found := _GREEK.fullmatch(name):
        word = {"LAMDA": "LAMBDA", "EPSILON": "VAREPSILON"}.get(found[2], found[2]).lower()
        return "\\" + (word.capitalize() if found[1] == "CAPITAL" else word)
    return char


def _identifier(element: Element) -> str:
    text = _text(element)
    if text in _FUNCTIONS:
        return f"\\{text}"
    variant = element.get("mathvariant", "")
    made = _escaped(text)
    if variant == "normal" and not (text.isascii() and text.isalpha()):
        variant = ""
    if variant in _VARIANTS:
        return f"\\{_VARIANTS[variant]}{{{made}}}"
    return f"\\mathrm{{{made}}}" if len(text) > 1 and text.isalpha() and text.isascii() else made


def _operator(element: Element, after: bool) -> str:
    text = _text(element)
    if len(text) > 1 and text.isalpha():
        return f"\\{text}" if text in _FUNCTIONS else f"\\operatorname{{{text}}}"
    made = _escaped(text)
    if text in _PLAIN_BINARY or text in _BINARY:
        return f" {made} " if after else made
    return f"{made} " if text in (",", ";") else made


def _words(element: Element) -> str:
    text = "".join(element.itertext()).replace("\N{NO-BREAK SPACE}", " ")
    text = re.sub(r"\s+", " ", text)
    if not text.strip():
        return r"\;" if text else ""
    safe = "".join(_SPECIAL[char] if char in "#$%&_{}" else char for char in text.replace("\\", ""))
    return f"\\text{{{safe}}}"


def _group(element: Element) -> str:
    return f"{{{_tex(element, False).strip()}}}"


def _children(element: Element, n: int) -> list[Element]:
    """The first children, and empty ones for those that are missing."""
    found = list(element)[:n]
    return found + [Element("mrow")] * (n - len(found))


def _base(element: Element) -> str:
    """What scripts are put at."""
    made = _tex(element, False).strip()
    simple = len(made) == 1 or re.fullmatch(r"\\[A-Za-z]+(\{[^{}]*\})?|\\left.*\\right\S+", made)
    return made if simple or element.tag in ("mi", "mo", "mn") else f"{{{made}}}"


def _scripted(element: Element, below: bool, above: bool) -> str:
    base, *scripts = _children(element, 1 + below + above)
    made = _base(base)
    if below and (script := _group(scripts[0])) != "{}":
        made += f"_{script}"
    if above and (script := _group(scripts[-1])) != "{}":
        made += script[1:-1] if script in ("{'}", "{''}") else f"^{script}"
    return made


def _limits(element: Element, below: bool, above: bool) -> str:
    base, *scripts = _children(element, 1 + below + above)
    inner = base
    while inner.tag in _ROWS and len(inner) == 1:
        inner = inner[0]
    text = _text(inner)
    if text in _LARGE or text.replace(" ", "") in _LIMITS:
        return _scripted(element, below, above)
    made = _tex(base, False).strip()
    if below:
        command = _UNDER.get(_text(scripts[0]))
        made = f"\\{command}{{{made}}}" if command else f"\\underset{_group(scripts[0])}{{{made}}}"
    if above:
        command = _OVER.get(_text(scripts[-1]))
        made = f"\\{command}{{{made}}}" if command else f"\\overset{_group(scripts[-1])}{{{made}}}"
    return made


def _fraction(element: Element) -> str:
    over, under = map(_group, _children(element, 2))
    if re.fullmatch(r"0(\.0*)?[a-z%]*", element.get("linethickness", "").strip()):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{over}{under}"
    return f"\\frac{over}{under}"


def _root(element: Element) -> str:
    base, index = _children(element, 2)
    return f"\\sqrt[{_tex(index, False).strip()}]{_group(base)}"


def _lines(element: Element, name: str) -> str:
    """The rows of a table."""
    lines = []
    labels = []
    for row in element:
        cells = list(row)
        if row.tag == "mlabeledtr" and cells:
            labels.append(_text(cells.pop(0)).strip("() "))
        lines.append([_row(cell).strip() for cell in cells])
    tag = f" \\tag{{{_escaped(labels[0])}}}" if len(labels) == 1 and labels[0] else ""
    if name == "aligned" and len(lines) == 1:
        return " ".join(filter(None, lines[0])) + tag
    body = r" \\ ".join(" & ".join(cells) for cells in lines)
    return f"\\begin{{{name}}}{body}\\end{{{name}}}{tag}"


def _in_brackets(element: Element) -> str:
    """An <mfenced>."""
    separators = element.get("separators", ",").split() or [""]
    opening, closing = element.get("open", "(").strip(), element.get("close", ")").strip()
    children = list(element)
    if len(children) == 1 and children[0].tag == "mtable" and (name := _MATRICES.get(opening + closing)):
        return _lines(children[0], name)
    parts = []
    for n, child in enumerate(children):
        if n:
            parts.append(_escaped(separators[min(n - 1, len(separators) - 1)]) + " ")
        parts.append(_tex(child, False).strip())
    return _bracketed(_OPENING.get(opening, "."), parts, _CLOSING.get(closing, "."))


def _prescripted(element: Element) -> str:
    """An <mmultiscripts>: pairs of scripts behind the base, and in front of it after <mprescripts>."""
    base, *rest = _children(element, max(len(element), 1))
    at = next((n for n, child in enumerate(rest) if child.tag == "mprescripts"), len(rest))

    def pairs(scripts: list[Element]) -> str:
        made = ""
        for n, script in enumerate(scripts):
            if script.tag != "none" and (text := _group(script)) != "{}":
                made += ("^" if n % 2 else "_") + text
        return made

    before = pairs(rest[at + 1 :])
    return (f"{{}}{before}" if before else "") + _base(base) + pairs(rest[:at])


def _space(element: Element) -> str:
    found = re.match(r"\s*(-?[\d.]+)\s*em", element.get("width", ""))
    try:
        width = float(found[1]) if found else 0.0
    except ValueError:
        width = 0.0
    return r"\qquad " if width >= 2 else r"\quad " if width >= 1 else r"\;" if width >= 0.2 else ""


# elements that only hold others
_ROWS = frozenset("mrow math mstyle mpadded merror TeXAtom texatom mtd mtr menclose".split())
_MAKERS: dict[str, Callable[[Element], str]] = {
    "mi": _identifier,
    "mn": lambda element: _escaped(_text(element)),
    "mtext": _words,
    "ms": _words,
    "mfrac": _fraction,
    "msqrt": lambda element: f"\\sqrt{{{_row(element).strip()}}}",
    "mroot": _root,
    "msub": lambda element: _scripted(element, True, False),
    "msup": lambda element: _scripted(element, False, True),
    "msubsup": lambda element: _scripted(element, True, True),
    "munder": lambda element: _limits(element, True, False),
    "mover": lambda element: _limits(element, False, True),
    "munderover": lambda element: _limits(element, True, True),
    "mtable": lambda element: _lines(element, "aligned"),
    "mfenced": _in_brackets,
    "mmultiscripts": _prescripted,
    "mspace": _space,
    "mphantom": lambda element: f"\\phantom{{{_row(element).strip()}}}",
    "semantics": lambda element: _tex(_children(element, 1)[0], False),
    "maction": lambda element: _tex(_children(element, 1)[0], False),
    "none": lambda _: "",
    "mprescripts": lambda _: "",
}


def _tex(element: Element, after: bool) -> str:
    """TeX of an element; `after` says that something stands before it in its row."""
    if element.tag == "mo":
        return _operator(element, after)
    return _MAKERS.get(element.tag, _row)(element)
