"""What help() shows of the public names: every one has an example, and every example holds."""

from __future__ import annotations

import doctest
import warnings
from pathlib import Path

import pytest

import ncleaner

ROOT = Path(__file__).parent.parent
NAMES = [
    name
    for name in ncleaner.__all__
    if not (isinstance(getattr(ncleaner, name), type) and issubclass(getattr(ncleaner, name), BaseException))
]


@pytest.mark.untraced
@pytest.mark.parametrize("name", ["", *NAMES])
def test_examples_hold(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # an example may write a file
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    thing = getattr(ncleaner, name) if name else ncleaner
    test = doctest.DocTestParser().get_doctest(str(thing.__doc__), {}, name or "ncleaner", None, 0)
    assert test.examples, f"{name} has no example"
    with warnings.catch_warnings():
        # examples train on a handful of pages
        warnings.simplefilter("ignore", ncleaner.TrainingWarning)
        report: list[str] = []
        doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
