"""Waiting for a condition, always with an end and always ready to stop."""

import time
from collections.abc import Callable

from nekonymous_site.embedded.stop_request import StopRequest

LOOK_AGAIN_SECONDS = 0.03


def wait_until(condition: Callable[[], bool], *, seconds: float, stop: StopRequest) -> bool:
    """Look until the condition holds (True) or the time is over (False).

    Raises StopRequested as soon as somebody asks to stop.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() >= deadline:
            return False
        stop.raise_if_requested()
        stop.wait(LOOK_AGAIN_SECONDS)
    return True
