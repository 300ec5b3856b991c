"""The job for cc-pyspark, whose modules are on no index: stand-ins, with its interface, drive the real job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ..archives import http, members, warc
from ..cli.test_app import NCLEANER, PROSE
from ..faults import hooked
from ..servers import environment
from .spark_cluster import ENVIRONMENT, OPTIONS, skip_without_spark

skip_without_spark()
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "cc_clean_job.py"
EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"

SPARKCC = """\
import argparse

from pyspark.sql import SparkSession
from warcio.archiveiterator import ArchiveIterator


class CCSparkJob:
    name = "CCSparkJob"
    output_schema = None
    warc_parse_http_header = True
    num_input_partitions = 2
    args = records_processed = None

    def add_arguments(self, parser):
        pass

    def get_output_options(self):
        return dict(option.split("=", 1) for option in self.args.output_option)

    def log_accumulators(self, session):
        print(f"records: {self.records_processed.value}")

    def run(self):
        parser = argparse.ArgumentParser(prog=self.name, description=self.__doc__)
        parser.add_argument("input")
        parser.add_argument("output")
        parser.add_argument("--input_base_url")
        parser.add_argument("--num_input_partitions", type=int, default=self.num_input_partitions)
        parser.add_argument("--output_format", default="parquet")
        parser.add_argument("--output_compression", default="gzip")
        parser.add_argument("--output_option", action="append", default=[])
        self.add_arguments(parser)
        self.args = parser.parse_args()
        session = SparkSession.builder.appName(self.name).getOrCreate()
        self.records_processed = session.sparkContext.accumulator(0)
        self.run_job(session)
        session.stop()

    def process_warcs(self, number, uris):
        for uri in uris:
            with open((self.args.input_base_url or "") + uri, "rb") as stream:
                yield from self.process_warc(uri, stream)

    def process_warc(self, uri, stream):
        parse = not self.warc_parse_http_header
        yield from self.iterate_records(uri, ArchiveIterator(stream, no_record_parse=parse, arc2warc=True))

    def iterate_records(self, uri, records):
        for record in records:
            yield from self.process_record(record)
            self.records_processed.add(1)
"""
FASTWARC = """\
from fastwarc.warc import ArchiveIterator, WarcRecordType
from sparkcc import CCSparkJob


class CCFastWarcSparkJob(CCSparkJob):
    fastwarc_record_filter = WarcRecordType.any_type

    def process_warc(self, uri, stream):
        yield from self.iterate_records(
            uri,
            ArchiveIterator(
                stream, record_types=self.fastwarc_record_filter, parse_http=self.warc_parse_http_header
            ),
        )
"""
# the same without Spark; and what a job over an index does, which fetches records one by one
ALONE = """\
import io, json, sys
from types import SimpleNamespace
from warcio.archiveiterator import ArchiveIterator
sys.path.insert(0, sys.argv[1])
from cc_clean_job import CleanJob

job = CleanJob()
job.args = SimpleNamespace(method="hybrid", model="auto", input_base_url="")
job.records_processed = SimpleNamespace(add=lambda number: None)
found = list(job.process_warcs(0, sys.argv[2:]))
for name in sys.argv[2:]:
    with open(name, "rb") as stream:
        for record in ArchiveIterator(stream, no_record_parse=True):
            found.extend(job.process_record(record))
print(json.dumps(found, default=str))
"""


def with_modules(modules: Path) -> dict[str, str]:
    found = hooked()
    return {**found, "PYTHONPATH": f"{modules}{os.pathsep}{found['PYTHONPATH']}"}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives as Common Crawl has them, and with what can go wrong."""
    folder = tmp_path_factory.mktemp("cc") / "in"
    folder.mkdir()
    (folder / "crawl.warc.gz").write_bytes(EXAMPLE.read_bytes())
    records = [
        warc(i, http(f"<p>{PROSE} That was day {i}.</p>".encode()), target=f"http://x.example/{i}")
        for i in range(70)
    ]
    records[3] = warc(3, http(f"<p>{PROSE}</p>".encode() * 2000), target="http://x.example/Ã¼")
    records[5] = warc(5, target="http://x.example/5?fault=segfault")
    (folder / "own.warc.gz").write_bytes(members(records))
    return folder


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "sparkcc.py").write_text(SPARKCC)
    return folder


def in_order(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # Spark writes times in another form, without their zone, which is UTC
    for row in found:
        if isinstance(row["date"], datetime):
            row["date"] = row["date"].replace(tzinfo=None)
    return sorted(found, key=lambda row: (row["url"], row["offset"]))


def expected(source: Path, out: Path) -> list[dict[str, Any]]:
    subprocess.run(
        [NCLEANER, "clean", source, "-o", out, "-f", "parquet", "--model", "auto"],
        capture_output=True, check=False, env=environment(**hooked()),
    )  # fmt: skip
    found = [row for path in out.glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert len(found) == 69 + 15
    assert all(row["length"] > 0 for row in found)
    # the iterators of cc-pyspark do not say it
    found = [{**row, "length": None} for row in found]
    return in_order(found)


def test_the_table_has_the_rows_of_a_clean_run(source: Path, modules: Path, tmp_path: Path) -> None:
    """By FastWARC, on a local session."""
    (modules / "sparkcc_fastwarc.py").write_text(FASTWARC)
    paths = tmp_path / "warc.paths"
    paths.write_text("".join(f"{path.name}\n" for path in sorted(source.iterdir())))
    options = " ".join(f"--conf '{name}={value}'" for name, value in OPTIONS.items())
    done = subprocess.run(
        [sys.executable, SCRIPT, "--input_base_url", f"{source}/", "--model", "auto", paths, "pages"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120,
        env=environment(
            **ENVIRONMENT, **with_modules(modules),
            PYSPARK_SUBMIT_ARGS=f"--master local[2] {options} pyspark-shell",
        ),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "http://x.example/5?fault=segfault" in done.stderr
    assert f"records: {52 + 70}" in done.stdout
    table = pq.read_table(tmp_path / "spark-warehouse" / "pages").to_pylist()
    # archives as the list has them, which is how Common Crawl's index names them
    assert {row["archive"] for row in table} == {path.name for path in source.iterdir()}
    table = [{**row, "archive": str(source / row["archive"])} for row in table]
    assert in_order(table) == expected(source, tmp_path / "out")


def test_records_of_warcio(source: Path, modules: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, SCRIPT.parent, *sorted(source.iterdir())],
        capture_output=True, text=True, check=False,
        env=environment(**with_modules(modules)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    whole = json.loads(json.dumps(expected(source, tmp_path / "out"), default=str))
    for row in found:
        row["date"] = row["date"] and row["date"].removesuffix("+00:00")
    assert in_order(found[: len(whole)]) == whole
    # a record alone does not say where it stood
    assert found[len(whole) :] == [{**row, "archive": None, "offset": None} for row in found[: len(whole)]]
