"""A worker that vanishes while it sends: what may have arrived is sent again and says so, or is let go."""

import pytest
from delivery_scenes import ask_for_messages, vanish_while_sending
from stored_rows import expire_leases, intent_states, read_rows
from town import Town, count, hurry_lanes

from nekonymous_site.bot.lane_pump import pump_due_lanes

REPEAT = "ir:"


@pytest.mark.parametrize(("after_the_call", "copies"), [(False, 1), (True, 2)])
def test_a_ticket_is_sent_again_and_marked(town: Town, copies: int, *, after_the_call: bool) -> None:
    bob = ask_for_messages(town)
    vanish_while_sending(after_the_call=after_the_call)
    assert pump_due_lanes().handled == 0, "while the lease lives nobody else may"
    expire_leases()
    pump_due_lanes()
    assert intent_states("ticket") == ["unknown_after_send"]
    town.pump()
    seen = town.delivered(bob)
    assert len(seen) == copies
    assert [message.has_button(REPEAT) for message in seen] == [False] * (copies - 1) + [True]
    assert count("accounts.unread") == 0


def test_a_worker_that_vanishes_again_and_again_ends_in_the_inbox(town: Town) -> None:
    bob = ask_for_messages(town)
    for _ in range(5):
        vanish_while_sending(after_the_call=False)
        expire_leases()
        pump_due_lanes()
        hurry_lanes()
    assert town.delivered(bob) == []
    assert intent_states("ticket") == ["failed"]
    assert read_rows("SELECT state, generation, unnoticed, possible_repeat FROM accounts.unread") == [
        ("waiting", 1, True, True)
    ]
    bob.says("/inbox")
    town.settle()
    [message] = town.delivered(bob)
    assert message.has_button(REPEAT)


def test_a_screen_that_was_perhaps_seen_is_not_repeated(town: Town) -> None:
    bob, _ = town.owner()
    bob.says("/help")
    town.take_updates()
    hurry_lanes()
    vanish_while_sending(after_the_call=True)
    before = len(bob.sees())
    expire_leases()
    town.pump()
    assert len(bob.sees()) == before
    assert intent_states("screen") == ["failed", "sent", "sent"]


def test_the_order_survives_a_worker_that_vanishes(town: Town) -> None:
    bob = ask_for_messages(town, messages=3)
    vanish_while_sending(after_the_call=True)
    expire_leases()
    town.pump()
    assert [message.text[-1] for message in town.delivered(bob)] == ["0", "0", "1", "2"]
