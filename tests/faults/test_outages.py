"""What concerns one chat is told from what concerns all: limits of several, outages that meet one."""

import pytest
from bystanders import let_others_be_answered
from delivery_scenes import TEXT, ask_for_one_message
from stored_rows import change_rows, intent_states, let_pass, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person
from nekonymous_site.workflows.purge_expired import purge_expired

MINUTES_OF_AN_HOUR = 60


def _ask_for_help(town: Town, number: int) -> list[Person]:
    people = [town.person(f"P{n}") for n in range(number)]
    for person in people:
        person.says("/start")
    town.settle()
    hurry_lanes()
    for person in people:
        person.says("/help")
    town.take_updates()
    return people


def _has_help(person: Person) -> bool:
    return "/inbox" in person.sees()[-1].text


def _is_everything_parked() -> object:
    return read_value("SELECT parked_until > now() FROM outbox.send_pace")


def test_a_second_chat_that_must_wait_within_a_second_parks_everybody(town: Town) -> None:
    first, second, other = _ask_for_help(town, 3)
    for person in (first, second):
        town.sandbox.inject_fault("rate_limited", chat_id=person.id, retry_after_seconds=9)
    pump_due_lanes()
    assert _is_everything_parked() is True
    assert read_value("SELECT parked_until <= now() + interval '9 seconds' FROM outbox.send_pace") is True
    let_pass(8)
    assert pump_due_lanes().handled == 0
    let_pass(2)
    town.pump()
    assert all(_has_help(person) for person in (first, second, other))
    assert intent_states("screen") == ["sent"] * len(intent_states("screen"))


@pytest.mark.parametrize("same_chat", [True, False])
def test_chats_that_must_wait_at_other_times_wait_alone(town: Town, *, same_chat: bool) -> None:
    first, second = _ask_for_help(town, 2)
    town.sandbox.inject_fault("rate_limited", chat_id=first.id)
    pump_due_lanes()
    if not same_chat:
        change_rows("UPDATE outbox.send_pace SET limited_at = limited_at - interval '2 seconds'")
    next_slow = first if same_chat else second
    next_slow.says("/help")
    town.take_updates()
    hurry_lanes()
    town.sandbox.inject_fault("rate_limited", chat_id=next_slow.id)
    pump_due_lanes()
    assert count("outbox.intent", "state = 'pending'") >= 1
    assert not _is_everything_parked()
    town.pump()
    assert _has_help(first)
    assert _has_help(second)


def test_who_had_to_wait_is_forgotten_with_the_pace(town: Town) -> None:
    [slow] = _ask_for_help(town, 1)
    town.sandbox.inject_fault("rate_limited", chat_id=slow.id)
    pump_due_lanes()
    assert read_value("SELECT limited_lane_tag IS NOT NULL FROM outbox.send_pace") is True
    town.pump()
    change_rows(
        """
        UPDATE outbox.send_pace SET paced_until = now() - interval '4 minutes', parked_until = NULL,
            limited_at = now() - interval '4 minutes'
        """
    )
    with durable_transaction() as pipeline:
        purge_expired(pipeline)
    assert read_rows("SELECT limited_at, limited_lane_tag FROM outbox.send_pace") == [(None, None)]


def _break_everything(town: Town, fault: str) -> None:
    for method in ("sendMessage", "editMessageText"):
        town.sandbox.inject_fault(fault, method=method, count=10_000)


@pytest.mark.parametrize("fault", ["server_error_json", "server_error_html", "reset_before"])
def test_an_hours_outage_that_meets_one_chat_alone_kills_nothing(town: Town, fault: str) -> None:
    alice, bob, _ = ask_for_one_message(town)
    town.pump()
    alice.says("is anybody there?")  # is told that this was sent nowhere
    town.take_updates()
    assert town.drain()
    _break_everything(town, fault)
    for _ in range(MINUTES_OF_AN_HOUR):
        let_pass(60)
        pump_due_lanes()
    assert count("outbox.intent", "state = 'dead'") == 0
    assert read_value("SELECT max(attempts) < 5 FROM outbox.intent WHERE state <> 'sent'") is True
    assert read_rows("SELECT state, generation FROM accounts.unread") == [("sending", 0)]
    town.sandbox.clear_faults()
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]
    assert alice.sees()[-1].from_bot


def test_a_chat_that_always_fails_uses_up_its_attempts_beside_others_who_are_answered(town: Town) -> None:
    _, bob, _ = ask_for_one_message(town)
    town.pump()
    assert town.drain()
    town.sandbox.inject_fault("server_error_json", chat_id=bob.id, count=10_000)
    for _ in range(6):
        hurry_lanes()
        pump_due_lanes()
        let_others_be_answered()
    assert intent_states("ticket") == ["failed"]
    assert read_rows("SELECT state, generation FROM accounts.unread") == [("waiting", 1)]


def test_a_screen_that_a_proxy_speaks_of_is_tried_again(town: Town) -> None:
    bob, _ = town.owner()
    bob.says("/help")
    town.take_updates()
    town.sandbox.inject_fault("server_error_html", method="sendMessage", chat_id=bob.id)
    town.pump()
    assert _has_help(bob)


def test_the_last_word_of_a_count_comes_anew_when_its_reader_has_deleted_the_message(town: Town) -> None:
    _, bob, _ = ask_for_one_message(town)
    town.pump()
    [counting] = [one for one in bob.sees() if one.text == outcome_texts.progress("en", delivered=0, total=1)]
    bob.deletes(counting)
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]
    assert bob.sees()[-1].text == outcome_texts.progress_done("en", delivered=1)
    assert count("outbox.lane", "progress_total IS NOT NULL OR due_at IS NOT NULL") == 0
