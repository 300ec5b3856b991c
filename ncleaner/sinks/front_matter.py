"""Front matter: what a page says of itself, as YAML before its Markdown."""

from __future__ import annotations

import re

import orjson

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.jsonl import metadata_to_write
from ncleaner.sinks.metadata import replace_surrogates

__all__ = ["front_matter_of"]

# A JSON value is YAML, but for these characters: YAML 1.1 takes some for ends of lines and refuses others.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter_of(page: Page, document: Document, kept: Kept) -> bytes:
    """Returns a block of YAML between two lines `---`, with a line end.

    Keys: url, the fields of `Metadata`, date (of the capture), language and page_kind; without those that are
    unknown. Their values are strings, and a list of strings for authors, in double quotes: whatever a page
    writes there stays a string.

    Args:
        page: the captured page.
        document: its text dump, with facts.
        kept: the remarks of the method.
    """
    values = {
        "url": replace_surrogates(page.url),
        **metadata_to_write(page, document),
        "date": replace_surrogates(page.date),
        "language": kept.remarks.language,
        "page_kind": kept.kind,
    }
    lines = "".join(f"{name}: {_yaml(value)}\n" for name, value in values.items() if value)
    return f"---\n{lines}---\n".encode()


def _yaml(value: object) -> str:
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())
