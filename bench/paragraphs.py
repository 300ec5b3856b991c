"""Repeated paragraphs: the sample of sequences that a survey knows, beside all sequences, as Onion has them.

First, the pages of gold sets as one crawl, in the order of their names. Then made paragraphs, of which a part
is copied from one before. Times are CPU time.

    python -m bench.paragraphs GOLD_DIR [GOLD_DIR ...]
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.plain import dump_text
from ncleaner.page import Page
from ncleaner.surveying.build import Builder
from ncleaner.surveying.duplicates import sequences_on
from ncleaner.surveying.signatures import signature_of
from ncleaner.surveying.survey import Contents, Survey
from ncleaner.text.words import UNSPACED, words_of

_WORDS, _SHARE = 7, 0.5

Cleaned = tuple[Page, Document, Kept]


def tokens_of(text: str) -> list[str]:
    """Returns words as a survey has them: what white space separates, without punctuation."""
    tokens: list[str] = []
    for chunk in text.split():
        parts = words_of(chunk)
        tokens += parts if re.search(f"[{UNSPACED}]", chunk) else filter(None, ["".join(parts)])
    return tokens


def exact_shares(paragraphs: Iterable[tuple[int, str]]) -> list[float]:
    """Returns the share of each paragraph's sequences that earlier pages have; NaN without a sequence.

    Args:
        paragraphs: (number of the page, text), in order.
    """
    first: dict[tuple[str, ...], int] = {}
    shares = []
    for page, text in paragraphs:
        words = tokens_of(text)
        sequences = [tuple(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1)]
        seen = [first.setdefault(each, page) < page for each in sequences]
        shares.append(sum(seen) / len(seen) if seen else float("nan"))
    return shares


def sampled_shares(pages: list[Cleaned], path: Path) -> list[float]:
    """Returns the same by a survey of the pages, and prints its cost."""
    began = time.process_time()
    with Builder(path, Contents(paragraphs=True)) as builder:
        for page, document, kept in pages:
            signed = signature_of(page.url, document, kept, sequences=sequences_on(page, document, kept.mask))
            builder.add([signed] if signed else [])
        builder.finish()
    made = time.process_time()
    survey = Survey(path)
    shares = [
        share
        for page, document, kept in pages
        for share in survey.shares_seen(page, document, kept.mask)[kept.mask]
    ]
    looked = time.process_time()
    (rows,) = survey.shards[0].execute("SELECT count(*) FROM sequences").fetchone()
    print(
        f"survey {(made - began) * 1e3 / len(pages):.2f} ms a page, look-up "
        f"{(looked - made) * 1e3 / len(pages):.2f} ms a page, {rows:,} sequences, "
        f"{path.stat().st_size:,} bytes"
    )
    return shares


def compare(name: str, pages: list[Cleaned], folder: Path) -> None:
    """Prints how the decisions by a sample differ from those by all sequences."""
    paragraphs = [
        (number, text)
        for number, (_, document, kept) in enumerate(pages)
        for text, is_kept in zip(document.texts, kept.mask, strict=True)
        if is_kept
    ]
    words = np.array([len(words_of(text)) for _, text in paragraphs])
    exact = np.array(exact_shares(paragraphs)) > _SHARE
    sampled = np.array(sampled_shares(pages, folder / f"{name}.ncs")) > _SHARE
    print(
        f"{name}: {len(pages):,} pages, {len(words):,} paragraphs, {words.sum():,} words; repeated "
        f"{exact.sum():,} ({words[exact].sum():,} words); of these found {(exact & sampled).sum():,} "
        f"({words[exact & sampled].sum():,} words); others found {(~exact & sampled).sum():,} "
        f"({words[~exact & sampled].sum():,} words)"
    )


def page_at(number: int, url: str, body: bytes = b"") -> Page:
    """Returns a page that is captured at second `number`."""
    return Page(
        body, url=url, date=f"2024-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
    )


def of_gold(directories: Iterable[Path]) -> list[Cleaned]:
    """Returns the cleaned pages of gold sets."""
    cleaner = Cleaner()
    found: list[Cleaned] = []
    for path in (path for each in directories for path in sorted((each / "raw").iterdir())):
        page = page_at(len(found), f"http://{path.parent.parent.name}.example/{path.name}", path.read_bytes())
        found.append((page, *cleaner.page(page)))
    return found


def made(share: float, words: int, pages: int = 1_000) -> list[Cleaned]:
    """Returns pages of one paragraph each; each second one has this share of the words of the one before."""
    chance = random.Random(7)
    found: list[Cleaned] = []
    text: list[str] = []
    for number in range(pages):
        other = [f"w{chance.randrange(50_000)}" for _ in range(words)]
        copied = round(share * words) if number % 2 else 0
        text = text[:copied] + other[copied:]
        document = dump_text(" ".join(text), layout="lines")
        found.append((page_at(number, f"http://a.example/{number}"), document, Kept(document.visible)))
    return found


def main(directories: list[str]) -> None:
    """Prints all figures."""
    with tempfile.TemporaryDirectory() as folder:
        compare("gold", of_gold(map(Path, directories)), Path(folder))
        for words in (10, 30, 100):
            for share in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
                shares = np.array(sampled_shares(made(share, words), Path(folder) / "made.ncs"))[1::2]
                print(f"{words} words, {share:.0%} copied: {np.mean(shares > _SHARE):.1%} found")


if __name__ == "__main__":
    main(sys.argv[1:])
