"""How right titles, authors and dates are, beside trafilatura: pages whose JSON-LD is hidden from both.

    python -m bench.metadata GOLD

GOLD is a gold directory with its manifest. What the JSON-LD of an article says is taken for the truth. Both
read the page without it: meta tags, microdata, and what is on the page. A title or a list of names is right
if its letters and digits are those of the truth, a date if it is the same day. Titles are compared as they
are, and (`bare`) without the name of the site in all three.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import ncleaner
from ncleaner.describing.names import names_in, plain_title, without_site
from ncleaner.describing.structured import described
from ncleaner.training.pairs import find_manifest

_DATA = re.compile(rb"<script[^>]*ld\+json[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(rb"<script[^>]*ld\+json[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
FIELDS = ("title", "bare", "authors", "published")


class Said(NamedTuple):
    """What is said of a page, in one form."""

    title: str
    bare: str
    authors: frozenset[str]
    published: str


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _said(title: str, authors: tuple[str, ...], published: str, site: str, url: str) -> Said:
    bare = without_site(title, site, url)
    return Said(_letters(title), _letters(bare), frozenset(map(_letters, authors)), published[:10])


def ours(html: bytes, url: str) -> Said:
    """Returns what ncleaner finds."""
    found = ncleaner.metadata(html, url)
    return _said(found.title, found.authors, found.published, found.site, url)


def theirs(html: bytes, url: str) -> Said:
    """Returns what trafilatura finds."""
    from trafilatura.metadata import extract_metadata
    from trafilatura.utils import load_html

    tree = load_html(html)
    found = None if tree is None else extract_metadata(tree, default_url=url)
    if found is None:
        return _said("", (), "", "", url)
    # it joins names with semicolons
    names = names_in([found.author or ""])
    return _said(found.title or "", names, found.date or "", found.sitename or "", url)


def truths(gold: Path) -> Iterator[tuple[bytes, str, Said]]:
    """Yields pages without their JSON-LD, their addresses, and what the JSON-LD of an article says."""
    told = find_manifest(gold)
    for path in sorted((gold / "raw").glob("*.html")):
        html = path.read_bytes()
        if not _DATA.search(html):
            continue
        url = told.get(path.stem, {}).get("url", "")
        found = ncleaner.metadata(html, url)
        known = {field for field, source in found.sources.items() if source.startswith("JSON-LD")}
        if not {"title", "published"} & known:
            continue
        headline = ""
        if "title" in known:
            objects, _ = described([text.decode("utf-8", "replace") for text in _TEXT.findall(html)])
            headline = next(
                plain_title(each["headline"]) for each in objects if isinstance(each.get("headline"), str)
            )
        yield (
            _DATA.sub(b"", html),
            url,
            _said(
                headline,
                found.authors if "authors" in known else (),
                found.published if "published" in known else "",
                found.site,
                url,
            ),
        )


def main(gold: Path) -> None:
    """Prints the table."""
    warnings.simplefilter("ignore")
    tools: dict[str, Callable[[bytes, str], Said]] = {"ncleaner": ours, "trafilatura": theirs}
    counts: Counter[tuple[str, str, str]] = Counter()
    seconds = dict.fromkeys(tools, 0.0)
    pages = 0
    for html, url, truth in truths(gold):
        pages += 1
        found = {}
        for name, tool in tools.items():
            begin = time.process_time()
            found[name] = tool(html, url)
            seconds[name] += time.process_time() - begin
        for field in FIELDS:
            wanted = getattr(truth, field)
            if not wanted:
                continue
            is_right = {name: getattr(said, field) == wanted for name, said in found.items()}
            for name, said in found.items():
                counts[name, field, "given"] += bool(getattr(said, field))
                counts[name, field, "right"] += is_right[name]
                counts[name, field, "alone"] += is_right[name] and sum(is_right.values()) == 1
            counts["", field, "known"] += 1
    print("| field | known | tool | right | right of those given | right where the other is wrong |")
    print("|---|--:|---|--:|--:|--:|")
    for field in FIELDS:
        total = counts["", field, "known"]
        for name in tools:
            right, given = counts[name, field, "right"], counts[name, field, "given"]
            print(
                f"| {field} | {total} | {name} | {right} ({right / total:.1%}) | {right / max(given, 1):.1%} "
                f"of {given} | {counts[name, field, 'alone']} |"
            )
    print(
        f"\n{pages} pages; CPU time a page: "
        + ", ".join(f"{name} {1000 * seconds[name] / pages:.1f} ms" for name in tools)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
