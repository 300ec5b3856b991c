"""Vertical text: one token per line, as Sketch Engine and the Corpus Workbench (CWB) read it; and
prevertical, the same before it is tokenised."""

from abc import abstractmethod
from functools import lru_cache

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.errors import OutputError, require
from ncleaner.page import Page
from ncleaner.sinks.corpus import Fields, attributes, elements_of, escaped, plain, sentences_in
from ncleaner.sinks.sink import Sink, SinkOptions
from ncleaner.text._tokens import lines_of

# Most words in a table of known words, and most code points of such a word.
_KNOWN = 1 << 15
_KNOWN_LENGTH = 40


class _Corpus(Sink):
    """A `<doc>` for each page with clean text; in it an element for each segment.

    The elements are `<p>`, `<h>` (headings), `<l>` (items of lists) and `<cell>` (cells of tables). With the
    option `sentences`, each has `<s>` around its sentences.

    Every `<doc>` has the attributes of the option `attributes`; by default id (of the original record,
    without `urn:uuid:`; else the offset in the archive, else derived from URL and text), url, date (of the
    capture, unchanged), title, lang (as the page declares it), language (that of the page, ISO 639-1, else
    ISO 639-3). With the option `metadata`, there are also headline (the title without the site's name),
    authors (with `; ` between them), published, modified, site, canonical and licence, as the page says them;
    with a `table`, its columns. Unknown values are empty; values longer than 4,000 bytes are cut.

    `&`, `<` and `>`, and in attributes also `"`, are written as XML entities; `cwb-encode -x` decodes them.

    Raises:
        ValueError, InputError: as `Fields` does.
        OutputError: tokens are wanted, and regex is not installed.
    """

    suffix = ".vert"

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        super().__init__(options)
        self._fields = Fields(options.attributes, metadata=options.metadata, table=options.table)

    def render(self, page: Page, document: Document, kept: Kept, single: bool) -> bytes:
        """Returns a `<doc>`; empty for a page without clean text."""
        parts = []
        post = ""
        for element in elements_of(document, kept):
            name = element.name
            if self.options.sentences:
                found = map(self._lines, sentences_in(element.text, kept.remarks.language))
                lines = "".join(f"<s>\n{line}</s>\n" for line in found if line)
            else:
                lines = self._lines(element.text)
            if lines and element.post != post:
                parts += ["</post>\n"] * bool(post) + [f"<post{element.post}>\n"] * bool(element.post)
                post = element.post
            if lines:
                parts.append(f"<{name}>\n{lines}</{name}>\n")
        if not parts:
            return b""
        parts += ["</post>\n"] * bool(post)
        head = attributes(self._fields.of(page, document, kept))
        return f"<doc{head}>\n{''.join(parts)}</doc>\n".encode()

    @abstractmethod
    def _lines(self, text: str) -> str:
        """Returns the lines of a text, each with its line end; empty for a text without tokens."""


class VerticalSink(_Corpus):
    """One token per line, with `<g/>` between tokens without white space between them; see `_Corpus`."""

    def __init__(self, options: SinkOptions = SinkOptions()) -> None:
        require("vertical", "regex", "vertical", error=OutputError)
        super().__init__(options)

    def _lines(self, text: str) -> str:
        return lines_of(text, _lines_of_word)


class PreverticalSink(_Corpus):
    """The text of each segment on one line, for a tokeniser of one's own; see `_Corpus`."""

    suffix = ".prevert"

    def _lines(self, text: str) -> str:
        found = escaped(plain(text))
        return f"{found}\n" if found else ""


def _lines_of_word(word: str) -> str:
    """Returns the tokens of a word, one per line. Most words of a text repeat, so they are kept."""
    return _known(word) if len(word) <= _KNOWN_LENGTH else _token_lines(word)


def _token_lines(word: str) -> str:
    # only here: prevertical text needs no tokens, and the rules take some time to compile
    from ncleaner.text.tokens import tokens

    found = tokens(word)
    if not found:
        return ""
    if "&" in word or "<" in word or ">" in word:
        found = [escaped(token) for token in found]
    return "\n<g/>\n".join(found) + "\n"


_known = lru_cache(_KNOWN)(_token_lines)
