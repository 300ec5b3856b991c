"""The decision of a method about a Document: the segments it keeps, and remarks for the run."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document.tags import CODE

if TYPE_CHECKING:
    from ncleaner.document.tables import Document

# Text without boilerplate.
FRAGMENT = "fragment"
# Kinds of pages: those of the WCXB benchmark (Foley 2026), and text without boilerplate.
KINDS: tuple[str, ...] = (
    "article", "forum", "listing", "collection", "documentation", "product", "service", FRAGMENT,
)  # fmt: skip
# A page without main text: an error message, a wall, an empty listing. It is no kind of the structure model.
NOTICE = "notice"
# A segment repeats earlier pages if more than this share of it does: Onion's threshold (Pomikálek 2011).
_SEEN = 0.5
# Cells, what ends the search for one, and the most blocks between a segment and its cell.
# By the code of a tag: 1 for a cell, 2 for what is in none.
_CELLS = np.zeros(1 << 16, np.uint8)
_CELLS[[CODE[name] for name in ("td", "th", "table", "li", "dd", "dt")]] = 1, 1, 2, 2, 2, 2
_CELL_LEVELS = 8


class Reason(NamedTuple):
    """Why nothing of a page is kept, although it may have clean text: the user wants no such pages.

    Attributes:
        outcome: in reports, in a few words.
        sentence: in summaries: what the page is left out for, and by which option.
    """

    outcome: str
    sentence: str


# A new reason is a row here, and the place that finds it (`Remarks.left_out`): tallies, progress and reports
# read this table.
LEFT_OUT: dict[str, Reason] = {
    "reserved": Reason(
        "opted out",
        "opting out: text mining is reserved, or robots are told noai, noarchive or noindex (--respect-tdm)",
    ),
    "foreign": Reason("another language", "being in another language (--language)"),
    "doubtful": Reason("low quality", "low estimated quality (--min-quality)"),
    "duplicate": Reason("a duplicate", "repeating another page of the survey (--drop-duplicates)"),
}


class Remarks(NamedTuple):
    """Further information about a decision, which outputs and summaries report.

    Attributes:
        model: name of the model that decided; empty if the method has none, or has the same for all pages
            (`Cleaner` names it then).
        language: language of the page, ISO 639-1, else ISO 639-3; empty if it is unknown, or the method does
            not look for it (`Cleaner` does then).
        fallback: name of the method that decided instead of the selected one; empty if the selected method
            decided.
        unfamiliar: True if the model hardly knows the letters of the page. `Cleaner` looks at the letters of
            pages that are not in the language of its model; a method at those of pages of which it keeps all
            segments or none.
        duplicate_of: URL of the page that this one repeats, by the survey of sites; empty if there is none.
        left_out: why nothing is kept although the user might have got text, a key of `LEFT_OUT`; else empty.
        seen: number of segments that are not kept because earlier pages have them.
        language_score: the probability of the language, 0 to 1; None if it is only declared, or unknown.
    """

    model: str = ""
    language: str = ""
    fallback: str = ""
    unfamiliar: bool = False
    duplicate_of: str = ""
    left_out: str = ""
    seen: int = 0
    language_score: float | None = None


class Kept(NamedTuple):
    """The decision of a method about the segments of a Document.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner()
    >>> kept = cleaner.keep(cleaner.document("<html lang=en><p>The ferry will sail until the end of May."))
    >>> kept.mask.tolist(), kept.remarks.language, kept.remarks.model
    ([True], 'en', 'en')

    Attributes:
        mask: shape (segments,), bool; True for the segments that are kept.
        scores: shape (segments,), float64; a larger score means a cleaner segment. None for a method without
            scores.
        kinds: {kind of page: probability} for each of `KINDS` and for `NOTICE`, if the method judges it; else
            empty.
        remarks: further information about the decision.
        marks: shape (segments,), uint8; the kind of each segment as the method sees it, as the ASCII code of
            `p`, `h` or `l`. None: the kinds are those of the Document.
        estimate: returns the quality of (document, decision), for `Cleaner`; None for a method or model that
            cannot tell, and in what a Cleaner returns.
        quality: how good the text of the page is, as `Cleaner` estimates it: the F1 of its words against a
            gold text, 0 to 1, three decimal places; if nothing is kept, how likely it is that nothing
            should be. None without `estimate`.
        seen: shape (segments,), float64: the share of each segment that earlier pages have, by the survey of
            sites; NaN if it is not kept or too short to tell. None without a survey that knows it.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None
    remarks: Remarks = Remarks()
    kinds: Mapping[str, float] = {}
    marks: npt.NDArray[np.uint8] | None = None
    estimate: Callable[..., float] | None = None
    quality: float | None = None
    seen: npt.NDArray[np.float64] | None = None

    def marks_of(self, document: "Document") -> npt.NDArray[np.uint8]:
        """The kind of each segment of the document: shape (segments,), ASCII codes of `p`, `h` and `l`."""
        return document.segments["kind"] if self.marks is None else self.marks

    @property
    def kind(self) -> str:
        """The most probable kind of the page, `NOTICE` if that is likelier than not; empty if the method does
        not judge it."""
        if not self.kinds:
            return ""
        if self.kind_probability(NOTICE) > 0.5:
            return NOTICE
        others = {"": -1.0, **self.kinds, NOTICE: -1.0}
        return max(others, key=others.__getitem__)

    def kind_probability(self, kind: str) -> float:
        """The probability that the page is of a kind; 0 if the method does not judge it."""
        return self.kinds.get(kind, 0.0)

    def remarked(
        self,
        *,
        model: str | None = None,
        language: str | None = None,
        unfamiliar: bool | None = None,
        duplicate_of: str | None = None,
        left_out: str | None = None,
        language_score: float | None = None,
    ) -> "Kept":
        """Returns the same decision with some remarks replaced; an argument of None keeps the old value."""
        old = self.remarks
        remarks = Remarks(
            old.model if model is None else model,
            old.language if language is None else language,
            old.fallback,
            old.unfamiliar if unfamiliar is None else unfamiliar,
            old.duplicate_of if duplicate_of is None else duplicate_of,
            old.left_out if left_out is None else left_out,
            old.seen,
            old.language_score if language_score is None else language_score,
        )
        # `_replace` takes three times as long, and every page is remarked
        return Kept(
            self.mask, self.scores, remarks, self.kinds, self.marks, self.estimate, self.quality, self.seen
        )

    def without_seen(self) -> "Kept":
        """Returns the same decision without the segments of which earlier pages have more than half.

        A segment too short to tell, such as a heading, goes with the longer kept segments on both sides.
        """
        if self.seen is None:
            return self
        rows = np.flatnonzero(self.mask)
        shares = self.seen[rows]
        gone = shares > _SEEN
        if not gone.any():
            return self
        # the longer segment before and after each; a missing one is like the one on the other side
        longer = np.flatnonzero(~np.isnan(shares))
        after = np.searchsorted(longer, np.arange(len(rows)))
        before, after = np.maximum(after - 1, 0), np.minimum(after, len(longer) - 1)
        gone |= np.isnan(shares) & gone[longer[before]] & gone[longer[after]]
        mask = self.mask.copy()
        mask[rows[gone]] = False
        remarks = self.remarks._replace(seen=int(np.count_nonzero(gone)))
        return self._replace(mask=mask, remarks=remarks)


def lines_of(document: "Document", kept: "Kept") -> bytes:
    """Returns the kept segments as CleanEval writes them: `<p>`, `<h>` or `<l>`, the text on one line, a line
    end."""
    rows = np.flatnonzero(kept.mask)
    places = document.segments[["start", "end"]][rows].tolist()
    data = document.data
    return b"".join(
        b"<%c>%b\n" % (kind, data[start:end].replace(b"\n", b" "))
        for kind, (start, end) in zip(kept.marks_of(document)[rows].tolist(), places, strict=True)
    )


def cells_of(document: "Document") -> npt.NDArray[np.int32]:
    """Returns the cell of a table around each segment: shape (segments,), rows of `elements`; -1 for none.

    A segment in an item of a list within a cell is in none.
    """
    # the row after the last is that of no element
    kinds = np.append(_CELLS[document.elements["tag"]], np.uint8(0))
    parents = np.append(document.elements["parent"], np.int32(-1))
    here = document.segments["element"]
    cells = np.full(len(here), -1, np.int32)
    for _ in range(_CELL_LEVELS if 1 in kinds else 0):
        cells = np.where(kinds[here] == 1, here, cells)
        here = np.where(kinds[here], -1, parents[here])
    return cells
