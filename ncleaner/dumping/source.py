"""Where the segments of a page are in its bytes.

The parser notes where each text is in the page (`_guard.watch_places`), and the walk which segments it goes
to. What this does not tell is searched for by its letters: text directly in tables, which the parser moves,
pages that were cut down before they were parsed, and plain text. The place of a text from the data of scripts
is unknown.
"""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import SEGMENTS, Tables
from ncleaner.document.tables import STATE, Sources, Table
from ncleaner.dumping._walk import Met
from ncleaner.parsing._lexbor import Parsed
from ncleaner.parsing._tree import NOWHERE, Tree
from ncleaner.text.served import served_places

# Bounds of one page: characters of all selectors, segments that are not found before the search ends, bytes
# that are searched.
_SELECTED, _MISSES, _SEARCHED = 4_000_000, 100, 8_000_000
# Texts moved out of tables among which one is looked for.
_AHEAD = 64

_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_REFERENCE = re.compile(r"&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,32});?")
_WHITE = b" \t\r\n\f"

_Rows: TypeAlias = npt.NDArray[np.int64]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


class _Stream:
    """The letters of a part of a page without markup and references; each knows where it stands.

    Args:
        utf8: the page.
        start, end: the part, `place`.
        coded: it has tags and references of HTML.
    """

    def __init__(self, utf8: bytes, start: int, end: int, *, coded: bool = True) -> None:
        text = utf8[start:end].decode("utf-8", "replace")
        codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
        sizes = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
        ends = start + np.cumsum(sizes)
        self._text = text
        self._starts, self._ends = (ends - sizes).astype(np.int32), ends.astype(np.int32)
        if coded:
            self._undo(_REFERENCE, lambda match: html.unescape(match[0]))
            self._undo(_TAG, lambda _: "")
        self.text = _letters(self._text)
        chosen = np.fromiter(map(str.isalnum, self._text), np.bool_, len(self._text))
        self._starts, self._ends = self._starts[chosen], self._ends[chosen]
        self.at = 0

    def _undo(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> None:
        texts: list[str] = []
        at = 0
        # the characters that replace a match have its place
        often = np.ones(len(self._text), np.int32)
        for match in pattern.finditer(self._text):
            first, last = match.span()
            texts += self._text[at:first], replace(match)
            often[first:last] = 0
            often[first] = len(texts[-1])
            self._ends[first] = self._ends[last - 1]
            at = last
        if at:
            self._text = "".join((*texts, self._text[at:]))
            self._starts, self._ends = np.repeat(self._starts, often), np.repeat(self._ends, often)

    def find(self, letters: str, again: bool) -> tuple[int, int] | None:
        """Returns where letters stand, behind those that were found last; with `again`, also before."""
        at = self.text.find(letters, self.at)
        if at < 0 and again:
            at = self.text.find(letters)
        if at < 0:
            return None
        self.at = at + len(letters)
        return int(self._starts[at]), int(self._ends[self.at - 1])


class _Stray:
    """Texts that the parser moves out of tables, in the order of the page; it joins those that are moved to
    one place."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, int, int]] = []
        self._at = 0

    def add(self, letters: str, start: int, end: int) -> None:
        """Adds a text; one without letters is of no use."""
        if letters:
            self._texts.append((letters, start, end))

    @property
    def is_left(self) -> bool:
        """Whether there are texts that have not been taken."""
        return self._at < len(self._texts)

    def take(self, letters: str) -> tuple[int, int] | None:
        """Returns the place of a text that was made of the next ones, or of some a little after them."""
        if not letters:
            return None
        for first in range(self._at, min(self._at + _AHEAD, len(self._texts))):
            last, rest = first, letters
            while last < len(self._texts) and self._texts[last][0] and rest.startswith(self._texts[last][0]):
                rest = rest[len(self._texts[last][0]) :]
                last += 1
                if not rest:
                    place = self._texts[first][1], self._texts[last - 1][2]
                    for number in range(first, last):
                        self._texts[number] = ("", 0, 0)
                    while self._at < len(self._texts) and not self._texts[self._at][0]:
                        self._at += 1
                    return place
        return None


class _Places:
    """Where the segments of one page are.

    Attributes:
        starts, ends: of segments, shape (segments,), int64: byte offsets in the UTF-8 of the page; an unknown
            place has an end of -1, and `NOWHERE` as start.
        where: likewise those of nodes, by their numbers: shape (2, nodes), int64.
        lost: numbers of nodes whose places are unknown, by the numbers of their segments.
        table: of the segments.
    """

    def __init__(self, utf8: bytes, tables: Tables, tree: Tree | None = None) -> None:
        self.table: Table = tables.array(SEGMENTS)
        self._places = _nowhere(len(self.table))
        self.starts, self.ends = self._places
        self.where = _nowhere(tree.size if tree else 0)
        self.lost: dict[int, list[int]] = {}
        self._utf8 = utf8
        self._data = tables.text
        self._starts, self._ends = self.table["start"].tolist(), self.table["end"].tolist()
        self._tree = tree
        # numbers of the first and the last element of each segment
        self._elements = _nowhere(len(self.table))

    def text(self, row: int) -> str:
        """Returns the text of a segment."""
        return self._data[self._starts[row] : self._ends[row]].decode()

    def add(self, row: int, start: int, end: int, nodes: Sequence[int] = ()) -> None:
        """Adds a part of the page to a segment; `nodes` are the numbers of what is there."""
        self.starts[row], self.ends[row] = min(self.starts[row], start), max(self.ends[row], end)
        if self._tree is not None and nodes:
            elements = self._tree.elements(nodes)
            _widen(self._elements, [row] * len(nodes), elements, elements)

    def add_traced(self, met: _Rows, places: _Rows) -> None:
        """Adds what the walk has met: each text goes to the segments that have it.

        Args:
            met: shape (items, 4), as `walk` notes it.
            places: shape (rows, 3), as `Parsed.places` returns it.
        """
        assert self._tree is not None
        nodes = self._tree.rows(places[:, 0])
        is_there = nodes >= 0
        _widen(self.where, nodes[is_there], places[is_there, 1], places[is_there, 2])
        stray = _Stray()
        for start, end in places[places[:, 0] == 0, 1:].tolist():
            # text of a table, which the parser has moved to the place before it
            stray.add(self._plain(start, end), start, end)
        # what has text of a segment, not only the end of one
        first = np.searchsorted(self._ends, met[:, 2], "right")
        behind = np.searchsorted(self._starts, met[:, 3])
        has_text = (behind > first) & (met[:, 3] > met[:, 2])
        met, first, behind = met[has_text], first[has_text], behind[has_text]
        is_text = met[:, 1] == Met.TEXT
        nodes = self._tree.rows(met[:, 0])
        starts, ends = np.where(is_text, self.where[:, nodes], self._tree.spread(self.where)[:, nodes])
        is_simple = (behind - first == 1) & (ends >= 0) & ~(is_text & stray.is_left)
        elements = self._tree.elements(nodes[is_simple])
        _widen(self._places, first[is_simple], starts[is_simple], ends[is_simple])
        _widen(self._elements, first[is_simple], elements, elements)
        for i in np.flatnonzero(~is_simple).tolist():
            start, end = met[i, 2:].tolist()
            rows = range(first[i], behind[i])
            place = (int(starts[i]), int(ends[i])) if ends[i] >= 0 else None
            if is_text[i] and (place is None or stray.is_left):
                place = self._with_stray(stray, place, start, end)
            if place is not None:
                self._share(int(nodes[i]), place, start, end, rows)
            else:
                self.lost.setdefault(rows[0], []).append(int(nodes[i]))

    def _with_stray(
        self, stray: _Stray, place: tuple[int, int] | None, start: int, end: int
    ) -> tuple[int, int] | None:
        """Returns the place of a text of the Document, widened by what was moved out of tables to it."""
        letters = _letters(self._data[start:end].decode("utf-8", "replace"))
        known = self._plain(*place) if place is not None else ""
        before, _, behind = letters.partition(known) if known else ("", "", letters)
        for more in filter(None, (stray.take(before), stray.take(behind))):
            place = more if place is None else (min(place[0], more[0]), max(place[1], more[1]))
        return place

    def widen(self, start: int, end: int) -> None:
        """Widens segments that have letters from elsewhere in a part of the page, by all of the part."""
        for row in np.flatnonzero(self.ends >= 0).tolist():
            rest = iter(self._plain(int(self.starts[row]), int(self.ends[row])))
            if not all(letter in rest for letter in _letters(self.text(row))):
                self.add(row, start, end)

    def _plain(self, start: int, end: int) -> str:
        """Returns the letters of a part of the page."""
        return _letters(html.unescape(_TAG.sub("", self._utf8[start:end].decode("utf-8", "replace"))))

    def _share(self, node: int, place: tuple[int, int], start: int, end: int, rows: range) -> None:
        """Adds a text of the page to the segments of which a part of the Document's text is made."""
        starts, ends = self._starts, self._ends
        if len(rows) == 1:
            self.add(rows[0], *place, (node,))
            return
        stream, misses = _Stream(self._utf8, *place), 0
        for row in rows:
            part = self._data[max(start, starts[row]) : min(end, ends[row])]
            letters = _letters(part.decode("utf-8", "replace"))
            found = stream.find(letters, False) if letters and misses <= _MISSES else None
            misses += bool(letters) and found is None
            self.add(row, *(found or place), (node,))

    def search(self, rows: Iterable[int], part: _Stream, again: bool) -> None:
        """Searches segments in a part of the page, and adds them where they are found."""
        misses = 0
        for row in rows:
            letters = _letters(self.text(row))
            if not letters or misses > _MISSES:
                continue
            place = part.find(letters, again)
            if place is not None:
                self.add(row, *place, self.lost.get(row, ()))
            else:
                misses += 1

    def fill(self) -> None:
        """Adds segments without letters, such as a line of dots, between those around them."""
        n = len(self._starts)
        for row in np.flatnonzero(self.ends < 0).tolist():
            if _letters(self.text(row)):
                continue
            start = max(int(self.ends[row - 1]), 0) if row else 0
            end = min(int(self.starts[row + 1]), len(self._utf8)) if row + 1 < n else len(self._utf8)
            at = self._utf8.find(self._data[self._starts[row] : self._ends[row]], start)
            if start <= at < end:
                self.add(row, at, at + self._ends[row] - self._starts[row])

    def sources(self, body: bytes | str, encoding: str) -> Sources:
        """Returns all of it, in the bytes of the page as it was served."""
        utf8, known = self._utf8, np.flatnonzero(self.ends >= 0)
        starts, ends = np.full((2, len(self.ends)), -1)
        names = [""] * len(starts)
        places, elements = self._places[:, known].tolist(), self._elements[:, known].tolist()
        for row, start, end, first, last in zip(known.tolist(), *places, *elements, strict=True):
            while end > start and utf8[end - 1] in _WHITE:
                end -= 1
            while end > start and utf8[start] in _WHITE:
                start += 1
            starts[row], ends[row] = start, end
            if self._tree is not None and last >= 0:
                names[row] = self._tree.selector(first, last)
        starts[known], ends[known] = served_places(body, encoding, utf8, starts[known], ends[known])
        return Sources(starts, ends, tuple(names))


def _nowhere(n: int) -> npt.NDArray[np.int64]:
    """Returns the unknown starts and ends of `n` things: shape (2, n)."""
    return np.repeat([[NOWHERE], [-1]], n, axis=1)


def _widen(places: _Rows, rows: Sequence[int] | _Rows, starts: _Rows, ends: _Rows) -> None:
    """Widens places by others; the same row may be there several times."""
    np.minimum.at(places[0], rows, starts)
    np.maximum.at(places[1], rows, ends)


def sources_of_page(
    body: bytes | str, encoding: str, utf8: bytes, tree: Parsed, met: bytearray, tables: Tables
) -> Sources:
    """Returns where the segments of an HTML page are.

    Args:
        body: the page as it was served.
        encoding: what it was decoded from.
        utf8: its text.
        tree: what was parsed of it, with places.
        met: what the walk has met, without the data of scripts.
        tables: those of the Document.
    """
    nodes = Tree(tree.parser, _SELECTED)
    found = _Places(utf8, tables, nodes)
    places = tree.places()
    if places is not None:
        found.add_traced(np.frombuffer(met, np.int64).reshape(-1, 4), places)
    is_state = found.table["flags"] & STATE != 0
    is_lost = found.ends < 0
    is_lost[list(found.lost)] = True
    lost = np.flatnonzero(is_lost & ~is_state).tolist()
    if lost and len(utf8) <= _SEARCHED:
        found.search(lost, _Stream(utf8, 0, len(utf8)), places is not None)
    if places is not None and len(moved := places[places[:, 0] == 0]):
        found.widen(int(moved[0, 1]), int(moved[-1, 2]))
    found.fill()
    return found.sources(body, encoding)


def sources_of_text(body: bytes | str, encoding: str, utf8: bytes, tables: Tables) -> Sources:
    """Returns where the segments of a plain text are; the arguments are those of `sources_of_page`."""
    found = _Places(utf8, tables)
    found.search(range(len(found.table)), _Stream(utf8, 0, len(utf8), coded=False), False)
    found.fill()
    return found.sources(body, encoding)
