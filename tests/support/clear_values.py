"""Looking for a value in rows in whatever form it may have been written down."""

import base64
from collections.abc import Iterable, Mapping

from stored_rows import Row


def find_in_the_clear(values: Mapping[str, bytes], rows: Iterable[Row]) -> set[str]:
    """Name the values that stand in some column: as they are, in hex, or in one of the base64 alphabets."""
    cells = [_as_bytes(cell).lower() for row in rows for cell in row]
    return {
        name
        for name, value in values.items()
        if any(form.lower() in cell for form in _forms(value) for cell in cells)
    }


def _forms(value: bytes) -> list[bytes]:
    # Inside longer base64 a value begins at one of three places; what is cut off depends on its neighbours.
    shifted = [
        alphabet(b"\0" * shift + value)[4 * bool(shift) : -4].rstrip(b"=")
        for shift in range(3)
        for alphabet in (base64.b64encode, base64.urlsafe_b64encode)
    ]
    return [value, value.hex().encode(), *shifted]


def _as_bytes(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else str(cell).encode()
