"""Folders outside the data folder, for what needs a short path or one that the servers' user can walk to."""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure

PREFIX = "neko-"
ABANDONED_AFTER_SECONDS = 60


class TemporaryPlace:
    """A fresh folder with an unguessable name, found again through a link in the data folder.

    The link lets the next launcher clear away what one that was killed has left. The folder is held locked,
    which keeps systemd-tmpfiles from ageing its files away.
    """

    def __init__(self, *, link: Path, suits: Callable[[Path], bool]) -> None:
        """Clear what the link points to and make a new folder in the first parent that suits."""
        self._link = link
        clear_temporary_place(link)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_first_suitable_parent(suits)))
        self._descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)
        link.symlink_to(self.path)

    def remove(self) -> None:
        """Remove the folder and the link to it."""
        os.close(self._descriptor)
        clear_temporary_place(self._link)


@contextmanager
def held_folder(prefix: str) -> Iterator[Path]:
    """A fresh temporary folder for the length of a block.

    Held locked meanwhile; folders of the same prefix that nobody holds any more, since their process was
    killed, are removed first.
    """
    _clear_abandoned(prefix)
    path = Path(tempfile.mkdtemp(prefix=prefix))
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield path
    finally:
        os.close(descriptor)
        shutil.rmtree(path, ignore_errors=True)


def _clear_abandoned(prefix: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):
            status = folder.lstat()
            # One that was made just now may not be locked yet.
            is_old = time.time() - status.st_mtime > ABANDONED_AFTER_SECONDS
            if is_old and status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode):
                _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def clear_temporary_place(link: Path) -> None:
    """Remove what an earlier launcher has left: the link, and its target if that is really one of ours."""
    if not link.is_symlink():
        return
    target = link.readlink()
    if target.name.startswith(PREFIX) and target.parent in _parents() and _is_plain_folder(target):
        shutil.rmtree(target, ignore_errors=True)
    link.unlink()


def _is_plain_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _parents() -> tuple[Path, ...]:
    return tuple(dict.fromkeys((Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))))  # noqa: S108 - mkdtemp inside


def _first_suitable_parent(suits: Callable[[Path], bool]) -> Path:
    for parent in _parents():
        if parent.is_dir() and os.access(parent, os.W_OK) and _is_safe(parent) and suits(parent):
            return parent
    raise LauncherFailure(
        "no temporary folder suits the servers' sockets and programs: set TMPDIR to a short path"
    )


def _is_safe(parent: Path) -> bool:
    """Whether other users are kept from renaming what lies in it."""
    status = parent.stat()
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return status.st_uid in (0, os.geteuid()) and (not shared or bool(status.st_mode & stat.S_ISVTX))
