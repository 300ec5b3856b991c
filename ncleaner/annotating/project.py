"""The directory of a project: pages, their labels by each person, and the clean texts that training reads.

`import_pages` fills it from archives.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Final

from ncleaner.annotating.labels import (
    PageLabels,
    gold_lines,
    letters_of_runs,
    read_labels,
    runs_of_letters,
    stored_labels,
    write_bytes,
    write_labels,
)
from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.errors import InputError, InUseError, OutputError, TrainingError, cannot_write
from ncleaner.methods.language import page_language
from ncleaner.page import Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input, is_page
from ncleaner.storage.local import LocalFolder
from ncleaner.text.charset import decode
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted
from ncleaner.training.annotations import (
    SUFFIX,
    labels_from_alignment,
    read_annotations,
    write_annotations,
)
from ncleaner.training.pairs import Pair, find_manifest, read_bytes, read_page, read_text, site_of

_NAME: Final = re.compile(r"[^\W_][\w.-]{0,39}")
_MARK: Final = b"\xef\xbb\xbf"
_RAW, _CLEAN, _LABELS, _OWN = "raw", "clean", "labels", ".annotating"


def check_name(name: str) -> str:
    """Returns the name of a person, which is the name of a directory.

    Raises:
        InputError: it cannot be one.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the name of an annotator: give up to 40 letters, digits, dots, hyphens and "
            "underscores, the first a letter or a digit"
        )
    return name


@dataclass(frozen=True, eq=False)
class Project:
    """A directory of pages to be cleaned by hand.

    Attributes:
        folder: the directory.
        pages: {id: path} of its pages, by id.
        urls: {id: URL}, of the pages whose URL is in the manifest.
        languages: {id: language}, likewise.
        encoding: WHATWG label of all pages; None: as they declare.
    """

    folder: Path
    pages: dict[str, Path]
    urls: dict[str, str] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)
    encoding: str | None = None

    @property
    def raw(self) -> Path:
        """The directory of the pages."""
        found = self.folder / _RAW
        return found if found.is_dir() else self.folder

    @property
    def clean(self) -> Path:
        """The directory of the clean texts."""
        return self.folder / _CLEAN

    def own(self, name: str) -> Path:
        """The directory of the program's other files for a person; it may be deleted."""
        return self.folder / _OWN / name

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Keeps a second program for the same person out of the directory.

        Raises:
            OutputError: there is one, or the directory cannot be written.
        """
        try:
            return LocalFolder(self.own(name)).log("lock")
        except InUseError:
            raise InUseError(
                f"another `ncleaner annotate` has {self.folder} open for the annotator {name}: use its page, "
                "end it first, or give another name with --annotator"
            ) from None

    def document(self, page: str) -> Document:
        """Reads a page. Raises TrainingError or InputError: it cannot be read."""
        return read_page(self.pages[page], self.encoding)

    def site(self, page: str) -> str:
        """Returns the registered domain of a page, by its URL or as the page states it; empty if unknown."""
        path, url = self.pages[page], self.urls.get(page, "")
        return site_of(url, None if path.suffix == ".txt" else read_bytes(path))

    # labels -----------------------------------------------------------------------------------------

    def people(self) -> list[str]:
        """Returns the names of all who have labels here."""
        folder = self.folder / _LABELS
        return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []

    def _path(self, name: str, page: str) -> Path:
        return self.folder / _LABELS / name / f"{page}.json"

    def labels(self, name: str, page: str, document: Document) -> PageLabels | None:
        """Returns the labels of a page by a person; None if there are none.

        Raises:
            TrainingError: their file is damaged, or belongs to another text.
        """
        return read_labels(self._path(name, page), document)

    def all_labels(self, page: str, people: Iterable[str] | None = None) -> dict[str, PageLabels]:
        """Returns {person: labels} of a page, without reading it. Raises TrainingError: a file is damaged."""
        paths = {name: self._path(name, page) for name in (self.people() if people is None else people)}
        return {name: stored_labels(path) for name, path in paths.items() if path.is_file()}

    def save(self, name: str, labels: PageLabels) -> None:
        """Writes the labels of a page by a person. Raises OutputError."""
        write_labels(self._path(name, labels.page), labels)

    # gold -------------------------------------------------------------------------------------------

    def has_gold(self, page: str) -> bool:
        """Tells whether there is a clean text of a page, or a file of Victor."""
        return self._text(page).is_file() or self._anno(page).is_file()

    def _text(self, page: str) -> Path:
        return self.clean / f"{page}.txt"

    def _anno(self, page: str) -> Path:
        return self.pages[page].with_suffix(SUFFIX)

    def given(self, page: str, document: Document) -> str | None:
        """Returns the labels that a page has from elsewhere: from its clean text if the page has not been
        finished here, or from a file of Victor beside it; None without one.

        Raises:
            TrainingError: the file is damaged, or belongs to another page.
        """
        if self._text(page).is_file():
            pair = Pair(page, document, read_text(self._text(page)))
            if pair.alignment.gold_words and pair.alignment.found < 0.5:
                raise TrainingError(
                    f"{self._text(page)} does not belong to the page {self.pages[page].name}: the page has "
                    f"{pair.alignment.found:.0%} of its words"
                )
            return letters_of_runs(document, labels_from_alignment(pair))
        if self._anno(page).is_file():
            path = self._anno(page)
            return letters_of_runs(document, read_annotations(read_bytes(path), path, document))
        return None

    def write_gold(self, name: str, page: str, document: Document, labels: PageLabels) -> bool:
        """Writes the clean text of a page that a person has finished; returns whether it was written.

        The labels of the person who settled the page go before all others; without them, those that were
        finished last.

        Raises:
            OutputError: it cannot be written.
        """
        others = self.all_labels(page, (other for other in self.people() if other != name))
        if not labels.settles and any(other.settles and other.done for other in others.values()):
            return False
        write_bytes(self._text(page), gold_lines(document, labels.labels).encode())
        return True

    def write_anno(self, page: str, document: Document, letters: str) -> Path:
        """Writes the labels of a page as a file of Victor beside it; returns its path. Raises OutputError."""
        path = self._anno(page)
        runs = runs_of_letters(document, letters)
        write_bytes(path, write_annotations(document, runs, self.pages[page].name))
        return path


def open_project(folder: Path, encoding: str | None = None) -> Project:
    """Opens a directory of pages: the pages in its directory `raw`, or without one in itself.

    Raises:
        InputError: it is not a directory, cannot be read, or holds no page; or the encoding is unknown.
        TrainingError: its manifest is damaged.
    """
    if encoding is not None:
        # raises for an unknown encoding
        dump_html(b"", encoding=encoding)
    raw = folder / _RAW if (folder / _RAW).is_dir() else folder
    pages: dict[str, Path] = {}
    try:
        files = sorted(path for path in raw.iterdir() if path.is_file() and path.name[0] != ".")
    except OSError as error:
        raise InputError(f"{raw}: {error.strerror}") from error
    for path in files:
        if is_page(path.name):
            other = pages.setdefault(path.stem, path)
            if other is not path:
                raise InputError(
                    f"{raw} has two pages named {path.stem}, {other.name} and {path.name}: rename one of them"
                )
    if not pages:
        raise InputError(f"{raw} holds no pages (.html, .htm, .txt)")
    told = find_manifest(raw)
    return Project(
        folder,
        pages,
        {name: entry["url"] for name, entry in told.items() if entry["url"]},
        {name: entry["language"] for name, entry in told.items() if entry["language"]},
        encoding,
    )


@dataclass(slots=True)
class Imported:
    """Result of an import.

    Attributes:
        found: number of pages in the inputs.
        written: number of pages in the project.
        notes: a sentence for each place of damage, and for pages that were given up.
    """

    found: int
    written: int
    notes: list[str]


def _pages_of(inputs: Sequence[Input], notes: list[str]) -> Iterator[Page]:
    for given in inputs:
        for item in read(given.path):
            if isinstance(item, Page):
                yield item
            elif isinstance(item, Skip):
                if item.lost:
                    notes.append(f"{item.url or given.path}: page given up: {item.reason}")
            else:
                notes.append(f"{given.path}: {item.what}")


def import_pages(inputs: Sequence[Input], folder: Path, most: int) -> Imported:
    """Writes pages of some inputs to `folder/raw`, and `folder/manifest.jsonl`.

    If there are more than `most` pages, each site gives one, then each gives a second one, and so on. The
    same inputs give the same pages. The inputs are read twice. `raw` appears when it is complete.

    Args:
        inputs: archives, pages and texts.
        folder: the directory of the project; it is made.
        most: largest number of pages.

    Raises:
        InputError: an input cannot be read, or there is no page.
        OutputError: the directory cannot be written.
    """
    notes: list[str] = []
    sites: defaultdict[str, list[int]] = defaultdict(list)
    found = 0
    for found, page in enumerate(_pages_of(inputs, notes), 1):
        sites[registered_domain(page.url) if "//" in page.url else ""].append(found)
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
        for number, page in enumerate(_pages_of(inputs, []), 1):
            if number not in chosen:
                continue
            line = _write_page(page, part, f"{len(lines) + 1:0{width}d}")
            if line:
                lines.append(line)
        if not lines:
            raise InputError(f"none of {counted(found, 'page')} has any text")
        write_bytes(folder / "manifest.jsonl", "".join(lines).encode())
        part.rename(folder / "raw")
    except OSError as error:
        raise cannot_write(folder, error) from error
    return Imported(found, len(lines), notes)


def copy_pages(source: Path, folder: Path) -> None:
    """Copies the pages of a directory to `folder/raw`, under their names, and its manifest.

    Raises:
        OutputError: the directory cannot be written, or a page cannot be read.
    """
    part, told = folder / "raw.part", source / "manifest.jsonl"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for path in source.iterdir():
            if is_page(path.name) and path.is_file():
                shutil.copyfile(path, part / path.name)
        if told.is_file():
            shutil.copyfile(told, folder / told.name)
        part.rename(folder / "raw")
    except OSError as error:
        raise OutputError(f"cannot copy the pages of {source} to {folder}: {error.strerror}") from error


def _write_page(page: Page, folder: Path, name: str) -> str:
    """Writes a page; returns its line of the manifest, or nothing for a page without text.

    Raises:
        InputError: the page is a stored document.
    """
    if page.kind == "document":
        raise InputError(f"{page.source}: has stored documents, and annotators see pages: give the archive")
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
        # only the server declared the encoding; a byte-order mark goes before what the page declares
        body = _MARK + utf8
    (folder / f"{name}{'.txt' if plain else '.html'}").write_bytes(body)
    entry = {"id": name, "url": page.url, "lang": page_language(document), "date": page.date}
    return json.dumps({key: value for key, value in entry.items() if value}, ensure_ascii=False) + "\n"
