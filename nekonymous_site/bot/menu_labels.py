"""The buttons under the input field, whose labels come back as ordinary messages."""

from functools import cache
from typing import Final, Literal

from nekonymous_site.bot import button_texts
from nekonymous_site.bot.catalogues import languages, translate

MenuEntry = Literal["link", "inbox", "settings", "cancel"]

# Clients may add or drop the mark that asks for a colourful emoji, and marks of direction.
_UNSEEN: Final = dict.fromkeys(map(ord, "\ufe0f\u200e\u200f"))


def link(language: str) -> str:
    """Show one's own link."""
    return translate(language, "🔗 My link")


def inbox(language: str) -> str:
    """Fetch what waits."""
    return translate(language, "📬 My inbox")


def settings(language: str) -> str:
    """Open the settings."""
    return translate(language, "⚙️ Settings")


def read_menu_label(text: str) -> MenuEntry | None:
    """Find where a message leads that is the label of a button, in whichever language; None for any other.

    The emoji belongs to the label: the words alone may be what somebody wants to say.
    """
    return _entries_by_label().get(_seen_part(text))


@cache
def _entries_by_label() -> dict[str, MenuEntry]:
    entries: dict[str, MenuEntry] = {}
    for language in languages():
        entries[_seen_part(link(language))] = "link"
        entries[_seen_part(inbox(language))] = "inbox"
        entries[_seen_part(settings(language))] = "settings"
        # It stands on inline buttons, and is typed all the same.
        entries[_seen_part(button_texts.cancel(language))] = "cancel"
    return entries


def _seen_part(text: str) -> str:
    return " ".join(text.translate(_UNSEEN).split())
