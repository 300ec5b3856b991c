"""Gold texts: pages cleaned by a person, plain or with CleanEval's markup.

With markup the first line may be `URL:` and the page's address, and each segment begins with `<p>`, `<h>` or
`<l>`.
"""

from __future__ import annotations

import re

from ncleaner.document import Document
from ncleaner.document._document import Builder
from ncleaner.document.plain import dump_text

__all__ = ["address", "gold_document", "gold_pieces", "gold_text", "is_marked"]

_URL_LINE = re.compile(r"\A\s*URL:[^\S\n]*(\S*).*$", re.MULTILINE)
_MARK = re.compile(r"^[^\S\n]*<([phl])>[^\S\n]*", re.MULTILINE | re.IGNORECASE)


def address(gold: str) -> str:
    """Returns the address on the first line; empty without an address."""
    line = _URL_LINE.match(gold.removeprefix("\ufeff"))
    return line[1] if line else ""


def is_marked(gold: str) -> bool:
    """Tells whether the text has CleanEval's markup."""
    return _MARK.search(gold) is not None


def gold_pieces(gold: str) -> list[tuple[str, str]]:
    """Returns (kind, text) of the marked segments, without the address; text before the first mark is a
    `p`."""
    before, *rest = _MARK.split(_URL_LINE.sub("", gold.removeprefix("\ufeff")))
    return [("p", before), *((kind.lower(), text) for kind, text in zip(rest[::2], rest[1::2], strict=True))]


def gold_text(gold: str) -> str:
    """Returns the text without markup, with an empty line before each marked segment."""
    return "\n".join(text for _, text in gold_pieces(gold))


def gold_document(gold: str) -> Document:
    """Returns the segments of a gold text as a Document: by its markup, or by the layout of the text."""
    if not is_marked(gold):
        return dump_text(gold_text(gold))
    builder = Builder(len(gold))
    for kind, text in gold_pieces(gold):
        builder.segment(kind, text.encode("utf-8", "replace"))
    return Document(builder.tables())
