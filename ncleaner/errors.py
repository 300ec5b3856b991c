"""What can go wrong with a user's input, and says so in a sentence.

Every error that data, a file or an option can cause derives from `NcleanerError`; the command line turns
it into one line on standard error. Anything else that escapes is a bug in this package.
"""

from __future__ import annotations

__all__ = [
    "EvaluationError",
    "InputError",
    "ModelError",
    "NcleanerError",
    "OutputError",
    "TrainingError",
    "TrainingWarning",
    "WorkerError",
]


class NcleanerError(Exception):
    """Base of all errors that are about the user's data, files or options."""


class InputError(NcleanerError):
    """An input cannot be read at all: missing, unreadable, or of no known format."""


class OutputError(NcleanerError):
    """The output cannot be written: no space, no permission, not a directory."""


class ModelError(NcleanerError):
    """A model file is missing, damaged, foreign, or of a newer format."""


class TrainingError(NcleanerError):
    """Training data from which no model can be made."""


class WorkerError(NcleanerError):
    """Worker processes that end before they have begun."""


class EvaluationError(NcleanerError):
    """Predicted and gold files that cannot be compared."""


class TrainingWarning(UserWarning):
    """Something about the training data that its owner should know; the rest is used."""
