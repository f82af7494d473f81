"""Celery as a bell: it says "there is work" and can neither block nor fail whoever rings it.

A ring is a task name and nothing else. A thread of its own publishes, so that a hanging broker costs a
request nothing; rings of one kind that come close together become one; after a failed publish the bell keeps
still for a while. A lost ring loses nothing: the sweeper finds the work in Postgres.
"""

import threading
import time
from enum import StrEnum
from functools import partial
from typing import Final

import structlog
from celery import current_app
from django.db import transaction

log = structlog.get_logger("bell")

QUIET_SECONDS_AFTER_FAILURE: Final = 5.0
GATHER_SECONDS: Final = 0.02
LONGEST_COUNTDOWN_SECONDS: Final = 5.0
RING_LIFETIME_SECONDS: Final = 30


class Bell(StrEnum):
    """What there is to do, by the name of the task that does it; the queue carries the same name."""

    OUTBOX = "outbox"
    INBOX_DRAIN = "inbox_drain"
    NOTIFICATION = "notification"
    GATHERING = "gathering"


def ring_after_commit(bell: Bell, *, countdown_seconds: float = 0) -> None:
    """Ring when the open transaction has committed, and not at all when it rolls back."""
    transaction.on_commit(partial(ring, bell, countdown_seconds=countdown_seconds))


def ring(bell: Bell, *, countdown_seconds: float = 0) -> None:
    """Hand a ring to the bell's thread and return at once. May be repeated; countdowns are cut to 5 s."""
    _ringer.add(bell, countdown_seconds=min(max(countdown_seconds, 0), LONGEST_COUNTDOWN_SECONDS))


def wait_for_rings(*, most_seconds: float) -> None:
    """Wait until what was rung is published, for a process that is about to end and its threads with it."""
    _ringer.wait(most_seconds=most_seconds)


class _Ringer:
    """Gathers rings and publishes them from one daemon thread, started with the first ring."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._waiting: dict[Bell, float] = {}  # at most one entry a bell, so this cannot grow
        self._coming: dict[Bell, float] = {}  # when the latest ring with a countdown will be heard
        self._publishes = False
        self._thread: threading.Thread | None = None

    def add(self, bell: Bell, *, countdown_seconds: float) -> None:
        with self._condition:
            now = time.monotonic()
            if countdown_seconds and now <= self._coming.get(bell, 0.0) <= now + countdown_seconds:
                return  # one that is on its way will be heard in time; more would breed more
            self._waiting[bell] = min(self._waiting.get(bell, countdown_seconds), countdown_seconds)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="bell", daemon=True)
                self._thread.start()
            self._condition.notify()

    def wait(self, *, most_seconds: float) -> None:
        with self._condition:
            self._condition.wait_for(lambda: not self._waiting and not self._publishes, timeout=most_seconds)

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting)
            time.sleep(GATHER_SECONDS)
            with self._condition:
                rings, self._waiting, self._publishes = self._waiting, {}, True
                self._coming |= {
                    bell: time.monotonic() + seconds for bell, seconds in rings.items() if seconds
                }
            published = [_publish(bell, countdown_seconds=seconds) for bell, seconds in rings.items()]
            with self._condition:
                self._publishes = False
                self._condition.notify_all()
            if not all(published):
                time.sleep(QUIET_SECONDS_AFTER_FAILURE)


def _publish(bell: Bell, *, countdown_seconds: float) -> bool:
    try:
        current_app.send_task(
            bell.value,
            queue=bell.value,
            countdown=countdown_seconds or None,
            expires=RING_LIFETIME_SECONDS,
        )
    except Exception as error:  # noqa: BLE001 - the outermost loop of the bell's thread: nothing may end it
        log.warning("ring_lost", operation=bell.value, error_class=type(error).__name__)
        return False
    return True


_ringer = _Ringer()
