"""Unread rows whose delivery is over, or gone, without having given them back: they wait again."""

import pytest
from delivery_scenes import TEXT, ask_for_messages, vanish_while_sending
from stored_rows import change_rows, expire_leases, intent_states, read_rows
from town import Town, count

from nekonymous_site import tasks
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person
from nekonymous_site.workflows import reconcile_inboxes as reconciling
from nekonymous_site.workflows.reconcile_inboxes import reconcile_inboxes

REPEAT = "ir:"


def _reconcile() -> int:
    with durable_transaction() as pipeline:
        return reconcile_inboxes(pipeline)


def _spoil_bodies() -> None:
    change_rows(
        "UPDATE outbox.intent SET body = set_byte(body, 40, 255 - get_byte(body, 40)) WHERE kind = 'ticket'"
    )


def _brings(town: Town, bob: Person, *texts: str, marked: bool) -> None:
    bob.says("/inbox")
    town.settle()
    arrived = town.delivered(bob)
    assert [message.text for message in arrived] == list(texts)
    assert {message.has_button(REPEAT) for message in arrived} == {marked}
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0


def test_what_a_spoilt_delivery_left_behind_is_announced_and_comes_unmarked(town: Town) -> None:
    bob = ask_for_messages(town, messages=2)
    _spoil_bodies()
    town.pump()
    assert intent_states("ticket") == ["dead", "dead"]
    assert read_rows("SELECT state FROM accounts.unread") == [("sending",)] * 2
    tasks.purge()
    assert (
        read_rows("SELECT state, generation, unnoticed, possible_repeat FROM accounts.unread")
        == [("waiting", 1, True, False)] * 2
    )
    before = len(bob.sees())
    town.settle()
    assert outcome_texts.notice("en", count=2) in [message.text for message in bob.sees()[before:]]
    _brings(town, bob, f"{TEXT} 0", f"{TEXT} 1", marked=False)


def test_what_may_have_arrived_before_its_delivery_was_spoilt_comes_marked(town: Town) -> None:
    bob = ask_for_messages(town)
    vanish_while_sending(after_the_call=True)
    expire_leases()
    pump_due_lanes()
    assert intent_states("ticket") == ["unknown_after_send"]
    _spoil_bodies()
    town.pump()
    assert intent_states("ticket") == ["dead"]
    assert _reconcile() == 1
    assert read_rows("SELECT state, possible_repeat FROM accounts.unread") == [("waiting", True)]
    bob.says("/inbox")
    town.settle()
    assert [message.has_button(REPEAT) for message in town.delivered(bob)] == [False, True]


def test_a_row_whose_delivery_does_not_exist_comes_marked(town: Town) -> None:
    bob = ask_for_messages(town)
    change_rows("DELETE FROM outbox.intent WHERE kind = 'ticket'")
    assert _reconcile() == 1
    assert _reconcile() == 0
    _brings(town, bob, f"{TEXT} 0", marked=True)


@pytest.mark.parametrize("state", ["pending", "sending", "unknown_after_send"])
def test_a_row_whose_delivery_may_still_come_is_left_alone(town: Town, state: str) -> None:
    bob = ask_for_messages(town)
    if state != "pending":
        vanish_while_sending(after_the_call=False)
    if state == "unknown_after_send":
        expire_leases()
        pump_due_lanes()
    assert intent_states("ticket") == [state]
    before = read_rows("SELECT * FROM accounts.unread")
    assert _reconcile() == 0
    assert read_rows("SELECT * FROM accounts.unread") == before
    expire_leases()
    town.settle()
    assert len(town.delivered(bob)) == 1


def test_a_row_that_does_not_open_stays_and_holds_up_no_other(town: Town) -> None:
    bob = ask_for_messages(town, messages=2)
    _spoil_bodies()
    town.pump()
    change_rows(
        """
        UPDATE accounts.unread SET capability = set_byte(capability, 40, 255 - get_byte(capability, 40))
        WHERE position = (SELECT min(position) FROM accounts.unread)
        """
    )
    assert _reconcile() == 1
    assert read_rows("SELECT state FROM accounts.unread ORDER BY position") == [("sending",), ("waiting",)]
    bob.says("/inbox")
    town.settle()
    assert [message.text for message in town.delivered(bob)] == [f"{TEXT} 1"]


def test_a_batch_is_bounded_and_the_next_one_finds_the_rest(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_for_messages(town, messages=5)
    change_rows("DELETE FROM outbox.intent WHERE kind = 'ticket'")
    monkeypatch.setattr(reconciling, "BATCH_ROWS", 2)
    assert [_reconcile() for _ in range(4)] == [2, 2, 1, 0]
    assert count("accounts.unread", "state = 'waiting' AND generation = 1") == 5
