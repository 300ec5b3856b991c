"""Gold directories to compare on: their pages with their sites, and the convention of the gold texts."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ncleaner.errors import EvaluationError, InputError
from ncleaner.lab.scoring.measures import BagUnit, clusters_of
from ncleaner.lab.training.conventions import ZoneUse, conventions_of, wishes_of
from ncleaner.lab.training.pairs import Pair, PairSource, find_sources, read_bytes, read_text
from ncleaner.page import Page
from ncleaner.text.words import UNSPACED

# An element <text id="URL" …> around each page of CleanEval. No tool can know it, and some take a page that
# does not begin like one for something else.
_WRAPPING = re.compile(rb"\A\s*<text\b[^>]*>\s*|</text>\s*\Z", re.IGNORECASE)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(r"\w")
# share of the letters from which on a text is in a script that does not separate words
_MOSTLY = 0.5


@dataclass(frozen=True, slots=True)
class GoldPage:
    """A page with a gold text, which are read when they are needed.

    Attributes:
        source: where they are, and what the manifest says.
        site: registered domain; empty if unknown.
        unit: what the bag measure counts on this page.
        unwrap: take off the element `<text>` around the page.
    """

    source: PairSource
    site: str
    unit: BagUnit
    unwrap: bool = False

    @property
    def name(self) -> str:
        """Name of the page."""
        return self.source.name

    def page(self) -> Page:
        """Reads the page. Raises TrainingError: it cannot be read."""
        body = read_bytes(self.source.raw)
        if self.unwrap:
            body = _WRAPPING.sub(b"", body)
        return Page(body, self.source.url, kind="text" if self.source.is_text else "html")

    def gold(self) -> bytes:
        """Reads the gold text, UTF-8. Raises TrainingError: it cannot be read."""
        return read_bytes(self.source.clean)


@dataclass(frozen=True)
class GoldSet:
    """The pages of a gold directory.

    Attributes:
        name: name of the directory.
        pages: those to compare on, by name.
        convention: what the gold texts contain, from all pages of the directory; None if that was not asked.
        pairs: all pages of the directory, dumped, for training; empty if they were not asked for.
    """

    name: str
    pages: tuple[GoldPage, ...]
    convention: Mapping[str, ZoneUse] | None = None
    pairs: tuple[Pair, ...] = ()

    @property
    def wishes(self) -> dict[str, bool]:
        """Options of a recipe that follows the convention."""
        return {} if self.convention is None else wishes_of(self.convention)

    @property
    def clusters(self) -> list[str]:
        """The site of each page; a page of an unknown site is a site of its own."""
        return clusters_of(page.site for page in self.pages)


def read_gold(
    folder: Path | None = None,
    *,
    raw: Path | None = None,
    clean: Path | None = None,
    limit: int | None = None,
    unwrap: bool = False,
    unit: BagUnit | None = None,
    convention: bool = True,
    pairs: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GoldSet:
    """Reads a gold directory, or a directory of pages and one of their cleaned text.

    Args:
        folder: has the directories `raw` and `clean`, and may have `manifest.jsonl`.
        raw, clean: the two directories, if they are not in one folder.
        limit: largest number of pages to compare on, at even distances.
        unwrap: take off the element `<text>` that is around each page of CleanEval.
        unit: what the bag measure counts; by default characters on pages whose gold text is mostly in scripts
            that do not separate words, and words on all others.
        convention: find out the convention of the gold texts, which takes a dump and an alignment of each
            page.
        pairs: keep the dumped pages, to train on them.
        progress: called with the number of pages done and of all pages.

    Raises:
        EvaluationError: the folder does not have these directories.
        TrainingError: as in `read_pairs`.
    """
    raw, clean = _directories(folder, raw, clean)
    sources = find_sources(raw, clean)
    sites: dict[str, str] = {}

    def dumped() -> Iterator[Pair]:
        for done, source in enumerate(sources, 1):
            # a page that is too large for ncleaner says nothing here; other tools may clean it
            with suppress(InputError):
                pair = source.pair()
                sites[pair.name] = pair.site
                yield pair
            progress(done, len(sources))

    kept = tuple(dumped()) if pairs else ()
    found = conventions_of(kept if pairs else dumped()) if convention else None
    if limit is not None and limit < len(sources):
        sources = [sources[i * len(sources) // limit] for i in range(limit)]
    pages = tuple(_page(source, sites.get(source.name), unit, unwrap) for source in sources)
    return GoldSet((folder or raw).resolve().name, pages, found, kept)


def _directories(folder: Path | None, raw: Path | None, clean: Path | None) -> tuple[Path, Path]:
    """Returns the directories of the pages and of their text. Raises EvaluationError: they are missing."""
    if folder is not None:
        raw, clean = folder / "raw", folder / "clean"
        if not (raw.is_dir() and clean.is_dir()):
            raise EvaluationError(
                f"{folder} is not a gold directory: it needs the directories `raw` (pages) and `clean` "
                "(their text); --raw and --clean name two others"
            )
    if raw is None or clean is None:
        raise EvaluationError("give gold directories, or a directory of pages and one of their text")
    return raw, clean


def _page(source: PairSource, site: str | None, unit: BagUnit | None, unwrap: bool) -> GoldPage:
    gold = read_text(source.clean)
    if site is None:
        site = source.site(gold, read_bytes(source.raw))
    return GoldPage(source, site, unit or unit_of([gold]), unwrap)


def unit_of(texts: Iterable[str]) -> BagUnit:
    """Returns what the bag measure counts of gold texts: characters if most of their letters are in scripts
    that do not separate words."""
    unspaced = letters = 0
    for text in texts:
        unspaced += len(_UNSPACED.findall(text))
        letters += len(_WORD.findall(text))
    return "char" if unspaced and unspaced >= _MOSTLY * letters else "word"
