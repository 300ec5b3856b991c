"""A cluster's cores instead of one machine's: `ncleaner clean -o DIRECTORY` as a job of Apache Spark.

Each input is a task. It cleans its input as a run on one machine does, in a process of its own that keeps its
model for the tasks that come after, and writes the output whole under its name; the driver adds a line to the
manifest when the task has ended. Outputs are the same bytes, and a later run, on a cluster or not, goes on
where this one ended. `pages` gives the same rows as a DataFrame.

Executors need this package and, like the driver, read the inputs and write the outputs where they are: URLs,
or a file system that all machines share. Model files of one's own travel with the job. `spark_command.py` has
the command for all this.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import time
import uuid
from collections.abc import Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ncleaner import errors
from ncleaner.errors import InputError, OutputError, WorkerError
from ncleaner.methods.choice import fingerprint, model_files
from ncleaner.modelling.shipped import model_bytes, shipped_models
from ncleaner.page import Damage, Page, Skip
from ncleaner.reading.inputs import Input
from ncleaner.running.engine import Progress, cleaned, cleaned_items, no_progress, unfinished
from ncleaner.running.jobs import Chunk
from ncleaner.running.manifest import open_manifest, settings_record
from ncleaner.running.outputs import is_directory, output_in, output_names, writing
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.running.workers import Pool
from ncleaner.sinks.base import SinkOptions
from ncleaner.sinks.parquet import to_table
from ncleaner.storage.base import Folder, Log, is_url
from ncleaner.storage.places import folder_at

try:
    from py4j.protocol import Py4JError
    from pyspark import Accumulator, AccumulatorParam, Broadcast, InheritableThread, SparkFiles, TaskContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError as error:
    raise ImportError("ncleaner.spark needs PySpark: pip install 'ncleaner[spark]'") from error

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["clean", "pages", "rows", "schema"]

# Where in an output directory tasks write what they have not finished.
_ATTEMPTS: Final = ".attempts"
# How long the driver looks for an output that a task has written: file systems of networks take their time.
_PATIENCE: Final = 90.0
_LOG: Final = logging.getLogger("ncleaner")
# So many notes of an input reach the driver.
_NOTES: Final = 100


# In the executors


_kept: dict[Settings, tuple[Pool, ExitStack]] = {}


@contextmanager
def _pool(settings: Settings) -> Iterator[Pool]:
    """A pool of one worker, which this process keeps for its next task. One that is left in the middle of its
    work is closed."""
    for other in [kept for kept in _kept if kept != settings]:
        _kept.pop(other)[1].close()
    if settings in _kept:
        pool, stack = _kept.pop(settings)
    else:
        stack = ExitStack()
        pool = stack.enter_context(Pool(1, settings))
    try:
        yield pool
    finally:
        if pool.busy:
            stack.close()
        else:
            _kept[settings] = pool, stack


@dataclass(frozen=True, slots=True)
class _Task:
    """What is the same for all tasks of a job; picklable.

    Attributes:
        models: files of models that do not come with the package, by name.
        key: of these models.
        version: of this package, where the driver is.
    """

    settings: Settings
    models: Broadcast[dict[str, bytes]] | None
    key: str
    version: str

    def prepared(self) -> Settings:
        """The settings as they are to be here. Raises WorkerError where another version is installed."""
        if version("ncleaner") != self.version:
            raise WorkerError(
                f"an executor has ncleaner {version('ncleaner')}, and the driver has {self.version}"
            )
        if self.models is None:
            return self.settings
        # each process has its own; they go when the executor goes
        folder = Path(SparkFiles.getRootDirectory(), f"ncleaner-{self.key}-{os.getpid()}")
        if not folder.exists():
            folder.mkdir()
            for name, data in self.models.value.items():
                (folder / name).write_bytes(data)
        name = Path(self.settings.model).name
        return replace(self.settings, model=str(folder / name if name in self.models.value else folder))


class _Attempt:
    """A directory of a file system, for one attempt at a task: another attempt that has been given up may
    still be writing the same output somewhere."""

    def __init__(self, folder: Folder, path: Path, name: str) -> None:
        self._folder = folder
        self._path = path
        self._own = f"{_ATTEMPTS}/{name}"

    @contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        with self._folder.file(f"{self._own}/{name}") as out:
            yield out
        whole = self._path / name
        whole.parent.mkdir(parents=True, exist_ok=True)
        (self._path / self._own / name).replace(whole)

    def size(self, name: str) -> int:
        return self._folder.size(name)

    def remove(self, name: str) -> None:
        self._folder.remove(name)

    def log(self, name: str) -> AbstractContextManager[Log]:
        return self._folder.log(name)


@contextmanager
def _attempt(output: str) -> Iterator[Folder]:
    """The output directory, for this attempt at a task."""
    folder = folder_at(output)
    if is_url(output):
        # an object appears whole, however many write it
        yield folder
        return
    context = TaskContext.get()
    assert context is not None
    name = f"{context.taskAttemptId()}-{uuid.uuid4().hex[:8]}"
    try:
        yield _Attempt(folder, Path(output), name)
    finally:
        shutil.rmtree(Path(output, _ATTEMPTS, name), ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Result:
    """What a task has made of an input: an output of so many bytes."""

    source: Input
    name: str
    size: int
    tally: Tally
    seconds: float


def _clean(
    part: Iterable[tuple[Input, str]], task: _Task, output: str, results: Accumulator[list[_Result]]
) -> None:
    """Cleans the inputs of a partition. Raises OutputError, WorkerError."""
    settings = task.prepared()
    for source, name in part:
        began = time.monotonic()
        tally = Tally()
        with (
            writing(output),
            _attempt(output) as folder,
            _pool(settings) as pool,
            output_in(folder, name, settings) as out,
        ):
            for chunk in cleaned(source, pool):
                out.write(chunk)
                tally += chunk.tally
                tally.notes += chunk.tally.notes[: _NOTES - len(tally.notes)]
        size = folder_at(output).size(name)
        results.add([_Result(source, name, size, tally, time.monotonic() - began)])


# In the driver


class _Arriving(AccumulatorParam[list[_Result]]):
    """Hands on what tasks add to an accumulator: Spark adds it when a task has ended well, and counts no task
    twice."""

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


def _results(rdd: RDD[tuple[Input, str]], task: _Task, output: str) -> Generator[_Result]:
    """Runs the job, and gives each result when it is there."""
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
        # it may not have begun, and fails where an interrupt has ended the driver's other half
        while thread.is_alive():
            with suppress(Exception):
                context.cancelJobGroup(group)
            thread.join(0.5)
        raise
    thread.join()
    # the last of them where the driver's other half is no more
    if isinstance(ended, Py4JError | PySparkException | OSError):
        raise _failure(str(ended)) from ended
    if ended is not None:
        raise ended


def _failure(said: str) -> Exception:
    """What has ended a job, in a sentence: an error of ours in a task, or one of Spark's."""
    ours = re.search(r"ncleaner\.errors\.(\w+): (.+)", said)
    if ours and hasattr(errors, ours[1]):
        found: type[Exception] = getattr(errors, ours[1])
        return found(ours[2])
    why = re.search(r"\bSparkException: (.+)", said)
    return WorkerError(f"Spark has ended the job: {why[1] if why else said.partition(chr(10))[0]}")


def _task(spark: SparkSession, settings: Settings) -> _Task:
    """A job's task. Raises as `Settings.cleaner` and `Settings.sink` do."""
    settings.cleaner()
    settings.sink()
    own = {
        Path(name).name: model_bytes(name)
        for name in model_files(settings.method, settings.model)
        if name not in shipped_models()
    }
    models = spark.sparkContext.broadcast(own) if own else None
    return _Task(settings, models, fingerprint(settings.method, settings.model), version("ncleaner"))


def _within_reach(source: Input) -> Input:
    """An input as executors find it, wherever they are started. Raises InputError for a pipe."""
    if source.is_pipe:
        raise InputError(f"{source.path}: a cluster cannot read standard input or a pipe")
    if is_url(source.path):
        return source
    return replace(source, path=str(Path(source.path).absolute()))


def _largest_first(inputs: Iterable[Input]) -> list[Input]:
    """So that nobody is left with a large one at the end."""
    return sorted(inputs, key=lambda source: -source.size)


def clean(
    spark: SparkSession,
    inputs: list[Input],
    settings: Settings,
    *,
    output: str | Path,
    again: bool = False,
    progress: Progress = no_progress,
) -> Tally:
    """Cleans all inputs into a directory, as `engine.run` does, by all executors.

    Args:
        spark: a session with a driver of its own (not of Spark Connect).
        inputs: see `find_inputs`. Paths become absolute, also in the URL of a page that is a file.
        settings: method, model, formats, limits.
        output: the directory: a URL, or a path on a file system that the driver and all executors share.
        again: clean what an earlier run into the same directory has finished, too.
        progress: called for each input that is finished or passed over.

    Returns:
        What was done. `Tally.complete` tells whether every input was read whole.

    Raises:
        NcleanerError: the model, an option, an input or the output cannot be used at all, or Spark has given
            up. What is finished then stands, and is passed over the next time.
    """
    if not is_directory(output):
        raise OutputError(f"{output}: a cluster writes into a directory, a file for each input")
    place = str(output) if is_url(str(output)) else str(Path(output).absolute())
    inputs = [_within_reach(source) for source in inputs]
    task = _task(spark, settings)
    names = output_names(inputs, settings.sink().suffix)
    folder = folder_at(place)
    total = Tally()

    def count(tally: Tally, source: Input, offset: int) -> None:
        nonlocal total
        total += tally
        progress(tally, source, offset)

    with open_manifest(folder, settings_record(settings, task.key), again) as manifest:
        left = _largest_first(unfinished(inputs, names, manifest, count))
        try:
            with writing(place):
                _forget_attempts(place)
                if left:
                    parts = [(source, names[source]) for source in left]
                    rdd = spark.sparkContext.parallelize(parts, len(parts))
                    with closing(_results(rdd, task, place)) as results:
                        for result in results:
                            _check(folder, result, place)
                            manifest.add(result.source, result.name, result.tally, result.seconds)
                            count(result.tally, result.source, result.source.size)
                    if total.inputs != len(left):
                        # it only logs what goes wrong there
                        raise WorkerError("Spark has lost what tasks have returned: run it again")
        finally:
            _forget_attempts(place)
    return total


def _forget_attempts(output: str) -> None:
    """Takes away what attempts that came to nothing have left."""
    if not is_url(output):
        shutil.rmtree(Path(output, _ATTEMPTS), ignore_errors=True)


def _check(folder: Folder, result: _Result, output: str) -> None:
    """Raises OutputError for an output that cannot be seen from here, where the manifest is written."""
    deadline = time.monotonic() + _PATIENCE
    while folder.size(result.name) != result.size:
        if time.monotonic() > deadline:
            raise OutputError(
                f"{output}: the driver does not see what executors write there: give a directory that all of "
                "them share, or a URL"
            )
        time.sleep(0.5)


# Rows instead of files


def schema() -> StructType:
    """The columns of `pages`: those of the output format `parquet`."""
    from pyspark.sql.pandas.types import from_arrow_schema

    from ncleaner.sinks.parquet import SCHEMA

    return from_arrow_schema(SCHEMA)


def pages(spark: SparkSession, inputs: list[Input], settings: Settings) -> DataFrame:
    """The cleaned pages of all inputs as a DataFrame: the rows that `clean` writes in the format `parquet`.

    Nothing is done before its rows are asked for, and then each time again. What cannot be cleaned is
    missing, and executors say so on their standard error; `clean` counts it.

    Args:
        spark, inputs: as for `clean`.
        settings: method, model, limits; the format is not asked for.

    Raises:
        NcleanerError: the model, an option or an input cannot be used at all.
    """
    settings = _as_rows(settings)
    sources = _largest_first(_within_reach(source) for source in inputs)
    task = _task(spark, settings)
    one_each = spark.range(0, len(sources), 1, max(1, len(sources)))
    return one_each.mapInArrow(partial(_rows, task=task, sources=sources), schema())


def _rows(batches: Iterable[pa.RecordBatch], task: _Task, sources: list[Input]) -> Iterator[pa.RecordBatch]:
    settings = task.prepared()
    for batch in batches:
        for number in batch.column(0).to_pylist():
            with _pool(settings) as pool:
                for table in _tables(cleaned(sources[number], pool)):
                    yield from table.to_batches()


def _tables(chunks: Iterable[Chunk]) -> Iterator[pa.Table]:
    for chunk in chunks:
        for note in chunk.tally.notes:
            _LOG.warning("%s", note)
        if chunk.output:
            yield to_table(chunk.output)


def rows(items: Iterable[Page | Skip | Damage], settings: Settings) -> Iterator[dict[str, Any]]:
    """Cleans, in an executor, what a job of one's own has read: rows of `schema`, in order.

    Args:
        items: what `archive.read` yields, or pages that were made otherwise.
        settings: method, model, limits; the format is not asked for. A model that does not come with the
            package has to be where executors find it.

    Raises:
        NcleanerError: the model or an option cannot be used at all.
    """
    with _pool(_as_rows(settings)) as pool:
        for table in _tables(cleaned_items(items, pool, settings.limits)):
            yield from table.to_pylist()


def _as_rows(settings: Settings) -> Settings:
    return replace(settings, output_format="parquet", sink_options=SinkOptions())
