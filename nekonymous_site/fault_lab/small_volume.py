"""A volume that can be filled to the last byte without anybody else's disk being full."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SIZE_MEBIBYTES: Final = 400
_CLONE_NEWNS: Final = 0x00020000
_CHUNK: Final = b"\0" * (1 << 20)


class VolumeRefused(Exception):
    """This user may not make a volume here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallVolume:
    """A mounted file system in memory, seen by this process and its children alone."""

    path: Path

    @property
    def _ballast(self) -> Path:
        return self.path / "ballast"

    def fill(self) -> None:
        """Leave no byte free."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as file:
            while True:
                file.write(_CHUNK[: max(min(len(_CHUNK), shutil.disk_usage(self.path).free), 1)])

    def make_room(self) -> None:
        """Free everything that `fill` took."""
        self._ballast.unlink(missing_ok=True)


@contextmanager
def small_volume(path: Path) -> Iterator[SmallVolume]:
    """Mount a volume for the length of a block. Raises VolumeRefused.

    The mount lies in a name space of its own, so that it goes with this process however that ends.
    """
    path.mkdir(mode=0o700)
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(_CLONE_NEWNS) != 0:
        raise VolumeRefused
    _run("mount", "--make-rprivate", "/")
    _run("mount", "-t", "tmpfs", "-o", f"size={SIZE_MEBIBYTES}m,mode=0700", "none", str(path))
    try:
        yield SmallVolume(path=path)
    finally:
        _run("umount", "--lazy", str(path))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise VolumeRefused
