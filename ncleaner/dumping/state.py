"""The article, product or discussion that a page is about, in the state of its scripts.

Frameworks send the data of a page as JSON: JSON-LD, `__NEXT_DATA__`, Nuxt's payload, the caches of Apollo and
Redux, the properties of Astro's islands. Most of it is something else: menus, other articles, other products,
the messages of the interface. So this module looks for one record, the object that has the title of the page,
and writes the prose below it as HTML, in its order. The prose of other records inside it is theirs.

All of it is bounded: characters of data, attempts to read a script, depth, objects, and steps through
references. Data that is not JSON has no record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Reversible
from html import escape, unescape
from itertools import islice
from typing import Any, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.dumping.embedded import (
    TAG,
    WORD,
    Passage,
    content_of,
    is_aside,
    is_known,
    is_prose,
    known_spans,
    spans_of,
    unwrapped,
    without_tags,
)

# Bounds of one page: characters of data, failed attempts in one script, levels of objects, objects and lists
# that are visited, levels of JSON in strings, characters of all records.
_READ, _ATTEMPTS, _DEPTH, _VISITS, _NESTING, _CHARS = 4_000_000, 4, 60, 100_000, 3, 1_000_000
# Most records that are written, and characters of a title.
_RECORDS, _LONG = 100, 400
# Fewest characters of the text that is taken.
_LEAST = 600
# Fewest characters of a title that tells a record; an unspaced script needs a third of them.
_TITLE_CHARS = 12
# The record of a page without a title must have this many times the prose of the next one.
_DOMINANT = 3
# What the page says its title is, besides <title>.
_STATED = "meta[property='og:title'], meta[name='twitter:title']"

_TITLES = ("headline", "title", "name", "question")
_HAVE_TITLES = frozenset(_TITLES)
# What tells a record from a section of one: an address, a date, a price. Titles of sections have none of it.
_IDENTITY = frozenset(
    "url slug uri permalink canonicalUrl canonical_url href path pathname link datePublished dateCreated "
    "published publishedAt published_at publishDate firstPublishedAt createdAt sku price offers".split()
)
# The keys of text in rich text: their strings are text however short they are.
_TEXT = frozenset(("text", "value", "data"))
# Keys of texts that announce another one.
_SUMMARIES = frozenset("description excerpt summary abstract teaser dek standfirst lead subtitle".split())
# Keys of the children of a node of rich text, and types of nodes that are inside a paragraph.
_CHILDREN = frozenset(("children", "content"))
_INLINE = frozenset(
    "text span link hyperlink entry-hyperlink asset-hyperlink a strong em b i code mark".split()
)
_KINDS = ("type", "nodeType", "_type", "nodeName", "tagName", "style", "__typename")
_HAVE_KINDS = frozenset(_KINDS)
_HEADING = re.compile(r"(?:heading|header|h)[-_ ]?[1-6]?\Z", re.IGNORECASE)
_ITEM = re.compile(r"(?:list[-_]?item|li)\Z", re.IGNORECASE)

# The beginning of a value that is assigned, behind what such a name may end in; and the end of a name such as
# `__NUXT__` or `initialState`.
_ASSIGNED = re.compile(r"""=(?<=[_aeEsS"'\]\s]=)\s*(?=[{\[(f]|JSON\s*\.\s*parse\()""")
_NAME = re.compile(r"""(?:__|[Ss]tate|STATE|[Pp]rops|PROPS|[Ss]tore|STORE|Data)["'\]\s]*\Z""")
_PARSED = re.compile(r'JSON\s*\.\s*parse\(\s*(?=")')
_CALLED = re.compile(r"\(?\s*function\s*\(([^()]*)\)\s*\{\s*return\s*(?=[{\[])")
# A function, and characters of a literal in which data has none.
_PROGRAM, _HEAD = re.compile(r"\bfunction\s*\(|=>"), 2_000
# The tokens of a literal of JavaScript that JSON does not have.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"|\bvoid\s+0\b|!0|!1|([A-Za-z_$][\w$]*+)(\s*+:)?', re.DOTALL)
_CONSTANTS = frozenset(("true", "false", "null"))
_BLOCK_END = re.compile(r"(?<=</p>)|(?<=</li>)|(?<=</h[1-6]>)|(?<=</div>)|(?<=</blockquote>)", re.IGNORECASE)


class _Record(NamedTuple):
    """A record: its title, its blocks in order, each as HTML, and the characters of their text."""

    title: str
    blocks: list[str]
    chars: int


# A number is of no use here but as an index; integers of any length take quadratic time.
_DECODER = json.JSONDecoder(strict=False, parse_int=float)


def _folded(text: str) -> str:
    return " ".join(WORD.findall(text.casefold()))


def _decode(text: str) -> Any:
    """Returns the value at the beginning of a text, or None."""
    try:
        return _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _as_json(code: str, names: dict[str, Any]) -> str:
    """Returns a literal of JavaScript as JSON: keys in quotes, names with the values that they stand for."""

    literals = {name: json.dumps(value) for name, value in names.items()}
    room = _CHARS  # a name may stand for a long value in a million places

    def token(match: re.Match[str]) -> str:
        nonlocal room
        found, name = match[0], match[1]
        if name is None:
            return {"!0": "true", "!1": "false"}.get(found, found if found[0] == '"' else "null")
        if match[2]:
            return f'"{name}":'
        literal = name if name in _CONSTANTS else literals.get(name, "null")
        room -= len(literal)
        return literal if room >= 0 else "null"

    return _TOKEN.sub(token, code)


def _called(code: str, match: re.Match[str]) -> Any:
    """Returns what a function returns that Nuxt calls at once; its arguments are the values that repeat."""
    body = code[match.end() :]
    end = body.rfind("}(")
    if end < 0:
        return None
    arguments = _decode("[" + _as_json(body[end + 2 :], {}).rstrip(" ;\n\r\t)") + "]")
    names = [name.strip() for name in match[1].split(",")]
    values = dict(zip(names, arguments, strict=False)) if isinstance(arguments, list) else {}
    return _decode(_as_json(body[:end], values))


def _values_of_code(code: str) -> Iterator[Any]:
    """Yields the values that a script assigns to names."""
    at, attempts = 0, 0
    while attempts < _ATTEMPTS and len(code) - at >= _LEAST and (match := _ASSIGNED.search(code, at)):
        at = match.end()
        name = _NAME.search(code[max(match.start() - 12, 0) : match.start()])
        if name is None:
            continue
        call = _CALLED.match(code, at)
        if call:
            attempts += 1
            yield _called(code, call)
            continue
        parsed = _PARSED.match(code, at)
        start = parsed.end() if parsed else at
        if code[start] not in ('"' if parsed else "{["):
            continue
        try:
            value, at = _DECODER.raw_decode(code, start)
        except (ValueError, RecursionError):
            attempts += 1
            # settings of a program rather than data, and as long as the rest of the script
            if name[0][:2] != "__" or _PROGRAM.search(code, start, start + _HEAD):
                continue
            value = _decode(_as_json(code[start:], {}))
        yield value


def _unflattened(value: Any) -> Any:
    """Returns Nuxt's flat list of values as objects: in it, each object has the places of its values."""
    if not (isinstance(value, list) and value and isinstance(value[0], (dict, list))):
        return value
    made: list[Any] = [{} if isinstance(one, dict) else [] if isinstance(one, list) else one for one in value]

    def at(place: Any) -> Any:
        if not isinstance(place, float) or not 0 <= place < len(made):
            return None
        return made[int(place)]

    for one, target in zip(value, made, strict=True):
        if isinstance(one, dict):
            target.update((key, at(place)) for key, place in one.items())
        elif isinstance(one, list):
            # ["Reactive", 1] is the value at 1
            target.extend(at(place) for place in one if isinstance(place, float))
    return made[0]


def _untyped(value: Any, depth: int = 0) -> Any:
    """Returns the properties of an Astro island as they were: each value is in a pair with its type."""
    if isinstance(value, dict) and depth <= _DEPTH:
        return {key: _untyped(one, depth + 1) for key, one in value.items()}
    if not isinstance(value, list) or len(value) != 2 or depth > _DEPTH:
        return value
    if isinstance(value[1], list):
        return [_untyped(one, depth + 1) for one in value[1]]
    return _untyped(value[1], depth + 1)


def _places(
    nodes: Iterable[LexborNode], passed_over: Mapping[int, bytes], shortest: float
) -> Iterator[tuple[str, str]]:
    """Yields (kind, text) of the places of data with at least `shortest` characters, at most `_READ` in all.

    The kind is `code`, `json`, `flat` (the list that Nuxt makes of objects) or `typed` (Astro's)."""
    room = _READ
    for node in nodes:
        attributes = node.attributes
        if node.tag != "script":
            kind = "typed" if node.tag == "astro-island" else "json"
            texts = [
                (kind, value) for value in attributes.values() if value and value.lstrip()[:1] in ("{", "[")
            ]
        else:
            kind, text = (attributes.get("type") or "").lower(), content_of(node, passed_over)
            if "json" in kind:
                flat = attributes.get("id") == "__NUXT_DATA__" or "data-nuxt-data" in attributes
                text = unwrapped(text.strip().removeprefix("<!--").lstrip())
                texts = [("flat" if flat else "json", text)]
            else:
                texts = [("code", text)] if not kind or "javascript" in kind or kind == "module" else []
        for kind, text in texts:
            if len(text) >= shortest:
                room -= len(text)
                if room < 0:
                    return
                yield kind, text


# What makes objects of the values of each kind of place.
_MADE: dict[str, Callable[[Any], Any]] = {
    "json": lambda value: value,
    "flat": _unflattened,
    "typed": _untyped,
}


def _titles_in(value: dict[str, Any]) -> list[str]:
    """Returns the titles of an object."""
    found: list[str] = []
    for key in _TITLES:
        title = value.get(key)
        if isinstance(title, dict):  # WordPress
            title = title.get("rendered")
        if isinstance(title, str) and 0 < len(title) <= _LONG:
            found.append(unescape(title))
    return found


class _Searcher:
    """Searches the data of one page for the record that has its title."""

    def __init__(self, titles: list[str]) -> None:
        self.entities: dict[str, Any] = {}  # what references lead to
        self._titles = [folded for title in titles if (folded := _folded(title[:_LONG]))]
        self._firsts = {title.split(" ", 1)[0] for title in self._titles}
        self._words = {word for title in self._titles for word in title.split()}
        self._visits = _VISITS
        # objects of records, and whether each has the title of the page
        self._found: list[tuple[dict[str, Any], bool]] = []
        self.visits, self.room = _VISITS, _CHARS  # that are left to write records

    def is_named(self, title: str) -> bool:
        """Returns whether a title is that of the page, or what it has before or after the site's name."""
        # most titles of a state have nothing of that of the page
        small = title.casefold()
        begin = WORD.search(small)
        if begin is None or (
            begin[0] not in self._words and not any(first in small for first in self._firsts)
        ):
            return False
        folded = _folded(title)
        width = 3 * sum(len(word) == 1 and word >= "\u0e00" for word in folded.split()) + len(folded)
        return width >= _TITLE_CHARS and any(
            f" {folded} " in f" {page} " or (width >= 2 * _TITLE_CHARS and f" {page} " in f" {folded} ")
            for page in self._titles
            if 2 * len(page) >= len(folded)
        )

    def record(self, value: dict[str, Any], titles: list[str]) -> bool | None:
        """Returns None if an object is no record, otherwise whether one of its titles is that of the page."""
        if not titles:
            return None
        if any(map(self.is_named, titles)):
            return True
        return None if _IDENTITY.isdisjoint(value) else False

    def search(self, root: Any, nesting: int = 0) -> None:
        """Notes the records in a value."""
        if isinstance(root, str):
            root = _decode(root)
        if not isinstance(root, (dict, list)):
            return
        below, known = [(root, 0)], set()
        while below and self._visits:
            value, depth = below.pop()
            self._visits -= 1
            place = id(value)
            if place in known:
                continue
            known.add(place)
            inside: Reversible[Any] = value
            if isinstance(value, dict):
                if not _HAVE_TITLES.isdisjoint(value):
                    named = self.record(value, _titles_in(value))
                    if named is not None:
                        self._found.append((value, named))
                inside = value.values()
                if ":" in "".join(islice(value, 3)):
                    self.entities.update(value)
            # there may be a hundred thousand values, all of them of the types of JSON
            for one in reversed(inside):
                kind = type(one)
                if kind is str:
                    if len(one) >= _LEAST and one[0] in "{[" and nesting < _NESTING:
                        self.search(_decode(one), nesting + 1)
                elif (kind is dict or kind is list) and one and depth < _DEPTH:
                    below.append((one, depth + 1))

    def best(self, thin: bool) -> _Record | None:
        """Returns the record with most text among those that have the title of the page.

        With `thin`, it is one without it if it has far more text than any other."""
        named = any(is_named for _, is_named in self._found)
        if not named and not thin:
            return None
        found = [value for value, is_named in self._found if is_named == named]
        records = [_Writer(self, value).written() for value in found[:_RECORDS]]
        records.sort(key=lambda record: -record.chars)
        second = records[1].chars if len(records) > 1 else 0
        return records[0] if records and (named or records[0].chars >= _DOMINANT * second) else None


class _Writer:
    """Writes the prose of a record as HTML."""

    def __init__(self, searcher: _Searcher, record: dict[str, Any]) -> None:
        self._searcher = searcher
        self._record = record
        self._blocks: list[str] = []
        self._pieces: list[str] = []
        self._tag = "p"
        self._nodes = 0
        self._heading = ""
        self._known: set[int] = set()

    def written(self) -> _Record:
        """Returns the record; what only repeats or announces its text is left out."""
        summaries = []
        for key, one in self._record.items():
            begin = len(self._blocks)
            self._member(key, one, 0)
            if key.lower() in _SUMMARIES:
                self._end()
                summaries.append((begin, len(self._blocks)))
        self._end()
        for begin, end in reversed(summaries):
            summary = spans_of(" ".join(map(without_tags, self._blocks[begin:end])))
            rest = spans_of(" ".join(map(without_tags, self._blocks[:begin] + self._blocks[end:])))
            if len(rest) >= 3 * len(summary) or 2 * len(summary & rest) >= len(summary):
                del self._blocks[begin:end]
        title = next(iter(_titles_in(self._record)), "")
        return _Record(title, self._blocks, sum(map(len, map(without_tags, self._blocks))))

    def _add(self, block: str) -> None:
        if self._heading:
            self._blocks.append(f"<h2>{escape(self._heading, False)}</h2>")
            self._heading = ""
        self._blocks.append(block)

    def _end(self, tag: str = "p") -> None:
        """Ends a paragraph of rich text; the next one is a block of this tag."""
        text = "".join(self._pieces)
        if WORD.search(text):
            self._add(f"<{self._tag}>{escape(text, False)}</{self._tag}>")
        self._pieces.clear()
        self._tag = tag

    def _member(self, key: str, value: object, depth: int) -> None:
        if isinstance(value, str):
            self._string(key, value)
        elif isinstance(value, (dict, list)):
            self._value(key, value, depth + 1)
        else:
            self._searcher.visits -= 1

    def _object(self, value: dict[str, Any], titles: list[str], depth: int) -> None:
        """Writes an object: a node of rich text, or any other."""
        kinds: list[str] = []
        if not _HAVE_KINDS.isdisjoint(value):
            kinds = [kind.lower() for name in _KINDS if isinstance(kind := value.get(name), str)]
        has_children = not _CHILDREN.isdisjoint(value) and any(
            isinstance(value.get(name), list) for name in _CHILDREN
        )
        if self._nodes and (not _INLINE.isdisjoint(kinds) or (not kinds and not has_children)):
            for key, one in value.items():
                self._member(key, one, depth)
        elif kinds and (has_children or (not _TEXT.isdisjoint(value) and _IDENTITY.isdisjoint(value))):
            tag = "h2" if any(map(_HEADING.match, kinds)) else "li" if any(map(_ITEM.match, kinds)) else "p"
            # the text of a list item is in a paragraph of it
            self._end("li" if self._tag == "li" and not self._pieces and tag == "p" else tag)
            self._nodes += 1
            self._section(value, titles, depth)
            self._nodes -= 1
            self._end()
        else:
            self._section(value, titles, depth)

    def _section(self, value: dict[str, Any], titles: list[str], depth: int) -> None:
        before, self._heading = self._heading, titles[0] if titles else self._heading
        for key, one in value.items():
            self._member(key, one, depth)
        # one without a text below it is none
        self._heading = before if self._heading else ""

    def _value(self, key: str, value: dict[str, Any] | list[Any], depth: int) -> None:
        self._searcher.visits -= 1
        if depth > _DEPTH or self._searcher.visits < 0:
            return
        if is_aside(key) or id(value) in self._known:
            return
        self._known.add(id(value))
        if isinstance(value, list):
            for one in value:
                self._member(key if isinstance(one, str) else "", one, depth)
            return
        place = value.get("__ref") or value.get("id") if len(value) <= 4 else None
        target = self._searcher.entities.get(place) if isinstance(place, str) else None
        if isinstance(target, dict) and target is not value:
            # what is kept by itself and has a title is another record: a related article, an author
            if not _titles_in(target):
                self._value("", target, depth + 1)
            return
        titles = _titles_in(value)
        if self._searcher.record(value, titles) is None:
            self._object(value, titles, depth)

    def _string(self, key: str, text: str) -> None:
        """Writes a string: as it is inside a node of rich text, otherwise if it is prose."""
        self._searcher.room -= len(text)
        if is_aside(key) or self._searcher.room < 0:
            return
        if "<" not in text and "&lt;" in text:
            text = unescape(text)
        marked = TAG.search(text) is not None
        if self._nodes and key in _TEXT and not marked:
            self._pieces.append(text)
            return
        if not is_prose(without_tags(text), marked):
            return
        self._end(self._tag)
        for block in _BLOCK_END.split(text) if marked else unescape(text).splitlines():
            if block.strip():
                self._add(block if marked else f"<p>{escape(block, False)}</p>")


def _titles_of(parser: LexborHTMLParser) -> Iterator[str]:
    """Yields what a page says its title is, besides <title>."""
    yield from (node.attributes.get("content") or "" for node in parser.css(_STATED))
    yield from (node.text() for node in parser.tags("h1")[:3])


def find_record(
    parser: LexborHTMLParser,
    nodes: Iterable[LexborNode],
    title: str,
    shown: str,
    least: float,
    passed_over: Mapping[int, bytes],
) -> list[Passage]:
    """Returns what a page does not show of the record that it is about.

    Args:
        parser: the parsed page.
        nodes: the places of data, `embedded.places_of` the page.
        title: its <title>.
        shown: text of the page's Document, one segment on each line.
        least: fewest characters of a text that the page does not show; the record must have the title of the
            page. 0 for a page that shows hardly any text: a record that is far larger than all others will
            do.
        passed_over: contents of scripts that are empty in the tree; see `Parsed.passed_over`.

    Returns:
        Passages with markup, in the order of the record; none if it has too little text.
    """
    fewest = max(least, _LEAST)
    searcher: _Searcher | None = None
    # a shorter place cannot have the record
    for kind, text in _places(nodes, passed_over, fewest):
        for value in _values_of_code(text) if kind == "code" else (_MADE[kind](_decode(text)),):
            # most pages have scripts, and no data in them
            if searcher is None:
                searcher = _Searcher([title, *_titles_of(parser)])
            searcher.search(value)
    record = searcher.best(not least) if searcher is not None else None
    if record is None or record.chars < fewest:
        return []
    known = known_spans(shown)
    fresh, size = [], 0
    if not is_known(spans_of(record.title), known):
        fresh.append(f"<h1>{escape(record.title, False)}</h1>")
    for block in record.blocks:
        text = without_tags(block)
        spans = spans_of(text)
        if not is_known(spans, known):
            known |= spans
            fresh.append(block)
            size += len(text)
    return [Passage("".join(fresh), True)] if size >= fewest else []
