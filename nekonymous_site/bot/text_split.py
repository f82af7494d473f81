"""A text that is too long for one message becomes several, cut where a reader minds it least."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

from nekonymous_site.bot.graphemes import is_blank, list_graphemes
from nekonymous_site.bot.utf16 import Utf16Text, count_units

Entity = dict[str, Any]

MOST_TEXT_UNITS: Final = 4096
_NEWLINES: Final = frozenset({"\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029"})
_GLUE: Final = frozenset({"\u00a0", "\u2007", "\u202f"})


def split_text(
    text: str, entities: Sequence[Entity], *, limit_units: int = MOST_TEXT_UNITS
) -> list[tuple[str, tuple[Entity, ...]]]:
    """Cut a text into parts of at most `limit_units` UTF-16 units (at least 2), each with its entities.

    A text that fits stays as it is; one in which nothing can be seen has no parts. Otherwise a part ends at
    the last blank line in the second half of the limit, else at the last newline, else at the last blank,
    else at the last grapheme cluster that fits; a cluster longer than the limit is cut between two code
    points. Only blanks around a cut are lost. An entity is cut along, a custom emoji that would be is
    dropped. Linear in the text's length.
    """
    if limit_units < 2:
        reason = "a character may take two units"
        raise ValueError(reason)
    if is_blank(text):
        return []
    whole = Utf16Text(text)
    if len(whole) <= limit_units:
        return [(text, tuple(entities))]
    cuts = [(start, end, whole.cut(start, end=end)) for start, end in _find_parts(text, limit_units)]
    return [
        (part, tuple(_cut_entities(entities, start=start, end=end)))
        for start, end, part in cuts
        if not is_blank(part)
    ]


def _find_parts(text: str, limit_units: int) -> Iterator[tuple[int, int]]:
    """Give the UTF-16 offsets of the parts, without the blanks around them."""
    pieces = _list_pieces(text, limit_units)
    offsets = list(accumulate(map(count_units, pieces), initial=0))
    first = 0
    while (first := _skip_blanks(pieces, first)) < len(pieces):
        stop = bisect_right(offsets, offsets[first] + limit_units) - 1
        if stop < len(pieces):
            stop = _find_break(pieces, offsets, least=offsets[first] + limit_units / 2, stop=stop)
        last = stop
        while last > first and pieces[last - 1].isspace():
            last -= 1
        yield offsets[first], offsets[last]
        first = stop


def _list_pieces(text: str, limit_units: int) -> list[str]:
    """List what is not to be cut any further."""
    pieces: list[str] = []
    for cluster in list_graphemes(text):
        pieces.extend(cluster if count_units(cluster) > limit_units else (cluster,))
    return pieces


def _skip_blanks(pieces: list[str], first: int) -> int:
    """Find where a part begins: behind blanks, but a line keeps its indentation."""
    line_start, here = None, first
    while here < len(pieces) and pieces[here].isspace():
        here += 1
        if pieces[here - 1] in _NEWLINES:
            line_start = here
    return here if line_start is None or here == len(pieces) else line_start


def _find_break(pieces: list[str], offsets: list[int], *, least: float, stop: int) -> int:
    """Choose the piece before which a part ends, not behind `stop` and not before the offset `least`."""
    newline = blank = None
    here = stop
    while offsets[here] >= least:
        if pieces[here] in _NEWLINES:
            if pieces[here - 1] in _NEWLINES:
                return here
            newline = newline or here
        elif pieces[here].isspace() and pieces[here] not in _GLUE:
            blank = blank or here
        here -= 1
    return newline or blank or stop


def _cut_entities(entities: Sequence[Entity], *, start: int, end: int) -> Iterator[Entity]:
    for entity in entities:
        first = max(entity["offset"], start)
        length = min(entity["offset"] + entity["length"], end) - first
        whole = length == entity["length"]
        if length > 0 and (whole or entity["type"] != "custom_emoji"):
            yield entity | {"offset": first - start, "length": length}
