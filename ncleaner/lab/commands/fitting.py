"""What `train` does: reads the pages, and makes a model of them. Loaded when a model is trained."""

from collections import Counter
from dataclasses import replace
from itertools import chain

from ncleaner.cleaner import Cleaner
from ncleaner.cli.cards import card_text
from ncleaner.cli.printing import tell
from ncleaner.errors import named
from ncleaner.lab.annotating.project import changed_in
from ncleaner.lab.commands.asked import Training
from ncleaner.lab.commands.evaluating import SEEN, digests_of
from ncleaner.lab.commands.labelled import read_labelled
from ncleaner.lab.commands.steps import CountDisplay
from ncleaner.lab.training import Labelled, NGramOptions
from ncleaner.lab.training.annotations import Annotated as AnnotatedPage
from ncleaner.lab.training.annotations import read_annotated
from ncleaner.lab.training.crawl import pages_by_language, train_from_crawl
from ncleaner.lab.training.curve import with_curve
from ncleaner.lab.training.hybrid import pair_of, train_hybrid
from ncleaner.lab.training.ngrams import train_and_score
from ncleaner.lab.training.pairs import Pair, read_fenced, read_texts, with_sites
from ncleaner.methods.choice import load_model
from ncleaner.methods.language import page_language
from ncleaner.methods.registry import entry_of
from ncleaner.modelling.container import Card, ModelFile
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.pools import cores
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.text.visible import counted, visible


def pairs_of(
    training: Training, labelled: Labelled, recipe: Recipe, language: str, quiet: bool
) -> list[Pair]:
    """Reads the pages to train on; none where a model is adapted, or learns from annotations alone."""

    pairs: list[Pair] = []
    if training.from_crawl:
        pairs = _crawled([*training.from_crawl], language, training.pages, quiet=quiet)
    elif labelled.raw and training.fence:
        pairs = read_fenced(
            labelled.raw, *training.fence, encoding=recipe.encoding, manifest=labelled.manifest
        )
    elif labelled.raw:
        pairs = read_labelled(replace(labelled, site_from=None), recipe)
    return pairs if labelled.site_from is None else with_sites(pairs, labelled.site_from)


def of_guesses(labelled: Labelled) -> str:
    """Returns why figures of pages that were annotated may say little of accuracy; empty if they do not."""
    done, changed = changed_in(labelled.raw.parent) if labelled.raw else (0, 0)
    if 2 * changed >= done:
        return ""
    return (
        f"on {done - changed:,} of {counted(done, 'annotated page')}, no guess was changed: if they were not "
        "read, the figures say how far the model agrees with the guesses, not how right it is"
    )


def other_language(pairs: list[Pair], given: str | None) -> str:
    """Returns why `clean` would not choose the model for pages such as these; empty if it would."""

    found = Counter(page_language(pair.document) for pair in pairs)
    (most, number), *_ = found.most_common(1)
    if not most or given == "any" or 2 * number <= len(pairs) or 2 * found[given or ""] >= len(pairs):
        return ""
    if given:
        seem = (
            f"for `clean`, {number:,} of {counted(len(pairs), 'page')} seem to be in {most}, not in {given}"
        )
        return f"{seem}: correct --language, or name the model with --model to clean such pages"
    return f"without --language {most}, `clean` takes this model only where --model names it"


def trained(
    training: Training, pairs: list[Pair], ngrams: NGramOptions, recipe: Recipe, about: dict[str, str]
) -> tuple[ModelFile, str]:
    """Trains the model; returns it, and what its learning curve says."""

    method, without = training.method, list(training.without)
    annotated: list[AnnotatedPage] = []
    if training.annotations:
        annotated = read_annotated(training.annotations, encoding=recipe.encoding)
    # by these, `evaluate` knows the training pages
    about = {**about, SEEN: digests_of([*pairs, *map(pair_of, annotated)])}
    if trainer := entry_of(method).trainer:
        # only those that take them may be given them
        given = {name: value for name, value in (("annotated", annotated), ("without", without)) if value}
        return named(trainer)(pairs, about=about, **given), ""
    model = load_model(training.base, entry_of("ngram").kinds) if training.base else None
    ngrams = replace(
        ngrams, threshold=training.threshold if method == "ngram" else None,
        more_clean=read_texts(training.more_clean), more_dirty=read_texts(training.more_dirty),
        base=None if model is None else NGramModel.of_model(model),
    )  # fmt: skip
    if training.from_crawl:
        learned = train_from_crawl(pairs, ngrams=ngrams, about=about)
        return learned if method == "hybrid" else learned.ngrams, ""
    if method == "ngram":
        return train_and_score(pairs, ngrams, about).model, ""
    hybrid = train_hybrid(
        pairs, annotated, structure=training.structure, without=without, threads=cores(), ngrams=ngrams,
        base=model if isinstance(model, HybridModel) else None, threshold=training.threshold, about=about,
    )  # fmt: skip
    if not training.learning_curve:
        return hybrid, ""
    return with_curve(hybrid, [*pairs, *map(pair_of, annotated)], str(ngrams.alphabet))


def _crawled(paths: list[str], language: str, most: int, *, quiet: bool) -> list[Pair]:
    """Reads the pages of inputs that are in a language, and tells which are left out."""

    items = chain.from_iterable(read(source.path) for source in find_inputs(paths))
    dump = Cleaner("everything").document
    with CountDisplay("page found", "pages found", quiet=quiet) as display:
        by_language, passed = pages_by_language(items, dump, language.__eq__, most, display.advance)
    pairs = by_language.get(language, [])
    if not quiet:
        others = (f", {number:,} {why}" for why, number in passed.most_common())
        pages = counted(len(pairs) + passed.total(), "page")
        tell(f"{pages} read: {len(pairs):,} in {visible(language)}{''.join(others)}")
    return pairs


def trained_card(model: ModelFile) -> str:
    """Returns the card of a model that has just been trained, without its tables."""
    return card_text(Card(model.card(0).facts, []))
