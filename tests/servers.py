"""Real servers on loopback: one of S3's protocol, one of HTTP that can be made to fail."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[bytes], seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert process.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)


@contextmanager
def _serving(port: int, *command: str) -> Iterator[None]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process)
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def s3_server() -> Iterator[dict[str, str]]:
    """The environment in which `s3://` means a server of moto's."""
    port = free_port()
    with _serving(port, sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)):
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }


class Proxy:
    """Passes connections on to a port of this machine, unless the server is away; counts requests by method."""

    def __init__(self, port: int) -> None:
        self.is_away = False
        self.requests: Counter[bytes] = Counter()
        self._port = port
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                if self.is_away:
                    here.close()
                    continue
                there = socket.create_connection(("127.0.0.1", self._port))
                self._open |= {here, there}
                for pair in ((here, there, True), (there, here, False)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, are_requests: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if are_requests and (found := re.match(rb"(GET|HEAD|PUT|POST|DELETE) \S+ HTTP/", data)):
                    self.requests[found[1]] += 1
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()

    def be_away(self, seconds: float) -> None:
        """Breaks all connections, and refuses new ones for some time."""
        self.is_away = True
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        self._open.clear()
        time.sleep(seconds)
        self.is_away = False

    def close(self) -> None:
        self._listening.close()


@contextmanager
def gs_server() -> Iterator[dict[str, str]]:
    """The environment in which `gs://` means an emulator of Google's storage."""
    port = free_port()
    emulator = str(Path(sys.executable).with_name("gcp-storage-emulator"))
    with _serving(port, emulator, "start", "--host=127.0.0.1", f"--port={port}", "--in-memory"):
        yield {
            "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}",
            "GOOGLE_CLOUD_PROJECT": "test",
            "FSSPEC_GS_TOKEN": "anon",
            # the emulator does not speak the protocol of zonal buckets
            "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
        }


_FILL = """
import sys, pathlib
from fsspec.core import url_to_fs
folder, url, *buckets = sys.argv[1:]
system, root = url_to_fs(url)
for bucket in buckets:
    system.mkdir(bucket)
for path in pathlib.Path(folder).rglob("*.gz"):
    system.put_file(str(path), f"{root.rstrip('/')}/{path.relative_to(folder).as_posix()}")
"""
_SHOW = """
import json, sys
from fsspec.core import url_to_fs
system, root = url_to_fs(sys.argv[1])
print(json.dumps({n.removeprefix(root + "/"): system.cat_file(n).decode("latin-1") for n in system.find(root)}))
"""


def _afar(script: str, *arguments: object, variables: dict[str, str]) -> bytes:
    """Runs a script in a process of its own: clients keep what they have once learned of a server."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, env=environment(**variables)).stdout


def fill(folder: Path, url: str, *buckets: str, variables: dict[str, str]) -> None:
    """Makes buckets, and copies the archives of a folder to a URL in one of them."""
    _afar(_FILL, folder, url, *buckets, variables=variables)


def objects(url: str, *, variables: dict[str, str]) -> dict[str, bytes]:
    """What there is below a URL, by its name there."""
    found = json.loads(_afar(_SHOW, url, variables=variables))
    return {name: data.encode("latin-1") for name, data in found.items()}


class Files(BaseHTTPRequestHandler):
    """Files of a folder. `ranges`: parts of them can be asked for. `cuts`: so many answers are cut off in the
    middle, or after another `part` of them, by dropping the connection. `delay`: seconds before each answer.
    `chunked`: no answer tells its length, and none to HEAD comes. `refusal`:
    the status of every answer; a redirection leads to where it came from."""

    protocol_version = "HTTP/1.1"

    def __init__(
        self,
        *args: object,
        folder: Path,
        ranges: bool,
        cuts: list[int],
        part: float,
        delay: float,
        chunked: bool,
        refusal: int,
    ) -> None:
        self.folder, self.ranges, self.cuts = folder, ranges, cuts
        self.part, self.delay, self.chunked, self.refusal = part, delay, chunked, refusal
        super().__init__(*args)  # type: ignore[arg-type]

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, body: bool) -> None:
        path = self.folder / self.path.strip("/")
        if self.refusal or not path.is_file():
            self.send_response(self.refusal or 404)
            self.send_header("Location", self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data = path.read_bytes()
        if self.chunked:
            self.send_response(200 if body else 405)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if body:
                self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data))
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if self.ranges and asked:
            first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            data = data[first : last + 1]
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Accept-Ranges", "bytes" if self.ranges else "none")
        self.end_headers()
        if not body:
            return
        time.sleep(self.delay)
        if self.cuts[0] > 0 and len(data) > 100:
            self.cuts[0] -= 1
            self.wfile.write(data[: int(len(data) * self.part)])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.wfile.write(data)


@contextmanager
def http_server(
    folder: Path,
    *,
    ranges: bool = True,
    cuts: int = 0,
    part: float = 0.5,
    delay: float = 0,
    chunked: bool = False,
    refusal: int = 0,
) -> Iterator[str]:
    """The URL of a folder."""
    handler = partial(
        Files,
        folder=folder,
        ranges=ranges,
        cuts=[cuts],
        part=part,
        delay=delay,
        chunked=chunked,
        refusal=refusal,
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}
