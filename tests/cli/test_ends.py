"""How a command ends: standard streams that are closed, full or broken, interrupts while it loads, too little
memory. A sentence and a status, never a traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has no such streams and signals", allow_module_level=True)

# many processes
pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
NCLEANER = str(Path(sys.executable).with_name("ncleaner"))
PAGE = EXAMPLES / "pages" / "tidepool-docs.html"
COMMANDS = {
    "clean": f"clean {PAGE} -q",
    "jsonl": f"clean {PAGE} -q -f jsonl",
    "dump": f"dump {PAGE}",
    "inspect": f"inspect {PAGE}",
    "methods": "methods",
    "help": "--help",
    "help of a command": "clean --help",
    "version": "--version",
}


def shell(
    line: str, stdin: int | None = None, *, short_of_memory: bool = False
) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        stdin=stdin,
    )
    # where memory ends, a library of Python itself may be in the middle of a generator
    assert short_of_memory or "Exception ignored" not in result.stderr, result.stderr
    assert "Traceback" not in result.stderr, result.stderr
    return result


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_standard_output_is_closed(command: str) -> None:
    result = shell(f"{NCLEANER} {command} >&-")
    assert (result.returncode, result.stderr) == (
        1,
        "ncleaner: cannot write to standard output: it is closed\n",
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_standard_output_is_full(command: str) -> None:
    result = shell(f"{NCLEANER} {command} >/dev/full")
    assert result.returncode == 1
    said = "ncleaner: cannot write to standard output: No space left on device (free some space, or write elsewhere)\n"
    assert result.stderr == said


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_nobody_can_be_told_anything(redirection: str) -> None:
    if "full" in redirection and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    whole = shell(f"{NCLEANER} clean {PAGE}")
    result = shell(f"{NCLEANER} clean {PAGE} {redirection}")
    assert (result.returncode, result.stdout) == (0, whole.stdout)
    assert shell(f"{NCLEANER} clean {PAGE} no-such-file {redirection}").returncode == 1


def test_standard_error_is_closed_and_files_are_opened(tmp_path: Path) -> None:
    """The first file would get the number of standard error, and messages would get into it."""
    done = shell(f"{NCLEANER} clean {PAGE} -f jsonl -o {tmp_path}/out.jsonl 2>&- >&- <&-")
    assert done.returncode == 0
    assert [json.loads(line)["encoding"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    "command", ["clean -", "clean", "dump -", "inspect -", "survey - -o s.ncs", "sort - -o s"]
)
def test_standard_input_is_closed(command: str, tmp_path: Path) -> None:
    result = shell(f"cd {tmp_path}; {NCLEANER} {command} <&-")
    assert (result.returncode, result.stderr) == (1, "ncleaner: cannot read standard input: it is closed\n")


@pytest.mark.parametrize("command", [*COMMANDS.values(), f"clean {EXAMPLES}/crawl.warc.gz"])
def test_the_reader_of_the_output_has_seen_enough(command: str) -> None:
    """141 is the status of programs that die of SIGPIPE."""
    # the pipe is closed before the command begins
    result = shell(f"(sleep 0.2; {NCLEANER} {command}; echo $? >&2) | true")
    status = result.stderr.splitlines()
    assert status[-1] == "141" and not any(line.startswith("ncleaner:") for line in status)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_output_that_cannot_encode_all_characters(encoding: str) -> None:
    page = EXAMPLES / "pages" / "yuki-nikki-ja.html"
    result = shell(f"PYTHONIOENCODING={encoding} {NCLEANER} inspect {page}")
    assert result.returncode == 0 and r"\u65e5\u8a18" in result.stdout
    # data are bytes, and not encoded
    assert (
        shell(f"PYTHONIOENCODING={encoding} {NCLEANER} clean {page}").stdout
        == shell(f"{NCLEANER} clean {page}").stdout
    )


# The n-th import after the command has begun is interrupted.
INTERRUPTED = """
import os, signal, sys
from ncleaner.cli.app import main
left = int(sys.argv.pop(1))
def hook(event, arguments):
    global left
    left -= event == "import"
    if event == "import" and left == 0:
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
main()
"""


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("clean", 3),
        ("help", 5),
        ("clean", 100),
        *(
            pytest.param(command, number, marks=pytest.mark.slow)
            for command in ("clean", "help", "train", "report", "survey")
            for number in (1, 2, 10, 30, 60, 90, 130, 170, 220, 270, 330, 400, 480, 560, 640)
        ),
    ],
)
def test_interrupted_while_it_loads(command: str, number: int, tmp_path: Path) -> None:
    words = {
        "clean": ["clean", str(PAGE)],
        "help": ["--help"],
        "train": [
            "train",
            "--raw",
            str(EXAMPLES / "pages"),
            "--clean",
            str(EXAMPLES / "gold"),
            "-o",
            "m.ncm",
        ],
        "report": ["report", "no-such-directory"],
        "survey": ["survey", str(PAGE), "-o", "s.ncs"],
    }[command]
    result = subprocess.run(
        [sys.executable, "-P", "-c", INTERRUPTED, str(number), *words],
        capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
    )  # fmt: skip
    if result.returncode != 130:
        # it has ended before it has imported so much
        assert number > 100 and result.returncode == (1 if command == "report" else 0)
        return
    said = result.stderr.splitlines()
    kept = "; finished outputs are kept, and the same command resumes" if command == "survey" else ""
    assert said[-1] in ("ncleaner: interrupted", f"ncleaner: interrupted{kept}")
    assert "Traceback" not in result.stderr and "Exception ignored" not in result.stderr
    assert not list(tmp_path.glob("*.ncm")) and not list(tmp_path.glob("*.part"))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "tune", "compare", "clean"])
def test_an_interrupt_of_the_terminal_reaches_all_processes(command: str, tmp_path: Path) -> None:
    raw, gold = EXAMPLES / "pages", EXAMPLES / "gold"
    words = {
        "evaluate": ["evaluate", gold, gold, "-j2"],
        "tune": ["tune", "--raw", raw, "--clean", gold, "-n1", "--q", "0.5", "--alphabet", "ascii", "-j2"],
        "compare": ["compare", "--raw", raw, "--clean", gold, "-t", "everything", "-t", "bte", "-j2"],
        "clean": ["clean", EXAMPLES / "crawl.warc.gz", "-j2"],
    }[command]
    for delay in (0.3, 0.45, 0.6, 0.8, 1.1, 1.5):
        process = subprocess.Popen(
            [NCLEANER, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            start_new_session=True, cwd=tmp_path,
        )  # fmt: skip
        time.sleep(delay)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=120)
        # 0 if it has nothing left to do but to end
        assert process.returncode in (130, 0)
        # a slow machine has not yet begun with the command after three tenths of a second
        assert "Traceback" not in said or "ncleaner/" not in said.split("Traceback")[1], said


def test_an_interrupt_after_the_last_output_changes_nothing() -> None:
    """Python calls functions at its end before it takes its own handlers of signals away."""
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    result = subprocess.run(
        [sys.executable, "-P", "-c", f"{late}; from ncleaner.cli.app import main; main()", "clean", PAGE, "-q"],
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, b"") and result.stdout


def limited(megabytes: int, bound: str) -> str:
    """Bounds the address space (`v`) or the data (`d`) of a shell and what it starts."""
    return f"ulimit -c 0; ulimit -{bound} {1024 * megabytes}"


@cache
def numpy_loads(megabytes: int, bound: str) -> bool:
    alone = f"OPENBLAS_NUM_THREADS=1 exec timeout 60 {sys.executable} -c 'import numpy' 2> /dev/null"
    return shell(f"{limited(megabytes, bound)}; {alone}").returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems bound memory in other ways")
@pytest.mark.parametrize("bound", ["v", "d"])
@pytest.mark.parametrize("command", ["--version", f"clean {PAGE}", "report nowhere", "models"])
def test_too_little_memory_to_load(command: str, bound: str) -> None:
    for megabytes in (25, 40, 60, 80, 100, 130, 160, 200) if bound == "v" else (10, 40, 50, 55, 60, 65):
        if not command.startswith(("--version", "report")) and not numpy_loads(megabytes - 15, bound):
            # where NumPy has just not enough to load, it ends with a message of its own, by a signal, or
            # never
            continue
        result = shell(f"{limited(megabytes, bound)}; exec {NCLEANER} {command}", short_of_memory=True)
        # Python says for itself that it cannot start
        own = "Fatal Python error" in result.stderr
        assert own or result.returncode in (0, 1), (megabytes, result.stderr)
