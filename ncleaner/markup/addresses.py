"""Addresses of links and images: absolute, harmless, and written so that no format reads more into them."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit

__all__ = ["Addresses"]

# Schemes of links that are written; others, such as `javascript:` and `data:`, are left out with their link.
_LINKS = frozenset(("http", "https", "ftp", "ftps", "mailto", "tel"))
_IMAGES = frozenset(("http", "https"))
# Browsers leave these out wherever they stand in an address, and take a backslash for a slash.
_LEFT_OUT = re.compile(r"[\t\n\r]")
_BLANK = "".join(map(chr, range(33)))
# What would end an address in Markdown or HTML, or has no place in one.
_FOREIGN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\"()<>\[\]\\^`{|}]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LONGEST = 4_000
# Most addresses are absolute or begin with a slash, and need nothing: no dots to follow, no sign to quote, no
# empty part. They are told by their bytes, since parsing them takes as long as the rest of a page.
_PATH = rb"/(?![/.])(?:[\w~!$&'*+,=:@%-]|/(?!\.)|\.)*"
_REST = rb"(?:\?[\w.~!$&'*+,=:@%/?;-]+)?(?:#[\w.~!$&'*+,=:@%/?;-]+)?"
_ABSOLUTE = re.compile(rb"https?://(?!-)[\w.-]+(?::\d+)?(?:" + _PATH + rb")?" + _REST)
_ROOTED = re.compile(_PATH + _REST)


def _quoted(found: re.Match[str]) -> str:
    return quote(found[0], safe="")


class Addresses:
    """The addresses of a page.

    Args:
        url: that of the page; empty, or the name of a file, if it is unknown.
        declared: the address in <base>, as written; empty if there is none.
    """

    def __init__(self, url: str, declared: bytes) -> None:
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
            if _ABSOLUTE.fullmatch(written):
                return written
            if (self._root or not self.base) and _ROOTED.fullmatch(written):
                return self._root + written
        return self._joined(written, image)

    def _joined(self, written: bytes, image: bool = False) -> bytes:
        text = _LEFT_OUT.sub("", written.decode("utf-8", "replace")).strip(_BLANK)
        if not text or len(text) > _LONGEST or text.startswith("#"):
            return b""
        try:
            found = urljoin(self.base, text)
            scheme = urlsplit(found).scheme
        except ValueError:
            return b""
        if scheme:
            if scheme.lower() not in (_IMAGES if image else _LINKS):
                return b""
        elif _SCHEME.match(found):
            return b""
        return _FOREIGN.sub(_quoted, found).encode("utf-8", "replace")
