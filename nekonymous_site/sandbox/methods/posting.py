"""Putting a message of the bot into a chat: what all kinds of sends have in common."""

from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.chat_lookup import find_writable_chat
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import ReplyMarkup
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.replies import read_reply_fields
from nekonymous_site.sandbox.send_options import read_option_fields
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Posting:
    """Where a message goes and what it has besides its content."""

    conversation: Conversation
    fields: JsonObject
    reply_keyboard: JsonObject | None
    silent: bool


def prepare_posting(simulation: Simulation, parameters: Parameters, *, markup: ReplyMarkup) -> Posting:
    """Find the chat and the message replied to. Raises BotApiError if one of them is not to be had."""
    conversation = find_writable_chat(simulation.world, parameters)
    fields = read_reply_fields(conversation, parameters)
    fields |= read_option_fields(parameters, chat_type=conversation.chat["type"])
    if markup.inline_keyboard is not None:
        fields["reply_markup"] = markup.inline_keyboard
    return Posting(
        conversation=conversation,
        fields=fields,
        reply_keyboard=markup.reply_keyboard,
        silent=parameters.flag("disable_notification"),
    )


def refuse_voice_where_forbidden(simulation: Simulation, posting: Posting) -> None:
    """Raise BotApiError if the person of this chat takes neither voice messages nor round videos."""
    person = simulation.world.people.get(posting.conversation.chat["id"])
    if person is not None and person.forbids_voice:
        raise bad_request("VOICE_MESSAGES_FORBIDDEN")


def post(simulation: Simulation, posting: Posting, *, fields: JsonObject) -> JsonObject:
    """Append the message; returns its Message object. A keyboard stays in the chat until the next one."""
    message = simulation.world.add_message(
        posting.conversation,
        sender=simulation.bot.as_user(),
        fields=posting.fields | fields,
        silent=posting.silent,
    )
    message.reply_keyboard = posting.reply_keyboard
    _show_keyboard(posting.conversation, posting.reply_keyboard or {})
    return message.body


def _show_keyboard(conversation: Conversation, markup: JsonObject) -> None:
    if "keyboard" in markup:
        conversation.shown_keyboard = markup
    elif "remove_keyboard" in markup:
        conversation.shown_keyboard = None
