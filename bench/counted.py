"""The loop whose instructions are counted: steps over pages that are made up and the example pages.

    python -m bench.counted ROUNDS STEP [STEP ...]

Before each step of each round, and after the last one, it calls `getpgid`: then Callgrind writes down what
it has counted since the call before. What the steps need is loaded before the first one.
"""

from __future__ import annotations

import gc
import hashlib
import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from selectolax.lexbor import LexborHTMLParser

from bench.archives import write_pages
from bench.pages import KINDS, LANGUAGES, page, paragraphs
from bench.texts import as_lynx
from ncleaner.cleaner import Cleaner
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.page import Page
from ncleaner.reading.archive import read
from ncleaner.sinks.formats import Output

__all__ = ["STEPS", "digest", "html_pages", "steps"]

EXAMPLES = Path(__file__).parent.parent / "examples" / "pages"
#: What is counted; `parse` is selectolax alone, and the measure of the others.
STEPS = ("parse", "reading", "html", "ngram", "hybrid", "jsonl", "text")
_SIZES = (1_500, 4_000, 9_000, 16_000, 25_000, 40_000)
# Rounds before anything is counted: the second one still fills what is kept from page to page.
_WARM_UP = 2


def html_pages() -> list[bytes]:
    """Returns the example pages, and thirty that are made up, in six sizes and five languages."""
    made = [
        page(size, language, KINDS[(column + row) % len(KINDS)], row)
        for row, size in enumerate(_SIZES)
        for column, language in enumerate(LANGUAGES)
    ]
    return [file.read_bytes() for file in sorted(EXAMPLES.glob("*.html"))] + made


def _texts() -> list[bytes]:
    """Returns texts of 12 kB in five languages: wrapped as by Lynx, and with a paragraph on each line."""
    found = []
    for language in LANGUAGES:
        text = paragraphs(12_000, language)
        found += [as_lynx(text), "\n".join(text).encode()]
    return found


def digest() -> str:
    """Returns a digest of all that the steps read."""
    return hashlib.sha256(b"\0".join([*html_pages(), *_texts()])).hexdigest()[:16]


def steps(folder: Path) -> dict[str, Callable[[], object]]:
    """Returns {name of a step: what runs it}; an archive is written to the folder."""
    bodies = html_pages()
    archive = folder / "pages.warc.gz"
    write_pages(archive, bodies)
    stored = archive.read_bytes()
    texts = _texts()
    # most pages are records, which have an id
    pages = [Page(body, record_id=f"urn:x:{number}") for number, body in enumerate(bodies)]
    hybrid, ngram, sink = Cleaner("hybrid"), Cleaner("ngram"), Output(format="jsonl").sink()
    documents = [dump_html(body) for body in bodies]
    kept = [hybrid.keep(document) for document in documents]

    return {
        "parse": lambda: [LexborHTMLParser(body) and None for body in bodies],
        "reading": lambda: [None for _ in read(BytesIO(stored))],
        "html": lambda: [dump_html(body) and None for body in bodies],
        "ngram": lambda: [ngram.keep(document) and None for document in documents],
        "hybrid": lambda: [hybrid.keep(document) and None for document in documents],
        "jsonl": lambda: [
            sink.render(*parts, False) and None for parts in zip(pages, documents, kept, strict=True)
        ],
        "text": lambda: [dump_text(text) and None for text in texts],
    }


def main(rounds: int, names: list[str]) -> None:
    """Runs the steps, between calls of `getpgid`."""
    with TemporaryDirectory() as folder:
        found = steps(Path(folder))
    for _ in range(_WARM_UP):
        for name in names:
            found[name]()
    gc.collect()
    # a collection would fall into the step in which enough objects have been made
    gc.disable()
    for _ in range(rounds):
        for name in names:
            os.getpgid(0)
            found[name]()
    os.getpgid(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
