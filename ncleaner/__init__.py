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

from importlib import import_module
from importlib.machinery import PathFinder

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
# `__init__.pyi` has them for type checkers
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> object:
    if name == "__version__":
        value = import_module("importlib.metadata").version("ncleaner")
    elif name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
