"""Exceptions for problems with a user's data, files or options; their messages are sentences.

Every error that data, a file or an option can cause derives from `NcleanerError`; the command line writes
it as one line to standard error. Any other exception that reaches the user is a bug in this package.
"""

import errno
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any


class NcleanerError(Exception):
    """Base class of all errors about the user's data, files or options."""


class InputError(NcleanerError):
    """Raised if an input cannot be used: it is missing, unreadable, too large, or in an unknown format."""


class OutputError(NcleanerError):
    """Raised if an output cannot be written: no space, no permission, not a directory."""


# What to do if a system cannot write, by its reason.
_REMEDIES = {
    errno.ENOSPC: "free some space, or write elsewhere",
    errno.EDQUOT: "free some space, or write elsewhere",
    errno.EACCES: "name a place that you may write to",
    errno.EPERM: "name a place that you may write to",
    errno.EROFS: "name a place that you may write to",
    errno.EEXIST: "it is no directory: give another name",
    errno.ENOTDIR: "a part of this path is a file: give another one",
    errno.EISDIR: "name a file in it",
    errno.ENAMETOOLONG: "give a shorter name",
}


def cannot_write(what: object, error: OSError) -> OutputError:
    """Returns what to raise for a failure of the system: what cannot be written, why, and what to do.

    Args:
        what: in words, with its path.
        error: of the system. A missing directory is that of its file name.
    """
    if error.errno == errno.ENOENT and error.filename:
        bucket = "/".join(str(error.filename).split("/")[:3])
        above = f"bucket {bucket}" if "://" in bucket else f"directory {Path(error.filename).parent}"
        remedy = f"make the {above} first"
    else:
        remedy = _REMEDIES.get(error.errno or 0, "")
    why = error.strerror or str(error)
    return OutputError(f"cannot write {what}: {why}{remedy and f' ({remedy})'}")


def stdout_error(error: OSError) -> OutputError:
    """Returns what to raise if standard output cannot be written."""
    if error.errno == errno.EBADF:
        return OutputError("cannot write to standard output: it is closed")
    return cannot_write("to standard output", error)


class InUseError(OutputError):
    """An output is being written by another program."""


class ModelError(NcleanerError):
    """Raised if a model file is missing, damaged, of a newer format, or not a model file."""


class TrainingError(NcleanerError):
    """Raised if no model can be trained from the given data."""


class WorkerError(NcleanerError):
    """Raised if worker processes cannot start, end again and again at one task, or are of another version."""


class MissingWingError(NcleanerError):
    """Raised if a command, method or model is in a wing of the package that is not installed."""


class EvaluationError(NcleanerError):
    """Raised if predicted and gold files cannot be compared."""


def require(
    what: str, module: str, extra: str, name: str = "", error: type[NcleanerError] = InputError
) -> None:
    """Raises `error`: a module of an extra is not installed.

    Args:
        what: the work that needs it.
        module: is looked for, and not imported.
        extra: of this package.
        name: of the other package, if it is not that of the module.
    """
    require_all([(what, module, extra, name or module)], error)


def require_all(needed: Iterable[tuple[str, str, str, str]], error: type[NcleanerError] = InputError) -> None:
    """Raises `error`, which names all modules that are not installed; `needed` has what `require` takes."""
    # loaded only where something may be missing
    from importlib.util import find_spec

    if missing := [each for each in needed if find_spec(each[1]) is None]:
        said = ", ".join(f"{what} needs {name}" for what, _, _, name in missing)
        extras = ",".join(dict.fromkeys(extra for _, _, extra, _ in missing))
        raise error(f"{said}: pip install 'ncleaner[{extras}]'")


def named(path: str) -> Any:
    """Returns what a table names as `module:name`, or the module that it names.

    Raises:
        MissingWingError: the module is in `lab` or `classics`, and that wing is not installed.
    """
    module, _, name = path.partition(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        if error.name not in ("ncleaner.lab", "ncleaner.classics"):
            raise
        raise MissingWingError(
            f"this needs {error.name}, which is not installed here: install the whole package"
        ) from None
    return getattr(found, name) if name else found


class InputWarning(UserWarning):
    """Warns that a text given as a page looks like the path or the address of one: it is cleaned as the text
    that it is."""


class TrainingWarning(UserWarning):
    """Warns of a part of the training data that is left out, or looks wrong; the rest is used."""
