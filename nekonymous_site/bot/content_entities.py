"""Which entities of a text are relayed: those that change its looks and point at nobody."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from nekonymous_site.bot.utf16 import Utf16Text

Entity = dict[str, Any]

# Telegram looks at no more of them in one message.
MOST_ENTITIES: Final = 100
# Nothing else rides along. `text_link` is kept only until its target has been written out; what names an
# account (`text_mention`) goes, and so does what Telegram finds in the plain text by itself.
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "bold": (),
    "italic": (),
    "underline": (),
    "strikethrough": (),
    "spoiler": (),
    "blockquote": (),
    "expandable_blockquote": (),
    "code": (),
    "pre": ("language",),
    "custom_emoji": ("custom_emoji_id",),
    "text_link": ("url",),
}
_EMOJI_ID: Final = re.compile(r"[0-9]{1,20}")


def keep_entities(text: str, given: Iterable[Entity]) -> list[Entity]:
    """Keep what is relayed of the given entities, up to a hundred, each whole within the text."""
    whole = Utf16Text(text)
    kept = (_keep(entity) for entity in given if _is_of_a_kept_kind(entity) and _lies_within(whole, entity))
    return list(islice((entity for entity in kept if _is_complete(entity)), MOST_ENTITIES))


def _is_of_a_kept_kind(entity: Entity) -> bool:
    return isinstance(entity.get("type"), str) and entity["type"] in _FIELDS


def _lies_within(whole: Utf16Text, entity: Entity) -> bool:
    offset, length = entity.get("offset"), entity.get("length")
    # A bool is an int to Python, and to nobody else.
    if type(offset) is not int or type(length) is not int or length < 1:
        return False
    return whole.can_cut_at(offset) and whole.can_cut_at(offset + length)


def _keep(entity: Entity) -> Entity:
    places = {name: entity[name] for name in ("type", "offset", "length")}
    return places | {
        name: entity[name] for name in _FIELDS[entity["type"]] if isinstance(entity.get(name), str)
    }


def _is_complete(entity: Entity) -> bool:
    match entity["type"]:
        case "custom_emoji":
            return _EMOJI_ID.fullmatch(entity.get("custom_emoji_id", "")) is not None
        case "text_link":
            return bool(entity.get("url", "").strip())
        case _:
            return True
