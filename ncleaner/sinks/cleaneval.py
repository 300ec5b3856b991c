"""CleanEval's markup: each segment on a line that begins `<p>`, `<h>` or `<l>`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.base import Need, SinkOptions, Writable

__all__ = ["CleanEvalSink"]


class CleanEvalSink:
    """Documents of an archive are set off by `URL: …` lines; a page of its own has none."""

    suffix = ".txt"
    needs: frozenset[Need] = frozenset()

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        pass

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """A page that has no clean text keeps its URL line in an archive: the gold standard does."""
        table = document.segments
        rows = np.flatnonzero(kept.mask)
        lines = []
        if not single:
            name = page.url or page.record_id or f"offset:{page.offset}"
            # a URL with a line break in it is still one line
            lines.append(b"URL: " + " ".join(name.splitlines()).encode("utf-8", "replace"))
        for kind, start, end in table[["kind", "start", "end"]][rows].tolist():
            lines.append(b"<%c>%s" % (kind, document.data[start:end].replace(b"\n", b" ")))
        if not lines:
            return b""
        return b"\n".join(lines) + (b"\n" if single else b"\n\n")

    def wrapped(self, out: Writable) -> AbstractContextManager[Writable]:
        """The pages as they are."""
        return nullcontext(out)
