"""The vault: a ticket is stored once, wiped when it has been seen, and deleted when it expires."""

import pytest
from django.db import IntegrityError
from stored_rows import change_rows, read_rows, read_value

import tickets.selectors
import tickets.services
from nekonymous_site.crypto import blind_tags, ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import OwnerProof, TicketHash, WithdrawTag
from nekonymous_site.crypto.ticket_capsules import SealedTicket, TicketPlaintext, seal_ticket
from nekonymous_site.pipeline import durable_transaction
from tickets.selectors import StoredTicket

pytestmark = pytest.mark.django_db

WITHDRAW_TAG = WithdrawTag(b"w" * 32)
PLAIN = TicketPlaintext(route=b"route", payload=b"payload", meta=b"meta")


def _seal(capability: Capability) -> SealedTicket:
    return seal_ticket(capability, PLAIN)


def _store(ticket: SealedTicket) -> bool:
    with durable_transaction() as pipeline:
        return tickets.services.queue_ticket_stored(
            pipeline, ticket, owner_proof=OwnerProof(b"p" * 32), withdraw_tag=WITHDRAW_TAG
        ).value


def _view(ticket_hash: TicketHash) -> bool:
    with durable_transaction() as pipeline:
        return tickets.services.queue_ticket_viewed(pipeline, ticket_hash).value


def _find(ticket_hash: TicketHash) -> StoredTicket | None:
    with durable_transaction() as pipeline:
        return tickets.selectors.queue_ticket(pipeline, ticket_hash).value


def test_the_first_to_store_created_it_and_the_second_finds_it_unchanged() -> None:
    capability = Capability.new()
    first, second = _seal(capability), _seal(capability)
    assert first.ticket_hash == second.ticket_hash == blind_tags.ticket_hash(capability.lookup_nonce)
    assert _store(first)
    assert not _store(second)
    assert read_rows("SELECT route, payload, meta FROM tickets.ticket") == [
        (first.route, first.payload, first.meta)
    ]


def test_a_retry_does_not_revive_what_has_been_seen() -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    assert _view(ticket.ticket_hash)
    assert not _store(ticket)
    assert read_rows("SELECT payload, status FROM tickets.ticket") == [(None, "viewed")]


def test_what_has_been_seen_is_wiped_and_its_way_back_stays() -> None:
    capability = Capability.new()
    ticket = _seal(capability)
    _store(ticket)
    assert _view(ticket.ticket_hash)
    assert not _view(ticket.ticket_hash), "only once"
    assert read_rows("SELECT payload, withdraw_tag FROM tickets.ticket") == [(None, None)]
    found = _find(ticket.ticket_hash)
    assert found is not None
    assert found.payload is None
    assert ticket_capsules.open_route(capability, found.route) == b"route"
    assert ticket_capsules.open_meta(capability, found.meta) == b"meta"


def _withdraw(ticket_hash: TicketHash, *, tag: WithdrawTag = WITHDRAW_TAG) -> bool:
    with durable_transaction() as pipeline:
        return tickets.services.queue_ticket_withdrawn(pipeline, ticket_hash, withdraw_tag=tag).value


def _call_off(ticket_hash: TicketHash) -> None:
    with durable_transaction() as pipeline:
        tickets.services.queue_ticket_called_off(pipeline, ticket_hash)


def _begin(ticket_hash: TicketHash) -> None:
    with durable_transaction() as pipeline:
        tickets.services.queue_ticket_begun(pipeline, ticket_hash)


def _states() -> list[tuple[object, ...]]:
    return read_rows("SELECT status, payload IS NULL, withdraw_tag IS NULL FROM tickets.ticket")


def test_what_its_sender_takes_back_is_wiped_once() -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    assert [_withdraw(ticket.ticket_hash), _withdraw(ticket.ticket_hash)] == [True, False]
    assert _states() == [("withdrawn", True, True)]
    assert not _view(ticket.ticket_hash), "and can be seen no more"
    assert not _store(ticket), "nor comes back by a retry"


def test_nobody_but_its_sender_takes_a_ticket_back() -> None:
    first, second = _seal(Capability.new()), _seal(Capability.new())
    _store(first)
    assert not _withdraw(first.ticket_hash, tag=WithdrawTag(b"x" * 32))
    assert not _withdraw(second.ticket_hash)
    assert _states() == [("sealed", False, False)]


def test_what_has_been_seen_or_has_begun_to_arrive_is_not_taken_back() -> None:
    seen, begun = _seal(Capability.new()), _seal(Capability.new())
    for ticket in (seen, begun):
        _store(ticket)
    _view(seen.ticket_hash)
    for _ in range(2):
        _begin(begun.ticket_hash)
    assert [_withdraw(ticket.ticket_hash) for ticket in (seen, begun)] == [False, False]
    assert sorted(_states()) == [("sealed", False, False), ("viewed", True, True)]
    assert _view(begun.ticket_hash), "it arrives whole"


def test_what_did_not_arrive_after_all_can_be_taken_back_again() -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    _begin(ticket.ticket_hash)
    for _ in range(2):
        with durable_transaction() as pipeline:
            tickets.services.queue_ticket_not_begun(pipeline, ticket.ticket_hash)
    assert _withdraw(ticket.ticket_hash)


def test_what_is_called_off_is_wiped_and_what_was_seen_stays_seen() -> None:
    ticket, begun, seen = (_seal(Capability.new()) for _ in range(3))
    for stored in (ticket, begun, seen):
        _store(stored)
    _begin(begun.ticket_hash)
    _view(seen.ticket_hash)
    for _ in range(2):
        for stored in (ticket, begun, seen):
            _call_off(stored.ticket_hash)
        assert sorted(_states()) == [("viewed", True, True), *[("withdrawn", True, True)] * 2]


def test_a_ticket_that_was_taken_back_does_not_begin() -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    _withdraw(ticket.ticket_hash)
    _begin(ticket.ticket_hash)
    assert _states() == [("withdrawn", True, True)]


def test_a_ticket_that_is_not_there_is_not_found_and_not_seen() -> None:
    nowhere = blind_tags.ticket_hash(Capability.new().lookup_nonce)
    assert _find(nowhere) is None
    assert not _view(nowhere)


@pytest.mark.parametrize(("days", "is_there"), [(1, True), (0, False), (-1, False)])
def test_a_ticket_is_found_until_its_day_comes(*, days: int, is_there: bool) -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    assert read_value("SELECT expires_on - current_date FROM tickets.ticket") == 30
    change_rows("UPDATE tickets.ticket SET expires_on = current_date + %s::int", [days])
    assert (_find(ticket.ticket_hash) is not None) is is_there


def test_a_stored_ticket_never_prints_what_it_holds() -> None:
    ticket = _seal(Capability.new())
    _store(ticket)
    found = _find(ticket.ticket_hash)
    assert found is not None
    assert repr(bytes(found.route)) not in repr(found)
    assert repr(bytes(found.owner_proof)) not in repr(found)


TICKET = """
    INSERT INTO tickets.ticket
        (ticket_hash, owner_proof, withdraw_tag, route, payload, meta, status, expires_on)
    VALUES ('\\x01', '\\x01', %s, '\\x01', %s, '\\x01', %s, current_date)
"""


@pytest.mark.parametrize(
    ("withdraw_tag", "payload", "status"),
    [
        (b"w", b"p", "viewed"),
        (None, b"p", "viewed"),
        (b"w", None, "viewed"),
        (None, b"p", "withdrawn"),
        (b"w", None, "withdrawn"),
        (b"w", None, "sealed"),
        (None, b"p", "another"),
    ],
)
def test_a_payload_lies_only_in_a_sealed_ticket(
    withdraw_tag: bytes | None, payload: bytes | None, status: str
) -> None:
    with pytest.raises(IntegrityError, match="ticket_payload_only_while_sealed"):
        change_rows(TICKET, [withdraw_tag, payload, status])
