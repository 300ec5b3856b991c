"""Makes a survey of sites: signatures of all pages in workers, as a run of its own, and then one file of
them, or shards; for a user, or for the run that cleans the same inputs.

Shards are made in workers, in three steps: surveys of some files of signatures each; of each shard, its rows
of all these surveys; and when the duplicates among all shards are known, the file of each shard.
"""

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, BinaryIO

from ncleaner.errors import InputError, OutputError
from ncleaner.methods.registry import entry_of
from ncleaner.pools.pool import Worker, running
from ncleaner.reading.inputs import Input, total_size
from ncleaner.recipe import Recipe
from ncleaner.running.dumps import Dumps
from ncleaner.running.engine import no_progress, run
from ncleaner.running.jobs import Progress
from ncleaner.running.manifest import NAME
from ncleaner.running.outputs import is_directory
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output
from ncleaner.sinks.signatures import SignaturesSink
from ncleaner.storage.local import RUN, is_url, write_whole
from ncleaner.surveying.build import Builder, Made, match_shards, publish
from ncleaner.surveying.shards import MOST_SHARDS, SHARD, is_survey, shard_paths
from ncleaner.surveying.survey import MOST_PAGES, Survey
from ncleaner.surveying.survey import Contents as Contents
from ncleaner.versions import SURVEYS

# The survey that a run into a directory makes of its inputs, its shards, and what tells whether it is still
# of them.
_OWN, _OWN_SHARDS, _OF = "sites.ncs", "sites", "sites.ncs.inputs"
# Bytes of files of signatures that become one survey, before the shards take their rows of it; and of inputs
# of a run that become a shard, some 250,000 pages. Up to four times as many, a survey is one file.
_PART = 1 << 30
_SHARD = 8 << 30


def parts_of(path: Path) -> list[Path]:
    """The surveys and files of signatures that a path names: itself, or those in a directory and its folders;
    empty if it names none. What begins with a dot is passed over."""
    if not path.is_dir():
        found = [path]
    elif is_survey(path):
        return [path]
    else:
        names = (each.relative_to(path) for each in path.rglob("*") if each.is_file())
        found = sorted(path / name for name in names if not any(part.startswith(".") for part in name.parts))
    # the shards of a survey are one part
    parts = dict.fromkeys(each.parent if each.name.startswith(SHARD) else each for each in found)
    return [each for each in parts if each.name.endswith(SignaturesSink.suffix) or is_survey(each)]


def survey(
    inputs: list[Input],
    parts: Iterable[Path],
    output: str | Path,
    settings: Settings,
    *,
    contents: Contents,
    shards: int = 1,
    jobs: int = 1,
    progress: Progress = no_progress,
    again: bool = False,
) -> tuple[Tally, Counter[str]]:
    """Surveys the pages of all inputs, and merges them with surveys and signatures that exist.

    The file depends on the pages only, not on the number of workers or the order of the inputs. A survey that
    is interrupted goes on when it is called again: signatures are in a directory beside the file until it is
    complete.

    Args:
        inputs: see `find_inputs`.
        parts: surveys, and files of signatures.
        output: the file to write; the directory, if there are shards.
        settings: method, model and limits; the format is that of signatures.
        contents: what the survey is to know.
        shards: number of files, for more than a million pages: they are made beside each other.
        jobs, progress, again: see `run`.

    Returns:
        The counts of the run, and the numbers of sites, pages, sampled pages and duplicates of the survey.

    Raises:
        NcleanerError: a setting, a part or the output cannot be used.
        ValueError: the number of pages of a site is out of range.
    """
    output = Path(output)
    _check_place(output, shards)
    folder = output.with_name(f"{output.name}.parts")
    with Builder(output, contents) if shards == 1 else nullcontext() as builder:
        tally = Tally()
        if inputs:
            _, references, duplicates, paragraphs = contents
            written = Output(
                format="signatures", references=references, duplicates=duplicates, paragraphs=paragraphs
            )
            # raises, where a package is missing, before anything is written
            written.sink()
            _make_folder(folder)
            settings = replace(settings, output=written)
            tally = run(_apart(inputs), settings, output=folder, jobs=jobs, progress=progress, again=again)
        given = [*parts, *(parts_of(folder) if folder.is_dir() else ())]
        if builder is None:
            found = _in_shards(given, output, contents, shards, jobs)
        else:
            for part in given:
                _add(builder, part)
            found = builder.finish()
    if inputs and (folder / NAME).is_file():
        shutil.rmtree(folder, ignore_errors=True)
    return tally, found


def _check_place(output: Path, shards: int) -> None:
    """Raises OutputError: there is something else where the survey is to be."""
    if shards == 1 and output.is_dir():
        raise OutputError(f"the survey {output} is a directory: give the name of a file, or --shards")
    if shards > 1 and (output.is_file() or (any(output.glob("*")) and not is_survey(output))):
        raise OutputError(f"{output} exists already and is no survey in shards: give another name")


def _in_shards(parts: list[Path], output: Path, contents: Contents, shards: int, jobs: int) -> Counter[str]:
    """Makes all shards of a survey, in a directory beside it; returns their sums."""
    scratch = output.with_name(f".{output.name}.working")
    shutil.rmtree(scratch, ignore_errors=True)
    _make_folder(scratch)
    surveys = [part for part in parts if is_survey(part)]
    lines = [part for part in parts if not is_survey(part)]
    made = [(scratch / f"part-{number}.ncs", contents, group) for number, group in enumerate(_groups(lines))]
    places = [(path, contents, (number, shards)) for number, path in enumerate(shard_paths(scratch, shards))]
    try:
        with running(jobs) as run_tasks:

            def answers(task: Callable[..., Any], given: Iterable[Iterable[Any]]) -> list[Any]:
                return [answer for _, answer in sorted(run_tasks([partial(task, *each) for each in given]))]

            answers(_check, ([each] for each in surveys))
            answers(_make_part, made)
            surveys += [path for path, *_ in made]
            answers(_gather, ([surveys, *each] for each in places))
            with ExitStack() as begun:
                builders = [begun.enter_context(Builder(*each, is_begun=True)) for each in places]
                match_shards(builders)
                for builder in builders:
                    builder.leave()
            settled = answers(_settle, places)
        publish(output, [shard for _, shard in settled])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return sum((sums for sums, _ in settled), Counter())


def _groups(files: list[Path]) -> list[list[Path]]:
    """Returns files of signatures in groups of about `_PART` bytes."""
    ends = accumulate(each.stat().st_size for each in files)
    placed = groupby(zip(files, ends, strict=True), lambda each: each[1] // _PART)
    return [[file for file, _ in group] for _, group in placed]


def _check(part: Path, _worker: Worker) -> None:
    Survey(part).check()


def _make_part(path: Path, contents: Contents, group: list[Path], worker: Worker) -> None:
    with Builder(path, contents) as builder:
        for part in group:
            _add(builder, part)
            worker.report(1)
        builder.finish()


def _gather(
    surveys: list[Path], path: Path, contents: Contents, shard: tuple[int, int], worker: Worker
) -> None:
    with Builder(path, contents, shard) as builder:
        for each in surveys:
            builder.add_survey(each, is_checked=True)
            worker.report(1)
        builder.group()
        builder.leave()


def _settle(
    path: Path, contents: Contents, shard: tuple[int, int], _worker: Worker
) -> tuple[Counter[str], Made]:
    with Builder(path, contents, shard, is_begun=True) as builder:
        return builder.settle()


def _apart(inputs: list[Input]) -> list[Input]:
    """Returns inputs whose outputs have different names: archives of several directories may share one."""
    seen: Counter[str] = Counter()
    found = []
    for source in inputs:
        number = seen[source.relative]
        seen[source.relative] += 1
        found.append(source._replace(relative=f"{number}/{source.relative}") if number else source)
    return found


def _make_folder(folder: Path) -> None:
    """Makes a directory. Raises OutputError: it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the directory {folder}: {error.strerror}") from error


def _add(builder: Builder, part: Path) -> None:
    if is_survey(part):
        builder.add_survey(part)
        return
    try:
        with part.open("rb") as lines:
            builder.add_lines(lines, str(part))
    except OSError as error:
        raise InputError(f"cannot read {part}: {error.strerror}") from error


@contextmanager
def beside(inputs: list[Input], output: str | Path | BinaryIO, option: str) -> Iterator[Path]:
    """Gives a folder for what a run makes of its inputs before it cleans them: `_run` of a local directory of
    outputs, else a temporary one.

    Raises:
        InputError: an input can be read only once; `option` is that of the user.
        OutputError: the folder cannot be made.
    """
    for source in inputs:
        if source.is_pipe:
            raise InputError(
                f"{option} reads its inputs twice, and standard input and pipes can be read only once: "
                "write the pages to a file"
            )
    stays = isinstance(output, str | Path) and is_directory(output) and not is_url(str(output))
    with nullcontext(Path(str(output), RUN)) if stays else tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _make_folder(folder)
        yield folder


@contextmanager
def surveyed(
    inputs: list[Input],
    settings: Settings,
    output: str | Path | BinaryIO,
    *,
    jobs: int = 1,
    progress: Progress = no_progress,
    again: bool = False,
) -> Iterator[Settings]:
    """Gives the settings of a run with a survey of its own inputs.

    In a local directory of outputs, the survey is `_run/sites.ncs`: it stays, and a later run uses it if the
    inputs are the same. For other outputs it is a temporary file. An interrupted survey in a directory goes
    on.

    Args:
        inputs, settings, output, jobs, progress, again: see `engine.run`. Damage and skipped records are not
            reported: the run that cleans reports them.

    Raises:
        InputError: an input can be read only once.
        NcleanerError: as `survey`.
    """
    with (
        beside(inputs, output, "--sites auto") as folder,
        closing(Dumps(folder, jobs, settings.wants)) as dumps,
    ):
        recipe = settings.recipe
        size = total_size(inputs) or 0
        shards = min(-(-size // _SHARD), MOST_SHARDS) if size > 4 * _SHARD else 1
        path, told = folder / (_OWN if shards == 1 else _OWN_SHARDS), folder / _OF
        plain = _plain(settings)
        of = _key(inputs, settings, plain)
        if again or not path.exists() or not told.is_file() or told.read_bytes() != of:

            def quietly(tally: Tally, source: Input, offset: int | None) -> None:
                progress(replace(tally, notes=[]), source, offset)

            survey(
                inputs, (), path, replace(plain, dumps=dumps),
                contents=Contents(
                    MOST_PAGES, entry_of(recipe.method).needs_references, recipe.drop_duplicates,
                    recipe.drop_seen,
                ),
                shards=shards, jobs=jobs, progress=quietly, again=again,
            )  # fmt: skip
            write_whole(told, of)
        dumps.finish()
        yield replace(settings, recipe=replace(recipe, sites=path), dumps=dumps)


def _plain(settings: Settings) -> Settings:
    """Returns the settings of a survey for cleaning only: it knows the texts of pages; and what is kept of
    them only if paragraphs or duplicates are to be found."""
    recipe = settings.recipe
    wanted = recipe.drop_seen or recipe.drop_duplicates
    if wanted and not entry_of(recipe.method).needs_references:
        return replace(settings, recipe=replace(recipe, sites=None, drop_seen=False, drop_duplicates=False))
    return replace(
        settings,
        recipe=Recipe(
            "everything",
            encoding=recipe.encoding,
            text=recipe.text,
            limits=recipe.limits,
            alt_text=recipe.alt_text,
            readings=recipe.readings,
        ),
    )


def _key(inputs: list[Input], settings: Settings, plain: Settings) -> bytes:
    """Returns a line that is another one if the survey of the inputs may be; `plain` are its own settings."""
    recipe = settings.recipe
    wanted = f"{recipe.method} {recipe.drop_seen} {recipe.drop_duplicates} {SURVEYS}"
    return inputs_key(inputs, [repr(plain.recipe), plain.fingerprint(), repr(plain.reading), wanted])


def inputs_key(inputs: list[Input], what: list[str]) -> bytes:
    """Returns a line that is another one if one of the inputs, or of the texts, is."""
    seen = [f"{source.path}\t{source.size}\t{source.modified}" for source in inputs]
    text = "\n".join([*what, *seen]).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest().encode() + b"\n"
