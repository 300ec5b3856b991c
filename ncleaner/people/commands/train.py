"""`ncleaner train`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ncleaner.methods.table import DEFAULT_METHOD, METHODS, entry_of
from ncleaner.modelling import DEFAULT_Q
from ncleaner.people.declared import part, with_options
from ncleaner.people.options import cores, reports_errors
from ncleaner.people.streams import tell
from ncleaner.people.training_options import (
    CLEAN,
    RAW,
    AlphabetName,
    CasedOption,
    ManifestOption,
    SchemeName,
    SiteOption,
    SizeOption,
    StatisticName,
    check_q,
    read_labelled,
    training_notes,
)
from ncleaner.recipe import Recipe
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible

if TYPE_CHECKING:
    from ncleaner.modelling.container import Stored
    from ncleaner.modelling.decision import Statistic
    from ncleaner.training.examples import Scheme
    from ncleaner.training.hybrid import StructureSource
    from ncleaner.training.pairs import Pair

__all__ = ["EXAMPLES", "command"]

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
TrainableName = StrEnum(  # type: ignore[misc]
    "TrainableName",
    [
        (entry.name, entry.name)
        for entry in METHODS.values()
        if entry.kinds and entry.kinds[0].name == entry.name
    ],
)
StructureName = StrEnum("StructureName", [(name, name) for name in ("shipped", "own")])  # type: ignore[misc]


@reports_errors
@with_options(recipe=part(Recipe, "text encoding"))
def command(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The model file to write.", rich_help_panel="Model"
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[INPUT]...", help="Further inputs of --from-crawl.", show_default=False),
    ] = None,
    *,
    raw: Annotated[Path | None, RAW] = None,
    clean: Annotated[Path | None, CLEAN] = None,
    method: Annotated[
        TrainableName,
        typer.Option(
            "--method",
            "-m",
            help="Kind of model: a hybrid has n-grams, and the structure model calibrated to these pages; it "
            "serves the methods hybrid, ngram, density and htmcleaner. N-grams alone serve them, too. Or a "
            "model of victor, fiasco or lines.",
            rich_help_panel="Model",
        ),
    ] = TrainableName(DEFAULT_METHOD),
    fence: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="BEGIN END",
            help="Instead of --clean: HTML comments fence the clean text of the pages. What stands between a "
            "comment that contains BEGIN and one that contains END is clean.",
            show_default=False,
            rich_help_panel="Pages",
        ),
    ] = None,
    from_crawl: Annotated[
        list[str] | None,
        typer.Option(
            metavar="INPUT",
            help="Instead of --raw and --clean: learn from raw pages alone, of archives, HTML files or "
            "directories of them, in the language of --language.",
            show_default=False,
            rich_help_panel="Pages",
        ),
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            "--pages",
            min=10,
            help="--from-crawl: read so many pages of the language at most.",
            rich_help_panel="Pages",
        ),
    ] = 1000,
    annotations: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="hybrid, victor: directory of pages with .anno files beside them (see `annotate`).",
            show_default=False,
            rich_help_panel="Pages",
        ),
    ] = None,
    structure: Annotated[
        StructureName,
        typer.Option(
            help="hybrid: calibrate the shipped structure model to these pages, or train one on them "
            "(hundreds of pages; needs the extra `train`).",
            rich_help_panel="Model",
        ),
    ] = StructureName("shipped"),
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE|GROUP",
            help="hybrid with --structure own, victor: leave this feature out; may be given several times.",
            show_default=False,
            rich_help_panel="Model",
        ),
    ] = None,
    manifest: ManifestOption = None,
    site_from: SiteOption = None,
    order: Annotated[
        int | None,
        typer.Option(
            "--order",
            "-n",
            min=1,
            max=8,
            help="n, the length of the n-grams. (default: 2; 3 from two million characters of text)",
            show_default=False,
            rich_help_panel="N-grams",
        ),
    ] = None,
    q: Annotated[
        float | None,
        typer.Option(
            help=f"Interpolation factor, between 0 and 1; larger values smooth more. (default: {DEFAULT_Q})",
            show_default=False,
            rich_help_panel="N-grams",
        ),
    ] = None,
    alphabet: Annotated[
        AlphabetName,
        typer.Option(
            help="learned: the frequent characters of the pages, and classes for the rest; ascii: folding to "
            "ASCII; nonlexical: letters become a, digits become 0.",
            rich_help_panel="N-grams",
        ),
    ] = AlphabetName("learned"),
    alphabet_size: SizeOption = 60,
    cased: CasedOption = False,
    scheme: Annotated[
        SchemeName,
        typer.Option(
            help="aligned: label the pages' segments by the clean text; differential: raw minus clean "
            "counts.",
            rich_help_panel="N-grams",
        ),
    ] = SchemeName("aligned"),
    statistic: Annotated[
        StatisticName,
        typer.Option(
            help="By what n-grams decide on a segment: its log-odds given the whole page, alone, or per "
            "character.",
            rich_help_panel="N-grams",
        ),
    ] = StatisticName("page"),
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="BITS",
            help="Segments with at least these log-odds, in bits, are kept. (default: ngram finds them by "
            "cross-validation, hybrid decides for the page as a whole)",
            show_default=False,
            rich_help_panel="Model",
        ),
    ] = None,
    more_clean: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="More clean text; may be given several times.",
            show_default=False,
            rich_help_panel="N-grams",
        ),
    ] = None,
    more_dirty: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="More dirty text, such as menus; may be given several times.",
            show_default=False,
            rich_help_panel="N-grams",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME|FILE",
            help="Adapt this model: start from its counts, order, q and alphabet.",
            show_default=False,
            rich_help_panel="Model",
        ),
    ] = None,
    curve: Annotated[
        bool,
        typer.Option(
            "--learning-curve",
            help="hybrid: also train on a half, a quarter … of the pages, and tell whether more pages would "
            "help. Takes some seconds; the model keeps the figures.",
            rich_help_panel="Model",
        ),
    ] = False,
    recipe: Recipe,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name to record in the model. (default: the name of the file)",
            show_default=False,
            rich_help_panel="What the model records",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language to record in the model, as in <html lang>.",
            show_default=False,
            rich_help_panel="What the model records",
        ),
    ] = None,
    sources: Annotated[
        str | None,
        typer.Option(
            help="Data and licence to record in the model.",
            show_default=False,
            rich_help_panel="What the model records",
        ),
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="Date to record in the model. (default: none, so that the same pages give the same bytes)",
            show_default=False,
            rich_help_panel="What the model records",
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show only errors.", rich_help_panel="Run")
    ] = False,
) -> None:
    """Train a model from pages and their cleaned text (about 50 are enough), or adapt one.

    With --from-crawl, from raw pages alone.
    """
    from ncleaner.methods.choice import load_model
    from ncleaner.modelling.hybrid import HybridModel
    from ncleaner.modelling.ngrams import NGramModel
    from ncleaner.people.cards import trained_sentence
    from ncleaner.training.annotations import read_annotated
    from ncleaner.training.classic import train_fiasco, train_lines
    from ncleaner.training.crawl import train_from_crawl
    from ncleaner.training.curve import with_curve
    from ncleaner.training.hybrid import pair_of, train_hybrid
    from ncleaner.training.ngrams import NGramOptions, train_and_score
    from ncleaner.training.pairs import read_texts, with_sites
    from ncleaner.training.sources import read_fenced
    from ncleaner.training.victor import train_victor

    given = {
        "--annotations": annotations, "--structure": structure.value == "own", "--without": without,
        "--order": order, "--q": q, "--threshold": threshold, "--more-clean": more_clean,
        "--more-dirty": more_dirty, "--from": base, "--from-crawl": from_crawl, "--learning-curve": curve,
    }  # fmt: skip
    _check(
        method.value, {name for name, value in given.items() if value not in (None, False)}, raw, clean, fence
    )
    if inputs and not from_crawl:
        raise typer.BadParameter(f"{inputs[0]}: inputs are for --from-crawl")
    if from_crawl and not language:
        raise typer.BadParameter("--from-crawl needs --language, such as --language de")
    if q is not None:
        check_q(q)
    recorded = {"name": name or output.stem, "language": language, "sources": sources, "date": date}
    about = {key: value for key, value in recorded.items() if value}
    with training_notes(quiet), _bad_features():
        pairs: list[Pair] = []
        if from_crawl and language:
            pairs = _crawled([*from_crawl, *(inputs or [])], language, most, quiet=quiet)
        elif raw and fence:
            pairs = read_fenced(raw, *fence, encoding=recipe.encoding, manifest=manifest)
        elif raw:
            pairs = read_labelled(
                raw, clean, encoding=recipe.encoding, text=recipe.text, manifest=manifest, site_from=None
            )
        if site_from is not None:
            pairs = with_sites(pairs, site_from)
        model = load_model(base, entry_of("ngram").kinds) if base else None
        annotated = read_annotated(annotations, encoding=recipe.encoding) if annotations else []
        options = NGramOptions(
            order=order,
            q=q,
            alphabet=alphabet.value,
            size=alphabet_size,
            cased=cased,
            scheme=cast("Scheme", scheme.value),
            statistic=cast("Statistic", statistic.value),
            threshold=threshold if method.value == "ngram" else None,
            more_clean=read_texts(more_clean or []),
            more_dirty=read_texts(more_dirty or []),
            base=None if model is None else NGramModel.of_model(model),
        )
        trained: Stored
        if from_crawl:
            learned = train_from_crawl(pairs, ngrams=options, about=about)
            trained = learned if method.value == "hybrid" else learned.ngrams
        elif method.value == "victor":
            trained = train_victor(pairs, annotated, without=without or [], about=about)
        elif method.value == "fiasco":
            trained = train_fiasco(pairs, about=about)
        elif method.value == "lines":
            trained = train_lines(pairs, about=about)
        elif method.value == "hybrid":
            trained = train_hybrid(
                pairs, annotated, structure=cast("StructureSource", structure.value), without=without or [],
                threads=cores(), ngrams=options, base=model if isinstance(model, HybridModel) else None,
                threshold=threshold, about=about,
            )  # fmt: skip
        else:
            trained = train_and_score(pairs, options, about).model
    said = ""
    if curve and isinstance(trained, HybridModel):
        trained, said = with_curve(trained, [*pairs, *map(pair_of, annotated)], alphabet.value)
    trained.save(output)
    if not quiet:
        tell(f"{visible(output)}: {trained_sentence(trained)}")
        if said:
            tell(said)


def _crawled(paths: list[str], language: str, most: int, *, quiet: bool) -> list[Pair]:
    """Reads the pages of inputs that are in a language, and tells which are left out."""
    from itertools import chain

    from ncleaner.people.progress import CountDisplay
    from ncleaner.reading.archive import read
    from ncleaner.reading.inputs import find_inputs
    from ncleaner.text.codes import iso_639_1
    from ncleaner.training.crawl import pages_in_language

    items = chain.from_iterable(read(source.path) for source in find_inputs(paths))
    with CountDisplay("page found", "pages found", quiet=quiet) as display:
        code = iso_639_1(language.lower()) or language
        pairs, passed = pages_in_language(items, code, most, display.advance)
    if not quiet:
        left = ", ".join(f"{number:,} {why}" for why, number in passed.most_common())
        found = f"{counted(len(pairs), 'page')} in {visible(language)}"
        tell(f"{found}; left out: {left}" if left else found)
    return pairs


# The options that only some kinds of model take.
_TAKES = {
    "ngram": {
        "--order", "--q", "--threshold", "--more-clean", "--more-dirty", "--from", "--from-crawl",
    },
    "hybrid": {
        "--annotations", "--structure", "--without", "--order", "--q", "--threshold", "--more-clean",
        "--more-dirty", "--from", "--from-crawl", "--learning-curve",
    },
    "victor": {"--annotations", "--without"},
    "fiasco": set(),
    "lines": set(),
}  # fmt: skip


def _check(
    method: str, given: set[str], raw: Path | None, clean: Path | None, fence: tuple[str, str] | None
) -> None:
    """Checks that the options go together. Raises BadParameter."""
    if foreign := sorted(given - _TAKES[method]):
        takers = " or ".join(name for name, takes in _TAKES.items() if foreign[0] in takes)
        raise typer.BadParameter(f"{foreign[0]} is for --method {takers}")
    if "--without" in given and method == "hybrid" and "--structure" not in given:
        raise typer.BadParameter(
            "--without needs --structure own: the features of the shipped model are fixed"
        )
    if "--from-crawl" in given:
        others = given & {
            "--annotations",
            "--structure",
            "--without",
            "--threshold",
            "--from",
            "--learning-curve",
        }
        if raw or clean or fence or others:
            other = sorted(others)[0] if others else "--raw, --clean and --fence"
            raise typer.BadParameter(f"--from-crawl learns from raw pages alone: leave {other} out")
        return
    adapts = "--from" in given and not given.isdisjoint({"--more-clean", "--more-dirty"})
    if fence and clean:
        raise typer.BadParameter("--fence and --clean exclude each other")
    labelled = clean is not None or fence is not None or (raw is not None and not raw.is_dir())
    if (raw is None) == labelled or not (raw or "--annotations" in given or adapts):
        sources = ["--raw and --clean, directories of pages and of their clean text"]
        sources += ["--raw, a file of rows with both", "--raw and --fence"]
        sources += ["--annotations"] if "--annotations" in _TAKES[method] else []
        sources += ["--from-crawl, with raw pages alone"] if "--from-crawl" in _TAKES[method] else []
        sources += ["--from with --more-clean or --more-dirty"] if "--from" in _TAKES[method] else []
        raise typer.BadParameter(f"give {'; or '.join(sources)}")
    if "--from" in given and not given.isdisjoint({"--order", "--q"}):
        raise typer.BadParameter("--from has its own order and q: leave --order and --q out")


@contextmanager
def _bad_features() -> Iterator[None]:
    """Turns the name of a feature or group that does not exist into a usage error."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--without") from None
