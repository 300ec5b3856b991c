"""The directory of a project: pages, their labels by each person, and the clean texts that training reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
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
from ncleaner.errors import InputError, OutputError, TrainingError
from ncleaner.reading.inputs import is_page
from ncleaner.storage.local import LocalFolder
from ncleaner.training.annotations import (
    SUFFIX,
    labels_from_alignment,
    read_annotations,
    read_page,
    write_annotations,
)
from ncleaner.training.pairs import Pair, find_manifest, read_bytes, read_text, site_of

__all__ = ["Project", "check_name", "open_project"]

_NAME: Final = re.compile(r"[^\W_][\w.-]{0,39}")
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
        urls: {id: URL}, of those whose URL the manifest tells.
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
        """The directory of what the program keeps for a person besides labels: it may be deleted."""
        return self.folder / _OWN / name

    def lock(self, name: str) -> AbstractContextManager[object]:
        """Keeps a second program for the same person out of the directory.

        Raises:
            OutputError: there is one, or the directory cannot be written.
        """
        try:
            return LocalFolder(self.own(name)).log("lock")
        except OutputError as error:
            if "another run" not in str(error):
                raise
            raise OutputError(
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

    def summary(self, name: str, page: str) -> PageLabels | None:
        """Returns the same without a look at the page. Raises TrainingError: the file is damaged."""
        path = self._path(name, page)
        return stored_labels(path) if path.is_file() else None

    def all_labels(self, page: str, people: Iterable[str] | None = None) -> dict[str, PageLabels]:
        """Returns {person: labels} of a page. Raises TrainingError: a file is damaged."""
        found = {name: self.summary(name, page) for name in (self.people() if people is None else people)}
        return {name: labels for name, labels in found.items() if labels is not None}

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
        """Returns the labels that a page has from elsewhere: from its clean text if nobody has finished the
        page here, or from a file of Victor beside it; None without one.

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

        The labels of whoever has settled the page go before all others; without them, those that were
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
    """Opens a directory of pages: those of its directory `raw`, or without one the pages in it.

    Raises:
        InputError: it is no directory, cannot be read, or holds no page; or there is no such encoding.
        TrainingError: its manifest is damaged.
    """
    if encoding is not None:
        # raises for an unknown one
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
