"""One child of the launcher: started under guard, in its own session, stopped with everything it started."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nekonymous_site.embedded.child_log import ChildLog
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.server_user import ServerUser

GUARD = Path(__file__).with_name("guarded_exec.py")
# The interpreter behind the environment: the environment itself may just be about to be replaced.
BASE_PYTHON: Final[str] = getattr(sys, "_base_executable", "") or sys.executable


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedFolder:
    """An argument naming a folder that is handed over as an open descriptor.

    The child then needs no right to walk to it: the data folder may lie under a home that is closed to the
    servers' user. Its path has always the same short form, whatever the real one looks like.
    """

    path: Path
    before: str = ""
    after: str = ""

    def as_argument(self, descriptor: int) -> str:
        """The argument as the child gets it."""
        return f"{self.before}/proc/self/fd/{descriptor}{self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildPlan:
    """What to run. `stop_signals` are tried in order; the first is also sent by the kernel if we die."""

    name: str
    argv: tuple[str | PassedFolder, ...]
    environ: Mapping[str, str] = field(repr=False)
    stop_signals: tuple[signal.Signals, ...] = (signal.SIGTERM,)
    user: ServerUser | None = None


class Child:
    """A started plan. All methods belong to the main thread, whose death is what children follow."""

    def __init__(self, *, plan: ChildPlan, popen: subprocess.Popen[bytes], log: ChildLog | None) -> None:
        """Take over a process that was just started; use start_child."""
        self.plan = plan
        self.pid = popen.pid
        self.started_at = time.monotonic()
        self._popen = popen
        self._log = log

    @property
    def identity(self) -> ProcessIdentity | None:
        """The process as other launchers may recognise it; None once it has ended."""
        return ProcessIdentity.of(self.pid)

    def exit_code(self) -> int | None:
        """None while it runs. At its end whatever it left in its group is killed, before the pid is free."""
        if self._popen.returncode is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return None
            self._signal_group(signal.SIGKILL)
            self._popen.wait()
        return self._popen.returncode

    def send(self, number: signal.Signals) -> None:
        """Signal the process itself, which looks after its own children; nothing if it has ended."""
        if self.exit_code() is None:
            os.kill(self.pid, number)

    def kill_group(self) -> None:
        """Kill the process and everything it started, and reap it."""
        if self.exit_code() is None:
            self._signal_group(signal.SIGKILL)
            self._popen.wait()

    def last_lines(self, count: int = 12) -> list[str]:
        """The end of its output; empty if it writes to the terminal itself."""
        return self._log.last_lines(count) if self._log else []

    def _signal_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def start_child(plan: ChildPlan, *, log_path: Path | None) -> Child:
    """Start the plan; its output goes to the log, or to the terminal when there is none.

    Must be called from the main thread: the kernel sends the parent-death signal when the thread that
    started a child ends.
    """
    log = ChildLog(path=log_path) if log_path else None
    output = subprocess.PIPE if log else None
    with ExitStack() as opened:
        argv, descriptors = _open_folders(plan.argv, opened=opened)
        popen = subprocess.Popen(
            [*_guard_argv(plan), *argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if log else None,
            env=dict(plan.environ),
            pass_fds=descriptors,
            start_new_session=True,
        )
    if log and popen.stdout:
        log.follow(os.dup(popen.stdout.fileno()))
        popen.stdout.close()
    return Child(plan=plan, popen=popen, log=log)


def _guard_argv(plan: ChildPlan) -> list[str]:
    user = f"{plan.user.uid}:{plan.user.gid}" if plan.user else "-"
    death_signal = str(int(plan.stop_signals[0]))
    return [BASE_PYTHON, "-I", "-S", str(GUARD), str(os.getpid()), death_signal, user]


def _open_folders(
    argv: Sequence[str | PassedFolder], *, opened: ExitStack
) -> tuple[list[str], tuple[int, ...]]:
    arguments, descriptors = [], []
    for argument in argv:
        if isinstance(argument, str):
            arguments.append(argument)
            continue
        descriptor = os.open(argument.path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        opened.callback(os.close, descriptor)
        descriptors.append(descriptor)
        arguments.append(argument.as_argument(descriptor))
    return arguments, tuple(descriptors)
