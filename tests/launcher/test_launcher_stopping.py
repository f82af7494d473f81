"""However `./neko up` ends, nothing of it stays."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import READY_LINE, RunningNeko, assert_all_gone, descendants, neko_environ

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("launcher-stopping")]

Start = Callable[..., RunningNeko]


def test_term_then_kill_then_interrupt(start_neko: Start, tmp_path: Path) -> None:
    """One data folder lives through three launchers, of which the second is killed."""
    environ = neko_environ(tmp_path / "data")

    first = start_neko("up", environ=environ)
    first.await_text(READY_LINE)
    below = descendants(first.child.pid)
    assert len(below) >= 8
    assert first.stop(signal.SIGTERM) == 0
    assert_all_gone(below, seconds=0.5)
    assert "Everything is stopped." in first.text()
    assert not (tmp_path / "data" / "runtime.json").exists()
    keys = (tmp_path / "data" / "keys.env").read_text()

    second = start_neko("up", environ=environ)
    second.await_text(READY_LINE)
    below = descendants(second.child.pid)
    os.kill(second.child.pid, signal.SIGKILL)

    third = start_neko("up", environ=environ)
    assert_all_gone(below, seconds=5)
    third.await_text(READY_LINE)
    below = descendants(third.child.pid)
    assert third.stop(signal.SIGINT) == 0
    assert_all_gone(below, seconds=0.5)
    assert (tmp_path / "data" / "keys.env").read_text() == keys


@pytest.mark.parametrize("moment", ["starting Postgres", "running migrate", "starting the web process"])
def test_a_stop_while_it_is_still_starting(start_neko: Start, tmp_path: Path, moment: str) -> None:
    running = start_neko("up", environ=neko_environ(tmp_path / "data"))
    running.await_text(moment)
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
    running.await_text(READY_LINE)
    below = descendants(running.child.pid)
    for name in ("worker", "web"):
        os.kill(running.runtime().processes[name].pid, signal.SIGSTOP)
    assert running.stop(signal.SIGTERM) == 0
    assert_all_gone(below, seconds=0.5)
