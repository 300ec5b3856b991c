"""Addresses of links and images: absolute, harmless, and written so that no format reads more into them."""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit

__all__ = ["address_of", "base_of"]

# Schemes of links that are written; others, such as `javascript:` and `data:`, are left out with their link.
_LINKS = frozenset(("http", "https", "ftp", "ftps", "mailto", "tel"))
_IMAGES = frozenset(("http", "https"))
# Browsers leave these out wherever they stand in an address, and take a backslash for a slash.
_LEFT_OUT = re.compile(r"[\t\n\r]")
# What would end an address in Markdown or HTML, or has no place in one.
_FOREIGN = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\"()<>\[\]\\^`{|}]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LONGEST = 4_000


def _quoted(found: re.Match[str]) -> str:
    return quote(found[0], safe="")


def base_of(url: str, declared: bytes) -> str:
    """Returns what the addresses of a page are relative to.

    Args:
        url: that of the page; empty, or the name of a file, if it is unknown.
        declared: the address in <base>, as written; empty if there is none.
    """
    if "://" not in url:
        # the name of a file says nothing about its links
        url = ""
    stated = _LEFT_OUT.sub("", declared.decode("utf-8", "replace")).strip()
    try:
        return urljoin(url, stated)
    except ValueError:
        return url


def address_of(written: bytes, base: str, image: bool = False) -> bytes:
    """Returns the address of a link or an image, ready to be written; empty if it is to be left out.

    An address stays relative if the page has no address itself.

    Args:
        written: as the page has it, UTF-8.
        base: see `base_of`.
        image: whether it is one of an image.
    """
    text = _LEFT_OUT.sub("", written.decode("utf-8", "replace")).strip("".join(map(chr, range(33))))
    if not text or len(text) > _LONGEST or text.startswith("#"):
        return b""
    try:
        found = urljoin(base, text)
        scheme = urlsplit(found).scheme
    except ValueError:
        return b""
    if scheme:
        if scheme.lower() not in (_IMAGES if image else _LINKS):
            return b""
    elif _SCHEME.match(found):
        return b""
    return _FOREIGN.sub(_quoted, found).encode("utf-8", "replace")
