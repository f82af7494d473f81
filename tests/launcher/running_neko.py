"""./neko as a real process, seen from outside."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from nekonymous_site.embedded.child_process import Child, ChildPlan, start_child
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.runtime_file import Runtime, read_runtime
from nekonymous_site.embedded.server_user import ServerUser

REPOSITORY = Path(__file__).resolve().parents[2]
NEKO = REPOSITORY / "neko"
READY_LINE = "Ctrl-C stops everything."
WEB_READY = "running demo"
READY_SECONDS = 90.0
STOP_SECONDS = 10.0
SHORT_COMMAND_SECONDS = 60.0
NOBODY = ServerUser(uid=65534, gid=65534)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user or mount a disk")

_OWN_PREFIXES = (
    "NEKO_",
    "TELEGRAM_",
    "PUBLIC_URL",
    "DATABASE_URL",
    "REDIS_URL",
    "PYTEST_",
    "DJANGO_",
    "PYTHON",
)


def await_that(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    """Ask again and again until the condition holds, for a bounded time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"in vain for {seconds:.0f} s: {what}"
        time.sleep(0.02)


def free_ports(count: int) -> list[str]:
    """Different ports that nobody listens on now, from below those that outgoing connections are given.

    Drawn afresh each time: the seeded generator would give parallel tests the same ones.
    """
    found: list[str] = []
    for port in secrets.SystemRandom().sample(range(20_000, 30_000), k=200):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            found.append(str(port))
        if len(found) == count:
            return found
    pytest.fail("no free ports")


def neko_environ(data: Path, **changes: str) -> dict[str, str]:
    """What a person's shell would give, with ports and data folder of this test's own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_PREFIXES)}
    web_port, sandbox_port = free_ports(2)
    own = {"NEKO_DATA_DIR": str(data), "NEKO_PORT": web_port, "NEKO_SANDBOX_PORT": sandbox_port}
    return inherited | own | changes


def run_neko(
    *arguments: str,
    environ: Mapping[str, str],
    neko: Path = NEKO,
    folder: Path | None = None,
    given: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run a short command to its end, with this on its standard input."""
    return subprocess.run(
        [str(neko), *arguments],
        env=dict(environ),
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=SHORT_COMMAND_SECONDS,
        check=False,
    )


class RunningNeko:
    """A started ./neko. It stops by itself if the test process dies."""

    def __init__(
        self,
        *arguments: str,
        environ: Mapping[str, str],
        output: Path,
        neko: Path = NEKO,
        user: ServerUser | None = None,
    ) -> None:
        self.environ = dict(environ)
        self.output = output
        plan = ChildPlan(name="neko", argv=(str(neko), *arguments), environ=environ, user=user)
        self.child: Child = start_child(plan, log_path=output)

    @property
    def data(self) -> Path:
        return Path(self.environ["NEKO_DATA_DIR"])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.environ['NEKO_PORT']}"

    def text(self) -> str:
        return self.output.read_text(errors="replace") if self.output.exists() else ""

    def await_text(self, text: str, *, seconds: float = READY_SECONDS) -> None:
        """Wait until it has printed this; a launcher that ends meanwhile fails the test with what it said."""

        def printed() -> bool:
            ended = self.child.exit_code() is not None
            assert text in self.text() or not ended, self.text()
            return text in self.text()

        await_that(printed, seconds=seconds, what=f"{text!r} in:\n{self.text()}")

    def runtime(self) -> Runtime:
        runtime = read_runtime(self.data / "runtime.json")
        assert runtime is not None
        return runtime

    def stop(self, *signals: signal.Signals) -> int:
        """Send the signals one after the other and return the exit code; fail if it takes too long."""
        for number in signals or (signal.SIGTERM,):
            self.child.send(number)
        return self._await_end()

    def ended(self) -> int:
        """Wait until it has left by itself and return the exit code."""
        return self._await_end()

    def _await_end(self) -> int:
        await_that(
            lambda: self.child.exit_code() is not None,
            seconds=STOP_SECONDS,
            what=f"the end of\n{self.text()}",
        )
        code = self.child.exit_code()
        assert code is not None
        return code

    def make_sure_it_is_gone(self) -> None:
        """End it however it stands; for the end of a test."""
        self.child.send(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while self.child.exit_code() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self.child.kill_group()


def descendants(pid: int) -> list[ProcessIdentity]:
    """Every process below this one, as it stands now."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and (parent := _parent_of(folder)) is not None:
            parents.setdefault(parent, []).append(int(folder.name))
    found, level = [], parents.get(pid, [])
    while level:
        found += level
        level = [below for one in level for below in parents.get(one, [])]
    return [identity for one in found if (identity := ProcessIdentity.of(one))]


def assert_all_gone(processes: Iterable[ProcessIdentity], *, seconds: float) -> None:
    """Wait until none of the processes runs any more."""
    watched = list(processes)
    assert watched, "there was nothing to look at"
    await_that(
        lambda: not any(one.is_alive() for one in watched),
        seconds=seconds,
        what=f"the end of {[_command_of(one) for one in watched if one.is_alive()]}",
    )


def copy_checkout(target: Path) -> Path:
    """The checkout as a clone would be: without environment, data and caches."""
    ignored = shutil.ignore_patterns(".venv", ".neko", ".git", "*_cache", "__pycache__", ".hypothesis")
    shutil.copytree(REPOSITORY, target, ignore=ignored)
    return target


def _parent_of(process: Path) -> int | None:
    try:
        return int((process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:
        return None


def _command_of(identity: ProcessIdentity) -> str:
    try:
        return Path(f"/proc/{identity.pid}/cmdline").read_text().replace("\0", " ")[:100]
    except OSError:
        return "gone"
