"""What the server refuses in a message before it is sent."""

from dataclasses import dataclass

from nekonymous_site.sandbox.bot_api_errors import bad_request
from nekonymous_site.sandbox.entity_detection import complete_entities
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.parameters import Parameters
from nekonymous_site.sandbox.text_units import count_utf16_units, list_utf16_boundaries
from nekonymous_site.sandbox.visible_text import count_cut_before, cut_behind, has_visible_character

MAX_TEXT_UNITS = 4096
MAX_CAPTION_UNITS = 1024
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
        """The fields of a Message object that is a text."""
        return {"text": self.text, **({"entities": self.entities} if self.entities else {})}

    def as_caption_fields(self, *, above: bool) -> JsonObject:
        """The fields of a Message object that has this caption; nothing is said of an empty one."""
        if not self.text:
            return {}
        return {
            "caption": self.text,
            **({"caption_entities": self.entities} if self.entities else {}),
            **({"show_caption_above_media": True} if above else {}),
        }


NO_TEXT = FormattedText(text="", entities=[])


def read_formatted_text(parameters: Parameters) -> FormattedText:
    """Read ``text`` and ``entities`` of a send or an edit. Raises BotApiError as the server does."""
    _refuse_parse_mode(parameters)
    return format_text(parameters.text("text"), entities=parameters.json_list("entities") or [])


def read_caption(parameters: Parameters) -> FormattedText:
    """Read ``caption`` and ``caption_entities`` of a medium. Raises BotApiError as the server does."""
    _refuse_parse_mode(parameters)
    return format_caption(
        parameters.text("caption"),
        entities=parameters.json_list("caption_entities") or [],
        most_units=MAX_CAPTION_UNITS,
    )


def format_text(given_text: str, *, entities: list[object]) -> FormattedText:
    """Check a text and its entities, cut blanks around it, find commands and links. Raises BotApiError."""
    if not given_text:
        raise bad_request("message text is empty")
    if not has_visible_character(given_text):
        raise bad_request("text must be non-empty")
    formatted = _format(given_text, entities=entities)
    if count_utf16_units(formatted.text) > MAX_TEXT_UNITS:
        raise bad_request("message is too long")
    return formatted


def format_caption(given_text: str, *, entities: list[object], most_units: int) -> FormattedText:
    """As format_text, for a caption; one of which nothing would show is none. Raises BotApiError."""
    if not has_visible_character(given_text):
        return NO_TEXT
    formatted = _format(given_text, entities=entities)
    if count_utf16_units(formatted.text) > most_units:
        raise bad_request("message caption is too long")
    return formatted


def _refuse_parse_mode(parameters: Parameters) -> None:
    if parameters.text("parse_mode"):
        # Text of people never goes through a parse mode in this product, so none is understood here.
        raise bad_request("unsupported parse_mode")


def _format(given_text: str, *, entities: list[object]) -> FormattedText:
    boundaries = list_utf16_boundaries(given_text)
    checked = [_check_entity(entity, boundaries) for entity in entities]
    text = cut_behind(given_text)
    end = count_utf16_units(text)
    kept = [one for one in checked if one["offset"] < end and one["length"] > 0]
    start = count_cut_before(text, most=min((one["offset"] for one in kept), default=end))
    moved = [_move_entity(entity, start=start, end=end) for entity in kept]
    return FormattedText(text=text[start:], entities=complete_entities(text[start:], moved))


def _check_entity(entity: object, boundaries: list[int]) -> JsonObject:
    if not isinstance(entity, dict) or entity.get("type") not in _ENTITY_KINDS:
        raise bad_request("can't parse MessageEntity: unsupported type specified")
    # Numbers may come as texts.
    offset, length = (Parameters(entity).integer(name) for name in ("offset", "length"))
    if offset is None or length is None or offset < 0 or length < 0:
        raise bad_request("can't parse MessageEntity: offset and length must be non-negative numbers")
    if entity["type"] == "text_link" and not entity.get("url"):
        raise bad_request("can't parse MessageEntity: can't find field \"url\"")
    _check_bounds(offset, end=offset + length, boundaries=boundaries)
    return {**entity, "offset": offset, "length": length}


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


def _move_entity(entity: JsonObject, *, start: int, end: int) -> JsonObject:
    """The entity in the text without what was cut before ``start`` and behind ``end``."""
    length = min(entity["length"], end - entity["offset"])
    return {**entity, "offset": entity["offset"] - start, "length": length}
