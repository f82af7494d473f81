"""From a call's chat id to a chat the bot may act in."""

from nekonymous_site.sandbox.bot_api_errors import (
    bad_request,
    bot_was_blocked,
    chat_not_found,
    refusal,
    user_is_deactivated,
)
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.world import ChatMessage, Conversation, World


def find_readable_chat(world: World, parameters: Parameters) -> Conversation:
    """Find a chat the bot has met and is still in. Raises BotApiError if it is not."""
    if not parameters.text("chat_id"):
        raise bad_request("chat_id is empty")
    conversation = world.conversations.get(parameters.integer("chat_id") or 0)
    if conversation is None or not conversation.is_known_to_bot:
        raise chat_not_found()
    if conversation.bot_was_kicked:
        raise refusal(403, "bot was kicked from the supergroup chat")
    if conversation.bot_has_left:
        raise refusal(403, "bot is not a member of the supergroup chat")
    return conversation


def find_chat(world: World, parameters: Parameters) -> Conversation:
    """Find a chat in which the bot may change something. Raises BotApiError if it may not."""
    conversation = find_readable_chat(world, parameters)
    person = world.people.get(conversation.chat["id"])
    if person is not None and person.has_left:
        raise user_is_deactivated()
    return conversation


def find_writable_chat(world: World, parameters: Parameters) -> Conversation:
    """Find a chat the bot may send to. Raises BotApiError if it may not."""
    conversation = find_chat(world, parameters)
    person = world.people.get(conversation.chat["id"])
    if person is not None and person.has_blocked_bot:
        raise bot_was_blocked()
    return conversation


def find_message(conversation: Conversation, parameters: Parameters, *, purpose: str) -> ChatMessage:
    """Find a message by ``message_id``. Raises BotApiError, which names the purpose: "to delete"."""
    message_id = parameters.integer("message_id") or 0
    if message_id <= 0:
        raise bad_request("message identifier is not specified")
    message = conversation.messages.get(message_id)
    if message is None:
        reason = f"message {purpose} not found"
        raise bad_request(reason)
    return message


def find_own_message(conversation: Conversation, parameters: Parameters) -> ChatMessage:
    """Find a message of the bot's own to change. Raises BotApiError if there is none."""
    message = find_message(conversation, parameters, purpose="to edit")
    if not message.from_bot:
        raise bad_request("message can't be edited")
    return message
