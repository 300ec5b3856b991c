"""Converts the bytes of a page to UTF-8: byte order mark, HTTP header, meta element, then a detector.

The order is that of browsers (WHATWG Encoding and the prescan of HTML), with one difference: a page that
*is* valid UTF-8 is read as UTF-8 whatever it declares, because text in another encoding is almost never
valid UTF-8 by accident, while wrong declarations are common. That test is also the cheapest of all, and
decides nearly every page of the present web before any search for declarations. Only encodings that look
like plain ASCII or contain NUL bytes (ISO-2022-JP, HZ, UTF-16) are looked for before it.

UTF-8 that was encoded twice is decoded twice if the page shows it clearly (`encodings.mended`).

Labels are those of the WHATWG standard: `iso-8859-1` means windows-1252 and `gb2312` means GBK, as in
every browser. The result depends on the arguments only, so a page decodes the same each time.
"""

import re
from functools import lru_cache
from typing import Final

from ncleaner.errors import InputError
from ncleaner.page import utf16_readings
from ncleaner.text._letters import examine, valid_length
from ncleaner.text.encodings import UTF16, lookup, mended, transcode

#: Bytes at the beginning of a page in which a declaration is looked for. The standard says 1,024; on many
#: real pages the declaration stands later.
_PRESCAN: Final = 8192
#: Most bytes that are given to the detector. It takes 0.2 ms per kilobyte, and a few kilobytes are enough.
_SAMPLE: Final = 4000
#: Fewer letters than this above ASCII are no evidence: they may be one name or one currency sign.
_MIN_LETTERS: Final = 6
#: Typographic signs that the Windows code pages share. An English page with curly quotation marks has no
#: other bytes above ASCII, and the detector takes it for Danish in a DOS code page.
_SIGNS: Final = bytes(
    [0x82, 0x84, 0x85, *range(0x91, 0x98), 0x99, 0xA0, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB4, 0xB7, 0xBB]
)

# Names that the detector returns and that are not WHATWG labels, with the labels for them.
_DETECTED: Final = {"uhc": "euc-kr", "johab": "euc-kr", "mac-cyrillic": "x-mac-cyrillic"}
# Answers of the detector that are wrong far more often than right: from few high bytes it concludes a rare
# Latin alphabet instead of the usual one.
_UNLIKELY: Final = frozenset(
    {"iso-8859-3", "iso-8859-4", "iso-8859-10", "iso-8859-14", "iso-8859-15", "iso-8859-16", "macintosh"}
)

_HTTP_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
# Neither `<` nor `>` may be inside, so that the search is linear on a page full of unclosed `<meta`.
_META: Final = re.compile(rb"<meta[\s/]([^<>]*)", re.IGNORECASE)
_META_CHARSET: Final = re.compile(rb"(?:^|[\s;\"'/])charset\s*=\s*[\"']?\s*([^\s\"';/]+)", re.IGNORECASE)
_META_NAMED: Final = re.compile(rb"(?:^|[\s\"'/])(?:name|property|itemprop)\s*=", re.IGNORECASE)
_XML: Final = re.compile(rb"\s*<\?xml\s[^<>]*?encoding\s*=\s*[\"']([^\s\"'<>]+)", re.IGNORECASE)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# High bytes, the ASCII between them where it is not markup, and one byte after each run: the trail bytes
# of GBK, Big5 and Shift_JIS include the ASCII range from `@` on.
_HIGH: Final = re.compile(rb"[\x80-\xff]+(?:[^<>\x80-\xff]{1,24}[\x80-\xff]+)*[@-~]?")
_HIGH_BYTES: Final = bytes(range(0x80, 0x100))
_NARROW_TAG: Final = re.compile(rb"<[A-Za-z/!]")
_LOW: Final = bytes(range(0x20))
# Letters that KOI8-U has in place of frames, inside words.
_KOI8_U: Final = re.compile(rb"[\xc0-\xff][\xa4\xa6\xa7\xad\xae]+[\xc0-\xff]")
# Texts in Latin script have hardly ever four letters above ASCII in a row: on real pages at most 6 % of such
# letters are in such runs, but in Cyrillic, Greek and Chinese encodings at least 34 %.
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]{4,}")
_NOT_LATIN: Final = 0.2
_MIN_LATIN: Final = 20
_LETTERS: Final = bytes(byte for byte in _HIGH_BYTES if byte not in _SIGNS)
# Bytes that are no UTF-8, as "surrogateescape" decodes them: all, and those that are letters in windows-1252.
_FOREIGN: Final = "[\udc80-\udcff]"
_FOREIGN_LETTER: Final = f"[{''.join(chr(0xDC00 + byte) for byte in _LETTERS)}]"
# What Latin text in UTF-8 with single bytes of windows-1252 does not have: other characters, or such letters
# side by side.
_NOT_MIXED: Final = (
    f"[^\0-\x7f\xa0-\u017f\u2010-\u2026\u2030-\u203a\u20ac\u2122\udc80-\udcff]|{_FOREIGN_LETTER}{{2}}"
)


def decode(
    body: bytes | str, content_type: str = "", encoding: str | None = None, html: bool = True
) -> tuple[bytes, str]:
    """Returns the text of a page as valid UTF-8 without byte order mark, and the encoding of the page.

    Args:
        body: the page as served, or its text, for which nothing else here has an effect.
        content_type: the whole HTTP Content-Type header.
        encoding: an encoding that the caller knows to be right, by any of its WHATWG labels. It is used
            without any check.
        html: whether declarations inside the page (`<meta charset>`, `<?xml encoding=…?>`) count.

    Returns:
        The text, with U+FFFD in place of bytes that cannot be decoded, and the WHATWG name of the encoding
        in lower case, empty for text. A body that is plain UTF-8 is returned as the same object, unless it
        was encoded twice.

    Raises:
        InputError: `encoding` is not a label of the standard.
    """
    if isinstance(body, str):
        # a surrogate alone is no character, and becomes "?"
        return body.encode("utf-8", "replace"), ""
    if encoding is not None:
        name = lookup(encoding)
        if name is None:
            raise InputError(
                f"unknown encoding {encoding!r}: give a name that browsers know, such as utf-8, "
                "windows-1252, koi8-r, gbk, or shift_jis"
            )
        return _transcode(without_mark(body, name), name)[0], name

    if body.startswith(b"\xef\xbb\xbf"):
        return _mended(_transcode(body[3:], "utf-8")[0]), "utf-8"
    if body.startswith(b"\xff\xfe"):
        return _transcode(body[2:], "utf-16le")[0], "utf-16le"
    if body.startswith(b"\xfe\xff"):
        return _transcode(body[2:], "utf-16be")[0], "utf-16be"

    utf16 = _unmarked_utf16(body, content_type)
    if utf16:
        return _transcode(body, utf16)[0], utf16

    if body.isascii():
        seven_bit = _seven_bit_encoding(body, content_type, html)
        return (_transcode(body, seven_bit)[0], seven_bit) if seven_bit else (body, "utf-8")
    length, signs, others = examine(body)
    if length == len(body):
        return mended(body, signs, others) if signs or others else body, "utf-8"
    utf8, name = _legacy(body, content_type, html)
    return (_mended(utf8) if name == "utf-8" else utf8), name


def is_wide(head: bytes) -> bool:
    """Whether a text is in UTF-16, in which a line feed has a second byte; `head` is its beginning."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or _unmarked_utf16(head, "") is not None


def _mended(utf8: bytes) -> bytes:
    return mended(utf8, *examine(utf8)[1:])


def _transcode(body: bytes, name: str) -> tuple[bytes, int]:
    """Returns the text as UTF-8, and the number of places that could not be decoded."""
    if name != "utf-8":
        return transcode(body, name)
    if valid_length(body) == len(body):
        return body, 0
    text = body.decode("utf-8", "replace")
    return text.encode(), text.count("\ufffd")


def without_mark(body: bytes, name: str) -> bytes:
    """Returns the body without the byte order mark of the encoding."""
    mark = {"utf-8": b"\xef\xbb\xbf", "utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}.get(name)
    return body[len(mark) :] if mark and body.startswith(mark) else body


def _unmarked_utf16(body: bytes, content_type: str) -> str | None:
    """Recognises UTF-16 without a byte order mark: the markup and the spaces in it are full of NUL bytes."""
    head = body[:1024]
    declared = _declared_by_server(content_type)
    if 0 not in head and declared not in UTF16:
        return None
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = max(1, len(head) // 2)
    if max(even, odd) * 5 >= half * 4 and min(even, odd) * 10 <= half:
        # four of five bytes at even places, or at odd ones, are NUL: Latin text, declared or not
        return UTF16[even > odd]
    # Other text has few spaces, hence few NUL bytes.
    has_spaces = max(even, odd) > 2 * min(even, odd) and not body.isascii()
    return _read_as_utf16(body, declared if declared in UTF16 else None, has_spaces)


def _read_as_utf16(body: bytes, declared: str | None, has_spaces: bool) -> str | None:
    """Returns the byte order in which a body is usual text in UTF-16, first of all the one that is declared.

    Bytes of any other encoding are pairs of ASCII now and then, which are rare characters as UTF-16.

    Args:
        body: the page.
        declared: the byte order that the server declares, if it declares UTF-16.
        has_spaces: NUL bytes are at even places, or at odd ones, as in UTF-16 with spaces and markup.
    """
    head = body[:1024]
    order = None
    if valid_length(body) == len(body):
        # Cyrillic letters, for instance, are 0x04 and another byte of ASCII
        even, odd = (len(half) - len(half.translate(None, _LOW)) for half in (head[::2], head[1::2]))
        if max(even, odd) * 4 <= len(head):
            return None
        order = UTF16[even > odd]
    elif len(_NARROW_TAG.findall(head)) > 1 and not (declared and has_spaces):
        return None
    # without a declaration, only tags and white space are evidence
    texts = utf16_readings(head, with_tags=not declared)
    usual = sorted(texts, key=lambda name: name != (declared or UTF16[0]))
    if usual:
        # text in an alphabet is usual in the other order, too, but of characters from all over Unicode
        own, *others = (len({ord(each) >> 8 for each in texts[name]}) for name in usual)
        return usual[any(2 * other < own for other in others)]
    return declared and (declared if has_spaces else order)


def _seven_bit_encoding(body: bytes, content_type: str, html: bool) -> str | None:
    """Returns the encoding of a body of ASCII bytes that is not plain ASCII (ISO-2022, HZ); else None."""
    if 0x1B in body:
        declared = _declared(body, content_type, html)
        if declared in ("iso-2022-jp", "iso-2022-kr"):
            return declared
        # the escape sequences that switch to JIS X 0208 occur in no other encoding
        if b"\x1b$B" in body or b"\x1b$@" in body:
            return "iso-2022-jp"
    if "hz-gb" in content_type.lower() or (html and b"hz-gb" in body[:_PRESCAN].lower()):
        declared = _declared(body, content_type, html)
        if declared == "hz-gb-2312":
            return declared
    return None


@lru_cache(maxsize=256)
def _declared_by_server(content_type: str) -> str | None:
    match = _HTTP_CHARSET.search(content_type)
    return lookup(match[1]) if match else None


def _declared(body: bytes, content_type: str, html: bool) -> str | None:
    """Returns the encoding that the server or the page declares: the first label that the standard knows."""
    name = _declared_by_server(content_type)
    if name in UTF16:
        # the declaration is wrong: `_unmarked_utf16` has not recognised the body
        name = None
    if name or not html:
        return name
    head = body[:_PRESCAN]
    labels = []
    for match in _META.finditer(_COMMENT.sub(b"", head)):
        attributes = match[1]
        label = _META_CHARSET.search(attributes)
        # the text of a description may contain "charset=", too
        if label and (b"http-equiv" in attributes.lower() or not _META_NAMED.search(attributes)):
            labels.append(label[1])
    first = _XML.match(head)
    if first:
        labels.append(first[1])
    for raw in labels:
        name = lookup(raw.decode("latin-1"))
        if name:
            # the declaration itself is there in ASCII bytes, so the page cannot be UTF-16
            return "utf-8" if name in UTF16 else name
    return None


def _legacy(body: bytes, content_type: str, html: bool) -> tuple[bytes, str]:
    """Decodes a body that is neither ASCII nor valid UTF-8."""
    high = len(body) - len(body.translate(None, _HIGH_BYTES))
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    # Compares the bytes of whole UTF-8 sequences with the number of broken places. A page that is cut in the
    # middle of a character, or contains one line in another encoding, is still UTF-8.
    whole = high - broken
    declared = _declared(body, content_type, html)
    is_latin = True
    if declared == "windows-1252" and not _may_be_latin(body):
        # servers declare ISO-8859-1 for all their pages
        is_latin = False
        declared = _declared(body, "", html)
        declared = None if declared == "windows-1252" else declared
    if whole > (10 if declared == "utf-8" else 50) * broken:
        return text.encode(), "utf-8"
    if declared == "utf-8" and (both := _mixed(body)) is not None:
        return both, "utf-8"
    if declared and declared != "utf-8":
        decoded, bad = _transcode(body, declared)
        if bad * 10 <= high:
            return decoded, declared
    guess = _detect(body)
    if guess and guess not in ("utf-8", declared):
        decoded, bad = _transcode(body, guess)
        if bad * 10 <= high:
            return decoded, guess
    if (declared == "utf-8" or not is_latin) and whole > 2 * broken:
        return text.encode(), "utf-8"
    return _transcode(body, "windows-1252")[0], "windows-1252"


def _mixed(body: bytes) -> bytes | None:
    """Returns Latin text in UTF-8 with its bytes of windows-1252 mended; None if it is not such text."""
    text = body.decode("utf-8", "surrogateescape")
    if not re.search("[\xa0-\u2122]", text) or re.search(_NOT_MIXED, text):
        return None
    return re.sub(
        _FOREIGN, lambda match: _transcode(bytes([ord(match[0]) & 0xFF]), "windows-1252")[0].decode(), text
    ).encode()


def _may_be_latin(body: bytes) -> bool:
    """Whether the letters above ASCII stand alone, as they do in texts in Latin script."""
    letters = body.translate(None, _SIGNS)
    high = len(letters) - len(letters.translate(None, _HIGH_BYTES))
    return high < _MIN_LATIN or sum(map(len, _HIGH_RUN.findall(letters))) < _NOT_LATIN * high


def _detect(body: bytes) -> str | None:
    """Returns the detector's guess. The detector is given text only: ASCII markup would fill its window."""
    pieces: list[bytes] = []
    room = _SAMPLE
    for match in _HIGH.finditer(body):
        piece = match[0][:room]
        pieces.append(piece)
        room -= len(piece) + 1
        if room <= 0:
            break
    # uchardet (0.0.8) decodes the text between the last two ASCII characters and the end into a buffer of
    # 1,024 characters, and writes past the end of that buffer if there are more. The last space prevents it.
    sample = b" ".join([*pieces, b" "])
    if len(sample) - len(sample.translate(None, _LETTERS)) < _MIN_LETTERS:
        return None
    # only here, since few pages need it, and it takes a while to load
    import cchardet

    answer = cchardet.detect(sample).get("encoding")
    if not answer:
        return None
    label = str(answer).lower()
    name = lookup(_DETECTED.get(label, label))
    if name == "koi8-r" and _KOI8_U.search(body):
        # which the detector does not know
        return "koi8-u"
    return None if name in _UNLIKELY or name in UTF16 else name
