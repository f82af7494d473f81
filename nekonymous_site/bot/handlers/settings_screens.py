"""What the screens of the settings share: how they are named in buttons, and how one becomes another."""

from collections.abc import Callable
from typing import Final

from nekonymous_site.bot import button_texts, callback_data
from nekonymous_site.bot.keyboards import Button, Keyboard, button
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_screen

# The visit, what stands behind the screen's name, and the id of the message that is edited.
Screen = Callable[[Visit, str, int], HandlerAnswer]

HOME: Final = "home"


def settings_button(text: str, place: str) -> Button:
    """A button that leads to a place in the settings: a screen's name, and an argument behind a colon."""
    return button(text, callback_data.SETTINGS + place)


def back_row(language: str) -> list[Button]:
    """The row that leads back to the first screen."""
    return [settings_button(button_texts.back(language), HOME)]


def edit(text: str, *, message_id: int, keyboard: Keyboard, toast: str | None = None) -> HandlerAnswer:
    """Turn the message of the settings into another screen."""
    return edited_screen(text, message_id=message_id, keyboard=keyboard, toast=toast)
