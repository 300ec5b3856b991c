"""The user's own models: files in one folder, which are found by name and by language without a path.

The folder is that of the environment variable `NCLEANER_MODELS`, else the one for data of programs on this
system (on Linux `~/.local/share/ncleaner/models`).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ncleaner.errors import ModelError
from ncleaner.modelling.shipped import shipped_models
from ncleaner.storage.whole import atomic_file

__all__ = ["VARIABLE", "add_model", "own_folder", "own_models", "remove_model"]

VARIABLE = "NCLEANER_MODELS"
_SUFFIX = ".ncm"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
# what `--model` understands besides names
_TAKEN = ("auto", "shipped")


def own_folder() -> Path:
    """Returns the folder of the user's own models, which need not exist."""
    given = os.environ.get(VARIABLE)
    if given:
        return Path(given)
    # only here: a run that names its model needs no folder
    from platformdirs import user_data_path

    return user_data_path("ncleaner", appauthor=False) / "models"


def own_models() -> dict[str, Path]:
    """Returns {name: file} of the user's own models, sorted by name.

    Raises:
        ModelError: the folder cannot be read.
    """
    folder = own_folder()
    try:
        return {path.stem: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}
    except OSError as error:
        raise ModelError(f"cannot read the folder of models {folder}: {error.strerror}") from error


def add_model(data: bytes, name: str) -> Path:
    """Adds a model to the user's own, or puts it in place of one of the same name.

    Args:
        data: the model file.
        name: a name of letters, digits and `._+-`, which no shipped model has.

    Returns:
        The new file.

    Raises:
        ModelError: the bytes are no model, another model of the folder has its language, the name is not
            possible, or the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name!r} is no name for a model: give letters, digits and ._+- with --name")
    if name in (*_TAKEN, *shipped_models()):
        raise ModelError(f"{name!r} is the name of a shipped model: give another one with --name")
    language = _language_of(data, name)
    for other, path in own_models().items():
        if language and other != name and _language_of(_read(path), str(path)) == language:
            raise ModelError(
                f"{other} is for the same language ({language}): remove it first "
                f"(ncleaner models remove {other})"
            )
    target = own_folder() / f"{name}{_SUFFIX}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(target) as out:
            out.write(data)
    except OSError as error:
        raise ModelError(f"cannot write {target}: {error.strerror}") from error
    return target


def remove_model(name: str) -> Path:
    """Deletes one of the user's own models. Returns the file that was deleted.

    Raises:
        ModelError: there is no such model, or it cannot be deleted.
    """
    path = own_models().get(name)
    if path is None:
        there = ", ".join(own_models()) or "none"
        raise ModelError(f"no model {name!r} in {own_folder()}; there are: {there}")
    try:
        path.unlink()
    except OSError as error:
        raise ModelError(f"cannot delete {path}: {error.strerror}") from error
    return path


def _language_of(data: bytes, name: str) -> str:
    """Returns the language of pages that a model is for; empty if `auto` does not choose it."""
    # only here: completing a name on the command line has no time for NumPy
    from ncleaner.modelling.container import unpack

    header, _ = unpack(data, name)
    return str(header.get("language") or "") if header["kind"] in ("ngram", "hybrid") else ""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read model {path}: {error.strerror}") from error
