"""`ncleaner sort`."""

from typing import Annotated, Literal

import typer

from ncleaner.cli.parameters import Run, going_on, part, reports_errors, with_options


@reports_errors
@with_options(asked=part(Run, without="shard"))
def command(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT...",
            help="Archives (.warc, .arc, .wet; plain, .gz, .zst, .lz4, .bz2, .xz; .wacz), directories of "
            "these, URLs (s3://…, https://…); - for standard input.",
        ),
    ] = None,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Directory for the archives, new, or of an earlier sort to resume. It needs twice the "
            "space of the inputs.",
        ),
    ],
    by: Annotated[
        Literal["host", "domain"], typer.Option(help="One archive per host, or per registered domain.")
    ] = "host",
    asked: Run,
) -> None:
    """Regroup the records of web archives: one archive per host or registered domain, DIR/XX/HOST.warc.gz.

    Records are copied as they are stored. XX are two digits of a hash of the host. Records that concern no
    host are in DIR/no-host.
    """
    from ncleaner.cli.progress import SortDisplay
    from ncleaner.sorting.regroup import sort

    if not inputs and asked.inputs_from is None:
        raise typer.BadParameter("give archives, or - for standard input", param_hint="INPUT")
    sources = asked.sources(inputs)
    with going_on(), SortDisplay(quiet=asked.quiet, as_json=asked.log_json) as display:
        tally = sort(
            sources, output, by=by, jobs=asked.processes, progress=display.advance, again=asked.again
        )
    display.finish(tally)
    if not tally.complete:
        raise typer.Exit(1)
