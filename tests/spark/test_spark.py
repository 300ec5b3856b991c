"""The job on a real cluster: a master and two workers of Spark's, each a process of its own on this machine. What
it writes must be what `ncleaner clean` writes, to the byte."""

from __future__ import annotations

import gzip
import importlib.util
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import InputError, NcleanerError, OutputError, WorkerError
from ncleaner.modelling.files import model_bytes
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.manifest import NAME
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output
from ncleaner.storage.places import folder_at

from ..archives import http, members, warc
from ..cli.test_app import NCLEANER, PROSE, ncleaner
from ..conftest import HookWorkers
from ..faults import HOOK, hooked
from ..lab.training.test_for_run import crawl as swedish
from ..processes import descendants, wait_until
from ..running.test_resume import crawl
from ..runs import entries_in, entries_of, manifests_of
from ..servers import environment, fill, objects, s3_server
from .spark_cluster import (
    ENVIRONMENT,
    OPTIONS,
    Cluster,
    connect_missing,
    program,
    running,
    skip_without_spark,
    spark_cluster,
)  # fmt: skip

ARCHIVES, PAGES = 6, 20
# what is different in each run, and says nothing of the pages
TIMES = {"finished", "seconds", "slowest", "times"}


def test_without_spark_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['pyspark'] = None; import ncleaner.spark"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert b"pip install 'ncleaner[spark]'" in done.stderr
    script = "import sys; sys.modules['pyspark'] = None; from ncleaner.__main__ import spark; spark()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr == b"ncleaner-spark: ncleaner.spark needs PySpark: pip install 'ncleaner[spark]'\n"


skip_without_spark()

from ncleaner import spark as on_spark  # noqa: E402

SCRIPT = Path(on_spark.__file__).with_name("__main__.py")

# Py4J leaves its sockets to the garbage collector
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")]

# inputs and what becomes of them -------------------------------------------------------------------


# one output per input
PARQUET = Output(format="parquet", rows_per_file=0)


def archive(number: int) -> bytes:
    """Pages that take a while; in the third a page ends its worker, and the fourth is damaged."""
    records = []
    for i in range(PAGES):
        fault = "segfault" if (number, i) == (2, 7) else "slow"
        url = f"http://x.example/{number}/{i}?fault={fault}"
        records.append(warc(i, http(f"<p>{PROSE} That was day {number}-{i}.</p>".encode()), target=url))
    if number == 3:
        records[4] = records[4].replace(b"Content-Length", b"Content-Longth", 1)
    return members(records)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spark") / "in"
    (folder / "below").mkdir(parents=True)
    for number in range(ARCHIVES):
        (folder / ("below" if number == 5 else "") / f"{number}.warc.gz").write_bytes(archive(number))
    return folder


def outputs(folder: Path) -> dict[str, bytes]:
    """All that a run has left, but for the manifest."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path != folder / NAME
    }


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    return {
        entry["input"]: {name: value for name, value in entry.items() if name not in TIMES}
        for entry in entries_in(folder)
    }


@pytest.fixture(scope="module")
def alone(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one machine makes of it."""
    out = tmp_path_factory.mktemp("spark") / "alone"
    done = subprocess.run(
        [NCLEANER, "clean", source, "-o", out, "-f", "parquet", "--rows-per-file", "0", "-j", "2"],
        env=environment(**hooked()), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr.decode()
    assert set(outputs(out)) == {
        *(f"{number}.parquet" for number in range(5)), "below/5.parquet", "_run/quarantine/2-parquet.warc.gz",
    }  # fmt: skip
    return out


# the cluster ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def s3(source: Path) -> Iterator[dict[str, str]]:
    """The environment of a server that holds the inputs in s3://crawl/; empty where there can be none."""
    if any(importlib.util.find_spec(name) is None for name in ("s3fs", "moto")):
        yield {}
        return
    with s3_server() as variables:
        fill(source, "s3://crawl/", "crawl", "clean", variables=variables)
        yield variables


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with spark_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def session(cluster: Cluster, s3: dict[str, str]) -> Iterator[Any]:
    """A driver in this process. Its executors' pages may be deadly."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(cluster.url)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, **s3}.items():
            patch.setenv(name, value)
        executors = {**hooked(), **s3}
        options = {**OPTIONS, **{f"spark.executorEnv.{name}": value for name, value in executors.items()}}
        for name, value in options.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        yield spark
        spark.stop()
        # the other half of the driver would stay as long as this process
        gateway: Any = spark.sparkContext._gateway
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
        type(spark.sparkContext)._gateway = type(spark.sparkContext)._jvm = None


def submit(cluster: Cluster, *arguments: object, **more: str) -> subprocess.CompletedProcess[str]:
    """spark-submit with the script. `more` is in the environment of the driver and of its executors."""
    options = {**OPTIONS, **{f"spark.executorEnv.{name}": value for name, value in more.items()}}
    configured = [part for name, value in options.items() for part in ("--conf", f"{name}={value}")]
    done = subprocess.run(
        [program("spark-submit"), "--master", cluster.url, *configured, str(SCRIPT), *map(str, arguments)],
        env=environment(**ENVIRONMENT, **more), text=True, check=False, timeout=300,
        # spark-submit puts the standard error of the driver there, too
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert "Traceback" not in done.stdout, done.stdout
    return done


def test_spark_submit_gives_what_one_machine_gives(
    cluster: Cluster, source: Path, alone: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = submit(cluster, source, "--rows-per-file", "0", "-o", out, **hooked())
    assert done.returncode == 1, done.stdout
    assert f"{ARCHIVES * PAGES:,} pages read" in done.stdout
    assert (
        "page given up: the worker was killed by SIGSEGV (http://x.example/2/7?fault=segfault)" in done.stdout
    )
    assert outputs(out) == outputs(alone)
    assert entries(out) == entries(alone)
    assert [path.name for path in out.iterdir() if path.name.startswith(".")] == []


def test_usage(cluster: Cluster, source: Path, tmp_path: Path) -> None:
    for arguments in ([str(source)], ["-o", str(tmp_path)], [str(source), "-o", str(tmp_path), "-f", "pdf"]):
        done = subprocess.run(
            [sys.executable, "-m", "ncleaner.spark", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, done.stderr


def counts(tally: Tally) -> dict[str, Any]:
    return {name: value for name, value in tally.record().items() if name not in TIMES}


def test_nothing_is_done_twice_and_all_of_it_again(
    session: Any, source: Path, alone: Path, tmp_path: Path
) -> None:
    inputs = find_inputs([source])
    settings = Settings(output=PARQUET)
    out = tmp_path / "out"
    seen: list[Input] = []
    first = on_spark.clean(
        session, inputs, settings, output=out, progress=lambda tally, source, offset: seen.append(source)
    )
    assert {item.relative for item in seen} == {item.relative for item in inputs}
    assert (first.inputs, first.resumed) == (ARCHIVES, 0)
    assert outputs(out) == outputs(alone)
    # one machine goes on where the cluster has ended, and a cluster where one machine has
    assert run(inputs, settings, output=out).resumed == ARCHIVES
    again = on_spark.clean(session, inputs, settings, output=out)
    assert (again.inputs, again.resumed) == (0, ARCHIVES)
    (out / "1.parquet").write_bytes(b"")
    assert on_spark.clean(session, inputs, settings, output=out).resumed == ARCHIVES - 1
    assert outputs(out) == outputs(alone)
    assert counts(on_spark.clean(session, inputs, settings, output=out, again=True)) == counts(first)
    assert entries(out) == entries(alone)


def test_packs_are_those_of_one_machine(session: Any, tmp_path: Path) -> None:
    """And Spark reads them as they are, whatever the folders of their inputs."""
    for number in range(40):
        path = tmp_path / "in" / f"{number % 3}" / f"{number}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{PROSE} That was {number}.")
    (tmp_path / "in" / "crawl.warc.gz").write_bytes(archive(0))
    inputs, settings = (
        find_inputs([tmp_path / "in"]),
        Settings(output=Output(format="parquet", rows_per_file=15)),
    )
    run(inputs, settings, output=tmp_path / "alone")
    tally = on_spark.clean(session, inputs, settings, output=tmp_path / "out")
    assert (tally.inputs, tally.pages) == (41, 40 + PAGES)
    found = outputs(tmp_path / "out")
    assert found == outputs(tmp_path / "alone") and 4 <= len(found) < 15
    assert entries(tmp_path / "out") == entries(tmp_path / "alone")
    assert session.read.parquet(str(tmp_path / "out")).count() == tally.pages
    assert run(inputs, settings, output=tmp_path / "out").resumed == 41
    assert on_spark.clean(session, inputs, settings, output=tmp_path / "alone").resumed == 41


def test_s3(session: Any, s3: dict[str, str], alone: Path) -> None:
    if not s3:
        pytest.skip("s3:// needs s3fs, and a server of its protocol: install ncleaner[s3] and moto")
    inputs, settings = find_inputs(["s3://crawl/"]), Settings(output=PARQUET)
    assert on_spark.clean(session, inputs, settings, output="s3://clean/2024").inputs == ARCHIVES
    found = objects("s3://clean/2024", variables=s3)
    (manifest,), found = manifests_of(found)
    assert len(entries_of(manifest)) == ARCHIVES
    # the rows name archives on the store
    expected = outputs(alone)
    assert found.keys() == expected.keys()
    for name in (name for name in found if name.endswith(".parquet")):
        assert texts_of(found[name]) == texts_of(expected[name])
    # and again, with what stands there
    assert on_spark.clean(session, inputs, settings, output="s3://clean/2024").resumed == ARCHIVES


def texts_of(data: bytes) -> list[dict[str, Any]]:
    pq = pytest.importorskip("pyarrow.parquet")
    return pq.read_table(io.BytesIO(data)).drop_columns("archive").to_pylist()  # type: ignore[no-any-return]


def test_rows_of_a_dataframe(session: Any, source: Path, alone: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    frame = on_spark.pages(session, find_inputs([source]), Settings())
    assert frame.schema == on_spark.schema()
    expected = [row for path in alone.rglob("*.parquet") for row in pq.read_table(path).to_pylist()]
    found = frame.toArrow().to_pylist()

    def key(row: dict[str, Any]) -> tuple[str, int]:
        return row["url"], row["offset"]

    assert sorted(found, key=key) == sorted(expected, key=key)
    # a reader that has seen enough leaves nothing behind
    assert len(frame.limit(3).collect()) == 3
    assert frame.where("url like '%/5/%'").count() == PAGES


def test_rows_have_what_the_output_asks_for(session: Any, source: Path) -> None:
    settings = Settings(output=Output(format="jsonl", metadata=True, signals=True, all_pages=True))
    paths = sorted(str(path) for path in source.rglob("*.warc.gz"))[:2]
    frame = on_spark.pages(session, paths, settings)
    assert frame.schema == on_spark.schema(settings.output)
    found = frame.toArrow()
    assert {"metadata", "signals", "left_out"} <= set(found.column_names)
    # the paths of a table
    of_frame = on_spark.pages(
        session, session.createDataFrame([(path,) for path in paths], ["path"]), settings
    )
    both = (
        table.sort_by([("archive", "ascending"), ("offset", "ascending")]).to_pylist()
        for table in (of_frame.toArrow(), found)
    )
    assert next(both) == next(both)


@pytest.mark.parametrize("name", ["0.warc.gz", "0.warc"])
def test_a_large_archive_is_cut_and_small_ones_are_packed(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = crawl(tmp_path / "in", archives=4, pages=60)
    data = (folder / "0.warc.gz").read_bytes()
    (folder / "0.warc.gz").unlink()
    (folder / name).write_bytes(data if name.endswith("gz") else gzip.decompress(data))
    # damage in the middle of it
    (folder / "1.warc.gz").write_bytes(data[:9000] + b"damage" + data[9000:])
    inputs = find_inputs([folder])
    before = on_spark.pages(session, inputs).toArrow().to_pylist()
    wanted = {(row["archive"], row["offset"]): row for row in before}
    assert len(wanted) > 230
    monkeypatch.setattr(on_spark, "_STRETCH", 3000)
    monkeypatch.setattr(on_spark, "_TASKS", 8)
    frame = on_spark.pages(session, inputs)
    # fewer than archives and stretches
    assert 8 <= frame.rdd.getNumPartitions() <= sum(source.size or 0 for source in inputs) // 3000
    rows = frame.toArrow().to_pylist()
    assert {(row["archive"], row["offset"]): row for row in rows} == wanted and len(rows) == len(wanted)
    monkeypatch.setattr(on_spark, "_STRETCH", 1 << 25)
    monkeypatch.setattr(on_spark, "_TASKS", 2)
    assert on_spark.pages(session, inputs).rdd.getNumPartitions() == 2


def test_a_column_of_pages(session: Any) -> None:
    pages = [f"<title>T</title><p>{PROSE}", "%PDF-1.4", None, f"<p>{PROSE} Again.", "<p>"]
    table = [(number, f"http://x.example/{number}", html) for number, html in enumerate(pages)]
    frame = session.createDataFrame(table, "label int, url string, html string")
    found = {row["label"]: row for row in on_spark.cleaned(frame).collect()}
    assert {number: row["html"] for number, row in found.items()} == dict(enumerate(pages))
    assert [found[number]["cleaned"] and found[number]["cleaned"]["text"] for number in range(5)] == [
        PROSE, None, None, f"{PROSE} Again.", None,
    ]  # fmt: skip
    assert found[0]["cleaned"]["host"] == "x.example" and found[0]["cleaned"]["html_title"] == "T"
    every = Settings(output=Output(format="parquet", all_pages=True))
    frame = frame.withColumn("page", frame.html.cast("binary")).drop("html")
    reasons = on_spark.cleaned(frame, "page", every).select("cleaned.left_out").toArrow()["left_out"]
    assert sorted(map(str, reasons.to_pylist())) == ["None", "None", "empty", "empty cell", "not text (PDF)"]
    with pytest.raises(NcleanerError, match="there is no column body: the table has label, url, page"):
        on_spark.cleaned(frame, "body")


CONNECT = """\
import sys
from pyspark.sql import SparkSession
import ncleaner.spark as on_spark
spark = SparkSession.builder.remote("local[1]").getOrCreate()
assert type(spark).__module__.startswith("pyspark.sql.connect")
path, model = sys.argv[1:]
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Settings
print("pages", on_spark.pages(spark, [path], Settings(Recipe(method="ngram", model=model))).count())
frame = spark.createDataFrame([("<p>The ferry sails until May, the board of the harbour said.",)], "html string")
print("text", on_spark.cleaned(frame).collect()[0].cleaned.text)
spark.stop()
"""


def test_spark_connect(source: Path, tmp_path: Path) -> None:
    if reason := connect_missing():
        pytest.skip(reason)
    (tmp_path / "own.ncm").write_bytes(model_bytes("en"))
    path = min(str(path) for path in source.rglob("*.warc.gz"))
    done = subprocess.run(
        [sys.executable, "-c", CONNECT, path, str(tmp_path / "own.ncm")], env=environment(SPARK_LOCAL_IP="127.0.0.1"),
        text=True, check=False, timeout=300, capture_output=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [
        f"pages {PAGES}", "text The ferry sails until May, the board of the harbour said.",
    ], done.stderr  # fmt: skip


def test_a_model_of_ones_own_travels(
    hook_workers: HookWorkers, session: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Executors work elsewhere: a path that is relative to here is of no use to them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "russian.ncm").write_bytes(model_bytes("ru"))
    hook_workers(HOOK)
    inputs = find_inputs([source / "0.warc.gz"])
    for number, model in enumerate(("mine/russian.ncm", "./mine")):
        far, near = f"far{number}", f"near{number}"
        settings = Settings(Recipe(method="ngram", model=model), output=Output(format="jsonl"))
        on_spark.clean(session, inputs, settings, output=far)
        run(inputs, settings, output=near)
        assert outputs(tmp_path / far) == outputs(tmp_path / near)
        assert run(inputs, settings, output=far).resumed == 1


def test_the_driver_learns_models(tmp_path: Path) -> None:
    options: list[str | Path] = [swedish(tmp_path / "in"), "--learn", "-f", "jsonl"]
    # the session of the tests above has all of the cluster
    command = [
        sys.executable,
        "-m",
        "ncleaner.spark",
        "--master",
        "local[2]",
        *options,
        "-o",
        tmp_path / "far",
    ]
    done = subprocess.run(
        command, env=environment(**ENVIRONMENT), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0 and "a model is learned from 30 of 30 pages in sv" in done.stderr, done.stderr
    assert ncleaner("clean", *options, "-o", tmp_path / "near").returncode == 0
    assert outputs(tmp_path / "far") == outputs(tmp_path / "near")
    # one machine goes on with the models that the cluster has
    again = ncleaner("clean", *options, "-o", tmp_path / "far")
    assert again.returncode == 0 and "3 inputs were finished" in again.stderr.decode()


def test_what_a_cluster_cannot_do(session: Any, source: Path, tmp_path: Path) -> None:
    inputs = find_inputs([source])
    with pytest.raises(InputError, match="standard input"):
        on_spark.clean(session, find_inputs(["-"]), Settings(), output=tmp_path / "out")
    with pytest.raises(OutputError, match="give a directory"):
        on_spark.clean(session, inputs, Settings(), output=tmp_path / "all.txt")
    with pytest.raises(NcleanerError, match="no model"):
        on_spark.clean(session, inputs, Settings(Recipe(model="none.ncm")), output=tmp_path / "out")
    # what goes wrong in a task is said as it is on one machine
    (tmp_path / "page.html").write_text(f"<p>{PROSE}</p>")
    (tmp_path / "out" / "page.txt").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"cannot write the output .*: Is a directory"):
        on_spark.clean(session, find_inputs([tmp_path / "page.html"]), Settings(), output=tmp_path / "out")


def test_what_spark_says_becomes_a_sentence() -> None:
    said = (
        "An error occurred while calling o1.x.\n: org.apache.spark.SparkException: Job aborted: lost\n\tat y"
    )
    assert str(on_spark._failure(said)) == "Spark has ended the job: Job aborted: lost"
    assert str(on_spark._failure("[Errno 111] refused")) == "Spark has ended the job: [Errno 111] refused"
    ours = on_spark._failure("Traceback\n  x\nncleaner.errors.InputError: no such file\n\tat y")
    assert (type(ours), str(ours)) == (InputError, "no such file")


def test_what_spark_says_of_a_task_becomes_a_sentence() -> None:
    said = (
        "An error occurred while calling o1.x.\n: org.apache.spark.api.python.PythonException: [PYTHON_EXCEPTION] "
        "An exception was thrown from the Python worker: Traceback (most recent call last):\n  File x, line 1\n"
        "{}\n SQLSTATE: 38000\n\tat y\nCaused by: java.lang.Exception: z"
    )
    found = on_spark._failure(said.format("RuntimeError: no luck"))
    assert str(found) == "Spark has ended the job: RuntimeError: no luck"
    for why in (
        "ModuleNotFoundError: No module named 'ncleaner'",
        "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different "
        "version: 3.9 than that in driver: 3.11, PySpark cannot run with different minor versions.",
        'java.io.IOException: Cannot run program "/opt/python3": error=2, No such file or directory',
    ):
        sentence = str(on_spark._failure(said.format(why)))
        assert sentence.startswith("executors cannot run ncleaner (")
        assert sentence.endswith("set PYSPARK_PYTHON to the path of that interpreter")


@pytest.mark.parametrize("named", [False, True])
def test_an_environment_that_is_not_on_the_path(tmp_path: Path, named: bool) -> None:
    """The Python on the path has no ncleaner: a local master uses this one, unless the user names the other."""
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    other.chmod(0o755)
    (tmp_path / "page.html").write_text(f"<p>{PROSE}</p>")
    variables = environment(PATH=f"{other.parent}:{os.environ['PATH']}", SPARK_LOCAL_IP="127.0.0.1")
    variables.pop("PYSPARK_PYTHON", None)
    if named:
        variables["PYSPARK_PYTHON"] = str(other)
    done = subprocess.run(
        [sys.executable, "-m", "ncleaner.spark", "--master", "local[1]", "page.html", "-o", "out", "-f", "text"],
        env=variables, cwd=tmp_path, text=True, check=False, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == int(named), done.stdout
    if named:
        last = done.stdout.strip().splitlines()[-1]
        assert "executors cannot run ncleaner (No module named 'ncleaner')" in last
        assert "PYSPARK_PYTHON" in last
    else:
        assert (tmp_path / "out" / "page.txt").read_text() == f"{PROSE}\n"


def test_another_version_in_the_executors() -> None:
    task = on_spark._JobSetup(Settings(), {}, "", "0.0.0")
    with pytest.raises(WorkerError, match=r"an executor has ncleaner .*, and the driver has 0\.0\.0"):
        task.settings_here()


def test_a_directory_that_is_not_shared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(on_spark, "_VISIBLE_SECONDS", 0.0)
    result = on_spark._Result(Input("0.warc", "0.warc", 1), {"0.txt": 10}, Tally(), 1.0)
    with pytest.raises(OutputError, match="does not see what executors write"):
        on_spark._check(folder_at(tmp_path), result, str(tmp_path))


def test_a_worker_is_killed(
    cluster: Cluster, session: Any, source: Path, alone: Path, tmp_path: Path
) -> None:
    """With its executor, as by a power failure; what these had started ends by itself."""
    orphans: list[int] = []

    def kill(tally: Tally, source: Input, offset: int | None) -> None:
        if not orphans:
            orphans.extend(cluster.kill_worker())

    out = tmp_path / "out"
    tally = on_spark.clean(
        session, find_inputs([source]), Settings(output=PARQUET), output=out, progress=kill
    )
    assert orphans
    assert tally.inputs == ARCHIVES
    assert outputs(out) == outputs(alone)
    assert entries(out) == entries(alone)
    wait_until(lambda: not running(orphans), "what the executor had started does not end")


def test_a_driver_is_interrupted(session: Any, source: Path, alone: Path, tmp_path: Path) -> None:
    finished: list[Input] = []

    def interrupt(tally: Tally, source: Input, offset: int | None) -> None:
        finished.append(source)
        if len(finished) == 2:
            raise KeyboardInterrupt

    inputs, settings, out = find_inputs([source]), Settings(output=PARQUET), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        on_spark.clean(session, inputs, settings, output=out, progress=interrupt)
    # Spark cancels a job in a thread of its own
    jobs = session.sparkContext.statusTracker()
    wait_until(lambda: not jobs.getActiveJobsIds(), "the job is cancelled")
    assert on_spark.clean(session, inputs, settings, output=out).resumed == 2
    assert outputs(out) == outputs(alone)


def test_no_process_outlives_the_session(cluster: Cluster, session: Any) -> None:
    family = [pid for worker in cluster.workers for pid in descendants(worker.pid)]
    assert family
    session.stop()
    wait_until(lambda: not running(family), "an executor outlives the session")
