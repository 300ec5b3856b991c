"""Builds the compiled core; everything else about the package stands in pyproject.toml."""

import gc
import os
import shutil
import sys
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory

from setuptools import Distribution, Extension, find_packages, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel
from setuptools.errors import CompileError, PlatformError

# Products and sums are rounded one by one: some processors can do both at once, with another result. Python
# may add information for debuggers, which takes a quarter of the time of compiling, and four times the space.
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-g0", "-fno-math-errno", "-ffp-contract=off"]
# Modules in which pages spend little time: as fast with -O1, which compiles them in half the time.
# `python -m bench.instructions` tells where that is so.
LIGHT = {
    "ncleaner._cyutility",
    *(f"ncleaner.document.{name}" for name in ("_tables", "_tags")),
    *(f"ncleaner.parsing.{name}" for name in ("_guard", "_lexbor", "_nodes", "_tree")),
    *(f"ncleaner.dumping.{name}" for name in ("_facts",)),
}
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

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    # Modules keep tables that are filled at import and only read after it, so threads may share them. Not
    # tried without Python's lock, which therefore is taken back, nor in several interpreters.
    "freethreading_compatible": False,
    "subinterpreters_compatible": "no",
    "linetrace": COVERAGE,
}

PACKAGES = find_packages(include=["ncleaner", "ncleaner.*"])
# commands that compile
BUILDING = {"bdist_wheel", "build", "build_ext", "develop", "editable_wheel", "install"}
NO_COMPILER = """
ncleaner cannot be built: {why}.
Its core is compiled, which takes a C compiler and the headers of Python:
    Debian, Ubuntu    apt install gcc python3-dev
    Fedora            dnf install gcc python3-devel
    macOS             xcode-select --install
    Windows           the C++ build tools of Visual Studio
A wheel that is built on another machine needs neither; docs/installing.md says how to build one.
"""


class Fresh(build):
    """Forgets what earlier builds have left: a module that has moved would come into the wheel from its old
    place."""

    def run(self) -> None:
        """Builds all."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class Editable(editable_wheel):
    """Names the clone in a file `.pth`, which type checkers read. For the folders of models and examples,
    which are found beside the package, setuptools would make an import hook, which hides all types."""

    def finalize_options(self) -> None:
        """Leaves these folders out, unless links to all files are asked for."""
        if (self.mode or "lenient").lower() == "lenient":
            self.distribution.packages = PACKAGES
            self.distribution.package_dir = {"": "."}
        super().finalize_options()


class Build(build_ext):
    """Turns Cython into C only when something is compiled: frontends call setup.py for metadata before."""

    def finalize_options(self) -> None:
        """Chooses to use all cores; editable installs would forget options that `setup` is given."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Cythonizes and compiles."""
        from Cython.Build import cythonize

        # Cython's trees are full of cycles: looking for garbage takes a third of its time
        gc.disable()
        made = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            build_dir=None if COVERAGE else "build",
            shared_utility_qualified_name=SHARED,
            nthreads=os.cpu_count(),
            quiet=True,
        )
        gc.enable()
        sources = {extension.name: extension.sources for extension in made}
        for extension in self.extensions:
            extension.sources = sources[extension.name]
        super().run()


class Probe(build_ext):
    """Compiles one line instead of extensions."""

    def build_extensions(self) -> None:
        """Compiles it."""
        with TemporaryDirectory() as folder:
            source = Path(folder) / "line.c"
            source.write_text("#include <Python.h>\n")
            self.compiler.compile([str(source)], output_dir=folder)


def arguments_for(module: str) -> list[str]:
    """Returns the compiler's arguments for a module."""
    return ["-O1" if module in LIGHT and argument == "-O3" else argument for argument in OPTIMISE]


def check_compiler() -> None:
    """Ends the process with a few words where nothing can be compiled: what compilers and frontends say of it
    is forty lines long."""
    probe = Probe(Distribution({"ext_modules": [Extension("probe", [])]}))
    try:
        probe.ensure_finalized()
        probe.run()
    except (CompileError, PlatformError, OSError) as error:
        sys.exit(NO_COMPILER.format(why=reason_of(error)))


def reason_of(error: BaseException) -> str:
    """Returns what has happened; setuptools has it behind an error of its own, with the whole command."""
    root = error
    while following := root.__cause__ or root.__context__:
        root = following
    if isinstance(root, OSError):
        return f"{root.filename or 'the compiler'}: {root.strerror}"
    if isinstance(root, CalledProcessError):
        return f"{root.cmd[0]} fails"
    lines = str(error).strip().splitlines() or ["the compiler fails"]
    return lines[0].rstrip(".")


# the processes that turn Cython into C import this file again where they are not forked
if __name__ == "__main__":
    if BUILDING & set(sys.argv):
        check_compiler()
    # the longest first, so that no core waits for the last one
    paths = sorted(Path("ncleaner").rglob("*.pyx"), key=lambda path: (-path.stat().st_size, path))
    sources = {".".join(path.with_suffix("").parts): path.as_posix() for path in paths}
    setup(
        packages=[*PACKAGES, "ncleaner.models", "ncleaner.examples"],
        cmdclass={"build": Fresh, "build_ext": Build, "editable_wheel": Editable},
        ext_modules=[
            Extension(SHARED, [f"{SHARED}.c"], extra_compile_args=arguments_for(SHARED)),
            *(
                Extension(
                    name,
                    [source],
                    extra_compile_args=arguments_for(name),
                    define_macros=[("CYTHON_TRACE_NOGIL", "1")] if COVERAGE else [],
                )
                for name, source in sources.items()
            ),
        ],
    )
