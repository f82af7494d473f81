"""Python's clock a minute ahead, for a process that finds this file first on its path.

Python imports a module of this name before anything else. What reads the time by other ways than `time.time`
and `datetime` is not met.
"""

import datetime as dt
import time
from typing import Any

AHEAD_SECONDS = 60.0
_true_time = time.time
_true_datetime = dt.datetime


class _LooksLikeDatetime(type):
    """Whatever was made before, or in C, is a datetime all the same."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _true_datetime)


class _AheadDatetime(_true_datetime, metaclass=_LooksLikeDatetime):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:  # noqa: ANN401 - as the original says it
        return _true_datetime.fromtimestamp(time.time(), tz)


def _time_ahead() -> float:
    return _true_time() + AHEAD_SECONDS


time.time = _time_ahead
dt.datetime = _AheadDatetime  # type: ignore[misc]
