"""Chats as a whole: looking at one, showing that something is on its way, leaving."""

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.chat_lookup import find_chat, find_readable_chat, find_writable_chat
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation

_CHAT_ACTIONS = frozenset(
    {
        "cancel",
        "choose_sticker",
        "find_location",
        "record_audio",
        "record_video",
        "record_video_note",
        "record_voice",
        "typing",
        "upload_audio",
        "upload_document",
        "upload_photo",
        "upload_video",
        "upload_video_note",
        "upload_voice",
    }
)
_MAX_REACTIONS = 11


async def get_chat(simulation: Simulation, parameters: Parameters) -> JsonObject:
    """Answer a chat that the bot has met, with what Telegram says of it now. Raises BotApiError."""
    conversation = find_readable_chat(simulation.world, parameters)
    return {**conversation.chat, "accent_color_id": 0, "max_reaction_count": _MAX_REACTIONS}


async def send_chat_action(simulation: Simulation, parameters: Parameters) -> bool:
    """Show what the bot is doing, which leaves nothing in the chat. Raises BotApiError as a send does."""
    action = parameters.text("action").lower()
    if action not in _CHAT_ACTIONS:
        raise bad_request("wrong parameter action in request")
    find_writable_chat(simulation.world, parameters)
    return True


async def leave_chat(simulation: Simulation, parameters: Parameters) -> bool:
    """Leave a group. Raises BotApiError in a private chat."""
    conversation = find_chat(simulation.world, parameters)
    if conversation.chat["type"] == "private":
        raise bad_request("chat member status can't be changed in private chats")
    conversation.bot_has_left = True
    conversation.next_revision()
    simulation.changed.beat()
    return True
