"""What arrived in somebody's chat, part by part, and what the bot said there itself."""

from collections.abc import Sequence

from town import Town

from nekonymous_site.sandbox.people import Person, SeenMessage


def list_parts(person: Person) -> list[SeenMessage]:
    """Everything that was delivered, in order: parts without buttons and the cards of albums too."""
    return [message for message in person.sees() if message.from_bot and message.is_protected]


def fetch(town: Town, person: Person) -> list[SeenMessage]:
    """Let somebody ask for what waits; gives the parts that this brought."""
    before = len(list_parts(person))
    person.says("/inbox")
    town.settle()
    return list_parts(person)[before:]


def fetch_one(town: Town, person: Person) -> SeenMessage:
    """As `fetch`, where one message of one part must come."""
    [message] = fetch(town, person)
    return message


def list_own_words(person: Person) -> list[str]:
    """What the bot said itself, in order."""
    return [message.text for message in person.sees() if message.from_bot and not message.is_protected]


def last_words(person: Person) -> str:
    """The last text in a chat, which must be the bot's own."""
    message = person.sees()[-1]
    assert message.from_bot
    return message.text


def with_buttons(parts: Sequence[SeenMessage]) -> list[bool]:
    """Tell of each part whether it carries buttons."""
    return [bool(part.buttons) for part in parts]


def as_it_stands(person: Person, message: SeenMessage) -> SeenMessage:
    """Give a message of a chat as it is now, edits applied."""
    [seen] = [seen for seen in person.sees() if seen.message_id == message.message_id]
    return seen
