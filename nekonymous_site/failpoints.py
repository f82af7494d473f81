"""Failpoints: named places where the fault lab lets a process die or stand still, exactly there.

They exist only where `NEKO_FAILPOINTS` names a folder, which production refuses. A point is armed by a file
of its name in that folder, which holds an action and how many passes go by before it. The process that
reaches the point takes the file over, so one arming meets one process once; it is then `<point>.<pid>`.
"""

import os
import signal
import threading
import time
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

TOLD_SUFFIX: Final = ".now"
LOOK_SECONDS: Final = 0.002
LONGEST_WAIT_SECONDS: Final = 60.0


class Entry(StrEnum):
    """Whose durable transaction it is."""

    INTAKE = "intake"
    GATHERING = "gathering"
    NOTICES = "notices"
    DRAIN = "drain"
    LEASE = "lease"
    RECORD = "record"


class Boundary(StrEnum):
    """Where in a durable transaction."""

    BEFORE_TRANSACTION = "before_transaction"
    BEFORE_COMMIT = "before_commit"
    AFTER_COMMIT = "after_commit"


class Moment(StrEnum):
    """The other places, around a send and in beat."""

    BEFORE_CALL = "send.before_call"
    AFTER_CALL = "send.after_call"
    BETWEEN_PARTS = "send.between_parts"
    BEFORE_RING = "ring.before"
    AFTER_RING = "ring.after"


class Action(StrEnum):
    """What happens to the process that reaches an armed point."""

    KILL = "kill"
    STOP = "stop"
    # It goes on, into whatever it was about to do, until the file `<point>.now` appears.
    KILL_WHEN_TOLD = "kill_when_told"
    STOP_WHEN_TOLD = "stop_when_told"


def are_on() -> bool:
    """Whether this process has failpoints at all."""
    return _folder() is not None


def boundary_name(entry: Entry, boundary: Boundary) -> str:
    """The name of the point at this place of an entry's transaction."""
    return f"{entry}.{boundary}"


def reach_boundary(entry: Entry | None, boundary: Boundary) -> None:
    """Pass this place of a durable transaction. Does nothing unless the point is armed."""
    if entry is not None and are_on():
        reach(boundary_name(entry, boundary))


def reach(point: str) -> None:
    """Pass a point; where it is armed, meet its action, once. Without failpoints it does nothing."""
    folder = _folder()
    if folder is None:
        return
    # Looked at under another name first, so that a pass that goes by is not taken for the one that is meant.
    armed, looked_at = folder / point, folder / f".{point}.{os.getpid()}.{threading.get_ident()}"
    try:
        armed.rename(looked_at)
    except FileNotFoundError:
        return
    action, passes = looked_at.read_text().split()
    if int(passes):
        looked_at.write_text(f"{action} {int(passes) - 1}")
        looked_at.rename(armed)
        return
    looked_at.rename(folder / f"{point}.{os.getpid()}")
    _act(Action(action), folder / f"{point}{TOLD_SUFFIX}")


@cache
def _folder() -> Path | None:
    folder: Path | None = settings.NEKO.failpoints
    return folder


def _act(action: Action, told: Path) -> None:
    match action:
        case Action.KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        case Action.STOP:
            os.kill(os.getpid(), signal.SIGSTOP)
        case Action.KILL_WHEN_TOLD:
            _wait_beside(told, signal.SIGKILL)
        case Action.STOP_WHEN_TOLD:
            _wait_beside(told, signal.SIGSTOP)


def _wait_beside(told: Path, number: signal.Signals) -> None:
    threading.Thread(target=_signal_when_told, args=[told, number], daemon=True).start()


def _signal_when_told(told: Path, number: signal.Signals) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while time.monotonic() < deadline:
        if told.exists():
            os.kill(os.getpid(), number)
            return
        time.sleep(LOOK_SECONDS)
