"""The rules of the house: which room knows which, what cleaning does without, who speaks to people."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import ncleaner
from ncleaner.sinks.formats import FORMATS
from ncleaner.storage.local import shipped_folder

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "ncleaner"
TESTS = ROOT / "tests"

# What each room, or each file on the ground floor, may know besides the nouns that everybody uses.
NOUNS = {"arguments", "errors", "fastclass", "limits", "options", "page", "versions"}
MAY_KNOW: dict[str, set[str]] = {
    **{noun: set() for noun in NOUNS},
    # the engine
    "pools": set(),
    "text": set(),
    "storage": set(),
    "_ngram": {"text"},
    "reading": {"text", "storage"},
    "document": {"text"},
    "parsing": {"text", "document"},
    "dumping": {"text", "document", "parsing"},
    # model files are written whole, as all files are
    "modelling": {"_ngram", "text", "storage", "document"},
    "methods": {"text", "document", "modelling"},
    "surveying": {"text", "document", "dumping"},
    "describing": {"text", "document", "surveying"},
    "markup": {"text", "document"},
    "sinks": {"text", "reading", "document", "surveying", "describing", "markup"},
    # it names what it checks: a loaded model, a survey
    "recipe": {"text", "methods", "modelling", "surveying"},
    "cleaner": {
        "recipe", "document", "dumping", "modelling", "methods", "surveying", "markup", "sinks", "describing",
    },
    "frames": {"pools", "text", "reading", "sinks", "recipe", "cleaner", "running"},
    "many": {
        "pools", "reading", "parsing", "markup", "recipe", "cleaner", "running",
    },
    "running": {
        "pools", "text", "storage", "reading", "document", "parsing", "methods", "sinks", "recipe", "cleaner",
        "surveying",
    },
    "sorting": {"pools", "text", "storage", "reading", "running"},
    "cli": {
        "pools", "text", "storage", "reading", "document", "parsing", "modelling", "methods", "sinks", "recipe",
        "cleaner", "running", "sorting", "surveying",
    },
    # the doors
    "spark": {"pools", "storage", "reading", "modelling", "methods", "sinks", "recipe", "running", "cli"},
    "datatrove": {"pools", "sinks", "recipe", "running"},
    "__main__": {"cli", "spark"},
    "__init__": {
        "reading", "document", "modelling", "methods", "cleaner", "describing", "frames", "many", "recipe", "sinks",
    },
    # the laboratory
    "lab": set(),
    "lab.scoring": {"pools"},
    # a run may learn before it cleans
    "lab.training": {
        "pools", "text", "storage", "reading", "document", "dumping", "modelling", "methods", "recipe", "running",
        "lab.scoring",
    },
    # of training it takes the alignment with gold text
    "lab.explaining": {
        "text", "document", "dumping", "modelling", "methods", "cleaner", "describing", "lab.training",
    },
    "lab.annotating": {
        "pools", "text", "storage", "reading", "document", "dumping", "methods", "cleaner", "lab.training",
        "lab.explaining",
    },
    "lab.comparing": {
        "pools", "text", "modelling", "methods", "sinks", "recipe", "cleaner", "lab.scoring", "lab.training",
    },
    "lab.commands": {
        "pools", "text", "storage", "reading", "document", "modelling", "methods", "sinks", "recipe", "cleaner", "running",
        "cli", "lab.scoring", "lab.training", "lab.explaining", "lab.annotating", "lab.comparing",
    },
    # the published methods; their trainers take pairs of pages and texts, and labels
    "classics": {"text", "document", "modelling", "methods", "lab.training"},
}  # fmt: skip
# What a table names in a text, and what is imported when it is asked for: no arrow of rooms. The names of the
# wings in an error are none, either.
BY_TEXT = {
    ("__init__", "lab"),
    ("cli", "lab"),
    ("methods", "classics"),
    ("errors", "lab"),
    ("errors", "classics"),
}
# Private modules and names that a test of another room imports, with the reason.
FOREIGN = {
    # what doctor says of a selectolax that is built in another way
    "cli/test_checking.py: ncleaner.parsing._lexbor",
    "cli/test_checking.py: ncleaner.parsing._nodes",
    # the weights of phrases are stored by hash
    "lab/training/test_structure.py: ncleaner.modelling._terms.phrase_hashes",
}
# What training and annotating need, and cleaning must not.
BLOCKED = ("rapidfuzz", "publicsuffixlist", "lightgbm", "pycrfsuite", "starlette", "uvicorn", "nh3")


def sources() -> Iterator[Path]:
    for suffix in ("py", "pyi", "pyx", "pxd"):
        yield from sorted(PACKAGE.rglob(f"*.{suffix}"))


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in sources()}


def room_of(module: str) -> str:
    parts = module.split(".")
    if len(parts) > 2 and parts[1] == "lab":
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else "__init__"


def wing_of(room: str) -> str:
    """Returns `lab`, `classics`, or an empty text for the engine."""
    wing = room.split(".")[0]
    return wing if wing in ("lab", "classics") else ""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def pairs_of(path: Path, texts: bool = True) -> list[tuple[str, str]]:
    """Returns (module, name) for each import of a file, with the imports for type checkers, the cimports, and
    `module:name` in tables (`texts`); the name is empty where only the module is named."""
    text = path.read_text()
    pairs: list[tuple[str, str]] = []
    if path.suffix in (".py", ".pyi"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0 or TESTS in path.parents, f"{path} has a relative import"
                pairs += [(node.module or "", alias.name) for alias in node.names]
            elif isinstance(node, ast.Import):
                pairs += [(alias.name, "") for alias in node.names]
        if texts:
            pairs += [(name, "") for name in re.findall(r'"(ncleaner\.[\w.]+)(?::\w+)?"', text)]
    else:
        text = re.sub(r"\(([^)]*)\)", lambda found: found[1].replace("\n", " "), text)
        for module, names in re.findall(r"^\s*from\s+(ncleaner[\w.]*)\s+c?import\s+(.+)$", text, re.M):
            pairs += [(module, name.split()[0]) for name in names.strip("() ").split(",") if name.strip()]
        pairs += [(name, "") for name in re.findall(r"^\s*c?import\s+(ncleaner[\w.]*)", text, re.M)]
    return [(module, name) for module, name in pairs if module.split(".")[0] == "ncleaner"]


def imported(path: Path, texts: bool = True) -> set[str]:
    """Returns the modules of the package that a file names."""
    pairs = pairs_of(path, texts)
    return {
        f"{module}.{name}" if f"{module}.{name}" in MODULES else module for module, name in pairs
    } & MODULES


GRAPH: dict[str, set[str]] = {}
for _path in sources():
    GRAPH.setdefault(module_of(_path), set()).update(imported(_path) - {module_of(_path)})


def test_the_sources_are_read() -> None:
    assert "ncleaner.text._letters" in GRAPH["ncleaner.dumping._zones"]
    assert "ncleaner.document" in GRAPH["ncleaner.methods.base"]
    assert "ncleaner.classics.kimatu" in GRAPH["ncleaner.methods.registry"]


def known_of(room: str) -> set[str]:
    """Returns the rooms that a room imports, or names in a table."""
    known = {
        room_of(target)
        for module, targets in GRAPH.items()
        if room_of(module) == room
        for target in targets
        if target != "ncleaner"
    }
    by_text = {each for each in known if (room, wing_of(each)) in BY_TEXT}
    return known - by_text - {room} - NOUNS


ROOMS = sorted({room_of(module) for module in MODULES})


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_knows_those_below_it_and_needs_each_permission(room: str) -> None:
    assert known_of(room) == MAY_KNOW[room]


def test_the_engine_imports_no_wing_and_the_laboratory_no_published_method() -> None:
    crossing = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources()
        for module, _ in pairs_of(path, texts=False)
        if (here := wing_of(room_of(module_of(path)))) != "classics"
        and wing_of(room_of(module)) not in ("", here)
    ]
    # for type checkers; what is asked for by name is imported then
    assert [each for each in crossing if not each.startswith("ncleaner/__init__.py")] == []


def test_there_is_no_circle_of_rooms() -> None:
    order = list(TopologicalSorter(MAY_KNOW).static_order())
    assert set(order) == set(MAY_KNOW)


def test_there_is_no_circle_of_files() -> None:
    # a package's own file hands on what its modules have; that they stand in it is no import
    graph: dict[str, set[str]] = {}
    for path in sources():
        module = module_of(path)
        graph.setdefault(module, set()).update(imported(path, texts=False) - {module})
    list(TopologicalSorter(graph).static_order())


def test_methods_and_sinks_do_not_know_of_each_other() -> None:
    assert "sinks" not in MAY_KNOW["methods"] and "methods" not in MAY_KNOW["sinks"]


def prints(path: Path) -> list[str]:
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("print", "sys.exit", "exit", "quit") or called.startswith(
                ("sys.stdout", "sys.stderr")
            ):
                found.append(f"{path.name}:{node.lineno} {called}")
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found += [
            f"{path.name} imports {name}"
            for name in names
            if name.split(".")[0] in ("typer", "rich", "click")
        ]
    return found


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if room_of(module_of(path)) not in ("cli", "lab.commands") and path.name != "__main__.py"
    ],
    ids=module_of,
)
def test_nothing_but_the_command_line_prints_or_exits(path: Path) -> None:
    assert prints(path) == []


@pytest.mark.parametrize(
    "path",
    [*sorted((PACKAGE / "cli").rglob("*.py")), *sorted((PACKAGE / "lab" / "commands").glob("*.py"))],
    ids=module_of,
)
def test_all_that_people_see_goes_through_one_module(path: Path) -> None:
    """It makes visible what would act on a terminal. Those who know whether there is one may look at a
    stream."""
    written = [found for found in prints(path) if re.search(r" (print|sys\.std\w+\.\w*write)", found)]
    assert path.name == "printing.py" or written == []


def blocked(
    code: str, *arguments: object, modules: Iterable[str] = BLOCKED
) -> subprocess.CompletedProcess[str]:
    """Runs code where some modules, by default those that training and annotating need, cannot be imported."""
    block = f"import sys; sys.modules.update(dict.fromkeys({tuple(modules)!r}))\n"
    return subprocess.run(
        [sys.executable, "-P", "-c", block + code, *map(str, arguments)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


COMMAND = "from ncleaner.cli.app import main; main()"


def test_the_python_api_cleans_without_what_trains() -> None:
    page = (
        "<h1>Late</h1><p>The ferry will sail until the end of May, the harbour board decided on Monday.</p>"
    )
    code = (
        "import ncleaner\n"
        "print(ncleaner.Cleaner(model='auto').clean(sys.argv[1]))\n"
        "print(len(list(ncleaner.pages(sys.argv[2]))))\n"
    )
    found = blocked(code, page, ROOT / "examples" / "crawl.warc.gz")
    assert found.stdout.splitlines()[-2:] == [
        "The ferry will sail until the end of May, the harbour board decided on Monday.",
        "15",
    ], found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hybrid", "ngram", "victor"])
def test_the_command_cleans_without_what_trains(method: str, tmp_path: Path) -> None:
    crawl = ROOT / "examples" / "crawl.warc.gz"
    found = blocked(COMMAND, "clean", crawl, "-m", method, "-o", tmp_path / "out", "-f", "jsonl", "-j", 2)
    assert found.returncode == 0, found.stderr
    assert (tmp_path / "out" / "crawl.jsonl").read_text().count("\n") == 15


# an editable installation would find in the checkout what is not in the copy
WITHOUT_CHECKOUT = (
    "import sys\nsys.meta_path[:] = [each for each in sys.meta_path if 'Editable' not in repr(each)]\n"
)


def without_wings(folder: Path) -> dict[str, str]:
    """Makes a copy of the package in a folder, without its wings; returns the environment that uses it."""
    copy = folder / "ncleaner"
    left_out = shutil.ignore_patterns("lab", "classics", "__pycache__", "models", "examples")
    shutil.copytree(Path(ncleaner.__file__).parent, copy, ignore=left_out)
    for name in ("models", "examples"):
        (copy / name).symlink_to(shipped_folder(name))
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.mark.slow
def test_the_engine_cleans_without_the_wings_to_the_same_bytes(tmp_path: Path) -> None:
    environment = without_wings(tmp_path / "engine")
    crawl = ROOT / "examples" / "crawl.warc.gz"
    whole_package = {**os.environ, "PYTHONPATH": str(Path(ncleaner.__file__).parents[1])}

    def run(*words: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-c", WITHOUT_CHECKOUT + COMMAND, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    for method in ("hybrid", "ngram"):
        whole, alone = (
            run("clean", crawl, "-m", method, "-f", "jsonl", env=env) for env in (whole_package, environment)
        )
        assert alone.returncode == 0, alone.stderr
        assert alone.stdout == whole.stdout and whole.stdout.count("\n") == 15
    for words in (["models"], ["methods"], ["doctor", "--no-rates"], ["--help"]):
        assert run(*words, env=environment).returncode == 0, words
    for words, wing in ((["clean", str(crawl), "-m", "kimatu"], "classics"), (["train", "--help"], "lab")):
        refused = run(*words, env=environment)
        sentence = f"ncleaner: this needs ncleaner.{wing}, which is not installed here"
        assert refused.returncode == 1 and refused.stderr.startswith(sentence), refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize("output_format", FORMATS)
def test_a_format_needs_no_extra_or_names_it(output_format: str, tmp_path: Path) -> None:
    crawl = ROOT / "examples" / "crawl.warc.gz"
    extras = ("lz4", "pyarrow", "regex", "rensa", "sentencex")
    found = blocked(COMMAND, "clean", crawl, "-o", tmp_path / "out", "-f", output_format, modules=extras)
    assert "Traceback" not in found.stderr
    if output_format in ("parquet", "vertical"):
        assert found.returncode == 1
        assert f"pip install 'ncleaner[{output_format}]'" in " ".join(found.stderr.split())
    else:
        assert found.returncode == 0, found.stderr
        assert any((tmp_path / "out").glob("crawl.*"))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["clean -f jsonl --signals", "clean -f signatures", "survey"])
def test_duplicates_without_their_extra_are_refused_at_once(command: str, tmp_path: Path) -> None:
    crawl = ROOT / "examples" / "crawl.warc.gz"
    words = [*command.split(), crawl, "-o", tmp_path / "out", "--duplicates"]
    found = blocked(COMMAND, *words, modules=["rensa"])
    assert (found.returncode, found.stdout) == (1, "")
    assert not list(tmp_path.iterdir())
    assert found.stderr == "ncleaner: finding duplicates needs rensa: pip install 'ncleaner[duplicates]'\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "clean --sites auto --drop-duplicates -o out.parquet",
            "parquet needs pyarrow, finding duplicates needs rensa: pip install 'ncleaner[parquet,duplicates]'",
        ),
        (
            "clean s3://a/b.warc s3://a/c.warc -f vertical --sentences",
            "s3://a/b.warc needs s3fs, vertical needs regex, --sentences needs sentencex: "
            "pip install 'ncleaner[s3,vertical,sentences]'",
        ),
    ],
)
def test_all_extras_of_a_command_are_named_at_once(words: str, said: str) -> None:
    found = blocked(
        COMMAND, *words.split(), ROOT / "examples" / "town.warc.gz",
        modules=["pyarrow", "regex", "rensa", "s3fs", "sentencex"],
    )  # fmt: skip
    assert (found.returncode, found.stdout, found.stderr) == (1, "", f"ncleaner: {said}\n")


@pytest.mark.slow
def test_commands_draw_without_a_library(tmp_path: Path) -> None:
    pages, gold = ROOT / "examples" / "pages", ROOT / "examples" / "gold"
    tuned = ("-n", 1, "--q", 0.5, "--alphabet", "nonlexical", "-q", "-o", tmp_path / "tuned")
    for arguments in (
        ("tune", "--raw", pages, "--clean", gold, *tuned),
        ("evaluate", pages, gold, "--curve", tmp_path / "curve", "--model", "nonlexical"),
        ("clean", pages, "-o", tmp_path / "out", "-q"),
        ("report", tmp_path / "out", "--html", tmp_path / "report.html"),
    ):
        found = blocked(COMMAND, *arguments, modules=["matplotlib"])
        assert found.returncode == 0, found.stderr
    for name in ("tuned.svg", "curve.svg", "report.html"):
        assert "<svg" in (tmp_path / name).read_text("utf-8")


def test_nobody_uses_a_private_name_of_another_module() -> None:
    """A module that changes or reads a private name of another one hides an order of imports."""
    found = [
        f"{path.relative_to(ROOT)}: {module}.{name}"
        for path in sources()
        for module, name in pairs_of(path)
        if name.startswith("_") and f"{module}.{name}" not in MODULES and name != "__version__"
    ]
    assert not found


def room_of_test(path: Path) -> str:
    """Returns the room beside which a test or a helper is; for one at the top, the file whose name it has."""
    parts = path.relative_to(TESTS).with_suffix("").parts
    return room_of(".".join(("ncleaner", *parts))).removeprefix("test_")


# an import that may have a private name, so that not all tests have to be parsed
PRIVATE = re.compile(r"^\s*(?:from|import) ncleaner\b[^\n(]*(?:\([^)]*)?\b_", re.MULTILINE)


def test_a_test_imports_private_names_of_its_own_room_alone() -> None:
    """What other rooms do is tested through their public names, so that their insides may change."""
    found = {
        f"{path.relative_to(TESTS).as_posix()}: {module}{name and '.'}{name}"
        for path in sorted(TESTS.rglob("*.py"))
        if PRIVATE.search(path.read_text("utf-8"))
        for module, name in pairs_of(path, texts=False)
        if re.search(r"\._(?!_)", f"{module}.{name}")
        and room_of(f"{module}.{name}").lstrip("_") != room_of_test(path)
    }
    assert found == FOREIGN


# a group of `re` that is not given back: `(…)*+`, `(…)++`, `(…){2,3}+`, `(?>…)`
POSSESSIVE = re.compile(r"(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+|\(\?>")


def possessive(tree: ast.Module) -> list[str]:
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).startswith("re.")
        and POSSESSIVE.search(ast.unparse(node))
    ]


def test_no_group_of_re_is_possessive() -> None:
    """Pythons before 3.11.5, such as Debian's, match them wrongly: text is lost without a word."""
    assert possessive(ast.parse('re.compile(r"(a|b)*+c")')) and not possessive(
        ast.parse('re.compile(r"a*+(b*+)*")')
    )
    assert [found for path in sources() if path.suffix == ".py" for found in possessive(tree_of(path))] == []


# The lines of code of each room, of the engine and of all may not grow: a capability pays with what it makes
# superfluous. Comments, docstrings and blank lines do not count. Whoever raises a number says in the same commit why;
# the bounds of the engine and of all stay.
FLOOR = json.loads((ROOT / "tests" / "house_floor.json").read_text())
ENGINE, ALL = 35_000, 45_400


def code_lines(path: Path) -> int:
    """Returns the number of lines that are neither blank nor a comment nor in a docstring."""
    number, inside = 0, ""
    for line in map(str.strip, path.read_text().splitlines()):
        if inside:
            inside = "" if inside in line else inside
        elif begin := re.match(r"[rb]*(\"\"\"|''')", line):
            inside = "" if begin[1] in line[begin.end() :] else begin[1]
        elif line and not line.startswith("#"):
            number += 1
    return number


@cache
def lines_by_room() -> Counter[str]:
    lines: Counter[str] = Counter()
    for path in sources():
        if path.suffix != ".pyi":
            lines[room_of(module_of(path))] += code_lines(path)
    return lines


@pytest.mark.parametrize("room", ROOMS)
def test_no_room_grows(room: str) -> None:
    lines, floor = lines_by_room()[room], FLOOR.get(room, 0)
    assert lines <= floor, f"{room} has {lines} lines of code, at most {floor} were agreed on"


def test_no_wing_grows_beyond_its_bound() -> None:
    assert FLOOR.keys() == set(ROOMS)
    engine = sum(lines for room, lines in FLOOR.items() if not wing_of(room))
    assert engine <= ENGINE and sum(FLOOR.values()) <= ALL


def test_code_is_counted_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        '"""One.\n\nTwo."""\n\n# three\nfour = 4  # five\n\ndef six():\n    """Seven."""\n    return 8\n'
    )
    assert code_lines(path) == 3
