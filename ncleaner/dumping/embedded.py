"""Text that is only in a page's data: JSON-LD, the state of a script, JSON in an attribute.

Some pages show hardly any text before their scripts have run. The text that a reader will see is in the data
of those scripts: JSON-LD, `__NEXT_DATA__`, the caches of Apollo and Redux. Most of it is something else:
menus, other articles, other products, the messages of the interface. So one record is looked for, the object
that has the title of the page, and the prose below it is written as HTML, in its order. The prose of other
records inside it is theirs. Data that is not JSON has no record.

All of it is bounded: characters of data, attempts to read a script, depth, objects, and steps through
references. The time is linear in the size of the page.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Reversible
from functools import lru_cache
from html import escape, unescape
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.document import tags
from ncleaner.dumping._builder import Builder
from ncleaner.parsing._nodes import has_attribute
from ncleaner.text.wordlists import word_lists
from ncleaner.text.words import UNSPACED

# Bounds of one page: characters of data in which a record is looked for, failed attempts in one script,
# levels of objects, objects and lists that are visited, levels of data in strings, characters of all records.
_READ, _ATTEMPTS, _DEPTH, _VISITS, _NESTING, _CHARS = 4_000_000, 4, 60, 100_000, 3, 1_000_000
# Characters of the page's own text that are compared with what is found.
_SHOWN = 1_000_000
# Most values of a key that states lines, and bytes of each.
_VALUES, _VALUE = 100, 20_000
# Most records that are written, and characters of a title.
_RECORDS, _LONG_TITLE = 100, 400
# Fewest characters of the text that is taken, and of JSON-LD, which has little but texts of the page.
_LEAST, _FEW = 600, 60
# Fewest characters of a title that tells a record; an unspaced script needs a third of them.
_TITLE_CHARS = 12
# The record of a page without a title must have this many times the prose of the next one.
_DOMINANT = 3
# What the page says its title is, besides <title>.
_STATED = "meta[property='og:title'], meta[name='twitter:title']"

# `embedded.txt` says what these are, and how to add one.
_LISTS = word_lists(
    "dumping/embedded", "attributes", "titles of records, as written", "records, as written",
    "text, as written", "items, as written", "kinds, as written", "inside paragraphs", "summaries", "aside",
    "stated, as written", "pages, as written",
    "items with names, as written",
)  # fmt: skip
_TITLE_KEYS = _LISTS["titles of records, as written"]
_HAVE_TITLES, _IDENTITY = frozenset(_TITLE_KEYS), frozenset(_LISTS["records, as written"])
_TEXT, _SUMMARIES = frozenset(_LISTS["text, as written"]), frozenset(_LISTS["summaries"])
_PAGES, _NAMED = _LISTS["pages, as written"], _LISTS["items with names, as written"]
_ITEMS = frozenset(_LISTS["items, as written"])
# Keys of the children of a node of rich text.
_CHILDREN = frozenset(("children", "content"))
_INLINE, _KINDS = frozenset(_LISTS["inside paragraphs"]), _LISTS["kinds, as written"]
_HAVE_KINDS = frozenset(_KINDS)
_HEADING = re.compile(r"(?:heading|header|h)[-_ ]?[1-6]?\Z", re.IGNORECASE)
_ITEM = re.compile(r"(?:list[-_]?item|li|howtostep)\Z", re.IGNORECASE)

# The beginning of a value that is assigned, after what such a name may end in; and the end of a name such as
# `__NUXT__` or `initialState`.
_ASSIGNED = re.compile(r"""=(?<=[_aeEsS"'\]\s]=)\s*(?=[{\[]|JSON\s*\.\s*parse\()""")
_NAME = re.compile(r"""(?:__|[Ss]tate|STATE|[Pp]rops|PROPS|[Ss]tore|STORE|Data)["'\]\s]*\Z""")
_PARSED = re.compile(r'JSON\s*\.\s*parse\(\s*(?=")')
_BLOCK_END = re.compile(r"(?<=</p>)|(?<=</li>)|(?<=</h[1-6]>)|(?<=</div>)|(?<=</blockquote>)", re.IGNORECASE)


# Fewest words of prose, and of prose without punctuation in a script that does not separate words. There a
# character counts as half a word.
_WORDS, _UNMARKED = 8, 20
# A text is known if at least this share of its sequences of `_SPAN` words is known.
_SPAN, _KNOWN = 4, 0.5

_ATTRIBUTES = _LISTS["attributes"]
_PLACES = ", ".join(["script", *(f"[{name}]" for name in _ATTRIBUTES)])
_NAMES = [name.encode() for name in _ATTRIBUTES]

_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ASIDE = frozenset(_LISTS["aside"])

# A tag; and a word, of which each letter of a script without spaces is one.
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
_FINAL = re.compile(r"[.!?…。！？।؟։።](?![^\s\"'”’»)\]）」』])")


class _Record(NamedTuple):
    """A record: its title, its blocks in order, each as HTML, the characters of their text, and the fewest of
    these that are taken."""

    title: str
    blocks: list[str]
    chars: int
    least: int


def places_of(parser: LexborHTMLParser) -> list[LexborNode]:
    """Returns the places of data of a page, in its order: scripts, and elements with data in attributes."""
    root = parser.root
    if root is None:
        return []
    # few pages have such attributes, and Lexbor takes long to look for them by a selector
    return parser.css(_PLACES) if has_attribute(root.mem_id, _NAMES) else parser.tags("script")


def content_of(node: LexborNode, passed_over: Mapping[int, bytes]) -> str:
    """Returns the text of a script, also of one that is empty in the tree."""
    source = passed_over.get(node.mem_id)
    if source is None:
        child = node.first_child
        return "" if child is None else child.text_content or ""
    text = source.decode()
    if b"\r" in source or b"\0" in source:
        # as the tokenizer does
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text


def _places(nodes: Iterable[LexborNode], passed_over: Mapping[int, bytes]) -> Iterator[tuple[str, str]]:
    """Yields the places of data in page order: `code`, `json` or "" for other scripts, and the text."""
    for node in nodes:
        attributes = node.attributes
        if node.tag != "script":
            for value in attributes.values():
                if value and value.lstrip()[:1] in ("{", "["):
                    yield "json", value
            continue
        kind, text = (attributes.get("type") or "").lower(), content_of(node, passed_over)
        if "json" in kind:
            yield "json", _unwrapped(text.strip().removeprefix("<!--").lstrip())
        else:
            is_code = not kind or "javascript" in kind or kind == "module"
            yield "code" if is_code else "", text


def _without_tags(text: str) -> str:
    """Returns the text of HTML, with spaces for its tags."""
    return unescape(_TAG.sub(" ", text))


def _markup_of(text: str) -> tuple[str, bool]:
    """Returns a text, and whether it is HTML."""
    if "<" not in text and "&lt;" in text:
        text = unescape(text)
    return text, _TAG.search(text) is not None


def _blocks_of(text: str, marked: bool) -> list[str]:
    """Returns the blocks of HTML, or the lines of a text that is none."""
    return _BLOCK_END.split(text) if marked else unescape(text).splitlines()


def _unwrapped(data: str) -> str:
    """Returns data without the second escaping that its place in the page required."""
    start = data[:200].lstrip()
    if start[:3].upper() in ("%7B", "%5B"):
        return unquote(data[:_CHARS])  # needs sixty times the memory of its argument
    if '"' not in start and "\\u0022" in start:
        return data.replace("\\u0022", '"')
    if '"' not in start and "&quot;" in start:
        return unescape(data)
    return data


# A number is of no use here but as an index; integers of any length take quadratic time.
_DECODER = json.JSONDecoder(strict=False, parse_int=float)


def _folded(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _decode(text: str) -> Any:
    """Returns the value at the beginning of a text, or None."""
    try:
        return _DECODER.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _values_of_code(code: str) -> Iterator[Any]:
    """Yields the values that a script assigns to names."""
    at, attempts = 0, 0
    while attempts < _ATTEMPTS and len(code) - at >= _LEAST and (match := _ASSIGNED.search(code, at)):
        at = match.end()
        name = _NAME.search(code[max(match.start() - 12, 0) : match.start()])
        if name is None:
            continue
        parsed = _PARSED.match(code, at)
        start = parsed.end() if parsed else at
        if code[start] not in ('"' if parsed else "{["):
            continue
        try:
            value, at = _DECODER.raw_decode(code, start)
        except (ValueError, RecursionError):
            attempts += 1
            continue
        yield value


def _is_prose(text: str, marked: bool) -> bool:
    """Returns whether a text is prose, in any script. `marked` says that markup was removed from the text."""
    # most strings of data are short, or without the end of a sentence
    is_ascii = text.isascii()
    if len(text) < (2 * _WORDS - 1 if is_ascii else _WORDS):
        return False
    if is_ascii and not marked and _FINAL.search(text) is None:
        return False
    words = _WORD.findall(text)
    single = sum(len(word) == 1 and word >= "\u0e00" for word in words)
    if len(words) - single / 2 < _WORDS:
        return False
    # Some of these scripts do not end sentences with a mark.
    return marked or single / 2 >= _UNMARKED or _FINAL.search(text) is not None


@lru_cache(4_096)
def _is_aside(key: str) -> bool:
    """Returns whether the text of a key is not text of the page.

    Keys with dots or spaces belong to messages."""
    if "." in key or " " in key:
        return True
    return not _ASIDE.isdisjoint(word.lower() for word in _KEY_WORD.findall(key))


def _spans(words: list[str]) -> set[str]:
    if len(words) <= _SPAN:
        return {" ".join(words)} if words else set()
    return set(map(" ".join, zip(*(words[i:] for i in range(_SPAN)), strict=False)))


def _spans_of(text: str) -> set[str]:
    """Returns all sequences of `_SPAN` words of a text, or the whole text if it is shorter."""
    return _spans(_WORD.findall(text.casefold()))


def _known_spans(shown: str) -> set[str]:
    """Returns the sequences (`_spans_of`) of what a page shows, a segment on each line, and of each line."""
    words: list[str] = []
    short: set[str] = set()
    for line in shown[:_SHOWN].casefold().splitlines():
        own = _WORD.findall(line)
        words += own
        if len(own) < _SPAN:
            # a line of few words is known as a whole
            short |= _spans(own)
    return _spans(words) | short


def _is_known(spans: set[str], known: set[str]) -> bool:
    """Returns whether a text with these sequences is known: at least the share `_KNOWN` of them is."""
    return len(spans & known) >= _KNOWN * len(spans)


def _titles_in(value: dict[str, Any]) -> list[str]:
    """Returns the titles of an object."""
    found: list[str] = []
    for key in _TITLE_KEYS:
        title = value.get(key)
        if isinstance(title, dict):  # WordPress
            title = title.get("rendered")
        if isinstance(title, str) and 0 < len(title) <= _LONG_TITLE:
            found.append(unescape(title))
    return found


class _Searcher:
    """Searches the data of one page for the record that has its title."""

    def __init__(self, titles: list[str]) -> None:
        self.entities: dict[str, Any] = {}  # what references lead to
        self._titles = [folded for title in titles if (folded := _folded(title[:_LONG_TITLE]))]
        self._firsts = {title.split(" ", 1)[0] for title in self._titles}
        self._words = {word for title in self._titles for word in title.split()}
        self._visits = _VISITS
        # objects of records, and whether each has the title of the page
        self._found: list[tuple[dict[str, Any], bool]] = []
        self.visits, self.room = _VISITS, _CHARS  # that are left to write records

    def is_named(self, title: str, is_typed: bool) -> bool:
        """Returns whether a title is that of the page, or what it has before or after the site's name; a
        short one only with a type, and before it."""
        # most titles of a state have nothing of that of the page
        small = title.casefold()
        begin = _WORD.search(small)
        if begin is None or (
            begin[0] not in self._words and not any(first in small for first in self._firsts)
        ):
            return False
        folded = _folded(title)
        width = 3 * sum(len(word) == 1 and word >= "\u0e00" for word in folded.split()) + len(folded)
        if width < _TITLE_CHARS:
            return is_typed and any(f"{page} ".startswith(f"{folded} ") for page in self._titles)
        return any(
            f" {folded} " in f" {page} " or (width >= 2 * _TITLE_CHARS and f" {page} " in f" {folded} ")
            for page in self._titles
            if 2 * len(page) >= len(folded)
        )

    def record(self, value: dict[str, Any], titles: list[str]) -> bool | None:
        """Returns None if an object is no record, otherwise whether one of its titles is that of the page."""
        if value.get("@type") in _PAGES or any(self.is_named(title, "@type" in value) for title in titles):
            return True
        if not titles:
            return None
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
                if "@type" in value or not _HAVE_TITLES.isdisjoint(value):
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
            summary = _spans_of(" ".join(map(_without_tags, self._blocks[begin:end])))
            rest = _spans_of(" ".join(map(_without_tags, self._blocks[:begin] + self._blocks[end:])))
            if len(rest) >= 3 * len(summary) or 2 * len(summary & rest) >= len(summary):
                del self._blocks[begin:end]
        title = next(iter(_titles_in(self._record)), "")
        chars = sum(map(len, map(_without_tags, self._blocks)))
        return _Record(title, self._blocks, chars, _FEW if "@type" in self._record else _LEAST)

    def _add(self, block: str) -> None:
        if self._heading:
            self._blocks.append(f"<h2>{escape(self._heading, False)}</h2>")
            self._heading = ""
        self._blocks.append(block)

    def _end(self, tag: str = "p") -> None:
        """Ends a paragraph of rich text; the next one is a block of this tag."""
        text = "".join(self._pieces)
        if _WORD.search(text):
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
        if value.get("@type") in _NAMED:
            self._item(": ".join(one for key in ("name", "value") if isinstance(one := value.get(key), str)))
        elif self._nodes and (not _INLINE.isdisjoint(kinds) or (not kinds and not has_children)):
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

    def _item(self, text: str) -> None:
        """Writes an item of a list."""
        self._end("li")
        self._pieces.append(text)
        self._end()

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
        if _is_aside(key) or id(value) in self._known:
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
        if _is_aside(key) or self._searcher.room < 0:
            return
        text, marked = _markup_of(text)
        if key in _ITEMS and not marked:
            self._item(text)
            return
        if self._nodes and key in _TEXT and not marked:
            self._pieces.append(text)
            return
        if not _is_prose(_without_tags(text), marked):
            return
        self._end(self._tag)
        for block in _blocks_of(text, marked):
            if block.strip():
                self._add(block if marked else f"<p>{escape(block, False)}</p>")


def _titles_of(parser: LexborHTMLParser) -> Iterator[str]:
    """Yields what a page says its title is, besides <title>."""
    yield from (node.attributes.get("content") or "" for node in parser.css(_STATED))
    yield from (node.text() for node in parser.tags("h1")[:3])


def _is_new(spans: set[str], known: set[str]) -> bool:
    """Returns whether a text is not known; then it is known from now on."""
    is_new = not _is_known(spans, known)
    if is_new:
        known |= spans
    return is_new


def stated_lines(parser: LexborHTMLParser, passed_over: Mapping[int, bytes]) -> Iterator[str]:
    """Yields lines that the JSON-LD of a page has as ingredients, as steps of a recipe or as answers.

    Args: as `find_record`.
    """
    for node in parser.tags("script"):
        if "ld+json" not in (node.attributes.get("type") or "").lower():
            continue
        text = content_of(node, passed_over)
        for key in _LISTS["stated, as written"]:
            for data in text.split(f'"{key}"', _VALUES)[1:]:
                value = _decode(data[:_VALUE].lstrip(": \t\r\n"))
                for one in value if isinstance(value, list) else [value]:
                    said = one.get("text") if isinstance(one, dict) else one
                    if isinstance(said, str):
                        yield from map(_without_tags, _blocks_of(*_markup_of(said)))


def find_record(
    parser: LexborHTMLParser, title: str, shown: str, least: float, passed_over: Mapping[int, bytes]
) -> str:
    """Returns what a page does not show of the record that its data has of it, as HTML; empty for none.

    Args:
        parser: the parsed page.
        title: its <title>.
        shown: text of the page's Document, one segment on each line. What is in this text is left out.
        least: fewest characters of a text that the page does not show; a record must have the title of
            the page. 0 for a page that shows hardly any text: one far larger than all others will do.
        passed_over: contents of scripts that are empty in the tree; see `Parsed.passed_over`.
    """
    searcher: _Searcher | None = None
    room = _READ
    for kind, text in _places(places_of(parser), passed_over):
        if not kind or len(text) < max(least, _FEW):
            continue
        room -= len(text)
        if room < 0:
            break
        for value in _values_of_code(text) if kind == "code" else (_decode(text),):
            # most pages have scripts, and no data in them
            if searcher is None:
                searcher = _Searcher([title, *_titles_of(parser)])
            searcher.search(value)
    record = searcher.best(not least) if searcher is not None else None
    if record is None or record.chars < max(least, record.least):
        return ""
    known = _known_spans(shown)
    is_titled = not _is_known(_spans_of(record.title), known)
    fresh = [block for block in record.blocks if _is_new(_spans_of(_without_tags(block)), known)]
    if sum(map(len, map(_without_tags, fresh))) < max(least, record.least):
        return ""
    return (f"<h1>{escape(record.title, False)}</h1>" if is_titled else "") + "".join(fresh)


def add_record(builder: Builder, record: str, walk: Callable[[bytes], int]) -> int:
    """Appends a record to the Document in `builder`, in a block `script`.

    Args:
        builder: has what the page shows.
        record: HTML.
        walk: adds markup to the builder like a page, and returns the number of tags that were dropped to keep
            the limits.

    Returns:
        This number.
    """
    first = builder.count_segments()
    builder.open_block(tags.CODE["script"])
    dropped = walk(record.encode("utf-8", "replace"))
    builder.close_block()
    builder.mark_state(first)
    return dropped
