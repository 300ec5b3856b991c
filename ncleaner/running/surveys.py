"""Makes a survey of sites: signatures of all pages in workers, as a run of its own, and then one file of
them; for a user, or for the run that cleans the same inputs."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from ncleaner.errors import InputError, OutputError
from ncleaner.methods.registry import entry_of
from ncleaner.reading.inputs import Input
from ncleaner.recipe import Recipe
from ncleaner.running.engine import no_progress, run
from ncleaner.running.jobs import Progress
from ncleaner.running.manifest import NAME
from ncleaner.running.outputs import is_directory
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output
from ncleaner.sinks.signatures import SignaturesSink
from ncleaner.storage.local import RUN, is_url, write_whole
from ncleaner.surveying.build import PAGES, Builder
from ncleaner.surveying.survey import MOST_PAGES, is_survey
from ncleaner.versions import SURVEYS

# The survey that a run into a directory makes of its inputs, and what tells whether it is still of them.
_OWN, _OF = "sites.ncs", "sites.ncs.inputs"


def parts_of(path: Path) -> list[Path]:
    """The surveys and files of signatures that a path names: itself, or those in a directory and its folders;
    empty if it names none."""
    found = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    return [each for each in found if each.name.endswith(SignaturesSink.suffix) or is_survey(each)]


def survey(
    inputs: list[Input],
    parts: Iterable[Path],
    output: str | Path,
    settings: Settings,
    *,
    pages: int = PAGES,
    references: bool = False,
    duplicates: bool = False,
    paragraphs: bool = False,
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
        output: the file to write.
        settings: method, model and limits; the format is that of signatures.
        pages: pages of each site that the survey keeps, 2 to `MOST_PAGES`.
        references: whether it keeps their HTML, too.
        duplicates: whether it finds duplicates among all pages, by their clean texts.
        paragraphs: whether it finds the first page of each paragraph of the clean texts.
        jobs, progress, again: see `run`.

    Returns:
        The counts of the run, and the numbers of sites, pages, sampled pages and duplicates of the survey.

    Raises:
        NcleanerError: a setting, a part or the output cannot be used.
        ValueError: `pages` is out of range.
    """
    output = Path(output)
    if output.is_dir():
        raise OutputError(f"the survey {output} is a directory: give the name of a file")
    folder = output.with_name(f"{output.name}.parts")
    with Builder(output, pages, references, duplicates, paragraphs) as builder:
        tally = Tally()
        if inputs:
            written = Output(
                format="signatures", references=references, duplicates=duplicates, paragraphs=paragraphs
            )
            # raises, where a package is missing, before anything is written
            written.sink()
            _make_folder(folder)
            settings = replace(settings, output=written)
            tally = run(_apart(inputs), settings, output=folder, jobs=jobs, progress=progress, again=again)
        for part in [*parts, *parts_of(folder)] if folder.is_dir() else parts:
            _add(builder, part)
        found = builder.finish()
    if inputs and (folder / NAME).is_file():
        shutil.rmtree(folder, ignore_errors=True)
    return tally, found


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
    for source in inputs:
        if source.is_pipe:
            raise InputError(
                "--sites auto reads its inputs twice, and standard input and pipes can be read only once: "
                "write the pages to a file"
            )
    stays = isinstance(output, str | Path) and is_directory(output) and not is_url(str(output))
    with nullcontext(Path(str(output), RUN)) if stays else tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _make_folder(folder)
        path, told = folder / _OWN, folder / _OF
        plain = _plain(settings)
        of = _key(inputs, settings, plain)
        if again or not path.is_file() or not told.is_file() or told.read_bytes() != of:

            def quietly(tally: Tally, source: Input, offset: int | None) -> None:
                progress(replace(tally, notes=[]), source, offset)

            survey(
                inputs, (), path, plain,
                pages=MOST_PAGES, references=entry_of(settings.recipe.method).needs_references,
                duplicates=settings.recipe.drop_duplicates, paragraphs=settings.recipe.drop_seen,
                jobs=jobs, progress=quietly, again=again,
            )  # fmt: skip
            write_whole(told, of)
        yield replace(settings, recipe=replace(settings.recipe, sites=path))


def _plain(settings: Settings) -> Settings:
    """Returns the settings of a survey for cleaning only: it knows the texts of pages; and what is kept of
    them only if paragraphs or duplicates are to be found."""
    recipe = settings.recipe
    wanted = recipe.drop_seen or recipe.drop_duplicates
    if wanted and not entry_of(recipe.method).needs_references:
        return replace(settings, recipe=replace(recipe, sites=None, drop_seen=False, drop_duplicates=False))
    return replace(
        settings,
        recipe=Recipe("everything", encoding=recipe.encoding, text=recipe.text, limits=recipe.limits),
    )


def _key(inputs: list[Input], settings: Settings, plain: Settings) -> bytes:
    """Returns a line that is another one if the survey of the inputs may be; `plain` are its own settings."""
    seen = [f"{source.path}\t{source.size}\t{source.modified}" for source in inputs]
    recipe = settings.recipe
    wanted = f"{recipe.method} {recipe.drop_seen} {recipe.drop_duplicates} {SURVEYS}"
    what = [repr(plain.recipe), plain.fingerprint(), repr(plain.reading), wanted, *seen]
    return hashlib.sha256("\n".join(what).encode("utf-8", "surrogateescape")).hexdigest().encode() + b"\n"
