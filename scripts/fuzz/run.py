"""Many cases of each target, each in its turn; what breaks the rules is kept as a file.

    PYTHONPATH=scripts python -m fuzz.run --cases 500
    PYTHONPATH=scripts python -m fuzz.run --target page --cases 20000 --out findings
    PYTHONPATH=scripts python -m fuzz.run --target page findings/page-123

The cases run in a process of their own, so that one that crashes it is known by its seed, and the next ones
run in another.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

__all__ = ["main"]

# findings of a target after which there is enough to mend
_ENOUGH = 20


@dataclass
class Tally:
    """How far the cases of a target have come. It is written down before each of them.

    Attributes:
        seed: of the case under way.
        cases, bytes, seconds: of those before, with the CPU time that they took.
        slowest, slowest_seed: the one that took longest.
        found: paths of the findings.
    """

    seed: int
    cases: int = 0
    bytes: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_seed: int = -1
    found: list[str] = field(default_factory=list)

    def add(self, size: int, seconds: float) -> None:
        """Counts the case under way."""
        self.cases += 1
        self.bytes += size
        self.seconds += seconds
        if seconds > self.slowest:
            self.slowest, self.slowest_seed = seconds, self.seed


def _cases(target: str, stop: int, bound: float, out: Path, state: Path) -> None:
    """Runs cases in this process, from the one that `state` names on."""
    from fuzz.targets import TARGETS

    chosen = TARGETS[target]
    tally = Tally(**json.loads(state.read_text()))
    warnings.simplefilter("error")
    while tally.seed < stop and len(tally.found) < _ENOUGH:
        state.write_text(json.dumps(asdict(tally)))
        # a case is given up long before a person would give up waiting for it
        faulthandler.dump_traceback_later(60 + 10 * bound, exit=True)
        data = chosen.case(tally.seed)
        began = time.process_time()
        try:
            chosen.check(data)
            seconds = time.process_time() - began
            if seconds > bound:
                raise TimeoutError(f"{seconds:.1f} s of CPU time, more than {bound:g}")
        except Exception:
            seconds = time.process_time() - began
            tally.found.append(keep(out, target, tally.seed, data, traceback.format_exc()))
        tally.add(len(data), seconds)
        tally.seed += 1
    faulthandler.cancel_dump_traceback_later()
    state.write_text(json.dumps(asdict(tally)))


def keep(out: Path, target: str, seed: int, data: bytes, said: str) -> str:
    """Writes a finding down: the case, and beside it what was said of it. Gives its path."""
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{target}-{seed}"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(said)
    return str(path)


def _environment() -> dict[str, str]:
    """That of this process, in which this package is found whatever the process was told."""
    paths = (str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", ""))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def run_target(target: str, cases: int, first: int, bound: float, out: Path) -> int:
    """Runs the cases of one target and says how it went; gives the number of findings."""
    from fuzz.targets import TARGETS

    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        tally = Tally(first)
        while tally.seed < first + cases and len(tally.found) < _ENOUGH:
            state.write_text(json.dumps(asdict(tally)))
            command = [sys.executable, "-m", "fuzz.run", "--child", str(state), "--target", target]
            command += [
                "--first",
                str(first),
                "--cases",
                str(cases),
                "--seconds",
                str(bound),
                "--out",
                str(out),
            ]
            done = subprocess.run(
                command, stderr=subprocess.PIPE, text=True, errors="replace", check=False, env=_environment()
            )
            tally = Tally(**json.loads(state.read_text()))
            if done.returncode:
                # it crashed, was stopped by a sanitizer, or took too long
                data = TARGETS[target].case(tally.seed)
                tally.found.append(
                    keep(out, target, tally.seed, data, f"exit {done.returncode}\n{done.stderr}")
                )
                tally.add(len(data), 0.0)
                tally.seed += 1
    print(
        f"{target:<12} {tally.cases:>6} cases, {tally.bytes / 1e6:6.1f} MB, {tally.seconds:6.0f} s; slowest "
        f"{tally.slowest:.2f} s (seed {tally.slowest_seed}); {len(tally.found)} findings",
        flush=True,
    )
    for path in tally.found:
        print(f"  {path}", flush=True)
    return len(tally.found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the command line asks for; 1 where there is any finding."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="cases to run again, of one target")
    parser.add_argument("--target", help="one target; all by default")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first case")
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU time that a case may take")
    parser.add_argument("--out", type=Path, default=Path("findings"), help="where findings are kept")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        _cases(given.target, given.first + given.cases, given.seconds, given.out, given.child)
        return 0
    from fuzz.targets import TARGETS

    if given.target not in (None, *TARGETS):
        parser.error(f"no target {given.target!r}: there are {', '.join(TARGETS)}")
    if given.files:
        if given.target is None:
            parser.error("say with --target what the files are cases of")
        warnings.simplefilter("error")
        for path in given.files:
            TARGETS[given.target].check(path.read_bytes())
            print(f"{path}: nothing found")
        return 0
    targets = [given.target] if given.target else list(TARGETS)
    return (
        1
        if sum(run_target(name, given.cases, given.first, given.seconds, given.out) for name in targets)
        else 0
    )


if __name__ == "__main__":
    sys.exit(main())
