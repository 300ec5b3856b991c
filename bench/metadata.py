"""How right titles, authors and dates are, beside trafilatura and htmldate.

    python -m bench.metadata GOLD...                    # the tables
    python -m bench.metadata GOLD... --wrong published  # what is wrong or missing, a line for each page
    python -m bench.metadata GOLD... --half 0           # only pages of half of the registered domains

GOLD is a gold directory. Its manifest may have what is true of a page: `title`, `authors` or `author`,
`date`. Where it has only dates, a page without one has none, and a date that is given for it is wrong.
Without such fields the JSON-LD of articles is taken for the truth and hidden from all programs: they read
meta tags, microdata, and what is on the page.

A title is right if it is equal once white space, soft hyphens and the form of quotation marks are the same;
`bare`: once the name of the site is taken off all of them, too. Authors are right if they are the same set of
names, capital letters or not; a date if it is the same day, as it is written. `latest` compares the date of
the last change, or of publication if no other is known, with the date of the manifest: that is what the
library metascraper means by one.
"""

from __future__ import annotations

import json
import re
import time
import unicodedata
import warnings
import zlib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ncleaner
from ncleaner.describing._statements import described
from ncleaner.describing.dates import iso_date
from ncleaner.describing.names import plain_title, without_site
from ncleaner.text.hosts import registered_domain

_DATA = re.compile(rb"<script[^>]*ld\+json[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(rb"<script[^>]*ld\+json[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_MARKS = str.maketrans(dict.fromkeys("“”„‟«»″〝〞＂", '"') | dict.fromkeys("‘’‚‛‹›`´′", "'"))
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
FIELDS = ("title", "bare", "authors", "published", "latest")


class Said(NamedTuple):
    """What is said of a page, in one form. None: it is not known whether it has such a thing."""

    title: str | None
    bare: str | None
    authors: frozenset[str] | None
    published: str | None
    latest: str | None


def _form(text: str) -> str:
    return " ".join(_UNSEEN.sub("", unicodedata.normalize("NFC", text)).translate(_MARKS).split())


def _said(title: str, authors: Any, published: str, latest: str, site: str, url: str) -> Said:
    names = frozenset(_form(name).casefold() for name in authors)
    return Said(_form(title), _form(without_site(title, [site], url)), names, published[:10], latest[:10])


def ours(html: bytes, url: str) -> Said:
    """Returns what ncleaner finds."""
    found = ncleaner.metadata(html, url)
    latest = found.modified or found.published
    return _said(found.title, found.authors, found.published, latest, found.site, url)


def trafilatura(html: bytes, url: str) -> Said:
    """Returns what trafilatura finds."""
    from trafilatura.metadata import extract_metadata
    from trafilatura.utils import load_html

    tree = load_html(html)
    found = None if tree is None else extract_metadata(tree, default_url=url)
    if found is None:
        return _said("", (), "", "", "", url)
    # it joins names with semicolons
    names = [name for part in (found.author or "").split(";") if (name := part.strip())]
    said = _said(found.title or "", names, found.date or "", "", found.sitename or "", url)
    return said._replace(latest=None)


def htmldate(html: bytes, url: str) -> Said:
    """Returns what htmldate finds, with its extensive search."""
    from htmldate import find_date

    first, last = (find_date(html, url=url, original_date=original) or "" for original in (True, False))
    return Said(None, None, None, first, last)


TOOLS: dict[str, Callable[[bytes, str], Said]] = {
    "ncleaner": ours,
    "trafilatura": trafilatura,
    "htmldate": htmldate,
}


def _known(row: dict[str, Any], url: str, site: str) -> Said:
    """Returns what a manifest says."""
    title, authors = row.get("title"), row.get("authors")
    if "author" in row:
        authors = [name for name in [row["author"]] if name and name != "UNKNOWN"]
    # "2005-5-7 21:23"
    day = iso_date(row.get("date") or "") or iso_date((row.get("date") or "").split(" ")[0])
    said = _said(title or "", authors or (), day or "", day or "", site, url)
    has_only_dates = title is None and authors is None
    return Said(
        said.title or None,
        said.bare or None,
        said.authors or None,
        said.published if day or has_only_dates else None,
        said.latest or None,
    )


def _hidden(html: bytes, url: str) -> Said | None:
    """Returns what the JSON-LD of an article says; None if there is none."""
    objects, *_ = described([text.decode("utf-8", "replace") for text in _TEXT.findall(html)])
    headline = next((each["headline"] for each in objects if isinstance(each.get("headline"), str)), "")
    days = (iso_date(each["datePublished"]) for each in objects if isinstance(each.get("datePublished"), str))
    day = next(filter(None, days), "")
    if not headline and not day:
        return None
    found = ncleaner.metadata(html, url)
    names = found.authors if found.sources.get("authors", "").startswith("JSON-LD") else ()
    said = _said(plain_title(headline), names, day, "", found.site, url)
    return Said(said.title or None, said.bare or None, said.authors or None, said.published or None, None)


def truths(gold: Path) -> Iterator[tuple[str, bytes, str, Said]]:
    """Yields names of pages, pages as programs read them, their addresses, and what is true of them."""
    rows = map(json.loads, (gold / "manifest.jsonl").read_text("utf-8").splitlines())
    told = {row["id"]: row for row in rows}
    for path in sorted((gold / "raw").glob("*.html")):
        html, row = path.read_bytes(), told.get(path.stem, {})
        url = row.get("url", "")
        if "date" in row or "author" in row:
            yield path.stem, html, url, _known(row, url, row.get("site") or row.get("publisher") or "")
        elif _DATA.search(html) and (truth := _hidden(html, url)):
            yield path.stem, _DATA.sub(b"", html), url, truth


def is_in_half(url: str, half: int | None) -> bool:
    """Tells whether a page is in half 0 or 1 of the registered domains; None: in any."""
    return half is None or zlib.crc32(registered_domain(url).encode()) % 2 == half


def measure(gold: Path, half: int | None, wrong: str, names: list[str]) -> None:
    """Prints the table of a gold directory, or the pages for which a field is not right."""
    counts: Counter[tuple[str, str, str]] = Counter()
    seconds = dict.fromkeys(names, 0.0)
    pages = 0
    for page, html, url, truth in truths(gold):
        if not is_in_half(url, half):
            continue
        pages += 1
        for name in names:
            begin = time.process_time()
            said = TOOLS[name](html, url)
            seconds[name] += time.process_time() - begin
            for field in FIELDS:
                wanted, value = getattr(truth, field), getattr(said, field)
                if wanted is None or value is None:
                    continue
                counts[name, field, "known"] += 1
                counts[name, field, "given"] += bool(value)
                counts[name, field, "right"] += value == wanted
                counts[name, field, "given and right"] += bool(value) and value == wanted
                if field == wrong and value != wanted:
                    shown = [
                        sorted(each) if isinstance(each, frozenset) else each for each in (wanted, value)
                    ]
                    print(
                        page, name, *(json.dumps(each, ensure_ascii=False) for each in shown), url, sep="\t"
                    )
    if wrong:
        return
    print(f"\n{gold.name}: {pages} pages\n")
    print("| field | tool | known | right | of those given |\n|---|---|--:|--:|--:|")
    for field in FIELDS:
        for name in names:
            known, right, given, both = (
                counts[name, field, kind] for kind in ("known", "right", "given", "given and right")
            )
            if known:
                print(
                    f"| {field} | {name} | {known} | {right} ({right / known:.1%}) "
                    f"| {both / max(given, 1):.1%} of {given} |"
                )
    print(
        "\nCPU time a page: " + ", ".join(f"{name} {1000 * seconds[name] / pages:.1f} ms" for name in names)
    )


def main() -> None:
    """Prints what the command line asks for."""
    warnings.simplefilter("ignore")
    parser = ArgumentParser(prog="python -m bench.metadata")
    parser.add_argument("gold", type=Path, nargs="+")
    parser.add_argument("--wrong", choices=FIELDS, default="")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--tool", choices=tuple(TOOLS), action="append")
    asked = parser.parse_args()
    for gold in asked.gold:
        measure(gold, asked.half, asked.wrong, asked.tool or list(TOOLS))


if __name__ == "__main__":
    main()
