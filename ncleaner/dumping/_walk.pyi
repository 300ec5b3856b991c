from enum import IntEnum

from selectolax.lexbor import LexborHTMLParser

from ncleaner.dumping._builder import Builder

class Met(IntEnum):
    TEXT = 0
    ENTERED = 1
    LEFT = 2
    PASSED = 3
    APART = 4
    TOGETHER = 5
    READINGS = 6

def walk(
    parser: LexborHTMLParser,
    builder: Builder,
    alt_text: bool = False,
    readings: bool = True,
    met: bytearray | None = None,
    facts: list[tuple[str, str, str]] | None = None,
) -> tuple[bytes, bytes]: ...
