"""A full disk is found before it breaks something half done."""

import os
from pathlib import Path

from nekonymous_site.embedded.failures import LauncherFailure

MEBIBYTE = 1024 * 1024


def require_free_space(folder: Path, *, mebibytes: int, remedy: str) -> None:
    """Raise LauncherFailure unless the disk that holds the folder has that much room for this user."""
    status = os.statvfs(folder)
    free_mebibytes = status.f_bavail * status.f_frsize // MEBIBYTE
    if free_mebibytes < mebibytes:
        raise LauncherFailure(
            f"the disk is full: {free_mebibytes} MB free in {folder}, {mebibytes} MB needed; {remedy}"
        )
