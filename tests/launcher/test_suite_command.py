"""`./neko test` itself, run within itself on a test that is not there."""

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from running_neko import RunningNeko, assert_all_gone, await_that, descendants, neko_environ, run_neko

from nekonymous_site.embedded.temporary_places import held_folder

pytestmark = pytest.mark.processes

SUITE_HEADING = "== Tests (pytest)"


def test_the_exit_code_is_pytests_and_nothing_stays(tmp_path: Path) -> None:
    environ = neko_environ(tmp_path / "data", TMPDIR=str(tmp_path), TELEGRAM_BOT_TOKEN="not-even-one")
    result = run_neko("test", "-n0", "tests/nothing_of_that_name", environ=environ)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR, result.stdout + result.stderr
    assert SUITE_HEADING in result.stdout
    assert "nothing_of_that_name" in result.stderr
    assert not list(tmp_path.glob("neko-test-*"))
    assert not (tmp_path / "data").exists()


def test_a_failing_check_ends_it_with_its_output(tmp_path: Path) -> None:
    """pytest is not reached; which check fails first is decided by a setting no formatter would accept."""
    environ = neko_environ(tmp_path / "data", TMPDIR=str(tmp_path), RUFF_NO_CACHE="neither")
    result = run_neko("test", environ=environ)
    assert result.returncode == 1
    assert "neko: Format (ruff) failed" in result.stderr
    assert "invalid value 'neither'" in result.stderr
    assert SUITE_HEADING not in result.stdout


def test_folders_of_killed_runs_are_removed_and_held_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    abandoned, young = tmp_path / "neko-test-abandoned", tmp_path / "neko-test-young"
    for folder in (abandoned, young):
        (folder / "postgres").mkdir(parents=True)
    with held_folder("neko-test-") as held:
        for folder in (abandoned, held):
            os.utime(folder, (0, 0))
        with held_folder("neko-test-") as other:
            assert sorted(tmp_path.iterdir()) == sorted((young, held, other))
    assert list(tmp_path.iterdir()) == [young]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_ends_tests_and_servers(
    start_neko: Callable[..., RunningNeko], tmp_path: Path, number: signal.Signals
) -> None:
    environ = neko_environ(tmp_path / "data", TMPDIR=str(tmp_path))
    running = start_neko("test", "-n0", "tests/launcher/test_restart_delay.py", environ=environ)
    running.await_text("== Migrations")
    await_that(lambda: len(descendants(running.child.pid)) >= 3, seconds=20, what="servers and migrations")
    below = descendants(running.child.pid)
    assert running.stop(number) == 130
    assert_all_gone(below, seconds=0.5)
    assert not list(tmp_path.glob("neko-test-*"))
