"""Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out.

>>> import ncleaner
>>> ncleaner.clean("<nav><a href=/>Home</a></nav><p>The ferry sails until the end of May.</p>")
'The ferry sails until the end of May.'

`extract` gives Markdown and metadata, too. A `Cleaner` has a method, a model and limits of its own; `pages`
gives the pages of any input:

>>> cleaner = ncleaner.Cleaner(method="ngram", model="auto")
>>> for page in ncleaner.pages("examples/crawl.warc.gz"):
...     document, kept = cleaner.page(page)

`read_pairs` and `train` make a model from pages and their cleaned text, `evaluate` compares cleaned text with
a gold standard. The command line, `ncleaner --help`, does all this for whole crawls in worker processes.
"""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import PathFinder

# that of `typing`, which takes longer to import than the rest of this file
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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

# in a clone, this folder comes before the package that is installed
if any(PathFinder.find_spec(f"ncleaner.{name}", __path__) is None for name in ("_cyutility", "_ngram")):
    raise ImportError(
        f"{__path__[0]} has the sources of ncleaner, but they are not compiled: run `pip install -e .` in "
        "the folder above it, or start Python in another folder",
        name="ncleaner",
    )

# Where each name stands. A name is imported when it is asked for: cleaning loads neither what trains nor what
# draws.
_MODULES = {
    name: module
    for module, names in {
        "ncleaner.cleaner": "Cleaner Extracted clean extract metadata",
        "ncleaner.describing.metadata": "Metadata",
        "ncleaner.document": "Document Segment",
        "ncleaner.document.kept": "Kept",
        "ncleaner.errors": (
            "EvaluationError InputError InputWarning ModelError NcleanerError OutputError TrainingError "
            "TrainingWarning"
        ),
        "ncleaner.lab.explaining.explain": "explain",
        "ncleaner.frames": "batches rows",
        "ncleaner.sinks.rows": "Row",
        "ncleaner.limits": "Limits",
        "ncleaner.many": "clean_many extract_many",
        "ncleaner.methods.choice": "load_model",
        "ncleaner.modelling.hybrid": "HybridModel",
        "ncleaner.modelling.ngrams": "NGramModel",
        "ncleaner.page": "Damage Page Skip",
        "ncleaner.reading.archive": "pages read",
        "ncleaner.recipe": "Recipe",
        "ncleaner.lab.scoring.evaluation": "evaluate",
        "ncleaner.lab.training.hybrid": "train",
        "ncleaner.lab.training.pairs": "Pair read_pairs read_rows",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__version__":
        value = import_module("importlib.metadata").version("ncleaner")
    elif name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
