"""Text that is only in a page's data: JSON-LD, the state of a script, JSON in an attribute.

Some pages show hardly any text before their scripts have run. The text that a reader will see is in the data
that those scripts read. This module searches the data for prose, string by string, and builds no objects: if
data is damaged, nested without end or not JSON, only the strings around are lost. The time is linear in the
size of the page.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ncleaner.document import tags
from ncleaner.dumping._builder import Builder
from ncleaner.parsing._nodes import has_attribute
from ncleaner.text.words import UNSPACED

# Limits for one page: characters of data that are read, levels of data within data, strings that are judged,
# characters of prose, and characters of the page's own text that are compared with the prose. Larger limits
# were found to add products and messages, but no more text of the page.
_READ, _NESTING, _STRINGS, _CHARS, _SHOWN = 60_000, 3, 50_000, 1_000_000, 1_000_000
# Shortest literal that may be prose, and longest one that may be a title of the next text; in characters.
_SHORT, _LONG = 16, 200
# Fewest words of prose, and of prose without punctuation in a script that does not separate words. There a
# character counts as half a word.
_WORDS, _UNMARKED = 8, 20
# Largest share of signs of code in a text and in a text with markup; smallest share of words among its
# pieces.
_SIGNS, _MARKED_SIGNS, _ALIKE = 0.02, 0.05, 0.7
# An object with prose under this many different keys, or more, is a table of messages.
_TABLE = 5
# A text is known if at least this share of its sequences of `_SPAN` words is known.
_SPAN, _KNOWN = 4, 0.5

# Attributes that frameworks use for data.
_ATTRIBUTES = (
    "data-page data-preloaded data-props data-react-props data-initial-props data-state data-json props"
).split()
_PLACES = ", ".join(["script", *(f"[{name}]" for name in _ATTRIBUTES)])
_NAMES = [name.encode() for name in _ATTRIBUTES]
# Attribute values of scripts that contain the texts of the user interface.
_MESSAGES = re.compile(r"translat|i18n|locali[sz]|messages")

# A string of JSON, and whether it is a key. A quote ends the string only if JSON can continue after the
# quote, so that a quote that was not escaped has no effect. A string that is not closed extends to the end of
# the data: no character is read twice. The group is not possessive: before Python 3.11.5, `re` matches such
# groups wrongly.
_JSON = re.compile(r'"([^"\\]*+(?:(?:\\.|"(?!\s*+(?:[,:}\]]|\Z)))[^"\\]*+)*)("?)(\s*+:)?', re.DOTALL)
# A string of a script ends with its line at the latest.
_CODE = re.compile(r'"([^"\\\n]*+(?:\\.[^"\\\n]*+)*)("?)(\s*+:)?')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.)|\Z)", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\n", "t": " ", "b": "", "f": " ", "0": ""}
# A string that is itself data.
_DATA = re.compile(r'\A(?:[{\[]\s*+["{\[]|%[57]B)|":["{\[]|\["')

# Words of keys whose text is not text of the page: for images, search engines, errors and legal matters.
_KEY_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ASIDE = frozenset(
    "alt alternative accessibility aria meta seo keywords error errors invalid tooltip placeholder label "
    "popup legal terms policy privacy cookie cookies consent disclaimer copyright password captcha class css "
    "style file".split()
)
# Ends of keys whose string is the title of the next text in the data, such as a question or a heading.
_TITLES = ("title", "headline", "heading", "question", "name", "subject")

#: A tag; and a word, of which each letter of a script without spaces is one.
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
_SIGN = re.compile(r"[{}<>\[\]=_|\\@#$%^*~;]")
# A piece between white space that is a word, and not an identifier, an address or a number: letters of ASCII
# and all characters beyond ASCII, with punctuation marks around.
_LETTERS = r"[^\x00-@\[-`{-\x7f]++"
_WORDLIKE = re.compile(rf"[(\"']*+{_LETTERS}(?:['/-]{_LETTERS})*[^\w\s]*+\Z")
_FINAL = re.compile(r"[.!?…。！？।؟։።](?![^\s\"'”’»)\]）」』])")


class Passage(NamedTuple):
    """A text from a page's data; `marked` is True if the text is HTML."""

    text: str
    marked: bool


class _String(NamedTuple):
    """A string value, its key, and the number of its object."""

    text: str
    key: str
    group: int


class _Judged(NamedTuple):
    """A passage, its `spans_of`, its key, the number of its object, and its title, empty if there is none."""

    passage: Passage
    spans: set[str]
    key: str
    group: int
    title: str


def without_tags(text: str) -> str:
    """Returns the text of HTML, with spaces for its tags."""
    return html.unescape(TAG.sub(" ", text))


def _unescape(literal: str) -> str:
    """Returns the text of a literal of JSON or JavaScript. Invalid escapes are accepted."""
    if "\\" not in literal:
        return literal

    def plain(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _PLAIN.get(match[3] or "", match[3] or "")

    try:
        text = str(json.loads(f'"{literal}"', strict=False))
    except ValueError:
        text = _ESCAPE.sub(plain, literal)
    # Two escapes (surrogates) may form one character; a single surrogate is dropped.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def unwrapped(data: str) -> str:
    """Returns data without the second escaping that its place in the page required."""
    start = data[:200].lstrip()
    if start[:3].upper() in ("%7B", "%5B"):
        return unquote(data[:_CHARS])  # needs sixty times the memory of its argument
    if '"' not in start and "\\u0022" in start:
        return data.replace("\\u0022", '"')
    if '"' not in start and "&quot;" in start:
        return html.unescape(data)
    return data


@lru_cache(4_096)
def _is_title(key: str) -> bool:
    return key.casefold().endswith(_TITLES)


def _is_candidate(literal: str, key: str) -> bool:
    """Returns whether a literal may be text or data.

    The test is quick: most strings are names and addresses."""
    if len(literal) < _SHORT or (
        literal.isascii() and "\\" not in literal and literal.count(" ") < _WORDS // 2
    ):
        return _is_title(key) or literal[:3] in ("%7B", "%5B")
    return True


class _Reader:
    """A reader of the strings in one page's data; `groups` is the number of the current object."""

    def __init__(self) -> None:
        self.groups = 0
        self._room = _READ

    def has_room(self, size: int) -> bool:
        """Returns whether `size` more characters may be read, and counts them if so."""
        if size > self._room:
            return False
        self._room -= size
        return True

    def data(self, data: str, literal: re.Pattern[str], bare: bool, nesting: int = 0) -> Iterator[_String]:
        """Yields string values in order; values without a key only if `bare`."""
        key, pending, end = "", False, 0
        for match in literal.finditer(data):
            # A comma continues an object from a value to the next key, and a list from a value to the next.
            goes_on = data[end : match.start()].strip() == ","
            end = match.end()
            found, closed, colon = match.groups()
            if colon:
                key, pending = found, True
                self.groups += not goes_on
                continue
            here = key = key if pending or goes_on else ""
            pending = False
            if not closed or not _is_candidate(found, here):
                continue
            group = self.groups
            text = _unescape(found).strip()
            if _DATA.search(text):
                if nesting < _NESTING:
                    yield from self.data(unwrapped(text), _JSON, True, nesting + 1)
            elif here or bare:
                yield _String(text, here, group)

    def script(self, attributes: Mapping[str, str | None], text: str) -> Iterator[_String]:
        """Yields the strings of a <script>: of JSON all strings, of code those that have a key."""
        if any(_MESSAGES.search(value.lower()) for value in attributes.values() if value):
            return
        kind = (attributes.get("type") or "").lower()
        if "json" in kind:
            yield from self.data(unwrapped(text), _JSON, True)
        elif not kind or "javascript" in kind or kind == "module":
            # Next.js sends the page itself as strings without keys.
            bare = "__next_f" in text[:100]
            if bare or '":' in text:
                yield from self.data(text, _CODE, bare)

    def page(self, nodes: Iterable[LexborNode], passed_over: Mapping[int, bytes]) -> Iterator[_String]:
        """Yields the strings of a page's data in page order, from at most `_READ` characters of data."""
        for node in nodes:
            attributes = node.attributes
            if node.tag == "script":
                text = content_of(node, passed_over)
                if self.has_room(len(text)):
                    yield from self.script(attributes, text)
                continue
            for value in attributes.values():
                if value and value.lstrip()[:1] in ("{", "[") and self.has_room(len(value)):
                    yield from self.data(value, _JSON, True)


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


def is_prose(text: str, marked: bool) -> bool:
    """Returns whether a text is prose, in any script. `marked` says that markup was removed from the text."""
    # most strings of data are short, or without the end of a sentence
    is_ascii = text.isascii()
    if len(text) < (2 * _WORDS - 1 if is_ascii else _WORDS):
        return False
    if is_ascii and not marked and _FINAL.search(text) is None:
        return False
    words = WORD.findall(text)
    single = sum(len(word) == 1 and word >= "\u0e00" for word in words)
    if len(words) - single / 2 < _WORDS:
        return False
    if len(_SIGN.findall(text)) > (_MARKED_SIGNS if marked else _SIGNS) * len(text):
        return False
    pieces = text.split()
    # In scripts that do not separate words, a piece is a whole line with punctuation, and this test does not
    # apply.
    if 2 * single < len(words):
        alike = sum(_WORDLIKE.match(piece) is not None for piece in pieces)
        if alike < _ALIKE * len(pieces):
            return False
    # Some of these scripts do not end sentences with a mark.
    return marked or single / 2 >= _UNMARKED or _FINAL.search(text) is not None


@lru_cache(4_096)
def is_aside(key: str) -> bool:
    """Returns whether the text of a key is not text of the page.

    Keys with dots or spaces belong to messages."""
    if "." in key or " " in key:
        return True
    return not _ASIDE.isdisjoint(word.lower() for word in _KEY_WORD.findall(key))


def _spans(words: list[str]) -> set[str]:
    if len(words) <= _SPAN:
        return {" ".join(words)} if words else set()
    return set(map(" ".join, zip(*(words[i:] for i in range(_SPAN)), strict=False)))


def spans_of(text: str) -> set[str]:
    """Returns all sequences of `_SPAN` words of a text, or the whole text if it is shorter."""
    return _spans(WORD.findall(text.casefold()))


def known_spans(shown: str) -> set[str]:
    """Returns the `spans_of` what a page shows, one segment on each line, and those of each line."""
    words: list[str] = []
    short: set[str] = set()
    for line in shown[:_SHOWN].casefold().splitlines():
        own = WORD.findall(line)
        words += own
        if len(own) < _SPAN:
            # a line of few words is known as a whole
            short |= _spans(own)
    return _spans(words) | short


def is_known(spans: set[str], known: set[str]) -> bool:
    """Returns whether the text with these `spans_of` is among known ones: at least the share `_KNOWN` is."""
    return len(spans & known) >= _KNOWN * len(spans)


def _judge(nodes: Iterable[LexborNode], passed_over: Mapping[int, bytes]) -> Iterator[_Judged]:
    """Yields the prose in the data of a page, in page order."""
    title, room = "", _CHARS
    for number, string in enumerate(_Reader().page(nodes, passed_over)):
        if number == _STRINGS:
            return
        if is_aside(string.key) or len(string.text) > _CHARS:
            continue
        text = string.text
        if "<" not in text and "&lt;" in text:
            text = html.unescape(text)
        marked = TAG.search(text) is not None
        plain = without_tags(text)
        if is_prose(plain, marked):
            room -= len(text) + len(title)
            if room < 0:
                return
            yield _Judged(
                Passage(text if marked else plain, marked), spans_of(plain), string.key, string.group, title
            )
            title = ""
        elif _is_title(string.key) and len(plain) <= _LONG and not _SIGN.search(plain):
            title = plain


def find_passages(nodes: Iterable[LexborNode], shown: str, passed_over: Mapping[int, bytes]) -> list[Passage]:
    """Returns the prose that is only in the data of a page.

    Args:
        nodes: the places of data, `places_of` the page.
        shown: text of the page's Document, one segment on each line. Passages in this text are left out.
        passed_over: contents of scripts that are empty in the tree; see `Parsed.passed_over`.

    Returns:
        Passages in page order without duplicates. The title of a passage, if any, is a passage before it.
    """
    judged = list(_judge(nodes, passed_over))
    keys: defaultdict[int, set[str]] = defaultdict(set)
    for one in judged:
        keys[one.group].add(one.key)
    known = known_spans(shown) if judged else set()
    passages: list[Passage] = []
    for one in judged:
        if len(keys[one.group]) >= _TABLE or is_known(one.spans, known):
            continue
        known |= one.spans
        spans = spans_of(one.title)
        if not is_known(spans, known):
            known |= spans
            passages.append(Passage(one.title, False))
        passages.append(one.passage)
    return passages


def add_passages(builder: Builder, passages: list[Passage], walk: Callable[[bytes], int]) -> int:
    """Appends passages to the Document in `builder`, all in one block `script`.

    Each line of a plain passage becomes a paragraph. A passage with markup is passed to `walk`, which adds it
    to the builder like a page, and returns the number of tags that were dropped to keep the limits.

    Returns:
        The total number of tags that were dropped.
    """
    dropped, first = 0, builder.count_segments()
    builder.open_block(tags.CODE["script"])
    for passage in passages:
        if passage.marked:
            dropped += walk(passage.text.encode("utf-8", "replace"))
            continue
        for line in passage.text.splitlines():
            builder.open_block(tags.CODE["p"])
            builder.text(line.encode("utf-8", "replace"))
            builder.close_block()
    builder.close_block()
    builder.mark_state(first)
    return dropped
