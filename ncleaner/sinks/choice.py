"""The output formats by name."""

from __future__ import annotations

from collections.abc import Callable

from ncleaner.sinks.base import Sink, SinkOptions
from ncleaner.sinks.cleaneval import CleanEvalSink
from ncleaner.sinks.compression import COMPRESSIONS, Compressed
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.text import TextSink

__all__ = ["COMPRESSED", "SINKS", "make_sink"]


def _vertical(options: SinkOptions) -> Sink:
    from ncleaner.sinks.vertical import VerticalSink

    return VerticalSink()


def _wet(options: SinkOptions) -> Sink:
    from ncleaner.sinks.wet import WetSink

    return WetSink()


def _parquet(options: SinkOptions) -> Sink:
    from ncleaner.sinks.parquet import ParquetSink

    return ParquetSink()


SINKS: dict[str, Callable[[SinkOptions], Sink]] = {
    "text": lambda options: TextSink(),
    "cleaneval": lambda options: CleanEvalSink(),
    "jsonl": lambda options: JsonlSink(options.segments),
    "vertical": _vertical,
    "wet": _wet,
    "parquet": _parquet,
}
# Formats that compress by themselves.
COMPRESSED = frozenset({"wet", "parquet"})


def make_sink(name: str, options: SinkOptions = SinkOptions()) -> Sink:
    """A sink by its name.

    Raises:
        ValueError: no such format or compression, or the format is compressed already.
        OutputError: the format needs a package that is not installed.
    """
    if name not in SINKS:
        raise ValueError(f"no output format {name!r}: there are {', '.join(SINKS)}")
    if options.compression is None:
        return SINKS[name](options)
    if options.compression not in COMPRESSIONS:
        raise ValueError(f"no compression {options.compression!r}: there are {', '.join(COMPRESSIONS)}")
    if name in COMPRESSED:
        raise ValueError(f"{name} is compressed already: leave {options.compression} out")
    return Compressed(SINKS[name](options), options.compression)
