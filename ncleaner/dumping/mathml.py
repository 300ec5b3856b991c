"""TeX of formulas that a page has only as MathML, or as the elements that MathJax shows in its place.

Converters that the registries have lose matrices and the names of functions, and are not kept up.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from xml.etree.ElementTree import Element

from ncleaner.dumping.formula import is_small, tree_of
from ncleaner.text.visible import UNSEEN_OPERATORS
from ncleaner.text.wordlists import pairs_of, word_lists

# `mathml.txt` says what these are, and how to add one.
_LISTS = word_lists(
    "dumping/mathml", "functions, as written", "limits, as written", "large", "binary, as written",
    "signs, as written", "over", "under", "variants", "alphabets, as written", "matrices, as written",
)  # fmt: skip
_FUNCTIONS, _LIMITS, *_PAIRS = _LISTS.values()
_LARGE, _BINARY, _SIGNS, _OVER, _UNDER, _VARIANTS, _ALPHABETS, _MATRICES = map(pairs_of, _PAIRS)
# what has another meaning in TeX
_SPECIAL = {char: f"\\{char}" for char in "#$%&_{}"} | {"\\": r"\backslash", "~": r"\sim", "^": r"\hat{}"}
_PLAIN_BINARY = {"−": "-", "=": "=", "+": "+", "-": "-", "<": "<", ">": ">"}
_OPENING = dict(zip("([{|‖∥⟨⌈⌊", r"( [ \{ | \Vert \Vert \langle \lceil \lfloor".split(), strict=True))
_CLOSING = dict(zip(")]}|‖∥⟩⌉⌋", r") ] \} | \Vert \Vert \rangle \rceil \rfloor".split(), strict=True))
_CLOSED = frozenset(")]}⟩⌉⌋")
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)")
# Letters of the name of a command.
_LONGEST_NAME = 40
# TeX has no names for those that look like Latin letters
_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))


def tex_of(math: Element) -> str:
    """Returns the TeX of a <math> or <mjx-math> on one line, without delimiters; of one that is too deep or
    too large, its text; empty if it has none."""
    text = " ".join("".join(math.itertext()).split())
    return _tex(tree_of(math)).strip() if text and is_small(math) else text


def _joined(parts: list[str]) -> str:
    """Puts a space where a command would swallow a letter, and one where there are several."""
    made = ""
    for part in parts:
        if part[:1].isalnum() and re.search(r"\\[A-Za-z]+$", made[-_LONGEST_NAME:]):
            made += " "
        made += part
    return re.sub(r" {2,}", " ", made)


def _row(element: Element) -> str:
    """What is inside of an element."""
    children = [child for child in element if not (child.tag == "mo" and _text(child) in UNSEEN_OPERATORS)]
    if len(children) > 1 and (fenced := _fenced(children)):
        return fenced
    return _joined(_sequence(children))


def _sequence(children: Iterable[Element]) -> list[str]:
    """The parts of a row; a sign at its beginning or after another one belongs to what follows."""
    parts: list[str] = []
    for child in children:
        parts.append(_tex(child, bool(parts) and parts[-1][-1:] not in " (["))
    return parts


def _fenced(children: list[Element]) -> str:
    """A row in brackets, which grow with it; a matrix in brackets; or nothing."""
    opening, *signs, closing = [_text(child) if child.tag == "mo" else "" for child in children]
    if opening not in _OPENING or opening in signs:
        return ""
    inside = children[1 : -1 if closing in _CLOSING else None]
    tables = [child for child in inside if child.tag not in ("mo", "mrow") or _text(child)]
    if len(tables) == 1 and tables[0].tag == "mtable" and (name := _MATRICES.get(opening + closing)):
        return _lines(tables[0], name)
    if closing not in _CLOSING or not _CLOSED.isdisjoint(signs):
        return ""
    left = _OPENING[opening] + (" " if _OPENING[opening][-1].isalpha() else "")
    return _joined([f"\\left{left}", *_sequence(inside), f"\\right{_CLOSING[closing]}"])


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
    return f"{{{_tex(element).strip()}}}"


def _base(element: Element) -> str:
    """What scripts are put at."""
    made = _tex(element).strip()
    simple = len(made) == 1 or re.fullmatch(r"\\[A-Za-z]+(\{[^{}]*\})?|\\left.*\\right\S+", made)
    return made if simple or element.tag in ("mi", "mo", "mn") else f"{{{made}}}"


def _scripted(base: Element, *scripts: Element) -> str:
    made = _base(base)
    for sign, script in zip("_^", map(_group, scripts), strict=True):
        if script != "{}":
            made += script[1:-1] if script in ("{'}", "{''}") else sign + script
    return made


def _limits(base: Element, *scripts: Element) -> str:
    text = _text(base)
    if text in _LARGE or text.replace(" ", "") in _LIMITS:
        return _scripted(base, *scripts)
    made = _tex(base).strip()
    for script, commands, other in zip(scripts, (_UNDER, _OVER), ("underset", "overset"), strict=True):
        if (group := _group(script)) != "{}":
            command = commands.get(_text(script))
            made = f"\\{command}{{{made}}}" if command else f"\\{other}{group}{{{made}}}"
    return made


def _fraction(element: Element) -> str:
    over, under = map(_group, element)
    if re.fullmatch(r"0(\.0*)?[a-z%]*", element.get("linethickness", "").strip()):
        return f"\\genfrac{{}}{{}}{{0pt}}{{}}{over}{under}"
    return f"\\frac{over}{under}"


def _root(base: Element, index: Element) -> str:
    degree = _tex(index).strip()
    return f"\\sqrt{f'[{degree}]' if degree else ''}{_group(base)}"


def _lines(element: Element, name: str) -> str:
    """The rows of a table."""
    lines = []
    labels = []
    for row in element:
        cells = list(row)
        if row.tag == "mlabeledtr" and cells:
            labels.append(_text(cells.pop(0)).strip("() "))
        lines.append([_tex(cell).strip() for cell in cells])
    tag = f" \\tag{{{_escaped(labels[0])}}}" if len(labels) == 1 and labels[0] else ""
    if name == "aligned" and len(lines) == 1:
        return " ".join(filter(None, lines[0])) + tag
    body = r" \\ ".join(" & ".join(cells) for cells in lines)
    return f"\\begin{{{name}}}{body}\\end{{{name}}}{tag}"


def _space(element: Element) -> str:
    found = re.match(r"\s*(-?[\d.]+)\s*em", element.get("width", ""))
    try:
        width = float(found[1]) if found else 0.0
    except ValueError:
        width = 0.0
    return r"\qquad " if width >= 2 else r"\quad " if width >= 1 else r"\;" if width >= 0.2 else ""


_WRITERS: dict[str, Callable[[Element], str]] = {
    "mi": _identifier,
    "mn": lambda element: _escaped(_text(element)),
    "mtext": _words,
    "ms": _words,
    "mspace": _space,
    "mfrac": _fraction,
    "mroot": lambda element: _root(*element),
    "msubsup": lambda element: _scripted(*element),
    "munderover": lambda element: _limits(*element),
    "mtable": lambda element: _lines(element, "aligned"),
}


def _tex(element: Element, after: bool = False) -> str:
    """TeX of an element; `after` says that something is before it in its row."""
    return _operator(element, after) if element.tag == "mo" else _WRITERS.get(element.tag, _row)(element)
