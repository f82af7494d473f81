"""Padding before sealing, so that the size of a ciphertext tells next to nothing.

Padded form: the plaintext's length (4 bytes, big-endian), the plaintext, zero bytes. How long the whole
becomes is a rule of the kind: one fixed size, or Padmé from a least size on. On opening, the length, every
zero and the total are checked against the same rule, so each plaintext has exactly one padded form.
"""

from dataclasses import dataclass
from typing import Protocol

from nekonymous_site.crypto.byte_framing import LENGTH_BYTES
from nekonymous_site.crypto.errors import EnvelopeUnreadable, PlaintextTooLong


class PaddingRule(Protocol):
    """Says how many bytes a plaintext of a given length takes, length prefix included."""

    def padded_bytes_for(self, plaintext_bytes: int) -> int:
        """Return the padded size; raise PlaintextTooLong if there is none."""


@dataclass(frozen=True, slots=True)
class FixedSize:
    """One size for every plaintext of a kind; four of its bytes are the length prefix."""

    padded_bytes: int

    def padded_bytes_for(self, plaintext_bytes: int) -> int:
        """Return the fixed size; raise PlaintextTooLong when the plaintext does not fit."""
        capacity_bytes = self.padded_bytes - LENGTH_BYTES
        if plaintext_bytes > capacity_bytes:
            raise PlaintextTooLong(capacity_bytes=capacity_bytes)
        return self.padded_bytes


@dataclass(frozen=True, slots=True)
class PadmeFrom:
    """A least size, then Padmé: at most 12 % overhead and O(log log n) bits told of the length n."""

    least_bytes: int

    def padded_bytes_for(self, plaintext_bytes: int) -> int:
        """Return the size of the bucket the plaintext falls into."""
        return max(self.least_bytes, padme(LENGTH_BYTES + plaintext_bytes))


def padme(length_bytes: int) -> int:
    """Return the Padmé size of a length of at least 2 (Nikitin et al., PETS 2019, algorithm 1)."""
    exponent = length_bytes.bit_length() - 1
    kept_bits = exponent.bit_length()
    mask = (1 << (exponent - kept_bits)) - 1 if exponent > kept_bits else 0
    return (length_bytes + mask) & ~mask


def pad(plaintext: bytes, rule: PaddingRule) -> bytes:
    """Return the padded form; raise PlaintextTooLong."""
    framed = len(plaintext).to_bytes(LENGTH_BYTES, "big") + plaintext
    return framed.ljust(rule.padded_bytes_for(len(plaintext)), b"\0")


def unpad(padded: bytes, rule: PaddingRule) -> bytes:
    """Return the plaintext; raise EnvelopeUnreadable unless `padded` is exactly what `pad` makes of it."""
    length_bytes = int.from_bytes(padded[:LENGTH_BYTES], "big")
    plaintext = padded[LENGTH_BYTES : LENGTH_BYTES + length_bytes]
    try:
        is_canonical = pad(plaintext, rule) == padded
    except PlaintextTooLong:
        is_canonical = False
    if not is_canonical:
        raise EnvelopeUnreadable
    return plaintext
