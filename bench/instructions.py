"""A guard against slow-downs: counts the instructions of a page, and compares them with those that are kept.

    python -m bench.instructions              # compares; status 1 if a step takes over 2 % more than before
    python -m bench.instructions --update     # keeps what is counted now in bench/instructions.json

Times are too noisy to show a few per cent; instructions hardly vary. Callgrind (of Valgrind) counts those
between two calls of `getpgid` in `bench.counted`; where it is missing, `perf stat` counts runs of two
lengths, whose difference is without the start. Where there is neither, nothing is compared, and a message
says so.

Counts depend on compiler, Python and libraries. If these are not those of the counts that are kept, ratios
are compared: instructions of a step by those of parsing the same pages with selectolax alone, which comes
compiled. `_TOLERANCES` says how far a step may vary between compilers and Pythons; docs/speed.md has what
they are made of.
"""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

import typer

from bench.counted import STEPS, digest
from bench.machine import cpu_name
from bench.processes import FailedError, environment
from ncleaner.dumping import _walk

__all__ = ["Tool", "changes", "compiler", "conditions", "counts", "found_tool"]

KEPT = Path(__file__).with_name("instructions.json")
#: A step may take so much more, as a share, under the same conditions.
TOLERANCE = 0.02
#: The step that all others are compared with under other conditions.
BASE = "parse"
# How much more of `BASE` a step may take under other conditions.
_TOLERANCES = {"reading": 0.1, "html": 0.1, "ngram": 0.15, "hybrid": 0.15, "jsonl": 0.25, "text": 0.15}
# Rounds that Callgrind counts; they differ by less than a thousandth.
_ROUNDS = 2
# Rounds of the shorter run with perf; the longer one has twice as many.
_PERF_ROUNDS = 20
_SUMMARY = re.compile(rb"^summary: (\d+)$", re.MULTILINE)
_COMPILER = re.compile(rb"GCC: \([^)]*\) [\d.]+|(?:[\w ]*clang version [\d.]+)")

Tool = Literal["callgrind", "perf"]


def compiler() -> str:
    """Returns the compiler of this package's extensions, which writes its name into them."""
    names = sorted(set(_COMPILER.findall(Path(str(_walk.__file__)).read_bytes())))
    return " and ".join(name.decode() for name in names) or "unknown"


def conditions(tool: Tool) -> dict[str, str]:
    """Returns what the counts of a tool depend on, besides the code of this package."""
    return {
        # Valgrind has a processor of its own; without it, libraries choose their instructions by the real one
        "processor": platform.machine() if tool == "callgrind" else cpu_name(),
        "libc": " ".join(platform.libc_ver()),
        "compiler": compiler(),
        "Python": platform.python_version(),
        **{name: version(name) for name in ("selectolax", "numpy", "deflate", "orjson")},
    }


def found_tool() -> Tool | None:
    """Returns `callgrind` or `perf`, whichever can count here; None if neither can."""
    if shutil.which("valgrind"):
        return "callgrind"
    if shutil.which("perf"):
        try:
            _perf(["true"])
        except FailedError:
            return None
        return "perf"
    return None


def counts(tool: Tool, steps: Sequence[str] = STEPS) -> dict[str, int]:
    """Returns the instructions of one round of each step: the fewest over some rounds.

    Raises:
        FailedError: the tool, or what it ran, has failed.
    """
    if tool == "callgrind":
        return _callgrind(steps)
    found = {}
    for step in steps:
        shorter, longer = (_perf(_loop(rounds, [step])) for rounds in (_PERF_ROUNDS, 2 * _PERF_ROUNDS))
        found[step] = (longer - shorter) // _PERF_ROUNDS
    return found


def _loop(rounds: int, steps: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "bench.counted", str(rounds), *steps]


def _run(command: Sequence[str]) -> str:
    if shutil.which("setarch"):
        # where the kernel puts the parts of a process changes which hashes of addresses collide
        command = ["setarch", "-R", *command]
    fixed = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, env={**environment(), **fixed, "LC_ALL": "C"}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FailedError(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stderr


def _callgrind(steps: Sequence[str]) -> dict[str, int]:
    with TemporaryDirectory() as folder:
        output = Path(folder) / "counted"
        options = ["--tool=callgrind", f"--callgrind-out-file={output}", "--dump-before=getpgid"]
        _run(["valgrind", "-q", *options, *_loop(_ROUNDS, steps)])
        # the first one has all before the first call
        files = [output.with_name(f"{output.name}.{number + 2}") for number in range(_ROUNDS * len(steps))]
        found: dict[str, list[int]] = {}
        for number, file in enumerate(files):
            match = _SUMMARY.search(file.read_bytes()) if file.is_file() else None
            if match is None:
                raise FailedError(
                    "Callgrind has not counted all steps: does this Python call getpgid of the C library?"
                )
            found.setdefault(steps[number % len(steps)], []).append(int(match[1]))
    return {step: min(values) for step, values in found.items()}


def _perf(command: Sequence[str]) -> int:
    said = _run(["perf", "stat", "-x", ",", "-e", "instructions:u", *command])
    match = re.search(r"^(\d+),[^,]*,instructions:u", said, re.MULTILINE)
    if match is None:
        raise FailedError("perf cannot count instructions on this machine")
    return int(match[1])


def changes(kept: Mapping[str, int], now: Mapping[str, int], same: bool) -> dict[str, tuple[float, float]]:
    """Compares two counts of the same steps.

    Args:
        kept: {step: instructions} before.
        now: {step: instructions} of this code.
        same: the conditions are the same; otherwise ratios to `BASE` are compared.

    Returns:
        {step: (change, change that is allowed)}, as shares of what was before.
    """
    if same:
        return {step: (now[step] / kept[step] - 1, TOLERANCE) for step in kept}
    return {
        step: (now[step] / now[BASE] / (kept[step] / kept[BASE]) - 1, _TOLERANCES[step])
        for step in kept
        if step != BASE
    }


def _load(tool: Tool) -> dict[str, Any]:
    """Returns what is kept for a tool. Raises ValueError: nothing can be compared with it."""
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}
    if tool not in kept:
        raise ValueError(f"{KEPT.name} has no counts of {tool}: keep some with --update")
    if kept[tool]["pages"] != digest() or list(kept[tool]["counts"]) != list(STEPS):
        raise ValueError(f"the pages or steps are not those of {KEPT.name}: count them again with --update")
    found: dict[str, Any] = kept[tool]
    return found


def _update(tool: Tool, now: Mapping[str, int]) -> None:
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {}
    kept[tool] = {"conditions": conditions(tool), "pages": digest(), "counts": dict(now)}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def main(update: Annotated[bool, typer.Option("--update", help="keep what is counted now")] = False) -> None:
    """Counts, and compares with what is kept."""
    tool = found_tool()
    if tool is None:
        print(
            "instructions: not compared, as there is neither Valgrind nor a perf that can count instructions"
        )
        return
    if update:
        _update(tool, counts(tool))
        print(f"instructions: {KEPT} has the counts of this code")
        return
    before = _load(tool)
    here = conditions(tool)
    other = [name for name, value in before["conditions"].items() if here.get(name) != value]
    if other:
        print(
            f"instructions: {', '.join(other)} differ from what the counts were made with: ratios to {BASE} "
            "are compared, which shows large changes only"
        )
    now = counts(tool)
    slower = []
    print(f"{'step':<10}{'before':>15}{'now':>15}{'change':>10}{'allowed':>10}   ({tool})")
    for step, (change, allowed) in changes(before["counts"], now, not other).items():
        print(f"{step:<10}{before['counts'][step]:>15,}{now[step]:>15,}{change:>10.2%}{allowed:>10.0%}")
        if change > allowed:
            slower.append(step)
        elif change < -allowed:
            print(f"{'':<10}less than before: keep the counts with --update, so that this is not lost again")
    if slower:
        sys.exit(
            f"instructions: more than before for {', '.join(slower)}: find out why, or keep the counts with "
            "--update and give the reason in the commit"
        )


if __name__ == "__main__":
    try:
        typer.run(main)
    except (FailedError, ValueError) as error:
        sys.exit(f"instructions: {error}")
