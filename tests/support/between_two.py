"""Somebody between two others: an answer to give to one of them, a link of the other to open."""

from received import list_parts
from town import Town

from nekonymous_site.sandbox.people import Person, SeenMessage


def bob_between_two(town: Town) -> tuple[Person, Person, Person, str, SeenMessage]:
    """Bob has a message of Alice's with its buttons, and Carol's link."""
    bob, bobs_link = town.owner("Bob")
    carol, carols_link = town.owner("Carol")
    alice = town.person("Alice")
    town.writes(alice, bobs_link, "hello Bob")
    town.settle()
    bob.says("/inbox")
    town.settle()
    [from_alice] = town.delivered(bob)
    return bob, alice, carol, carols_link, from_alice


def read_inbox(town: Town, person: Person) -> list[str]:
    person.says("/inbox")
    town.settle()
    return [part.text for part in list_parts(person)]


def fetch_parts(town: Town, person: Person) -> list[SeenMessage]:
    person.says("/inbox")
    town.settle()
    return list_parts(person)
