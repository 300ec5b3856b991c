"""Writes the table of a recipe's options in docs/python.md, from their declarations.

python scripts/option_tables.py
"""

from __future__ import annotations

import re
from pathlib import Path

from ncleaner.limits import Limits
from ncleaner.options import options_of
from ncleaner.recipe import Recipe

PAGE = Path(__file__).parent.parent / "docs" / "python.md"
MARKS = ("<!-- options of a recipe -->\n", "<!-- end of the options -->\n")


def table() -> str:
    """Returns the table: options of `Recipe`, then those of `Limits`."""
    lines = ["| option | on the command line | default | |", "|---|---|---|---|"]
    for kind, prefix in ((Recipe, ""), (Limits, "limits.")):
        for each in options_of(kind):
            if isinstance(each.default, Limits):
                continue
            flags = "" if each.flags is None else ", ".join(f"`{name}`" for name in each.names)
            flags += "".join(f", `--{preset}`" for preset, _ in each.presets)
            default = each.otherwise or f"`{each.default!r}`"
            said = re.sub(r"\|", r"\\|", each.help)
            if each.default is True:
                said = f"`False`: {said[0].lower()}{said[1:]}"
            lines.append(f"| `{prefix}{each.name}` | {flags} | {default} | {said} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """Returns a page with the table between the marks."""
    before, _, rest = text.partition(MARKS[0])
    return before + MARKS[0] + table() + MARKS[1] + rest.partition(MARKS[1])[2]


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
