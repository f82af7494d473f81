"""The unprivileged user the embedded servers run as when the launcher is root; Postgres refuses root."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure

_CANDIDATES = ("postgres", "nobody")
_OTHER, _GROUP, _OWNER = 0, 3, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUser:
    """A user by number, with his main group only."""

    uid: int
    gid: int

    def owns(self, folder: Path) -> None:
        """Make the folder this user's own and closed to everybody else."""
        os.chown(folder, self.uid, self.gid)
        folder.chmod(0o700)

    def can_execute(self, path: Path) -> bool:
        """Whether mode bits let the user walk to the path and read and execute it."""
        walk = all(self._has_bits(parent, 0o1) for parent in path.parents)
        return walk and self._has_bits(path, 0o5)

    def _has_bits(self, path: Path, wanted: int) -> bool:
        status = path.stat()
        return (status.st_mode >> self._bits_position(status)) & wanted == wanted

    def _bits_position(self, status: os.stat_result) -> int:
        if status.st_uid == self.uid:
            return _OWNER
        return _GROUP if status.st_gid == self.gid else _OTHER


def choose_server_user(cluster: Path) -> ServerUser | None:
    """Who runs the servers: None means ourselves, as we are no root.

    A cluster that exists stays with its owner, so that root may start what another user has made.
    """
    if os.geteuid() != 0:
        return None
    if cluster.exists() and (owner := cluster.stat()).st_uid != 0:
        return ServerUser(uid=owner.st_uid, gid=owner.st_gid)
    for name in _CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return ServerUser(uid=entry.pw_uid, gid=entry.pw_gid)
    raise LauncherFailure(
        "Postgres refuses to run as root and there is no user postgres or nobody to run it as"
    )
