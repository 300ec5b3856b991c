"""What a user sees who has no compiler, and what wheels are built for."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import ncleaner

ROOT = Path(__file__).parent.parent
SETUP = ROOT / "setup.py"
# it also runs where only what is needed to run is installed, and on what a source distribution installs
in_a_checkout = pytest.mark.skipif(
    not SETUP.exists() or importlib.util.find_spec("setuptools") is None,
    reason="there is no setup.py here, or no setuptools",
)


@in_a_checkout
@pytest.mark.skipif(os.name == "nt", reason="the compiler is not found by its name")
@pytest.mark.parametrize("command", ["build_ext", "bdist_wheel", "editable_wheel"])
def test_without_a_compiler_a_few_lines_say_what_to_install(command: str, tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_bytes(SETUP.read_bytes())
    result = subprocess.run(
        [sys.executable, "setup.py", command], cwd=tmp_path, env={**os.environ, "CC": "/nowhere/cc"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    said = (result.stdout + result.stderr).strip()
    assert said.startswith("ncleaner cannot be built: /nowhere/cc: No such file or directory.")
    assert "apt install gcc python3-dev" in said and "docs/installing.md" in said
    assert len(said.splitlines()) < 12 and "Traceback" not in said


@in_a_checkout
@pytest.mark.skipif(os.name == "nt", reason="the compiler is not found by its name")
def test_a_compiler_that_fails_is_told_from_one_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_bytes(SETUP.read_bytes())
    result = subprocess.run(
        [sys.executable, "setup.py", "build_ext"], cwd=tmp_path, env={**os.environ, "CC": "false"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    # in the words of this code, or of an older setuptools
    assert re.search(r"ncleaner cannot be built: .*\bfalse\b.* fail\w*\b.*\.\n", result.stderr)


@in_a_checkout
def test_all_cores_compile_and_light_modules_exist() -> None:
    spec = importlib.util.spec_from_file_location("setup_py", SETUP)
    assert spec is not None and spec.loader is not None
    setup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setup)
    distribution = setup.Distribution({"cmdclass": {"build_ext": setup.Build}})
    # as in an editable install
    command = distribution.reinitialize_command("build_ext")
    command.ensure_finalized()
    assert command.parallel == os.cpu_count()
    sources = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ROOT.rglob("ncleaner/**/*.pyx")
    }
    assert sources | {setup.SHARED} >= setup.LIGHT
    assert (
        "-O3" not in setup.arguments_for(setup.SHARED) and setup.arguments_for("ncleaner.x") == setup.OPTIMISE
    )


@in_a_checkout
@pytest.mark.slow
def test_an_editable_installation_is_a_path_that_type_checkers_read(tmp_path: Path) -> None:
    for name in ("setup.py", "pyproject.toml", "README.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for name in ("ncleaner", "models", "examples"):
        (tmp_path / name).mkdir()
    (tmp_path / "ncleaner" / "__init__.py").touch()
    subprocess.run(
        [sys.executable, "-W", "ignore", "setup.py", "-q", "editable_wheel", "--dist-dir", "made"],
        cwd=tmp_path, capture_output=True, check=True,
    )  # fmt: skip
    (wheel,) = (tmp_path / "made").glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        (path,) = (name for name in files.namelist() if "dist-info" not in name)
        assert path.endswith(".pth") and files.read(path).decode().strip() == str(tmp_path)


@in_a_checkout
def test_what_is_asked_for_metadata_needs_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_bytes(SETUP.read_bytes())
    (tmp_path / "ncleaner").mkdir()
    (tmp_path / "ncleaner" / "__init__.py").touch()
    (tmp_path / "ncleaner" / "_wrong.pyx").write_text("this is no Cython")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "--name"], cwd=tmp_path, env={**os.environ, "CC": "/nowhere/cc"},
        capture_output=True, check=True,
    )  # fmt: skip


@pytest.mark.parametrize("words", [["-c", "import ncleaner"], ["-m", "ncleaner", "doctor"]])
@pytest.mark.untraced
def test_sources_that_are_not_compiled_say_so(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "ncleaner").mkdir()
    for name in ("__init__.py", "__main__.py"):
        source = Path(ncleaner.__file__).with_name(name)
        (tmp_path / "ncleaner" / name).write_bytes(source.read_bytes())
    result = subprocess.run(
        [sys.executable, *words], env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 1
    assert "are not compiled: run `pip install -e .`" in result.stderr.splitlines()[-1]


def test_wheels_are_for_the_pythons_that_the_package_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = re.findall(r"Python :: 3\.(\d+)\b", "\n".join(project["project"]["classifiers"]))
    built = project["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp3{minor}-*" for minor in named]
    assert project["project"]["requires-python"] == f">=3.{named[0]}"
    assert f"CPython 3.{named[0]} to 3.{named[-1]}" in (ROOT / "docs" / "installing.md").read_text("utf-8")


@in_a_checkout
@pytest.mark.skipif(os.name == "nt", reason="the step runs on Linux")
def test_a_release_has_one_version_and_its_notes(tmp_path: Path) -> None:
    """What the publish job does with a tag, on a copy in which the version is released."""
    workflow = ROOT / ".github" / "workflows" / "wheels.yml"
    if not workflow.exists():
        pytest.skip("the workflows are not in a source distribution")
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    version = tomllib.loads(project)["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    (tmp_path / "pyproject.toml").write_text(project, "utf-8")
    newest = re.split(r"^## .*\n", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)[1]
    log = f"# Changelog\n\n## {version}\n{newest}## 0.0.1\n\n- The first one.\n"
    (tmp_path / "CHANGELOG.md").write_text(log, "utf-8")
    steps = re.search(
        r"name: Notes of this version\n +run: \|\n((?: {10}.*\n)+)", workflow.read_text("utf-8")
    )
    assert steps
    run = ["bash", "-e", "-o", "pipefail", "-c", steps[1]]
    for tag, status in ((f"v{version}", 0), ("v9.9", 1)):
        done = subprocess.run(run, cwd=tmp_path, env={**os.environ, "GITHUB_REF_NAME": tag}, check=False)
        assert done.returncode == status
        if not status:
            notes = (tmp_path / "notes.md").read_text("utf-8")
            assert notes == newest
