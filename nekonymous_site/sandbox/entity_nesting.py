"""How the server mends entities that overlap: each lies wholly inside another one or beside it."""

import heapq
from collections.abc import Iterable
from typing import TypeAlias

from nekonymous_site.sandbox.json_types import JsonObject

Span: TypeAlias = tuple[int, int]

# May be cut into pieces, and may lie around and inside everything but code.
_STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler")
_QUOTES = frozenset({"blockquote", "expandable_blockquote"})
_CODES = frozenset({"code", "pre"})
# Which of several with the same place lies outside.
_PRIORITIES = {
    **dict.fromkeys(_QUOTES, 0),
    "pre": 11,
    "code": 20,
    "text_link": 49,
    "text_mention": 49,
    **{style: 90 + number for number, style in enumerate(_STYLES)},
    "custom_emoji": 99,
}
_USUAL_PRIORITY = 50


def is_solid(entity: JsonObject) -> bool:
    """Whether nothing that the server finds by itself may lie where this entity does."""
    return entity["type"] not in _STYLES and entity["type"] not in _QUOTES


def nest_entities(entities: Iterable[JsonObject]) -> list[JsonObject]:
    """Merge, cut or drop entities until none overlaps another without lying inside it; sorted."""
    given = sorted(entities, key=_order)
    solid = _choose_solid([entity for entity in given if entity["type"] not in _STYLES])
    pieces = [
        _order({"type": style, "offset": start, "length": end - start})
        for style in _STYLES
        for start, end in _place_style([_span(one) for one in given if one["type"] == style], solid)
    ]
    return sorted([*solid, *_cut_styles(pieces)], key=_order)


def _order(entity: JsonObject) -> tuple[int, int, int, str]:
    priority = _PRIORITIES.get(entity["type"], _USUAL_PRIORITY)
    return entity["offset"], -entity["length"], priority, entity["type"]


def _span(entity: JsonObject) -> Span:
    return entity["offset"], entity["offset"] + entity["length"]


def _choose_solid(entities: list[JsonObject]) -> list[JsonObject]:
    """Those that cannot be cut: one that overlaps an earlier one goes, unless it may lie inside that."""
    chosen: list[JsonObject] = []
    for entity in entities:
        start, end = _span(entity)
        # Sorted, so of the chosen ones only the latest few can reach this far.
        if all(_span(one)[1] <= start or _may_hold(one, entity, end=end) for one in chosen):
            chosen.append(entity)
    return chosen


def _may_hold(outer: JsonObject, inner: JsonObject, *, end: int) -> bool:
    if end > _span(outer)[1] or outer["type"] in _CODES:
        return False
    is_in_quote = outer["type"] in _QUOTES and inner["type"] not in _QUOTES
    return is_in_quote or (inner["type"] == "custom_emoji" and outer["type"] != "custom_emoji")


def _place_style(spans: list[Span], solid: list[JsonObject]) -> list[Span]:
    """One style's places: overlapping ones made one, code left out, cut where a solid entity's border is."""
    pieces = _merge(spans)
    # Leaving code out makes new borders, so it comes first.
    for start, end in (_span(entity) for entity in solid if entity["type"] in _CODES):
        pieces = [part for piece in pieces for part in _leave_out(piece, start, end)]
    for start, end in map(_span, solid):
        pieces = [part for piece in pieces for part in _cut_at_border(piece, start, end)]
    return pieces


def _merge(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _leave_out(piece: Span, start: int, end: int) -> list[Span]:
    parts = [(piece[0], min(piece[1], start)), (max(piece[0], end), piece[1])]
    return [part for part in parts if part[0] < part[1]]


def _cut_at_border(piece: Span, start: int, end: int) -> list[Span]:
    """Cut a piece that reaches over one border only, so that it lies partly inside."""
    if piece[0] < start < piece[1] < end:
        return [(piece[0], start), (start, piece[1])]
    if start < piece[0] < end < piece[1]:
        return [(piece[0], end), (end, piece[1])]
    return [piece]


def _cut_styles(pieces: list[tuple[int, int, int, str]]) -> list[JsonObject]:
    """Cut a style where the one in which it begins is over."""
    heapq.heapify(pieces)
    kept: list[JsonObject] = []
    ends: list[int] = []
    while pieces:
        offset, negative_length, priority, style = heapq.heappop(pieces)
        end = offset - negative_length
        while ends and ends[-1] <= offset:
            ends.pop()
        if ends and end > ends[-1]:
            heapq.heappush(pieces, (ends[-1], ends[-1] - end, priority, style))
            end = ends[-1]
        kept.append({"type": style, "offset": offset, "length": end - offset})
        ends.append(end)
    return kept
