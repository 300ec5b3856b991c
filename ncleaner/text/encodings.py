"""The encodings of the web: their labels, and decoding exactly as the WHATWG Encoding Standard defines it.

Python's codecs differ from the standard: they lack characters that browsers know (NEC's row 13 in EUC-JP and
ISO-2022-JP, the euro sign of Big5, byte 0x80 of GBK), and after such a character they go on within it. So
encodings of several bytes are decoded by `endec`, which is Firefox's implementation, encoding_rs. For
encodings of one byte, a table of 256 characters, made by it, is faster.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Final

import endec
import webencodings

__all__ = ["UTF16", "lookup", "transcode"]

UTF16: Final = ("utf-16le", "utf-16be")
# Encodings that the standard replaces by an error, because they were used in attacks on browsers, with
# Python's codecs. Old archives contain them: their text is worth more to a corpus than a replacement
# character.
_RETIRED: Final = {"hz-gb-2312": "hz", "iso-2022-kr": "iso2022_kr"}
_RETIRED_LABELS: Final = {name: name for name in _RETIRED} | {"csiso2022kr": "iso-2022-kr"}
_SEVERAL_BYTES: Final = frozenset(
    {*UTF16, "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"}
)


def lookup(label: str) -> str | None:
    """Returns the WHATWG name of an encoding in lower case; None for an unknown label or `replacement`."""
    key = label.strip("\t\n\f\r ").lower()
    if key in _RETIRED_LABELS:
        return _RETIRED_LABELS[key]
    # webencodings fails on text that cannot be encoded
    known = webencodings.lookup(key) if key.isascii() else None
    if known is None or known.name == "replacement":
        return None
    return "windows-1252" if known.name == "x-user-defined" else str(known.name)


def transcode(body: bytes, name: str) -> tuple[bytes, int]:
    """Returns a text as UTF-8.

    Args:
        body: the text, without byte order mark.
        name: what `lookup` returns, but not `utf-8`.

    Returns:
        The text, and the number of places that are no text: bytes that cannot be decoded, which are U+FFFD,
        and the control characters of bytes that a Windows code page leaves out.
    """
    if name in _RETIRED:
        text = body.decode(_RETIRED[name], "replace")
    elif name in _SEVERAL_BYTES:
        text = endec.decode(body, name, "replace", bom="ignore")
    else:
        table, unused = _table(name)
        text = codecs.charmap_decode(body, "replace", table)[0]
        broken = text.count("\ufffd") + (len(body) - len(body.translate(None, unused)) if unused else 0)
        return text.encode(), broken
    return text.encode("utf-8", "replace"), text.count("\ufffd")


@cache
def _table(name: str) -> tuple[str, bytes]:
    """Returns the 256 characters of an encoding, and the bytes that a Windows code page leaves out."""
    table = endec.decode(bytes(range(256)), name, "replace", bom="ignore")
    unused = bytes(range(0x80, 0xA0)) if name.startswith("windows-") else b""
    return table, bytes(byte for byte in unused if table[byte] == chr(byte))
