from __future__ import annotations

from collections.abc import Iterator

import pytest

from ncleaner.checking.installation import BROKEN, FINE, Finding, guarded
from ncleaner.errors import ModelError


def good() -> Iterator[Finding]:
    yield Finding("machine", "cores", FINE, "2 cores", values={"cores": 2})


def test_a_record_has_the_values_beside_the_words() -> None:
    (found,) = guarded("machine", good, "")
    assert found.record() == {
        "part": "machine", "name": "cores", "state": "ok", "said": "2 cores", "cores": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ImportError("numpy is not there\nat all"), "ImportError: numpy is not there"),
        (ModelError("the model is damaged"), "the model is damaged"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (SystemExit(2), "SystemExit: 2"),
    ],
)
def test_a_check_that_fails_is_a_finding(error: BaseException, said: str) -> None:
    def fails() -> Iterator[Finding]:
        yield from good()
        raise error

    first, second = guarded("machine", fails, "install it again")
    assert first.state == FINE
    assert (second.state, second.said, second.remedy) == (BROKEN, said, "install it again")
    assert second.record()["remedy"] == "install it again"
