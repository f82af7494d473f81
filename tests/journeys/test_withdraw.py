"""Taking a message back: gone for good before its delivery, no effect after it, and always one answer."""

import secrets
from collections.abc import Callable
from typing import Any, Final

import pytest
from closed_inboxes import account_of, acquaint, answers_to, fetch_only
from inbox_steps import begin_delivery, let_a_second_pass
from plane_people import fill_inbox
from received import list_parts
from second_message import drain_second
from stored_rows import change_rows, intent_states, read_rows
from town import Town, count

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.crypto import base64url
from nekonymous_site.sandbox.people import Person, SeenMessage

ANSWER: Final = outcome_texts.withdraw_answer("en")
PARTS: Final = [
    pytest.param(lambda person: person.sends_album([("photo", "one"), ("video", "two")]), id="an album"),
    pytest.param(lambda person: person.pastes("All of it is for you. " * 500), id="a long text"),
]


def _alice_has_written(town: Town, text: str = "I regret this") -> tuple[Person, Person, SeenMessage]:
    """Bob, Alice, and the acknowledgement that she can take her message back with."""
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, text)
    town.settle(notices=False)
    return bob, alice, alice.sees()[-1]


def _take_back(town: Town, person: Person, acknowledgement: SeenMessage) -> None:
    """Press the button, wherever the message is by now, without anything else going on."""
    tap = person.taps(acknowledgement, "w:")
    town.take_updates()
    assert person.awaits_toast(tap).text == ANSWER


def _nothing_is_kept() -> bool:
    """No unread row and no payload; of the ticket only what no longer says anything."""
    sealed = "payload IS NOT NULL OR withdraw_tag IS NOT NULL OR status = 'sealed'"
    return count("accounts.unread") == 0 and count("tickets.ticket", sealed) == 0


def test_what_is_taken_back_before_the_notice_is_never_announced_nor_delivered(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    seen_before = len(bob.sees())
    _take_back(town, alice, acknowledgement)
    assert _nothing_is_kept()
    town.settle()
    assert len(bob.sees()) == seen_before
    bob.says("/inbox")
    town.settle()
    assert bob.sees()[-1].text == outcome_texts.inbox_empty("en")
    assert town.delivered(bob) == []
    assert intent_states("ticket") == []


def test_a_notice_whose_message_is_taken_back_before_it_leaves_is_not_sent(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    seen_before = len(bob.sees())
    assert town.notify() == 1
    _take_back(town, alice, acknowledgement)
    town.settle()
    assert len(bob.sees()) == seen_before
    assert intent_states("notice") == ["suppressed"]


def test_a_notice_counts_what_is_left(town: Town) -> None:
    bob, link = town.owner()
    alice, carol = town.person("Alice"), town.person("Carol")
    for person in (alice, carol):
        town.writes(person, link, f"from {person.first_name}")
    town.settle(notices=False)
    _take_back(town, alice, alice.sees()[-1])
    town.settle()
    assert bob.sees()[-1].text == outcome_texts.notice("en", count=1)
    assert fetch_only(town, bob).text == "from Carol"


def test_what_is_taken_back_on_its_way_does_not_arrive(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    town.settle()
    begin_delivery(town, bob)
    assert read_rows("SELECT state FROM accounts.unread") == [("sending",)]
    _take_back(town, alice, acknowledgement)
    assert _nothing_is_kept()
    town.settle()
    assert town.delivered(bob) == []
    assert intent_states("ticket") == ["suppressed"]
    assert count("outbox.intent", "kind = 'ticket' AND body IS NOT NULL") == 0
    assert outcome_texts.inbox_empty("en") in [message.text for message in bob.sees()]


def test_what_is_taken_back_between_the_press_and_the_drain_does_not_arrive(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    bob.says("/inbox")
    town.take_updates()
    _take_back(town, alice, acknowledgement)
    town.settle()
    assert town.delivered(bob) == []
    assert bob.sees()[-1].text == outcome_texts.inbox_empty("en")


def test_after_the_delivery_nothing_changes(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    delivered = fetch_only(town, bob)
    rows = read_rows("SELECT * FROM tickets.ticket")
    _take_back(town, alice, acknowledgement)
    town.settle()
    assert read_rows("SELECT * FROM tickets.ticket") == rows
    assert town.delivered(bob) == [delivered]
    bob.taps(delivered, "r:")
    bob.says("I have read it")
    assert fetch_only(town, alice).text == "I have read it"


def test_an_answer_can_be_taken_back_like_a_first_message(town: Town) -> None:
    met = acquaint(town)
    met.bob.says("a hasty answer", reply_to=met.from_alice)
    town.settle(notices=False)
    _take_back(town, met.bob, met.bob.sees()[-1])
    assert _nothing_is_kept()
    met.alice.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(met.alice)] == [met.from_bob.text]


def test_what_is_set_aside_can_be_taken_back(town: Town) -> None:
    _, alice, acknowledgement = _alice_has_written(town)
    change_rows("UPDATE accounts.unread SET state = 'filtered'")
    _take_back(town, alice, acknowledgement)
    assert _nothing_is_kept()


def test_what_is_taken_back_gives_its_place_to_somebody_else(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    fill_inbox(account_of(bob), count=49)
    carol = town.person("Carol")
    link = next(found for seen in bob.sees() if (found := seen.find_start_link()))
    town.writes(carol, link, "no room")
    town.settle(notices=False)
    assert carol.sees()[-1].text == outcome_texts.not_taking("en")
    _take_back(town, alice, acknowledgement)
    town.writes(carol, link, "the fiftieth")
    town.settle(notices=False)
    assert carol.sees()[-1].text == outcome_texts.accepted("en")


def test_whoever_has_taken_a_message_back_can_write_another_one_from_there(town: Town) -> None:
    bob, alice, acknowledgement = _alice_has_written(town)
    _take_back(town, alice, acknowledgement)
    town.settle()
    [changed] = [seen for seen in alice.sees() if seen.message_id == acknowledgement.message_id]
    assert changed.text == ANSWER
    assert not changed.has_button("w:")
    alice.taps(changed, "c:")
    alice.says("what I meant")
    assert fetch_only(town, bob).text == "what I meant"


@pytest.mark.parametrize("write", PARTS)
def test_before_its_first_part_a_message_in_parts_is_gone_whole(
    town: Town, write: Callable[[Person], object]
) -> None:
    bob, alice, acknowledgement = _in_parts(town, write)
    begin_delivery(town, bob)
    _take_back(town, alice, acknowledgement)
    assert _nothing_is_kept()
    town.settle()
    assert list_parts(bob) == []


@pytest.mark.parametrize("write", PARTS)
def test_between_two_parts_a_message_cannot_be_taken_back_and_arrives_whole(
    town: Town, write: Callable[[Person], object]
) -> None:
    bob, alice, acknowledgement = _in_parts(town, write)
    begin_delivery(town, bob)
    let_a_second_pass()
    begun = len(list_parts(bob))
    assert begun
    assert town.delivered(bob) == [], "its buttons are still to come"
    _take_back(town, alice, acknowledgement)
    town.settle()
    assert len(list_parts(bob)) == begun + (1 if begun == 2 else 2), "the card, or two more parts"
    assert len(town.delivered(bob)) == 1
    assert _nothing_is_kept()
    assert read_rows("SELECT status FROM tickets.ticket") == [("viewed",)]


def _in_parts(town: Town, write: Callable[[Person], object]) -> tuple[Person, Person, SeenMessage]:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    write(alice)
    town.settle()
    return bob, alice, alice.sees()[-1]


Answer = tuple[str, list[tuple[str, dict[str, Any]]]]


def _press(town: Town, person: Person, message: SeenMessage, data: str) -> Answer:
    """What a press brings: the words over the button, and every call to the chat except the toast's own."""
    taps = []
    calls = answers_to(town, person, lambda one: taps.append(one.taps_data(message, data)))
    for _, params in calls:
        assert params.pop("message_id") == message.message_id
    return person.awaits_toast(taps[0]).text, calls


def test_the_answer_is_one_and_the_same_wherever_the_message_is(town: Town) -> None:
    bob, link = town.owner()
    answers: list[Answer] = []
    for happens in ("nothing", "set aside", "asked for", "delivered", "taken back", "expired"):
        alice = town.person("Alice")
        town.writes(alice, link, "I regret this")
        town.settle(notices=False)
        acknowledgement = alice.sees()[-1]
        data = acknowledgement.button("w:").callback_data
        assert data
        _let_happen(town, happens, bob=bob, sender=alice, acknowledgement=acknowledgement)
        answers.append(_press(town, alice, acknowledgement, data))
    assert answers[0][0] == ANSWER
    assert [call for call, _ in answers[0][1]] == ["editMessageText"]
    assert answers == answers[:1] * 6


def _let_happen(town: Town, what: str, *, bob: Person, sender: Person, acknowledgement: SeenMessage) -> None:
    match what:
        case "set aside":
            change_rows("UPDATE accounts.unread SET state = 'filtered' WHERE state = 'waiting'")
        case "asked for":
            begin_delivery(town, bob)
        case "delivered":
            bob.says("/inbox")
            town.settle()
        case "taken back":
            _take_back(town, sender, acknowledgement)
            town.settle()
        case "expired":
            change_rows("UPDATE tickets.ticket SET expires_on = current_date")


def test_a_stolen_token_and_invented_data_do_nothing_and_are_answered_alike(town: Town) -> None:
    bob, _, acknowledgement = _alice_has_written(town)
    token = acknowledgement.button("w:").callback_data
    assert token
    mallory = town.person("Mallory")
    mallory.says("/help")
    town.settle()
    rows = read_rows("SELECT * FROM tickets.ticket"), read_rows("SELECT * FROM accounts.unread")
    invented = "w:" + base64url.encode(secrets.token_bytes(32))
    zeros = "w:" + base64url.encode(bytes(32))
    answers = [
        _press(town, mallory, mallory.sees()[-1], data)
        for data in (token, invented, zeros, "w:", "w:x", token[:-1], token + "A", token + "=")
    ]
    assert answers[0][0] == ANSWER
    assert answers == answers[:1] * 8
    assert (read_rows("SELECT * FROM tickets.ticket"), read_rows("SELECT * FROM accounts.unread")) == rows
    assert fetch_only(town, bob).text == "I regret this"


def test_half_a_token_is_worth_nothing(town: Town) -> None:
    """The number of somebody's ticket with another secret, and the secret with another number."""
    bob, alice, acknowledgement = _alice_has_written(town)
    data = acknowledgement.button("w:").callback_data
    assert data
    token = base64url.decode(data.removeprefix("w:"))
    for halves in ((token[:16], secrets.token_bytes(16)), (secrets.token_bytes(16), token[16:])):
        forged = "w:" + base64url.encode(b"".join(halves))
        assert _press(town, alice, alice.sees()[-1], forged)[0] == ANSWER
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 1
    assert fetch_only(town, bob).text == "I regret this"


@pytest.mark.parametrize("fault", ["rate_limited", "forbidden"])
def test_an_album_whose_first_call_was_refused_can_still_be_taken_back(town: Town, fault: str) -> None:
    story = drain_second(town, lambda person: person.sends_album([("photo", ""), ("photo", "")]))
    town.sandbox.inject_fault(fault, method="sendMediaGroup", chat_id=story.met.bob.id)
    assert pump_due_lanes().handled >= 1
    story.met.alice.taps(story.acknowledgement, "w:")
    story.met.bob.says("/inbox")
    town.settle()
    assert story.arrived() == []
    assert count("tickets.ticket", "status = 'withdrawn'") == 1
