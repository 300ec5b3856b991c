"""Training pages whose clean text is fenced by HTML comments, as many templates write them.

Pal (2009) takes his labels from such comments, and search engines have defined some of their own
(`googleoff`, `googleon`). What a page has between the comments becomes its gold text; everything else follows
from that, as with gold text that people have written.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

from ncleaner.document.html import dump_html
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.text.charset import decode
from ncleaner.text.counted import counted
from ncleaner.training.pairs import Pair, pages_of, read_bytes, read_manifest, site_of

__all__ = ["fenced", "read_fenced"]

# `<!-->` and `<!--->` are whole comments
_COMMENT = re.compile(rb"<!--(?:-?>|(.*?)(?:-->|--!>|\Z))", re.DOTALL)


def fenced(html: bytes, begin: str, end: str, encoding: str | None = None) -> str | None:
    """Returns the text of a page between comments, one segment on each line; None without a comment that
    begins.

    Args:
        html: the page as served.
        begin, end: what a comment contains that begins the content, or ends it. Content can begin more than
            once; it ends with the page at the latest.
        encoding: WHATWG label, if it is known.
    """
    page, _ = decode(html, "", encoding)
    parts: list[bytes] = []
    since: int | None = None
    found = False
    for comment in _COMMENT.finditer(page):
        said = comment[1] or b""
        if end.encode() in said and since is not None:
            parts.append(page[since : comment.start()])
            since = None
        elif begin.encode() in said and since is None:
            since, found = comment.end(), True
    if since is not None:
        parts.append(page[since:])
    # a rule sets the parts apart, and has no text
    return dump_html(b"<hr>".join(parts).decode("utf-8", "replace")).text if found else None


def read_fenced(
    raw: str | Path,
    begin: str,
    end: str,
    *,
    encoding: str | None = None,
    manifest: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Reads the pages of a directory, with what comments fence as their gold text.

    Args:
        raw: HTML pages.
        begin, end: see `fenced`.
        encoding, manifest, progress: see `read_pairs`.

    Warns:
        TrainingWarning: pages without such a comment; they are left out.

    Raises:
        TrainingError: the directory is missing, a file cannot be read, or no page has such a comment.
    """
    pages = pages_of(Path(raw))
    told = read_manifest(Path(raw), manifest)
    pairs, without = [], []
    for position, (stem, path) in enumerate(sorted(pages.items())):
        body = read_bytes(path)
        gold = fenced(body, begin, end, encoding)
        if gold is None:
            without.append(stem)
        else:
            url, kind = told.get(stem, ("", ""))
            document = dump_html(body, encoding=encoding)
            pairs.append(Pair(stem, document, gold, site_of(url, body), kind))
        if progress is not None:
            progress(position + 1, len(pages))
    if not pairs:
        raise TrainingError(f"no page of {raw} ({counted(len(pages), 'file')}) has a comment with {begin!r}")
    if without:
        have, are = ("has", "is") if len(without) == 1 else ("have", "are")
        shown = ", ".join(without[:10]) + (" …" if len(without) > 10 else "")
        warnings.warn(
            f"{len(without):,} of {counted(len(pages), 'page')} {have} no comment with {begin!r} and "
            f"{are} left out: {shown}",
            TrainingWarning,
            stacklevel=2,
        )
    return pairs
