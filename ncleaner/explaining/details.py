"""All that is known of the verdict about one segment, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncleaner.explaining.sentences import MARKS, head, row_of
from ncleaner.explaining.verdicts import Reason, Verdicts, Why
from ncleaner.text.visible import visible

__all__ = ["details_of", "rest_of", "shown_first"]

# of features and n-grams that are listed
_MOST = 12


def details_of(explanation: Verdicts, why: Why) -> Iterator[str]:
    """Yields the row of a segment, how its score is made up, rules, words and n-grams; nothing acts on a
    terminal."""
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
        yield from _rows(shown_first(why.features))
        if rest := rest_of(why.features):
            yield f"{rest.bits:+8.2f}  {rest.said}"
        yield from _rows(why.steps)
        yield f"{why.score or 0:+8.2f}  score" + ("" if why.bar is None else f"; the bar is {why.bar:+.2f}")
    for ruling in why.rulings:
        yield f"{'kept' if ruling.keeps else 'removed':>8}  {visible(ruling.said)}"
    if why.first:
        total = sum(reason.bits for reason in why.first)
        yield ""
        yield f"At first sight, what is known of it adds {total:+.2f} bits:"
        yield from _rows(shown_first(why.first))
    if why.spoken is not None:
        spoken = why.spoken
        yield ""
        yield f"Its n-grams (model {visible(spoken.model)}): {spoken.bits:+.2f} bits. By words:"
        yield "  " + " ".join(f"{visible(piece.text)}({piece.bits:+.1f})" for piece in spoken.pieces)
        yield "Strongest n-grams (␣ a space, ¶ the edge of the segment):"
        yield "  " + ", ".join(
            f"{visible(gram.text)} {gram.bits:+.2f}" + (f" in {gram.times} places" if gram.times > 1 else "")
            for gram in spoken.grams[:_MOST]
        )


def shown_first(reasons: Sequence[Reason]) -> Sequence[Reason]:
    """Returns the reasons that are listed."""
    return reasons[:_MOST]


def rest_of(reasons: Sequence[Reason]) -> Reason | None:
    """Returns all reasons that are not listed as one; None if there are none."""
    rest = reasons[_MOST:]
    return (
        Reason(f"{len(rest):,} other features", sum(reason.bits for reason in rest), "rest") if rest else None
    )


def _rows(reasons: Sequence[Reason]) -> Iterator[str]:
    for reason in reasons:
        yield f"{reason.bits:+8.2f}  {visible(reason.said)}  [{reason.name}]"
