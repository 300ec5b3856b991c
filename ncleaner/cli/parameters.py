"""What commands share: inputs, options and warnings of runs, the exit status of a command; and options that a
class declares, of which typer makes parameters and which become its value again.

Shells complete values with what is here, so nothing of it loads NumPy, which takes too long.
"""

import gc
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, cast

import typer

from ncleaner.cli.printing import check_stdin, discard, finish, tell_error
from ncleaner.errors import ModelError, NcleanerError, named, require_all
from ncleaner.methods.registry import AUTO, METHODS, SHIPPED
from ncleaner.modelling.files import own_models, shipped_names
from ncleaner.options import WHOLE, Declared, Option, OptionError, Shard, option, options_of
from ncleaner.pools import cores
from ncleaner.pools.interrupts import Terminated, ending_on_signals

if TYPE_CHECKING:
    from ncleaner.reading.inputs import Input
    from ncleaner.running.settings import Reading, Settings

# Exit status after SIGPIPE.
_CLOSED_PIPE = 141

F = TypeVar("F", bound=Callable[..., Any])


def reports_errors(function: F) -> F:
    """Decorates a command: errors in the user's data become a line on standard error and exit status 1;
    signals end it, and so does a reader of its output that closes the pipe. `cli.app` lists the exit
    statuses. The modules of the command are loaded now: the collection of garbage begins, and leaves them
    out."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        try:
            with ending_on_signals():
                function(*args, **kwargs)
                finish()
        except NcleanerError as error:
            tell_error(error)
            raise typer.Exit(1) from None
        except MemoryError:
            tell_error("not enough memory")
            raise typer.Exit(1) from None
        except BrokenPipeError:
            # what is still in the buffers
            discard(sys.stdout, sys.stderr)
            raise typer.Exit(_CLOSED_PIPE) from None
        except OSError as error:
            # a disk or a system that fails where no more can be said of it
            what = error.strerror or str(error)
            tell_error(what if error.filename is None else f"{error.filename}: {what}")
            raise typer.Exit(1) from None
        except KeyboardInterrupt as interrupt:
            tell_error("; ".join(["interrupted", *map(str, interrupt.args)]))
            raise typer.Exit(143 if isinstance(interrupt, Terminated) else 130) from None

    return cast(F, wrapper)


@contextmanager
def going_on() -> Iterator[None]:
    """Adds to an interrupt that the same command goes on."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        interrupt.args = ("finished outputs are kept, and the same command resumes",)
        raise


InputArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT...",
        help="Archives, pages, texts, tables, directories or URLs. Archives are .warc, .arc and .wet, plain, "
        ".gz, .zst, .lz4, .bz2 or .xz, and .wacz; pages are .html and .mhtml; tables are .parquet, .arrow, "
        ".feather, .jsonl, .csv and .tsv; URLs are s3://…, https://… and so on; - or nothing is standard "
        "input.",
    ),
]


@dataclass(frozen=True, slots=True)
class Run(Declared):
    """How a run finds its inputs, with how many processes it works, and what it says."""

    inputs_from: str | None = option(
        None,
        "File that lists inputs, one path or URL per line, such as Common Crawl's warc.paths.gz; - for "
        "standard input.",
        kind=str, metavar="FILE", panel="Input",
    )  # fmt: skip
    prefix: str | None = option(
        None,
        "Prefix for each line of --inputs-from, and for the archives that a table of addresses names, such "
        "as s3://commoncrawl/",
        kind=str, metavar="PATH|URL", panel="Input",
    )  # fmt: skip
    jobs: int | None = option(
        None, "Worker processes.", kind=int, low=1, otherwise="all cores", flags="--jobs -j", common=True,
        panel="Run",
    )  # fmt: skip
    shard: str | None = option(
        None,
        "Work on this part of the inputs only, such as 3/8, the third of eight. Processes that have the "
        "other parts, on any machines, write to the same directory.",
        kind=str, check=lambda _, text: Shard.of_text(text), metavar="NUMBER/OF", panel="Run",
    )  # fmt: skip
    again: bool = option(False, "Process finished inputs again.", common=True, panel="Run")
    log_json: bool = option(
        False, "Write JSON to standard error, one object per line, for programs.", panel="Run"
    )
    quiet: bool = option(
        False, "Show errors only. No progress, no summary.", flags="--quiet -q", common=True, panel="Run"
    )

    @property
    def processes(self) -> int:
        """Number of worker processes."""
        return self.jobs or cores()

    @property
    def part(self) -> Shard:
        """The part of the inputs."""
        return Shard.of_text(self.shard) if self.shard else WHOLE

    def sources(self, inputs: list[str] | None, output: str | None = None) -> "list[Input]":
        """Returns the inputs that arguments and a list name, and says what is passed over.

        Raises as `find_inputs` and `listed_inputs`.
        """
        from ncleaner.reading.inputs import find_inputs, listed_inputs

        check_stdin([*(inputs or []), self.inputs_from or ""])
        found = find_inputs(inputs or [], output=output, note=self.note)
        return found + (listed_inputs(self.inputs_from, self.prefix or "") if self.inputs_from else [])

    def reading(self, reading: "Reading") -> "Reading":
        """Returns how inputs are read, with the prefix."""
        return replace(reading, prefix=self.prefix)

    def note(self, sentence: str, event: str = "passed_over") -> None:
        """Shows a sentence; for programs, as an event."""
        if self.log_json:
            from ncleaner.cli.progress import log

            log(event, what=sentence)
        elif not self.quiet:
            tell_error(sentence)

    @contextmanager
    def learned(self, inputs: "list[Input]", settings: "Settings", output: Any) -> "Iterator[Settings]":
        """Gives the settings of a run; where the recipe wants it, with models learned from its inputs."""
        if settings.recipe.learn is None:
            yield settings
            return
        learn, say = named("ncleaner.lab.training.for_run:learned"), partial(self.note, event="learned")
        with learn(inputs, settings, output, again=self.again, say=say) as found:
            yield found


@contextmanager
def _logged_as_json(wanted: bool) -> Iterator[None]:
    """Writes errors as JSON if `wanted`."""
    try:
        yield
    except NcleanerError as error:
        if not wanted:
            raise
        from ncleaner.cli.progress import log

        log("error", what=str(error))
        raise typer.Exit(1) from None


def or_stdin(inputs: list[str] | None) -> list[str]:
    """Returns the inputs, or standard input. Raises BadParameter: there are none, and standard input is a
    terminal."""
    check_stdin(inputs or ["-"])
    if inputs:
        return inputs
    if sys.stdin.isatty():
        raise typer.BadParameter("no INPUT is given, and standard input is a terminal; give - to type a page")
    return ["-"]


# --------------------------------------------------------------------------------------------------
# Declared options on the command line.

# most characters of choices that a help page lists in place of the value
_CHOICES = 24


# {parameter of the command: the names of its options that the user has given, such as `--model`}
Given = Mapping[str, tuple[str, ...]]


class OptionSubset(NamedTuple):
    """A class of options of which a command has only some."""

    kind: type
    names: frozenset[str]


def part(kind: type, only: str = "", *, without: str = "") -> OptionSubset:
    """Returns some options of a class, by their names with spaces between them."""
    names = only.split() or [each.name for each in options_of(kind)]
    return OptionSubset(kind, frozenset(names) - frozenset(without.split()))


class _Flag(NamedTuple):
    """A parameter of the command line, for an option or one of its presets."""

    option: Option
    parameter: Parameter
    is_common: bool
    preset: str = ""

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def shown(self) -> str:
        """The long name that users type."""
        return f"--{self.preset}" if self.preset else self.option.shown


def _parameter(option: Option, name: str) -> Parameter:
    """Returns the parameter of an option; its value is what the user types, in the option's type."""
    kind: Any = option.kind
    default = option.default
    bounds: dict[str, Any] = {}
    # typer knows no list of literals
    each: Any = StrEnum(option.name, list(option.choices)) if option.choices else option.each
    number = option.each if kind is tuple else kind
    if number is int:
        most = option.high and option.high // option.unit
        bounds = {"min": option.low if option.least is None else option.least, "max": most}
    if kind is tuple and option.length:
        kind = tuple[(each,) * option.length]  # type: ignore[misc]
    elif kind in (tuple, dict):
        kind = list[each]
        default = list(default)
    elif _is_list(option):
        kind = list[str]
        default = default.split(",") if default else []
    elif option.choices:
        kind = Literal[option.choices]
    if default is None:
        kind = kind | None
    if option.default is True:
        default = not default
    metavar = option.metavar or ("N" if number in (int, float) else None)
    if option.choices and len("|".join(option.choices)) > _CHOICES:
        metavar = metavar or option.name.upper()
    shown = default not in (None, [], Parameter.empty) and option.kind is not bool
    said = f"{option.help} For {', '.join(option.of)}." if option.of else option.help
    return Parameter(
        name,
        Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[
            kind,
            typer.Option(
                *option.names,
                help=f"{said} (default: {option.otherwise})" if option.otherwise else said,
                metavar=metavar,
                rich_help_panel=option.panel or None,
                show_default=shown,
                autocompletion=_COMPLETIONS[option.complete] if option.complete else None,
                **bounds,
            ),
        ],
    )


# the modules of commands, and that of what `annotate` asks for
_OF_COMMANDS = ("ncleaner.cli.commands.", "ncleaner.lab.commands.", "ncleaner.lab.annotating")


def _of_class(declared: type, changed: Mapping[str, Any], names: frozenset[str]) -> Iterator[_Flag]:
    """Yields the parameters of a class of options; of those in a class within it, too."""
    # what a command declares itself is its purpose
    is_own = declared.__module__.startswith(_OF_COMMANDS)
    for each in options_of(declared):
        if each.name not in names:
            continue
        is_common = is_own if each.common is None else each.common
        if isinstance(each.default, Declared):
            inner = part(type(each.default))
            yield from _of_class(inner.kind, changed, inner.names)
        elif each.flags is not None:
            # two classes may have an option of one name, such as `bytes`
            name = f"{declared.__name__.lower()}_{each.name}"
            shown = each._replace(**changed.get(each.name, {}))
            yield _Flag(each, _parameter(shown, name), is_common and not each.presets)
            for preset, said in each.presets:
                flag = Annotated[bool, typer.Option(f"--{preset}", help=said, rich_help_panel=each.panel)]
                name = f"{declared.__name__.lower()}_{preset}"
                parameter = Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=flag)
                yield _Flag(each, parameter, is_common, preset)


def _is_list(option: Option) -> bool:
    """Whether the value is a text of several values with commas, which may also be given one by one."""
    return option.metavar.endswith(",…")


def _value(option: Option, given: Any) -> Any:
    """Returns the value of an option from that of the command line."""
    if option.default is True:
        return not given
    if _is_list(option):
        return ",".join(given) if given else None
    if given is None or (option.unit == 1 and option.kind not in (tuple, dict)):
        return given
    if option.kind is tuple:
        return tuple(str(each) if option.choices else each for each in given)
    if option.kind is dict:
        for item in given:
            if "=" not in item:
                raise OptionError(option.name, f"{item!r} is not NAME=VALUE, such as q=0.5")
        return {name.strip(): value.strip() for name, _, value in (item.partition("=") for item in given)}
    return given * option.unit


def _made(declared: type, flags: list[_Flag], given: Mapping[str, Any]) -> Any:
    """Makes an instance of a class of options. Raises BadParameter."""
    values: dict[str, Any] = {}
    for each in options_of(declared):
        own = [flag for flag in flags if flag.option == each]
        try:
            if isinstance(each.default, Declared):
                values[each.name] = _made(type(each.default), flags, given)
            elif own:
                presets = [flag.preset for flag in own if flag.preset and given[flag.name]]
                value = _value(each, given[own[0].name])
                if len(presets) + (value is not None) > 1 and each.presets:
                    names = [flag.shown for flag in own]
                    raise typer.BadParameter(
                        f"{', '.join(names[:-1])} and {names[-1]} exclude each other: give one of them"
                    )
                values[each.name] = presets[0] if presets else value
        except OptionError as error:
            raise _bad(error, flags) from None
    try:
        return declared(**values)
    except OptionError as error:
        raise _bad(error, flags) from None


def _bad(error: OptionError, flags: list[_Flag]) -> typer.BadParameter:
    shown = next((flag.shown for flag in flags if flag.option.name == error.option), None)
    return typer.BadParameter(str(error), param_hint=shown)


def with_options(
    changed: Mapping[str, Any] = {},
    settle: Callable[[dict[str, Any]], None] | None = None,
    rare: Sequence[str] = (),
    **declared: type | OptionSubset,
) -> Callable[[F], F]:
    """Decorates a command: puts the options of classes in the place of its parameters of these names.

    A parameter `given` of the command is a `Given`. The attribute `rare` of the command has the names of the
    parameters that the short help page leaves out.

    Args:
        changed: {option: {field of its declaration: value}} where this command differs.
        settle: gets {parameter of typer: value} and replaces values that follow from others.
        rare: parameters of the command itself that the short help page leaves out.
        declared: {parameter: class of options, or some of it}.
    """
    parts = {name: kind if isinstance(kind, OptionSubset) else part(kind) for name, kind in declared.items()}
    flags = {name: list(_of_class(kind, changed, names)) for name, (kind, names) in parts.items()}

    def decorate(command: F) -> F:
        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            if parameter.name in declared:
                parameters += [flag.parameter for flag in flags[parameter.name]]
            elif parameter.name == "given":
                parameters.append(parameter.replace(name="context", annotation=typer.Context))
            else:
                parameters.append(parameter)

        @wraps(command)
        def wrapper(**values: Any) -> Any:
            made: dict[str, Any] = {}
            if (context := values.pop("context", None)) is not None:
                made["given"] = _given(flags, context)
            try:
                if settle is not None:
                    settle(values)
                for name, (kind, _) in parts.items():
                    own = {flag.name: values.pop(flag.name) for flag in flags[name]}
                    made[name] = _made(kind, flags[name], own)
                with _logged_as_json(any(getattr(each, "log_json", False) for each in made.values())):
                    _check_extras(made.values(), [*(values.get("inputs") or []), values.get("output")])
                    return command(**made, **values)
            except OptionError as error:
                # what only shows when an option is used
                raise _bad(error, [flag for several in flags.values() for flag in several]) from None

        # typer reads the options off these two
        named = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
        wrapper.__signature__ = Signature(named)  # type: ignore[attr-defined]
        left_out = {flag.name for each in flags.values() for flag in each if not flag.is_common}
        wrapper.rare = {*rare, *left_out}  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in named}
        return cast(F, wrapper)

    return decorate


_RENSA = ("finding duplicates", "rensa", "duplicates")
# {(option, value): what needs a package, the package, and the extra that has it}
_NEEDS = {
    ("format", "parquet"): ("parquet", "pyarrow", "parquet"),
    ("format", "vertical"): ("vertical", "regex", "vertical"),
    ("sentences", True): ("--sentences", "sentencex", "sentences"),
    ("duplicates", True): _RENSA,
}
# {extra for URLs: the package that it brings}
_AT_URLS = {"s3": "s3fs", "gs": "gcsfs", "http": "aiohttp"}


def _check_extras(parts: Collection[Any], paths: Iterable[Any]) -> None:
    """Raises InputError, before a run of many hours, with all packages that its options need and that are not
    installed."""
    needed: dict[tuple[str, str], tuple[str, str, str]] = {}
    for path in map(str, paths):
        if "://" in path:
            # only here: it imports what few runs need
            from ncleaner.storage.remote import EXTRAS

            if extra := EXTRAS.get(path.partition("://")[0].lower()):
                needed.setdefault((_AT_URLS[extra], extra), (path, _AT_URLS[extra], extra))
    for (name, value), need in _NEEDS.items():
        if any(getattr(each, name, None) == value for each in parts):
            needed[need[1:]] = need
    if any(getattr(each, "sites", None) == "auto" and each.drop_duplicates for each in parts):
        needed[_RENSA[1:]] = _RENSA
    require_all((what, module, extra, module) for what, module, extra in needed.values())


def _given(flags: Mapping[str, Sequence[_Flag]], context: typer.Context) -> Given:
    """Returns the options that are on the command line."""

    def is_given(flag: _Flag) -> bool:
        source = context.get_parameter_source(flag.name)
        return source is not None and source.name == "COMMANDLINE"

    return {name: tuple(flag.shown for flag in several if is_given(flag)) for name, several in flags.items()}


def own_names(incomplete: str) -> list[str]:
    """Returns the names of the user's own models that begin so."""
    # a folder that cannot be read has no names to offer, and completion cannot report errors
    with suppress(ModelError):
        return [name for name in own_models() if name.startswith(incomplete)]
    return []


def model_names(incomplete: str) -> list[str]:
    """Returns the names of models, and the files of models, that begin so."""
    with suppress(OSError, ValueError):
        files = [path.as_posix() for path in Path().glob(f"{incomplete}*.ncm")] if incomplete else []
        names = [name for name in shipped_names() if name.startswith(incomplete)]
        return [*names, *own_names(incomplete), *sorted(files)]
    return []


def model_choices(incomplete: str) -> list[str]:
    """Returns what `--model` takes and begins so: words, names and files of models. Models that are part of
    others are no choice."""
    parts = {part for entry in METHODS.values() for part in entry.parts}
    words = [word for word in (AUTO, SHIPPED) if word.startswith(incomplete)]
    return [*words, *(name for name in model_names(incomplete) if name not in parts)]


_COMPLETIONS = {each.__name__: each for each in (model_choices, model_names, own_names)}
