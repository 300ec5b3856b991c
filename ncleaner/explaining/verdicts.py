"""Verdicts about the segments of a page, each with everything that led to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ncleaner.describing.metadata import Metadata, metadata_of
from ncleaner.document import Document, Segment
from ncleaner.document.kept import Kept
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Against", "Gram", "NGrams", "Piece", "Reason", "Ruling", "Verdicts", "Why"]

Against = Literal["right", "wrongly kept", "wrongly removed", "unknown"]


class Reason(NamedTuple):
    """One reason for keeping a segment (`bits` above 0) or against it.

    Attributes:
        said: in words.
        bits: what it adds to the score.
        name: of the feature, or of the step.
    """

    said: str
    bits: float
    name: str


class Ruling(NamedTuple):
    """A rule that decides about a segment whatever its score is.

    Attributes:
        keeps: whether it keeps the segment or removes it.
        said: in words.
        name: of the rule.
    """

    keeps: bool
    said: str
    name: str


class Piece(NamedTuple):
    """A word of a segment, and the log-odds of the n-grams that end in it or in the white space behind it."""

    text: str
    bits: float


class Gram(NamedTuple):
    """An n-gram of a segment: its characters (a space is `␣`, the edge of the segment `¶`), how often it
    occurs there, and the log-odds of all these places together."""

    text: str
    times: int
    bits: float


class NGrams(NamedTuple):
    """The n-grams of a segment with their log-odds.

    Attributes:
        bits: log-odds of the whole segment.
        pieces: its words in reading order; their bits sum up to the bits of the segment.
        grams: its n-grams, the strongest first; their bits sum up to the bits of the segment.
        model: name of the model.
    """

    bits: float
    pieces: tuple[Piece, ...]
    grams: tuple[Gram, ...]
    model: str


@dataclass(frozen=True, slots=True)
class Why:
    """The verdict about one segment.

    Attributes:
        segment: the segment.
        kept: the verdict.
        score: in bits for `hybrid`, `ngram` and `victor`; None for a method without scores.
        bar: the score that a segment has to reach on this page; None if the method has none.
        base: the score that is expected of a segment of this page; None if the method is not explained.
        features: what the features of the structure model add, the strongest first.
        steps: what later steps add, in their order. Base, features and steps sum up to the score.
        rulings: rules that overrule the score, in their order; the last one counts.
        ngrams: log-odds of words and n-grams; None for a method without n-grams.
        first: what the features add to the first judgement, for a segment that is judged twice.
        against: whether a gold text agrees with the verdict; None without one.
        matched: share of the segment's words that the gold text has, 0 to 1; None without one, or without
            words.
        sign: kind of the segment as the method sees it: `p`, `h` or `l`.
    """

    segment: Segment
    kept: bool
    score: float | None = None
    bar: float | None = None
    base: float | None = None
    features: tuple[Reason, ...] = ()
    steps: tuple[Reason, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    ngrams: NGrams | None = None
    first: tuple[Reason, ...] = ()
    against: Against | None = None
    matched: float | None = None
    sign: str = "p"

    @property
    def is_wrong(self) -> bool:
        """Whether a gold text contradicts the verdict."""
        return self.against in ("wrongly kept", "wrongly removed")

    def to_dict(self, number: int = 0) -> dict[str, Any]:
        """Returns everything for JSON; with a `number`, at most that number of features and n-grams."""
        segment, most = self.segment, number or None
        found: dict[str, Any] = {
            "index": segment.index,
            "kept": self.kept,
            "score": self.score,
            "bar": self.bar,
            "kind": self.sign,
            "words": segment.words,
            "link_density": segment.link_density,
            "zone": segment.zone,
            "path": segment.path,
            "text": segment.text,
            "base": self.base,
            "features": [reason._asdict() for reason in self.features[:most]],
            "steps": [reason._asdict() for reason in self.steps],
            "rulings": [ruling._asdict() for ruling in self.rulings],
            "first": [reason._asdict() for reason in self.first[:most]],
        }
        if self.ngrams is not None:
            found["ngrams"] = {
                "model": self.ngrams.model,
                "bits": self.ngrams.bits,
                "pieces": [piece._asdict() for piece in self.ngrams.pieces],
                "strongest": [gram._asdict() for gram in self.ngrams.grams[:most]],
            }
        if self.against is not None:
            found["against"] = self.against
            found["matched"] = self.matched
        return found


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts about the segments of a page.

    Attributes:
        document: the page.
        kept: the decision of its method.
        method: name of the method; empty if only the verdicts are known.
        about: the method in a few words.
        segments: one `Why` for each segment.
        notes: sentences about the page as a whole.
        explained: whether scores are taken apart; otherwise only scores and verdicts are known.
        source: where the page is from.
        gold: where the gold text is from; empty without one.
        found: share of the words of the gold text that the page has, 0 to 1; None without one.
    """

    document: Document
    kept: Kept
    method: str = ""
    about: str = ""
    segments: tuple[Why, ...] = ()
    notes: tuple[str, ...] = ()
    explained: bool = False
    source: str = ""
    gold: str = ""
    found: float | None = None

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Which segments are kept: shape (segments,), bool."""
        return self.kept.mask

    def summary(self) -> list[str]:
        """Returns lines about the page: its source, language and model, its kind, notes."""
        document, remarks = self.document, self.kept.remarks
        title = f"{visible(document.title)!r}, " if document.title else ""
        lines = [
            f"{visible(self.source)}  [{document.encoding or 'decoded'}]  {title}{document.sizes()}".strip()
        ]
        declared = f" (the page declares {visible(document.lang)!r})" if document.lang else ""
        model = f"; model {visible(remarks.model)}" if remarks.model else ""
        lines.append(f"language {remarks.language or 'unknown'}{declared}{model}")
        if self.kept.kinds and len(document):
            ranked = sorted(self.kept.kinds.items(), key=lambda item: -item[1])
            shares = ", ".join(f"{kind} {share:.2f}" for kind, share in ranked if share >= 0.005)
            lines.append(f"kind of page: {shares}")
        if self.kept.quality is not None:
            lines.append(f"estimated quality: F1 {self.kept.quality:.2f}")
        if self.metadata is not None:
            said = [
                f"{name} {visible(self.metadata.shown(name), _SHOWN)} ({visible(source)})"
                for name, source in self.metadata.sources.items()
            ]
            if said:
                lines.append(f"the page declares: {'; '.join(said)}")
        return lines + list(self.notes)

    @property
    def metadata(self) -> Metadata | None:
        """What the page declares about itself; None if its facts have not been collected."""
        if self.document.facts is None:
            return None
        return metadata_of(self.document, self.source if "://" in self.source else "")

    def verdicts(self) -> str:
        """Returns the numbers of kept segments and words, and of wrong ones if there is a gold text."""
        kept = [why for why in self.segments if why.kept]
        words = sum(why.segment.words for why in kept)
        whole = sum(why.segment.words for why in self.segments)
        said = f"{len(kept):,} of {counted(len(self.segments), 'segment')} kept, "
        said += f"{words:,} of {counted(whole, 'word')}"
        characters = sum(why.segment.chars for why in self.segments)
        if characters:
            said += f", {100 * sum(why.segment.chars for why in kept) / characters:.0f} % of the characters"
        if self.gold:
            wrong = {side: [why for why in self.segments if why.against == side] for side in _SIDES}
            for side, found in wrong.items():
                lost = counted(sum(why.segment.words for why in found), "word")
                said += f"; {counted(len(found), 'segment')} ({lost}) {side}"
        return said

    def to_dict(self, number: int = 0) -> dict[str, Any]:
        """Returns everything for JSON.

        Args:
            number: largest number of features and n-grams of each segment; all by default, which sum up.
        """
        document, remarks = self.document, self.kept.remarks
        told: dict[str, Any] = {
            "source": self.source,
            "title": document.title,
            "encoding": document.encoding,
            "declared_language": document.lang,
            "language": remarks.language,
            "model": remarks.model,
            "method": self.method,
            "kinds": dict(self.kept.kinds),
            "notes": list(self.notes),
            "explained": self.explained,
            "kept_segments": int(self.mask.sum()),
            "kept_words": sum(why.segment.words for why in self.segments if why.kept),
        }
        if self.metadata is not None:
            told["metadata"] = {**self.metadata.to_dict(), "sources": self.metadata.sources}
        if self.gold:
            told["gold"] = self.gold
            told["gold_words_found"] = self.found
        return {**told, "segments": [why.to_dict(number) for why in self.segments]}


# characters of a value in the summary
_SHOWN = 80
_SIDES = ("wrongly kept", "wrongly removed")
