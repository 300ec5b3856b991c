"""The versions of what outlives a release: outputs, models and surveys (docs/releasing.md)."""

from typing import Final

#: Of the outputs: it rises when a page gives other bytes with the same settings.
OUTPUTS: Final = 1
#: Of model files.
MODELS: Final = 1
#: Of surveys.
SURVEYS: Final = 2
