"""Rates of a person in a real Redis: what is counted, by whom, and for how long."""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Final

import pytest
import redis
from pytest_django.fixtures import Settings
from redis_places import RedisPlace

from nekonymous_site import rate_limits
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.environment import CHECKOUT
from nekonymous_site.rate_limits import Rates, count_first_message, give_back, note_told, take_allowance
from tests.sandbox.sandbox_process import await_that

SPARE_DATABASE: Final = 12
FORKED: Final = """
import os, sys, django
django.setup()
from django.conf import settings
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.rate_limits import Rates, take_allowance
settings.NEKO_RATES = Rates(updates=101, update_window_seconds=86_400)
person = ActorHash(bytes.fromhex(sys.argv[1]))
take_allowance(person)
child = os.fork()
for _ in range(50):
    take_allowance(person)
if not child:
    os._exit(0)
os.waitpid(child, 0)
print(take_allowance(person).update.name)
"""


@pytest.fixture
def spare_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """An empty database of the run's server, of this test alone, and patience with a busy machine."""
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS", "LAST_TURN_SECONDS"):
        monkeypatch.setattr(rate_limits, name, 10.0)
    address = f"{settings.NEKO.redis_url.partition('?')[0]}?db={SPARE_DATABASE}"
    settings.NEKO = replace(settings.NEKO, redis_url=address)
    with redis.Redis.from_url(address, decode_responses=True) as client:
        client.flushdb()
        yield client
        client.flushdb()
    rate_limits._buckets_at.cache_clear()


def _somebody() -> ActorHash:
    return ActorHash(secrets.token_bytes(32))


def _names(person: ActorHash, *, count: int) -> list[str]:
    return [take_allowance(person).update.name for _ in range(count)]


@pytest.fixture
def day_long(settings: Settings) -> None:
    """Small figures, and no window that ends in the middle of a test."""
    settings.NEKO_RATES = Rates(
        updates=3, update_window_seconds=86_400, first_messages=2, first_message_window_seconds=86_400
    )


def test_the_figures_of_the_product() -> None:
    rates = Rates()
    assert (rates.updates, rates.update_window_seconds) == (20, 10)
    assert (rates.first_messages, rates.first_message_window_seconds) == (30, 3600)


@pytest.mark.usefixtures("spare_redis", "day_long")
def test_whoever_is_too_fast_is_to_be_told_until_they_have_been() -> None:
    person = _somebody()
    assert _names(person, count=5) == ["ALLOWED"] * 3 + ["TOO_FAST"] * 2
    note_told(person)
    assert _names(person, count=2) == ["TOO_FAST_TOLD"] * 2
    assert _names(_somebody(), count=1) == ["ALLOWED"], "one person's pace is nobody else's"


@pytest.mark.usefixtures("spare_redis", "day_long")
def test_what_was_not_worked_on_counts_for_nothing() -> None:
    person = _somebody()
    for _ in range(10):
        assert _names(person, count=1) == ["ALLOWED"]
        give_back(person)
    assert _names(person, count=4) == ["ALLOWED"] * 3 + ["TOO_FAST"]


@pytest.mark.usefixtures("spare_redis", "day_long")
def test_first_messages_are_counted_when_they_are_accepted() -> None:
    person = _somebody()
    assert [take_allowance(person).first_message for _ in range(5)] == [True] * 5, "asking counts nothing"
    count_first_message(person)
    assert take_allowance(person).first_message
    count_first_message(person)
    assert not take_allowance(person).first_message
    assert take_allowance(_somebody()).first_message


def test_threads_count_together(spare_redis: redis.Redis, settings: Settings) -> None:
    settings.NEKO_RATES = Rates(updates=100, update_window_seconds=86_400)
    person = _somebody()
    with ThreadPoolExecutor(8) as threads:
        names = list(threads.map(lambda _: take_allowance(person).update.name, range(120)))
    assert sorted(names) == ["ALLOWED"] * 100 + ["TOO_FAST"] * 20


def test_a_forked_process_counts_over_connections_of_its_own(spare_redis: redis.Redis) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORKED, _somebody().hex()],
        env=dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "nekonymous_site.settings"},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.stdout.strip(), run.stderr) == ("TOO_FAST", ""), "101 before, each of them counted"


def test_a_window_ends_on_the_clock_and_a_new_one_begins(
    spare_redis: redis.Redis, settings: Settings
) -> None:
    settings.NEKO_RATES = Rates(updates=1, update_window_seconds=2)
    person = _somebody()
    ends: dict[str, int] = {}

    def is_limited_in_a_window_that_goes_on() -> bool:
        is_limited = take_allowance(person).update.name == "TOO_FAST"
        ends.clear()
        ends.update((key, spare_redis.expiretime(key)) for key in spare_redis.scan_iter("rate:updates:*"))
        return is_limited and len(ends) == 1 and min(ends.values()) > 0

    await_that(is_limited_in_a_window_that_goes_on, what="the limit")
    [(key, ends_at)] = ends.items()
    assert ends_at % 2 == 0
    assert ends_at <= time.time() + 2
    await_that(lambda: take_allowance(person).update.name == "ALLOWED", what="the next window")
    assert time.time() >= ends_at
    await_that(lambda: not spare_redis.exists(key), what="the old window to be gone")
    take_allowance(person)
    assert key not in list(spare_redis.scan_iter("rate:updates:*")), "the next one has a name of its own"


def test_everything_ends_with_its_window_and_the_salt_with_the_day(
    spare_redis: redis.Redis, settings: Settings
) -> None:
    settings.NEKO_RATES = Rates(update_window_seconds=600)
    person = _somebody()
    take_allowance(person)
    count_first_message(person)
    ends = {key.rpartition(":")[0]: spare_redis.expiretime(key) for key in spare_redis.scan_iter("rate:*")}
    assert ends.keys() == {"rate:updates", "rate:first_messages", "rate"}
    assert (ends["rate:updates"] % 600, ends["rate:first_messages"] % 3600, ends["rate"] % 86_400) == (
        0,
        0,
        0,
    )
    now = time.time()
    assert ends["rate:updates"] <= now + 600
    assert ends["rate:first_messages"] <= now + 3600
    assert ends["rate"] <= now + 86_400


def test_the_usual_case_is_one_turn_on_the_wire(
    spare_redis: redis.Redis, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = RedisPlace(tmp_path_factory.mktemp("r"))
    place.start()
    settings.NEKO = replace(settings.NEKO, redis_url=place.url)
    person = _somebody()
    try:
        with redis.Redis.from_url(place.url) as observer:
            take_allowance(person)
            before = observer.info("stats")["total_reads_processed"]
            names = _names(person, count=10)
            turns = observer.info("stats")["total_reads_processed"] - before - 1
    finally:
        place.end()
    assert (names, turns) == (["ALLOWED"] * 10, 10)
