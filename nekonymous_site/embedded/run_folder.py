"""Where the servers' sockets are."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.data_folder import DataFolder
from nekonymous_site.embedded.server_user import ServerUser
from nekonymous_site.embedded.temporary_places import TemporaryPlace, clear_temporary_place

# The kernel takes 107 bytes; room is left for the longer of the names in the folder.
LONGEST_SOCKET_PATH_BYTES = 100
LONGEST_SOCKET_NAME = ".s.PGSQL.5432.lock"
# Three kinds of address carry the path, each with its own idea of quoting, so it holds nothing to be quoted.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """A folder open to the servers' user alone; `place` is set if it had to be a temporary one."""

    path: Path
    place: TemporaryPlace | None

    def remove(self) -> None:
        """Remove the folder with what is left in it."""
        if self.place:
            self.place.remove()
        else:
            shutil.rmtree(self.path, ignore_errors=True)


def make_run_folder(folder: DataFolder, *, user: ServerUser | None) -> RunFolder:
    """Make an empty folder for sockets, in the data folder unless its path is too long or too odd.

    The caller holds the data folder's lock and has waited for earlier servers to end.
    """
    clear_temporary_place(folder.run)
    shutil.rmtree(folder.run, ignore_errors=True)
    place = None if _suits_sockets(folder.run) else TemporaryPlace(link=folder.run, suits=_has_short_path)
    path = place.path if place else folder.run
    path.mkdir(mode=0o700, exist_ok=True)
    if user:
        user.owns(path)
    return RunFolder(path=path, place=place)


def _has_short_path(parent: Path) -> bool:
    return _suits_sockets(parent / "neko-12345678")


def _suits_sockets(path: Path) -> bool:
    length = len(str(path / LONGEST_SOCKET_NAME).encode())
    return length <= LONGEST_SOCKET_PATH_BYTES and _PLAIN_PATH.fullmatch(str(path)) is not None
