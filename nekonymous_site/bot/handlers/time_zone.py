"""The time zone in which a person is told times."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import accounts.preferences
from nekonymous_site.bot import button_texts, settings_texts
from nekonymous_site.bot.handlers.settings_screens import Screen, back_row, edit, settings_button
from nekonymous_site.bot.keyboards import Keyboard, inline
from nekonymous_site.bot.settings_texts import TIME_ZONES
from nekonymous_site.bot.visit import HandlerAnswer, Visit


def _zone(visit: Visit, argument: str, message_id: int) -> HandlerAnswer:
    """Show the zones, after a change to the one that is named."""
    if argument in TIME_ZONES:
        accounts.preferences.queue_time_zone(visit.pipeline, visit.actor.account_id, time_zone=argument)
        visit = replace(visit, actor=replace(visit.actor, time_zone=argument))
    zone = visit.actor.time_zone
    text = settings_texts.zone_screen(visit.language, zone=zone, now=datetime.now(UTC))
    return edit(text, message_id=message_id, keyboard=_keyboard(visit.language, zone=zone))


def _keyboard(language: str, *, zone: str) -> Keyboard:
    choices = [
        settings_button(button_texts.zone_choice(language, zone=one, chosen=one == zone), f"zone:{one}")
        for one in TIME_ZONES
    ]
    rows = [choices[start : start + 2] for start in range(0, len(choices), 2)]
    return inline(*rows, back_row(language))


ZONE_SCREENS: Final[dict[str, Screen]] = {"zone": _zone}
