"""Documents with tables that a test has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ncleaner.document import Document


def with_tables(document: Document, **changed: Any) -> Document:
    """Returns a copy of a document with other tables; nothing checks that these fit together.

    Args:
        document: the document.
        changed: tables by their names: data, runs, segments, elements, marks, values.
    """
    names = ("data", "runs", "segments", "elements", "names", "tags_behind", "marks", "values")
    tables = type(document.tables)(*(changed.get(name, getattr(document, name)) for name in names))
    return replace(document, tables=tables)
