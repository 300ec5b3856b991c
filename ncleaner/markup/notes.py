"""Footnotes: links from the text to a note on the page, and back."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document._marks import Mark
from ncleaner.markup._render import kept_links, texts_of

__all__ = ["Notes", "find_notes"]

# The text of a reference: a number, one or two letters or signs, perhaps in brackets.
_REFERENCE = re.compile(r"[\[(]?\s*(?:note\s|n\.?\s?)?(\d{1,4}|[A-Za-z]{1,2}|[*†‡§¶‖#]{1,4})\s*[\])]?\.?")
# The beginning of the id of a note, where the reference is neither raised nor in brackets.
_ID = re.compile(
    rb"(?:user-content-)?(?:fn|_?ftn|_edn|footnote|endnote|note|cite_note|sdfootnote)", re.IGNORECASE
)
_LABEL = re.compile(r"[0-9A-Za-z]+")
_SUP = 1 << tags.CONTEXT.index("sup")
_LI = tags.CODE["li"]
# Blocks that may be a note, and those inside of which no block is one: their text would leave its place.
_NOTES = {tags.CODE[name] for name in ("li", "p", "div", "aside", "section")}
_AROUND = {tags.CODE[name] for name in ("li", "blockquote", "dd", "dt", "td", "th", "caption", "pre")}
# Most levels of the tree that are looked at, and largest share of a page's segments in a note.
_LEVELS = 200
_MOST_SEGMENTS = 20
# A link back to the text, which is left out with its own text.
LEFT_OUT = -2


class Notes(NamedTuple):
    """The footnotes of a page.

    Attributes:
        references: {mark of a link: number of its note, or `LEFT_OUT`}.
        definitions: {element: number of the note}.
        labels: of the notes, ASCII.
        numbers: segments that are nothing but the number of a note.
    """

    references: dict[int, int]
    definitions: dict[int, int]
    labels: list[bytes]
    numbers: list[int]


def _note_of(document: Document, element: int, kept: npt.NDArray[np.bool_]) -> int:
    """Returns the block that is the note at an element, -1 if there is none."""
    elements = document.elements
    if element < 0:
        return -1
    parent = int(elements[element]["parent"])
    if elements[element]["tag"] != _LI and parent >= 0 and elements[parent]["tag"] == _LI:
        element = parent
    row = elements[element]
    if int(row["tag"]) not in _NOTES or row["first_run"] == row["last_run"]:
        return -1
    segments = document.runs["segment"][[row["first_run"], row["last_run"] - 1]]
    if segments[1] - segments[0] >= _MOST_SEGMENTS or not kept[segments[0] : segments[1] + 1].any():
        return -1
    above = int(row["parent"])
    for _ in range(_LEVELS):
        if above < 0:
            return element
        if int(elements[above]["tag"]) in _AROUND:
            return -1
        above = int(elements[above]["parent"])
    return -1


class _Labels:
    """The labels of the notes of a page: what the page calls each, with a number where that is taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        # {what the page calls a note: the number that its last one got}
        self._last: dict[str, int] = {}

    def new(self, text: str) -> bytes:
        """Returns a label that no other note has, ASCII."""
        found = text if _LABEL.fullmatch(text) else ""
        label = found or "1"
        while label in self._taken:
            number = self._last[found] = self._last.get(found, 1) + 1
            label = f"{found}-{number}" if found else str(number)
        self._taken.add(label)
        return label.encode()


def _first_segment(document: Document, element: int, kept: npt.NDArray[np.bool_]) -> int:
    """Returns the first kept segment of a note; there is one."""
    row = document.elements[element]
    first = int(document.runs["segment"][row["first_run"]])
    return first + int(np.argmax(kept[first:]))


def _is_number(text: str, label: str) -> bool:
    """Whether a text is the number of a note, perhaps in brackets."""
    return text.strip("[]().: ") == label and len(text) <= len(label) + 4


def find_notes(document: Document, kept: npt.NDArray[np.bool_]) -> Notes | None:
    """Returns the footnotes of a page that are kept, with references that are kept; None if there is nothing.

    Args:
        document: with marks.
        kept: shape (segments,), bool.
    """
    links = kept_links(document.tables, kept, True)
    if not links:
        return None
    places: dict[bytes, int] = {}
    for name, element, _ in texts_of(document.tables, Mark.MARK_ID):
        places.setdefault(name, element)
    runs, elements, data = document.runs, document.elements, document.data
    references: dict[int, int] = {}
    definitions: dict[int, int] = {}
    labels: list[bytes] = []
    names = _Labels()
    others: list[tuple[int, int, str]] = []
    notes: dict[int, int] = {}
    for mark, target, first, end in links:
        text = data[int(runs[first]["start"]) : int(runs[end - 1]["end"])].decode("utf-8", "replace").strip()
        name = unquote_to_bytes(target[1:])
        place = places.get(name, places.get(target[1:], -1))
        found = _REFERENCE.fullmatch(text)
        raised = bool(int(runs[first]["context"]) & _SUP)
        element = -1
        if place >= 0 and found is not None and (raised or text[0] in "[(" or _ID.match(name)):
            if place not in notes:
                notes[place] = _note_of(document, place, kept)
            element = notes[place]
        if found is None or element < 0 or int(elements[element]["first_run"]) <= first:
            others.append((mark, first, text))
            continue
        if element not in definitions:
            definitions[element] = len(labels)
            labels.append(names.new(found[1]))
        references[mark] = definitions[element]
    # runs of notes, and the notes that begin with a run
    notes_at = np.zeros(len(runs) + 1, np.int64)
    begun: dict[int, list[str]] = {}
    for element, number in definitions.items():
        row = elements[element]
        notes_at[row["first_run"]] += 1
        notes_at[row["last_run"]] -= 1
        begun.setdefault(int(row["first_run"]), []).append(labels[number].decode())
    inside = np.cumsum(notes_at) > 0
    for mark, run, text in others:
        sign = not any(c.isalnum() for c in text)
        numbered = any(_is_number(text, label) for label in begun.get(run, ()))
        if numbered or (sign and inside[run]):
            references[mark] = LEFT_OUT
    numbers = []
    for element, number in definitions.items():
        segment = _first_segment(document, element, kept)
        row = document.segments[segment]
        if _is_number(data[row["start"] : row["end"]].decode("utf-8", "replace"), labels[number].decode()):
            numbers.append(segment)
    return Notes(references, definitions, labels, numbers) if references else None
