"""Footnotes: references in the text to a note on the page, and links back.

A reference is a link to a note, or a raised number that a later block begins with.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document._marks import Mark
from ncleaner.markup._render import kept_links, runs_inside, texts_of

# The text of a reference: a number, one or two letters or signs, perhaps in brackets.
_REFERENCE = re.compile(r"[\[(]?\s*(?:note\s|n\.?\s?)?(\d{1,4}|[A-Za-z]{1,2}|[*†‡§¶‖#]{1,4})\s*[\])]?\.?")
# In the id of a note, where the reference is neither raised nor in brackets.
_ID = re.compile(rb"fn|ftn|edn|note|bib|cite|(?:^|[-_.])refs?[-_.]?\d", re.IGNORECASE)
_LABEL = re.compile(r"[0-9A-Za-z]+")
# A raised number or sign without a link to its note.
_RAISED = re.compile(r"\[?(\d{1,3}|[*†‡§¶]{1,3})\]?")
# Names of notes before their number, as Wikidot and others have them.
_NAMES = (b"footnote-", b"footnote", b"footnote_", b"fn-", b"fn", b"fn_", b"note-", b"note_")
# What may be around references, and between them.
_AROUND_REFERENCE = re.compile(r"[\[\](),;\s]{1,4}")
_AFTER_REFERENCE = re.compile(r"[\]),;\s]{1,4}")
_SUP = tags.CONTEXT.index("sup")
_LI = tags.CODE["li"]
# Blocks that may be a note, and those inside of which no block is one: their text would leave its place.
_NOTES = {tags.CODE[name] for name in ("li", "p", "div", "aside", "section")}
_AROUND = {tags.CODE[name] for name in ("li", "blockquote", "dd", "dt", "td", "th", "caption", "pre")}
# Most levels of the tree that are looked at, segments of a note, and raised numbers.
_LEVELS = 200
_MOST_SEGMENTS = 20
_MOST_RAISED = 10_000
# Runs at the beginning of a note that may be its number, and characters of a link back.
_BEGINNING = 6
_LONGEST_BACK = 3
# A link back to the text, or the number of a note, which is left out with its own text.
_LEFT_OUT = -2


class Notes(NamedTuple):
    """The footnotes of a page.

    Attributes:
        references: runs of references and of what is left out: (first run, end of runs, number of the note or
            `_LEFT_OUT`). Without runs, the reference is at the end of the run before.
        elements: {element: number of the note that it is}.
        segments: {segment: number of the note that it is}.
        labels: of the notes, ASCII.
        numbers: segments that are nothing but the number of a note.
        headings: segments of headings that have only notes below them.
        skips: {run: bytes at its beginning that are the number of a note}.
    """

    references: list[tuple[int, int, int]]
    elements: dict[int, int]
    segments: dict[int, int]
    labels: list[bytes]
    numbers: list[int]
    headings: list[int]
    skips: dict[int, int]


class _Link(NamedTuple):
    """A link to a place on the page that is no reference: its runs, its text, and the name of the place."""

    first: int
    end: int
    text: str
    name: bytes


def _is_free(document: Document, element: int) -> bool:
    """Whether what is in an element may leave its place."""
    elements = document.elements
    for _ in range(_LEVELS):
        if element < 0:
            return True
        if int(elements[element]["tag"]) in _AROUND:
            return False
        element = int(elements[element]["parent"])
    return False


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
    return element if _is_free(document, int(row["parent"])) else -1


def _is_number(text: str, label: str) -> bool:
    """Whether a text is the number of a note, perhaps in brackets."""
    return text.strip("[]().: ") == label and len(text) <= len(label) + 4


class _Page:
    """A page whose footnotes are looked for.

    Args:
        document: with marks.
        kept: shape (segments,), bool.
    """

    def __init__(self, document: Document, kept: npt.NDArray[np.bool_]) -> None:
        self.document = document
        self.kept = kept
        self.runs = document.runs
        self.references: list[tuple[int, int, int]] = []
        self.elements: dict[int, int] = {}
        self.segments: dict[int, int] = {}
        self.labels: list[bytes] = []
        # {what the page calls a note: the number that its last one got}
        self._numbers: dict[str, int] = {}
        self._taken: set[str] = set()

    def text(self, first: int, end: int) -> str:
        """The text of some runs."""
        data = self.document.data[int(self.runs[first]["start"]) : int(self.runs[end - 1]["end"])]
        return data.decode("utf-8", "replace").strip()

    @cached_property
    def _places(self) -> dict[bytes, tuple[int, int]]:
        """{name: its element and the run that follows}."""
        found: dict[bytes, tuple[int, int]] = {}
        for name, element, _, run in texts_of(self.document.tables, Mark.MARK_ID):
            found.setdefault(name, (element, run))
        return found

    @cached_property
    def _named_places(self) -> Counter[int]:
        """{element: number of places with a name in it}."""
        return Counter(element for element, _ in set(self._places.values()))

    def _new(self, name: str) -> int:
        """Returns the number of a new note; its label is what the page calls it, with a number where another
        one has that."""
        found = name if _LABEL.fullmatch(name) else ""
        label = found or "1"
        while label in self._taken:
            number = self._numbers[found] = self._numbers.get(found, 1) + 1
            label = f"{found}-{number}" if found else str(number)
        self._taken.add(label)
        self.labels.append(label.encode())
        return len(self.labels) - 1

    def follow_sides(self) -> None:
        """Finds the notes that the markup has inside of the text, such as those of Tufte CSS and LaTeXML."""
        document, segments = self.document, self.runs["segment"]
        places = texts_of(document.tables, Mark.MARK_SIDE)
        notes = texts_of(document.tables, Mark.MARK_SIDE_NOTE) if places else []
        for (_, _, _, place), (_, element, _, _) in zip(places, notes, strict=False):
            row = document.elements[element]
            of_note = self.kept[segments[row["first_run"] : row["last_run"]]]
            if (
                not self.kept[segments[place - 1]]
                or not of_note.any()
                or not _is_free(document, row["parent"])
            ):
                continue
            found = _RAISED.fullmatch(self.text(place - 1, place))
            number = self.elements[element] = self._new(found[1] if found else "")
            self.references.append((place - 1 if found else place, place, number))

    def follow_links(self) -> list[_Link]:
        """Finds the notes that links lead to; returns the other links."""
        document = self.document
        notes: dict[tuple[int, int], tuple[int, int]] = {}
        others: list[_Link] = []
        for _, target, first, end in kept_links(document.tables, self.kept, True):
            text = self.text(first, end)
            fragment = target.partition(b"#")[2]
            name = unquote_to_bytes(fragment)
            found = _REFERENCE.fullmatch(text)
            element = segment = -1
            # few links are references, and a page has many names of places
            if found is not None and self._refers(first, end, text, name):
                place = self._places.get(name, self._places.get(fragment))
                if place is not None:
                    if place not in notes:
                        # several notes in one block are segments of it
                        notes[place] = self._at(*place, self._named_places[place[0]] > 1)
                    element, segment = notes[place]
            begin = -1
            if element >= 0:
                begin = int(document.elements[element]["first_run"])
            elif segment >= 0:
                begin = int(document.segments[segment]["first_run"])
            if found is None or begin <= first:
                others.append(_Link(first, end, text, name))
                continue
            known, key = (self.elements, element) if element >= 0 else (self.segments, segment)
            if key not in known:
                known[key] = self._new(found[1])
            self.references.append((first, end, known[key]))
        return others

    def _refers(self, first: int, end: int, text: str, name: bytes) -> bool:
        """Whether a link with such a text is a reference: raised, in brackets, or to a note by its name."""
        if int(self.runs[first]["context"]) >> _SUP & 1 or text[0] in "[(" or _ID.search(name):
            return True
        data = self.document.data
        if not text[0].isdigit():
            return False
        before = data[: int(self.runs[first]["start"])][-2:].rstrip()[-1:]
        after = data[int(self.runs[end - 1]["end"]) :][:2].lstrip()[:1]
        return before in (b"[", b",") and after in (b"]", b",")

    def _at(self, element: int, run: int, crowded: bool) -> tuple[int, int]:
        """Returns the note at a place: its element, or its segment; -1 for none."""
        if crowded and element >= 0 and run < len(self.runs):
            segment = int(self.runs[run]["segment"])
            row, block = self.document.segments[segment], self.document.elements[element]
            inside = block["first_run"] <= run < block["last_run"]
            if inside and row["first_run"] == run and self.kept[segment] and _is_free(self.document, element):
                return -1, segment
        return _note_of(self.document, element, self.kept), -1

    def follow_numbers(self) -> None:
        """Finds raised numbers without a link, and their notes after them: segments that begin with these
        numbers, or blocks that are named after them."""
        runs, document = self.runs, self.document
        raised = np.array(runs_inside(document.tables, _SUP), np.intp)
        if not 1 <= len(raised) <= _MOST_RAISED:
            return
        taken = {run for first, end, _ in self.references for run in range(first, end)}
        references: dict[str, list[tuple[int, int]]] = {}
        begins: dict[str, list[tuple[int, int]]] = {}
        apart = (np.diff(raised) > 1) | (np.diff(runs["segment"][raised]) != 0)
        for group in np.split(raised, np.flatnonzero(apart) + 1):
            first, end = int(group[0]), int(group[-1]) + 1
            segment = int(runs[first]["segment"])
            row = document.segments[segment]
            if first in taken or end - 1 > row["last_run"] or not self.kept[segment]:
                continue
            found = _RAISED.fullmatch(self.text(first, end))
            if found is None:
                continue
            if first != row["first_run"]:
                references.setdefault(found[1], []).append((first, end))
            elif end - 1 < row["last_run"] and _is_free(document, int(row["element"])):
                begins.setdefault(found[1], []).append((first, end))
        for label, found_at in references.items():
            if label not in begins and (element := self._named(label, found_at[-1][1])) >= 0:
                number = self.elements[element] = self._new(label)
                self.references += [(*place, number) for place in found_at]
        pairs = [
            (places[0], references[label], label)
            for label, places in begins.items()
            if len(places) == 1 and references.get(label, [places[0]])[0] < places[0]
        ]
        # powers and chemical elements begin paragraphs, too; notes are numbered from the first on
        if not pairs or min(pairs, key=lambda pair: pair[0])[2] not in ("1", "*", "†"):
            return
        for (first, end), found_at, label in pairs:
            number = self.segments[int(runs[first]["segment"])] = self._new(label)
            self.references.append((first, end, _LEFT_OUT))
            self.references += [(*place, number) for place in found_at if place < (first, end)]

    def _named(self, label: str, after: int) -> int:
        """Returns the note with a name such as `footnote-1` that begins after a run, -1 if there is none."""
        for name in _NAMES:
            element = self._places.get(name + label.encode(), (-1, 0))[0]
            if element >= 0 and self.document.elements[element]["first_run"] >= after:
                return _note_of(self.document, element, self.kept)
        return -1

    def leave_out(self, links: list[_Link]) -> tuple[list[int], dict[int, int]]:
        """Leaves out what is no text of a note: its number, links back, and brackets around references.

        Returns the segments that are only a number, and the bytes of numbers at the beginning of runs.
        """
        document, runs, found = self.document, self.runs, self.references
        taken = {run for first, end, _ in found for run in range(first, end)}
        inside = np.zeros(len(runs) + 1, np.int64)
        begins: dict[int, tuple[str, int]] = {}
        numbers: list[int] = []
        skips: dict[int, int] = {}
        for element, number in self.elements.items():
            row = document.elements[element]
            self._begin(int(row["first_run"]), int(row["last_run"]), number, begins, inside)
        for segment, number in self.segments.items():
            row = document.segments[segment]
            self._begin(int(row["first_run"]), int(row["last_run"]) + 1, number, begins, inside)
        covered = np.cumsum(inside) > 0
        for first, end, text, name in links:
            sign = not any(c.isalnum() for c in text)
            label = begins.get(first, ("", 0))[0]
            back = len(text) <= _LONGEST_BACK and covered[first] and self._place_run(name) < first
            if _is_number(text, label) or (sign and covered[first]) or back:
                found.append((first, end, _LEFT_OUT))
                taken.update(range(first, end))
        for first, (label, end) in begins.items():
            segment = int(runs["segment"][first])
            segment += int(np.argmax(self.kept[segment:]))
            shown = document.segments[segment]
            if _is_number(self.text(int(shown["first_run"]), int(shown["last_run"]) + 1), label):
                numbers.append(segment)
                continue
            for run in range(first, min(end, first + _BEGINNING)):
                if run in taken:
                    continue
                text = self.text(run, run + 1)
                is_sign = text.strip("^↑↩") == "" or _AROUND_REFERENCE.fullmatch(text)
                if not is_sign and not _is_number(text, label):
                    own = "" if run > first else rf"[\[(]?{re.escape(label)}"
                    begun = re.match(rf"\s*{own}(?:[\])][.:]?|[.:])\s+(?=\S)", text)
                    if begun is not None:
                        skips[run] = len(begun[0].encode())
                    break
                found.append((run, run + 1, _LEFT_OUT))
        before = {first - 1 for first, _, number in found if number != _LEFT_OUT}
        after = {end for _, end, number in found if number != _LEFT_OUT}
        for run in sorted((before | after) - taken):
            # a bracket that opens behind a reference belongs to what follows
            form = _AROUND_REFERENCE if run in before else _AFTER_REFERENCE
            if 0 <= run < len(runs) and form.fullmatch(self.text(run, run + 1)):
                found.append((run, run + 1, _LEFT_OUT))
        return numbers, skips

    def headings(self) -> list[int]:
        """Returns the headings that have only notes below them."""
        document, runs = self.document, self.runs
        of_notes = np.zeros(len(document) + 1, bool)
        for element in self.elements:
            row = document.elements[element]
            of_notes[runs["segment"][row["first_run"]] : runs["segment"][row["last_run"] - 1] + 1] = True
        of_notes[list(self.segments)] = True
        rows = np.flatnonzero(self.kept)
        is_heading = np.isin(document.elements["tag"][document.segments["element"][rows]], tags.HEADINGS)
        begins = np.append(np.flatnonzero(is_heading), len(rows))
        return [
            int(rows[first])
            for first, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
            if end - first > 1 and of_notes[rows[first + 1 : end]].all()
        ]

    def _begin(
        self,
        first: int,
        end: int,
        number: int,
        begins: dict[int, tuple[str, int]],
        inside: npt.NDArray[np.int64],
    ) -> None:
        inside[first] += 1
        inside[end] -= 1
        begins.setdefault(first, (self.labels[number].decode(), end))

    def _place_run(self, name: bytes) -> int:
        """The run at the place that a name stands for; behind all runs if there is none."""
        return self._places.get(name, (-1, len(self.runs)))[1]


def find_notes(document: Document, kept: npt.NDArray[np.bool_]) -> Notes | None:
    """Returns the footnotes of a page that are kept, with references that are kept; None if there is nothing.

    Args:
        document: with marks.
        kept: shape (segments,), bool.
    """
    page = _Page(document, kept)
    page.follow_sides()
    others = page.follow_links()
    page.follow_numbers()
    if not page.labels:
        return None
    numbers, skips = page.leave_out(others)
    return Notes(page.references, page.elements, page.segments, page.labels, numbers, page.headings(), skips)
