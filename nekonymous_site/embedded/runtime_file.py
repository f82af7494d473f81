"""runtime.json in the data folder: what runs now, for commands in other shells and for the next launcher."""

import json
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nekonymous_site.embedded.console import say
from nekonymous_site.embedded.failures import LauncherFailure
from nekonymous_site.embedded.private_files import write_private_file
from nekonymous_site.embedded.process_identity import ProcessIdentity
from nekonymous_site.embedded.stop_request import StopRequest
from nekonymous_site.embedded.waiting import wait_until

LEFTOVER_SECONDS = 10
KILLED_SECONDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """A launcher, its processes, and the names other shells need to reach the same services."""

    launcher: ProcessIdentity
    environ: Mapping[str, str] = field(repr=False)
    sandbox: bool
    processes: Mapping[str, ProcessIdentity] = field(default_factory=dict)


def write_runtime(path: Path, runtime: Runtime) -> None:
    """Replace the file."""
    content = {
        "launcher": runtime.launcher.as_json(),
        "sandbox": runtime.sandbox,
        "environ": dict(runtime.environ),
        "processes": {name: identity.as_json() for name, identity in runtime.processes.items()},
    }
    write_private_file(path, json.dumps(content, indent=1) + "\n")


def read_runtime(path: Path) -> Runtime | None:
    """What the file says, whether that still runs or not; None if there is no readable file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        environ = {str(name): str(value) for name, value in content["environ"].items()}
        processes = {
            str(name): identity
            for name, value in content["processes"].items()
            if (identity := ProcessIdentity.from_json(value))
        }
        launcher = ProcessIdentity.from_json(content["launcher"])
        sandbox = content["sandbox"] is True
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if launcher is None:
        return None
    return Runtime(launcher=launcher, environ=environ, sandbox=sandbox, processes=processes)


def read_running(path: Path) -> Runtime | None:
    """What the file says, if its launcher is alive."""
    runtime = read_runtime(path)
    return runtime if runtime and runtime.launcher.is_alive() else None


def end_leftovers(path: Path, *, stop: StopRequest) -> None:
    """Wait until nothing runs any more of a launcher that was killed, and kill what stays too long.

    Postgres is left to its own care. The caller holds the data folder's lock.
    """
    runtime = read_runtime(path)
    left = [] if runtime is None else [who for name, who in runtime.processes.items() if name != "postgres"]
    if not any(who.is_alive() for who in left):
        return
    say("  waiting for the processes of a launcher that was killed")
    if wait_until(lambda: not any(who.is_alive() for who in left), seconds=LEFTOVER_SECONDS, stop=stop):
        return
    for who in filter(ProcessIdentity.is_alive, left):
        with suppress(ProcessLookupError):
            os.killpg(who.pid, signal.SIGKILL)
    if not wait_until(lambda: not any(who.is_alive() for who in left), seconds=KILLED_SECONDS, stop=stop):
        pids = ", ".join(str(who.pid) for who in left if who.is_alive())
        raise LauncherFailure(f"processes of an earlier launcher do not end: pid {pids}")
