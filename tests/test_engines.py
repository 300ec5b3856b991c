"""Who reads a directory of outputs: each cell of the table in docs/formats.md, in a process of its own."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ncleaner
from ncleaner.sinks.formats import Output
from ncleaner.sinks.schema import schema_of

from .cli.test_app import NCLEANER
from .servers import environment
from .spark.spark_cluster import connect_missing
from .spark.spark_cluster import missing as lacks_spark

ROOT = Path(__file__).parents[1]
ROWS = re.findall(
    r"^\| ([\w ,]+) \| `(.+)` \| `(.+)` \|$",
    (ROOT / "docs" / "formats.md").read_text("utf-8").partition("\n## A directory of outputs\n")[2],
    re.MULTILINE,
)
CRAWL = ROOT / "examples" / "crawl.warc.gz"
OPTIONS = {"metadata": True, "signals": True, "segments": True}

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.slow

# {program: what is imported, the number of rows of what is found, what is seen of its types, what must be seen}
SEEN = {
    "Arrow": ("pyarrow.dataset", "found.count_rows()", "found.schema", "schema"),
    "pandas": ("pandas, pathlib", "len(found)", "pyarrow.Schema.from_pandas(found, preserve_index=False)", "schema"),
    "Polars": (
        "polars", "found.collect().height", "dict(found.collect_schema())",
        "dict(polars.from_arrow(schema.empty_table()).schema)",
    ),
    "DuckDB": (
        "duckdb", "len(found.fetchall())", "dict(zip(found.columns, found.types))",
        "dict(zip(schema.names, duckdb.from_arrow(schema.empty_table()).types))",
    ),
    "Dask": (
        "dask.dataframe, dask.bag", "len(found) if is_parquet else found.count().compute(scheduler='sync')",
        "strings(pyarrow.Schema.from_pandas(found.compute(), preserve_index=False)) if is_parquet else found.compute(scheduler='sync')[0]",
        "strings(schema)",
    ),
    "Hugging Face Datasets": (
        "datasets", "found['train'].num_rows", "found['train'].features.arrow_schema", "schema",
    ),
    # documents have no types; the fields of `metadata` become fields beside the others
    "datatrove": (
        "datatrove.pipeline.readers", "len(list(found.run()))",
        "{*next(found.run()).metadata, 'id', 'text', 'metadata'}.intersection(schema.names)", "{*schema.names}",
    ),
    "Ray": ("ray.data", "found.count()", "found.schema().base_schema", "schema"),
    "Spark": ("pyspark", "found.count()", "found.schema", "on_spark.schema(Output(**options))"),
}  # fmt: skip
# frames of pages have the columns of files
FRAMES = """
    settings, wanted = Settings(output=Output(**options)), on_spark.schema(Output(**options))
    assert on_spark.pages(spark, [sys.argv[1]], settings).schema == wanted
    of_column = on_spark.cleaned(spark.createDataFrame([("<p>",)], "html string"), "html", settings)
    assert of_column.schema["cleaned"].dataType == wanted"""
START = {
    "Ray": "ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)",
    "Spark": "spark = SparkSession.builder.master('local[1]').getOrCreate()" + FRAMES,
    "Spark by Connect": "spark = SparkSession.builder.remote('local[1]').getOrCreate()" + FRAMES,
}
SCRIPT = """\
import json, sys, {imports}
import pyarrow
import ncleaner
from ncleaner.sinks.formats import Output
from ncleaner.sinks.schema import schema_of

def strings(schema):
    return {{field.name: str(field.type).replace("large_", "") for field in schema}}

if __name__ == "__main__":
    options = {options}
    schema = schema_of(Output(**options))
    {start}
    for is_parquet, found in ((True, {parquet}), (False, {jsonl})):
        seen, wanted = {types}, {wanted}
        names = sorted(getattr(seen, "names", seen))
        print("FOUND", json.dumps([{rows}, seen == wanted if is_parquet else names == sorted(schema.names)]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, int]]:
    """A directory of outputs in each format, of inputs in directories, and the pages in its manifest."""
    folder = tmp_path_factory.mktemp("engines")
    for name in ("crawl.warc.gz", "town.warc.gz", "pages/lampworks-1997.html"):
        to = folder / "in" / name.partition(".")[0] / Path(name).name
        to.parent.mkdir(parents=True)
        to.write_bytes((ROOT / "examples" / name).read_bytes())
    found = {}
    for form in ("parquet", "jsonl"):
        out = folder / form / "corpus"
        more = [*(f"--{name}" for name in OPTIONS), *(("--rows-per-file", "16") if form == "parquet" else ())]
        subprocess.run([NCLEANER, "clean", folder / "in", "-o", out, "-f", form, "-q", *more], check=True)
        report = subprocess.run([NCLEANER, "report", out, "--json"], capture_output=True, check=True)
        found[form] = out, sum(each["cleaned"] for each in json.loads(report.stdout)["inputs"])
        assert len([path for path in out.rglob(f"*.{form}") if "_run" not in path.parts]) == 3
    return found


def test_each_program_of_the_table_is_known() -> None:
    assert [name.partition(",")[0] for name, *_ in ROWS] == list(SEEN)


@pytest.mark.parametrize("program", [*SEEN, "Spark by Connect"])
def test_who_reads_a_directory(program: str, made: dict[str, tuple[Path, int]], tmp_path: Path) -> None:
    name = program.partition(" by")[0]
    imports, rows, types, wanted = SEEN[name]
    for library in imports.replace(",", "").split():
        pytest.importorskip(library.partition(".")[0])
    if name == "Spark":
        if reason := lacks_spark():
            pytest.skip(reason)
        if "Connect" in program and (reason := connect_missing()):
            pytest.skip(reason)
        imports += "\nfrom pyspark.sql import SparkSession\nfrom ncleaner import spark as on_spark"
        imports += "\nfrom ncleaner.running.settings import Settings"
    (_, *cells), = (row for row in ROWS if row[0].partition(",")[0] == name)  # fmt: skip
    # Spark and Ray have working directories of their own
    parquet, jsonl = (
        cell.replace("corpus", str(out)) for cell, (out, _) in zip(cells, made.values(), strict=True)
    )
    script = tmp_path / "reads.py"
    script.write_text(
        SCRIPT.format(
            imports=imports, start=START.get(program, ""), options=OPTIONS | {"format": "parquet"},
            parquet=parquet, jsonl=jsonl, rows=rows, types=types, wanted=wanted,
        )
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, script, CRAWL], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300,
        env=environment(
            HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1", RAY_USAGE_STATS_ENABLED="0",
            RAY_ENABLE_UV_RUN_RUNTIME_ENV="0", SPARK_LOCAL_IP="127.0.0.1",
        ),
    )  # fmt: skip
    # bars of progress end without a new line
    found = [json.loads(line) for line in re.findall(r"FOUND (\[.*\])", done.stdout)]
    assert found == [[number, True] for _, number in made.values()], done.stdout + done.stderr


@pytest.mark.parametrize("asked", ["", "all_pages removed source markdown metadata signals segments"])
def test_all_roads_have_the_same_columns(asked: str, tmp_path: Path) -> None:
    options: Any = dict.fromkeys(asked.split(), True)
    schema = schema_of(Output(format="parquet", **options))
    files = tmp_path / "a.parquet", tmp_path / "a.jsonl"
    for file in files:
        more = [f"--{name.replace('_', '-')}" for name in options]
        subprocess.run([NCLEANER, "clean", CRAWL, "-o", file, "-q", *more], check=True)
    assert pq.read_schema(files[0]).remove_metadata() == schema
    found = list(ncleaner.batches(CRAWL, jobs=1, **options))
    assert {batch.schema for batch in found} == {schema}
    rows = list(ncleaner.rows(CRAWL, **options))
    assert [row for batch in found for row in batch.to_pylist()] == pa.Table.from_pylist(
        rows, schema=schema
    ).to_pylist()
    assert pq.read_table(files[0]).to_pylist() == pa.Table.from_batches(found).to_pylist()
    lines = [json.loads(line) for line in files[1].read_bytes().splitlines()]
    assert {tuple(row) for row in (*lines, *rows)} == {tuple(schema.names)}
    if importlib.util.find_spec("datatrove") is None:
        pytest.skip("datatrove is not installed")
    from ncleaner.datatrove import NcleanerReader

    reader = NcleanerReader(str(CRAWL.parent), glob_pattern=CRAWL.name, add_file_path=False, **options)
    kept = {"id", "text", *next(reader.run()).metadata}
    assert kept - {"metadata"} >= {*schema.names} - {"metadata"}
