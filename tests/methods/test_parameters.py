"""Parameters of methods: declared, read from text, checked, and applied everywhere alike."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.methods.choice import load_method
from ncleaner.methods.registry import METHODS, entry_of
from ncleaner.recipe import Recipe
from ncleaner.running.settings import Settings

LONG = "The harbour board has decided that the ferry will sail until the end of May, in all weathers."


@pytest.mark.parametrize("name", METHODS)
def test_defaults_are_within_their_bounds(name: str) -> None:
    for each in entry_of(name).parameters:
        assert each.checked(each.default) == each.default and each.help


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(ValueError, match="the method bte has no parameter 'x': it has none"):
        entry_of("bte").make(parameters={"x": 1})
    with pytest.raises(ValueError, match="no parameter 'x': it has centre, characters, classifier"):
        load_method("density", parameters={"x": 1})


def test_they_reach_the_method_also_by_language() -> None:
    page = f"<html lang=en><p>{LONG}<p>Short."
    assert Cleaner("density", parameters={"classifier": False}).clean(page) == LONG
    every = Cleaner("density", parameters={"classifier": "no", "characters": "0"})
    assert every.clean(page).count("\n") == 1
    assert pickle.loads(pickle.dumps(every)).clean(page) == every.clean(page)
    # a page in two languages has a method of its own
    russian = (
        "Паром будет ходить до конца мая, решил вчера совет порта, и команда об этом ничего не знала. " * 3
    )
    assert russian.strip() in every.clean(f"{page * 9}<p>{russian}")


def test_settings_have_them() -> None:
    settings = Settings(Recipe(method="webcontent", parameters={"share": 0.4}))
    assert settings.cleaner().method == entry_of("webcontent").make(parameters={"share": 0.4})


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ncleaner", *arguments],
        input=f"<p>{LONG}<p>Short.", capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_on_the_command_line() -> None:
    done = run(
        "clean", "-q", "-m", "density", "--set", "classifier=no", "--set", "characters=1", "--model", "en"
    )
    assert done.stdout.splitlines() == [LONG, "Short."]
    for wrong, message in [("characters=x", "whole number"), ("size=1", "no parameter"), ("x", "NAME=VALUE")]:
        done = run("clean", "-m", "density", "--set", wrong)
        assert done.returncode == 2 and message in " ".join(done.stderr.split())


@pytest.mark.slow
def test_methods_lists_them() -> None:
    done = run("methods")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["method", *METHODS]
    for name, entry in METHODS.items():
        shown = run("methods", name).stdout
        assert entry.about in shown and entry.source in shown
        assert all(each.help in shown for each in entry.parameters)
