"""A dead letter or a parked update is taken up twice at once, or beside the purge: it has one effect."""

from collections.abc import Callable
from functools import partial

import pytest
from encounters import Encounter, hold_after
from poison_scenes import park_a_message, parked_handles
from stored_rows import change_rows, intent_states, read_rows
from town import Town, count
from update_calls import as_second

import accounts.selectors
import accounts.services
import outbox.dead_letters
import outbox.parked_updates
import outbox.services
from nekonymous_site.bot.poison_updates import replay_update
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row, durable_transaction
from nekonymous_site.sandbox.people import Person
from outbox.errors import NotReplayed, WhyNotReplayed
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent

LATE = "late, but here"


def _dead_letter(town: Town) -> tuple[Person, bytes]:
    """Something that could not be sent to Bob."""
    bob = town.person("Bob")
    bob.says("hello")
    town.settle()
    body = {"account": "", "chat": bob.id, "method": "sendMessage", "parameters": {"text": LATE}}
    kind = IntentKind.ACKNOWLEDGEMENT
    with durable_transaction() as pipeline:
        intent = NewIntent(kind=kind, tag=IntentTag(b"late"), chat_id=ChatId(bob.id), body=body)
        outbox.services.queue_intent(pipeline, intent)
    change_rows(
        """
        UPDATE outbox.intent SET state = 'dead', attempts = 5, lane_tag = NULL, position = NULL
        WHERE state = 'pending'
        """
    )
    [(intent_id,)] = read_rows("SELECT intent_id FROM outbox.intent WHERE state = 'dead'")
    assert isinstance(intent_id, bytes)
    return bob, intent_id


def _replay_letter(intent_id: bytes, *, encounter: Encounter) -> None:
    with durable_transaction() as pipeline:
        outbox.dead_letters.queue_letter_replayed(pipeline, intent_id)
        assert pipeline.queue("SELECT 1", read=any_row).value
        encounter.here()


def _purge() -> int:
    with durable_transaction() as pipeline:
        return outbox.services.queue_expired_purged(pipeline, limit=500).value


def _heard(person: Person, text: str) -> int:
    return sum(message.from_bot and message.text.startswith(text) for message in person.sees())


def _whys(outcomes: list[object]) -> list[WhyNotReplayed | None]:
    return [outcome.why if isinstance(outcome, NotReplayed) else None for outcome in outcomes]


def test_a_letter_replayed_twice_at_once_is_sent_once(lasting_town: Town) -> None:
    bob, intent_id = _dead_letter(lasting_town)
    encounter = Encounter()
    replay = partial(_replay_letter, intent_id, encounter=encounter)
    outcomes: list[object] = [*encounter.run(replay, as_second(encounter, replay))]
    assert not encounter.met
    assert _whys(outcomes) == [None, WhyNotReplayed.GONE]
    lasting_town.pump()
    assert _heard(bob, LATE) == 1


def test_a_letter_that_is_being_replayed_is_not_purged(lasting_town: Town) -> None:
    bob, intent_id = _dead_letter(lasting_town)
    change_rows("UPDATE outbox.intent SET created_on = current_date - 31 WHERE state = 'dead'")
    encounter = Encounter()
    replay = partial(_replay_letter, intent_id, encounter=encounter)
    assert encounter.run(replay, as_second(encounter, _purge)) == [None, 0]
    lasting_town.pump()
    assert _heard(bob, LATE) == 1


def test_a_letter_that_is_being_purged_is_not_replayed(lasting_town: Town) -> None:
    bob, intent_id = _dead_letter(lasting_town)
    change_rows("UPDATE outbox.intent SET created_on = current_date - 31 WHERE state = 'dead'")
    encounter = Encounter()

    def purge() -> None:
        with durable_transaction() as pipeline:
            assert outbox.services.queue_expired_purged(pipeline, limit=500).value == 1
            encounter.here()

    replay = partial(_replay_letter, intent_id, encounter=Encounter())
    outcomes: list[object] = [*encounter.run(purge, as_second(encounter, replay))]
    assert _whys(outcomes) == [None, WhyNotReplayed.GONE]
    lasting_town.pump()
    assert _heard(bob, LATE) == 0
    assert count("outbox.intent", "state = 'pending'") == 0


def _replays(town: Town, encounter: Encounter, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """Give two replays of one parked message that meet once they know who wrote it."""
    park_a_message(town)
    replay = partial(replay_update, bytes.fromhex(parked_handles(32)[0]))
    hold_after(encounter, monkeypatch, accounts.selectors, "queue_actor")
    return [replay, as_second(encounter, replay)]


@pytest.mark.parametrize("is_locked", [True, False])
def test_an_update_replayed_twice_at_once_has_one_effect(
    lasting_town: Town,
    monkeypatch: pytest.MonkeyPatch,
    is_locked: bool,  # noqa: FBT001 - a table's column
) -> None:
    """The place among the parked ones is enough; the person's lock alone only keeps the two apart."""
    encounter = Encounter()
    replays = _replays(lasting_town, encounter, monkeypatch)
    if not is_locked:
        monkeypatch.setattr(accounts.services, "queue_actor_lock", lambda *_arguments: None)
    outcomes = encounter.run(*replays)
    assert not encounter.met
    assert _whys(outcomes) == [None, WhyNotReplayed.GONE]
    assert count("tickets.ticket") == 1
    assert intent_states("acknowledgement").count("pending") == 1


def test_without_its_place_an_update_has_two_effects(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    def claim_nothing(pipeline: StatementPipeline, _parked_id: bytes) -> Answer[bool]:
        return pipeline.queue("SELECT 1", read=any_row)

    encounter = Encounter()
    replays = _replays(lasting_town, encounter, monkeypatch)
    monkeypatch.setattr(accounts.services, "queue_actor_lock", lambda *_arguments: None)
    monkeypatch.setattr(outbox.parked_updates, "queue_unparked", claim_nothing)
    outcomes = encounter.run(*replays)
    assert encounter.met
    assert _whys(outcomes) == [None, None]
    assert count("tickets.ticket") == 2


def test_an_update_that_is_being_purged_is_not_replayed(lasting_town: Town) -> None:
    park_a_message(lasting_town)
    parked_id = bytes.fromhex(parked_handles(32)[0])
    change_rows("UPDATE outbox.parked_update SET parked_on = current_date - 8")
    encounter = Encounter()

    def purge() -> None:
        with durable_transaction() as pipeline:
            assert outbox.services.queue_expired_purged(pipeline, limit=500).value == 1
            encounter.here()

    outcomes: list[object] = [*encounter.run(purge, as_second(encounter, partial(replay_update, parked_id)))]
    assert _whys(outcomes) == [None, WhyNotReplayed.GONE]
    assert count("tickets.ticket") == 0
