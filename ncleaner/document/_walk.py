"""HTML tree to Document tables through selectolax's Python nodes.

This walk is used if the layout of Lexbor's structs is not the one that `_dump.pyx` expects. It passes the
same events to the same builder, so the Document is identical byte for byte; the walk only takes longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncleaner.document import tags
from ncleaner.document._dump import style_hides

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ncleaner.document._document import Builder

__all__ = ["Walk", "walk"]

_ALT = tags.CONTEXT.index("alt")
_ASCII_SPACE = " \t\n\v\f\r"
_JOINT_LEVELS = 16  # as in _joint.pxd
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


def _is_bare_text(node: LexborNode | None) -> bool:
    return node is not None and node.is_text_node and bool((node.text_content or "").strip(_ASCII_SPACE))


class Walk:
    """The state of a walk, and what it does at each node."""

    def __init__(self, builder: Builder, alt_text: bool) -> None:
        self.builder = builder
        self.alt_text = alt_text
        self.title = b""
        self.last: LexborNode | None = None  # the text node with the last character that is not white space

    def text(self, node: LexborNode) -> None:
        """Passes the text of a text node to the builder, after a space if there has to be one."""
        builder = self.builder
        data = (node.text_content or "").encode()
        if self.last is not None and builder.joint(data) and self._are_apart(self.last, node, data):
            builder.space()
        written = builder.written
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

    def enter(self, node: LexborNode) -> bool:
        """Passes the opening of an element to the builder. Returns whether the walk goes into the element."""
        builder = self.builder
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
        if hidden and role != tags.BLOCK:
            return self._leave_out(node)
        if role == tags.IMAGE:
            builder.object()
            alt = attributes.get("alt")
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
        return True

    def _leave_out(self, node: LexborNode) -> bool:
        """Counts the tags of an element that is left out, and of all elements inside it. Returns False."""
        self.builder.count_tags(sum(_tags_of(below) for below in node.traverse() if below.is_element_node))
        return False

    def leave(self, node: LexborNode) -> None:
        tag = _known(node.tag or "")
        if tags.ROLE[tag] == tags.BLOCK:
            self.builder.close_block(tags.FORM.get(tag, tags.PLAIN))
        else:
            self.builder.close_inline(tags.CONTEXT_BIT.get(tag, -1))
            self.builder.count_tags(_tags_of(node) - 2)

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
