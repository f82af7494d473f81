"""Whether this process can accept messages, asked of everything it needs, at once and never for long."""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import cache
from typing import Final

import redis
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from redis.backoff import NoBackoff
from redis.retry import Retry

from outbox.telegram_client import probe_bot_api

CHECK_LIMIT_SECONDS: Final = 3.0
# A little less than the limit, so that a check which gives up by itself is heard before the limit passes.
_CLIENT_TIMEOUT_SECONDS: Final = 2.5
BOT_API_KEPT_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What each check said; a check that did not answer in time counts as failed."""

    checks: Mapping[str, bool]

    @property
    def can_accept(self) -> bool:
        """Postgres and migrations decide alone: accepting goes on without Redis and the Bot API."""
        return self.checks["postgres"] and self.checks["migrations"]

    @property
    def is_degraded(self) -> bool:
        """Whether something is away that only costs speed."""
        return not all(self.checks.values())


class SingleFlightProbe:
    """A check that runs in one thread at a time, however many requests ask and however long it hangs.

    Requests that come while it runs share its result. A result is kept for `kept_seconds`, failure as well.
    """

    def __init__(self, check: Callable[[], bool], *, kept_seconds: float = 0.0) -> None:
        self._check = check
        self._kept_seconds = kept_seconds
        self._lock = threading.Lock()
        self._flight: Future[bool] | None = None
        self._landed_at = 0.0

    def result(self) -> Future[bool]:
        """The result that is kept or being worked out, else that of a new run; never blocks."""
        with self._lock:
            if self._flight is None or self._is_stale(self._flight):
                flight: Future[bool] = Future()
                # Started before it is remembered: a thread that cannot start must not be waited for later.
                threading.Thread(target=self._fly, args=(flight,), daemon=True).start()
                self._flight = flight
            return self._flight

    def _is_stale(self, flight: Future[bool]) -> bool:
        return flight.done() and time.monotonic() >= self._landed_at + self._kept_seconds

    def _fly(self, flight: Future[bool]) -> None:
        try:
            outcome = self._check()
        except Exception:  # noqa: BLE001 - the thread's outermost loop; any failure means "not ready"
            outcome = False
        self._landed_at = time.monotonic()
        flight.set_result(outcome)


class ReadinessChecks:
    """The checks of one process, with what they remember between requests."""

    def __init__(self, probes: Mapping[str, SingleFlightProbe]) -> None:
        self._probes = probes

    def ask(self) -> Readiness:
        """Start or join every check and wait at most the common limit for all of them together."""
        flights = {name: probe.result() for name, probe in self._probes.items()}
        wait(flights.values(), timeout=CHECK_LIMIT_SECONDS)
        return Readiness(
            checks={name: flight.done() and flight.result() for name, flight in flights.items()},
        )


@cache
def process_readiness() -> ReadinessChecks:
    """The checks of this process."""
    return ReadinessChecks(
        {
            "postgres": SingleFlightProbe(_postgres_answers),
            "migrations": SingleFlightProbe(_no_migration_is_missing),
            "redis": SingleFlightProbe(_redis_answers),
            "bot_api": SingleFlightProbe(_bot_api_answers, kept_seconds=BOT_API_KEPT_SECONDS),
        }
    )


def _postgres_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone() == (1,))
    finally:
        # The connection belongs to this thread, which ends now.
        connection.close()


def _no_migration_is_missing() -> bool:
    try:
        return _migrations_on_disk() <= MigrationRecorder(connection).applied_migrations().keys()
    finally:
        connection.close()


@cache
def _migrations_on_disk() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.nodes)


def _redis_answers() -> bool:
    if settings.NEKO.redis_url is None:
        return False
    client = redis.Redis.from_url(
        settings.NEKO.redis_url,
        socket_timeout=_CLIENT_TIMEOUT_SECONDS / 2,
        socket_connect_timeout=_CLIENT_TIMEOUT_SECONDS / 2,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        return bool(client.ping())
    finally:
        client.close()


def _bot_api_answers() -> bool:
    return probe_bot_api(timeout_seconds=_CLIENT_TIMEOUT_SECONDS)
