"""Options, each declared once: the field of a dataclass says its type, default, bounds, help and flags.

The Python API checks values against the declaration, `cli.parameters` makes the command line of it,
manifests record it, and the documentation lists it.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, fields
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ncleaner.arguments import check_choice, check_flag, check_is, check_number, check_whole
from ncleaner.errors import InputError, NcleanerError

REQUIRED: Any = ...
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class OptionError(NcleanerError, ValueError):
    """Raised for a value that an option cannot have; `option` is its name."""

    def __init__(self, option: str, message: str) -> None:
        # both are arguments, so that workers can send it
        super().__init__(option, message)
        self.option = option

    def __str__(self) -> str:
        return str(self.args[1])


class Shard(NamedTuple):
    """One of several parts of a list of inputs, each for a process of its own."""

    number: int = 1
    of: int = 1

    @classmethod
    def of_text(cls, text: str) -> "Shard":
        """Returns the shard that a user names, such as `3/8`. Raises ValueError: it is not one."""
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise ValueError(f"{text!r} is not a shard: give its number, from 1, and how many there are: 3/8")
        return cls(int(found[1]), int(found[2]))

    def part_of(self, inputs: Iterable[T]) -> list[T]:
        """Returns the inputs of this shard: every eighth of eight shards."""
        return list(inputs)[self.number - 1 :: self.of]


#: All inputs.
WHOLE = Shard()


class Option(NamedTuple):
    """The declaration of an option.

    Attributes:
        help: what it does, for the command line, the API and the documentation; its first sentence is for the
            short help page, too.
        kind: type of its values: `bool`, `int`, `float`, `str`, `Path`, `tuple`, `dict` (of values by name),
            or a class of options that belong together.
        default: value if none is given; `REQUIRED` if one must be given.
        each: type of the values in a tuple.
        length: number of values in a tuple; 0 for any number, each with a flag of its own.
        choices: the texts that it can be.
        low, high: smallest and largest number.
        above: a bound that a number must exceed.
        what: the values in words, for errors.
        check: a function that raises for a wrong value; it gets name and value.
        flags: names on the command line, with spaces between them; empty: made of `name`. None: not there.
        metavar: stands for the value on the command line.
        panel: heading under which the command line lists it.
        common: the short help page has it, too, or its presets if it has some. None: that of the command that
            declares it, but not those of commands that share it.
        presets: flags of the command line that give the option a value: (value, help).
        unit: the command line counts in this many, as in megabytes.
        least: smallest number on the command line, if that differs from `low`.
        otherwise: the default in words, where there is no value for it.
        complete: name of the function that completes a value in a shell.
        of: output formats that have it; all if empty.
        name: set by `options_of`.
    """

    help: str
    kind: type
    default: Any
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    above: float = -math.inf
    what: str = ""
    check: Callable[[str, Any], None] | None = None
    flags: str | None = ""
    metavar: str = ""
    panel: str = ""
    common: bool | None = None
    presets: tuple[tuple[str, str], ...] = ()
    unit: int = 1
    least: float | None = None
    otherwise: str = ""
    complete: str = ""
    of: tuple[str, ...] = ()
    each: type = str
    length: int = 0
    name: str = ""

    @property
    def names(self) -> list[str]:
        """Names on the command line, the long one first."""
        if self.flags:
            return self.flags.split()
        no = "no-" if self.default is True else ""
        return [f"--{no}{self.name.replace('_', '-')}"]

    @property
    def shown(self) -> str:
        """The name that users type, or that of the API where the command line does not have it."""
        return self.name if self.flags is None else self.names[0].partition("/")[0]

    def said(self, value: Any) -> str:
        """Returns a value in words, as the command line counts it."""
        if self.default is True:
            value = not value
        if isinstance(value, bool):
            return "on" if value else "off"
        if value is None or value in ([], {}):
            return "not given"
        if isinstance(value, dict):
            value = [f"{key}={each}" for key, each in value.items()]
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return str(value // self.unit if self.unit > 1 else value)

    def checked(self, value: Any) -> Any:
        """Returns a value, with numbers of NumPy as those of Python.

        Raises:
            TypeError: the value has another type.
            ValueError: it is out of range, or none of the choices.
        """
        if value is None and self.default is None:
            return None
        if self.kind is tuple:
            check_is(self.name, value, (tuple, list), self.what or f"values of type {self.each.__name__}")
            one = self._replace(kind=self.each)
            return tuple(one.checked(each) for each in value)
        if self.check is not None:
            self.check(self.name, value)
        elif self.choices:
            check_choice(self.name, value, self.choices)
        elif self.kind is bool:
            check_flag(self.name, value)
        elif self.kind is int:
            check_whole(self.name, value, int(self.low or 0), None if self.high is None else int(self.high))
            return int(value)
        elif self.kind is float:
            check_number(self.name, value, self.what, self.low, self.high, self.above)
        else:
            kind: Any = Mapping if self.kind is dict else self.kind
            check_is(self.name, value, kind, self.what or f"a {self.kind.__name__}")
        return value

    def read(self, given: Any) -> Any:
        """Returns the value that a text or a number stands for, in the option's type. Raises ValueError: the
        option cannot have it."""
        try:
            value = _WORDS[str(given).lower()] if self.kind is bool else self.kind(given)
        except (KeyError, TypeError, ValueError, OverflowError):
            value = given
        try:
            return self.checked(value)
        except TypeError as error:
            raise ValueError(str(error)) from None


def option(
    default: Any, help: str, *, kind: type | None = None, positional: bool = False, **declaration: Any
) -> Any:
    """Declares a field of a dataclass as an option; see `Option`."""
    made = Option(help, kind or type(default), default, **declaration)
    # a mapping has no hash
    more: dict[str, Any] = (
        {"default_factory": dict, "hash": False} if made.kind is dict else {"default": default}
    )
    return field(metadata={"option": made}, kw_only=not positional, **more)


@cache
def options_of(declared: Any) -> tuple[Option, ...]:
    """Returns the options of a dataclass, in order; those of a base class come last."""
    found = [each for each in fields(declared) if "option" in each.metadata]
    found.sort(key=lambda each: each.name not in declared.__annotations__)
    return tuple(each.metadata["option"]._replace(name=each.name) for each in found)


class Declared:
    """Base of dataclasses with options: checks the values that they are made with.

    Raises:
        TypeError: a value has another type.
        ValueError: a value is out of range, or none of the choices.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for each in options_of(kind):
            given = getattr(self, each.name)
            try:
                checked = each.checked(given)
            except (ValueError, InputError) as error:
                raise OptionError(each.name, str(error)) from None
            if checked is not given:
                object.__setattr__(self, each.name, checked)


def check_names(known: Collection[str], names: Iterable[str], of: str, cleaner: Any = None) -> None:
    """Raises TypeError: a function or a class has no option of such a name; the error says what is meant.

    Args:
        known: names of its options.
        names: of options that are given.
        of: its name.
        cleaner: the class of the options that a Cleaner has.
    """
    for name in names:
        if name not in known:
            raise TypeError(f"{of} has no option {name!r}: {_meant(name, known, cleaner)}")


def _meant(name: str, known: Collection[str], cleaner: Any) -> str:
    # only here: few names are wrong
    import tomllib

    tables: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    meant, taken = (
        {each: what for what, names in tables[key].items() for each in names.split()}
        for key in ("meant", "taken")
    )
    taken |= {each.name: "`Cleaner`" for each in options_of(cleaner)} if cleaner else {}
    # as other programs name it: include_links, favor_precision
    for each in (name, *name.split("_")):
        part = meant.get(each, each)
        option = part.partition("=")[0]
        if " " in part:
            return part
        if option in known:
            return f"did you mean {part}?"
        if option in taken:
            return f"give {part} to {taken[option]}"
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else ", ".join(known)


def with_hints(cleaner: Any = None) -> Callable[[F], F]:
    """Decorates a function whose callers may give it options of others or of other programs: errors say what
    is meant. `cleaner`: see `check_names`."""

    def decorate(function: Any) -> Any:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = dict.fromkeys(each for each in names if each != "self").keys()

        @wraps(function)
        def wrapper(*given: Any, **options: Any) -> Any:
            if not options.keys() <= known:
                check_names(known, options, function.__qualname__.removesuffix(".__init__"), cleaner)
            return function(*given, **options)

        return wrapper

    return decorate


def words_of(declared: type, values: Mapping[str, Any]) -> list[str]:
    """Returns the words of a command line that give options these values; none for a default."""
    words: list[str] = []
    for each in options_of(declared):
        value = values.get(each.name, each.default)
        if value == each.default:
            continue
        if each.kind is bool:
            yes, _, no = each.names[0].partition("/")
            words.append(no if value is False and no else yes)
        else:
            words += [each.names[0], str(value)]
    return words


def record_of(declared: Declared) -> dict[str, Any]:
    """Returns {name: value} of all options, for JSON."""
    found = {}
    kind: Any = type(declared)
    for each in options_of(kind):
        value = getattr(declared, each.name)
        found[each.name] = record_of(value) if isinstance(value, Declared) else value
    return found
