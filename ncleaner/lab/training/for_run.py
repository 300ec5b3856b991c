"""Learns models of languages from the inputs of a run, before it cleans them."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import uuid4
from zlib import crc32

from ncleaner.document.tables import Document
from ncleaner.errors import InputError
from ncleaner.lab.training.crawl import learn_languages
from ncleaner.methods.choice import PerLanguage
from ncleaner.modelling.container import language_of
from ncleaner.options import OptionError
from ncleaner.page import Page
from ncleaner.reading.inputs import Input
from ncleaner.recipe import AUTO_LEARN
from ncleaner.running.manifest import NAME
from ncleaner.running.outputs import output_errors
from ncleaner.running.settings import Settings
from ncleaner.running.surveys import beside, inputs_key
from ncleaner.storage.local import LocalFolder, write_whole
from ncleaner.text.codes import languages_in

# Pages of a sample. At first a few of each input are taken, then more of each.
_PAGES: Final = 2000
_PARTS: Final = ((0, 20), (20, 200), (200, _PAGES))
# Bytes of a page from which it is passed over, and of all pages: learning takes time and memory by their
# bytes, and a page of megabytes teaches as much as one of a hundred kilobytes.
_LARGE: Final = 1 << 20
_BYTES: Final = 256 << 20
# the file that tells of what inputs models are, and that they are as they were learned
_TOLD: Final = "inputs"


@contextmanager
def learned(
    inputs: list[Input],
    settings: Settings,
    output: str | Path | BinaryIO,
    *,
    again: bool = False,
    say: Callable[[str], object] = len,
) -> Iterator[Settings]:
    """Gives the settings of a run with models that are learned from a sample of its inputs.

    In a local directory of outputs, the models are in `_run/models`: they stay, and a later run uses them if
    the inputs are the same. For other outputs they are temporary.

    Args:
        inputs, settings, output, again: see `engine.run`.
        say: gets a sentence about each language with pages to learn from.

    Raises:
        ValueError: the method has no models by language.
        InputError: an input can be read only once.
        OutputError: the models cannot be written, or another run uses others in this directory.
    """
    recipe = settings.recipe
    bare = replace(recipe, learn=None, sites=None, min_quality=None, drop_seen=False, drop_duplicates=False)
    plain = replace(settings, recipe=bare)
    cleaner = plain.cleaner()
    if not isinstance(cleaner.method, PerLanguage):
        raise OptionError("learn", "one model cleans all pages: leave --model out, or use hybrid")
    by_language: Any = cleaner.method.models
    with beside(inputs, output, "--learn") as folder:
        models = folder / "models"
        what = [str(recipe.learn), repr(bare), plain.fingerprint(), repr(plain.reading)]
        of = inputs_key(inputs, what)
        with output_errors(models):
            if again or not _is_of(models, of, plain):
                made = folder / f".models-{uuid4().hex}"
                made.mkdir()
                try:
                    _learn(made, inputs, plain, str(recipe.learn), by_language, cleaner.document, say)
                    write_whole(made / _TOLD, _seal(made, of, plain))
                    # it fails if there are some, which may be the same, from another shard
                    with suppress(OSError):
                        made.rename(models)
                    if made.is_dir() and not _is_of(models, of, plain):
                        # another run may use them; this run locks its manifest later
                        with LocalFolder(folder.parent).log(NAME):
                            shutil.rmtree(models)
                            made.rename(models)
                finally:
                    shutil.rmtree(made, ignore_errors=True)
        yield replace(settings, recipe=replace(recipe, learn=models))


def _seal(models: Path, of: bytes, plain: Settings) -> bytes:
    learned_here = replace(plain, recipe=replace(plain.recipe, learn=models))
    return of + learned_here.fingerprint().encode()


def _is_of(models: Path, of: bytes, plain: Settings) -> bool:
    told = models / _TOLD
    return told.is_file() and told.read_bytes() == _seal(models, of, plain)


def _learn(
    folder: Path,
    inputs: list[Input],
    settings: Settings,
    learn: str,
    known: Any,
    dump: Callable[[Page], Document],
    say: Callable[[str], object],
) -> None:
    """Writes the models of a run into a directory."""
    named = [] if learn == AUTO_LEARN else languages_in(learn)
    # the user's own first, which a directory of models leaves out
    for model in known.loaded():
        model.save(folder / f"{language_of(model.about)}.ncm")

    def is_wanted(code: str) -> bool:
        return code in named if named else code not in ("", *known)

    for code, model in learn_languages(_sample(inputs, settings), dump, is_wanted, named, say):
        model.save(folder / f"{code}.ncm")


def _sample(inputs: list[Input], settings: Settings) -> Iterator[Page]:
    """Yields the first pages of the inputs, or of some."""
    # such that no directory comes first
    sources = sorted(inputs, key=lambda source: crc32(os.fsencode(source.relative)))
    left = _BYTES
    for first, last in _PARTS:
        longer = []
        for source in sources:
            pages = _pages(source, settings)
            for page in islice(pages, first, last):
                left -= len(page.body)
                if left < 0:
                    return
                yield page
            longer += [source] * (next(pages, None) is not None)
        sources = longer


def _pages(source: Input, settings: Settings) -> Iterator[Page]:
    # the run tells why an input cannot be read
    with suppress(InputError):
        for item in settings.read(source.path, pipes=False):
            if isinstance(item, Page) and len(item.body) <= _LARGE:
                yield item
