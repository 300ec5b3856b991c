"""One page at a time: from bytes to a Document to the segments that a method keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeAlias, cast, overload

import numpy as np

from ncleaner.arguments import check_flag, check_is, check_page, check_text, page_of
from ncleaner.document import Document
from ncleaner.document.kept import Kept, Remarks
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import ModelError, require
from ncleaner.markup import MarkupOptions, Spans
from ncleaner.methods.choice import load_method
from ncleaner.methods.language import find_language
from ncleaner.methods.ngram import has_other_letters
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling.container import ModelFile, language_of
from ncleaner.options import OptionError, check_names, options_of, with_hints
from ncleaner.page import Page, TextLayout
from ncleaner.recipe import AUTO_SITES, Recipe
from ncleaner.sinks.rows import segments_of
from ncleaner.sinks.sink import SinkOptions, replace_surrogates
from ncleaner.sinks.text import kept_text, posts_in

if TYPE_CHECKING:
    from ncleaner.describing.metadata import Metadata
    from ncleaner.describing.posts import Post
    from ncleaner.surveying.survey import Survey


P = ParamSpec("P")
# A page in memory: bytes as served, or decoded text.
Html: TypeAlias = bytes | bytearray | memoryview | str
# Characters that the `repr` of an `Extracted` shows of a title and of a text, and a notebook of the Markdown.
_SHOWN, _NOTEBOOK = 60, 20_000
# Decorates what callers may give options of other functions or programs.
hints = with_hints(Recipe)


def _taking(
    kind: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Decorates a function that takes the arguments of another one, for type checkers."""
    return lambda function: cast(Any, function)


class Extracted(NamedTuple):
    """What is kept of one page, and what is known of it; `extract` returns it.

    >>> import ncleaner
    >>> from pathlib import Path
    >>> found = ncleaner.extract(Path("examples/pages/harbour-gazette-ferry.html").read_bytes())
    >>> found.metadata.title, found.language, found.kind
    ('Winter ferry timetable to stay until May, council says', 'en', 'article')

    Attributes:
        text: the kept segments, one per line; empty if no segment is kept.
        markdown: the same as Markdown.
        metadata: title, authors, dates and so on.
        language: of the text, ISO 639-1, else ISO 639-3; empty if it is unknown.
        kind: the most probable kind of the page, such as `article` or `forum`; empty if the method does not
            judge it.
        quality: the estimated F1 of the text, 0 to 1; None without an estimate; see docs/quality.md.
        origin: where the text is from: `page` (what it shows), `state` (the data of its scripts) or `both`;
            empty without a text.
        encoding: of the page, by its name in the Encoding Standard; empty for decoded text.
        posts: the posts of a forum, a question with its answers, or comments, in the order of the text.
        segments: the segments of the text, as `SegmentRow`; None if they are not asked for.
    """

    text: str
    markdown: str
    metadata: Metadata
    language: str
    kind: str
    quality: float | None
    origin: str
    encoding: str
    posts: tuple[Post, ...] = ()
    segments: list[dict[str, Any]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns all of it in one level, as a row of a data frame; the metadata with their own names. Each
        key is always there; what is unknown is None. `schema` has the types."""
        row: dict[str, Any] = {}
        for name, value in self._asdict().items():
            row |= self.metadata.to_dict() if name == "metadata" else {name: value}
        texts = {"text": self.text, "markdown": self.markdown}
        posts = [post._asdict() for post in self.posts] or None
        return (
            {name: None if value in ("", []) else value for name, value in row.items()}
            | texts
            | {"posts": posts}
        )

    @staticmethod
    def schema() -> Any:
        """Returns the `pyarrow.Schema` of what `to_dict` returns. Raises InputError: pyarrow is not
        installed.

        >>> import ncleaner
        >>> ncleaner.Extracted.schema().field("authors").type
        ListType(list<item: string>)
        """
        require("a schema", "pyarrow", "parquet")
        from ncleaner.sinks.schema import schema_of_names

        return schema_of_names(nothing_extracted().to_dict())

    def __repr__(self) -> str:
        title, begin = (text[:_SHOWN] for text in (self.metadata.title, self.text))
        return f"<Extracted {title!r}: {self._about()}: {begin!r}…>"

    def _repr_markdown_(self) -> str:
        """Returns what a notebook shows."""
        return f"*{self._about()}*\n\n{self.markdown[:_NOTEBOOK]}"

    def _about(self) -> str:
        quality = "" if self.quality is None else f"quality {self.quality:.2f}"
        return ", ".join(filter(None, (self.kind, self.language, quality, f"{len(self.text):,} characters")))


def nothing_extracted() -> Extracted:
    """Returns what stands for a page that cannot be cleaned."""
    # imported lazily: rarely needed
    from ncleaner.describing.metadata import Metadata

    return Extracted("", "", Metadata(), "", "", None, "", "")


class Cleaner:
    """Dumps pages and decides which of their segments to keep.

    A Cleaner has no state between pages: the same page gives the same text, whatever came before. Several
    threads can share one Cleaner. A Cleaner pickles.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner(method="ngram", threshold="precision")
    >>> prose = "Nobody knows why the ferry was late again this morning, and those on the pier did not ask."
    >>> document = cleaner.document(f"<ul><li>Home<li>News</ul><p>{prose}")
    >>> kept = cleaner.keep(document)
    >>> [str(segment) for segment in document if kept.mask[segment.index]] == [prose]
    True

    Args:
        recipe: how pages are cleaned; without it, the arguments are those of `Recipe`.

    Attributes:
        recipe: how pages are cleaned.
        method: the method that decides.
        sites: the survey of sites, or None.

    Raises:
        TypeError: an argument has another type.
        ValueError: a value is out of range, options do not go together, or the loaded model is not for the
            method.
        InputError: the encoding is unknown.
        ModelError: the model or the survey does not exist or cannot be read, or the model has no such preset.
    """

    @overload
    def __init__(self, recipe: Recipe, /) -> None: ...
    @overload
    @_taking(Recipe)
    def __init__(self, recipe: Recipe) -> None: ...
    def __init__(self, *given: Any, **options: Any) -> None:
        if len(given) == 1 and isinstance(given[0], Recipe) and not options:
            self.recipe = given[0]
        else:
            check_names([each.name for each in options_of(Recipe)], options, "Cleaner")
            self.recipe = Recipe(*given, **options)
        recipe = self.recipe
        if recipe.learn is not None:
            raise OptionError("learn", "only `ncleaner clean` learns from its inputs: give a model")
        entry = entry_of(recipe.method)
        if recipe.encoding is not None:
            # raises for an unknown one
            dump_html(b"", encoding=recipe.encoding)
        self.sites = _survey_of(recipe, entry.needs_references)
        wishes = (recipe.threshold, recipe.news, recipe.parameters)
        if isinstance(recipe.model, ModelFile):
            self.method = entry.make(recipe.model, *wishes)
        else:
            self.method = load_method(recipe.method, recipe.model, *wishes)
        # None for a method without a model, or with one for each language
        used: ModelFile | None
        used = self._model = getattr(self.method, "model", None)
        if recipe.min_quality is not None and used is not None and not used.can_estimate:
            raise OptionError(
                "min_quality",
                "the model has a structure model of its own, which cannot estimate quality: use one with "
                "the shipped structure model, or leave min_quality out",
            )
        default = ZoneOptions.by_default(entry)
        self.wanted = ZoneOptions(
            default.headline if recipe.headline is None else recipe.headline,
            default.comments and not recipe.news if recipe.comments is None else recipe.comments,
            recipe.captions,
            recipe.notices,
            # who asks for pages without comments wants none of a discussion either
            recipe.news or recipe.comments is False,
        )
        self._languages = recipe.language.split(",") if recipe.language else []
        self._wants_facts = recipe.facts or recipe.respect_tdm
        self._model_name = used.name if used else ""
        self._ngrams = used.own_ngrams if used else None
        self._model_language = language_of(self._ngrams.about) if self._ngrams else ""

    def document(self, html: Html | Page, url: str = "") -> Document:
        """Dumps one page; nothing is removed yet. With its URL, it has what is known of its site.

        Raises as `clean` does.
        """
        return self._dump(html, url)

    def keep(self, document: Document) -> Kept:
        """Decides which segments of a document to keep; remarks the model and the language of the page."""
        return self._remark(document, self._decide(document))

    def _clean(self, html: Html | Page, url: str, named: bool = False, **how: Any) -> tuple[Document, Kept]:
        """The road of a page: dump it as `_dump` does, with what is known of its site; decide; remark;
        restrict. The language and the model are remarked of a `Page`, and with `named`; only a `Page` is
        compared with others."""
        document = self._dump(html, url, **how)
        if not isinstance(html, Page):
            return document, self.keep(document) if named else self._decide(document)
        sites = self.sites
        first = sites.duplicate_of(html) if sites is not None and sites.contents.duplicates else ""
        if first and self.recipe.drop_duplicates:
            found = find_language(document)
            return document, _nothing(
                document, language=found.language, language_score=found.score, duplicate_of=first,
                left_out="duplicate",
            )  # fmt: skip
        kept = self._remark(document, self._decide(document, html.rights))
        return document, self._restrict(html, document, kept.remarked(duplicate_of=first) if first else kept)

    def _dump(
        self, html: Html | Page, url: str, marks: bool = False, facts: bool = False, dumped: Any = None
    ) -> Document:
        """Returns a document with what is known of its site; `dumped` without it, if there is one already."""
        document: Document = dumped
        if dumped is None:
            document = _dump(html, url, self.recipe, marks=marks, facts=facts or self._wants_facts)
        if self.sites is None or not (url := _address(html, url)):
            return document
        return replace(document, site=self.sites.look_up(url, document))

    def _decide(self, document: Document, header: str = "") -> Kept:
        """Decides as the method does, where the user wants the page; `header` says how it may be used."""
        if self.recipe.respect_tdm:
            # imported lazily: rarely needed
            from ncleaner.describing.rights import rights_of

            if rights_of(document, header).reserved:
                return _nothing(document, left_out="reserved")
        if self._languages and (found := find_language(document)).language not in self._languages:
            return _nothing(document, language=found.language, language_score=found.score, left_out="foreign")
        kept = self.wanted.applied(document, self.method.keep(document))
        if kept.estimate is None:
            return kept
        quality = round(kept.estimate(document, kept), 3) if len(document) else None
        least = self.recipe.min_quality
        if quality is not None and least is not None and quality < least and np.count_nonzero(kept.mask):
            kept = kept._replace(mask=np.zeros_like(kept.mask)).remarked(left_out="doubtful")
        # without the model, which is large to pickle
        return kept._replace(quality=quality, estimate=None)

    def _remark(self, document: Document, kept: Kept) -> Kept:
        """Returns a decision with the model and the language of the page."""
        if kept.remarks.model or kept.remarks.left_out == "foreign":
            return kept
        # the method has one model for all pages, or none
        found = find_language(document)
        language = found.language
        unfamiliar = kept.remarks.unfamiliar
        # looking at letters takes time: a page in the model's language does without
        if not unfamiliar and self._ngrams is not None and self._model_language not in (language, "any"):
            unfamiliar = has_other_letters(self._ngrams, document)
        return kept.remarked(
            model=self._model_name, language=language, unfamiliar=unfamiliar, language_score=found.score
        )

    def _restrict(self, page: Page, document: Document, kept: Kept) -> Kept:
        """Returns a decision without what earlier pages have, by the survey of sites."""
        sites = self.sites
        if sites is None or not sites.contents.paragraphs:
            return kept
        kept = kept._replace(seen=sites.shares_seen(page, document, kept.mask))
        return kept.without_seen() if self.recipe.drop_seen else kept

    @hints
    def clean(self, html: Html | Page, url: str = "") -> str:
        """Returns the clean text of one page, one segment per line; empty if no segment is kept.

        Args:
            html: the page: bytes as served, decoded text, or a `Page`. See `ncleaner.clean`.
            url: its address, for a cleaner with a survey of sites.

        Warns:
            InputWarning: the text looks like the path or the address of a page.

        Raises:
            TypeError: `html` is no page, but a path, an open file, a list, None ...
            InputError: the page exceeds `limits.bytes` or `limits.segments`, or is a binary file.
            ModelError: the survey of sites is damaged.
        """
        return kept_text(*self._clean(html, url)).decode()

    @hints
    def extract(
        self,
        html: Html | Page,
        url: str = "",
        *,
        links: bool = False,
        images: bool = False,
        spans: Spans = "merge",
        segments: bool = False,
    ) -> Extracted:
        """Returns text, Markdown, metadata, posts, language and kind of one HTML page, which is parsed once.

        Arguments and errors as for `markdown`. With `segments`, it has the segments, too.
        """
        check_flag("segments", segments)
        options = MarkupOptions(links, images, spans)
        document, kept = self._clean(html, url, marks=True, facts=True, named=True)
        url = _address(html, url)
        return Extracted(
            text=kept_text(document, kept).decode(),
            markdown=_markup().markdown_of(document, kept, options, url).decode(),
            metadata=_said_by(document, url),
            language=kept.remarks.language,
            kind=kept.kind,
            quality=kept.quality,
            origin=document.origin(kept.mask),
            encoding=document.encoding,
            posts=tuple(posts_in(document, kept, url)),
            segments=segments_of(document, kept, SinkOptions()) if segments else None,
        )

    @hints
    def metadata(self, html: Html | Page, url: str = "") -> Metadata:
        """Returns the metadata of one HTML page: title, authors, dates and so on.

        `extract` gives the text, too.

        Args:
            html: the page, as for `clean`.
            url: its address, for relative addresses in it and for the date in it.

        Raises as `clean` does.
        """
        return _metadata(html, url, self.recipe)

    @hints
    def markdown(
        self,
        html: Html | Page,
        url: str = "",
        *,
        links: bool = False,
        images: bool = False,
        spans: Spans = "merge",
        metadata: bool = False,
    ) -> str:
        """Returns what is kept of one HTML page as Markdown; empty if no segment is kept.

        >>> import ncleaner
        >>> cleaner = ncleaner.Cleaner("heuristics-only")
        >>> print(cleaner.markdown("<h2>Late</h2><p>The ferry <b>sails</b> until May, as it did in 1998."))
        # Late
        <BLANKLINE>
        The ferry **sails** until May, as it did in 1998.

        Args:
            html: the page, as for `clean`.
            url: its address, which makes those of links and images absolute.
            links: write the targets of links.
            images: write images.
            spans: what becomes of a cell over several columns or rows: see `Spans`.
            metadata: begin with the metadata of the page, as YAML; see `front_matter_of`.

        Raises as `clean` does, and ValueError for other `spans`.
        """
        check_flag("metadata", metadata)
        options = MarkupOptions(links, images, spans)
        document, kept = self._clean(html, url, marks=True, facts=metadata or images, named=metadata)
        url = _address(html, url)
        text: str = _markup().markdown_of(document, kept, options, url).decode()
        if not (metadata and text):
            return text
        # few ask for it, and it imports parsers of dates and addresses
        from ncleaner.sinks.marked import front_matter_of

        page = html._replace(url=url) if isinstance(html, Page) else Page(b"", url)
        return f"{front_matter_of(page, document, kept).decode()}\n{text}"

    @hints
    def html(
        self,
        html: Html | Page,
        url: str = "",
        *,
        links: bool = False,
        images: bool = False,
        spans: Spans = "merge",
    ) -> str:
        """Returns what is kept of one HTML page as a fragment of clean HTML; empty if no segment is kept.

        Arguments and errors as for `markdown`.
        """
        options = MarkupOptions(links, images, spans)
        document, kept = self._clean(html, url, marks=True, facts=images)
        return bytes(_markup().html_of(document, kept, options, _address(html, url))).decode()

    def page(self, page: Page, dumped: Document | None = None) -> tuple[Document, Kept]:
        """Cleans a page of an archive; its HTTP header counts for the encoding.

        Args:
            page: the page.
            dumped: its dump, if there is one already.
        """
        check_is("page", page, Page, "a Page, such as `pages` yields: `clean` takes bytes and str")
        return self._clean(page, "", dumped=dumped)

    def __repr__(self) -> str:
        return f"<Cleaner {self.method.name}{'' if self._model is None else f' {self._model!r}'}>"


def _survey_of(recipe: Recipe, references: bool) -> Survey | None:
    """Returns the survey of sites, if one is given; with pages of theirs if the method needs references.

    Raises ValueError or ModelError: it cannot be read, or lacks what the recipe takes of it.
    """
    sites = recipe.sites
    if sites is None:
        return None
    # imported lazily: rarely needed
    from ncleaner.surveying.survey import Survey

    if sites == AUTO_SITES:
        raise OptionError("sites", "only `ncleaner clean` makes a survey itself: give the file of one")
    found = sites if isinstance(sites, Survey) else Survey(sites, references)
    for wanted, known, what in (
        (recipe.drop_seen, found.contents.paragraphs, "paragraphs"),
        (recipe.drop_duplicates, found.contents.duplicates, "duplicates"),
    ):
        if wanted and not known:
            raise ModelError(f"the survey {found.path} has no {what}: make it again with `survey --{what}`")
    return found


def _address(html: object, url: str) -> str:
    """Returns the address of a page: that which is given, or its own."""
    return html.url if not url and isinstance(html, Page) else url


def _markup() -> Any:
    """Returns the module that writes Markdown and HTML; imported lazily: rarely needed."""
    from ncleaner.markup import render

    return render


def _nothing(document: Document, **remarks: Any) -> Kept:
    """Returns the decision to keep nothing, with these remarks."""
    return Kept(np.zeros(len(document), np.bool_), remarks=Remarks(**remarks))


def _dump(
    html: Html | Page, url: str, recipe: Recipe, *, marks: bool = False, facts: bool = False
) -> Document:
    """Dumps a page; one of an archive by its kind and its HTTP header. Raises as `clean` does."""
    check_is("url", url, str, "an address as str")
    # what both dumps take
    shared: dict[str, Any] = {
        "content_type": html.content_type if isinstance(html, Page) else "",
        "encoding": recipe.encoding,
        "limits": recipe.limits,
        "sources": recipe.sources,
    }
    if not isinstance(html, Page):
        page = page_of(html, recipe.encoding)
    else:
        page = html.body
        if not html.source:
            # not read by `pages`
            check_page(html)
            # which passes such files over
            check_text(page, recipe.encoding or html.content_type)
        if html.kind == "text":
            return dump_text(page, layout=_layout(html, recipe.text), **shared)
    alt_text, readings, marks = recipe.alt_text, recipe.readings, marks or recipe.marks
    return dump_html(page, alt_text=alt_text, readings=readings, facts=facts, marks=marks, **shared)


def _layout(page: Page, wanted: str) -> str | TextLayout:
    """Returns the layout in which a text is read: what the user says, or what the reader knows."""
    if page.layout is None:
        return wanted
    return page.layout if wanted == "auto" else page.layout._replace(name=wanted)


_default: list[Cleaner] = []


@hints
def clean(html: Html | Page) -> str:
    """Returns the clean text of one page, by the default method and the model of its language.

    Use a `Cleaner` for other methods, models or limits.

    >>> import ncleaner
    >>> ncleaner.clean("<nav><a href=/>Home</a></nav><p>The ferry will sail until the end of May.</p>")
    'The ferry will sail until the end of May.'

    A file is read before: `clean(Path("page.html").read_bytes())`. Give bytes rather than decoded text where
    there are bytes: the encoding is then found as browsers find it. `pages` reads archives, files and
    addresses, and gives each `Page`. Make one yourself where you know the HTTP header, or of plain text:

        ncleaner.clean(ncleaner.Page(body, url, content_type=header))
        ncleaner.clean(ncleaner.Page(text.encode(), kind="text"))

    Nulls of a data frame (None, NaN, NA) are no pages, and raise TypeError; an empty text is a page without
    text. `clean_many` cleans a column with all cores, and no PDF or null in it ends it:

        frame["text"] = list(ncleaner.clean_many(frame["html"], errors="empty"))

    Args:
        html: the page: bytes as served (bytes, bytearray or memoryview), decoded text, or a `Page`.

    Returns:
        The kept segments, one per line; empty if no segment is kept.

    Warns:
        InputWarning: the text looks like the path or the address of a page: one line without markup that
            names a file, or has the form of a URL. It is cleaned as the text that it is.

    Raises:
        TypeError: `html` is no page, but a path, an open file, a list, None ...
        InputError: the page exceeds the default limits, or is a binary file, such as a PDF, an image or
            compressed data; the message says which.
    """
    return _default_cleaner().clean(html)


@hints
def extract(
    html: Html | Page,
    url: str = "",
    *,
    links: bool = False,
    images: bool = False,
    spans: Spans = "merge",
    segments: bool = False,
) -> Extracted:
    """Returns text, Markdown, metadata, posts, language and kind of one HTML page, which is parsed once.

    Use a `Cleaner` for other methods, models or limits.

    >>> import ncleaner
    >>> page = "<title>Back</title><meta name=author content='Ann Lee'><h1>Back</h1>"
    >>> found = ncleaner.extract(page + "<p>The ferry <b>will sail</b> until the end of May.")
    >>> found.text.splitlines()[-1], found.metadata.authors
    ('The ferry will sail until the end of May.', ('Ann Lee',))
    >>> print(found.markdown.splitlines()[-1])
    The ferry **will sail** until the end of May.

    Args:
        html: the page: bytes as served, decoded text, or a `Page`. See `clean`.
        url: its address, for relative addresses in it and for the date in it.
        links: write the targets of links into the Markdown.
        images: write images.
        spans: what becomes of a cell over several columns or rows: see `Spans`.
        segments: list the segments, each with its kind, its place in the text and the headings above it.

    Warns and raises as `clean` does, and ValueError for other `spans`.
    """
    return _default_cleaner().extract(html, url, links=links, images=images, spans=spans, segments=segments)


def _default_cleaner() -> Cleaner:
    if not _default:
        _default.append(Cleaner())
    return _default[0]


@hints
def metadata(html: Html | Page, url: str = "") -> Metadata:
    """Returns the metadata of one HTML page: title, authors, dates and so on.

    >>> import ncleaner
    >>> page = "<title>The ferry is back | Gazette</title><meta property=og:site_name content=Gazette>"
    >>> found = ncleaner.metadata(page + "<meta name=author content='Ann Lee'>")
    >>> found.title, found.authors
    ('The ferry is back', ('Ann Lee',))

    Args:
        html: the page: bytes as served, decoded text, or a `Page`. See `clean`.
        url: its address, for relative addresses in it and for the date in it.

    Warns and raises as `clean` does.
    """
    return _metadata(html, url, Recipe())


def _metadata(html: Html | Page, url: str, recipe: Recipe) -> Metadata:
    return _said_by(_dump(html, url, recipe, facts=True), _address(html, url))


def _said_by(document: Document, url: str) -> Metadata:
    # imported lazily: rarely needed, imports parsers of dates and addresses
    from ncleaner.describing.metadata import metadata_of

    return metadata_of(document, replace_surrogates(url))
