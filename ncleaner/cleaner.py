"""One page at a time: the way through the house that the engine and the Python API share."""

from __future__ import annotations

from pathlib import Path

from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.document.kept import Kept
from ncleaner.document.plain import dump_text
from ncleaner.limits import Limits
from ncleaner.methods.choice import load_method, make_method
from ncleaner.methods.comments import comment_segments
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.modelling.container import Stored
from ncleaner.modelling.decision import Preset
from ncleaner.page import Page
from ncleaner.sinks.text import kept_text

__all__ = ["Cleaner", "clean"]


class Cleaner:
    """Dumps pages and decides what of them to keep.

    Holds no state between pages: the same page gives the same text, whatever came before. One Cleaner may
    serve several threads. It pickles.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner(method="ngram", threshold="precision")
    >>> document = cleaner.document("<ul><li>Home<li>News</ul><p>The ferry will sail until the end of May.")
    >>> kept = cleaner.keep(document)
    >>> [str(segment) for segment in document if kept.mask[segment.index]]
    ['The ferry will sail until the end of May.']

    Args:
        method: `hybrid`, `ngram`, `victor`, `heuristics-only` or `everything`. The hybrid leaves plain text
            to the n-grams.
        model: a shipped model's name, a model file, a loaded model, or `auto` for a model per page by its
            language, also a directory of models of one's own that go first. Methods without a model ignore
            it.
        threshold: in bits, instead of the model's own: higher values remove more; or one of its presets,
            `precision` or `recall`.
        comments: keep the readers' comments below an article, as far as they are clean text.
        limits: bounds for one page.
        encoding: a WHATWG label that overrides what pages declare.
        alt_text: take in the alternative text of images.

    Raises:
        ValueError: no such method.
        ModelError: no such model, it cannot be read, or it has no such preset.
    """

    def __init__(
        self,
        method: str = DEFAULT_METHOD,
        model: str | Path | Stored = DEFAULT_MODEL,
        *,
        threshold: float | Preset | None = None,
        comments: bool = True,
        limits: Limits = Limits(),
        encoding: str | None = None,
        alt_text: bool = False,
    ) -> None:
        self.limits = limits
        self.encoding = encoding
        self.alt_text = alt_text
        self.comments = comments
        if isinstance(model, Stored):
            self.method = make_method(method, model, threshold)
        else:
            self.method = load_method(method, model, threshold)

    def document(self, html: bytes | str) -> Document:
        """Dumps one HTML page; nothing is removed yet."""
        return dump_html(html, encoding=self.encoding, limits=self.limits, alt_text=self.alt_text)

    def text_document(self, text: bytes | str) -> Document:
        """Makes a Document of one plain-text dump."""
        return dump_text(text, encoding=self.encoding, limits=self.limits)

    def keep(self, document: Document) -> Kept:
        """Which of a document's segments are clean: a mask, and scores where the method has them."""
        kept = self.method.keep(document)
        if self.comments:
            return kept
        return kept._replace(mask=kept.mask & ~comment_segments(document))

    def clean(self, html: bytes | str) -> str:
        """The clean text of one HTML page, a segment a line; empty when nothing is left.

        Raises:
            InputError: the page is above `limits.bytes` or `limits.segments`, or the encoding asked for is
                unknown.
        """
        document = self.document(html)
        return kept_text(document, self.keep(document)).decode()

    def page(self, page: Page) -> tuple[Document, Kept]:
        """Dumps and cleans a page of an archive, with what its HTTP header says of the encoding."""
        if page.kind == "text":
            document = dump_text(
                page.body, content_type=page.content_type, encoding=self.encoding, limits=self.limits
            )
        else:
            document = dump_html(
                page.body,
                content_type=page.content_type,
                encoding=self.encoding,
                limits=self.limits,
                alt_text=self.alt_text,
            )
        return document, self.keep(document)

    def __repr__(self) -> str:
        model = getattr(self.method, "model", None)
        return f"<Cleaner {self.method.name}{'' if model is None else f' {model!r}'}>"


_default: list[Cleaner] = []


def clean(html: bytes | str) -> str:
    """The clean text of one HTML page, by the default method and model.

    For other languages, methods or limits make a `Cleaner`.

    >>> import ncleaner
    >>> ncleaner.clean("<nav><a href=/>Home</a></nav><p>The ferry will sail until the end of May.</p>")
    'The ferry will sail until the end of May.'

    Args:
        html: the page as served, or decoded text.

    Returns:
        The kept segments, one a line; empty when nothing is left.

    Raises:
        InputError: the page is above the default limits.
    """
    if not _default:
        _default.append(Cleaner())
    return _default[0].clean(html)
