"""The same targets, with the next case chosen by what the last ones have covered; needs atheris.

    PYTHONPATH=scripts python -m fuzz.guided page --seconds 600 --out findings

What is found is kept as `findings/page-crash-…` (or `-timeout-`, `-oom-`), and `fuzz.run` shows it again.
Where the extensions are built with clang's `-fsanitize=fuzzer-no-link`, and atheris's own runtime is loaded
first, their branches count as those of the Python code do; `scripts/fuzz.sh` sees to both.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

# cases by grammar that the fuzzer begins with, and the largest that it makes of them, in bytes
_BEGINNING, _LARGEST = 400, 16_384


def _quoted(token: bytes) -> str:
    return '"' + "".join(f"\\x{byte:02x}" for byte in token) + '"\n'


def main(arguments: Sequence[str] | None = None) -> None:
    """Fuzzes one target until the time is up or something is found; does not return."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--timeout", type=int, default=30, help="seconds that a case may take")
    parser.add_argument("--first", type=int, default=0, help="seed of the first case by grammar")
    parser.add_argument("--out", type=Path, default=Path("findings"), help="where findings are kept")
    given = parser.parse_args(arguments)
    # not imported by name: it is there only where somebody means to fuzz
    atheris = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["ncleaner"]):
        from fuzz.targets import TARGETS
    target = TARGETS[given.target]
    given.out.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for seed in range(given.first, given.first + _BEGINNING):
        data = target.case(seed)
        if len(data) <= _LARGEST:
            (corpus / str(seed)).write_bytes(data)
    dictionary = folder / "tokens"
    dictionary.write_text("".join(_quoted(token) for token in target.tokens if token))
    warnings.simplefilter("error")
    options = {
        "max_total_time": given.seconds,
        "max_len": _LARGEST,
        "timeout": given.timeout,
        "rss_limit_mb": 4096,
        "dict": dictionary,
        "artifact_prefix": f"{given.out}/{given.target}-",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)], target.check
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
