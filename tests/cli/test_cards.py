from __future__ import annotations

import pytest

from ncleaner.cli.cards import card_text
from ncleaner.methods.choice import read_ngrams


@pytest.mark.parametrize("order", [1, 2, 3])
def test_models_of_any_order_can_be_shown(order: int) -> None:
    said = card_text(read_ngrams("en").with_parameters(order=order).card(number=2))
    assert f"n, q       {order}, " in said
    assert len(said.partition("most informative of dirty text:")[2].splitlines()) == 4
