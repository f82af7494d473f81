"""Somebody blocks the bot and lets it in again: nothing is lost, and one notice tells of what waits."""

import json
from typing import Any

import pytest
from closed_inboxes import has_nothing_open
from delivery_scenes import TEXT
from inbox_steps import begin_delivery, fill_inbox, let_a_second_pass
from stored_rows import change_rows, read_rows, read_value
from town import Town, count, hurry_lanes

from nekonymous_site import rate_limits, tasks
from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.telegram_updates import fetch_updates
from nekonymous_site.bot.update_intake import IntakeAnswer, take_update
from nekonymous_site.sandbox.people import Person


def _is_reachable() -> object:
    return read_value("SELECT bool_and(reachable) FROM accounts.account")


def _waiting(town: Town) -> list[dict[str, Any]]:
    return fetch_updates(offset=town._offset, wait_seconds=0)


def _take(update: dict[str, Any]) -> IntakeAnswer:
    return take_update(json.dumps(update).encode())


def test_whoever_blocks_the_bot_counts_as_unreachable_at_once(town: Town) -> None:
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    bob.blocks_bot()
    town.sandbox.forget_calls()
    town.settle()
    assert count("accounts.account", "NOT reachable") == 1
    assert [call["method"] for call in town.sandbox.calls() if call["method"] != "getUpdates"] == []
    alice.says(TEXT)
    town.settle()
    assert alice.sees()[-1].text == outcome_texts.not_taking("en")


def test_whoever_lets_the_bot_in_again_hears_what_waits_without_writing(town: Town) -> None:
    bob, _ = fill_inbox(town, ["one", "two"])
    bob.blocks_bot()
    town.settle()
    before = len(bob.sees())
    bob.unblocks_bot()
    town.settle()
    assert _is_reachable() is True
    assert [message.text for message in bob.sees()[before:]] == [outcome_texts.notice("en", count=2)]


def test_an_older_block_behind_a_newer_start_is_put_right_by_the_return_that_follows(town: Town) -> None:
    bob, _ = fill_inbox(town, ["one"])
    bob.blocks_bot()
    bob.unblocks_bot()
    bob.says("/start")
    kicked, member, start = _waiting(town)
    assert "message" in start
    for update, reachable in ((start, True), (kicked, False), (member, True)):
        assert _take(update) == IntakeAnswer(status=200)
        assert _is_reachable() is reachable
    town.settle()
    assert [m.text for m in bob.sees() if m.text == outcome_texts.notice("en", count=1)] != []
    for update in (member, kicked):
        assert _take(update) == IntakeAnswer(status=200)
    assert _is_reachable() is True, "a second copy changes nothing"


def test_nobody_gets_an_account_by_blocking_the_bot(town: Town) -> None:
    stranger = town.person("Mallory")
    stranger.blocks_bot()
    stranger.unblocks_bot()
    town.take_updates()
    assert {answer.status for answer in town.answers} == {200}
    assert count("accounts.account") == 0
    assert count("outbox.update_receipt") == 2
    assert count("outbox.lane") == count("outbox.intent") == 0


def test_what_happens_to_the_bot_in_a_group_is_nobodys_block(town: Town) -> None:
    bob, _ = town.owner()
    group = town.sandbox.group()
    receipts = count("outbox.update_receipt")
    member = {"user": {"id": 1, "is_bot": True, "first_name": "b"}, "status": "kicked"}
    change = {
        "from": {"id": bob.id, "is_bot": False, "first_name": "Bob"},
        "date": 1,
        "old_chat_member": member,
        "new_chat_member": member,
    }
    chats = [{"id": group.id, "type": "group"}, {"id": -5, "type": "channel"}, {"id": 77, "type": "private"}]
    for number, chat in enumerate(chats):
        answer = _take({"update_id": 9_000 + number, "my_chat_member": {**change, "chat": chat}})
        assert answer.status == 200
    assert _is_reachable() is True
    assert count("outbox.update_receipt") == receipts + 3


@pytest.mark.parametrize("broken", [{}, [], "x", {"chat": {"id": 1}}, {"new_chat_member": None}])
def test_a_change_that_cannot_be_read_is_receipted_and_nothing_else(town: Town, broken: object) -> None:
    assert _take({"update_id": 5, "my_chat_member": broken}).status == 200
    assert count("outbox.update_receipt") == 1


def test_a_block_closes_no_draft_ends_no_gathering_and_costs_no_rate(town: Town) -> None:
    _, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    alice.sends_album([("photo", "one"), ("photo", "two")])
    town.take_updates()
    assert not has_nothing_open(alice)
    alice.blocks_bot()
    alice.unblocks_bot()
    taken: list[object] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rate_limits, "take_allowance", lambda *given: taken.append(given))
        answers = town.take_updates()
    assert [answer.status for answer in answers] == [200, 200]
    assert taken == []
    assert count("accounts.composition", "ready_at IS NOT NULL") == 1, "it gathers on"
    town.settle()
    assert count("tickets.ticket") == 1


def _blocks_in_the_middle(town: Town) -> tuple[Person, list[str]]:
    texts = [f"number {number}" for number in range(5)]
    bob, _ = fill_inbox(town, texts)
    begin_delivery(town, bob)
    for _ in range(2):
        let_a_second_pass()
    assert [message.text for message in town.delivered(bob)] == texts[:2]
    bob.blocks_bot()
    return bob, texts


@pytest.mark.parametrize("is_told", [True, False], ids=["the block is told", "only a refusal tells it"])
@pytest.mark.parametrize("days", [0, 7])
def test_a_drain_that_a_block_breaks_off_is_brought_in_order_after_the_return(
    town: Town, days: int, *, is_told: bool
) -> None:
    bob, texts = _blocks_in_the_middle(town)
    if is_told:
        town.take_updates()
    town.sandbox.forget_calls()
    town.pump()
    assert len(town.sandbox.calls("sendMessage")) == 1, "the first refusal is enough"
    assert (
        read_rows("SELECT state, generation, possible_repeat FROM accounts.unread")
        == [("waiting", 1, False)] * 3
    )
    assert count("tickets.ticket", "payload IS NOT NULL") == 3
    assert count("outbox.intent", "state IN ('pending', 'sending', 'unknown_after_send')") == 0
    _let_days_pass(days)
    tasks.purge()
    town.settle()
    before = len(bob.sees())
    bob.unblocks_bot()
    town.settle()
    assert [message.text for message in bob.sees()[before:]] == [outcome_texts.notice("en", count=3)]
    bob.says("/inbox")
    town.settle()
    arrived = town.delivered(bob)
    assert [message.text for message in arrived] == texts
    assert not any(message.has_button("ir:") for message in arrived)
    assert count("accounts.unread") == count("tickets.ticket", "payload IS NOT NULL") == 0


def _let_days_pass(days: int) -> None:
    change_rows("UPDATE accounts.unread SET expires_on = expires_on - %s", [days])
    change_rows("UPDATE tickets.ticket SET expires_on = expires_on - %s", [days])
    change_rows("UPDATE outbox.intent SET created_on = created_on - %s", [days])
    change_rows("UPDATE outbox.update_receipt SET received_on = received_on - %s", [days])
    change_rows(
        "UPDATE outbox.lane SET touched_at = touched_at - make_interval(days => %s),"
        " progress_edited_at = progress_edited_at - make_interval(days => %s)",
        [days, days],
    )


def test_what_stands_behind_a_refusal_cannot_overtake_it_when_its_reader_returns_at_once(town: Town) -> None:
    bob, texts = _blocks_in_the_middle(town)
    let_a_second_pass()
    assert count("accounts.unread", "state = 'waiting'") == 3
    bob.unblocks_bot()
    town.settle()
    assert [message.text for message in town.delivered(bob)] == texts[:2]
    bob.says("/inbox")
    hurry_lanes()
    town.settle()
    assert [message.text for message in town.delivered(bob)] == texts
