"""The models that come with the package, and model files by their path."""

from __future__ import annotations

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


def shipped_models(kind: str = "ngram") -> dict[str, bytes]:
    """The models of a kind that come with the package: {name: bytes of the file}."""
    files = sorted(
        (entry for entry in _folder().iterdir() if entry.name.endswith(".ncm")), key=lambda e: e.name
    )
    found = {entry.name.removesuffix(".ncm"): entry.read_bytes() for entry in files}
    return {name: data for name, data in found.items() if kind_of(data, name) == kind}


def model_bytes(name: str | Path, kind: str = "ngram") -> bytes:
    """The file of a shipped model by its name (`en`), or of a model by its path.

    Raises:
        ModelError: no such model, or its file cannot be read.
    """
    resource = _folder() / f"{name}.ncm"
    if str(name).isidentifier() and resource.is_file():
        return resource.read_bytes()
    path = Path(name)
    if not path.is_file():
        shipped = ", ".join(sorted(shipped_models(kind)))
        raise ModelError(f"no model {str(name)!r}: neither a file nor one of those shipped ({shipped})")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read model {name}: {error.strerror}") from error
