"""Gold texts, and the alignment of a page's segments with them: the segments that the annotator kept.

A gold text is a page cleaned by a person, plain or with CleanEval's markup. With markup the first line may be
`URL:` and the page's address, and each segment begins with `<p>`, `<h>` or `<l>`.

The words of the dump and of the gold text are aligned by their longest common subsequence; a segment is clean
if at least half of its words are aligned. Aligned training counts by these labels, and they reveal pairs that
do not belong together.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq

from ncleaner.document import Document
from ncleaner.dumping._builder import Builder
from ncleaner.dumping.plain import dump_text
from ncleaner.text.words import words_of

_URL_LINE = re.compile(r"\A\s*URL:[^\S\n]*(\S*).*$", re.MULTILINE)
_MARK = re.compile(r"^[^\S\n]*<([phl])>[^\S\n]*", re.MULTILINE | re.IGNORECASE)


def numbered(texts: Iterable[str], numbers: dict[str, int]) -> tuple[list[int], list[int]]:
    """Returns the words of several texts as numbers, and for each word the index of its text.

    Args:
        texts: in order.
        numbers: {word: number} of the words known so far; new words are added with the next number.

    Returns:
        Two lists of the same length: the words' numbers, and the indices of their texts.
    """
    found: list[int] = []
    owners: list[int] = []
    for index, text in enumerate(texts):
        words = words_of(text)
        found += [numbers.setdefault(word, len(numbers)) for word in words]
        owners += [index] * len(words)
    return found, owners


def address(gold: str) -> str:
    """Returns the address on the first line; empty without an address."""
    line = _URL_LINE.match(gold.removeprefix("\ufeff"))
    return line[1] if line else ""


def is_marked(gold: str) -> bool:
    """Tells whether the text has CleanEval's markup."""
    return _MARK.search(gold) is not None


def gold_pieces(gold: str) -> list[tuple[str, str]]:
    """Returns (kind, text) of the marked segments, without the address; text before the first mark is a
    `p`. A mark may be closed, as in HTML."""
    before, *rest = _MARK.split(_URL_LINE.sub("", gold.removeprefix("\ufeff")))
    kinds = map(str.lower, rest[::2])
    return [
        ("p", before),
        *((kind, _opened(kind, text)) for kind, text in zip(kinds, rest[1::2], strict=True)),
    ]


def _opened(kind: str, text: str) -> str:
    """Returns the text of a segment without a closing mark."""
    end = len(text.rstrip())
    at = end - len(f"</{kind}>")
    return text[:at] + text[end:] if text[at:end].lower() == f"</{kind}>" else text


def gold_text(gold: str) -> str:
    """Returns the text without markup, with an empty line before each marked segment."""
    return "\n".join(text for _, text in gold_pieces(gold))


def gold_document(gold: str) -> Document:
    """Returns the segments of a gold text as a Document: by its markup, or by the layout of the text."""
    if not is_marked(gold):
        return dump_text(gold_text(gold))
    builder = Builder(len(gold))
    for kind, text in gold_pieces(gold):
        builder.segment(kind, text.encode("utf-8", "replace"))
    return Document(builder.tables())


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Alignment of one page with its gold text.

    Attributes:
        words: shape (segments,), int64: words, or characters in scripts that do not separate words.
        matched: shape (segments,), float64: share of aligned words, 0 to 1; NaN for a segment without words.
        gold_words: number of words of the gold text.
        found: share of the gold words that the dump contains, 0 to 1.
    """

    words: npt.NDArray[np.int64]
    matched: npt.NDArray[np.float64]
    gold_words: int
    found: float

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """`matched` with 0 for a segment without words."""
        return np.nan_to_num(self.matched)

    @property
    def clean(self) -> npt.NDArray[np.bool_]:
        """Segments that the annotator kept: shape (segments,), bool."""
        return self.shares >= 0.5

    @property
    def dirty(self) -> npt.NDArray[np.bool_]:
        """Segments that the annotator removed: shape (segments,), bool. Comparisons with NaN are false."""
        with np.errstate(invalid="ignore"):
            return self.matched < 0.5


def align(document: Document, gold: str, first: npt.NDArray[np.bool_] | None = None) -> Alignment:
    """Aligns a document with its gold text (CleanEval markup allowed).

    Visible segments are aligned first, hidden segments with the rest of the gold text: a hidden copy never
    takes the place of the text that the annotator saw.

    Args:
        document: the page.
        gold: its clean text.
        first: shape (segments,), bool: segments that are aligned first, instead of the visible ones.
    """
    numbers: dict[str, int] = {}
    wanted, _ = numbered([gold_text(gold)], numbers)
    size = len(document)
    total = np.zeros(size, np.int64)
    hits = np.zeros(size)
    left = wanted
    before = document.visible if first is None else first
    texts = document.texts
    for side in (before, ~before):
        positions = np.flatnonzero(side)
        tokens, places = numbered((texts[position] for position in positions.tolist()), numbers)
        if not tokens:
            continue
        owned = positions[places]
        total += np.bincount(owned, minlength=size)
        rest = []
        for opcode in LCSseq.opcodes(tokens, left):
            if opcode.tag == "equal":
                hits += np.bincount(owned[opcode.src_start : opcode.src_end], minlength=size)
            else:
                rest += left[opcode.dest_start : opcode.dest_end]
        left = rest
    matched = np.divide(hits, total, out=np.full(size, np.nan), where=total > 0)
    found = 1 - len(left) / len(wanted) if wanted else 1.0
    return Alignment(total, matched, len(wanted), found)
