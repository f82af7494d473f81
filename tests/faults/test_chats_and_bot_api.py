"""A chat that must wait or cannot be reached, and a Bot API that fails as a whole: neither loses anything."""

import socket
from dataclasses import replace

import pytest
from delivery_scenes import TEXT, ask_for_one_message
from pytest_django.fixtures import Settings
from stored_rows import change_rows, let_pass, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person
from outbox import telegram_client


def _last(person: Person) -> str:
    return person.sees()[-1].text


def _texts(person: Person) -> list[str]:
    return [message.text for message in person.sees() if message.from_bot]


def _states() -> list[tuple[object, ...]]:
    return read_rows(
        "SELECT state, attempts FROM outbox.intent WHERE state NOT IN ('sent', 'suppressed') ORDER BY 1, 2"
    )


def _known_people(town: Town, number: int) -> list[Person]:
    """So many people who have been greeted, each with a lane of their own in which nothing waits."""
    people = [town.person(f"P{n}") for n in range(number)]
    for person in people:
        person.says("/start")
    town.settle()
    town.sandbox.forget_calls()
    hurry_lanes()
    return people


def _ask_for_help(town: Town, *people: Person) -> None:
    """Their help screens are queued."""
    for person in people:
        person.says("/help")
    town.take_updates()


def _people_asking_for_help(town: Town, number: int) -> list[Person]:
    people = _known_people(town, number)
    _ask_for_help(town, *people)
    return people


def test_a_rate_limit_is_obeyed_to_the_second_and_by_its_chat_only(town: Town) -> None:
    slow, other = _people_asking_for_help(town, 2)
    before = len(_texts(slow))
    town.sandbox.inject_fault("rate_limited", chat_id=slow.id, retry_after_seconds=37)
    pump_due_lanes()
    assert "/inbox" in _last(other)
    assert _states() == [("pending", 0)], "no attempt is used up"
    slow.says("/cancel")
    other.says("/cancel")
    town.take_updates()
    pump_due_lanes()
    assert "nothing to cancel" in _last(other)
    assert len(_texts(slow)) == before, "what comes in meanwhile waits as well"

    let_pass(36)
    assert pump_due_lanes().handled == 0
    let_pass(1)
    assert pump_due_lanes().handled == 2
    help_screen, nothing = _texts(slow)[before:]
    assert ["/inbox" in help_screen, "nothing to cancel" in nothing] == [True, True]


def test_a_rate_limit_that_names_no_time_waits_a_little(town: Town) -> None:
    [slow] = _people_asking_for_help(town, 1)
    town.sandbox.inject_fault("rate_limited_without_parameters", chat_id=slow.id)
    pump_due_lanes()
    let_pass(4)
    assert pump_due_lanes().handled == 0
    let_pass(1)
    assert pump_due_lanes().handled == 1


def test_a_rate_limit_may_come_any_number_of_times(town: Town) -> None:
    [slow] = _people_asking_for_help(town, 1)
    town.sandbox.inject_fault("rate_limited", chat_id=slow.id, count=12)
    assert town.pump() == 13
    assert "/inbox" in _last(slow)


def _bob_has_a_message_and_has_left(town: Town) -> tuple[Person, Person, str]:
    alice, bob, link = ask_for_one_message(town)
    bob.blocks_bot()
    town.settle()
    return alice, bob, link


def test_whoever_blocked_the_bot_loses_nothing_and_hears_on_return(town: Town) -> None:
    alice, bob, link = _bob_has_a_message_and_has_left(town)
    assert count("accounts.account", "NOT reachable") == 1
    assert read_rows("SELECT state, generation, unnoticed, possible_repeat FROM accounts.unread") == [
        ("waiting", 1, False, False)
    ]
    assert count("tickets.ticket", "status = 'sealed' AND payload IS NOT NULL") == 1
    assert _states() == [("failed", 1)] * count("outbox.intent", "state = 'failed'")

    town.writes(alice, link, "one more")
    town.settle()
    assert _last(alice) == outcome_texts.not_taking("en")
    assert count("accounts.unread") == 1
    assert count("tickets.ticket") == 1

    bob.unblocks_bot()
    town.settle()
    assert count("accounts.account", "NOT reachable") == 0
    notice = bob.sees()[-1]
    assert notice.text == outcome_texts.notice("en", count=1)
    bob.taps(notice, "ib:")
    town.settle()
    [message] = town.delivered(bob)
    assert message.text == TEXT
    assert not message.has_button("ir:")


def test_nobody_is_told_of_a_message_while_they_cannot_be_reached(town: Town) -> None:
    alice, _, link = _bob_has_a_message_and_has_left(town)
    change_rows("UPDATE accounts.unread SET unnoticed = true")
    town.sandbox.forget_calls()
    town.settle()
    assert town.sandbox.calls("sendMessage") == []
    town.writes(alice, link, "one more")
    town.settle()
    assert _last(alice) == outcome_texts.not_taking("en")


def test_a_chat_that_is_never_found_is_given_up_like_one_that_blocks(town: Town) -> None:
    _, bob, _ = ask_for_one_message(town)
    town.sandbox.inject_fault("chat_not_found", chat_id=bob.id, count=100)
    town.settle()
    assert count("accounts.account", "NOT reachable") == 1
    assert read_rows("SELECT state, unnoticed FROM accounts.unread") == [("waiting", False)]
    town.sandbox.clear_faults()
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]


def test_a_refused_token_stops_everything_and_loses_nothing(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, TEXT)
    town.settle()
    bob.says("/inbox")
    alice.says("/help")
    town.take_updates()
    town.drain()
    hurry_lanes()
    before = (len(bob.sees()), len(alice.sees()))
    town.sandbox.inject_fault("unauthorized", method="sendMessage", count=1)
    assert pump_due_lanes().handled == 1, "the first refusal is enough"
    for _ in range(2):
        let_pass(29)
        assert pump_due_lanes().handled == 0
    assert (len(bob.sees()), len(alice.sees())) == before
    assert {attempts for _, attempts in _states()} == {0}
    let_pass(2)
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]
    assert "/inbox" in _last(alice)
    assert _states() == []


def test_a_failing_bot_api_is_told_from_failing_chats_and_uses_up_no_attempts(town: Town) -> None:
    people = _people_asking_for_help(town, 8)
    town.sandbox.inject_fault("server_error_json", method="sendMessage", count=1000)
    pump_due_lanes()
    assert len(town.sandbox.calls("sendMessage")) == 5, "the fifth opens the breaker"
    assert _states() == [("pending", 0)] * 4 + [("pending", 1)] * 4
    for _ in range(20):
        hurry_lanes()
        pump_due_lanes()
    assert count("outbox.intent", "state = 'pending' AND attempts <= 1") == 8
    assert read_value("SELECT failures_in_a_row >= 5 FROM outbox.send_pace") is True
    town.sandbox.clear_faults()
    town.pump()
    assert all("/inbox" in _last(person) for person in people)
    assert read_rows("SELECT failures_in_a_row, failed_lane_tag FROM outbox.send_pace") == [(0, None)]


def test_a_bot_api_that_cannot_be_reached_loses_nothing_even_of_one_chat(
    town: Town, settings: Settings
) -> None:
    [person] = _people_asking_for_help(town, 1)
    reached = settings.NEKO
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound and not listening: it refuses
        settings.NEKO = replace(reached, api_url=f"http://127.0.0.1:{nobody.getsockname()[1]}")
        telegram_client.forget_connections()
        for _ in range(12):
            hurry_lanes()
            pump_due_lanes()
    assert _states() == [("pending", 4)]
    settings.NEKO = reached
    telegram_client.forget_connections()
    town.pump()
    assert "/inbox" in _last(person)


@pytest.mark.parametrize("answer", ["rate_limited", "forbidden", "chat_not_found", "ok_without_result"])
def test_any_answer_closes_the_breaker(town: Town, answer: str) -> None:
    heard, *failing = _known_people(town, 5)
    _ask_for_help(town, *failing)
    for person in failing:
        town.sandbox.inject_fault("server_error_json", chat_id=person.id)
    pump_due_lanes()
    assert read_value("SELECT failures_in_a_row FROM outbox.send_pace") == 4
    _ask_for_help(town, heard)
    town.sandbox.inject_fault(answer, chat_id=heard.id)
    pump_due_lanes()
    assert read_rows("SELECT failures_in_a_row, parked_until FROM outbox.send_pace") == [(0, None)]


def test_one_failing_chat_does_not_open_the_breaker(town: Town) -> None:
    failing, other = _people_asking_for_help(town, 2)
    town.sandbox.inject_fault("server_error_json", chat_id=failing.id, count=4)
    pump_due_lanes()
    for _ in range(3):
        hurry_lanes()
        pump_due_lanes()
    assert "/inbox" in _last(other)
    assert read_value("SELECT parked_until FROM outbox.send_pace") is None
    assert _states() == [("pending", 4)]
    town.pump()
    assert "/inbox" in _last(failing)


@pytest.mark.parametrize("fault", ["server_error_html", "reset_before", "rate_limited", "unauthorized"])
def test_an_order_inside_a_chat_survives_a_fault_in_its_middle(town: Town, fault: str) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    for number in range(4):
        town.writes(alice, link, f"number {number}")
        town.settle(notices=False)
    bob.says("/inbox")
    town.take_updates()
    town.drain()
    town.sandbox.inject_fault("ok_without_result", method="sendMessage", chat_id=bob.id, count=2)
    town.sandbox.inject_fault(fault, method="sendMessage", chat_id=bob.id)
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [f"number {number}" for number in range(4)]
    assert count("accounts.unread") == 0
