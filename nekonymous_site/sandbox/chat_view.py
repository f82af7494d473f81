"""A chat as somebody in it sees it, for the control API."""

from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.sample_media import FILE_KINDS, SAMPLE_KINDS
from nekonymous_site.sandbox.world import ChatMessage, Conversation, Person, Tap

_KINDS = ("text", *SAMPLE_KINDS)


def view_person(person: Person) -> JsonObject:
    """A person as the control API answers it."""
    return {
        "id": person.id,
        "first_name": person.first_name,
        "language_code": person.language_code,
        "username": person.username,
        "has_blocked_bot": person.has_blocked_bot,
        "has_left": person.has_left,
        "forbids_voice": person.forbids_voice,
    }


def view_conversation(conversation: Conversation) -> JsonObject:
    """All messages in order, with edits applied, and all taps with the bot's answers."""
    return {
        "chat": conversation.chat,
        "revision": conversation.revision,
        "bot_has_left": conversation.bot_has_left,
        "bot_was_kicked": conversation.bot_was_kicked,
        "keyboard": (conversation.shown_keyboard or {}).get("keyboard", []),
        "messages": [_view_message(message) for message in conversation.messages.values()],
        "toasts": [_view_tap(tap) for tap in conversation.taps],
    }


def _view_message(message: ChatMessage) -> JsonObject:
    body = message.body
    return {
        "message_id": message.message_id,
        "revision": message.revision,
        "from_bot": message.from_bot,
        "kind": next((kind for kind in _KINDS if kind in body), "other"),
        "file": _view_file(body),
        "text": body.get("text", body.get("caption", "")),
        "entities": body.get("entities", body.get("caption_entities", [])),
        "buttons": body.get("reply_markup", {}).get("inline_keyboard", []),
        "reply_keyboard": message.reply_keyboard,
        "reply_to_message_id": body.get("reply_to_message", {}).get("message_id"),
        "is_edited": "edit_date" in body,
        "is_protected": body.get("has_protected_content", False),
        "is_silent": message.silent,
        "reactions": message.reactions,
        "person_reactions": message.person_reactions,
        "message": body,
    }


def _view_file(body: JsonObject) -> JsonObject:
    """The ids of the medium, for a photo those of its largest size; empty when there is none."""
    content: object = next((body[kind] for kind in FILE_KINDS if kind in body), None)
    sized = content[-1] if isinstance(content, list) and content else content
    return sized if isinstance(sized, dict) else {}


def _view_tap(tap: Tap) -> JsonObject:
    answer = tap.answer or {}
    return {
        "callback_query_id": tap.callback_query_id,
        "message_id": tap.message_id,
        "callback_data": tap.callback_data,
        "revision": tap.revision,
        "is_answered": tap.answer is not None,
        "text": answer.get("text", ""),
        "show_alert": answer.get("show_alert", False),
    }
