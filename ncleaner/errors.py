"""Exceptions for problems with a user's data, files or options; their messages are sentences.

Every error that data, a file or an option can cause derives from `NcleanerError`; the command line writes
it as one line to standard error. Any other exception that reaches the user is a bug in this package.
"""

from __future__ import annotations

import errno

__all__ = [
    "EvaluationError",
    "InputError",
    "InputWarning",
    "ModelError",
    "NcleanerError",
    "OutputError",
    "TrainingError",
    "TrainingWarning",
    "WorkerError",
    "require",
    "stdout_error",
]


class NcleanerError(Exception):
    """Base class of all errors about the user's data, files or options."""


class InputError(NcleanerError):
    """Raised if an input cannot be used: it is missing, unreadable, too large, or in an unknown format."""


class OutputError(NcleanerError):
    """Raised if an output cannot be written: no space, no permission, not a directory."""


def stdout_error(error: OSError) -> OutputError:
    """Returns what to raise if standard output cannot be written."""
    why = "it is closed" if error.errno == errno.EBADF else error.strerror
    return OutputError(f"cannot write to standard output: {why}")


class ModelError(NcleanerError):
    """Raised if a model file is missing, damaged, of a newer format, or not a model file."""


class TrainingError(NcleanerError):
    """Raised if no model can be trained from the given data."""


class WorkerError(NcleanerError):
    """Raised if worker processes cannot start or do not become ready."""


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
    # loaded only where something may be missing
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise error(f"{what} needs {name or module}: pip install 'ncleaner[{extra}]'")


class InputWarning(UserWarning):
    """Warns that a text given as a page looks like the path or the address of one: it is cleaned as the text
    that it is."""


class TrainingWarning(UserWarning):
    """Warns of a part of the training data that is left out, or looks wrong; the rest is used."""
