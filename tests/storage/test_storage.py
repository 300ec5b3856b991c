"""Inputs and outputs that are not on this machine: real servers on loopback, the real command."""

from __future__ import annotations

import errno
import gzip
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import InputError, OutputError
from ncleaner.reading.inputs import find_inputs, listed_inputs
from ncleaner.running import engine
from ncleaner.running.settings import Settings
from ncleaner.storage.local import Status, is_url
from ncleaner.storage.places import folder_and_name, folder_at, open_binary, status
from ncleaner.storage.remote import _reaching

from ..cli.test_app import NCLEANER
from ..running.test_resume import crawl
from ..runs import entries_in, entries_of, manifests_of, outputs_in
from ..servers import Proxy, environment, fill, gs_server, http_server, objects, s3_server

pytest.importorskip("fsspec", reason="URLs need fsspec: install ncleaner[s3] or ncleaner[http]")
# fsspec alone comes with other packages, too
pytest.importorskip("aiohttp", reason="http:// needs aiohttp: install ncleaner[http]")
from fsspec.registry import _registry


def run(*arguments: object, **more: str) -> subprocess.CompletedProcess[bytes]:
    result = subprocess.run(
        [NCLEANER, *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=120,
        env=environment(**more),
    )
    assert b"Traceback" not in result.stderr, result.stderr.decode()
    return result


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl(tmp_path_factory.mktemp("storage") / "in", archives=3, pages=40)


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("storage") / "out"
    assert run("clean", source, "-o", out).returncode == 0
    return {path.name: path.read_bytes() for path in out.glob("*.txt")}


@pytest.fixture(scope="module")
def s3(source: Path) -> Iterator[dict[str, str]]:
    """The environment of a server that holds the crawl in s3://crawl/2024/."""
    pytest.importorskip("s3fs", reason="s3:// needs s3fs: install ncleaner[s3]")
    pytest.importorskip("moto", reason="the server of S3's protocol is moto's")
    with s3_server() as variables:
        fill(source, "s3://crawl/2024", "crawl", "text", variables=variables)
        yield variables


@pytest.mark.slow
def test_from_google_storage_and_to_it(source: Path, whole: dict[str, bytes]) -> None:
    pytest.importorskip("gcsfs", reason="gs:// needs gcsfs: install ncleaner[gs]")
    pytest.importorskip("gcp_storage_emulator", reason="the server of Google's protocol is an emulator")
    with gs_server() as variables:
        fill(source, "gs://crawl/2024", "crawl", "text", variables=variables)
        command = ("clean", "gs://crawl/2024", "-o", "gs://text/a")
        result = run(*command, **variables)
        assert result.returncode == 0, result.stderr.decode()
        assert "3 inputs were finished by an earlier run" in run(*command, **variables).stderr.decode()
        for name, data in whole.items():
            again = run("clean", f"gs://text/a/{name}", "-m", "everything", "-q", **variables).stdout
            assert again.split() == data.split()
        result = run("clean", "gs://crawl/2024/0.warc.gz", "-o", "gs://nowhere/out", **variables)
        assert result.returncode == 1


def texts(found: dict[str, bytes]) -> dict[str, bytes]:
    return {Path(name).name: data for name, data in found.items() if name.endswith(".txt")}


@pytest.mark.slow
def test_packs_on_s3(s3: dict[str, str], source: Path, tmp_path: Path) -> None:
    """All archives are one pack, whose output has three files; then each has an output."""
    command = ("clean", "s3://crawl/2024", "-o", "s3://text/packs", "-f", "jsonl", "--rows-per-file")
    options = ("-f", "jsonl", "--rows-per-file", "50")
    assert run("clean", source, "-o", tmp_path / "out", *options).returncode == 0
    assert run(*command, "50", **s3).returncode == 0
    found = objects("s3://text/packs", variables=s3)
    (manifest,), found = manifests_of(found)
    assert len(entries_of(manifest)) == 1
    here = b'"archive":"%b/' % os.fsencode(source)
    found = {name: data.replace(b'"archive":"s3://crawl/2024/', here) for name, data in found.items()}
    assert found == outputs_in(tmp_path / "out") and len(found) == 3
    assert b"3 inputs were finished by an earlier run" in run(*command, "50", **s3).stderr
    assert b"--rows-per-file was 50 and is 0" in run(*command, "0", **s3).stderr
    assert run(*command, "0", "--again", **s3).returncode == 0
    manifests, found = manifests_of(objects("s3://text/packs", variables=s3))
    assert len(manifests) == 2 and found.keys() == {f"{number}.jsonl" for number in range(3)}
    assert b"pages                        120\n" in run("report", "s3://text/packs", **s3).stdout


@pytest.mark.slow
def test_from_s3_and_to_s3(s3: dict[str, str], whole: dict[str, bytes]) -> None:
    command = ("clean", "s3://crawl/2024", "-o", "s3://text/a", "-j", "2")
    result = run(*command, **s3)
    assert result.returncode == 0, result.stderr.decode()
    (manifest,), found = manifests_of(objects("s3://text/a", variables=s3))
    assert texts(found) == whole
    assert sorted(entry["input"] for entry in entries_of(manifest)) == [
        f"{number}.warc.gz" for number in range(3)
    ]
    again = run(*command, **s3)
    assert "3 inputs were finished by an earlier run" in again.stderr.decode()
    assert run("report", "s3://text/a", **s3).stdout.startswith(b"inputs ")
    # one that is lost is made again
    subprocess.run(
        [sys.executable, "-c", "import s3fs; s3fs.S3FileSystem().rm_file('text/a/1.txt')"],
        check=True, env=environment(**s3),
    )  # fmt: skip
    said = run(*command, **s3).stderr.decode()
    assert "cleaning 1 input again whose output is missing or has changed" in said
    assert texts(objects("s3://text/a", variables=s3)) == whole


@pytest.mark.slow
def test_from_s3_to_a_file_there(s3: dict[str, str], whole: dict[str, bytes]) -> None:
    result = run("clean", "s3://crawl/2024/1.warc.gz", "-o", "s3://text/b/one.txt", **s3)
    assert result.returncode == 0, result.stderr.decode()
    assert objects("s3://text/b", variables=s3) == {"one.txt": whole["1.txt"]}


@pytest.mark.slow
def test_a_store_that_is_away_for_some_seconds(
    s3: dict[str, str], source: Path, whole: dict[str, bytes]
) -> None:
    """While inputs are read and outputs are written: nothing is lost, and nothing is said."""
    proxy = Proxy(int(s3["AWS_ENDPOINT_URL"].rpartition(":")[2]))
    afar = s3 | {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}"}
    seen = proxy.requests.total
    outages = 0
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run, "clean", "s3://crawl/2024", "-o", "s3://text/away", "-j", "1", **afar)
        reached = 0
        while not running.done():
            # in the middle of whatever the run asks for
            if seen() > reached + 4 and outages < 3:
                proxy.be_away(1.5)
                outages, reached = outages + 1, seen()
            time.sleep(0.002)
    assert running.result().returncode == 0 and outages == 3, running.result().stderr.decode()
    (manifest,), found = manifests_of(objects("s3://text/away", variables=s3))
    assert texts(found) == whole and len(entries_of(manifest)) == 3
    # one listing says what is there
    proxy.requests.clear()
    assert run("clean", "s3://crawl/2024", "-o", "s3://text/away", **afar).returncode == 0
    assert proxy.requests[b"HEAD"] < 3
    proxy.close()


@pytest.mark.slow
def test_shards_on_a_store(s3: dict[str, str], whole: dict[str, bytes]) -> None:
    command = ("clean", "s3://crawl/2024", "-o", "s3://text/shards", "-j", "1", "--shard")
    with ThreadPoolExecutor(3) as threads:
        done = list(threads.map(lambda number: run(*command, f"{number}/3", **s3), (1, 2, 3)))
    assert [each.returncode for each in done] == [0, 0, 0]
    manifests, found = manifests_of(objects("s3://text/shards", variables=s3))
    assert texts(found) == whole and len(manifests) == 3
    assert b"1 input was finished by an earlier run" in run(*command, "2/3", **s3).stderr
    assert b"pages                        120\n" in run("report", "s3://text/shards", **s3).stdout


@pytest.mark.slow
def test_what_is_not_on_s3(s3: dict[str, str]) -> None:
    for place in ("s3://crawl/nothing", "s3://nowhere/at/all"):
        result = run("clean", place, **s3)
        assert result.returncode == 1
        assert result.stderr.decode().startswith(f"ncleaner: {place}")
    result = run("clean", "s3://crawl/2024/0.warc.gz", "-o", "s3://nowhere/out", **s3)
    assert result.returncode == 1
    assert result.stderr.decode().startswith("ncleaner: cannot write the output ")
    assert "(make the bucket s3://nowhere first)" in result.stderr.decode()


@pytest.mark.slow
def test_patterns_in_urls_are_expanded(s3: dict[str, str], whole: dict[str, bytes], tmp_path: Path) -> None:
    result = run("clean", "s3://crawl/20*/[01].warc.gz", "-o", tmp_path / "out", **s3)
    assert result.returncode == 0, result.stderr.decode()
    found = {path.name: path.read_bytes() for path in (tmp_path / "out").rglob("*.txt")}
    assert found == {name: whole[name] for name in ("0.txt", "1.txt")}
    assert "s3://crawl/x*: No such file" in run("clean", "s3://crawl/x*", **s3).stderr.decode()


def test_a_refusal_names_its_code_and_the_credentials() -> None:
    botocore = pytest.importorskip("botocore.exceptions", reason="it comes with ncleaner[s3]")
    said = PermissionError(errno.EACCES, "Denied here.")
    said.__cause__ = botocore.ClientError({"Error": {"Code": "InvalidAccessKeyId"}}, "HeadObject")
    with (
        pytest.raises(
            OSError, match=r"Denied here \(InvalidAccessKeyId\): check your credentials \(AWS_ACCESS_KEY_ID"
        ),
        _reaching("s3://crawl/x"),
    ):
        raise said
    with (
        pytest.raises(OSError, match=r"NoCredentialsError: .*: set AWS_ACCESS_KEY_ID"),
        _reaching("s3://crawl/x"),
    ):
        raise botocore.NoCredentialsError


@pytest.mark.slow
def test_a_list_of_paths_with_a_prefix(
    source: Path, whole: dict[str, bytes], s3: dict[str, str], tmp_path: Path
) -> None:
    names = "".join(f"2024/{number}.warc.gz\n" for number in (2, 0, 1))
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(names.encode()))
    arguments = ("clean", "--inputs-from", tmp_path / "warc.paths.gz", "--prefix", "s3://crawl/")
    result = run(*arguments, "-o", tmp_path / "out", **s3)
    assert result.returncode == 0, result.stderr.decode()
    assert {path.name: path.read_bytes() for path in (tmp_path / "out" / "2024").iterdir()} == whole


@pytest.mark.slow
@pytest.mark.parametrize("ranges", [True, False])
def test_from_a_web_server(source: Path, whole: dict[str, bytes], tmp_path: Path, ranges: bool) -> None:
    with http_server(source, ranges=ranges) as url:
        result = run("clean", f"{url}/0.warc.gz", f"{url}/2.warc.gz", "-o", tmp_path / "out")
    assert result.returncode == 0, result.stderr.decode()
    found = {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.txt")}
    assert found == {name: whole[name] for name in ("0.txt", "2.txt")}


@pytest.mark.slow
def test_connections_that_break_are_made_again(source: Path, whole: dict[str, bytes]) -> None:
    with http_server(source, cuts=4) as url:
        result = run("clean", f"{url}/0.warc.gz", "-q")
    assert result.returncode == 0, result.stderr.decode()
    assert result.stdout == whole["0.txt"]


def test_a_server_that_stays_broken(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.storage.remote._PAUSES", (0.001, 0.001))
    with http_server(source, cuts=1000, part=0) as url, pytest.raises(OSError, match=r"0\.warc\.gz"):
        open_binary(f"{url}/0.warc.gz").read(10_000)


def test_a_server_that_cuts_each_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request goes on where the last answer broke off."""
    monkeypatch.setattr("ncleaner.storage.remote._PAUSES", (0.001, 0.001))
    data = random.Random(1).randbytes(9_000_000)
    (tmp_path / "x").write_bytes(data)
    with http_server(tmp_path, cuts=1000, part=1 / 3) as url:
        file = open_binary(f"{url}/x")
        assert b"".join(iter(lambda: file.read(100_000), b"")) == data
        file.seek(8_999_990)
        assert file.read() == data[-10:]
        file.close()


def test_pieces_are_fetched_while_others_are_used(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(40 << 20))
    with http_server(tmp_path, delay=0.2) as url:
        file = open_binary(f"{url}/x")
        waited = 0.0
        for _ in range(10):
            time.sleep(0.25)
            began = time.monotonic()
            assert len(file.read(4 << 20)) == 4 << 20
            waited += time.monotonic() - began
        file.close()
    # two at the begin: it may be that no more than the first is wanted
    assert waited < 10 * 0.2 * 0.6


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (403, "the server answers 403 (Forbidden)"),
        (500, "the server answers 500 (Internal Server Error)"),
        (302, "the server redirects without an end"),
        (404, "No such file or directory"),
    ],
)
def test_a_server_that_refuses(tmp_path: Path, refusal: int, said: str) -> None:
    with http_server(tmp_path, refusal=refusal) as url, pytest.raises(InputError) as raised:
        find_inputs([f"{url}/a.html"])
    assert str(raised.value) == f"{url}/a.html: {said}"


# each hung, or ended in a division by zero, where an unknown size was the number -1
@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("clean", "URL"),
        ("clean", "URL", "-j", "1"),
        ("clean", "URL", "URL2"),
        ("clean", "URL", "-o", "x.jsonl"),
        ("clean", "URL", "-o", "OUT"),
        ("clean", "URL", "-o", "OUT", "--sites", "auto"),
        ("survey", "URL", "-o", "s.ncs"),
        ("sort", "URL", "-o", "SORTED"),
    ],
    ids=" ".join,
)
def test_a_server_that_does_not_tell_sizes(
    source: Path, whole: dict[str, bytes], tmp_path: Path, command: tuple[str, ...]
) -> None:
    with http_server(source, chunked=True) as url:
        places = {"URL": f"{url}/0.warc.gz", "URL2": f"{url}/1.warc.gz"}
        words = [
            places.get(word, tmp_path / word if "." in word or word.isupper() else word) for word in command
        ]
        result = run(*words)
    assert result.returncode == 0, result.stderr.decode()
    written = result.stdout or b"".join(path.read_bytes() for path in (tmp_path / "OUT").glob("*.txt"))
    if command[0] == "clean" and "--sites" not in command and "x.jsonl" not in command:
        assert written == whole["0.txt"] + (whole["1.txt"] if "URL2" in command else b"")


@pytest.mark.slow
def test_one_of_a_list_is_not_there(source: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# a crawl\n0.warc.gz\n\nmissing.warc.gz\n  1.warc.gz  \n")
    with http_server(source) as url:
        result = run("clean", "--inputs-from", tmp_path / "list", "--prefix", url, "-o", tmp_path / "out")
    said = result.stderr.decode()
    assert result.returncode == 1
    assert f"{url}/missing.warc.gz: No such file or directory" in said, said
    for name in ("0.txt", "1.txt"):
        assert (tmp_path / "out" / name).read_bytes() == whole[name]
    # with what was missing there, only that is left to do
    assert [entry["unread"] for entry in entries_in(tmp_path / "out")].count(True) == 1


def test_lists(tmp_path: Path, source: Path) -> None:
    path = tmp_path / "list"
    path.write_text(f"{source}/0.warc.gz\n1.warc.gz\n../in/2.warc.gz\n")
    found = listed_inputs(str(path), str(source))
    assert [item.path for item in found[1:]] == [f"{source}/1.warc.gz", f"{source}/../in/2.warc.gz"]
    assert [item.relative for item in found[1:]] == ["1.warc.gz", "in/2.warc.gz"]
    assert found[1].size == (source / "1.warc.gz").stat().st_size
    for text, said in (("", "names no inputs"), ("\n# nothing\n", "names no inputs")):
        path.write_text(text)
        with pytest.raises(InputError, match=said):
            listed_inputs(str(path))
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a list of inputs"):
        listed_inputs(str(path))
    path.write_bytes(gzip.compress(os.urandom(500).hex("\n", 4).encode())[:-12])
    with pytest.raises(InputError, match="cut short"):
        listed_inputs(str(path))
    with pytest.raises(InputError, match="No such file"):
        listed_inputs(str(tmp_path / "nothing"))


def test_what_can_be_done_about_a_place_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="foo://bar: unknown kind of URL foo://: give a path, or s3://"):
        find_inputs(["foo://bar"])
    monkeypatch.setitem(sys.modules, "s3fs", None)
    # fsspec knows those that another test has used
    monkeypatch.delitem(_registry, "s3", raising=False)
    with pytest.raises(
        InputError, match=r"s3://bar/x: s3:// cannot be read or written: pip install 'ncleaner\[s3\]'"
    ):
        find_inputs(["s3://bar/x"])
    with pytest.raises(InputError, match=r"cannot be reached \(.*\): check the address and the network"):
        find_inputs(["http://127.0.0.1:9/nothing.warc"])


def test_urls_of_this_machine(tmp_path: Path, source: Path) -> None:
    assert is_url("file:///a") and not is_url("a/b") and not is_url("C:\\a") and not is_url("/a://b")
    path = source / "0.warc.gz"
    found = status(f"file://{path}")
    assert found.size == path.stat().st_size
    assert abs(found.modified - path.stat().st_mtime_ns) < 1_000_000
    assert status(os.devnull) == Status(None, Path(os.devnull).stat().st_mtime_ns)
    folder = folder_at(f"file://{tmp_path}/out")
    with folder.file("a/b.txt") as out:
        out.write(b"whole")
        assert folder.size("a/b.txt") is None
    assert folder.size("a/b.txt") == 5
    with pytest.raises(RuntimeError), folder.file("a/c.txt") as out:
        out.write(b"half")
        raise RuntimeError
    assert [path.name for path in (tmp_path / "out" / "a").iterdir()] == ["b.txt"]
    for line in (b"one\n", b"two\n"):
        with folder.log("_run/a.log") as log:
            log.add(line)
    assert sorted(folder.lines("_run/a.log")) == [b"one\n", b"two\n"] and not [*folder.lines("_run/b.log")]
    assert len(list((tmp_path / "out" / "_run").iterdir())) == 2
    size_of = folder.sizes()
    assert {name: size_of(name) for name in ("a/b.txt", "c")} == {"a/b.txt": 5, "c": None}
    folder.remove("a/b.txt")
    folder.remove("a/b.txt")
    assert folder.size("a/b.txt") is None
    assert folder_and_name(f"file://{tmp_path}/x.txt")[1] == "x.txt"


@pytest.mark.slow
def test_an_output_that_a_store_does_not_take(
    s3: dict[str, str], source: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It costs its input, which the next run cleans; a store that takes none ends the run."""
    from ncleaner.storage import remote

    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(remote, "_PAUSES", (0.01,))
    refused = {"text/refused/1.txt": 2}
    real = remote._put

    def put(system: Any, write: Any, path: str) -> None:
        if refused.get(path, 0) > 0:
            refused[path] -= 1
            raise ConnectionError("away")
        real(system, write, path)

    monkeypatch.setattr(remote, "_put", put)
    inputs = find_inputs([source])
    said: list[str] = []
    tally = engine.run(
        inputs, Settings(), output="s3://text/refused",
        progress=lambda tally, *_: said.extend(map(str, tally.notes)),
    )  # fmt: skip
    assert not tally.complete and tally.unread == 1 and tally.inputs == 3
    assert len(said) == 1 and "1.warc.gz: cannot write the output s3://text/refused/1.txt: away" in said[0]
    tally = engine.run(inputs, Settings(), output="s3://text/refused")
    assert tally.complete and tally.resumed == 2
    assert texts(objects("s3://text/refused", variables=s3)) == whole
    refused.update({f"text/gone/{number}.txt": 9 for number in range(3)})
    monkeypatch.setattr(engine, "_MOST_FAILED", 2)
    with pytest.raises(OutputError, match=r"cannot write the output s3://text/gone/1\.txt: away"):
        engine.run(inputs, Settings(), output="s3://text/gone")
