from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import ncleaner
from ncleaner.cli import checking
from ncleaner.cli.checking import BROKEN, FINE, NOTE, Finding, guarded, rate
from ncleaner.errors import ModelError
from ncleaner.modelling.files import VARIABLE, model_bytes
from ncleaner.parsing import _lexbor, _nodes


def test_requirements_are_those_of_pyproject() -> None:
    found = checking.requirements()
    assert "selectolax" in found[""] and "numpy" in found[""]
    assert found["parquet"] == ["pyarrow"]
    # an extra that consists of others
    assert {"pyspark", "pyarrow"} <= set(found["spark"])


def test_version_and_place_are_said() -> None:
    found = {finding.name: finding for finding in checking.installation()}
    assert found["ncleaner"].said == version("ncleaner")
    assert (Path(found["folder"].said) / "cleaner.py").exists()
    assert {finding.state for finding in found.values()} == {FINE}


def test_what_is_missing_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> str:
        if name in ("brotli", "pyarrow"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(checking, "version", without)
    broken, packages = checking.needed()
    assert (broken.name, broken.state, broken.remedy) == ("brotli", BROKEN, "pip install brotli")
    assert "selectolax" in packages.said and packages.values["versions"]["brotli"] == ""
    parts = {finding.name: finding for finding in checking.optional()}
    assert parts["parquet"].state == NOTE
    assert (parts["parquet"].said, parts["parquet"].remedy) == (
        "not installed",
        "pip install 'ncleaner[parquet]'",
    )
    # what a package needs for its own extra counts, too, where the package can say so
    has_fsspec = importlib.util.find_spec("fsspec") is not None
    assert ("aiohttp" in checking.requirements()["http"]) == has_fsspec
    # extras for those who work on the package are not listed
    assert not {"test", "dev", "bench", "fuzz", "docs"} & set(parts)


def test_the_ways_of_compiled_code_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {finding.name: finding for finding in checking.compiled()}
    # those with sources, and what Cython adds to them
    sources = list(Path(ncleaner.__file__).parent.rglob("*.pyx"))
    assert found["modules"].values["modules"] == len(sources) + 1
    assert found["parser of Lexbor"].values["fast"] == _lexbor.PARSES_AGAIN
    assert "tree of Lexbor" not in found
    monkeypatch.setattr(_lexbor, "PARSES_AGAIN", False)
    monkeypatch.setattr(_nodes, "LAYOUT_PROVED", False)
    found = {finding.name: finding for finding in checking.compiled()}
    slow, broken = found["parser of Lexbor"], found["tree of Lexbor"]
    assert slow.state == NOTE and "pip install" in slow.remedy and "a fifth longer" in slow.said
    assert broken.state == BROKEN and "pip install" in broken.remedy and "no page can be read" in broken.said


def test_a_part_that_is_not_compiled_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "ncleaner"
    package.mkdir()
    (package / "_ngram.pyi").touch()
    monkeypatch.setattr(checking, "_package", lambda: package)
    (found,) = checking.compiled()
    assert (found.state, found.said) == (BROKEN, "not compiled for this Python: ncleaner._ngram")


def test_models_are_loaded_and_damaged_ones_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    shipped, own = checking.models()
    assert shipped.state == own.state == FINE
    assert "el, en, " in shipped.said and own.said == "none"
    data = bytearray(model_bytes("el"))
    (tmp_path / "whole.ncm").write_bytes(data)
    data[-100] ^= 1
    (tmp_path / "bent.ncm").write_bytes(data)
    _, broken, good = checking.models()
    assert (broken.name, broken.state) == ("bent", BROKEN)
    assert broken.remedy.startswith("ncleaner models remove bent")
    assert good.said == "whole"


@pytest.mark.skipif(os.name == "nt", reason="folders have no such permissions")
def test_folders_that_cannot_be_written_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "models"))
    temporary, own = list(checking.folders())[:2]
    assert temporary.state in (FINE, NOTE) and temporary.values["path"] == tempfile.gettempdir()
    assert own.state in (FINE, NOTE) and "does not exist yet" in own.said
    assert not (tmp_path / "new").exists()
    # a file stands where a folder must be made; that stops the superuser, too
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "models"))
    _, own = list(checking.folders())[:2]
    assert own.state == NOTE and VARIABLE in own.remedy

    # a folder above that may not be entered
    def refuse(_: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    _, own = list(checking.folders())[:2]
    assert own.state == NOTE and "Permission denied" in own.said


def test_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {finding.name: finding for finding in checking.machine(1)}
    assert found["cores"].said == "1 core"
    if "memory" in found:
        assert found["memory"].values["free_bytes"] <= found["memory"].values["bytes"]
    monkeypatch.setattr(checking, "_memory", lambda: (8_000_000_000, 100_000_000))
    monkeypatch.setattr(checking, "_open_files", lambda: 64)
    found = {finding.name: finding for finding in checking.machine(2)}
    assert found["memory"].state == found["open files"].state == NOTE
    assert found["memory"].said == "8.0 GB, 0.1 GB free" and "--jobs" in found["memory"].remedy
    monkeypatch.setattr(checking, "_memory", lambda: None)
    monkeypatch.setattr(checking, "_open_files", lambda: None)
    assert [finding.name for finding in checking.machine(2)] == ["cores"]


def test_little_space_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if shutil.disk_usage(tmp_path).free == 0 or not hasattr(os, "statvfs"):
        pytest.skip("there is no space to speak of")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(checking, "_LITTLE_SPACE", 1 << 62)
    found = next(iter(checking.folders()))
    assert found.state == NOTE and "only" in found.said


def good() -> Iterator[Finding]:
    yield Finding("cores", FINE, "2 cores", values={"cores": 2})


def test_a_record_has_the_values_beside_the_words() -> None:
    (found,) = guarded(good, "")
    assert found.record() == {"name": "cores", "state": "ok", "said": "2 cores", "cores": 2}


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

    first, second = guarded(fails, "install it again")
    assert first.state == FINE
    assert (second.state, second.said, second.remedy) == (BROKEN, said, "install it again")
    assert second.record()["remedy"] == "install it again"


@pytest.mark.untraced
def test_the_rate_is_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_ROUNDS", 1)
    (found,) = rate()
    assert (found.name, found.state) == ("clean", FINE)
    assert "pages/s" in found.said and found.values["pages_per_second"] > 0
