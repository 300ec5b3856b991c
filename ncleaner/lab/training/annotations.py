"""Annotated pages: a label for every block of text, for training Victor.

A block is the text between two tags, one of the Document's runs. The labels are taken from the system that
Marek, Pecina and Spousta built for CleanEval ("Web Page Cleaning with Conditional Random Fields", 2007). The
first block of a paragraph, header or list item of CleanEval gets `p`, `h` or `l`. Each further block of it
gets `c` (continuation). A block that the annotator removes gets `o` (other).

An annotation file is beside its page. It is UTF-8 text with one line per block, in reading order: the
label, a tab, and the block's text with white space folded. Lines that begin with `#` are comments; the first
one names the page. A person corrects the labels in any editor. The text serves the reader, and it proves that
the file belongs to the page. The tool of 2008 (Spousta, Marek, Pecina: "Victor: the Web-Page Cleaning Tool")
kept the labels in a copy of the page, in the class of a `<span>` around each block; such files need a parser
of their own.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rapidfuzz.distance import LCSseq

from ncleaner.document import Document
from ncleaner.errors import TrainingError
from ncleaner.lab.training.alignment import gold_pieces, is_marked, numbered
from ncleaner.lab.training.labels import LABELS, Labels, labels_from_kept
from ncleaner.lab.training.pairs import Pair, read_bytes, read_page, site_of
from ncleaner.text.visible import counted

SUFFIX = ".anno"

_LEGEND = "# p paragraph, h header, l list item, c continuation of the block before, o other (to be removed)"
# Number of characters of a text that does not match that a message shows.
_SHOWN_CHARS = 60


@dataclass(frozen=True, eq=False)
class Annotated:
    """A page with its labels, as a person set or corrected them.

    Attributes:
        name: the name of the page, for messages.
        document: the page.
        labels: the labels of its runs.
        site: the registered domain; empty if unknown.
    """

    name: str
    document: Document
    labels: Labels
    site: str = ""


def labels_from_alignment(pair: Pair) -> Labels:
    """Returns the labels of a page's runs, from its gold text.

    `Pair.alignment` decides which segments are kept. If the gold text has CleanEval's marks, a kept segment
    gets the kind of the gold segment that contains its first matching word. It is a continuation if an
    earlier kept segment has words in the same gold segment. If the gold text has no marks, each kept segment
    has its kind in the page.
    """
    document = pair.document
    mask = pair.alignment.clean & document.visible
    if not is_marked(pair.gold):
        return labels_from_kept(document, mask)
    # `gold_document` does not fit here: its builder decides by itself what a heading is.
    pieces = gold_pieces(pair.gold)
    chosen = np.flatnonzero(mask).tolist()
    numbers: dict[str, int] = {}
    words, owners = numbered((str(document[position]) for position in chosen), numbers)
    wanted, gold_owners = numbered((text for _, text in pieces), numbers)
    # For each segment the gold segments of its first and of its last matching word.
    first: dict[int, int] = {}
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


def _folded(text: bytes) -> bytes:
    return b" ".join(text.split())


def write_annotations(document: Document, labels: Labels, page: str = "") -> bytes:
    """Returns the bytes of the annotation file of a page.

    Args:
        document: the page.
        labels: the labels of its runs.
        page: the name of the page, for the first line.
    """
    lines = [f"# {' '.join(page.split())}".rstrip().encode("utf-8", "replace"), _LEGEND.encode()]
    for label, start, end in zip(
        labels.tolist(), document.runs["start"].tolist(), document.runs["end"].tolist(), strict=True
    ):
        lines.append(LABELS[label].encode() + b"\t" + _folded(document.data[start:end]))
    return b"\n".join(lines) + b"\n"


def read_annotations(data: bytes, name: str | Path, document: Document) -> Labels:
    """Returns the labels of an annotation file.

    Args:
        data: the bytes of the file.
        name: the name of the file, for messages.
        document: the page that the file belongs to.

    Raises:
        TrainingError: the file is not UTF-8, a line is not a label, a tab and a text, or the text is not that
            of the page.
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
            raise TrainingError(f"{where}: no tab; a line must be a label, a tab and the text of a block")
        if len(tag) != 1 or tag not in LABELS:
            raise TrainingError(f"{where}: {tag!r} is not a label; the labels are {', '.join(LABELS)}")
        if found == len(runs):
            raise TrainingError(
                f"{where}: the page has only {counted(len(runs), 'block')}, and here is one more"
            )
        wanted = _folded(document.data[runs["start"][found] : runs["end"][found]]).decode()
        if _folded(rest.encode()).decode() != wanted:
            raise TrainingError(
                f"{where}: the text differs from the page, which has {_clipped(wanted)} in this place; "
                "change only the labels, or write the file again"
            )
        labels[found] = LABELS.index(tag)
        found += 1
    if found < len(runs):
        raise TrainingError(
            f"{name} ends early: it has {found:,} of the page's {counted(len(runs), 'block')}"
        )
    return labels


def _clipped(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")


# pages on disk ------------------------------------------------------------------------------------


def read_annotated(folder: str | Path, *, encoding: str | None = None) -> list[Annotated]:
    """Returns the annotated pages of a directory, by name: each `NAME.anno` with the page `NAME.…` beside it.

    Raises:
        TrainingError: the directory does not exist or holds no annotations, a page is missing, or a file is
            damaged.
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
