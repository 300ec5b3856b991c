"""Cleaning on a cluster: `ncleaner clean -o DIRECTORY` as a job of Apache Spark.

Each input, or pack of small ones, is a task. The task cleans it in a separate process, as a run on one
machine does, and writes the output, which appears when it is complete; the process stays for the next tasks,
so that its model is loaded once. The driver adds a line to the manifest when the task has ended. Outputs are
the same bytes as on one machine, and a later run, on a cluster or not, continues where this one ended.
`pages` gives the same rows as a DataFrame, and `cleaned` cleans a column of pages.

Executors need this package: `PYSPARK_PYTHON` names the interpreter that they use. With a local master it is
this one unless the user has named another. Driver and executors must reach the inputs and the outputs: by
URL, or on a file system that all machines share. The user's own model files are sent with the job.
`ncleaner/spark/__main__.py` has the command line.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ncleaner import errors
from ncleaner.errors import InputError, OutputError, WorkerError
from ncleaner.methods.choice import model_files
from ncleaner.methods.registry import AUTO, SHIPPED
from ncleaner.modelling.files import model_bytes, shipped_models
from ncleaner.page import Damage, Page, Skip
from ncleaner.pools.pool import Pool
from ncleaner.reading.cells import Address, PageReader
from ncleaner.reading.inputs import Input, TableOptions, find_inputs
from ncleaner.reading.stretches import layout_of, open_stretch
from ncleaner.running import engine
from ncleaner.running.jobs import Chunk, Progress, StretchJob, pool_of
from ncleaner.running.manifest import open_manifest, settings_record
from ncleaner.running.outputs import check_replaced, is_directory, open_output_in, output_errors, planned
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.sink import SinkOptions
from ncleaner.storage.local import RUN, Folder, LocalFolder, is_url
from ncleaner.storage.places import folder_at

try:
    import pyarrow as pa
    from py4j.protocol import Py4JError
    from pyarrow import compute
    from pyspark import (
        Accumulator,
        AccumulatorParam,
        Broadcast,
        InheritableThread,
        SparkContext,
        SparkFiles,
        TaskContext,
    )
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    from ncleaner.sinks.schema import schema_of, to_table
except ImportError as error:
    raise ImportError("ncleaner.spark needs PySpark: pip install 'ncleaner[spark]'") from error

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["clean", "cleaned", "pages", "rows", "schema"]

# Directory, in an output directory, for outputs that tasks have not finished.
_ATTEMPTS: Final = f"{RUN}/attempts"
# Seconds that the driver waits for an output that a task has written, since network file systems have delays.
_VISIBLE_SECONDS: Final = 90.0
_LOG: Final = logging.getLogger("ncleaner")
# What Spark says if the executors' Python is missing, of another version, or without this package.
_NO_PYTHON: Final = re.compile(
    r"No module named 'ncleaner\b[^\n]*"
    r"|Python in worker has different version[^\n]*?(?=, PySpark|\n|$)"
    r"|Cannot run program \"[^\"\n]*\""
)
# Tasks of `pages`, if there is so much to do. An archive that is larger than the share of one is cut into
# stretches of this many bytes, for which it is read once more.
_TASKS: Final = 64
_STRETCH: Final = 32 << 20
# The columns of an input that is one stretch.
_WHOLE: Final = ("0L AS start", "-1L AS end")
# Most notes of an input that are sent to the driver.
_NOTES: Final = 100


# In the executors


_idle_pools: dict[Settings, tuple[Pool, ExitStack]] = {}


@contextmanager
def _pool(settings: Settings) -> Iterator[Pool]:
    """Opens a pool of one worker, or takes the one that this process has kept from an earlier task. It is
    kept for the next task, or closed if the block ends while the worker is busy."""
    for other in [key for key in _idle_pools if key != settings]:
        _idle_pools.pop(other)[1].close()
    if settings in _idle_pools:
        pool, stack = _idle_pools.pop(settings)
    else:
        stack = ExitStack()
        pool = stack.enter_context(pool_of(1, settings))
    try:
        yield pool
    finally:
        if pool.busy:
            stack.close()
        else:
            _idle_pools[settings] = pool, stack


@dataclass(frozen=True, slots=True)
class _JobSetup:
    """The data that all tasks of a job share; picklable.

    Attributes:
        settings: of the run, on the driver.
        models: {name: bytes} of model files that do not come with the package.
        key: fingerprint of the models.
        version: version of this package on the driver.
    """

    settings: Settings
    models: Broadcast[dict[str, bytes]] | Mapping[str, bytes]
    key: str
    version: str

    def settings_here(self) -> Settings:
        """Returns the settings with the models' paths on this executor, and writes the models there."""
        if version("ncleaner") != self.version:
            raise WorkerError(
                f"an executor has ncleaner {version('ncleaner')}, and the driver has {self.version}"
            )
        if not self.models:
            return self.settings
        models = self.models if isinstance(self.models, Mapping) else self.models.value
        # each process writes its own files; they are deleted with the executor
        folder = Path(SparkFiles.getRootDirectory(), f"ncleaner-{self.key}-{os.getpid()}")
        if not folder.exists():
            folder.mkdir()
            for name, data in models.items():
                (folder / name).write_bytes(data)
        name = Path(str(self.settings.recipe.model)).name
        model = folder / name if name in models else folder
        return _with_model(self.settings, model)


class _Attempt(LocalFolder):
    """An output directory for one attempt at a task, which writes into a directory of its own: Spark may have
    given up an earlier attempt that still writes the same output."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path)
        self._own = f"{_ATTEMPTS}/{name}"

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        with super().file(f"{self._own}/{name}") as out:
            yield out
        whole = self.path / name
        whole.parent.mkdir(parents=True, exist_ok=True)
        (self.path / self._own / name).replace(whole)


@contextmanager
def _attempt(output: str) -> Iterator[Folder]:
    """Opens the output directory for this attempt at a task."""
    if is_url(output):
        # an object appears complete, even if several attempts write it
        yield folder_at(output)
        return
    context = TaskContext.get()
    assert context is not None
    name = f"{context.taskAttemptId()}-{uuid.uuid4().hex[:8]}"
    try:
        yield _Attempt(Path(output), name)
    finally:
        shutil.rmtree(Path(output, _ATTEMPTS, name), ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of a task: the input, the names and sizes (bytes) of its output's files, its counts, and the
    seconds."""

    source: Input
    sizes: dict[str, int | None]
    tally: Tally
    seconds: float


def _clean(
    part: Iterable[tuple[Input, str]], task: _JobSetup, output: str, results: Accumulator[list[_Result]]
) -> None:
    """Cleans the inputs of a partition. Raises OutputError, WorkerError."""
    settings = task.settings_here()
    for source, name in part:
        began = time.monotonic()
        tally = Tally()
        with (
            output_errors(output),
            _attempt(output) as folder,
            _pool(settings) as pool,
            open_output_in(folder, name, settings) as out,
        ):
            for chunk in engine.cleaned(source, pool):
                out.write(chunk)
                tally += chunk.tally
                tally.notes += chunk.tally.notes[: _NOTES - len(tally.notes)]
        sizes = {each: folder_at(output).size(each) for each in (name, *out.parts)}
        results.add([_Result(source, sizes, tally, time.monotonic() - began)])


# In the driver


class _Arriving(AccumulatorParam[list[_Result]]):
    """Puts the results of tasks into a queue. Spark adds each only after its success, and only once."""

    def __init__(self, queue: SimpleQueue[Any] | None = None) -> None:
        self._queue = queue

    def __reduce__(self) -> tuple[type[_Arriving], tuple[()]]:
        return _Arriving, ()

    def zero(self, value: list[_Result]) -> list[_Result]:
        return []

    def addInPlace(self, value1: list[_Result], value2: list[_Result]) -> list[_Result]:  # noqa: N802
        if self._queue is None:
            return value1 + value2
        for result in value2:
            self._queue.put(result)
        return value1


def _results(rdd: RDD[tuple[Input, str]], task: _JobSetup, output: str) -> Generator[_Result]:
    """Runs the job, and yields each result when it arrives."""
    context = rdd.context
    queue: SimpleQueue[Any] = SimpleQueue()
    arriving = context.accumulator([], _Arriving(queue))
    group = f"ncleaner-{uuid.uuid4().hex}"

    def run() -> None:
        try:
            context.setJobGroup(group, f"ncleaner clean -o {output}", interruptOnCancel=True)
            rdd.foreachPartition(partial(_clean, task=task, output=output, results=arriving))
        except BaseException as error:
            queue.put(error)
        else:
            queue.put(None)

    thread = InheritableThread(target=run, daemon=True)
    thread.start()
    ended = None
    try:
        while isinstance(arrived := queue.get(), _Result):
            yield arrived
        ended = arrived
    except BaseException:
        # Repeated, because the job may not have begun. Cancelling fails if an interrupt has ended the JVM.
        while thread.is_alive():
            with suppress(Exception):
                context.cancelJobGroup(group)
            thread.join(0.5)
        raise
    thread.join()
    # OSError is raised if the driver's JVM has ended
    if isinstance(ended, Py4JError | PySparkException | OSError):
        raise _failure(str(ended)) from ended
    if ended is not None:
        raise ended


def _failure(text: str) -> Exception:
    """Returns the exception that has ended a job: one of this package in a task, or one of Spark."""
    ours = re.search(r"ncleaner\.errors\.(\w+): (.+)", text)
    if ours and hasattr(errors, ours[1]):
        error_class: type[Exception] = getattr(errors, ours[1])
        return error_class(ours[2])
    python = _NO_PYTHON.search(text)
    if python:
        return WorkerError(
            f"executors cannot run ncleaner ({python[0].strip()}): install it on all of their machines, for "
            "the Python version of the driver, and set PYSPARK_PYTHON to the path of that interpreter"
        )
    # the last line of a traceback in a task says more than the line above it
    why = re.findall(r"^[\w.]+(?:Error|Exception): .+", text.partition("SQLSTATE")[0], re.MULTILINE)
    job = re.search(r"\bSparkException: (.+)", text)
    said = why[-1] if why and "Traceback (most recent call last)" in text else job[1] if job else text
    return WorkerError(f"Spark has ended the job: {said.partition(chr(10))[0]}")


def _use_this_python(context: SparkContext) -> None:
    """Lets the tasks of a local master use this interpreter, unless the user has named another. Spark would
    take the `python3` of the path, which may be that of another environment."""
    if not (context.master or "").startswith("local") or "PYSPARK_PYTHON" in os.environ:
        return
    if context.getConf().get("spark.pyspark.python") is None:
        context.pythonExec = sys.executable


def _job_setup(spark: SparkSession, settings: Settings) -> _JobSetup:
    """Returns the data that all tasks share. Raises as `Settings.cleaner` and `Settings.sink` do."""
    is_remote = type(spark).__module__.startswith("pyspark.sql.connect.")
    if not is_remote:
        _use_this_python(spark.sparkContext)
    settings.cleaner()
    settings.output.sink()
    model = settings.model
    own = {
        Path(name).name: model_bytes(name)
        for name in model_files(settings.recipe.method, str(model))
        if name not in shipped_models()
    }
    models = own if is_remote or not own else spark.sparkContext.broadcast(own)
    key = settings.fingerprint()
    # executors may have models of their own
    settings = _with_model(settings, SHIPPED if not own and model == AUTO else model)
    return _JobSetup(settings, models, key, version("ncleaner"))


def _with_absolute_path(source: Input) -> Input:
    """Returns an input with an absolute path, as executors need it. Raises InputError for a pipe."""
    if source.is_pipe:
        raise InputError(f"{source.path}: a cluster cannot read standard input or a pipe: give a path or URL")
    if is_url(source.path):
        return source
    return source._replace(path=str(Path(source.path).absolute()))


def _largest_first(inputs: Iterable[Input]) -> list[Input]:
    """Returns the inputs sorted by size, so that the last tasks are short."""
    return sorted(inputs, key=lambda source: -(source.size or 0))


def clean(
    spark: SparkSession,
    inputs: list[Input],
    settings: Settings,
    *,
    output: str | Path,
    again: bool = False,
    progress: Progress = engine.no_progress,
) -> Tally:
    """Cleans all inputs into a directory on all executors, as `engine.run` does on one machine.

    Args:
        spark: a session with its own driver (not one of Spark Connect).
        inputs: see `find_inputs`. Paths become absolute, also in the URL of a page that is a file.
        settings: method, model, formats, limits.
        output: the directory: a URL, or a path on a file system that the driver and all executors share.
        again: also clean inputs that an earlier run into the same directory has finished.
        progress: called for each input that is finished or passed over.

    Returns:
        The counts. `Tally.complete` is True if every input was read completely and no page was given up.

    Raises:
        NcleanerError: the model, an option, an input or the output cannot be used at all, or Spark has ended
            the job. Finished outputs stay, and the next run passes over their inputs.
    """
    if not is_directory(output):
        raise OutputError(f"{output}: a cluster writes a file for each input: give a directory")
    place = str(output) if is_url(str(output)) else str(Path(output).absolute())
    inputs = [_with_absolute_path(source) for source in inputs]
    task = _job_setup(spark, settings)
    names = planned(inputs, settings.output)
    check_replaced(inputs, (f"{place}/{name}" for name in names.values()))
    folder = folder_at(place)
    total = Tally()

    def count(tally: Tally, source: Input, offset: int | None) -> None:
        nonlocal total
        total += tally
        progress(tally, source, offset)

    with open_manifest(folder, settings_record(settings, task.key), again) as manifest:
        left = _largest_first(engine.unfinished(names, manifest, count))
        try:
            with output_errors(place):
                _forget_attempts(place)
                if left:
                    parts = [(source, names[source]) for source in left]
                    rdd = spark.sparkContext.parallelize(parts, len(parts))
                    with closing(_results(rdd, task, place)) as results:
                        for result in results:
                            _check(folder, result, place)
                            name, *more = result.sizes
                            manifest.add(result.source, name, result.tally, result.seconds, more)
                            count(result.tally, result.source, result.source.size)
                    if total.inputs != sum(len(source.files) for source in left):
                        # Spark only logs errors in an accumulator
                        raise WorkerError("Spark has lost results of tasks: run the command again")
        finally:
            _forget_attempts(place)
    return total


def _forget_attempts(output: str) -> None:
    """Deletes the files of failed attempts."""
    if not is_url(output):
        shutil.rmtree(Path(output, _ATTEMPTS), ignore_errors=True)


def _check(folder: Folder, result: _Result, output: str) -> None:
    """Waits until the driver sees an output; raises OutputError if it does not appear in time."""
    deadline = time.monotonic() + _VISIBLE_SECONDS
    while any(folder.size(name) != size for name, size in result.sizes.items()):
        if time.monotonic() > deadline:
            raise OutputError(
                f"{output}: the driver does not see what executors write there: give a directory that all of "
                "them share, or a URL"
            )
        time.sleep(0.5)


# Rows instead of files


def schema(options: SinkOptions = SinkOptions()) -> StructType:
    """Returns the columns of `pages`, which are those of the output format `parquet` with these options."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema_of(options))


def pages(
    spark: SparkSession, inputs: Sequence[Input | str] | DataFrame, settings: Settings | None = None
) -> DataFrame:
    """Returns the cleaned pages of all inputs as a DataFrame: the rows that `clean` writes as `parquet`.

    The pages are cleaned when the rows are used, and again at each use. Pages that cannot be cleaned are
    missing, and executors report them on their standard error; with `Output(all_pages=True)` they are rows
    whose `left_out` says why, and can be counted.

    Args:
        spark: a session, also one of Spark Connect.
        inputs: paths or URLs, of which a task has several small ones, or a stretch of an archive that is much
            larger than the others; or a DataFrame whose first column has them.
        settings: method, model, limits, and what rows contain; the output format is ignored.

    Raises:
        NcleanerError: the model, an option or an input cannot be used at all.
    """
    settings = _as_rows(settings or Settings())
    task = _job_setup(spark, settings)
    if isinstance(inputs, list | tuple):
        found = [each for each in inputs if isinstance(each, Input)]
        found += find_inputs(each for each in inputs if isinstance(each, str))
        frame = _stretches_of(spark, [_with_absolute_path(source) for source in found], task)
    else:
        frame = inputs.selectExpr(f"`{inputs.columns[0]}` AS path", *_WHOLE)  # type: ignore[union-attr]
    return frame.mapInArrow(partial(_rows, task=task), schema(settings.output))


def _stretches_of(spark: SparkSession, inputs: list[Input], task: _JobSetup) -> DataFrame:
    """Returns the inputs as a table: archives that are much larger than others in stretches, and each task
    with several of those that are small."""
    total = sum(source.size or 0 for source in inputs)
    large = max(2 * _STRETCH, total // _TASKS)
    sizes = [source.size or 0 for source in inputs]
    table = [(source.path, size >= large) for source, size in zip(inputs, sizes, strict=True)]
    frame = spark.createDataFrame(table, "path string, is_large boolean")
    if archives := sum(size >= large for size in sizes):
        cuts = partial(_cut, task=task, step=_STRETCH)
        frame = frame.repartition(archives).mapInArrow(cuts, "path string, start bigint, end bigint")
    else:
        frame = frame.selectExpr("path", *_WHOLE)
    number = sum(size // _STRETCH if size >= large else 1 for size in sizes)
    return frame.repartition(max(1, min(number, max(_TASKS, total // _STRETCH))))


def _cut(batches: Iterable[pa.RecordBatch], task: _JobSetup, step: int) -> Iterator[pa.RecordBatch]:
    settings = task.settings_here()
    for batch in batches:
        for path, is_large in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            stretches = [(0, -1)]
            # an input that cannot be read is reported when it is cleaned
            with suppress(InputError):
                if is_large and (layout := layout_of(path, settings.reading.input_format)) is not None:
                    with open_stretch(path, layout, 0, -1, True, limits=settings.recipe.limits) as archive:
                        stretches = list(archive.cut(step))
            starts, ends = zip(*stretches, strict=True)
            yield pa.record_batch({"path": [path] * len(starts), "start": starts, "end": ends})


def _rows(batches: Iterable[pa.RecordBatch], task: _JobSetup) -> Iterator[pa.RecordBatch]:
    settings = task.settings_here()
    for batch in batches:
        for path, start, end in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            job = StretchJob(path=path, start=start, end=end) if (start, end) != (0, -1) else None
            with _pool(settings) as pool:
                for table in _tables(engine.cleaned(Input(path, path, None), pool, job), settings.output):
                    yield from table.to_batches()


def _tables(chunks: Iterable[Chunk], options: SinkOptions) -> Iterator[pa.Table]:
    for chunk in chunks:
        for note in chunk.tally.notes:
            _LOG.warning("%s", note)
        if chunk.output:
            yield to_table(chunk.output, options)


def cleaned(frame: DataFrame, column: str = "html", settings: Settings | None = None) -> DataFrame:
    """Returns a DataFrame with a further column `cleaned`, a struct of `schema`, for a column of pages.

    It is null for a page without clean text, and for one that is given up, unless `Output(all_pages=True)`
    asks for the reason. Columns that are named as those of tables are (`url`, `date`, `id`) belong to the
    page.

    Args:
        frame: of a session, also one of Spark Connect.
        column: has HTML, as text or binary.
        settings: as for `pages`.

    Raises:
        NcleanerError: the model or an option cannot be used at all, or there is no such column.
    """
    from pyspark.sql.types import StructField, StructType

    settings = _as_rows(settings or Settings())
    reader = PageReader("-", settings.recipe.limits.bytes, TableOptions(column))
    reader.choose(frame.columns)
    task = _job_setup(frame.sparkSession, settings)
    made = StructType([*frame.schema.fields, StructField("cleaned", schema(settings.output))])
    return frame.mapInArrow(partial(_with_cleaned, task=task, reader=reader), made)


def _with_cleaned(
    batches: Iterable[pa.RecordBatch], task: _JobSetup, reader: PageReader
) -> Iterator[pa.RecordBatch]:
    settings = task.settings_here()
    wanted = settings.output.all_pages
    # a row for each page, and so in the order of the column
    settings = replace(settings, output=replace(settings.output, all_pages=True))
    with _pool(settings) as pool:
        for batch in batches:
            items = [reader.item(row, number) for number, row in enumerate(batch.to_pylist())]
            pages = [
                item._replace(lost=True) if isinstance(item, Skip) else item
                for item in items
                if not isinstance(item, Address)
            ]
            made = list(_tables(engine.cleaned_items(pages, pool, settings), settings.output))
            table = pa.concat_tables([schema_of(settings.output).empty_table(), *made]).combine_chunks()
            has_text = table["left_out"].combine_chunks().is_null()
            if not wanted:
                table = table.drop_columns("left_out")
            cells = [column.combine_chunks() for column in table.columns]
            column = pa.StructArray.from_arrays(
                cells, fields=list(table.schema), mask=None if wanted else compute.invert(has_text)
            )
            yield pa.RecordBatch.from_arrays([*batch.columns, column], [*batch.schema.names, "cleaned"])


def rows(items: Iterable[Page | Skip | Damage], settings: Settings) -> Iterator[dict[str, Any]]:
    """Cleans pages on an executor, in a job that the user has written; yields rows of `schema`, in order.

    Args:
        items: the items of `archive.read`, or pages from another source.
        settings: method, model, limits; the output format is ignored. A model file that does not come with
            the package must be on every executor.

    Raises:
        NcleanerError: the model or an option cannot be used at all.
    """
    settings = _as_rows(settings)
    with _pool(settings) as pool:
        for table in _tables(engine.cleaned_items(items, pool, settings), settings.output):
            yield from table.to_pylist()


def _as_rows(settings: Settings) -> Settings:
    return replace(settings, output=replace(settings.output, format="parquet"))


def _with_model(settings: Settings, model: str | Path) -> Settings:
    return replace(settings, recipe=replace(settings.recipe, model=model, learn=None))
