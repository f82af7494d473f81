"""Two people: one writes, and the other does something with whoever wrote."""

from received import as_it_stands
from town import Town

from nekonymous_site.sandbox.people import Person, SeenMessage


def alice_writes_to_bob(town: Town) -> tuple[Person, Person]:
    """Alice is about to write to Bob."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    town.settle()
    return alice, bob


def bob_hears_from_alice(town: Town, text: str = "first") -> tuple[Person, Person, str]:
    """Alice has written to Bob, who has not asked for it; gives both and Bob's link."""
    bob, link = town.owner()
    alice = town.person("Alice")
    town.writes(alice, link, text)
    town.settle()
    return alice, bob, link


def give_nickname(town: Town, person: Person, message: SeenMessage, name: str) -> None:
    """Tap for a nickname and type one."""
    person.taps(as_it_stands(person, message), "n:")
    town.settle()
    person.says(name)
    town.settle()


def tap_on(town: Town, person: Person, message: SeenMessage, prefix: str) -> str:
    """Press a button of a message as it stands now; gives the toast."""
    tap = person.taps(as_it_stands(person, message), prefix)
    town.settle()
    return person.awaits_toast(tap).text
