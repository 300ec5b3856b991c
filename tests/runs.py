"""What a run has left in a directory of outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ncleaner.running.manifest import NAME
from ncleaner.storage.local import RUN


def outputs_in(folder: Path) -> dict[str, bytes]:
    """The outputs, by their paths in the directory."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(f"{RUN}/")}


def entries_in(folder: Path) -> list[dict[str, Any]]:
    """The lines of the manifest that are of inputs."""
    return entries_of((folder / NAME).read_bytes())


def entries_of(manifest: bytes) -> list[dict[str, Any]]:
    """The lines of a manifest that are of inputs."""
    return [entry for entry in map(json.loads, manifest.splitlines()) if "input" in entry]


def manifests_of(files: dict[str, bytes]) -> tuple[list[bytes], dict[str, bytes]]:
    """The manifests among the files of a directory, one a run on a store, and the other files."""
    names = [name for name in files if re.fullmatch(rf"{RUN}/manifest\b[^/]*\.log", name)]
    return [files[name] for name in names], {name: files[name] for name in files if name not in names}


def settings_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The settings in the manifest, by their keys."""
    lines = map(json.loads, (folder / NAME).read_bytes().splitlines())
    return {line["key"]: line["settings"] for line in lines if "key" in line}


def write_manifest(folder: Path, *lines: str) -> None:
    """Writes a manifest of these lines."""
    (folder / RUN).mkdir(exist_ok=True)
    (folder / NAME).write_text("".join(f"{line}\n" for line in lines))
