"""Updates that could not be taken, sealed for seven days, until an operator replays or drops them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from nekonymous_site.crypto.envelope_format import OVERHEAD_BYTES
from nekonymous_site.crypto.errors import EnvelopeUnreadable, UnknownKeyId
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, any_row, first_row
from outbox.errors import NotReplayed, WhyNotReplayed
from outbox.row_handles import handle_range
from outbox.services import parked_update_record


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedUpdate:
    """What may be told of a parked update: its size is that of its padding."""

    parked_id: bytes
    parked_on: date
    padded_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedCount:
    age_days: int
    padded_bytes: int
    updates: int


def queue_parked_counts(pipeline: StatementPipeline) -> Answer[list[ParkedCount]]:
    """Count parked updates by age and size."""
    return pipeline.queue(
        """
        SELECT current_date - parked_on, octet_length(body) - %s, count(*) FROM outbox.parked_update
        GROUP BY 1, 2 ORDER BY 1, 2
        """,
        [OVERHEAD_BYTES],
        read=lambda rows: [
            ParkedCount(age_days=age_days, padded_bytes=padded_bytes, updates=updates)
            for age_days, padded_bytes, updates in rows
        ],
    )


def queue_oldest_parked(pipeline: StatementPipeline, *, limit: int) -> Answer[list[ParkedUpdate]]:
    """Give the updates that will go first."""
    return pipeline.queue(
        """
        SELECT parked_id, parked_on, octet_length(body) - %s FROM outbox.parked_update
        ORDER BY parked_on, parked_id LIMIT %s
        """,
        [OVERHEAD_BYTES, limit],
        read=lambda rows: [
            ParkedUpdate(parked_id=bytes(parked_id), parked_on=parked_on, padded_bytes=padded_bytes)
            for parked_id, parked_on, padded_bytes in rows
        ],
    )


def queue_parked_after(pipeline: StatementPipeline, *, after: bytes, limit: int) -> Answer[list[bytes]]:
    """Give the ids behind this one, in order: a walk along them meets each update once and has an end."""
    return pipeline.queue(
        "SELECT parked_id FROM outbox.parked_update WHERE parked_id > %s ORDER BY parked_id LIMIT %s",
        [after, limit],
        read=_ids,
    )


def queue_parked_found(pipeline: StatementPipeline, handle: str, *, limit: int) -> Answer[list[bytes]]:
    """Find the parked updates whose id begins with these digits."""
    return pipeline.queue(
        """
        SELECT parked_id FROM outbox.parked_update WHERE parked_id BETWEEN %s AND %s
        ORDER BY parked_id LIMIT %s
        """,
        [*handle_range(handle), limit],
        read=_ids,
    )


def open_parked(pipeline: StatementPipeline, parked_id: bytes) -> bytes:
    """Give the raw update that was set aside. Raises NotReplayed where it is gone or does not open."""
    row = pipeline.queue(
        "SELECT body FROM outbox.parked_update WHERE parked_id = %s", [parked_id], read=first_row
    ).value
    if row is None:
        raise NotReplayed(WhyNotReplayed.GONE)
    envelope = bytes(row[0])
    try:
        return open_record(
            parked_update_record(_largest_size(len(envelope))), record_id=parked_id, envelope=envelope
        )
    except UnknownKeyId:
        raise NotReplayed(WhyNotReplayed.KEY_MISSING) from None
    except EnvelopeUnreadable:
        raise NotReplayed(WhyNotReplayed.UNREADABLE) from None


def queue_unparked(pipeline: StatementPipeline, parked_id: bytes) -> Answer[bool]:
    """Give up the place of a parked update in the transaction that has its effect; False when it is gone.

    Waits for a transaction that is doing so at this moment.
    """
    return pipeline.queue(
        "DELETE FROM outbox.parked_update WHERE parked_id = %s RETURNING 1", [parked_id], read=any_row
    )


def queue_parked_dropped(pipeline: StatementPipeline, parked_ids: Sequence[bytes]) -> Answer[list[bytes]]:
    """Delete parked updates for good, and tell which."""
    return pipeline.queue(
        "DELETE FROM outbox.parked_update WHERE parked_id = ANY(%s) RETURNING parked_id",
        [list(parked_ids)],
        read=_ids,
    )


def _largest_size(envelope_bytes: int) -> int:
    """Give the size of the largest update that makes an envelope of this size."""
    return max(envelope_bytes - OVERHEAD_BYTES - 65, 0)


def _ids(rows: list[Row]) -> list[bytes]:
    return [bytes(row_id) for (row_id,) in rows]
