"""What the user decides about Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

__all__ = ["SPANS", "MarkupOptions", "Spans"]

Spans = Literal["merge", "repeat"]
"""How a cell over several columns or rows is written: `merge` has its text once, `repeat` in each of them."""
SPANS: tuple[Spans, ...] = get_args(Spans)


@dataclass(frozen=True, slots=True)
class MarkupOptions:
    """What the user decides about Markdown and HTML.

    Attributes:
        links: write the targets of links.
        images: write images, with their addresses.
        spans: see `Spans`.
    """

    links: bool = False
    images: bool = False
    spans: Spans = "merge"
