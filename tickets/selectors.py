"""Reads of the vault."""

from dataclasses import dataclass, field

from nekonymous_site.crypto.identifiers import Envelope, OwnerProof, TicketHash
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, any_row, first_row


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTicket:
    """A ticket as it lies in the vault; each action opens only the capsule it needs."""

    ticket_hash: TicketHash
    owner_proof: OwnerProof = field(repr=False)
    route: Envelope = field(repr=False)
    payload: Envelope | None = field(repr=False)
    meta: Envelope = field(repr=False)
    status: str


def queue_ticket_held(pipeline: StatementPipeline, ticket_hash: TicketHash) -> Answer[bool]:
    """Lock a ticket until the transaction ends; False when it is not sealed any more.

    Waits for its sender, who may be taking it back.
    """
    return pipeline.queue(
        "SELECT 1 FROM tickets.ticket WHERE ticket_hash = %s AND status = 'sealed' FOR UPDATE",
        [ticket_hash],
        read=any_row,
    )


def queue_ticket(pipeline: StatementPipeline, ticket_hash: TicketHash) -> Answer[StoredTicket | None]:
    """Find a ticket that has not expired."""

    def read(rows: list[Row]) -> StoredTicket | None:
        row = first_row(rows)
        if row is None:
            return None
        owner_proof, route, payload, meta, status = row
        return StoredTicket(
            ticket_hash=ticket_hash,
            owner_proof=owner_proof,
            route=route,
            payload=payload,
            meta=meta,
            status=status,
        )

    return pipeline.queue(
        """
        SELECT owner_proof, route, payload, meta, status
        FROM tickets.ticket WHERE ticket_hash = %s AND expires_on > current_date
        """,
        [ticket_hash],
        read=read,
    )
