"""Handles: the first hexadecimal digits of a row's random id, short enough to be typed, naming nobody."""

import re
from typing import Final

HANDLE_DIGITS: Final = 8
_ID_DIGITS: Final = 32
_HANDLE: Final = re.compile(r"[0-9a-f]{4,32}")


def short_handle(row_id: bytes) -> str:
    """Give the digits that an operator is shown."""
    return row_id.hex()[:HANDLE_DIGITS]


def is_handle(text: str) -> bool:
    """Tell whether a text can be the beginning of an id: 4 to 32 hexadecimal digits."""
    return _HANDLE.fullmatch(text) is not None


def handle_range(handle: str) -> tuple[bytes, bytes]:
    """Give the first and the last id that begin with these digits, so that an index finds them."""
    return bytes.fromhex(handle.ljust(_ID_DIGITS, "0")), bytes.fromhex(handle.ljust(_ID_DIGITS, "f"))
