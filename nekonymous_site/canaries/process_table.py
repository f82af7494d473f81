"""The processes of this machine: what everybody can read of them, and which of them are the product's."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nekonymous_site.canaries.ledger import Sample

ARGUMENTS: Final = "process arguments"
_PROC: Final = Path("/proc")


def read_arguments() -> Iterator[Sample]:
    """Read the command line of every process there is; any local user can."""
    for pid in _pids():
        arguments = _arguments(pid)
        if arguments:
            yield Sample(group=ARGUMENTS, place=_program(arguments), content=b" ".join(arguments))


def kill_worker(data_dir: Path) -> int:
    """Kill the product's worker on the spot. Gives how many processes that were."""
    return _kill(pid for pid in _pids_of(data_dir) if {b"celery", b"worker"} <= set(_arguments(pid)))


def kill_web_workers(data_dir: Path) -> int:
    """Kill the processes that serve, but not the one that starts them again. Gives how many there were."""
    masters = {pid for pid in _pids_of(data_dir) if b"granian" in _arguments(pid)}
    children = [pid for pid in _pids_of(data_dir) if _parent(pid) in masters]
    return _kill(pid for pid in children if not any(b"resource_tracker" in one for one in _arguments(pid)))


def _kill(pids: Iterator[int]) -> int:
    killed = 0
    for pid in list(pids):
        os.kill(pid, signal.SIGKILL)
        killed += 1
    return killed


def _pids() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]


def _pids_of(data_dir: Path) -> Iterator[int]:
    """The processes that were started for this data folder."""
    ours = b"NEKO_DATA_DIR=" + os.fsencode(data_dir)
    for pid in _pids():
        if ours in _read(pid, "environ").split(b"\0"):
            yield pid


def _arguments(pid: int) -> list[bytes]:
    return [part for part in _read(pid, "cmdline").split(b"\0") if part]


def _parent(pid: int) -> int | None:
    # The name in parentheses may itself hold blanks and parentheses.
    fields = _read(pid, "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else None


def _read(pid: int, name: str) -> bytes:
    """A process that has just ended, or is somebody else's, says nothing."""
    try:
        return (_PROC / str(pid) / name).read_bytes()
    except OSError:
        return b""


def _program(arguments: list[bytes]) -> str:
    """What runs, without the arguments that may hold a value: `python -m nekonymous_site.sandbox`."""
    names = [argument.decode(errors="replace") for argument in arguments]
    program = Path(names[0]).name
    if len(names) > 2 and names[1] == "-m":
        return f"python -m {names[2]}"
    if len(names) > 1 and names[1].endswith("manage.py"):
        return "manage.py"
    return program[:40]
