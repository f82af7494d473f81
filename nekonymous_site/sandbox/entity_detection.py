"""Entities that the server finds in plain text by itself."""

import re

from nekonymous_site.sandbox.entity_nesting import is_solid, nest_entities
from nekonymous_site.sandbox.json_types import JsonObject
from nekonymous_site.sandbox.text_units import list_utf16_boundaries

# A link ends at a blank, and at marks of direction and most other general punctuation.
_NO_LINK = r"\s<>\"\u2000-\u200b\u200e\u200f\u2016-\u206f"
# In order of precedence: where two overlap, the earlier kind stays.
_DETECTED_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("url", re.compile(rf"(?<!\w)(?:https?://|t\.me/)[^{_NO_LINK}]*[^{_NO_LINK}.,;:!?)\]}}»]")),
    ("bot_command", re.compile(r"(?<![\w/<>])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/<>])")),
    ("mention", re.compile(r"(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{2,31}(?!\w)")),
    ("hashtag", re.compile(r"(?<![\w#/])#\w{1,256}")),
)


def complete_entities(text: str, given: list[JsonObject]) -> list[JsonObject]:
    """Return the given entities and the detected ones that lie on none of them but styles and quotes.

    They are mended so that each lies inside another one or beside it, in the order of the text.
    """
    entities = list(given)
    for found in _detect_entities(text):
        if not any(_overlap(found, entity) for entity in entities if is_solid(entity)):
            entities.append(found)
    return nest_entities(entities)


def _detect_entities(text: str) -> list[JsonObject]:
    boundaries = list_utf16_boundaries(text)
    return [
        {
            "type": kind,
            "offset": boundaries[match.start()],
            "length": boundaries[match.end()] - boundaries[match.start()],
        }
        for kind, pattern in _DETECTED_KINDS
        for match in pattern.finditer(text)
    ]


def _overlap(first: JsonObject, second: JsonObject) -> bool:
    first_end = first["offset"] + first["length"]
    second_end = second["offset"] + second["length"]
    return bool(first["offset"] < second_end and second["offset"] < first_end)
