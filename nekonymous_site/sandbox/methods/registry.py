"""Which function answers which method."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from nekonymous_site.sandbox.bot_api_errors import refusal
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.methods import (
    bot_profile,
    callback_queries,
    chats,
    commands,
    edits,
    media,
    messages,
    reactions,
    updates,
)
from nekonymous_site.sandbox.methods.outcome import Described
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.simulation import Simulation

Method: TypeAlias = Callable[[Simulation, Parameters], Awaitable[object]]

_METHODS: dict[str, Method] = {
    "answerCallbackQuery": callback_queries.answer_callback_query,
    "deleteMessage": edits.delete_message,
    "deleteMessages": edits.delete_messages,
    "deleteMyCommands": commands.delete_my_commands,
    "deleteWebhook": updates.delete_webhook,
    "editMessageCaption": edits.edit_message_caption,
    "editMessageReplyMarkup": edits.edit_message_reply_markup,
    "editMessageText": edits.edit_message_text,
    "getChat": chats.get_chat,
    "getMe": bot_profile.get_me,
    "getMyCommands": commands.get_my_commands,
    "getMyDescription": bot_profile.getter_of("description"),
    "getMyName": bot_profile.getter_of("name"),
    "getMyShortDescription": bot_profile.getter_of("short_description"),
    "getUpdates": updates.get_updates,
    "getWebhookInfo": updates.get_webhook_info,
    "leaveChat": chats.leave_chat,
    "sendAnimation": media.sender_of("animation"),
    "sendAudio": media.sender_of("audio"),
    "sendChatAction": chats.send_chat_action,
    "sendDocument": media.sender_of("document"),
    "sendMediaGroup": media.send_media_group,
    "sendMessage": messages.send_message,
    "sendPhoto": media.sender_of("photo"),
    "sendSticker": media.sender_of("sticker"),
    "sendVideo": media.sender_of("video"),
    "sendVideoNote": media.sender_of("video_note"),
    "sendVoice": media.sender_of("voice"),
    "setMessageReaction": reactions.set_message_reaction,
    "setMyCommands": commands.set_my_commands,
    "setMyDescription": bot_profile.setter_of("description"),
    "setMyName": bot_profile.setter_of("name"),
    "setMyShortDescription": bot_profile.setter_of("short_description"),
    "setWebhook": updates.set_webhook,
}
# As on the real server, method names are not case-sensitive.
_NAMES = {name.lower(): name for name in _METHODS}


@dataclass(frozen=True, slots=True)
class MethodCall:
    """A call of a method that exists."""

    name: str
    parameters: Parameters

    async def execute(self, simulation: Simulation) -> JsonObject:
        """Run it and return the answer's body. Raises BotApiError for what the server refuses."""
        result = await _METHODS[self.name](simulation, self.parameters)
        if isinstance(result, Described):
            return {"ok": True, "result": result.result, "description": result.description}
        return {"ok": True, "result": result}


def list_method_names() -> list[str]:
    """All methods, as they are written in the documentation."""
    return sorted(_METHODS)


def find_known_method_name(name: str) -> str | None:
    """Return the method's name as it is written in the documentation, None if there is no such method."""
    return _NAMES.get(name.lower())


def find_method_name(name: str) -> str:
    """As find_known_method_name. Raises BotApiError if there is none."""
    known = find_known_method_name(name)
    if known is None:
        raise refusal(404, "method not found")
    return known
