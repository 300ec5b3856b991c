"""`ncleaner train`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from ncleaner.people.options import EncodingOption, cores, said
from ncleaner.people.training_options import (
    CLEAN,
    RAW,
    AlphabetName,
    CasedOption,
    ManifestOption,
    SchemeName,
    SizeOption,
    StatisticName,
    training_notes,
)
from ncleaner.training.ngrams import DEFAULT_Q

__all__ = ["train"]

ModelKind = StrEnum("ModelKind", [(name, name) for name in ("ngram", "hybrid", "victor")])  # type: ignore[misc]
StructureName = StrEnum("StructureName", [(name, name) for name in ("shipped", "own")])  # type: ignore[misc]


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
    from ncleaner.modelling.hybrid import HybridModel, load_ngrams
    from ncleaner.modelling.ngrams import NGramModel, interpolation_weights
    from ncleaner.people.cards import summary
    from ncleaner.training.annotations import read_annotated
    from ncleaner.training.hybrid import train_hybrid
    from ncleaner.training.ngrams import train as train_model
    from ncleaner.training.pairs import read_pairs, read_texts

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
    with training_notes(quiet):
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
    from ncleaner.people.cards import victor_summary
    from ncleaner.training.annotations import read_annotated
    from ncleaner.training.pairs import read_pairs
    from ncleaner.training.victor import train_victor

    with training_notes(quiet), _bad_features():
        trained = train_victor(
            read_pairs(raw, clean, encoding=encoding, manifest=manifest) if raw and clean else [],
            read_annotated(annotations, encoding=encoding) if annotations else [],
            without=without,
            about=about,
        )
    trained.save(output)
    if not quiet:
        print(f"{output}: {victor_summary(trained)}", file=sys.stderr)
