"""Arming of failpoints: a folder of files for each role of the product's processes."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nekonymous_site.failpoints import TOLD_SUFFIX, Action
from nekonymous_site.fault_lab.failures import LabStopped

LOOK_SECONDS: Final = 0.01
# On a busy machine a process that has just been started takes its time.
HIT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmedPoints:
    """The failpoints of one role."""

    folder: Path

    def prepare(self) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def arm(self, point: str, action: Action = Action.KILL, *, passes: int = 0) -> None:
        """Let the next process of the role that reaches the point, after so many passes, meet this."""
        unready = self.folder / f"{point}.unready"
        unready.write_text(f"{action} {passes}")
        unready.rename(self.folder / point)

    def await_hit(self, point: str, *, seconds: float = HIT_SECONDS) -> int:
        """Wait until a process has met it, and tell which. Raises LabStopped."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for claim in self.folder.glob(f"{point}.*"):
                pid = claim.suffix[1:]
                if pid.isdecimal():
                    claim.unlink()
                    return int(pid)
            time.sleep(LOOK_SECONDS)
        self.disarm(point)
        reason = f"no process reached {point}"
        raise LabStopped(reason)

    def tell(self, point: str) -> None:
        """Let the process that was to wait for a word die now."""
        (self.folder / f"{point}{TOLD_SUFFIX}").touch()

    def disarm(self, point: str) -> None:
        """Take back what nobody has met, and the word."""
        for name in (point, f"{point}{TOLD_SUFFIX}"):
            (self.folder / name).unlink(missing_ok=True)

    def disarm_all(self) -> None:
        """Take back whatever is armed or told."""
        for file in self.folder.iterdir():
            file.unlink(missing_ok=True)
