"""What the server refuses in a message before it is sent."""

from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.entity_detection import complete_entities
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.text_units import count_utf16_units, list_utf16_boundaries

MAX_TEXT_UNITS = 4096
_ENTITY_KINDS = frozenset(
    {
        "mention",
        "hashtag",
        "cashtag",
        "bot_command",
        "url",
        "email",
        "phone_number",
        "bold",
        "italic",
        "underline",
        "strikethrough",
        "spoiler",
        "blockquote",
        "expandable_blockquote",
        "code",
        "pre",
        "text_link",
        "text_mention",
        "custom_emoji",
        "date_time",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedText:
    """A text within its limits, with every entity in bounds."""

    text: str
    entities: list[JsonObject]

    def as_fields(self) -> JsonObject:
        """The fields of a Message object."""
        return {"text": self.text, **({"entities": self.entities} if self.entities else {})}


def read_formatted_text(parameters: Parameters) -> FormattedText:
    """Read ``text`` and ``entities`` of a send or an edit. Raises BotApiError as the server does."""
    if parameters.text("parse_mode"):
        # Text of people never goes through a parse mode in this product, so none is understood here.
        raise bad_request("unsupported parse_mode")
    return format_text(parameters.text("text"), entities=parameters.json_list("entities") or [])


def format_text(given_text: str, *, entities: list[object]) -> FormattedText:
    """Check a text and its entities, cut trailing space, find commands and links. Raises BotApiError."""
    text = given_text.rstrip()
    if not text.strip():
        raise bad_request("message text is empty")
    if count_utf16_units(text) > MAX_TEXT_UNITS:
        raise bad_request("message is too long")
    checked = [_check_entity(entity, list_utf16_boundaries(given_text)) for entity in entities]
    end = count_utf16_units(text)
    kept = [
        _cut_entity(entity, end=end) for entity in checked if entity["offset"] < end and entity["length"] > 0
    ]
    return FormattedText(text=text, entities=complete_entities(text, kept))


def _check_entity(entity: object, boundaries: list[int]) -> JsonObject:
    if not isinstance(entity, dict) or entity.get("type") not in _ENTITY_KINDS:
        raise bad_request("can't parse MessageEntity: unsupported type specified")
    offset, length = entity.get("offset"), entity.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length < 0:
        raise bad_request("can't parse MessageEntity: offset and length must be non-negative numbers")
    if entity["type"] == "text_link" and not entity.get("url"):
        raise bad_request("can't parse MessageEntity: can't find field \"url\"")
    _check_bounds(offset, end=offset + length, boundaries=boundaries)
    return entity


def _check_bounds(offset: int, *, end: int, boundaries: list[int]) -> None:
    text_end = boundaries[-1]
    problem = None
    if offset > text_end:
        problem = f"begins after the end of the text at UTF-16 offset {offset}"
    elif end > text_end:
        problem = f"beginning at UTF-16 offset {offset} ends after the end of the text at UTF-16 offset {end}"
    elif offset not in boundaries:
        problem = f"begins in a middle of a UTF-16 symbol at UTF-16 offset {offset}"
    elif end not in boundaries:
        problem = f"ends in a middle of a UTF-16 symbol at UTF-16 offset {end}"
    if problem is not None:
        reason = f"entity {problem}"
        raise bad_request(reason)


def _cut_entity(entity: JsonObject, *, end: int) -> JsonObject:
    return {**entity, "length": min(entity["length"], end - entity["offset"])}
