"""Two threads that meet where a race would be, so that it happens each time or is shown to be impossible."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg
import pytest
from django.db import connection

T = TypeVar("T")
Observer = psycopg.Connection[tuple[object, ...]]

LONGEST_STAY_SECONDS = 8.0
LONGEST_RUN_SECONDS = 30.0


class Encounter:
    """A place in the code. Whoever comes first stays there until the other has come too, or cannot come.

    The other cannot come when it waits for a lock of the database or is through already. `met` tells whether
    both were there at once: that is the race, and a guard is what keeps it from happening.
    """

    def __init__(self) -> None:
        self.met = False
        self._arrivals = 0
        self._through = 0
        self._lock = threading.Lock()
        self._observer: Observer | None = None

    def here(self) -> None:
        """Be at the place; only the first two arrivals are held."""
        with self._lock:
            self._arrivals += 1
            is_first = self._arrivals == 1
        if is_first:
            self._stay()

    def was_reached(self) -> bool:
        """Wait until somebody is there; for a work that must begin as the second."""
        deadline = time.monotonic() + LONGEST_STAY_SECONDS
        while not self._arrivals and time.monotonic() < deadline:
            time.sleep(0.005)
        return self._arrivals > 0

    def run(self, *works: Callable[[], T]) -> list[T | Exception]:
        """Run each work in a thread of its own; gives results and errors in the order of the works."""
        with _database_observer() as self._observer, ThreadPoolExecutor(len(works)) as pool:
            running = [pool.submit(self._run, work) for work in works]
            return [one.result(timeout=LONGEST_RUN_SECONDS) for one in running]

    def _stay(self) -> None:
        deadline = time.monotonic() + LONGEST_STAY_SECONDS
        while not self._is_over():
            assert time.monotonic() < deadline, "the other neither came nor waits nor is through"
            time.sleep(0.005)

    def _is_over(self) -> bool:
        # Asked for first: whoever comes between the two questions is seen by the second.
        waits = self._observer is not None and _somebody_waits(self._observer)
        with self._lock:
            self.met = self._arrivals >= 2
            return self.met or self._through > 0 or waits

    def _run(self, work: Callable[[], T]) -> T | Exception:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - an outcome like any other
            return error
        finally:
            with self._lock:
                self._through += 1
            connection.close()


def hold_after(encounter: Encounter, monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> None:
    """Let a queueing function of a plane wait for its answer, and then be at the place."""
    queue: Callable[..., Any] = getattr(place, name)

    def queue_and_meet(*arguments: object, **named: object) -> object:
        answer = queue(*arguments, **named)
        assert answer.value is not Ellipsis
        encounter.here()
        return answer

    monkeypatch.setattr(place, name, queue_and_meet)


def take_away(monkeypatch: pytest.MonkeyPatch, place: object, guard: str) -> None:
    """Let a guard do nothing, for a control that shows what it guards from."""
    monkeypatch.setattr(place, guard, lambda *_arguments, **_named: None)


def _database_observer() -> Observer:
    place = connection.settings_dict
    return psycopg.connect(
        host=place["HOST"],
        port=place["PORT"],
        user=place["USER"],
        password=place["PASSWORD"],
        dbname=place["NAME"],
        autocommit=True,
    )


def _somebody_waits(observer: Observer) -> bool:
    row = observer.execute(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
    ).fetchone()
    assert row is not None
    return row != (0,)
