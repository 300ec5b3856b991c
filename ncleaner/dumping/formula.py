"""The tree of a formula that a page has only as MathML or as the elements of MathJax, and its line of text.

The tree has rows (`mrow`), leaves, and few other elements, each with all of its parts: `mfrac` and `mroot`
have two, `msubsup` and `munderover` a base, what is below, and what is above; `mtable` has rows of cells. A
part that is missing is an empty row. Brackets of `mfenced` are operators, and `mmultiscripts` is a row.

In the line, signs replace the second dimension, `x = (−b ± √(b^2 − 4ac))/(2a)`: the leaves alone would say
another formula. The signs are those of Unicode's linear form of mathematics (Unicode Technical Note 28).
Spaces separate the cells of a matrix, semicolons its rows.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from xml.etree.ElementTree import Element, tostring

from ncleaner.text.visible import UNSEEN_OPERATORS
from ncleaner.text.wordlists import pairs_of, word_lists

_WHITE = " \t\n\r\f"
# Deeper formulas are written as plain text. Among this many elements MathJax's name of a part is searched.
_DEEPEST, _NEAR = 100, 50
# XML has no control characters.
_SPACES = bytes.maketrans(bytes(range(32)), bytes([32] * 32))
# Bytes of the longest tree that is noted for writers of TeX.
_LONGEST = 50_000
# `formula.txt` says what these are.
_LISTS = word_lists("dumping/formula", "leaves", "parts", "wrappers")
_LEAVES, _WRAPPERS = frozenset(_LISTS["leaves"]), frozenset(_LISTS["wrappers"])
_PARTS = {name: said.split() for name, said in pairs_of(_LISTS["parts"]).items()}

_PRIMES = re.compile("['°′-‷⁗]")
_OPENING, _CLOSING, _LINES = "([{⟨⌈⌊", ")]}⟩⌉⌋", "|‖∥"
# Operators with a space on either side; characters after which an operator is a sign; letters, digits, and
# operators that are read as words.
_RELATION = re.compile("[=<>+±×÷←-⇿∈-∍−∓∧-∪∼-⊋⊕-⊥⋄-⋿-]")
_BEFORE_SIGN = re.compile(f"[(\\[{{,^_/√]|{_RELATION.pattern}")
_WORD = re.compile("[0-9A-Za-z∏-∑√∫-∳℀-⅏À-ÖØ-öø-\u1fff\u2c00-\U0010ffff]")


def read_formula(math: Element, noted: bool) -> tuple[list[str], bytes]:
    """Returns the texts of a formula's line, and its tree.

    Args:
        math: the <math> or <mjx-math>.
        noted: whether the tree is wanted.

    Returns:
        Pieces of text, of which a space alone may be one; and XML, empty for a formula too deep or long.
    """
    if _is_deep(math):
        return ["".join(math.itertext())], b""
    tree = tree_of(math)
    line = _Line()
    line.write(tree)
    xml = tostring(tree, "unicode").encode().translate(_SPACES) if noted else b""
    return line.pieces, xml if len(xml) <= _LONGEST else b""


def _is_deep(root: Element) -> bool:
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return False
    return True


# The tree ---------------------------------------------------------------------------------------------


def tree_of(element: Element) -> Element:
    """Returns a formula, or a part of it, as the tree above."""
    name = element.tag.removeprefix("mjx-")
    if name in _LEAVES:
        return _leaf(name, "".join(element.itertext()), element.attrib)
    if name in _PARTS:
        return _of_parts(element, name)
    if name == "mmultiscripts":
        return _of_scripts(element)
    if name == "mtable":
        return _made("mtable", map(_cells, _rows(element)))
    if name == "mfenced":
        return _fenced(element)
    if name == "mphantom":
        return Element("mrow")
    inside = _inside(element)
    return _row(inside[:1] if name in ("semantics", "maction") else inside)


def _made(name: str, parts: Iterable[Element], attributes: dict[str, str] | None = None) -> Element:
    made = Element(name, attributes or {})
    made.extend(parts)
    return made


def _leaf(name: str, text: str, attributes: dict[str, str] | None = None) -> Element:
    made = Element(name, attributes or {})
    made.text = text
    return made


def _row(parts: list[Element]) -> Element:
    """A row; one part alone, but an operator, needs none."""
    return parts[0] if len(parts) == 1 and parts[0].tag != "mo" else _made("mrow", parts)


def _inside(element: Element) -> list[Element]:
    """The parts of a row, with the text beside its elements, which MathML does not have."""
    name = "mtext" if len(element) else "mn"
    parts = _loose(name, element.text)
    for child in element:
        parts += tree_of(child), *_loose(name, child.tail)
    return parts


def _loose(name: str, text: str | None) -> list[Element]:
    return [_leaf(name, text)] if text and text.strip() else []


def _of_parts(element: Element, name: str) -> Element:
    made, *names = _PARTS[name]
    if name == element.tag:
        parts = [_row(_inside(element))] if name == "msqrt" else list(map(tree_of, element))
    elif (script := _find(element, "script")) is None:
        parts = [_shown(element, part) for part in names]
    else:
        # limits beside their base are scripts; the upper one is first
        scripts = [tree_of(child) for child in script if child.tag != "mjx-spacer"]
        made, parts = "msubsup", [_shown(element, "base"), *reversed(scripts)]
    found = dict(zip(names, parts, strict=False))
    # the longest of those that become the same
    return _made(made, (found.get(part, Element("mrow")) for part in _PARTS[made][1:]), element.attrib)


def _find(element: Element, name: str) -> Element | None:
    """Returns what MathJax shows as a part of an element."""
    queue = list(islice(element, _NEAR))
    for child in queue:
        if child.tag == f"mjx-{name}":
            return child
        if child.tag in _WRAPPERS and len(queue) < _NEAR:
            queue += islice(child, _NEAR)
    return None


def _shown(element: Element, name: str) -> Element:
    part = _find(element, name)
    if part is None:
        return tree_of(element[0]) if name == "base" and len(element) else Element("mrow")
    return _row(_inside(part))


def _of_scripts(element: Element) -> Element:
    """An <mmultiscripts>: pairs of scripts after the base, and before it those after <mprescripts>."""
    base, *scripts = [tree_of(child) for child in element] or [Element("mrow")]
    at = next((n for n, child in enumerate(element) if child.tag == "mprescripts"), len(element))
    parts = []
    for first, some in (
        (Element("mrow"), scripts[at:]),
        (base, scripts[: max(at - 1, 0)] or [Element("mrow")]),
    ):
        for n in range(0, len(some), 2):
            inside = [Element("mrow") if n else first, *some[n : n + 2], Element("mrow")]
            parts.append(_made("msubsup", inside[:3]))
    return _row(parts)


def _rows(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag in _WRAPPERS:
            yield from _rows(child)
        else:
            yield child


def _cells(row: Element) -> Element:
    name = row.tag.removeprefix("mjx-")
    return _made(name, map(tree_of, row)) if name in ("mtr", "mlabeledtr") else _made("mtr", [tree_of(row)])


def _fenced(element: Element) -> Element:
    """An <mfenced> as a row with its brackets."""
    signs = element.get("separators", ",").split()
    parts = [_leaf("mo", element.get("open", "("))]
    for n, part in enumerate(_inside(element)):
        if n and signs:
            parts.append(_leaf("mo", signs[min(n, len(signs)) - 1]))
        parts.append(part)
    return _made("mrow", [*parts, _leaf("mo", element.get("close", ")"))])


# The line ---------------------------------------------------------------------------------------------


def _text(element: Element) -> str:
    return (element.text or "").strip(_WHITE)


def _is_empty(element: Element) -> bool:
    return not any(text.strip(_WHITE) for text in element.itertext())


def _bracket(element: Element) -> str:
    sign = _text(element)[:1] if element.tag == "mo" else ""
    return sign if sign in _OPENING + _CLOSING + _LINES else ""


def _stands_alone(element: Element, with_scripts: bool) -> bool:
    """Returns whether a part needs no brackets: it is a leaf, or has brackets or, `with_scripts`, scripts."""
    while element.tag == "mrow":
        parts = [part for part in element if len(part) or part.text]
        if len(parts) != 1:
            signs = list(map(_bracket, parts))
            is_closed = bool(parts and signs[0] and signs[-1]) and len(list(filter(None, signs))) == 2
            return not parts or (is_closed and signs[0] not in _CLOSING and signs[-1] not in _OPENING)
        element = parts[0]
    if element.tag == "mroot" and len(element[1]) + len(element[1].text or ""):
        return False
    return element.tag in _LEAVES or (with_scripts and element.tag not in ("mfrac", "mtable"))


class _Line:
    """The writer of a line; `pieces` are its texts, and a space alone."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._last = ""  # character
        # whether a letter or a digit here would seem to belong to the part before it
        self._is_joint = False

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self._last = text.rstrip(_WHITE)[-1:]
        self._is_joint = False

    def _space(self) -> None:
        self.pieces.append(" ")

    def write(self, element: Element) -> None:
        begin = len(self.pieces)
        match element.tag:
            case "mfrac":
                # without a bar it is a binomial coefficient, a column of two
                is_stacked = element.get("linethickness", "").startswith("0")
                self._group(element[0], True)
                if not _is_empty(element[1]):
                    self._put("; " if is_stacked else "/")
                    self._group(element[1], True)
            case "mroot":
                self._root(*element)
            case "msubsup" | "munderover":
                self._scripts(*element, are_limits=element.tag == "munderover")
            case name:
                for n, part in enumerate(element):
                    if n and name != "mrow":
                        self._put("; ") if name == "mtable" else self._space()
                    self.write(part)
                if text := _text(element):
                    self._operator(text) if name == "mo" else self._words(text, name == "mi")
                return
        self._is_joint |= len(self.pieces) > begin

    def _words(self, text: str, is_name: bool) -> None:
        # a name of several letters is apart
        is_name = is_name and len(text) > 1 and bool(_WORD.match(text)) and not text[1].isspace()
        if _WORD.match(text) and (self._is_joint or (is_name and _WORD.match(self._last))):
            self._space()
        self._put(text)
        self._is_joint = is_name

    def _operator(self, text: str) -> None:
        """Writes an operator: with spaces if it is a relation or binary, and without as a sign."""
        if text[0] in UNSEEN_OPERATORS:
            if text[0] == "\u2061":  # the name of a function is apart from its argument
                self._space()
        elif _RELATION.match(text) and self._last and not _BEFORE_SIGN.match(self._last):
            self._space()
            self._put(text)
            self._space()
        else:
            if self._is_joint and _WORD.match(text):
                self._space()
            self._put(text)
            if text[0] in ",;":
                self._space()

    def _group(self, element: Element, with_scripts: bool = False) -> None:
        """Writes a part, in brackets if it needs them."""
        alone = _stands_alone(element, with_scripts)
        if not alone:
            self._put("(")
        self.write(element)
        if not alone:
            self._put(")")

    def _root(self, base: Element, index: Element) -> None:
        if _is_empty(base):
            return
        is_square = _is_empty(index)
        if is_square:
            if self._is_joint:
                self._space()
            self._put("√")
        self._group(base)
        if not is_square:
            self._put("^(1/")
            self._group(index)
            self._put(")")

    def _scripts(self, base: Element, below: Element, above: Element, *, are_limits: bool) -> None:
        self._group(base)
        for sign, part in (("_", below), ("^", above)):
            if _is_empty(part):
                continue
            # a line over a letter, an arrow below it, a prime
            is_sign = part.tag == "mo" and (are_limits or (part is above and _PRIMES.match(_text(part))))
            if not is_sign:
                self._put(sign)
            self._group(part)
