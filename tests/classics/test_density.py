from __future__ import annotations

from statistics import stdev

import numpy as np
import pytest

from ncleaner.classics.density import Density, text_densities
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.choice import read_ngrams

LONG = (
    "The harbour board has decided on Monday that the ferry will sail until the end of May, in all weathers."
)


@pytest.fixture(scope="module")
def bare() -> Density:
    return Density(read_ngrams("en"), classifier=False)


def test_density_is_text_for_text_and_markup() -> None:
    document = dump_html("<html><head></head><body><p>four</p><p class=a>fi ve</p></body></html>")
    density, chars = text_densities(document)
    # html, head and /head, body, p are before the first; /p and p class="a" before the second
    assert chars.tolist() == [4, 5]
    first, second = 4 + 4 + 5 + 4 + 1, 2 + len('p class="a"')
    assert density.tolist() == [5 / (5 + first), 6 / (6 + second)]


def test_threshold_is_half_less_the_deviation(bare: Density) -> None:
    widths = [0, 40, 90, 150, 700]
    document = dump_html("".join(f"<p title='{'x' * width}'>{LONG}</p>" for width in widths))
    density, _ = text_densities(document)
    threshold = 0.5 - stdev(density.tolist())
    found = bare.keep(document)
    assert found.mask.tolist() == [value > threshold for value in density.tolist()]
    assert found.mask.any() and not found.mask.all()


def test_short_segments_go_and_do_not_count(bare: Density) -> None:
    short = "".join(f"<li><a href='/{'x' * 90}'>Item {number}</a>" for number in range(30))
    document = dump_html(f"<ul>{short}</ul><p>{LONG}</p>")
    assert np.flatnonzero(bare.keep(document).mask).tolist() == [30]
    # without a least length, the menu would set the deviation
    assert Density(bare.model, classifier=False, characters=0).keep(document).mask.sum() == 1


def test_characters_are_code_points(bare: Density) -> None:
    document = dump_html("<p>" + "é" * 59 + "<p>" + "é" * 60)
    assert bare.keep(document).mask.tolist() == [False, True]


def test_the_classifier_keeps_what_is_likelier_clean() -> None:
    menu = "Home | Contact | Sitemap | Privacy policy | Terms of use | Login | Register | Search | Help | RSS"
    document = dump_html(f"<p>{LONG}</p><p>{menu}</p>")
    model = read_ngrams("en")
    found = Density(model).keep(document)
    assert found.mask.tolist() == [True, False]
    assert found.scores is not None and found.scores[0] > 0 > found.scores[1]
    assert Density(model, classifier=False).keep(document).mask.tolist() == [True, True]


def test_plain_text_has_density_one(bare: Density) -> None:
    document = dump_text(f"{LONG}\n\nshort")
    assert bare.keep(document).mask.tolist() == [True, False]
    assert bare.keep(dump_text("")).mask.shape == (0,)
