"""Host and registered domain of a URL, in one spelling each.

`host_of` and `registered_domain` are the only places that decide which site a page belongs to.
"""

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList


# A scheme and an authority. Other schemes may be before it, as crawlers write for what they derive from a
# page: `urn:pageinfo:https://example.org/`.
_URL: Final = re.compile(
    r"(?:(?:[a-z][a-z0-9+.-]*:)*?([a-z][a-z0-9+.-]*):)?//([^/?#\\]*)", re.IGNORECASE | re.ASCII
)
_DNS: Final = re.compile(r"dns:([^/?#;]+)", re.IGNORECASE)
# `example.org/page`, `example.org:8080`, `localhost`
_WITHOUT_SCHEME: Final = re.compile(r"[^/?#:\\]+(?=[/?#\\]|\Z)|[^/?#:\\]+\.[^/?#:\\]+(?=:\d+(?:[/?#\\]|\Z))")
# Their authority is a place in the archive or the name of the crawl's owner.
_OF_ARCHIVES: Final = frozenset({"filedesc", "metadata"})
# A name in the DNS has at most 253 characters. What is much longer is no name, and Punycode takes quadratic
# time.
_LONGEST: Final = 1000


# the address of a page is asked for several times
@lru_cache(16)
def host_of(url: str) -> str:
    """Returns the host of a URL; empty without one.

    The host is in lower case, without user, port, brackets and final dots. Names in other scripts are in
    Punycode, mapped as browsers map them (UTS 46); what they refuse is encoded as it stands. IPv6 addresses
    are in their short form. A URL may come without its scheme. `dns:` and URLs after other schemes
    (`urn:pageinfo:https://…`) have the host that they are about; `filedesc:`, `metadata:` and other URIs of
    archives have none.
    """
    url = url.strip()
    if match := _URL.match(url):
        if (match[1] or "").lower() in _OF_ARCHIVES:
            return ""
        authority = match[2]
    elif match := _DNS.match(url):
        authority = match[1]
    elif match := _WITHOUT_SCHEME.match(url):
        authority = match[0]
    else:
        return ""
    return _host(authority)


def registered_domain(url: str) -> str:
    """Returns the registered domain of a URL by the public suffix list: the part that its owner has
    registered, and one label for owners of suffixes such as `github.io`.

    A host without a registered domain (an IP address, `localhost`, a suffix) stands for itself. Empty without
    a host.
    """
    return _domain(host_of(url))


@lru_cache(1 << 13)
def _host(authority: str) -> str:
    host = authority.rpartition("@")[2]
    if host.startswith("["):
        return _address(host[1:].partition("]")[0].lower()) if "]" in host else ""
    host = host.partition(":")[0]
    if "%" in host:
        host = unquote(host)
    if not host.isascii() and len(host) <= _LONGEST:
        host = _mapped(host)
    return host.lower().strip().rstrip(".")


def _address(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return host


def _mapped(host: str) -> str:
    """Returns a name with characters beyond ASCII in Punycode."""
    # only few hosts need its tables
    import idna

    try:
        host = idna.uts46_remap(host, std3_rules=False, transitional=False)
    except idna.IDNAError:
        host = host.lower()
    return ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in host.split(".")
    )


@lru_cache(1 << 13)
def _domain(host: str) -> str:
    if ":" in host or host.replace(".", "").isdigit():
        return host  # an IP address has no domain
    return _suffixes().privatesuffix(host) or host


@lru_cache
def _suffixes() -> "PublicSuffixList":
    # its list takes a tenth of a second to load
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()
