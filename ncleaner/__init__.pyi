"""The public names, for type checkers and editors; `__init__.py` imports each when it is asked for."""

from ncleaner.cleaner import Cleaner, Extracted, clean, extract, metadata
from ncleaner.describing.metadata import Metadata
from ncleaner.document import Document, Segment
from ncleaner.document.kept import Kept
from ncleaner.errors import (
    EvaluationError,
    InputError,
    InputWarning,
    ModelError,
    NcleanerError,
    OutputError,
    TrainingError,
    TrainingWarning,
)
from ncleaner.frames import batches, rows
from ncleaner.lab.explaining.explain import explain
from ncleaner.lab.scoring.evaluation import evaluate
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair, read_pairs, read_rows
from ncleaner.limits import Limits
from ncleaner.many import clean_many, extract_many
from ncleaner.methods.choice import load_model
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import pages, read
from ncleaner.recipe import Recipe
from ncleaner.sinks.rows import Row

__all__ = [
    "Cleaner",
    "Damage",
    "Document",
    "EvaluationError",
    "Extracted",
    "HybridModel",
    "InputError",
    "InputWarning",
    "Kept",
    "Limits",
    "Metadata",
    "ModelError",
    "NGramModel",
    "NcleanerError",
    "OutputError",
    "Page",
    "Pair",
    "Recipe",
    "Row",
    "Segment",
    "Skip",
    "TrainingError",
    "TrainingWarning",
    "batches",
    "clean",
    "clean_many",
    "evaluate",
    "explain",
    "extract",
    "extract_many",
    "load_model",
    "metadata",
    "pages",
    "read",
    "read_pairs",
    "read_rows",
    "rows",
    "train",
]

__version__: str
_MODULES: dict[str, str]
