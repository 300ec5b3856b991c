"""What a tool of a comparison is given."""

from __future__ import annotations

from ncleaner.lab.comparing.tools import tool_of


def test_a_model_is_for_the_methods_that_use_one() -> None:
    assert tool_of("hybrid", {"comments": True}, "en").arguments == {
        "method": "hybrid", "model": "en", "sites": None, "comments": True
    }  # fmt: skip
    plain = tool_of("bte", model="en")
    assert plain.arguments["model"] == "auto" and not plain.trained
    plain.extractor()
