"""Pages of archives to the directory of a project: some of each site, with a manifest."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Final

from ncleaner.annotating.labels import write_bytes
from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.errors import InputError, OutputError
from ncleaner.methods.language import page_language
from ncleaner.page import Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input
from ncleaner.text.charset import decode
from ncleaner.text.counted import counted
from ncleaner.text.hosts import registered_domain

__all__ = ["Imported", "import_pages"]

_MARK: Final = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Imported:
    """What has been read.

    Attributes:
        found: number of pages in the inputs.
        written: number of pages in the project.
        notes: a sentence for each place of damage, and for pages that were given up.
    """

    found: int
    written: int
    notes: list[str]


def _items(inputs: Sequence[Input], notes: list[str]) -> Iterator[Page]:
    for given in inputs:
        for item in read(given.path):
            if isinstance(item, Page):
                yield item
            elif isinstance(item, Skip):
                if item.lost:
                    notes.append(f"{item.url or given.path}: page given up: {item.reason}")
            else:
                notes.append(f"{given.path}: {item.what}")


def import_pages(
    inputs: Sequence[Input],
    folder: Path,
    most: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Imported:
    """Writes pages of some inputs to `folder/raw`, and `folder/manifest.jsonl`.

    If there are more than `most` pages, each site gives one, then each gives a second one, and so on. The
    same inputs give the same pages. The inputs are read twice. `raw` appears when it is complete.

    Args:
        inputs: archives, pages and texts.
        folder: the directory of the project; it is made.
        most: largest number of pages.
        progress: called with the number of pages read so far.

    Raises:
        InputError: an input cannot be read, or there is no page.
        OutputError: the directory cannot be written.
    """
    notes: list[str] = []
    sites: defaultdict[str, list[int]] = defaultdict(list)
    found = 0
    for found, page in enumerate(_items(inputs, notes), 1):
        sites[registered_domain(page.url) if "//" in page.url else ""].append(found)
        progress(found)
    if not found:
        raise InputError(f"there is no page in {', '.join(given.path for given in inputs[:3])}")
    turns = (number for turn in zip_longest(*sites.values()) for number in turn if number is not None)
    chosen = {number for _, number in zip(range(most), turns, strict=False)}
    part = folder / "raw.part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        width = max(4, len(str(len(chosen))))
        lines: list[str] = []
        for number, page in enumerate(_items(inputs, []), 1):
            if number not in chosen:
                continue
            line = _write(page, part, f"{len(lines) + 1:0{width}d}")
            if line:
                lines.append(line)
        if not lines:
            raise InputError(f"none of {counted(found, 'page')} has any text")
        write_bytes(folder / "manifest.jsonl", "".join(lines).encode())
        part.rename(folder / "raw")
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror}") from error
    return Imported(found, len(lines), notes)


def _write(page: Page, folder: Path, name: str) -> str:
    """Writes a page; returns its line of the manifest, or nothing for a page without text."""
    plain = page.kind == "text"
    body = page.body
    try:
        document = (dump_text if plain else dump_html)(body, content_type=page.content_type)
    except InputError:
        return ""
    if not len(document):
        return ""
    utf8, encoding = decode(body, page.content_type, html=not plain)
    if decode(body, html=not plain)[1] != encoding:
        # only the server has told the encoding; a mark goes before what the page says
        body = _MARK + utf8
    (folder / f"{name}{'.txt' if plain else '.html'}").write_bytes(body)
    entry = {"id": name, "url": page.url, "lang": page_language(document), "date": page.date}
    return json.dumps({key: value for key, value in entry.items() if value}, ensure_ascii=False) + "\n"
