"""Training data from disk: pages, their cleaned text, and the sites they come from."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from ncleaner.document import Document
from ncleaner.document._bound import bounded
from ncleaner.document.html import dump_html
from ncleaner.document.kept import KINDS
from ncleaner.document.plain import dump_text
from ncleaner.errors import TrainingError
from ncleaner.text.hosts import registered_domain
from ncleaner.training.alignment import Alignment, align
from ncleaner.training.gold import address, gold_document

__all__ = [
    "Pair",
    "pages_of",
    "read_bytes",
    "read_manifest",
    "read_pairs",
    "read_text",
    "read_texts",
    "site_of",
]

# where a page states its own address, most reliable first
_ADDRESSES = (
    ('link[rel="canonical"]', "href"),
    ('meta[property="og:url"]', "content"),
    ("base[href]", "href"),
)


@dataclass(frozen=True, eq=False)
class Pair:
    """A page and its gold text.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner()
    >>> page = cleaner.document("<ul><li>Home</ul><p>The ferry will sail until the end of May.</p>")
    >>> pair = ncleaner.Pair("ferry", page, gold="The ferry will sail until the end of May.")
    >>> pair.alignment.clean.tolist()
    [False, True]

    Attributes:
        name: for messages.
        document: the page.
        gold: its clean text, with or without CleanEval's markup.
        site: registered domain; empty if unknown.
        kind: kind of the page, one of `document.kept.KINDS`; empty if unknown.
    """

    name: str
    document: Document
    gold: str
    site: str = ""
    kind: str = ""

    @cached_property
    def alignment(self) -> Alignment:
        """Alignment of the page with its gold text."""
        return align(self.document, self.gold)


def pages_of(folder: Path) -> dict[str, Path]:
    """Returns {name without suffix: path} of the files of a directory. Raises TrainingError: it is none."""
    if not folder.is_dir():
        raise TrainingError(f"{folder} is not a directory")
    return {path.stem: path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}


def _manifest(path: Path) -> dict[str, tuple[str, str]]:
    """Returns {id: (URL, kind of page)} of a manifest with one JSON object per line."""
    found = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            kind = str(entry.get("page_type") or "")
            found[str(entry["id"])] = str(entry.get("url") or ""), kind if kind in KINDS else ""
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TrainingError(
                f"{path}, line {number}: not a JSON object with `id` and `url` ({error})"
            ) from error
    return found


def read_manifest(raw: Path, manifest: str | Path | None) -> dict[str, tuple[str, str]]:
    """Returns {name: (URL, kind of page)} from a manifest, or from `manifest.jsonl` beside or inside the
    directory of pages; empty without one.

    Raises:
        TrainingError: the manifest is missing or cannot be read.
    """
    if manifest is not None and not Path(manifest).is_file():
        raise TrainingError(f"there is no manifest {manifest}")
    for path in [Path(manifest)] if manifest else (raw / "manifest.jsonl", raw.parent / "manifest.jsonl"):
        if path.is_file():
            return _manifest(path)
    return {}


def site_of(url: str, page: bytes | None) -> str:
    """Returns the registered domain of a URL; if the URL is empty, of the address that the HTML page
    states."""
    if not url and page is not None:
        parser = LexborHTMLParser(bounded(page)[0])
        for selector, attribute in _ADDRESSES:
            node = parser.css_first(selector)
            if node is not None and "//" in (node.attributes.get(attribute) or ""):
                url = node.attributes[attribute] or ""
                break
    return registered_domain(url) if url else ""


def read_bytes(path: Path) -> bytes:
    """Reads the bytes of a file.

    Raises:
        TrainingError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise TrainingError(f"cannot read {path}: {error.strerror}") from error


def read_text(path: Path) -> str:
    """Reads a text file in UTF-8.

    Raises:
        TrainingError: it cannot be read, or is not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 (byte {error.start}): convert it first") from error


def read_pairs(
    raw: str | Path,
    clean: str | Path,
    *,
    encoding: str | None = None,
    manifest: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Reads pages of one directory and their cleaned text of another, matched by file name without suffix.

    The site of a page comes from the manifest, from a first line `URL: …` of its clean text, or from the
    address that the page states (canonical link, `og:url`, base).

    >>> import ncleaner
    >>> pairs = ncleaner.read_pairs("examples/pages", "examples/gold")
    >>> len(pairs), pairs[0].name
    (15, 'allotment-forum-thread')

    Args:
        raw: HTML pages, or text dumps with the suffix `.txt`.
        clean: text files in UTF-8, plain or with CleanEval's `<p>`, `<h>`, `<l>`.
        encoding: WHATWG label of the raw pages, if it is known.
        manifest: a file of JSON lines with `id` (the name without suffix) and `url`; by default
            `manifest.jsonl` beside or inside the raw directory, if there is one.
        progress: called with the number of pages done and of all pages.

    Raises:
        TrainingError: a directory is missing, nothing matches, or a file cannot be read.
    """
    raw, clean = Path(raw), Path(clean)
    pages, texts = pages_of(raw), pages_of(clean)
    common = sorted(pages.keys() & texts.keys())
    if not common:
        raise TrainingError(
            f"no file of {raw} ({len(pages)} files) has a counterpart of the same name in {clean} "
            f"({len(texts)} files): they are matched by name without suffix, page.html with page.txt"
        )
    told = read_manifest(raw, manifest)
    pairs = []
    for position, stem in enumerate(common):
        path = pages[stem]
        gold = read_text(texts[stem])
        body = read_bytes(path)
        is_text = path.suffix == ".txt"
        document = (dump_text if is_text else dump_html)(body, encoding=encoding)
        url, kind = told.get(stem, ("", ""))
        site = site_of(url or address(gold), None if is_text else body)
        pairs.append(Pair(stem, document, gold, site, kind))
        if progress is not None:
            progress(position + 1, len(common))
    return pairs


def read_texts(paths: list[Path]) -> list[Document]:
    """Reads documents that are completely clean or dirty: text files in UTF-8, or HTML files by their suffix.

    Raises:
        TrainingError: a file is missing, unreadable, or not UTF-8.
    """
    documents = []
    for path in paths:
        if path.suffix.lower() in (".html", ".htm", ".xhtml"):
            documents.append(dump_html(read_bytes(path)))
        else:
            documents.append(gold_document(read_text(path)))
    return documents
