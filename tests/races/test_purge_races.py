"""An idle lane is purged while something is put into it: whichever comes first, it is sent."""

from encounters import Encounter
from stored_rows import change_rows, intent_states, read_rows
from town import Town, count

import outbox.services
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.pipeline import StatementPipeline, durable_transaction
from nekonymous_site.sandbox.people import Person
from outbox.intent_kinds import IntentKind
from outbox.services import NewIntent


def _say(pipeline: StatementPipeline, person: Person) -> None:
    body = {"account": "", "chat": person.id, "method": "sendMessage", "parameters": {"text": "late"}}
    intent = NewIntent(kind=IntentKind.SCREEN, tag=IntentTag(b"late"), chat_id=ChatId(person.id), body=body)
    outbox.services.queue_intent(pipeline, intent)


def _heard(person: Person) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot]


def _purge() -> int:
    with durable_transaction() as pipeline:
        return outbox.services.queue_expired_purged(pipeline, limit=500).value


def _idle_lane(town: Town) -> Person:
    bob = town.person("Bob")
    bob.says("hello")
    town.settle()
    change_rows("UPDATE outbox.lane SET touched_at = now() - interval '1 hour'")
    assert count("outbox.lane", "due_at IS NULL") == 1
    return bob


def test_a_lane_that_is_being_written_to_is_not_purged(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    encounter = Encounter()

    def enqueue() -> None:
        with durable_transaction() as pipeline:
            _say(pipeline, bob)
            assert pipeline.queue("SELECT 1", read=len).value == 1
            encounter.here()

    def purge_then() -> int:
        assert encounter.was_reached()
        return _purge()

    assert encounter.run(enqueue, purge_then) == [None, 0]
    lasting_town.pump()
    assert _heard(bob)[-1] == "late"


def test_a_lane_that_is_being_purged_is_made_anew(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    encounter = Encounter()

    def purge() -> int:
        with durable_transaction() as pipeline:
            gone = outbox.services.queue_expired_purged(pipeline, limit=500).value
            encounter.here()
            return gone

    def enqueue_then() -> None:
        assert encounter.was_reached()
        with durable_transaction() as pipeline:
            _say(pipeline, bob)

    assert encounter.run(purge, enqueue_then) == [1, None]
    assert read_rows("SELECT position FROM outbox.intent WHERE state = 'pending'") == [(1,)]
    lasting_town.pump()
    assert _heard(bob)[-1] == "late"


def test_a_purge_that_looks_first_and_deletes_later_strands_an_intent(lasting_town: Town) -> None:
    bob = _idle_lane(lasting_town)
    idle = read_rows("SELECT lane_tag FROM outbox.lane WHERE due_at IS NULL")
    with durable_transaction() as pipeline:
        _say(pipeline, bob)
    for (lane_tag,) in idle:
        assert isinstance(lane_tag, bytes)
        change_rows("DELETE FROM outbox.lane WHERE lane_tag = %s", [lane_tag])
    assert lasting_town.pump() == 0
    assert intent_states("screen").count("pending") == 1, "nobody will ever send it"
