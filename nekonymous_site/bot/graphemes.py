"""What a person takes for one letter, and whether there is anything to see at all."""

from typing import Final

import regex

# `\X` alone looks back over all the flag letters before each, so that a text of nothing but flags would take
# time in the square of its length. Pairs are therefore taken first, unless something clings to them.
_CLUSTER: Final = regex.compile(r"\p{RI}{2}(?![\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}])|\X")
# Blanks, controls, joiners and other ignorable signs, and two that Telegram takes for blanks as well.
_BLANK: Final = regex.compile(r"[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\uFFFC]*")


def list_graphemes(text: str) -> list[str]:
    """Cut a text into its extended grapheme clusters (Unicode Annex 29). Linear in the text's length."""
    return [match.group() for match in _CLUSTER.finditer(text)]


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen; a combining mark alone can."""
    return _BLANK.fullmatch(text) is not None
