"""The models that come with the package."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["shipped_bytes", "shipped_models", "shipped_names"]


def _folder() -> Traversable:
    """Returns the folder of the shipped models: in the package, or beside it in a source tree."""
    package = resources.files("ncleaner")
    installed = package / "models"
    return installed if installed.is_dir() else Path(str(package)).parent / "models"


@cache
def _kinds() -> dict[str, str]:
    """Returns {name: kind} of the shipped models, sorted by name."""
    # only here: it loads NumPy, which takes longer than to list the names
    from ncleaner.modelling.container import kind_of

    return {name: kind_of((_folder() / f"{name}.ncm").read_bytes(), name) for name in shipped_names()}


def shipped_names() -> list[str]:
    """Returns the sorted names of the shipped models, without reading them."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name.removesuffix(".ncm") for name in names if name.endswith(".ncm"))


def shipped_models(kind: str | None = None) -> list[str]:
    """Returns the sorted names of the shipped models of one kind, or of all kinds."""
    return [name for name, found in _kinds().items() if kind in (None, found)]


def shipped_bytes(name: str) -> bytes:
    """Reads the file of a shipped model. Raises KeyError: there is none of this name."""
    if name not in _kinds():
        raise KeyError(name)
    return (_folder() / f"{name}.ncm").read_bytes()
