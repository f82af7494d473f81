"""The browser of tests/browser: found, or installed by whoever may, with programs of these tests' own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from running_neko import REPOSITORY, SHORT_COMMAND_SECONDS

from nekonymous_site.embedded.browser_setup import (
    PACKAGES,
    ROOT,
    ensure_browser,
    find_browser,
    reaches_browser_tests,
)
from nekonymous_site.embedded.stop_request import StopRequest

NOBODY_ID = 65534


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder that is all of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def _add(folder: Path, name: str, script: str = "exit 0") -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def _ensure(programs: Path, *, user_id: int) -> None:
    logs = programs.parent / "logs"
    logs.mkdir(exist_ok=True)
    ensure_browser({"PATH": str(programs)}, logs=logs, stop=StopRequest(), user_id=user_id)


def _add_installer(programs: Path, *, last_step: str) -> Path:
    """An apt-get that notes what it is asked for, and at `install` does the last step."""
    asked = programs.parent / "asked"
    _add(
        programs, "apt-get", f'echo "$DEBIAN_FRONTEND $*" >>{asked}\n[ "$1" = update ] || {{ {last_step}; }}'
    )
    return asked


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_each_browser_is_found(programs: Path, name: str) -> None:
    assert find_browser({"PATH": str(programs)}) is None
    program = _add(programs, name)
    assert find_browser({"PATH": str(programs)}) == program


def test_a_browser_that_is_there_is_left_alone(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = _add_installer(programs, last_step="exit 1")
    _add(programs, "google-chrome")
    _ensure(programs, user_id=ROOT)
    assert not asked.exists()
    assert capsys.readouterr().out == ""


def test_root_gets_a_browser_installed(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = f"printf '#!/bin/sh\\n' >{programs}/chromium; /bin/chmod 755 {programs}/chromium; echo unpacked"
    asked = _add_installer(programs, last_step=made)
    _ensure(programs, user_id=ROOT)
    assert find_browser({"PATH": str(programs)}) == programs / "chromium"
    assert asked.read_text().splitlines() == [
        "noninteractive update",
        f"noninteractive install -y --no-install-recommends {' '.join(PACKAGES)}",
    ]
    assert "unpacked" in (programs.parent / "logs" / "browser-setup.log").read_text()
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize(("user_id", "with_installer"), [(NOBODY_ID, True), (ROOT, False)])
def test_who_cannot_install_is_told_what_to_do(
    programs: Path,
    capsys: pytest.CaptureFixture[str],
    user_id: int,
    with_installer: bool,  # noqa: FBT001 - a table's column
) -> None:
    asked = _add_installer(programs, last_step="exit 0") if with_installer else programs / "none"
    _ensure(programs, user_id=user_id)
    assert not asked.exists()
    told = capsys.readouterr().out
    assert "as root: apt-get install" in told
    assert len(told.splitlines()) == 1


def test_an_installation_that_fails_is_told_and_stops_nothing(
    programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _add_installer(programs, last_step="echo no network; exit 100")
    _ensure(programs, user_id=ROOT)
    assert find_browser({"PATH": str(programs)}) is None
    assert "that failed: apt-get install failed" in capsys.readouterr().out
    assert "no network" in (programs.parent / "logs" / "browser-setup.log").read_text()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), True),
        (("-k", "capabilities", "-n", "0"), True),
        (("tests", "-q"), True),
        (("tests/browser",), True),
        (("-n0", "tests/browser/test_page_story.py::test_one"), True),
        (("tests/launcher", "-q"), False),
        (("tests/nothing_of_that_name",), False),
    ],
)
def test_it_is_looked_for_where_its_tests_would_run(
    arguments: tuple[str, ...],
    expected: bool,  # noqa: FBT001 - a table's column
) -> None:
    assert Path("tests/browser").is_dir()
    assert reaches_browser_tests(arguments) is expected


@pytest.mark.parametrize(
    ("ci", "exit_code", "outcome"),
    [("", pytest.ExitCode.OK, "1 skipped"), ("true", pytest.ExitCode.TESTS_FAILED, "1 error")],
)
def test_without_a_browser_its_tests_skip_aloud_and_under_ci_fail(
    programs: Path, ci: str, exit_code: pytest.ExitCode, outcome: str
) -> None:
    test = "tests/browser/test_page_controls.py::test_somebody_new_needs_a_name"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", test, "-n0", "-q"],
        env=dict(os.environ) | {"PATH": str(programs), "CI": ci},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=SHORT_COMMAND_SECONDS,
        check=False,
    )
    assert ended.returncode == exit_code, ended.stdout + ended.stderr
    assert outcome in ended.stdout
    assert "NO BROWSER" in ended.stdout
    assert "as root: apt-get install" in ended.stdout
