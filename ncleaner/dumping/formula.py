"""The tree of a formula that a page has only as MathML or as the elements of MathJax.

The tree has rows (`mrow`), leaves, and few other elements, each with all of its parts: `mfrac` and `mroot`
have two, `msubsup` and `munderover` a base, what is below, and what is above; `mtable` has rows of cells. A
part that is missing is an empty row. Brackets of `mfenced` are operators, and `mmultiscripts` is a row.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from xml.etree.ElementTree import Element

from ncleaner.text.wordlists import pairs_of, word_lists

# Deeper formulas, and those with more elements, are written as plain text. Among this many elements MathJax's
# name of a part is searched.
_DEEPEST, _MOST, _NEAR = 100, 20_000, 50
# `formula.txt` says what these are.
_LISTS = word_lists("dumping/formula", "leaves", "parts", "wrappers")
_LEAVES, _WRAPPERS = frozenset(_LISTS["leaves"]), frozenset(_LISTS["wrappers"])
_PARTS = {name: said.split() for name, said in pairs_of(_LISTS["parts"]).items()}


def is_small(root: Element) -> bool:
    """Returns whether a formula is neither too deep nor too large to be read."""
    level = [root]
    size = 0
    for _ in range(_DEEPEST):
        level = [child for element in level for child in element]
        size += len(level)
        if not level:
            return size <= _MOST
    return False


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
