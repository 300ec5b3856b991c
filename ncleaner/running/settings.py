"""The settings of a run: everything except the input that an output depends on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ncleaner.errors import ModelError
from ncleaner.limits import Limits
from ncleaner.methods.base import Value
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
    """Everything except the input that an output depends on; picklable, for the workers.

    Attributes:
        method, model, threshold, encoding, alt_text, headline, comments, captions, news, notices, parameters,
            sites, limits: see `Cleaner`.
        output_format, sink_options: see `make_sink`.
        input_format, marker: see `archive.read`.
        text: the layout of plain text, see `Cleaner` and `archive.read`.
        many_pages: whether one output has the pages of several inputs, so that formats which mark the
            beginning of a page do so even if an input is one page.
    """

    method: str = DEFAULT_METHOD
    model: str = DEFAULT_MODEL
    threshold: float | Preset | None = None
    output_format: str = "text"
    sink_options: SinkOptions = field(default_factory=SinkOptions)
    input_format: InputFormat = "auto"
    encoding: str | None = None
    alt_text: bool = False
    headline: bool | None = None
    comments: bool = True
    captions: bool = True
    news: bool = False
    notices: bool = False
    parameters: dict[str, Value] = field(default_factory=dict, hash=False)
    sites: str | None = None
    limits: Limits = field(default_factory=Limits)
    many_pages: bool = False
    marker: str | None = None
    text: str = "auto"

    def cleaner(self) -> Cleaner:
        """Returns a cleaner with these settings. Raises as `Cleaner` does."""
        from ncleaner.cleaner import Cleaner

        return Cleaner(
            self.method,
            self.model,
            threshold=self.threshold,
            headline=self.headline,
            comments=self.comments,
            captions=self.captions,
            news=self.news,
            notices=self.notices,
            parameters=self.parameters,
            sites=self.sites,
            limits=self.limits,
            encoding=self.encoding,
            alt_text=self.alt_text,
            facts=self.sink_options.wants_facts,
            marks=self.sink().marks,
            text=self.text,
        )

    def fingerprint(self) -> str:
        """A hash of the files that an output depends on besides its input: models, a survey, a table.

        Raises:
            ModelError: a model, the survey or the table cannot be read.
        """
        from ncleaner.methods.choice import fingerprint

        models = fingerprint(self.method, self.model)
        files = [(self.sites, "survey"), (self.sink_options.table, "table")]
        found = models
        for path, what in files:
            if path is None:
                continue
            try:
                with Path(path).open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise ModelError(f"cannot read the {what} {path}: {error.strerror}") from error
            found = hashlib.sha256(f"{found}{digest}".encode()).hexdigest()[:16]
        return found

    def sink(self) -> Sink:
        """Returns a sink with these settings. Raises as `make_sink` does."""
        return make_sink(self.output_format, self.sink_options)
