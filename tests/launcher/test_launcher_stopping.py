"""However `./neko up` ends, nothing of it stays."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import WEB_READY, RunningNeko, assert_all_gone, descendants, neko_environ

pytestmark = pytest.mark.processes

Start = Callable[..., RunningNeko]


def test_term_then_kill_then_interrupt(start_neko: Start, tmp_path: Path) -> None:
    """One data folder lives through three launchers, of which the second is killed."""
    environ = neko_environ(tmp_path / "data")

    first = start_neko("up", environ=environ)
    first.await_text(WEB_READY)
    below = descendants(first.child.pid)
    assert len(below) >= 8
    assert first.stop(signal.SIGTERM) == 0
    assert_all_gone(below, seconds=0.5)
    assert "Everything is stopped." in first.text()
    assert not (tmp_path / "data" / "runtime.json").exists()
    keys = (tmp_path / "data" / "keys.env").read_text()

    second = start_neko("up", environ=environ)
    second.await_text(WEB_READY)
    below = descendants(second.child.pid)
    os.kill(second.child.pid, signal.SIGKILL)

    third = start_neko("up", environ=environ)
    assert_all_gone(below, seconds=5)
    third.await_text(WEB_READY)
    below = descendants(third.child.pid)
    assert third.stop(signal.SIGINT) == 0
    assert_all_gone(below, seconds=0.5)
    assert (tmp_path / "data" / "keys.env").read_text() == keys
