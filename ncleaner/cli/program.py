"""The command line: options in, one call, exit status out. A module of `commands` is imported when its
command is called, so that `ncleaner --help` and each command load only what they need.
"""

import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Self, cast

import typer
from typer.core import CompletionItem, TyperCommand, TyperGroup, TyperOption  # type: ignore[attr-defined]
from typer.main import get_command
from typer.models import TyperPath

from ncleaner.arguments import check_local
from ncleaner.cli.printing import output_errors, show
from ncleaner.errors import named
from ncleaner.sinks.formats import FORMATS
from ncleaner.text.visible import visible, visible_lines
from ncleaner.versions import MODELS, OUTPUTS, SURVEYS

# {names of a command: its section of `examples.txt`, which says what it has}
_SAID = dict(
    each.split("]\n", 1)
    for each in Path(__file__).with_name("examples.txt").read_text("utf-8").split("\n[")[1:]
)


def epilog(path: str) -> str:
    """Returns the end of the help page of a command, its examples. `path`: its names, or empty."""
    return "Examples:\n\n" + _SAID[path].partition("\n")[2].strip("\n")


def _about(name: str) -> str:
    """Returns what a command does, in a few words."""
    return _SAID[name].partition("\n")[0]


# The module of each command, in the order of the help text.
COMMANDS = {
    "clean": "ncleaner.cli.commands.clean",
    "sort": "ncleaner.cli.commands.sort",
    "survey": "ncleaner.cli.commands.survey",
    "report": "ncleaner.cli.commands.report",
    "dump": "ncleaner.cli.commands.dump",
    "inspect": "ncleaner.lab.commands.inspect",
    "annotate": "ncleaner.lab.commands.annotate",
    "train": "ncleaner.lab.commands.train",
    "tune": "ncleaner.lab.commands.tune",
    "evaluate": "ncleaner.lab.commands.evaluate",
    "compare": "ncleaner.lab.commands.compare",
    "models": "ncleaner.cli.commands.models",
    "methods": "ncleaner.cli.commands.methods",
    "doctor": "ncleaner.cli.commands.doctor",
}


# settings of typer's commands; those of a group hold for all commands in it
CONTEXT = {"help_option_names": ["--help", "-h"]}


# Codes of languages, with commas between them.
_CODES = re.compile("[a-z]{2,3}(,[a-z]{2,3})*|auto", re.IGNORECASE)
# A command with more options has a short help page besides that of all options.
_MANY = 12


def _help_all() -> Any:
    """Returns the option `--help-all`, which pages without rare options do not show."""

    def show_all(ctx: Any, parameter: Any, value: bool) -> None:
        if value:
            ctx.command.rare = ()
            show(ctx.get_help())
            ctx.exit()

    return TyperOption(
        param_decls=["--help-all"], is_flag=True, is_eager=True, expose_value=False, hidden=True,
        callback=show_all,
    )  # fmt: skip


class Layered(TyperCommand):
    """A command with many options: `--help` shows those that most users need, `--help-all` shows all.

    Attributes:
        rare: names of the other parameters.
    """

    rare: Collection[str] = ()

    def layered(self, rare: Collection[str]) -> Self:
        """Returns the command, with a short help page if it has many options."""
        if len(self.params) > _MANY + 1 and rare:
            self.rare = rare
            said: Any = next(each for each in self.params if each.name == "help_all")
            said.help, said.hidden = f"Show all {len(self.params) - 1} options.", False
        return self

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses arguments; `--learn` may have no value."""
        # alone, the option learns what is missing; an input may follow it
        for at, each in enumerate(args):
            codes = "".join(args[at + 1 : at + 2])
            if each == "--learn" and not _CODES.fullmatch(codes):
                args = [*args[: at + 1], "auto", *args[at + 1 :]]
            elif each == "--learn" and Path(codes).exists():
                ctx.fail(f"{codes} is a code of a language and a path: --learn={codes} or ./{codes}?")
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help page, without the rare options."""
        if self.rare:
            # the process ends after it
            for each in cast("list[Any]", self.params):
                each.hidden = each.name in self.rare
                # in one panel, with the first sentence of what there is to say
                each.help, each.rich_help_panel = _first_sentence(each.help or ""), None
                each.secondary_opts, each.show_default = [], False
        super().format_help(ctx, formatter)


def _first_sentence(text: str) -> str:
    first, found, _ = text.partition(". ")
    return first + found.rstrip()


class _LocalPath(TyperPath):
    """A path on this machine: `Path` would fold `s3://bucket` to `s3:/bucket`."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            check_local("it", value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return super().convert(value, param, ctx)


def _finished(command: Any) -> Any:
    """Returns a command, or a group with its own, as users get it: each paragraph of the help is a line, of
    which typer keeps the line breaks of all but the first; no path is a URL; and each has `--help-all`."""
    command.help = re.sub(r"(?<!\n)\n(?!\n)", " ", command.help or "")
    for each in (command, *getattr(command, "commands", {}).values()):
        for parameter in each.params:
            if isinstance(parameter.type, TyperPath):
                parameter.type = _LocalPath()
        each.params.append(_help_all())
    return command


class _Commands(TyperGroup):
    """Finds commands in `COMMANDS`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.params.append(_help_all())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        # typer looks there for names that are like a wrong one
        self.commands = cast(Any, dict.fromkeys(COMMANDS))
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        # from the table: the module of no command is loaded
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        return [CompletionItem(name, help=_about(name).rstrip(".")) for name in names]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = named(COMMANDS[cmd_name])
        if isinstance(module.command, typer.Typer):
            return _finished(get_command(module.command))
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name, cls=Layered, short_help=_about(cmd_name), epilog=epilog(cmd_name))(
            module.command
        )
        return _finished(get_command(alone)).layered(getattr(module.command, "rare", ()))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help from the table: no module of a command is loaded."""
        commands: Any = {name: TyperCommand(name, help=_about(name)) for name in COMMANDS}
        listed = TyperGroup(
            name=self.name, commands=commands, params=self.params, help=self.help, epilog=self.epilog
        )
        listed.format_help(ctx, formatter)


app = typer.Typer(
    name="ncleaner", cls=_Commands, no_args_is_help=True, context_settings=CONTEXT,
    pretty_exceptions_enable=False, epilog=epilog(""),
)  # fmt: skip


def version(value: bool) -> None:
    """Prints the versions and ends."""
    if value:
        from importlib.metadata import version as installed

        show(f"ncleaner {installed('ncleaner')} (outputs {OUTPUTS}, models {MODELS}, surveys {SURVEYS})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the versions.")
    ] = False,
) -> None:
    """Read web archives, HTML and text; write clean text, Markdown, JSON Lines or Parquet."""


def number_in_words(message: str) -> str:
    """Returns an error of usage in which types have their usual names, and a range is not `x>=1`."""
    message = re.sub(r" is not a valid int(?:eger)?(?: range)?\.", " is not a whole number.", message)
    message = re.sub(r" is not a valid float(?: range)?\.", " is not a number.", message)
    message = re.sub(r" is not in the range x>=([-\d.]*\d)", r" is less than \1", message)
    message = re.sub(r" is not in the range x<=([-\d.]*\d)", r" is more than \1", message)
    return re.sub(r" is not in the range ([-\d.]*\d)<=x<=([-\d.]*\d)", r" is not between \1 and \2", message)


def with_suggestion(message: str) -> str:
    """Returns an error about a choice with what was probably meant: `jsonl` for `json`."""
    found = re.match(r"'([^']*)' is not one of ('.+')\.", message)
    if found is None:
        return message
    given, choices = found[1], re.findall(r"'([^']+)'", found[2])
    meant = [key for key in _formats(given) if key in choices] or _close(given, choices)
    return f"{message} Did you mean '{meant[0]}'?" if meant else message


def _formats(word: str) -> list[str]:
    """Returns the formats that a word stands for: its name, `json` for `jsonl`, or a suffix of its files."""
    return [
        key
        for key, entry in FORMATS.items()
        if word in (key, key.removesuffix("l")) or f".{word}" in entry.suffixes
    ]


def _close(given: str, known: list[str], cutoff: float = 0.6) -> list[str]:
    # only here: most commands make no mistake
    from difflib import get_close_matches

    return get_close_matches(given, known, cutoff=cutoff)


def with_next(message: str, command: Any) -> str:
    """Returns an error of usage with what to type instead.

    Args:
        message: of the error; empty for an argument or option that is missing.
        command: whose error it is, or None.
    """
    if found := re.fullmatch(r"No such command '([^']*)'\.", message):
        if isinstance(command, _Commands) and (Path(found[1]).exists() or Path(found[1]).suffix):
            return f"{message} To clean it: ncleaner clean {found[1]}"
        return f"{message} There are {', '.join(command.list_commands(None))}."
    if not message and command is not None:
        # of the examples in its help
        lines = [line.strip() for line in (command.epilog or "").split("\n")]
        return next((f"For example: {line}" for line in lines if line.startswith("ncleaner ")), "")
    return message


# How other programs name the option for an input, and options that have another name here.
_INPUTS = ("u", "url", "URL", "input", "input-dir")
_OTHER_NAMES = {
    **dict.fromkeys(("workers", "threads", "processes", "parallel", "num-workers"), "jobs"),
    **dict.fromkeys(("i", "input-file"), "inputs-from"),
    "overwrite": "force",
}


def alike(name: str, command: Any) -> list[str]:
    """Returns what a wrong option of a command may mean: `--format jsonl` for `--json`, `--format` for
    `--output-format`, `--jobs` for `--workers`."""
    given = _OTHER_NAMES.get(name.lstrip("-"), name.lstrip("-"))
    known = [each[2:] for param in command.params for each in param.opts if each.startswith("--")]
    if given in known:
        return [f"--{given}"]
    if "format" in known and (formats := _formats(given)):
        return [f"--format {formats[0]}"]
    ends = [each for each in known if given.endswith(f"-{each}")]
    return [f"--{each}" for each in ends or _close(given, known, 0.65)]


# The base of all errors of usage; typer exports only this one of them.
_UsageError: Any = typer.BadParameter.__base__


def run() -> int:
    """Runs the command line of this process; returns the exit status.

    Raises:
        OutputError: the help cannot be written.
        BrokenPipeError: the reader of the output has ended.
    """
    try:
        # commands say by themselves what they could not read or write; what is left is the help
        with output_errors():
            return int(app(standalone_mode=False) or 0)
    except _UsageError as error:
        # it quotes arguments, which may be names of files; without any, it is the whole help
        safe = visible_lines if len(sys.argv) == 1 else visible
        command = error.ctx.command if error.ctx and (error.message or hasattr(error, "param")) else None
        error.message = safe(with_next(with_suggestion(number_in_words(error.message)), command))
        if command is not None and hasattr(error, "possibilities"):
            takes_inputs = any(param.name == "inputs" for param in command.params)
            is_input = takes_inputs and error.option_name.lstrip("-") in _INPUTS
            error.possibilities = [] if is_input else alike(error.option_name, command)
            if is_input:
                error.message += ": give inputs without an option"
            elif not error.possibilities and getattr(command, "rare", None):
                error.message += ": --help-all shows all options"
        error.show()
        return int(error.exit_code)
    except typer.Abort:
        return 1
    except SystemExit as end:
        # typer has met a closed pipe
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
