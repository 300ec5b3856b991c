"""Hashes of the words of class, id and role."""

from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document._hashes import name_hash
from ncleaner.dumping.html import dump_html


@pytest.mark.parametrize("word", ["solution", "accepted", "nav", "recommendations"])
def test_the_hash_of_a_name_is_that_of_the_table_of_names(word: str) -> None:
    # of a longer word, the first eight letters count
    page = f'<body><div class="{word}"><p>The ferry will sail until the end of May.'
    document = dump_html(page.encode())
    at = int(np.max(document.elements["names"]))
    assert document.names[at : at + 2].tolist() == [1, name_hash(word)]
