"""What made-up people's messages hold, read from what the control API was asked for."""

from nekonymous_site.sandbox.albums import ALBUM_KINDS, check_album, make_media_group_id
from nekonymous_site.sandbox.bot_api_errors import BotApiError
from nekonymous_site.sandbox.forward_origins import INLINE_BOT, ORIGIN_KINDS, make_forward_origin
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.message_checks import MAX_TEXT_UNITS, format_caption, format_text
from nekonymous_site.sandbox.sample_media import (
    CAPTIONED_KINDS,
    PICTURE_KINDS,
    SAMPLE_KINDS,
    make_sample,
)

_FEWEST_ALBUM_ITEMS = 2
_NOT_FORWARDED = (
    "message_id",
    "from",
    "chat",
    "date",
    "edit_date",
    "media_group_id",
    "reply_to_message",
    "quote",
    "reply_markup",
    "effect_id",
)


class ActionRefused(Exception):
    """A person cannot do this; the message says why."""


def read_content(request: JsonObject) -> JsonObject:
    """The fields of one message: a text, or one kind with a caption. Raises ActionRefused.

    ``extra`` is laid over the content, ``extra_fields`` over the whole message; these alone make a message of
    a kind that nobody here knows. ``forwarded`` and ``via_bot`` say where the content comes from.
    """
    extra_fields = _origin_fields(request) | _object_of(request, "extra_fields")
    if "text" in request:
        return _text_fields(request) | extra_fields
    kind = _kind_of(request)
    if kind is not None:
        return _kind_fields(kind, request) | extra_fields
    if not request.get("extra_fields"):
        reason = f"give text or one of: {', '.join(SAMPLE_KINDS)}"
        raise ActionRefused(reason)
    return extra_fields


def read_album(request: JsonObject) -> list[JsonObject]:
    """The fields of an album's messages, of 2 to 10 items that go together. Raises ActionRefused."""
    items = request.get("items")
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ActionRefused("items must be an array of objects")
    if len(items) < _FEWEST_ALBUM_ITEMS:
        raise ActionRefused("an album has two items or more")
    kinds = [_kind_of(item) or "text" for item in items]
    if not ALBUM_KINDS.issuperset(kinds):
        reason = f"an album is made of {', '.join(sorted(ALBUM_KINDS))}"
        raise ActionRefused(reason)
    try:
        check_album(kinds, captions_above=[bool(item.get("caption_above")) for item in items])
    except BotApiError as error:
        raise ActionRefused(error.description) from None
    group = {"media_group_id": make_media_group_id()}
    return [group | read_content(item) for item in items]


def read_edit(request: JsonObject, body: JsonObject) -> JsonObject:
    """An own message as it stands after an edit of its text or caption. Raises ActionRefused."""
    kind = _kind_of(body)
    if "forward_origin" in body or "via_bot" in body:
        raise ActionRefused("what was forwarded or came through a bot cannot be edited")
    if request.get("text") is not None and "text" in body:
        return _without(body, "text", "entities") | _text_fields(request)
    if request.get("caption") is not None and kind is not None:
        above = body.get("show_caption_above_media", False)
        entities = request.get("caption_entities", request.get("entities", []))
        given = {"caption": request["caption"], "caption_entities": entities, "caption_above": above}
        unchanged = _without(body, "caption", "caption_entities", "show_caption_above_media")
        return unchanged | _caption_fields(kind, given)
    raise ActionRefused("give a text for a message with a text, a caption for one with a medium")


def read_forward(body: JsonObject) -> JsonObject:
    """The fields of a message that forwards another one. Raises ActionRefused for protected content."""
    if body.get("has_protected_content"):
        raise ActionRefused("its content is protected, so no app forwards it")
    origin = {"type": "user", "sender_user": body["from"], "date": body["date"]}
    return {"forward_origin": origin} | _without(body, *_NOT_FORWARDED)


def _origin_fields(request: JsonObject) -> JsonObject:
    fields: JsonObject = {"via_bot": INLINE_BOT} if request.get("via_bot") else {}
    kind = request.get("forwarded")
    if kind is None:
        return fields
    if kind not in ORIGIN_KINDS:
        reason = f"forwarded must be one of: {', '.join(ORIGIN_KINDS)}"
        raise ActionRefused(reason)
    return fields | {"forward_origin": make_forward_origin(kind)}


def _without(body: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in body.items() if name not in names}


def _kind_of(request: JsonObject) -> str | None:
    return next((kind for kind in SAMPLE_KINDS if kind in request), None)


def _text_fields(request: JsonObject) -> JsonObject:
    try:
        return format_text(str(request["text"]), entities=_list_of(request, "entities")).as_fields()
    except BotApiError as error:
        raise ActionRefused(error.description) from None


def _kind_fields(kind: str, request: JsonObject) -> JsonObject:
    is_sample = request[kind] is True
    sample = make_sample(kind, extra=_object_of(request, "extra")) if is_sample else {kind: request[kind]}
    return sample | _caption_fields(kind, request) | _spoiler_field(kind, request)


def _caption_fields(kind: str, request: JsonObject) -> JsonObject:
    """A caption may be as long as those of people who pay for it."""
    if not request.get("caption"):
        return {}
    above = bool(request.get("caption_above"))
    if kind not in CAPTIONED_KINDS or (above and kind not in PICTURE_KINDS):
        reason = f"{kind} has no caption{' above it' if above else ''}"
        raise ActionRefused(reason)
    entities = _list_of(request, "caption_entities")
    try:
        caption = format_caption(str(request["caption"]), entities=entities, most_units=MAX_TEXT_UNITS)
    except BotApiError as error:
        raise ActionRefused(error.description) from None
    return caption.as_caption_fields(above=above)


def _spoiler_field(kind: str, request: JsonObject) -> JsonObject:
    if not request.get("spoiler"):
        return {}
    if kind not in PICTURE_KINDS:
        reason = f"{kind} cannot be covered by a spoiler"
        raise ActionRefused(reason)
    return {"has_media_spoiler": True}


def _object_of(request: JsonObject, name: str) -> JsonObject:
    value = request.get(name) or {}
    if not isinstance(value, dict):
        reason = f"{name} must be an object"
        raise ActionRefused(reason)
    return value


def _list_of(request: JsonObject, name: str) -> list[object]:
    value = request.get(name) or []
    if not isinstance(value, list):
        reason = f"{name} must be an array"
        raise ActionRefused(reason)
    return value
