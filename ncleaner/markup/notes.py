"""Footnotes: references in the text to a note on the page, and links back.

A reference is a link to a note, or a raised number that a later block begins with. A note goes with its
references: it is kept where one of them is, also if it looks like boilerplate by itself.
"""

import re
from collections import Counter
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document._marks import Mark, texts_of
from ncleaner.document._tables import Tables
from ncleaner.markup._render import element_at, kept_links, segment_at, segment_of, tags_around, text_of_runs

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
_LI, _DT, _TABLE = tags.CODE["li"], tags.CODE["dt"], tags.CODE["table"]
# The footer of a page, and what has one of its own; blocks beside the number of a note.
_FOOTER, _OF_TEXT = tags.CODE["footer"], (tags.CODE["article"], tags.CODE["main"])
_BESIDE = {tags.CODE["dd"], tags.CODE["td"]}
# Blocks that may be a note, and those inside of which no block is one: their text would leave its place.
_NOTES = {tags.CODE[name] for name in ("li", "p", "div", "aside", "section", "dd", "td")}
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
        mask: shape (segments,), bool: what is kept of the page, with its notes.
    """

    references: list[tuple[int, int, int]]
    elements: dict[int, int]
    segments: dict[int, int]
    labels: list[bytes]
    numbers: list[int]
    headings: list[int]
    skips: dict[int, int]
    mask: npt.NDArray[np.bool_]


def _is_free(tables: Tables, element: int, kept: np.bool_ | bool) -> bool:
    """Whether what is in an element may leave its place. Notes in the footer of a page that are not kept stay
    there: most are terms of sale and the like."""
    around = tags_around(tables, element)
    if len(around) >= _LEVELS:
        return False
    is_footer = False
    for tag in around:
        if tag in _AROUND:
            return False
        is_footer = tag not in _OF_TEXT and (is_footer or (tag == _FOOTER and not kept))
    return not is_footer


def _is_number(text: str, label: str) -> bool:
    """Whether a text is the number of a note, perhaps in brackets."""
    return text.strip("[]().: ") == label and len(text) <= len(label) + 4


class _Page:
    """A page whose footnotes are looked for.

    Args:
        document: with marks.
        kept: shape (segments,), bool: where references are looked for.

    Attributes:
        mask: what is kept, with the notes that are found.
    """

    def __init__(self, document: Document, kept: npt.NDArray[np.bool_]) -> None:
        self.document = document
        self.tables = document.tables
        self.kept = kept
        self.mask = kept.copy()
        self.references: list[tuple[int, int, int]] = []
        self.elements: dict[int, int] = {}
        self.segments: dict[int, int] = {}
        self.labels: list[bytes] = []
        # {what the page calls a note: the number that its last one got}
        self._numbers: dict[str, int] = {}
        self._taken: set[str] = set()

    def text(self, first: int, end: int) -> str:
        """The text of some runs."""
        return text_of_runs(self.tables, first, end)

    @cached_property
    def _places(self) -> dict[bytes, tuple[int, int]]:
        """{name: its element and the run that follows}."""
        found: dict[bytes, tuple[int, int]] = {}
        for name, element, _, run in texts_of(self.tables, Mark.MARK_ID):
            found.setdefault(name, (element, run))
        return found

    @cached_property
    def _named_places(self) -> Counter[int]:
        """{element: number of places with a name in it}."""
        return Counter(element for element, _ in set(self._places.values()))

    @cached_property
    def _raised(self) -> dict[int, None]:
        """The raised runs, in the order of the page."""
        return dict.fromkeys(np.flatnonzero(self.document.runs["context"] >> _SUP & 1).tolist())

    def _tag(self, element: int) -> int:
        return element_at(self.tables, element)[0]

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

    def _add(self, element: int, segment: int, name: str) -> int:
        """Returns the number of the note that an element is, or a segment if that is -1; the note is kept."""
        known, key = (self.elements, element) if element >= 0 else (self.segments, segment)
        if key not in known:
            known[key] = self._new(name)
            place = self._segments_of(element) if element >= 0 else slice(segment, segment + 1)
            if not self.kept[place].any():
                self.mask[place] = True
        return known[key]

    def _segments_of(self, element: int) -> slice:
        """The segments of an element that has text."""
        _, _, first, end = element_at(self.tables, element)
        return slice(segment_of(self.tables, first), segment_of(self.tables, end - 1) + 1)

    def _note_of(self, element: int, name: bytes, label: str) -> int:
        """Returns the block that is the note at an element, -1 if there is none.

        A block that is not kept is one only if it has the form of a note.
        """
        if element < 0:
            return -1
        tag, parent, _, _ = element_at(self.tables, element)
        is_beside = tag in (_DT, _TABLE)
        if is_beside:
            element = self._after_number(element, label)
        elif tag != _LI and parent >= 0 and self._tag(parent) == _LI:
            element = parent
        if element < 0:
            return -1
        tag, parent, first, end = element_at(self.tables, element)
        if tag not in _NOTES or first == end:
            return -1
        place = self._segments_of(element)
        if place.stop - place.start > _MOST_SEGMENTS:
            return -1
        kept = self.kept[place].any()
        if not _is_free(self.tables, parent, kept):
            return -1
        if is_beside or tag == _LI or _ID.search(name) or kept:
            return element
        begins = self.text(first, min(end, first + _BEGINNING))
        return element if re.match(rf"[\[(^]?\s*{re.escape(label)}(?!\w)", begins) else -1

    def _after_number(self, element: int, label: str) -> int:
        """Returns the block after the number that an element begins with; -1 if it does not.

        docutils has the number in a term, or in the first cell of a table. It is left out.
        """
        _, _, first, _ = element_at(self.tables, element)
        segment = segment_of(self.tables, first) if first < self.tables.n_runs else len(self.kept)
        if segment + 1 >= len(self.kept):
            return -1
        if not _is_number(self.text(first, segment_at(self.tables, segment)[2]), label):
            return -1
        after, _, _ = segment_at(self.tables, segment + 1)
        if after >= 0 and self._tag(after) not in _BESIDE:
            after = element_at(self.tables, after)[1]
        if after < 0 or self._tag(after) not in _BESIDE:
            return -1
        self.mask[segment] = False
        return after

    def follow_sides(self) -> None:
        """Finds the notes that the markup has inside of the text, such as those of Tufte CSS and LaTeXML."""
        places = texts_of(self.tables, Mark.MARK_SIDE)
        notes = texts_of(self.tables, Mark.MARK_SIDE_NOTE) if places else []
        for (_, _, _, place), (_, element, _, _) in zip(places, notes, strict=False):
            _, parent, first, end = element_at(self.tables, element)
            # without text before it, there is nothing that a note belongs to
            if first == end or not place or not self.kept[segment_of(self.tables, place - 1)]:
                continue
            if _is_free(self.tables, parent, True):
                found = _RAISED.fullmatch(self.text(place - 1, place))
                number = self._add(element, -1, found[1] if found else "")
                self.references.append((place - 1 if found else place, place, number))

    def follow_links(self) -> None:
        """Finds the notes that links lead to."""
        notes: dict[tuple[int, int], tuple[int, int]] = {}
        for _, target, first, end in kept_links(self.tables, self.kept, True):
            text = self.text(first, end)
            fragment = target.partition(b"#")[2]
            name = unquote_to_bytes(fragment)
            found = _REFERENCE.fullmatch(text)
            # few links are references, and a page has many names of places
            if found is None:
                continue
            place = self._places.get(name, self._places.get(fragment))
            if place is None or not self._refers(first, end, text, name, place[0]):
                continue
            if place not in notes:
                # several notes in one block are segments of it
                notes[place] = self._at(*place, self._named_places[place[0]] > 1, name, found[1])
            element, segment = notes[place]
            begin = -1
            if element >= 0:
                _, _, begin, _ = element_at(self.tables, element)
            elif segment >= 0:
                _, begin, _ = segment_at(self.tables, segment)
            if begin > first:
                self.references.append((first, end, self._add(element, segment, found[1])))

    def _refers(self, first: int, end: int, text: str, name: bytes, element: int) -> bool:
        """Whether a link with such a text is a reference: raised, in brackets, or to a note by its name.

        Terms are notes, too: docutils has brackets only in its style sheets.
        """
        if element >= 0 and self._tag(element) == _DT:
            return True
        if first in self._raised or text[0] in "[(" or _ID.search(name):
            return True
        if not text[0].isdigit():
            return False
        data, runs = self.document.data, self.document.runs
        start, stop = int(runs[first]["start"]), int(runs[end - 1]["end"])
        before = data[max(start - 2, 0) : start].rstrip()[-1:]
        after = data[stop : stop + 2].lstrip()[:1]
        return before in (b"[", b",") and after in (b"]", b",")

    def _at(self, element: int, run: int, crowded: bool, name: bytes, label: str) -> tuple[int, int]:
        """Returns the note at a place: its element, or its segment; -1 for none."""
        if crowded and element >= 0 and run < self.tables.n_runs:
            segment = segment_of(self.tables, run)
            _, _, first, end = element_at(self.tables, element)
            begins = first <= run < end and segment_at(self.tables, segment)[1] == run
            if begins and _is_free(self.tables, element, self.kept[segment]):
                return -1, segment
        return self._note_of(element, name, label), -1

    def _raised_texts(self) -> list[tuple[int, int, int]]:
        """Returns the raised texts: (first run, end of runs, segment)."""
        found: list[tuple[int, int, int]] = []
        for run in self._raised:
            segment = segment_of(self.tables, run)
            first = run
            if found and found[-1][1:] == (run, segment):
                first, _, _ = found.pop()
            found.append((first, run + 1, segment))
        return found

    def follow_numbers(self) -> None:
        """Finds raised numbers without a link, and their notes after them: segments that begin with these
        numbers, or blocks that are named after them."""
        if not 1 <= len(self._raised) <= _MOST_RAISED:
            return
        taken = {run for first, end, _ in self.references for run in range(first, end)}
        references: dict[str, list[tuple[int, int]]] = {}
        begins: dict[str, list[tuple[int, int]]] = {}
        for first, end, segment in self._raised_texts():
            if first in taken:
                continue
            element, begin, last = segment_at(self.tables, segment)
            found = _RAISED.fullmatch(self.text(first, end))
            if found is None:
                continue
            if first != begin:
                if self.kept[segment]:
                    references.setdefault(found[1], []).append((first, end))
            elif end < last and _is_free(self.tables, element, self.kept[segment]):
                begins.setdefault(found[1], []).append((first, end))
        for label, found_at in references.items():
            if label not in begins and (element := self._named(label, found_at[-1][1])) >= 0:
                number = self._add(element, -1, label)
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
            number = self._add(-1, segment_of(self.tables, first), label)
            self.references.append((first, end, _LEFT_OUT))
            self.references += [(*place, number) for place in found_at if place < (first, end)]

    def _named(self, label: str, after: int) -> int:
        """Returns the note with a name such as `footnote-1` that begins after a run, -1 if there is none."""
        for prefix in _NAMES:
            name = prefix + label.encode()
            element = self._places.get(name, (-1, 0))[0]
            if element >= 0 and element_at(self.tables, element)[2] >= after:
                return self._note_of(element, name, label)
        return -1

    def _other_links(self) -> list[tuple[int, int, str, bytes]]:
        """Returns the links to a place on the page that are no references: their runs, their text, and the
        name of the place."""
        references = {(first, end) for first, end, _ in self.references}
        return [
            (first, end, self.text(first, end), unquote_to_bytes(target.partition(b"#")[2]))
            for _, target, first, end in kept_links(self.tables, self.mask, True)
            if (first, end) not in references
        ]

    def leave_out(self) -> tuple[list[int], dict[int, int]]:
        """Leaves out what is no text of a note: its number, links back, and brackets around references.

        Returns the segments that are only a number, and the bytes of numbers at the beginning of runs.
        """
        found = self.references
        taken = {run for first, end, _ in found for run in range(first, end)}
        inside = np.zeros(self.tables.n_runs + 1, np.int64)
        begins: dict[int, tuple[str, int]] = {}
        numbers: list[int] = []
        skips: dict[int, int] = {}
        places = [(*element_at(self.tables, each)[2:], number) for each, number in self.elements.items()]
        places += [(*segment_at(self.tables, each)[1:], number) for each, number in self.segments.items()]
        for first, end, number in places:
            inside[first] += 1
            inside[end] -= 1
            # without what tells it from another note with this label
            begins.setdefault(first, (self.labels[number].decode().partition("-")[0], end))
        covered = np.cumsum(inside) > 0
        for first, end, text, name in self._other_links():
            sign = not any(c.isalnum() for c in text)
            label = begins.get(first, ("", 0))[0]
            place = self._places.get(name, (-1, self.tables.n_runs))
            back = len(text) <= _LONGEST_BACK and covered[first] and place[1] < first
            if _is_number(text, label) or (sign and covered[first]) or back:
                found.append((first, end, _LEFT_OUT))
                taken.update(range(first, end))
        for first, (label, end) in begins.items():
            segment = segment_of(self.tables, first)
            segment += int(np.argmax(self.mask[segment:]))
            if _is_number(self.text(*segment_at(self.tables, segment)[1:]), label):
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
        between, depth = before & after, 0
        for run in sorted((before | after) - taken):
            # a bracket that opens after a reference belongs to what follows
            form = _AROUND_REFERENCE if run in before else _AFTER_REFERENCE
            text = self.text(run, run + 1) if 0 <= run < self.tables.n_runs else ""
            # one closes what another has opened, and a comma beside a single reference is of the text
            opened, closed = sum(map(text.count, "[(")), sum(map(text.count, "])"))
            if form.fullmatch(text) and (closed <= depth if closed else opened or run in between):
                depth += opened - closed
                found.append((run, run + 1, _LEFT_OUT))
        return numbers, skips

    def headings(self) -> list[int]:
        """Returns the headings that have only notes below them."""
        document = self.document
        of_notes = np.zeros(len(document) + 1, bool)
        for element in self.elements:
            of_notes[self._segments_of(element)] = True
        of_notes[list(self.segments)] = True
        rows = np.flatnonzero(self.mask)
        is_heading = np.isin(document.elements["tag"][document.segments["element"][rows]], tags.HEADINGS)
        begins = np.append(np.flatnonzero(is_heading), len(rows))
        return [
            int(rows[first])
            for first, end in zip(begins[:-1].tolist(), begins[1:].tolist(), strict=True)
            if end - first > 1 and of_notes[rows[first + 1 : end]].all()
        ]


def find_notes(document: Document, kept: npt.NDArray[np.bool_]) -> Notes | None:
    """Returns the footnotes of a page with references in kept text; None if there is nothing.

    Args:
        document: with marks.
        kept: shape (segments,), bool.
    """
    page = _Page(document, kept)
    page.follow_sides()
    page.follow_links()
    page.follow_numbers()
    if not page.labels:
        return None
    numbers, skips = page.leave_out()
    return Notes(
        page.references, page.elements, page.segments, page.labels, numbers, page.headings(), skips, page.mask
    )
