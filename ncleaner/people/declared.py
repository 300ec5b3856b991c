"""Declared options on the command line: a class of options gives typer's parameters, and these its value. And
what shells offer to complete a value; nothing here loads NumPy, which takes too long."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, cast

import typer

from ncleaner.errors import ModelError
from ncleaner.methods.table import AUTO, METHODS, SHIPPED
from ncleaner.modelling.files import own_models, shipped_names
from ncleaner.options import Declared, Option, OptionError, options_of

# most characters of choices that a help page lists in place of the value
_CHOICES = 24
F = TypeVar("F", bound=Callable[..., Any])


class Given(NamedTuple):
    """Options that the user has named.

    Attributes:
        by: {parameter of the command: their names, such as `--model`}.
    """

    by: Mapping[str, tuple[str, ...]]

    @property
    def flags(self) -> set[str]:
        """All of them."""
        return {flag for flags in self.by.values() for flag in flags}


class Part(NamedTuple):
    """A class of options of which a command has only some."""

    kind: type
    names: frozenset[str]


def part(kind: type, only: str = "", *, without: str = "") -> Part:
    """Returns some options of a class, by their names with spaces between them."""
    names = only.split() or [each.name for each in options_of(kind)]
    return Part(kind, frozenset(names) - frozenset(without.split()))


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


def _parameter(option: Option, name: str, default: Any) -> Parameter:
    """Returns the parameter of an option; its value is what the user types, in the option's type."""
    kind: Any = option.kind
    bounds: dict[str, Any] = {}
    # typer knows no list of literals
    each: Any = StrEnum(option.name, list(option.choices)) if option.choices else option.each
    number = option.each if kind is tuple else kind
    if number is int:
        bounds = {"min": option.low if option.least is None else option.least, "max": option.high}
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


def _of_class(declared: type, changed: Mapping[str, Any], names: frozenset[str]) -> Iterator[_Flag]:
    """Yields the parameters of a class of options; of those in a class within it, too."""
    # what a command declares itself is its purpose
    is_own = declared.__module__.startswith("ncleaner.people.commands.")
    for option in options_of(declared):
        if option.name not in names:
            continue
        is_common = is_own if option.common is None else option.common
        default = changed.get(option.name, option.default)
        if isinstance(option.default, Declared):
            inner = part(type(option.default))
            yield from _of_class(inner.kind, changed, inner.names)
        elif option.flags is not None:
            # two classes may have an option of one name, such as `bytes`
            name = f"{declared.__name__.lower()}_{option.name}"
            yield _Flag(option, _parameter(option, name, default), is_common and not option.presets)
            for preset, said in option.presets:
                flag = Annotated[bool, typer.Option(f"--{preset}", help=said, rich_help_panel=option.panel)]
                name = f"{declared.__name__.lower()}_{preset}"
                parameter = Parameter(name, Parameter.KEYWORD_ONLY, default=False, annotation=flag)
                yield _Flag(option, parameter, is_common, preset)


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
    for option in options_of(declared):
        own = [flag for flag in flags if flag.option == option]
        try:
            if isinstance(option.default, Declared):
                values[option.name] = _made(type(option.default), flags, given)
            elif own:
                presets = [flag.preset for flag in own if flag.preset and given[flag.name]]
                value = _value(option, given[own[0].name])
                if len(presets) + (value is not None) > 1 and option.presets:
                    names = [flag.shown for flag in own]
                    raise typer.BadParameter(
                        f"{', '.join(names[:-1])} and {names[-1]} exclude each other: give one of them"
                    )
                values[option.name] = presets[0] if presets else value
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
    **declared: type | Part,
) -> Callable[[F], F]:
    """Decorates a command: puts the options of classes in the place of its parameters of these names.

    A parameter `given` of the command is a `Given`. The attribute `rare` of the command has the names of the
    parameters that the short help page leaves out.

    Args:
        changed: {option: default} where this command differs from the declaration.
        settle: gets {parameter of typer: value} and replaces values that follow from others.
        rare: parameters of the command itself that the short help page leaves out.
        declared: {parameter: class of options, or some of it}.
    """
    parts = {name: kind if isinstance(kind, Part) else part(kind) for name, kind in declared.items()}
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


def _given(flags: Mapping[str, Sequence[_Flag]], context: typer.Context) -> Given:
    """Returns the options that stand on the command line."""

    def is_given(flag: _Flag) -> bool:
        source = context.get_parameter_source(flag.name)
        return source is not None and source.name == "COMMANDLINE"

    return Given(
        {name: tuple(flag.shown for flag in several if is_given(flag)) for name, several in flags.items()}
    )


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
