"""The features of the hybrid method: the name, the meaning, the words, the source and the group of each.

The features of a page form a matrix with one row per segment. Its columns have three parts: the features of
each segment before any judgement (`_segment_features.pyx`), the features that need a first judgement of all
segments (`_page_features.pyx`), and the kind of the page, which follows from means of all these features over
the page. `features.txt` has the only list of them, in the order of the columns, which is compared with the
columns of the compiled code at import. A new feature is one entry there, and its name and its value in one of
the two.

Sources: Victor (Marek, Pecina and Spousta 2007, section 3; Spousta, Marek and Pecina 2008), NCleaner (Evert
2008), boilerpipe (Kohlschütter, Fankhauser and Nejdl 2010, section 3), CETR (Weninger, Hsu and Han 2010),
jusText (Pomikálek 2011, chapter 3), Dragnet (Peters and Lecocq 2013), Web2Text (Vogels, Ganea and Eickhoff
2018, section 3). A feature without a source is new in ncleaner.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import tags
from ncleaner.document.kept import KINDS
from ncleaner.modelling import _page_features, _segment_features
from ncleaner.text.visible import counted

SEGMENT_COLUMNS: int = _segment_features.COLUMNS
WEIGHTS: int = _segment_features.WEIGHTS

Matrix = npt.NDArray[np.float32]
# The value of rows outside the page. No feature has this value.
OUTSIDE = -1000.0


class Feature(NamedTuple):
    """One column of the matrix.

    Attributes:
        name: the name, unique.
        group: the group; a group can be switched off as a whole.
        about: the meaning of the value.
        phrase: the value in words, for explanations; see `features.txt`.
        source: the system that described the feature first, as far as known.
    """

    name: str
    group: str
    about: str
    phrase: str
    source: str = ""


# {section of `features.txt`: its lines}
_SECTIONS = dict(
    section.split("]\n") for section in Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n[")[1:]
)


def _table(section: str, each: Iterable[Mapping[str, object]] = ({},)) -> list[Feature]:
    """Returns the features of a section, once with each of several parts for what is behind a dollar."""
    group, template, found = section.partition(":")[0], Template(_SECTIONS[section].strip()), []
    for parts in each:
        lines = template.substitute(parts).splitlines()
        for line, phrase in zip(lines[::2], lines[1::2], strict=True):
            name, about, *source = (part.strip() for part in line.split("|"))
            found.append(Feature(name, group, about, phrase.strip(), *source))
    return found


def _of_tags(names: str) -> dict[str, str]:
    """Returns the parts of a section for a group of tags."""
    shown = f"<{'> or <'.join(names.split())}>".replace("<->", "<custom element>")
    return {"first": names.split()[0], "names": names, "tags": shown}


_BEFORE = [
    feature
    for section in ("text", "markup", "copies", "n-grams", "place", "names")
    for feature in _table(section)
]
_JUDGED = [
    *_table("context"),
    *_table(
        "styles: alike",
        (
            {"of": "style", "tags": "the same tags and classes", "alike": "of its style"},
            {"of": "path", "tags": "the same tags", "alike": "under the same tags"},
        ),
    ),
    *(feature for section in ("styles", "containers: core", "page") for feature in _table(section)),
]
_LEVELS = (
    {"level": level, "block": f"the block {counted(level, 'level')} up" if level else "its block"}
    for level in range(_page_features.LEVELS)
)
FEATURES: tuple[Feature, ...] = (
    *_BEFORE,
    *_table("tags: own", map(_of_tags, _segment_features.OWN_TAGS)),
    *_table("tags: above", map(_of_tags, _segment_features.TAGS_ABOVE)),
    *_table("cues: cue", ({"cue": cue} for cue in tags.CUES)),
    *_JUDGED,
    *_table("containers: level", _LEVELS),
    *_table("containers: holder", ({"percent": f"{100 * share:.0f}"} for share in _page_features.SHARES)),
    *_table("kind", ({"kind": kind} for kind in KINDS)),
)


def _check_columns() -> None:
    """Compares the table with the columns of the compiled code. Raises ImportError."""
    for first, module, features in (
        (0, _segment_features, _BEFORE),
        (SEGMENT_COLUMNS, _page_features, _JUDGED),
    ):
        for feature in features:
            column = getattr(module, feature.name.upper().replace("-", "_"), None)
            if column is None or FEATURES[first + column] is not feature:
                raise ImportError(f"the feature {feature.name!r} has another column in {module.__name__}")
    size = SEGMENT_COLUMNS + _page_features.COLUMNS + len(KINDS)
    if len(FEATURES) != size:
        raise ImportError(f"{len(FEATURES)} features, but {size} columns in compiled code")


_check_columns()
# The first column of the kinds. All columns before it are known when the kind of the page is judged.
KIND_COLUMN = len(FEATURES) - len(KINDS)
# A segment whose first judgement is smaller is plainly boilerplate, and is not judged again.
PLAIN = 0.1
# The features of a page: means of these columns over its segments that are not plain, weighted by mass. Means
# by characters besides tell kinds no better.
PAGE_FEATURES: tuple[str, ...] = tuple(f"{feature.name} by mass" for feature in FEATURES[:KIND_COLUMN])
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(feature.group for feature in FEATURES))


def columns_of(without: Iterable[str] = ()) -> list[int]:
    """Returns the columns that are left without these groups or features.

    Raises:
        ValueError: a name in `without` is neither a group nor a feature.
    """
    left_out = set(without)
    known = {*GROUPS, *(feature.name for feature in FEATURES)}
    if left_out - known:
        raise ValueError(
            f"no feature or group {', '.join(map(repr, sorted(left_out - known)))}: the groups are "
            f"{', '.join(GROUPS)}"
        )
    return [
        column
        for column, feature in enumerate(FEATURES)
        if feature.name not in left_out and feature.group not in left_out
    ]
