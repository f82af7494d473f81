"""Mistakes of ours and of an outage as a whole: they cost nobody else a message."""

import pytest
from delivery_scenes import ask_for_messages
from stored_rows import change_rows
from town import Town, count

from nekonymous_site.bot import lane_pump, rendering
from outbox.intent_kinds import IntentKind


def test_a_text_that_cannot_be_rendered_is_given_back_without_a_mark(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise TypeError

    ask_for_messages(town)
    monkeypatch.setitem(rendering._RENDERS, IntentKind.TICKET, fail)
    town.pump()
    assert count("accounts.unread", "state = 'waiting' AND NOT possible_repeat") == 1
    assert count("tickets.ticket", "payload IS NOT NULL") == 1
    assert count("outbox.lane", "lease_id IS NOT NULL") == 0


def test_a_kind_that_only_a_newer_version_knows_stops_nobody(town: Town) -> None:
    """After a roll-back the tables may hold intents that this version has no word for."""
    ask_for_messages(town)
    change_rows("UPDATE outbox.intent SET kind = 'from_the_future' WHERE kind = 'ticket'")
    carol, _ = town.owner("Carol")
    assert carol.sees()[-1].from_bot
    assert count("outbox.intent", "kind = 'from_the_future' AND state = 'pending'") == 1
    assert lane_pump.pump_due_lanes().handled == 0


def test_an_outage_that_only_resets_uses_up_nobodys_attempts(town: Town) -> None:
    """Nobody knows what arrived, so acknowledgements are sent again, however long it takes."""
    _, link = town.owner()
    senders = [town.person(f"Sender {number}") for number in range(8)]
    for sender in senders:
        sender.opens(link)
    town.settle(notices=False)
    for sender in senders:
        sender.says("a message")
    town.take_updates()
    town.sandbox.inject_fault("reset_before", method="sendMessage", count=60)
    for _ in range(6):
        town.pump()
    assert count("outbox.intent", "kind = 'acknowledgement' AND state = 'dead'") == 0
    town.sandbox.clear_faults()
    town.pump()
    assert all(sender.sees()[-1].text.startswith("✅") for sender in senders)
