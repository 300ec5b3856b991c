"""The table of output formats, and what a user asks of an output.

To add a format, write a module with its class and enter it in `FORMATS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name

from ncleaner.markup import MarkupOptions
from ncleaner.options import Declared, OptionError, option, options_of
from ncleaner.sinks.base import Format, Sink, SinkOptions

__all__ = ["COMPRESSIONS", "FORMATS", "Output"]

FORMATS: dict[str, Format] = {
    "text": Format(path="ncleaner.sinks.text:TextSink"),
    "markdown": Format(path="ncleaner.sinks.marked:MarkdownSink"),
    "html": Format(path="ncleaner.sinks.marked:HtmlSink"),
    "cleaneval": Format(path="ncleaner.sinks.text:CleanEvalSink"),
    "jsonl": Format(path="ncleaner.sinks.jsonl:JsonlSink"),
    "vertical": Format(path="ncleaner.sinks.vertical:VerticalSink"),
    "prevertical": Format(path="ncleaner.sinks.vertical:PreverticalSink"),
    "tei": Format(path="ncleaner.sinks.tei:TeiSink"),
    "wet": Format(path="ncleaner.sinks.wet:WetSink", compresses=True),
    "signatures": Format(path="ncleaner.sinks.signatures:SignaturesSink"),
    "parquet": Format(path="ncleaner.sinks.parquet:ParquetSink", compresses=True),
}
COMPRESSIONS = ("gz", "zst")
_UNCOMPRESSED = tuple(name for name, entry in FORMATS.items() if not entry.compresses)
_PANEL = "Output"


@dataclass(frozen=True, slots=True)
class Output(SinkOptions):
    """The format of an output and its options; picklable and hashable.

    Raises:
        TypeError: a value has another type.
        ValueError: a value is wrong, or the format does not have the option.
    """

    format: str = option(
        "text",
        f"Output format: {', '.join(FORMATS)}.",
        choices=tuple(FORMATS),
        flags="--format -f",
        panel=_PANEL,
    )
    compression: str | None = option(
        None, "Compress the output.",
        kind=str, choices=COMPRESSIONS, of=_UNCOMPRESSED, flags="--compress", panel=_PANEL,
    )  # fmt: skip

    def __post_init__(self) -> None:
        Declared.__post_init__(self)
        for each in options_of(Output):
            if each.of and self.format not in each.of and getattr(self, each.name) != each.default:
                known = " and ".join(filter(None, [", ".join(each.of[:-1]), each.of[-1]]))
                verb = "have" if len(each.of) > 1 else "has"
                raise OptionError(each.name, f"only {known} {verb} it, not {self.format}: see --format")
        if self.duplicates and not self.signals and self.format != "signatures":
            raise OptionError("duplicates", f"in {self.format} it is part of --signals: give both")
        if not self.markdown and self.format not in ("markdown", "html"):
            for each in options_of(MarkupOptions):
                if getattr(self.markup, each.name) != each.default:
                    raise OptionError(
                        each.name,
                        f"only markdown, html and --markdown have it, not {self.format}: see --format",
                    )

    def sink(self) -> Sink:
        """Returns what writes this output.

        Raises:
            ValueError: an attribute cannot be written.
            InputError: the table cannot be read, or duplicates are wanted, and rensa is not installed.
            OutputError: the format needs a package that is not installed.
        """
        if self.duplicates:
            from ncleaner.surveying.duplicates import require_rensa

            require_rensa()
        sink: Sink = resolve_name(FORMATS[self.format].path)(self)
        if self.compression is None:
            return sink
        # imported only for outputs that are compressed
        from ncleaner.sinks.compression import Compressed

        return Compressed(sink, self.compression)
