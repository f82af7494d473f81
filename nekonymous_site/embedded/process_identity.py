"""Which process a number means: a pid alone may have been given to somebody else since."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_STATE_FIELD = 0
_START_TICKS_FIELD = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessIdentity:
    """A pid together with the kernel's start time of that process, in clock ticks since boot."""

    pid: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity | None":
        """The process that has this pid now; None if there is none or it only waits to be reaped."""
        fields = _stat_fields(pid)
        if fields is None or fields[_STATE_FIELD] in ("Z", "X"):
            return None
        return cls(pid=pid, start_ticks=int(fields[_START_TICKS_FIELD]))

    @classmethod
    def from_json(cls, value: object) -> "ProcessIdentity | None":
        """Read back what as_json wrote; None for anything else."""
        if not isinstance(value, Mapping):
            return None
        pid, ticks = value.get("pid"), value.get("start_ticks")
        return cls(pid=pid, start_ticks=ticks) if isinstance(pid, int) and isinstance(ticks, int) else None

    def as_json(self) -> dict[str, int]:
        """The form kept in files."""
        return {"pid": self.pid, "start_ticks": self.start_ticks}

    def is_alive(self) -> bool:
        """Whether this very process still runs."""
        return ProcessIdentity.of(self.pid) == self

    def age_seconds(self) -> float:
        """How long ago the process was started, programs it ran before counted in."""
        uptime_seconds = float(Path("/proc/uptime").read_text().split()[0])
        return uptime_seconds - self.start_ticks / os.sysconf("SC_CLK_TCK")


def _stat_fields(pid: int) -> list[str] | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name in parentheses may itself hold blanks and parentheses.
    return stat.rpartition(")")[2].split()
