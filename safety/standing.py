"""How somebody stands: pure rules with the moment as an argument, without tables and clock."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from safety.errors import SuspensionOutOfRange

LONGEST_SUSPENSION_HOURS: Final = 366 * 24


class Standing(StrEnum):
    CLEAR = "clear"
    SUSPENDED = "suspended"
    BANNED = "banned"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectStanding:
    """A standing; `until` is the moment at which a suspension is over, and null for anything else."""

    standing: Standing
    until: datetime | None = None

    def at(self, now: datetime) -> "SubjectStanding":
        """Say how it stands at this moment: a suspension ends by itself, a ban does not."""
        if self.standing is Standing.SUSPENDED and (self.until is None or self.until <= now):
            return CLEAR
        return self


CLEAR: Final = SubjectStanding(standing=Standing.CLEAR)


def require_suspension_hours(hours: int) -> None:
    """Raise SuspensionOutOfRange unless a suspension may last so many hours."""
    if not 1 <= hours <= LONGEST_SUSPENSION_HOURS:
        raise SuspensionOutOfRange
