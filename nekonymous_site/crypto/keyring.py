"""Master keys by key id, as `NEKO_MASTER_KEYS` writes them.

Format: `kid:base64url(32 bytes)`, comma separated, the first is primary (it seals; the others only open).
White space around an entry and one closing `=` are tolerated, since key generators write them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from nekonymous_site.crypto import base64url
from nekonymous_site.crypto.errors import MalformedKeys, UnknownKeyId
from nekonymous_site.crypto.identifiers import KeyId

SECRET_BYTES = 32
# Of 32 random bytes about 30 are distinct; 16 or fewer happen once in 10^13 keys. Below that it is a repeated
# pattern or hexadecimal text taken for bytes.
MIN_DISTINCT_BYTES = 17
MAX_KID = 255

_KID = re.compile(r"[1-9][0-9]{0,2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKey:
    """32 secret bytes under a key id; prints as its id alone."""

    kid: KeyId
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """The master keys a process knows."""

    primary_kid: KeyId
    _keys: dict[KeyId, MasterKey] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the configured text; raise MalformedKeys naming position and problem, never a key."""
        keys: dict[KeyId, MasterKey] = {}
        for position, key in _read_entries(text):
            _refuse_repetition(key, position=position, earlier=keys)
            keys[key.kid] = key
        return cls(primary_kid=next(iter(keys)), _keys=keys)

    def master_key(self, kid: KeyId) -> MasterKey:
        """Return the key of `kid`; raise UnknownKeyId, which is a temporary failure."""
        try:
            return self._keys[kid]
        except KeyError:
            raise UnknownKeyId(kid) from None

    def holds_secret(self, secret: bytes) -> bool:
        """Tell whether one of the master keys is this very secret."""
        return any(key.secret == secret for key in self._keys.values())


def parse_secret(text: str, *, name: str) -> bytes:
    """Return 32 secret bytes from Base64URL; raise MalformedKeys that calls the value `name`."""
    try:
        secret = base64url.decode(text.removesuffix("="))
    except base64url.NotCanonicalBase64Url:
        raise MalformedKeys(where=name, problem="is not canonical Base64URL") from None
    if len(secret) != SECRET_BYTES:
        raise MalformedKeys(where=name, problem=f"has {len(secret)} bytes instead of {SECRET_BYTES}")
    if len(set(secret)) < MIN_DISTINCT_BYTES:
        raise MalformedKeys(where=name, problem="is weak: too few distinct bytes")
    return secret


def _read_entries(text: str) -> Iterator[tuple[int, MasterKey]]:
    for position, entry in enumerate(text.split(","), start=1):
        kid_text, colon, secret_text = entry.strip().partition(":")
        if not colon:
            raise MalformedKeys(where=f"entry {position}", problem="is not written kid:key")
        kid = _parse_kid(kid_text, position=position)
        secret = parse_secret(secret_text, name=f"entry {position} (kid {kid})")
        yield position, MasterKey(kid=kid, secret=secret)


def _parse_kid(text: str, *, position: int) -> KeyId:
    # The text is not repeated in the error: with the colon misplaced it may be part of a key.
    if _KID.fullmatch(text) is None or int(text) > MAX_KID:
        raise MalformedKeys(where=f"entry {position}", problem=f"has a key id that is not 1-{MAX_KID}")
    return KeyId(int(text))


def _refuse_repetition(key: MasterKey, *, position: int, earlier: dict[KeyId, MasterKey]) -> None:
    if key.kid in earlier:
        raise MalformedKeys(where=f"entry {position}", problem=f"repeats kid {key.kid}")
    for other in earlier.values():
        if other.secret == key.secret:
            raise MalformedKeys(
                where=f"entry {position} (kid {key.kid})", problem=f"has the key of kid {other.kid}"
            )
