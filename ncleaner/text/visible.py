"""Text from outside for people's eyes: what a page, an archive or a file name contains acts on no terminal.

URLs, titles, media types, reasons, names of files and hosts come from crawls. A terminal obeys the control
characters in them: it would move the cursor, change the title of its window, or hide what is before.
Every message and table shows such a character as an escape sequence of Python (`\\x1b`, `\\u202e`) instead.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

# Controls (C0, DEL, C1), marks, embeddings, overrides and isolates that change the direction of text, their
# deprecated relatives, separators of lines and paragraphs, surrogates. All of them are unprintable for
# `str.isprintable`.
_ACTING: Final = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff"
_IN_FIELD: Final = re.compile(f"[{_ACTING}]")
_IN_LINES: Final = re.compile(rf"(?!\n)[{_ACTING}]")
_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_CUT: Final = "…"
# Operators of formulas without a sign: multiplication, the application of a function.
UNSEEN_OPERATORS = "\u2061\u2062\u2063\u2064\u200b"


def visible(text: object, most: int = 0) -> str:
    r"""Returns a text on one line, with control characters escaped.

    >>> visible("http://a.example/\x1b]0;title\x07\u202egnp.exe")
    'http://a.example/\\x1b]0;title\\x07\\u202egnp.exe'

    Args:
        text: from a crawl, a file system or a server; of any other object, its `str`.
        most: largest number of characters, of which the last one becomes an ellipsis; 0 for no bound.
    """
    given = text if isinstance(text, str) else str(text)
    if most and len(given) > most:
        given = given[: most - 1] + _CUT
    return given if given.isprintable() else _IN_FIELD.sub(_escaped, given)


def html_text(text: str) -> str:
    """Returns a text for an HTML page: nothing in it is markup, or changes the direction of the text around
    it."""
    # the help of the command line needs none
    from html import escape

    return escape(visible(text))


def visible_lines(text: str) -> str:
    """Returns a text of several lines, in which nothing but its line feeds acts on a terminal."""
    return text if text.isprintable() else _IN_LINES.sub(_escaped, text)


def json_text(value: Any) -> str:
    """Returns JSON with two spaces of indentation, with control characters escaped: a reader of JSON gets
    the same strings as without this."""
    # the help of the command line needs none
    import json

    return _IN_LINES.sub(_escaped_in_json, json.dumps(value, ensure_ascii=False, indent=2))


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        # a byte of a file name that is not UTF-8
        code -= 0xDC00
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _escaped_in_json(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


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


def joined(names: Sequence[str], most: int) -> str:
    """Returns the first names of a list, and an ellipsis if there are more than `most`.

    >>> joined(["a", "b", "c"], 2), joined(["a", "b"], 2)
    ('a, b, …', 'a, b')
    """
    return ", ".join([*names[:most], *[_CUT] * (len(names) > most)])
