"""Verdicts about the segments of a page, each with everything that led to it; and what they say in words.

Control characters of the page are escaped in all words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ncleaner.describing.metadata import Metadata, metadata_of
from ncleaner.document import Document, Segment
from ncleaner.document.kept import Kept
from ncleaner.modelling.features import FEATURES, OUTSIDE
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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


class ScoredWord(NamedTuple):
    """A word of a segment, and the log-odds of the n-grams that end in it or in the white space after it."""

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
    pieces: tuple[ScoredWord, ...]
    grams: tuple[Gram, ...]
    model: str


@dataclass(frozen=True, slots=True)
class Why:
    """The verdict about one segment.

    Attributes:
        segment: the segment.
        kept: the verdict.
        score: in bits for `hybrid`, `ngram` and `victor`; None for a method without scores.
        bar: the score that a segment must reach on this page; None if the method has none.
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
        explained: whether scores are explained in detail; otherwise only scores and verdicts are known.
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
    def mask(self) -> "npt.NDArray[np.bool_]":
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
        if (stated := self.metadata) is not None:
            said = [
                f"{name} {visible(stated.shown(name), _SHOWN)} ({visible(source)})"
                for name, source in stated.sources.items()
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
        if (stated := self.metadata) is not None:
            told["metadata"] = {**stated.to_dict(), "sources": stated.sources}
        if self.gold:
            told["gold"] = self.gold
            told["gold_words_found"] = self.found
        return {**told, "segments": [why.to_dict(number) for why in self.segments]}


# characters of a value in the summary
_SHOWN = 80
_SIDES = ("wrongly kept", "wrongly removed")


# --------------------------------------------------------------------------------------------------
# In words.

# Smaller contributions, in bits, are not named.
_LITTLE = 0.1
# number of reasons that are named on either side, and of features and n-grams in the details
_MOST, _LISTED = 3, 12
_NGRAMS = {"n-grams", "odds", "odds-per-char", "posterior"}
MARKS = {"right": "ok", "wrongly kept": "FP", "wrongly removed": "FN", "unknown": "", None: ""}
LEGEND = {
    "keep": "+ kept, - removed",
    "score": "log-odds in bits that the segment is main text; it is kept if the score reaches the bar",
    "kind": "p paragraph, h heading, l list item",
    "links": "share of its characters in links",
    "zone": "part of the page: headline, byline, standfirst, caption, comment, related",
    "gold": "ok the gold text agrees, FP wrongly kept, FN wrongly removed",
}


# --------------------------------------------------------------------------------------------------
# Features. Their phrases are in `modelling.features`.

# "1 words"
_ONE = re.compile(r"(?<![\w,.+-])1 (\w+)s\b")


@cache
def feature_name(column: int, row: int) -> str:
    """Returns the name of a feature; the name of a neighbour's feature has its distance: `words+1`."""
    return FEATURES[column].name + (f"{row:+d}" if row else "")


@lru_cache(1 << 16)
def said_of(column: int, row: int, value: float) -> str:
    """Returns a feature with its value in words.

    >>> from ncleaner.modelling.features import FEATURES
    >>> columns = {feature.name: column for column, feature in enumerate(FEATURES)}
    >>> said_of(columns["link-density"], 0, 0.8), said_of(columns["words"], 1, 12)
    ('80 % of it in links', 'next segment: 12 words')

    Args:
        column: of the feature.
        row: 0 for the segment itself, −1 for the segment before.
        value: of the feature; `OUTSIDE` for a row outside the page.
    """
    said = "outside of the page" if value <= OUTSIDE else _said(FEATURES[column].phrase, value)
    if not row:
        return said
    near = "next segment" if row > 0 else "segment before"
    away = near if abs(row) == 1 else f"{abs(row)} segments {'on' if row > 0 else 'back'}"
    return f"{away}: {said}"


def _said(phrase: str, value: float) -> str:
    phrase, *cases = phrase.split("; ")
    special = dict(case.split(" = ", 1) for case in cases)
    if value < 0 and "below 0" in special:
        phrase, value = special["below 0"], -value
    phrase = special.get(f"{value:g}", phrase)
    if " / " in phrase:
        return phrase.split(" / ")[0 if value else 1]
    return _ONE.sub(r"1 \1", phrase.format(n=_number(value), p=_share(value), b=f"{value:+.1f}"))


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 1 or percent == 0 else "under 1 %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.1f}"


# --------------------------------------------------------------------------------------------------
# Segments.


class Said(NamedTuple):
    """A verdict in phrases without full stop; any of them may be empty.

    Attributes:
        ruled: the rule that decides, if one does.
        speaking_for, against: the strongest reasons, with their bits.
        words: the words that the n-grams find strongest, if the n-grams are among the reasons.
    """

    ruled: str
    speaking_for: tuple[Reason, ...]
    against: tuple[Reason, ...]
    words: tuple[ScoredWord, ...]

    def __str__(self) -> str:
        parts = [self.ruled] if self.ruled else []
        for title, reasons in (("for it", self.speaking_for), ("against it", self.against)):
            if reasons:
                parts.append(
                    f"{title}: " + ", ".join(f"{reason.said} ({reason.bits:+.1f})" for reason in reasons)
                )
        if self.words:
            parts.append("words: " + ", ".join(f"“{piece.text}” {piece.bits:+.1f}" for piece in self.words))
        return visible("; ".join(parts))


def said_of_segment(why: Why) -> Said:
    """Returns what led to a verdict: the strongest reasons for it, and as many against."""
    reasons = sorted((*why.features, *why.steps), key=lambda reason: -abs(reason.bits))
    shown = [reason for reason in reasons if abs(reason.bits) >= _LITTLE and reason.name != "rest"]
    good = tuple(reason for reason in shown if reason.bits > 0)[:_MOST]
    bad = tuple(reason for reason in shown if reason.bits < 0)[:_MOST]
    asked = any(reason.name in _NGRAMS for reason in (*good, *bad))
    return Said(_ruled(why), good, bad, _strongest_words(why) if asked else ())


def _ruled(why: Why) -> str:
    if why.rulings:
        ruling = why.rulings[-1]
        return f"{'kept' if ruling.keeps else 'removed'} whatever its score: {ruling.said}"
    if why.base is not None and why.bar is None:
        return "removed with all others: no part of the page is likely enough to be main text"
    return ""


def _strongest_words(why: Why) -> tuple[ScoredWord, ...]:
    """Returns the words of a segment with the largest log-odds, each once with all its places, strongest
    first."""
    if why.ngrams is None:
        return ()
    bits: dict[str, float] = {}
    for piece in why.ngrams.pieces:
        bits[piece.text] = bits.get(piece.text, 0.0) + piece.bits
    ranked = sorted(bits.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(
        ScoredWord(visible(text, 30), value) for text, value in ranked[:_MOST] if abs(value) >= _LITTLE
    )


def lines_of(explanation: Verdicts, *, reasons: bool, only: Sequence[Why] | None = None) -> Iterator[str]:
    """Yields an explanation as lines of text of any length.

    The lines about the page come first, then a head, then one line for each segment: kept (`+`) or removed
    (`-`), its number, score, kind, words, share in links, zone and text; with `reasons` an indented line
    after it. `only` are the segments to show, by default all.
    """
    yield from map(visible, explanation.summary())
    yield head(explanation)
    for why in explanation.segments if only is None else only:
        yield row_of(explanation, why)
        said = str(said_of_segment(why)) if reasons else ""
        if said:
            yield f"         {said}"
    yield explanation.verdicts()


def head(explanation: Verdicts) -> str:
    """Returns the names of the columns."""
    gold = "gold " if explanation.gold else ""
    return f"keep {gold}    #   score kind words links zone        text"


def row_of(explanation: Verdicts, why: Why) -> str:
    """Returns the line of a segment."""
    segment = why.segment
    score = "       " if why.score is None else f"{why.score:+7.2f}"
    gold = f" {MARKS[why.against]:<4}" if explanation.gold else ""
    text = visible(segment.text.replace("\n", "⏎"))
    return (
        f"  {'+' if why.kept else '-'} {gold} {segment.index:4} {score}  {why.sign}   {segment.words:5} "
        f"{segment.link_density:5.2f} {segment.zone:<10}  {text}"
    )


def legend(explanation: Verdicts) -> list[tuple[str, str]]:
    """Returns what the columns and signs mean, as pairs."""
    bars = {why.bar for why in explanation.segments}
    bar = next(iter(bars)) if len(bars) == 1 else None
    found = dict(LEGEND)
    if bar is not None:
        found["score"] += f", here {bar:+.2f}"
    elif not explanation.explained:
        found["score"] = "of the method; a larger one means cleaner text"
    if all(why.score is None for why in explanation.segments):
        del found["score"]
    if not explanation.gold:
        del found["gold"]
    if explanation.explained:
        found["why"] = (
            "in brackets the bits that each adds to the score, the strongest first. Style: tags and classes "
            "from the root down. First sight: the judgement of the first forest, in per cent or log-odds. "
            "Main text: what is likely at first sight"
        )
    return list(found.items())


def details_of(explanation: Verdicts, why: Why) -> Iterator[str]:
    """Yields the row of a segment, the parts of its score, rules, words and n-grams."""
    yield head(explanation)
    yield row_of(explanation, why)
    segment = why.segment
    yield f"path   {segment.path or '-'}"
    if why.against is not None:
        share = "-" if why.matched is None else f"{why.matched:.0%} of its words are in the gold text"
        yield f"gold   {MARKS[why.against] or '-'}: {share}"
    if why.base is not None:
        yield ""
        yield f"{why.base:+8.2f}  before anything is known of it"
        yield from _rows([*listed(why.features), *why.steps])
        yield f"{why.score or 0:+8.2f}  score" + ("" if why.bar is None else f"; the bar is {why.bar:+.2f}")
    for ruling in why.rulings:
        yield f"{'kept' if ruling.keeps else 'removed':>8}  {visible(ruling.said)}"
    if why.first:
        total = sum(reason.bits for reason in why.first)
        yield ""
        yield f"At first sight, what is known of it adds {total:+.2f} bits:"
        yield from _rows(listed(why.first))
    if why.ngrams is not None:
        found = why.ngrams
        yield ""
        yield f"Its n-grams (model {visible(found.model)}): {found.bits:+.2f} bits. By words:"
        yield "  " + " ".join(f"{visible(piece.text)}({piece.bits:+.1f})" for piece in found.pieces)
        yield "Strongest n-grams (␣ a space, ¶ the edge of the segment):"
        yield "  " + ", ".join(
            f"{visible(gram.text)} {gram.bits:+.2f}" + (f" in {gram.times} places" if gram.times > 1 else "")
            for gram in found.grams[:_LISTED]
        )


def listed(reasons: Sequence[Reason]) -> list[Reason]:
    """Returns the strongest reasons, and all others as one."""
    shown, rest = list(reasons[:_LISTED]), reasons[_LISTED:]
    if rest:
        shown.append(Reason(f"{len(rest):,} other features", sum(reason.bits for reason in rest), "rest"))
    return shown


def _rows(reasons: Sequence[Reason]) -> Iterator[str]:
    for reason in reasons:
        name = "" if reason.name == "rest" else f"  [{reason.name}]"
        yield f"{reason.bits:+8.2f}  {visible(reason.said)}{name}"
