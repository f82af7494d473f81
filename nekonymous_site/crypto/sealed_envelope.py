"""Sealing of account-scoped records: chat routes, drafts, names, unread capabilities, intents.

The key of a record comes from the master key, the domain label of its kind and the record's own id; the
envelope is bound to the same two. Every record of a kind has one size, or grows by Padmé from a least one.
"""

from dataclasses import dataclass

from nekonymous_site.crypto import key_derivation
from nekonymous_site.crypto.byte_framing import length_prefixed
from nekonymous_site.crypto.envelope_format import Seal
from nekonymous_site.crypto.identifiers import Envelope, StoredBytes
from nekonymous_site.crypto.plaintext_padding import FixedSize, PadmeFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordKind:
    """A kind of sealed record: its unique domain label and its padded size.

    Four of the padded bytes are the length prefix; what `grows` is padded to its Padmé size beyond them. All
    three values are part of the stored format: a changed one makes existing envelopes unreadable.
    """

    domain: str
    padded_bytes: int
    grows: bool = False


def seal_record(kind: RecordKind, *, record_id: StoredBytes, plaintext: bytes) -> Envelope:
    """Return a new envelope for this record under the primary key; two calls never give the same one.

    Raises PlaintextTooLong beyond `padded_bytes - 4`, unless the kind grows.
    """
    return _seal_of(kind, record_id).close(plaintext)


def open_record(kind: RecordKind, *, record_id: StoredBytes, envelope: StoredBytes) -> bytes:
    """Return the plaintext of this record's envelope.

    Raises UnknownKeyId when a newer key may only be missing here, EnvelopeUnreadable for everything else.
    """
    return _seal_of(kind, record_id).open(envelope)


def _seal_of(kind: RecordKind, record_id: StoredBytes) -> Seal:
    info = length_prefixed(b"sealed record", kind.domain.encode(), record_id)
    return Seal(
        domain=kind.domain,
        record_id=record_id,
        padding=PadmeFrom(kind.padded_bytes) if kind.grows else FixedSize(kind.padded_bytes),
        derive_key=lambda master_secret: key_derivation.derive(master_secret, info=info),
    )
