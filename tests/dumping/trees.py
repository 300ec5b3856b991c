"""What the walk finds in a tree that a test has parsed."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import walk


def words_of(parser: LexborHTMLParser) -> list[str]:
    """Returns the words of the segments."""
    builder = Builder(1000)
    walk(parser, builder)
    return builder.dumped().decode().split()
