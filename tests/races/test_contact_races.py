"""Blocks and withdrawals that meet a drain or a delivery of the same message."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest
from closed_inboxes import Write, acquaint
from django.db import OperationalError
from encounters import Encounter, hold_after
from received import list_parts
from second_message import TEXT, OnItsWay, ask_for_second, drain_second
from stored_rows import intent_states, read_rows
from town import Town, count
from update_calls import TakeUpdate, as_second, waiting_updates

import accounts.contacts
import accounts.inbox
import accounts.selectors
import tickets.services
from accounts.selectors import Actor
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.handlers import withdraw
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.bot.update_intake import IntakeAnswer
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import WithdrawToken
from nekonymous_site.crypto.identifiers import BlockTag
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row, durable_transaction
from nekonymous_site.sandbox.people import Person, SeenMessage
from nekonymous_site.workflows.drain_inbox import drain_one_inbox
from outbox import telegram_client
from outbox.send_result import Failed, FailureKind, SendResult
from outbox.telegram_client import BotApiCall

AGAIN: Final = IntakeAnswer(status=503, retry_after_seconds=5)


def _press(town: Town, person: Person, message: SeenMessage, prefix: str) -> TakeUpdate:
    person.taps(message, prefix)
    [update] = waiting_updates(town)
    return update


def _takes_back(town: Town, story: OnItsWay) -> TakeUpdate:
    return _press(town, story.met.alice, story.acknowledgement, "w:")


def _drain() -> bool:
    with durable_transaction() as pipeline:
        return drain_one_inbox(pipeline)


def _nothing_is_kept() -> bool:
    return count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0


def _nobody_is_blocked(pipeline: StatementPipeline, _tag: BlockTag) -> Answer[bool]:
    return pipeline.queue("SELECT 1 WHERE false", read=any_row)


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_block_before_the_send_calls_off_what_is_on_its_way(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_checked: bool
) -> None:
    story = drain_second(lasting_town)
    block = _press(lasting_town, story.met.bob, story.met.from_alice, "b:")
    assert block().status == 200
    if not is_checked:
        monkeypatch.setattr(accounts.contacts, "queue_is_blocked", _nobody_is_blocked)
    lasting_town.settle()
    assert len(story.arrived()) == (0 if is_checked else 1)
    assert intent_states("ticket")[-1] == ("suppressed" if is_checked else "sent")
    assert _nothing_is_kept()


def test_a_block_at_the_moment_of_the_send_meets_the_next_message(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = drain_second(lasting_town)
    met = story.met
    block = _press(lasting_town, met.bob, met.from_alice, "b:")
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.contacts, "queue_blocked")
        hold_after(encounter, held, accounts.contacts, "queue_is_blocked")
        sent, taken = encounter.run(pump_due_lanes, block)
    assert encounter.met, "neither waits for the other"
    assert isinstance(sent, PumpRun)
    assert isinstance(taken, IntakeAnswer)
    assert taken.body is not None
    assert taken.body["text"] == outcome_texts.blocked("en")
    lasting_town.settle()
    assert len(story.arrived()) == 1
    lasting_town.writes(met.alice, met.link, "one more")
    lasting_town.settle()
    assert met.alice.sees()[-1].text == outcome_texts.not_taking("en")


def test_a_message_that_slips_in_beside_a_block_is_not_delivered(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = acquaint(lasting_town)
    met.alice.opens(met.link)
    lasting_town.settle()
    before = len(list_parts(met.bob))
    met.alice.says(TEXT)
    met.bob.taps(met.from_alice, "b:")
    # Messages and taps come in separate queues, so the two may be taken in either order.
    works = waiting_updates(lasting_town)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.selectors, "queue_recipient_gate")
        hold_after(encounter, held, accounts.contacts, "queue_blocked")
        outcomes = encounter.run(*works)
    assert encounter.met
    assert [one.status for one in outcomes if isinstance(one, IntakeAnswer)] == [200, 200]
    assert count("accounts.unread") == 1, "it was let in"
    lasting_town.settle()
    met.bob.says("/inbox")
    lasting_town.settle()
    assert len(list_parts(met.bob)) == before
    assert _nothing_is_kept()


@pytest.mark.parametrize(
    ("place", "name", "first"),
    [
        (accounts.inbox, "queue_waiting_taken", "drain"),
        (tickets.services, "queue_ticket_withdrawn", "withdrawal"),
    ],
    ids=["the drain comes first", "the withdrawal comes first"],
)
def test_a_withdrawal_and_a_drain_do_not_wait_for_each_other_for_ever(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, place: object, name: str, first: str
) -> None:
    story = ask_for_second(lasting_town)
    take_back = _takes_back(lasting_town, story)
    encounter = Encounter()
    works: dict[str, Callable[[], object]] = {"drain": _drain, "withdrawal": take_back}
    works = {who: work if who == first else as_second(encounter, work) for who, work in works.items()}
    with monkeypatch.context() as held:
        hold_after(encounter, held, place, name)
        drained, taken = encounter.run(works["drain"], works["withdrawal"])
    assert drained is True
    assert isinstance(taken, IntakeAnswer)
    assert taken.status == 200
    assert _nothing_is_kept()
    lasting_town.settle()
    assert len(story.arrived()) == 0
    assert intent_states("ticket")[-1] == "suppressed"
    assert outcome_texts.inbox_empty("en") in [seen.text for seen in story.met.bob.sees()]


@pytest.mark.parametrize("first", ["delivery", "withdrawal"])
def test_a_withdrawal_and_the_record_of_a_delivery_come_one_after_the_other(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """The call has left by then, so the message arrives, once; whoever was second finds its work done."""
    story = drain_second(lasting_town)
    works: dict[str, Callable[[], object]] = {
        "delivery": pump_due_lanes,
        "withdrawal": _takes_back(lasting_town, story),
    }
    encounter = Encounter()
    works = {who: work if who == first else as_second(encounter, work) for who, work in works.items()}
    with monkeypatch.context() as held:
        hold_after(encounter, held, tickets.services, "queue_ticket_viewed")
        hold_after(encounter, held, tickets.services, "queue_ticket_withdrawn")
        sent, taken = encounter.run(works["delivery"], works["withdrawal"])
    assert isinstance(sent, PumpRun)
    assert isinstance(taken, IntakeAnswer)
    assert taken.status == 200
    assert len(story.arrived()) == 1
    assert _nothing_is_kept()
    [(status,)] = read_rows("SELECT status FROM tickets.ticket WHERE status <> 'viewed'") or [("viewed",)]
    assert status == {"delivery": "viewed", "withdrawal": "withdrawn"}[first]


def _withdraw_backwards(
    encounter: Encounter, pipeline: StatementPipeline, token: WithdrawToken, *, sender: Actor
) -> None:
    """The row before the ticket, against the order of everybody else, and waiting for both."""
    assert sender.reachable
    row = "DELETE FROM accounts.unread WHERE withdraw_tag = %s RETURNING 1"
    assert pipeline.queue(row, [blind_tags.unread_withdraw_tag(token.withdraw_secret)], read=any_row).value
    encounter.here()
    ticket = "UPDATE tickets.ticket SET payload = NULL WHERE ticket_hash = %s"
    pipeline.queue_write(ticket, [blind_tags.ticket_hash(token.lookup_nonce)])


def test_a_withdrawal_that_took_the_row_first_would_wait_for_a_delivery_that_waits_for_it(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = drain_second(lasting_town)
    take_back = _takes_back(lasting_town, story)
    encounter = Encounter()
    monkeypatch.setattr(withdraw, "withdraw_message", partial(_withdraw_backwards, encounter))
    hold_after(encounter, monkeypatch, tickets.services, "queue_ticket_viewed")
    sent, taken = encounter.run(pump_due_lanes, take_back)
    is_deadlocked = isinstance(sent, OperationalError) and "deadlock" in str(sent)
    assert is_deadlocked is not (taken == AGAIN), "one of the two was given up"


IN_PARTS: Final = [
    pytest.param(lambda person: person.sends_album([("photo", "one"), ("photo", "two")]), id="an album"),
    pytest.param(lambda person: person.pastes("All of it is for you. " * 500), id="a long text"),
]
WRITINGS: Final = [pytest.param(lambda person: person.says(TEXT), id="a text"), *IN_PARTS]


@pytest.mark.parametrize("write", WRITINGS)
def test_what_is_taken_back_while_its_first_call_is_on_its_way_arrives_whole(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    story = drain_second(lasting_town, write)
    _do_during_the_first_send(monkeypatch, _takes_back(lasting_town, story))
    lasting_town.pump()
    assert story.arrived()
    assert story.arrived()[-1].has_button("i:"), "with the buttons that end it"
    assert _nothing_is_kept()


def _do_during_the_first_send(monkeypatch: pytest.MonkeyPatch, work: TakeUpdate) -> None:
    send, works = telegram_client.send, [work]

    def send_meanwhile(call: BotApiCall) -> SendResult:
        if works and call.parameters.get("protect_content"):
            assert works.pop()().status == 200
        return send(call)

    monkeypatch.setattr(telegram_client, "send", send_meanwhile)


@pytest.mark.parametrize("write", WRITINGS)
def test_what_is_taken_back_while_it_is_opened_arrives_whole_or_not_at_all(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    story = drain_second(lasting_town, write)
    take_back = _takes_back(lasting_town, story)
    encounter = Encounter()
    with monkeypatch.context() as held:
        hold_after(encounter, held, accounts.contacts, "queue_is_blocked")
        sent, taken = encounter.run(pump_due_lanes, as_second(encounter, take_back))
    assert isinstance(sent, PumpRun)
    assert isinstance(taken, IntakeAnswer)
    assert taken.status == 200
    lasting_town.pump()
    assert all(part.has_button("i:") for part in story.arrived()[-1:]), "with the buttons that end it"
    assert _nothing_is_kept()


@pytest.mark.parametrize("write", IN_PARTS)
@pytest.mark.parametrize("act", ["taken back", "blocked"])
def test_what_may_have_begun_to_arrive_is_brought_to_its_end(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, write: Write, act: str
) -> None:
    """The first part has arrived and nobody knows; a message without its buttons must not be left behind."""
    story = drain_second(lasting_town, write)
    with monkeypatch.context() as lossy:
        _lose_the_first_answer(lossy)
        pump_due_lanes()
    assert story.arrived()
    assert not story.arrived()[-1].has_button("i:")
    if act == "taken back":
        assert _takes_back(lasting_town, story)().status == 200
    else:
        assert _press(lasting_town, story.met.bob, story.met.from_alice, "b:")().status == 200
    lasting_town.pump()
    assert story.arrived()[-1].has_button("i:"), "with the buttons that end it"
    assert _nothing_is_kept()


def _lose_the_first_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    send, lost = telegram_client.send, [Failed(kind=FailureKind.UNKNOWN)]

    def send_and_lose(call: BotApiCall) -> SendResult:
        result = send(call)
        return lost.pop() if lost and call.parameters.get("protect_content") else result

    monkeypatch.setattr(telegram_client, "send", send_and_lose)
