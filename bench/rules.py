"""What each rule of the hybrid is worth: the F of words that a gold set loses without it.

    python -m bench.rules GOLD_DIR...

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Prints for each rule, in the order of
`methods.hybrid.RULES`, the mean loss in points of F of words (a bag, as WCXB counts) over the pages of each
set, with its standard error, and on how many pages it changes the text. The judgement of a page is made once,
by the shipped models; they have learned from most gold sets, so that the figures say what the rule adds to a
judgement that is a little too good.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from bench.crossval import load_gold
from ncleaner.document.kept import Kept
from ncleaner.lab.scoring.measures import bag_overlap
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods.choice import load_method
from ncleaner.methods.hybrid import RULES, Rule, finished
from ncleaner.methods.registry import entry_of
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling.notices import shipped_notices
from ncleaner.sinks.text import kept_text


def losses(pair: Pair, left_out: Sequence[Sequence[Rule]]) -> list[float]:
    """Returns the F that a page loses with each of the lists of rules in place of all, in points; NaN where
    its text is the same."""
    method = METHOD.method_of(pair.document)[0]  # type: ignore[attr-defined]
    judgement = method.model.judge(pair.document, None)
    gold = pair.gold.encode()

    def text(rules: Sequence[Rule]) -> bytes:
        own = judgement._replace(mask=judgement.mask.copy())
        mask, found = finished(pair.document, own, NOTICES, rules=rules)
        return kept_text(pair.document, WANTED.applied(pair.document, Kept(mask, own.scores, kinds=found)))

    whole = text(RULES)
    best = bag_overlap(whole, gold).f_score
    return [
        float("nan") if (found := text(rules)) == whole else best - bag_overlap(found, gold).f_score
        for rules in left_out
    ]


METHOD = load_method("hybrid", "auto")
NOTICES = shipped_notices()
WANTED = ZoneOptions.by_default(entry_of("hybrid"))


def main(gold: Annotated[list[Path], typer.Argument(help="gold directories")]) -> None:
    """Measures each rule by leaving it out."""
    left_out = [[each for each in RULES if each is not rule] for rule in RULES]
    for folder in gold:
        pairs = [pair for pair in load_gold(folder) if not pair.document.is_text]
        table = np.array([losses(pair, left_out) for pair in pairs])
        typer.echo(f"{folder.name}, {len(pairs)} pages")
        for rule, column in zip(RULES, table.T, strict=True):
            loss = np.nan_to_num(column)
            error = loss.std(ddof=1) / np.sqrt(len(loss))
            changed = int(np.count_nonzero(~np.isnan(column)))
            typer.echo(f"  {rule.name:<16} {loss.mean():+.3f} ± {error:.3f}  {changed:>5} pages")


if __name__ == "__main__":
    typer.run(main)
