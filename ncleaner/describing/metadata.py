"""From the statements of a page to its metadata: for each field, the first source that has a usable value."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import chain
from typing import Any

from ncleaner.describing._bylines import bylike_of, dated_of, headline_and_bylines, rows_about, rows_beside
from ncleaner.describing._statements import Statements
from ncleaner.describing.dates import (
    FoundDate,
    date_in_url,
    dates_in,
    is_local_day,
    is_month_first,
    iso_date,
    tells_change,
)
from ncleaner.describing.names import (
    BYLINE_STARTS,
    bare_title,
    is_account,
    is_byline,
    is_licence,
    is_same_title,
    names_in,
    names_in_line,
    names_on_page,
    names_signed,
    names_site,
    plain_title,
    turned,
    without_site,
)
from ncleaner.describing.rights import LONGEST_URL, address_in
from ncleaner.document._kept import text_of_row
from ncleaner.document.fact_names import NAMES
from ncleaner.document.tables import Document, Fact
from ncleaner.text.hosts import host_of

# How the date of publication was found, the most reliable first: the page states it for programs; it shows it
# at the headline; its address has it; it shows it elsewhere; it only says when it was changed.
DATE_SOURCES = ("stated", "shown", "address", "text", "changed")

# characters of a segment that may be a date; segments around the headline where one is looked for, and those
# that touch it
_SHORT, _AROUND, _TOUCHING = 80, 10, 2
# names and classes of times that are not about the page
_OF_THING = re.compile(
    r"(?<![a-z])(?:start|end|door|birth|death|founding)[-_]?(?:date|time)|\bdt-?(?:start|end)\b|\bbday\b"
    r"|valid(?:from|through|until)|expires|deadline|\bevents?\b",
    re.IGNORECASE,
)
# A page has few bylines; a list of articles has many.
_BYLINES = 4
# lines beside the headline that may name authors, and those after it in East Asia
_LINES, _SIGNED = 8, 200
# elements that are marked as authors and are read; a page with many has posts or teasers
_MARKED = 8
# the characters of a place before the date that begins a paragraph
_PLACE = 3
# paragraphs after the headline that may begin with a date
_PARAGRAPHS, _LONGEST_PARAGRAPH = 8, 100_000
# most characters of a line that heads others, and fewest without white space of a paragraph
_LABEL, _PROSE = 40, 70
# words of a line that is a date, rather than a sentence with one
_WORDS = 6
# lines with digits that are read, from each end of the page
_MOST_LINES = 25
# A date has at least this many digits.
_DIGITS = 4
_LONGEST_TITLE, _LONGEST_DESCRIPTION, _LONGEST_NAME = 500, 2_000, 100
_MOST_TAGS, _LONGEST_TAG = 30, 60


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page states about itself. Each field is empty if the page says nothing usable.

    >>> import ncleaner
    >>> found = ncleaner.metadata("<title>Back</title><time datetime=2024-05-01>May 1</time>")
    >>> found.title, found.published, found.date_source, found.sources
    ('Back', '2024-05-01', 'text', {'title': 'title', 'published': 'time'})

    Attributes:
        title: of the text, without the name of the site.
        authors: names of people or groups, in the order of the page.
        published, modified: ISO 8601, a day or a time, as precise as the page is.
        date_source: how `published` was found, one of `DATE_SOURCES`, the most reliable first: `stated` for
            programs (JSON-LD, meta tags, microdata), `shown` at the headline, in the `address`, elsewhere in
            the `text`; or `changed`, where the page only says when it was changed.
        site: name of the site.
        hostname: host of the canonical address, or of the page's.
        breadcrumbs: the path to the page within its site, the widest part first.
        description: a summary.
        tags: keywords.
        canonical: the address that the page wants to be known by.
        licence: address or name of the licence.
        image: address of the picture that stands for the page.
        sources: {field: where the value was found}.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    date_source: str = ""
    site: str = ""
    hostname: str = ""
    breadcrumbs: tuple[str, ...] = ()
    description: str = ""
    tags: tuple[str, ...] = ()
    canonical: str = ""
    licence: str = ""
    image: str = ""
    sources: dict[str, str] = field(default_factory=dict)

    def shown(self, name: str) -> str:
        """Returns a field as a text for people."""
        value = getattr(self, name)
        return ", ".join(value) if isinstance(value, tuple) else str(value)

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields but the sources."""
        values = ((name, getattr(self, name)) for name in _FIELDS)
        return {name: [*value] if isinstance(value, tuple) else value for name, value in values}


_FIELDS = tuple(each.name for each in fields(Metadata)[:-1])
# Those of libraries, which begin with the family name: "Lee, Ann".
_TURNED = frozenset("citation_author dc.creator dcterms.creator dc.contributor.author".split())

_Candidates = Iterable[tuple[str, list[str]]]
# a segment and its text
_Line = tuple[int, str]


class _Shown:
    """What a page shows, segment by segment."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._tables = document.tables
        self.headline, bylines = headline_and_bylines(document.tables)
        here = self.headline
        if here >= 0:
            bylines.sort(key=lambda row: abs(row - here))
        self._bylines = bylines[:_BYLINES]

    def _texts(self, rows: Iterable[int]) -> Iterator[str]:
        return (text_of_row(self._tables, row) for row in rows)

    def title(self) -> str:
        """Returns the headline; empty if there is none."""
        return text_of_row(self._tables, self.headline) if self.headline >= 0 else ""

    @cached_property
    def dated_bylines(self) -> list[str]:
        """Those of them that may have a date."""
        return [text for _, text in dated_of(self._tables, self._bylines, _LONGEST_PARAGRAPH)]

    def dated_at_headline(self) -> list[str]:
        """Returns those, and the short segments touching the headline that may have a date."""
        rows = self._rows_beside(0)[: 2 * _TOUCHING]
        return [*self.dated_bylines, *(text for _, text in dated_of(self._tables, rows, _LONGEST_PARAGRAPH))]

    def _rows_beside(self, digits: int) -> list[int]:
        here = self.headline
        return rows_beside(self._tables, _AROUND, _SHORT, digits, here) if here >= 0 else []

    def near(self) -> str:
        """Returns the bylines and the short segments around the headline, each on a line."""
        return "\n".join(self._texts([*self._bylines, *self._rows_beside(0)]))

    def bylike_beside(self) -> list[str]:
        """Returns those of the closest ones that may be bylines."""
        return bylike_of(self._tables, self._rows_beside(0)[:_LINES], BYLINE_STARTS)

    def dated_beside(self) -> list[_Line]:
        """Returns the short segments around the headline that may have a date, the closest first."""
        return dated_of(self._tables, self._rows_beside(_DIGITS), _LONGEST_PARAGRAPH)

    @cached_property
    def dated(self) -> list[_Line]:
        """The short segments of the page that may have a date."""
        rows = rows_about(self._tables, 0, len(self.document), _SHORT, _DIGITS + 1, self.headline)
        if len(rows) > 2 * _MOST_LINES:
            rows = [*rows[:_MOST_LINES], *rows[-_MOST_LINES:]]
        return dated_of(self._tables, rows, _LONGEST_PARAGRAPH)

    def signed(self) -> list[str]:
        """Returns the beginnings and ends of the text's lines, if it is in a script of East Asia."""
        if self.document.lang[:2] not in ("zh", "ja", "ko") and max(self.title(), default="") < "\u3000":
            return []
        here = max(self.headline, 0)
        rows = rows_about(self._tables, here - _TOUCHING, here + _SIGNED, _LONGEST_PARAGRAPH, 0, here)
        return [f"{text[:_LABEL]}|{text[_LABEL:][-_LABEL:]}" for text in self._texts(rows)]

    def beginnings(self) -> list[_Line]:
        """Returns the beginnings of the headline and of the paragraphs after it that may have a date."""
        here = self.headline
        if here < 0:
            return []
        last = here + 1 + _PARAGRAPHS
        rows = rows_about(self._tables, here, last, _LONGEST_PARAGRAPH, _DIGITS, here)
        return dated_of(self._tables, rows, _SHORT)


class _Dates:
    """The dates of a page. Each is (value, where it was found)."""

    def __init__(self, said: Statements, shown: _Shown, url: str) -> None:
        self.said, self.shown, self.url = said, shown, url
        self.lang = shown.document.lang
        self.month_first = is_month_first(self.lang, host_of(url))
        self._found: dict[str, list[FoundDate]] = {}

    def published(self) -> tuple[str, str, str]:
        """Returns the date of publication, where it was found, and one of `DATE_SOURCES`; empty for none."""
        stated = [*self._read(self._stated())]
        if stated:
            return (*self._agreed(stated), "stated")
        ways = (self._shown(), self._of_address(), self._of_text())
        for kind, found in zip(DATE_SOURCES[1:], ways, strict=False):
            if first := next(found, None):
                return (*first, kind)
        return "", "", ""

    def modified(self) -> tuple[str, str]:
        """Returns the date of the last change; empty texts if there is none."""
        if found := next(self._read(self._changed()), None):
            return found
        lines = [("byline", text) for text in self.shown.dated_bylines if tells_change(text)]
        # the line at the end is all that many wikis have
        lines += [("text", text) for _, text in reversed(self.shown.dated) if tells_change(text)]
        days = ((each.day, where) for where, text in lines for each in self._dates(text) if each.changed)
        return next(days, ("", ""))

    def _read(self, candidates: _Candidates) -> Iterator[tuple[str, str]]:
        for source, values in candidates:
            for value in values:
                # what readers see decides between the two days of 5/1/2024
                orders = (self.month_first, not self.month_first) if "/" in value[:3] else (self.month_first,)
                if days := dict.fromkeys(day for first in orders if (day := iso_date(value, first))):
                    yield from ((day, source) for day in days)
                    break

    def _dates(self, text: str) -> list[FoundDate]:
        # several ways look at the same lines
        found = self._found.get(text)
        if found is None:
            found = self._found[text] = dates_in(text, self.month_first, self.lang)
        return found

    def _unchanged(self, text: str) -> list[FoundDate]:
        """Returns the dates in a text that are not those of a change."""
        found = self._dates(text)
        return found and [each for each in found if not each.changed and each.day not in self._days_of_things]

    @cached_property
    def _days_of_things(self) -> set[str]:
        """The days of an event or the like."""
        values = [fact.value for fact in self.said.times if _is_of_thing(fact)] + self.said.days_of_things()
        return {iso_date(value, self.month_first)[:10] for value in values}

    def _here(self, lines: Iterable[_Line]) -> Iterator[FoundDate]:
        """Yields the dates in lines that are about the page, and not those of a change."""
        for row, text in lines:
            label = text_of_row(self.shown.document.tables, row - 1) if row else ""
            is_label = label.endswith((":", "：")) and len(label) <= _LABEL
            yield from self._unchanged(f"{label} {text}" if is_label else text)

    def _stated(self) -> _Candidates:
        said = self.said
        yield from said.json_of("datePublished", of_text=True)
        yield from said.meta_of("published")
        yield from said.items_of(*NAMES["published items"])
        yield from _times(said, lambda fact: "datepublished" in fact.names.lower().split())
        yield from said.json_of("dateCreated", of_text=True)

    def _changed(self) -> _Candidates:
        said = self.said
        yield from said.json_of("dateModified")
        yield from said.meta_of("modified")
        yield from said.items_of(*NAMES["modified items"])
        yield from _times(said, _is_of_change)

    def _agreed(self, stated: list[tuple[str, str]]) -> tuple[str, str]:
        """Returns the first statement; where others contradict it, the one that readers see, too.

        Many systems state the moment in UTC, while readers see the day where the page was made.
        """
        value, days = stated[0][0], {value[:10] for value, _ in stated}
        if len(days) > 1 or value.endswith("+00:00"):
            shown = chain.from_iterable(map(self._dates, self.shown.dated_at_headline()))
            seen = {date_in_url(self.url): "address"} | {
                each.day: "byline" for each in shown if not each.changed
            }
            same = (each for day in seen for each in stated if each[0][:10] == day)
            local = (pair for pair in seen.items() if is_local_day(pair[0], value))
            return next(chain(same, local), stated[0])
        return stated[0]

    @cached_property
    def _times(self) -> list[tuple[str, Fact]]:
        """The dates of `<time>` that are not those of a change or of an event."""
        times = [fact for fact in self.said.times if not _is_of_change(fact) and not _is_of_thing(fact)]
        return [(found, fact) for fact in times if (found := iso_date(fact.value, self.month_first))]

    def _shown(self) -> Iterator[tuple[str, str]]:
        for each in chain.from_iterable(map(self._unchanged, self.shown.dated_bylines)):
            yield each.day, "byline"
        for each in self._here(line for line in self.shown.dated_beside() if not _is_sentence(line[1])):
            yield each.day, "beside the headline"
        for each in self._here(self.shown.beginnings()):
            if each.start <= _PLACE:
                yield each.day, "beginning of a paragraph"

    def _of_address(self) -> Iterator[tuple[str, str]]:
        stated = (values for _, values in _canonical(self.said))
        for address in (self.url, *chain.from_iterable(stated)):
            if found := date_in_url(address):
                yield found, "address"

    def _of_text(self) -> Iterator[tuple[str, str]]:
        found = [*self._here(self.shown.dated)]
        yield from ((each.day, "text") for each in found if each.stated)
        # an event, a comment or a clock has such an element, too
        yield from ((day, "time") for day, _ in self._times)
        if len({each.day for each in found}) == 1:
            yield found[0].day, "text"


def _is_sentence(line: str) -> bool:
    """Tells whether a line is about a date rather than one."""
    return line.endswith((".", "!", "?")) and line.count(" ") > _WORDS


def _is_of_change(fact: Fact) -> bool:
    """Tells whether a `<time>` is marked as that of a change; WordPress marks one that is both, too."""
    names = fact.names.lower()
    return ("update" in names or "modif" in names) and "publi" not in names


def _is_of_thing(fact: Fact) -> bool:
    """Tells whether a `<time>` is marked as that of an event, a birth or the like."""
    return bool(fact.names) and _OF_THING.search(fact.names) is not None


def metadata_of(document: Document, url: str = "") -> Metadata:
    """Returns the metadata of a page; all empty for plain text.

    Where sources contradict each other, the first one wins: JSON-LD, meta tags, microdata, then what is
    marked or laid out as the value on the page, then the address.

    Args:
        document: the page, with its `facts`.
        url: its address, for relative addresses and the date; empty if it is unknown.

    Raises:
        ValueError: the facts of the page have not been collected.
    """
    if document.facts is None:
        raise ValueError("the document has no facts: make it by a Cleaner(facts=True)")
    if not document.facts and not document.title and not len(document):
        return Metadata()
    said, shown = Statements(document.facts), _Shown(document)
    found: dict[str, Any] = {}
    sources: dict[str, str] = {}

    def put(name: str, value: Any, source: str) -> None:
        if value:
            found[name], sources[name] = value, source

    def take(name: str, candidates: _Candidates, usable: Callable[[list[str]], Any]) -> None:
        for source, values in candidates:
            if value := usable(values):
                put(name, value, source)
                return

    names = list(_sites(said))
    put("site", *next(iter(names), ("", "")))
    sites = [name for name, _ in names]
    title, source = _title(said, shown, sites, url)
    put("title", title, source)
    if title and not names:
        put("site", _site_in(plain_title(document.title), title, url), "title")
    put("authors", *_authors(said, shown, sites))
    dates = _Dates(said, shown, url)
    published, source, found["date_source"] = dates.published()
    modified = dates.modified()
    if not published and modified[1] in ("byline", "text"):
        published, source, found["date_source"] = (*modified, "changed")
    put("published", published, source)
    # some programs state the day on which the site was made
    if modified[0][:10] >= published[:10]:
        put("modified", *modified)
    take(
        "description",
        chain(said.meta_of("description"), said.json_of("description")),
        lambda values: plain_title(values[0])[:_LONGEST_DESCRIPTION],
    )
    take("tags", chain(said.json_of("keywords"), said.meta_of("tags")), _tags)
    take("canonical", _canonical(said), lambda values: address_in(values[0], url))
    put("hostname", host_of(found.get("canonical", url)), "address")
    path = dict.fromkeys(filter(None, map(_site, said.breadcrumbs())))
    put("breadcrumbs", tuple(path)[:_MOST_TAGS], "breadcrumbs")
    take("licence", _licences(said), lambda values: plain_title(values[0])[:LONGEST_URL])
    take(
        "image",
        chain(said.meta_of("image"), said.json_of("image", "thumbnailUrl")),
        lambda values: address_in(values[0], url),
    )
    return Metadata(**found, sources=sources)


def _title(said: Statements, shown: _Shown, sites: list[str], url: str) -> tuple[str, str]:
    """Returns the title and its source.

    The first one counts, without what it has beyond another one after a dash or a bar. One with the name of
    the site is made for search engines: that of JSON-LD is better.
    """
    # a recipe, a product or a film has a name, and perhaps an article with another headline
    headline = shown.title()
    for source, values in said.json_of("name", of_named=True):
        if headline and plain_title(values[0]).casefold() == headline.casefold():
            return without_site(headline, sites, url), source
    usable = (
        (short, source, whole)
        for source, values in _titles(said, shown)
        if (short := without_site(whole := plain_title(values[0][:_LONGEST_TITLE]), sites, url))
    )
    title, source, plain = next(usable, ("", "", ""))
    if title != plain and source.startswith("meta") and (other := next(usable, None)):
        if other[1].startswith("JSON-LD"):
            title, source, plain = other
        elif other[1] == "headline" and is_same_title(other[0], title):
            title, plain = other[0], other[2]
    others = (values[0][:_LONGEST_TITLE] for _, values in _titles(said, shown))
    return bare_title(title, others, sites), source


def _titles(said: Statements, shown: _Shown) -> _Candidates:
    yield from said.meta_of("title")
    yield from said.json_of("headline")
    # the data of scripts often has the text without its title: the first paragraph is no headline
    if (headline := shown.title()) and not (shown.document.has_state and _is_sentence(headline)):
        yield "headline", [headline]
    yield from said.meta_of("other titles")
    yield from said.items_of("headline")
    yield from said.json_of("name")
    if shown.document.title:
        yield "title", [shown.document.title]


def _authors(said: Statements, shown: _Shown, sites: list[str]) -> tuple[tuple[str, ...], str]:
    """Returns the authors and their source.

    The first one counts, unless it names the site or an account and readers see names of people in a byline.
    """
    first: tuple[tuple[str, ...], str] = (), ""
    for source, names in _named(said, shown):
        others = tuple([name for name in names if not names_site(name, sites)])
        # readers of a forum see accounts
        is_hidden = source.startswith(("JSON-LD", "meta"))
        if not all(is_hidden and is_account(name) for name in others):
            return others, source
        if names and not first[0]:
            first = names, source
    return first


def _named(said: Statements, shown: _Shown) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields (source, names), the surest first."""
    for source, values in said.json_of("author", "creator"):
        yield source, names_in(values)
    for source, values in said.meta_of("authors"):
        is_turned = source.removeprefix("meta ") in _TURNED
        yield source, names_in(map(turned, values) if is_turned else values)
    for source, values in said.items_of("author", "creator"):
        yield source, names_on_page(values)
    # so are those who write reviews and other articles: far from the headline, only a byline counts
    near = shown.near() if said.authors else ""
    for fact in sorted(said.authors[:_MARKED], key=lambda fact: not is_byline(fact.value)):
        names = names_on_page([fact.value])
        if names and (names[0] in near or is_byline(fact.value)):
            yield "rel author" if "author" in fact.names.split() else "class author", names
    yield from (("beside the headline", names_in_line(text)) for text in shown.bylike_beside())
    yield "text", names_signed(shown.signed())


def _times(said: Statements, wanted: Callable[[Fact], bool]) -> _Candidates:
    return [("time", [fact.value]) for fact in said.times if wanted(fact)]


def _sites(said: Statements) -> Iterator[tuple[str, str]]:
    """The names of the site, and who says so."""
    for source, values in chain(said.meta_of("site"), said.json_of("publisher"), said.meta_of("other sites")):
        for text in values[:2]:
            if name := _site(text):
                yield name, source


def _canonical(said: Statements) -> _Candidates:
    yield from said.links_of("canonical")
    yield from said.meta_of("address")


def _licences(said: Statements) -> _Candidates:
    links = (("a link", [value]) for value in said.licences if value)
    stated = chain(said.json_of("license"), said.links_of("license"), links, said.meta_of("licence"))
    yield from ((source, values) for source, values in stated if is_licence(values[0]) or values[0][0] == "/")


def _site(text: str) -> str:
    name = plain_title(text).strip(" |-–—·•:»«›>/")
    return name if len(name) <= _LONGEST_NAME and "://" not in name else ""


def _site_in(whole: str, title: str, url: str) -> str:
    """Returns what the <title> has before or after the title, if it is the name of the host; else nothing."""
    rest = whole.removeprefix(title) if whole.startswith(title) else whole.removesuffix(title)
    name = _site(rest) if rest != whole else ""
    return name if name and names_site(name, (), url) else ""


def _tags(values: list[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for value in values:
        for part in re.split(r"[,;،、]", value):
            tag = plain_title(part)
            if 0 < len(tag) <= _LONGEST_TAG:
                found.setdefault(tag.casefold(), tag)
    return tuple(found.values())[:_MOST_TAGS]
