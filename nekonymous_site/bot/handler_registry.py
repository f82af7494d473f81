"""Which handler answers what. Routing reads the raw kinds, so nothing that a person sends meets silence."""

import re
from collections.abc import Callable
from typing import Final

import accounts.services
from accounts.drafts import DisplayNameDraft, NicknameDraft
from nekonymous_site.bot import callback_data, menu_labels, outcome_texts
from nekonymous_site.bot.handlers.cancel import answer_cancel, answer_cancel_tap
from nekonymous_site.bot.handlers.compose import answer_message
from nekonymous_site.bot.handlers.compositions import answer_send_anyway, answer_throw_away
from nekonymous_site.bot.handlers.help import answer_help, answer_privacy, answer_unknown_command
from nekonymous_site.bot.handlers.inbox import answer_inbox, answer_inbox_tap
from nekonymous_site.bot.handlers.language import answer_language
from nekonymous_site.bot.handlers.link import answer_link
from nekonymous_site.bot.handlers.nickname import answer_nickname_removed
from nekonymous_site.bot.handlers.reply import answer_reply_tap
from nekonymous_site.bot.handlers.sender_actions import (
    answer_block,
    answer_nickname_tap,
    answer_sender_mark,
    answer_unblock,
)
from nekonymous_site.bot.handlers.settings import answer_settings, answer_settings_tap
from nekonymous_site.bot.handlers.start import answer_start
from nekonymous_site.bot.handlers.withdraw import answer_withdraw, answer_write_again
from nekonymous_site.bot.update_models import CallbackQuery, Message, TappedMessage, Update
from nekonymous_site.bot.visit import HandlerAnswer, Visit

Handler = Callable[[Visit, str], HandlerAnswer]
TapHandler = Callable[[Visit, str, TappedMessage], HandlerAnswer]

COMMANDS: Final[dict[str, Handler]] = {
    "start": answer_start,
    "link": answer_link,
    "inbox": answer_inbox,
    "settings": answer_settings,
    "language": answer_language,
    "privacy": answer_privacy,
    "cancel": answer_cancel,
    "help": answer_help,
}
_COMMAND: Final = re.compile(r"/([A-Za-z0-9_]{1,32})(?:@[A-Za-z0-9_]+)?(?:\s+(.*))?", re.DOTALL)

# By prefix: what stands behind it belongs to the handler.
TAPS: Final[dict[str, TapHandler]] = {
    callback_data.REPLY: lambda visit, data, tapped: answer_reply_tap(visit, data, tapped=tapped),
    callback_data.NICKNAME: lambda visit, data, tapped: answer_nickname_tap(visit, data, tapped=tapped),
    callback_data.NICKNAME_REMOVED: lambda visit, data, _tapped: answer_nickname_removed(visit, data),
    callback_data.BLOCK: lambda visit, data, tapped: answer_block(visit, data, tapped=tapped),
    callback_data.UNBLOCK: lambda visit, data, tapped: answer_unblock(visit, data, tapped=tapped),
    callback_data.SENDER_MARK: lambda visit, data, _tapped: answer_sender_mark(visit, data),
    callback_data.REPEAT_MARK: lambda visit, _data, _tapped: HandlerAnswer(
        toast=outcome_texts.repeat_explained(visit.language)
    ),
    callback_data.WITHDRAW: lambda visit, data, tapped: answer_withdraw(visit, data, tapped=tapped),
    callback_data.WRITE_AGAIN: lambda visit, data, _tapped: answer_write_again(visit, data),
    callback_data.SEND_ANYWAY: lambda visit, data, tapped: answer_send_anyway(
        visit, data, message_id=tapped.message_id
    ),
    callback_data.THROW_AWAY: lambda visit, data, tapped: answer_throw_away(
        visit, data, message_id=tapped.message_id
    ),
    callback_data.CANCEL: lambda visit, data, tapped: answer_cancel_tap(
        visit, data, message_id=tapped.message_id
    ),
    callback_data.INBOX: lambda visit, _data, _tapped: answer_inbox_tap(visit),
    callback_data.SETTINGS: lambda visit, data, tapped: answer_settings_tap(
        visit, data, message_id=tapped.message_id
    ),
}


_OPENING_TAPS: Final = (
    callback_data.REPLY,
    callback_data.WRITE_AGAIN,
    callback_data.NICKNAME,
    f"{callback_data.SETTINGS}name",
)


def is_navigation(message: Message) -> bool:
    """Tell a command or the label of a menu button from what somebody may want to say."""
    return find_navigation(message) is not None


def find_navigation(message: Message) -> tuple[Handler, str] | None:
    """Find where a message leads that is a command or the label of a menu button; None for any other."""
    text = message.text.strip() if message.text else ""
    entry = menu_labels.read_menu_label(text)
    if entry is not None:
        return COMMANDS[entry], ""
    command = _COMMAND.fullmatch(text)
    if command is None:
        return None
    return COMMANDS.get(command[1].lower(), answer_unknown_command), (command[2] or "").strip()


def is_cancel(message: Message) -> bool:
    """Tell the command that stops what has been begun."""
    navigation = find_navigation(message)
    return navigation is not None and navigation[0] is answer_cancel


def opens_something(update: Update) -> bool:
    """Tell what would have led the next message somewhere else, had it been worked on."""
    if update.callback_query is not None:
        return (update.callback_query.data or "").startswith(_OPENING_TAPS)
    navigation = find_navigation(update.message) if update.message else None
    return navigation is not None and navigation[0] is answer_start and bool(navigation[1])


def answer_private_message(visit: Visit, message: Message) -> HandlerAnswer:
    """Answer a message in a private chat. What navigates does so also while something is being written."""
    navigation = find_navigation(message)
    if navigation is None:
        return answer_message(visit, message)
    handler, argument = navigation
    if isinstance(visit.actor.draft(), NicknameDraft | DisplayNameDraft) and handler is not answer_cancel:
        # Whoever looks at something else has forgotten the question: their next words are no name.
        accounts.services.queue_draft_closed(visit.pipeline, owner=visit.actor.account_id)
    return handler(visit, argument)


def answer_tap(visit: Visit, tap: CallbackQuery) -> HandlerAnswer:
    """Answer a tap on one of our buttons, however old."""
    data = tap.data or ""
    handler = TAPS.get(data.partition(":")[0] + ":")
    if handler is None or tap.message is None:
        return HandlerAnswer(toast=outcome_texts.button_dead(visit.language))
    return handler(visit, data, tap.message)
