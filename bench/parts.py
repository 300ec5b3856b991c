"""The parts of a measurement; each gives tables of what was measured side by side."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.archives import sampled, write_pages, write_wet
from bench.floor import bodies
from bench.pages import page, paragraphs
from bench.processes import Usage, child_seconds, cpu_seconds, launched, step
from bench.results import Row, Table, measured
from bench.texts import as_lynx, marked
from ncleaner.lab.comparing.peers import PEERS
from ncleaner.lab.comparing.tools import tool_of
from ncleaner.methods.registry import METHODS
from ncleaner.page import Page
from ncleaner.reading.archive import read

__all__ = ["FLOOR", "PARTS", "SIZES", "Task"]

FLOOR = "floor"
#: The methods that are measured everywhere.
OURS = ("everything", "ngram", "hybrid")
#: Sizes of pages, in bytes.
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
# Other programs that run over whole archives; the others run over a sample.
_FAST = ("resiliparse", "turbohtml", "rs-trafilatura")
# Page of the measurements of the start.
_PAGE = "<p>The ferry will sail until the end of May, the harbour board decided on Monday.</p>"
#: Options whose cost is measured beside that of plain text.
OPTIONS = {
    "-f text": "-f text",
    **{f"-f {name}": f"-f {name}" for name in "jsonl markdown html wet tei vertical parquet".split()},
    **{f"-f jsonl {name}": f"-f jsonl {name}" for name in ("--metadata", "--segments", "--signals")},
    "-f jsonl --segments --source": "-f jsonl --segments --source",
    "-f text --sites auto": "-f text --sites auto",
}
START = "two pages"
LIBRARIES = "import of NumPy, selectolax and the libraries of archives"


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked for.

    Attributes:
        archives: to measure on.
        rounds: of each measurement.
        sample: pages for slow programs.
        sites: a survey with references, for the method `site`.
        gold: gold directories, whose texts are measured as text dumps; made-up texts if there are none.
        megabytes: of each text, and of the pages of one size.
        sizes: of pages, in bytes.
        peers: the other programs.
        note: gets a line about the progress.
    """

    archives: tuple[Path, ...]
    rounds: int = 5
    sample: int = 100
    sites: Path | None = None
    gold: tuple[Path, ...] = ()
    megabytes: float = 8.0
    sizes: tuple[int, ...] = SIZES
    peers: tuple[str, ...] = ()
    note: Callable[[str], object] = field(default=len)

    def measured(self, what: str, steps: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
        """Runs all steps in every round."""
        return measured(steps, self.rounds, lambda text: self.note(f"{what}: {text}"))

    def table(
        self,
        name: str,
        archive: Path,
        steps: Iterable[str],
        seconds_of: Mapping[str, Callable[[], float]] = {},
    ) -> Table:
        """Measures the floor and steps of `bench.child` on one archive, each in a process of its own.

        Args:
            name: of the table.
            archive: to measure on.
            steps: names as `bench.child` takes them.
            seconds_of: further steps by name.
        """
        peaks: dict[str, int] = {}
        sites = [str(self.sites)] if self.sites else []

        functions: dict[str, Callable[[], float]] = {
            each: partial(step, each, archive, peaks, *(sites if each == "method:site" else []))
            for each in (FLOOR, *steps)
        }
        functions |= seconds_of
        found = self.measured(name, functions)
        rows = [
            Row(each, seconds, facts={"peak": peaks[each]} if each in peaks else {})
            for each, seconds in found.items()
        ]
        return Table(name, rows, facts_of(archive))


def facts_of(archive: Path) -> dict[str, object]:
    """Returns the name of an archive, the number of its pages, and their bytes."""
    sizes = [len(item.body) for item in read(archive) if isinstance(item, Page)]
    return {"archive": archive.name, "pages": len(sizes), "bytes": sum(sizes)}


def floor(task: Task) -> list[Table]:
    """The floor, and each half of it alone."""
    return [task.table(archive.name, archive, ("fastwarc", "parsing")) for archive in task.archives]


def stages(task: Task) -> list[Table]:
    """Each stage of a page, and the same loop without a clock."""
    tables = []
    for archive in task.archives:
        found: dict[str, list[float]] = {}

        def all_stages(archive: Path = archive, found: dict[str, list[float]] = found) -> float:
            seconds, _ = child_seconds("stages", archive)
            for name, value in seconds.items():
                found.setdefault(name, []).append(value)
            return sum(seconds.values())

        table = task.table(archive.name, archive, ("method:hybrid",), {"stages": all_stages})
        table.rows[-1:] = [Row(name, values, "stages") for name, values in found.items()]
        tables.append(table)
    return tables


def methods(task: Task) -> list[Table]:
    """All methods from archive to jsonl, and three of them as whole processes."""
    usable = [name for name, entry in METHODS.items() if task.sites or not entry.needs_references]
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        single = Path(folder) / "page.warc.gz"
        write_pages(single, [_PAGE.encode()])
        for archive in task.archives:
            tables.append(
                task.table(f"{archive.name}, loops", archive, [f"method:{name}" for name in usable])
            )
            usages: dict[str, list[Usage]] = {}
            steps: dict[str, Callable[[], float]] = {}
            for name in OURS:
                for what, source in ((f"process:{name}", archive), (f"start:{name}", single)):
                    steps[what] = _run_of(usages, what, _clean(source, name))
            table = task.table(f"{archive.name}, processes", archive, (), steps)
            for row in table.rows:
                if runs := usages.get(row.name):
                    row.facts = {
                        "parent": sorted(run.parent for run in runs)[len(runs) // 2],
                        "workers": sorted(run.workers for run in runs)[len(runs) // 2],
                    }
            tables.append(table)
    return tables


def _clean(source: Path | str, method: str, jobs: int = 1) -> list[str]:
    return ["clean", str(source), "-m", method, "-f", "jsonl", "-j", str(jobs), "-q"]


def _run_of(
    usages: dict[str, list[Usage]], what: str, arguments: list[str], source: Path | None = None
) -> Callable[[], float]:
    """Returns a step that runs `ncleaner`, keeps what it took, and returns its CPU time."""

    def run() -> float:
        usage = launched(arguments, source)
        usages.setdefault(what, []).append(usage)
        return usage.cpu

    return run


def peers(task: Task) -> list[Table]:
    """Other programs, fed by FastWARC: fast ones on the whole archive, all of them on a sample."""
    installed = [name for name in task.peers or PEERS if _is_installed(name)]
    ours = [f"method:{name}" for name in OURS]
    tables = []
    for archive in task.archives:
        fast = [f"peer:{name}" for name in installed if name in _FAST]
        tables.append(task.table(f"{archive.name}, all pages", archive, [*ours, *fast]))
        with tempfile.TemporaryDirectory() as folder:
            sample = Path(folder) / archive.name
            pages = sampled(archive, task.sample, sample)
            table = task.table(
                f"{archive.name}, {pages} pages", sample, [*ours, *(f"peer:{name}" for name in installed)]
            )
            tables.append(table)
    for table in tables:
        for row in table.rows:
            kind, _, name = row.name.partition(":")
            if kind == "peer":
                table.facts.setdefault("titles", {})[row.name] = _title(name)
    return tables


def _is_installed(name: str) -> bool:
    try:
        tool_of(name).extractor()
    except ImportError:
        return False
    return True


def _title(name: str) -> str:
    tool = tool_of(name)
    return f"{tool.title}, {tool.settings}" if tool.settings else tool.title


def sizes(task: Task) -> list[Table]:
    """Pages of one size each: made up, and made of the pages of the first archive."""
    tables = []
    real = _RealPages(task.archives[0])
    for title, pages_of in (("made up", _made_up), (f"from {task.archives[0].name}", real.of_size)):
        rows: list[Row] = []
        for size in task.sizes:
            number = max(1, min(2000, int(task.megabytes * 1e6 / size)))
            with tempfile.TemporaryDirectory() as folder:
                archive = Path(folder) / f"{title}, {size:,} bytes"
                if not write_pages(archive, pages_of(size, number)):
                    continue
                table = task.table(archive.name, archive, [f"method:{name}" for name in OURS])
            for row in table.rows:
                row.group = str(size)
                row.facts |= {
                    "pages": float(str(table.facts["pages"])),
                    "bytes": float(str(table.facts["bytes"])),
                }
            rows += table.rows
        tables.append(Table(title, rows, {"archive": title}))
    return tables


def _made_up(size: int, number: int) -> Iterator[bytes]:
    for seed in range(number):
        yield page(size, ("en", "en", "de", "ru")[seed % 4], ("newspaper", "forum")[seed % 2], seed)


class _RealPages:
    """Pages of any size, made of the pages of an archive that are UTF-8."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive

    def of_size(self, size: int, number: int) -> list[bytes]:
        """Returns at most so many pages: those that have about this size, or else pieces, or pages joined.

        A page below 10 kB is a piece from the middle of a longer one: pages of this size are rare, and mostly
        notices.
        """
        found: list[bytes] = []
        joined: list[bytes] = []
        for body in self._utf8():
            if len(found) == number:
                return found
            if size < 10_000:
                start = body.find(b"<p", len(body) // 2)
                if start >= 0 and len(body) - start >= size:
                    found.append(body[start : start + size])
            elif size / 1.25 <= len(body) <= size * 1.25:
                found.append(body)
        if found:
            return found
        for body in self._utf8():
            joined.append(body)
            if sum(map(len, joined)) >= size:
                found.append(b"".join(joined)[:size])
                joined.clear()
                if len(found) == number:
                    break
        return found

    def _utf8(self) -> Iterator[bytes]:
        for body in bodies(self._archive):
            try:
                body.decode()
            except UnicodeDecodeError:
                continue
            yield body


def _texts(task: Task) -> dict[str, list[list[str]]]:
    """Returns {kind of text: its documents as paragraphs}, each with about as many bytes as asked."""
    size = task.megabytes * 1e6
    if not task.gold:
        number = max(1, int(size / 6000))
        return {
            "made up, ASCII": [paragraphs(6000, "en", seed) for seed in range(number)],
            "made up, not ASCII": [
                paragraphs(6000, ("ru", "el", "de", "ja")[seed % 4], seed) for seed in range(number)
            ],
        }
    found = {}
    for gold in task.gold:
        documents = [
            [line for line in file.read_text("utf-8", "replace").split("\n") if line.strip()]
            for file in sorted((gold / "clean").glob("*.txt"))
        ]
        ascii_only = [[line.encode("ascii", "ignore").decode() for line in lines] for lines in documents]
        for kind, chosen in ((f"{gold.name}, ASCII", ascii_only), (f"{gold.name}, as it is", documents)):
            length = sum(len(line.encode()) + 1 for lines in chosen for line in lines)
            # a text in Greek has too little in ASCII to be a text
            if kind.endswith("ASCII") and length < 0.5 * sum(
                len(line.encode()) for d in documents for line in d
            ):
                continue
            repeats = max(1, round(size / max(1, length)))
            found[kind] = chosen * repeats
    return found


def text(task: Task) -> list[Table]:
    """Texts through standard input: wrapped as by Lynx, a paragraph on each line, WET.

    The first two once as one long text, and once as documents after lines with their URLs.
    """
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "start.txt"
        empty.write_text(
            "The ferry will sail until the end of May, the harbour board decided on Monday.\n", "utf-8"
        )
        for kind, documents in _texts(task).items():
            wrapped = [as_lynx(lines) for lines in documents]
            by_line = ["\n".join(lines).encode() for lines in documents]
            forms = {
                "one text, Lynx": b"\n".join(wrapped),
                "one text, a paragraph on each line": b"\n".join(by_line),
                "documents, Lynx": marked(wrapped),
                "documents, a paragraph on each line": marked(by_line),
            }
            files = {}
            for form, data in forms.items():
                files[form] = Path(folder) / f"{form}.txt"
                files[form].write_bytes(data)
            files["documents, WET"] = Path(folder) / "text.wet"
            write_wet(files["documents, WET"], by_line)
            usages: dict[str, list[Usage]] = {}
            steps: dict[str, Callable[[], float]] = {}
            for method in ("everything", "ngram", "hybrid"):
                steps[f"start:{method}"] = _run_of(usages, "start", _clean("-", method), empty)
                for form, file in files.items():
                    what = f"{form}:{method}"
                    steps[what] = _run_of(usages, what, _clean("-", method), file)
            found = task.measured(f"text, {kind}", steps)
            rows = []
            for name, seconds in found.items():
                row = Row(name, seconds)
                form = name.partition(":")[0]
                if form in files:
                    row.facts = {"bytes": files[form].stat().st_size, **_peaks(usages[name])}
                rows.append(row)
            tables.append(Table(kind, rows, {"documents": len(documents)}))
    return tables


def _peaks(runs: list[Usage]) -> dict[str, float]:
    """Returns the largest peaks of memory over some runs, in bytes."""
    return {
        "parent peak": max(run.parent_peak for run in runs),
        "worker peak": max(run.worker_peak for run in runs),
    }


def workers(task: Task) -> list[Table]:
    """One and two workers: wall-clock time for a directory of archives, and for one archive."""
    tables = []
    for archive in task.archives:
        with tempfile.TemporaryDirectory() as folder:
            inputs = Path(folder) / "inputs"
            inputs.mkdir()
            for number in range(4):
                (inputs / f"{number}-{archive.name}").symlink_to(archive.resolve())
            usages: dict[str, list[Usage]] = {}
            steps: dict[str, Callable[[], float]] = {}
            for jobs in (1, 2):
                for what, source, target in (
                    ("four archives into a directory", inputs, Path(folder) / "outputs"),
                    ("one archive into one output", archive, Path(folder) / "output.jsonl"),
                ):
                    again = ["--again"] if source is inputs else ["--force"]
                    arguments = [*_clean(source, "hybrid", jobs), "-o", str(target), *again]
                    steps[f"{what}:{jobs}"] = _run_of(usages, f"{what}:{jobs}", arguments)
            task.measured(f"workers, {archive.name}", steps)
            rows = [
                Row(
                    name.partition(":")[2],
                    [run.wall for run in runs],
                    name.partition(":")[0],
                    {"cpu": sorted(run.cpu for run in runs)[len(runs) // 2], **_peaks(runs)},
                )
                for name, runs in usages.items()
            ]
            tables.append(
                Table(archive.name, sorted(rows, key=lambda row: (row.group, row.name)), facts_of(archive))
            )
    return tables


def options(task: Task) -> list[Table]:
    """Whole commands with options that cost, beside plain text."""
    tables = []
    for archive in task.archives:
        with tempfile.TemporaryDirectory() as folder:
            usages: dict[str, list[Usage]] = {}
            steps = {}
            for what, more in OPTIONS.items():
                target = ["-o", str(Path(folder) / "out.parquet"), "--force"] if "parquet" in more else []
                arguments = ["clean", str(archive), "-j", "1", "-q", *more.split(), *target]
                steps[what] = _run_of(usages, what, arguments)
            found = task.measured(f"options, {archive.name}", steps)
        tables.append(Table(archive.name, [Row(*each) for each in found.items()], facts_of(archive)))
    return tables


def _fresh(out: Path, run: Callable[[], float]) -> float:
    """Runs a step without what it has written before."""
    shutil.rmtree(out, ignore_errors=True)
    return run()


def inputs(task: Task) -> list[Table]:
    """The same pages as an archive, through a pipe and as files: what the parent and the worker take."""
    tables = []
    for archive in task.archives:
        with tempfile.TemporaryDirectory() as folder:
            files, out = Path(folder) / "files", Path(folder) / "out"
            files.mkdir()
            for number, body in enumerate(bodies(archive)):
                (files / f"{number:06}.html").write_bytes(body)
            # a page for each worker
            begun = Path(folder) / "begun"
            begun.mkdir()
            for number in range(2):
                (begun / f"{number}.html").write_text(_PAGE, "utf-8")
            usages: dict[str, list[Usage]] = {}
            # two workers, since a single one reads a pipe, too
            plain = ["-f", "text", "-j", "2", "-q"]
            runs = {
                START: (["clean", str(begun), *plain], None),
                "an archive": (["clean", str(archive), *plain], None),
                "an archive through a pipe": (["clean", "-", *plain], archive),
                "HTML files into one output": (["clean", str(files), *plain], None),
                "HTML files, an output each": (["clean", str(files), *plain, "-o", str(out)], None),
            }
            steps = {what: partial(_fresh, out, _run_of(usages, what, *run)) for what, run in runs.items()}
            found = task.measured(f"inputs, {archive.name}", steps)
        rows = [
            Row(what, seconds, facts={"parent": statistics.median(run.parent for run in usages[what])})
            for what, seconds in found.items()
        ]
        tables.append(Table(archive.name, rows, facts_of(archive)))
    return tables


def start(task: Task) -> list[Table]:
    """Whole processes that do next to nothing, beside the import of the libraries alone."""
    python, ncleaner = [sys.executable, "-c"], str(Path(sys.executable).with_name("ncleaner"))
    libraries = "import numpy, selectolax.lexbor, deflate, zlib_ng, orjson"
    with tempfile.TemporaryDirectory() as folder:
        single = Path(folder) / "page.html"
        single.write_text(_PAGE, "utf-8")
        commands = {
            LIBRARIES: [*python, libraries],
            "Python alone": [*python, "pass"],
            "import ncleaner": [*python, "import ncleaner"],
            "from ncleaner import Cleaner, pages": [*python, "from ncleaner import Cleaner, pages"],
            "ncleaner.clean(page)": [*python, f"import ncleaner; ncleaner.clean({_PAGE!r})"],
            "ncleaner --help": [ncleaner, "--help"],
            "ncleaner clean --help": [ncleaner, "clean", "--help"],
            "ncleaner models": [ncleaner, "models"],
            "ncleaner clean, one page": [ncleaner, "clean", str(single), "-q", "-j", "1"],
        }
        steps: dict[str, Callable[[], float]] = {
            name: partial(cpu_seconds, command) for name, command in commands.items()
        }
        # the first round fills the caches of the system
        for run in steps.values():
            run()
        found = task.measured("start", steps)
    return [Table("start", [Row(name, seconds) for name, seconds in found.items()])]


def memory(task: Task) -> list[Table]:
    """The largest resident memory of the parent and of its worker."""
    tables = []
    for archive in task.archives:
        usages: dict[str, list[Usage]] = {}
        steps = {name: _run_of(usages, name, _clean(archive, name)) for name in OURS}
        peaks: dict[str, int] = {}
        found = task.measured(
            f"memory, {archive.name}", {FLOOR: partial(step, FLOOR, archive, peaks), **steps}
        )
        rows = [
            Row(
                name, seconds, facts=_peaks(usages[name]) if name in usages else {"parent peak": peaks[FLOOR]}
            )
            for name, seconds in found.items()
        ]
        tables.append(Table(archive.name, rows, facts_of(archive)))
    return tables


#: {name of a part: function that measures it}.
PARTS: dict[str, Callable[[Task], list[Table]]] = {
    "floor": floor,
    "stages": stages,
    "methods": methods,
    "peers": peers,
    "sizes": sizes,
    "text": text,
    "workers": workers,
    "options": options,
    "inputs": inputs,
    "start": start,
    "memory": memory,
}
