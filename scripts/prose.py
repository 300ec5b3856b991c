"""Checks the English of documents, help pages and comments: proselint, the length of sentences, our terms.

    python scripts/prose.py

Code, tables and quoted names are left out. It prints a line for each finding, and exits with status 1 if
there is one. Needs the extra `dev`, and the package installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
# a sentence that is longer must be read twice
WORDS = 40
# our own dialect, which comments, docstrings and messages have to do without, too
TICS: tuple[tuple[str, str], ...] = (
    (r"so many(?! of)", "a number, this many, at most"),
    (r"nobody|whoever", "a passive or another subject"),
    (r"(?:says?|states?) of itself", "metadata, states"),
    (r"there are not", "unknown, missing"),
    (r"ha(?:s|ve) to be", "must be"),
    (r"(?:is|has been) told", "is reported, was reported"),
    (r"none of it", "not needed"),
    (r"(?-i:That of)", "the noun"),
    (r"without a word", "without a message"),
    (r"[Ww]hy it is no", "why it is not a"),
    (r"few runs ask for", "imported lazily: rarely needed"),
)
# what a reader whose first language is not English stumbles over: (pattern, what to write)
TERMS: tuple[tuple[str, str], ...] = (
    (r"in order to", "to"),
    (r"prior to", "before"),
    (r"utili[sz]e[sd]?", "use"),
    (r"whilst|hitherto|thereof|therein|whereupon|albeit|henceforth", "a plain word"),
    (r"rather (?:loses|keeps)", "removes more, keeps more"),
    (r"shall", "must, will"),
    (r"is (?:being )?made use of", "is used"),
    (r"bears? with", "a plain word"),
    (r"(?:which|what) [\w ,]+ bears?", "subject before verb"),
    (r"i\.e\.|e\.g\.|viz\.|etc\.", "that is, for example, and so on"),
    # translated word for word
    (r"stands?(?! for| out| still)", "is, are"),
    (
        r"(?<!there )(?:is|are|was|were) (?:no|none)(?! longer| more| better| less| worse)",
        "is not a, are not",
    ),
    (r"an? \w+ of (?:its|their|his) own", "its own, a separate"),
    (r"go(?:es)? on", "continue, resume"),
    (r"likeness|(?<!share-)alike", "similarity, equally"),
    (r"that which|those which", "what, those that"),
    (r"costs? (?:itself|themselves) only", "loses only"),
    (r"speaks? (?:for|against) itself", "is clear"),
    *TICS,
)
# of proselint: what is a matter of typesetting or of taste, and names of segments in small letters
PASSED = ("typography.", "weasel_words.very", "misc.capitalization.")
PROSE = (
    *sorted((ROOT / "docs").glob("*.md")),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "models" / "README.md",
)


class Piece(NamedTuple):
    """A paragraph: where it is, and its text."""

    place: str
    text: str


def plain(text: str) -> str:
    """Returns Markdown without its markup; code is the word `code`."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"``[^`]+``|`[^`]+`", "code", text)
    return re.sub(r"[*_]{1,2}(\S(?:[^*_]*\S)?)[*_]{1,2}", r"\1", text)


def paragraphs(path: Path) -> Iterator[Piece]:
    """Yields the paragraphs of a document."""
    lines: list[str] = []
    begin, fence = 1, ""

    def flushed(number: int) -> Iterator[Piece]:
        nonlocal begin
        if lines:
            yield Piece(f"{path.relative_to(ROOT)}:{begin}", plain(" ".join(lines)))
            lines.clear()
        begin = number + 1

    for number, line in enumerate([*path.read_text("utf-8").splitlines(), ""], 1):
        mark = re.match(r"\s*(`{3,}|:{3,}|<!--)", line)
        if fence:
            fence = "" if line.strip().startswith(fence) or (fence == "-->" and "-->" in line) else fence
            begin = number + 1
        elif mark:
            yield from flushed(number)
            fence = "" if mark[1] == "<!--" and "-->" in line else "-->" if mark[1] == "<!--" else mark[1]
        elif not line.strip() or (not lines and line.startswith(("|", "#", "    "))):
            # an empty line, a table, a heading, a block of code
            yield from flushed(number)
        elif re.match(r"\s*(?:[-*]|\d+\.)\s", line):
            yield from flushed(number - 1)
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.)\s+", "", line))
        elif not line.startswith("|"):
            lines.append(line.strip())


def helps() -> Iterator[Piece]:
    """Yields the help texts of all commands and options."""
    import click
    import typer

    from ncleaner.cli.program import app

    def texts(command: Any, name: str) -> Iterator[Piece]:
        for part in re.split(r"\n\s*\n", str(command.help or "")):
            yield Piece(name, plain(" ".join(part.split())))
        for parameter in command.params:
            text = getattr(parameter, "help", None)
            if text:
                yield Piece(f"{name} {parameter.opts[0]}", plain(text))
        if hasattr(command, "list_commands"):
            context = click.Context(command)
            for inner in command.list_commands(context):
                yield from texts(command.get_command(context, inner), f"{name} {inner}")

    yield from texts(typer.main.get_command(app), "ncleaner")


def findings(pieces: list[Piece]) -> Iterator[str]:
    """Yields what is wrong, with its place."""
    for place, text in pieces:
        for sentence in re.split(r"(?<=[.!?:;])\s+", text):
            words = len(sentence.split())
            if words > WORDS:
                yield f"{place}: a sentence of {words} words: {sentence[:60]}…"
        for pattern, better in TERMS:
            if found := re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE):
                yield f"{place}: {found[0]!r}: write {better}"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "prose.md"
        file.write_text("\n\n".join(text for _, text in pieces), "utf-8")
        done = subprocess.run(["proselint", "check", str(file)], capture_output=True, text=True, check=False)
        for line in (done.stdout + done.stderr).splitlines():
            known = re.match(r".*?:(\d+):\d+: (.*)", line)
            if known and not known[2].startswith(PASSED):
                piece = pieces[int(known[1]) // 2] if int(known[1]) // 2 < len(pieces) else pieces[-1]
                yield f"{piece.place}: {known[2]}"


def tics() -> Iterator[str]:
    """Yields what is wrong in comments, docstrings and messages of the package."""
    for path in sorted((ROOT / "ncleaner").rglob("*.p*")):
        if path.suffix not in (".py", ".pyx", ".pxd"):
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for pattern, better in TICS:
                if found := re.search(rf"(?<!\w)(?:{pattern})(?!\w)", line):
                    yield f"{path.relative_to(ROOT)}:{number}: {found[0]!r}: write {better}"


if __name__ == "__main__":
    found = list(findings([piece for path in PROSE for piece in paragraphs(path)] + list(helps())))
    found += tics()
    print("\n".join(found) or "no findings")
    sys.exit(bool(found))
