"""Which handler answers what. Routing reads the raw kinds, so nothing that a person sends meets silence."""

import re
from collections.abc import Callable
from typing import Final

from nekonymous_site.bot import callback_data, outcome_texts
from nekonymous_site.bot.handlers.cancel import answer_cancel
from nekonymous_site.bot.handlers.compose import answer_message
from nekonymous_site.bot.handlers.help import answer_help, answer_unknown_command
from nekonymous_site.bot.handlers.inbox import answer_inbox
from nekonymous_site.bot.handlers.link import answer_link
from nekonymous_site.bot.handlers.reply import answer_reply_tap
from nekonymous_site.bot.handlers.start import answer_start
from nekonymous_site.bot.update_models import CallbackQuery, Message
from nekonymous_site.bot.visit import HandlerAnswer, Visit

Handler = Callable[[Visit, str], HandlerAnswer]

COMMANDS: Final[dict[str, Handler]] = {
    "start": answer_start,
    "link": answer_link,
    "inbox": answer_inbox,
    "cancel": answer_cancel,
    "help": answer_help,
}
_COMMAND: Final = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@[A-Za-z0-9_]+)?(?:\s+(.*))?", re.DOTALL)


def answer_private_message(visit: Visit, message: Message) -> HandlerAnswer:
    """Answer a message in a private chat. A command navigates, also while something is being written."""
    command = _COMMAND.fullmatch(message.text.strip()) if message.text else None
    if command is None:
        return answer_message(visit, message)
    handler = COMMANDS.get(command[1].lower(), answer_unknown_command)
    return handler(visit, (command[2] or "").strip())


def answer_tap(visit: Visit, tap: CallbackQuery) -> HandlerAnswer:
    """Answer a tap on one of our buttons, however old."""
    data = tap.data or ""
    if data.startswith(callback_data.REPLY):
        return answer_reply_tap(visit, data)
    if data == callback_data.INBOX:
        return answer_inbox(visit, "")
    if data == callback_data.REPEAT_MARK:
        return HandlerAnswer(toast=outcome_texts.repeat_explained(visit.language))
    if data == callback_data.SENDER_MARK:
        return HandlerAnswer(toast=outcome_texts.sender_explained(visit.language))
    return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
