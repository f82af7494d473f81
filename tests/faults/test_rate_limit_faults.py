"""The rates, while Redis works, is stopped, hangs, answers nonsense, is full, and works again."""

import secrets
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace

import pytest
import redis
from pytest_django.fixtures import Settings
from redis_places import TROUBLES, RedisPlace

from nekonymous_site import rate_limits
from nekonymous_site.crypto.identifiers import ActorHash
from nekonymous_site.rate_limits import (
    Allowance,
    Rates,
    UpdateAllowance,
    count_first_message,
    take_allowance,
)
from tests.sandbox.sandbox_process import await_that

ALL_ALLOWED = Allowance(update=UpdateAllowance.ALLOWED, first_message=True)
# A client with its usual patience would wait for ever, or for seconds.
LONGEST_SECONDS = 2.0
QUIET_SECONDS = 0.3


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[RedisPlace]:
    place = RedisPlace(tmp_path_factory.mktemp("r"))
    settings.NEKO = replace(settings.NEKO, redis_url=place.url)
    settings.NEKO_RATES = Rates(
        updates=0, update_window_seconds=86_400, first_messages=0, first_message_window_seconds=86_400
    )
    rate_limits._buckets_at.cache_clear()
    yield place
    rate_limits._buckets_at.cache_clear()
    place.end()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with other tests must not pass for a Redis that is slow."""
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS", "LAST_TURN_SECONDS"):
        monkeypatch.setattr(rate_limits, name, 10.0)


def _somebody() -> ActorHash:
    return ActorHash(secrets.token_bytes(32))


def _is_limited() -> bool:
    return take_allowance(_somebody()).update is not UpdateAllowance.ALLOWED


@pytest.mark.parametrize("trouble", TROUBLES)
def test_trouble_costs_a_moment_and_the_limit_and_nothing_else(
    place: RedisPlace, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    TROUBLES[trouble](place)
    started = time.monotonic()
    assert take_allowance(_somebody()) == ALL_ALLOWED
    count_first_message(_somebody())
    for _ in range(300):
        assert take_allowance(_somebody()) == ALL_ALLOWED
    assert time.monotonic() - started < LONGEST_SECONDS, "it was left alone after the first time"
    monkeypatch.setattr(rate_limits, "QUIET_SECONDS_AFTER_FAILURE", QUIET_SECONDS)
    place.start()
    rate_limits._buckets_at(place.url).quiet_until = 0.0
    await_that(_is_limited, what="the limit to hold again")


def test_a_server_that_begins_to_hang_is_waited_for_once(place: RedisPlace) -> None:
    place.start()
    await_that(_is_limited, what="a first count over a connection that stays")
    place.hang()
    started = time.monotonic()
    assert [take_allowance(_somebody()) for _ in range(300)] == [ALL_ALLOWED] * 300
    assert time.monotonic() - started < LONGEST_SECONDS


def test_many_threads_wait_side_by_side(place: RedisPlace) -> None:
    place.be_nothing_but_a_listener(answer=None)
    started = time.monotonic()
    with ThreadPoolExecutor(30) as threads:
        answers = list(threads.map(lambda _: take_allowance(_somebody()), range(300)))
    assert answers == [ALL_ALLOWED] * 300
    assert time.monotonic() - started < 2 * LONGEST_SECONDS


def test_an_address_that_takes_no_connection(place: RedisPlace, settings: Settings) -> None:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=0)) as server:
        address = server.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.settimeout(0)
            with suppress(BlockingIOError):
                one.connect(address)
        settings.NEKO = replace(settings.NEKO, redis_url=f"redis://{address[0]}:{address[1]}/0")
        started = time.monotonic()
        assert take_allowance(_somebody()) == ALL_ALLOWED
        assert time.monotonic() - started < LONGEST_SECONDS
        for one in waiting:
            one.close()


@pytest.mark.parametrize("address", [None, "redis://127.0.0.1:99999999/0", "redis://127.0.0.1:1/0?unknown=1"])
def test_an_address_that_nobody_can_use(place: RedisPlace, settings: Settings, address: str | None) -> None:
    settings.NEKO = replace(settings.NEKO, redis_url=address)
    assert take_allowance(_somebody()) == ALL_ALLOWED
    count_first_message(_somebody())


def test_it_is_left_alone_for_a_while_and_asked_again(
    place: RedisPlace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rate_limits, "QUIET_SECONDS_AFTER_FAILURE", QUIET_SECONDS)
    started = time.monotonic()
    assert not _is_limited(), "there is no server yet"
    place.start()
    await_that(_is_limited, what="the limit to hold again")
    assert time.monotonic() - started >= QUIET_SECONDS
    lines = [line for line in capsys.readouterr().err.splitlines() if "rates_not_kept" in line]
    assert lines, "the operator is told"
    assert str(place.path) not in "".join(lines)


@pytest.mark.usefixtures("patience")
def test_a_server_that_was_started_anew_counts_from_nothing(place: RedisPlace, settings: Settings) -> None:
    settings.NEKO_RATES = Rates(updates=2, update_window_seconds=86_400)
    person = _somebody()
    for _ in range(2):
        place.start()
        assert [take_allowance(person).update.name for _ in range(3)] == ["ALLOWED", "ALLOWED", "TOO_FAST"]


@pytest.mark.usefixtures("patience")
def test_a_server_that_was_emptied_gives_everybody_one_new_salt(
    place: RedisPlace, settings: Settings
) -> None:
    settings.NEKO_RATES = Rates(updates=2, update_window_seconds=86_400)
    place.start()
    person = _somebody()
    take_allowance(person)
    other_process = rate_limits._Buckets(place.url)
    other_process.take(person, rates=settings.NEKO_RATES)
    new_process = rate_limits._Buckets(place.url)
    with redis.Redis.from_url(place.url) as client:
        client.flushall()
        assert take_allowance(person).update is UpdateAllowance.ALLOWED
        assert new_process.take(person, rates=settings.NEKO_RATES).update is UpdateAllowance.ALLOWED
        third = other_process.take(person, rates=settings.NEKO_RATES)
        assert third.update is UpdateAllowance.TOO_FAST, "all count in one bucket"
