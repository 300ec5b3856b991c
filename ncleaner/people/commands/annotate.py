"""`ncleaner annotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.errors import OutputError
from ncleaner.methods.table import DEFAULT_METHOD, DEFAULT_MODEL
from ncleaner.people.options import EncodingOption, ModelOption, PageMethod, PageMethodOption, reports_errors
from ncleaner.people.streams import tell
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible

__all__ = ["command"]


@reports_errors
def command(
    page: Annotated[Path, typer.Argument(help="An HTML page, or a text dump (.txt).")],
    method: PageMethodOption = PageMethod(DEFAULT_METHOD),
    model: ModelOption = DEFAULT_MODEL,
    clean: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Take the labels from an alignment with this cleaned text of the page, not from a method.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.anno",
            help="The annotation file to write.  [default: beside the page]",
            show_default=False,
        ),
    ] = None,
    encoding: EncodingOption = None,
) -> None:
    """Write a page's blocks with their labels: a person corrects them, and `train` learns from them."""
    from ncleaner.methods.choice import load_method
    from ncleaner.modelling.labels import labels_from_kept
    from ncleaner.storage.whole import atomic_file
    from ncleaner.training import annotations as anno

    if clean is not None:
        pair = anno.read_pair(page, clean, encoding)
        document, labels = pair.document, anno.labels_from_alignment(pair)
    else:
        document = anno.read_page(page, encoding)
        kept = load_method(method.value, model).keep(document)
        labels = labels_from_kept(document, kept.mask)
    target = output or page.with_suffix(anno.SUFFIX)
    try:
        with atomic_file(target) as out:
            out.write(anno.write_annotations(document, labels, page.name))
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}") from error
    tell(f"{visible(target)}: {counted(len(labels), 'block')}")
