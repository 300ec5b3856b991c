"""Images: the best of the addresses that a page has for each, without copies and placeholders."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote_to_bytes

from ncleaner.text.wordlists import any_of, word_lists

if TYPE_CHECKING:
    from ncleaner.document.tables import Fact

# An entry of a `srcset`: an address, which may have commas inside, and a width or a density.
_ENTRY = re.compile(rb"[\s,]*(\S*[^\s,])(?:\s+([\d.]{1,9})([wx])[^,]*|\s[^,]*)?(?:,|$)")
# `pictures.txt` says what these are, and how to add one.
_WORDS = word_lists("markup/pictures", "placeholders", "counters", "portraits", "networks", "signs")
_PLACEHOLDER = re.compile(
    rb"[/_.-](?:%b)(?:[-_.]\w{1,20})?\.(?:gif|png|svg|jpe?g|webp)(?:$|[?#])"
    % any_of(_WORDS["placeholders"]).encode()
)
_PORTRAIT = re.compile(any_of(_WORDS["portraits"]).encode())
_COUNTER = re.compile(rb"(?:https?:)?//(?:[\w-]+\.)?(?:%b)\." % any_of(_WORDS["counters"]).encode())
# An address of a home page, or of somebody's page in a network.
_HOME = re.compile(
    rb"(?:https?://[^/?#]+)?/(?:index\.\w+)?|https?://(?:[\w-]+\.)?(?:%b)/[^/?#]+/?"
    % any_of(_WORDS["networks"]).encode()
)
_SIGN = re.compile(rb"(?:^|[/_.-])(?:%b)\d*(?:$|[/_.?-])" % any_of(_WORDS["signs"]).encode())
_FILE = re.compile(rb"[^?#]*\.(?:gif|png|jpe?g|webp|avif)(?:[?#]|$)")
# What the names of two sizes of an image differ by: the ends of their names, or a letter after a number.
_SIZE = re.compile(
    rb"[-_@.~](?:\d{2,5}x\d{2,5}|\d{2,5}(?:px|w)|\d(?:\.\d)?x|x{0,2}(?:large|small)|thumb(?:nail)?|medium|full|scaled"
    rb"|original)$|(?<=[\da-f]{10})_[a-z]{1,2}$",
    re.IGNORECASE,
)
# `photo.png.webp` is another format of `photo.png`.
_END = re.compile(rb"(?:\.[a-z]{3,4}){1,2}$", re.IGNORECASE)
# A program that makes the sizes of images has the address of the image in its own, as Next.js does.
_WITHIN = re.compile(rb"[?&](?:url|src)=([^&#]+)")
# Meta tags with the image of the page, and the shortest name that tells it from others: not `1` or `img`.
_OWN = frozenset(("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"))
_SHORTEST_NAME = 5
# Two names of an image in different sizes have this share of the longer one in common, and this many bytes.
_ALIKE, _SHORTEST_ALIKE = 0.7, 8
# Most copies of an image that are compared with the one before.
_MOST_COPIES = 8


class Image(NamedTuple):
    """An image of a page.

    Attributes:
        mark: its mark.
        source: the best of its addresses, as written.
        link: mark of the link around it, if that has no text; else -1.
        first: the address that programs without `srcset` load, as written.
        surely: whether the text around it is kept, not only that on one side.
    """

    mark: int
    source: bytes
    link: int
    first: bytes
    surely: bool
    run: int

    def is_one_of(self, names: Iterable[bytes]) -> bool:
        """Tells whether it is one of the images with these names, perhaps in another size."""
        mine = {_stem(self.source), _stem(self.first)}
        return any(_are_alike(one, name) for one in mine for name in names)

    def is_of_text(self, address: bytes, target: bytes) -> bool:
        """Tells whether it may belong to the text, by its address and by that of the link around it.

        A link to a home page has a logo. With removed text on one side, it is no sign, and not in a link to
        another page.
        """
        if self.surely or _HOME.fullmatch(target):
            return not _HOME.fullmatch(target)
        return not _SIGN.search(address.lower()) and (not target or bool(_FILE.match(target.lower())))


def _largest(entries: bytes) -> bytes:
    """Returns the largest image of a `srcset`; empty if there is none."""
    best, most = b"", -1.0
    for found in _ENTRY.finditer(entries):
        size = float(found[2] or 1) if (found[2] or b"1").count(b".") < 2 else 0.0
        if size > most and not found[1].startswith(b"data:"):
            best, most = found[1], size
    return best


def _best(source: bytes, sets: list[bytes]) -> bytes:
    """Returns the best address of an image; empty if it is a placeholder, or has none."""
    # the first <source> is the one that the page likes best
    for entries in sets:
        if found := _largest(entries):
            return found
    small = source.lower()
    has_content = not (_PLACEHOLDER.search(b"/" + small) or _PORTRAIT.search(small) or _COUNTER.match(small))
    return source if has_content else b""


# the few images between two texts are compared with each other
@lru_cache(maxsize=2 * _MOST_COPIES)
def _stem(source: bytes) -> bytes:
    """Returns the name of an image without its size and its format."""
    if found := _WITHIN.search(source):
        source = unquote_to_bytes(found[1])
    name = source.partition(b"?")[0].partition(b"#")[0].rpartition(b"/")[2]
    return _SIZE.sub(b"", _END.sub(b"", name))


def _are_alike(one: bytes, other: bytes) -> bool:
    """Tells whether two names are those of one image: equal but for a short beginning or end."""
    if one == other:
        return True
    if one[:_SHORTEST_ALIKE] != other[:_SHORTEST_ALIKE]:
        one, other = one[::-1], other[::-1]
        if one[:_SHORTEST_ALIKE] != other[:_SHORTEST_ALIKE]:
            return False
    same = next((at for at, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its), len(one))
    return same >= max(_SHORTEST_ALIKE, _ALIKE * max(len(one), len(other)))


def parts_of(name: bytes) -> tuple[bytes, bytes]:
    """Returns two parts of a name; each name that is alike has one of them."""
    return name[:_SHORTEST_ALIKE], name[-_SHORTEST_ALIKE:]


def names_of_own(facts: "Iterable[Fact]") -> frozenset[bytes]:
    """Returns the names of the images that a page states as its own: for previews in other places."""
    stated = (
        fact.value
        for fact in facts
        if fact.kind == "meta" and not _OWN.isdisjoint(fact.names.lower().split())
    )
    return frozenset(
        name
        for value in stated
        if len(name := _stem(value.strip().encode("utf-8", "replace"))) >= _SHORTEST_NAME
    )


def shown(images: Iterable[tuple[int, bytes, bytes, int, list[bytes], int, int]]) -> Iterator[Image]:
    """Yields the images that a reader sees, each once, in the order of the page.

    Two images without kept text between them are one, as for readers without scripts and in a larger size, if
    they have the same alternative text, or not two different ones and names that differ only by a size. The
    first one counts.

    Args:
        images: of a page: (mark, source, alternative text, kept run that follows, `srcset`s, link around it,
            how surely it belongs to kept text).
    """
    place = -1
    met: list[tuple[bytes, bytes]] = []
    for mark, source, alt, run, sets, link, surely in images:
        best = _best(source, sets)
        if not best:
            continue
        if run != place:
            place, met = run, []
        alt = alt.strip()
        if any(
            best == its or (alt == other if alt and other else _stem(best) == _stem(its))
            for its, other in met
        ):
            continue
        if len(met) < _MOST_COPIES:
            met.append((best, alt))
        yield Image(mark, best, link, source, surely != 1, run)
