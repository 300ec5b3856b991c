"""The command line for a cluster, with the options and the exit status of `ncleaner clean -o DIRECTORY`.

ncleaner-spark --master spark://HOST:7077 s3://bucket/crawl/ -o s3://bucket/clean/
spark-submit --master spark://HOST:7077 .../ncleaner/spark/__main__.py s3://bucket/crawl/ -o s3://bucket/clean/
"""

from typing import Annotated

import typer
from pyspark.sql import SparkSession

from ncleaner.cli.parameters import Run, part, reports_errors, with_options
from ncleaner.cli.program import Layered
from ncleaner.cli.progress import ProgressDisplay
from ncleaner.methods.registry import DEFAULT_MODEL
from ncleaner.pools.interrupts import ending_on_signals
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.sinks.formats import Output
from ncleaner.spark import clean


@reports_errors
@with_options(
    {"format": {"default": "parquet"}}, reading=Reading, written=Output, recipe=Recipe,
    asked=part(Run, without="jobs shard"),
)  # fmt: skip
def spark_clean(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Archives (.warc, .arc, .wet; plain, .gz, .zst, .lz4, .bz2, .xz; .wacz), HTML or text "
            "files, directories of these, URLs (s3://…, https://…); all machines must be able to read them.",
        ),
    ] = None,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIRECTORY|URL",
            help="Directory for the outputs and a manifest; a later run passes over finished inputs.",
        ),
    ],
    reading: Reading,
    written: Output,
    recipe: Recipe,
    master: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The cluster, if not given by spark-submit.", show_default=False),
    ] = None,
    asked: Run,
) -> None:
    """Clean web archives, HTML pages or text dumps on a Spark cluster."""
    if not inputs and asked.inputs_from is None:
        raise typer.BadParameter("there is no INPUT: give one, or --inputs-from")
    sources = asked.sources(inputs, str(output))
    builder = SparkSession.builder.appName(f"ncleaner clean -o {output}")
    spark = (builder.master(master) if master else builder).getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    settings = Settings(recipe, asked.reading(reading), written)
    with (
        spark,
        ending_on_signals(),
        asked.learned(sources, settings, output) as settings,
        ProgressDisplay(sources, quiet=asked.quiet, as_json=asked.log_json) as display,
    ):
        tally = clean(spark, sources, settings, output=output, again=asked.again, progress=display.advance)
    display.finish(tally, advises=recipe.learn is None and recipe.model == DEFAULT_MODEL)
    if not tally.complete:
        raise typer.Exit(1)


def main() -> None:
    """Entry point of `ncleaner-spark`, of `python -m ncleaner.spark` and of this file."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(cls=Layered)(spark_clean)
    app()


if __name__ == "__main__":
    main()
