"""The directory of a project: pages, their labels by each person, and the clean texts that training reads.

A label is one letter: `p`, `h`, `l` keep the segment as a paragraph, heading or list item; `c` keeps it as
the continuation of the kept segment before; `o` drops it. A segment without a label has a `.`. `import_pages`
fills a project from archives.
"""

import json
import math
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import numpy as np

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import InputError, InUseError, OutputError, TrainingError, cannot_write
from ncleaner.lab.training.annotations import (
    SUFFIX,
    Annotated,
    labels_from_alignment,
    read_annotations,
    write_annotations,
)
from ncleaner.lab.training.hybrid import pair_of
from ncleaner.lab.training.labels import CONTINUATION, LABELS, OTHER, Labels, gold_of
from ncleaner.lab.training.pairs import Pair, find_manifest, read_bytes, read_page, read_text, site_of
from ncleaner.methods.language import page_language
from ncleaner.page import Page, Skip
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input, is_page
from ncleaner.storage.local import LocalFolder, write_whole
from ncleaner.text.charset import decode
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted

#: Marks a segment without a label.
OPEN: Final = "."


@dataclass(frozen=True, slots=True)
class PageLabels:
    """The labels of one page by one person.

    Attributes:
        page: id of the page.
        labels: one letter for each segment, or `.`.
        digest: of the page's text as it was labelled; see `digest_of`.
        revision: number of changes that have been saved; 0 for an untouched page.
        done: the person has finished the page.
        seconds: time spent on the page, without pauses.
        changed: number of segments whose label differed from the guess when the page was finished.
        finished: time at which the page was finished, in UTC (`2026-05-01T10:00:00Z`); empty before.
        settles: the people between whose labels these decide; empty for a page that was not settled.
    """

    page: str
    labels: str
    digest: str
    revision: int = 0
    done: bool = False
    seconds: float = 0.0
    changed: int = 0
    finished: str = ""
    settles: tuple[str, ...] = ()

    def with_changes(self, changes: list[tuple[int, str]]) -> "PageLabels":
        """Returns the labels with some of them replaced, as the next revision."""
        letters = list(self.labels)
        for row, letter in changes:
            letters[row] = letter
        return replace(self, labels="".join(letters), revision=self.revision + 1)


def digest_of(document: Document) -> str:
    """Returns a hash of a page's segments: labels belong to a page whose text has the same hash."""
    return sha256(document.data).hexdigest()[:16]


def kinds_of(document: Document) -> str:
    """Returns the letter of each segment's kind in the page: `p`, `h` or `l`."""
    return bytes(document.segments["kind"]).decode("ascii")


def runs_of_letters(document: Document, letters: str) -> Labels:
    """Returns the labels of a page's runs, for a file of Victor: the first run of a kept segment has the
    letter of the segment, its other runs continue it."""
    runs, table = document.runs, document.segments
    of_segments = np.array([LABELS.index(letter) for letter in letters], np.uint8)
    labels: Labels = of_segments[runs["segment"]]
    later = np.arange(len(runs)) != table["first_run"][runs["segment"]]
    labels[later & (labels != OTHER)] = CONTINUATION
    return labels


def letters_of_runs(document: Document, labels: Labels) -> str:
    """Returns a letter for each segment from the labels of runs."""
    kept, kinds, continues = gold_of(document, labels)
    letters = np.where(continues, ord("c"), kinds).astype(np.uint8)
    letters[~kept] = ord("o")
    return letters.tobytes().decode("ascii")


def gold_lines(document: Document, letters: str) -> str:
    """Returns the clean text of a page in CleanEval's markup; empty if nothing is kept."""
    gold = pair_of(Annotated("", document, runs_of_letters(document, letters))).gold
    return f"{gold}\n" if gold else ""


def read_labels(path: Path, document: Document | None = None) -> PageLabels | None:
    """Reads the labels of a page; None if there is no file.

    Raises:
        TrainingError: the file is damaged, or belongs to another text than that of the document.
    """
    if not path.is_file():
        return None
    try:
        found: dict[str, Any] = json.loads(read_bytes(path))
        made = PageLabels(
            page=str(found["page"]), labels=str(found["labels"]), digest=str(found["digest"]),
            revision=int(found["revision"]), done=bool(found["done"]), seconds=float(found.get("seconds", 0)),
            changed=int(found.get("changed", 0)), finished=str(found.get("finished", "")),
            settles=tuple(map(str, found.get("settles", ()))),
        )  # fmt: skip
        if not math.isfinite(made.seconds):
            raise ValueError(f"seconds: {made.seconds}")
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise TrainingError(f"{path} is not a file of labels, or is damaged ({error!r})") from error
    wrong = sorted(set(made.labels) - set(LABELS) - {OPEN})
    if wrong:
        raise TrainingError(f"{path}: {wrong[0]!r} is not a label; the labels are {', '.join(LABELS)}")
    if made.done and OPEN in made.labels:
        raise TrainingError(f"{path}: the page is marked as done, but has segments without a label")
    if document is not None and (made.digest != digest_of(document) or len(made.labels) != len(document)):
        raise TrainingError(
            f"{path} has labels for {counted(len(made.labels), 'segment')} of another text: the page, or "
            f"the way in which its segments are found, has changed (now "
            f"{counted(len(document), 'segment')}); move the file away to label the page again"
        )
    return made


def changed_in(folder: Path) -> tuple[int, int]:
    """Returns how many pages people have finished in the directory of a project, and on how many of them they
    have changed a guess; 0 and 0 for another directory. Raises TrainingError: a file is damaged."""
    found = filter(None, map(read_labels, folder.glob(f"{_LABELS}/*/*.json")))
    done = [labels.changed > 0 for labels in found if labels.done]
    return len(done), sum(done)


def write_labels(path: Path, labels: PageLabels) -> None:
    """Writes the labels of a page; the file is replaced as a whole.

    Raises:
        OutputError: it cannot be written.
    """
    entry = asdict(labels) | {"seconds": round(labels.seconds, 1)}
    if not labels.settles:
        del entry["settles"]
    write_bytes(path, json.dumps(entry, ensure_ascii=False).encode() + b"\n")


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file as a whole, and makes the directory above it.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    write_whole(path, data)


# --------------------------------------------------------------------------------------------------
# The directory.

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
        names = self.people() if people is None else people
        found = {name: read_labels(self._path(name, page)) for name in names}
        return {name: labels for name, labels in found.items() if labels}

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
        folder, pages, {name: entry["url"] for name, entry in told.items() if entry["url"]},
        {name: entry["language"] for name, entry in told.items() if entry["language"]}, encoding,
    )  # fmt: skip


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
        # only the server declared the encoding; a byte-order mark goes before what the page declares
        body = _MARK + utf8
    (folder / f"{name}{'.txt' if plain else '.html'}").write_bytes(body)
    entry = {"id": name, "url": page.url, "lang": page_language(document), "date": page.date}
    return json.dumps({key: value for key, value in entry.items() if value}) + "\n"
