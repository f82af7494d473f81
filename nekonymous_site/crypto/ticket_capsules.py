"""A ticket's three capsules: route (the way back), payload (the message) and meta (number, time, labels).

The ticket root is HKDF-Extract of the master key with `ticket_hash || key_seed` as salt, so a stored ticket
opens only with both the master key and the capability. Each capsule has its own key expanded from the root
and its own domain, so that an action opens what it needs and no capsule passes for another.

The functions that open raise UnknownKeyId (temporary) or EnvelopeUnreadable (final). They trust the caller to
have checked the owner proof before.
"""

from dataclasses import dataclass, field

from nekonymous_site.crypto import key_derivation
from nekonymous_site.crypto.blind_tags import ticket_hash
from nekonymous_site.crypto.byte_framing import length_prefixed
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.envelope_format import Seal
from nekonymous_site.crypto.identifiers import Envelope, StoredBytes, TicketHash
from nekonymous_site.crypto.plaintext_padding import FixedSize, PaddingRule, PadmeFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketPlaintext:
    """The three plaintexts of a ticket; none of them prints."""

    route: bytes = field(repr=False)
    payload: bytes = field(repr=False)
    meta: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedTicket:
    """What the tickets plane stores of a new ticket."""

    ticket_hash: TicketHash = field(repr=False)
    route: Envelope = field(repr=False)
    payload: Envelope = field(repr=False)
    meta: Envelope = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CapsuleKind:
    domain: str
    padding: PaddingRule


# Parts of the stored format: a change makes existing tickets unreadable.
_ROUTE = _CapsuleKind(domain="ticket:route", padding=FixedSize(1024))
_PAYLOAD = _CapsuleKind(domain="ticket:payload", padding=PadmeFrom(256))
_META = _CapsuleKind(domain="ticket:meta", padding=FixedSize(512))


def seal_ticket(capability: Capability, plaintext: TicketPlaintext) -> SealedTicket:
    """Seal a ticket under the primary key.

    Raises PlaintextTooLong for a route beyond 1020 or a meta beyond 508 bytes; a payload has no limit here.
    """
    return SealedTicket(
        ticket_hash=ticket_hash(capability.lookup_nonce),
        route=_seal_of(_ROUTE, capability).close(plaintext.route),
        payload=_seal_of(_PAYLOAD, capability).close(plaintext.payload),
        meta=_seal_of(_META, capability).close(plaintext.meta),
    )


def open_route(capability: Capability, envelope: StoredBytes) -> bytes:
    """Return the plaintext of the route; raise UnknownKeyId or EnvelopeUnreadable."""
    return _seal_of(_ROUTE, capability).open(envelope)


def open_payload(capability: Capability, envelope: StoredBytes) -> bytes:
    """Return the plaintext of the payload; raise UnknownKeyId or EnvelopeUnreadable."""
    return _seal_of(_PAYLOAD, capability).open(envelope)


def open_meta(capability: Capability, envelope: StoredBytes) -> bytes:
    """Return the plaintext of the meta; raise UnknownKeyId or EnvelopeUnreadable."""
    return _seal_of(_META, capability).open(envelope)


def _seal_of(kind: _CapsuleKind, capability: Capability) -> Seal:
    own_hash = ticket_hash(capability.lookup_nonce)
    salt = own_hash + capability.key_seed

    def derive_key(master_secret: bytes) -> bytes:
        root = key_derivation.extract(master_secret, salt=salt)
        return key_derivation.expand(root, info=length_prefixed(kind.domain.encode()))

    return Seal(domain=kind.domain, record_id=own_hash, padding=kind.padding, derive_key=derive_key)
