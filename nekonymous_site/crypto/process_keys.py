"""The one set of keys this process works with, configured once at its start."""

from dataclasses import dataclass, field

from nekonymous_site.crypto.errors import KeysNotConfigured, MalformedKeys
from nekonymous_site.crypto.keyring import Keyring, parse_secret


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessKeys:
    """Master keys for sealing and the pepper for blind tags; the pepper never prints."""

    keyring: Keyring
    pepper: bytes = field(repr=False)


class _Configured:
    """Holds the keys; written at process start only, so reading needs no lock."""

    __slots__ = ("keys",)

    def __init__(self) -> None:
        self.keys: ProcessKeys | None = None


_configured = _Configured()


def configure(*, master_keys: str, pepper: str) -> None:
    """Set the keys of this process from their configured texts.

    Raises MalformedKeys and then leaves what was configured before as it is. May be repeated.
    """
    keyring = Keyring.parse(master_keys)
    pepper_bytes = parse_secret(pepper.strip(), name="the pepper")
    if keyring.holds_secret(pepper_bytes):
        raise MalformedKeys(where="the pepper", problem="equals a master key")
    _configured.keys = ProcessKeys(keyring=keyring, pepper=pepper_bytes)


def current() -> ProcessKeys:
    """Return the keys of this process; raise KeysNotConfigured before `configure`."""
    if _configured.keys is None:
        raise KeysNotConfigured
    return _configured.keys
