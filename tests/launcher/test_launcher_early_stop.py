"""A stop that comes early, twice, or to processes that do not listen."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import (
    WEB_READY,
    RunningNeko,
    assert_all_gone,
    await_that,
    descendants,
    neko_environ,
)

pytestmark = pytest.mark.processes

Start = Callable[..., RunningNeko]


@pytest.mark.parametrize("moment", ["starting Postgres", "running migrate", "starting the web process"])
def test_a_stop_while_it_is_still_starting(start_neko: Start, tmp_path: Path, moment: str) -> None:
    running = start_neko("up", environ=neko_environ(tmp_path / "data"))
    running.await_text(moment)
    # The words come just before the process that they announce.
    await_that(lambda: bool(descendants(running.child.pid)), seconds=5, what="a process below")
    below = descendants(running.child.pid)
    assert running.stop(signal.SIGINT) == 0
    assert_all_gone(below, seconds=0.5)


def test_a_second_interrupt_leaves_no_orphan(start_neko: Start, tmp_path: Path) -> None:
    running = start_neko("up", environ=neko_environ(tmp_path / "data"))
    running.await_text("starting the web process")
    below = descendants(running.child.pid)
    assert running.stop(signal.SIGINT, signal.SIGINT, signal.SIGINT) == 0
    assert_all_gone(below, seconds=0.5)


def test_a_hanging_process_is_killed_in_time(start_neko: Start, tmp_path: Path) -> None:
    running = start_neko("up", environ=neko_environ(tmp_path / "data"))
    running.await_text(WEB_READY)
    below = descendants(running.child.pid)
    for name in ("worker", "web"):
        os.kill(running.runtime().processes[name].pid, signal.SIGSTOP)
    assert running.stop(signal.SIGTERM) == 0
    assert_all_gone(below, seconds=0.5)
