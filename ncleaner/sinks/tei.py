"""TEI: XML of the Text Encoding Initiative (P5), one corpus for each output."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from itertools import groupby

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.sinks.corpus import CELL, Element, Fields, elements_of, escaped, plain, sentences_in, value
from ncleaner.sinks.sink import Sink, SinkOptions, Writable, capture_time

_LANGUAGE = re.compile(r"[a-z]{2,3}")


class TeiSink(Sink):
    """A `<teiCorpus>` with a `<TEI>` for each page with clean text.

    An output without any has a header only: parsers of XML read it, but TEI-all wants at least one text.

    A heading begins a `<div>`, with the text up to the next heading; `<p>`, `<list>` and `<table>` hold the
    rest. A line break within a segment is `<lb/>`. The header of a page has its title, its authors, its
    dates, its site and its licence as far as the page says them (with the option `metadata`), its address,
    and the day of the capture; with a `table`, its columns are notes. With `sentences`, each text has `<s>`
    around its sentences.

    Raises:
        ValueError, InputError: as `Fields` does.
    """

    suffix = ".xml"

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        super().__init__(options)
        said = ("headline", "authors", "published", "modified", "site", "licence") if options.metadata else ()
        self._fields = Fields(("id", "url", "title", *said))
        self._table = Fields(table=options.table) if options.table else None

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a `<TEI>`; empty for a page without clean text."""
        language = kept.remarks.language
        known = language if _LANGUAGE.fullmatch(language) else "und"
        body = self._parts(elements_of(document, kept), language)
        if not body:
            return b""
        about = {name: plain(text) for name, text in self._fields.of(page, document, kept).items()}
        header = _header(about, page, known, self._notes(page, document, kept))
        return f'<TEI>\n{header}<text xml:lang="{known}">\n<body>\n{body}</body>\n</text>\n</TEI>\n'.encode()

    def _notes(self, page: Page, document: Document, kept: Kept) -> dict[str, str]:
        """Returns what the user's table says of a page."""
        if self._table is None:
            return {}
        known = self._table.of(page, document, kept)
        return {name: text for name, text in known.items() if text and name not in _PLAIN}

    def _parts(self, elements: Iterable[Element], language: str) -> str:
        """Returns the body: each post is a division, and so is what follows one."""
        parts: list[str] = []
        for post, group in groupby(elements, lambda element: element.post):
            inside = self._body(group, language)
            if inside and (post or parts):
                inside = f'<div type="post">\n{inside}</div>\n' if post else f"<div>\n{inside}</div>\n"
            parts += [inside] * bool(inside)
        return "".join(parts)

    def _body(self, elements: Iterable[Element], language: str) -> str:
        parts: list[str] = []
        is_open = False
        for name, group in groupby(elements, lambda element: element.name):
            texts = [(element, self._text(element.text, language)) for element in group]
            texts = [(element, text) for element, text in texts if text]
            if name == "h":
                for _, text in texts:
                    parts += ["</div>\n"] * is_open + [f"<div>\n<head>{text}</head>\n"]
                    is_open = True
            elif name == "l" and texts:
                items = "".join(f"<item>{text}</item>\n" for _, text in texts)
                parts.append(f"<list>\n{items}</list>\n")
            elif name == CELL and texts:
                parts.append(_table(texts))
            else:
                parts += [f"<p>{text}</p>\n" for _, text in texts]
        return "".join(parts) + ("</div>\n" if is_open else "")

    def _text(self, text: str, language: str) -> str:
        if self.options.sentences:
            found = (escaped(plain(sentence)) for sentence in sentences_in(text, language))
            return "".join(f"<s>{sentence}</s>" for sentence in found if sentence)
        return "<lb/>".join(filter(None, (escaped(plain(line)) for line in text.split("\n"))))

    @contextmanager
    def wrapped(self, out: Writable) -> Iterator[Writable]:
        """Returns the output between the start tag and the end tag of the corpus."""
        label = value(version("ncleaner")).encode()
        out.write(_BEGIN % label)
        yield out
        out.write(b"</teiCorpus>\n")


_BEGIN = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">\n'
    b"<teiHeader>\n"
    b"<fileDesc><titleStmt><title>Pages of the Web</title></titleStmt>"
    b"<publicationStmt><p>Cleaned text; the rights are those of the pages.</p></publicationStmt>"
    b"<sourceDesc><p>Each text has its own source.</p></sourceDesc></fileDesc>\n"
    b'<encodingDesc><appInfo><application ident="ncleaner" version="%b"><label>ncleaner</label></application>'
    b"</appInfo></encodingDesc>\n</teiHeader>\n"
)
_PLAIN = frozenset(("id", "url", "date", "title", "lang", "language"))


def _table(cells: list[tuple[Element, str]]) -> str:
    rows = []
    for _, row in groupby(cells, lambda each: each[0].row):
        found = []
        for _, cell in groupby(row, lambda each: each[0].cell):
            texts = [text for _, text in cell]
            found.append(texts[0] if len(texts) == 1 else "".join(f"<p>{text}</p>" for text in texts))
        rows.append("<row>" + "".join(f"<cell>{text}</cell>" for text in found) + "</row>\n")
    return f"<table>\n{''.join(rows)}</table>\n"


def _header(about: dict[str, str], page: Page, language: str, notes: dict[str, str]) -> str:
    title = about.get("headline") or about["title"] or about["url"] or about["id"]
    titles = _tagged("title", title) + "".join(
        _tagged("author", name) for name in about.get("authors", "").split("; ") if name
    )
    dates = {kind: about.get(kind, "") for kind in ("published", "modified")}
    captured = capture_time(page.date)
    dates["captured"] = "" if captured is None else captured.date().isoformat()
    site = _tagged("publisher", about["site"]) if about.get("site") else ""
    licence = about.get("licence", "")
    allowed = f"<availability>{_tagged('licence', licence)}</availability>" if licence else ""
    bibl = [
        titles,
        site,
        *(f'<date type="{kind}" when="{value(when)}"/>' for kind, when in dates.items() if when),
        *(
            f'<idno type="{kind}">{escaped(about[name])}</idno>'
            for kind, name in (("URL", "url"), ("record", "id"))
            if about[name]
        ),
        *(f'<note type="{value(name)}">{escaped(plain(text))}</note>' for name, text in notes.items()),
    ]
    return (
        "<teiHeader>\n"
        f"<fileDesc><titleStmt>{titles}</titleStmt><publicationStmt>"
        f"{site or _tagged('publisher', 'unknown')}"
        f"{allowed}</publicationStmt>"
        f"<sourceDesc><bibl>{''.join(bibl)}</bibl></sourceDesc></fileDesc>\n"
        f'<profileDesc><langUsage><language ident="{language}"/></langUsage></profileDesc>\n'
        "</teiHeader>\n"
    )


def _tagged(name: str, text: str) -> str:
    return f"<{name}>{escaped(text)}</{name}>"
