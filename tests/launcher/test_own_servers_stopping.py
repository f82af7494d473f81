"""A command on servers of its own, stopped or killed in the middle: nothing of it runs on."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import RunningNeko, assert_all_gone, await_that, descendants, neko_environ

from nekonymous_site.embedded.process_identity import ProcessIdentity

pytestmark = pytest.mark.processes

PARTS_HEADING = "== sandbox, web, workers for this run"


def _start_canaries(
    start_neko: Callable[..., RunningNeko], tmp_path: Path
) -> tuple[RunningNeko, list[ProcessIdentity]]:
    """Start it and wait until servers, sandbox, web, workers and the command itself run."""
    running = start_neko("canaries", environ=neko_environ(tmp_path / "data", TMPDIR=str(tmp_path)))
    running.await_text(PARTS_HEADING)
    running.await_text("an owner sets everything")
    below = descendants(running.child.pid)
    assert len(below) > 8
    return running, below


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_the_command_and_all_that_runs_beside_it(
    start_neko: Callable[..., RunningNeko], tmp_path: Path, number: signal.Signals
) -> None:
    running, below = _start_canaries(start_neko, tmp_path)
    assert running.stop(number) == 130
    assert_all_gone(below, seconds=0.5)
    assert not list(tmp_path.glob("neko-own-*"))
    assert not (tmp_path / "data").exists()


def test_a_killed_one_leaves_no_process(start_neko: Callable[..., RunningNeko], tmp_path: Path) -> None:
    running, below = _start_canaries(start_neko, tmp_path)
    running.child.send(signal.SIGKILL)
    await_that(lambda: running.child.exit_code() is not None, seconds=5, what="its end")
    assert_all_gone(below, seconds=10)
