"""One unambiguous way to write several byte fields as one string."""

from nekonymous_site.crypto.identifiers import StoredBytes

LENGTH_BYTES = 4


def length_prefixed(*fields: StoredBytes) -> bytes:
    """Return every field behind its length, 4 bytes big-endian, so that no two field lists look alike.

    Anything but bytes is a TypeError: `bytes(5)` would quietly mean five zero bytes.
    """
    parts: list[StoredBytes] = []
    for field in fields:
        parts += (len(field).to_bytes(LENGTH_BYTES, "big"), field)
    return b"".join(parts)
