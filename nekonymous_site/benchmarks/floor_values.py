"""Which values of an accept are the same each time, and what stands for those that are not.

Told by comparison alone: what differs between two accepts alike is fresh; what changes only with the sender
or only with the recipient belongs to them.
"""

import hashlib
import secrets
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from nekonymous_site.benchmarks.accept_recording import AcceptRecording
from nekonymous_site.benchmarks.failures import BenchmarkFailed

_BYTEA: Final = 17
_TEXT_OIDS: Final = frozenset({0, 25, 1043})
_INTEGER_TYPES: Final = {20: "int8", 21: "int2", 23: "int4"}
_BOOL: Final = 16
# A longer value is no key: it stays the same, in its true size.
_LONGEST_KEY_BYTES: Final = 32


class Owner(Enum):
    """Whom a value belongs to, by the number that it is made of."""

    MESSAGE = "n"  # a sender writes one message, so theirs have the same number
    SENDER = "sender"
    RECIPIENT = "recipient"


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorValue:
    """One value of the accept, and whose it is; nobody's is a constant."""

    raw: bytes = field(repr=False)
    type_oid: int
    is_binary: bool
    owner: Owner | None

    def constant(self) -> str:
        """The value in text form, as Postgres reads it."""
        if self.type_oid == _BYTEA and self.is_binary:
            return "\\x" + self.raw.hex()
        if self.type_oid in _INTEGER_TYPES and self.is_binary:
            return str(int.from_bytes(self.raw, "big", signed=True))
        if self.type_oid == _BOOL and self.is_binary:
            return "true" if self.raw == b"\x01" else "false"
        if self.is_binary and self.type_oid not in _TEXT_OIDS:
            raise BenchmarkFailed(f"a value of type {self.type_oid} cannot be written as text")
        return self.raw.decode()

    @property
    def type_name(self) -> str | None:
        """The type that the accept gave it; None where it left that to the server."""
        if self.type_oid == 0:
            return None
        names = {**_INTEGER_TYPES, _BYTEA: "bytea", _BOOL: "bool", 25: "text", 1043: "varchar"}
        if self.type_oid not in names:
            raise BenchmarkFailed(f"a value of type {self.type_oid} has no name here")
        return names[self.type_oid]

    def expression(self, number: str) -> str:
        """SQL for the value that stands in this one's place for an owner of this number."""
        if self.type_oid in _INTEGER_TYPES:
            return f"({self.constant()} + {number})::{_INTEGER_TYPES[self.type_oid]}"
        # Spread over an index as the real ones are.
        hashed = f"sha256(int8send({_seed(self.raw)} + {number}))"
        if self.type_oid == _BYTEA:
            return f"substr({hashed}, 1, {len(self.raw)})"
        return f"substr(encode({hashed}, 'hex'), 1, {len(self.raw)})"


def find_values(recording: AcceptRecording) -> list[list[list[FloorValue | None]]]:
    """Judge every value of the recorded accepts, by turn, statement and place; None is NULL."""
    return [
        [
            [
                _judge((one, another, by_other, to_other), type_oid=type_oid, is_binary=is_binary)
                for one, another, by_other, to_other, type_oid, is_binary in zip(
                    first.values,
                    again.values,
                    other_sender.values,
                    other_recipient.values,
                    first.type_oids,
                    first.are_binary,
                    strict=True,
                )
            ]
            for first, again, other_sender, other_recipient in zip(*turns, strict=True)
        ]
        for turns in zip(
            recording.first,
            recording.again,
            recording.other_sender,
            recording.other_recipient,
            strict=True,
        )
    ]


def _judge(
    seen: tuple[bytes | None, bytes | None, bytes | None, bytes | None], *, type_oid: int, is_binary: bool
) -> FloorValue | None:
    first, again, other_sender, other_recipient = seen
    if first is None:
        return None
    owner = _find_owner(
        is_fresh=first != again, by_sender=first != other_sender, by_recipient=first != other_recipient
    )
    can_vary = type_oid in _INTEGER_TYPES or type_oid == _BYTEA or type_oid in _TEXT_OIDS
    if owner is not None and (not can_vary or len(first) > _LONGEST_KEY_BYTES):
        # Random bytes, since what is sealed cannot be compressed either.
        raw = secrets.token_bytes(len(first)) if type_oid == _BYTEA else first
        return FloorValue(raw=raw, type_oid=type_oid, is_binary=is_binary, owner=None)
    return FloorValue(raw=first, type_oid=type_oid, is_binary=is_binary, owner=owner)


def _find_owner(*, is_fresh: bool, by_sender: bool, by_recipient: bool) -> Owner | None:
    match is_fresh, by_sender, by_recipient:
        case False, False, False:
            return None
        case False, True, False:
            return Owner.SENDER
        case False, False, True:
            return Owner.RECIPIENT
        case _:
            return Owner.MESSAGE


def _seed(raw: bytes) -> int:
    """A number for each value, far enough from all others."""
    return int.from_bytes(hashlib.sha256(raw).digest()[:5], "big") << 20
