"""Baselines without models: everything; and everything but lines of the form of navigation and footers.

The forms are those of Evert (2008, section 2, the third stage): short items between vertical bars or other
separators (| » « • · ::), as in menus and footers; lines of at most 40 words that begin with a copyright
sign; and segments without any letter or digit. They need no training and work in every language. Items are
short if they have at most five words each on average; a single separator makes a menu only before a single
item.
"""

from ncleaner.document import Document
from ncleaner.document.kept import Kept, Remarks
from ncleaner.methods._forms import removed_forms


class Everything:
    """Keeps every visible segment."""

    name = "everything"

    def keep(self, document: Document) -> Kept:
        """Keeps all visible segments."""
        return Kept(document.readable)


def kept_whole(document: Document) -> Kept:
    """Keeps a plain text as a whole, for methods that judge elements; the summary reports it."""
    return Kept(document.readable, remarks=Remarks(fallback=Everything.name))


class Heuristics:
    """Removes navigation and footer lines and keeps everything else."""

    name = "heuristics-only"

    def keep(self, document: Document) -> Kept:
        """Keeps all segments except menus, copyright lines and segments without letters or digits."""
        return Kept(~removed_forms(document.tables))
