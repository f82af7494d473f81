"""Everything that can go wrong in the crypto layer.

The docstring of an error is its message. No error carries key material, plaintext, a capability or the text
of a lower library; facts that help (a key id, a position) are attributes.
"""

import inspect

from nekonymous_site.crypto.identifiers import KeyId


class CryptoError(Exception):
    """A cryptographic operation was refused."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail

    def __str__(self) -> str:
        # Docstrings are gone under -OO; the name of the class is left then.
        message = inspect.cleandoc(type(self).__doc__ or type(self).__name__)
        return f"{message} ({self.detail})" if self.detail else message


class EnvelopeUnreadable(CryptoError):
    """The sealed envelope cannot be opened."""


class RecordOfAnotherVersion(EnvelopeUnreadable):
    """What was sealed here was written by a version that wrote it otherwise."""


class UnknownKeyId(CryptoError):
    """The keyring has no key of this id; another process may already seal with a newer one."""

    def __init__(self, kid: KeyId) -> None:
        super().__init__(f"kid {kid}")
        self.kid = kid


class PlaintextTooLong(CryptoError):
    """The plaintext does not fit the fixed size of its kind."""

    def __init__(self, *, capacity_bytes: int) -> None:
        super().__init__(f"at most {capacity_bytes} bytes")
        self.capacity_bytes = capacity_bytes


class MalformedCapability(CryptoError):
    """The text is not a capability in its one canonical form."""


class MalformedKeys(CryptoError):
    """The configured keys cannot be used."""

    def __init__(self, *, where: str, problem: str) -> None:
        super().__init__(f"{where} {problem}")
        self.where = where
        self.problem = problem


class KeysNotConfigured(CryptoError):
    """The keys of this process have not been configured."""
