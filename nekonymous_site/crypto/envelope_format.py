"""The sealed envelope: `version (1) | kid (1) | nonce (24) | ciphertext and authenticator`.

The associated data repeats version and kid and adds the domain label and the record's own blind id, so that
an envelope moved to another row, ticket or domain does not open. How the key comes out of the master key is
the caller's: records and tickets differ there.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from nekonymous_site.crypto import aead, process_keys
from nekonymous_site.crypto.byte_framing import length_prefixed
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import Envelope, KeyId, StoredBytes
from nekonymous_site.crypto.plaintext_padding import PaddingRule, pad, unpad

VERSION = 1
_HEADER_BYTES = 2
_BODY_START = _HEADER_BYTES + aead.NONCE_BYTES
OVERHEAD_BYTES = _BODY_START + aead.AUTHENTICATOR_BYTES

DeriveKey = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """What seals and opens the envelopes of one record: where it belongs, its padding and its key."""

    domain: str
    record_id: StoredBytes
    padding: PaddingRule
    derive_key: DeriveKey

    def close(self, plaintext: bytes) -> Envelope:
        """Return a new envelope under the primary key; raise PlaintextTooLong."""
        keyring = process_keys.current().keyring
        kid = keyring.primary_kid
        nonce = secrets.token_bytes(aead.NONCE_BYTES)
        ciphertext = aead.encrypt(
            pad(plaintext, self.padding),
            associated_data=self._associated_data(kid),
            nonce=nonce,
            key=self.derive_key(keyring.master_key(kid).secret),
        )
        return Envelope(bytes((VERSION, kid)) + nonce + ciphertext)

    def open(self, envelope: StoredBytes) -> bytes:
        """Return the plaintext; raise UnknownKeyId (temporary) or EnvelopeUnreadable (final)."""
        parts = _EnvelopeParts.split(envelope)
        master_key = process_keys.current().keyring.master_key(parts.kid)
        padded = aead.decrypt(
            parts.ciphertext,
            associated_data=self._associated_data(parts.kid),
            nonce=parts.nonce,
            key=self.derive_key(master_key.secret),
        )
        return unpad(padded, self.padding)

    def _associated_data(self, kid: KeyId) -> bytes:
        return bytes((VERSION, kid)) + length_prefixed(self.domain.encode(), self.record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _EnvelopeParts:
    kid: KeyId
    nonce: bytes
    ciphertext: bytes

    @classmethod
    def split(cls, envelope: StoredBytes) -> Self:
        if not isinstance(envelope, bytes | bytearray | memoryview):
            raise EnvelopeUnreadable
        raw = bytes(envelope)
        # Key ids begin at 1: a zero is a broken envelope, never a key this process may still learn of.
        if len(raw) < OVERHEAD_BYTES or raw[0] != VERSION or raw[1] == 0:
            raise EnvelopeUnreadable
        return cls(kid=KeyId(raw[1]), nonce=raw[_HEADER_BYTES:_BODY_START], ciphertext=raw[_BODY_START:])
