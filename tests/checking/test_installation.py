from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import ncleaner
from ncleaner.checking import installation
from ncleaner.checking.findings import BROKEN, FINE, NOTE
from ncleaner.document import _dump, _lexbor


def test_requirements_are_those_of_pyproject() -> None:
    found = installation.requirements()
    assert "selectolax" in found[""] and "numpy" in found[""]
    assert found["parquet"] == ["pyarrow"]
    # an extra that consists of others
    assert {"pyspark", "pyarrow"} <= set(found["spark"])


def test_version_and_place_are_said() -> None:
    found = {finding.name: finding for finding in installation.installation()}
    assert found["ncleaner"].said == version("ncleaner")
    assert (Path(found["folder"].said) / "cleaner.py").exists()
    assert {finding.state for finding in found.values()} == {FINE}


def test_what_is_missing_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> str:
        if name in ("brotli", "pyarrow"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(installation, "version", without)
    broken, packages = installation.needed()
    assert (broken.name, broken.state, broken.remedy) == ("brotli", BROKEN, "pip install brotli")
    assert "selectolax" in packages.said and packages.values["versions"]["brotli"] == ""
    parts = {finding.name: finding for finding in installation.optional()}
    assert parts["parquet"].state == NOTE
    assert (parts["parquet"].said, parts["parquet"].remedy) == (
        "not installed",
        "pip install 'ncleaner[parquet]'",
    )
    # extras for those who work on the package are not listed
    assert not {"test", "dev", "bench", "fuzz", "docs"} & set(parts)


def test_the_ways_of_compiled_code_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {finding.name: finding for finding in installation.compiled()}
    # those with sources, and what Cython adds to them
    sources = list(Path(ncleaner.__file__).parent.rglob("*.pyx"))
    assert found["modules"].values["modules"] == len(sources) + 1
    assert found["parser of Lexbor"].values["fast"] == _lexbor.PARSES_AGAIN
    assert "tree of Lexbor" not in found
    monkeypatch.setattr(_lexbor, "PARSES_AGAIN", False)
    monkeypatch.setattr(_dump, "LAYOUT_PROVED", False)
    found = {finding.name: finding for finding in installation.compiled()}
    slow, broken = found["parser of Lexbor"], found["tree of Lexbor"]
    assert slow.state == NOTE and "pip install" in slow.remedy and "a fifth longer" in slow.said
    assert broken.state == BROKEN and "pip install" in broken.remedy and "no page can be read" in broken.said


def test_a_part_that_is_not_compiled_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "ncleaner"
    package.mkdir()
    (package / "_ngram.pyi").touch()
    monkeypatch.setattr(installation, "_package", lambda: package)
    (found,) = installation.compiled()
    assert (found.state, found.said) == (BROKEN, "not compiled for this Python: ncleaner._ngram")
