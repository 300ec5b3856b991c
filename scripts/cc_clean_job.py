#!/usr/bin/env python3
"""A job for Common Crawl's cc-pyspark: clean text instead of a count, a row a page.

cc-pyspark finds, fetches and opens the archives; its modules must be where Spark looks for them, and so
has this package. With `sparkcc_fastwarc.py` among them archives are read by FastWARC, which is faster:

    spark-submit --py-files sparkcc.py,sparkcc_fastwarc.py scripts/cc_clean_job.py \\
        --input_base_url s3://commoncrawl/ warc.paths clean_pages

The table has the columns of `ncleaner clean -f parquet`. Jobs that fetch single records, such as those over
Common Crawl's index, can take `Cleaning` for themselves: it has `process_record`, too.
"""

from __future__ import annotations

import io
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import SparkSession

from ncleaner.limits import Limits
from ncleaner.methods.registry import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.archive import placed_at, read
from ncleaner.reading.records import PAGES
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Settings
from ncleaner.spark import rows, schema

try:
    from sparkcc_fastwarc import CCFastWarcSparkJob as Job
except ImportError:
    from sparkcc import CCSparkJob as Job

Row = dict[str, Any]


class Cleaning:
    """What makes a cleaning job of any of cc-pyspark's; records may be warcio's or FastWARC's."""

    output_schema = schema()
    # bodies as they are stored: they are decoded here, within bounds
    warc_parse_http_header = False

    args: Any
    records_processed: Any

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Adds those of ncleaner."""
        super().add_arguments(parser)  # type: ignore[misc]
        parser.add_argument("--method", default=DEFAULT_METHOD, help="ncleaner's method")
        parser.add_argument("--model", default=DEFAULT_MODEL, help="auto, a model's name, or a file")

    def settings(self) -> Settings:
        """What to clean with."""
        return Settings(Recipe(self.args.method, self.args.model))

    def iterate_records(self, warc_uri: str, archive_iterator: Iterable[Any]) -> Iterator[Row]:
        """The rows of an archive, with the offsets of their records."""
        settings = self.settings()
        yield from rows(self._items(warc_uri, archive_iterator, settings.recipe.limits), settings)

    def process_record(self, record: Any) -> Iterator[Row]:
        """The row of a single record, if it is a page."""
        settings = self.settings()
        yield from rows(_read(record, None, "", settings.recipe.limits), settings)

    def _items(self, uri: str, records: Iterable[Any], limits: Limits) -> Iterator[Page | Skip | Damage]:
        for record in records:
            yield from _read(record, records, uri, limits)
            self.records_processed.add(1)

    def run_job(self, session: SparkSession) -> None:
        """Writes the table: rows as they are, where cc-pyspark sums them up."""
        context = session.sparkContext
        inputs = context.textFile(self.args.input, minPartitions=self.args.num_input_partitions)
        found = inputs.mapPartitionsWithIndex(self.process_warcs)  # type: ignore[attr-defined]
        (
            session.createDataFrame(found, schema=self.output_schema)
            .write.format(self.args.output_format)
            .option("compression", self.args.output_compression)
            .options(**self.get_output_options())  # type: ignore[attr-defined]
            .saveAsTable(self.args.output)
        )
        self.log_accumulators(session)  # type: ignore[attr-defined]


def _read(record: Any, records: Any, uri: str, limits: Limits) -> Iterator[Page | Skip | Damage]:
    """A record as ncleaner reads it: written anew, whoever has read it, for the reader of archives."""
    if hasattr(record, "rec_headers"):
        fields, size, stream = record.rec_headers.headers, record.length, record.raw_stream
    else:
        fields, size, stream = record.headers.astuples(), record.content_length, record.reader
    header = {name.lower(): value for name, value in fields}
    if header.get("warc-type") not in PAGES:
        return
    if (size or 0) > limits.bytes + (1 << 20):
        yield Skip("too large", header.get("warc-target-uri", ""), uri, lost=True)
        return
    block = b"".join(iter(lambda: stream.read(1 << 20), b""))
    if hasattr(record, "stream_pos"):
        offset = record.stream_pos
    else:
        # warcio knows it once the block has been read
        offset = records.get_record_offset() if records is not None else -1
    header["content-length"] = str(len(block))
    lines = ["WARC/1.0", *(f"{name}: {' '.join(value.split())}" for name, value in header.items()), "", ""]
    data = "\r\n".join(lines).encode("utf-8", "replace") + block + b"\r\n\r\n"
    for item in read(io.BytesIO(data), input_format="warc", limits=limits, name=uri):
        yield placed_at(item, offset)


class CleanJob(Cleaning, Job):  # type: ignore[misc]  # which has no types
    """Clean text of the pages in WARC, ARC and WET archives"""

    name = "CleanJob"


if __name__ == "__main__":
    CleanJob().run()
