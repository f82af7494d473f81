"""What a comparable relay was measured to lose or to double, each as a test that this one does not."""

from collections.abc import Callable

import pytest
from bystanders import pump_beside_others
from clear_values import find_in_the_clear
from command_runs import run_command
from delivery_scenes import TEXT, ask_for_one_message, vanish_while_sending
from inbox_steps import begin_delivery, fill_inbox, let_a_second_pass
from opened_rows import as_bytes, open_unread_rows
from stored_rows import expire_leases, intent_states, let_pass, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.crypto import base64url, blind_tags
from nekonymous_site.sandbox.people import Person

MANY = 50


def _told(person: Person) -> list[str]:
    """What the bot has told somebody of a message that they wrote."""
    return [m.text for m in person.sees() if m.from_bot and m.reply_to_message_id and not m.is_protected]


def test_a_confirmation_that_fails_makes_no_second_ticket(town: Town) -> None:
    """There the webhook failed with the confirmation, and Telegram's retry stored the message once more."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    written = alice.says(TEXT)
    town.sandbox.inject_fault("server_error_json", chat_id=alice.id, count=3)
    [answer] = town.take_updates()
    assert answer.status == 200, "whatever becomes of the confirmation, Telegram need not repeat the message"
    hurry_lanes()
    pump_due_lanes()
    assert written.update_id is not None
    town.sandbox.repeat_update(written.update_id)
    town.settle()
    assert count("tickets.ticket") == count("accounts.unread") == 1
    assert _told(alice) == [outcome_texts.accepted("en")]
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [TEXT]


@pytest.mark.parametrize("fault", ["forbidden", "unauthorized"])
def test_one_refusal_on_delivery_destroys_nothing(town: Town, fault: str) -> None:
    """There one 403, and even one 401, deleted the message for good."""
    _, bob, _ = ask_for_one_message(town)
    town.pump()
    assert town.drain()
    town.sandbox.inject_fault(fault, method="sendMessage", chat_id=bob.id)
    hurry_lanes()
    pump_due_lanes()
    assert town.delivered(bob) == []
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 1
    bob.says("/start")
    town.settle()
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert message.text == TEXT
    assert not message.has_button("ir:"), "a refusal is no possible repeat"


def _let_seconds_pass(done: Callable[[], bool]) -> int:
    for second in range(3 * MANY):
        if done():
            return second
        let_a_second_pass()
    raise AssertionError("the lane does not come to its end")


def test_fifty_messages_come_with_one_press_in_order(town: Town) -> None:
    """There a press brought six; pacing used up the attempts of the others."""
    texts = [f"number {number}" for number in range(MANY)]
    bob, _ = fill_inbox(town, texts, senders=5)
    begin_delivery(town, bob)
    seconds = _let_seconds_pass(lambda: not count("accounts.unread"))
    assert seconds >= MANY - 1, "about one a second"
    assert [message.text for message in town.delivered(bob)] == texts
    assert read_rows("SELECT DISTINCT state, attempts FROM outbox.intent WHERE kind = 'ticket'") == [
        ("sent", 1)
    ]


def test_a_burst_of_notices_tells_of_every_message(town: Town) -> None:
    """There six notices of a burst came and the others were given up."""
    bob, link = town.owner()
    alice = town.person("Alice")
    for number in range(20):
        town.writes(alice, link, f"number {number}")
        town.take_updates()
        assert town.notify() == 1
    _let_seconds_pass(lambda: not count("outbox.intent", "state = 'pending'"))
    assert [m.text for m in bob.sees() if m.has_button("ib:")] == [outcome_texts.notice("en", count=20)]
    assert count("outbox.intent", "state IN ('failed', 'dead')") == 0


def test_more_notices_than_one_burst_holds_all_arrive(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    for number in range(12):
        town.writes(alice, link, f"number {number}")
        town.take_updates()
        town.notify()
        _let_seconds_pass(lambda: not count("outbox.intent", "state = 'pending'"))
    notices = [m.text for m in bob.sees() if m.has_button("ib:")]
    assert notices == [outcome_texts.notice("en", count=number) for number in range(1, 13)]


@pytest.mark.parametrize(
    ("fault", "seconds"), [("rate_limited", 37), ("server_error_json", 3), ("server_error_html", 3)]
)
def test_what_is_refused_for_a_while_comes_when_it_is_over(town: Town, fault: str, seconds: int) -> None:
    alice, bob, _ = ask_for_one_message(town)
    town.pump()
    assert town.drain()
    hurry_lanes()
    town.sandbox.inject_fault(fault, method="sendMessage", chat_id=bob.id, retry_after_seconds=37)
    pump_due_lanes()
    let_pass(1)
    pump_due_lanes()
    assert town.delivered(bob) == []
    let_pass(seconds - 1)
    pump_due_lanes()
    assert [message.text for message in town.delivered(bob)] == [TEXT]
    town.settle()
    assert len(town.delivered(bob)) == 1
    assert _told(alice) == [outcome_texts.accepted("en")], "and its sender is told once"


def _secret_names() -> dict[str, bytes]:
    """Everything by which an outbox row could be joined to a person or a message."""
    names: dict[str, bytes] = {}
    for number, (account_id, actor_hash) in enumerate(
        read_rows("SELECT account_id, actor_hash FROM accounts.account")
    ):
        names |= {f"account {number}": as_bytes(account_id), f"actor {number}": as_bytes(actor_hash)}
    [(tag, capability)] = open_unread_rows().items()
    return names | {
        "row": tag,
        "ticket hash": blind_tags.ticket_hash(capability.lookup_nonce),
        "capability": capability.lookup_nonce + capability.key_seed,
        "nonce": capability.lookup_nonce,
        "seed": capability.key_seed,
    }


def _outbox_rows() -> list[tuple[object, ...]]:
    return [
        row
        for table in (
            read_rows("SELECT * FROM outbox.intent"),
            read_rows("SELECT * FROM outbox.lane"),
            read_rows("SELECT * FROM outbox.send_pace"),
            read_rows("SELECT * FROM outbox.update_receipt"),
            read_rows("SELECT * FROM outbox.update_failure"),
            read_rows("SELECT * FROM outbox.parked_update"),
        )
        for row in table
    ]


def test_no_outbox_row_names_a_ticket_or_a_person_at_any_stage(town: Town) -> None:
    """There the outbox held the hashes of tickets in clear, in rows of whoever got them, for seven days."""
    _, bob, link = ask_for_one_message(town)
    names = _secret_names()

    def look(stage: str) -> None:
        rows = _outbox_rows()
        assert rows
        assert find_in_the_clear(names, rows) == set(), stage

    look("asked")
    town.pump()
    town.drain()
    look("on its way")
    hurry_lanes()
    vanish_while_sending(after_the_call=True)
    look("sending")
    expire_leases()
    pump_due_lanes()
    assert intent_states("ticket") == ["unknown_after_send"]
    look("nobody knows")
    town.sandbox.inject_fault("forbidden", method="sendMessage", chat_id=bob.id)
    town.pump()
    assert intent_states("ticket") == ["failed"]
    look("given back")
    bob.says("/start")
    town.settle()
    bob.says("/inbox")
    town.settle()
    assert intent_states("ticket") == ["failed", "sent"]
    look("sent")
    _leave_a_dead_letter(town, link)
    look("dead")


def _leave_a_dead_letter(town: Town, link: str) -> None:
    carol = town.person("Carol")
    carol.opens(link)
    town.settle()
    carol.says("and I")
    town.take_updates()
    town.sandbox.inject_fault("server_error_json", chat_id=carol.id, count=5)
    pump_beside_others()
    assert intent_states("acknowledgement").count("dead") == 1


def test_a_letter_that_died_is_listed_and_can_be_sent_again(town: Town) -> None:
    """There what had failed five times went to a queue that nobody reads."""
    _, link = town.owner()
    _leave_a_dead_letter(town, link)
    listed = run_command("outbox", "list")
    assert listed.code == 0
    assert "acknowledgement" in listed.said
    assert run_command("outbox", "replay", "--all").said == "1 replayed"
    town.settle()
    assert intent_states("acknowledgement").count("dead") == 0


def test_a_name_that_stands_in_the_clear_is_found(town: Town) -> None:
    """The control: in each of its forms, in a column of bytes as in one of words."""
    ask_for_one_message(town)
    names = _secret_names()
    for name, value in names.items():
        for form in (value, value.hex(), base64url.encode(value)):
            assert find_in_the_clear(names, [(1, None, form)]) >= {name}
    assert read_value("SELECT count(*) FROM accounts.unread") == 1
