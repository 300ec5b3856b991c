"""The structure of a page as HTML of our own: blocks, headings, lists, tables, links; nothing of its source.

Only text gets from the page into it, escaped. So it runs nothing, loads nothing and has no look but that of
the drawing, whatever the page is.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncleaner.document import Document, tags
from ncleaner.explaining.verdicts import Verdicts, Why
from ncleaner.text.visible import html_text

__all__ = ["classes_of", "outline_of"]

# blocks that are drawn as boxes with their name; all others only separate segments
_BOXES = frozenset(
    "nav header footer aside main article section form table ul ol menu dl figure blockquote details dialog "
    "search noscript tr".split()
)
# boxes inside each other that are drawn
_DEPTH = 10
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# inline elements that a reader sees
_INLINE = {"link": "u", "bold": "b", "italic": "i", "code": "code"}


def classes_of(why: Why) -> str:
    """Returns the classes of a segment for the style sheet."""
    found = ["kept" if why.kept else "removed"]
    if why.is_wrong:
        found.append("wrong")
    return " ".join(found)


def outline_of(explanation: Verdicts) -> Iterator[str]:
    """Yields the pieces of the drawing; each segment is a link to the row with its number (`#s12`)."""
    document = explanation.document
    boxes_of = _Boxes(document)
    open_: list[int] = []
    for why in explanation.segments:
        row = document.segments[why.segment.index]
        boxes = boxes_of[int(row["element"])]
        shared = 0
        while shared < min(len(open_), len(boxes)) and open_[shared] == boxes[shared]:
            shared += 1
        yield "</div>" * (len(open_) - shared)
        for element in boxes[shared:]:
            tag = tags.TAGS[document.elements[element]["tag"]]
            yield f"<div class='box b-{tag}' data-tag='{tag}'>"
        open_ = boxes
        yield _segment(document, why)
    yield "</div>" * len(open_)


class _Boxes:
    """The boxes around each element, from the outermost to the innermost, as far as they are drawn."""

    def __init__(self, document: Document) -> None:
        self._boxes: list[list[int]] = []
        elements = document.elements
        for number, (parent, tag) in enumerate(
            zip(elements["parent"].tolist(), elements["tag"].tolist(), strict=True)
        ):
            above = self._boxes[parent] if parent >= 0 else []
            is_box = tags.TAGS[tag] in _BOXES and len(above) < _DEPTH
            self._boxes.append([*above, number] if is_box else above)

    def __getitem__(self, element: int) -> list[int]:
        return self._boxes[element] if element >= 0 else []


def _segment(document: Document, why: Why) -> str:
    segment = why.segment
    row = document.segments[segment.index]
    tag = tags.TAGS[document.elements[row["element"]]["tag"]] if row["element"] >= 0 else ""
    level = _HEADINGS.get(tag, 3 if segment.kind == "h" else 0)
    look = f" h{level}" if level else " item" if segment.kind == "l" else ""
    pre = " pre" if "\n" in segment.text else ""
    wrong = f", {why.against}" if why.is_wrong else ""
    said = f"segment {segment.index}, {'kept' if why.kept else 'removed'}{wrong}"
    return (
        f"<a class='seg {classes_of(why)}{look}{pre}' id=p{segment.index} href='#s{segment.index}' dir=auto "
        f"title='{said}'>{''.join(_runs(document, row))}</a>"
    )


def _runs(document: Document, row: object) -> Iterator[str]:
    """Yields the text of a segment with what is inline in it."""
    first, last, start, end = (int(row[name]) for name in ("first_run", "last_run", "start", "end"))  # type: ignore[index]
    at = start
    for run in document.runs[first : last + 1]:
        begin, stop = max(int(run["start"]), at), min(int(run["end"]), end)
        if begin > at:
            yield _escaped(document.data[at:begin])
        names = [
            _INLINE[name] for name in tags.bit_names(int(run["context"]), tags.CONTEXT) if name in _INLINE
        ]
        text = _escaped(document.data[begin:stop])
        yield (
            "".join(f"<{name}>" for name in names) + text + "".join(f"</{name}>" for name in reversed(names))
        )
        at = max(at, stop)
    yield _escaped(document.data[at:end])


def _escaped(data: bytes) -> str:
    return "\n".join(map(html_text, data.decode("utf-8", "replace").split("\n")))
