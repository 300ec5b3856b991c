"""Models from pages and their cleaned text.

What people decide about training, each option declared once. Nothing here loads NumPy.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ncleaner.arguments import check_choice, check_is, shown
from ncleaner.modelling import (
    ALPHABET_NAMES,
    DEFAULT_Q,
    LEAST_Q,
    MAX_LEARNED,
    MAX_ORDER,
    MOST_Q,
    SCHEMES,
    STATISTICS,
)
from ncleaner.options import Declared, OptionError, option, record_of
from ncleaner.text.codes import language_in

if TYPE_CHECKING:
    from ncleaner.document import Document
    from ncleaner.modelling import Scheme, Statistic
    from ncleaner.modelling.alphabet import Alphabet
    from ncleaner.modelling.ngrams import NGramModel

StructureSource = Literal["shipped", "own"]
"""Whose structure model a hybrid gets."""
DEFAULT_ALPHABET = "learned"
_PAGES = "Pages"
_NGRAMS = "N-grams"
_RECORDED = "What the model records"


def check_all(name: str, values: Iterable[object], kind: type, what: str) -> None:
    """Raises TypeError: the values are one string, nothing that can be gone through, or not all
    of this type."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} must be {what}, not {shown(values)}")
    if isinstance(values, Sequence):
        for value in values:
            check_is(f"each of {name}", value, kind, what)


def _check_alphabet(name: str, value: Any) -> None:
    if isinstance(value, str):
        check_choice(name, value, ALPHABET_NAMES)
    else:
        from ncleaner.modelling.alphabet import Alphabet

        check_is(name, value, Alphabet, f"an alphabet, or one of {', '.join(ALPHABET_NAMES)}")


def _check_documents(name: str, value: Any) -> None:
    from ncleaner.document import Document

    check_all(name, value, Document, "documents")


def _check_base(name: str, value: Any) -> None:
    from ncleaner.modelling.ngrams import NGramModel

    check_is(name, value, NGramModel, "an n-gram model")


@dataclass(frozen=True, slots=True)
class NGramOptions(Declared):
    """How n-grams are trained: the arguments of `ncleaner.train` as one value."""

    order: int | None = option(
        None,
        "n, the length of the n-grams.",
        kind=int, low=1, high=MAX_ORDER, otherwise="2; 3 from two million characters of text",
        flags="--order -n", panel=_NGRAMS,
    )  # fmt: skip
    q: float | None = option(
        None,
        "Interpolation factor, between 0 and 1; larger values smooth more.",
        kind=float, low=LEAST_Q, high=MOST_Q, otherwise=f"{DEFAULT_Q}", panel=_NGRAMS,
    )  # fmt: skip
    alphabet: "str | Alphabet" = option(
        DEFAULT_ALPHABET,
        "learned: the frequent characters of the pages, and classes for the rest; ascii: folding to ASCII; "
        "nonlexical: letters become a, digits become 0.",
        choices=ALPHABET_NAMES, check=_check_alphabet, panel=_NGRAMS,
    )  # fmt: skip
    size: int = option(
        60, "Characters of a learned alphabet.",
        low=1, high=MAX_LEARNED, flags="--alphabet-size", panel=_NGRAMS,
    )  # fmt: skip
    cased: bool = option(False, "Let a learned alphabet distinguish capitals.", panel=_NGRAMS)
    scheme: "Scheme" = option(
        "aligned",
        "aligned: label the pages' segments by the clean text; differential: raw minus clean counts.",
        choices=SCHEMES, panel=_NGRAMS,
    )  # fmt: skip
    statistic: "Statistic" = option(
        "page",
        "By what n-grams decide on a segment: its log-odds given the whole page, alone, or per character.",
        choices=STATISTICS, panel=_NGRAMS,
    )  # fmt: skip
    threshold: float | None = option(
        None, "In bits; segments that reach it are kept.", kind=float, what="a number of bits", flags=None
    )
    more_clean: "Sequence[Document]" = option(
        (), "Documents that are clean as a whole.", kind=object, check=_check_documents, flags=None
    )
    more_dirty: "Sequence[Document]" = option(
        (), "Documents that are dirty as a whole.", kind=object, check=_check_documents, flags=None
    )
    base: "NGramModel | None" = option(None, "A model to adapt.", kind=object, check=_check_base, flags=None)


@dataclass(frozen=True, slots=True)
class Labelled(Declared):
    """Pages with their cleaned text: two directories, or a file of rows."""

    raw: Path | None = option(
        None,
        "Directory of pages, or file of rows. HTML, or text dumps (.txt); or a file of JSON lines or Parquet "
        "whose rows have `html` and `clean`, and maybe `url` and `id`; then without --clean.",
        kind=Path,
        metavar="DIR|FILE", common=True, panel=_PAGES,
    )  # fmt: skip
    clean: Path | None = option(
        None, "Directory of their cleaned text. Same names, .txt, UTF-8.", kind=Path, metavar="DIR",
        common=True, panel=_PAGES,
    )  # fmt: skip
    manifest: Path | None = option(
        None,
        "File of JSON lines with the id and url of each page; they show which pages share a site.",
        kind=Path, otherwise="manifest.jsonl beside the pages, if it exists", metavar="FILE", panel=_PAGES,
    )  # fmt: skip
    site_from: str | None = option(
        None,
        "The site of a page is what this regular expression finds in its name without suffix: its first "
        "group, or all of it. `'^([^_]+)_'` for SITE_NUMBER.html.",
        kind=str, otherwise="from the manifest, else from the address that the page states",
        metavar="REGEX", panel=_PAGES,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recorded(Declared):
    """What a model's header records besides its training."""

    name: str | None = option(
        None, "Name to record in the model.",
        kind=str, otherwise="the name of the file", metavar="NAME", panel=_RECORDED,
    )  # fmt: skip
    language: str | None = option(
        None,
        "Language of the model. `clean` takes it for pages in this language.",
        kind=str, what="the code of a language, such as 'de'", metavar="CODE",
        common=True, panel=_RECORDED,
    )  # fmt: skip
    sources: str | None = option(
        None, "Data and licence to record in the model.", kind=str, metavar="TEXT", panel=_RECORDED
    )
    date: str | None = option(
        None,
        "Date to record in the model.",
        kind=str, otherwise="none, so that the same pages give the same bytes", metavar="DATE",
        panel=_RECORDED,
    )  # fmt: skip

    def __post_init__(self) -> None:
        Declared.__post_init__(self)
        if self.language not in (None, "any"):
            try:
                object.__setattr__(self, "language", language_in(self.language))
            except ValueError as error:
                raise OptionError("language", str(error)) from None

    def about(self, name: str) -> dict[str, str]:
        """Returns {key: value} for the header of a model; `name` is its name if none is given."""
        found = {**record_of(self), "name": self.name or name}
        return {key: value for key, value in found.items() if value}
