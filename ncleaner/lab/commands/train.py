"""`ncleaner train`."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

import typer

from ncleaner.cli.parameters import Given, Run, part, reports_errors, with_options
from ncleaner.cli.printing import tell
from ncleaner.errors import TrainingWarning
from ncleaner.lab.commands.asked import WITH_NGRAMS, Training, takers_of
from ncleaner.lab.commands.labelled import training_notes
from ncleaner.lab.training import Labelled, NGramOptions, Recorded
from ncleaner.recipe import Recipe
from ncleaner.text.visible import visible


@reports_errors
@with_options(
    labelled=Labelled, training=Training, ngrams=NGramOptions, recipe=part(Recipe, "text encoding"),
    recorded=Recorded, run=part(Run, "quiet"),
)  # fmt: skip
def command(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT...", help="Further inputs of --from-crawl.", show_default=False),
    ] = None,
    *,
    labelled: Labelled,
    training: Training,
    ngrams: NGramOptions,
    recipe: Recipe,
    recorded: Recorded,
    given: Given,
    run: Run,
) -> None:
    """Train a model from pages and their cleaned text (about 50 are enough), or adapt one.

    With --from-crawl, from raw pages alone.
    """
    from ncleaner.lab.commands import fitting
    from ncleaner.modelling.container import MAGIC
    from ncleaner.storage.local import check_writable

    _check(training, labelled, {flag for flags in given.values() for flag in flags})
    if inputs and not training.from_crawl:
        raise typer.BadParameter(f"{inputs[0]}: inputs are for --from-crawl")
    if training.from_crawl and not recorded.language:
        raise typer.BadParameter("--from-crawl needs --language, such as --language de")
    check_writable(training.output, MAGIC)
    training = replace(training, from_crawl=(*training.from_crawl, *(inputs or [])))
    with training_notes(run.quiet), _bad_features():
        pairs = fitting.pairs_of(training, labelled, recipe, recorded.language or "", run.quiet)
        if (
            pairs
            and training.method in WITH_NGRAMS
            and (note := fitting.other_language(pairs, recorded.language))
        ):
            warnings.warn(note, TrainingWarning, stacklevel=1)
        if note := fitting.of_guesses(labelled):
            warnings.warn(note, TrainingWarning, stacklevel=1)
        trained, said = fitting.trained(training, pairs, ngrams, recipe, recorded.about(training.output.stem))
    trained.save(training.output)
    if not run.quiet:
        tell(f"{visible(training.output)}:\n{fitting.trained_card(trained)}")
        if said:
            tell(said)


def _check(training: Training, labelled: Labelled, given: set[str]) -> None:
    """Checks that the options go together. Raises BadParameter."""
    method, raw, clean, fence = training.method, labelled.raw, labelled.clean, training.fence
    for flag in sorted(given):
        if (takers := takers_of(flag)) and method not in takers:
            raise typer.BadParameter(f"{flag} is for --method {' or '.join(takers)}")
    if "--without" in given and method == "hybrid" and training.structure != "own":
        raise typer.BadParameter(
            "--without needs --structure own: the features of the shipped model are fixed"
        )
    if "--from-crawl" in given:
        others = given & {
            "--annotations", "--structure", "--without", "--threshold", "--from", "--learning-curve",
            "--manifest",
        }  # fmt: skip
        if raw or clean or fence or others:
            other = sorted(others)[0] if others else "--raw, --clean and --fence"
            raise typer.BadParameter(f"--from-crawl learns from raw pages alone: leave {other} out")
        return
    adapts = "--from" in given and not given.isdisjoint({"--more-clean", "--more-dirty"})
    if fence and clean:
        raise typer.BadParameter("--fence and --clean exclude each other")
    has_text = clean is not None or fence is not None or (raw is not None and not raw.is_dir())
    if (raw is None) == has_text or not (raw or "--annotations" in given or adapts):
        sources = ["--raw and --clean, directories of pages and of their clean text"]
        sources += ["--raw, a file of rows with both", "--raw and --fence"]
        sources += ["--annotations"] if method in takers_of("--annotations") else []
        sources += ["--from-crawl, with raw pages alone"] if method in takers_of("--from-crawl") else []
        sources += ["--from with --more-clean or --more-dirty"] if method in takers_of("--from") else []
        raise typer.BadParameter(f"give {'; or '.join(sources)}")
    if "--from" in given and (own := given & {"--order", "--q", "--alphabet", "--alphabet-size", "--cased"}):
        raise typer.BadParameter(f"--from has its own order, q and alphabet: leave {min(own)} out")


@contextmanager
def _bad_features() -> Iterator[None]:
    """Turns the name of a feature or group that does not exist into a usage error."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--without") from None
