"""No page says another number than `docs/figures.toml`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FIGURES: list[dict[str, Any]] = tomllib.loads((ROOT / "docs" / "figures.toml").read_text("utf-8"))["figure"]
SAID = [(figure, page, pattern) for figure in FIGURES for page, pattern in figure["says"].items()]


@pytest.mark.parametrize(
    ("figure", "page", "pattern"), SAID, ids=[f"{f['what'][:30]}-{p}" for f, p, _ in SAID]
)
def test_a_page_says_the_figure(figure: dict[str, Any], page: str, pattern: str) -> None:
    found = re.search(pattern, (ROOT / page).read_text("utf-8"))
    assert found, f"{page} no longer says: {figure['what']}"
    said = list(found.groups())
    # a look-ahead is matched first, so that the order may be another one
    assert said == figure["values"], f"{page} says {said} of: {figure['what']}"
