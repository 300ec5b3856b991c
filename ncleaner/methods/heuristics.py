"""Removes navigation and footer lines by their form alone (Evert 2008, section 2, the third stage).

There are three forms: short items between vertical bars or other separators, as in menus and footers; lines
that begin with a copyright sign; and segments without any letter or digit. They need no training and work in
every language.
"""

from __future__ import annotations

import re

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.methods._forms import COPYRIGHT, SEPARATED, WORDLESS, suspects

__all__ = ["Heuristics"]

# What `suspects` passes over, none of these finds.
_SEPARATOR = re.compile(r"\s*(?:\||»|«|•|·|::)\s*")
_COPYRIGHT = re.compile(r"\W{0,3}(?:©|\(c\)|copyright\b)", re.IGNORECASE)
_WORDLESS = re.compile(r"[\W_]*\Z")
# the longest item of a menu, in words, and the longest footer line
_ITEM_WORDS = 5
_FOOTER_WORDS = 40


def _is_menu(text: str) -> bool:
    items = [item for item in _SEPARATOR.split(text) if item]
    separators = len(_SEPARATOR.findall(text))
    if separators < 2:
        return (
            separators == 1
            and bool(items)
            and text.strip()[0] in "|»«"
            and len(items[-1].split()) <= _ITEM_WORDS
        )
    return sum(len(item.split()) for item in items) <= _ITEM_WORDS * max(len(items), 1)


class Heuristics:
    """Removes navigation and footer lines and keeps everything else."""

    name = "heuristics-only"

    def keep(self, document: Document) -> Kept:
        """Keeps all segments except menus, copyright lines and segments without letters or digits."""
        return Kept(~self.remove(document))

    def remove(self, document: Document) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Returns the mask of segments that look like navigation or footer, or are hidden: shape (segments,),
        bool."""
        data, table = document.data, document.segments
        starts, ends = table["start"], table["end"]
        removed = np.zeros(len(document), bool)
        bits = suspects(data, starts, ends)
        for position in np.flatnonzero(bits).tolist():
            text = data[starts[position] : ends[position]].decode()
            found = bits[position]
            removed[position] = (
                (found & WORDLESS and _WORDLESS.match(text) is not None)
                or (found & SEPARATED and _is_menu(text))
                or (
                    found & COPYRIGHT and table["words"][position] <= _FOOTER_WORDS and _COPYRIGHT.match(text)
                )
            )
        return removed | ~document.visible
