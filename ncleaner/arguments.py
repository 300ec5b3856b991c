"""Checks of what callers of the Python API give: the error says at once which argument is wrong, and what it
must be."""

import math
import operator
import os
import re
import sys
import warnings
from collections.abc import Iterable
from numbers import Real
from pathlib import Path

from ncleaner.errors import InputError, InputWarning
from ncleaner.page import Page, binary

# characters of a text that are looked at
_HEAD = 16
# most characters of a value in a message
_MOST = 60
# packages whose objects are pages that were parsed
_PARSERS = ("bs4", "lxml", "selectolax", "parsel")
# the longest text that may be a path
_LONGEST_PATH = 1000
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,15}://[^\s<>]+", re.IGNORECASE)
_FILE = re.compile(r"[^\n<>]*\.(?:x?html?|php|aspx?|mhtml|txt|warc|arc|wet)(?:\.(?:gz|zst))?", re.IGNORECASE)


def shown(value: object) -> str:
    """Returns a value as an error shows it: itself if that is short, else its type."""
    if value is None or isinstance(value, str | bytes | int | float):
        # a page may be large
        text = repr(value[: _MOST + 1] if isinstance(value, str | bytes) else value)
        return text if len(text) <= _MOST else f"{text[:_MOST]}…"
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"


def check_is(name: str, value: object, kinds: type | tuple[type, ...], what: str) -> None:
    """Raises TypeError: the value has none of these types."""
    if not isinstance(value, kinds):
        raise TypeError(f"{name} must be {what}, not {shown(value)}")


def check_local(name: str, value: object) -> None:
    """Raises TypeError: the value is not a path. Raises ValueError: it is a URL, where only a file on this
    machine can be used."""
    check_is(name, value, (str, os.PathLike), "a path")
    if isinstance(value, str) and _ADDRESS.fullmatch(value):
        raise ValueError(f"{name} must be a path on this machine, not {shown(value)}")


def check_flag(name: str, value: object) -> None:
    """Raises TypeError: the value is neither True nor False; those of NumPy will do."""
    if not isinstance(value, bool) and type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"{name} must be True or False, not {shown(value)}")


def check_whole(name: str, value: object, low: int, high: int | None = None) -> None:
    """Raises TypeError: the value is no whole number. Raises ValueError: it is out of range."""
    what = f"a whole number {_range(low, high)}"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be {what}, not {shown(value)}") from None
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {what}, not {number}")


def check_number(
    name: str,
    value: object,
    what: str = "",
    low: float | None = None,
    high: float | None = None,
    above: float = -math.inf,
) -> None:
    """Raises TypeError: the value is no number. Raises ValueError: it is NaN, infinite, out of range, or not
    above the last bound. `what` says in words what it must be."""
    what = what or ("a number" if low is None else f"a number {_range(low, high)}")
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {what}, not {shown(value)}")
    number = float(value)
    inside = (low is None or number >= low) and (high is None or number <= high) and number > above
    if not math.isfinite(number) or not inside:
        raise ValueError(f"{name} must be {what}, not {number:g}")


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raises TypeError: the value is no string. Raises ValueError: it is none of the choices."""
    known = list(choices)
    what = f"{', '.join(known[:-1])} or {known[-1]}"
    check_is(name, value, str, what)
    if value not in known:
        raise ValueError(f"{name} must be {what}, not {shown(value)}")


def check_path(name: str, value: object, what: str = "a path, as str or Path") -> None:
    """Raises TypeError: the value is no path."""
    check_is(name, value, (str, os.PathLike), what)


def check_page(page: Page) -> None:
    """Checks the fields of a `Page` that a caller has made.

    Raises:
        TypeError: a field has another type.
        ValueError: the kind is unknown.
    """
    check_is("body", page.body, bytes, "bytes")
    for name in ("url", "date", "content_type", "record_id", "rights", "truncated"):
        check_is(name, getattr(page, name), str, "a str, which is empty if it is unknown")
    check_choice("kind", page.kind, ("html", "text"))


def _range(low: float, high: float | None) -> str:
    return f"of at least {low:,}" if high is None else f"from {low:,} to {high:,}"


def _level_of_user() -> int:
    """Returns the `stacklevel` of a warning of the caller at the line of the user's code."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("ncleaner."):
        frame, level = frame.f_back, level + 1
    return level


def page_of(given: object, encoding: str | None = None) -> bytes | str:
    """Returns what a caller gives as a page.

    Args:
        given: by the caller.
        encoding: of the page, if the caller names it.

    Raises:
        TypeError: it is no page; the error says what to do.
        InputError: it is an image, a PDF or another binary file.
    """
    if isinstance(given, bytes):
        # compiled code takes no subclass, such as that of NumPy
        body = given if type(given) is bytes else bytes(given)
        check_text(body, encoding or "")
        return body
    if isinstance(given, str):
        if len(given) <= _LONGEST_PATH and "<" not in given and _is_locator(given.strip()):
            warnings.warn(
                f"{shown(given)} looks like the path or the address of a page, and is cleaned as a text: "
                "`Path(…).read_bytes()` reads a file, `ncleaner.pages(…)` reads files, archives and "
                "addresses",
                InputWarning,
                stacklevel=_level_of_user(),
            )
        # a binary file that was read as text
        check_text(given[:_HEAD].encode("latin-1", "replace"), decoded=True)
        return given
    if isinstance(given, bytearray | memoryview):
        return page_of(bytes(given), encoding)
    advice = "give its bytes or its text"
    if is_null(given):
        advice = "leave it out, with dropna() or na_action='ignore', or give errors='empty' to extract_many"
    elif isinstance(given, os.PathLike):
        advice = "give .read_bytes() of it"
    elif type(given).__module__.partition(".")[0] in _PARSERS:
        # such an object may have any attribute
        advice = "give its markup, such as str(soup) or lxml.html.tostring(tree)"
    elif hasattr(given, "read"):
        advice = "give .read() of it, of a file that is open with 'rb'"
    elif hasattr(type(given), "content"):
        # a response of requests
        advice = "give .content of it"
    elif type(given).__name__ == "Document":
        advice = "use Cleaner.keep"
    elif hasattr(given, "__iter__"):
        advice = "give one page after the other"
    raise TypeError(f"a page must be bytes or str, not {shown(given)}: {advice}")


def is_null(value: object) -> bool:
    """Whether a value is a null of a data frame: None, NaN, NA."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def check_text(body: bytes, encoding: str = "", *, decoded: bool = False) -> None:
    """Raises InputError: the body of a page is a binary file; see `page.binary`."""
    if found := binary(body, encoding, decoded=decoded):
        raise InputError(f"the page is {found.reason}: {found.advice}")


def _is_locator(text: str) -> bool:
    """Whether a line without markup is an address, has the form of a page's file name, or is one."""
    if not text or "\n" in text:
        return False
    if _ADDRESS.fullmatch(text) or (
        _FILE.fullmatch(text) and (" " not in text or "/" in text or "\\" in text)
    ):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
