"""A message that can never be shown ends while others work at the same lanes and the same row."""

import pytest
from closed_inboxes import acquaint
from django.db import DatabaseError
from encounters import Encounter, hold_after
from received import list_own_words
from stored_rows import intent_states, read_rows
from town import Town, count, hurry_lanes
from update_calls import as_second, waiting_updates

import accounts.inbox
import outbox.services
from nekonymous_site.bot import lane_pump, outcome_texts, unshown_texts
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.bot.update_intake import IntakeAnswer
from nekonymous_site.crypto.identifiers import ChatId
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row
from nekonymous_site.sandbox.people import Person


def _granted(pipeline: StatementPipeline, _chat_id: ChatId) -> Answer[bool]:
    return pipeline.queue("SELECT 1", read=any_row)


def _told(person: Person) -> int:
    return list_own_words(person).count(unshown_texts.removed_unshown("en"))


def _photos_both_ways(town: Town) -> tuple[Person, Person]:
    """Alice and Bob have sent each other a photo whose file is gone, and ask for it a second time."""
    met = acquaint(town)
    met.alice.opens(met.link)
    met.alice.sends("photo")
    met.bob.sends("photo", reply_to=met.from_alice)
    town.settle()
    town.sandbox.inject_fault("file_gone", method="sendPhoto", count=100)
    for person in (met.alice, met.bob):
        person.says("/inbox")
    town.settle()
    assert count("accounts.unread", "refused AND state = 'waiting'") == 2
    for person in (met.alice, met.bob):
        person.says("/inbox")
    town.take_updates()
    town.pump()
    while town.drain():
        pass
    hurry_lanes()
    return met.alice, met.bob


@pytest.mark.parametrize("is_tried", [True, False])
def test_two_ends_that_want_each_others_lanes_do_not_wait_for_each_other(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_tried: bool
) -> None:
    """Without the try each waits for the other's lane, and Postgres breaks it."""
    alice, bob = _photos_both_ways(lasting_town)
    encounter = Encounter()
    broken: list[object] = []
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, "queue_unread_refused")
        if not is_tried:
            held.setattr(outbox.services, "queue_lane_tried", _granted)
        _note_broken_records(held, broken)
        pumped = encounter.run(pump_due_lanes, pump_due_lanes)
    assert encounter.met
    assert all(isinstance(one, PumpRun) for one in pumped)
    assert len(broken) == (0 if is_tried else 1)
    if is_tried:
        assert intent_states("ticket")[-4:].count("sending") == 0
        left = count("accounts.unread", "refused AND state = 'waiting'")
        assert left in (1, 2), "each left the other its lane, or the first was done before the second tried"
        for person in (alice, bob):
            person.says("/inbox")
            lasting_town.settle()
        assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0
        assert (_told(alice), _told(bob)) == (1, 1)


def _note_broken_records(monkeypatch: pytest.MonkeyPatch, broken: list[object]) -> None:
    record = lane_pump._record

    def note(*given: object) -> str:
        try:
            return record(*given)  # type: ignore[arg-type]
        except DatabaseError as error:
            broken.append(error)
            raise

    monkeypatch.setattr(lane_pump, "_record", note)


def test_a_withdrawal_at_that_moment_waits_and_is_answered_as_ever(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = acquaint(lasting_town)
    met.alice.opens(met.link)
    met.alice.sends("photo")
    lasting_town.settle()
    sent = met.alice.sees()[-1]
    lasting_town.sandbox.inject_fault("file_gone", method="sendPhoto", count=100)
    met.bob.says("/inbox")
    lasting_town.settle()
    met.bob.says("/inbox")
    lasting_town.take_updates()
    lasting_town.pump()
    assert lasting_town.drain()
    hurry_lanes()
    met.alice.taps(sent, "w:")
    [withdraw] = waiting_updates(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.inbox, "queue_unread_refused")
        pumped, taken = encounter.run(pump_due_lanes, as_second(encounter, withdraw))
    assert isinstance(pumped, PumpRun)
    assert isinstance(taken, IntakeAnswer)
    assert taken.body is not None
    assert taken.body["text"] == outcome_texts.withdraw_answer("en")
    lasting_town.settle()
    assert read_rows("SELECT 1 FROM accounts.unread") == []
    assert count("tickets.ticket", "payload IS NOT NULL") == 0
    assert _told(met.alice) == 1
    assert intent_states("acknowledgement").count("dead") == 0
