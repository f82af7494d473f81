"""A message of several calls that is torn on its way: it is resumed at the missing part, and says so."""

import pytest
from delivery_scenes import vanish_while_sending
from inbox_steps import fill_inbox
from parts_scenes import album_on_its_way, list_texts, paste_on_its_way, send_parts
from received import fetch, list_own_words, list_parts, with_buttons
from stored_rows import expire_leases, intent_states, read_rows
from town import Town, count, hurry_lanes

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person

REPEAT = "ir:"
CARD = outcome_texts.ticket_card("en")[0]
ALBUM = [["one", "two", "three"], [CARD]]
PASTE = [["0"], ["1"], ["2"]]
each_call = pytest.mark.parametrize(
    ("content", "place"), [(PASTE, 0), (PASTE, 1), (PASTE, 2), (ALBUM, 0), (ALBUM, 1)]
)


def _on_its_way(town: Town, content: list[list[str]]) -> Person:
    return album_on_its_way(town) if content is ALBUM else paste_on_its_way(town)


def _expected(content: list[list[str]], *, place: int, copies: int) -> list[str]:
    """The parts of all calls, those of the call at this place so many times."""
    calls = [call * (copies if number == place else 1) for number, call in enumerate(content)]
    return [part for call in calls for part in call]


def _assert_is_over(person: Person, *, marked: bool) -> None:
    """The message is delivered and wiped; the mark stands on the last part with buttons alone."""
    last = list_parts(person)[-1]
    assert last.has_button("r:")
    assert last.has_button(REPEAT) is marked
    assert sum(part.has_button(REPEAT) for part in list_parts(person)) == marked
    assert count("accounts.unread") == 0
    assert count("tickets.ticket", "status = 'viewed' AND payload IS NULL") == 1
    assert intent_states("ticket") == ["sent"]


@each_call
@pytest.mark.parametrize(("after_the_call", "copies"), [(False, 1), (True, 2)])
def test_a_worker_that_vanishes_leaves_the_rest_to_another(
    town: Town, content: list[list[str]], place: int, copies: int, *, after_the_call: bool
) -> None:
    bob = _on_its_way(town, content)
    send_parts(place)
    hurry_lanes()
    vanish_while_sending(after_the_call=after_the_call)
    assert pump_due_lanes().handled == 0, "while the lease lives nobody else may"
    expire_leases()
    town.pump()
    assert list_texts(bob) == _expected(content, place=place, copies=copies)
    _assert_is_over(bob, marked=True)


@each_call
def test_a_worker_that_vanishes_between_two_parts_leaves_no_mark(
    town: Town, content: list[list[str]], place: int
) -> None:
    bob = _on_its_way(town, content)
    send_parts(place)
    assert read_rows("SELECT parts_sent FROM outbox.intent WHERE kind = 'ticket'") == [(place,)]
    town.pump()
    assert list_texts(bob) == _expected(content, place=place, copies=1)
    _assert_is_over(bob, marked=False)


FAULTS = {
    "rate_limited": 1,
    "rate_limited_without_parameters": 1,
    "server_error_json": 1,
    "server_error_html": 1,
    "ok_without_result": 1,
    "unknown_union_in_answer": 1,
    "ok_html": 2,
    "reset_after": 2,
    "reset_before": 1,
}
NOBODY_KNEW = ("ok_html", "reset_after", "reset_before", "server_error_html")


def _break_next_delivery(town: Town, person: Person, fault: str, *, times: int = 1) -> None:
    for method in ("sendMessage", "sendMediaGroup"):
        town.sandbox.inject_fault(fault, method=method, chat_id=person.id, count=times)


@each_call
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_one_part_repeats_that_part_alone(
    town: Town, content: list[list[str]], place: int, fault: str
) -> None:
    bob = _on_its_way(town, content)
    send_parts(place)
    _break_next_delivery(town, bob, fault)
    send_parts(1)
    town.sandbox.clear_faults()
    town.pump()
    assert list_texts(bob) == _expected(content, place=place, copies=FAULTS[fault])
    _assert_is_over(bob, marked=fault in NOBODY_KNEW)


@each_call
@pytest.mark.parametrize("fault", ["server_error_json", "reset_before"])
def test_a_part_that_does_not_get_through_sends_the_message_back(
    town: Town, content: list[list[str]], place: int, fault: str
) -> None:
    bob = _on_its_way(town, content)
    send_parts(place)
    _break_next_delivery(town, bob, fault, times=5)
    send_parts(5)
    town.sandbox.clear_faults()
    may_repeat = place > 0 or fault == "reset_before"
    assert intent_states("ticket") == ["failed"]
    assert read_rows("SELECT state, generation, unnoticed, possible_repeat FROM accounts.unread") == [
        ("waiting", 1, True, may_repeat)
    ]
    assert count("tickets.ticket", "payload IS NOT NULL") == 1
    before = len(list_texts(bob))
    town.settle()
    fetch(town, bob)
    assert list_texts(bob)[before:] == _expected(content, place=0, copies=1)
    last = list_parts(bob)[-1]
    assert last.has_button(REPEAT) is may_repeat
    assert count("accounts.unread") == 0


def test_the_attempts_of_one_part_are_not_those_of_the_next(town: Town) -> None:
    bob = paste_on_its_way(town)
    for _ in range(3):
        _break_next_delivery(town, bob, "server_error_json", times=4)
        send_parts(4)
        town.sandbox.clear_faults()
        send_parts(1)
    assert list_texts(bob) == ["0", "1", "2"]
    _assert_is_over(bob, marked=False)


@pytest.mark.parametrize("fault", ["rate_limited", "server_error_json", "ok_html"])
def test_nothing_comes_between_the_parts(town: Town, fault: str) -> None:
    bob = paste_on_its_way(town, then="X, the next message")
    send_parts(1)
    _break_next_delivery(town, bob, fault, times=2)
    for _ in range(20):
        hurry_lanes()
        pump_due_lanes()
    town.sandbox.clear_faults()
    town.pump()
    seen = list_texts(bob)
    assert list(dict.fromkeys(seen)) == ["0", "1", "2", "X"]
    assert seen == sorted(seen)
    assert count("accounts.unread") == 0


def test_an_album_that_is_refused_goes_back_and_holds_up_nothing(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    sent = alice.sends_album([("photo", "one"), ("photo", "two")])
    town.settle()
    # Telegram may forget what an id stood for; here it now stands for something else.
    [first] = [message for message in alice.sees() if message.message_id == sent[0].message_id]
    alice.sends("voice", extra={"file_id": first.file_id})
    town.writes(alice, link, "the next one")
    town.settle()
    assert [part.text for part in fetch(town, bob)] == ["the next one"]
    assert read_rows("SELECT state, unnoticed, possible_repeat FROM accounts.unread") == [
        ("waiting", False, False)
    ]
    assert outcome_texts.progress_left("en", delivered=1, left=1) in list_own_words(bob)
    assert count("accounts.account", "NOT reachable") == 0


def test_a_block_between_two_parts_concerns_the_next_message(town: Town) -> None:
    bob, [alice] = fill_inbox(town, ["first"])
    [first] = fetch(town, bob)
    alice.taps(alice.sees()[-1], "c:")
    town.settle()
    alice.sends_album([("photo", "one"), ("photo", "two")])
    town.settle()
    bob.says("/inbox")
    town.take_updates()
    town.pump()
    assert town.drain()
    send_parts(1)
    bob.taps(first, "b:")
    town.settle()
    parts = list_parts(bob)[1:]
    assert with_buttons(parts) == [False, False, True]
    assert count("accounts.block") == 1
    assert count("accounts.unread") == 0
