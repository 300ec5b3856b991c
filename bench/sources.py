"""Whether each segment leads back to its bytes: the places of `Document.sources`, on gold pages.

The bytes at a place, decoded and without markup, references and escapes, must have the letters of the segment
in their order; and so must the text of the element that its selector finds.

    python -m bench.sources GOLD_DIR [GOLD_DIR ...]
"""

from __future__ import annotations

import html
import re
import sys
import time
from codecs import BOM_UTF8 as BOM
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ncleaner.dumping.html import dump_html
from ncleaner.parsing._lexbor import parsed_within_bounds
from ncleaner.text.charset import decode

_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style)(?![^<>]*math/tex).*?</\1\s*>|</?[a-zA-Z][^<>]*>", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|[nrtbf])")


def letters_of(text: str, mended: bool = False) -> str:
    """Returns the letters and digits of a text; those of ASCII for a page whose others are mended."""
    return "".join(char for char in text if char.isalnum() and (char < "\x80" or not mended))


def has_in_order(text: str, letters: str) -> bool:
    """Returns whether letters are in a text, in their order."""
    rest: Iterator[str] = iter(text)
    return all(letter in rest for letter in letters)


def plain(raw: str, data: bool) -> str:
    """Returns a part of a page without markup, references and, in data, escapes."""
    for _ in range(4 if data else 0):
        raw = html.unescape(_ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else " ", raw))
    return _TAG.sub("", raw) if data else html.unescape(_MARKUP.sub("", raw))


def measure(directory: Path) -> Counter[str]:
    """Counts the segments of a gold set by what their places lead to, and says what fails; times in µs."""
    counts: Counter[str] = Counter()
    for path in sorted((directory / "raw").glob("*.html")):
        body = path.read_bytes()
        began = time.process_time()
        dump_html(body)
        between = time.process_time()
        document = dump_html(body, sources=True)
        counts["time without"] += round((between - began) * 1e6)
        counts["time"] += round((time.process_time() - between) * 1e6)
        counts["pages"] += 1
        found = document.sources
        assert found is not None
        utf8 = decode(body)[0]
        # UTF-8 that was encoded twice
        mended = document.encoding == "utf-8" and utf8 != body.decode(
            "utf-8", "replace"
        ).encode().removeprefix(BOM)
        parser = parsed_within_bounds(utf8).parser
        texts: dict[str, list[str]] = {}
        for row, text in enumerate(document.texts):
            counts["segments"] += 1
            letters = letters_of(text, mended)
            start, end = int(found.starts[row]), int(found.ends[row])
            if start < 0:
                counts["not found"] += 1
                print(f"{path.name} {row}: not found: {text[:80]!r}", file=sys.stderr)
                continue
            there = decode(body[start:end], encoding=document.encoding)[0].decode()
            if any(letters_of(plain(there, data), mended) == letters for data in (False, True)):
                counts["exact"] += 1
            elif any(has_in_order(letters_of(plain(there, data), mended), letters) for data in (False, True)):
                counts["inside"] += 1
            else:
                counts["elsewhere"] += 1
                print(f"{path.name} {row}: {text[:80]!r} is not in {there[:160]!r}", file=sys.stderr)
            selector = found.selectors[row]
            if selector not in texts:
                node = parser.css_first(selector) if selector else None
                markup = "" if node is None else node.html or ""
                texts[selector] = [letters_of(plain(markup, data), mended) for data in (False, True)]
            if selector and any(has_in_order(each, letters) for each in texts[selector]):
                counts["selected"] += 1
            else:
                counts["not selected"] += 1
                print(f"{path.name} {row}: {selector} has no {text[:80]!r}", file=sys.stderr)
    return counts


def main() -> None:
    """Prints a line for each gold set."""
    for name in sys.argv[1:]:
        print(name, dict(measure(Path(name))), flush=True)


if __name__ == "__main__":
    main()
