"""Reads what is known about the Web from text files: names of classes and meta tags, months, phrases.

Such a file lies beside the module that uses it. A line `[name]` begins a section; each other line has words,
with a comma and a space between two; what follows `#` is a comment. A word may consist of several words, and
is in double quotes where it begins or ends with a space. Words are in small letters, unless the name of their
section ends in "as written". There are no other rules: a mistake ends the import, with file and line.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

_ROOT = Path(__file__).parent.parent
_COMMA = re.compile(r",\s+")
# not those of regular expressions: [\d.,], {2,4}
_GLUED = re.compile(r",(?![\s\d\]}])")
_COMMENT = re.compile(r"(?:^|\s)#.*")
# letters after a backslash are signs of regular expressions, such as \W
_ESCAPE = re.compile(r"\\.")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")


def word_lists(name: str, *sections: str) -> dict[str, tuple[str, ...]]:
    """Returns {section: its words, in order} of a file.

    Args:
        name: path of the file in the package, without `.txt`.
        sections: their names; the file has these and no others.

    Raises:
        ValueError: the file has a mistake; the message says where.
    """
    path = _ROOT / f"{name}.txt"
    found: dict[str, dict[str, None]] = {}
    words: dict[str, None] | None = None
    exact = False

    def fail(number: int, what: str) -> NoReturn:
        raise ValueError(f"{path}, line {number}: {what}")

    lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if "#" in line:
            line = _COMMENT.sub("", line)
        line = line.strip().removesuffix(",")
        if not line:
            continue
        if line[0] == "[" and line[-1] == "]":
            section = line[1:-1]
            if section not in sections:
                fail(number, f"[{section}] is not a section of this file")
            if section in found:
                fail(number, f"[{section}] is here twice")
            words = found[section] = {}
            exact = section.endswith("as written")
            continue
        if words is None:
            fail(number, "words before the first [section]")
        if not exact and line != line.lower() and (bare := _ESCAPE.sub("", line)) != bare.lower():
            fail(number, "capitals in a section of small letters")
        if _GLUED.search(line):
            fail(number, "a comma without a space after it")
        new = _COMMA.split(line)
        if '"' in line:
            new = [word.strip('"') for word in new]
        before = len(words)
        words.update(dict.fromkeys(new))
        if "" in words:
            fail(number, "a comma without words")
        if len(words) != before + len(new):
            fail(number, f"words of this line are in [{section}] twice")
    for section in sections:
        if not found.get(section):
            fail(len(lines), f"[{section}] is missing or has no words")
    return {section: tuple(found[section]) for section in sections}


def any_of(words: Iterable[str]) -> str:
    """Returns a regular expression for any of several, whose groups `(a|b)` are not remembered."""
    return _GROUP.sub("(?:", "|".join(words))


def pairs_of(words: Iterable[str]) -> dict[str, str]:
    """Returns {first: second} of words with a colon between two parts; the second is empty without it."""
    return {first: second for first, _, second in (word.partition(":") for word in words)}
