"""Logs of child processes that can never fill the disk, however much a child prints."""

import os
import threading
from pathlib import Path

LARGEST_LOG_BYTES = 4 * 1024 * 1024
REMEMBERED_BYTES = 32 * 1024
READ_BYTES = 64 * 1024


class ChildLog:
    """Copies a child's output from its pipe into NAME.log, keeping at most one older file beside it.

    A thread of its own does the copying, so that the child never waits for the launcher. When the file
    cannot be written (a full disk) the output is dropped, but the end of it is still remembered.
    """

    def __init__(self, *, path: Path) -> None:
        """Start a new file if the present one is already long."""
        self._path = path
        self._tail = b""
        self._thread: threading.Thread | None = None
        self._rotate_if_beyond(LARGEST_LOG_BYTES // 2)

    def follow(self, pipe: int) -> None:
        """Copy from this descriptor until its end, and close it."""
        self._thread = threading.Thread(target=self._copy, args=(pipe,), daemon=True, name=self._path.name)
        self._thread.start()

    def last_lines(self, count: int = 12) -> list[str]:
        """The end of what the child has printed, waiting shortly for what is still in the pipe."""
        if self._thread is not None:
            self._thread.join(timeout=0.5)
        return self._tail.decode(errors="replace").splitlines()[-count:]

    def _copy(self, pipe: int) -> None:
        try:
            while chunk := os.read(pipe, READ_BYTES):
                self._tail = (self._tail + chunk)[-REMEMBERED_BYTES:]
                self._append(chunk)
        finally:
            os.close(pipe)

    def _append(self, chunk: bytes) -> None:
        try:
            self._rotate_if_beyond(LARGEST_LOG_BYTES - len(chunk))
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                os.write(descriptor, chunk)
            finally:
                os.close(descriptor)
        except OSError:
            return  # the child must go on even where its log cannot

    def _rotate_if_beyond(self, limit_bytes: int) -> None:
        if self._path.exists() and self._path.stat().st_size > limit_bytes:
            self._path.replace(self._path.with_name(f"{self._path.name}.1"))
