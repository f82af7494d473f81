"""HKDF with SHA-256 (RFC 5869), in its two steps and as a whole."""

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

KEY_BYTES = 32


def extract(key_material: bytes, *, salt: bytes) -> bytes:
    """Return the 32-byte pseudorandom key (section 2.2); an empty salt stands for 32 zero bytes."""
    return HKDF.extract(SHA256(), salt or None, key_material)


def expand(pseudorandom_key: bytes, *, info: bytes, length_bytes: int = KEY_BYTES) -> bytes:
    """Return output key material for `info` (section 2.3)."""
    return HKDFExpand(algorithm=SHA256(), length=length_bytes, info=info).derive(pseudorandom_key)


def derive(key_material: bytes, *, info: bytes, salt: bytes = b"", length_bytes: int = KEY_BYTES) -> bytes:
    """Return output key material: extract, then expand."""
    return expand(extract(key_material, salt=salt), info=info, length_bytes=length_bytes)
