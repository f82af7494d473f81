"""How ./neko sets up .venv: once, whole or not at all, and one at a time."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from disks import small_disk
from running_neko import assert_all_gone, await_that, descendants, needs_root
from small_checkout import SETTING_UP, SmallCheckout

pytestmark = pytest.mark.processes

REACHED = "managed reach it\n"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> SmallCheckout:
    """A checkout that was set up once."""
    checkout = SmallCheckout(tmp_path_factory.mktemp("checkout") / "with space")
    result = checkout.run()
    assert result.returncode == 0, result.stderr
    assert SETTING_UP in result.stdout
    assert result.stdout.endswith(REACHED)
    return checkout


@pytest.fixture
def fresh(tmp_path: Path) -> SmallCheckout:
    return SmallCheckout(tmp_path / "checkout")


def test_what_stands_is_used_at_once(ready: SmallCheckout) -> None:
    ready.run()
    result = ready.run()
    assert (result.stdout, result.stderr) == (REACHED, "")


def test_changed_requirements_are_installed_into_what_stands(ready: SmallCheckout) -> None:
    assert ready.run().returncode == 0
    ready.require("# still nothing, but other words\n")
    result = ready.run()
    assert "installing the packages of requirements.txt" in result.stdout
    assert SETTING_UP not in result.stdout
    assert ready.run().stdout == REACHED


def test_without_its_stamp_it_is_made_anew(ready: SmallCheckout) -> None:
    ready.stamp.unlink(missing_ok=True)
    half_installed = ready.site_packages / "half_installed"
    half_installed.mkdir()
    result = ready.run()
    assert SETTING_UP in result.stdout
    assert result.stdout.endswith(REACHED)
    assert not half_installed.exists()


def test_an_interpreter_that_does_not_run_is_replaced(ready: SmallCheckout) -> None:
    python = ready.root / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nonexistent/home/of/somebody/python3")
    result = ready.run()
    assert SETTING_UP in result.stdout
    assert result.stdout.endswith(REACHED)


def test_two_at_once_install_once(fresh: SmallCheckout) -> None:
    both = [fresh.start(), fresh.start()]
    outputs = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert sum(SETTING_UP in output for output in outputs) == 1
    assert sum("another ./neko is setting up the environment" in output for output in outputs) == 1
    assert all(output.endswith(REACHED) for output in outputs)


def test_a_killed_set_up_is_never_taken_for_whole(fresh: SmallCheckout) -> None:
    first = fresh.start()
    with first:
        await_that((fresh.root / ".venv" / "bin" / "python").exists, seconds=30, what="the begun environment")
        below = descendants(first.pid)
        os.kill(first.pid, signal.SIGKILL)
    assert_all_gone(below, seconds=5)
    assert not fresh.stamp.exists()
    result = fresh.run()
    assert SETTING_UP in result.stdout
    assert result.stdout.endswith(REACHED)


def test_an_interrupt_ends_it_and_what_it_started(fresh: SmallCheckout) -> None:
    process = fresh.start()
    await_that((fresh.root / ".venv" / "bin").exists, seconds=30, what="the begun environment")
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=10)
    assert process.returncode == 130
    assert output.endswith("Stopped; the next ./neko goes on with it.\n")
    assert_all_gone(below, seconds=2)


def test_what_pip_says_is_shown_when_it_fails(ready: SmallCheckout) -> None:
    ready.require(f"nothing @ file:///nonexistent/nothing-1.0-py3-none-any.whl --hash=sha256:{'0' * 64}\n")
    result = ready.run()
    assert result.returncode == 1
    first, *details = result.stderr.splitlines()
    assert first.startswith("neko: installing the packages failed (log: ")
    assert any("/nonexistent/nothing-1.0-py3-none-any.whl" in line for line in details)
    ready.require("# nothing again\n")


@needs_root
def test_who_may_not_write_there_gets_one_line(walkable_folder: Path) -> None:
    checkout = SmallCheckout(walkable_folder / "checkout")
    checkout.open_to_everybody()
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(checkout.neko), "reach"]
    result = subprocess.run(
        command, env=dict(checkout.environ()), capture_output=True, text=True, timeout=30, check=False
    )
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith(
        f"neko: {checkout.root / '.venv'} cannot be used as it is and you may not write to"
    )
    assert not (checkout.root / ".venv").exists()


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", mebibytes=20) as folder:
        yield folder


@needs_root
def test_a_full_disk_is_told_before_anything_is_installed(full_disk: Path) -> None:
    result = SmallCheckout(full_disk / "checkout").run()
    assert result.returncode == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("neko: the disk is full: ")
    assert " MB free in " in line
    assert line.endswith("400 MB needed; free some space there")
