"""Annotated pages as Victor has them: a label for every block of text.

A block is the text between two tags, one of the Document's runs. Its labels are those of the system that
Marek, Pecina and Spousta built for CleanEval ("Web Page Cleaning with Conditional Random Fields", 2007):
`p`aragraph, `h`eader and `l`ist item for the first block of what CleanEval marks so, `c`ontinuation for each
further block of it, `o`ther for what is to be removed.

The file. The tool of 2008 (Spousta, Marek, Pecina: "Victor: the Web-Page Cleaning Tool") kept annotations
in the page itself: it tidied the HTML, put each block in a `<span id="victor_anN">`, and an annotator's
label into the class of that span. Such files hold the page a second time and need its own parser, so ours
is a text beside the page: UTF-8; a line for each block, in reading order, of the label, a tab and the
block's text with white space folded; lines that begin with `#` are comments, the first of which names the
page. A person corrects the labels in any editor; the text is there to be read, and to make sure that the
file belongs to the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from ncleaner.document import Document
from ncleaner.dump import dump_html
from ncleaner.errors import TrainingError
from ncleaner.gold import gold_pieces, is_marked
from ncleaner.pairs import Pair, read_bytes, read_text, site_of
from ncleaner.textdump import dump_text
from ncleaner.words import numbered

__all__ = [
    "CONTINUATION",
    "HEADER",
    "ITEM",
    "LABELS",
    "OTHER",
    "PARAGRAPH",
    "SUFFIX",
    "Annotated",
    "Gold",
    "Labels",
    "gold_of",
    "labels_from_alignment",
    "labels_from_kept",
    "read_annotated",
    "read_annotations",
    "read_page",
    "read_pair",
    "run_chars",
    "write_annotations",
]

# The names of the labels in files; the number of a label is its place here.
LABELS = "phlco"
PARAGRAPH, HEADER, ITEM, CONTINUATION, OTHER = range(5)
SUFFIX = ".anno"

Labels = npt.NDArray[np.uint8]
"""Shape (runs,): the number of each run's label."""

# label of a segment by its kind's character code
_OF_KIND = np.full(256, PARAGRAPH, np.uint8)
_OF_KIND[[ord("h"), ord("l")]] = HEADER, ITEM
_LEGEND = "# p paragraph, h header, l list item, c continuation of the block before, o other (to be removed)"
# code of a segment's kind by label
_CODES = np.frombuffer(b"phl", np.uint8)
# of a text that does not match, this much is shown
_SHOWN = 60


@dataclass(frozen=True, eq=False)
class Annotated:
    """A page with its labels, as a person set or corrected them.

    Attributes:
        name: for messages.
        document: the page.
        labels: of its runs.
        site: registered domain; empty when unknown.
    """

    name: str
    document: Document
    labels: Labels
    site: str = ""


class Gold(NamedTuple):
    """What labels say of a document's segments.

    Attributes:
        kept: shape (segments,), bool: at least half of its characters stand in blocks that are kept.
        kinds: shape (segments,), uint8: the code of `p`, `h` or `l`, as in the table of segments.
        continues: shape (segments,), bool: it is kept, and goes on with the kept one before.
    """

    kept: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.uint8]
    continues: npt.NDArray[np.bool_]


def run_chars(document: Document) -> npt.NDArray[np.int64]:
    """Shape (runs,): the characters of each run, white space between its words included."""
    codes = np.frombuffer(document.data, np.uint8)
    before = np.concatenate(([0], np.cumsum(codes & 0xC0 != 0x80)))
    chars: npt.NDArray[np.int64] = before[document.runs["end"]] - before[document.runs["start"]]
    return chars


def labels_from_kept(
    document: Document,
    mask: npt.NDArray[np.bool_],
    kinds: npt.NDArray[np.uint8] | None = None,
    continues: npt.NDArray[np.bool_] | None = None,
) -> Labels:
    """The labels that say what a method says: the first run of each kept segment has its kind, the others
    continue it. Text that is not shown at first is always `o`.

    Args:
        document: the page.
        mask: shape (segments,); True for those that are kept.
        kinds: shape (segments,); codes of the segments' kinds, by default their own.
        continues: shape (segments,); those that go on with the one before: all their runs are `c`.

    Returns:
        Of the document's runs.
    """
    runs, table = document.runs, document.segments
    labels: Labels = _OF_KIND[table["kind"] if kinds is None else kinds][runs["segment"]]
    later = np.arange(len(runs)) != table["first_run"][runs["segment"]]
    if continues is not None:
        later |= continues[runs["segment"]]
    labels[later] = CONTINUATION
    labels[~mask[runs["segment"]] | ~document.visible[runs["segment"]]] = OTHER
    return labels


def labels_from_alignment(pair: Pair) -> Labels:
    """The labels of a page by its gold text.

    Which segments are kept is what `Pair.alignment` says. Where the gold text has CleanEval's marks, a kept
    segment gets the kind of the gold segment that its first word found there belongs to; and is a
    continuation when an earlier kept segment has reached into that gold segment. Where the gold text has
    none, each kept segment has the kind that the page gives it.

    Returns:
        Of the document's runs.
    """
    document = pair.document
    mask = pair.alignment.clean & document.visible
    if not is_marked(pair.gold):
        return labels_from_kept(document, mask)
    # not through `gold_document`, whose builder has its own mind on what is a heading
    pieces = gold_pieces(pair.gold)
    chosen = np.flatnonzero(mask).tolist()
    numbers: dict[str, int] = {}
    words, owners = numbered((str(document[position]) for position in chosen), numbers)
    wanted, gold_owners = numbered((text for _, text in pieces), numbers)
    first: dict[int, int] = {}  # gold segment of the first word that was found, by segment
    last: dict[int, int] = {}
    for opcode in LCSseq.opcodes(words, wanted):
        if opcode.tag == "equal":
            for at in range(opcode.src_end - opcode.src_start):
                owner, target = chosen[owners[opcode.src_start + at]], gold_owners[opcode.dest_start + at]
                first.setdefault(owner, target)
                last[owner] = target
    kinds = document.segments["kind"].copy()
    continues = np.zeros(len(document), bool)
    reached = -1
    for segment, target in first.items():
        kinds[segment] = ord(pieces[target][0])
        continues[segment] = target <= reached
        reached = last[segment]
    return labels_from_kept(document, mask, kinds, continues)


def gold_of(document: Document, labels: Labels) -> Gold:
    """What labels say of a document's segments.

    A segment's kind is that of its first block labelled `p`, `h` or `l`; without one it is that of the kept
    segment before, or the page's own. It continues when its first kept block is labelled `c` and a kept
    segment stands before.
    """
    owners, table = document.runs["segment"], document.segments
    size = len(document)
    clean = labels != OTHER
    chars = run_chars(document)
    kept_chars = np.bincount(owners, chars * clean, minlength=size)
    kept = (kept_chars > 0) & (2 * kept_chars >= np.bincount(owners, chars, minlength=size))
    kinds, continues = table["kind"].copy(), np.zeros(size, bool)
    if not kept.any():
        return Gold(kept, kinds, continues)
    # runs stand in the order of their segments, so that the first of each is easily found
    named = np.flatnonzero(labels < CONTINUATION)
    segments, first = np.unique(owners[named], return_index=True)
    kinds[segments] = _CODES[labels[named[first]]]
    segments, first = np.unique(owners[clean], return_index=True)
    continues[segments] = labels[clean][first] == CONTINUATION
    continues[: np.argmax(kept) + 1] = False
    continues &= kept
    # what has no kind of its own takes over that of the kept segment before
    rows = np.flatnonzero(kept)
    has = np.zeros(size, bool)
    has[owners[named]] = True
    has[rows[0]] = True
    source = np.maximum.accumulate(np.where(has[rows], np.arange(len(rows)), 0))
    kinds[rows] = kinds[rows[source]]
    kinds[~kept] = table["kind"][~kept]
    return Gold(kept, kinds, continues)


def _folded(text: bytes) -> bytes:
    return b" ".join(text.split())


def write_annotations(document: Document, labels: Labels, page: str = "") -> bytes:
    """The annotation file of a page.

    Args:
        document: the page.
        labels: of its runs.
        page: its name, for the first line.
    """
    lines = [f"# {' '.join(page.split())}".rstrip().encode("utf-8", "replace"), _LEGEND.encode()]
    for label, start, end in zip(
        labels.tolist(), document.runs["start"].tolist(), document.runs["end"].tolist(), strict=True
    ):
        lines.append(LABELS[label].encode() + b"\t" + _folded(document.data[start:end]))
    return b"\n".join(lines) + b"\n"


def read_annotations(data: bytes, name: str | Path, document: Document) -> Labels:
    """The labels in an annotation file.

    Args:
        data: of the file.
        name: for messages.
        document: the page that it belongs to.

    Raises:
        TrainingError: it is not UTF-8, a line is not label, tab and text, or the text is not the page's.
    """
    runs = document.runs
    labels = np.empty(len(runs), np.uint8)
    found = 0
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        where = f"{name}, line {number}"
        if line.startswith(b"#") or not line.strip():
            continue
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise TrainingError(f"{where}: not UTF-8 (byte {error.start} of the line)") from error
        tag, tab, rest = text.partition("\t")
        if not tab:
            raise TrainingError(f"{where}: no tab; a line has to be a label, a tab and the text of a block")
        if len(tag) != 1 or tag not in LABELS:
            raise TrainingError(f"{where}: {tag!r} is no label; there are {', '.join(LABELS)}")
        if found == len(runs):
            raise TrainingError(f"{where}: the page has only {len(runs)} blocks, and here is one more")
        wanted = _folded(document.data[runs["start"][found] : runs["end"][found]]).decode()
        if _folded(rest.encode()).decode() != wanted:
            raise TrainingError(
                f"{where}: the text is not that of the page, which has {_clipped(wanted)} in this place; "
                "change labels only, or write the file anew"
            )
        labels[found] = LABELS.index(tag)
        found += 1
    if found < len(runs):
        raise TrainingError(f"{name} ends early: {found} blocks of the {len(runs)} that the page has")
    return labels


def _clipped(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


# pages on disk ------------------------------------------------------------------------------------


def read_page(path: str | Path, encoding: str | None = None) -> Document:
    """The document of an HTML page, or of a text dump by its suffix `.txt`.

    Raises:
        TrainingError: it cannot be read.
        InputError: the encoding is unknown.
    """
    path = Path(path)
    return (dump_text if path.suffix == ".txt" else dump_html)(read_bytes(path), encoding=encoding)


def read_pair(page: str | Path, clean: str | Path, encoding: str | None = None) -> Pair:
    """A page and its cleaned text.

    Raises:
        TrainingError: one of them cannot be read, or the text is not UTF-8.
    """
    return Pair(Path(page).name, read_page(page, encoding), read_text(Path(clean)))


def read_annotated(folder: str | Path, *, encoding: str | None = None) -> list[Annotated]:
    """The annotated pages of a directory, by name: each `NAME.anno` with the page `NAME.…` beside it.

    Raises:
        TrainingError: no directory, no annotations in it, a page is missing, or a file is wrong.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TrainingError(f"{folder} is not a directory")
    files = sorted(folder.glob(f"*{SUFFIX}"))
    if not files:
        raise TrainingError(f"there are no annotations (*{SUFFIX}) in {folder}")
    pages = {path.stem: path for path in sorted(folder.iterdir()) if path.is_file() and path not in files}
    found = []
    for path in files:
        page = pages.get(path.stem)
        if page is None:
            raise TrainingError(f"{path} has no page of the same name beside it, such as {path.stem}.html")
        document = read_page(page, encoding)
        site = "" if page.suffix == ".txt" else site_of("", read_bytes(page))
        found.append(Annotated(path.stem, document, read_annotations(read_bytes(path), path, document), site))
    return found
