"""Worker processes and their pipes."""

from __future__ import annotations

import os
import socket
import struct

import pytest

from ncleaner.running.settings import Settings
from ncleaner.running.workers import Pool


@pytest.mark.parametrize("word", [b"", struct.pack("!i", 1000) + b"half of it"])
def test_a_worker_whose_parent_ends_says_nothing(capfd: pytest.CaptureFixture[str], word: bytes) -> None:
    with Pool(1, Settings("everything")) as pool:
        (worker,) = pool._workers
        assert worker.connection.poll(30), "it is not ready"
        with socket.socket(fileno=os.dup(worker.connection.fileno())) as pipe:
            pipe.sendall(word)
            pipe.shutdown(socket.SHUT_WR)
        worker.process.join(30)
        assert worker.process.exitcode == 0
    assert capfd.readouterr().err == ""
