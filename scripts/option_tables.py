"""Writes the tables of options in the documentation, from their declarations: those of a recipe for
docs/python-reference.md, those of each command for docs/command-line.md.

python scripts/option_tables.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import typer

from ncleaner.cli.program import app
from ncleaner.limits import Limits
from ncleaner.options import options_of
from ncleaner.recipe import Recipe

DOCS = Path(__file__).parent.parent / "docs"
END = "<!-- end of the options -->\n"


def of_a_recipe() -> str:
    """Returns the table of a recipe: options of `Recipe`, then those of `Limits`."""
    lines = ["| option | what it does | on the command line | default |", "|---|---|---|---|"]
    for kind, prefix in ((Recipe, ""), (Limits, "limits.")):
        for each in options_of(kind):
            if isinstance(each.default, Limits):
                continue
            flags = "" if each.flags is None else ", ".join(f"`{name}`" for name in each.names)
            flags += "".join(f", `--{preset}`" for preset, _ in each.presets)
            default = each.otherwise or f"`{each.default!r}`"
            said = each.help
            if each.default is True:
                said = f"`False`: {said[0].lower()}{said[1:]}"
            lines.append(f"| `{prefix}{each.name}` | {_in_a_cell(said)} | {flags} | {default} |")
    return "\n".join(lines) + "\n"


def of_commands() -> str:
    """Returns a section for each command: what it does, and its options in the groups of `--help-all`.

    What is the same in the first command is only named in the others."""
    known: set[tuple[str, str]] = set()

    def sections(command: Any, path: str) -> Iterator[str]:
        context = click.Context(command)
        if path != "ncleaner":
            yield from _section(command, path, context, known)
        for name in getattr(command, "list_commands", lambda _: [])(context):
            yield from sections(command.get_command(context, name), f"{path} {name}")

    return "\n".join(sections(typer.main.get_command(app), "ncleaner"))


def _section(command: Any, path: str, context: Any, known: set[tuple[str, str]]) -> Iterator[str]:
    """Yields the lines of a command. `known` has the rows of the first one, which it gets if it is empty."""
    is_first = not known
    own: set[tuple[str, str]] = set()
    yield f"## {path.removeprefix('ncleaner ')}\n"
    yield f"`{' '.join((path, *command.collect_usage_pieces(context)))}`\n"
    yield f"{_as_prose(command.help)}\n"
    shown = [each for each in command.params if getattr(each, "help", None) and each.name != "help_all"]
    # as the help page does: what has no group comes first, groups in the order of their first option
    panels = list(dict.fromkeys(getattr(each, "rich_help_panel", None) or "" for each in shown))
    shown.sort(key=lambda each: panels.index(getattr(each, "rich_help_panel", None) or ""))
    for panel, options in groupby(shown, lambda each: getattr(each, "rich_help_panel", None) or ""):
        if panel:
            yield f"### {panel}\n"
        rows = {(_name(each, context), _in_a_cell(_said(each))): each.opts[0] for each in options}
        if new := [row for row in rows if row not in known]:
            yield "| option | what it does |\n|---|---|"
            yield from (f"| {name} | {said} |" for name, said in new)
            yield ""
        if same := [f"`{option}`" for row, option in rows.items() if row in known]:
            yield f"As for [clean](#clean): {', '.join(same)}.\n"
        own.update(rows)
    if is_first:
        known.update(own)


def _name(parameter: Any, context: Any) -> str:
    """Returns the names of an option, and what its value is."""
    if parameter.param_type_name == "argument":
        return f"`{parameter.make_metavar(context).strip('[]{}')}`".replace("|", r"\|")
    names = [f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts)]
    if not parameter.is_flag:
        value = parameter.make_metavar(context).replace("|", r"\|")
        names[0] = f"`{parameter.opts[0]} {value}`"
    return ", ".join(names)


def _said(parameter: Any) -> str:
    """Returns what the help says of an option, with bounds and default."""
    said = str(parameter.help).strip()
    if parameter.required and parameter.param_type_name == "option":
        said += " (required)"
    is_plain = parameter.default in (None, []) or isinstance(parameter.default, bool)
    if getattr(parameter, "show_default", False) is True and not is_plain:
        number = isinstance(parameter.default, int | float)
        default = f"{parameter.default:,}".removesuffix(".0") if number else parameter.default
        said += f" (default: {default})"
    return said


def _in_a_cell(text: str) -> str:
    return _as_prose(text).replace("|", r"\|")


def _as_prose(text: str) -> str:
    """Returns a help text as Markdown: what is typed is code."""
    parts = re.split(r"(`[^`]*`)", re.sub("  +", " ", text))
    parts[::2] = [re.sub(r"(?<![\w-])(--?[a-z][\w-]*)", r"`\1`", part) for part in parts[::2]]
    return "".join(parts).replace("<", r"\<")


#: {page: (the line before its table, the table)}
TABLES = {
    DOCS / "python-reference.md": ("<!-- options of a recipe -->\n", of_a_recipe),
    DOCS / "command-line.md": ("<!-- options of the commands -->\n", of_commands),
}


def with_table(page: Path) -> str:
    """Returns the text of a page with its table as the declarations have it."""
    begin, table = TABLES[page]
    before, _, rest = page.read_text("utf-8").partition(begin)
    return f"{before}{begin}{table()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    for page in TABLES:
        page.write_text(with_table(page), "utf-8")
