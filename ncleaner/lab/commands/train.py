"""`ncleaner train`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncleaner.cli.parameters import Given, Run, cores, part, reports_errors, with_options
from ncleaner.cli.printing import tell
from ncleaner.errors import TrainingWarning, named
from ncleaner.lab.commands.labelled import read_labelled, training_notes
from ncleaner.lab.training import Labelled, NGramOptions, Recorded
from ncleaner.methods.registry import DEFAULT_METHOD, METHODS, entry_of
from ncleaner.options import REQUIRED, Declared, option, options_of
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    from ncleaner.lab.training.annotations import Annotated as AnnotatedPage
    from ncleaner.lab.training.hybrid import StructureSource
    from ncleaner.lab.training.pairs import Pair
    from ncleaner.modelling.container import ModelFile


EXAMPLES = (
    (
        "A model from pages and their cleaned text:",
        "ncleaner train --raw pages --clean gold -o mine.ncm --language en",
    ),
    (
        "A model from raw pages alone:",
        "ncleaner train --from-crawl esperanto/crawl.warc.gz --language eo -o eo.ncm",
    ),
)
# A kind of model has the name of the method that it is made for.
_TRAINABLE = tuple(
    entry.name for entry in METHODS.values() if entry.kinds and entry.kinds[0].name == entry.name
)
_BOTH = ("hybrid", "ngram")
_FLAGS_OF_NGRAMS = {each.names[0] for each in options_of(NGramOptions) if each.flags is not None}
_PAGES = "Pages"
_MODEL = "Model"
_NGRAMS = "N-grams"


@dataclass(frozen=True, slots=True)
class Training(Declared):
    """What is trained, and from what besides labelled pages."""

    output: Path = option(
        REQUIRED, "The model file to write.", kind=Path, flags="--output -o", metavar="FILE", panel=_MODEL
    )
    method: str = option(
        DEFAULT_METHOD,
        "Kind of model. A hybrid has n-grams, and the structure model calibrated to these pages; it serves "
        "the methods hybrid, ngram, density and htmcleaner. N-grams alone serve them, too. Or a model of "
        "victor, fiasco or lines.",
        choices=_TRAINABLE, flags="--method -m", panel=_MODEL,
    )  # fmt: skip
    fence: tuple[str, str] | None = option(
        None,
        "Comments in the pages mark their clean text. Instead of --clean: text between an HTML comment that "
        "contains BEGIN and one that contains END is clean.",
        kind=tuple, length=2, metavar="BEGIN END",
        panel=_PAGES,
    )  # fmt: skip
    from_crawl: tuple[str, ...] = option(
        (),
        "Learn from raw pages alone. Instead of --raw and --clean: archives, HTML files or directories of "
        "them, with pages in the language of --language.",
        of=_BOTH, metavar="INPUT", panel=_PAGES,
    )  # fmt: skip
    pages: int = option(
        1000, "Largest number of pages to read from --from-crawl.", low=10, common=False, panel=_PAGES
    )
    annotations: Path | None = option(
        None,
        "Pages with .anno files (see `annotate`). A directory that has both.",
        kind=Path, of=("hybrid", "victor"), metavar="DIR", panel=_PAGES,
    )  # fmt: skip
    structure: StructureSource = option(
        "shipped",
        "The structure model. Calibrate the shipped one to these pages, or train one on them (hundreds of "
        "pages; needs the extra `train`).",
        choices=("shipped", "own"), of=("hybrid",), panel=_MODEL,
    )  # fmt: skip
    without: tuple[str, ...] = option(
        (),
        "Leave this feature out, with --structure own; may be given several times.",
        of=("hybrid", "victor"), metavar="FEATURE|GROUP", common=False, panel=_MODEL,
    )  # fmt: skip
    threshold: float | None = option(
        None,
        "Segments with at least these log-odds, in bits, are kept.",
        kind=float, of=_BOTH, metavar="BITS", what="a number of bits", common=False, panel=_MODEL,
        otherwise="ngram finds them by cross-validation, hybrid decides for the page as a whole",
    )  # fmt: skip
    more_clean: tuple[Path, ...] = option(
        (), "More clean text; may be given several times.", each=Path, of=_BOTH, metavar="FILE", common=False,
        panel=_NGRAMS,
    )  # fmt: skip
    more_dirty: tuple[Path, ...] = option(
        (),
        "More dirty text, such as menus; may be given several times.",
        each=Path, of=_BOTH, metavar="FILE", common=False, panel=_NGRAMS,
    )  # fmt: skip
    base: str | None = option(
        None,
        "Adapt this model. Starts from its counts, order, q and alphabet.",
        kind=str, of=_BOTH, flags="--from", metavar="NAME|FILE", panel=_MODEL,
    )  # fmt: skip
    learning_curve: bool = option(
        False,
        "Tell whether more pages would help. Also trains on a half, a quarter … of the pages, which takes "
        "some seconds; the model keeps the figures.",
        of=("hybrid",), panel=_MODEL,
    )  # fmt: skip


@reports_errors
@with_options(
    labelled=Labelled,
    training=Training,
    ngrams=NGramOptions,
    recipe=part(Recipe, "text encoding"),
    recorded=Recorded,
    run=part(Run, "quiet"),
)
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
    from ncleaner.cli.cards import trained_sentence
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
        pairs = _pairs(training, labelled, recipe, recorded.language or "", run.quiet)
        if pairs and training.method in _BOTH and (note := _other_language(pairs, recorded.language)):
            warnings.warn(note, TrainingWarning, stacklevel=1)
        trained, said = _trained(training, pairs, ngrams, recipe, recorded.about(training.output.stem))
    trained.save(training.output)
    if not run.quiet:
        tell(f"{visible(training.output)}: {trained_sentence(trained)}")
        if said:
            tell(said)


def _pairs(training: Training, labelled: Labelled, recipe: Recipe, language: str, quiet: bool) -> list[Pair]:
    """Reads the pages to train on; none where a model is adapted, or learns from annotations alone."""
    from ncleaner.lab.training.pairs import read_fenced, with_sites

    pairs: list[Pair] = []
    if training.from_crawl:
        pairs = _crawled([*training.from_crawl], language, training.pages, quiet=quiet)
    elif labelled.raw and training.fence:
        pairs = read_fenced(
            labelled.raw, *training.fence, encoding=recipe.encoding, manifest=labelled.manifest
        )
    elif labelled.raw:
        pairs = read_labelled(replace(labelled, site_from=None), recipe)
    return pairs if labelled.site_from is None else with_sites(pairs, labelled.site_from)


def _other_language(pairs: list[Pair], given: str | None) -> str:
    """Returns why `clean` would not choose the model for pages such as these; empty if it would."""
    from ncleaner.methods.language import page_language

    found = Counter(page_language(pair.document) for pair in pairs)
    (most, number), *_ = found.most_common(1)
    if not most or given == "any" or 2 * number <= len(pairs) or 2 * found[given or ""] >= len(pairs):
        return ""
    if given:
        seem = (
            f"for `clean`, {number:,} of {counted(len(pairs), 'page')} seem to be in {most}, not in {given}"
        )
        return f"{seem}: correct --language, or name the model with --model to clean such pages"
    return f"without --language {most}, `clean` takes this model only where --model names it"


def _trained(
    training: Training, pairs: list[Pair], ngrams: NGramOptions, recipe: Recipe, about: dict[str, str]
) -> tuple[ModelFile, str]:
    """Trains the model; returns it, and what its learning curve says."""
    from ncleaner.lab.commands.evaluating import SEEN, digests_of
    from ncleaner.lab.training.annotations import read_annotated
    from ncleaner.lab.training.crawl import train_from_crawl
    from ncleaner.lab.training.curve import with_curve
    from ncleaner.lab.training.hybrid import pair_of, train_hybrid
    from ncleaner.lab.training.ngrams import train_and_score
    from ncleaner.lab.training.pairs import read_texts
    from ncleaner.methods.choice import load_model
    from ncleaner.modelling.hybrid import HybridModel
    from ncleaner.modelling.ngrams import NGramModel

    method, without = training.method, list(training.without)
    annotated: list[AnnotatedPage] = []
    if training.annotations:
        annotated = read_annotated(training.annotations, encoding=recipe.encoding)
    # by these, `evaluate` knows the training pages
    about = {**about, SEEN: digests_of([*pairs, *map(pair_of, annotated)])}
    if trainer := entry_of(method).trainer:
        # only those that take them may be given them
        given = {name: value for name, value in (("annotated", annotated), ("without", without)) if value}
        return named(trainer)(pairs, about=about, **given), ""
    model = load_model(training.base, entry_of("ngram").kinds) if training.base else None
    ngrams = replace(
        ngrams,
        threshold=training.threshold if method == "ngram" else None,
        more_clean=read_texts(training.more_clean),
        more_dirty=read_texts(training.more_dirty),
        base=None if model is None else NGramModel.of_model(model),
    )
    if training.from_crawl:
        learned = train_from_crawl(pairs, ngrams=ngrams, about=about)
        return learned if method == "hybrid" else learned.ngrams, ""
    if method == "ngram":
        return train_and_score(pairs, ngrams, about).model, ""
    hybrid = train_hybrid(
        pairs, annotated, structure=training.structure, without=without, threads=cores(), ngrams=ngrams,
        base=model if isinstance(model, HybridModel) else None, threshold=training.threshold, about=about,
    )  # fmt: skip
    if not training.learning_curve:
        return hybrid, ""
    return with_curve(hybrid, [*pairs, *map(pair_of, annotated)], str(ngrams.alphabet))


def _crawled(paths: list[str], language: str, most: int, *, quiet: bool) -> list[Pair]:
    """Reads the pages of inputs that are in a language, and tells which are left out."""
    from itertools import chain

    from ncleaner.cli.progress import CountDisplay
    from ncleaner.lab.training.crawl import pages_in_language
    from ncleaner.reading.archive import read
    from ncleaner.reading.inputs import find_inputs

    items = chain.from_iterable(read(source.path) for source in find_inputs(paths))
    with CountDisplay("page found", "pages found", quiet=quiet) as display:
        pairs, passed = pages_in_language(items, language, most, display.advance)
    if not quiet:
        left = ", ".join(f"{number:,} {why}" for why, number in passed.most_common())
        found = f"{counted(len(pairs), 'page')} in {visible(language)}"
        tell(f"{found}; left out: {left}" if left else found)
    return pairs


def _takes(flag: str) -> tuple[str, ...]:
    """Returns the kinds of model that take an option; all if it is for all."""
    if flag in _FLAGS_OF_NGRAMS:
        return _BOTH
    return next((each.of for each in options_of(Training) if each.names[0] == flag), ())


def _check(training: Training, labelled: Labelled, given: set[str]) -> None:
    """Checks that the options go together. Raises BadParameter."""
    method, raw, clean, fence = training.method, labelled.raw, labelled.clean, training.fence
    for flag in sorted(given):
        if (takers := _takes(flag)) and method not in takers:
            raise typer.BadParameter(f"{flag} is for --method {' or '.join(takers)}")
    if "--without" in given and method == "hybrid" and training.structure != "own":
        raise typer.BadParameter(
            "--without needs --structure own: the features of the shipped model are fixed"
        )
    if "--from-crawl" in given:
        others = given & {
            "--annotations", "--structure", "--without", "--threshold", "--from", "--learning-curve",
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
        sources += ["--annotations"] if method in _takes("--annotations") else []
        sources += ["--from-crawl, with raw pages alone"] if method in _takes("--from-crawl") else []
        sources += ["--from with --more-clean or --more-dirty"] if method in _takes("--from") else []
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
