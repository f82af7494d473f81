"""Messages of several parts: how they are sent, and what they look like on the other side."""

from received import list_own_words, with_buttons

from nekonymous_site.bot import outcome_texts
from nekonymous_site.sandbox.people import Person, SeenMessage, Sent

LONG = "سلام به همه. " * 300  # 3,900 units: whatever follows at once may belong to it


def files_of(person: Person, sent: tuple[Sent, ...]) -> list[str | None]:
    """Give the files that somebody has sent with these messages, in order."""
    ids = [one.message_id for one in sent]
    return [message.file_unique_id for message in person.sees() if message.message_id in ids]


def count_acknowledgements(person: Person) -> int:
    """Count how often somebody was told that a message is taken."""
    return sum(text.startswith("✅") for text in list_own_words(person))


def assert_is_album(parts: list[SeenMessage], files: list[str | None]) -> None:
    """One group with these files in order, and a card with buttons behind it."""
    *items, card = parts
    assert [item.file_unique_id for item in items] == files
    groups = {item.media_group_id for item in items}
    assert len(groups) == 1
    assert groups != {None}
    assert with_buttons(parts) == [False] * len(items) + [True]
    assert card.text == outcome_texts.ticket_card("en")
    assert all(card.has_button(prefix) for prefix in ("i:", "r:", "n:", "b:"))


def make_paste(*paragraphs: int) -> str:
    """Make a text of paragraphs of these lengths, each of which begins with its number."""
    return "\n".join(f"{n}{'س' * (length - 1)}" for n, length in enumerate(paragraphs))
