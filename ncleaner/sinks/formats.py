"""The table of output formats, and what a user asks of an output.

To add a format, write a module with its class and enter it in `FORMATS`.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath

from ncleaner.errors import named
from ncleaner.markup import MarkupOptions
from ncleaner.options import Declared, OptionError, option, options_of
from ncleaner.sinks.sink import Format, Sink, SinkOptions

FORMATS: dict[str, Format] = {
    "text": Format("ncleaner.sinks.text:TextSink", suffixes=(".txt", ".text")),
    "markdown": Format("ncleaner.sinks.marked:MarkdownSink", suffixes=(".md", ".markdown")),
    "html": Format("ncleaner.sinks.marked:HtmlSink", suffixes=(".html", ".htm")),
    "cleaneval": Format("ncleaner.sinks.text:CleanEvalSink"),
    "jsonl": Format("ncleaner.sinks.jsonl:JsonlSink", suffixes=(".jsonl", ".ndjson")),
    "vertical": Format("ncleaner.sinks.vertical:VerticalSink", suffixes=(".vert", ".vrt")),
    "prevertical": Format("ncleaner.sinks.vertical:PreverticalSink", suffixes=(".prevert",)),
    "tei": Format("ncleaner.sinks.tei:TeiSink", suffixes=(".xml", ".tei")),
    "wet": Format("ncleaner.sinks.wet:WetSink", compresses=True, suffixes=(".wet",)),
    "signatures": Format("ncleaner.sinks.signatures:SignaturesSink", suffixes=(".signatures.jsonl",)),
    "parquet": Format("ncleaner.sinks.parquet:ParquetSink", compresses=True, suffixes=(".parquet",)),
}
COMPRESSIONS = ("gz", "zst")
# Most rows of a file of Parquet; a row takes some kilobytes.
_ROWS_PER_FILE = 100_000
_UNCOMPRESSED = tuple(name for name, entry in FORMATS.items() if not entry.compresses)
_PANEL = "Output"
_MORE = [name for name in FORMATS if name not in ("text", "markdown", "jsonl", "parquet")]


@dataclass(frozen=True, slots=True)
class Output(SinkOptions):
    """The format of an output and its options; picklable and hashable.

    Raises:
        TypeError: a value has another type.
        ValueError: a value is wrong, or the format does not have the option.
    """

    format: str = option(
        "text",
        f"text, markdown, jsonl, parquet and more. Also {', '.join(_MORE)}; a file has the format of "
        "its suffix if none is given.",
        choices=tuple(FORMATS), flags="--format -f", common=True, panel=_PANEL,
    )  # fmt: skip
    compression: str | None = option(
        None, "Compress the output.",
        kind=str, choices=COMPRESSIONS, of=_UNCOMPRESSED, flags="--compress", panel=_PANEL,
    )  # fmt: skip
    rows_per_file: int | None = option(
        None,
        "Most rows of a file in a directory. Inputs with more rows get several files, and small inputs share "
        "one. 0: one file per input.",
        kind=int, low=0, of=("jsonl", "parquet"), otherwise=f"{_ROWS_PER_FILE:,} in parquet, 0 in jsonl",
        metavar="N", panel=_PANEL,
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
        if self.source and not self.segments:
            raise OptionError("source", "it is part of --segments: give both")
        if not self.markdown and self.format not in ("markdown", "html"):
            for each in options_of(MarkupOptions):
                if getattr(self.markup, each.name) != each.default:
                    raise OptionError(
                        each.name,
                        f"only markdown, html and --markdown have it, not {self.format}: see --format",
                    )

    @property
    def rows(self) -> int:
        """Most rows of a file in a directory; 0 if each input has one file."""
        if self.rows_per_file is None:
            return _ROWS_PER_FILE if self.format == "parquet" else 0
        return self.rows_per_file

    @classmethod
    def named(cls, file: str, format: str | None, compression: str | None) -> tuple[str, str | None]:
        """Returns format and compression of a file: those that are given, else those of its suffixes.

        Raises:
            ValueError: none is given, and no format has the suffix; or a text has the name of Parquet.
        """
        lower = file.lower()
        packed = next((each for each in COMPRESSIONS if lower.endswith(f".{each}")), None)
        bare = lower.removesuffix(f".{packed}")
        if format not in (None, "parquet") and bare.endswith(".parquet"):
            # no reader of Parquet would take it; texts may have any name
            other = ", or add a column with --markdown" if format == "markdown" else ""
            raise OptionError(
                "format", f"{file} is Parquet by its name, and {format} is not: change one{other}"
            )
        if format is None:
            if bare.endswith(".json"):
                raise OptionError("format", f"{file}: JSON lines have the suffix .jsonl; or give --format")
            ends = [
                (end, key) for key, entry in FORMATS.items() for end in entry.suffixes if bare.endswith(end)
            ]
            if not ends and PurePosixPath(bare).suffix:
                suffixes = ", ".join(entry.suffixes[0] for entry in FORMATS.values() if entry.suffixes)
                what = f"no format has the suffix {PurePosixPath(bare).suffix}"
                raise OptionError("format", f"{file}: {what}: give one of {suffixes}; or --format")
            format = max(ends, key=lambda each: len(each[0]))[1] if ends else cls().format
        return format, compression or (None if FORMATS[format].compresses else packed)

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
        sink: Sink = named(FORMATS[self.format].path)(self)
        if self.compression is None:
            return sink
        # imported only for outputs that are compressed
        from ncleaner.sinks.compression import Compressed

        return Compressed(sink, self.compression)
