"""Disks that are nearly full."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, *, mebibytes: int) -> Iterator[Path]:
    """A file system of that size for the length of the block; skips the test where none may be mounted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "neko-test", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", "--lazy", str(folder)], check=True)
