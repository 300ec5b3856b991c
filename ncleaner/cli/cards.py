"""Cards of models as plain text, and the list of those that come with the package."""

from pathlib import Path

from ncleaner.cli.parts import text_table
from ncleaner.errors import MissingWingError
from ncleaner.methods.choice import load_model
from ncleaner.methods.registry import METHODS
from ncleaner.modelling.container import Card, Table, figures_of
from ncleaner.modelling.files import own_folder, own_models, shipped_models
from ncleaner.text.visible import visible

# pages from which on the figures of a model are shown
_FEW = 20


def _table_text(table: Table) -> list[str]:
    return [
        f"{visible(table.title)}:",
        *(f"  {line}" for line in text_table([table.head, *table.rows], table.left)),
    ]


def card_text(card: Card) -> str:
    """A card as plain text."""
    lines = [f"{visible(name):<10} {visible(text)}" for name, text in card.facts]
    for table in card.tables:
        lines += ["", *_table_text(table)]
    return "\n".join(lines)


def describe(name: str | Path, number: int = 20) -> str:
    """The card of a shipped model, or of a file, of any kind; up to `number` rows in each of its tables.

    Raises:
        ModelError: no such model, or it cannot be read.
    """
    return card_text(load_model(name).card(number))


def model_table() -> str:
    """The shipped models and the user's own, with their figures.

    Raises:
        ModelError: one of the user's own models cannot be read.
    """
    own = own_models()
    rows: list[tuple[str, ...]] = [("name", "kind", "language", "model", "pages", "sites", "P", "R", "F")]
    # figures of few pages say little, and must not look better than those of many
    for name in [*shipped_models(), *own]:
        try:
            model = load_model(name)
        except MissingWingError:
            # no method that is installed takes it
            continue
        training = model.about.get("training") or {}
        figures: tuple[str, ...] = figures_of(model.about) or ("-", "-", "-")
        if figures[0] != "-" and training.get("pages", 0) < _FEW:
            figures = tuple(f"({figure})" for figure in figures)
        language = str(model.about.get("language", "-"))
        counts = (f"{training.get(what, 0):,}" for what in ("pages", "sites"))
        rows.append((name, model.KIND, language, model.summary(), *counts, *figures))
    lines = text_table(rows, (0, 1, 2, 3))
    if own:
        # a line between those that come with the package and the user's own
        lines[-len(own) : -len(own)] = ["", f"yours, in {visible(own_folder())}"]
        lines[1:1] = ["", "shipped"]
    lines += ["", "kind         methods that take it"]
    for kind in sorted({row[1] for row in rows[1:]}):
        lines.append(f"{kind:<12} {', '.join(_methods_of(kind))}")
    lines += [
        "",
        "P, R, F: words in per cent, means of the pages, ± standard error, on the training pages of each",
        f"model, cross-validated by site; in brackets, of fewer than {_FEW} pages. These pages differ, so",
        "compare with `ncleaner evaluate PAGES GOLD --model NAME`. Figures of n-grams are of `-m ngram`.",
    ]
    if not own:
        lines.append(f"`ncleaner models add FILE` puts one of yours into {visible(own_folder())}.")
    return "\n".join(lines)


def _methods_of(kind: str) -> list[str]:
    return [
        entry.name
        for entry in METHODS.values()
        if kind in [each.name for each in (*entry.kinds, *entry.parts.values())]
    ]


def method_table() -> str:
    """The cleaning methods, a line each."""
    rows = [("method", "source", "keeps")]
    rows += [(entry.name, entry.source or "-", entry.about) for entry in METHODS.values()]
    return "\n".join(text_table(rows, (0, 1, 2)))


def describe_method(name: str) -> str:
    """A method: what it keeps, the models that it takes, and its parameters with their defaults."""
    entry = METHODS[name]
    kinds = ", ".join(kind.model.CALLED for kind in entry.kinds)
    if entry.by_language:
        kinds += "; one for each language"
    elif entry.default:
        kinds += f"; {entry.default} by default"
    facts = [
        ("method", name),
        ("source", entry.source or "-"),
        ("keeps", entry.about),
        ("model", kinds or "-"),
    ]
    rows = [
        (
            each.name,
            ("yes" if each.default else "no") if isinstance(each.default, bool) else str(each.default),
            each.help,
        )
        for each in entry.parameters
    ]
    tables = [Table("parameters, for --set NAME=VALUE", ("name", "default", "meaning"), rows, (0, 2))]
    return card_text(Card(facts, tables if rows else []))
