"""Texts in UTF-16 code units, which is how Telegram counts. No other module of the bot does this sum."""

from typing import Final

# The upper byte tells the second half of a surrogate pair.
_SECOND_HALVES: Final = frozenset(bytes([upper]) for upper in range(0xDC, 0xE0))


def count_units(text: str) -> int:
    """Length of a text in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


class Utf16Text:
    """A text that is measured and cut at UTF-16 offsets."""

    __slots__ = ("_encoded",)

    def __init__(self, text: str) -> None:
        self._encoded = text.encode("utf-16-le", "surrogatepass")

    def __len__(self) -> int:
        """Length in UTF-16 units."""
        return len(self._encoded) // 2

    def can_cut_at(self, offset: int) -> bool:
        """Whether an offset in units lies in the text or at its end, and not inside a character."""
        if not 0 <= offset <= len(self):
            return False
        return self._encoded[2 * offset + 1 : 2 * offset + 2] not in _SECOND_HALVES

    def cut(self, start: int, *, end: int) -> str:
        """Take the text between two offsets in units at which `can_cut_at` holds."""
        return self._encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")
