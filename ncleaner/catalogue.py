"""What people want to know of a model: where it comes from, how good it is, what it has learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ncleaner.decision import Preset
from ncleaner.errors import ModelError
from ncleaner.model import NGramModel, load_model, shipped_models

__all__ = ["AUTO", "ByLanguage", "describe", "model_table", "summary", "telling_grams"]

# the name that stands for a model per page, and the model for languages without one
AUTO = "auto"
_FALLBACK = "nonlexical"


class ByLanguage(Mapping[str, NGramModel]):
    """The models by language, each loaded when it is asked for. It pickles.

    Args:
        folder: a directory with models of one's own (`*.ncm`), which go before those that are shipped.
        threshold: instead of each model's own.

    Raises:
        ModelError: the directory holds no model, or one that cannot be read.
    """

    def __init__(self, folder: Path | None = None, threshold: float | Preset | None = None) -> None:
        self._threshold = threshold
        self._names: dict[str, str | Path] = {name: name for name in shipped_models() if name != _FALLBACK}
        self._names[""] = _FALLBACK
        self._loaded: dict[str, NGramModel] = {}
        if folder is None:
            return
        paths = sorted(folder.glob("*.ncm"))
        if not paths:
            raise ModelError(f"there is no model (*.ncm) in the directory {folder}")
        for path in paths:
            model = load_model(path)
            language = str(model.about.get("language", ""))
            if not language:
                raise ModelError(f"{path} does not say its language: train it with --language")
            code = "" if language == "any" else language
            self._names[code], self._loaded[code] = path, self._ready(model)

    def __getitem__(self, language: str) -> NGramModel:
        if language not in self._loaded:
            self._loaded[language] = self._ready(load_model(self._names[language]))
        return self._loaded[language]

    def _ready(self, model: NGramModel) -> NGramModel:
        return model if self._threshold is None else model.with_parameters(threshold=self._threshold)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _figures(model: NGramModel) -> tuple[str, ...]:
    """Cross-validated word precision, recall and F, in per cent, from the model's header."""
    validation = model.about.get("validation") or {}
    values = (validation.get(name) for name in ("precision", "recall", "f_score"))
    return tuple("-" if value is None else f"{100 * value:.1f}" for value in values)


def model_table() -> str:
    """The shipped models with what they were trained on and how good they are, for people."""
    head = ("name", "language", "alphabet", "n", "q", "pages", "words", "P", "R", "F", "trained on")
    rows: list[tuple[str, ...]] = [head]
    for name in shipped_models():
        model = load_model(name)
        training = model.about.get("training") or {}
        rows.append(
            (
                name,
                str(model.about.get("language", "-")),
                model.alphabet.name,
                str(model.order),
                f"{model.q:g}",
                f"{training.get('pages', 0):,}",
                f"{training.get('words', 0):,}",
                *_figures(model),
                str(model.about.get("sources", "-")),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    # numbers to the right
    lines = [
        "  ".join(
            [
                f"{cell:{'>' if 3 <= column <= 9 else '<'}{width}}"
                for column, (cell, width) in enumerate(zip(row, widths, strict=False))
            ]
            + [row[-1]]
        )
        for row in rows
    ]
    lines += [
        "",
        "P, R, F: words in per cent, by cross-validation within the training pages, no site on both sides,",
        "averaged by page and by site. `ncleaner models show NAME` prints what a model has learned.",
    ]
    return "\n".join(lines)


def _shown(symbols: str) -> str:
    return symbols.replace(" ", "␣").replace("\n", "¶")


def telling_grams(model: NGramModel, number: int = 20) -> list[tuple[str, list[tuple[str, int, int, float]]]]:
    """The n-grams of full order that say most about each side.

    Ranked by count times log-ratio, what a gram contributes over the whole training text.

    Returns:
        `clean` and `dirty`, each with up to `number` of (gram, times in clean text, times in dirty text,
        log-ratio in bits): a space is shown as `␣`, the edge of a segment as `¶`.
    """
    level = model.levels[model.order - 1]
    ratio = np.log2(model.interpolated("clean")[-1] / model.interpolated("dirty")[-1])
    mask = (1 << model.alphabet.bits) - 1
    found = []
    for side, weight in (("clean", level.clean * ratio), ("dirty", -level.dirty * ratio)):
        best = np.argsort(-weight, kind="stable")[:number]
        rows = []
        for position in best[weight[best] > 0]:
            key = int(level.keys[position])
            gram = "".join(
                model.alphabet.characters[key >> model.alphabet.bits * place & mask]
                for place in reversed(range(model.order))
            )
            rows.append(
                (
                    _shown(gram),
                    int(level.clean[position]),
                    int(level.dirty[position]),
                    float(ratio[position]),
                )
            )
        found.append((side, rows))
    return found


def describe(model: NGramModel, number: int = 20) -> str:
    """A model card for people: parameters, training, figures, and the most telling n-grams of each side."""
    about, training = model.about, model.about.get("training") or {}
    decision = model.decision
    precision, recall, f_score = _figures(model)
    lines = [
        f"name       {model.name}",
        f"language   {about.get('language', '-')}",
        f"alphabet   {model.alphabet.name}, {model.alphabet.size} symbols",
        f"n, q       {model.order}, {model.q:g}",
        f"training   {training.get('scheme', '-')}, {training.get('pages', 0):,} pages of "
        f"{training.get('sites', 0):,} sites, {training.get('clean_characters', 0):,} clean and "
        f"{training.get('dirty_characters', 0):,} dirty characters",
        f"decision   log-odds per {decision.statistic}, threshold {decision.threshold:g} bits"
        + "".join(f", --{name} {value:g}" for name, value in sorted(decision.presets.items())),
        f"validated  P {precision}  R {recall}  F {f_score} (words, per cent)",
        f"sources    {about.get('sources', '-')}",
    ]
    for side, rows in telling_grams(model, number):
        lines += ["", f"most telling of {side} text:", "  n-gram        clean      dirty   bits"]
        lines += [f"  {gram:<10} {clean:>8} {dirty:>10} {bits:>+6.2f}" for gram, clean, dirty, bits in rows]
    return "\n".join(lines)


def summary(model: NGramModel) -> str:
    """A sentence about a model that has just been trained, for people."""
    training = model.about["training"]
    precision, recall, f_score = _figures(model)
    validated = (
        f"; cross-validated within these pages: P {precision}, R {recall}, F {f_score}"
        if f_score != "-"
        else ""
    )
    return (
        f"{model.alphabet.name} {model.order}-grams, q {model.q:g}, from {training['pages']:,} pages of "
        f"{training['sites']:,} sites ({training['clean_characters']:,} clean and "
        f"{training['dirty_characters']:,} dirty characters){validated}"
    )
