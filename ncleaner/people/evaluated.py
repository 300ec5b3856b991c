"""What `evaluate` measures: pages that it cleans first, the sites they are of, and views of the worst of
them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from ncleaner.errors import EvaluationError, NcleanerError
from ncleaner.explaining.against import with_gold
from ncleaner.explaining.explain import explain
from ncleaner.people.streams import tell_error
from ncleaner.reading.archive import read
from ncleaner.sinks.choice import Output
from ncleaner.text.hosts import registered_domain
from ncleaner.training.alignment import address, align
from ncleaner.training.pairs import Pair, read_manifest, read_text

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.explaining.explain import Explanation
    from ncleaner.page import Page

__all__ = ["cleaned", "sites_beside", "view_of"]

Progress = Callable[[int, int], None]
# files beside pages that are none
_NOT_PAGES = {".json", ".jsonl"}


@contextmanager
def cleaned(pages: Path, gold: Path, cleaner: Cleaner, progress: Progress) -> Iterator[tuple[Path, Path]]:
    """Cleans pages and gives a directory of their text, in CleanEval's format, for as long as it is needed;
    and the gold texts to compare with it.

    A page that is given up, or cannot be read, has no text, and a message says so.

    Args:
        pages: a directory of pages, or one page.
        gold: a directory of gold texts, or one of them.
        cleaner: what cleans them.
        progress: called with the number of pages done and of all pages.

    Raises:
        EvaluationError: there is no such page or directory, or none of the pages has a gold text.
    """
    files = _pages(pages, gold)
    sink = Output(format="cleaneval").sink()
    with TemporaryDirectory(prefix="ncleaner-") as made:
        folder = Path(made)
        for done, (name, path) in enumerate(sorted(files.items()), 1):
            target = folder / f"{name}.txt"
            target.parent.mkdir(parents=True, exist_ok=True)
            text = b""
            try:
                page = _first_page(path)
                if page is not None:
                    document, kept = cleaner.page(page)
                    text = sink.render(page, document, kept, True)
            except NcleanerError as error:
                tell_error(f"{path}: {error}")
            target.write_bytes(text)
            progress(done, len(files))
        yield (folder / f"{next(iter(files))}.txt" if pages.is_file() else folder), gold


def _pages(pages: Path, gold: Path) -> dict[str, Path]:
    """Returns {relative name without suffix: path} of the pages with a gold text."""
    if not pages.exists():
        raise EvaluationError(f"There is no directory {pages}.")
    if pages.is_file():
        return {pages.stem: pages}
    names = {path.relative_to(gold).with_suffix("") for path in gold.rglob("*")} if gold.is_dir() else set()
    found: dict[str, Path] = {}
    for path in sorted(pages.rglob("*")):
        inner = path.relative_to(pages)
        hidden = any(part.startswith(".") for part in inner.parts)
        if hidden or path.suffix in _NOT_PAGES or not path.is_file():
            continue
        if inner.with_suffix("") in names:
            found.setdefault(inner.with_suffix("").as_posix(), path)
    if not found:
        raise EvaluationError(
            f"No page in {pages} has a gold text in {gold}: they match by name without the suffix, page.html "
            "with page.txt."
        )
    return found


def _first_page(path: Path) -> Page | None:
    from ncleaner.page import Page

    return next((item for item in read(str(path)) if isinstance(item, Page)), None)


def sites_beside(gold: Path) -> dict[str, str]:
    """Returns {name without suffix: registered domain} of gold texts whose pages are not known: from a
    manifest beside them, or from their first line `URL: …`; empty for a single file."""
    if not gold.is_dir():
        return {}
    told = read_manifest(gold, None)
    sites = {}
    for path in sorted(gold.rglob("*")):
        if not path.is_file() or path.suffix in _NOT_PAGES:
            continue
        name = path.relative_to(gold).with_suffix("").as_posix()
        url = told.get(path.stem, ("", ""))[0]
        try:
            url = url or address(read_text(path))
        except NcleanerError:
            # the comparison is of bytes, and needs no UTF-8
            url = ""
        sites[name] = registered_domain(url) if url else ""
    return sites


def view_of(pair: Pair, predicted: str, cleaner: Cleaner | None) -> Explanation:
    """Returns what is known of a page and its cleaned text, against its gold text.

    Args:
        pair: the page.
        predicted: its cleaned text.
        cleaner: what has cleaned it; None if it is not known: then a segment is taken for kept if the cleaned
            text has at least half of its words.
    """
    if cleaner is not None:
        explanation = explain(pair.document, cleaner)
    else:
        from ncleaner.document.kept import Kept

        mask = np.asarray(align(pair.document, predicted).clean, bool)
        explanation = explain(pair.document, kept=Kept(mask))
    return with_gold(explanation, pair.gold, pair.name)
