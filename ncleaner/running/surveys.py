"""Makes a survey of sites: signatures of all pages in workers, as a run of its own, and then one file of
them."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ncleaner.errors import InputError, OutputError
from ncleaner.reading.inputs import Input
from ncleaner.running.engine import Progress, no_progress, run
from ncleaner.running.manifest import NAME
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.choice import Output
from ncleaner.sinks.signatures import SignaturesSink
from ncleaner.surveying.build import PAGES, Builder
from ncleaner.surveying.survey import is_survey

__all__ = ["parts_of", "survey"]


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
    with Builder(output, pages, references, duplicates) as builder:
        tally = Tally()
        if inputs:
            make_folder(folder)
            written = Output(format="signatures", references=references, duplicates=duplicates)
            settings = replace(settings, output=written)
            tally = run(inputs, settings, output=folder, jobs=jobs, progress=progress, again=again)
        for part in [*parts, *parts_of(folder)] if folder.is_dir() else parts:
            _add(builder, part)
        found = builder.finish()
    if inputs and (folder / NAME).is_file():
        shutil.rmtree(folder, ignore_errors=True)
    return tally, found


def make_folder(folder: Path) -> None:
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
