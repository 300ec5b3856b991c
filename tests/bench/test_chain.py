"""What is left of texts after the filters of datatrove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("datatrove", reason="datatrove is not installed: install ncleaner[datatrove]")
pytest.importorskip("spacy", reason="spaCy is not installed, which datatrove cuts words with")

PROSE = """\
The keeper of the northern lighthouse counts all of the ships that pass by at dawn, and writes each to a book.
On Sundays her sister comes with bread, and they talk about the war that took both of their brothers.
Nobody in town remembers when the lamp was lit first, but it must have been before the railway came.
Fishermen say that it burns brighter during storms; a physicist would tell them why this cannot be.
When it snows, the road to the cliff is closed, so letters wait at the post office until somebody has time.
Last winter an old map was found under the stairs with three islands on it which no chart has ever shown."""


@pytest.mark.slow
def test_each_filter_gets_what_the_one_before_keeps(bench_module: Callable[[str], Any]) -> None:
    repeated = "The ferry is late again today.\n" * 20
    braces = PROSE.replace("ships", "{ships}")
    found = bench_module("chain").kept_after([PROSE, repeated.strip(), braces, ""])
    assert [pages for pages, _ in found] == [3, 2, 2, 1, 1]
    assert found[-1] == (1, len(PROSE))
