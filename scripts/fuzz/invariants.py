"""What has to hold of a Document and of what a method says of it, whatever the page was."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tags import TAGS
from ncleaner.sinks.text import kept_text

__all__ = ["BrokenRuleError", "check_document", "check_kept", "same"]


class BrokenRuleError(AssertionError):
    """Something that always has to hold does not."""


def _require(holds: bool | np.bool_, rule: str) -> None:
    if not holds:
        raise BrokenRuleError(rule)


def _grows(values: npt.NDArray[np.int64]) -> np.bool_:
    return np.all(values[1:] >= values[:-1])


def _check_text(document: Document) -> None:
    text = document.data.decode()  # raises for what is no UTF-8
    table = document.segments
    start, end = table["start"].astype(np.int64), table["end"].astype(np.int64)
    if not len(table):
        _require(text == "", "text without segments")
        return
    _require(start[0] == 0 and np.all(start[1:] == end[:-1] + 1), "segments follow each other")
    _require(np.all(start < end), "no segment is empty")
    _require(end[-1] + 1 == len(document.data), "the last segment ends the text")
    codes = np.frombuffer(document.data, np.uint8)
    _require(np.all(codes[end] == 0x0A), "a line feed stands behind each segment")
    _require(np.isin(table["kind"], list(b"phl")).all(), "kinds are p, h and l")
    _require(np.all(table["link_chars"] <= table["chars"]), "no more characters in links than in all")
    # white space in segments is what `split` takes for it: all else has been folded
    words = np.array(
        [len(document.data[a:b].split()) for a, b in zip(start.tolist(), end.tolist(), strict=True)]
    )
    _require(np.array_equal(words, table["words"]), "words are counted as they are split")
    before = np.concatenate(
        ([0], np.cumsum((codes & 0xC0 != 0x80) & ~np.isin(codes, list(b" \n\t\r\f\x0b"))))
    )
    _require(
        np.array_equal(before[end] - before[start], table["chars"]),
        "characters are counted without white space",
    )


def _check_runs(document: Document) -> None:
    runs, table = document.runs, document.segments
    if not len(table):
        _require(len(runs) == 0, "runs without segments")
        return
    first, last = table["first_run"].astype(np.int64), table["last_run"].astype(np.int64)
    _require(first[0] == 0 and np.all(first[1:] == last[:-1] + 1), "the runs are shared out to the segments")
    _require(np.all(first <= last) and last[-1] == len(runs) - 1, "every segment has runs, and all are taken")
    owners = np.repeat(np.arange(len(table)), last - first + 1)
    _require(np.array_equal(owners, runs["segment"]), "runs know their segments")
    start, end = runs["start"].astype(np.int64), runs["end"].astype(np.int64)
    _require(np.all(start < end) and np.all(start[1:] >= end[:-1]), "runs are in order and not empty")
    _require(
        np.all(start >= table["start"][owners]) and np.all(end <= table["end"][owners]),
        "runs lie in their segments",
    )
    _require(
        np.all(runs["element"] >= -1) and np.all(runs["element"] < len(document.elements)),
        "runs have elements",
    )
    _require(
        np.array_equal(np.add.reduceat(runs["words"], first), table["words"]),
        "the words of a segment's runs are its words",
    )
    _require(np.all(runs["tags"] >= runs["opened"]), "the tags that open are among all")
    _require(
        np.array_equal(runs["element"][first], table["element"]),
        "a segment's element is that of its first run",
    )


def _check_elements(document: Document) -> None:
    elements, runs = document.elements, document.runs
    _require(len(document.names) >= 1 and document.names[0] == 0, "the first list of names is empty")
    if not len(elements):
        return
    parents = elements["parent"].astype(np.int64)
    _require(
        np.all(parents >= -1) and np.all(parents < np.arange(len(elements))), "parents stand before children"
    )
    first, last = elements["first_run"].astype(np.int64), elements["last_run"].astype(np.int64)
    _require(
        np.all(first >= 0) and np.all(first <= last) and np.all(last <= len(runs)),
        "elements have runs in order",
    )
    _require(_grows(first), "elements are in document order")
    inner = np.flatnonzero(parents >= 0)
    outer = parents[inner]
    _require(
        np.all(first[inner] >= first[outer]) and np.all(last[inner] <= last[outer]),
        "runs of children are the parent's",
    )
    depth = elements["depth"].astype(np.int64)
    _require(np.all(depth[parents < 0] == 0), "roots have depth 0")
    _require(np.all(depth[inner] == np.minimum(depth[outer] + 1, 65535)), "children are one deeper")
    _require(np.all(elements["tag"] < len(TAGS)), "tags are known")
    at = elements["names"].astype(np.int64)
    _require(np.all(at < len(document.names)), "lists of names begin in their table")
    _require(np.all(at + document.names[at] < len(document.names)), "lists of names end in their table")
    inside = document.segments["element"] >= 0
    _require(
        elements["chars"][parents < 0].sum(dtype=np.int64)
        == document.segments["chars"][inside].sum(dtype=np.int64)
        or bool(np.any(runs["element"] < 0)),
        "the roots hold all characters",
    )


def check_document(document: Document) -> None:
    """Raises BrokenRuleError, or UnicodeDecodeError, where a Document is not what it must be."""
    _check_text(document)
    _check_runs(document)
    _check_elements(document)
    _require(document.title == " ".join(document.title.split()), "white space in the title is folded")
    document.title.encode()
    document.lang.encode()


def check_kept(document: Document, kept: Kept) -> None:
    """Raises BrokenRuleError where what a method says does not fit the Document."""
    mask, scores = kept.mask, kept.scores
    _require(mask.shape == (len(document),) and mask.dtype == np.bool_, "a mask is a bool for each segment")
    if scores is not None:
        _require(
            scores.shape == mask.shape and scores.dtype == np.float64, "scores are a float64 for each segment"
        )
        _require(not np.isnan(scores).any(), "no score is NaN")
    kept_text(document, kept).decode()


def same(one: Document, other: Document) -> bool:
    """Whether two Documents are the same to the byte."""
    return (
        (one.data, one.title, one.lang, one.encoding, one.dropped_tags, one.tags_behind)
        == (other.data, other.title, other.lang, other.encoding, other.dropped_tags, other.tags_behind)
        and one.runs.tobytes() == other.runs.tobytes()
        and one.segments.tobytes() == other.segments.tobytes()
        and one.elements.tobytes() == other.elements.tobytes()
        and one.names.tobytes() == other.names.tobytes()
    )
