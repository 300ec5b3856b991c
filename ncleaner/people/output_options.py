"""The options of an output: its format, its compression, and what each format has besides text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NamedTuple, cast

import typer

from ncleaner.markup.options import SPANS, MarkupOptions
from ncleaner.sinks.base import SinkOptions
from ncleaner.sinks.choice import COMPRESSIONS, FORMATS, make_sink

__all__ = ["Format", "Output", "output_of"]

Format = StrEnum("Format", [(name, name) for name in FORMATS])  # type: ignore[misc]
SpansName = StrEnum("SpansName", [(name, name) for name in SPANS])  # type: ignore[misc]
Compression = StrEnum("Compression", [(name, name) for name in COMPRESSIONS])  # type: ignore[misc]

FormatOption = Annotated[Format, typer.Option("--format", "-f", help=f"Output format: {', '.join(FORMATS)}.")]
CompressOption = Annotated[
    Compression | None,
    typer.Option(
        help="Compress the output: text, markdown, html, cleaneval, jsonl, vertical.", show_default=False
    ),
]
SegmentsOption = Annotated[
    bool, typer.Option("--segments", help="jsonl: add each segment's kind, score and offsets.")
]
MetadataOption = Annotated[
    bool,
    typer.Option(
        "--metadata",
        help="jsonl, parquet, vertical, prevertical, tei: add what each page says of itself: title without "
        "the site's name, authors, dates, site, description, canonical address, licence, image.",
    ),
]
SignalsOption = Annotated[
    bool,
    typer.Option(
        "--signals",
        help="jsonl, parquet: add figures of each page to filter by: words, share kept, mean score, link "
        "density, share of lists, a hash of the text, and so on.",
    ),
]
SentencesOption = Annotated[
    bool,
    typer.Option(
        "--sentences",
        help="vertical, prevertical, tei: mark sentences with <s> (needs the extra `sentences`).",
    ),
]
AttributeOption = Annotated[
    list[str],
    typer.Option(
        "--attribute",
        metavar="NAME[=FIELD]",
        help="vertical, prevertical: an attribute of <doc>, in place of the usual ones; can be repeated. "
        "FIELD is url, date, host, domain, language, published, authors, words and so on, or a column of "
        "--table.",
        show_default=False,
    ),
]
TableOption = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="vertical, prevertical, tei: what you know of the documents: CSV, TSV or JSON lines with a "
        "column url or file; the other columns become attributes.",
        show_default=False,
    ),
]
MarkdownOption = Annotated[
    bool, typer.Option("--markdown", help="jsonl, parquet: add each page as Markdown, in `markdown`.")
]
LinksOption = Annotated[bool, typer.Option("--links", help="markdown, html: write the targets of links.")]
ImagesOption = Annotated[bool, typer.Option("--images", help="markdown, html: write images.")]
SpansOption = Annotated[
    SpansName,
    typer.Option(
        "--spans",
        help="markdown, html: write the text of a cell over several columns or rows once (merge), or in each "
        "of them (repeat).",
    ),
]
FrontMatterOption = Annotated[
    bool,
    typer.Option(
        "--front-matter",
        help="markdown: begin each page with what it says of itself, as YAML: url, title, authors, dates.",
    ),
]
ReferencesOption = Annotated[
    bool, typer.Option("--references", help="signatures: add the HTML of each page, for the method `site`.")
]
DuplicatesOption = Annotated[
    bool,
    typer.Option(
        "--duplicates",
        help="signatures, and jsonl and parquet with --signals: add what finding near duplicates takes "
        "(needs the extra `duplicates`).",
    ),
]


class Output(NamedTuple):
    """An output that the user asks for."""

    format: str
    options: SinkOptions


_CORPORA = ("vertical", "prevertical", "tei")
# {option: formats that have it}
_OF_FORMATS = {
    "references": ("signatures",),
    "duplicates": ("signatures", "jsonl", "parquet"),
    "metadata": ("jsonl", "parquet", *_CORPORA),
    "signals": ("jsonl", "parquet"),
    "sentences": _CORPORA,
    "attributes": ("vertical", "prevertical"),
    "table": _CORPORA,
    "markdown": ("jsonl", "parquet"),
    "front_matter": ("markdown",),
}


def _markup_options(name: str, markdown: bool, links: bool, images: bool, spans: str) -> MarkupOptions:
    """Returns the options of Markdown and HTML. Raises BadParameter: the output has neither."""
    options = MarkupOptions(links, images, cast(Any, spans))
    if options != MarkupOptions() and not markdown and name not in ("markdown", "html"):
        option = "--links" if links else "--images" if images else "--spans"
        raise typer.BadParameter(
            f"only --format markdown and html have it, and --markdown, not {name}", param_hint=option
        )
    return options


def _sink_options(name: str, options: SinkOptions) -> SinkOptions:
    """Returns the options of the output. Raises BadParameter: the format cannot do it."""
    for option, formats in _OF_FORMATS.items():
        if getattr(options, option) and name not in formats:
            known = " and ".join(filter(None, [", ".join(formats[:-1]), formats[-1]]))
            verb = "have" if len(formats) > 1 else "has"
            shown = option.removesuffix("s") if option == "attributes" else option
            raise typer.BadParameter(
                f"only {known} {verb} it, not {name}: see --format", param_hint=f"--{shown.replace('_', '-')}"
            )
    if options.duplicates and name != "signatures":
        if not options.signals:
            raise typer.BadParameter(
                f"in {name} it is part of --signals: give both", param_hint="--duplicates"
            )
        from ncleaner.surveying.duplicates import require_rensa

        require_rensa()
    if name in ("vertical", "prevertical"):
        from ncleaner.sinks.fields import Fields

        try:
            Fields(options)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--attribute") from None
    try:
        make_sink(name, options)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--compress") from None
    return options


def output_of(
    output_format: FormatOption = Format("text"),
    compress: CompressOption = None,
    segments: SegmentsOption = False,
    references: ReferencesOption = False,
    duplicates: DuplicatesOption = False,
    metadata: MetadataOption = False,
    signals: SignalsOption = False,
    sentences: SentencesOption = False,
    attributes: AttributeOption = [],  # noqa: B006
    table: TableOption = None,
    markdown: MarkdownOption = False,
    links: LinksOption = False,
    images: ImagesOption = False,
    spans: SpansOption = SpansName("merge"),
    front_matter: FrontMatterOption = False,
) -> Output:
    """Returns the output. Raises BadParameter: the format cannot do what is asked for."""
    name = output_format.value
    options = SinkOptions(
        segments=segments,
        compression=cast(Any, compress.value) if compress else None,
        references=references,
        duplicates=duplicates,
        metadata=metadata,
        signals=signals,
        sentences=sentences,
        attributes=tuple(attributes),
        table=table,
        markdown=markdown,
        markup=_markup_options(name, markdown, links, images, spans.value),
        front_matter=front_matter,
    )
    return Output(name, _sink_options(name, options))
