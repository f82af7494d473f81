"""Inline keyboards, as the Bot API wants them."""

from typing import Any

from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.crypto.capabilities import Capability

Keyboard = dict[str, Any]


def inbox_keyboard(language: str) -> Keyboard:
    """One button that brings what waits."""
    return _inline([_button(outcome_texts.inbox_button(language), callback_data.INBOX)])


def ticket_keyboard(capability: Capability, *, language: str, possible_repeat: bool) -> Keyboard:
    """The actions under a delivered message, and above them whose words it is not: the bot's.

    The marks stand in buttons, so that they fit a text of full length as well.
    """
    marks = [_button(outcome_texts.sender_button(language), callback_data.SENDER_MARK)]
    if possible_repeat:
        marks.append(_button(outcome_texts.repeat_button(language), callback_data.REPEAT_MARK))
    actions = [_button(outcome_texts.reply_button(language), callback_data.reply_data(capability))]
    return _inline(marks, actions)


def _button(text: str, data: str) -> dict[str, str]:
    return {"text": text, "callback_data": data}


def _inline(*rows: list[dict[str, str]]) -> Keyboard:
    return {"inline_keyboard": list(rows)}
