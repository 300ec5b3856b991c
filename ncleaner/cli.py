"""The command line: options in, one call, exit status out. No logic of its own.

Exit status: 0 all inputs read whole; 1 some input damaged or some page given up, or an error in the data;
2 usage.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from ncleaner.alphabet import ALPHABET_NAMES, MAX_LEARNED
from ncleaner.cleaner import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.cli_options import (
    AltOption,
    EncodingOption,
    InputArgument,
    InputFormatName,
    InputFormatOption,
    InputsFromOption,
    JobsOption,
    LogJsonOption,
    MarkerOption,
    Method,
    MethodOption,
    ModelOption,
    PrecisionOption,
    PrefixOption,
    QuietOption,
    RecallOption,
    ThresholdOption,
    check_marker,
    cores,
    ending_on_signals,
    logged_as_json,
    or_stdin,
    said,
    sources_of,
    threshold_of,
    with_settings,
)
from ncleaner.decision import STATISTICS, Statistic
from ncleaner.errors import OutputError
from ncleaner.training import DEFAULT_Q, FOLDS, SCHEMES, TrainingWarning
from ncleaner.workers import Settings

__all__ = ["app", "main"]

app = typer.Typer(
    name="ncleaner",
    help="Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# Choices are read off the tables, so that a new entry is an option at once; mypy cannot see the members.
AlphabetName = StrEnum("AlphabetName", [(name, name) for name in ALPHABET_NAMES])  # type: ignore[misc]
StatisticName = StrEnum("StatisticName", [(name, name) for name in STATISTICS])  # type: ignore[misc]
SchemeName = StrEnum("SchemeName", [(name, name) for name in SCHEMES])  # type: ignore[misc]
ModelKind = StrEnum("ModelKind", [(name, name) for name in ("ngram", "hybrid", "victor")])  # type: ignore[misc]
StructureName = StrEnum("StructureName", [(name, name) for name in ("shipped", "own")])  # type: ignore[misc]
Unit = StrEnum("Unit", [(name, name) for name in ("word", "char")])  # type: ignore[misc]


@app.command(name="clean")
@said
@with_settings()
def clean_command(
    inputs: InputArgument = None,
    *,
    inputs_from: InputsFromOption = None,
    prefix: PrefixOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A directory gets one file per input, and a manifest: run again, finished inputs are passed "
            "over. A name with a suffix gets everything. Either may be a URL (s3://…, gs://…). Without it "
            "all goes to standard output.",
        ),
    ] = None,
    settings: Settings,
    jobs: JobsOption = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="With -o DIRECTORY: clean the inputs, too, that an earlier run has finished."
        ),
    ] = False,
    quarantine: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A WARC for pages that are given up because they kill, hang or break a worker.  [with -o "
            "DIRECTORY: in quarantine/ there]",
            show_default=False,
        ),
    ] = None,
    log_json: LogJsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Clean web archives, HTML pages or text dumps."""
    from ncleaner.engine import is_directory, run
    from ncleaner.progress import ProgressDisplay

    if quarantine is not None and output is not None and is_directory(output):
        raise typer.BadParameter("with -o DIRECTORY the quarantine is there", param_hint="--quarantine")
    sources = sources_of(inputs if inputs_from else or_stdin(inputs), inputs_from, prefix)
    with (
        logged_as_json(log_json),
        ending_on_signals(),
        ProgressDisplay(sources, quiet=quiet, as_json=log_json) as display,
    ):
        tally = run(
            sources,
            settings,
            output=output if output is not None else sys.stdout.buffer,
            jobs=jobs or cores(),
            progress=display.advance,
            again=again,
            quarantine=quarantine,
        )
        sys.stdout.flush()
    display.finish(tally)
    if not tally.complete:
        raise typer.Exit(1)


@app.command()
@said
def report(
    folder: Annotated[
        str, typer.Argument(metavar="OUT_DIR", help="Directory that `ncleaner clean -o` has written to.")
    ],
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a page of figures, plots and lists there.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All of it as JSON.")] = False,
) -> None:
    """Show what has been done in an output directory: its manifest as a table, or as a page."""
    import json

    from ncleaner.files import whole_file
    from ncleaner.runreport import page, read_report, table

    found = read_report(folder)
    if html is not None:
        try:
            with whole_file(html) as out:
                out.write(page(found).encode("utf-8", "replace"))
        except OSError as error:
            raise OutputError(f"cannot write {html}: {error.strerror}") from error
    print(json.dumps(found.to_dict(), indent=2) if as_json else table(found))


@app.command()
@said
def dump(
    inputs: InputArgument = None,
    input_format: InputFormatOption = InputFormatName("auto"),
    marker: MarkerOption = None,
    encoding: EncodingOption = None,
    alt_text: AltOption = False,
) -> None:
    """Write the uncleaned text dump, a segment a line after its kind (h, l or p)."""
    from ncleaner.inspect import dump_lines

    check_marker(marker)
    complete = True
    for line in dump_lines(or_stdin(inputs), input_format.value, encoding, alt_text, marker):
        if isinstance(line, bytes):
            sys.stdout.buffer.write(line)
        else:
            print(f"ncleaner: {line}", file=sys.stderr)
            complete = False
    sys.stdout.flush()
    if not complete:
        raise typer.Exit(1)


@app.command()
@said
def inspect(
    page: Annotated[str, typer.Argument(help="An HTML or text file, an archive (see --number), or -.")],
    method: MethodOption = Method(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    threshold: ThresholdOption = None,
    precision: PrecisionOption = False,
    recall: RecallOption = False,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which page of an archive.")] = 1,
    input_format: InputFormatOption = InputFormatName("auto"),
    encoding: EncodingOption = None,
) -> None:
    """Show what happens to one page: each segment with its kind, score and fate."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.inspect import page_table

    cleaner = Cleaner(
        method.value, model, threshold=threshold_of(threshold, precision, recall), encoding=encoding
    )
    for line in page_table(page, number, cleaner, input_format.value):
        print(line)


@app.command()
@said
def annotate(
    page: Annotated[Path, typer.Argument(help="An HTML page, or a text dump (.txt).")],
    method: MethodOption = Method(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    clean: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels by alignment with this cleaned text of the page, instead of by a method.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.anno",
            help="Where to.  [default: beside the page]",
            show_default=False,
        ),
    ] = None,
    encoding: EncodingOption = None,
) -> None:
    """Write a page's blocks with their labels, for a person to correct and `train` to learn from."""
    from ncleaner import annotations as anno
    from ncleaner.files import whole_file
    from ncleaner.methods import load_models, make_method

    if clean is not None:
        pair = anno.read_pair(page, clean, encoding)
        document, labels = pair.document, anno.labels_from_alignment(pair)
    else:
        document = anno.read_page(page, encoding)
        kept = make_method(method.value, load_models(method.value, model)).keep(document)
        labels = anno.labels_from_kept(document, kept.mask)
    target = output or page.with_suffix(anno.SUFFIX)
    try:
        with whole_file(target) as out:
            out.write(anno.write_annotations(document, labels, page.name))
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}") from error
    print(f"{target}: {len(labels)} blocks", file=sys.stderr)


# `tune` cannot do without these, `train` can
RAW = typer.Option(help="Directory of pages: HTML, or text dumps (.txt).", show_default=False)
CLEAN = typer.Option(help="Directory of their cleaned text: same names, .txt, UTF-8.", show_default=False)
ManifestOption = Annotated[
    Path | None,
    typer.Option(
        help="JSON lines with the id and url of each page, so that no site stands on both sides of a "
        "cross-validation.  [default: manifest.jsonl beside the pages, if there]",
        show_default=False,
    ),
]
SizeOption = Annotated[
    int, typer.Option("--alphabet-size", min=1, max=MAX_LEARNED, help="Characters of a learned alphabet.")
]
CasedOption = Annotated[bool, typer.Option("--cased", help="A learned alphabet tells capitals apart.")]


@app.command()
@said
def train(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The model file to write.")],
    raw: Annotated[Path | None, RAW] = None,
    clean: Annotated[Path | None, CLEAN] = None,
    method: Annotated[
        ModelKind,
        typer.Option(
            "--method",
            "-m",
            help="What to train: n-grams, which the methods ngram and hybrid take; a hybrid, n-grams with "
            "the structure model calibrated to them; or a model of victor.",
        ),
    ] = ModelKind("ngram"),
    annotations: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="hybrid, victor: directory of annotated pages, .anno files beside them (see `annotate`).",
            show_default=False,
        ),
    ] = None,
    structure: Annotated[
        StructureName,
        typer.Option(
            help="hybrid: calibrate the shipped structure model to these pages, or train one of their own "
            "(hundreds of pages; needs the extra `train`)."
        ),
    ] = StructureName("shipped"),
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE|GROUP",
            help="hybrid with --structure own, victor: leave these features out; may be given several times.",
            show_default=False,
        ),
    ] = None,
    manifest: ManifestOption = None,
    order: Annotated[
        int | None,
        typer.Option(
            "--order",
            "-n",
            min=1,
            max=8,
            help="n, the length of the n-grams.  [default: 2, from two million characters of text 3]",
            show_default=False,
        ),
    ] = None,
    q: Annotated[
        float | None,
        typer.Option(
            help=f"Interpolation factor, between 0 and 1: larger smooths more.  [default: {DEFAULT_Q}]",
            show_default=False,
        ),
    ] = None,
    alphabet: Annotated[
        AlphabetName,
        typer.Option(
            help="learned: frequent characters of the pages, classes for the rest; ascii: folded to ASCII; "
            "nonlexical: letters to a, digits to 0."
        ),
    ] = AlphabetName("learned"),
    alphabet_size: SizeOption = 60,
    cased: CasedOption = False,
    scheme: Annotated[
        SchemeName,
        typer.Option(
            help="aligned: label the pages' segments by the clean text; differential: raw minus clean counts."
        ),
    ] = SchemeName("aligned"),
    statistic: Annotated[
        StatisticName,
        typer.Option(
            help="What decides on a segment: its log-odds given the whole page, by itself, or per character."
        ),
    ] = StatisticName("page"),
    threshold: Annotated[
        float | None,
        typer.Option(
            help="In bits; segments that reach it are kept.  [default: found by cross-validation]",
            show_default=False,
        ),
    ] = None,
    more_clean: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="More clean text; may be given several times.", show_default=False),
    ] = None,
    more_dirty: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="More dirty text, such as menus; may be given several times.",
            show_default=False,
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME|FILE",
            help="Adapt this model: start from its counts, order, q and alphabet.",
            show_default=False,
        ),
    ] = None,
    encoding: EncodingOption = None,
    name: Annotated[
        str | None,
        typer.Option(help="Name to record in the model.  [default: that of the file]", show_default=False),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="Language to record in the model, as in <html lang>.", show_default=False),
    ] = None,
    sources: Annotated[
        str | None, typer.Option(help="Data and licence to record in the model.", show_default=False)
    ] = None,
    date: Annotated[
        str | None,
        typer.Option(
            help="Date to record in the model; none by default, so that the same pages give the same bytes.",
            show_default=False,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Errors only.")] = False,
) -> None:
    """Train a model from pages and their cleaned text (about 50 are enough), or adapt one."""
    from ncleaner.annotations import read_annotated
    from ncleaner.catalogue import summary
    from ncleaner.hybrid import HybridModel, load_ngrams
    from ncleaner.hybrid_training import train_hybrid
    from ncleaner.model import NGramModel, interpolation_weights
    from ncleaner.pairs import read_pairs, read_texts
    from ncleaner.training import train as train_model

    try:
        interpolation_weights(order or 1, DEFAULT_Q if q is None else q)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--q") from None
    recorded = {"name": name or output.stem, "language": language, "sources": sources, "date": date}
    about = {key: value for key, value in recorded.items() if value}
    if method.value == "victor":
        foreign = order or q or threshold is not None or more_clean or more_dirty or base
        if foreign or (raw is None) != (clean is None) or not (raw or annotations):
            raise typer.BadParameter(
                "--method victor takes --raw and --clean, or --annotations, or both; no order, q, threshold, "
                "further text or model to start from"
            )
        _train_victor(output, raw, clean, annotations, manifest, encoding, without or [], about, quiet=quiet)
        return
    hybrid = method.value == "hybrid"
    if annotations is not None and not hybrid:
        raise typer.BadParameter("--annotations are for --method hybrid or victor")
    if (without or structure.value == "own") and not hybrid:
        raise typer.BadParameter("--structure and --without are for --method hybrid")
    if without and structure.value != "own":
        raise typer.BadParameter("--without needs --structure own: the shipped model has its features")
    if (raw is None) != (clean is None) or (
        raw is None and not annotations and not (base and (more_clean or more_dirty))
    ):
        raise typer.BadParameter(
            "give --raw and --clean, directories of pages and of their clean text; or --from with "
            "--more-clean or --more-dirty"
        )
    if base and (order is not None or q is not None):
        raise typer.BadParameter("--from brings its own order and q: leave --order and --q out")
    with _notes(quiet):
        pairs = read_pairs(raw, clean, encoding=encoding, manifest=manifest) if raw and clean else []
        options: dict[str, Any] = {
            "order": order,
            "q": q,
            "alphabet": alphabet.value,
            "size": alphabet_size,
            "cased": cased,
            "scheme": scheme.value,
            "statistic": statistic.value,
            "more_clean": read_texts(more_clean or []),
            "more_dirty": read_texts(more_dirty or []),
            "base": load_ngrams(base) if base else None,
            "about": about,
        }
        trained: NGramModel | HybridModel
        if hybrid:
            with _bad_features():
                trained = train_hybrid(
                    pairs,
                    read_annotated(annotations, encoding=encoding) if annotations else [],
                    structure=cast(Any, structure.value),
                    without=without or [],
                    threads=cores(),
                    **options,
                ).with_parameters(threshold=threshold)
        else:
            trained = train_model(pairs, threshold=threshold, **options)
    trained.save(output)
    if not quiet:
        print(f"{output}: {summary(trained)}", file=sys.stderr)


@contextmanager
def _bad_features() -> Iterator[None]:
    """Turns a feature or group that there is not into usage."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--without") from None


def _train_victor(
    output: Path, raw: Path | None, clean: Path | None, annotations: Path | None, manifest: Path | None,
    encoding: str | None, without: list[str], about: dict[str, str], *, quiet: bool,
) -> None:  # fmt: skip
    from ncleaner.annotations import read_annotated
    from ncleaner.catalogue import victor_summary
    from ncleaner.pairs import read_pairs
    from ncleaner.victor import train_victor

    with _notes(quiet), _bad_features():
        trained = train_victor(
            read_pairs(raw, clean, encoding=encoding, manifest=manifest) if raw and clean else [],
            read_annotated(annotations, encoding=encoding) if annotations else [],
            without=without,
            about=about,
        )
    trained.save(output)
    if not quiet:
        print(f"{output}: {victor_summary(trained)}", file=sys.stderr)


@contextmanager
def _notes(quiet: bool) -> Iterator[None]:
    """Prints what training has to say of its data as lines on standard error."""

    def show(message: Warning | str, category: type[Warning], *_: Any) -> None:
        if not (quiet and issubclass(category, TrainingWarning)):
            print(f"ncleaner: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always", TrainingWarning)
        warnings.showwarning = show  # type: ignore[assignment]
        yield


@app.command()
@said
def tune(
    raw: Annotated[Path, RAW],
    clean: Annotated[Path, CLEAN],
    manifest: ManifestOption = None,
    encoding: EncodingOption = None,
    order: Annotated[
        list[int] | None,
        typer.Option(
            "--order",
            "-n",
            min=1,
            max=8,
            help="n to try; may be given several times.  [default: 1 to 8]",
            show_default=False,
        ),
    ] = None,
    q: Annotated[
        list[float] | None,
        typer.Option(
            help="Interpolation factor to try; may be given several times.  [default: 0.1 to 0.9, and 0.95]",
            show_default=False,
        ),
    ] = None,
    alphabet: Annotated[
        list[AlphabetName] | None,
        typer.Option(help="Alphabet to try; may be given several times.  [default: all]", show_default=False),
    ] = None,
    alphabet_size: SizeOption = 60,
    cased: CasedOption = False,
    scheme: Annotated[
        list[SchemeName] | None,
        typer.Option(
            help="Training scheme to try; may be given several times.  [default: aligned]", show_default=False
        ),
    ] = None,
    statistic: Annotated[
        StatisticName, typer.Option(help="What a segment is decided by, as of `train`.")
    ] = StatisticName("page"),
    folds: Annotated[
        int, typer.Option(min=2, help="Folds of the cross-validation; no site stands in two of them.")
    ] = FOLDS,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PREFIX",
            help="The plots become PREFIX.png and PREFIX.svg; the proposed command writes PREFIX.ncm.",
        ),
    ] = Path("tune"),
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write all figures there.", show_default=False),
    ] = None,
    jobs: JobsOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, errors only.")] = False,
) -> None:
    """Find n, q and alphabet by cross-validation: tables, plots, and the command that trains the best."""
    import json

    from ncleaner.model import MAX_ORDER, interpolation_weights
    from ncleaner.pairs import read_pairs
    from ncleaner.plots import draw_tuning, plot_paths, save
    from ncleaner.progress import CountDisplay
    from ncleaner.training import Scheme
    from ncleaner.trials import render, train_command
    from ncleaner.tuning import DEFAULT_QS
    from ncleaner.tuning import tune as search

    try:
        for value in q or ():
            interpolation_weights(1, value)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--q") from None
    plots = plot_paths(output)
    # said now, not when all is done
    for path in (*plots, *([json_file] if json_file else [])):
        if not path.parent.is_dir():
            raise OutputError(f"cannot write {path}: there is no directory {path.parent}")
    with _notes(quiet), CountDisplay("steps", quiet=quiet) as display:
        tuning = search(
            read_pairs(raw, clean, encoding=encoding, manifest=manifest),
            orders=order or range(1, MAX_ORDER + 1),
            qs=q or DEFAULT_QS,
            alphabets=[name.value for name in alphabet or AlphabetName],
            schemes=[cast(Scheme, name.value) for name in scheme or [SchemeName("aligned")]],
            statistic=cast(Statistic, statistic.value),
            size=alphabet_size,
            cased=cased,
            k=folds,
            jobs=jobs or cores(),
            progress=display.advance,
        )
    command = train_command(
        tuning,
        raw=raw,
        clean=clean,
        manifest=manifest,
        encoding=encoding,
        size=alphabet_size,
        cased=cased,
        output=plots[0].with_suffix(".ncm"),
    )
    if json_file:
        text = json.dumps({**tuning.to_dict(), "command": command}, ensure_ascii=False, indent=2)
        try:
            json_file.write_text(text + "\n", "utf-8")
        except OSError as error:
            raise OutputError(f"cannot write {json_file}: {error.strerror}") from error
    save(draw_tuning(tuning), plots)
    print(f"{render(tuning)}\nPlots: {', '.join(map(str, plots))}\n\n{command}")


@app.command()
@said
def evaluate(
    predicted: Annotated[
        Path, typer.Argument(metavar="PRED_DIR", help="Directory of cleaned text; with --curve of pages.")
    ],
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD_DIR", help="Directory of gold text, files of the same names.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="All figures, per page too, as JSON.")] = False,
    per_page: Annotated[bool, typer.Option("--per-page", help="A line for each page as well.")] = False,
    unit: Annotated[
        Unit, typer.Option(help="What the multiset F1 counts: char for scripts without spaces.")
    ] = Unit("word"),
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Leave non-ASCII characters out, as cleaneval.py -a does.")
    ] = False,
    align: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write each page's alignment with its gold text there.")
    ] = None,
    jobs: JobsOption = None,
    curve: Annotated[
        Path | None,
        typer.Option(
            metavar="PREFIX",
            help="Clean the pages of PRED_DIR with --model at all thresholds: a table of precision and "
            "recall, and the curve as PREFIX.png and PREFIX.svg.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME|FILE", help="The model of --curve.")
    ] = DEFAULT_MODEL,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Compare cleaned text with a gold standard: precision, recall and F as cleaneval.py has them."""
    import json

    from ncleaner.evaluation import evaluate as evaluate_directories
    from ncleaner.evaluation import render
    from ncleaner.progress import CountDisplay

    if curve is not None:
        _draw_curve(predicted, gold, model, curve, as_json=as_json, quiet=quiet)
        return
    with CountDisplay("pages compared", quiet=quiet) as display:
        result = evaluate_directories(
            predicted,
            gold,
            unit=cast(Literal["word", "char"], unit.value),
            ascii_only=ascii_only,
            jobs=jobs or cores(),
            progress=display.advance,
            align_dir=align,
        )
    print(
        json.dumps(result.to_dict(), ensure_ascii=False, indent=2)
        if as_json
        else render(result, per_page=per_page)
    )


def _draw_curve(raw: Path, gold: Path, model: str, prefix: Path, *, as_json: bool, quiet: bool) -> None:
    import json

    from ncleaner.curve import precision_recall, render
    from ncleaner.model import load_model
    from ncleaner.pairs import read_pairs
    from ncleaner.plots import draw_curve, plot_paths, save
    from ncleaner.progress import CountDisplay

    paths = plot_paths(prefix)
    loaded = load_model(model)
    with CountDisplay("pages read", quiet=quiet) as display:
        pairs = read_pairs(raw, gold, progress=display.advance)
    found = precision_recall(pairs, loaded)
    save(draw_curve(found), paths)
    print(json.dumps(found.to_dict(), ensure_ascii=False, indent=2) if as_json else render(found))
    if not quiet:
        print(f"Plots: {', '.join(map(str, paths))}", file=sys.stderr)


models_app = typer.Typer(
    help="List the models that come with the package, or show what one has learned.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
)
app.add_typer(models_app, name="models")


@models_app.callback()
@said
def models(context: typer.Context) -> None:
    """List the models that come with the package, or show what one has learned."""
    from ncleaner.catalogue import model_table

    if context.invoked_subcommand is None:
        print(model_table())


@models_app.command()
@said
def show(
    model: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A shipped model, or a file.")],
    number: Annotated[int, typer.Option("--number", "-n", min=0, help="n-grams of each side.")] = 20,
) -> None:
    """Show a model: parameters, training, figures, and its most telling n-grams of each side."""
    from ncleaner.catalogue import describe_file

    print(describe_file(model, number))


def version(value: bool) -> None:
    """Prints the version and ends."""
    if value:
        from importlib.metadata import version as installed

        print(f"ncleaner {installed('ncleaner')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Corpus cleaning: web archives, HTML pages and text dumps in, clean running text out."""


def main() -> None:
    """Entry point of the `ncleaner` command."""
    app()
