"""Scenes that several stories of delivery begin with."""

from town import Town, hurry_lanes

from nekonymous_site.bot import lane_pump
from nekonymous_site.bot.rendering import render_intent
from nekonymous_site.pipeline import durable_transaction
from nekonymous_site.sandbox.people import Person
from outbox import lanes, telegram_client
from outbox.lanes import LeasedIntent
from outbox.send_result import Suppressed

TEXT = "I liked your talk."


def ask_for_one_message(town: Town) -> tuple[Person, Person, str]:
    """Alice has written to Bob, who has asked for it; gives both and Bob's link. Nothing is drained yet."""
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, TEXT)
    town.settle()
    bob.says("/inbox")
    town.take_updates()
    return alice, bob, link


def ask_for_messages(town: Town, *, messages: int = 1) -> Person:
    """Bob's messages are the next thing to be sent."""
    bob, link = town.owner()
    alice = town.person("Alice")
    for number in range(messages):
        town.writes(alice, link, f"{TEXT} {number}")
        town.settle(notices=False)
    bob.says("/inbox")
    town.take_updates()
    town.pump()
    assert town.drain()
    hurry_lanes()
    return bob


def vanish_while_sending(*, after_the_call: bool) -> LeasedIntent:
    """Do what a worker does that is killed before, or after, its call to the Bot API."""
    with durable_transaction() as pipeline:
        leased = lanes.take_next_intent(pipeline, lease=lane_pump._LEASE, sends_per_second=1000)
    assert isinstance(leased, LeasedIntent)
    if after_the_call:
        with durable_transaction() as pipeline:
            rendered = render_intent(pipeline, leased)
        assert not isinstance(rendered, Suppressed)
        telegram_client.send(rendered.call)
    return leased
