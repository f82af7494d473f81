"""Unread rows, opened with the keys of the test."""

from stored_rows import read_rows

from accounts.inbox import UnreadTicket
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import Envelope, UnreadDedupeTag


def open_unread_rows() -> dict[bytes, Capability]:
    """Give the capability of every unread row by the row's own tag."""
    rows = read_rows("SELECT dedupe_tag, capability FROM accounts.unread")
    return {as_bytes(tag): _open(as_bytes(tag), as_bytes(envelope)) for tag, envelope in rows}


def as_bytes(value: object) -> bytes:
    """Take a column for what it is."""
    assert isinstance(value, bytes)
    return value


def _open(tag: bytes, envelope: bytes) -> Capability:
    row = UnreadTicket(
        dedupe_tag=UnreadDedupeTag(tag),
        attempt_id=b"",
        generation=0,
        possible_repeat=False,
        envelope=Envelope(envelope),
    )
    return row.capability()
