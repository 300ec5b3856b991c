"""One page at a time: from bytes to a Document to the segments that a method keeps."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ncleaner.arguments import check_choice, check_flag, check_is, check_number, page_of
from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.document.kept import Kept
from ncleaner.document.plain import dump_text
from ncleaner.limits import Limits
from ncleaner.markup.options import SPANS, MarkupOptions, Spans
from ncleaner.markup.render import html_of, markdown_of
from ncleaner.methods.base import Value
from ncleaner.methods.choice import load_method, make_method
from ncleaner.methods.language import page_language
from ncleaner.methods.ngram import has_other_letters
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL, METHODS, entry_of
from ncleaner.methods.zones import Wanted
from ncleaner.modelling.container import Stored
from ncleaner.modelling.decision import PRESETS, Preset
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import LAYOUT_CHOICES, Page, TextLayout
from ncleaner.sinks.text import kept_text

if TYPE_CHECKING:
    from ncleaner.describing.metadata import Metadata
    from ncleaner.surveying.survey import Survey

__all__ = ["Cleaner", "clean", "metadata"]

# Those that a model has besides its own threshold, which is the balanced one.
_PRESETS = [name for name in PRESETS if name != "balanced"]


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
        method: name of a cleaning method; `ncleaner clean --help` lists them.
        model: `auto`, a model per page by its language, the user's own first (`ncleaner models`); `shipped`,
            the same without the user's own; a directory, `auto` with the models of that directory first; or
            one model for all pages: its name, its file, or a loaded model. Methods without a model ignore it.
        threshold: in bits, instead of the model's own; a higher value removes more. Or a preset of the model:
            `precision` or `recall`.
        headline: keep the headline of each page with clean text; False removes it. By default the methods
            `hybrid` and `ngram` keep it, and all others decide by themselves.
        comments: False removes the readers' comments, unless they are the page, as in a forum.
        captions: False removes the captions of pictures and tables.
        news: all pages are articles: `hybrid` judges each as one, and readers' comments are removed as with
            `comments=False`. Plain text has no structure, so nothing changes for it.
        notices: keep the text of pages that hold nothing but a notice, such as an error message or a cookie
            wall. By default such a page gives no text; only the method `hybrid` finds them, on HTML pages.
        parameters: {name: value} of the method's parameters that differ from the defaults; `ncleaner methods
            NAME` lists them.
        sites: a survey of sites, or its file (`ncleaner survey`): `hybrid` removes what is on many pages of a
            site. It is used for pages whose URL is known.
        limits: bounds for one page.
        encoding: WHATWG label of the encoding, instead of what pages declare.
        alt_text: include the alternative text of images.
        facts: collect what HTML pages say of themselves, too (`Document.facts`), for `metadata_of`.
        marks: fill the table of marks of HTML pages, too, which Markdown and HTML need.
        text: the layout of plain text: `lines` (a paragraph on each line), `paragraphs` (between empty
            lines), `wrapped` (as by Lynx or in mail), or `auto`: as the lines of each text tell.

    Raises:
        TypeError: an argument has another type.
        ValueError: there is no such method, preset or layout, the loaded model is not for the method, the
            threshold is no number, or a parameter is unknown or out of range.
        InputError: there is no such encoding.
        ModelError: there is no such model, it cannot be read, or it has no such preset; or there is no such
            survey.
    """

    def __init__(
        self,
        method: str = DEFAULT_METHOD,
        model: str | Path | Stored = DEFAULT_MODEL,
        *,
        threshold: float | Preset | None = None,
        headline: bool | None = None,
        comments: bool = True,
        captions: bool = True,
        news: bool = False,
        notices: bool = False,
        parameters: Mapping[str, Value] = MappingProxyType({}),
        sites: str | Path | Survey | None = None,
        limits: Limits = Limits(),
        encoding: str | None = None,
        alt_text: bool = False,
        facts: bool = False,
        marks: bool = False,
        text: str = "auto",
    ) -> None:
        check_is("method", method, str, f"the name of a method ({', '.join(METHODS)})")
        entry = entry_of(method)
        check_is("model", model, (str, os.PathLike, Stored), "a name, a path or a loaded model")
        if isinstance(threshold, str):
            check_choice("threshold", threshold, _PRESETS)
        elif threshold is not None:
            check_number("threshold", threshold, f"a number of bits, {' or '.join(map(repr, _PRESETS))}")
        if headline is not None:
            check_flag("headline", headline)
        for name, flag in (
            ("comments", comments), ("captions", captions), ("news", news), ("notices", notices),
            ("alt_text", alt_text), ("facts", facts), ("marks", marks),
        ):  # fmt: skip
            check_flag(name, flag)
        check_is("parameters", parameters, Mapping, "a mapping {name: value}")
        if sites is not None:
            # only here, since most cleaners have no survey
            from ncleaner.surveying.survey import Survey

            check_is("sites", sites, (str, os.PathLike, Survey), "a survey or its path")
        check_is("limits", limits, Limits, "Limits(…)")
        if encoding is not None:
            check_is("encoding", encoding, str, "the name of an encoding")
            # raises for an unknown one
            dump_html(b"", encoding=encoding)
        check_choice("text", text, LAYOUT_CHOICES)
        self.limits = limits
        self.text = text
        if entry.needs_references and sites is None:
            raise ValueError(f"the method {method} needs `sites`, a survey with references")
        if isinstance(sites, str | os.PathLike):
            sites = Survey(sites, entry.needs_references)
        self.sites = sites
        self.encoding = encoding
        self.alt_text = alt_text
        self.facts = facts
        self.marks = marks
        keeps = entry.keeps_headline or None
        keep_headline = keeps if headline is None else headline
        self.wanted = Wanted(keep_headline, comments and not news, captions, notices)
        if isinstance(model, Stored):
            self.method = make_method(method, model, threshold, news, parameters)
        else:
            self.method = load_method(method, model, threshold, news, parameters)
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
        given = page_of(html, callers)
        document = dump_html(
            given,
            encoding=self.encoding,
            limits=self.limits,
            alt_text=self.alt_text,
            facts=facts or self.facts,
            marks=marks or self.marks,
        )
        return self._with_site(document, url)

    def _with_site(self, document: Document, url: str) -> Document:
        if self.sites is None or not url:
            return document
        return replace(document, site=self.sites.look_up(url, document))

    def text_document(self, text: bytes | str) -> Document:
        """Reads one plain-text dump as a Document."""
        return dump_text(page_of(text, 3), encoding=self.encoding, limits=self.limits, layout=self.text)

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
        """Returns what one HTML page says of itself: title, authors, dates and so on.

        For its text, too, give a Document of a `Cleaner(facts=True)` to `keep` and to
        `ncleaner.describing.metadata.metadata_of`: the page is then parsed once.

        Args:
            html: the page: bytes as served, or decoded text.
            url: its address, for relative addresses in it and for the date in it.

        Raises as `clean` does.
        """
        return _said_by(page_of(html, 3), url, self.encoding, self.limits)

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
            front_matter: begin with what the page says of itself, as YAML; see `front_matter_of`.

        Raises as `clean` does, and ValueError for other `spans`.
        """
        check_flag("front_matter", front_matter)
        document, text = self._marked_up(html, url, markdown_of, links, images, spans, front_matter)
        if not (front_matter and text):
            return text
        # few ask for it, and it imports parsers of dates and addresses
        from ncleaner.sinks.front_matter import front_matter_of

        front = front_matter_of(Page(b"", url), document, self.keep(document))
        return f"{front.decode()}\n{text}"

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
        return self._marked_up(html, url, html_of, links, images, spans)[1]

    def _marked_up(
        self,
        html: bytes | str,
        url: str,
        write: Callable[[Document, Kept, MarkupOptions, str], bytes],
        links: bool,
        images: bool,
        spans: Spans,
        facts: bool = False,
    ) -> tuple[Document, str]:
        check_flag("links", links)
        check_flag("images", images)
        check_choice("spans", spans, SPANS)
        document = self._dumped(html, url, 6, True, facts)
        options = MarkupOptions(links, images, spans)
        return document, write(document, self._decided(document), options, url).decode()

    def page(self, page: Page) -> tuple[Document, Kept]:
        """Dumps and cleans a page of an archive; its HTTP header counts for the encoding."""
        check_is("page", page, Page, "a Page, such as `pages` yields")
        if page.kind == "text":
            document = dump_text(
                page.body,
                content_type=page.content_type,
                encoding=self.encoding,
                limits=self.limits,
                layout=self._layout(page),
            )
        else:
            document = dump_html(
                page.body,
                content_type=page.content_type,
                encoding=self.encoding,
                limits=self.limits,
                alt_text=self.alt_text,
                facts=self.facts,
                marks=self.marks,
            )
        document = self._with_site(document, page.url)
        kept = self.keep(document)
        if self.sites is not None and self.sites.duplicates:
            kept = kept.remarked(duplicate_of=self.sites.duplicate_of(page))
        return document, kept

    def _layout(self, page: Page) -> str | TextLayout:
        """Returns the layout in which a text is read: what the user says, or what the reader knows."""
        if page.layout is None:
            return self.text
        return page.layout if self.text == "auto" else replace(page.layout, name=self.text)

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
    """Returns what one HTML page says of itself: title, authors, dates and so on.

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
    return _said_by(page_of(html, 3), url)


def _said_by(html: bytes | str, url: str, encoding: str | None = None, limits: Limits = Limits()) -> Metadata:
    # few runs ask for it, and it imports parsers of dates and addresses
    from ncleaner.describing.metadata import metadata_of

    check_is("url", url, str, "an address as str")
    return metadata_of(dump_html(html, encoding=encoding, limits=limits, facts=True), url)
