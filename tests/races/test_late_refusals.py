"""A refusal whose call left before its person came back, recorded after it: it must not judge them."""

import json
from collections.abc import Callable

import pytest
from closed_inboxes import hash_of
from delivery_scenes import ask_for_messages
from encounters import Encounter, hold_after
from stored_rows import change_rows, intent_states, read_rows, read_value
from town import Town, count, hurry_lanes

import accounts.selectors
import accounts.services
from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.lane_pump import PumpRun, pump_due_lanes
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row
from nekonymous_site.sandbox.people import Person
from outbox import telegram_client
from outbox.delivery_policy import Decision
from outbox.send_result import SendResult
from outbox.telegram_client import BotApiCall


def _as_decided(*_arguments: object, decision: Decision, **_named: object) -> Decision:
    return decision


def _granted(pipeline: StatementPipeline, _account_id: AccountId) -> Answer[bool]:
    return pipeline.queue("SELECT 1", read=any_row)


def _is_reachable(person: Person) -> object:
    return read_value("SELECT reachable FROM accounts.account WHERE actor_hash = %s", [hash_of(person)])


def _meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen between the next refusal and its record."""
    send = telegram_client.send

    def send_and_act(call: BotApiCall) -> SendResult:
        result = send(call)
        monkeypatch.setattr(telegram_client, "send", send)
        act()
        return result

    monkeypatch.setattr(telegram_client, "send", send_and_act)


def _returns(town: Town, bob: Person, *, writes: bool) -> Callable[[], None]:
    def act() -> None:
        bob.unblocks_bot()
        if writes:
            bob.says("/help")
        town.take_updates()

    return act


@pytest.mark.parametrize("is_reconsidered", [True, False])
@pytest.mark.parametrize("writes", [True, False], ids=["writes", "only lets the bot in"])
def test_whoever_returns_while_a_refusal_is_under_way_stays_reachable(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, writes: bool, is_reconsidered: bool
) -> None:
    bob = ask_for_messages(lasting_town, messages=3)
    bob.blocks_bot()
    _meanwhile(monkeypatch, _returns(lasting_town, bob, writes=writes))
    if not is_reconsidered:
        monkeypatch.setattr(lane_pump, "reconsider_refusal", _as_decided)
    pump_due_lanes()
    assert _is_reachable(bob) is is_reconsidered
    lasting_town.settle()
    arrived = [message.text[-1] for message in lasting_town.delivered(bob)]
    assert arrived == (["0", "1", "2"] if is_reconsidered else [])
    assert _is_reachable(bob) is is_reconsidered


@pytest.mark.parametrize("is_tried", [True, False])
def test_somebody_who_is_writing_at_that_moment_is_not_judged(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch, *, is_tried: bool
) -> None:
    """The update has read an account that can be reached, and has queued no answer yet."""
    bob = ask_for_messages(lasting_town)
    lasting_town.sandbox.inject_fault("forbidden", chat_id=bob.id)
    bob.says("/help")
    [update] = fetch_updates(offset=lasting_town._offset, wait_seconds=0)
    encounter = Encounter()

    def pump() -> object:
        assert encounter.was_reached()
        return pump_due_lanes()

    with monkeypatch.context() as held:
        if not is_tried:
            held.setattr(accounts.services, "queue_actor_tried", _granted)
        hold_after(encounter, held, accounts.selectors, "queue_actor")
        taken, pumped = encounter.run(lambda: take_update(json.dumps(update).encode()), pump)
    assert taken == IntakeAnswer(status=200)
    assert isinstance(pumped, PumpRun)
    assert _is_reachable(bob) is is_tried
    lasting_town.settle()
    assert _is_reachable(bob) is is_tried
    assert len(lasting_town.delivered(bob)) == (1 if is_tried else 0)


def test_what_others_ask_for_meanwhile_costs_one_call_more_and_saves_nobody(
    lasting_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = ask_for_messages(lasting_town)
    change_rows("UPDATE accounts.unread SET unnoticed = true")
    bob.blocks_bot()
    lasting_town.sandbox.forget_calls()
    _meanwhile(monkeypatch, lasting_town.notify)
    hurry_lanes()
    pump_due_lanes()
    assert _is_reachable(bob) is True
    assert read_rows("SELECT state, attempts FROM outbox.intent WHERE kind = 'ticket'") == [("pending", 0)]
    lasting_town.pump()
    assert _is_reachable(bob) is False
    assert intent_states("ticket") == ["failed"]
    assert read_rows("SELECT state FROM accounts.unread") == [("waiting",)]
    assert count("tickets.ticket", "payload IS NOT NULL") == 1
    tickets = [
        call for call in lasting_town.sandbox.calls("sendMessage") if "protect_content" in call["params"]
    ]
    assert len(tickets) == 2
