"""Scores for a directory of cleaned pages against a directory of gold texts.

The figures are those of Evert's `cleaneval.py` 1.0 (2008), to two decimals, and beside them the multiset
word F1 of newer benchmarks; `ncleaner.measures` says what each counts. One difference: the macro average
here is over the pages that were compared. The script of 2008 leaves out a page that has no gold text but
still divides by the number of all files, so that every missing file lowers its mean; here missing files
are named in the result instead.
"""

from __future__ import annotations

import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ncleaner.errors import EvaluationError
from ncleaner.scoring.measures import (
    Average,
    Counts,
    Overlap,
    Spread,
    Summary,
    Unit,
    align,
    alignment_text,
    bag_overlap,
    count,
    split_words,
)

__all__ = ["Evaluation", "PageScores", "evaluate", "score_page"]

Progress = Callable[[int, int], None]
"""Called with the number of pages done and the number of all pages, in the calling process."""

# What tools leave beside their texts: reports and manifests, never a cleaned page.
_NOT_TEXTS = {".json", ".jsonl"}


@dataclass(frozen=True, slots=True)
class PageScores:
    """All figures of one page. `words` and `marks` come from one diff, the unlabelled pair from another.

    In the unlabelled diff `<p>`, `<h>` and `<l>` are the same mark, and since marks are words, it gives
    slightly different word figures too.
    """

    name: str
    words: Counts
    marks: Counts
    words_unlabelled: Counts
    marks_unlabelled: Counts
    bag: Overlap

    def to_dict(self) -> dict[str, Any]:
        """Return the page's name and all its figures, for JSON."""
        return {
            "name": self.name,
            "words": self.words.to_dict(),
            "marks": self.marks.to_dict(),
            "words_unlabelled": self.words_unlabelled.to_dict(),
            "marks_unlabelled": self.marks_unlabelled.to_dict(),
            "bag": self.bag.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of a whole run: pages in order of name, four alignment summaries, and the bag measure.

    All figures are in per cent. `missing_gold` names predicted
    files without a gold text, `missing_pred` gold texts that nothing was predicted for; neither counts.
    """

    pages: tuple[PageScores, ...]
    missing_gold: tuple[str, ...]
    missing_pred: tuple[str, ...]
    words: Summary
    marks: Summary
    words_unlabelled: Summary
    marks_unlabelled: Summary
    bag: Spread
    unit: Unit

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON; a deviation that does not exist is null."""
        return {
            "compared": len(self.pages),
            "missing_gold": list(self.missing_gold),
            "missing_pred": list(self.missing_pred),
            "unit": self.unit,
            "words": self.words.to_dict(),
            "marks": self.marks.to_dict(),
            "words_unlabelled": self.words_unlabelled.to_dict(),
            "marks_unlabelled": self.marks_unlabelled.to_dict(),
            "bag": self.bag.to_dict(),
            "pages": [page.to_dict() for page in self.pages],
        }


def score_page(
    name: str, predicted: bytes, gold: bytes, *, unit: Unit = "word", ascii_only: bool = False
) -> tuple[PageScores, bytes]:
    """Compare one page with its gold text; returns the figures and the labelled alignment, written out."""
    ours = split_words(predicted, ascii_only=ascii_only)
    theirs = split_words(gold, ascii_only=ascii_only)
    diff = align(ours, theirs)
    words, marks = words_unlabelled, marks_unlabelled = count(diff)
    ours_unlabelled = split_words(predicted, unlabelled=True, ascii_only=ascii_only)
    theirs_unlabelled = split_words(gold, unlabelled=True, ascii_only=ascii_only)
    if (ours_unlabelled, theirs_unlabelled) != (ours, theirs):
        words_unlabelled, marks_unlabelled = count(align(ours_unlabelled, theirs_unlabelled))
    bag = bag_overlap(predicted, gold, unit)
    scores = PageScores(name, words, marks, words_unlabelled, marks_unlabelled, bag)
    return scores, alignment_text(diff)


def evaluate(
    pred_dir: str | Path,
    gold_dir: str | Path,
    *,
    unit: Unit = "word",
    ascii_only: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    align_dir: str | Path | None = None,
) -> Evaluation:
    """Compares cleaned pages with a gold standard: scores every page that stands in both directories.

    All figures are in per cent: those of `cleaneval.py`, by alignment of the words in order, and the multiset
    F of newer benchmarks (`bag`). Files pair up by relative path, or else by path without the last suffix
    (`7.html` and `7.txt`). Hidden files and JSON are passed over. Two single files are compared as they are.

    >>> import ncleaner
    >>> result = ncleaner.evaluate("examples/gold", "examples/gold")
    >>> len(result.pages), result.words.micro.f_score, result.bag.f_score.mean
    (15, 100.0, 100.0)

    Args:
        pred_dir: cleaned pages, with or without CleanEval markup.
        gold_dir: gold texts.
        unit: what the bag measure counts, `"word"` or `"char"`.
        ascii_only: delete bytes above 127 before aligning.
        jobs: worker processes; the result does not depend on it.
        progress: called with pages done and all pages, after every page.
        align_dir: where to write each page's labelled alignment, as `NAME.align`.

    Returns:
        The figures of each page, and over all pages: from summed counts (`micro`), averaged by page
            (`macro`).

    Raises:
        EvaluationError: a directory is missing, they have no page in common, or a file cannot be read.
    """
    if unit not in ("word", "char"):
        raise EvaluationError(f"Tokens can be 'word' or 'char', not {unit!r}.")
    pairs, missing_gold, missing_pred = _pair(Path(pred_dir), Path(gold_dir))
    align_to = None if align_dir is None else Path(align_dir)
    tasks = [_Task(name, pred, gold, unit, ascii_only, align_to) for name, pred, gold in pairs]
    pages = _run(tasks, jobs, progress or (lambda done, total: None))
    return Evaluation(
        pages=tuple(pages),
        missing_gold=tuple(missing_gold),
        missing_pred=tuple(missing_pred),
        words=Summary.of([page.words for page in pages]),
        marks=Summary.of([page.marks for page in pages]),
        words_unlabelled=Summary.of([page.words_unlabelled for page in pages]),
        marks_unlabelled=Summary.of([page.marks_unlabelled for page in pages]),
        bag=Spread(
            Average.of([page.bag.precision for page in pages]),
            Average.of([page.bag.recall for page in pages]),
            Average.of([page.bag.f_score for page in pages]),
        ),
        unit=unit,
    )


@dataclass(frozen=True, slots=True)
class _Task:
    name: str
    pred: Path
    gold: Path
    unit: Unit
    ascii_only: bool
    align_dir: Path | None

    def run(self) -> PageScores:
        try:
            predicted, gold = self.pred.read_bytes(), self.gold.read_bytes()
        except OSError as error:
            raise EvaluationError(f"Cannot read {error.filename}: {error.strerror}.") from error
        scores, alignment = score_page(self.name, predicted, gold, unit=self.unit, ascii_only=self.ascii_only)
        if self.align_dir is not None:
            target = self.align_dir / f"{self.name}.align"
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(alignment)
            except OSError as error:
                raise EvaluationError(f"Cannot write {target}: {error.strerror}.") from error
        return scores


def _run(tasks: Sequence[_Task], jobs: int, progress: Progress) -> list[PageScores]:
    total = len(tasks)
    if jobs <= 1 or total == 1:
        pages = []
        for done, task in enumerate(tasks, 1):
            pages.append(task.run())
            progress(done, total)
        return pages
    # Not forked: the caller may run threads (a progress bar does), and a fork copies their locks.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, total), mp_context=context) as pool:
        # The longest first, so that no worker is left alone with a large page at the end.
        order = sorted(range(total), key=lambda i: -tasks[i].gold.stat().st_size)
        futures = {pool.submit(tasks[i].run): i for i in order}
        found: dict[int, PageScores] = {}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                found[futures[future]] = future.result()
                progress(done, total)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [found[i] for i in range(total)]


def _pair(pred_dir: Path, gold_dir: Path) -> tuple[list[tuple[str, Path, Path]], list[str], list[str]]:
    """Find the counterparts; returns (name, pred, gold) sorted by name, and what is left on each side."""
    for path in (pred_dir, gold_dir):
        if not path.exists():
            raise EvaluationError(f"There is no directory {path}.")
    if pred_dir.is_file() and gold_dir.is_file():
        return [(pred_dir.name, pred_dir, gold_dir)], [], []
    for path in (pred_dir, gold_dir):
        if not path.is_dir():
            raise EvaluationError(f"{path} is a file: give two directories or two files.")
    pred, gold = _texts(pred_dir), _texts(gold_dir)
    pairs = {name: name for name in pred.keys() & gold.keys()}
    # Pages under another suffix. Where several would do, the first takes the gold text: .txt, then by name.
    by_stem: dict[str, list[str]] = defaultdict(list)
    for name in gold.keys() - pairs.keys():
        by_stem[_stem(name)].append(name)
    for rest in by_stem.values():
        rest.sort(key=_preference, reverse=True)
    for name in sorted(pred.keys() - pairs.keys(), key=_preference):
        if by_stem[_stem(name)]:
            pairs[name] = by_stem[_stem(name)].pop()
    if not pairs:
        raise EvaluationError(
            f"No file in {pred_dir} has a counterpart in {gold_dir}: files match by name, or by name without "
            f"the suffix ({_sample(pred)} against {_sample(gold)})."
        )
    taken = set(pairs.values())
    return (
        [(name, pred[name], gold[pairs[name]]) for name in sorted(pairs)],
        sorted(name for name in pred if name not in pairs),
        sorted(name for name in gold if name not in taken),
    )


def _texts(directory: Path) -> dict[str, Path]:
    found = {}
    for path in directory.rglob("*"):
        inner = path.relative_to(directory)
        hidden = any(part.startswith(".") for part in inner.parts)
        if not hidden and path.suffix not in _NOT_TEXTS and path.is_file():
            found[inner.as_posix()] = path
    return found


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def _preference(name: str) -> tuple[bool, str]:
    return not name.endswith(".txt"), name


def _sample(names: Iterable[str]) -> str:
    ordered = sorted(names)
    return f"{ordered[0]}, …" if len(ordered) > 1 else ordered[0] if ordered else "an empty directory"
