from __future__ import annotations

import pytest

from ncleaner.checking import installation
from ncleaner.checking.installation import FINE, rates


@pytest.mark.untraced
def test_rates_are_of_pages_and_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "_SECONDS", 0.01)
    hybrid, ngram, text = rates()
    assert [found.name for found in (hybrid, ngram, text)] == [
        "clean -m hybrid",
        "clean -m ngram",
        "plain text",
    ]
    for found in (hybrid, ngram, text):
        assert found.state == FINE and found.values["megabytes_per_second"] > 0
    assert "pages/s" in hybrid.said and hybrid.values["pages_per_second"] > 0
