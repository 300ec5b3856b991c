"""What people want to know of a model: where it comes from, how good it is, what it has learned."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ncleaner.modelling.container import kind_of
from ncleaner.modelling.features import FEATURES
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel, load_model
from ncleaner.modelling.shipped import model_bytes, shipped_models

if TYPE_CHECKING:
    from ncleaner.modelling.structure import Structure
    from ncleaner.modelling.victor import VictorModel

__all__ = [
    "describe",
    "describe_file",
    "describe_victor",
    "model_table",
    "summary",
    "telling_grams",
    "victor_summary",
]


def _figures(model: NGramModel | HybridModel) -> tuple[str, ...]:
    """Cross-validated word precision, recall and F, in per cent, from the model's header."""
    validation = model.about.get("validation") or {}
    values = (validation.get(name) for name in ("precision", "recall", "f_score"))
    return tuple("-" if value is None else f"{100 * value:.1f}" for value in values)


def model_table() -> str:
    """The shipped models with what they were trained on and how good they are, for people."""
    from ncleaner.modelling.victor import VictorModel

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
    for name, data in shipped_models("victor").items():
        trained = VictorModel.from_bytes(data, name)
        said, sources = victor_summary(trained), trained.about.get("sources", "-")
        lines += ["", f"{name}, for --method victor: {said}; {sources}"]
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
    if model.order == 1:
        # of all symbols, also of those that were never seen
        ratio = ratio[level.keys.astype(np.intp)]
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


def summary(model: NGramModel | HybridModel) -> str:
    """A sentence about a model that has just been trained, for people."""
    ngrams = model.ngrams if isinstance(model, HybridModel) else model
    training = model.about["training"]
    precision, recall, f_score = _figures(model)
    validated = (
        f"; cross-validated within these pages: P {precision}, R {recall}, F {f_score}"
        if f_score != "-"
        else ""
    )
    structure = ""
    if isinstance(model, HybridModel):
        structure = (
            f" and {'a structure model of their own' if model.own else 'the shipped structure model'},"
        )
    return (
        f"{ngrams.alphabet.name} {ngrams.order}-grams, q {ngrams.q:g},{structure} from {training['pages']:,} "
        f"pages of {training['sites']:,} sites ({training['clean_characters']:,} clean and "
        f"{training['dirty_characters']:,} dirty characters){validated}"
    )


def victor_summary(model: VictorModel) -> str:
    """A sentence about a conditional random field, for people."""
    training = model.about.get("training") or {}
    blocks = training.get("blocks") or {}
    return (
        f"{len({name for name, _ in model.slots})} features, {np.count_nonzero(model.state):,} weights, from "
        f"{training.get('pages', 0):,} pages of {training.get('sites', 0):,} sites "
        f"({sum(blocks.values()):,} blocks, {blocks.get('o', 0):,} of them to be removed)"
    )


def describe_victor(model: VictorModel, number: int = 20) -> str:
    """A model card of a conditional random field: training, transitions, and the heaviest weights on either
    side."""
    from ncleaner.modelling.labels import LABELS, OTHER

    about = model.about
    lines = [
        f"name       {model.name}",
        f"language   {about.get('language', '-')}",
        f"training   {victor_summary(model)}",
        f"sources    {about.get('sources', '-')}",
        "",
        "from \\ to  " + "".join(f"{label:>8}" for label in LABELS),
    ]
    for label, row in zip(LABELS, model.transitions.tolist(), strict=True):
        lines.append(f"{label:<10}" + "".join(f"{weight:>+8.2f}" for weight in row))
    # weight of the best label that keeps a block, against removing it
    ratio = model.state[:, :OTHER].max(axis=1) - model.state[:, OTHER]
    for side, order in (
        ("keeping", np.argsort(-ratio, kind="stable")),
        ("removing", np.argsort(ratio, kind="stable")),
    ):
        lines += ["", f"heaviest for {side}:", "  feature                      at  value  weight"]
        for position in order[:number].tolist():
            slot, value = divmod(position, 16)
            name, offset = model.slots[slot]
            shown = "none" if value == 15 else str(value)
            lines.append(f"  {name:<26} {offset:>+4}  {shown:>5}  {ratio[position]:>+6.2f}")
    return "\n".join(lines)


def describe_file(name: str | Path, number: int = 20) -> str:
    """The card of a shipped model, or of a file, of any kind.

    Raises:
        ModelError: no such model, or it cannot be read.
    """
    from ncleaner.modelling.structure import Structure
    from ncleaner.modelling.victor import VictorModel

    data = model_bytes(name)
    kind = kind_of(data, str(name))
    if kind == "victor":
        return describe_victor(VictorModel.from_bytes(data, str(name)), number)
    if kind == "structure":
        return describe_structure(Structure.from_bytes(data, str(name)), number)
    if kind == "hybrid":
        return describe_hybrid(HybridModel.from_bytes(data, str(name)), number)
    return describe(NGramModel.from_bytes(data, str(name)), number)


def describe_structure(model: Structure, number: int = 20) -> str:
    """A card of a structure model, for people: training, trees, the features that they ask for most."""
    training = model.about.get("training") or {}
    asked = Counter(model.first.features.tolist()) + Counter(model.second.features.tolist())
    ranked = sorted(asked.items(), key=lambda item: (-item[1], item[0]))[:number]
    lines = [
        f"name       {model.name}",
        f"training   {training.get('pages', 0):,} pages of {training.get('sites', 0):,} sites",
        f"trees      {len(model.first.sizes)} for the first judgement, {len(model.second.sizes)} for the "
        "second",
        f"names      {np.count_nonzero(model.weights):,} hashed words of class, id and role",
        f"sources    {model.about.get('sources', '-')}",
        "",
        "asked for most often:",
    ]
    for column, times in ranked:
        feature = FEATURES[column]
        lines.append(f"  {feature.name:<16} {times:>5}  {feature.about}")
    return "\n".join(lines)


def describe_hybrid(model: HybridModel, number: int = 20) -> str:
    """A card of a hybrid, for people: of its n-grams and, where it has one of its own, its structure."""
    precision, recall, f_score = _figures(model)
    calibration = model.calibration
    structure = "of its own" if model.own else "the shipped one"
    decided = model.balance if model.threshold is None else f"threshold {model.threshold:g} bits"
    lines = [
        f"hybrid     structure model: {structure}; log-odds × {calibration.slope:g} "
        f"{calibration.offset:+g}; {decided}",
        f"validated  P {precision}  R {recall}  F {f_score} (words, per cent)",
        "",
        describe(model.ngrams, number),
    ]
    if model.own:
        lines += ["", describe_structure(model.structure, number)]
    return "\n".join(lines)
