"""The background of explanations: how many segments of real pages end in each leaf of the structure model.

The counts of the shipped structure model come with the package (`structure.counts`, which
`scripts/count_leaves.py` makes of gold pages). A structure model of one's own has none: then the page itself
is the background, and a feature that all its segments share adds little.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ncleaner.explaining.shapley import Paths, leaf_counts
from ncleaner.explaining.structural import Looks
from ncleaner.modelling.container import pack, unpack
from ncleaner.modelling.structure import Structure, Trees

__all__ = ["FILE", "FORESTS", "counts_file", "has_counts", "page_counts", "paths_of"]

FILE = "structure.counts"
FORESTS = ("first", "second", "articles")
_KIND = "counts"
# of the models that explanations have met
_paths: WeakKeyDictionary[Structure, dict[str, Paths]] = WeakKeyDictionary()


def paths_of(model: Structure, forest: str, looks: Looks) -> Paths:
    """Returns the tests of a forest, with the background of its model, or else with a page as background."""
    if not has_counts(model):
        return Paths(model.trees()[forest], page_counts(model, looks)[forest])
    known = _paths.setdefault(model, {})
    if forest not in known:
        known[forest] = Paths(model.trees()[forest], _shipped()[1][forest])
    return known[forest]


def has_counts(model: Structure) -> bool:
    """Tells whether the background of a model comes with the package."""
    return _fingerprint(model) == _shipped()[0]


def page_counts(model: Structure, looks: Looks) -> dict[str, npt.NDArray[np.int64]]:
    """Returns how many segments of a page end in each leaf of each forest that judges them."""
    trees = model.trees()
    rows = {"first": np.arange(len(looks.first)), "second": np.flatnonzero(looks.again)}
    rows["articles"] = rows["second"]
    asked = {"first", *looks.whole}
    return {
        name: leaf_counts(
            trees[name], looks.matrix, looks.spare, rows[name][: len(rows[name]) * (name in asked)]
        )
        for name in FORESTS
        if name in trees
    }


def counts_file(model: Structure, counts: dict[str, npt.NDArray[np.int64]], about: dict[str, Any]) -> bytes:
    """Returns the file of counts for a model. The same counts give the same bytes."""
    header = {"kind": _KIND, "structure": _fingerprint(model), **about}
    return pack(header, {name: values.astype(np.uint32) for name, values in counts.items()})


@cache
def _shipped() -> tuple[str, dict[str, npt.NDArray[np.int64]]]:
    data = (resources.files("ncleaner.explaining") / FILE).read_bytes()
    header, arrays = unpack(data, FILE)
    return str(header["structure"]), {name: values.astype(np.int64) for name, values in arrays.items()}


def _fingerprint(model: Structure) -> str:
    """Returns a hash of the forests that judge segments, hexadecimal."""
    found = hashlib.sha256()
    for name, trees in model.trees().items():
        if name in FORESTS:
            found.update(name.encode())
            found.update(_bytes_of(trees))
    return found.hexdigest()


def _bytes_of(trees: Trees) -> bytes:
    parts = (trees.features, trees.rows, trees.left, trees.right, trees.sizes)
    reals = (trees.thresholds, trees.leaves)
    return b"".join(
        [part.astype("<i8").tobytes() for part in parts] + [real.astype("<f4").tobytes() for real in reals]
    )
