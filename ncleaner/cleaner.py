"""One page at a time: from bytes to a Document to the segments that a method keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, cast, overload

from ncleaner.arguments import check_flag, check_is, page_of
from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.document.kept import Kept
from ncleaner.document.plain import dump_text
from ncleaner.markup import MarkupOptions, Spans
from ncleaner.methods.choice import load_method, make_method
from ncleaner.methods.language import page_language
from ncleaner.methods.ngram import has_other_letters
from ncleaner.methods.table import entry_of
from ncleaner.methods.zones import Wanted
from ncleaner.modelling.container import Stored
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Page, TextLayout
from ncleaner.recipe import Recipe
from ncleaner.sinks.text import kept_text

if TYPE_CHECKING:
    from ncleaner.describing.metadata import Metadata
    from ncleaner.surveying.survey import Survey

__all__ = ["Cleaner", "clean", "metadata"]

P = ParamSpec("P")


def _taking(
    kind: Callable[P, object],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Decorates a function that takes the arguments of another one, for type checkers."""
    return lambda function: cast(Any, function)


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
            self.recipe = Recipe(*given, **options)
        recipe = self.recipe
        entry = entry_of(recipe.method)
        if recipe.encoding is not None:
            # raises for an unknown one
            dump_html(b"", encoding=recipe.encoding)
        self.sites: Survey | None = None
        if recipe.sites is not None:
            # only here, since most cleaners have no survey
            from ncleaner.surveying.survey import Survey

            sites = recipe.sites
            self.sites = sites if isinstance(sites, Survey) else Survey(sites, entry.needs_references)
        wishes = (recipe.threshold, recipe.news, recipe.parameters)
        if isinstance(recipe.model, Stored):
            self.method = make_method(recipe.method, recipe.model, *wishes)
        else:
            self.method = load_method(recipe.method, recipe.model, *wishes)
        headline = entry.keeps_headline or None if recipe.headline is None else recipe.headline
        comments = recipe.comments and not recipe.news
        self.wanted = Wanted(headline, comments, recipe.captions, recipe.notices)
        used = getattr(self.method, "model", None)
        self._model_name = str(getattr(used, "name", ""))
        # n-grams alone, or those of a hybrid
        ngrams = getattr(used, "ngrams", used)
        self._ngrams = ngrams if isinstance(ngrams, NGramModel) else None
        self._model_language = str(self._ngrams.about.get("language", "")) if self._ngrams else ""

    def document(self, html: bytes | str, url: str = "") -> Document:
        """Dumps one HTML page; nothing is removed yet. With its URL, it has what is known of its site.

        Raises as `clean` does.
        """
        return self._dumped(html, url, 4)

    def _dumped(
        self, html: bytes | str, url: str, callers: int, marks: bool = False, facts: bool = False
    ) -> Document:
        check_is("url", url, str, "an address as str")
        recipe = self.recipe
        document = dump_html(
            page_of(html, callers),
            encoding=recipe.encoding,
            limits=recipe.limits,
            alt_text=recipe.alt_text,
            facts=facts or recipe.facts,
            marks=marks or recipe.marks,
        )
        return self._with_site(document, url)

    def _with_site(self, document: Document, url: str) -> Document:
        if self.sites is None or not url:
            return document
        return replace(document, site=self.sites.look_up(url, document))

    def keep(self, document: Document) -> Kept:
        """Decides which segments of a document to keep; remarks the model and the language of the page."""
        kept = self._decided(document)
        if kept.remarks.model:
            return kept
        # the method has one model for all pages, or none
        language = page_language(document)
        return kept.remarked(
            model=self._model_name,
            language=language,
            unfamiliar=kept.remarks.unfamiliar or self._has_other_letters(document, language),
        )

    def _has_other_letters(self, document: Document, language: str) -> bool:
        # looking at letters takes time: a page in the model's language needs none of it
        if self._ngrams is None or self._model_language in (language, "any"):
            return False
        return has_other_letters(self._ngrams, document)

    def _decided(self, document: Document) -> Kept:
        return self.wanted.applied(document, self.method.keep(document))

    def clean(self, html: bytes | str, url: str = "") -> str:
        """Returns the clean text of one HTML page, one segment per line; empty if no segment is kept.

        Args:
            html: the page: bytes as served, or decoded text. See `ncleaner.clean`.
            url: its address, for a cleaner with a survey of sites.

        Warns:
            InputWarning: the text looks like the path or the address of a page.

        Raises:
            TypeError: `html` is no page, but a path, an open file, a list, None ...
            InputError: the page exceeds `limits.bytes` or `limits.segments`.
            ModelError: the survey of sites is damaged.
        """
        return self._text(html, url, 5)

    def _text(self, html: bytes | str, url: str, callers: int) -> str:
        document = self._dumped(html, url, callers)
        return kept_text(document, self._decided(document)).decode()

    def metadata(self, html: bytes | str, url: str = "") -> Metadata:
        """Returns the metadata of one HTML page: title, authors, dates and so on.

        For its text, too, give a Document of a `Cleaner(facts=True)` to `keep` and to
        `ncleaner.describing.metadata.metadata_of`: the page is then parsed once.

        Args:
            html: the page: bytes as served, or decoded text.
            url: its address, for relative addresses in it and for the date in it.

        Raises as `clean` does.
        """
        return _said_by(page_of(html, 3), url, self.recipe)

    def markdown(
        self,
        html: bytes | str,
        url: str = "",
        *,
        links: bool = False,
        images: bool = False,
        spans: Spans = "merge",
        front_matter: bool = False,
    ) -> str:
        """Returns what is kept of one HTML page as Markdown; empty if no segment is kept.

        >>> import ncleaner
        >>> cleaner = ncleaner.Cleaner("heuristics-only")
        >>> print(cleaner.markdown("<h2>Late</h2><p>The ferry <b>sails</b> until May, as it did in 1998."))
        ## Late
        <BLANKLINE>
        The ferry **sails** until May, as it did in 1998.

        Args:
            html: the page, as for `clean`.
            url: its address, which makes those of links and images absolute.
            links: write the targets of links.
            images: write images.
            spans: what becomes of a cell over several columns or rows: `merge` writes its text once, `repeat`
                in each of them.
            front_matter: begin with the metadata of the page, as YAML; see `front_matter_of`.

        Raises as `clean` does, and ValueError for other `spans`.
        """
        # a text takes none of it
        from ncleaner.markup.render import markdown_of

        check_flag("front_matter", front_matter)
        options = MarkupOptions(links, images, spans)
        document = self._dumped(html, url, 5, marks=True, facts=front_matter)
        kept = self.keep(document) if front_matter else self._decided(document)
        text = markdown_of(document, kept, options, url).decode()
        if not (front_matter and text):
            return text
        # few ask for it, and it imports parsers of dates and addresses
        from ncleaner.sinks.marked import front_matter_of

        return f"{front_matter_of(Page(b'', url), document, kept).decode()}\n{text}"

    def html(
        self,
        html: bytes | str,
        url: str = "",
        *,
        links: bool = False,
        images: bool = False,
        spans: Spans = "merge",
    ) -> str:
        """Returns what is kept of one HTML page as a fragment of clean HTML; empty if no segment is kept.

        Arguments and errors as for `markdown`.
        """
        from ncleaner.markup.render import html_of

        options = MarkupOptions(links, images, spans)
        document = self._dumped(html, url, 5, marks=True)
        return html_of(document, self._decided(document), options, url).decode()

    def page(self, page: Page) -> tuple[Document, Kept]:
        """Dumps and cleans a page of an archive; its HTTP header counts for the encoding."""
        check_is("page", page, Page, "a Page, such as `pages` yields")
        recipe = self.recipe
        if page.kind == "text":
            document = dump_text(
                page.body,
                content_type=page.content_type,
                encoding=recipe.encoding,
                limits=recipe.limits,
                layout=self._layout(page),
            )
        else:
            document = dump_html(
                page.body,
                content_type=page.content_type,
                encoding=recipe.encoding,
                limits=recipe.limits,
                alt_text=recipe.alt_text,
                facts=recipe.facts,
                marks=recipe.marks,
            )
        document = self._with_site(document, page.url)
        kept = self.keep(document)
        if self.sites is not None and self.sites.duplicates:
            kept = kept.remarked(duplicate_of=self.sites.duplicate_of(page))
        return document, kept

    def _layout(self, page: Page) -> str | TextLayout:
        """Returns the layout in which a text is read: what the user says, or what the reader knows."""
        wanted = self.recipe.text
        if page.layout is None:
            return wanted
        return page.layout if wanted == "auto" else replace(page.layout, name=wanted)

    def __repr__(self) -> str:
        model = getattr(self.method, "model", None)
        return f"<Cleaner {self.method.name}{'' if model is None else f' {model!r}'}>"


_default: list[Cleaner] = []


def clean(html: bytes | str) -> str:
    """Returns the clean text of one HTML page, by the default method and the model of its language.

    Use a `Cleaner` for other methods, models or limits.

    >>> import ncleaner
    >>> ncleaner.clean("<nav><a href=/>Home</a></nav><p>The ferry will sail until the end of May.</p>")
    'The ferry will sail until the end of May.'

    A file is read before: `clean(Path("page.html").read_bytes())`. Give bytes rather than decoded text where
    there are bytes: the encoding is then found as browsers find it. `pages` reads archives, files and
    addresses.

    Nulls of a data frame (None, NaN, NA) are no pages, and raise TypeError; an empty text is a page without
    text. Leave them out, or pass them on:

        frame["text"] = frame["html"].dropna().map(ncleaner.clean)      # null where there is no page
        frame["text"] = frame["html"].map(ncleaner.clean, na_action="ignore")           # the same

    Args:
        html: the page: bytes as served (bytes, bytearray or memoryview), or decoded text.

    Returns:
        The kept segments, one per line; empty if no segment is kept.

    Warns:
        InputWarning: the text looks like the path or the address of a page: one line without markup that
            names a file, or has the form of a URL. It is cleaned as the text that it is.

    Raises:
        TypeError: `html` is no page, but a path, an open file, a list, None ...
        InputError: the page exceeds the default limits.
    """
    if not _default:
        _default.append(Cleaner())
    return _default[0]._text(html, "", 5)


def metadata(html: bytes | str, url: str = "") -> Metadata:
    """Returns the metadata of one HTML page: title, authors, dates and so on.

    >>> import ncleaner
    >>> page = "<title>The ferry is back | Gazette</title><meta property=og:site_name content=Gazette>"
    >>> found = ncleaner.metadata(page + "<meta name=author content='Ann Lee'>")
    >>> found.title, found.authors
    ('The ferry is back', ('Ann Lee',))

    Args:
        html: the page: bytes as served, or decoded text. See `clean`.
        url: its address, for relative addresses in it and for the date in it.

    Warns and raises as `clean` does.
    """
    return _said_by(page_of(html, 3), url, Recipe())


def _said_by(html: bytes | str, url: str, recipe: Recipe) -> Metadata:
    # few runs ask for it, and it imports parsers of dates and addresses
    from ncleaner.describing.metadata import metadata_of

    check_is("url", url, str, "an address as str")
    document = dump_html(html, encoding=recipe.encoding, limits=recipe.limits, facts=True)
    return metadata_of(document, url)
