"""Writes of the vault. A ticket goes `sealed → viewed | withdrawn` and is deleted when it expires."""

from typing import Final

from nekonymous_site.crypto.identifiers import OwnerProof, TicketHash, WithdrawTag
from nekonymous_site.crypto.ticket_capsules import SealedTicket
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row

RETENTION_DAYS: Final = 30


def queue_ticket_stored(
    pipeline: StatementPipeline,
    ticket: SealedTicket,
    *,
    owner_proof: OwnerProof,
    withdraw_tag: WithdrawTag,
) -> Answer[bool]:
    """Store a sealed ticket; True when it was created, False when the same one exists already.

    May be repeated: the existing ticket is left as it is. Only a creator may undo.
    """
    return pipeline.queue(
        """
        INSERT INTO tickets.ticket
            (ticket_hash, owner_proof, withdraw_tag, route, payload, meta, status, expires_on)
        VALUES (%s, %s, %s, %s, %s, %s, 'sealed', current_date + %s::int)
        ON CONFLICT (ticket_hash) DO NOTHING
        RETURNING 1
        """,
        [
            ticket.ticket_hash,
            owner_proof,
            withdraw_tag,
            ticket.route,
            ticket.payload,
            ticket.meta,
            RETENTION_DAYS,
        ],
        read=any_row,
    )


def queue_ticket_viewed(pipeline: StatementPipeline, ticket_hash: TicketHash) -> Answer[bool]:
    """Wipe payload and withdraw tag of a delivered ticket; False when it was not sealed any more."""
    return pipeline.queue(
        """
        UPDATE tickets.ticket SET status = 'viewed', payload = NULL, withdraw_tag = NULL
        WHERE ticket_hash = %s AND status = 'sealed'
        RETURNING 1
        """,
        [ticket_hash],
        read=any_row,
    )


def queue_ticket_begun(pipeline: StatementPipeline, ticket_hash: TicketHash) -> Answer[bool]:
    """A first part is about to leave: the sender cannot take the ticket back any more; False when they have.

    May be repeated. Locks the ticket, so that a withdrawal comes before or not at all.
    """
    return pipeline.queue(
        "UPDATE tickets.ticket SET begun = true WHERE ticket_hash = %s AND status = 'sealed' RETURNING 1",
        [ticket_hash],
        read=any_row,
    )


def queue_ticket_not_begun(pipeline: StatementPipeline, ticket_hash: TicketHash) -> None:
    """The first part has not arrived, for certain: the sender can take the ticket back. May be repeated."""
    pipeline.queue_write(
        "UPDATE tickets.ticket SET begun = false WHERE ticket_hash = %s AND begun AND status = 'sealed'",
        [ticket_hash],
    )


def queue_ticket_withdrawn(
    pipeline: StatementPipeline, ticket_hash: TicketHash, *, withdraw_tag: WithdrawTag
) -> Answer[bool]:
    """Wipe a ticket that its sender takes back; False when it is not theirs, or has begun to arrive.

    Waits for a delivery that is being begun or recorded at this moment.
    """
    return pipeline.queue(
        """
        UPDATE tickets.ticket SET status = 'withdrawn', payload = NULL, withdraw_tag = NULL
        WHERE ticket_hash = %s AND withdraw_tag = %s AND status = 'sealed' AND NOT begun
        RETURNING 1
        """,
        [ticket_hash, withdraw_tag],
        read=any_row,
    )


def queue_ticket_called_off(pipeline: StatementPipeline, ticket_hash: TicketHash) -> None:
    """Wipe a ticket that nobody wants delivered any more. May be repeated."""
    pipeline.queue_write(
        """
        UPDATE tickets.ticket SET status = 'withdrawn', payload = NULL, withdraw_tag = NULL
        WHERE ticket_hash = %s AND status = 'sealed'
        """,
        [ticket_hash],
    )


def queue_expired_purged(pipeline: StatementPipeline, *, limit: int) -> Answer[int]:
    """Delete at most `limit` expired tickets, whosever they are; tells how many went."""
    return pipeline.queue(
        """
        WITH old AS (
            SELECT ticket_hash FROM tickets.ticket WHERE expires_on <= current_date LIMIT %s
            FOR UPDATE SKIP LOCKED
        ), gone AS (
            DELETE FROM tickets.ticket USING old WHERE ticket.ticket_hash = old.ticket_hash
            RETURNING 1
        )
        SELECT count(*) FROM gone
        """,
        [limit],
        read=lambda rows: rows[0][0],
    )
