"""A child of the launcher: it follows its parent's death, and its output cannot fill the disk."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from running_neko import NOBODY, assert_all_gone, await_that, descendants, needs_root

from nekonymous_site.embedded.child_log import LARGEST_LOG_BYTES
from nekonymous_site.embedded.child_process import Child, ChildPlan, PassedFolder, start_child
from nekonymous_site.embedded.server_user import ServerUser

pytestmark = pytest.mark.processes

_PARENT_OF_A_SLEEPER = """
import os, sys, time
from pathlib import Path
from nekonymous_site.embedded.child_process import ChildPlan, start_child
start_child(ChildPlan(name="sleeper", argv=("/bin/sleep", "600"), environ={}), log_path=Path(sys.argv[1]))
time.sleep(600)
"""


def _run(*argv: str | PassedFolder, log: Path, user: ServerUser | None = None) -> Child:
    plan = ChildPlan(name="child", argv=argv, environ={"PATH": os.defpath}, user=user)
    child = start_child(plan, log_path=log)
    await_that(lambda: child.exit_code() is not None, seconds=20, what="the end of the child")
    return child


def test_a_child_follows_its_parent_that_was_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", _PARENT_OF_A_SLEEPER, str(tmp_path / "sleeper.log")])
    await_that(lambda: len(descendants(parent.pid)) == 1, seconds=10, what="the child")
    below = descendants(parent.pid)
    parent.kill()
    parent.wait()
    assert_all_gone(below, seconds=2)


def test_what_a_child_left_in_its_group_ends_with_it(tmp_path: Path) -> None:
    plan = ChildPlan(name="child", argv=("/bin/sh", "-c", "sleep 600 & wait"), environ={"PATH": os.defpath})
    child = start_child(plan, log_path=tmp_path / "child.log")
    await_that(lambda: len(descendants(child.pid)) == 1, seconds=10, what="the grandchild")
    below = descendants(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    await_that(lambda: child.exit_code() == -signal.SIGKILL, seconds=5, what="the end of the child")
    assert_all_gone(below, seconds=2)


def test_endless_output_keeps_two_bounded_files_and_the_end_in_mind(tmp_path: Path) -> None:
    count = 5 * LARGEST_LOG_BYTES // 8
    child = _run(
        "/bin/sh", "-c", f"yes runaway | head -n {count}; echo last words", log=tmp_path / "child.log"
    )
    assert child.last_lines(1) == ["last words"]
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(sizes) == {"child.log", "child.log.1"}
    assert max(sizes.values()) <= LARGEST_LOG_BYTES


def test_a_log_that_cannot_be_written_does_not_stop_the_child(tmp_path: Path) -> None:
    child = _run(
        "/bin/sh", "-c", "yes | head -n 100000; echo last words", log=tmp_path / "no folder" / "child.log"
    )
    assert child.exit_code() == 0
    assert child.last_lines(1) == ["last words"]


def test_a_program_that_is_not_there_says_so(tmp_path: Path) -> None:
    child = _run("/nonexistent/program", log=tmp_path / "child.log")
    assert child.exit_code() == 127
    assert child.last_lines() == ["cannot start /nonexistent/program (user -): No such file or directory"]


def test_signals_ignored_by_the_parent_are_heard_by_the_child(tmp_path: Path) -> None:
    child = _run("/bin/sh", "-c", "kill -INT $$; sleep 600", log=tmp_path / "child.log")
    assert child.exit_code() == -signal.SIGINT


@needs_root
def test_a_folder_is_passed_to_a_user_who_cannot_walk_to_it(tmp_path: Path) -> None:
    closed = tmp_path / "closed" / "inner"
    closed.mkdir(parents=True)
    NOBODY.owns(closed)
    closed.parent.chmod(0o700)
    child = _run(
        "/bin/sh", "-c", 'echo x > "$0/written"', PassedFolder(path=closed), log=tmp_path / "log", user=NOBODY
    )
    assert child.exit_code() == 0, child.last_lines()
    assert (closed / "written").stat().st_uid == NOBODY.uid
