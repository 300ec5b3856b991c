"""`ncleaner doctor`."""

from itertools import groupby
from operator import itemgetter
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from ncleaner.cli.parameters import reports_errors
from ncleaner.cli.printing import show, show_json
from ncleaner.pools import cores
from ncleaner.text.visible import counted, visible

if TYPE_CHECKING:
    from ncleaner.cli.checking import Finding


_WIDTH = 80
_MARKS = {"ok": "ok", "note": "note", "broken": "BROKEN"}


@reports_errors
def command(
    speed: Annotated[
        bool, typer.Option("--rates/--no-rates", help="Measure how fast this machine cleans: two seconds.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON.")] = False,
) -> None:
    """Check the installation, and measure its speed on this machine.

    Exit status 1: something is broken; the line says what to do. A note is about something that works, but
    could be faster, or is not installed.
    """
    from ncleaner.cli.checking import findings

    broken, records = 0, []
    for part, members in groupby(findings(cores(), speed), key=itemgetter(0)):
        if not as_json:
            show(f"{part[:1].upper()}{part[1:]}")
        for _, finding in members:
            broken += finding.state == "broken"
            if as_json:
                records.append({"part": part, **finding.record()})
            else:
                show("\n".join(_lines(finding)))
    if as_json:
        show_json({"broken": broken, "findings": records})
    else:
        show(
            f"\n{counted(broken, 'thing is broken', 'things are broken') if broken else 'Nothing is broken.'}"
        )
    if broken:
        raise typer.Exit(1)


def _lines(finding: "Finding") -> list[str]:
    """Returns a finding as lines: its state, name and sentence, and what to do below them."""
    head = f"  {_MARKS[finding.state]:<7} {visible(finding.name):<17}"
    lines = wrap(
        f"{head} {visible(finding.said)}", _WIDTH, subsequent_indent=" " * (len(head) + 1),
        break_long_words=False, break_on_hyphens=False, drop_whitespace=True,
    )  # fmt: skip
    if finding.remedy:
        # not wrapped: it is copied into a terminal
        lines.append(" " * (len(head) + 1) + visible(finding.remedy))
    return lines
