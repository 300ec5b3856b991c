"""Names of the outputs: a directory and a file for each site."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import Final, Literal, NamedTuple

from ncleaner.text.hosts import host_of, registered_domain

__all__ = ["DIRECTORIES", "NO_HOST", "By", "Place", "directory_of", "place_of", "stem_of"]

By = Literal["host", "domain"]

#: Directory and file of records that concern no host.
NO_HOST: Final = "no-host"
#: All directories, in their order.
DIRECTORIES: Final = (*(f"{number:02x}" for number in range(256)), NO_HOST)

# A file name may have 255 bytes; the longest suffix and `.part` need 14.
_LONGEST: Final = 200
_REFUSED: Final = re.compile(rb"[^a-z0-9._-]|^[.-]")
# Windows refuses files of these names, with any suffix.
_DEVICES: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|\Z)")


class Place(NamedTuple):
    """Where a record goes.

    Attributes:
        directory: index in `DIRECTORIES`.
        stem: name of the file without its suffix.
    """

    directory: int
    stem: str


def place_of(url: str, by: By) -> Place:
    """Returns the place of a record by its URL."""
    site = registered_domain(url) if by == "domain" else host_of(url)
    return _place(site) if site else Place(DIRECTORIES.index(NO_HOST), NO_HOST)


@lru_cache(1 << 13)
def _place(site: str) -> Place:
    return Place(directory_of(site), stem_of(site))


def directory_of(site: str) -> int:
    """Returns the index of the directory of a site: the first byte of a hash of its name.

    The directories get equal numbers of sites, whatever the names are.
    """
    return blake2b(site.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0]


def stem_of(site: str) -> str:
    """Returns a name that every file system takes, and that no other site has.

    Bytes of UTF-8 other than letters, digits, dots, hyphens and underscores are written `%2f`, and so are a
    dot or hyphen at the beginning and the first letter of the name of a device on Windows. A long name is
    cut, and gets a tilde and a hash of the whole.
    """
    whole = site.encode("utf-8", "surrogatepass")
    name = _REFUSED.sub(lambda found: b"%%%02x" % found[0][0], whole).decode()
    if _DEVICES.match(name):
        name = f"%{ord(name[0]):02x}{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 33]}~{blake2b(whole, digest_size=16).hexdigest()}"
    return name
