"""Records: data classes that cost little at the start of a command."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def fastclass(cls: type[T], /) -> type[T]: ...
@overload
def fastclass(*, kw_only: bool = ...) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def fastclass(
    cls: type[T] | None = None, /, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Decorates a class: a data class, compared by identity, that type checkers hold to be frozen.

    `dataclass` compiles each method that it adds: one of ten fields, frozen, compared and shown, takes half a
    millisecond, and one page loads thirty. So this one adds `__init__` alone.
    """
    made: Callable[[type[T]], type[T]] = dataclass(eq=False, repr=False, kw_only=kw_only)
    return made if cls is None else made(cls)
