"""Links whose text hides where they lead: the target is written out behind the text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final
from urllib.parse import quote

import regex

from nekonymous_site.bot.utf16 import Utf16Text, count_units

Entity = dict[str, Any]

# A hundred links of any length would make a flood of one message.
MOST_SHOWN_UNITS: Final = 4096
_TOO_LONG: Final = "…"
# They lead into the app, often to an account, and mean nothing to a reader.
_IN_APP: Final = re.compile(r"tg:", re.IGNORECASE)
_INVISIBLE: Final = regex.compile(r"[\p{Z}\p{C}]")
_SCHEME: Final = re.compile(r"https?://", re.IGNORECASE)
# What is written behind their last letter still belongs to what they wrap.
_WRAPPING: Final = ("spoiler", "blockquote", "expandable_blockquote")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Insertion:
    place: int
    words: str


def show_targets(text: str, entities: Iterable[Entity]) -> tuple[str, list[Entity]]:
    """Write the targets of `text_link` entities into a text and drop these; the others move along.

    Expects what `keep_entities` gives. A target stands in brackets behind the link's text unless that says
    the same; one that leads into Telegram's app is dropped unseen. When more than 4,096 UTF-16 units would
    be written, an ellipsis stands for what is left over. A custom emoji that would be torn is dropped.
    """
    whole = Utf16Text(text)
    entities = list(entities)
    links = [entity for entity in entities if entity["type"] == "text_link"]
    others = [entity for entity in entities if entity["type"] != "text_link"]
    insertions = _list_insertions(whole, sorted(links, key=_end_of))
    moved = _move_along(others, insertions)
    return _write(whole, insertions), moved


def _end_of(entity: Entity) -> int:
    end: int = entity["offset"] + entity["length"]
    return end


def _list_insertions(whole: Utf16Text, links: list[Entity]) -> list[_Insertion]:
    insertions = []
    left_units = MOST_SHOWN_UNITS
    for link in links:
        target = link["url"].strip()
        said = whole.cut(link["offset"], end=_end_of(link))
        if _IN_APP.match(target) or _bare(said) == _bare(target):
            continue
        shown = _INVISIBLE.sub(lambda sign: quote(sign.group()), target)
        left_units -= count_units(shown)
        words = f" ({shown if left_units >= 0 else _TOO_LONG})"
        insertions.append(_Insertion(place=_end_of(link), words=words))
    return insertions


def _bare(address: str) -> str:
    """Leave out what Telegram adds to an address that somebody typed."""
    return _SCHEME.sub("", address.strip(), count=1).removesuffix("/")


def _move_along(entities: list[Entity], insertions: list[_Insertion]) -> list[Entity]:
    places = [insertion.place for insertion in insertions]
    shifts = list(accumulate((count_units(insertion.words) for insertion in insertions), initial=0))
    moved = []
    for entity in entities:
        start, end = entity["offset"], _end_of(entity)
        counted = bisect_right if entity["type"] in _WRAPPING else bisect_left
        new_start = start + shifts[bisect_right(places, start)]
        new_length = end + shifts[counted(places, end)] - new_start
        if new_length == entity["length"] or entity["type"] != "custom_emoji":
            moved.append(entity | {"offset": new_start, "length": new_length})
    return moved


def _write(whole: Utf16Text, insertions: list[_Insertion]) -> str:
    places = [0, *(insertion.place for insertion in insertions), len(whole)]
    words = [*(insertion.words for insertion in insertions), ""]
    pieces = (whole.cut(start, end=end) for start, end in pairwise(places))
    return "".join(piece + word for piece, word in zip(pieces, words, strict=True))
