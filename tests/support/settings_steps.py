"""Going through the settings, which are one message that changes."""

from received import as_it_stands
from town import Town

from nekonymous_site.sandbox.people import Person, SeenMessage


def open_settings(town: Town, person: Person) -> SeenMessage:
    """Ask for the settings; gives their first screen."""
    person.says("/settings")
    town.settle()
    return person.sees()[-1]


def go_to(town: Town, person: Person, screen: SeenMessage, place: str) -> SeenMessage:
    """Tap a button with this data; gives the screen as it stands then."""
    person.taps_data(screen, f"st:{place}")
    town.settle()
    return as_it_stands(person, screen)


def toast_of(town: Town, person: Person, screen: SeenMessage, place: str) -> str:
    """Tap a button with this data; gives the words that come up."""
    tap = person.taps_data(screen, f"st:{place}")
    town.settle()
    return person.awaits_toast(tap).text
