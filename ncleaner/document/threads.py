"""Where the posts of a page are: those of a forum, answers to a question, comments below a text.

Posts are sibling blocks (`Document.blocks`) with kept text, most of them with a date; in a forum also blocks
of a class for posts, an answer with an id, and the text above them all.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document._marks import Mark, texts_of
from ncleaner.document.kept import Kept
from ncleaner.document.tables import ZONES, Document
from ncleaner.document.tags import CONTEXT, CUES
from ncleaner.text.wordlists import any_of, word_lists

# `threads.txt` says what these are, and how to add one.
WORDS = word_lists("document/threads", "accepted", "ago", "around names", "no names")
AGO = rf"(?:[^\W\d]{{1,12}} |[\u3000-\ud7ff]{{1,3}})?(?:{any_of(WORDS['ago'])})"
_POST = re.compile(rb"(?:p|post|msg|message)[-_]?(\d{3,12})")
_ANSWER = re.compile(rb"answer[-_]?\d+")
# Bytes of a line that may have a date or a name, and lines before and after a text.
_LONGEST_LINE, LINES = 80, 12
# The share of the blocks of a group that have a date, and of their characters that are in links at most;
# words of a text above the first block; most blocks; blocks of a class for posts that need no dates.
_SHARE, _LINKS, _FEWEST, _MOST, _SURE = 0.6, 0.5, 5, 10_000, 3
_COMMENT, _HEADLINE = ZONES.index("comment"), ZONES.index("headline")
_OF_COMMENTS, _OF_FORUMS = (1 << CUES.index(name) for name in ("comment", "forum"))
_OF_AUTHOR = 1 << CUES.index("author")
_OF_TIME = 1 << CONTEXT.index("time")


class Block(NamedTuple):
    """The block of a post.

    Attributes:
        element: of the Document; -1 for the text above all blocks.
        first, end: its first segment, and that after its last.
        begins, last: its first and last kept segment.
        around: the number of the block around it, -1 for none.
        is_comment: it is one of comments.
    """

    element: int
    first: int
    end: int
    begins: int
    last: int
    around: int
    is_comment: bool


def blocks_of_posts(document: Document, kept: Kept) -> list[Block]:
    """Returns the blocks of the posts of a page, in its order; few pages have some."""
    is_forum = kept.kind == "forum" or _is_thread(document)
    if not is_forum and not (document.segments["zone"][kept.mask] == _COMMENT).any():
        return []
    table = document.blocks
    sums = np.concatenate(([0], np.cumsum(kept.mask)))
    cues = document.elements["cues"][table["element"]]
    zones = document.segments["zone"][table["first_segment"]]
    of_posts = cues & (_OF_COMMENTS | _OF_FORUMS) != 0
    is_post = of_posts | (zones == _COMMENT) | is_forum
    is_post &= sums[table["last_segment"] + 1] > sums[table["first_segment"]]
    is_post &= table["link_chars"] <= _LINKS * table["chars"]
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(is_post)[:_MOST].tolist():
        groups[int(table["group"][row])].append(row)
    parents = table["parent"].tolist()
    around: dict[int, int] = {}
    posts: set[int] = set()
    for rows in groups.values():
        for row in rows:
            above = parents[row]
            while above >= 0 and above not in posts:
                above = around.get(above, parents[above])
            around[row] = above
        # those inside of posts are posts if there are several in one, as comments below an answer
        inside = Counter(around[row] for row in rows)
        rows = [row for row in rows if inside[around[row]] > 1]
        dated = [row for row in rows if _is_dated(document, table[row])]
        # between the posts of a forum, there may be lines about what has happened to the thread
        of_class = [row for row in rows if of_posts[row]] if is_forum else []
        if len(of_class) >= _SURE:
            posts.update(of_class)
        elif rows and len(dated) >= _SHARE * len(rows):
            posts.update(rows)
    if not posts and is_forum:
        table, posts = _answers(document, kept)
    return _numbered(document, kept, table, sorted(posts), around) if posts else []


def _is_thread(document: Document) -> bool:
    """Tells whether the ids of a page number its posts, the oldest first, whatever kind it seems to be."""
    ids = (_POST.fullmatch(name) for name, _, _, _ in texts_of(document.tables, Mark.MARK_ID))
    numbers = [int(found[1]) for found in ids if found]
    return len(numbers) >= _SURE and numbers == sorted({*numbers})


def _answers(document: Document, kept: Kept) -> tuple[npt.NDArray[Any], set[int]]:
    """Returns the blocks with the id of an answer that have kept text, as `Document.blocks` has them, and
    their rows: a question with one answer has no siblings. They are known by marks."""
    found = []
    for name, place, _, _ in texts_of(document.tables, Mark.MARK_ID):
        element = document.elements[place] if place >= 0 and _ANSWER.fullmatch(name) else None
        if element is not None and element["first_run"] < element["last_run"]:
            first, last = document.runs["segment"][[element["first_run"], element["last_run"] - 1]]
            if kept.mask[first : last + 1].any():
                found.append((place, first, last))
    names = ("element", "first_segment", "last_segment")
    return np.array(found, [(name, np.int64) for name in names]), {*range(len(found))}


@cache
def _date() -> re.Pattern[str]:
    """Returns the pattern of a date or a time at first sight: few pages need it, and compiling takes 7 ms."""
    return re.compile(rf"\b(?:19|20)\d\d\b|\d:\d\d|\d ?{AGO}|{AGO} \d|\d[/.]\d{{1,2}}[/.]\d\d", re.I)


def _is_dated(document: Document, block: np.void) -> bool:
    """Tells whether a block has a <time>, or a date in one of its first or last lines."""
    element = document.elements[block["element"]]
    if (document.runs["context"][element["first_run"] : element["last_run"]] & _OF_TIME).any():
        return True
    first, last = int(block["first_segment"]), int(block["last_segment"])
    rows = {*range(first, min(first + LINES, last + 1)), *range(max(first, last - LINES), last + 1)}
    return any(map(_date().search, lines_of(document, sorted(rows))))


def lines_of(document: Document, rows: Iterable[int]) -> Iterator[str]:
    """Yields the texts of segments that are short, those of authors first."""
    table = document.segments
    short = [row for row in rows if table["end"][row] - table["start"][row] <= _LONGEST_LINE]
    cues = document.elements["cues"]
    for row in sorted(short, key=lambda row: not cues[table["element"][row]] & _OF_AUTHOR):
        yield document.data[table["start"][row] : table["end"][row]].decode()


def _numbered(
    document: Document, kept: Kept, table: npt.NDArray[Any], rows: list[int], around: dict[int, int]
) -> list[Block]:
    """Returns the blocks in some rows; before those of a forum, the text above them is the first post."""
    segments = np.flatnonzero(kept.mask)
    firsts, ends = table["first_segment"].tolist(), (table["last_segment"] + 1).tolist()
    is_comment = (document.elements["cues"][table["element"]] & _OF_COMMENTS != 0).tolist()
    found: list[Block] = []
    numbers: dict[int, int] = {}
    above = segments[segments < firsts[rows[0]]]
    above = above[document.segments["zone"][above] != _HEADLINE]
    if kept.kind == "forum" and document.segments["words"][above].sum() >= _FEWEST:
        first, last = int(above[0]), int(above[-1])
        found.append(Block(-1, max(0, first - LINES), firsts[rows[0]], first, last, -1, False))
    for row, following in zip(rows, (*rows[1:], -1), strict=True):
        # what is below a post answers it
        end = min(ends[row], firsts[following]) if following >= 0 else ends[row]
        own = segments[np.searchsorted(segments, firsts[row]) : np.searchsorted(segments, end)]
        if len(own):
            numbers[row] = len(found)
            element, outer = int(table["element"][row]), numbers.get(around.get(row, -1), -1)
            found.append(
                Block(element, firsts[row], ends[row], int(own[0]), int(own[-1]), outer, is_comment[row])
            )
    return found


def places_of_posts(document: Document, kept: Kept) -> list[tuple[int, int]]:
    """Returns (element, first kept segment) of each post; -1 for the segment of the first one, before which
    nothing ends."""
    blocks = blocks_of_posts(document, kept)
    begins = [-1, *(block.begins for block in blocks[1:])]
    return [
        (block.element, begin) for block, begin in zip(blocks, begins, strict=False) if block.element >= 0
    ]
