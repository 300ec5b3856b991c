"""From the statements of a page to its metadata: for each field, the first source that has a usable value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from ncleaner.describing.dates import date_in_url, first_date, iso_date
from ncleaner.describing.names import BY, names_in, names_on_page, plain_title, without_site
from ncleaner.describing.structured import Described, described
from ncleaner.document.kept import short_texts, texts_of_zone
from ncleaner.document.tables import ZONES, Document, Fact

__all__ = ["Metadata", "metadata_of"]

_HTTP = re.compile(r"https?://[^\s/?#\[\]\\][^\s]*\Z", re.IGNORECASE)
_HEADLINE, _BYLINE = ZONES.index("headline"), ZONES.index("byline")
_BY = re.compile(r"\s*by\s", re.IGNORECASE)
# characters of a segment that may be a date
_SHORT = 80
_LONGEST_TITLE, _LONGEST_DESCRIPTION, _LONGEST_NAME, _LONGEST_URL = 500, 2_000, 100, 2_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page states about itself. Each field is empty if the page says nothing usable.

    >>> import ncleaner
    >>> found = ncleaner.metadata("<title>Back</title><time datetime=2024-05-01>May 1</time>")
    >>> found.title, found.published, found.sources
    ('Back', '2024-05-01', {'title': 'title', 'published': 'time'})

    Attributes:
        title: of the text, without the name of the site.
        authors: names of people or groups, in the order of the page.
        published, modified: ISO 8601, a day or a time, as precise as the page is.
        site: name of the site.
        description: a summary.
        canonical: the address that the page wants to be known by.
        licence: address or name of the licence.
        image: address of the picture that stands for the page.
        sources: {field: where the value was found}.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    site: str = ""
    description: str = ""
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
        return {
            "title": self.title,
            "authors": list(self.authors),
            "published": self.published,
            "modified": self.modified,
            "site": self.site,
            "description": self.description,
            "canonical": self.canonical,
            "licence": self.licence,
            "image": self.image,
        }


# names of meta tags and microdata, in small letters, the most reliable first
_PUBLISHED = """
    article:published_time datepublished og:published_time citation_publication_date citation_date
    parsely-pub-date sailthru.date dc.date.issued dcterms.issued dcterms.created dc.date.created
    dc.date dcterms.date dc.created article:published article.published publish_date publish-date
    publication_date published_date pubdate publishdate rnews:datepublished
    cxenseparse:recs:publishtime article_date_original originalpublicationdate
    og:article:published_time bt:pubdate ptime publishtime article:publish_date date created
    datecreated release_date og:pubdate article.created prism.publicationdate eprints.date
    displaydate uploaddate
""".split()
_MODIFIED = """
    article:modified_time datemodified og:updated_time dcterms.modified dc.date.modified
    last-modified lastmod lastmodified article:modified article.updated dc.modified revision_date
    modified updated_time updated date.updated
""".split()
_AUTHORS = """
    author citation_author parsely-author sailthru.author article:author dc.creator dcterms.creator
    dc.contributor.author creator byl article:author_name rbauthors og:article:author twitter:data1
    dcsext.author cxenseparse:author authors
""".split()
_TITLES = """
    og:title citation_title parsely-title dc.title dcterms.title twitter:title headline
    sailthru.title title
""".split()
_SITES = """
    og:site_name application-name publisher dc.publisher citation_journal_title
    apple-mobile-web-app-title article:publisher
""".split()
_DESCRIPTIONS = """
    description og:description twitter:description dc.description dcterms.description excerpt
""".split()
_LICENCES = """
    dc.rights dcterms.license dcterms.rights license citation_license
""".split()
_IMAGES = """
    og:image:secure_url og:image og:image:url twitter:image twitter:image:src image thumbnail
""".split()
_READ = frozenset(
    (
        *_PUBLISHED,
        *_MODIFIED,
        *_AUTHORS,
        *_TITLES,
        *_SITES,
        *_DESCRIPTIONS,
        *_LICENCES,
        *_IMAGES,
        "canonical",
        "og:url",
    )
)

Candidates = Iterator[tuple[str, Any]]


class _Statements:
    """The statements of a page, by their names."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self.facts = facts
        self.meta: dict[str, list[str]] = {}
        self.items: dict[str, list[str]] = {}
        self.links: dict[str, list[str]] = {}
        tables = {"meta": self.meta, "item": self.items, "link": self.links}
        for kind, names, value in facts:
            table = tables.get(kind)
            if table is not None and value and not value.isspace():
                for name in names.lower().split():
                    if name in _READ:
                        table.setdefault(name, []).append(value)
        self.objects, self._ids = described([fact.value for fact in facts if fact.kind == "data"])

    def meta_of(self, names: Iterable[str]) -> Candidates:
        """Yields (source, values) of meta tags."""
        for name in names:
            if name in self.meta:
                yield f"meta {name}", self.meta[name]

    def items_of(self, *names: str) -> Candidates:
        """Yields (source, values) of microdata."""
        for name in names:
            if name in self.items:
                yield f"itemprop {name}", self.items[name]

    def json_of(self, *keys: str) -> Candidates:
        """Yields (source, values) of JSON-LD; of an object its name or its address."""
        for key in keys:
            for node in self.objects:
                values = [text for value in _as_list(node.get(key)) for text in self._texts(value)]
                if values:
                    yield f"JSON-LD {key}", values

    def _texts(self, value: Any) -> list[str]:
        if isinstance(value, str):
            return [value]
        if isinstance(value, dict):
            node: Described = (
                self._ids.get(value["@id"], value) if isinstance(value.get("@id"), str) else value
            )
            for key in ("name", "url", "@id"):
                text = node.get(key)
                # an id may be a name within the page
                if isinstance(text, str) and (key != "@id" or "://" in text):
                    return [text]
        return []


def _as_list(value: Any) -> list[Any]:
    return value[:50] if isinstance(value, list) else [] if value is None else [value]


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
    said = _Statements(document.facts)
    found: dict[str, Any] = {}
    sources: dict[str, str] = {}

    def take(name: str, candidates: Candidates, usable: Callable[[list[str]], Any]) -> None:
        for source, values in candidates:
            if value := usable(values):
                found[name], sources[name] = value, source
                return

    take("site", _sites(said), _site)
    take(
        "title",
        _titles(said, document),
        lambda values: without_site(values[0][:_LONGEST_TITLE], found.get("site", ""), url),
    )
    take("authors", _authors(said, document), lambda names: names)
    take("published", _published(said, document, url), _date)
    take("modified", _modified(said), _date)
    take(
        "description",
        _chain(said.meta_of(_DESCRIPTIONS), said.json_of("description")),
        lambda values: plain_title(values[0])[:_LONGEST_DESCRIPTION],
    )
    take("canonical", _canonical(said), lambda values: _address(values[0], url))
    take("licence", _licences(said), lambda values: plain_title(values[0])[:_LONGEST_URL])
    take(
        "image",
        _chain(said.meta_of(_IMAGES), said.json_of("image", "thumbnailUrl")),
        lambda values: _address(values[0], url),
    )
    return Metadata(**found, sources=sources)


def _chain(*parts: Candidates) -> Candidates:
    for part in parts:
        yield from part


def _titles(said: _Statements, document: Document) -> Candidates:
    yield from said.json_of("headline")
    yield from said.meta_of(_TITLES[:1])
    yield from (("headline", [text]) for _, text in texts_of_zone(document, _HEADLINE))
    yield from said.meta_of(_TITLES[1:])
    yield from said.items_of("headline")
    yield from said.json_of("name")
    if document.title:
        yield "title", [document.title]


def _authors(said: _Statements, document: Document) -> Candidates:
    yield from ((source, names_in(values)) for source, values in said.json_of("author", "creator"))
    yield from ((source, names_in(values)) for source, values in said.meta_of(_AUTHORS))
    yield from ((source, names_on_page(values)) for source, values in said.items_of("author", "creator"))
    marked = [fact for fact in said.facts if fact.kind == "author"]
    # a link to a section of the site may be marked as an author, too
    for fact in sorted(marked, key=lambda fact: _BY.match(fact.value) is None):
        yield (
            f"{'rel' if 'author' in fact.names.split() else 'class'} author",
            names_on_page([fact.value]),
        )
    yield "byline", names_on_page([text for text in _bylines(document) if BY.match(text)])
    for text in _beside(document):
        if _BY.match(text):
            yield "beside the headline", names_on_page([text])


def _published(said: _Statements, document: Document, url: str) -> Candidates:
    yield from said.json_of("datePublished")
    yield from said.meta_of(_PUBLISHED)
    yield from said.items_of("datepublished", "datecreated", "pubdate", "uploaddate")
    yield from said.json_of("dateCreated", "uploadDate")
    times = [fact for fact in said.facts if fact.kind == "time"]
    for fact in times:
        if any(word in fact.names.lower() for word in ("publi", "entry-date", "posted", "created")):
            yield "time", [fact.value]
    changed = {iso_date(fact.value)[:10] for fact in times if _of_change(fact)}
    for text in _bylines(document):
        if (found := first_date(text)) and found not in changed:
            yield "byline", [found]
    if found := date_in_url(url):
        yield "address", [found]
    for fact in times:
        if not _of_change(fact):
            yield "time", [fact.value]
    for text in _beside(document):
        if (found := first_date(text)) and found not in changed:
            yield "beside the headline", [found]


def _of_change(fact: Fact) -> bool:
    names = fact.names.lower()
    return "update" in names or "modif" in names


def _row_of_headline(document: Document) -> int:
    """Returns the segment of the headline, -1 if there is none."""
    headline = texts_of_zone(document, _HEADLINE)
    return headline[0][0] if headline else -1


def _bylines(document: Document) -> list[str]:
    """Returns the segments of bylines, those first that are close to the headline."""
    row = _row_of_headline(document)
    found = texts_of_zone(document, _BYLINE)
    return [text for _, text in sorted(found, key=lambda each: abs(each[0] - row) if row >= 0 else 0)]


def _beside(document: Document) -> list[str]:
    """Returns the short segments around the headline."""
    row = _row_of_headline(document)
    return [] if row < 0 else short_texts(document, row - 5, row + 24, _SHORT)


def _modified(said: _Statements) -> Candidates:
    yield from said.json_of("dateModified")
    yield from said.meta_of(_MODIFIED)
    yield from said.items_of("datemodified")
    for fact in said.facts:
        if fact.kind == "time" and _of_change(fact):
            yield "time", [fact.value]


def _sites(said: _Statements) -> Candidates:
    yield from said.meta_of(_SITES[:1])
    yield from said.json_of("publisher")
    yield from said.meta_of(_SITES[1:])


def _canonical(said: _Statements) -> Candidates:
    if "canonical" in said.links:
        yield "link canonical", said.links["canonical"]
    yield from said.meta_of(("og:url",))


def _licences(said: _Statements) -> Candidates:
    yield from said.json_of("license")
    if "license" in said.links:
        yield "link license", said.links["license"]
    for fact in said.facts:
        if fact.kind == "licence" and fact.value:
            yield "a link", [fact.value]
    yield from said.meta_of(_LICENCES)


def _site(values: list[str]) -> str:
    name = plain_title(values[0]).strip(" |-–—·•:»«")
    return name if len(name) <= _LONGEST_NAME and "://" not in name else ""


def _date(values: list[str]) -> str:
    return next((found for value in values if (found := iso_date(value))), "")


def _address(value: str, url: str) -> str:
    found = value.strip()
    if not _HTTP.match(found):
        try:
            found = urljoin(url, found)
        except ValueError:
            return ""
    return found if _HTTP.match(found) and len(found) <= _LONGEST_URL else ""
