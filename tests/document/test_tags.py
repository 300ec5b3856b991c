"""The meaning of tags, and the numbers that compiled code repeats of it."""

from __future__ import annotations

import pytest

from ncleaner.document import _tags, tags


def test_compiled_code_has_the_same_numbers() -> None:
    _tags.check()
    assert {entry.name for entry in _tags.Role} == {
        f"ROLE_{name}" for name in ("INLINE", "BLOCK", "LEFT_OUT", "BREAK", "IMAGE", "RULE")
    }
    assert {entry.name for entry in _tags.Tag} >= {f"TAG_H{level}" for level in range(1, 7)}


@pytest.mark.parametrize(
    ("table", "value", "message"),
    [
        ("BLOCK", 7, "ROLE_BLOCK is 1 in _tags.pxd and 7 in tags.py"),
        ("ITEM", 3, "FORM_ITEM is 2 in _tags.pxd and 3"),
        ("CODE", {**tags.CODE, "h3": 9}, "TAG_H3 is 43 in _tags.pxd and 9"),
        ("CODE", {**tags.CODE, "-": 0}, "TAG_CUSTOM is 1 in _tags.pxd and 0"),
        ("CODE", {name: code for name, code in tags.CODE.items() if name != "td"}, "TAG_TD is 31 in .* None"),
        ("CONTEXT", ("new", *tags.CONTEXT), "CONTEXT_LINK is 0 in _tags.pxd and 1"),
        ("CONTEXT", tags.CONTEXT[:-1], "CONTEXT_ALT is 17 in _tags.pxd and None"),
        ("CONTEXT", (*tags.CONTEXT, *map(str, range(15))), "CONTEXT has 33 entries, .* room for 32"),
        ("TAGS", tags.TAGS * 2, "TAGS has .* entries, and _tags.pxd has room for 256"),
        ("CUES", tags.CUES * 2, "CUES has .* entries, and _tags.pxd has room for 29"),
    ],
)
def test_a_number_that_disagrees_is_named(
    monkeypatch: pytest.MonkeyPatch, table: str, value: object, message: str
) -> None:
    monkeypatch.setattr(tags, table, value)
    with pytest.raises(ImportError, match=message):
        _tags.check()


def test_tables_name_known_tags() -> None:
    assert len(set(tags.TAGS)) == len(tags.TAGS)
    assert set(tags.ROLE) == set(tags.TAGS)
    assert set(tags.FORM) <= {name for name, role in tags.ROLE.items() if role == tags.BLOCK}
    assert set(tags.CONTEXT_BIT) <= {name for name, role in tags.ROLE.items() if role == tags.INLINE}
