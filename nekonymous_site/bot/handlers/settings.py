"""/settings: one message, edited in place. Every screen of it leads back to the first one."""

from typing import Final

import accounts.contacts
import accounts.preferences
from accounts.preferences import FOR_EVER, ReceiveKind, end_of_pause
from nekonymous_site.bot import button_texts, callback_data, outcome_texts, settings_texts
from nekonymous_site.bot.handlers.blocks import BLOCK_SCREENS
from nekonymous_site.bot.handlers.display_name import ask_for_name, remove_name
from nekonymous_site.bot.handlers.language import LANGUAGE_SCREENS
from nekonymous_site.bot.handlers.settings_screens import (
    HOME,
    Screen,
    back_row,
    edit,
    settings_button,
)
from nekonymous_site.bot.handlers.time_zone import ZONE_SCREENS
from nekonymous_site.bot.keyboards import Keyboard, inline
from nekonymous_site.bot.visit import HandlerAnswer, Visit, edited_buttons, screen

_PAUSES: Final = (1, 8, 24)


def answer_settings(visit: Visit, _argument: str) -> HandlerAnswer:
    """Show what is set, and where it is changed."""
    return screen(_home_text(visit), keyboard=_home_keyboard(visit.language))


def answer_settings_tap(visit: Visit, data: str, *, message_id: int) -> HandlerAnswer:
    """Change a setting or the screen; what no version of ours has written is answered kindly."""
    name, _, argument = data.removeprefix(callback_data.SETTINGS).partition(":")
    handler = _SCREENS.get(name)
    if handler is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    return handler(visit, argument, message_id)


def _home(visit: Visit, _argument: str, message_id: int) -> HandlerAnswer:
    return edit(_home_text(visit), message_id=message_id, keyboard=_home_keyboard(visit.language))


def _home_text(visit: Visit) -> str:
    preferences = accounts.preferences.queue_preferences(visit.pipeline, visit.actor.account_id)
    blocked = accounts.contacts.queue_block_count(visit.pipeline, visit.actor.account_id)
    return settings_texts.settings_screen(
        visit.language,
        name=preferences.value.display_name,
        paused_until=preferences.value.paused_until,
        zone=visit.actor.time_zone,
        refused=preferences.value.refused_kinds,
        blocked=blocked.value,
    )


def _home_keyboard(language: str) -> Keyboard:
    return inline(
        [
            settings_button(button_texts.settings_name(language), "name"),
            settings_button(button_texts.settings_pause(language), "pause"),
        ],
        [
            settings_button(button_texts.settings_receive(language), "receive"),
            settings_button(button_texts.settings_blocks(language), "blocks"),
        ],
        [
            settings_button(button_texts.settings_language(language), "language"),
            settings_button(button_texts.settings_zone(language), "zone"),
        ],
        [settings_button(button_texts.close(language), "close")],
    )


def _close(_visit: Visit, _argument: str, message_id: int) -> HandlerAnswer:
    return edited_buttons(message_id=message_id, keyboard=None)


def _pause(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Show the pauses, or begin or end one and go home."""
    toast = _change_pause(visit, argument)
    if toast is None:
        return edit(
            settings_texts.pause_screen(visit.language),
            message_id=message_id,
            keyboard=_pause_keyboard(visit.language, zone=visit.actor.time_zone),
        )
    return edit(
        _home_text(visit), message_id=message_id, keyboard=_home_keyboard(visit.language), toast=toast
    )


def _change_pause(visit: Visit, argument: str) -> str | None:
    account_id, language = visit.actor.account_id, visit.language
    if argument == "end":
        accounts.preferences.queue_resumed(visit.pipeline, account_id)
        return settings_texts.resumed(language)
    if argument not in ("ever", *map(str, _PAUSES)):
        return None
    hours = None if argument == "ever" else int(argument)
    accounts.preferences.queue_paused(visit.pipeline, account_id, hours=hours)
    until = accounts.preferences.queue_preferences(visit.pipeline, account_id).value.paused_until
    return settings_texts.paused(language, until=until or FOR_EVER, zone=visit.actor.time_zone)


def _pause_keyboard(language: str, *, zone: str) -> Keyboard:
    pauses = [
        settings_button(
            button_texts.pause_until(language, until=end_of_pause(hours=hours), zone=zone), f"pause:{hours}"
        )
        for hours in _PAUSES
    ]
    return inline(
        *([pause] for pause in pauses),
        [settings_button(button_texts.pause_for_ever(language), "pause:ever")],
        [settings_button(button_texts.resume(language), "pause:end")],
        back_row(language),
    )


def _receive(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Show what is taken, after a change of one kind if one is named."""
    if argument in ReceiveKind.__members__:
        accounts.preferences.queue_kind_toggled(
            visit.pipeline, visit.actor.account_id, kind=ReceiveKind[argument]
        )
    preferences = accounts.preferences.queue_preferences(visit.pipeline, visit.actor.account_id).value
    buttons = [
        settings_button(
            button_texts.receive_choice(
                visit.language, kind=kind, wanted=kind not in preferences.refused_kinds
            ),
            f"receive:{kind.name}",
        )
        for kind in ReceiveKind
    ]
    keyboard = inline(buttons[:2], buttons[2:4], buttons[4:], back_row(visit.language))
    return edit(settings_texts.receive_screen(visit.language), message_id=message_id, keyboard=keyboard)


def _name(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    if argument != "remove":
        return ask_for_name(visit)
    toast = remove_name(visit)
    return edit(
        _home_text(visit), message_id=message_id, keyboard=_home_keyboard(visit.language), toast=toast
    )


_SCREENS: Final[dict[str, Screen]] = {
    HOME: _home,
    "close": _close,
    "pause": _pause,
    "receive": _receive,
    "name": _name,
    **LANGUAGE_SCREENS,
    **ZONE_SCREENS,
    **BLOCK_SCREENS,
}
