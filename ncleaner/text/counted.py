"""Numbers with their nouns: `1 page`, `1,234 pages`."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, one: str, many: str = "") -> str:
    """Returns a number and what it counts.

    >>> counted(1, "page"), counted(1200, "page"), counted(0, "page is", "pages are")
    ('1 page', '1,200 pages', '0 pages are')

    Args:
        number: how many.
        one: the words for one.
        many: the words for any other number; those for one with an s by default.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
