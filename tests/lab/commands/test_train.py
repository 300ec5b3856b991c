"""What `train` says of the pages and texts that it gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncleaner.dumping.html import dump_html
from ncleaner.lab.commands.fitting import of_guesses, other_language
from ncleaner.lab.training import Labelled
from ncleaner.lab.training.pairs import Pair

from ..annotating import made

GREEK = "<html lang=el><p>" + "Το πλοίο θα φύγει το πρωί από το λιμάνι, αν το επιτρέψει ο καιρός. " * 3
ENGLISH = "<html lang=en><p>" + "The ferry leaves the harbour in the morning, if the weather allows it. " * 3


@pytest.mark.parametrize(
    ("greek", "english", "given", "said"),
    [
        (3, 0, None, "without --language el, `clean` takes this model only where --model names it"),
        (3, 1, "de", "3 of 4 pages seem to be in el, not in de: correct --language, or name the model with --model"),
        (3, 1, "el", ""),
        (3, 0, "any", ""),
        # several languages: nothing to advise
        (2, 2, None, ""),
        (2, 2, "el", ""),
    ],
)  # fmt: skip
def test_a_model_that_clean_would_not_choose(greek: int, english: int, given: str | None, said: str) -> None:
    pages = [GREEK] * greek + [ENGLISH] * english
    found = other_language([Pair("a", dump_html(page), "") for page in pages], given)
    assert said in found and bool(found) == bool(said)


@pytest.mark.parametrize(("changed", "said"), [((0, 0, 4), "on 2 of 3 annotated pages"), ((0, 1, 4), "")])
def test_guesses_that_were_accepted_unread(tmp_path: Path, changed: tuple[int, ...], said: str) -> None:
    project = made.project(tmp_path)
    for number, each in enumerate(changed):
        letters = "o" * len(project.document(f"p{number}"))
        made.label(project, "anna", f"p{number}", letters, changed=each)
    found = of_guesses(Labelled(raw=project.raw, clean=project.clean))
    assert found.startswith(said) and bool(found) == bool(said)
    assert of_guesses(Labelled()) == of_guesses(Labelled(raw=tmp_path / "no" / "raw")) == ""
