"""A second message of somebody whose first one is there: asked for, or about to leave."""

from dataclasses import dataclass
from typing import Final

from closed_inboxes import Acquaintance, Write, acquaint
from received import list_parts
from town import Town, hurry_lanes

from nekonymous_site.sandbox.people import Person, SeenMessage

TEXT: Final = "I regret this"


def _write_text(person: Person) -> object:
    return person.says(TEXT)


@dataclass(frozen=True, kw_only=True)
class OnItsWay:
    """Bob has a first message of Alice's, and has asked for her second one."""

    met: Acquaintance
    acknowledgement: SeenMessage
    before: int

    def arrived(self) -> list[SeenMessage]:
        """What of the second message has arrived, part by part."""
        return list_parts(self.met.bob)[self.before :]


def ask_for_second(town: Town, write: Write = _write_text) -> OnItsWay:
    """Nothing is drained yet, and nothing else is to be sent."""
    met = acquaint(town)
    met.alice.opens(met.link)
    write(met.alice)
    town.settle()
    before = len(list_parts(met.bob))
    met.bob.says("/inbox")
    town.take_updates()
    town.pump()
    return OnItsWay(met=met, acknowledgement=met.alice.sees()[-1], before=before)


def drain_second(town: Town, write: Write = _write_text) -> OnItsWay:
    """The delivery is the next thing to be sent."""
    story = ask_for_second(town, write)
    assert town.drain()
    hurry_lanes()
    return story
