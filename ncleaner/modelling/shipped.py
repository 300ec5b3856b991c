"""The models that come with the package, and model files by their path."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ncleaner.errors import ModelError
from ncleaner.modelling.container import kind_of

__all__ = ["model_bytes", "shipped_models"]


def _folder() -> Traversable:
    """Where the shipped models are: in the package, or beside it in a source tree built in place."""
    package = resources.files("ncleaner")
    installed = package / "models"
    return installed if installed.is_dir() else Path(str(package)).parent / "models"


@cache
def _kinds() -> dict[str, str]:
    """{name: kind} of the shipped models, by name."""
    files = {
        entry.name.removesuffix(".ncm"): entry for entry in _folder().iterdir() if entry.name.endswith(".ncm")
    }
    return {name: kind_of(files[name].read_bytes(), name) for name in sorted(files)}


def shipped_models(kind: str | None = None) -> list[str]:
    """Names of the models that come with the package, sorted: those of a kind, or all."""
    return [name for name, found in _kinds().items() if kind in (None, found)]


def model_bytes(name: str | Path) -> bytes:
    """The file of a shipped model by its name (`en`), or of a model by its path.

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
