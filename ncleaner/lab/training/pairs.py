"""Training data from disk: pages, their cleaned text, and the sites they come from.

*Directories* have pages and texts of the same names.

*Rows* of JSON lines or Parquet have `html`, the page as text or bytes, and `clean`, its clean text, with or
without CleanEval's markup (`text` in its place does as well). They may have `url`, `id` and `page_type`, as a
manifest has them.

*Fences* are comments that many templates write around the text. Pal (2009) takes his labels from them, and
search engines have defined some of their own (`googleoff`, `googleon`). The part of a page between the
comments becomes its gold text.

A site is a registered domain (`text.hosts`), or given by the user.
"""

import codecs
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ncleaner.arguments import check_choice, check_is, check_path
from ncleaner.document import Document
from ncleaner.document.kept import KINDS
from ncleaner.dumping.html import dump_html, parse
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import NcleanerError, TrainingError, TrainingWarning
from ncleaner.lab.training.alignment import Alignment, address, align, gold_document
from ncleaner.page import LAYOUT_CHOICES, binary
from ncleaner.reading.cells import rows_in
from ncleaner.text.charset import decode
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted, joined

# places where a page states its address, the most reliable first
_ADDRESSES = (
    ('link[rel="canonical"]', "href"),
    ('meta[property="og:url"]', "content"),
    ("base[href]", "href"),
)

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# `<!-->` and `<!--->` are whole comments
_COMMENT = re.compile(rb"<!--(?:-?>|(.*?)(?:-->|--!>|\Z))", re.DOTALL)


# the beginning of a page; a text that is marked up by `<p>` is none
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|\?xml)\b", re.IGNORECASE | re.DOTALL
)
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
# suffixes that go before others where several files have the same name
_PAGES = (*HTML_SUFFIXES, ".txt")
_TEXTS = (".txt",)
# copies that editors keep
_COPY = "~"


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

    def labelled(self, alignment: Alignment) -> "Pair":
        """Returns the page with labels from elsewhere, in place of those by its gold text."""
        made = replace(self)
        made.__dict__["alignment"] = alignment
        return made


@dataclass(frozen=True, slots=True)
class PairSource:
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


def pages_of(folder: Path, suffixes: Sequence[str] = _PAGES) -> dict[str, Path]:
    """Returns {name without suffix: path} of the files of a directory.

    Of files with the same name, that with the first of `suffixes` counts.

    Raises:
        TrainingError: it is not a directory.
    """
    if not folder.is_dir():
        raise TrainingError(f"{folder} is not a directory")
    rank = {suffix: number for number, suffix in enumerate(suffixes)}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (rank.get(path.suffix.lower(), len(rank)), path)):
        if path.is_file() and path.name[0] != "." and not path.name.endswith(_COPY):
            found.setdefault(path.stem, path)
    return found


def _manifest(path: Path) -> dict[str, dict[str, str]]:
    """Returns {id: entry for `PairSource`} of a manifest with one JSON object per line."""
    found = {}
    for number, line in enumerate(read_bytes(path).decode("utf-8", "replace").split("\n"), 1):
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
    """Reads a text file in UTF-8, or in UTF-16 with a byte order mark.

    Raises:
        TrainingError: it cannot be read, or is in another encoding or format.
    """
    data = read_bytes(path)
    if found := binary(data):
        name = f" ({found.name})" if found.name else ""
        raise TrainingError(f"{path} is not plain text{name}: save it as plain text, in UTF-8")
    if _HTML.match(data):
        advice = "give its text; `ncleaner clean -m everything` writes it"
        raise TrainingError(f"{path} is an HTML page, not clean text: {advice}")
    try:
        return data.decode("utf-16" if data.startswith(_WIDE_MARKS) else "utf-8-sig")
    except UnicodeDecodeError as error:
        advice = how_to_convert(decode(data, html=False)[1])
        raise TrainingError(f"{path} is not UTF-8 (byte {error.start}): {advice}") from error


def how_to_convert(encoding: str) -> str:
    """Returns what to do about a text that seems to be in an encoding, and must be UTF-8."""
    return f"convert it first; if it is {encoding}, with `iconv -f {encoding} -t utf-8`"


def find_sources(
    raw: str | Path, clean: str | Path, *, manifest: str | Path | None = None
) -> list[PairSource]:
    """Finds the pages of one directory whose cleaned text is in another, by name; reads only the manifest.

    Arguments and errors: as for `read_pairs`.
    """
    for name, value in (("raw", raw), ("clean", clean), ("manifest", manifest)):
        if value is not None or name != "manifest":
            check_path(name, value)
    raw, clean = Path(raw), Path(clean)
    pages, texts = pages_of(raw), pages_of(clean, _TEXTS)
    common = sorted(pages.keys() & texts.keys())
    if not common:
        raise TrainingError(
            f"no file of {raw} ({counted(len(pages), 'file')}) has a counterpart of the same name "
            f"in {clean} ({counted(len(texts), 'file')}): they are matched by name without suffix, page.html "
            "with page.txt"
        )
    lost = [path.name for stem, path in texts.items() if stem not in pages and path.suffix.lower() in _TEXTS]
    if lost:
        warnings.warn(
            f"{counted(len(lost), 'text')} of {clean} without a page of the same name in {raw}: "
            f"{joined(sorted(lost), 5)}; page.txt is for page.html",
            TrainingWarning,
            stacklevel=2,
        )
    told = find_manifest(raw, manifest)
    return [PairSource(stem, pages[stem], texts[stem], **told.get(stem, {})) for stem in common]


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
        TrainingError: a directory is missing, nothing matches, or no page can be read.
        InputError: the encoding is unknown.

    Warns:
        TrainingWarning: a page or its text cannot be read, such as HTML in place of text; it is left out.
    """
    if encoding is not None:
        check_is("encoding", encoding, str, "the name of an encoding")
        # raises for an unknown one
        dump_html(b"", encoding=encoding)
    check_choice("text", text, LAYOUT_CHOICES)
    sources = find_sources(raw, clean, manifest=manifest)
    pairs, problems = [], []
    for done, source in enumerate(sources, 1):
        try:
            pairs.append(source.pair(encoding=encoding, text=text))
        except TrainingError as error:
            problems.append(str(error))
        if progress is not None:
            progress(done, len(sources))
    if problems:
        # several at once: they are mended together
        said = "; ".join(problems[:5]) + (f"; and {len(problems) - 5:,} more" if len(problems) > 5 else "")
        if not pairs:
            raise TrainingError(said)
        warnings.warn(f"{counted(len(problems), 'page')} left out: {said}", TrainingWarning, stacklevel=2)
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
        if path.suffix.lower() in HTML_SUFFIXES:
            documents.append(dump_html(read_bytes(path)))
        else:
            documents.append(gold_document(read_text(path)))
    return documents


# Rows and fences


def read_rows(
    path: str | Path, *, encoding: str | None = None, progress: Callable[[int, int], None] | None = None
) -> list[Pair]:
    """Reads pages with their clean text from a table; see `reading.cells.rows_in`.

    Each row has `html`, the page as text or bytes, and `clean`, its clean text, with or without CleanEval's
    markup; it may have `url`, `id` and `page_type`.

    >>> import json, pathlib, ncleaner
    >>> row = {"html": "<ul><li>Home</ul><p>The ferry sails.", "clean": "The ferry sails."}
    >>> _ = pathlib.Path("rows.jsonl").write_text(json.dumps(row))
    >>> ncleaner.read_rows("rows.jsonl")[0].alignment.clean.tolist()
    [False, True]

    Args:
        path: a table: Parquet, Arrow, JSON lines, CSV or TSV.
        encoding: WHATWG label of pages that are bytes, if it is known.
        progress: called with the number of rows read, twice.

    Raises:
        InputError: the file cannot be read, is no table, a row is broken, or a page is too large.
        TrainingError: there are no rows, or a row lacks a page or its clean text.
    """
    pairs = []
    for number, row in rows_in(path):
        pairs.append(_pair(row, number, f"{path}, row {number}", encoding))
        if progress is not None:
            progress(len(pairs), len(pairs))
    if not pairs:
        raise TrainingError(f"{path} has no rows")
    return pairs


def _pair(row: Mapping[str, Any], number: int, where: str, encoding: str | None) -> Pair:
    html, clean = row.get("html"), row.get("clean", row.get("text"))
    for name, value, kinds in (("html", html, (str, bytes)), ("clean", clean, (str,))):
        if value is None:
            raise TrainingError(
                f"{where}: no column {name!r}; a row has `html`, the page, and `clean`, its clean text, and "
                f"this one has {', '.join(map(repr, row)) or 'nothing'}"
            )
        if not isinstance(value, kinds):
            raise TrainingError(f"{where}: {name!r} is {type(value).__name__}, and must be text")
    assert html is not None and clean is not None
    try:
        document = dump_html(html, encoding=encoding)
    except NcleanerError as error:
        raise type(error)(f"{where}: {error}") from error
    url = str(row.get("url") or "")
    body = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
    return Pair(
        str(row.get("id") or number), document, clean, site_of(url or address(clean), body),
        known_kind(str(row.get("page_type") or "")),
    )  # fmt: skip


def fenced(html: bytes, begin: str, end: str, encoding: str | None = None) -> str | None:
    """Returns the text of a page between comments, one segment on each line; None without a comment that
    begins.

    Args:
        html: the page as served.
        begin, end: texts of the comments that begin the content, and end it. Content can begin more than
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
    raw: str | Path, begin: str, end: str, *, encoding: str | None = None, manifest: str | Path | None = None
) -> list[Pair]:
    """Reads the pages of a directory, with the text between comments as their gold text.

    Args:
        raw: HTML pages.
        begin, end: see `fenced`.
        encoding, manifest: see `read_pairs`.

    Warns:
        TrainingWarning: pages without such a comment; they are left out.

    Raises:
        TrainingError: the directory is missing, a file cannot be read, or no page has such a comment.
    """
    pages = pages_of(Path(raw))
    told = find_manifest(Path(raw), manifest)
    pairs, without = [], []
    for stem, path in sorted(pages.items()):
        body = read_bytes(path)
        gold = fenced(body, begin, end, encoding)
        if gold is None:
            without.append(stem)
        else:
            entry = told.get(stem, {"url": "", "page_type": ""})
            document = dump_html(body, encoding=encoding)
            site, kind = site_of(entry["url"], body), known_kind(entry["page_type"])
            pairs.append(Pair(stem, document, gold, site, kind))
    if not pairs:
        raise TrainingError(f"no page of {raw} ({counted(len(pages), 'file')}) has a comment with {begin!r}")
    if without:
        have, are = ("has", "is") if len(without) == 1 else ("have", "are")
        warnings.warn(
            f"{len(without):,} of {counted(len(pages), 'page')} {have} no comment with {begin!r} and "
            f"{are} left out: {joined(without, 10)}",
            TrainingWarning,
            stacklevel=2,
        )
    return pairs


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
