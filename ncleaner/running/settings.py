"""The settings of a run: everything except the input that an output depends on."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncleaner.errors import ModelError, named
from ncleaner.options import Declared, option
from ncleaner.page import Damage, Page, Skip
from ncleaner.recipe import Recipe
from ncleaner.sinks.formats import Output

if TYPE_CHECKING:
    from ncleaner.cleaner import Cleaner
    from ncleaner.reading.archive import InputFormat
    from ncleaner.running.dumps import Dumps


_PANEL = "Input"


def _check_marker(name: str, value: Any) -> None:
    # raises for a wrong regular expression before anything is read
    from ncleaner.reading.markers import custom_form

    custom_form(value)


@dataclass(frozen=True, slots=True)
class Reading(Declared):
    """How inputs are read; see `archive.read`."""

    input_format: "InputFormat" = option(
        "auto",
        "Input format, where neither the first bytes nor the name shows it.",
        choices=("auto", "warc", "html", "text"), panel=_PANEL,
    )  # fmt: skip
    marker: str | None = option(
        None,
        "Split text files: each line that contains this regular expression begins a document, and is left "
        "out; its first group, if any, is the URL.",
        kind=str, check=_check_marker, otherwise="known forms such as `URL: …`", metavar="REGEX",
        panel=_PANEL,
    )  # fmt: skip

    column: str | None = option(
        None,
        "Column of a table that has the pages.",
        kind=str, otherwise="html, content, raw_content, body or text", metavar="NAME", panel=_PANEL,
    )  # fmt: skip
    prefix: str | None = option(None, "Prefix of the archives that a table names.", kind=str, flags=None)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything except the input that an output depends on; hashable, and picklable for the workers.

    Attributes:
        recipe: how pages are cleaned.
        reading: how inputs are read.
        output: what is written.
        many_pages: whether one output has the pages of several inputs, so that formats which mark the
            beginning of a page do so even if an input is one page.
        dumps: those of the pages, as far as the survey of the run has kept them; or where it keeps them.
    """

    recipe: Recipe = Recipe()
    reading: Reading = Reading()
    output: Output = Output()
    many_pages: bool = False
    dumps: "Dumps | None" = field(default=None, compare=False, repr=False)

    def read(self, source: Any, pipes: bool = True, **more: Any) -> Iterator[Page | Skip | Damage]:
        """Reads an input as `archive.read` does, with these settings; `more` are further arguments of it.
        `pipes`: see `open_binary`."""
        from ncleaner.reading.archive import read
        from ncleaner.reading.opening import opened

        with opened(source, pipes) as (stream, name):
            yield from read(
                stream, input_format=self.reading.input_format, limits=self.recipe.limits,
                marker=self.reading.marker, text=self.recipe.text, column=self.reading.column,
                carry=self.output.carried, prefix=self.reading.prefix, **{"name": name, **more},
            )  # fmt: skip

    def cleaner(self) -> "Cleaner":
        """Returns a cleaner with these settings. Raises as `Cleaner` does."""
        from ncleaner.cleaner import Cleaner

        learn = None if isinstance(self.recipe.learn, Path) else self.recipe.learn
        wants: Any = self.dumps.wants if self.dumps else self.wants
        return Cleaner(replace(self.recipe, model=self.model, learn=learn, **wants))

    @property
    def wants(self) -> dict[str, bool]:
        """What the output needs of a text dump, by the names of fields of `Recipe`."""
        facts = self.output.wants_facts or self.recipe.respect_tdm
        return {"facts": facts, "marks": self.output.sink().marks, "sources": self.output.source}

    @property
    def model(self) -> Any:
        """The model of the recipe; or the directory of those that were learned, if there are any."""
        learned: Any = self.recipe.learn
        return learned if isinstance(learned, Path) and any(learned.glob("*.ncm")) else self.recipe.model

    def fingerprint(self) -> str:
        """A hash of the files that an output depends on besides its input: models, a survey, a table.

        Raises:
            ModelError: a model, the survey or the table cannot be read.
        """
        from ncleaner.methods.choice import fingerprint

        found = fingerprint(self.recipe.method, str(self.model))
        digests = []
        sites: Any = self.recipe.sites
        try:
            if sites is not None:
                # not imported above: it loads SQLite
                checked_seals = named("ncleaner.surveying.shards:checked_seals")
                what, path = "survey", Path(getattr(sites, "path", sites))
                digests.append(checked_seals(path)[0].survey.hex())
            if self.output.table is not None:
                what, path = "table", Path(self.output.table)
                with path.open("rb") as file:
                    digests.append(hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise ModelError(f"cannot read the {what} {path}: {error.strerror}") from error
        for digest in digests:
            found = hashlib.sha256(f"{found}{digest}".encode()).hexdigest()[:16]
        return found
