"""Explanations in words: features with their values, a line for each segment, and all details of one segment.

Control characters of the page are escaped everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ncleaner.explaining.verdicts import Piece, Reason, Verdicts, Why
from ncleaner.modelling.features import FEATURES, OUTSIDE
from ncleaner.text.visible import visible

__all__ = [
    "LEGEND",
    "MARKS",
    "Said",
    "details_of",
    "feature_name",
    "head",
    "legend",
    "lines_of",
    "listed",
    "row_of",
    "said_of",
    "said_of_segment",
]

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
    words: tuple[Piece, ...]

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


def _strongest_words(why: Why) -> tuple[Piece, ...]:
    """Returns the words of a segment with the largest log-odds, each once with all its places, strongest
    first."""
    if why.ngrams is None:
        return ()
    bits: dict[str, float] = {}
    for piece in why.ngrams.pieces:
        bits[piece.text] = bits.get(piece.text, 0.0) + piece.bits
    ranked = sorted(bits.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(Piece(visible(text, 30), value) for text, value in ranked[:_MOST] if abs(value) >= _LITTLE)


def lines_of(explanation: Verdicts, *, reasons: bool, only: Sequence[Why] | None = None) -> Iterator[str]:
    """Yields an explanation as lines of text of any length.

    The lines about the page come first, then a head, then one line for each segment: kept (`+`) or removed
    (`-`), its number, score, kind, words, share in links, zone and text; with `reasons` an indented line
    behind it. `only` are the segments to show, by default all.
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
        yield from _rows(listed(why.features))
        yield from _rows(why.steps)
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
