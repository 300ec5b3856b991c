"""The table of output formats, from which a sink is made by its name.

To add a format, write a module with its class and enter it in `FORMATS`.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import get_args

from ncleaner.sinks.base import Compression, Format, Sink, SinkOptions

__all__ = ["COMPRESSIONS", "FORMATS", "make_sink"]

FORMATS: dict[str, Format] = {
    "text": Format(path="ncleaner.sinks.text:TextSink"),
    "markdown": Format(path="ncleaner.sinks.markdown:MarkdownSink"),
    "html": Format(path="ncleaner.sinks.html:HtmlSink"),
    "cleaneval": Format(path="ncleaner.sinks.cleaneval:CleanEvalSink"),
    "jsonl": Format(path="ncleaner.sinks.jsonl:JsonlSink"),
    "vertical": Format(path="ncleaner.sinks.vertical:VerticalSink"),
    "prevertical": Format(path="ncleaner.sinks.vertical:PreverticalSink"),
    "tei": Format(path="ncleaner.sinks.tei:TeiSink"),
    "wet": Format(path="ncleaner.sinks.wet:WetSink", compresses=True),
    "signatures": Format(path="ncleaner.sinks.signatures:SignaturesSink"),
    "parquet": Format(path="ncleaner.sinks.parquet:ParquetSink", compresses=True),
}
COMPRESSIONS: tuple[Compression, ...] = get_args(Compression)


def make_sink(name: str, options: SinkOptions = SinkOptions()) -> Sink:
    """Returns the sink of a format.

    Raises:
        ValueError: the format or the compression does not exist, or the format is compressed already.
        OutputError: the format needs a package that is not installed.
    """
    if name not in FORMATS:
        raise ValueError(f"there is no output format {name!r}: give one of {', '.join(FORMATS)}")
    chosen = FORMATS[name]
    sink: Sink = resolve_name(chosen.path)(options)
    if options.compression is None:
        return sink
    if options.compression not in COMPRESSIONS:
        raise ValueError(
            f"there is no compression {options.compression!r}: give one of {', '.join(COMPRESSIONS)}"
        )
    if chosen.compresses:
        raise ValueError(f"{name} is compressed already: leave {options.compression} out")
    # imported only for outputs that are compressed
    from ncleaner.sinks.compression import Compressed

    return Compressed(sink, options.compression)
