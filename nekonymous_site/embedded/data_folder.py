"""The data folder: where everything lies, and who holds it."""

import fcntl
import json
import os
import pwd
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from nekonymous_site.embedded.failures import LauncherFailure

# A command in another shell never holds the lock, but a launcher that is just ending may for a moment.
LOCK_TRIES = 5
LOCK_PAUSE_SECONDS = 0.1
LONGEST_LOCK_NOTE_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """The places in a data folder; `root` is absolute."""

    root: Path

    @property
    def logs(self) -> Path:
        """One log for each process, with one older one beside it."""
        return self.root / "log"

    @property
    def cluster(self) -> Path:
        """The files of Postgres, owned by the user it runs as."""
        return self.root / "postgres"

    @property
    def run(self) -> Path:
        """Where the sockets are, unless a shorter path is needed."""
        return self.root / "run"

    @property
    def keys_file(self) -> Path:
        """The keys made on the first run in development."""
        return self.root / "keys.env"

    @property
    def runtime_file(self) -> Path:
        """What is running now, for commands in other shells."""
        return self.root / "runtime.json"

    @property
    def lock_file(self) -> Path:
        """Locked while a launcher runs; says which."""
        return self.root / "lock"

    def prepare(self) -> None:
        """Make the folder, closed to everybody else. Refuses one that belongs to another user."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = self.root.stat().st_uid
        if os.geteuid() not in (0, owner):
            raise LauncherFailure(
                f"the data folder {self.root} belongs to {_user_name(owner)}: "
                "run as that user, or set NEKO_DATA_DIR to a folder of your own"
            )
        self.root.chmod(0o700)
        # Keys lie here: a folder inside somebody's checkout must not be taken into it.
        (self.root / ".gitignore").write_text("*\n")
        for folder in (self.logs, self.root / "beat"):
            folder.mkdir(mode=0o700, exist_ok=True)


class DataLock:
    """Holds a data folder for one launcher. The kernel lets go of it however the launcher ends."""

    def __init__(self, *, folder: DataFolder, address: str) -> None:
        """Remember what to lock and at which address it will serve."""
        self._folder = folder
        self._address = address
        self._descriptor = -1

    def __enter__(self) -> Self:
        """Take the lock, or raise LauncherFailure that says who has it."""
        self._descriptor = os.open(self._folder.lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if not self._try_to_lock():
            note = os.pread(self._descriptor, LONGEST_LOCK_NOTE_BYTES, 0)
            os.close(self._descriptor)
            raise LauncherFailure(_who_holds(note, folder=self._folder.root))
        os.ftruncate(self._descriptor, 0)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        note_text = json.dumps({"pid": os.getpid(), "since": since, "address": self._address})
        os.pwrite(self._descriptor, note_text.encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the folder."""
        os.close(self._descriptor)

    def _try_to_lock(self) -> bool:
        for _ in range(LOCK_TRIES):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOCK_PAUSE_SECONDS)
            else:
                return True
        return False


def _who_holds(note: bytes, *, folder: Path) -> str:
    try:
        holder = json.loads(note)
        who = f"pid {holder['pid']} since {holder['since']}, serving {holder['address']}"
    except (ValueError, KeyError, TypeError):
        who = "another launcher that is just starting"
    return f"already running here: {who} (data folder {folder}); stop it first or set NEKO_DATA_DIR"


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
