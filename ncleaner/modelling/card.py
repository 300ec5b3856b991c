"""A model's card: its description, sources and figures as text, for display."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ncleaner.text.counted import counted

__all__ = [
    "AGREEMENT",
    "LEARNING_CURVE",
    "Card",
    "Table",
    "figures_of",
    "pages_of",
    "trained_facts",
    "validated_facts",
    "validation_of",
]


# The entry with the F of models of fewer pages, by their numbers; see `training.curve`.
LEARNING_CURVE = "learning_curve"
# The entry of the header of a model that is learned from raw pages alone; see `training.crawl`.
AGREEMENT = "agreement"


@dataclass(frozen=True, slots=True)
class Table:
    """A part of a card.

    Attributes:
        title: of the table.
        head: names of the columns.
        rows: their cells, as text; as many as the head has.
        left: columns whose cells are aligned to the left, by number; numbers are aligned to the right.
    """

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Card:
    """Description of a model.

    Attributes:
        facts: (name, text) in the order to show them.
        tables: learned parameters.
    """

    facts: Sequence[tuple[str, str]]
    tables: Sequence[Table]


def pages_of(training: Mapping[str, Any]) -> str:
    """The numbers of pages and sites of a model's training, as text."""
    return f"{counted(training.get('pages', 0), 'page')} of {counted(training.get('sites', 0), 'site')}"


def trained_facts(name: str, about: Mapping[str, Any], summary: str, also: str) -> list[tuple[str, str]]:
    """The lines of a card about a model's name, language, form, training and sources.

    Args:
        name, about: of the model.
        summary: the model in a few words.
        also: further training data, as text, besides pages and sites.
    """
    training = about.get("training") or {}
    return [
        ("name", name),
        ("language", str(about.get("language", "-"))),
        ("model", summary),
        ("training", f"{pages_of(training)} ({also})"),
        ("sources", str(about.get("sources", "-"))),
    ]


def validation_of(preset: str) -> str:
    """The entry of a model's header that has the cross-validated figures of a preset."""
    return "validation" if preset == "balanced" else f"validation_{preset}"


def validated_facts(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines of a card about cross-validated figures, of the balanced decision and of its presets."""
    found = {preset: figures_of(about, preset) for preset in ("balanced", "precision", "recall")}
    facts = [
        (
            "validated" if preset == "balanced" else preset,
            "P {}  R {}  F {}".format(*figures)
            + (" (words, per cent, ± standard error)" if preset == "balanced" else f" (with --{preset})"),
        )
        for preset, figures in found.items()
        if figures is not None
    ]
    points = about.get(LEARNING_CURVE) or []
    if points:
        told = [f"{point['pages']:g}: {figure_of(point, 'f_score')}" for point in points]
        facts.append(("F by pages", ", ".join(told)))
    if AGREEMENT in about:
        agreed = figures_of({"validation": about[AGREEMENT]}) or ("-", "-", "-")
        facts += [
            ("learned", "from raw pages alone: no page was cleaned by hand, and the accuracy is unknown"),
            ("agreement", "P {}  R {}  F {} (n-grams with their teacher, on unseen sites)".format(*agreed)),
        ]
    return facts or [("validated", "-")]


def figures_of(about: Mapping[str, Any], preset: str = "balanced") -> tuple[str, str, str] | None:
    """Cross-validated word precision, recall and F of a model's header, in per cent as text, each with its
    standard error if it is known; None without them."""
    validation = about.get(validation_of(preset)) or {}
    names = ("precision", "recall", "f_score")
    if not all(name in validation for name in names):
        return None
    precision, recall, f_score = (figure_of(validation, name) for name in names)
    return precision, recall, f_score


def figure_of(figures: Mapping[str, float], name: str) -> str:
    """A figure in per cent as text, with its standard error if it is known."""
    error = figures.get(f"{name}_error")
    return f"{100 * figures[name]:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")
