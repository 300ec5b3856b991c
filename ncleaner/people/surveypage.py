"""The portrait of a crawl as plain text and as an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ncleaner.people.htmlpage import html_head, html_table
from ncleaner.surveying.portrait import Portrait, SiteRow
from ncleaner.text.visible import visible

__all__ = ["survey_page", "survey_text"]

_HEAD = ("site", "pages", "words", "kept %", "languages", "kinds", "layouts", "duplicates", "sampled pages")
# Of a survey that has not looked for duplicates.
_UNKNOWN = "- (--duplicates counts them)"


def _share(row: SiteRow) -> str:
    return f"{100 * row.kept / row.words:.1f}" if row.words else "-"


def _most(counter: Counter[str], number: int) -> str:
    ranked = sorted(((name, n) for name, n in counter.items() if name), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{visible(name)} {n:,}" for name, n in ranked[:number]) + (
        ", …" if len(ranked) > number else ""
    )


def _sums(portrait: Portrait) -> list[tuple[str, str]]:
    total = portrait.total
    return [
        ("sites", f"{portrait.sites:,}"),
        ("sites with one page", f"{portrait.single:,}"),
        ("pages", f"{total.pages:,}"),
        ("words", f"{total.words:,}"),
        ("words kept, per cent", _share(total)),
        ("languages", _most(total.languages, 20) or "-"),
        ("kinds of pages", _most(total.kinds, 20) or "-"),
        ("exact duplicates", f"{total.exact:,}" if portrait.duplicates else _UNKNOWN),
        ("near duplicates", f"{total.near:,}" if portrait.duplicates else _UNKNOWN),
        ("sampled pages", f"{total.sampled:,}"),
    ]


def survey_text(portrait: Portrait, most: int = 20) -> str:
    """Returns the sums, and a line for each of the largest sites."""
    sums = [f"{name:<22}{value}" for name, value in _sums(portrait)]
    largest = [(visible(row.site), row) for row in portrait.largest[:most]]
    width = max([4, *(len(site) for site, _ in largest)])
    sites = [f"{'site':<{width}}{'pages':>12}{'kept %':>8}{'layouts':>9}  languages"]
    sites += [
        f"{site:<{width}}{row.pages:>12,}{_share(row):>8}{row.layouts:>9,}  {_most(row.languages, 3)}"
        for site, row in largest
    ]
    return "\n".join([*sums, "", *(line.rstrip() for line in sites)])


def survey_page(portrait: Portrait, title: str) -> str:
    """Returns an HTML page that loads no other file."""
    rows: Sequence[Sequence[str]] = [
        (
            row.site,
            f"{row.pages:,}",
            f"{row.words:,}",
            _share(row),
            _most(row.languages, 3),
            _most(row.kinds, 3),
            f"{row.layouts:,}",
            f"{row.exact + row.near:,}" if portrait.duplicates else "-",
            f"{row.sampled:,}",
        )
        for row in portrait.largest
    ]
    return (
        html_head(title)
        + html_table(["", ""], _sums(portrait))
        + html_table(_HEAD, rows)
        + "</main></html>\n"
    )
