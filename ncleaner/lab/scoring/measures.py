"""Two ways to compare one cleaned page with its gold text, and the standard errors of figures over pages.

The *alignment* measure is that of the CleanEval competition as Stefan Evert's script computes it
(`cleaneval.py` 1.0, 2008; described in "A Lightweight and Efficient Tool for Cleaning Web Pages",
LREC 2008): a diff of the two word sequences. The segment marks `<p>`, `<h>` and `<l>` count as words, and are
also counted by themselves. It works on bytes, so that no encoding can change a figure.

The *bag* measure is the one that newer benchmarks report: the overlap of the two multisets of tokens. It
ignores order and marks, and works on decoded text.

*Standard errors* do not take the pages of a site as independent. All figures are ratios of sums over pages,
or means, which are ratios whose denominators are 1. The error of such a ratio r = Σ a / Σ b says how much it
changes when all pages of one site are taken out: the jackknife with sites as units (Cochran 1977, "Sampling
Techniques", section 6.17),

    variance = (G - 1) / G · Σ (r - r without the site)²,

the sum over G sites. If each page is a site of its own and all b are 1, this is the usual variance of a mean.
Where one site has most pages it is larger than the linearised variance (section 6.5), and nearer to what
further sites show.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

BagUnit = Literal["word", "char"]
"""What the bag measure counts: `\\w+` words, or single characters, for scripts without spaces."""

Diff = list[tuple[str, list[bytes], list[bytes]]]
"""Steps `(operation, words of the text, words of the gold text)` in reading order. The operation is `equal`,
`delete` (words in the first list only) or `insert` (words in the second list only)."""

_MARK = re.compile(rb"(<[phl]>)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x1f]+")
_SPACE = re.compile(rb"\s+")
_HIGH = re.compile(rb"[\x80-\xff]+")

# The bag measure reads any text, so it removes less markup than the script of 2008: only a line that consists
# of "URL: address", and marks at the beginning of a line. A sentence about URLs stays.
_BAG_URL_LINE = re.compile(r"^[^\S\n]*URL:[^\S\n]*\S*[^\S\n]*$", re.MULTILINE)
_BAG_MARKS = re.compile(r"^(?:[^\S\n]*<[phl]>)+", re.MULTILINE | re.IGNORECASE)
_BAG_WORD = re.compile(r"\w+")
_BAG_CHAR = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Numbers of words or marks in both texts (`tp`), in the prediction only (`fp`) and in the gold text only
    (`fn`); precision, recall and F in per cent.

    A figure whose denominator is 0 is 0, as in Evert's script: two texts without marks score 0 for marks.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: MatchCounts) -> MatchCounts:
        return MatchCounts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float:
        """Share of the predicted items that are right, 0 to 100."""
        return 100 * self._shares()[0]

    @property
    def recall(self) -> float:
        """Share of the gold items that were found, 0 to 100."""
        return 100 * self._shares()[1]

    @property
    def f_score(self) -> float:
        """Harmonic mean of precision and recall, 0 to 100."""
        precision, recall = self._shares()
        return 100 * (2 * precision * recall / (precision + recall or 1))

    def to_dict(self) -> dict[str, float]:
        """Returns the figures (per cent) and the counts, for JSON."""
        return _with_figures(self)

    def _shares(self) -> tuple[float, float]:
        # The callers multiply by 100 at the end, as the script does: a tie in the third decimal then rounds
        # alike.
        return self.tp / max(self.tp + self.fp, 1), self.tp / max(self.tp + self.fn, 1)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Sizes of two multisets of tokens and of their intersection; precision, recall and F in per cent.

    Two empty texts score 100; an empty text against one with tokens scores 0.
    """

    shared: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Share of the predicted tokens that are in the gold text, 0 to 100."""
        return self._share(self.predicted)

    @property
    def recall(self) -> float:
        """Share of the gold tokens that were predicted, 0 to 100."""
        return self._share(self.gold)

    @property
    def f_score(self) -> float:
        """Harmonic mean of precision and recall, 0 to 100."""
        if not self.predicted and not self.gold:
            return 100.0
        return 100 * (2 * self.shared / (self.predicted + self.gold))

    def to_dict(self) -> dict[str, float]:
        """Returns the figures (per cent) and the sizes, for JSON."""
        return _with_figures(self)

    def _share(self, size: int) -> float:
        if size:
            return 100 * (self.shared / size)
        return 100.0 if self.predicted == self.gold else 0.0


def _with_figures(counted: MatchCounts | Overlap) -> dict[str, float]:
    figures = {name: getattr(counted, name) for name in ("precision", "recall", "f_score")}
    return {**figures, **asdict(counted)}


@dataclass(frozen=True, slots=True)
class Average:
    """Mean over pages and sample standard deviation, which is None for one page."""

    mean: float
    sd: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Average:
        """Averages at least one value. The standard deviation is sqrt((Σx² − n·mean²) / (n − 1))."""
        n = len(values)
        mean = sum(values) / n
        if n == 1:
            return cls(mean, None)
        # for equal values, the difference of the two large sums can be slightly negative
        squares = max(sum(x * x for x in values) - n * mean * mean, 0.0)
        return cls(mean, math.sqrt(squares / (n - 1)))


@dataclass(frozen=True, slots=True)
class MacroAverages:
    """Macro averages of precision, recall and F, in per cent."""

    precision: Average
    recall: Average
    f_score: Average

    @classmethod
    def of(cls, pages: Sequence[MatchCounts] | Sequence[Overlap]) -> MacroAverages:
        """Averages the figures of at least one page."""
        return cls(
            Average.of([page.precision for page in pages]),
            Average.of([page.recall for page in pages]),
            Average.of([page.f_score for page in pages]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns the three averages, for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Summary:
    """The alignment measure over all pages: from summed counts (`micro`), and averaged by page (`macro`)."""

    micro: MatchCounts
    macro: MacroAverages

    @classmethod
    def of(cls, pages: Sequence[MatchCounts]) -> Summary:
        """Sums and averages the counts of at least one page."""
        return cls(sum(pages, MatchCounts()), MacroAverages.of(pages))

    def to_dict(self) -> dict[str, Any]:
        """Returns both averages, for JSON."""
        return {"micro": self.micro.to_dict(), "macro": self.macro.to_dict()}


def split_words(text: bytes, *, unlabelled: bool = False, ascii_only: bool = False) -> list[bytes]:
    """Returns the words of a text that the alignment measure compares; each mark is a word.

    Lines that begin with `URL` are deleted together with the blank lines before them, control bytes become
    spaces, and with `unlabelled` every mark becomes `<p>`. The text is then split at runs of white space
    *without stripping it*: a text that begins or ends with a space, or is empty, has an empty first or last
    word, and Evert's script counts these. `ascii_only` deletes all bytes above 127, as the option `-a` of
    that script does for texts in different encodings.
    """
    text = _CONTROL.sub(b" ", _without_url_lines(text))
    text = _SPACE.sub(b" ", _MARK.sub(rb"\n<p> " if unlabelled else rb"\n\1 ", text))
    if ascii_only:
        text = _HIGH.sub(b"", text)
    return _SPACE.split(text)


def diff_words(predicted: list[bytes], gold: list[bytes]) -> Diff:
    """Aligns two word sequences with difflib, with its default settings.

    If the gold text has 200 words or more, difflib ignores words that make up more than one per cent of it
    when it looks for matches. The figures of 2008 depend on this.
    """
    diff: Diff = []
    for operation, i1, i2, j1, j2 in SequenceMatcher(None, predicted, gold).get_opcodes():
        if operation == "replace":
            diff.append(("delete", predicted[i1:i2], []))
            diff.append(("insert", [], gold[j1:j2]))
        else:
            diff.append((operation, predicted[i1:i2], gold[j1:j2]))
    return diff


def count_diff(diff: Diff) -> tuple[MatchCounts, MatchCounts]:
    """Counts all words including marks, and the marks by themselves; returns both."""
    words, marks = {"equal": 0, "delete": 0, "insert": 0}, {"equal": 0, "delete": 0, "insert": 0}
    for operation, predicted, gold in diff:
        run = predicted or gold
        words[operation] += len(run)
        marks[operation] += sum(1 for word in run if _MARK.match(word))
    return (
        MatchCounts(words["equal"], words["delete"], words["insert"]),
        MatchCounts(marks["equal"], marks["delete"], marks["insert"]),
    )


def alignment_text(diff: Diff) -> bytes:
    """Returns a diff as a text to read: runs of words, each under a ruler that tells which text has them."""
    rulers = {
        "equal": b"=" * 40,
        "delete": b"<" * 40 + b" (false positive)",
        "insert": b">" * 40 + b" (false negative)",
    }
    return b"".join(rulers[step] + b"\n" + b" ".join(text or gold) + b"\n" for step, text, gold in diff)


def bag_overlap(predicted: bytes, gold: bytes, unit: BagUnit = "word") -> Overlap:
    """Compares two UTF-8 texts as multisets of tokens, in lower case and without CleanEval markup.

    With `unit="word"`, the tokens are the matches of `\\w+`; with `unit="char"`, for Chinese, Japanese or
    Thai, every character that is not white space. Bytes that are not UTF-8 count as U+FFFD.
    """
    find: Callable[[str], list[str]] = (_BAG_WORD if unit == "word" else _BAG_CHAR).findall
    ours, theirs = Counter(find(_plain(predicted))), Counter(find(_plain(gold)))
    return Overlap((ours & theirs).total(), ours.total(), theirs.total())


def _without_url_lines(text: bytes) -> bytes:
    """Deletes every match of `^\\s*URL.*$`, in linear time; the pattern's is quadratic in blank lines."""
    if b"URL" not in text:
        return text
    kept: list[bytes] = []
    # blank lines before a URL line are deleted with it, but not the empty line that an earlier URL line
    # leaves
    floor = 0
    for line in text.split(b"\n"):
        if line.lstrip().startswith(b"URL"):
            while len(kept) > floor and not kept[-1].strip():
                kept.pop()
            kept.append(b"")
            floor = len(kept)
        else:
            kept.append(line)
    return b"\n".join(kept)


def _plain(text: bytes) -> str:
    decoded = text.decode("utf-8-sig", "replace")
    return _BAG_MARKS.sub(" ", _BAG_URL_LINE.sub("", decoded)).lower()


# --------------------------------------------------------------------------------------------------
# Standard errors.

# the measures by alignment, which have counts for all pages as one, too
ALIGNED = ("words", "marks", "words_unlabelled", "marks_unlabelled")


class Errors(NamedTuple):
    """Standard errors of precision, recall and F, in per cent; None if all pages are of one site."""

    precision: float | None
    recall: float | None
    f_score: float | None


class MeasureErrors(NamedTuple):
    """Standard errors of all pages as one (`micro`) and of the means of the pages (`macro`)."""

    micro: Errors
    macro: Errors

    @classmethod
    def of(cls, pages: Sequence[MatchCounts], clusters: Sequence[str]) -> MeasureErrors:
        """Computes them from the counts of each page."""
        hits = [page.tp for page in pages]
        micro = Errors(
            ratio_error(hits, [page.tp + page.fp for page in pages], clusters),
            ratio_error(hits, [page.tp + page.fn for page in pages], clusters),
            ratio_error(
                [2 * hit for hit in hits], [2 * page.tp + page.fp + page.fn for page in pages], clusters
            ),
        )
        return cls(micro, mean_errors(pages, clusters))

    def to_dict(self) -> dict[str, Any]:
        """Returns all of them, for JSON."""
        return {"micro": self.micro._asdict(), "macro": self.macro._asdict()}


@dataclass(frozen=True, slots=True)
class StandardErrors:
    """Standard errors of the figures of an evaluation.

    Attributes:
        by: what is taken as independent: the sites of the pages, or the pages themselves if no site is known.
        clusters: number of sites, or of pages.
        unknown: number of pages of unknown sites, each of which counts as a site of its own.
        words, marks, words_unlabelled, marks_unlabelled: those of the alignment measure.
        bag: those of the bag measure.
    """

    by: Literal["site", "page"]
    clusters: int
    unknown: int
    words: MeasureErrors
    marks: MeasureErrors
    words_unlabelled: MeasureErrors
    marks_unlabelled: MeasureErrors
    bag: Errors

    def to_dict(self) -> dict[str, Any]:
        """Returns everything, for JSON."""
        return {
            "by": self.by,
            "clusters": self.clusters,
            "unknown_sites": self.unknown,
            **{name: getattr(self, name).to_dict() for name in ALIGNED},
            "bag": self.bag._asdict(),
        }


def clusters_of(sites: Iterable[str]) -> list[str]:
    """Returns a name for the site of each page; a page of an unknown site (empty) is a site of its own."""
    # no registered domain contains a slash
    return [site or f"/{number}" for number, site in enumerate(sites)]


def ratio_error(
    numerators: Sequence[float], denominators: Sequence[float], clusters: Sequence[str], scale: float = 100.0
) -> float | None:
    """Returns the standard error of Σ numerators / Σ denominators, times `scale`.

    None for pages of one site, and for a ratio without denominator, or without one when a site is left out.

    Args:
        numerators, denominators: of each page.
        clusters: the site of each page.
    """
    whole = math.fsum(denominators)
    if not whole:
        return None
    ratio = math.fsum(numerators) / whole
    residuals: dict[str, float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for above, below, cluster in zip(numerators, denominators, clusters, strict=True):
        residuals[cluster] += above - ratio * below
        sizes[cluster] += below
    if len(sizes) < 2 or any(size >= whole for size in sizes.values()):
        return None
    changes = [residuals[cluster] / (whole - size) for cluster, size in sizes.items()]
    return scale * math.sqrt((len(sizes) - 1) / len(sizes) * math.fsum(change * change for change in changes))


def mean_errors(pages: Sequence[MatchCounts] | Sequence[Overlap], clusters: Sequence[str]) -> Errors:
    """Returns the standard errors of the means of precision, recall and F."""
    ones = [1.0] * len(pages)
    figures = [(page.precision, page.recall, page.f_score) for page in pages]
    return Errors(*(ratio_error(column, ones, clusters, 1.0) for column in zip(*figures, strict=True)))
