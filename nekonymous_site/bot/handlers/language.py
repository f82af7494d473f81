"""/language, and the same in the settings."""

from dataclasses import replace
from typing import Final

import accounts.preferences
from nekonymous_site.bot import button_texts, keyboards, screen_texts
from nekonymous_site.bot.catalogues import languages
from nekonymous_site.bot.handlers.settings_screens import Screen, back_row, edit, settings_button
from nekonymous_site.bot.keyboards import Keyboard, inline
from nekonymous_site.bot.visit import HandlerAnswer, Visit, screen, together


def answer_language(visit: Visit, _argument: str) -> HandlerAnswer:
    """Show the languages there are."""
    return screen(screen_texts.language_screen(visit.language), keyboard=_keyboard(visit.language))


def _language(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Show the languages, after a change to the one that is named."""
    if argument not in languages() or argument == visit.language:
        text = screen_texts.language_screen(visit.language)
        return edit(text, message_id=message_id, keyboard=_keyboard(visit.language))
    accounts.preferences.queue_language(visit.pipeline, visit.actor.account_id, language=argument)
    changed = replace(visit, actor=replace(visit.actor, language=argument))
    text = screen_texts.language_screen(changed.language)
    edited = edit(text, message_id=message_id, keyboard=_keyboard(changed.language))
    # The labels under the input field change too, and only a new message can bring them.
    confirmed = screen(
        screen_texts.language_changed(changed.language),
        keyboard=keyboards.menu_keyboard(changed.language),
    )
    return together(edited, confirmed)


def _keyboard(language: str) -> Keyboard:
    choices = [
        settings_button(button_texts.language_choice(one, chosen=one == language), f"language:{one}")
        for one in sorted(languages(), reverse=True)
    ]
    return inline(choices, back_row(language))


LANGUAGE_SCREENS: Final[dict[str, Screen]] = {"language": _language}
