"""Text density of lines, then character n-grams (Pal 2009).

S. Pal, "Extracting Useful Text from HTML" (14 November 2009), has two filters. Density filter: with the
numbers of characters of text and of markup of a line,

    density = (text + 1) / (text + markup + 1);

a line is dropped if it has fewer than 60 characters of text, or if its density is not above 0.5 less the
standard deviation of the densities of the others. Boilerplate filter: a classifier of two character 6-gram
models, one trained on lines to keep and one on lines to discard, takes the likelier class of each line that
is left.

A line is a segment here: pages of today have no lines of source that mean anything. The markup of a segment
is counted from the end of the segment before. The standard deviation is of a sample, as in the library
that Pal uses. The n-grams are of any of our models, which interpolate geometrically (Evert 2008) where
Pal's library smooths as Witten and Bell; the classes are equally likely beforehand. Shipped models have
3-grams; `ncleaner train --method ngram -n 6` trains 6-grams, and --fence takes their labels from HTML
comments around the content, as Pal does.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import run_chars
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.options import option


def text_densities(document: Document) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The density of each segment, and its characters of text, with white space: both of shape
    (segments,)."""
    owners, size = document.runs["segment"], len(document)
    chars = np.bincount(owners, run_chars(document), minlength=size).astype(np.int64)
    markup = np.bincount(owners, document.runs["markup"], minlength=size)
    return (chars + 1) / (chars + markup + 1), chars


@dataclass(frozen=True)
class Density:
    """Keeps dense segments that the n-grams take for clean. Plain text has density 1 everywhere.

    Args:
        model: the n-grams.
    """

    model: NGramModel
    centre: float = option(
        0.5, "threshold of the density before the standard deviation is taken off", low=0, high=1
    )
    characters: int = option(60, "drop segments with fewer characters", low=0)
    classifier: bool = option(True, "apply the n-grams after the density")

    name = "density"

    def keep(self, document: Document) -> Kept:
        """Decides with scores that are the log-odds of the n-grams, in bits, for the whole segment."""
        density, chars = text_densities(document)
        long = document.readable & (chars >= self.characters)
        spread = float(np.std(density[long], ddof=1)) if long.sum() > 1 else 0.0
        mask = long & (density > self.centre - spread)
        if not self.classifier:
            return Kept(mask, density)
        table = document.segments
        scores, _ = self.model.log_odds(document.data, table["start"], table["end"])
        return Kept(mask & (scores > 0), scores)
