from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from ncleaner.checking import surroundings
from ncleaner.checking.findings import BROKEN, FINE, NOTE
from ncleaner.modelling.files import VARIABLE, shipped_bytes


def test_models_are_loaded_and_damaged_ones_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    shipped, own = surroundings.models()
    assert shipped.state == own.state == FINE
    assert "el, en, " in shipped.said and own.said == "none"
    data = bytearray(shipped_bytes("el"))
    (tmp_path / "whole.ncm").write_bytes(data)
    data[-100] ^= 1
    (tmp_path / "bent.ncm").write_bytes(data)
    _, broken, good = surroundings.models()
    assert (broken.name, broken.state) == ("bent", BROKEN)
    assert broken.remedy.startswith("ncleaner models remove bent")
    assert good.said == "whole"


@pytest.mark.skipif(os.name == "nt", reason="folders have no such permissions")
def test_folders_that_cannot_be_written_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new" / "models"))
    temporary, own = list(surroundings.folders())[:2]
    assert temporary.state in (FINE, NOTE) and temporary.values["path"] == tempfile.gettempdir()
    assert own.state in (FINE, NOTE) and "does not exist yet" in own.said
    assert not (tmp_path / "new").exists()
    # a file stands where a folder has to be made; that stops the superuser, too
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "models"))
    _, own = list(surroundings.folders())[:2]
    assert own.state == BROKEN and VARIABLE in own.remedy


def test_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {finding.name: finding for finding in surroundings.machine(1)}
    assert found["cores"].said == "1 core"
    if "memory" in found:
        assert found["memory"].values["free_bytes"] <= found["memory"].values["bytes"]
    monkeypatch.setattr(surroundings, "_memory", lambda: (8_000_000_000, 100_000_000))
    monkeypatch.setattr(surroundings, "_open_files", lambda: 64)
    found = {finding.name: finding for finding in surroundings.machine(2)}
    assert found["memory"].state == found["open files"].state == NOTE
    assert found["memory"].said == "8.0 GB, 0.1 GB free" and "--jobs" in found["memory"].remedy
    monkeypatch.setattr(surroundings, "_memory", lambda: None)
    monkeypatch.setattr(surroundings, "_open_files", lambda: None)
    assert [finding.name for finding in surroundings.machine(2)] == ["cores"]


def test_little_space_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if shutil.disk_usage(tmp_path).free == 0 or not hasattr(os, "statvfs"):
        pytest.skip("there is no space to speak of")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(surroundings, "_LITTLE_SPACE", 1 << 62)
    found = next(iter(surroundings.folders()))
    assert found.state == NOTE and "only" in found.said
