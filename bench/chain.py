"""How much of a text is left after the filters of datatrove, each of which gets what the one before keeps.

    python -m bench.chain GOLD_DIR [--step 5]

GOLD_DIR holds raw/ID.html; every fifth page counts by default. Prints pages and characters after Gopher's
repetition, Gopher's quality, C4 and FineWeb, with their default thresholds and the words of spaCy; as in the
pipeline of FineWeb, C4 takes lines without final punctuation. It drops other lines, so kept pages may lose
characters. Needs datatrove, spaCy and trafilatura.
"""

from __future__ import annotations

import warnings
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

import ncleaner

FILTERS = {
    "Gopher, repetition": GopherRepetitionFilter(),
    "Gopher, quality": GopherQualityFilter(),
    "C4": C4QualityFilter(filter_no_terminal_punct=False),
    "FineWeb": FineWebQualityFilter(),
}


def as_trafilatura(html: bytes) -> str:
    """Text of trafilatura; empty if it finds none."""
    from trafilatura import extract

    return extract(html) or ""


def cleaners() -> dict[str, Callable[[bytes], str]]:
    """Returns what makes text of pages, by name."""
    return {
        "ncleaner": ncleaner.Cleaner().clean,
        "trafilatura": as_trafilatura,
        "`-m everything`": ncleaner.Cleaner("everything").clean,
    }


def kept_after(texts: list[str]) -> list[tuple[int, int]]:
    """Returns (pages, characters) with some text, and after each filter."""
    documents = [Document(text=text, id="") for text in texts if text]
    found = [(len(documents), sum(map(len, texts)))]
    for step in FILTERS.values():
        documents = [each for each in documents if step.filter(each) is True]
        found.append((len(documents), sum(len(each.text) for each in documents)))
    return found


def main() -> None:
    """Prints a table."""
    warnings.simplefilter("ignore")
    parser = ArgumentParser(prog="python -m bench.chain")
    parser.add_argument("gold", type=Path)
    parser.add_argument("--step", type=int, default=5)
    asked = parser.parse_args()
    pages = [path.read_bytes() for path in sorted((asked.gold / "raw").glob("*.html"))[:: asked.step]]
    print(f"{asked.gold.name}: {len(pages)} pages; pages and thousands of characters with text, and after\n")
    print("|", " | ".join(("text of", "some text", *FILTERS)), "|")
    print("|---" * (len(FILTERS) + 2) + "|")
    for name, clean in cleaners().items():
        found = kept_after([clean(page) for page in pages])
        print("|", " | ".join((name, *(f"{count}, {chars / 1000:,.0f}" for count, chars in found))), "|")


if __name__ == "__main__":
    main()
