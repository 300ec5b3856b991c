"""`ncleaner select`: `clean` for stored documents."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ncleaner.cli.commands.clean import command as clean

EXAMPLES = (
    ("Store the pages of an archive:", "ncleaner clean crawl.warc.gz -o crawl.documents.warc --metadata"),
    ("Cut a strict corpus from them:", "ncleaner select crawl.documents.warc --precision -o strict.jsonl"),
)


# an archive and its documents are cleaned alike, so every option is one of `clean`
@wraps(clean, assigned=["__annotations__"])
def command(**values: Any) -> None:
    """Clean stored documents again, with any options of `clean`."""
    clean(**values)
