"""What a shell offers for a word that begins so. Nothing here loads NumPy: people do not wait for it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ncleaner.errors import ModelError
from ncleaner.methods.table import AUTO, METHODS, SHIPPED
from ncleaner.modelling.files import own_models, shipped_names

__all__ = ["model_choices", "model_names", "own_names"]


def own_names(incomplete: str) -> list[str]:
    """Returns the names of the user's own models that begin so."""
    # a folder that cannot be read has no names to offer, and there is nobody to tell of it
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
