"""What a message of the bot replies to, and which part of it it quotes."""

from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.message_checks import format_text
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.text_units import count_utf16_units
from nekonymous_site.sandbox.world import ChatMessage, Conversation

_MAX_QUOTE_UNITS = 1024
_QUOTED_STYLES = frozenset(
    {"bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji", "date_time"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRequest:
    """What ``reply_parameters``, or the older parameters by themselves, ask for."""

    message_id: int
    may_be_missing: bool
    quote: str
    quote_entities: list[object]
    quote_position: int


def read_reply_fields(conversation: Conversation, parameters: Parameters) -> JsonObject:
    """The fields of a Message object that replies. Raises BotApiError if what it needs is not there."""
    request = _read_request(parameters)
    if request is None:
        return {}
    message = conversation.messages.get(request.message_id)
    if message is None:
        if request.may_be_missing:
            return {}
        raise bad_request("message to be replied not found")
    return {"reply_to_message": message.as_quoted(), **_quote_field(message, request)}


def _read_request(parameters: Parameters) -> ReplyRequest | None:
    given = parameters.json_object("reply_parameters")
    reply = Parameters(given or {})
    message_id = reply.integer("message_id") or parameters.integer("reply_to_message_id")
    if not message_id:
        return None
    return ReplyRequest(
        message_id=message_id,
        may_be_missing=(parameters if given is None else reply).flag("allow_sending_without_reply"),
        quote=reply.text("quote"),
        quote_entities=reply.json_list("quote_entities") or [],
        quote_position=reply.integer("quote_position") or 0,
    )


def _quote_field(message: ChatMessage, request: ReplyRequest) -> JsonObject:
    """The quote, at the place nearest to the one asked for. Raises BotApiError if the message lacks it."""
    if not request.quote:
        return {}
    if request.quote_entities:
        entities = format_text(request.quote, entities=request.quote_entities).entities
    else:
        entities = []
    text = str(message.body.get("text", message.body.get("caption", "")))
    places = [count_utf16_units(text[:start]) for start in _find_all(text, request.quote)]
    if not places or count_utf16_units(request.quote) > _MAX_QUOTE_UNITS:
        raise bad_request("QUOTE_TEXT_INVALID")
    kept = [entity for entity in entities if entity["type"] in _QUOTED_STYLES]
    return {
        "quote": {
            "text": request.quote,
            **({"entities": kept} if kept else {}),
            "position": min(places, key=lambda place: abs(place - request.quote_position)),
            "is_manual": True,
        }
    }


def _find_all(text: str, part: str) -> list[int]:
    """Where in the text the part begins, overlapping places too."""
    found = []
    start = text.find(part)
    while start != -1:
        found.append(start)
        start = text.find(part, start + 1)
    return found
