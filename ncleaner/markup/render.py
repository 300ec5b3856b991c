"""Markdown and clean HTML of a page; addresses are absolute, harmless, and mean the same in every format."""

import re
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import text_of_row
from ncleaner.document._marks import Mark, text_at, texts_of
from ncleaner.document.kept import Kept
from ncleaner.document.tables import ZONES
from ncleaner.document.threads import places_of_posts
from ncleaner.markup import MarkupOptions
from ncleaner.markup._render import images_of, kept_links, render, segment_at
from ncleaner.markup.notes import find_notes
from ncleaner.markup.pictures import names_of_own, parts_of, shown
from ncleaner.text.wordlists import any_of, word_lists

# Schemes of links that are written; others, such as `javascript:` and `data:`, are left out with their link.
_LINKS = frozenset(("http", "https", "ftp", "ftps", "mailto", "tel"))
_IMAGES = frozenset(("http", "https"))
# Browsers leave these out wherever they are in an address.
_LEFT_OUT = re.compile(r"[\t\n\r]")
# In it, they take a backslash for a slash.
_BEFORE_QUERY = re.compile(r"[^?#]*")
_BLANK = "".join(map(chr, range(33)))
# What would end an address in Markdown or HTML, or has no place in one; brackets may stay in pairs, as
# in the titles of Wikipedia.
_FOREIGN = re.compile(r"[\s\x00-\x20\x7f-\xa0\"<>\[\]\\^`{|}]")
_PAIRED = re.compile(r"(?:[^()]*\([^()]*\))*[^()]*")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LONGEST = 4_000
# The zone of headlines, and characters of one that may be a part of the title by chance.
_HEADLINE, _SHORT = ZONES.index("headline"), 8
# Most addresses are absolute or begin with a slash, and need nothing: no dots to follow, no sign to quote, no
# empty part. They are reported by their bytes, since parsing them takes as long as the rest of a page.
_PATH = rb"/(?![/.])(?:[\w~!$&'*+,=:@%-]++|/(?!\.)|\.|\([\w~!$&'*+,=:@%.-]*+\))*"
_REST = rb"(?:\?[\w.~!$&'*+,=:@%/?;-]++)?(?:#[\w.~!$&'*+,=:@%/?;-]++)?"
_ABSOLUTE = re.compile(rb"https?://(?!-)[a-z\d_.-]++(?::\d++)?" + _PATH + _REST)
_ROOTED = re.compile(_PATH + _REST)
# `links.txt` says what these are, and how to add one.
_VIA = any_of(word_lists("markup/links", "leading on")["leading on"]).encode()
_LEADS = re.compile(rb"https?://(?:%b)\?(?:[^#]*?&)?(?:q|url|u|to)=(https?(?::|%%3a)[^&#]+)" % _VIA, re.I)


def markdown_of(
    document: Document, kept: Kept, options: MarkupOptions = MarkupOptions(), url: str = ""
) -> bytes:
    """Returns what is kept of a page as Markdown, without a line end after it; empty if nothing is kept, but
    for a page of nothing but images.

    Args:
        document: dumped with marks (`dump_html`); without them, what marks say is missing.
        kept: mask of the segments.
        options: of the user.
        url: that of the page, which makes addresses absolute.

    Returns:
        UTF-8: CommonMark with GitHub's tables and footnotes.
    """
    return _rendered(document, kept, options, url, False)


def html_of(document: Document, kept: Kept, options: MarkupOptions = MarkupOptions(), url: str = "") -> bytes:
    """Returns what is kept of a page as a fragment of HTML; likewise.

    Arguments as for `markdown_of`.
    """
    return _rendered(document, kept, options, url, True)


def _rendered(document: Document, kept: Kept, options: MarkupOptions, url: str, html: bool) -> bytes:
    tables = document.tables
    notes = find_notes(document, kept.mask)
    mask = kept.mask
    if notes is not None:
        mask = notes.mask
        mask[notes.numbers] = False
        if not html:
            # Markdown shows notes at the end of the text, without their heading
            mask[notes.headings] = False
    addresses: dict[int, bytes] = {}
    leads: list[int] = []
    heroes: list[int] = []
    if options.links or options.images:
        declared = texts_of(tables, Mark.MARK_BASE)
        of_page = Addresses(url, declared[0][0] if declared else b"", not html)
        if options.links:
            for mark, target, _, _ in kept_links(tables, mask, False):
                if address := of_page.of(target):
                    addresses[mark] = address
        if options.images:
            own = names_of_own(document.facts or ())
            starts = {segment_at(tables, segment)[1] for segment in np.flatnonzero(mask)[:2]}
            parts = tuple(part for name in own for part in parts_of(name))
            for image in shown(images_of(tables, mask, parts)):
                target = of_page.of(text_at(tables, image.link)) if image.link >= 0 else b""
                address = of_page.of(image.source, True)
                if address and image.is_of_text(address, target):
                    addresses[image.mark] = address
                    if own and image.is_one_of(own):
                        leads.append(image.mark)
                    elif not image.surely and image.run in starts:
                        heroes.append(image.mark)
                    if options.links and target:
                        addresses[image.link] = target
    return render(
        tables, mask, html, addresses or None, notes, options.images, options.spans == "repeat",
        options.spans == "html", leads or heroes[:1], _untagged_headline(document, mask),
        places_of_posts(document, kept),
    )  # fmt: skip


def _untagged_headline(document: Document, mask: npt.NDArray[np.bool_]) -> int:
    """Returns the segment of a headline in a <div> or the like, -1 for none.

    It is a part of the page's title; a whole sentence is the beginning of a text without a headline."""
    places = np.flatnonzero(mask & (document.segments["zone"] == _HEADLINE)).tolist()
    text = text_of_row(document.tables, places[0]).casefold() if len(places) == 1 else ""
    is_sentence = text.endswith((".", "。"))
    is_headline = len(text) >= _SHORT and not is_sentence and text in document.title.casefold()
    return places[0] if is_headline else -1


class Addresses:
    """The addresses of a page.

    Args:
        url: that of the page; empty, or the name of a file, if it is unknown.
        declared: the address in <base>, as written; empty if there is none.
        escapes: whether brackets without a partner get a backslash, as Markdown wants it.
    """

    def __init__(self, url: str, declared: bytes, escapes: bool = False) -> None:
        self._escapes = escapes
        if "://" not in url:
            # the name of a file says nothing about its links
            url = ""
        stated = _LEFT_OUT.sub("", declared.decode("utf-8", "replace")).strip()
        try:
            self.base = urljoin(url, stated)
        except ValueError:
            self.base = url
        # what a slash stands for
        self._root = self._joined(b"/", image=True).removesuffix(b"/") if self.base else b""

    def of(self, written: bytes, image: bool = False) -> bytes:
        """Returns the address of a link or an image, ready to be written; empty if it is to be left out.

        An address stays relative if the page has no address itself.

        Args:
            written: as the page has it, UTF-8.
            image: whether it is one of an image.
        """
        if len(written) <= _LONGEST:
            if b"=http" in written and (on := _LEADS.match(written)):
                written = unquote_to_bytes(on[1])
            if _ABSOLUTE.fullmatch(written):
                return written
            if (self._root or not self.base) and _ROOTED.fullmatch(written):
                return self._root + written
        return self._joined(written, image)

    def _joined(self, written: bytes, image: bool = False) -> bytes:
        text = _LEFT_OUT.sub("", written.decode("utf-8", "replace")).strip(_BLANK)
        if not text or len(text) > _LONGEST or text.startswith("#"):
            return b""
        if "\\" in text:
            text = _BEFORE_QUERY.sub(lambda path: path[0].replace("\\", "/"), text, 1)
        try:
            found = urljoin(self.base, text)
            parts = urlsplit(found)
        except ValueError:
            return b""
        scheme = parts.scheme
        if scheme in _IMAGES:
            # as browsers write it: the host in small letters, and a path
            user, at, host = parts.netloc.rpartition("@")
            netloc = user + at + host.lower()
            if netloc != parts.netloc or not parts.path:
                found = parts._replace(netloc=netloc, path=parts.path or "/").geturl()
        if scheme:
            if scheme not in (_IMAGES if image else _LINKS):
                return b""
        elif _SCHEME.match(found):
            return b""
        found = _FOREIGN.sub(lambda sign: quote(sign[0], safe=""), found)
        if self._escapes and not _PAIRED.fullmatch(found):
            found = re.sub(r"[()]", r"\\\g<0>", found)
        return found.encode("utf-8", "replace")
