"""Scores for a directory of cleaned pages against a directory of gold texts.

The figures are those of Evert's `cleaneval.py` 1.0 (2008), equal to two decimals, and the multiset word F1 of
newer benchmarks; `ncleaner.lab.scoring.measures` defines both. One difference: the macro average here is over
the compared pages. The script of 2008 leaves out a page without gold text but still divides by the number of
all files, so that every missing file lowers its mean; here the result names the missing files instead.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from ncleaner.arguments import check_flag, check_is, check_path, check_whole
from ncleaner.errors import EvaluationError
from ncleaner.lab.scoring.measures import (
    ALIGNED,
    BagUnit,
    MacroAverages,
    MatchCounts,
    MeasureErrors,
    Overlap,
    StandardErrors,
    Summary,
    alignment_text,
    bag_overlap,
    clusters_of,
    count_diff,
    diff_words,
    mean_errors,
    split_words,
)
from ncleaner.pools.pool import Worker, results

PageProgress = Callable[[int, int], None]
"""Called in the calling process with the number of pages done and the number of all pages."""

# Suffixes of files that tools write beside their texts: reports and manifests, never a cleaned page.
_NOT_TEXTS = {".json", ".jsonl"}


@dataclass(frozen=True, slots=True)
class PageScores:
    """All figures of one page. `words` and `marks` come from one diff, `…_unlabelled` from another.

    In the unlabelled diff, `<p>`, `<h>` and `<l>` are the same mark. Since marks are words, its word figures
    differ slightly, too.
    """

    name: str
    words: MatchCounts
    marks: MatchCounts
    words_unlabelled: MatchCounts
    marks_unlabelled: MatchCounts
    bag: Overlap

    def to_dict(self) -> dict[str, Any]:
        """Returns the page's name and all its figures, for JSON."""
        return {
            "name": self.name,
            **{name: getattr(self, name).to_dict() for name in ALIGNED},
            "bag": self.bag.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The figures of an evaluation, in per cent.

    Attributes:
        pages: figures of each page, in the order of the names.
        missing_gold: names of predicted files without a gold text; they do not count.
        missing_pred: names of gold texts without a predicted file; they do not count.
        words, marks, words_unlabelled, marks_unlabelled: summaries of the alignment measure.
        bag: macro averages of the bag measure.
        unit: what the bag measure counts.
        errors: standard errors of these figures.
    """

    pages: tuple[PageScores, ...]
    missing_gold: tuple[str, ...]
    missing_pred: tuple[str, ...]
    words: Summary
    marks: Summary
    words_unlabelled: Summary
    marks_unlabelled: Summary
    bag: MacroAverages
    unit: BagUnit
    errors: StandardErrors

    def to_dict(self) -> dict[str, Any]:
        """Returns all figures, for JSON; a standard deviation that does not exist is null."""
        return {
            "compared": len(self.pages),
            "missing_gold": list(self.missing_gold),
            "missing_pred": list(self.missing_pred),
            "unit": self.unit,
            **{name: getattr(self, name).to_dict() for name in ALIGNED},
            "bag": self.bag.to_dict(),
            "standard_errors": self.errors.to_dict(),
            "pages": [page.to_dict() for page in self.pages],
        }


def score_page(
    name: str, predicted: bytes, gold: bytes, *, unit: BagUnit = "word", ascii_only: bool = False
) -> tuple[PageScores, bytes]:
    """Compares one page with its gold text.

    Args:
        name: of the page.
        predicted, gold: the texts, with or without CleanEval markup.
        unit: what the bag measure counts.
        ascii_only: delete bytes above 127 before aligning.

    Returns:
        The figures, and the labelled alignment as a text to read.
    """
    ours = split_words(predicted, ascii_only=ascii_only)
    theirs = split_words(gold, ascii_only=ascii_only)
    diff = diff_words(ours, theirs)
    words, marks = words_unlabelled, marks_unlabelled = count_diff(diff)
    ours_unlabelled = split_words(predicted, unlabelled=True, ascii_only=ascii_only)
    theirs_unlabelled = split_words(gold, unlabelled=True, ascii_only=ascii_only)
    if (ours_unlabelled, theirs_unlabelled) != (ours, theirs):
        words_unlabelled, marks_unlabelled = count_diff(diff_words(ours_unlabelled, theirs_unlabelled))
    bag = bag_overlap(predicted, gold, unit)
    scores = PageScores(name, words, marks, words_unlabelled, marks_unlabelled, bag)
    return scores, alignment_text(diff)


def evaluate(
    pred_dir: str | Path,
    gold_dir: str | Path,
    *,
    unit: BagUnit = "word",
    ascii_only: bool = False,
    jobs: int = 1,
    progress: PageProgress | None = None,
    align_dir: str | Path | None = None,
    sites: Mapping[str, str] | None = None,
) -> Evaluation:
    """Compares cleaned pages with a gold standard: scores every page that is in both directories.

    All figures are in per cent: those of `cleaneval.py`, by alignment of the words in order, and the multiset
    F of newer benchmarks (`bag`). Files are paired by relative path, else by path without the last suffix
    (`7.html` and `7.txt`). Hidden files and JSON are passed over. Two single files are compared with each
    other.

    >>> import ncleaner
    >>> result = ncleaner.evaluate("examples/gold", "examples/gold")
    >>> len(result.pages), result.words.micro.f_score, result.bag.f_score.mean
    (15, 100.0, 100.0)

    Args:
        pred_dir: cleaned pages, with or without CleanEval markup.
        gold_dir: gold texts.
        unit: what the bag measure counts, `"word"` or `"char"`.
        ascii_only: delete bytes above 127 before aligning.
        jobs: number of worker processes; the result does not depend on it.
        progress: called after every page with the number of pages done and of all pages.
        align_dir: directory for each page's labelled alignment, `NAME.align`; None writes none.
        sites: {name of a page, without suffix or with it: registered domain}, for the standard errors: pages
            of a site are not independent. Without it they are over pages.

    Returns:
        The figures of each page, and those of all pages: from summed counts (`micro`), and averaged over
            pages (`macro`).

    Raises:
        TypeError: an argument has another type.
        ValueError: the number of jobs is not at least 1.
        EvaluationError: a directory is missing, the directories have no page in common, or a file cannot be
            read or written.
    """
    check_path("pred_dir", pred_dir)
    check_path("gold_dir", gold_dir)
    if align_dir is not None:
        check_path("align_dir", align_dir)
    check_flag("ascii_only", ascii_only)
    check_whole("jobs", jobs, 1)
    if sites is not None:
        check_is("sites", sites, Mapping, "a mapping {name: registered domain}")
    if unit not in ("word", "char"):
        raise EvaluationError(f"the unit can be 'word' or 'char', not {unit!r}")
    pairs, missing_gold, missing_pred = _pair(Path(pred_dir), Path(gold_dir))
    align_to = None if align_dir is None else Path(align_dir)
    # the longest first, so that the last page to finish is a short one
    order = sorted(pairs, key=lambda pair: -pair[2].stat().st_size)
    tasks = [partial(_compared, *pair, unit, ascii_only, align_to) for pair in order]
    pages: list[PageScores] = []
    for done, (_, scores) in enumerate(results(tasks, jobs), 1):
        pages.append(scores)
        if progress is not None:
            progress(done, len(tasks))
    pages.sort(key=lambda page: page.name)
    return Evaluation(
        pages=tuple(pages), missing_gold=tuple(missing_gold), missing_pred=tuple(missing_pred),
        **{name: Summary.of([getattr(page, name) for page in pages]) for name in ALIGNED},
        bag=MacroAverages.of([page.bag for page in pages]), unit=unit, errors=_errors(pages, sites or {}),
    )  # fmt: skip


def _errors(pages: Sequence[PageScores], sites: Mapping[str, str]) -> StandardErrors:
    known = [sites.get(page.name) or sites.get(stem_of(page.name), "") for page in pages]
    clusters = clusters_of(known)
    return StandardErrors(
        by="site" if any(known) else "page", clusters=len(set(clusters)), unknown=known.count(""),
        **{name: MeasureErrors.of([getattr(page, name) for page in pages], clusters) for name in ALIGNED},
        bag=mean_errors([page.bag for page in pages], clusters),
    )  # fmt: skip


def _compared(
    name: str, pred: Path, gold: Path, unit: BagUnit, ascii_only: bool, align_dir: Path | None, worker: Worker
) -> PageScores:
    """Compares one page; a task of a worker."""
    scores, alignment = score_page(name, *_read(pred, gold), unit=unit, ascii_only=ascii_only)
    if align_dir is not None:
        target = align_dir / f"{name}.align"
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(alignment)
        except OSError as error:
            raise EvaluationError(f"cannot write {target}: {error.strerror}") from error
    return scores


def read_pair(name: str, pred_dir: str | Path, gold_dir: str | Path) -> tuple[bytes, bytes]:
    """Returns the predicted text and the gold text of a page.

    Args:
        name: as `Evaluation.pages` names it.
        pred_dir, gold_dir: as `evaluate` takes them.

    Raises:
        EvaluationError: there is no such pair, or it cannot be read.
    """
    pairs, _, _ = _pair(Path(pred_dir), Path(gold_dir))
    for known, pred, gold in pairs:
        if known == name:
            return _read(pred, gold)
    raise EvaluationError(f"there is no page {name} in {pred_dir}")


def _read(pred: Path, gold: Path) -> tuple[bytes, bytes]:
    try:
        return pred.read_bytes(), gold.read_bytes()
    except OSError as error:
        raise EvaluationError(f"cannot read {error.filename}: {error.strerror}") from error


def _pair(pred_dir: Path, gold_dir: Path) -> tuple[list[tuple[str, Path, Path]], list[str], list[str]]:
    """Returns (name, predicted, gold) of each pair of files, by name; the names of predicted files without a
    gold text; and those of gold texts without a predicted file."""
    for path in (pred_dir, gold_dir):
        if not path.exists():
            raise EvaluationError(f"there is no directory {path}")
    if pred_dir.is_file() and gold_dir.is_file():
        return [(pred_dir.name, pred_dir, gold_dir)], [], []
    for path in (pred_dir, gold_dir):
        if not path.is_dir():
            raise EvaluationError(f"{path} is a file: give two directories or two files")
    pred, gold = texts_in(pred_dir), texts_in(gold_dir)
    pairs = {name: name for name in pred.keys() & gold.keys()}
    # Files that differ in the suffix only. Of several with one stem, the first takes the gold text: .txt,
    # then the others by name.
    by_stem: dict[str, list[str]] = defaultdict(list)
    for name in gold.keys() - pairs.keys():
        by_stem[stem_of(name)].append(name)
    for names in by_stem.values():
        names.sort(key=_preference, reverse=True)
    for name in sorted(pred.keys() - pairs.keys(), key=_preference):
        if by_stem[stem_of(name)]:
            pairs[name] = by_stem[stem_of(name)].pop()
    if not pairs:
        raise EvaluationError(
            f"no file in {pred_dir} has a counterpart in {gold_dir}: files match by name, or by name without "
            f"the suffix ({_sample(pred)} against {_sample(gold)})"
        )
    taken = set(pairs.values())
    return (
        [(name, pred[name], gold[pairs[name]]) for name in sorted(pairs)],
        sorted(name for name in pred if name not in pairs),
        sorted(name for name in gold if name not in taken),
    )


def texts_in(directory: Path) -> dict[str, Path]:
    """Returns {relative path: path} of the files of a directory that may be pages or texts."""
    found = {}
    for path in directory.rglob("*"):
        inner = path.relative_to(directory)
        # in `_run`, a run keeps what is not an output
        hidden = any(part.startswith(".") or part == "_run" for part in inner.parts)
        if not hidden and path.suffix not in _NOT_TEXTS and path.is_file():
            found[inner.as_posix()] = path
    return found


def stem_of(name: str) -> str:
    """Returns a relative path without its last suffix."""
    return str(PurePosixPath(name).with_suffix(""))


def _preference(name: str) -> tuple[bool, str]:
    return not name.endswith(".txt"), name


def _sample(names: Iterable[str]) -> str:
    ordered = sorted(names)
    return f"{ordered[0]}, …" if len(ordered) > 1 else ordered[0] if ordered else "an empty directory"
