"""Text and attributes of formats with tags: on one line, escaped, without what cannot be written."""

from __future__ import annotations

from collections.abc import Mapping

import regex

from ncleaner.sinks.metadata import replace_surrogates

__all__ = ["attributes", "escaped", "plain", "value"]

# The CWB cuts values at 4,095 bytes and refuses lines of 65,535.
_VALUE_BYTES = 4_000
_ESCAPED_BYTES = 12_000
_UNWRITABLE = regex.compile(r"[\p{Cc}\p{Noncharacter_Code_Point}]++")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def escaped(text: str) -> str:
    """Returns a text with `&`, `<` and `>` as entities."""
    return text.translate(_ESCAPES)


def plain(text: str) -> str:
    """Returns a text on one line, without controls, noncharacters and unpaired surrogates."""
    return " ".join(_UNWRITABLE.sub(" ", replace_surrogates(text)).split())


def value(text: str) -> str:
    """Returns an attribute's value: one line, escaped, and cut to the length that corpus software reads."""
    text = plain(text)
    text = text.encode()[:_VALUE_BYTES].decode("utf-8", "ignore")
    quoted = text.translate(_QUOTED)
    while len(quoted.encode()) > _ESCAPED_BYTES:
        # nearly every character is escaped
        text = text[: len(text) * 3 // 4]
        quoted = text.translate(_QUOTED)
    return quoted


def attributes(values: Mapping[str, str]) -> str:
    """Returns attributes as a start tag has them, each with a space before it."""
    return "".join(f' {name}="{value(text)}"' for name, text in values.items())
