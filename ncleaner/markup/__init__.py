"""Markdown and clean HTML of what is kept of a page; here, what the user decides about them."""

from dataclasses import dataclass
from typing import Literal, get_args

from ncleaner.options import Declared, option

Spans = Literal["merge", "repeat", "html"]
"""How a cell over several columns or rows is written: `merge` has its text once, `repeat` in each of them.
With `html`, Markdown has tables with such cells, or with several blocks in a cell, as HTML."""
_OF = ("markdown", "html")
_PANEL = "Output"


@dataclass(frozen=True, slots=True)
class MarkupOptions(Declared):
    """Options of Markdown and HTML."""

    links: bool = option(False, "Write link targets.", of=_OF, panel=_PANEL, positional=True)
    images: bool = option(
        False, "Write images, and videos and sounds as links.", of=_OF, panel=_PANEL, positional=True
    )
    spans: Spans = option(
        "merge",
        "Cells over several columns or rows. merge: write their text once; repeat: write it in each of "
        "them; html: write such tables, and those with several blocks in a cell, as HTML.",
        choices=get_args(Spans), of=_OF, panel=_PANEL, positional=True,
    )  # fmt: skip
