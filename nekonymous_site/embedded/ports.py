"""Whether a port is free, whose it is if not, and which one is."""

import errno
import socket
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure

SHOWN_ARGUMENTS = 2

_LISTENING = "0A"
_ADDRESS, _STATE, _INODE = 1, 3, 9


def require_free_port(host: str, *, port: int, setting: str) -> None:
    """Raise LauncherFailure that names the holder and the setting unless we may listen on host and port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise _refusal(error, host=host, port=port, setting=setting) from None


def find_free_port() -> int:
    """Find a loopback port that nobody listens on at this moment."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _refusal(error: OSError, *, host: str, port: int, setting: str) -> LauncherFailure:
    if error.errno == errno.EADDRINUSE:
        return LauncherFailure(
            f"port {port} on {host} is taken by {_holder(port)}: stop it, or set {setting} to another port"
        )
    if error.errno == errno.EACCES:
        return LauncherFailure(f"port {port} needs root: set {setting} to a port above 1023")
    return LauncherFailure(f"cannot listen on {host} port {port}: {error.strerror}")


def _holder(port: int) -> str:
    """The process that listens on the port, as far as this user may see it."""
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and _has_open(folder, inodes):
            return f"{_command_name(folder)} (pid {folder.name})"
    return "another program"


def _listening_inodes(port: int) -> set[str]:
    inodes = set()
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        rows = table.read_text().splitlines()[1:] if table.exists() else []
        for fields in map(str.split, rows):
            if fields[_STATE] == _LISTENING and int(fields[_ADDRESS].rpartition(":")[2], 16) == port:
                inodes.add(fields[_INODE])
    return inodes


def _has_open(process: Path, inodes: set[str]) -> bool:
    try:
        return any(str(entry.readlink()) in inodes for entry in (process / "fd").iterdir())
    except OSError:
        return False  # gone, or not ours to look into


def _command_name(process: Path) -> str:
    """The first words of its command line; later ones may hold what is nobody's business."""
    try:
        program, *rest = (process / "cmdline").read_text(errors="replace").split("\0")
    except OSError:
        return "a process"
    return " ".join((Path(program).name, *rest[:SHOWN_ARGUMENTS])).strip()
