"""The explanation of a page, which prints as text and is drawn by notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from ncleaner.explaining.drawing import framed
from ncleaner.explaining.sentences import lines_of
from ncleaner.explaining.verdicts import Verdicts

__all__ = ["Explanation"]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Verdicts):
    """Why a page came out as it did. `print` shows a line or two for each segment, a notebook draws the page.

    >>> import ncleaner
    >>> found = ncleaner.explain("<ul><li><a href=/>Home</a></ul><p>The ferry will sail until May.</p>")
    >>> [why.kept for why in found.segments]
    [False, True]
    >>> why = found.segments[1]
    >>> total = why.base + sum(reason.bits for reason in (*why.features, *why.steps))
    >>> abs(total - why.score) < 1e-6
    True
    """

    def __str__(self) -> str:
        return "\n".join(lines_of(self, reasons=True))

    def __repr__(self) -> str:
        return f"<Explanation of {self.document!r}: {self.verdicts()}>"

    def _repr_html_(self) -> str:
        """Returns the drawing of the page in a frame of its own, for notebooks."""
        return framed(self)
