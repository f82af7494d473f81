"""Lengths and offsets as Telegram counts them: in UTF-16 code units."""

from bisect import bisect_left, bisect_right


def count_utf16_units(text: str) -> int:
    """Length of the text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def list_utf16_boundaries(text: str) -> list[int]:
    """Offsets at which a character starts, in order, and the text's end."""
    boundaries = [0]
    for character in text:
        boundaries.append(boundaries[-1] + (2 if ord(character) > 0xFFFF else 1))
    return boundaries


def split_pasted_text(text: str, *, most_units: int) -> list[str]:
    """Split a long text into messages as Telegram's apps do: no character is cut, no part is empty.

    A part ends at the last newline of its second half, else at the last blank there, else where it is full.
    """
    boundaries = list_utf16_boundaries(text)
    parts: list[str] = []
    start = 0
    while start < len(text):
        full = bisect_right(boundaries, boundaries[start] + most_units) - 1
        middle = bisect_left(boundaries, boundaries[start] + most_units // 2)
        end = full if full == len(text) else _find_break(text, middle=middle, full=full)
        parts.append(text[start:end].strip(" \n"))
        start = end
    return [part for part in parts if part]


def _find_break(text: str, *, middle: int, full: int) -> int:
    """The end of a part that lies between its middle and the place where it is full."""
    for separator in ("\n", " "):
        found = text.rfind(separator, middle, full)
        if found != -1:
            return found + 1
    return full
