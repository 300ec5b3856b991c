"""Bytes of a page to UTF-8: byte order mark, HTTP header, meta element, then a detector.

The order is that of browsers (WHATWG Encoding and the prescan of HTML), with one difference: what *is*
valid UTF-8 is read as UTF-8 whatever the page says, because text in another encoding is next to never
valid UTF-8 by accident, while wrong declarations are common. That test is also the cheapest of all, and
settles nearly every page of the present web before anything is searched. Only encodings that hide behind
plain ASCII or NUL bytes (ISO-2022-JP, HZ, UTF-16) have to be looked for before it.

Labels are those of the WHATWG standard: `iso-8859-1` means windows-1252 and `gb2312` means GBK, as in
every browser. Nothing here depends on anything but the arguments, so a page decodes the same each time.
"""

from __future__ import annotations

import re
from typing import Final

import cchardet
import webencodings

from ncleaner.errors import InputError
from ncleaner.text._utf8 import valid_length

__all__ = ["decode"]

#: How far into a page a declaration is looked for. The standard says 1,024 bytes; pages are less tidy.
_PRESCAN: Final = 8192
#: Most bytes that the detector gets to see. It costs 0.2 ms a kilobyte, and knows after a few.
_SAMPLE: Final = 4000
#: Fewer letters than this above ASCII carry no evidence: a name, a currency sign.
_EVIDENCE: Final = 6
#: Typographic signs that the Windows code pages share. An English page with curly quotation marks holds
#: nothing else above ASCII, and the detector takes it for Danish in a DOS code page.
_SIGNS: Final = bytes(
    [0x82, 0x84, 0x85, *range(0x91, 0x98), 0x99, 0xA0, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB4, 0xB7, 0xBB]
)

# Encodings that the standard replaces by an error (they were abused in attacks on browsers), yet which
# old archives hold: their text is worth more to a corpus than a single replacement character.
_RETIRED: Final = {
    "hz-gb-2312": "hz",
    "iso-2022-kr": "iso2022_kr",
    "csiso2022kr": "iso2022_kr",
}
# Python's codecs that read a superset of the encoding, as the standard does.
_SUPERSET: Final = {"gbk": "gb18030", "iso-2022-jp": "iso2022_jp_ext"}
# Names of the detector that are no WHATWG labels.
_DETECTED: Final = {"uhc": "euc-kr", "johab": "euc-kr", "maccyrillic": "x-mac-cyrillic"}
# Guesses that are wrong far more often than right: with so few high bytes to go by, the detector
# prefers a rare Latin alphabet over the usual one.
_EXOTIC: Final = frozenset(
    {"iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-14", "iso-8859-15", "iso-8859-16", "macintosh"}
)

_HTTP_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
# Neither `<` nor `>` inside, so that the search is linear on a page full of unclosed `<meta`.
_META: Final = re.compile(rb"<meta[\s/]([^<>]*)", re.IGNORECASE)
_META_CHARSET: Final = re.compile(rb"(?:^|[\s;\"'/])charset\s*=\s*[\"']?\s*([^\s\"';/]+)", re.IGNORECASE)
_META_NAMED: Final = re.compile(rb"(?:^|[\s\"'/])(?:name|property|itemprop)\s*=", re.IGNORECASE)
_XML: Final = re.compile(rb"\s*<\?xml\s[^<>]*?encoding\s*=\s*[\"']([^\s\"'<>]+)", re.IGNORECASE)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# High bytes with the ASCII between them where it is no markup, and one byte after each stretch: the
# trail bytes of GBK, Big5 and Shift_JIS reach down to `@`.
_HIGH: Final = re.compile(rb"[\x80-\xff]+(?:[^<>\x80-\xff]{1,24}[\x80-\xff]+)*[@-~]?")
_HIGH_BYTES: Final = bytes(range(0x80, 0x100))
_LETTERS: Final = bytes(byte for byte in _HIGH_BYTES if byte not in _SIGNS)
_UTF16: Final = ("utf-16le", "utf-16be")


def decode(
    body: bytes, content_type: str = "", encoding: str | None = None, html: bool = True
) -> tuple[bytes, str]:
    """Give the text of a page as valid UTF-8 without byte order mark, and the encoding it was read in.

    Args:
        body: the page as served.
        content_type: the HTTP Content-Type header, whole.
        encoding: an encoding the caller knows to be right, by any of its WHATWG labels. Nothing is
            looked for then, and nothing doubted.
        html: whether declarations inside the page (`<meta charset>`, `<?xml encoding=…?>`) count.

    Returns:
        The text, in which U+FFFD stands for what cannot be decoded, and the WHATWG name of the encoding
        in lower case. A body that is plain UTF-8 comes back as the same object.

    Raises:
        InputError: `encoding` is no label that the standard knows.
    """
    if encoding is not None:
        name = _lookup(encoding)
        if name is None:
            raise InputError(
                f"unknown encoding {encoding!r}: give one of the names browsers know, such as utf-8, "
                "windows-1252, koi8-r, gbk, or shift_jis"
            )
        return _transcode(_without_mark(body, name), name)[0], name

    if body.startswith(b"\xef\xbb\xbf"):
        return _transcode(body[3:], "utf-8")[0], "utf-8"
    if body.startswith(b"\xff\xfe"):
        return _transcode(body[2:], "utf-16le")[0], "utf-16le"
    if body.startswith(b"\xfe\xff"):
        return _transcode(body[2:], "utf-16be")[0], "utf-16be"

    wide = _wide(body, content_type)
    if wide:
        return _transcode(body, wide)[0], wide

    if body.isascii():
        hidden = _hidden(body, content_type, html)
        return (_transcode(body, hidden)[0], hidden) if hidden else (body, "utf-8")
    if valid_length(body) == len(body):
        return body, "utf-8"
    return _legacy(body, content_type, html)


def _lookup(label: str) -> str | None:
    """Find the name of an encoding; None for a label nobody knows and for one that decodes nothing."""
    key = label.strip().lower()
    if key in _RETIRED:
        return "iso-2022-kr" if "kr" in key else key
    # webencodings strips ASCII white space only, and expects text that can be encoded.
    found = webencodings.lookup(key) if key.isascii() else None
    if found is None or found.name == "replacement":
        return None
    return "windows-1252" if found.name == "x-user-defined" else str(found.name)


def _transcode(body: bytes, name: str) -> tuple[bytes, int]:
    """Decode, and count the places where that was not possible."""
    if name == "utf-8":
        if valid_length(body) == len(body):
            return body, 0
        text = body.decode("utf-8", "replace")
        return text.encode(), text.count("\ufffd")
    codec = _SUPERSET.get(name) or _RETIRED.get(name) or webencodings.lookup(name).codec_info.name
    text = body.decode(codec, "replace")
    return text.encode("utf-8", "replace"), text.count("\ufffd")


def _without_mark(body: bytes, name: str) -> bytes:
    """Take off the byte order mark that belongs to the encoding."""
    mark = {"utf-8": b"\xef\xbb\xbf", "utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}.get(name)
    return body[len(mark) :] if mark and body.startswith(mark) else body


def _wide(body: bytes, content_type: str) -> str | None:
    """Recognise UTF-16 without a byte order mark: text in it that has markup or spaces is full of NULs."""
    head = body[:1024]
    if 0 not in head:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if max(even, odd) * 5 >= half * 4 and min(even, odd) * 10 <= half:
        # Four fifths of one half: Latin text, declared or not.
        return _UTF16[even > odd]
    declared = _declared_by_server(content_type)
    # Declared, and of few spaces and tags, as Chinese text is. All-ASCII bytes would be all Latin.
    if declared in _UTF16 and even != odd and not body.isascii():
        return _UTF16[even > odd]
    return None


def _hidden(body: bytes, content_type: str, html: bool) -> str | None:
    """Find an encoding that writes everything in ASCII bytes, where a body of such bytes is in one."""
    if 0x1B in body:
        declared = _declared(body, content_type, html)
        if declared in ("iso-2022-jp", "iso-2022-kr"):
            return declared
        # The sequences that switch to JIS X 0208 are proof enough; nothing else contains them.
        if b"\x1b$B" in body or b"\x1b$@" in body:
            return "iso-2022-jp"
    if "hz-gb" in content_type.lower() or (html and b"hz-gb" in body[:_PRESCAN].lower()):
        declared = _declared(body, content_type, html)
        if declared == "hz-gb-2312":
            return declared
    return None


def _declared_by_server(content_type: str) -> str | None:
    match = _HTTP_CHARSET.search(content_type)
    return _lookup(match[1]) if match else None


def _declared(body: bytes, content_type: str, html: bool) -> str | None:
    """Read what server and page say about the encoding; the first label that means something counts."""
    found = _declared_by_server(content_type)
    if found in _UTF16:
        # Had it been so, `_wide` would have seen it.
        found = None
    if found or not html:
        return found
    head = body[:_PRESCAN]
    match = _XML.match(head)
    labels = [match[1]] if match else []
    for match in _META.finditer(_COMMENT.sub(b"", head)):
        attributes = match[1]
        label = _META_CHARSET.search(attributes)
        # A description may well speak of charsets.
        if label and (b"http-equiv" in attributes.lower() or not _META_NAMED.search(attributes)):
            labels.insert(0, label[1])
            break
    for raw in labels:
        found = _lookup(raw.decode("latin-1"))
        if found:
            # The declaration was just read as ASCII bytes, so it cannot be true of UTF-16.
            return "utf-8" if found in _UTF16 else found
    return None


def _legacy(body: bytes, content_type: str, html: bool) -> tuple[bytes, str]:
    """Decode what is neither ASCII nor valid UTF-8."""
    high = len(body) - len(body.translate(None, _HIGH_BYTES))
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    # Bytes of whole UTF-8 sequences against broken places. A page cut in the middle of a character, or
    # with one line of another encoding pasted in, is UTF-8 all the same.
    whole = high - broken
    declared = _declared(body, content_type, html)
    if whole > (10 if declared == "utf-8" else 50) * broken:
        return text.encode(), "utf-8"
    if declared and declared != "utf-8":
        decoded, bad = _transcode(body, declared)
        if bad * 10 <= high:
            return decoded, declared
    guess = _detect(body)
    if guess and guess not in ("utf-8", declared):
        decoded, bad = _transcode(body, guess)
        if bad * 10 <= high:
            return decoded, guess
    if declared == "utf-8" and whole > 2 * broken:
        return text.encode(), "utf-8"
    return _transcode(body, "windows-1252")[0], "windows-1252"


def _detect(body: bytes) -> str | None:
    """Ask the detector, and show it text only: its window would otherwise fill with ASCII markup."""
    pieces: list[bytes] = []
    room = _SAMPLE
    for match in _HIGH.finditer(body):
        piece = match[0][:room]
        pieces.append(piece)
        room -= len(piece) + 1
        if room <= 0:
            break
    # uchardet (0.0.8) decodes what stands between the last two characters of ASCII and the end into a buffer
    # of 1,024 characters, and goes on behind that where there are more; everywhere else it minds the end.
    sample = b" ".join([*pieces, b" "])
    if len(sample) - len(sample.translate(None, _LETTERS)) < _EVIDENCE:
        return None
    answer = cchardet.detect(sample).get("encoding")
    if not answer:
        return None
    label = str(answer).lower()
    name = _lookup(_DETECTED.get(label, label))
    return None if name in _EXOTIC or name in _UTF16 else name
