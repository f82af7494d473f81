"""A ticket's capsules open only with its capability, each only as itself, and tell no sizes."""

import hashlib
import hmac
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nekonymous_site.crypto import aead, base64url, blind_tags, process_keys
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.errors import EnvelopeUnreadable, PlaintextTooLong, UnknownKeyId
from nekonymous_site.crypto.identifiers import KeySeed, LookupNonce
from nekonymous_site.crypto.ticket_capsules import (
    SealedTicket,
    TicketPlaintext,
    open_meta,
    open_payload,
    open_route,
    seal_ticket,
)

MASTER_SECRET, PEPPER = (bytes(range(start, start + 32)) for start in (0, 100))
CAPABILITY = Capability(lookup_nonce=LookupNonce(b"n" * 16), key_seed=KeySeed(b"k" * 16))
# version, kid, nonce and authenticator
OVERHEAD_BYTES = 1 + 1 + 24 + 16

Open = Callable[[Capability, bytes | memoryview], bytes]
OPENERS: dict[str, Open] = {"route": open_route, "payload": open_payload, "meta": open_meta}
PADDED_BYTES = {"route": 1024, "payload": 256, "meta": 512}
each_capsule = pytest.mark.parametrize("capsule", OPENERS)


@pytest.fixture(autouse=True, scope="module")
def configured_keys() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process_keys, "_configured", process_keys._Configured())
        process_keys.configure(
            master_keys=f"1:{base64url.encode(MASTER_SECRET)}", pepper=base64url.encode(PEPPER)
        )
        yield


def seal(
    capability: Capability = CAPABILITY,
    *,
    route: bytes = b"the way back",
    payload: bytes = b"the message",
    meta: bytes = b"the number",
) -> SealedTicket:
    return seal_ticket(capability, TicketPlaintext(route=route, payload=payload, meta=meta))


def seal_by_hand(capsule: str, padded: bytes) -> bytes:
    """The documented format put together from HMAC and the AEAD alone."""
    domain = f"ticket:{capsule}".encode()
    ticket_hash = blind_tags.ticket_hash(CAPABILITY.lookup_nonce)
    framed_domain = len(domain).to_bytes(4, "big") + domain
    root = hmac.digest(ticket_hash + CAPABILITY.key_seed, MASTER_SECRET, "sha256")
    key = hmac.new(root, framed_domain + b"\1", hashlib.sha256).digest()
    associated_data = b"\1\1" + framed_domain + b"\0\0\0\x20" + ticket_hash
    nonce = bytes(range(24))
    return b"\1\1" + nonce + aead.encrypt(padded, associated_data=associated_data, nonce=nonce, key=key)


def envelope_of(ticket: SealedTicket, capsule: str) -> bytes:
    return {"route": ticket.route, "payload": ticket.payload, "meta": ticket.meta}[capsule]


@settings(deadline=None)
@given(route=st.binary(max_size=1020), payload=st.binary(max_size=6000), meta=st.binary(max_size=508))
def test_a_ticket_comes_back(route: bytes, payload: bytes, meta: bytes) -> None:
    capability = Capability.new()
    ticket = seal(capability, route=route, payload=payload, meta=meta)

    assert ticket.ticket_hash == blind_tags.ticket_hash(capability.lookup_nonce)
    assert open_route(capability, ticket.route) == route
    assert open_payload(capability, memoryview(ticket.payload)) == payload
    assert open_meta(capability, ticket.meta) == meta


@each_capsule
def test_the_stored_format_is_the_documented_one(capsule: str) -> None:
    padded = b"\0\0\0\4text".ljust(PADDED_BYTES[capsule], b"\0")
    assert OPENERS[capsule](CAPABILITY, seal_by_hand(capsule, padded)) == b"text"


@each_capsule
def test_wrong_padding_is_refused_though_it_is_authentic(capsule: str) -> None:
    right = b"\0\0\0\4text".ljust(PADDED_BYTES[capsule], b"\0")
    for padded in (right[:-1] + b"\1", right.ljust(len(right) + 16, b"\0"), right[:-16]):
        with pytest.raises(EnvelopeUnreadable):
            OPENERS[capsule](CAPABILITY, seal_by_hand(capsule, padded))


@settings(deadline=None)
@given(route=st.binary(max_size=1020), meta=st.binary(max_size=508), payload=st.binary(max_size=252))
def test_route_meta_and_short_payloads_have_one_size_each(route: bytes, meta: bytes, payload: bytes) -> None:
    ticket = seal(route=route, meta=meta, payload=payload)
    sizes = {capsule: len(envelope_of(ticket, capsule)) - OVERHEAD_BYTES for capsule in OPENERS}
    assert sizes == PADDED_BYTES


@pytest.mark.parametrize(
    ("shortest", "longest", "padded_bytes"), [(0, 252, 256), (253, 268, 272), (1021, 1084, 1088)]
)
def test_payloads_of_one_bucket_have_one_size(shortest: int, longest: int, padded_bytes: int) -> None:
    sizes = {
        len(seal(payload=bytes(size)).payload) for size in (shortest, (shortest + longest) // 2, longest)
    }
    assert sizes == {padded_bytes + OVERHEAD_BYTES}
    assert len(seal(payload=bytes(longest + 1)).payload) > padded_bytes + OVERHEAD_BYTES


def test_a_capsule_too_long_is_refused() -> None:
    with pytest.raises(PlaintextTooLong) as route_refusal:
        seal(route=bytes(1021))
    with pytest.raises(PlaintextTooLong) as meta_refusal:
        seal(meta=bytes(509))
    assert (route_refusal.value.capacity_bytes, meta_refusal.value.capacity_bytes) == (1020, 508)


@each_capsule
def test_one_changed_byte_anywhere_is_refused(capsule: str) -> None:
    envelope = envelope_of(seal(), capsule)
    kid_position = 1
    for position in range(len(envelope)):
        changed = bytearray(envelope)
        changed[position] ^= 0x80
        with pytest.raises(UnknownKeyId if position == kid_position else EnvelopeUnreadable):
            OPENERS[capsule](CAPABILITY, bytes(changed))


@each_capsule
def test_every_truncation_and_an_extension_are_refused(capsule: str) -> None:
    envelope = envelope_of(seal(), capsule)
    for changed in [envelope[:length] for length in range(len(envelope))] + [envelope + b"\0"]:
        with pytest.raises(EnvelopeUnreadable):
            OPENERS[capsule](CAPABILITY, changed)


@each_capsule
def test_a_capsule_passes_for_no_other(capsule: str) -> None:
    # Sizes are made equal, so that only key and domain can tell the capsules apart.
    ticket = seal(payload=bytes(PADDED_BYTES[capsule] - 4))
    for other in OPENERS.keys() - {capsule}:
        with pytest.raises(EnvelopeUnreadable):
            OPENERS[capsule](CAPABILITY, envelope_of(ticket, other))


@each_capsule
def test_a_capsule_of_another_ticket_is_refused(capsule: str) -> None:
    other_nonce = Capability(lookup_nonce=LookupNonce(b"m" * 16), key_seed=CAPABILITY.key_seed)
    other_seed = Capability(lookup_nonce=CAPABILITY.lookup_nonce, key_seed=KeySeed(b"l" * 16))
    swapped = Capability(
        lookup_nonce=LookupNonce(CAPABILITY.key_seed), key_seed=KeySeed(CAPABILITY.lookup_nonce)
    )
    for other in (other_nonce, other_seed, swapped):
        with pytest.raises(EnvelopeUnreadable):
            OPENERS[capsule](CAPABILITY, envelope_of(seal(other), capsule))


@each_capsule
def test_a_capsule_that_was_cleared_is_refused(capsule: str) -> None:
    with pytest.raises(EnvelopeUnreadable):
        OPENERS[capsule](CAPABILITY, None)  # type: ignore[arg-type]
