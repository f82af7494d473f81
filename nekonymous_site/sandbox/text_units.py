"""Lengths and offsets as Telegram counts them: in UTF-16 code units."""


def count_utf16_units(text: str) -> int:
    """Length of the text in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def list_utf16_boundaries(text: str) -> list[int]:
    """Offsets at which a character starts, in order, and the text's end."""
    boundaries = [0]
    for character in text:
        boundaries.append(boundaries[-1] + (2 if ord(character) > 0xFFFF else 1))
    return boundaries
