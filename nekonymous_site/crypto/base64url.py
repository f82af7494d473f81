"""Unpadded Base64URL with exactly one accepted text per value."""

import base64
import re

_ALPHABET = re.compile(r"[A-Za-z0-9_-]+")


class NotCanonicalBase64Url(ValueError):
    """The text is not canonical unpadded Base64URL."""

    def __str__(self) -> str:
        return "The text is not canonical unpadded Base64URL."


def encode(raw: bytes) -> str:
    """Return the unpadded Base64URL text of `raw`."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes:
    """Return the bytes of a canonical text; raise NotCanonicalBase64Url for every other spelling.

    Python's decoder drops characters it does not know and ignores stray trailing bits, which would give one
    capability many texts. Hence the alphabet is checked first and the result written back and compared.
    """
    if _ALPHABET.fullmatch(text) is None or len(text) % 4 == 1:
        raise NotCanonicalBase64Url
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encode(raw) != text:
        raise NotCanonicalBase64Url
    return raw
