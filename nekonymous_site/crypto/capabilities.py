"""The bearer secrets that live in buttons: ticket capabilities and withdraw tokens.

Both are two halves of 16 bytes; the text is unpadded Base64URL of exactly 43 characters with one canonical
spelling. Neither may be stored or logged in the clear, and neither prints.
"""

import secrets
from dataclasses import dataclass, field
from typing import Self

from nekonymous_site.crypto import base64url, key_derivation, process_keys
from nekonymous_site.crypto.byte_framing import length_prefixed
from nekonymous_site.crypto.errors import MalformedCapability
from nekonymous_site.crypto.identifiers import KeyId, KeySeed, LookupNonce, WithdrawSecret

HALF_BYTES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """What finds and opens one ticket."""

    lookup_nonce: LookupNonce = field(repr=False)
    key_seed: KeySeed = field(repr=False)

    def __post_init__(self) -> None:
        _require_halves(self.lookup_nonce, self.key_seed)

    @classmethod
    def new(cls) -> Self:
        """Make a random capability."""
        return cls._from_bytes(secrets.token_bytes(2 * HALF_BYTES))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the canonical text; raise MalformedCapability for any other."""
        return cls._from_bytes(_decode(text))

    @classmethod
    def derive(cls, operation_id: str, *, kid: KeyId) -> Self:
        """Make the same capability on every retry of one operation.

        `kid` is the one pinned when the operation began, so that a key rotation between two tries changes
        nothing. Raises UnknownKeyId.
        """
        master_key = process_keys.current().keyring.master_key(kid)
        info = length_prefixed(b"derived capability", operation_id.encode())
        return cls._from_bytes(
            key_derivation.derive(master_key.secret, info=info, length_bytes=2 * HALF_BYTES)
        )

    def to_text(self) -> str:
        """Return the 43 characters of the canonical text."""
        return base64url.encode(self.lookup_nonce + self.key_seed)

    @classmethod
    def _from_bytes(cls, raw: bytes) -> Self:
        return cls(lookup_nonce=LookupNonce(raw[:HALF_BYTES]), key_seed=KeySeed(raw[HALF_BYTES:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawToken:
    """What lets a sender take a message back before it is opened; it opens nothing."""

    lookup_nonce: LookupNonce = field(repr=False)
    withdraw_secret: WithdrawSecret = field(repr=False)

    def __post_init__(self) -> None:
        _require_halves(self.lookup_nonce, self.withdraw_secret)

    @classmethod
    def new(cls, lookup_nonce: LookupNonce) -> Self:
        """Make a token with a random secret for the ticket of `lookup_nonce`."""
        return cls(lookup_nonce=lookup_nonce, withdraw_secret=WithdrawSecret(secrets.token_bytes(HALF_BYTES)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the canonical text; raise MalformedCapability for any other."""
        raw = _decode(text)
        return cls(
            lookup_nonce=LookupNonce(raw[:HALF_BYTES]), withdraw_secret=WithdrawSecret(raw[HALF_BYTES:])
        )

    def to_text(self) -> str:
        """Return the 43 characters of the canonical text."""
        return base64url.encode(self.lookup_nonce + self.withdraw_secret)


def _decode(text: str) -> bytes:
    # The halves' lengths are checked by the class itself, and 43 canonical characters are exactly 32 bytes.
    try:
        return base64url.decode(text)
    except base64url.NotCanonicalBase64Url:
        raise MalformedCapability from None


def _require_halves(*halves: bytes) -> None:
    # An all-zero half is never random: it comes from a forged or uninitialised value.
    if any(len(half) != HALF_BYTES or not any(half) for half in halves):
        raise MalformedCapability
