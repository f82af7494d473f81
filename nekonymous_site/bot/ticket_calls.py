"""From the content of a ticket to Bot API calls: each item by the method of its kind, an album as a group.

A ticket may take several calls (parts of a long text, an album and the card with its buttons). The buttons
stand under the last one.
"""

from dataclasses import dataclass, field
from typing import Any, Final

from nekonymous_site.bot import outcome_texts
from nekonymous_site.bot.keyboards import Keyboard
from nekonymous_site.workflows.ticket_content import ContentItem, ContentKind, MessageContent
from outbox.telegram_client import BotApiCall

_METHODS: Final = {
    ContentKind.TEXT: "sendMessage",
    ContentKind.PHOTO: "sendPhoto",
    ContentKind.VIDEO: "sendVideo",
    ContentKind.ANIMATION: "sendAnimation",
    ContentKind.DOCUMENT: "sendDocument",
    ContentKind.VOICE: "sendVoice",
    ContentKind.AUDIO: "sendAudio",
    ContentKind.STICKER: "sendSticker",
    ContentKind.VIDEO_NOTE: "sendVideoNote",
}
# What may stand in one group: pictures mix, documents and audios keep to themselves.
_GROUPS: Final = {
    ContentKind.PHOTO: "pictures",
    ContentKind.VIDEO: "pictures",
    ContentKind.DOCUMENT: "documents",
    ContentKind.AUDIO: "audios",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFrame:
    """What stands around a ticket's content: the chat, the message it answers, the language of the card."""

    chat_id: int = field(repr=False)
    language: str
    reply_to_message_id: int | None = field(repr=False)


def split_into_calls(content: MessageContent) -> list[tuple[ContentItem, ...]]:
    """Say which items go out together, call by call; an empty last one stands for the card of an album."""
    calls: list[tuple[ContentItem, ...]] = []
    for item in content.items:
        if calls and _belongs_to(calls[-1], item):
            calls[-1] = (*calls[-1], item)
        else:
            calls.append((item,))
    return [*calls, ()] if len(calls[-1]) > 1 else calls


def build_call(
    items: tuple[ContentItem, ...], *, frame: TicketFrame, keyboard: Keyboard | None
) -> BotApiCall:
    """Build one call; with a keyboard it is the last one."""
    replied_to = frame.reply_to_message_id
    framing: dict[str, Any] = {
        "chat_id": frame.chat_id,
        "protect_content": True,
        "reply_parameters": {"message_id": replied_to, "allow_sending_without_reply": True}
        if replied_to
        else None,
        "reply_markup": keyboard,
    }
    if not items:
        card = {"text": outcome_texts.ticket_card(frame.language)}
        return _call("sendMessage", framing | card)
    if len(items) > 1:
        return _call("sendMediaGroup", framing | {"media": _as_group(items)})
    [item] = items
    return _call(_METHODS[item.kind], framing | _content_of(item))


def without_formatting(call: BotApiCall) -> BotApiCall | None:
    """Give a refused call once more without its entities; None when it had none."""
    plain = _strip(call.parameters)
    if "media" in plain:
        plain["media"] = [_strip(item) for item in plain["media"]]
    return None if plain == call.parameters else BotApiCall(method=call.method, parameters=plain)


def _belongs_to(group: tuple[ContentItem, ...], item: ContentItem) -> bool:
    kind = _GROUPS.get(item.kind)
    return kind is not None and kind == _GROUPS.get(group[0].kind)


def _content_of(item: ContentItem) -> dict[str, Any]:
    if item.kind is ContentKind.TEXT:
        preview = {"is_disabled": True}
        return {"text": item.text, "entities": list(item.entities), "link_preview_options": preview}
    return {item.kind.value: item.file_id, **_caption_of(item)}


def _as_group(items: tuple[ContentItem, ...]) -> list[dict[str, Any]]:
    """List an album. Telegram tells where captions stand on captioned items alone, and wants it on all."""
    above = {"show_caption_above_media": any(item.caption_above for item in items)}
    return [
        _given({"type": item.kind.value, "media": item.file_id, **_caption_of(item), **above})
        for item in items
    ]


def _caption_of(item: ContentItem) -> dict[str, Any]:
    return {
        "caption": item.text,
        "caption_entities": list(item.entities),
        "has_spoiler": item.spoiler,
        "show_caption_above_media": item.caption_above,
    }


def _call(method: str, parameters: dict[str, Any]) -> BotApiCall:
    return BotApiCall(method=method, parameters=_given(parameters))


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value}


def _strip(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in ("entities", "caption_entities")}
