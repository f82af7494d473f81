"""A proof, kept in the database, of the keys that it was begun with.

With another pepper every person would be a stranger and every tag would miss its row; with other master keys
nothing could be opened. Neither shows by itself, so processes ask before they start.
"""

from typing import Final

from nekonymous_site.crypto.blind_tags import tag, tags_match
from nekonymous_site.crypto.errors import EnvelopeUnreadable, UnknownKeyId
from nekonymous_site.crypto.identifiers import Envelope
from nekonymous_site.crypto.sealed_envelope import RecordKind, open_record, seal_record

_SEALED: Final = RecordKind(domain="outbox:key-check", padded_bytes=32)
_RECORD_ID: Final = b"keys"
_PLAINTEXT: Final = b"these are the keys"


def make_pepper_check() -> bytes:
    """Make what only the pepper of this process gives."""
    return tag("key-check")


def make_sealed_check() -> Envelope:
    """Make what only a keyring with the primary key of this process opens."""
    return seal_record(_SEALED, record_id=_RECORD_ID, plaintext=_PLAINTEXT)


def do_keys_fit(*, pepper_check: bytes, sealed_check: bytes) -> bool:
    """Ask whether the keys of this process are those that made both checks. Raises KeysNotConfigured."""
    try:
        opened = open_record(_SEALED, record_id=_RECORD_ID, envelope=sealed_check)
    except (EnvelopeUnreadable, UnknownKeyId):
        return False
    return opened == _PLAINTEXT and tags_match(pepper_check, make_pepper_check())
