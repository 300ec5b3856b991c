"""HTML tree to Document tables through selectolax's Python nodes.

This walk is used if the layout of Lexbor's structs is not the one that `_dump.pyx` expects. It passes the
same events to the same builder, so the Document is identical byte for byte; the walk only takes longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncleaner.document import _formula, tags
from ncleaner.document._document import class_hides
from ncleaner.document._dump import style_hides
from ncleaner.document._marks import Mark, is_display

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ncleaner.document._document import Builder

__all__ = ["Walk", "walk"]

_ALT = tags.CONTEXT.index("alt")
_CODE = tags.CONTEXT.index("code")
_ASCII_SPACE = " \t\n\v\f\r"
_JOINT_LEVELS = 16  # as in _joint.pxd
_LATE = ("data-src", "data-original", "data-lazy-src")  # as in _marks.pyx
_NEAR, _FORMULA_NODES = 4, 10_000  # as in _dump.pyx
# These occur only in math and svg: the first is not a custom element in spite of its hyphen, the second not
# an image.
_FOREIGN = {"annotation-xml", "image"}


def _known(tag: str) -> str:
    """Returns the name of a tag in tags.py: the tag itself, `-` for custom elements, or empty if unknown."""
    if tag in _FOREIGN:
        return ""
    return tag if tag in tags.CODE else "-" if "-" in tag else ""


def _tags_of(node: LexborNode) -> int:
    """Returns the number of tags of an element: 1 for a void element, 2 for any other."""
    return 1 if node.tag in tags.VOID else 2


def _is_streamed(identifier: str) -> bool:
    """Returns whether an id marks content that React streams at the end of the page, as in `_dump.pyx`."""
    return len(identifier) > 2 and identifier.startswith("S:")


def _side(node: LexborNode, around: LexborNode) -> tuple[bytes, list[tuple[int, int, bytes, bytes, bytes]]]:
    """Returns a side of a joint: the text of a text node, and the elements around it below `around`."""
    elements = []
    parent = node.parent
    while parent is not None and parent.mem_id != around.mem_id:
        tag = _known(parent.tag or "")
        attributes = parent.attributes
        name, style, href = ((attributes.get(key) or "").encode() for key in ("class", "style", "href"))
        elements.append((tags.SIDE[tag], tags.CODE[tag], name, style, href))
        parent = parent.parent
    return (node.text_content or "").encode(), elements


def _start_tag(node: LexborNode) -> int:
    """Returns the length of an element's start tag in bytes, as `tables.Document` defines it."""
    length = len((node.tag or "").encode())
    for name, value in node.attributes.items():
        length += 1 + len(name.encode()) + (3 + len(value.encode()) if value else 0)
    return length


def _end_tag(node: LexborNode) -> int:
    """Returns the length of an element's end tag in bytes; 0 for a void element."""
    return 0 if _tags_of(node) == 1 else 1 + len((node.tag or "").encode())


def _is_bare_text(node: LexborNode | None) -> bool:
    return node is not None and node.is_text_node and bool((node.text_content or "").strip(_ASCII_SPACE))


def _next(node: LexborNode, root: LexborNode, into: bool = True) -> LexborNode | None:
    """Returns the next node below `root` in document order; with `into`, the children of `node` count."""
    if into and node.first_child is not None:
        return node.first_child
    here: LexborNode | None = node
    while here is not None and here.mem_id != root.mem_id and here.next is None:
        here = here.parent
    return None if here is None or here.mem_id == root.mem_id else here.next


def _text_of(node: LexborNode) -> bytes:
    """Returns the text of an element whose first child is a text node that is not blank, or nothing."""
    child = node.first_child
    text = (child.text_content or "") if child is not None and child.is_text_node else ""
    return text.encode() if text.strip(_ASCII_SPACE) else b""


def _tex_of_script(node: LexborNode) -> bytes:
    """Returns the TeX in a <script type="math/tex">, or nothing."""
    if node.tag != "script" or not (node.attributes.get("type") or "").startswith("math/tex"):
        return b""
    return _text_of(node)


def _tex_follows(node: LexborNode) -> bool:
    """Returns whether a script with the TeX of a formula follows, after the element or after its parent."""
    for _level in range(2):
        other = node.next
        for _ in range(_NEAR):
            if other is None:
                break
            if _tex_of_script(other):
                return True
            other = other.next
        if node.parent is None:
            return False
        node = node.parent
    return False


def _math_in(root: LexborNode) -> LexborNode | None:
    """Returns the first <math> in an element."""
    node: LexborNode | None = root
    for _ in range(_FORMULA_NODES):
        if node is None or node.tag == "math":
            return node
        node = _next(node, root)
    return None


def _is_display(node: LexborNode) -> bool:
    """Returns whether a formula stands on a line of its own, as it or an element around it says."""
    here: LexborNode | None = node
    for _level in range(_NEAR):
        if here is None or not here.is_element_node:
            return False
        if any(
            value and is_display(name.encode(), value.encode()) for name, value in here.attributes.items()
        ):
            return True
        here = here.parent
    return False


def _source(attributes: Mapping[str, str | None]) -> bytes:
    """Returns the source that an image gets when it is seen, or its own."""
    late = [value for name, value in attributes.items() if name in _LATE and value]
    return (late[-1] if late else attributes.get("src") or "").encode()


class Walk:
    """The state of a walk, and what it does at each node."""

    def __init__(self, builder: Builder, alt_text: bool) -> None:
        self.builder = builder
        self.alt_text = alt_text
        self.title = b""
        self.last: LexborNode | None = None  # the text node with the last character that is not white space

        self.formula = 0  # end of the text (`written`) after the last formula
        self.rubies = 0  # number of open <ruby>

    def text(self, node: LexborNode) -> None:
        """Passes the text of a text node to the builder, after a space if there has to be one."""
        builder = self.builder
        data = (node.text_content or "").encode()
        if self.last is not None and builder.joint(data) and self._are_apart(self.last, node, data):
            builder.space()
        written = builder.written
        # White space between the parts of <ruby> is layout.
        if not (self.rubies and node.parent is not None and node.parent.tag == "ruby" and not data.strip()):
            builder.text(data)
        if builder.written != written:
            self.last = node

    def _are_apart(self, before: LexborNode, after: LexborNode, data: bytes) -> bool:
        """Returns whether a space belongs between two text nodes that touch."""
        above: dict[int, LexborNode] = {}  # the child of each element around `before`
        left: LexborNode | None = before
        while left is not None and left.parent is not None and len(above) <= _JOINT_LEVELS:
            above[left.parent.mem_id] = left
            left = left.parent
        right = after
        for _level in range(_JOINT_LEVELS + 1):
            around = right.parent
            if around is None:
                return False
            if around.mem_id in above:
                among_text = _is_bare_text(above[around.mem_id].prev) or _is_bare_text(right.next)
                return self.builder.is_apart(data, _side(before, around), _side(after, around), among_text)
            right = around
        return False

    def _end_formula(self) -> None:
        self.formula = self.builder.written
        self.last = None

    def _add_tex(self, tex: bytes, node: LexborNode) -> None:
        _formula.write_tex(self.builder, tex, self.builder.marking and _is_display(node))
        self._end_formula()

    def _add_formula(self, math: LexborNode) -> None:
        """Writes a <math>: its TeX if it has any, otherwise the text of its leaves."""
        builder, start = self.builder, self.builder.written
        tex = b""
        node: LexborNode | None = math
        while node is not None and not tex:
            if node.tag == "annotation" and node.attributes.get("encoding") == "application/x-tex":
                tex = _text_of(node)
            node = _next(node, math)
        tex = tex or (math.attributes.get("alttext") or "").encode()
        if tex.strip():
            self._add_tex(tex, math)
            return
        node = math
        while node is not None:
            into = node.tag not in ("annotation", "annotation-xml")
            if node.is_text_node:
                operator = node.parent is not None and node.parent.tag == "mo"
                _formula.write_leaf(builder, (node.text_content or "").encode(), operator, start)
            node = _next(node, math, into)
            parent = None if node is None or not node.is_element_node or node.prev is None else node.parent
            if parent is not None and parent.tag == "mfrac":
                _formula.write_bar(builder, start)
        self._end_formula()

    def _enter_formula(self, node: LexborNode, kind: str) -> bool:
        """Handles an element whose class is one of formulas. Returns whether the element is done."""
        written = self.formula > 0 and self.formula == self.builder.written
        if kind == "copy":
            return written
        if kind == "image":
            alt = node.attributes.get("alt")
            if alt is not None and not written:
                self._add_tex(alt.encode(), node)
            return alt is not None
        if _tex_follows(node):
            return True
        math = None if kind == "preview" else _math_in(node)
        if math is not None:
            self._add_formula(math)
        return math is not None

    def _add_readings(self, ruby: LexborNode) -> None:
        """Writes the readings of a <ruby> in brackets after its text, those of an <rtc> in their own."""
        builder = self.builder
        is_open = False
        node: LexborNode | None = _next(ruby, ruby)
        while node is not None:
            part = node.tag in ("rt", "rtc")
            if part:
                if node.tag == "rtc" and is_open:
                    _formula.close_readings(builder)
                    is_open = False
                apart = True
                below = _next(node, node)
                while below is not None:
                    if below.is_text_node:
                        is_open = _formula.write_reading(
                            builder, (below.text_content or "").encode(), is_open, apart
                        )
                        apart = False
                    below = _next(below, node)
            node = _next(node, ruby, not part)
        if is_open:
            _formula.close_readings(builder)
        self.last = None

    def enter(self, node: LexborNode) -> bool:
        """Passes the opening of an element to the builder. Returns whether the walk goes into the element."""
        builder = self.builder
        builder.count_markup(_start_tag(node))
        tag = _known(node.tag or "")
        role = tags.ROLE[tag]
        if tag == "title":
            first = node.first_child
            if not self.title and first is not None and first.is_text_node:
                self.title = (first.text_content or "").encode()
            return self._leave_out(node)
        if role == tags.LEFT_OUT and not (tag == "button" and builder.in_heading):
            if tag in tags.OBJECTS:
                builder.object()
            if tex := _tex_of_script(node):
                self._add_tex(tex, node)
            if builder.marking and tag == "script":
                source = (node.attributes.get("src") or "").encode()
                builder.mark_script(source, _text_of(node))
            return self._leave_out(node)
        if role == tags.BREAK:
            builder.line_break()
            return False
        if role == tags.RULE:
            builder.rule()
            return False
        attributes = node.attributes
        hidden = "hidden" in attributes or style_hides((attributes.get("style") or "").encode())
        if tag in ("html", "body") or _is_streamed(attributes.get("id") or ""):
            hidden = False
        formula = _formula.class_of_formula((attributes.get("class") or "").encode())
        if formula == "source":
            hidden = False
        elif formula and not hidden and self._enter_formula(node, formula):
            return self._leave_out(node)
        if role != tags.BLOCK and (hidden or class_hides((attributes.get("class") or "").encode())):
            return self._leave_out(node)
        if tag == "math":
            self._add_formula(node)
            return self._leave_out(node)
        if node.tag == "mjx-container":
            self._enter_formula(node, "rendered")
            return self._leave_out(node)
        if self.rubies and tag in ("rt", "rtc"):
            return self._leave_out(node)
        self.rubies += tag == "ruby"
        if role == tags.IMAGE:
            builder.object()
            alt = attributes.get("alt")
            if builder.marking:
                builder.mark_image(_source(attributes), (alt or "").encode())
            if self.alt_text and alt is not None:
                builder.space()
                builder.open_inline(_ALT)
                builder.text(alt.encode())
                builder.close_inline(_ALT)
                builder.space()
                builder.count_tags(-1)
            else:
                builder.count_tags(1)
            return False
        if role == tags.BLOCK:
            class_, id_, part = ((attributes.get(name) or "").encode() for name in ("class", "id", "role"))
            builder.open_block(tags.CODE[tag], tags.FORM.get(tag, tags.PLAIN), class_, id_, part, hidden)
        else:
            builder.open_inline(tags.CONTEXT_BIT.get(tag, -1))
        if builder.marking:
            if tags.CONTEXT_BIT.get(tag) == _CODE:
                builder.mark(Mark.MARK_CODE)
            for name, value in attributes.items():
                if value is not None:
                    key = "base" if name == "href" and node.tag == "base" else name
                    builder.mark_attribute(tags.CODE[tag], key.encode(), value.encode())
        return True

    def _leave_out(self, node: LexborNode) -> bool:
        """Counts the tags of an element that is left out, and of all elements inside it. Returns False."""
        elements = [below for below in node.traverse() if below.is_element_node]
        self.builder.count_tags(sum(map(_tags_of, elements)))
        # `enter` has measured the start tag of `node` itself
        self.builder.count_markup(sum(map(_start_tag, elements[1:])) + sum(map(_end_tag, elements)))
        return False

    def leave(self, node: LexborNode) -> None:
        self.builder.count_markup(_end_tag(node))
        tag = _known(node.tag or "")
        if tag == "ruby":
            self.rubies -= 1
            if not self.rubies:
                self._add_readings(node)
        if tags.ROLE[tag] == tags.BLOCK:
            self.builder.close_block(tags.FORM.get(tag, tags.PLAIN))
        else:
            self.builder.close_inline(tags.CONTEXT_BIT.get(tag, -1))
            self.builder.count_tags(_tags_of(node) - 2)
            if self.builder.marking and tag == "a":
                self.builder.mark(Mark.MARK_LINK_END)

    def run(self, root: LexborNode) -> None:
        """Walks the tree below `root` depth first, without recursion."""
        open_nodes: list[LexborNode] = []
        node: LexborNode | None = root
        while node is not None:
            if node.is_text_node:
                self.text(node)
            elif node.is_element_node and self.enter(node):
                child = node.first_child
                if child is not None:
                    open_nodes.append(node)
                    node = child
                    continue
                self.leave(node)
            following = node.next if open_nodes else None
            while following is None and open_nodes:
                node = open_nodes.pop()
                self.leave(node)
                following = node.next if open_nodes else None
            node = following


def walk(parser: LexborHTMLParser, builder: Builder, alt_text: bool = False) -> tuple[bytes, bytes]:
    """Walks a parsed document into `builder`; returns (title, lang) as `_dump.walk` does."""
    root = parser.root
    if root is None:
        return b"", b""
    state = Walk(builder, alt_text)
    state.run(root)
    return state.title, (root.attributes.get("lang") or "").encode()
