"""When a process that has ended is started again."""

from dataclasses import dataclass

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 30.0
STEADY_AFTER_SECONDS = 60.0


@dataclass(slots=True)
class RestartDelay:
    """Doubles from one second to thirty, and begins anew after a process has lived for a minute."""

    _next_seconds: float = FIRST_DELAY_SECONDS

    def after_end(self, *, lived_seconds: float) -> float:
        """How many seconds to wait before the next start."""
        if lived_seconds >= STEADY_AFTER_SECONDS:
            self._next_seconds = FIRST_DELAY_SECONDS
        delay_seconds = self._next_seconds
        self._next_seconds = min(delay_seconds * 2, LONGEST_DELAY_SECONDS)
        return delay_seconds
