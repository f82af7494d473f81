"""What is said to Redis about rates: blind keys that change daily, small numbers, and nothing else."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import pytest
import redis
from django.conf import settings as settings_now
from pytest_django.fixtures import Settings
from redis_places import RedisPlace

from nekonymous_site import rate_limits
from nekonymous_site.crypto import blind_tags, process_keys
from nekonymous_site.crypto.identifiers import ActorHash, TelegramUserId
from nekonymous_site.rate_limits import Rates, count_first_message, give_back, note_told, take_allowance

USER_ID: Final = TelegramUserId(771_234_987_001)
OTHER_PEPPER: Final = "P8TM_nRYcOLA2Z9x8w_wZWyN7dQcwdfT03aw2-aF4vM"  # made up for this test
DAY_SECONDS: Final = 86_400
BUCKET: Final = re.compile(r"rate:(updates|first_messages|told):([0-9a-f]{32})")
COMMANDS: Final = re.compile(
    r"MULTI|EXEC|GET (BUCKET|rate:salt)|INCRBY BUCKET -?1|EXPIREAT BUCKET [0-9]{10}"
    r"|SET BUCKET 1 EXAT [0-9]{10}|SET rate:salt [0-9a-f]{64} NX EXAT [0-9]{10}"
    r"|CLIENT SETINFO .*|SELECT 0|PING"
)


@pytest.fixture
def place(
    tmp_path_factory: pytest.TempPathFactory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[RedisPlace]:
    """A server of this test alone, that can be overheard; patience with a busy machine."""
    for name in ("CONNECT_SECONDS", "ANSWER_SECONDS", "LAST_TURN_SECONDS"):
        monkeypatch.setattr(rate_limits, name, 10.0)
    place = RedisPlace(tmp_path_factory.mktemp("r"))
    place.start()
    settings.NEKO = replace(settings.NEKO, redis_url=place.url)
    # No window ends in the middle of a test.
    settings.NEKO_RATES = Rates(update_window_seconds=DAY_SECONDS, first_message_window_seconds=DAY_SECONDS)
    yield place
    rate_limits._buckets_at.cache_clear()
    place.end()


def _act(person: ActorHash) -> None:
    take_allowance(person)
    give_back(person)
    count_first_message(person)
    note_told(person)


def _overhear(place: RedisPlace, *people: ActorHash) -> list[str]:
    """Everything that is said to the server while these people act."""
    heard: list[str] = []
    with redis.Redis.from_url(place.url) as client, client.monitor() as monitor:

        def listen() -> None:
            while not heard or heard[-1] != "PING":
                heard.append(str(monitor.next_command()["command"]))

        listener = threading.Thread(target=listen)
        listener.start()
        for person in people:
            _act(person)
        with redis.Redis.from_url(place.url, protocol=2) as other:
            other.ping()
        listener.join(timeout=20)
        assert not listener.is_alive()
    return heard


def _tags(place: RedisPlace) -> set[str]:
    """The tags in the keys that are there."""
    with redis.Redis.from_url(place.url, decode_responses=True) as client:
        matches = [BUCKET.fullmatch(key) for key in client.scan_iter() if key != rate_limits.SALT_KEY]
    assert all(matches)
    return {match[2] for match in matches if match}


def test_nothing_but_blind_keys_and_numbers_is_said(place: RedisPlace) -> None:
    heard = _overhear(place, blind_tags.actor_hash(USER_ID))
    foreign = [said for said in heard if not COMMANDS.fullmatch(BUCKET.sub("BUCKET", said))]
    assert foreign == []
    assert sum(said.startswith("INCR") for said in heard) == 3
    assert sum(said.startswith("SET rate:told") for said in heard) == 1


def test_a_key_is_none_of_the_tags_under_which_a_person_is_stored(place: RedisPlace) -> None:
    person = blind_tags.actor_hash(USER_ID)
    _act(person)
    stored = [person.hex(), blind_tags.abuse_subject_tag(person).hex()]
    assert len(_tags(place)) == 3
    assert not any(tag in known for tag in _tags(place) for known in stored)


def test_another_day_has_other_keys(place: RedisPlace) -> None:
    person = blind_tags.actor_hash(USER_ID)
    _act(person)
    today = _tags(place)
    _act(person)
    assert _tags(place) == today
    with redis.Redis.from_url(place.url) as client:
        client.delete(rate_limits.SALT_KEY)  # as it goes by itself when the day ends
    _act(person)
    assert len(_tags(place) - today) == 3


def test_whoever_has_redis_and_the_accounts_needs_the_pepper_as_well(place: RedisPlace) -> None:
    person = blind_tags.actor_hash(USER_ID)
    _act(person)
    real = _tags(place)
    master_keys, pepper = settings_now.NEKO.master_keys, settings_now.NEKO.hmac_pepper
    assert master_keys is not None
    assert pepper is not None
    process_keys.configure(master_keys=master_keys, pepper=OTHER_PEPPER)
    try:
        _act(person)
    finally:
        process_keys.configure(master_keys=master_keys, pepper=pepper)
    assert len(_tags(place) - real) == 3, "the same hash and salt give other keys"
