"""Bytes to UTF-8: the encodings of the web, and UTF-8 that was encoded twice.

*Encodings* are decoded exactly as the WHATWG Encoding Standard defines it. Python's codecs differ from the
standard: they lack characters that browsers know (NEC's row 13 in EUC-JP and ISO-2022-JP, the euro sign of
Big5, byte 0x80 of GBK), and after such a character they go on within it. So encodings of several bytes are
decoded by `endec`, which is Firefox's implementation, encoding_rs. For encodings of one byte, a table of 256
characters, made by it, is faster.

*UTF-8 that was encoded twice* is mended: `Ã©` for é, `â€™` for an apostrophe. Somebody read UTF-8 as Latin-1
or windows-1252 and wrote the result as UTF-8. A page is mended only where the sequences decode to characters,
and only if the page has several of them that no author writes on purpose. The library ftfy does much more; it
reads a page a hundred times slower, and judges each line by itself. Here the whole page is the evidence, so
that a page about such errors stays as it is.
"""

import codecs
import re
from functools import cache, lru_cache
from typing import Final

import endec
import webencodings

from ncleaner.text._letters import examine, valid_length

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


# ------------------------------------------------------------------------------------------------
# UTF-8 that was encoded twice.

#: Fewest places, as `_letters.examine` counts them, for which a page is searched: those that begin with Â, Ã,
#: â; and all others, which French and Portuguese pages also have.
_SEVERAL: Final = 2
_MANY: Final = 20

# windows-1252 where it differs from Latin-1.
_CP1252: Final = {
    character: byte for byte in range(0x80, 0xA0) for character in bytes([byte]).decode("cp1252", "ignore")
}
# Patterns are of bytes, and begin with one byte: they pass over most of a page at the speed of memory.
_NEXT: Final = b"(?:\xc2[\x80-\xbf]|" + b"|".join(character.encode() for character in _CP1252) + b")"
# All sequences that are characters of two to four bytes.
_ANY: Final = re.compile(
    b"\xc3(?:[\x82-\x9f]%b|[\xa0-\xaf]%b{2}|[\xb0-\xb4]%b{3})" % (_NEXT, _NEXT, _NEXT), re.DOTALL
)
# Those that no language writes: Â or Ã before a sign; â before the second byte of punctuation, arrows, signs.
_SECOND: Final = b"(?:\xc2[\x80\x82\x84\x86\x98-\x9e\xac\xad]|%b)" % "|".join("€‚„†˜™š›œž").encode()
_STRICT: Final = re.compile(b"\xc3(?:[\x82\x83]%b|\xa2%b%b)" % (_NEXT, _SECOND, _NEXT), re.DOTALL)
# Characters of a page that was read as Latin-1: they are invisible, and no text is about them.
_UNSEEN: Final = re.compile(b"\xc2[\x80-\x9f]")
_LEADS: Final = bytes(range(0xC2, 0xF5))
_LETTERS: Final = frozenset(bytes([byte]) for byte in range(0x80) if chr(byte).isalpha())

# In how many words a page of windows-1252 must have them; the least share of all characters beyond ASCII
# that belong to sequences if sequences of any kind are decoded; most times that a text was encoded too often.
_IN_WORDS: Final = 3
_SHARE: Final = 0.9
_TIMES: Final = 3


@lru_cache(1_000)
def _character(sequence: bytes) -> bytes:
    """Returns the character of one sequence, or the sequence if it is not valid UTF-8."""
    character = bytes(_CP1252.get(sign) or ord(sign) for sign in sequence.decode())
    return character if valid_length(character) == len(character) else sequence


def _once(match: re.Match[bytes]) -> bytes:
    return _character(match[0])


def _characters(utf8: bytes) -> int:
    """Returns the number of characters beyond ASCII."""
    return len(utf8) - len(utf8.translate(None, _LEADS))


def _mended_once(page: bytes, signs: int, others: int) -> bytes:
    """Returns a page with its sequences decoded once, or the same page; the numbers are those of `mended`."""
    unseen = in_words = strict = 0
    for match in _STRICT.finditer(page):
        sequence = match[0]
        if _character(sequence) == sequence:
            continue
        strict += 1
        unseen += _UNSEEN.search(sequence) is not None
        start, end = match.span()
        # A table of such errors has none inside a word or beside it.
        in_words += page[start - 1 : start] in _LETTERS or page[end : end + 1] in _LETTERS
    if unseen >= _SEVERAL and others < _MANY:
        return _STRICT.sub(_once, page)
    if signs + others >= _MANY:
        # Counts, not lists: a hostile page has millions of them.
        every = characters = 0
        for match in _ANY.finditer(page):
            if _once(match) != match[0]:
                every += 1
                characters += _characters(match[0])
        if every >= _MANY and characters >= _SHARE * _characters(page):
            return _ANY.sub(_once, page)
    if unseen >= _SEVERAL:
        return _STRICT.sub(_once, page)
    if in_words >= _IN_WORDS:
        # A page that has as many of the characters as they should be writes about the sequences.
        rest = _STRICT.sub(b"", page)
        if strict > rest.count(b"\xc2") + rest.count(b"\xc3") + rest.count(b"\xe2\x80"):
            return _STRICT.sub(_once, page)
    return page


def mended(page: bytes, signs: int, others: int) -> bytes:
    """Returns a page with the text decoded that was encoded twice, or the same object.

    Args:
        page: valid UTF-8.
        signs, others: numbers of places that look like such text, as `_letters.examine` returns them.
    """
    for _ in range(_TIMES):
        if signs < _SEVERAL and others < _MANY:
            break
        before, page = page, _mended_once(page, signs, others)
        if page is before:
            break
        _, signs, others = examine(page)
    return page
