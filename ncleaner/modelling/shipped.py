"""The bytes of models: those that come with the package, by name, and files, by path."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ncleaner.errors import ModelError
from ncleaner.modelling.container import kind_of

__all__ = ["model_bytes", "shipped_models"]


def _folder() -> Traversable:
    """Returns the folder of the shipped models: in the package, or beside it in a source tree."""
    package = resources.files("ncleaner")
    installed = package / "models"
    return installed if installed.is_dir() else Path(str(package)).parent / "models"


@cache
def _kinds() -> dict[str, str]:
    """Returns {name: kind} of the shipped models, sorted by name."""
    files = {
        entry.name.removesuffix(".ncm"): entry for entry in _folder().iterdir() if entry.name.endswith(".ncm")
    }
    return {name: kind_of(files[name].read_bytes(), name) for name in sorted(files)}


def shipped_models(kind: str | None = None) -> list[str]:
    """Returns the sorted names of the shipped models of one kind, or of all kinds."""
    return [name for name, found in _kinds().items() if kind in (None, found)]


def model_bytes(name: str | Path) -> bytes:
    """Reads the file of a shipped model by its name (`en`), or a model file by its path.

    Raises:
        ModelError: no such model, or its file cannot be read.
    """
    if str(name) in _kinds():
        return (_folder() / f"{name}.ncm").read_bytes()
    path = Path(name)
    if not path.is_file():
        shipped = ", ".join(_kinds())
        raise ModelError(f"no model {str(name)!r}: neither a file nor one of those shipped ({shipped})")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read model {name}: {error.strerror}") from error
