"""Builds the compiled core; everything else about the package stands in pyproject.toml."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = (
    "_bound", "_chain", "_crf", "_decide", "_document", "_dump", "_forest", "_forms", "_kinds", "_letters",
    "_markup", "_ngram", "_page_features", "_segment_features", "_stack", "_utf8", "_victor",
)  # fmt: skip
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-math-errno"]

setup(
    ext_modules=cythonize(
        [
            Extension(f"ncleaner.{name}", [f"ncleaner/{name}.pyx"], extra_compile_args=OPTIMISE)
            for name in MODULES
        ],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "embedsignature": True,
        },
        build_dir="build",
    ),
)
