"""What of a text can be seen, and what is cut away around it."""

import re

# Blanks of all widths, signs without any, marks of direction, and what stands for a missing object.
_BLANKS = "\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2800\u3000\ufffc\U000e0000-\U000e007f"
_VISIBLE = re.compile(rf"[^\s\x00-\x20{_BLANKS}]")
_CUT_BEHIND = " \t\n\r\v\0"
_CUT_BEFORE = " \n"


def has_visible_character(text: str) -> bool:
    """Whether anything of the text would show."""
    return _VISIBLE.search(text) is not None


def cut_behind(text: str) -> str:
    """The text without the blanks at its end."""
    return text.rstrip(_CUT_BEHIND)


def count_cut_before(text: str, *, most: int) -> int:
    """How many characters, each one UTF-16 unit, are cut at the beginning: none that an entity stands on."""
    return min(len(text) - len(text.lstrip(_CUT_BEFORE)), most)
