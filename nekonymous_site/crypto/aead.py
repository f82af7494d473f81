"""XChaCha20-Poly1305-IETF (draft-irtf-cfrg-xchacha) as libsodium has it, with one error for every refusal."""

from nacl import bindings
from nacl.exceptions import CryptoError as SodiumError

from nekonymous_site.crypto.errors import EnvelopeUnreadable

NONCE_BYTES = bindings.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
AUTHENTICATOR_BYTES = bindings.crypto_aead_xchacha20poly1305_ietf_ABYTES


def encrypt(plaintext: bytes, *, associated_data: bytes, nonce: bytes, key: bytes) -> bytes:
    """Return ciphertext and authenticator. The nonce must never repeat under one key."""
    return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, associated_data, nonce, key)


def decrypt(ciphertext: bytes, *, associated_data: bytes, nonce: bytes, key: bytes) -> bytes:
    """Return the plaintext; raise EnvelopeUnreadable if anything at all was changed."""
    if len(ciphertext) < AUTHENTICATOR_BYTES:  # the binding would ask for a negative buffer
        raise EnvelopeUnreadable
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(ciphertext, associated_data, nonce, key)
    except SodiumError:
        raise EnvelopeUnreadable from None
