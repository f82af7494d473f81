"""Compositions: one of a person gathers, some wait for an answer, all sealed; and when each of them ends."""

import secrets
from datetime import timedelta

import pytest
from django.db import IntegrityError
from plane_people import new_account
from stored_rows import change_rows, read_rows, read_value

import accounts.selectors
import accounts.services
from accounts import compositions
from accounts.compositions import MOST_ASKED
from accounts.selectors import Gathering
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, Envelope, TelegramUserId
from nekonymous_site.pipeline import durable_transaction

pytestmark = pytest.mark.django_db

SECONDS = timedelta(seconds=2)
ONE = b"1" * 16
TWO = b"2" * 16


def _gather(
    owner: AccountId, composition_id: bytes = ONE, *, body: bytes = b"body", ready_after: timedelta = SECONDS
) -> None:
    with durable_transaction() as pipeline:
        compositions.queue_gathering(
            pipeline, composition_id, owner=owner, body=body, ready_after=ready_after
        )


def _ask(owner: AccountId, composition_id: bytes = ONE, *, body: bytes = b"body") -> bool:
    with durable_transaction() as pipeline:
        return compositions.queue_asked(pipeline, composition_id, owner=owner, body=body).value


def _find_asked(owner: AccountId, composition_id: bytes = ONE) -> bytes | None:
    with durable_transaction() as pipeline:
        envelope = compositions.queue_asked_found(pipeline, composition_id, owner=owner).value
    if envelope is None:
        return None
    return compositions.open_composition(envelope, composition_id=composition_id)


def _find_ready() -> ActorHash | None:
    with durable_transaction() as pipeline:
        return compositions.queue_ready_composer(pipeline).value


def _seconds_to_next() -> float | None:
    with durable_transaction() as pipeline:
        return compositions.queue_next_ready_seconds(pipeline).value


def _close(composition_id: bytes) -> None:
    with durable_transaction() as pipeline:
        compositions.queue_composition_closed(pipeline, composition_id)


def _purge() -> int:
    with durable_transaction() as pipeline:
        return accounts.services.queue_expired_purged(pipeline, limit=500).value


def _be_ready() -> None:
    change_rows(
        "UPDATE accounts.composition SET ready_at = now() - interval '1 second' WHERE ready_at IS NOT NULL"
    )


def _somebody(user_id: int = 4711) -> tuple[AccountId, ActorHash]:
    return new_account(user_id=user_id), blind_tags.actor_hash(TelegramUserId(user_id))


def _gathering_of(actor_hash: ActorHash) -> Gathering | None:
    with durable_transaction() as pipeline:
        actor = accounts.selectors.queue_actor(pipeline, actor_hash).value
    assert actor is not None
    return actor.gathering


def _what_gathers(actor_hash: ActorHash) -> tuple[bytes, bool]:
    gathering = _gathering_of(actor_hash)
    assert gathering is not None
    opened = compositions.open_composition(gathering.envelope, composition_id=gathering.composition_id)
    return opened, gathering.is_ready


def test_what_gathers_grows_in_its_own_row() -> None:
    bob, actor_hash = _somebody()
    assert _gathering_of(actor_hash) is None
    _gather(bob, body=b"one")
    _gather(bob, body=b"one and two")
    assert read_value("SELECT count(*) FROM accounts.composition") == 1
    assert _what_gathers(actor_hash) == (b"one and two", False)


def test_of_one_person_one_thing_gathers_at_a_time() -> None:
    (bob, _), (carol, _) = _somebody(1), _somebody(2)
    _gather(bob)
    _gather(carol, b"3" * 16)
    with pytest.raises(IntegrityError, match="composition_gathers_once"):
        _gather(bob, TWO)


def test_what_gathers_is_ready_when_its_time_has_come_and_not_before() -> None:
    bob, actor_hash = _somebody()
    _gather(bob)
    assert _find_ready() is None
    seconds = _seconds_to_next()
    assert seconds is not None
    assert 0 < seconds <= 2
    _be_ready()
    assert _find_ready() == actor_hash
    assert _what_gathers(actor_hash) == (b"body", True)


def test_what_is_ready_already_rings_for_nobody() -> None:
    """Whoever looks finds it; a ring that it could not be ended at would be followed by the next at once."""
    bob, _ = _somebody()
    _gather(bob)
    _be_ready()
    assert _seconds_to_next() is None


def test_one_more_part_puts_the_end_off() -> None:
    bob, _ = _somebody()
    _gather(bob)
    _be_ready()
    _gather(bob)
    assert _find_ready() is None


def test_the_next_that_is_ready_is_the_earliest_of_all() -> None:
    for user_id, seconds in ((1, 60), (2, 30), (3, 90)):
        account_id = new_account(user_id=user_id)
        _gather(account_id, secrets.token_bytes(16), ready_after=timedelta(seconds=seconds))
    seconds_to_next = _seconds_to_next()
    assert seconds_to_next is not None
    assert 25 < seconds_to_next <= 30


def test_everybody_who_is_ready_is_found_in_the_end() -> None:
    people = {actor_hash: account_id for account_id, actor_hash in map(_somebody, range(1, 5))}
    for account_id in people.values():
        _gather(account_id, account_id)  # any id will do
    _be_ready()
    found = set()
    while (actor_hash := _find_ready()) is not None:
        found.add(actor_hash)
        _close(people[actor_hash])
    assert found == set(people)


def test_what_gathers_is_ended_and_never_thrown_away_however_late() -> None:
    bob, actor_hash = _somebody()
    _gather(bob)
    _be_ready()
    change_rows("UPDATE accounts.composition SET expires_at = now() - interval '9 days'")
    assert _purge() == 0
    assert _find_ready() == actor_hash
    assert _what_gathers(actor_hash) == (b"body", True)


def test_what_waits_for_an_answer_is_never_ready_by_itself_and_does_not_gather() -> None:
    bob, actor_hash = _somebody()
    assert _ask(bob)
    assert _find_ready() is None
    assert _seconds_to_next() is None
    assert _gathering_of(actor_hash) is None
    assert _find_asked(bob) == b"body"


def test_what_gathered_may_wait_for_an_answer_from_then_on() -> None:
    bob, actor_hash = _somebody()
    _gather(bob)
    assert _ask(bob, body=b"with names")
    assert _gathering_of(actor_hash) is None
    assert _find_asked(bob) == b"with names"
    _gather(bob, TWO)
    assert _what_gathers(actor_hash) == (b"body", False)
    assert _find_asked(bob) == b"with names", "the next that gathers takes nothing away"


def test_what_waits_is_found_by_its_own_person_only() -> None:
    (bob, _), (mallory, _) = _somebody(1), _somebody(2)
    _ask(bob)
    _gather(mallory, TWO)
    assert _find_asked(mallory) is None
    assert _find_asked(mallory, TWO) is None, "what gathers waits for no answer"
    assert _find_asked(bob, TWO) is None


def test_twenty_may_wait_for_one_person() -> None:
    (bob, _), (carol, _) = _somebody(1), _somebody(2)
    assert MOST_ASKED == 20
    ids = [bytes([number]) * 16 for number in range(1, MOST_ASKED + 1)]
    assert all(_ask(bob, one) for one in ids)
    assert not _ask(bob, b"x" * 16)
    assert _find_asked(bob, b"x" * 16) is None
    assert _ask(carol, b"y" * 16), "another's are another's"
    _close(ids[0])
    assert _ask(bob, b"x" * 16)


def test_all_that_waits_for_one_person_is_thrown_away_and_nothing_else() -> None:
    (bob, bobs_hash), (carol, _) = _somebody(1), _somebody(2)
    for composition_id in (ONE, TWO):
        _ask(bob, composition_id)
    _gather(bob, b"3" * 16)
    _ask(carol, b"4" * 16)

    def throw_away() -> bool:
        with durable_transaction() as pipeline:
            return compositions.queue_all_asked_closed(pipeline, bob).value

    assert [throw_away(), throw_away()] == [True, False]
    assert [_find_asked(bob, one) for one in (ONE, TWO)] == [None, None]
    assert _what_gathers(bobs_hash) == (b"body", False)
    assert _find_asked(carol, b"4" * 16) == b"body"


def test_a_composition_is_closed_however_often_that_is_asked_for() -> None:
    bob, _ = _somebody()
    _ask(bob)
    _ask(bob, TWO)
    for _ in range(2):
        _close(ONE)
        assert (_find_asked(bob), _find_asked(bob, TWO)) == (None, b"body")


def test_what_waits_lives_for_a_day_rounded_up_to_the_hour() -> None:
    bob, _ = _somebody()
    _ask(bob)
    assert read_rows(
        """
        SELECT expires_at - now() BETWEEN interval '24 hours' AND interval '25 hours',
            expires_at = date_trunc('hour', expires_at, 'UTC')
        FROM accounts.composition
        """
    ) == [(True, True)]
    assert _purge() == 0
    change_rows("UPDATE accounts.composition SET expires_at = now()")
    assert _find_asked(bob) is None
    assert _purge() == 1


def test_a_body_opens_in_its_own_row_only() -> None:
    bob, _ = _somebody()
    _ask(bob)
    envelope = read_value("SELECT body FROM accounts.composition")
    assert isinstance(envelope, bytes)
    assert compositions.open_composition(Envelope(envelope), composition_id=ONE) == b"body"
    with pytest.raises(EnvelopeUnreadable):
        compositions.open_composition(Envelope(envelope), composition_id=TWO)


def test_a_composition_tells_its_length_in_steps_only() -> None:
    bob, _ = _somebody()

    def length_of(body: bytes) -> object:
        _gather(bob, body=body)
        return read_value("SELECT length(body) FROM accounts.composition")

    assert length_of(b"") == length_of(b"x" * 1500)
    assert length_of(b"x" * 3000) == length_of(b"x" * 3050)
    assert length_of(b"x" * 200_000) != length_of(b"")
