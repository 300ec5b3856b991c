"""Worker processes and their connections."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from ncleaner.page import Page
from ncleaner.pools import pool as pools
from ncleaner.pools.pool import Activity, Death, Doing, Done, Event, Pool, Waiting
from ncleaner.recipe import Recipe
from ncleaner.running.jobs import Chunk, PagesJob, pool_of
from ncleaner.running.settings import Settings

EVERYTHING = Settings(Recipe("everything"))
posix = pytest.mark.skipif(sys.platform != "linux", reason="needs signals, and /proc to see who is stopped")


@pytest.mark.parametrize("word", [b"", struct.pack("!Q", 1000) + b"half of it"])
def test_a_worker_whose_parent_ends_says_nothing(capfd: pytest.CaptureFixture[str], word: bytes) -> None:
    with pool_of(1, EVERYTHING) as pool:
        (worker,) = pool._workers
        assert select.select([worker.channel], [], [], 30)[0], "it is not ready"
        with socket.socket(fileno=os.dup(worker.channel.fileno())) as end:
            end.setblocking(True)
            end.sendall(word)
            end.shutdown(socket.SHUT_WR)
        worker.process.join(30)
        assert worker.process.exitcode == 0
    assert capfd.readouterr().err == ""


def events_of(pool: Pool, until: Callable[[list[Event]], bool], seconds: float = 30) -> list[Any]:
    found: list[Event] = []
    end = time.monotonic() + seconds
    while not until(found):
        assert time.monotonic() < end, found
        found += [event for _, event in pool.poll(0.1)]
    return found


def is_done(found: list[Event]) -> bool:
    return any(isinstance(event, Done) for event in found)


def is_dead(found: list[Event]) -> bool:
    return any(isinstance(event, Death) for event in found)


def job(pages: int = 1, size: int = 100) -> PagesJob:
    return PagesJob(
        pages=tuple(Page(b"<p>" + b"word " * (size // 5), f"http://x.example/{i}") for i in range(pages))
    )


def ready(pool: Pool) -> int:
    """Waits until the only worker has done a job; returns its process."""
    pool.submit(job())
    events_of(pool, is_done)
    (worker,) = pool._workers
    while worker.activity.doing is not Doing.IDLE:
        time.sleep(0.01)
    pid = worker.process.pid
    assert pid is not None
    return pid


@posix
@pytest.mark.parametrize("size", [100, 20_000_000])
def test_an_idle_worker_is_stopped(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """A job that is larger than what a socket takes at once does not hold the parent up."""
    monkeypatch.setattr(pools, "STOPPED_AFTER", 0.3)
    with pool_of(1, EVERYTHING) as pool:
        os.kill(ready(pool), signal.SIGSTOP)
        given = job(size=size)
        pool.submit(given)
        found = events_of(pool, is_dead)
        assert found == [Death("stopped", "the worker was stopped by another process", -1, 3)]
        pool.submit(given)
        found = events_of(pool, is_done)
        assert sum(event.items for event in found if isinstance(event, Chunk)) == 1


@pytest.mark.untraced
@posix
def test_a_worker_is_stopped_in_the_middle_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "STOPPED_AFTER", 0.3)
    with pool_of(1, EVERYTHING) as pool:
        pid = ready(pool)
        pool.submit(job(size=4_000_000))
        (worker,) = pool._workers
        # its result is larger than what the socket holds, and nobody reads it
        end = time.monotonic() + 30
        while worker.channel.is_sending or worker.activity.doing is not Doing.SENDING:
            worker.channel.send_more()
            assert time.monotonic() < end
            time.sleep(0.01)
        time.sleep(0.2)
        os.kill(pid, signal.SIGSTOP)
        # the system goes on sending if there is room before the worker has stopped
        time.sleep(0.2)
        found = events_of(pool, is_dead)
        assert [type(event) for event in found] == [Death]


@posix
def test_what_gives_no_sign_of_life_is_told_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "is_stopped", lambda process: False)
    monkeypatch.setattr(pools, "_SAID_AFTER", 0.2)
    monkeypatch.setitem(pools._SILENCE, Doing.IDLE, 0.6)
    with pool_of(1, EVERYTHING) as pool:
        os.kill(ready(pool), signal.SIGSTOP)
        pool.submit(job())
        waiting, death = events_of(pool, is_dead)
        assert waiting == Waiting("a worker has been taking a job for 0.2 seconds; it is replaced after 0.6")
        assert death == Death(
            "silent", "the worker has given no sign of life for 0.6 seconds while taking a job", -1
        )


@pytest.mark.untraced
@posix
def test_a_parent_that_was_away_blames_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_AWAY", 0.5)
    monkeypatch.setitem(pools._SILENCE, Doing.SENDING, 1.0)
    with pool_of(1, EVERYTHING) as pool:
        ready(pool)
        pool.submit(job(size=4_000_000))
        pool.poll(0.1)
        time.sleep(2.5)
        assert not is_dead(events_of(pool, is_done))


def test_activity() -> None:
    activity = Activity(multiprocessing.get_context())
    assert activity.doing is Doing.STARTING and activity.item == -1
    activity.begin(Doing.ITEM, 7)
    assert (activity.doing, activity.item) == (Doing.ITEM, 7)
    since = activity.since
    activity.live()
    assert activity.since >= since
    activity.begin(Doing.READING)
    assert activity.item == -1
