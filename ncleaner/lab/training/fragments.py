"""Fragments: the clean segments of training pages alone, as in feeds, mails and README files.

A structure model learns from them what a page without boilerplate looks like, and from the same fragments
with a menu and a footer what a small page with boilerplate looks like. A fragment of HTML has markup of its
own, or it is the page cut down to its clean segments. Their segments have the text of the page, so the scores
of the page's segments are theirs, too.
"""

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import escape
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document._tables import Tables
from ncleaner.document.tables import HIDDEN, PREFORMATTED
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

_LINK, _BOLD = (1 << tags.CONTEXT.index(name) for name in ("link", "bold"))
# Numbers of segments in a row; 0 for all.
_SIZES = (1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20, 0, 0)
# Least characters of the longest segment of a fragment: it has not only headings and items.
_PROSE = 60
# What is around a fragment.
_SHAPES = (
    "{body}",
    "<!DOCTYPE html><html><head><title>{title}</title></head><body>{body}</body></html>",
    "<html><head><title>{title}</title></head><body><article>{body}</article></body></html>",
    '<div class="content"><div class="text">{body}</div></div>',
    "<!DOCTYPE html><html><head><title>{title}</title></head><body><main>{body}</main></body></html>",
    '<article class="markdown-body entry-content">{body}</article>',
)
# A mail has no tags but breaks, a feed has a block for each segment.
_MAIL, _FEED = len(_SHAPES), len(_SHAPES) + 1


# Largest number of words of a segment of a menu or footer, and numbers of such segments.
_ITEM_WORDS = 8
_MENUS = (1, 3, 5, 9, 14)
# What is around the items of a menu and of a footer.
_AROUND = (
    ("<nav><ul>{}</ul></nav>", "<li>{}</li>"),
    ('<ul class="menu">{}</ul>', "<li>{}</li>"),
    ("<div>{}</div>", "<span>{}</span> | "),
    ("<div>{}</div>", "<p>{}</p>"),
    ("<footer>{}</footer>", "<div>{}</div>"),
)


class Fragment(NamedTuple):
    """A fragment of a page.

    Attributes:
        document: the fragment as a Document of its own.
        rows: shape (segments,), int64: the segment of the page that each of its segments is.
    """

    document: Document
    rows: npt.NDArray[np.int64]


def fragment_of(
    document: Document, clean: npt.NDArray[np.bool_], seed: str, dirty: npt.NDArray[np.bool_] | None = None
) -> Fragment | None:
    """Makes a fragment of a page: its clean segments, or a few of them in a row, in one of several shapes.

    Args:
        document: the page, HTML or plain text.
        clean: shape (segments,), bool: the segments that the gold text contains.
        seed: the choice of segments and shape depends on it; such as the name of the page.
        dirty: shape (segments,), bool: the segments for a menu and a footer; without them the fragment has
            none.

    Returns:
        The fragment; None if the page has no clean prose, or if the segments of the fragment would be others.
    """
    table = document.segments
    usable = np.flatnonzero(clean & (table["flags"] & (HIDDEN | PREFORMATTED) == 0))
    prose = np.flatnonzero(table["chars"][usable] >= _PROSE)
    if not len(prose):
        return None
    chance = zlib.crc32(seed.encode("utf-8", "surrogateescape"))
    size = _SIZES[chance % len(_SIZES)]
    shape = chance // 16 % (len(_SHAPES) + 2)
    if size:
        # every other one begins with the segments before the prose, which may be its heading
        first = max(int(prose[chance // 256 % len(prose)]) - chance // 128 % 2, 0)
        usable = usable[first : first + size]
    above = below = usable[:0]
    if dirty is not None:
        items = np.flatnonzero(dirty & (table["words"] <= _ITEM_WORDS) & (table["flags"] == 0))
        size = _MENUS[chance // 4096 % len(_MENUS)]
        above, below = items[:size], items[size:][-size // 2 :]
        if not len(above):
            return None
    text, usable = usable, np.concatenate((above, usable, below))
    if not len(document.elements):
        made = dump_text(as_lines(document, usable.tolist()), layout="lines")
    else:
        menu, footer = _menu(document, above.tolist(), chance), _menu(document, below.tolist(), chance // 8)
        made = dump_html(menu + _html(document, text.tolist(), shape) + footer)
    same = len(made) == len(usable) and all(
        str(own) == str(document[row]) for own, row in zip(made, usable.tolist(), strict=True)
    )
    return Fragment(made, usable) if same else None


def as_lines(document: Document, rows: Iterable[int]) -> str:
    """Returns some segments of a document as plain text, each on a line."""
    return "".join(f"{' '.join(document[row].text.split())}\n" for row in rows)


def cut_of(document: Document, clean: npt.NDArray[np.bool_]) -> Fragment | None:
    """Cuts a page down to its clean segments, and the elements around them.

    Args:
        document: the page.
        clean: shape (segments,), bool: the segments that the gold text contains.

    Returns:
        The page without its other segments; None if it has no clean prose.
    """
    rows = np.flatnonzero(clean & document.visible)
    segments, runs = document.segments[rows], document.runs
    if not (segments["chars"] >= _PROSE).any():
        return None
    inside = np.isin(runs["segment"], rows)
    old_runs = np.flatnonzero(inside)
    runs = runs[old_runs]
    parents = document.elements["parent"]
    used = np.zeros(len(parents) + 1, bool)
    used[runs["element"]] = True
    for element in range(len(parents) - 1, -1, -1):
        if used[element]:
            used[parents[element]] = True
    old_elements = np.flatnonzero(used[:-1])
    # places in the smaller tables; -1 stays -1
    new_element = np.append(np.cumsum(used[:-1]) - 1, -1)
    new_segment = np.cumsum(np.bincount(rows, minlength=len(document))) - 1
    new_run = np.append(0, np.cumsum(inside))
    elements = document.elements[old_elements]
    elements["parent"] = new_element[elements["parent"]]
    for column in ("first_run", "last_run"):
        elements[column] = new_run[elements[column]]
        segments[column] = new_run[segments[column]]
    segments["element"], runs["element"] = new_element[segments["element"]], new_element[runs["element"]]
    starts = np.append(0, np.cumsum(segments["end"] - segments["start"] + 1))[:-1]
    own = new_segment[runs["segment"]]
    for column in ("start", "end"):
        runs[column] += (starts - segments["start"])[own].astype(np.uint32)
    runs["segment"] = own
    data = b"".join(document.data[row["start"] : row["end"]] + b"\n" for row in segments)
    segments["end"] += (starts - segments["start"]).astype(np.uint32)
    segments["start"] = starts
    _count(segments, runs, elements)
    tables = Tables(
        data, runs, segments, elements, document.names, document.tags_behind, document.marks, document.values
    )
    return Fragment(replace(document, tables=tables), rows)


def _count(
    segments: npt.NDArray[np.void], runs: npt.NDArray[np.void], elements: npt.NDArray[np.void]
) -> None:
    """Counts characters and tags of a page that has been cut down."""
    parents, depths = elements["parent"].tolist(), elements["depth"].tolist()
    contexts = np.array([int(context).bit_count() for context in runs["context"].tolist()], np.int64)
    chars, inner = [0] * len(parents), [0] * len(parents)
    for element, size in zip(segments["element"].tolist(), segments["chars"].tolist(), strict=True):
        if element >= 0:
            chars[element] += size
    moves = np.zeros((len(runs), 2), np.int64)
    before = -1
    for row, (element, inline) in enumerate(zip(runs["element"].tolist(), contexts.tolist(), strict=True)):
        if element >= 0:
            inner[element] += inline
        left, entered = before, element
        while left != entered:
            # the deeper one goes up
            if left >= 0 and (entered < 0 or depths[left] >= depths[entered]):
                left = parents[left]
                moves[row, 1] += 1
            else:
                entered = parents[entered]
                moves[row, 0] += 1
        before = element
    for element in range(len(parents) - 1, -1, -1):
        if parents[element] >= 0:
            chars[parents[element]] += chars[element]
            inner[parents[element]] += inner[element] + 1
    elements["chars"], elements["tags"] = chars, inner
    first = segments["first_run"]
    segments["opened"], segments["closed"] = moves[first].T
    # the elements of a run's context open before it and close after it
    moves[:, 0] += contexts
    moves[1:, 1] += contexts[:-1]
    runs["opened"], runs["closed"] = moves.T
    runs["tags"] = moves.sum(axis=1)


def _html(document: Document, rows: list[int], shape: int) -> str:
    texts = [(chr(document.segments["kind"][row]), _inline(document, row)) for row in rows]
    if shape == _MAIL:
        return "<div dir=ltr>" + "<br><br>".join(text for _, text in texts) + "</div>"
    if shape == _FEED:
        return "".join(f"<h3>{text}</h3>" if kind == "h" else f"<div>{text}</div>" for kind, text in texts)
    parts = []
    inside = False
    for number, (kind, text) in enumerate(texts):
        if (kind == "l") != inside:
            parts.append("</ul>" if inside else "<ul>")
            inside = not inside
        tag = "li" if kind == "l" else "p" if kind == "p" else "h2" if number else "h1"
        parts.append(f"<{tag}>{text}</{tag}>")
    return _SHAPES[shape].format(title=escape(document.title), body="\n".join(parts))


def _menu(document: Document, rows: list[int], chance: int) -> str:
    around, item = _AROUND[chance % len(_AROUND)]
    return around.format("".join(item.format(_inline(document, row)) for row in rows)) if rows else ""


def styled_parts(document: Document, row: int) -> Iterator[tuple[str, int]]:
    """Yields the text of a segment in parts, each with the bits of its inline context: its runs, and what is
    between them."""
    segment = document.segments[row]
    at, end = int(segment["start"]), int(segment["end"])
    for run in document.runs[segment["first_run"] : segment["last_run"] + 1]:
        begin, stop = max(int(run["start"]), at), min(int(run["end"]), end)
        yield document.data[at:begin].decode("utf-8", "replace"), 0
        yield document.data[begin:stop].decode("utf-8", "replace"), int(run["context"])
        at = max(at, stop)
    yield document.data[at:end].decode("utf-8", "replace"), 0


def _inline(document: Document, row: int) -> str:
    """Returns the text of a segment with its links and bold words."""
    found = []
    for part, context in styled_parts(document, row):
        text = escape(part)
        if context & _BOLD:
            text = f"<b>{text}</b>"
        if context & _LINK:
            text = f"<a href=/{row}>{text}</a>"
        found.append(text)
    return "".join(found)
