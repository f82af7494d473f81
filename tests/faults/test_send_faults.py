"""Each fault of the Bot API meets each kind of intent: what is written at once, what is seen in the end."""

from dataclasses import dataclass

import pytest
from bystanders import pump_beside_others
from delivery_scenes import TEXT, ask_for_one_message
from stored_rows import read_rows
from town import Town, count, hurry_lanes

from nekonymous_site.bot import message_content
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person, SeenMessage
from outbox import telegram_client
from tests.sandbox.sandbox_process import await_that

REPEAT = "ir:"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """After the first try: the intent's state and counted attempts. In the end: how many copies are seen."""

    state: str
    attempts: int
    copies: int
    nobody_knew: bool = False


FAULTS = {
    "rate_limited": _Outcome(state="pending", attempts=0, copies=1),
    "rate_limited_without_parameters": _Outcome(state="pending", attempts=0, copies=1),
    "server_error_json": _Outcome(state="pending", attempts=1, copies=1),
    "server_error_html": _Outcome(state="unknown_after_send", attempts=1, copies=1, nobody_knew=True),
    "unauthorized": _Outcome(state="pending", attempts=0, copies=1),
    "chat_not_found": _Outcome(state="pending", attempts=1, copies=1),
    "reset_before": _Outcome(state="unknown_after_send", attempts=1, copies=1, nobody_knew=True),
    "reset_after": _Outcome(state="unknown_after_send", attempts=1, copies=2, nobody_knew=True),
    "ok_html": _Outcome(state="unknown_after_send", attempts=1, copies=2, nobody_knew=True),
    "hang_then_delivered": _Outcome(state="unknown_after_send", attempts=1, copies=2, nobody_knew=True),
    "ok_without_result": _Outcome(state="sent", attempts=1, copies=1),
    "unknown_union_in_answer": _Outcome(state="sent", attempts=1, copies=1),
}

every_fault = pytest.mark.parametrize("fault", FAULTS)


@pytest.fixture
def impatient_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for an answer for a moment only, so that a call that hangs costs no test its patience."""
    monkeypatch.setattr(telegram_client, "READ_TIMEOUT_SECONDS", 0.3)
    telegram_client.forget_connections()


def _break(town: Town, person: Person, fault: str, *, times: int = 1) -> None:
    town.sandbox.inject_fault(fault, method="sendMessage", chat_id=person.id, count=times, hang_seconds=0.8)


def _try_once() -> None:
    hurry_lanes()
    pump_due_lanes()


def _state_of(kind: str) -> list[tuple[object, ...]]:
    return read_rows(
        """
        SELECT state, attempts FROM outbox.intent WHERE kind = %s
        ORDER BY (state IN ('sent', 'suppressed')), created_on
        """,
        [kind],
    )[:1]


def _ticket_on_its_way(town: Town) -> tuple[Person, Person]:
    """Alice's message has been asked for by Bob and is the next thing to be sent."""
    alice, bob, _ = ask_for_one_message(town)
    town.pump()
    assert town.drain()
    return alice, bob


def _copies(person: Person, text: str) -> list[SeenMessage]:
    return [message for message in person.sees() if message.from_bot and message.text.startswith(text)]


def _await_copies(person: Person, text: str, *, number: int) -> list[SeenMessage]:
    """Give all copies, once the one that a hanging call still makes has come too."""
    await_that(lambda: len(_copies(person, text)) >= number, what=f"{number} copies")
    copies = _copies(person, text)
    assert len(copies) == number
    return copies


@every_fault
@pytest.mark.usefixtures("impatient_client")
def test_a_ticket_arrives_and_a_second_copy_is_marked(town: Town, fault: str) -> None:
    outcome = FAULTS[fault]
    _, bob = _ticket_on_its_way(town)
    _break(town, bob, fault)
    _try_once()
    assert _state_of("ticket") == [(outcome.state, outcome.attempts)]
    assert count("accounts.unread") == (0 if outcome.state == "sent" else 1), "a row goes when it has arrived"

    town.pump()
    seen = _await_copies(bob, TEXT, number=outcome.copies)
    marked = [message.has_button(REPEAT) for message in seen]
    assert sum(marked) == (1 if outcome.nobody_knew else 0)
    assert all(message.has_button("r:") for message in seen)
    assert count("accounts.unread") == 0
    assert count("tickets.ticket", "status = 'viewed' AND payload IS NULL") == 1


@every_fault
@pytest.mark.usefixtures("impatient_client")
def test_an_acknowledgement_arrives_and_may_arrive_again(town: Town, fault: str) -> None:
    outcome = FAULTS[fault]
    _, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    alice.says(TEXT)
    town.take_updates()
    _break(town, alice, fault)
    _try_once()
    assert _state_of("acknowledgement") == [(outcome.state, outcome.attempts)]
    assert count("tickets.ticket") == 1, "what was accepted stays accepted"

    town.pump()
    _await_copies(alice, "✅", number=outcome.copies)
    assert _state_of("acknowledgement")[0][0] == "sent"


@every_fault
@pytest.mark.usefixtures("impatient_client")
def test_a_notice_arrives_and_is_rendered_anew(town: Town, fault: str) -> None:
    outcome = FAULTS[fault]
    bob, link = town.owner()
    town.writes(town.person("Alice"), link, TEXT)
    town.settle(notices=False)
    assert town.notify() == 1
    _break(town, bob, fault)
    _try_once()
    assert _state_of("notice") == [(outcome.state, outcome.attempts)]

    town.writes(town.person("Carol"), link, TEXT)
    town.settle(notices=False)
    notices = _await_copies(bob, "📬", number=outcome.copies)
    counts = {"sent": "1", "pending": "2", "unknown_after_send": "12"[-outcome.copies :]}[outcome.state]
    assert sorted(notice.text[-1] for notice in notices) == list(counts)


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "ok_html"])
def test_a_screen_of_which_nobody_knows_is_let_go(town: Town, fault: str) -> None:
    bob, _ = town.owner()
    before = len(bob.sees())
    bob.says("/help")
    town.take_updates()
    _break(town, bob, fault)
    town.pump()
    arrived = 0 if fault == "reset_before" else 1
    assert len(bob.sees()) == before + 1 + arrived
    assert read_rows("SELECT body FROM outbox.intent WHERE state = 'failed'") == [(None,)]
    assert count("outbox.lane", "due_at IS NOT NULL") == 0


@pytest.mark.parametrize("fault", ["server_error_json", "chat_not_found"])
def test_a_screen_that_does_not_get_through_is_let_go_in_the_end(town: Town, fault: str) -> None:
    bob, _ = town.owner()
    bob.says("/help")
    town.take_updates()
    _break(town, bob, fault, times=5)
    pump_beside_others()
    assert read_rows("SELECT attempts FROM outbox.intent WHERE state = 'failed'") == [(5,)]


def test_an_acknowledgement_that_does_not_get_through_is_kept_sealed(town: Town) -> None:
    _, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    alice.says(TEXT)
    town.take_updates()
    _break(town, alice, "server_error_json", times=100)
    pump_beside_others()
    [(state, attempts, body)] = read_rows(
        "SELECT state, attempts, body FROM outbox.intent WHERE kind = 'acknowledgement'"
    )
    assert (state, attempts) == ("dead", 5)
    assert isinstance(body, bytes)
    assert TEXT.encode() not in body
    assert count("tickets.ticket") == 1


def test_a_ticket_that_does_not_get_through_goes_back_and_is_announced(town: Town) -> None:
    _, bob = _ticket_on_its_way(town)
    notices = len(_copies(bob, "📬"))
    _break(town, bob, "server_error_json", times=5)
    pump_beside_others()
    assert _state_of("ticket") == [("failed", 5)]
    assert read_rows("SELECT state, generation, unnoticed, possible_repeat FROM accounts.unread") == [
        ("waiting", 1, True, False)
    ]
    town.settle()
    assert len(_copies(bob, "📬")) == notices + 1
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert not message.has_button(REPEAT)


def test_a_ticket_of_which_nobody_ever_knew_goes_back_as_a_possible_repeat(town: Town) -> None:
    _, bob = _ticket_on_its_way(town)
    _break(town, bob, "reset_before", times=5)
    pump_beside_others()
    assert read_rows("SELECT state, generation, possible_repeat FROM accounts.unread") == [
        ("waiting", 1, True)
    ]
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert message.has_button(REPEAT)
    tap = bob.taps(message, REPEAT)
    town.settle()
    assert "twice" in bob.awaits_toast(tap).text


def test_a_text_that_is_refused_with_its_entities_arrives_without_them(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if Telegram were stricter than we are: here nothing is sorted out beforehand.
    monkeypatch.setattr(message_content, "keep_entities", lambda _text, given: list(given))
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    alice.says(TEXT, extra_fields={"entities": [{"type": "bold", "offset": 500, "length": 4}]})
    town.settle()
    town.sandbox.forget_calls()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert (message.text, message.entities) == (TEXT, ())
    tries = [call for call in town.sandbox.calls("sendMessage") if call["params"].get("text") == TEXT]
    assert [call["status"] for call in tries] == [400, 200]
    assert _state_of("ticket") == [("sent", 1)]


def test_a_message_that_can_never_be_shown_goes_back_and_holds_up_nothing(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    photo = {"file_id": "unlucky", "file_unique_id": "unlucky", "width": 1, "height": 1}
    alice.sends("photo", extra_fields={"photo": [photo]})
    town.settle()
    # From now on the file passes for a sticker, and Telegram takes it for nothing else.
    town.person("Carol").sends("sticker", extra={"file_id": "unlucky"})
    town.writes(alice, link, TEXT)
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]
    assert read_rows("SELECT state, unnoticed FROM accounts.unread") == [("waiting", False)]
    assert count("tickets.ticket", "status = 'sealed' AND payload IS NOT NULL") == 1
