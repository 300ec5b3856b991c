"""Where the segments of a page stand in its bytes.

The parser notes where each text is in the page (`_guard.watch_places`), and the walk which segments it goes
to. What this does not tell is searched for by its letters: text directly in tables, which the parser moves,
text from the data of scripts, pages that were cut down before they were parsed, and plain text.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from ncleaner.document._dump import Met
from ncleaner.document._lexbor import Parsed
from ncleaner.document._source import Selectors, texts_below
from ncleaner.document._tables import SEGMENTS, Tables
from ncleaner.document.embedded import places_of
from ncleaner.document.tables import STATE, Sources, Table
from ncleaner.text.served import served_places

# Bounds of one page: characters of all selectors, segments that are not found before the search ends, bytes
# that are searched.
_SELECTED, _MISSES, _SEARCHED = 4_000_000, 100, 8_000_000
# Texts moved out of tables among which one is looked for.
_AHEAD = 64
# Letters of a segment's beginning and end that are searched for where it is not found as a whole, and how far
# apart these may be: parts of rich text have names, numbers and addresses between them.
_ENDS, _APART, _BETWEEN = (40, 20, 10), 4, 2_000
# Rounds in which references and escapes are undone: data may be in data.
_ROUNDS = 4

# In data, a sign of code may look like the beginning of a tag.
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_TAG_IN_DATA = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]{0,1000})?/?>")
_REFERENCE = re.compile(r"&(?:#\d{1,8}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{1,32});?")
_ESCAPE = re.compile(
    r"(?<!\\)\\+(?:u([0-9a-fA-F]{4})(?:\\+u([dD][c-fC-F][0-9a-fA-F]{2}))?|x([0-9a-fA-F]{2})|[nrtbf0])"
)
_WHITE = b" \t\r\n\f"


@dataclass(slots=True)
class _Span:
    """A part of a page: byte offsets in its UTF-8, and the addresses of its nodes."""

    start: int
    end: int
    nodes: list[int]


def _escaped(match: re.Match[str]) -> str:
    if match[1] and match[2]:
        pair = bytes.fromhex(match[1] + match[2])
        return pair.decode("utf-16-be", "replace")
    code = match[1] or match[3]
    return chr(int(code, 16)) if code else " "


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


class _Stream:
    """The letters of a part of a page without markup, references and escapes; each knows where it stands.

    Args:
        utf8: the page.
        start, end: the part, `place`.
        coded: it has references of HTML.
        data: it is data of scripts, with escapes.
        nodes: addresses of the nodes that have it.
    """

    def __init__(
        self,
        utf8: bytes,
        start: int,
        end: int,
        *,
        coded: bool = True,
        data: bool = False,
        nodes: tuple[int, ...] = (),
    ) -> None:
        text = utf8[start:end].decode("utf-8", "replace")
        codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
        sizes = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
        ends = start + np.cumsum(sizes)
        self.place = start, end
        self.nodes = nodes
        self._text = text
        self._starts, self._ends = (ends - sizes).astype(np.int32), ends.astype(np.int32)
        for _ in range(_ROUNDS if data else 1):
            before = self._text
            if data:
                self._undo(_ESCAPE, _escaped)
            if coded:
                self._undo(_REFERENCE, lambda match: html.unescape(match[0]))
            if self._text == before:
                break
        if coded:
            self._undo(_TAG_IN_DATA if data else _TAG, lambda _: "")
        self.text = _letters(self._text)
        chosen = np.fromiter(map(str.isalnum, self._text), np.bool_, len(self._text))
        self._starts, self._ends = self._starts[chosen], self._ends[chosen]
        self.at = 0

    def _undo(self, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str]) -> None:
        texts: list[str] = []
        starts: list[npt.NDArray[np.int32]] = []
        ends: list[npt.NDArray[np.int32]] = []
        at = 0
        for match in pattern.finditer(self._text):
            first, last = match.span()
            new = replace(match)
            texts += self._text[at:first], new
            starts += self._starts[at:first], np.full(len(new), self._starts[first], np.int32)
            ends += self._ends[at:first], np.full(len(new), self._ends[last - 1], np.int32)
            at = last
        if at:
            self._text = "".join((*texts, self._text[at:]))
            self._starts = np.concatenate((*starts, self._starts[at:]))
            self._ends = np.concatenate((*ends, self._ends[at:]))

    def find(self, letters: str, again: bool) -> tuple[int, int] | None:
        """Returns where letters stand, behind those that were found last; with `again`, also before."""
        at = self.text.find(letters, self.at)
        if at < 0 and again:
            at = self.text.find(letters)
        if at < 0:
            return None
        self.at = at + len(letters)
        return int(self._starts[at]), int(self._ends[self.at - 1])

    def find_ends(self, letters: str) -> tuple[int, int] | None:
        """Returns where a text stands whose parts are apart: from its first letters to its last ones."""
        for size in _ENDS:
            first = self.text.find(letters[:size], self.at)
            if first < 0:
                first = self.text.find(letters[:size])
            last = self.text.find(letters[-size:], first + len(letters) - size) if first >= 0 else -1
            if 0 <= last <= first + _APART * len(letters) + _BETWEEN:
                self.at = last + size
                return int(self._starts[first]), int(self._ends[self.at - 1])
        return None


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
        """Returns the place of a text that was made of the next ones, or of some a little behind them."""
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


def rows_within(starts: list[int], ends: list[int], start: int, end: int) -> list[int]:
    """Returns the segments that have some of these bytes of the Document's text.

    `starts` and `ends` are those of all segments.
    """
    first = max(bisect_right(starts, start) - 1, 0)
    behind = bisect_left(starts, end, first)
    return [row for row in range(first, behind) if ends[row] > start]


class _Places:
    """Where the segments of one page are.

    Attributes:
        spans: of segments, by their numbers.
        where: byte offsets of nodes, by their addresses.
        lost: addresses of nodes whose places are unknown, by the numbers of their segments.
        table: of the segments.
    """

    def __init__(self, utf8: bytes, tables: Tables) -> None:
        self.spans: dict[int, _Span] = {}
        self.where: dict[int, tuple[int, int]] = {}
        self.lost: dict[int, list[int]] = {}
        self.table: Table = tables.array(SEGMENTS)
        self._utf8 = utf8
        self._data = tables.text
        self._starts, self._ends = self.table["start"].tolist(), self.table["end"].tolist()

    def text(self, row: int) -> str:
        """Returns the text of a segment."""
        return self._data[self._starts[row] : self._ends[row]].decode()

    def add(self, row: int, start: int, end: int, nodes: tuple[int, ...] = ()) -> None:
        """Adds a part of the page to a segment."""
        known = self.spans.get(row)
        if known is None:
            self.spans[row] = _Span(start, end, [*nodes])
        else:
            known.start, known.end = min(start, known.start), max(end, known.end)
            known.nodes += nodes

    def add_traced(self, met: list[tuple[int, int, int, int]], places: list[tuple[int, int, int]]) -> None:
        """Adds what the walk has met: each text goes to the segments that have it."""
        stray = _Stray()
        where = self.where
        for node, start, end in places:
            if not node:
                # text of a table, which the parser has moved to the place before it
                stray.add(self._plain(start, end), start, end)
            elif (noted := where.get(node)) is None:
                where[node] = start, end
            else:
                where[node] = min(noted[0], start), max(noted[1], end)
        for node, what, start, end in met:
            if end <= start:
                continue
            place = where.get(node)
            if what != Met.TEXT:
                inside = [where[each] for each in (node, *texts_below(node)) if each in where]
                if inside:
                    place = min(each[0] for each in inside), max(each[1] for each in inside)
            elif place is None or stray.is_left:
                letters = _letters(self._data[start:end].decode("utf-8", "replace"))
                known = self._plain(*place) if place is not None else ""
                before, _, behind = letters.partition(known) if known else ("", "", letters)
                for more in filter(None, (stray.take(before), stray.take(behind))):
                    place = more if place is None else (min(place[0], more[0]), max(place[1], more[1]))
            if place is not None:
                self._share(node, place, start, end)
            else:
                row = max(bisect_right(self._starts, start) - 1, 0)
                self.lost.setdefault(row, []).append(node)

    def widen(self, start: int, end: int) -> None:
        """Widens segments that have letters from elsewhere in a part of the page, by all of the part."""
        for row, span in self.spans.items():
            rest = iter(self._plain(span.start, span.end))
            if not all(letter in rest for letter in _letters(self.text(row))):
                span.start, span.end = min(span.start, start), max(span.end, end)

    def _plain(self, start: int, end: int) -> str:
        """Returns the letters of a part of the page."""
        return _letters(html.unescape(_TAG.sub("", self._utf8[start:end].decode("utf-8", "replace"))))

    def _share(self, node: int, place: tuple[int, int], start: int, end: int) -> None:
        """Adds a text of the page to the segments of which a part of the Document's text is made."""
        starts, ends = self._starts, self._ends
        rows = rows_within(starts, ends, start, end)
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

    def search(self, rows: Iterable[int], parts: list[_Stream], again: bool) -> None:
        """Searches segments in parts of the page, and adds them where they are found first.

        One that is not found in data is somewhere in the part that the segment before it is in."""
        misses, current = 0, 0
        for row in rows:
            letters = _letters(self.text(row))
            if not letters or misses > _MISSES:
                continue
            # the part with the segment before it comes first
            order = [*parts[current : current + 1], *parts[:current], *parts[current + 1 :]]
            places = chain(
                ((part, part.find(letters, again)) for part in order),
                ((part, part.find_ends(letters)) for part in order),
            )
            found = next(((part, place) for part, place in places if place is not None), None)
            if found is not None:
                current = parts.index(found[0])
                self.add(row, *found[1], (*found[0].nodes, *self.lost.get(row, ())))
            else:
                misses += 1
                if parts and parts[current].nodes:
                    self.add(row, *parts[current].place, parts[current].nodes)

    def fill(self) -> None:
        """Adds segments without letters, such as a line of dots, between those around them."""
        rows = len(self._starts)
        for row in range(rows):
            if row in self.spans or _letters(self.text(row)):
                continue
            before, behind = self.spans.get(row - 1), self.spans.get(row + 1)
            start = before.end if before else 0
            end = behind.start if behind else len(self._utf8)
            at = self._utf8.find(self._data[self._starts[row] : self._ends[row]], start)
            if start <= at < end:
                self.add(row, at, at + self._ends[row] - self._starts[row])

    def sources(self, body: bytes | str, encoding: str, selectors: Selectors | None) -> Sources:
        """Returns all of it, in the bytes of the page as it was served."""
        n = len(self._starts)
        starts, ends = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
        names = [""] * n
        for row, span in self.spans.items():
            text = self._utf8[span.start : span.end].rstrip(_WHITE)
            ends[row] = span.start + len(text)
            starts[row] = span.start + len(text) - len(text.lstrip(_WHITE))
            if selectors is not None:
                names[row] = selectors.around(span.nodes)
        known = starts >= 0
        starts[known], ends[known] = served_places(body, encoding, self._utf8, starts[known], ends[known])
        return Sources(starts, ends, tuple(names))


def sources_of_page(
    body: bytes | str,
    encoding: str,
    utf8: bytes,
    tree: Parsed,
    met: list[tuple[int, int, int, int]],
    tables: Tables,
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
    found = _Places(utf8, tables)
    places = tree.places()
    if places is not None:
        found.add_traced(met, places)
    is_state = found.table["flags"] & STATE != 0
    lost = [row for row in np.flatnonzero(~is_state).tolist() if row not in found.spans or row in found.lost]
    if lost and len(utf8) <= _SEARCHED:
        found.search(lost, [_Stream(utf8, 0, len(utf8))], places is not None)
    moved = [place for node, *place in places or () if not node]
    if moved:
        found.widen(moved[0][0], moved[-1][1])
    if is_state.any():
        found.search(np.flatnonzero(is_state).tolist(), _data_of(tree, utf8, found.where), True)
    found.fill()
    return found.sources(body, encoding, Selectors(tree.parser, _SELECTED))


def _data_of(tree: Parsed, utf8: bytes, where: Mapping[int, tuple[int, int]]) -> list[_Stream]:
    """Returns the parts of a page that are data: contents of scripts, and tags with data in attributes."""
    found, room = [], _SEARCHED
    for node in places_of(tree.parser):
        # what was passed over counts for the script; other contents are a node of their own
        inside = [where[each.mem_id] for each in (node, node.first_child) if each and each.mem_id in where]
        if not inside:
            continue
        start, end = inside[0][0] + 1, max(each[1] for each in inside)
        if node.tag == "script":
            start = utf8.find(b">", start) + 1
        else:
            end = inside[0][1] - 1
        room -= end - start
        if room < 0:
            break
        found.append(_Stream(utf8, start, end, data=True, nodes=(node.mem_id,)))
    return found


def sources_of_text(body: bytes | str, encoding: str, utf8: bytes, tables: Tables) -> Sources:
    """Returns where the segments of a plain text are; the arguments are those of `sources_of_page`."""
    found = _Places(utf8, tables)
    found.search(range(len(found.table)), [_Stream(utf8, 0, len(utf8), coded=False)], False)
    found.fill()
    return found.sources(body, encoding, None)
