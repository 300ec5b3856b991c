"""The recipe: how a page is cleaned. Each option is declared here and nowhere else."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncleaner.arguments import check_choice, check_is, check_local, check_number
from ncleaner.errors import named
from ncleaner.limits import Limits
from ncleaner.methods.base import Value
from ncleaner.methods.registry import DEFAULT_METHOD, DEFAULT_MODEL, METHODS, entry_of
from ncleaner.options import Declared, OptionError, option, with_hints
from ncleaner.page import LAYOUT_CHOICES
from ncleaner.text.codes import languages_in

if TYPE_CHECKING:
    from ncleaner.modelling.container import ModelFile
    from ncleaner.modelling.decision import Preset
    from ncleaner.surveying.survey import Survey


# the value of `sites` with which a run surveys its inputs, and of `learn` for all languages without a model
AUTO_SITES = AUTO_LEARN = "auto"

_INPUT = "Input"
_DECISION = "How it is decided"
_KEPT = "What is kept"
_PRESETS = (("precision", "Less boilerplate, and less text."), ("recall", "More text, and more boilerplate."))


def _check_method(name: str, value: Any) -> None:
    check_is(name, value, str, f"the name of a method ({', '.join(METHODS)})")
    entry_of(value)


def _path_or(loaded: str, what: str) -> Callable[[str, Any], None]:
    """Returns a check for a path, or an object of a class, which is named by a text: it loads NumPy, and the
    command line does not need that for a path."""

    def check(name: str, value: Any) -> None:
        if isinstance(value, str | os.PathLike):
            check_local(name, value)
        else:
            check_is(name, value, named(loaded), what)

    return check


_check_model = _path_or("ncleaner.modelling.container:ModelFile", "a name, a path or a loaded model")
_check_sites = _path_or("ncleaner.surveying.survey:Survey", "a survey or its path")


def _check_threshold(name: str, value: Any) -> None:
    names = [preset for preset, _ in _PRESETS]
    if isinstance(value, str):
        check_choice(name, value, names)
    else:
        check_number(name, value, f"a number of bits, {' or '.join(map(repr, names))}")


def _check_languages(name: str, value: Any) -> None:
    check_is(name, value, str, "codes of languages, such as 'de,fr'")
    languages_in(value)


def _check_learn(name: str, value: Any) -> None:
    if value != AUTO_LEARN and not isinstance(value, Path):
        _check_languages(name, value)


@dataclass(frozen=True, slots=True)
class Recipe(Declared):
    """How a page is cleaned: method, model, what is kept, what is collected, and limits.

    >>> import ncleaner
    >>> recipe = ncleaner.Recipe(comments=False)
    >>> page = "<nav><a href=/>Home</a></nav><p>The ferry will sail until the end of May.</p>"
    >>> ncleaner.Cleaner(recipe).clean(page)
    'The ferry will sail until the end of May.'

    Raises:
        TypeError: a value has another type.
        ValueError: a value is out of range, or options do not go together.
    """

    method: str = option(
        DEFAULT_METHOD,
        f"Cleaning method (see `ncleaner methods`). One of {', '.join(METHODS)}.",
        choices=tuple(METHODS), check=_check_method, flags="--method -m", common=True, panel=_DECISION,
        positional=True,
    )  # fmt: skip
    model: "str | Path | ModelFile" = option(
        DEFAULT_MODEL,
        "Model: auto, a name or a file. auto: a model per page by its language, your own first (see "
        "`ncleaner models`); shipped: auto "
        "without your own; a directory (./DIR): auto with the models of that directory first; or one model "
        "for all pages, by its name or its file (NAME.ncm).",
        check=_check_model, metavar="NAME|FILE", complete="model_choices", common=True, panel=_DECISION,
        positional=True,
    )  # fmt: skip
    learn: str | Path | None = option(
        None,
        "Learn models from the inputs first. Alone: of each language that has none; or of those that "
        "you name, such as pl,uk. It takes some seconds; a directory of outputs keeps them in _run/models.",
        kind=str, check=_check_learn, metavar="[CODE,…]", common=True, panel=_DECISION,
    )  # fmt: skip
    parameters: Mapping[str, Value] = option(
        {},
        "Set a parameter of the method; `ncleaner methods METHOD` lists them. Can be repeated.",
        what="a mapping {name: value}", flags="--set", metavar="NAME=VALUE", panel=_DECISION,
    )  # fmt: skip
    sites: "str | Path | Survey | None" = option(
        None,
        "Remove text repeated across a site. FILE: a survey of sites, or the directory of one (see "
        "`ncleaner survey`); auto: `clean` surveys the inputs first, and so reads them twice.",
        kind=str, check=_check_sites, metavar="FILE", common=True, panel=_DECISION,
    )  # fmt: skip
    threshold: "float | Preset | None" = option(
        None,
        "Keep segments with at least these log-odds, in bits; a higher value removes more.",
        kind=float, check=_check_threshold, presets=_PRESETS, otherwise="the model's", metavar="BITS",
        common=True, panel=_DECISION,
    )  # fmt: skip
    headline: bool | None = option(
        None,
        "Keep or leave out the headline of each page.",
        kind=bool, otherwise="kept by hybrid and ngram; the other methods decide",
        flags="--headline/--no-headline", panel=_KEPT,
    )  # fmt: skip
    comments: bool | None = option(
        None,
        "Keep readers' comments (or --no-comments). By default a discussion stays: it is the page.",
        kind=bool, otherwise="left out by hybrid and ngram; the other methods decide",
        flags="--comments/--no-comments", common=True, panel=_KEPT,
    )  # fmt: skip
    captions: bool = option(True, "Leave out the captions of pictures and tables.", panel=_KEPT)
    news: bool = option(
        False, "Treat every page as a news article. Also leaves out readers' comments (hybrid).", common=True,
        panel=_KEPT,
    )  # fmt: skip
    notices: bool = option(
        False,
        "Keep pages that are only a notice, such as an error message, a cookie wall or an empty listing. "
        "By default hybrid leaves them out.",
        panel=_KEPT,
    )
    language: str | None = option(
        None,
        "Keep only pages in these languages. Such as de,fr; the language is detected from the text.",
        kind=str, check=_check_languages, metavar="CODE,…", common=True, panel=_KEPT,
    )  # fmt: skip
    min_quality: float | None = option(
        None,
        "Leave out pages of lower quality. Quality is the estimated F1 of a page's words, 0 to 1 (hybrid).",
        kind=float, low=0, high=1, metavar="Q", common=True, panel=_KEPT,
    )  # fmt: skip
    respect_tdm: bool = option(
        False,
        "Leave out pages that opt out: they reserve text and data mining (TDM-Reservation), or "
        "tell robots noai, noarchive or noindex.",
        panel=_KEPT,
    )
    drop_seen: bool = option(
        False,
        "Leave out paragraphs that earlier pages of the crawl have, on any site. With --sites: a survey made "
        "with --paragraphs, or auto.",
        panel=_KEPT,
    )
    drop_duplicates: bool = option(
        False,
        "Leave out pages that repeat another. Exactly or nearly, on any site. With --sites: a survey made "
        "with --duplicates, or auto (needs the extra `duplicates`).",
        panel=_KEPT,
    )
    alt_text: bool = option(False, "Include the alternative text of images.", panel=_KEPT)
    readings: bool = option(
        True, "Leave out the readings of characters (<ruby>), which follow them in brackets.", panel=_KEPT
    )
    text: str = option(
        "auto",
        "Layout of plain text. lines: one paragraph per line; paragraphs: separated by empty lines; wrapped: "
        "as by Lynx or in mail; auto: detected.",
        choices=LAYOUT_CHOICES, metavar="LAYOUT", panel=_INPUT,
    )  # fmt: skip
    encoding: str | None = option(
        None,
        "Encoding of all pages (a WHATWG label such as koi8-r), whatever they declare.",
        kind=str, what="the name of an encoding", metavar="LABEL", panel=_INPUT,
    )  # fmt: skip
    facts: bool = option(
        False, "Collect what pages say about themselves (`Document.facts`), for metadata.", flags=None
    )
    marks: bool = option(False, "Fill the table of marks, which Markdown and HTML need.", flags=None)
    sources: bool = option(
        False, "Find out where in the page each segment is (`Document.sources`).", flags=None
    )
    limits: Limits = option(Limits(), "Bounds for one page.", what="Limits(…)")

    def __post_init__(self) -> None:
        Declared.__post_init__(self)
        if isinstance(self.model, os.PathLike):
            from ncleaner.modelling.files import as_text

            object.__setattr__(self, "model", as_text(self.model))
        if self.language is not None:
            object.__setattr__(self, "language", ",".join(languages_in(self.language)))
        entry = entry_of(self.method)
        if self.parameters:
            # only here: it loads the method
            try:
                object.__setattr__(self, "parameters", entry.settled(self.parameters))
            except ValueError as error:
                raise OptionError("parameters", str(error)) from None
        if self.model != DEFAULT_MODEL and not entry.kinds:
            raise OptionError("model", f"the method {self.method} uses no model: leave it out")
        if self.min_quality is not None and not entry.estimates:
            raise OptionError("min_quality", f"{self.method} does not estimate quality: use hybrid")
        for name, found in (("drop_seen", "paragraphs"), ("drop_duplicates", "duplicates")):
            if getattr(self, name) and self.sites is None:
                makes = f"--sites auto makes one, or `ncleaner survey --{found}`"
                raise OptionError(name, f"it needs a survey of the inputs as `sites`: {makes}")
        if self.drop_seen and self.drop_duplicates:
            # the earlier page would go as a duplicate, the later one because the earlier one has its text
            raise OptionError(
                "drop_duplicates", "drop_seen leaves out repeated pages, too: give one of the two"
            )
        if entry.needs_references and self.sites is None:
            makes = "`ncleaner survey --references` makes one"
            raise OptionError("method", f"{self.method} needs a survey with references as `sites`: {makes}")


Recipe.__init__ = with_hints()(Recipe.__init__)  # type: ignore[method-assign]
