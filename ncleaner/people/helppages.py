"""What `--help` shows of a command: options in groups, types in words, worked examples at the end.

A page is plain text of at most 80 columns, on a terminal and in a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from ncleaner.people.examples import EXAMPLES
from ncleaner.people.groups import GROUPS

__all__ = ["CONTEXT", "HelpfulCommand", "HelpfulGroup", "range_in_words"]

# settings of typer's commands; those of a group hold for all commands in it
CONTEXT = {"help_option_names": ["--help", "-h"]}

# widest column of options; what is wider gets a line of its own
_COLUMN = 26
# most characters of the choices of an option in the place of its value
_CHOICES = 24
# a hyphen at which no line is broken
_HYPHEN = "\u2011"

_TYPES = {"int": "N", "float": "NUMBER", "str": "TEXT", "path": "PATH"}


class _Helpful:
    """The parts of a help page that differ from typer's."""

    def get_help(self, ctx: Any) -> str:
        """Returns the page."""
        # no page has such a hyphen of its own
        return str(super().get_help(ctx)).replace(_HYPHEN, "-")  # type: ignore[misc]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Returns what stands behind the command in its first line."""
        found: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        arguments = [param for param in self.get_params(ctx) if isinstance(param, TyperArgument)]  # type: ignore[attr-defined]
        pieces = [piece for argument in arguments for piece in argument.get_usage_pieces(ctx)]
        others = iter([_usage(argument) for argument in arguments])
        return [next(others) if piece in pieces else piece for piece in found]

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Returns what a shell offers for a word that begins so."""
        found: list[Any] = super().shell_complete(ctx, incomplete)  # type: ignore[misc]
        for item in found:
            # zsh and fish have one line for it
            item.help = _first_sentence(item.help or "")
        return found

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments and options, in groups."""
        params = self.get_params(ctx)  # type: ignore[attr-defined]
        sections = [
            (
                "Arguments",
                [
                    (_name(param), _worded(record[1]))
                    for param in params
                    if isinstance(param, TyperArgument) and (record := param.get_help_record(ctx))
                ],
            ),
            *_grouped(_path(ctx), {param.opts[0]: param for param in params}, ctx),
        ]
        names = [name for _, rows in sections for name, _ in rows if len(name) <= _COLUMN]
        width = max(map(len, names), default=0)
        for title, rows in sections:
            if rows:
                with formatter.section(title):
                    # one column for all sections
                    formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=width)
        if isinstance(self, TyperGroup):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Writes the examples."""
        for number, (what, line) in enumerate(EXAMPLES.get(_path(ctx), ())):
            if not number:
                formatter.write("\nExamples:\n")
            formatter.write(f"  {what}\n    {line}\n")


class HelpfulCommand(_Helpful, TyperCommand):
    """A command with such a page."""


class HelpfulGroup(_Helpful, TyperGroup):
    """A group of commands with such a page."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands, each with the first line of its help."""
        rows = [
            (name, (command.help or "").splitlines()[0])
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def range_in_words(message: str) -> str:
    """Returns an error of usage in which a range is not written as `x>=1`."""
    message = re.sub(r" is not in the range x>=([-\d.]*\d)", r" is less than \1", message)
    message = re.sub(r" is not in the range x<=([-\d.]*\d)", r" is more than \1", message)
    return re.sub(r" is not in the range ([-\d.]*\d)<=x<=([-\d.]*\d)", r" is not between \1 and \2", message)


def _path(ctx: Any) -> str:
    """Returns the name of a command as GROUPS and EXAMPLES have it: without that of the program."""
    return str(ctx.command_path.partition(" ")[2])


def _grouped(command: str, params: dict[str, Any], ctx: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yields (title, rows) for each group of options; one of all options where GROUPS has none."""
    rest = {name: param for name, param in params.items() if isinstance(param, TyperOption)}
    by_name = {name: param for param in rest.values() for name in param.opts}
    for title, names in GROUPS.get(command, {}).items():
        members = [by_name[name] for name in names.split() if name in by_name]
        for param in members:
            rest.pop(param.opts[0])
        yield title, [_record(param, ctx) for param in members]
    yield "Options", [_record(param, ctx) for param in rest.values() if not param.hidden]


def _record(param: TyperOption, ctx: Any) -> tuple[str, str]:
    """Returns the two columns of an option."""
    if param.metavar is None and not param.is_flag:
        param.metavar = _value(param, ctx)
    record = param.get_help_record(ctx)
    names, text = record if record is not None else ("", "")
    return names.replace(" / ", "/"), _worded(text)


def _value(param: TyperOption, ctx: Any) -> str:
    """Returns what stands for the value of an option: its choices, where they are short, or its kind."""
    choices = getattr(param.type, "choices", None)
    if choices is not None:
        listed = "|".join(str(getattr(choice, "value", choice)) for choice in choices)
        return listed if len(listed) <= _CHOICES else param.opts[0].lstrip("-").upper().replace("-", "_")
    return _TYPES.get(param.type.name.split()[0], "VALUE")


def _name(argument: TyperArgument) -> str:
    """Returns what stands for an argument: its metavar, or its name in capitals."""
    return (argument.metavar or argument.name or "").strip("[].").upper()


def _usage(argument: TyperArgument) -> str:
    name = _name(argument)
    if not argument.required:
        name = f"[{name}]"
    return name + "..." * (argument.nargs != 1)


def _worded(text: str) -> str:
    """Returns the text of an option with its range in words, with commas in large numbers, and with no line
    break in a name."""
    text = re.sub(r"([\d.]+)<=x<=([\d.]+)", r"\1 to \2", text)
    text = re.sub(r"x>=([\d.]+)", r"at least \1", text)
    text = re.sub(r"\d{5,}", lambda found: f"{int(found[0]):,}", text)
    # the words of an option and those of its type
    text = text.replace("]  [", "; ").replace(".0;", ";").replace(".0]", "]")
    return re.sub(r"-(?=[\w-])", _HYPHEN, text)


def _first_sentence(text: str) -> str:
    """Returns the first sentence of a help text; short of what stands after a colon or in brackets."""
    return re.split(r"\.\s|(?<=.{12})[:;]\s|\s+\[|\.$", text, maxsplit=1)[0]
