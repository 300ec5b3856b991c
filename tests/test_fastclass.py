"""Records are data classes with no more than their constructor."""

from __future__ import annotations

import pickle
from dataclasses import field, fields, replace

import pytest

from ncleaner.fastclass import fastclass


@fastclass
class Stop:
    name: str
    boats: list[str] = field(default_factory=list)


@fastclass(kw_only=True)
class Quay(Stop):
    deep: bool = False


def test_a_record_is_a_data_class() -> None:
    stop = replace(Stop("Ferry Quay"), boats=["Anna"])
    assert [each.name for each in fields(stop)] == ["name", "boats"]
    assert vars(stop) == vars(pickle.loads(pickle.dumps(stop))) == {"name": "Ferry Quay", "boats": ["Anna"]}
    assert Quay("Ferry Quay", deep=True).deep
    with pytest.raises(TypeError):
        Quay("Ferry Quay", [], True)  # type: ignore[call-arg]


def test_records_are_compared_by_identity() -> None:
    stop = Stop("Ferry Quay")
    assert stop == stop and stop != Stop("Ferry Quay") and len({stop, Stop("Ferry Quay")}) == 2
    assert {"__eq__", "__repr__", "__setattr__"}.isdisjoint(vars(Stop))
