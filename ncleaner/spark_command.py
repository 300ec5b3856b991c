"""The command line of a cluster: `ncleaner clean -o DIRECTORY`, with its options and its exit status.

spark-submit --master spark://HOST:7077 scripts/spark_clean.py s3://bucket/crawl/ -o s3://bucket/clean/
python -m ncleaner.spark --master spark://HOST:7077 s3://bucket/crawl/ -o s3://bucket/clean/
"""

from __future__ import annotations

from typing import Annotated

import typer
from pyspark.sql import SparkSession

from ncleaner.cleaner import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.cli_options import (
    AltOption,
    CompressOption,
    EncodingOption,
    Format,
    FormatOption,
    InputFormatName,
    InputFormatOption,
    InputsFromOption,
    LogJsonOption,
    MarkerOption,
    MaxBytesOption,
    MaxMemoryOption,
    MaxNestingOption,
    MaxSecondsOption,
    MaxSegmentsOption,
    Method,
    MethodOption,
    ModelOption,
    NoCommentsOption,
    PrecisionOption,
    PrefixOption,
    QuietOption,
    RecallOption,
    SegmentsOption,
    ThresholdOption,
    ending_on_signals,
    limits_of,
    logged_as_json,
    said,
    settings_of,
    sources_of,
    threshold_of,
)  # fmt: skip
from ncleaner.limits import Limits
from ncleaner.progress import ProgressDisplay
from ncleaner.spark import clean

__all__ = ["main"]

PARQUET, METHOD, AUTO = Format("parquet"), Method(DEFAULT_METHOD), InputFormatName("auto")


@said
def spark_clean(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Archives (.warc, .arc, .wet; plain, .gz, .zst), HTML or text files, directories of these, "
            "URLs (s3://…, https://…): where all machines find them.",
        ),
    ] = None,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIRECTORY|URL",
            help="Gets one file per input, and a manifest: run again, finished inputs are passed over.",
        ),
    ],
    output_format: FormatOption = PARQUET,
    method: MethodOption = METHOD,
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    input_format: InputFormatOption = AUTO,
    marker: MarkerOption = None,
    encoding: EncodingOption = None,
    compress: CompressOption = None,
    inputs_from: InputsFromOption = None,
    prefix: PrefixOption = None,
    segments: SegmentsOption = False,
    alt_text: AltOption = False,
    no_comments: NoCommentsOption = False,
    again: Annotated[
        bool, typer.Option("--again", help="Clean the inputs, too, that an earlier run has finished.")
    ] = False,
    max_bytes: MaxBytesOption = Limits().bytes,
    max_nesting: MaxNestingOption = Limits().nesting,
    max_segments: MaxSegmentsOption = Limits().segments,
    max_seconds: MaxSecondsOption = Limits().seconds,
    max_memory: MaxMemoryOption = None,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The cluster, where spark-submit has not said.", show_default=False),
    ] = None,
    log_json: LogJsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Clean web archives, HTML pages or text dumps on a Spark cluster."""
    if not inputs and inputs_from is None:
        raise typer.BadParameter("no INPUT, and no --inputs-from")
    settings = settings_of(
        method=method,
        model=model,
        threshold=threshold_of(threshold, precision, recall),
        output_format=output_format,
        segments=segments,
        compress=compress,
        input_format=input_format,
        marker=marker,
        encoding=encoding,
        alt_text=alt_text,
        no_comments=no_comments,
        limits=limits_of(max_bytes, max_nesting, max_segments, max_seconds, max_memory),
    )
    sources = sources_of(inputs, inputs_from, prefix)
    builder = SparkSession.builder.appName(f"ncleaner clean -o {output}")
    spark = (builder.master(master) if master else builder).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    with (
        spark,
        logged_as_json(log_json),
        ending_on_signals(),
        ProgressDisplay(sources, quiet=quiet, as_json=log_json) as display,
    ):
        tally = clean(spark, sources, settings, output=output, again=again, progress=display.advance)
    display.finish(tally)
    if not tally.complete:
        raise typer.Exit(1)


def main() -> None:
    """Entry point of `scripts/spark_clean.py` and of `python -m ncleaner.spark`."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(spark_clean)
    app()
