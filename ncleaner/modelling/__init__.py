"""Models of main text and boilerplate.

This file has the names and numbers that the command line offers. It is apart from the modules that use them:
these load NumPy, which takes too long for completing a word on the command line.
"""

from typing import Literal

FIXED_ALPHABETS = ("ascii", "nonlexical")
# The names that training takes. The last alphabet is made from the training pages.
ALPHABET_NAMES = (*FIXED_ALPHABETS, "learned")
# most characters of a learned alphabet
MAX_LEARNED = 200
# largest n
MAX_ORDER = 8
Statistic = Literal["page", "segment", "character"]
STATISTICS: tuple[Statistic, ...] = ("page", "segment", "character")
Scheme = Literal["aligned", "differential"]
SCHEMES: tuple[Scheme, ...] = ("aligned", "differential")
# interpolation factor of n-grams: nearer to 0 the smallest weight underflows, nearer to 1 the divisor does
DEFAULT_Q = 0.8
LEAST_Q = 1e-6
MOST_Q = 1 - 1e-6
# of a cross-validation
FOLDS = 5
