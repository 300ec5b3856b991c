"""Training data from disk: pages, their cleaned text, and the sites they come from; and folds for
cross-validation with no site in two of them.

A model that has seen other pages of a site knows the site's menus: a split with a site on both sides
overstates accuracy by several points. A site is a registered domain (`text.hosts`), or given by the user.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ncleaner.arguments import check_choice, check_is, check_path
from ncleaner.document import Document
from ncleaner.document.html import dump_html, parse
from ncleaner.document.kept import KINDS
from ncleaner.document.plain import dump_text
from ncleaner.errors import TrainingError
from ncleaner.page import LAYOUT_CHOICES
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted
from ncleaner.training.alignment import Alignment, address, align, gold_document

__all__ = [
    "Pair",
    "Source",
    "count_sites",
    "find_manifest",
    "find_sources",
    "folds",
    "known_kind",
    "pages_of",
    "read_bytes",
    "read_page",
    "read_pairs",
    "read_text",
    "read_texts",
    "site_notes",
    "site_of",
    "sites_of_names",
    "with_sites",
]

# places where a page states its address, the most reliable first
_ADDRESSES = (
    ('link[rel="canonical"]', "href"),
    ('meta[property="og:url"]', "content"),
    ("base[href]", "href"),
)

# With fewer sites, a standard error says little.
_FEW_SITES = 5
# A smaller share of pages of unknown sites changes no figure.
_FEW_UNKNOWN = 0.1


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

    def labelled(self, alignment: Alignment) -> Pair:
        """Returns the page with labels from elsewhere, in place of those by its gold text."""
        made = replace(self)
        made.__dict__["alignment"] = alignment
        return made


@dataclass(frozen=True, slots=True)
class Source:
    """The places of a page and its gold text, and the manifest's entry of the page.

    Attributes:
        name: name of both files, without suffix.
        raw, clean: the page, HTML or a text dump with the suffix `.txt`, and its gold text.
        url, language, page_type: from the manifest (`url`, `lang`, `page_type`); empty if unknown.
    """

    name: str
    raw: Path
    clean: Path
    url: str = ""
    language: str = ""
    page_type: str = ""

    @property
    def is_text(self) -> bool:
        """The page is a text dump."""
        return self.raw.suffix == ".txt"

    def site(self, gold: str, body: bytes) -> str:
        """Returns the registered domain, from the URL, from the gold text or from the page; empty if
        unknown."""
        return site_of(self.url or address(gold), None if self.is_text else body)

    def pair(self, *, encoding: str | None = None, text: str = "auto") -> Pair:
        """Reads both files; `text` is the layout of a text dump, see `dump_text`.

        Raises:
            TrainingError: a file cannot be read, or the gold text is not UTF-8.
            InputError: the page is too large.
        """
        gold = read_text(self.clean)
        body = read_bytes(self.raw)
        document = _dumped(self.raw, body, encoding, text)
        return Pair(self.name, document, gold, self.site(gold, body), known_kind(self.page_type))


def known_kind(told: str) -> str:
    """Returns the kind of page that a manifest or a table tells; empty if it is none of `KINDS`."""
    return told if told in KINDS else ""


def pages_of(folder: Path) -> dict[str, Path]:
    """Returns {name without suffix: path} of the files of a directory. Raises TrainingError: it is not a
    directory."""
    if not folder.is_dir():
        raise TrainingError(f"{folder} is not a directory")
    return {path.stem: path for path in sorted(folder.iterdir()) if path.is_file() and path.name[0] != "."}


def _manifest(path: Path) -> dict[str, dict[str, str]]:
    """Returns {id: entry for `Source`} of a manifest with one JSON object per line."""
    found = {}
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry: dict[str, Any] = json.loads(line)
            found[str(entry["id"])] = {
                name: str(entry.get(key) or "")
                for name, key in (("url", "url"), ("language", "lang"), ("page_type", "page_type"))
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise TrainingError(
                f"{path}, line {number}: not a JSON object with `id` and `url` ({error})"
            ) from error
    return found


def find_manifest(raw: Path, manifest: str | Path | None = None) -> dict[str, dict[str, str]]:
    """Returns {name: {`url`, `language`, `page_type`: text, empty if unknown}} of the pages in a manifest, or
    in `manifest.jsonl` beside or inside the directory of pages; empty without one.

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
        parser = parse(page).parser
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


def read_page(path: str | Path, encoding: str | None = None) -> Document:
    """Returns the document of an HTML page, or of a text dump if the suffix is `.txt`.

    Raises:
        TrainingError: the file cannot be read.
        InputError: the encoding is unknown.
    """
    path = Path(path)
    return _dumped(path, read_bytes(path), encoding)


def _dumped(path: Path, body: bytes, encoding: str | None, text: str = "auto") -> Document:
    if path.suffix == ".txt":
        return dump_text(body, encoding=encoding, layout=text)
    return dump_html(body, encoding=encoding)


def read_text(path: Path) -> str:
    """Reads a text file in UTF-8.

    Raises:
        TrainingError: it cannot be read, or is not UTF-8.
    """
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path} is not UTF-8 (byte {error.start}): convert it first") from error


def find_sources(raw: str | Path, clean: str | Path, *, manifest: str | Path | None = None) -> list[Source]:
    """Finds the pages of one directory whose cleaned text is in another, by name; reads only the manifest.

    Arguments and errors: as for `read_pairs`.
    """
    for name, value in (("raw", raw), ("clean", clean), ("manifest", manifest)):
        if value is not None or name != "manifest":
            check_path(name, value)
    raw, clean = Path(raw), Path(clean)
    pages, texts = pages_of(raw), pages_of(clean)
    common = sorted(pages.keys() & texts.keys())
    if not common:
        raise TrainingError(
            f"no file of {raw} ({counted(len(pages), 'file')}) has a counterpart of the same name "
            f"in {clean} ({counted(len(texts), 'file')}): they are matched by name without suffix, page.html "
            "with page.txt"
        )
    told = find_manifest(raw, manifest)
    return [Source(stem, pages[stem], texts[stem], **told.get(stem, {})) for stem in common]


def read_pairs(
    raw: str | Path,
    clean: str | Path,
    *,
    encoding: str | None = None,
    text: str = "auto",
    manifest: str | Path | None = None,
    site_from: str | None = None,
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
        text: the layout of text dumps: `lines`, `paragraphs`, `wrapped` or `auto`; see `Cleaner`.
        manifest: a file of JSON lines with `id` (the name without suffix) and `url`; by default
            `manifest.jsonl` beside or inside the raw directory, if there is one.
        site_from: a regular expression that finds the site in the name of a page, in its first group or as
            a whole; it goes before all other sources.
        progress: called with the number of pages done and of all pages.

    Raises:
        TypeError: an argument has another type.
        ValueError: the layout is unknown.
        TrainingError: a directory is missing, nothing matches, or a file cannot be read.
        InputError: the encoding is unknown.
    """
    if encoding is not None:
        check_is("encoding", encoding, str, "the name of an encoding")
        # raises for an unknown one
        dump_html(b"", encoding=encoding)
    check_choice("text", text, LAYOUT_CHOICES)
    sources = find_sources(raw, clean, manifest=manifest)
    pairs = []
    for done, source in enumerate(sources, 1):
        pairs.append(source.pair(encoding=encoding, text=text))
        if progress is not None:
            progress(done, len(sources))
    return pairs if site_from is None else with_sites(pairs, site_from)


def with_sites(pairs: Sequence[Pair], pattern: str) -> list[Pair]:
    """Returns pages with the sites that their names tell; others keep theirs. See `sites_of_names`."""
    found = sites_of_names([pair.name for pair in pairs], pattern)
    return [replace(pair, site=site or pair.site) for pair, site in zip(pairs, found, strict=True)]


def read_texts(paths: Iterable[Path]) -> list[Document]:
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


# Sites


def sites_of_names(names: Sequence[str], pattern: str) -> list[str]:
    """Returns the sites in the names of pages.

    Args:
        names: of the files, without suffix.
        pattern: a regular expression that is searched in each name; its first group is the site, or all of
            it without a group.

    Returns:
        The site of each page; empty where nothing is found.

    Raises:
        TrainingError: it is not a regular expression, or it matches no name.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise TrainingError(f"{pattern!r} is not a regular expression: {error}") from error
    matches = [compiled.search(name) for name in names]
    found = ["" if match is None else match[min(compiled.groups, 1)] or "" for match in matches]
    if not any(found):
        raise TrainingError(
            f"the regular expression {pattern!r} finds no site in the names of the pages, such as "
            f"{names[0] if names else '-'}"
        )
    return found


def site_notes(sites: Sequence[str]) -> list[str]:
    """Returns what makes cross-validated figures doubtful, in sentences: sites that are not known, that have
    most of the pages, or that are few."""
    notes = []
    known = Counter(filter(None, sites))
    unknown = len(sites) - known.total()
    if unknown > _FEW_UNKNOWN * len(sites) and len(sites) > 1:
        pages = "all pages" if unknown == len(sites) else f"{unknown:,} of {counted(len(sites), 'page')}"
        notes.append(
            f"the sites of {pages} are not known: each page counts as a separate site, and neighbours by "
            "name stay together in the cross-validation. If several are of one site, the figures are too "
            "good; a manifest with URLs (--manifest) or --site-from gives the sites"
        )
    largest, most = known.most_common(1)[0] if known else ("", 0)
    if len(known) > 1 and 2 * most > len(sites):
        notes.append(
            f"{largest} has {most:,} of {counted(len(sites), 'page')}: they are judged by a model of only "
            f"{len(sites) - most:,}, so that the figures are too low, and hold mostly for this site"
        )
    number = len(known) + unknown
    if 1 < number < _FEW_SITES:
        notes.append(f"the pages are of only {number} sites: standard errors say little about further ones")
    return notes


def count_sites(sites: Iterable[str]) -> int:
    """Returns the number of sites; a page without a known site (empty) counts as one of its own."""
    listed = list(sites)
    return len(set(filter(None, listed))) + sum(not site for site in listed)


def folds(sites: Sequence[str], k: int) -> list[list[int]]:
    """Divides pages into at most k folds of about equal size; no site is in two folds.

    The largest sites come first, each into the smallest fold; the result depends only on `sites`. Pages of
    unknown sites (empty) stay together with their neighbours in the list, since names are often sorted by
    site.

    Args:
        sites: the site of each page.
        k: number of folds, at least 2.

    Returns:
        Lists of page numbers, ascending, none empty: fewer than k where there are fewer sites.
    """
    homes: dict[str, list[int]] = {}
    unknown = [page for page, site in enumerate(sites) if not site]
    for page, site in enumerate(sites):
        if site:
            homes.setdefault(site, []).append(page)
    # pages of unknown sites: 2 k runs of neighbours, so that the folds fill evenly
    pieces = min(len(unknown), 2 * k)
    groups = list(homes.values()) + [
        unknown[len(unknown) * i // pieces : len(unknown) * (i + 1) // pieces] for i in range(pieces)
    ]
    groups.sort(key=lambda pages: (-len(pages), pages[0]))
    dealt: list[list[int]] = [[] for _ in range(min(k, len(groups)))]
    for pages in groups:
        min(dealt, key=len).extend(pages)
    return sorted(sorted(fold) for fold in dealt)
