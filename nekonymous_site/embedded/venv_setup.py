"""The virtual environment in .venv: made when it is missing, broken or out of date, then used.

Run by ./neko with whatever Python it found, as the module itself with the command and its arguments.
"""

import fcntl
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from nekonymous_site.embedded.child_process import BASE_PYTHON, ChildPlan
from nekonymous_site.embedded.console import say, say_failure
from nekonymous_site.embedded.failures import LauncherFailure, StopRequested, describe_system_error
from nekonymous_site.embedded.free_space import require_free_space
from nekonymous_site.embedded.one_shot import run_to_end
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.venv_stamp import (
    CHECKOUT,
    PYTHON,
    RUNTIME_REQUIREMENTS,
    STAMP,
    TEST_REQUIREMENTS,
    VENV,
    is_complete,
    is_sound,
    write_stamp,
)
from nekonymous_site.embedded.waiting import wait_until

LOG: Final = VENV / "install.log"
NEEDED_MEBIBYTES = {RUNTIME_REQUIREMENTS: 400, TEST_REQUIREMENTS: 800}
LOCK_SECONDS = 900
INSTALL_SECONDS = 1800
EMPTYING_SECONDS = 5
PROGRESS_SECONDS = 3
SHOWN_COLUMNS = 70
STOPPED_EXIT_CODE = 130

# These would send the packages elsewhere, whatever environment pip runs in.
_MISLEADING_NAMES = (
    "PIP_USER",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_REQUIRE_VIRTUALENV",
    "PYTHONPATH",
)


def main(arguments: Sequence[str]) -> int:
    """Make sure of the environment and hand over to the launcher inside it."""
    needs_test_tools = arguments[:1] == ["test"] or arguments[:2] == ["bench", "web"]
    requirements = TEST_REQUIREMENTS if needs_test_tools else RUNTIME_REQUIREMENTS
    try:
        ensure_environment(requirements)
    except LauncherFailure as failure:
        say_failure(failure)
        return failure.exit_code
    except OSError as error:
        say_failure(describe_system_error(error))
        return 1
    except (StopRequested, KeyboardInterrupt):
        say("Stopped; the next ./neko goes on with it.")
        return STOPPED_EXIT_CODE
    launcher = [str(PYTHON), "-m", "nekonymous_site.embedded.launcher", *arguments]
    return os.execv(PYTHON, launcher)  # noqa: S606 - no shell is wanted


def ensure_environment(requirements: str) -> None:
    """Bring .venv to the state of the requirements file, or find it there already.

    One process installs at a time, held by a lock on the folder; others wait for it. The stamp is written
    last, so that an installation that was killed is never taken for whole: it is made anew.
    """
    if is_complete(requirements):
        return
    stop = StopRequest()
    stop.install()
    _require_writable()
    VENV.mkdir(exist_ok=True)
    with _locked(stop):
        if not is_complete(requirements):
            _make_complete(requirements, stop=stop)


def _make_complete(requirements: str, *, stop: StopRequest) -> None:
    began = time.monotonic()
    require_free_space(VENV, mebibytes=NEEDED_MEBIBYTES[requirements], remedy="free some space there")
    can_be_completed = is_sound()
    STAMP.unlink(missing_ok=True)
    if not can_be_completed:
        say(f"Setting up the environment in {VENV}")
        wait_until(_is_emptied, seconds=EMPTYING_SECONDS, stop=stop)
        _run(BASE_PYTHON, "-m", "venv", str(VENV), name="making the environment", stop=stop)
    say(f"  installing the packages of {requirements} (log: {LOG})")
    words = ("--require-hashes", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    path = str(CHECKOUT / requirements)
    _run(str(PYTHON), "-m", "pip", "install", *words, "-r", path, name="installing the packages", stop=stop)
    write_stamp(requirements)
    say(f"  the environment is ready ({time.monotonic() - began:.0f} s)")


def _require_writable() -> None:
    folder = VENV if VENV.exists() else CHECKOUT
    if not os.access(folder, os.W_OK):
        raise LauncherFailure(
            f"{VENV} cannot be used as it is and you may not write to {folder}: "
            "run ./neko once as its owner, or from a checkout of your own"
        )


@contextmanager
def _locked(stop: StopRequest) -> Iterator[None]:
    descriptor = os.open(VENV, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not _takes_lock(descriptor):
            say("  another ./neko is setting up the environment; waiting for it")
            if not wait_until(lambda: _takes_lock(descriptor), seconds=LOCK_SECONDS, stop=stop):
                raise LauncherFailure(f"another ./neko does not finish setting up {VENV}: stop it")
        yield
    finally:
        os.close(descriptor)


def _takes_lock(descriptor: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _is_emptied() -> bool:
    """Empty the folder, but keep it: others wait for a lock on it.

    False if something came back meanwhile, from an installer whose ./neko was killed a moment ago.
    """
    for entry in VENV.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink()
    return not any(VENV.iterdir())


def _run(*argv: str, name: str, stop: StopRequest) -> None:
    """Run a step with its output in the log and a sign of life on the terminal now and then."""
    environ = {key: value for key, value in os.environ.items() if key not in _MISLEADING_NAMES}
    plan = ChildPlan(name=name, argv=argv, environ=environ)
    signs = _SignsOfLife()
    try:
        run_to_end(plan, log_path=LOG, seconds=INSTALL_SECONDS, stop=stop, meanwhile=signs.show_when_due)
    except LauncherFailure as failure:
        if any("No space left on device" in line for line in failure.details):
            raise LauncherFailure(f"the disk is full while {name}: free some space for {VENV}") from None
        raise


class _SignsOfLife:
    """Shows the installer's last words every few seconds."""

    def __init__(self) -> None:
        self._began = self._shown_at = time.monotonic()

    def show_when_due(self) -> None:
        now = time.monotonic()
        if now - self._shown_at >= PROGRESS_SECONDS:
            self._shown_at = now
            say(f"  ... {_last_log_line()[:SHOWN_COLUMNS]} ({now - self._began:.0f} s)")


def _last_log_line() -> str:
    try:
        lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1].strip() if lines else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
