"""Words that the dump writes together or apart, compared with gold text.

    python -m bench.glued GOLD_DIR … [--show 20]

A *joint* is a place where two runs of a segment touch in the source, without white space between them. For
each joint, the text around it is searched in the gold text of the page, without regard to white space: gold
writes the two sides *apart* or as *one*, or does not have them (*unknown*). The table says what the dump does
with them. Joints at which a mark belongs to the word before or after it (`word</b>,`) are not counted: no
rule puts a space there.

Some gold texts have a space at every tag, also before commas. Pages with more than one such mark in 50 say
nothing about joints and are left out. `--show` lists joints at which dump and gold differ.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import Met, walk
from ncleaner.dumping.html import parse
from ncleaner.lab.training.alignment import gold_text
from ncleaner.text.charset import decode

# Characters to either side of a joint that are searched in the gold text: many first, then fewer.
_SIDES = ((24, 24), (24, 10), (10, 24), (10, 10))
_MARK = re.compile(r"\w( ?)[,.)](?=\s|\Z)")


class Joint(NamedTuple):
    """A joint: the text to either side in its segment, what the dump does, and what gold writes."""

    left: str
    right: str
    is_apart: bool
    gold: str

    @property
    def of_words(self) -> bool:
        """Tells whether a letter or digit is on either side."""
        return self.left[-1:].isalnum() and self.right[:1].isalnum()


class _Gold:
    """A gold text without white space, and the places where it has white space."""

    def __init__(self, text: str) -> None:
        words = text.split()
        self._text = "".join(words)
        self._gaps: list[int] = []
        length = 0
        for word in words:
            self._gaps.append(length)
            length += len(word)

    def verdict(self, left: str, right: str) -> str:
        """Returns `apart`, `one`, `both` (in different places), or `unknown`."""
        left, right = "".join(left.split()), "".join(right.split())
        for before, after in _SIDES:
            part = left[-before:]
            wanted = part + right[:after]
            found = set()
            at = self._text.find(wanted)
            while at >= 0:
                gap = bisect_left(self._gaps, at + len(part))
                found.add(gap < len(self._gaps) and self._gaps[gap] == at + len(part))
                at = self._text.find(wanted, at + 1)
            if found:
                return "both" if len(found) == 2 else "apart" if True in found else "one"
        return "unknown"


def joints(page: bytes, gold: str) -> list[Joint]:
    """The joints of a page, in order."""
    builder = Builder(len(page))
    parser = parse(decode(page)[0]).parser
    met = bytearray()
    walk(parser, builder, met=met)
    data = builder.tables().text
    text = _Gold(gold)
    found = []
    for _, what, offset, _ in np.frombuffer(met, np.int64).reshape(-1, 4).tolist():
        if what not in (Met.APART, Met.TOGETHER):
            continue
        is_apart = what == Met.APART
        start, end = data.rfind(b"\n", 0, offset) + 1, data.find(b"\n", offset)
        left, right = data[start:offset].decode(), data[offset:end].decode().lstrip()
        if not is_apart and data[offset : offset + 1] == b" ":
            continue  # white space that only the builder knows
        found.append(Joint(left, right, is_apart, text.verdict(left, right)))
    return found


def main(
    gold: Annotated[list[Path], typer.Argument(help="gold directories")],
    show: Annotated[int, typer.Option(help="number of differences to list, at most two for a page")] = 0,
) -> None:
    """Prints a table for each directory: joints, and in brackets the pages that have them."""
    for folder in gold:
        counts: Counter[tuple[bool, str, bool]] = Counter()
        pages: Counter[tuple[bool, str, bool]] = Counter()
        listed = 0
        for page in sorted((folder / "raw").iterdir()):
            text = gold_text((folder / "clean" / f"{page.stem}.txt").read_text("utf-8", "replace"))
            marks = _MARK.findall(text)
            if marks.count(" ") * 50 > len(marks):
                continue
            here = joints(page.read_bytes(), text)
            kinds = Counter((joint.of_words, joint.gold, joint.is_apart) for joint in here)
            counts += kinds
            pages.update(kinds.keys())
            different = [joint for joint in here if joint.gold == ("one" if joint.is_apart else "apart")]
            for joint in different[:2]:
                if listed < show:
                    listed += 1
                    typer.echo(f"  {page.stem} gold {joint.gold}: {joint.left[-30:]!r} {joint.right[:30]!r}")
        typer.echo(f"{folder.name}: joints (pages)")
        for of_words in (True, False):
            for verdict in ("apart", "one", "both", "unknown"):
                apart, together = ((of_words, verdict, state) for state in (True, False))
                typer.echo(
                    f"  {'words' if of_words else 'marks':5}  gold {verdict:7}"
                    f"  dump apart {counts[apart]:6} ({pages[apart]:3})"
                    f"  together {counts[together]:6} ({pages[together]:3})"
                )


if __name__ == "__main__":
    typer.run(main)
