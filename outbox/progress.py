"""The live progress message of an inbox that is being brought: one a chat, kept with its lane.

It begins with a message of its own kind, counts what arrives, is edited at most every five seconds and once
more when nothing is on its way any more. It has an id, since what was queued for the one before may still be
on its way when the next begins. Whoever writes here holds the lane's row: `queue_intent` or
`send_records.require_lease` came before in the same transaction.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Final

from nekonymous_site.crypto.identifiers import Envelope, LaneTag
from nekonymous_site.crypto.sealed_envelope import RecordKind, open_record, seal_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, first_row


class ProgressPhase(StrEnum):
    """Where a live count is. It ends `finalized`, or `cancelled` when a newer one takes its place."""

    IDLE = "idle"  # there is none
    PREVIEWING = "previewing"  # it counts what arrives
    FINALIZING = "finalizing"  # nothing is on its way any more: the last word is due


EDIT_INTERVAL: Final = timedelta(seconds=5)
_MESSAGE: Final = RecordKind(domain="outbox:progress-message", padded_bytes=32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a delivery is."""

    progress_id: bytes
    total: int
    delivered: int
    edit_is_due: bool
    lane_tag: LaneTag = field(repr=False)
    message_envelope: Envelope | None = field(repr=False)

    def message_id(self) -> int | None:
        """Open the message's id; None until Telegram has confirmed the message. Raises CryptoError."""
        if self.message_envelope is None:
            return None
        return int(open_record(_MESSAGE, record_id=self.lane_tag, envelope=self.message_envelope))


def find_phase(progress: Progress | None, *, on_the_way: int) -> ProgressPhase:
    """Say where a count is, from what is kept of it and how many messages are on their way."""
    if progress is None:
        return ProgressPhase.IDLE
    return ProgressPhase.PREVIEWING if on_the_way else ProgressPhase.FINALIZING


def queue_progress_begun(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, progress_id: bytes, total: int
) -> None:
    """Begin to count towards `total`; a count that was going on is forgotten."""
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET progress_id = %s, progress_total = %s, progress_delivered = 0,
            progress_message = NULL, progress_edited_at = now()
        WHERE lane_tag = %s
        """,
        [progress_id, total, lane_tag],
    )


def queue_progress_extended(pipeline: StatementPipeline, lane_tag: LaneTag, *, by: int) -> None:
    """Count towards more: something has joined what is on its way. Without a progress it does nothing."""
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET progress_total = progress_total + %s
        WHERE lane_tag = %s AND progress_total IS NOT NULL
        """,
        [by, lane_tag],
    )


def queue_progress_shown(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, progress_id: bytes, message_id: int
) -> None:
    """Remember under which id the message of this progress stands, so that it can be edited."""
    pipeline.queue_write(
        "UPDATE outbox.lane SET progress_message = %s WHERE lane_tag = %s AND progress_id = %s",
        [
            seal_record(_MESSAGE, record_id=lane_tag, plaintext=str(message_id).encode()),
            lane_tag,
            progress_id,
        ],
    )


def queue_progress_message_gone(
    pipeline: StatementPipeline, lane_tag: LaneTag, *, progress_id: bytes
) -> None:
    """Forget the message of a progress, since it cannot be edited any more: its last word is said anew."""
    pipeline.queue_write(
        "UPDATE outbox.lane SET progress_message = NULL WHERE lane_tag = %s AND progress_id = %s",
        [lane_tag, progress_id],
    )


def queue_one_delivered(pipeline: StatementPipeline, lane_tag: LaneTag) -> None:
    """Count one more message that has arrived."""
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET progress_delivered = progress_delivered + 1
        WHERE lane_tag = %s AND progress_total IS NOT NULL
        """,
        [lane_tag],
    )


def queue_progress(pipeline: StatementPipeline, lane_tag: LaneTag) -> Answer[Progress | None]:
    """Read how far it is; None when there is no progress message."""

    def read(rows: list[Row]) -> Progress | None:
        row = first_row(rows)
        if row is None:
            return None
        progress_id, total, delivered, edit_is_due, message = row
        return Progress(
            progress_id=progress_id,
            total=total,
            delivered=delivered,
            edit_is_due=edit_is_due,
            lane_tag=lane_tag,
            message_envelope=message,
        )

    return pipeline.queue(
        """
        SELECT progress_id, progress_total, progress_delivered, progress_edited_at <= now() - %s,
            progress_message
        FROM outbox.lane WHERE lane_tag = %s AND progress_total IS NOT NULL
        """,
        [EDIT_INTERVAL, lane_tag],
        read=read,
    )


def queue_progress_edited(pipeline: StatementPipeline, lane_tag: LaneTag) -> None:
    """Note that an edit has just been asked for: the next one comes five seconds later at the earliest."""
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET progress_edited_at = now()
        WHERE lane_tag = %s AND progress_total IS NOT NULL
        """,
        [lane_tag],
    )


def queue_progress_ended(pipeline: StatementPipeline, lane_tag: LaneTag, *, progress_id: bytes) -> None:
    """Forget a progress; its message stays in the chat as it was last edited. May be repeated."""
    pipeline.queue_write(
        """
        UPDATE outbox.lane SET progress_id = NULL, progress_total = NULL, progress_delivered = 0,
            progress_message = NULL, progress_edited_at = NULL
        WHERE lane_tag = %s AND progress_id = %s
        """,
        [lane_tag, progress_id],
    )
