"""Breaks bytes: flips, splices, repeats, cuts, and puts in what readers look for."""

from __future__ import annotations

from collections.abc import Sequence

from fuzz.source import Source

__all__ = ["LARGEST", "MARKUP", "NUMBERS", "UTF8", "mutated"]

# Byte sequences that are no UTF-8, or that claim to begin another encoding: overlong, surrogates, beyond the
# last code point, of five bytes, cut off; byte order marks; switches of ISO-2022 and HZ.
UTF8 = (
    b"\xc0\xaf", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xf0\x80\x80\xaf",
    b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xff", b"\xfe", b"\x80", b"\xbf\xbf\xbf", b"\xc3",
    b"\xe2\x82", b"\xf0\x9f\x98", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0",
    b"\0\0\0\0", b"\x1b$B", b"\x1b(B", b"\x1b$)C\x0e", b"~{", b"~}", b"\x1a", b"\x0e\x0f",
)  # fmt: skip
MARKUP = (
    b"<", b">", b"</", b"/>", b"<!", b"<!--", b"-->", b"--!>", b"<!-->", b"<![CDATA[", b"]]>", b"<?xml ",
    b"?>", b"<!doctype html>", b"<script>", b"</script>", b"<style>", b"</style>", b"<title>",
    b"<textarea>", b"<plaintext>", b"<svg>", b"</svg>", b"<math>", b"<foreignObject>", b"<template>",
    b"</template>", b"<select>", b"<table>", b"<td>", b"</table>", b"<b>", b"</b>", b"<a>", b"<p>", b"</p>",
    b"<br>", b"<pre>", b"<body>", b"</body>", b"<frameset>", b"<noscript>", b"<meta charset=", b"&", b"&#",
    b"&#x", b";", b"'", b'"', b"=", b"{", b"}", b"[", b'":"', b"\\", b"\\u", b"\\ud83d",
)  # fmt: skip
NUMBERS = (b"0", b"-1", b"1", b"99999999", b"2147483648", b"18446744073709551616", b"1e308", b"NaN", b"")
# Most bytes of a case. The parser's buffer grows by pages of memory, and under AddressSanitizer all of it is
# copied each time: a megabyte takes half a minute there, and a hundredth of a second elsewhere.
LARGEST = 1 << 19


def _mutated_once(source: Source, data: bytearray, tokens: Sequence[bytes], other: bytes) -> None:
    size = len(data)
    at = source.randrange(size + 1)
    end = min(size, at + source.size(max(1, size // 2)))
    kind = source.randrange(11)
    if kind == 0 and at < size:
        data[at] ^= 1 << source.randrange(8)
    elif kind == 1 and at < size:
        data[at] = source.randrange(256)
    elif kind == 2:
        del data[at:end]
    elif kind == 3:
        data[at:at] = data[at:end]
    elif kind == 4:
        del data[at:]
    elif kind == 5:
        start = source.randrange(len(other) + 1)
        data[at:end] = other[start : start + source.size(max(1, len(other)))]
    elif kind == 6 and end > at:
        data[at:at] = bytes(data[at : min(end, at + 40)]) * source.size(300)
    elif kind == 7:
        there = source.randrange(size + 1)
        data[at:end], data[there:there] = b"", data[at:end]
    elif kind == 8:
        data[at:end] = bytes(source.randrange(256) for _ in range(min(end - at, 16)))
    else:
        data[at : at + source.choice((0, 0, 1, 4))] = source.choice(tokens)


def mutated(
    source: Source, data: bytes, tokens: Sequence[bytes], other: bytes = b"", most: int = 12, least: int = 1
) -> bytes:
    """The data after some mutations: `tokens` are what is put in, `other` what is spliced in."""
    found = bytearray(data)
    for _ in range(max(least, source.size(most))):
        _mutated_once(source, found, tokens, other or data)
        del found[LARGEST:]
    return bytes(found)
