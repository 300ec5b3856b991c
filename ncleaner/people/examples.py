"""Worked examples at the end of help pages; each command has its own. They are for the folder `examples` of a
checkout; tests run them there."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["EXAMPLES", "epilog"]

EXAMPLES = (
    ("Clean a crawl; the text goes to standard output:", "ncleaner clean crawl.warc.gz > corpus.txt"),
    ("Say what is installed, and whether all of it works:", "ncleaner doctor"),
)


def epilog(examples: Iterable[tuple[str, str]]) -> str:
    """Returns the end of a help page: what each example does, and its command line."""
    return "\n\n".join(["Examples:", *(f"  {what}\n\n    {line}" for what, line in examples)])
