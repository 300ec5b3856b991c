"""The parts of HTML pages that load no other file: their head, and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ncleaner.errors import OutputError
from ncleaner.storage.whole import atomic_file
from ncleaner.text.visible import html_text

__all__ = ["html_head", "html_table", "html_text", "write_page"]

_STYLE = """
:root { color-scheme: light dark; --text: #222; --back: #fff; --head: #f2f2f2; --line: #ddd; --soft: #666;
  --ink: #2f6db5 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e8e8e8; --back: #16181b; --head: #2a2e33; --line: #3a3f45; --soft: #aaa; --ink: #6ea8ee }
  a { color: #8ab4ff } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 72rem; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.2rem }
table { border-collapse: collapse; font-size: 13px } th { text-align: left; background: var(--head) }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top }
.wide { overflow-x: auto }
td.n { text-align: right; font-variant-numeric: tabular-nums } td.u { word-break: break-all }
"""


def write_page(path: Path, text: str) -> None:
    """Writes a page, whole or not at all. Raises OutputError: it cannot be written."""
    try:
        with atomic_file(path) as out:
            out.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error


def html_head(title: str, style: str = "") -> str:
    """Returns the beginning of a page, up to its headline; `style`: rules that only this page needs."""
    return (
        "<!doctype html>\n<html lang=en><meta charset=utf-8>"
        f"<title>ncleaner: {html_text(title)}</title><meta name=viewport content='width=device-width'>"
        f"<style>{_STYLE}{style}</style>\n<main><h1>{html_text(title)}</h1>"
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table; a cell that is a number stands at the right edge."""
    titles = "<tr>" + "".join(f"<th>{html_text(name)}</th>" for name in head) + "</tr>" if any(head) else ""
    body = "".join("<tr>" + "".join(_cell(value) for value in row) + "</tr>" for row in rows)
    return f"<table>{titles}{body}</table>\n"


def _cell(value: str) -> str:
    number = value.replace(",", "").replace(".", "").isdigit()
    kind = " class=n" if number else " class=u" if "://" in value else ""
    return f"<td{kind}>{html_text(value)}</td>"
