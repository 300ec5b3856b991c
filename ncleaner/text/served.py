"""Where parts of a decoded text are in its bytes as they were served."""

import re
from typing import Final

import numpy as np
import numpy.typing as npt

from ncleaner.text.charset import without_mark
from ncleaner.text.encodings import UTF16

# ASCII that is no part of a longer character in any encoding but those of `_SHIFTED`.
_ANCHORS: Final = np.isin(np.arange(256), [*range(0x30), *range(0x3A, 0x40)])
# What is no ASCII, or is not decoded, in encodings that shift between alphabets.
_SHIFTED: Final = {
    "iso-2022-jp": re.compile(rb"\x1b(?:\([BJ]|(?:\(I|\$\(D|\$[@AB])[^\x1b]*)", re.DOTALL),
    "iso-2022-kr": re.compile(rb"\x1b\$\)C|\x0e[^\x0f]*\x0f?|\x0f", re.DOTALL),
    "hz-gb-2312": re.compile(rb"~\{[^\n]*?(?:~\}|(?=\n)|\Z)|~\n"),
}


def _is_anchor(text: bytes, name: str) -> npt.NDArray[np.bool_]:
    """Returns which bytes are characters that stay as they are when a text is decoded: shape (bytes,).

    A decoded text has as many as the text itself, in an encoding other than UTF-16, if it is not damaged.
    """
    found: npt.NDArray[np.bool_] = _ANCHORS[np.frombuffer(text, np.uint8)]
    if name in _SHIFTED:
        for match in _SHIFTED[name].finditer(text):
            found[match.start() : match.end()] = False
    return found


def served_places(
    body: bytes | str, encoding: str, utf8: bytes, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Returns where parts of a decoded page are in the page as it was served.

    In encodings other than UTF-8 and UTF-16, a part that does not begin and end at markup, a space or a sign
    of ASCII is widened up to the nearest one.

    Args:
        body: the page; of decoded text, the places are those in its UTF-8.
        encoding: what `decode` says of it.
        utf8: what `decode` makes of it.
        starts, ends: shape (n,); byte offsets in `utf8`.

    Returns:
        Starts and ends, shape (n,); byte offsets in `body`.
    """
    if isinstance(body, str) or body is utf8:
        return starts, ends
    bare = without_mark(body, encoding)
    mark = len(body) - len(bare)
    if bare == utf8:
        return starts + mark, ends + mark
    decoded = np.frombuffer(utf8, np.uint8)
    if encoding in UTF16:
        # the units of each character, at its first byte
        units = np.zeros(len(utf8) + 1, np.int64)
        np.cumsum((decoded & 0xC0 != 0x80).astype(np.int64) + (decoded >= 0xF0), out=units[1:])
        return mark + 2 * units[starts], np.minimum(mark + 2 * units[ends], len(body))
    there = np.flatnonzero(_is_anchor(bare, encoding))
    here = np.flatnonzero(_is_anchor(utf8, "utf-8"))
    if len(there) != len(here):
        return np.zeros_like(starts), np.full_like(ends, len(body))
    anchored = np.zeros(len(utf8) + 2, np.bool_)
    anchored[here + 1] = True  # at 0: before the page
    there = np.concatenate(([-1], there, [len(bare)]))
    before, behind = np.searchsorted(here, starts), np.searchsorted(here, ends)
    exact = ~anchored[starts] & anchored[starts + 1]
    begin = np.where(exact, there[before + 1], there[before] + 1)
    end = np.where(anchored[ends], there[behind] + 1, there[behind + 1])
    return mark + begin, mark + end
