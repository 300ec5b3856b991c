"""Learns models of languages from the inputs of a run, before it cleans them."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final
from zlib import crc32

from ncleaner.errors import InputError
from ncleaner.lab.training.crawl import learn_languages
from ncleaner.methods.choice import PerLanguage
from ncleaner.modelling.container import language_of
from ncleaner.options import OptionError
from ncleaner.page import Page
from ncleaner.reading.inputs import Input
from ncleaner.recipe import AUTO_LEARN
from ncleaner.running.settings import Settings
from ncleaner.running.surveys import beside, inputs_key
from ncleaner.storage.local import write_whole

# Pages of a sample. At first a few of each input are taken, then more of each.
_PAGES: Final = 2000
_PARTS: Final = ((0, 20), (20, 200), (200, _PAGES))


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
    """
    recipe = settings.recipe
    bare = replace(recipe, learn=None, sites=None, min_quality=None, drop_seen=False, drop_duplicates=False)
    plain = replace(settings, recipe=bare)
    cleaner = plain.cleaner()
    if not isinstance(cleaner.method, PerLanguage):
        raise OptionError("learn", f"{cleaner.method.name} takes one model for all pages here")
    by_language: Any = cleaner.method.models
    with beside(inputs, output, "--learn") as folder:
        models = folder / "models"
        told = models / "inputs"
        what = [str(recipe.learn), repr(plain.recipe), plain.fingerprint(), repr(plain.reading)]
        of = inputs_key(inputs, what)
        if again or not told.is_file() or told.read_bytes() != of:
            shutil.rmtree(models, ignore_errors=True)
            models.mkdir()
            codes = str(recipe.learn).split(",")
            known = {"", *by_language} if codes == [AUTO_LEARN] else set()
            is_wanted = codes.__contains__ if not known else lambda code: code not in known
            # the user's own first, which a directory of models leaves out
            for model in by_language.loaded():
                model.save(models / f"{language_of(model.about)}.ncm")
            for code, model in learn_languages(_sample(inputs, plain), cleaner.document, is_wanted, say):
                model.save(models / f"{code}.ncm")
            if missing := [
                code for code in codes if code != AUTO_LEARN and not (models / f"{code}.ncm").is_file()
            ]:
                say(f"no model is learned of {', '.join(missing)}")
            write_whole(told, of)
        yield replace(settings, recipe=replace(recipe, learn=models))


def _sample(inputs: list[Input], settings: Settings) -> Iterator[Page]:
    """Yields the first pages of the inputs, or of some."""
    # such that no directory comes first
    mixed = sorted(inputs, key=lambda source: crc32(os.fsencode(source.relative)))
    found = (islice(_pages(source, settings), *part) for part in _PARTS for source in mixed)
    return islice(chain.from_iterable(found), _PAGES)


def _pages(source: Input, settings: Settings) -> Iterator[Page]:
    # the run tells why an input cannot be read
    with suppress(InputError):
        yield from (item for item in settings.read(source.path, pipes=False) if isinstance(item, Page))
