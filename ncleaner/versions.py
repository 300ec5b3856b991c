"""The versions of what outlives a release: outputs, models and surveys (docs/releasing.md)."""

from __future__ import annotations

from typing import Final

#: Of the outputs: it rises when a page gives other bytes with the same settings.
OUTPUTS: Final = 4
#: Of model files. 2: n-gram models record their decision; files of format 1 have a threshold per character.
MODELS: Final = 2
#: Of surveys. 2: length and checksum are behind the database.
SURVEYS: Final = 2
