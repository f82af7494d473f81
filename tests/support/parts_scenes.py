"""A message of several calls on its way: the parts of a long text, or an album and its card."""

from bystanders import let_others_be_answered
from received import list_parts
from several_parts import make_paste
from town import Town, hurry_lanes

from nekonymous_site.bot.lane_pump import pump_due_lanes
from nekonymous_site.sandbox.people import Person

PASTE = make_paste(4000, 4000, 100)


def send_parts(number: int) -> None:
    """Let so many parts be sent, one after the other, beside sends of others."""
    for _ in range(number):
        hurry_lanes()
        assert pump_due_lanes().handled >= 1
        let_others_be_answered()


def paste_on_its_way(town: Town, *, then: str | None = None) -> Person:
    """Bob has asked for a text of three parts, and for another text if one follows; nothing of it is sent."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    alice.pastes(PASTE)
    if then is not None:
        town.writes(alice, link, then)
    return _ask(town, bob)


def album_on_its_way(town: Town) -> Person:
    """Bob has asked for an album of three, which takes two calls; nothing of it is sent."""
    bob, link = town.owner()
    alice = town.person("Alice")
    alice.opens(link)
    alice.sends_album([("photo", "one"), ("video", "two"), ("photo", "three")])
    return _ask(town, bob)


def _ask(town: Town, person: Person) -> Person:
    town.settle()
    person.says("/inbox")
    town.take_updates()
    town.pump()
    assert town.drain()
    return person


def list_texts(person: Person) -> list[str]:
    """What has arrived, each part by its first sign; of an album's items the caption."""
    return [part.text if part.kind != "text" else part.text[0] for part in list_parts(person)]
