"""Pages cleaned by hand: labels on disk, the order of the pages, agreement, and the web page.

What people decide about annotating, each option declared once.
"""

from dataclasses import dataclass
from pathlib import Path

from ncleaner.options import Declared, option


@dataclass(frozen=True, slots=True)
class Annotating(Declared):
    """Who annotates which pages, with what help."""

    annotator: str = option(
        "me", "Name of the annotator. Each has separate labels.", metavar="NAME", panel="People"
    )
    settle: bool = option(False, "Decide where two others differ. Shows these segments only.", panel="People")
    agreement: bool = option(
        False, "Print how far annotators agree. Lists all disagreements, too; then ends.", panel="People"
    )
    port: int | None = option(
        None, "Port of the web page, which only this machine reaches.",
        kind=int, low=0, high=65535, otherwise="a free one", common=False, panel="Where it is done",
    )  # fmt: skip
    browser: bool = option(
        True, "Only print the address of the web page, and open no browser.", common=False,
        panel="Where it is done",
    )  # fmt: skip
    pages: int = option(
        500, "Take N pages of an archive. At most, and some of each site.", low=1, panel="Pages"
    )
    goal: int = option(50, "Number of pages to finish. For the estimate of time.", low=1, panel="What helps")
    every: int = option(
        3,
        "Train a model in the background after every N finished pages; 0: never, and the order of the pages "
        "ignores doubt.",
        low=0, common=False, panel="What helps",
    )  # fmt: skip
    anno: bool = option(
        False, "Also write Victor's file (.anno) of each page.", common=False, panel="Labels of Victor"
    )
    output: Path | None = option(
        None,
        "Directory of the project. For an archive: it gets pages, labels and clean texts. For one page, the "
        "file of its labels.",
        kind=Path, otherwise="beside the input", flags="--output -o", metavar="DIR|FILE.anno", panel="Pages",
    )  # fmt: skip
    clean: Path | None = option(
        None,
        "For one page: take the labels from an alignment with this cleaned text of the page, not from a "
        "method.",
        kind=Path, metavar="FILE", common=False, panel="Labels of Victor",
    )  # fmt: skip
