"""Changing messages that the bot has sent, and taking messages away."""

import time

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.chat_lookup import find_chat, find_message, find_own_message
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import read_reply_markup
from nekonymous_site.sandbox.message_checks import read_caption, read_formatted_text
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.sample_media import CAPTIONED_KINDS, PICTURE_KINDS
from nekonymous_site.sandbox.send_options import read_link_preview_field
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import ChatMessage, Conversation

_MOST_DELETED = 100
_TEXT_FIELDS = frozenset({"text", "entities", "link_preview_options", "reply_markup"})
_CAPTION_FIELDS = frozenset({"caption", "caption_entities", "show_caption_above_media", "reply_markup"})


async def edit_message_text(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Replace a message's text; its buttons go unless they are given again. Raises BotApiError."""
    formatted = read_formatted_text(parameters)
    conversation = find_chat(simulation.world, parameters)
    message = find_own_message(conversation, parameters)
    if "text" not in message.body:
        raise bad_request("there is no text in the message to edit")
    fields = formatted.as_fields() | read_link_preview_field(parameters) | _inline_keyboard_field(parameters)
    return _apply_edit(simulation, conversation, message, body=_without(message, _TEXT_FIELDS) | fields)


async def edit_message_caption(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Replace or take away a medium's caption, as edit_message_text does a text. Raises BotApiError."""
    caption = read_caption(parameters)
    conversation = find_chat(simulation.world, parameters)
    message = find_own_message(conversation, parameters)
    if not CAPTIONED_KINDS & message.body.keys():
        raise bad_request("there is no caption in the message to edit")
    above = parameters.flag("show_caption_above_media") and bool(PICTURE_KINDS & message.body.keys())
    fields = caption.as_caption_fields(above=above) | _inline_keyboard_field(parameters)
    return _apply_edit(simulation, conversation, message, body=_without(message, _CAPTION_FIELDS) | fields)


async def edit_message_reply_markup(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Replace a message's buttons, or take them away. Raises BotApiError."""
    conversation = find_chat(simulation.world, parameters)
    message = find_own_message(conversation, parameters)
    unchanged = _without(message, frozenset({"reply_markup"}))
    return _apply_edit(simulation, conversation, message, body=unchanged | _inline_keyboard_field(parameters))


async def delete_message(simulation: Simulation, parameters: Parameters) -> bool:
    """Take a message away for both sides, be it the bot's or the person's. Raises BotApiError.

    In a group the bot is no administrator, so there only its own can go.
    """
    conversation = find_chat(simulation.world, parameters)
    message = find_message(conversation, parameters, purpose="to delete")
    if not _can_delete(conversation, message):
        raise bad_request("message can't be deleted for everyone")
    simulation.world.remove_message(conversation, message)
    return True


async def delete_messages(simulation: Simulation, parameters: Parameters) -> bool:
    """As delete_message for up to 100; those that are gone or may not go are passed over."""
    conversation = find_chat(simulation.world, parameters)
    for message_id in _read_message_ids(parameters):
        message = conversation.messages.get(message_id)
        if message is not None and _can_delete(conversation, message):
            simulation.world.remove_message(conversation, message)
    return True


def _can_delete(conversation: Conversation, message: ChatMessage) -> bool:
    return message.from_bot or conversation.chat["type"] == "private"


def _read_message_ids(parameters: Parameters) -> list[int]:
    given = parameters.json_list("message_ids")
    if not given:
        raise bad_request("message identifiers are not specified")
    if len(given) > _MOST_DELETED:
        raise bad_request("too many message identifiers specified")
    read = Parameters({str(place): value for place, value in enumerate(given)})
    message_ids = [read.integer(str(place)) or 0 for place in range(len(given))]
    if min(message_ids) <= 0:
        raise bad_request("invalid message identifier specified")
    return message_ids


def _without(message: ChatMessage, names: frozenset[str]) -> JsonObject:
    return {name: value for name, value in message.body.items() if name not in names}


def _apply_edit(
    simulation: Simulation, conversation: Conversation, message: ChatMessage, *, body: JsonObject
) -> JsonObject:
    if body == message.body:
        raise bad_request(
            "message is not modified: specified new message content and reply markup are exactly the same "
            "as a current content and reply markup of the message"
        )
    message.body = body | {"edit_date": int(time.time())}
    simulation.world.note_change(conversation, message)
    return message.body


def _inline_keyboard_field(parameters: Parameters) -> JsonObject:
    markup = read_reply_markup(parameters)
    if markup.reply_keyboard is not None:
        raise bad_request("object expected as reply markup")
    return {"reply_markup": markup.inline_keyboard} if markup.inline_keyboard is not None else {}
