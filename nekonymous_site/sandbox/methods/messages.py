"""Sending texts and changing messages."""

import time

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.chat_lookup import find_chat, find_own_message
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.keyboard_checks import read_reply_markup
from nekonymous_site.sandbox.message_checks import read_formatted_text
from nekonymous_site.sandbox.methods.posting import post, prepare_posting
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation
from nekonymous_site.sandbox.world import ChatMessage, Conversation


async def send_message(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Put a text into a chat. Raises BotApiError as the server does."""
    formatted = read_formatted_text(parameters)
    posting = prepare_posting(simulation, parameters, markup=read_reply_markup(parameters))
    return post(simulation, posting, fields=formatted.as_fields() | _link_preview_field(parameters))


async def edit_message_text(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Replace a message's text; its buttons go unless they are given again. Raises BotApiError."""
    formatted = read_formatted_text(parameters)
    conversation = find_chat(simulation.world, parameters)
    message = find_own_message(conversation, parameters)
    if "text" not in message.body:
        raise bad_request("there is no text in the message to edit")
    unchanged = {
        name: value
        for name, value in message.body.items()
        if name not in {"text", "entities", "reply_markup"}
    }
    return _apply_edit(
        simulation,
        conversation,
        message,
        body=unchanged | formatted.as_fields() | _inline_keyboard_field(parameters),
    )


async def edit_message_reply_markup(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Replace a message's buttons, or take them away. Raises BotApiError."""
    conversation = find_chat(simulation.world, parameters)
    message = find_own_message(conversation, parameters)
    unchanged = {name: value for name, value in message.body.items() if name != "reply_markup"}
    return _apply_edit(simulation, conversation, message, body=unchanged | _inline_keyboard_field(parameters))


async def leave_chat(simulation: Simulation, parameters: Parameters) -> bool:
    """Leave a group. Raises BotApiError in a private chat."""
    conversation = find_chat(simulation.world, parameters)
    if conversation.chat["type"] == "private":
        raise bad_request("chat member status can't be changed in private chats")
    conversation.bot_has_left = True
    conversation.next_revision()
    simulation.changed.beat()
    return True


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


def _link_preview_field(parameters: Parameters) -> JsonObject:
    preview = parameters.json_object("link_preview_options")
    if preview:
        return {"link_preview_options": preview}
    if parameters.flag("disable_web_page_preview"):
        return {"link_preview_options": {"is_disabled": True}}
    return {}
