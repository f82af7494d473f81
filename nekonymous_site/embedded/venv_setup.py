"""The virtual environment in .venv: made when it is missing, broken or out of date, then used.

Run by ./neko with whatever Python it found, as the module itself with the command and its arguments.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from nekonymous_site.embedded.console import say, say_failure
from nekonymous_site.embedded.failures import LauncherFailure, describe_system_error
from nekonymous_site.embedded.free_space import require_free_space

CHECKOUT: Final = Path(__file__).resolve().parent.parent.parent
VENV: Final = CHECKOUT / ".venv"
PYTHON: Final = VENV / "bin" / "python"
STAMP: Final = VENV / "neko-stamp.json"
LOG: Final = VENV / "install.log"
GUARD: Final = Path(__file__).with_name("guarded_exec.py")

RUNTIME_REQUIREMENTS = "requirements.txt"
TEST_REQUIREMENTS = "requirements-dev.txt"
RUNTIME_MEBIBYTES = 400
TEST_MEBIBYTES = 700
LOCK_SECONDS = 900
INSTALL_SECONDS = 1800
PROGRESS_SECONDS = 3
SHOWN_LINES = 10
DEATH_SIGNAL = "15"

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
    requirements = TEST_REQUIREMENTS if arguments[:1] == ["test"] else RUNTIME_REQUIREMENTS
    try:
        ensure_environment(requirements)
    except LauncherFailure as failure:
        say_failure(failure)
        return failure.exit_code
    except OSError as error:
        say_failure(describe_system_error(error))
        return 1
    except KeyboardInterrupt:
        say("Stopped; the next ./neko goes on with it.")
        return 130
    launcher = [str(PYTHON), "-m", "nekonymous_site.embedded.launcher", *arguments]
    return os.execv(PYTHON, launcher)  # noqa: S606 - no shell is wanted


def ensure_environment(requirements: str) -> None:
    """Bring .venv to the state of the requirements file, or find it there already.

    One process installs at a time, held by a lock on the folder; others wait for it. The stamp is written
    last, so that an installation that was killed is never taken for whole: it is made anew.
    """
    if _is_complete(requirements):
        return
    _require_writable()
    VENV.mkdir(exist_ok=True)
    with _locked(VENV):
        if _is_complete(requirements):
            return
        mebibytes = TEST_MEBIBYTES if requirements == TEST_REQUIREMENTS else RUNTIME_MEBIBYTES
        require_free_space(VENV, mebibytes=mebibytes, remedy="free some space there")
        began = time.monotonic()
        is_sound = _is_sound()
        STAMP.unlink(missing_ok=True)
        if not is_sound:
            _make_empty_environment()
        _install(requirements)
        _write_stamp(requirements)
        say(f"  the environment is ready ({time.monotonic() - began:.0f} s)")


def _is_complete(requirements: str) -> bool:
    return _is_sound() and _read_stamp().get(requirements) == _checksum(requirements)


def _is_sound() -> bool:
    """Whether an earlier installation was finished, by an interpreter of this one's series."""
    return _runs_inside() and _read_stamp().get("series") == _series()


def _runs_inside() -> bool:
    """Whether the Python that runs this is the environment's own, and so surely works for this user."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def _checksum(requirements: str) -> str:
    return hashlib.sha256((CHECKOUT / requirements).read_bytes()).hexdigest()


def _series() -> str:
    """What decides which wheels fit."""
    return f"{sys.implementation.cache_tag} {os.uname().machine}"


def _read_stamp() -> Mapping[str, str]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(requirements: str) -> None:
    """The test requirements include the others."""
    installed = {requirements, RUNTIME_REQUIREMENTS}
    stamp = {"series": _series()} | {name: _checksum(name) for name in installed}
    unfinished = STAMP.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(stamp, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(STAMP)


def _require_writable() -> None:
    folder = VENV if VENV.exists() else CHECKOUT
    if not os.access(folder, os.W_OK):
        raise LauncherFailure(
            f"{VENV} cannot be used as it is and you may not write to {folder}: "
            "run ./neko once as its owner, or from a checkout of your own"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    for attempt in range(LOCK_SECONDS * 10):
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if attempt == 0:
            say("  another ./neko is setting up the environment; waiting for it")
        if time.monotonic() > deadline:
            break
        time.sleep(0.1)
    raise LauncherFailure(
        f"another ./neko has been setting up {VENV} for {LOCK_SECONDS // 60} minutes: stop it"
    )


def _make_empty_environment() -> None:
    """Empty the folder, but keep it: others wait for a lock on it."""
    say(f"Setting up the environment in {VENV}")
    python = getattr(sys, "_base_executable", sys.executable) if _runs_inside() else sys.executable
    for entry in VENV.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    _run([python, "-m", "venv", str(VENV)], what="the virtual environment could not be made")


def _install(requirements: str) -> None:
    total = (CHECKOUT / requirements).read_text(encoding="utf-8").count("==")
    say(f"  installing about {total} packages of {requirements} (log: {LOG})")
    words = ("--require-hashes", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    _run(
        [str(PYTHON), "-m", "pip", "install", *words, "-r", str(CHECKOUT / requirements)],
        what="the packages could not be installed",
    )


def _run(argv: Sequence[str], *, what: str) -> None:
    """Run a program that dies with us, its output in the log and a sign of life on the terminal."""
    environ = {name: value for name, value in os.environ.items() if name not in _MISLEADING_NAMES}
    guard = [sys.executable, "-I", "-S", str(GUARD), str(os.getpid()), DEATH_SIGNAL, "-"]
    with LOG.open("ab") as log:
        process = subprocess.Popen(
            [*guard, *argv],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environ,
            start_new_session=True,
        )
    try:
        _watch(process)
    finally:
        process.terminate()
        process.wait()
    if process.returncode != 0:
        raise _failure(what)


def _watch(process: "subprocess.Popen[bytes]") -> None:
    began = time.monotonic()
    for _ in range(INSTALL_SECONDS // PROGRESS_SECONDS):
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=PROGRESS_SECONDS)
            return
        say(f"  ... {_last_log_line()[:70]} ({time.monotonic() - began:.0f} s)")


def _failure(what: str) -> LauncherFailure:
    lines = LOG.read_text(encoding="utf-8", errors="replace").splitlines()
    if any("No space left on device" in line for line in lines[-50:]):
        return LauncherFailure(f"the disk is full: {what}; free some space for {VENV}")
    return LauncherFailure(f"{what} (log: {LOG})", details=lines[-SHOWN_LINES:])


def _last_log_line() -> str:
    with LOG.open("rb") as log:
        log.seek(0, os.SEEK_END)
        log.seek(max(0, log.tell() - 2000))
        lines = log.read().decode(errors="replace").splitlines()
    return lines[-1].strip() if lines else "preparing"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
