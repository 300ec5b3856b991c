"""Other programs that clean pages. Each is optional, and imported by its name when it is used: most have no
types.

Each runs in the way that its own documentation shows, with its default settings; the comments of readers are
as the gold standard wants them, where a program has a switch for them. No program is tuned here.

To add one, write a function that returns an `Extractor`, and enter it in `PEERS`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, cast

from ncleaner.methods.registry import METHODS
from ncleaner.page import Page
from ncleaner.text.charset import decode

Extractor = Callable[[Page, str], str | bytes | None]
"""A page and its language (`""` if unknown) to text: a string with a block on each line, or bytes in
CleanEval's format."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What `compare` knows about another program.

    Attributes:
        name: as users give it.
        make: makes its `Extractor`; it raises ImportError if the package is missing.
        package: with which it is installed and which has a version; empty if it has the name of the program.
        about: how it is run, if that is not obvious, for the table.
        settings: keyword arguments of `make`.
        comments: it has a switch for comments; `make` then takes the argument `comments`: True, False,
            or None for the program's default.
        needs: further packages that must be installed with it.
        usual: it runs unless tools are named; further settings of one program run only if they are named.
    """

    name: str
    make: Callable[..., Extractor]
    package: str = ""
    about: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    comments: bool = False
    needs: tuple[str, ...] = ()
    usual: bool = True

    @property
    def distribution(self) -> str:
        """Name of the package."""
        return self.package or self.name

    @property
    def install(self) -> str:
        """The command that installs it."""
        return " ".join(("pip install", self.distribution, *self.needs))


# Where a reader sees a new line; lxml's text_content sets nothing between blocks.
_BLOCKS = frozenset(
    "address article aside blockquote body br center caption dd details div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul".split()
)
_SPACE = re.compile(r"\s+")


def html_text(html: str) -> str:
    """Returns the text of HTML that a program returns, a block on each line: lxml's text_content with line
    breaks."""
    if not html.strip():
        return ""
    root = import_module("lxml.html").fromstring(html)
    for element in root.iter():
        text, tail = (_SPACE.sub(" ", part or "") for part in (element.text, element.tail))
        if element.tag in _BLOCKS:
            text, tail = "\n" + text, "\n" + tail
        if isinstance(element.tag, str):  # the text of a comment is no text
            element.text = text
        element.tail = tail
    return cast(str, root.text_content())


def trafilatura(comments: bool | None, **settings: bool) -> Extractor:
    """trafilatura, plain text. By default it includes comments and tables."""
    extract = import_module("trafilatura").extract
    if comments is not None:
        settings["include_comments"] = comments
    return lambda page, language: cast("str | None", extract(page.body, **settings))


def resiliparse(comments: bool | None) -> Extractor:
    """resiliparse's main content, by its own detection of the encoding."""
    to_text = import_module("resiliparse.extract.html2text").extract_plain_text
    detect = import_module("resiliparse.parse.encoding").detect_encoding
    parse = import_module("resiliparse.parse.html").HTMLTree.parse_from_bytes
    settings = {} if comments is None else {"comments": comments}

    def extract(page: Page, language: str) -> str:
        tree = parse(page.body, detect(page.body) or "utf-8")
        return cast(str, to_text(tree, main_content=True, **settings))

    return extract


def turbohtml() -> Extractor:
    """turbohtml's article, by its own detection of the encoding."""
    parse = import_module("turbohtml").parse
    return lambda page, language: cast("str | None", parse(page.body).article().text)


# jusText's stop lists have English names. Languages that are written without spaces have none.
_STOP_LISTS = {
    "cs": "Czech", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
_NO_STOP_LIST = {"zh", "ja", "th"}


def justext(lists: bool = True) -> Extractor:
    """jusText with the stop list of the page's language; with all of them where that is unknown.

    Without a stop list, its language-independent mode: both thresholds are 0, as its command line sets them.
    """
    module = import_module("justext")

    @cache
    def stop_list(language: str) -> frozenset[str]:
        names = [_STOP_LISTS[language]] if language in _STOP_LISTS else sorted(module.get_stoplists())
        return frozenset().union(*(module.get_stoplist(name) for name in names))

    def extract(page: Page, language: str) -> str:
        if lists and language not in _NO_STOP_LIST:
            found = module.justext(page.body, stop_list(language))
        else:
            found = module.justext(page.body, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n".join(_SPACE.sub(" ", part.text) for part in found if not part.is_boilerplate)

    return extract


def boilerpy() -> Extractor:
    """boilerpy3's extractor for articles. It takes text, so ncleaner decodes the page."""
    extractor = import_module("boilerpy3.extractors").ArticleExtractor()
    return lambda page, language: cast(
        str, extractor.get_content(decode(page.body, "")[0].decode("utf-8", "replace"))
    )


def readability() -> Extractor:
    """readability-lxml: the text of its summary."""
    document = import_module("readability").Document
    import_module("lxml.html")
    return lambda page, language: html_text(document(page.body).summary(html_partial=True))


def rs_trafilatura(comments: bool | None) -> Extractor:
    """rs-trafilatura, which looks at the URL for the type of the page. By default it leaves out comments."""
    extract = import_module("rs_trafilatura").extract_bytes
    settings = {} if comments is None else {"include_comments": comments}
    return lambda page, language: cast(str, extract(page.body, url=page.url or None, **settings).main_content)


def magic_html() -> Extractor:
    """magic-html for articles, which is its default. It takes text, and has a function that decodes."""
    extractor = import_module("magic_html").GeneralExtractor()
    decoded = import_module("magic_html.utils").decode_file
    return lambda page, language: html_text(extractor.extract(decoded(page.body), base_url=page.url)["html"])


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer("trafilatura", trafilatura, comments=True),
        Peer(
            "trafilatura-precision", trafilatura, "trafilatura", about="favor_precision",
            settings={"favor_precision": True}, comments=True, usual=False,
        ),
        Peer(
            "trafilatura-recall", trafilatura, "trafilatura", about="favor_recall",
            settings={"favor_recall": True}, comments=True, usual=False,
        ),
        Peer("resiliparse", resiliparse, about="main content", comments=True),
        Peer("turbohtml", turbohtml, about="article"),
        Peer("justext", justext, "jusText"),
        Peer(
            "justext-nolist", justext, "jusText", about="no stop list", settings={"lists": False}, usual=False
        ),
        Peer("boilerpy3", boilerpy, about="articles"),
        Peer("readability", readability, "readability-lxml", needs=("lxml_html_clean",)),
        Peer("rs-trafilatura", rs_trafilatura, comments=True),
        Peer("magic-html", magic_html, about="articles"),
    )
}  # fmt: skip
NAMES = (*METHODS, *PEERS)
"""All that can be compared, in the order of the tables."""
USUAL = (
    *(name for name, entry in METHODS.items() if not entry.needs_references),
    *(peer.name for peer in PEERS.values() if peer.usual),
)
"""What is compared if no names are given."""
