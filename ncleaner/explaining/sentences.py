"""Explanations in words: a line for each segment, and what spoke for and against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ncleaner.explaining.grams import Piece
from ncleaner.explaining.verdicts import Reason, Verdicts, Why
from ncleaner.text.visible import visible

__all__ = [
    "LEGEND",
    "MARKS",
    "Said",
    "head",
    "legend",
    "lines_of",
    "row_of",
    "said_of_segment",
    "strongest_words",
]

# What adds less, in bits, is not named.
_LITTLE = 0.1
_MOST = 3
MARKS = {"right": "ok", "wrongly kept": "FP", "wrongly removed": "FN", "unknown": "", None: ""}
LEGEND = {
    "keep": "+ kept, - removed",
    "score": "log-odds in bits that the segment is main text; it is kept if the score reaches the bar",
    "kind": "p paragraph, h heading, l list item",
    "links": "share of its characters in links",
    "zone": "part of the page: headline, byline, standfirst, caption, comment, related",
    "gold": "ok the gold text agrees, FP wrongly kept, FN wrongly removed",
}


class Said(NamedTuple):
    """What there is to say of a verdict; each is a phrase without full stop, and may be empty.

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


def said_of_segment(why: Why, most: int = _MOST) -> Said:
    """Returns what led to a verdict: the strongest of the reasons, at most so many for it and so many against
    it."""
    reasons = sorted((*why.features, *why.steps), key=lambda reason: -abs(reason.bits))
    shown = [reason for reason in reasons if abs(reason.bits) >= _LITTLE and reason.name != "rest"]
    good = tuple(reason for reason in shown if reason.bits > 0)[:most]
    bad = tuple(reason for reason in shown if reason.bits < 0)[:most]
    asked = any(reason.name in _NGRAMS for reason in (*good, *bad))
    return Said(_ruled(why), good, bad, strongest_words(why, most) if asked else ())


_NGRAMS = {"n-grams", "odds", "odds-per-char", "posterior"}


def _ruled(why: Why) -> str:
    if why.rulings:
        ruling = why.rulings[-1]
        return f"{'kept' if ruling.keeps else 'removed'} whatever its score: {ruling.said}"
    if why.base is not None and why.bar is None:
        return "removed with all others: no part of the page is likely enough to be main text"
    return ""


def strongest_words(why: Why, most: int = _MOST) -> tuple[Piece, ...]:
    """Returns the words of a segment with the largest log-odds, each once with all its places, strongest
    first."""
    if why.spoken is None:
        return ()
    bits: dict[str, float] = {}
    for piece in why.spoken.pieces:
        bits[piece.text] = bits.get(piece.text, 0.0) + piece.bits
    ranked = sorted(bits.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(Piece(visible(text, 30), value) for text, value in ranked[:most] if abs(value) >= _LITTLE)


def lines_of(explanation: Verdicts, *, reasons: bool, only: Sequence[Why] | None = None) -> Iterator[str]:
    """Yields an explanation as lines of text of any length, in which nothing acts on a terminal.

    The lines about the page come first, then a head, then one line for each segment: kept (`+`) or removed
    (`-`), its number, score, kind, words, share in links, zone and text; with `reasons` an indented line
    behind it.
    `only` some of the segments are shown, if they are given.
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
            "from the root down. First sight: what the first forest makes of it, in per cent or log-odds. "
            "Main text: what is likely at first sight"
        )
    return list(found.items())
