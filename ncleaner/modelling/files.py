"""Model files by name and by path: the models of the package, and the user's own.

The user's own models are in one folder, where they are found by name and by language without a path. The
folder is in the environment variable `NCLEANER_MODELS`, else the one for data of programs on this system
(on Linux `~/.local/share/ncleaner/models`).

A path has a separator or the suffix `.ncm` (`./en`, `models/en`, `en.ncm`); everything else is a name. So
files and folders of the working directory do not shadow the model `en`.
"""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ncleaner.errors import ModelError, cannot_write
from ncleaner.storage.local import atomic_file, missing, shipped_folder
from ncleaner.text.codes import named_language

VARIABLE = "NCLEANER_MODELS"
_SUFFIX = ".ncm"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
# other values of `--model`
_TAKEN = ("auto", "shipped")


def model_bytes(name: str | Path, kinds: Iterable[str] = ()) -> bytes:
    """Reads the file of a model by its name (`en`), or by its path.

    Args:
        name: the name or the path.
        kinds: those that will do, which an error lists; all by default.

    Raises:
        ModelError: no such model, or its file cannot be read.
    """
    if is_path(name):
        path = Path(name)
        if not path.is_file():
            raise ModelError(f"no model file {name}: {missing(path)}; `ncleaner models` lists the models")
        return _read(path)
    if name in shipped_names():
        return (models_folder() / f"{name}{_SUFFIX}").read_bytes()
    own = own_models()
    if name in own:
        return _read(own[str(name)])
    wanted = [*kinds]
    shipped = [each for each, kind in _kinds().items() if not wanted or kind in wanted]
    said = f"no model {str(name)!r}: the shipped ones are {', '.join(shipped)}"
    meant = named_language(str(name))
    if meant in shipped or meant in own:
        said = f"no model {str(name)!r}, did you mean {meant}? The shipped ones are {', '.join(shipped)}"
    if own:
        said += f"; yours: {', '.join(own)}"
    if Path(f"{name}{_SUFFIX}").is_file():
        said += f"; for the file, give {name}{_SUFFIX}"
    elif Path(name).exists():
        said += f"; the file or folder of this name is ./{name}"
    raise ModelError(said)


def is_path(name: str | Path) -> bool:
    """Whether a model is given by its path: a `Path`, or a text with a separator or the suffix `.ncm`."""
    if isinstance(name, Path):
        return True
    separators = {os.sep, os.altsep or os.sep, "/"}
    return name.endswith(_SUFFIX) or any(separator in name for separator in separators)


def as_text(model: str | os.PathLike[str]) -> str:
    """Returns a model's name or path as text. A path of one part begins with `./`, to be no name."""
    text = os.fspath(model)
    return f".{os.sep}{text}" if isinstance(model, os.PathLike) and not is_path(text) else text


# The package's models.


def models_folder() -> Path:
    """Returns the folder of the shipped models."""
    return shipped_folder("models")


@cache
def _kinds() -> dict[str, str]:
    """Returns {name: kind} of the shipped models, sorted by name."""
    # only here: it loads NumPy, which takes longer than to list the names
    from ncleaner.modelling.container import header_of

    return {
        name: header_of((models_folder() / f"{name}.ncm").read_bytes(), name)["kind"]
        for name in shipped_names()
    }


def shipped_names() -> list[str]:
    """Returns the sorted names of the shipped models, without reading them."""
    return sorted(path.stem for path in models_folder().glob(f"*{_SUFFIX}"))


def shipped_models(kind: str | None = None) -> list[str]:
    """Returns the sorted names of the shipped models of one kind, or of all kinds."""
    return [name for name, found in _kinds().items() if kind in (None, found)]


# The user's own models.


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
        # in a container, the home may be that of another user, who has no models of this one
        if isinstance(error, PermissionError) and not os.environ.get(VARIABLE):
            return {}
        raise ModelError(f"cannot read the folder of models {folder}: {error.strerror}") from error


def add_model(data: bytes, name: str) -> Path:
    """Adds a model to the user's own, or puts it in place of one of the same name.

    Args:
        data: the model file.
        name: a name of letters, digits and `._+-`, which no shipped model has.

    Returns:
        The new file.

    Raises:
        ModelError: the bytes are not a model, another model of the folder has its language, or the name is
            not possible.
        OutputError: the file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ModelError(f"{name!r} cannot be the name of a model: give letters, digits and ._+- with --name")
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
        raise cannot_write(target, error) from error
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
    from ncleaner.modelling.container import header_of, language_of

    header = header_of(data, name)
    return language_of(header) if header["kind"] in ("ngram", "hybrid") else ""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read model {path}: {error.strerror}") from error
