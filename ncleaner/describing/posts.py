"""The posts of a page: those of a forum, a question with its answers, the comments below a text, a live blog.

What is beside the text of a post (`document/threads.py`) says who has written it and when, or JSON-LD
says it of the same text.
"""

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ncleaner.describing._statements import Statements
from ncleaner.describing.dates import dates_in, is_month_first, iso_date
from ncleaner.describing.metadata import metadata_of
from ncleaner.describing.names import BEFORE_DATE, plain_title
from ncleaner.describing.rights import address_in
from ncleaner.document import Document
from ncleaner.document._hashes import name_hash
from ncleaner.document._marks import Mark, texts_of
from ncleaner.document.kept import Kept
from ncleaner.document.tables import places_in_text
from ncleaner.document.threads import AGO, LINES, WORDS, Block, blocks_of_posts, lines_of
from ncleaner.text.hosts import host_of
from ncleaner.text.wordlists import any_of

# what is beside a name in its line: its first letter in place of a portrait, too
_AROUND = re.compile(rf"\d+ ?{AGO}.*|\([^()]*\)|[»«·•|,:#–—]|(?<!\S)(?:@|[^\w\s]+(?!\S))|^(\w) (?=\1)", re.I)
_WORD = rf"(?:(?:{any_of(WORDS['around names'])}):?|\d+)"
# in a name, such a word is a part of it: Ana de Armas
_AT_ENDS = re.compile(rf"^(?:{_WORD}(?: |$))+|(?: {_WORD})+$", re.IGNORECASE)
_AGO = re.compile(rf"\d ?{AGO}", re.IGNORECASE)
# the role of a member follows the name
_ROLES = re.compile(rf"(?:^| )(?:{any_of(WORDS['no names'])})$", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
# Characters and words of a name, and kept lines about a post at its beginning.
_LONGEST_NAME, _MOST_WORDS, _HEADS = 40, 4, 4
# Letters of a text by which that of JSON-LD is found, its values that are read, and keys of what has posts.
_KEY, _VALUES = 30, 2_000
_HOLDERS = {
    "mainEntity": "", "acceptedAnswer": "accepted", "suggestedAnswer": "answer", "comment": "comment",
    "liveBlogUpdate": "post", "@graph": "",
}  # fmt: skip
_ANSWERS = ("answer", "accepted")
_ACCEPTED = {*map(name_hash, WORDS["accepted"])}
# the id of a post
_NUMBERED = re.compile(
    r"(?:\w*(?:post|comment|answer|question|msg|message|reply|entry|cid|edit)\w*[-_]?)?\d+"
)


class Post(NamedTuple):
    """A post of a page.

    Attributes:
        author: as the page writes it; empty if it is unknown, as all other texts.
        date: ISO 8601, as precise as the page has it.
        start, end: its text, in code points of the clean text.
        reply_to: the number of the post that it answers, from 0 on; None for none.
        permalink: its address.
        kind: `post`, `question`, `answer`, `accepted` (an answer) or `comment`.
    """

    author: str
    date: str
    start: int
    end: int
    reply_to: int | None
    permalink: str
    kind: str


_UNKNOWN = Post("", "", 0, 0, None, "", "")


def posts_of(document: Document, kept: Kept, url: str = "") -> list[Post]:
    """Returns the posts of a page.

    Args:
        document: its text dump. With facts and marks, more is known of them.
        kept: what is kept of it, and its kind.
        url: address of the page, for those of the posts.
    """
    blocks = blocks_of_posts(document, kept)
    if not blocks:
        return []
    stated = _stated(document)
    ids, times = (texts_of(document.tables, mark) for mark in (Mark.MARK_ID, Mark.MARK_TIME))
    month_first = is_month_first(document.lang, host_of(url))
    starts, ends = places_in_text(document, document.segments)
    sizes = np.where(kept.mask, ends - starts + 1, 0)
    places = np.cumsum(sizes) - sizes
    is_forum = kept.kind == "forum"
    found: list[Post] = []
    for block in blocks:
        # what is before the text, and what is after it
        begins = _beginning(document, kept, block)
        about = [row for row in range(block.first, block.last) if row < begins or not kept.mask[row]]
        before = list(lines_of(document, about[:LINES]))
        after = list(lines_of(document, range(block.last + 1, block.end)[:LINES]))
        said = stated.get(_key(document, begins, block.last), _UNKNOWN)
        date = next(
            filter(None, map(iso_date, _within(document, times, block.first, block.end).values())), ""
        )
        if block.element < 0 and document.facts is not None:
            # the page is that of its first post
            page = metadata_of(document, url)
            before, after, date = [], list(page.authors[:1]), page.published or date
        anchors = _within(document, ids, block.first, begins + 1)
        name = anchors.get(block.element) or next(filter(_NUMBERED.fullmatch, anchors.values()), "")
        kind = said.kind or next(filter(name.startswith, ("question", "answer", "comment")), "")
        at = int(document.elements["names"][block.element]) if block.element >= 0 else 0
        if not _ACCEPTED.isdisjoint(document.names[at + 1 : at + 1 + document.names[at]].tolist()):
            kind = "accepted"
        reply = block.around if block.around >= 0 else None
        if reply is None and kind in _ANSWERS and found and found[0].kind not in _ANSWERS:
            # the text above the first answer asks
            reply, found[0] = 0, found[0]._replace(kind="question")
        address = said.permalink or (f"#{name}" if name else "")
        days = (day.day for line in (*before, *after) for day in dates_in(line, month_first, document.lang))
        post = Post(
            said.author or _author(before) or _author(after),
            said.date or date or next(days, ""),
            int(places[begins]),
            int(places[block.last] + sizes[block.last]) - 1,
            reply,
            address_in(address, url) if address else "",
            "post"
            if is_forum and reply is None and kind == "comment"
            else kind or ("comment" if reply is not None or (block.is_comment and not is_forum) else "post"),
        )
        found.append(post)
    return found


def _within(
    document: Document, marks: list[tuple[bytes, int, int, int]], first: int, end: int
) -> dict[int, str]:
    """Returns the texts of marks between two segments: of each element, the last one."""
    begin, stop = int(document.segments["first_run"][first]), int(document.segments["last_run"][end - 1])
    found = marks[bisect_left(marks, begin, key=itemgetter(3)) : bisect_right(marks, stop, key=itemgetter(3))]
    return {element: text.decode("utf-8", "replace") for text, element, _, _ in found}


def _beginning(document: Document, kept: Kept, block: Block) -> int:
    """Returns the first segment of a post that is not a line about it with a date."""
    rows = [row for row in range(block.begins, block.last + 1)[: 2 * _HEADS] if kept.mask[row]]
    begins = block.begins
    for row, following in pairwise(rows[: _HEADS + 1]):
        if any(dates_in(line) or _AGO.search(line) for line in lines_of(document, [row])):
            begins = following
    return begins


def _author(lines: list[str]) -> str:
    """Returns the first line that may be a name, without what is beside it; empty if there is none."""
    for line in lines:
        dates = dates_in(line)
        name = BEFORE_DATE.sub("", line[: dates[0].start]) if dates else line
        for _ in range(2):
            name = _ROLES.sub("", _AT_ENDS.sub("", " ".join(_AROUND.sub(" ", name).split())))
        is_short = 1 < len(name) <= _LONGEST_NAME and name.count(" ") < _MOST_WORDS
        is_sentence = name.endswith((".", "!", "?", "…")) and name[-3:-2] != " "
        if is_short and _LETTERS.search(name) and not is_sentence:
            return name
    return ""


def _key(document: Document, first: int, last: int) -> str:
    """Returns the first letters of some segments."""
    table = document.segments
    text = document.data[table["start"][first] : min(table["end"][last], table["start"][first] + 8 * _KEY)]
    return _letters(text.decode("utf-8", "ignore"))


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text.casefold()))[:_KEY]


def _stated(document: Document) -> dict[str, Post]:
    """Returns what JSON-LD says of posts, by the first letters of their texts."""
    found: dict[str, Post] = {}
    waiting: list[tuple[Any, str]] = [(each, "") for each in Statements(document.facts or ()).objects]
    for _ in range(_VALUES):
        if not waiting:
            break
        node, kind = waiting.pop()
        if isinstance(node, list):
            waiting += [(each, kind) for each in node[:_VALUES]]
        if not isinstance(node, dict):
            continue
        kind = kind or ("question" if node.get("@type") == "Question" else "")
        text, author = node.get("text") or node.get("articleBody"), node.get("author")
        said = (
            author.get("name") if isinstance(author, dict) else author,
            node.get("dateCreated") or node.get("datePublished"),
            node.get("url"),
        )
        name, date, address = (plain_title(each) if isinstance(each, str) else "" for each in said)
        if isinstance(text, str) and kind:
            post = Post(name, iso_date(date), 0, 0, None, address, kind)
            found.setdefault(_letters(plain_title(text[: 8 * _KEY])), post)
        waiting += [(node[key], below) for key, below in _HOLDERS.items() if key in node]
    return found
