"""Durations as the coarse words that logs may hold: exact ones would line up with what people did."""

from typing import Final

_BUCKETS: Final = ((0.01, "<10ms"), (0.05, "<50ms"), (0.25, "<250ms"), (1.0, "<1s"), (5.0, "<5s"))


def duration_bucket(seconds: float) -> str:
    """Name the bucket that a duration falls into."""
    return next((name for limit, name in _BUCKETS if seconds < limit), ">=5s")
