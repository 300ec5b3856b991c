"""Builds the compiled core; everything else about the package stands in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

# Products and sums are rounded one by one: some processors can do both at once, with another result.
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-ffp-contract=off"]
# for scripts/fuzz.sh: `address,undefined`, and `fuzzer-no-link` where clang is to count what is covered
if sanitizers := os.environ.get("NCLEANER_SANITIZERS"):
    OPTIMISE = ["-O1", "-g1", "-fno-omit-frame-pointer", f"-fsanitize={sanitizers}"]
    OPTIMISE.append("-fno-sanitize-recover=undefined")
    if "clang" in os.environ.get("CC", ""):
        # Cython calls methods through tables of pointers of a more general type, as Python does
        OPTIMISE.append("-fno-sanitize=function")
# for scripts/coverage.sh: each line reports that it runs, also without the GIL; the C files stand beside
# their sources, where coverage.py looks for them
COVERAGE = bool(os.environ.get("NCLEANER_COVERAGE"))
if COVERAGE:
    OPTIMISE = ["-O0"]

# Cython adds much code to a module that has views of arrays. Here it is compiled once, for all of them.
SHARED = "ncleaner._cyutility"

# the processes that turn Cython into C import this file again where they are not forked
if __name__ == "__main__":
    setup(
        packages=[*find_packages(include=["ncleaner", "ncleaner.*"]), "ncleaner.models", "ncleaner.examples"],
        ext_modules=cythonize(
            [
                Extension(
                    ".".join(source.with_suffix("").parts),
                    [source.as_posix()],
                    extra_compile_args=OPTIMISE,
                    define_macros=[("CYTHON_TRACE_NOGIL", "1")] if COVERAGE else [],
                )
                for source in sorted(Path("ncleaner").rglob("*.pyx"))
            ]
            + [Extension(SHARED, [f"{SHARED}.c"], extra_compile_args=OPTIMISE)],
            compiler_directives={
                "language_level": 3,
                "boundscheck": False,
                "wraparound": False,
                "cdivision": True,
                "initializedcheck": False,
                "embedsignature": True,
                # Modules keep tables that are filled at import and only read after it, so threads may share
                # them. Not tried without Python's lock, which therefore is taken back, nor in several
                # interpreters.
                "freethreading_compatible": False,
                "subinterpreters_compatible": "no",
                "linetrace": COVERAGE,
            },
            build_dir=None if COVERAGE else "build",
            shared_utility_qualified_name=SHARED,
            nthreads=os.cpu_count(),
        ),
        options={"build_ext": {"parallel": os.cpu_count()}},
    )
