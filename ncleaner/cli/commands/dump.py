"""`ncleaner dump`."""

from collections.abc import Iterator
from dataclasses import replace

import typer

from ncleaner.cli.parameters import InputArgument, or_stdin, part, reports_errors, with_options
from ncleaner.cli.printing import show_bytes, tell_error
from ncleaner.errors import NcleanerError
from ncleaner.page import Damage, Page, Skip
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Reading, Settings
from ncleaner.text.visible import visible


@reports_errors
@with_options(reading=Reading, recipe=part(Recipe, "text encoding alt_text readings"))
def command(inputs: InputArgument = None, *, reading: Reading, recipe: Recipe) -> None:
    """Write the uncleaned text dump: one segment per line, after its kind (h, l or p) and a tab."""
    complete = True
    for line in _lines(or_stdin(inputs), Settings(recipe, reading)):
        if isinstance(line, bytes):
            show_bytes(line)
        else:
            tell_error(line)
            complete = False
    if not complete:
        raise typer.Exit(1)


def _lines(paths: list[str], settings: Settings) -> Iterator[bytes | str]:
    """Yields the segments of all pages as lines of bytes, and what went wrong as str."""
    from ncleaner.cleaner import Cleaner
    from ncleaner.reading.inputs import find_inputs
    from ncleaner.running.tally import note_of

    cleaner = Cleaner(replace(settings.recipe, method="everything"))
    for source in find_inputs(paths):
        for item in settings.read(source.path):
            if isinstance(item, Damage) or (isinstance(item, Skip) and item.lost):
                yield str(note_of(item))
            elif isinstance(item, Page):
                try:
                    document, shown = cleaner.page(item)
                except NcleanerError as error:
                    yield str(note_of(item, str(error)))
                    continue
                if not item.is_alone:
                    yield f"URL: {visible(item.url or f'offset:{item.offset}')}\n".encode()
                for segment in (document[row] for row in shown.mask.nonzero()[0].tolist()):
                    yield f"{segment.kind}\t{segment.text}\n".encode()
                if not item.is_alone:
                    yield b"\n"
