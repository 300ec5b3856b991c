"""What people decide about `train` and `evaluate`, each option declared once. Nothing here loads NumPy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ncleaner.lab.training import NGramOptions, StructureSource
from ncleaner.methods.registry import DEFAULT_METHOD, METHODS
from ncleaner.options import REQUIRED, Declared, option, options_of

_PAGES = "Pages"
_NGRAMS = "N-grams"
# A kind of model has the name of the method that it is made for.
_TRAINABLE = tuple(
    entry.name for entry in METHODS.values() if entry.kinds and entry.kinds[0].name == entry.name
)
WITH_NGRAMS = ("hybrid", "ngram")
_FLAGS_OF_NGRAMS = {each.names[0] for each in options_of(NGramOptions) if each.flags is not None}
_MODEL = "Model"


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
        of=WITH_NGRAMS, metavar="INPUT", panel=_PAGES,
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
        kind=float, of=WITH_NGRAMS, metavar="BITS", what="a number of bits", common=False, panel=_MODEL,
        otherwise="ngram finds them by cross-validation, hybrid decides for the page as a whole",
    )  # fmt: skip
    more_clean: tuple[Path, ...] = option(
        (),
        "More clean text; may be given several times.",
        each=Path, of=WITH_NGRAMS, metavar="FILE", common=False, panel=_NGRAMS,
    )  # fmt: skip
    more_dirty: tuple[Path, ...] = option(
        (),
        "More dirty text, such as menus; may be given several times.",
        each=Path, of=WITH_NGRAMS, metavar="FILE", common=False, panel=_NGRAMS,
    )  # fmt: skip
    base: str | None = option(
        None,
        "Adapt this model. Starts from its counts, order, q and alphabet.",
        kind=str, of=WITH_NGRAMS, flags="--from", metavar="NAME|FILE", panel=_MODEL,
    )  # fmt: skip
    learning_curve: bool = option(
        False,
        "Tell whether more pages would help. Also trains on a half, a quarter … of the pages, which takes "
        "some seconds; the model keeps the figures.",
        of=("hybrid",), panel=_MODEL,
    )  # fmt: skip


def takers_of(flag: str) -> tuple[str, ...]:
    """Returns the kinds of model that take an option; all if it is for all."""
    if flag in _FLAGS_OF_NGRAMS:
        return WITH_NGRAMS
    return next((each.of for each in options_of(Training) if each.names[0] == flag), ())


_MEASURED = "What is measured"
_OUTPUT = "Output"


@dataclass(frozen=True, slots=True)
class Measuring(Declared):
    """What is measured, and what is shown of it."""

    unit: Literal["auto", "word", "char"] = option(
        "auto",
        "What the multiset F counts. auto: characters in scripts without spaces, words in others.",
        choices=("auto", "word", "char"), panel=_MEASURED,
    )  # fmt: skip
    ascii_only: bool = option(
        False, "Leave non-ASCII characters out, as cleaneval.py -a does.", flags="--ascii", common=False,
        panel=_MEASURED,
    )  # fmt: skip
    raw: Path | None = option(
        None,
        "The pages of GOLD_DIR. They show the sites, and which zones, such as headlines, the gold texts "
        "contain. By default the directory `raw` beside GOLD_DIR, if there is one.",
        kind=Path, metavar="DIR", panel=_MEASURED,
    )  # fmt: skip
    json: bool = option(
        False, "Print figures as JSON. All of them, those of each page included.", panel=_OUTPUT
    )
    per_page: bool = option(False, "Also print a line for each page.", panel=_OUTPUT)
    align: Path | None = option(
        None, "Write the alignment of each page with its gold text to this directory.",
        kind=Path, metavar="DIR", common=False, panel=_OUTPUT,
    )  # fmt: skip
    curve: Path | None = option(
        None,
        "Draw precision against recall. Cleans the pages of PRED_DIR at all thresholds, with n-grams unless "
        "--method names another method (with --html, by the method of the report); prints the figures, and "
        "draws the curve as PREFIX.svg.",
        kind=Path, metavar="PREFIX", panel=_OUTPUT,
    )  # fmt: skip
    html: Path | None = option(
        None,
        "Write a report as HTML. It has all figures, the differences of the worst pages and, if pages are "
        "cleaned, the curve; a directory beside it shows what is wrong on each of these pages.",
        kind=Path, metavar="FILE", panel=_OUTPUT,
    )  # fmt: skip
    worst: int = option(
        20, "Number of the worst pages that --html shows.", low=0, common=False, panel=_OUTPUT
    )
