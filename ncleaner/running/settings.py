"""The settings of a run: all that an output depends on besides its input."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncleaner.limits import Limits
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.sinks.base import Sink, SinkOptions
from ncleaner.sinks.choice import make_sink

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.modelling.decision import Preset
    from ncleaner.reading.archive import InputFormat

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a worker needs to know; what the output depends on besides the input."""

    method: str = DEFAULT_METHOD
    model: str = DEFAULT_MODEL
    threshold: float | Preset | None = None
    output_format: str = "text"
    sink_options: SinkOptions = field(default_factory=SinkOptions)
    input_format: InputFormat = "auto"
    encoding: str | None = None
    alt_text: bool = False
    comments: bool = True
    limits: Limits = field(default_factory=Limits)
    set_off: bool = False  # documents are set off even where an input is one page
    marker: str | None = None  # see `archive.read`

    def cleaner(self) -> Cleaner:
        """The cleaner they describe. Raises as `Cleaner` does."""
        from ncleaner.cleaner import Cleaner

        return Cleaner(
            self.method,
            self.model,
            threshold=self.threshold,
            comments=self.comments,
            limits=self.limits,
            encoding=self.encoding,
            alt_text=self.alt_text,
        )

    def sink(self) -> Sink:
        """The sink they describe. Raises as `make_sink` does."""
        return make_sink(self.output_format, self.sink_options)
