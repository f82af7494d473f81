"""How fast one person may act, counted in Redis in windows that end on the clock.

A window that moved with each message would date the last one by its lifetime. A bucket's key is a blind tag
under the pepper and a salt that lives only in Redis and ends with the day: without both, two buckets of one
person have nothing in common. Losing Redis costs the limit and nothing else: every wait for it is short, what
cannot be counted is allowed, and after trouble it is left alone for a while. Where clocks of machines differ
the windows differ as much, which only makes the limit looser.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.identifiers import ActorHash

log = structlog.get_logger("rates")

# Together about a quarter of a second for a server that hangs, whether it takes connections or not.
CONNECT_SECONDS: Final = 0.1
ANSWER_SECONDS: Final = 0.15
LAST_TURN_SECONDS: Final = 0.1  # after so long no further turn begins
QUIET_SECONDS_AFTER_FAILURE: Final = 5.0
MOST_CONNECTIONS: Final = 16
SALT_KEY: Final = "rate:salt"
SALT_BYTES: Final = 32
DAY_SECONDS: Final = 86_400
_MOST_TURNS: Final = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What one person may do in a window; seconds that divide a day let none be cut at midnight."""

    updates: int = 20
    update_window_seconds: int = 10
    first_messages: int = 30
    first_message_window_seconds: int = 3600


class UpdateAllowance(Enum):
    ALLOWED = "allowed"
    TOO_FAST = "too_fast"  # over the limit of its window: its sender has to be told
    TOO_FAST_TOLD = "too_fast_told"  # and has been


@dataclass(frozen=True, slots=True)
class Allowance:
    """Whether this update may be worked on, and whether another first message may be accepted.

    `has_leeway` says that what belongs together may still be brought to its end: up to twice the rate.
    """

    update: UpdateAllowance
    first_message: bool
    has_leeway: bool = True


class RedisUnfit(Exception):
    """Redis has taken too long, or has no salt that stays."""


def take_allowance(actor_hash: ActorHash) -> Allowance:
    """Count one update of a person and read what else they may do. Counts again when repeated.

    One turn on the wire, three where the process is new or Redis has another salt. Never raises; allows
    everything while Redis cannot be asked.
    """
    return _attempt(
        lambda buckets, rates: buckets.take(actor_hash, rates=rates),
        otherwise=Allowance(update=UpdateAllowance.ALLOWED, first_message=True),
    )


def give_back(actor_hash: ActorHash) -> None:
    """Count one update less: it was not worked on and will come again. Best effort: never raises."""
    _attempt(lambda buckets, rates: buckets.give_back(actor_hash, rates=rates), otherwise=None)


def note_told(actor_hash: ActorHash) -> None:
    """Remember, until the window ends, that a person has been told that they are too fast.

    Best effort: never raises. Once it is committed that they will read it; until then others tell them too.
    """
    _attempt(lambda buckets, rates: buckets.note_told(actor_hash, rates=rates), otherwise=None)


def count_first_message(actor_hash: ActorHash) -> None:
    """Count a first message once it is committed. Best effort: never raises, counts again when repeated."""
    _attempt(lambda buckets, rates: buckets.count_first_message(actor_hash, rates=rates), otherwise=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bucket:
    """What is counted, and the second at which this window of it ends."""

    name: str
    ends_at: int

    def key(self, actor_hash: ActorHash, *, salt: bytes) -> str:
        tag = blind_tags.tag(f"rate:{self.name}", salt, self.ends_at.to_bytes(8, "big"), actor_hash)
        return f"rate:{self.name}:{tag[:16].hex()}"


class _Buckets:
    """The buckets in one Redis. Threads share it; its pool makes new connections after a fork."""

    def __init__(self, url: str) -> None:
        self.quiet_until = 0.0
        self._url = url
        self._salt: bytes | None = None

    def take(self, actor_hash: ActorHash, *, rates: Rates) -> Allowance:
        updates, first_messages = _update_bucket(rates), _first_message_bucket(rates)
        told = _told_bucket(rates)

        def queue(commands: Pipeline, salt: bytes) -> None:
            _queue_count(commands, updates, key=updates.key(actor_hash, salt=salt))
            commands.get(first_messages.key(actor_hash, salt=salt))
            commands.get(told.key(actor_hash, salt=salt))

        count, _, first_message_count, is_told = self._ask(queue)
        return Allowance(
            update=_judge(int(count), most=rates.updates, is_told=bool(is_told)),
            first_message=int(first_message_count or 0) < rates.first_messages,
            has_leeway=int(count) <= 2 * rates.updates,
        )

    def give_back(self, actor_hash: ActorHash, *, rates: Rates) -> None:
        bucket = _update_bucket(rates)

        def queue(commands: Pipeline, salt: bytes) -> None:
            _queue_count(commands, bucket, key=bucket.key(actor_hash, salt=salt), by=-1)

        self._ask(queue)

    def note_told(self, actor_hash: ActorHash, *, rates: Rates) -> None:
        bucket = _told_bucket(rates)

        def queue(commands: Pipeline, salt: bytes) -> None:
            commands.set(bucket.key(actor_hash, salt=salt), 1, exat=bucket.ends_at)

        self._ask(queue)

    def count_first_message(self, actor_hash: ActorHash, *, rates: Rates) -> None:
        bucket = _first_message_bucket(rates)

        def queue(commands: Pipeline, salt: bytes) -> None:
            _queue_count(commands, bucket, key=bucket.key(actor_hash, salt=salt))

        self._ask(queue)

    def _ask(self, queue: Callable[[Pipeline, bytes], None]) -> list[Any]:
        """Send commands made with the salt, and once more where Redis has another one by now.

        What was counted under a salt that has ended lies under a key that nobody asks for until it expires.
        """
        last_turn = time.monotonic() + LAST_TURN_SECONDS
        salt = self._salt or self._share_salt()
        for _ in range(_MOST_TURNS):
            if time.monotonic() > last_turn:
                break
            with self._client.pipeline(transaction=True) as commands:
                commands.get(SALT_KEY)
                queue(commands, salt)
                shared, *answers = commands.execute()
            if shared == salt:
                self._salt = salt
                return answers
            salt = shared or self._share_salt()
        raise RedisUnfit

    def _share_salt(self) -> bytes:
        """Make today's salt unless another process has; gives the one that everybody uses."""
        with self._client.pipeline(transaction=True) as commands:
            ends_at = _window_end(DAY_SECONDS)
            commands.set(SALT_KEY, secrets.token_hex(SALT_BYTES), nx=True, exat=ends_at)
            commands.get(SALT_KEY)
            salt: bytes | None = commands.execute()[1]
        if salt is None:
            raise RedisUnfit
        return salt

    @cached_property
    def _client(self) -> redis.Redis:
        pool = redis.BlockingConnectionPool.from_url(
            self._url,
            max_connections=MOST_CONNECTIONS,
            timeout=LAST_TURN_SECONDS,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_timeout=ANSWER_SECONDS,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
        )
        return redis.Redis(connection_pool=pool)


def _attempt(work: Callable[[_Buckets, Rates], T], *, otherwise: T) -> T:
    url = settings.NEKO.redis_url
    buckets = _buckets_at(url) if url else None
    if buckets is None or time.monotonic() < buckets.quiet_until:
        return otherwise
    try:
        return work(buckets, settings.NEKO_RATES)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a limit may not fail an update
        buckets.quiet_until = time.monotonic() + QUIET_SECONDS_AFTER_FAILURE
        log.warning("rates_not_kept", error_class=type(error).__name__)
        return otherwise


@lru_cache(maxsize=1)
def _buckets_at(url: str) -> _Buckets:
    return _Buckets(url)


def _update_bucket(rates: Rates) -> _Bucket:
    return _Bucket(name="updates", ends_at=_window_end(rates.update_window_seconds))


def _told_bucket(rates: Rates) -> _Bucket:
    return _Bucket(name="told", ends_at=_window_end(rates.update_window_seconds))


def _first_message_bucket(rates: Rates) -> _Bucket:
    return _Bucket(name="first_messages", ends_at=_window_end(rates.first_message_window_seconds))


def _window_end(window_seconds: int) -> int:
    """The next moment that is a whole number of windows after 1970, in seconds: windows end together."""
    return (int(time.time()) // window_seconds + 1) * window_seconds


def _queue_count(commands: Pipeline, bucket: _Bucket, *, key: str, by: int = 1) -> None:
    commands.incrby(key, by)
    commands.expireat(key, bucket.ends_at)


def _judge(count: int, *, most: int, is_told: bool) -> UpdateAllowance:
    if count <= most:
        return UpdateAllowance.ALLOWED
    return UpdateAllowance.TOO_FAST_TOLD if is_told else UpdateAllowance.TOO_FAST
