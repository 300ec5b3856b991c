"""Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out.

>>> import ncleaner
>>> text = ncleaner.clean(html)                      # one page, default English model
>>> cleaner = ncleaner.Cleaner(model="my.ncm")       # another method, model, threshold, limits
>>> for page in ncleaner.pages("crawl.warc.gz"):     # the pages of any input
...     document, kept = cleaner.page(page)
"""

from ncleaner.cleaner import Cleaner, clean
from ncleaner.document import Document, Segment
from ncleaner.document.kept import Kept
from ncleaner.errors import (
    EvaluationError,
    InputError,
    ModelError,
    NcleanerError,
    OutputError,
    TrainingError,
    TrainingWarning,
)
from ncleaner.limits import Limits
from ncleaner.modelling.ngrams import NGramModel, load_model
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import pages, read
from ncleaner.scoring.evaluation import evaluate
from ncleaner.training.ngrams import train
from ncleaner.training.pairs import Pair, read_pairs

__all__ = [
    "Cleaner",
    "Damage",
    "Document",
    "EvaluationError",
    "InputError",
    "Kept",
    "Limits",
    "ModelError",
    "NGramModel",
    "NcleanerError",
    "OutputError",
    "Page",
    "Pair",
    "Segment",
    "Skip",
    "TrainingError",
    "TrainingWarning",
    "clean",
    "evaluate",
    "load_model",
    "pages",
    "read",
    "read_pairs",
    "train",
]
