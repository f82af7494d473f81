"""How a delivery goes on, second by second."""

from stored_rows import change_rows
from town import Town, hurry_lanes

from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person


def fill_inbox(town: Town, texts: list[str], *, senders: int = 1) -> tuple[Person, list[Person]]:
    """Bob's inbox holds these texts, written by so many people in turn; gives him and them."""
    bob, link = town.owner()
    people = [town.person(f"P{n}") for n in range(senders)]
    for number, text in enumerate(texts):
        town.writes(people[number % senders], link, text)
    town.settle()
    return bob, people


def begin_delivery(town: Town, person: Person) -> None:
    """Let somebody press for their inbox; the deliveries are queued and none is sent."""
    person.says("/inbox")
    town.take_updates()
    while town.drain():
        pass


def let_a_second_pass() -> None:
    """Let a second pass for the outbox, in which a chat gets one delivery and what talks to it."""
    change_rows("UPDATE outbox.lane SET progress_edited_at = progress_edited_at - interval '1 second'")
    hurry_lanes()
    pump_due_lanes()
