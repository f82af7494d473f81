"""Unread rows: how a sealed capability enters an inbox, is drained from it and leaves it.

Putting rows in and taking them out needs the inbox's lock (`accounts.services.queue_inbox_lock`); finishing
and returning do not, since an attempt touches only rows that it owns. A row goes only when its message has
been accepted by Telegram or can never be delivered.
"""

import secrets
from dataclasses import dataclass, field
from typing import Final

from accounts.records import UNREAD_CAPABILITY
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, Envelope, UnreadDedupeTag, UnreadWithdrawTag
from nekonymous_site.crypto.sealed_envelope import open_record, seal_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, any_row

RETENTION_DAYS: Final = 30
DRAIN_LIMIT: Final = 50
_NOTICE_TURN: Final = 3 << 56  # beside the locks of accounts.services, which begin with 1 and 2


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadTicket:
    """One row that a drain has taken; `attempt_id` is its right to finish it."""

    dedupe_tag: UnreadDedupeTag
    attempt_id: bytes
    generation: int
    possible_repeat: bool
    envelope: Envelope = field(repr=False)

    def capability(self) -> Capability:
        """Open the sealed capability; raises CryptoError when it cannot be opened."""
        text = open_record(UNREAD_CAPABILITY, record_id=self.dedupe_tag, envelope=self.envelope)
        return Capability.parse(text.decode("ascii"))


def dedupe_tag(account_id: AccountId, *, capability: Capability) -> UnreadDedupeTag:
    """Name the one row that this ticket may have in this inbox."""
    return blind_tags.unread_dedupe_tag(
        account_id=account_id,
        ticket_hash=blind_tags.ticket_hash(capability.lookup_nonce),
        key_seed=capability.key_seed,
    )


def queue_unread(
    pipeline: StatementPipeline,
    account_id: AccountId,
    *,
    capability: Capability,
    withdraw_tag: UnreadWithdrawTag,
) -> None:
    """Queue a capability behind the others of its inbox, marked as not yet noticed. May be repeated.

    By the withdraw tag its sender's side finds the row without knowing whose inbox it is in.
    """
    tag = dedupe_tag(account_id, capability=capability)
    envelope = seal_record(UNREAD_CAPABILITY, record_id=tag, plaintext=capability.to_text().encode("ascii"))
    pipeline.queue_write(
        """
        INSERT INTO accounts.unread
            (unread_id, account_id, position, dedupe_tag, capability, withdraw_tag, state, expires_on)
        SELECT %s, %s, coalesce(max(position), 0) + 1, %s, %s, %s, 'waiting', current_date + %s::int
        FROM accounts.unread WHERE account_id = %s
        ON CONFLICT (dedupe_tag) DO NOTHING
        """,
        [secrets.token_bytes(16), account_id, tag, envelope, withdraw_tag, RETENTION_DAYS, account_id],
    )


def queue_notice_turn(pipeline: StatementPipeline) -> Answer[bool]:
    """Take the turn of making notices until the transaction ends; False when somebody else has it.

    Notices touch many lanes; two batches at once could wait for each other's.
    """
    return pipeline.queue(
        "SELECT pg_try_advisory_xact_lock(%s)", [_NOTICE_TURN], read=lambda rows: rows[0][0]
    )


def queue_unnoticed_held(pipeline: StatementPipeline, *, limit: int) -> Answer[dict[AccountId, list[bytes]]]:
    """Hold at most `limit` unnoticed rows, drawn by lot, and tell their ids by account, shuffled.

    Rows that another worker holds are skipped. Whoever has queued the notices calls `queue_noticed`.
    """

    def read(rows: list[Row]) -> dict[AccountId, list[bytes]]:
        held: dict[AccountId, list[bytes]] = {}
        for unread_id, account_id in rows:
            held.setdefault(AccountId(account_id), []).append(unread_id)
        return held

    return pipeline.queue(
        """
        SELECT unread_id, account_id FROM accounts.unread WHERE unnoticed
        ORDER BY random() LIMIT %s FOR UPDATE SKIP LOCKED
        """,
        [limit],
        read=read,
    )


def queue_noticed(pipeline: StatementPipeline, unread_ids: list[bytes]) -> None:
    """Take the mark from rows that a notice has been queued for."""
    pipeline.queue_write(
        "UPDATE accounts.unread SET unnoticed = false WHERE unread_id = ANY(%s)", [unread_ids]
    )


def queue_waiting_drawn(pipeline: StatementPipeline, *, limit: int) -> Answer[list[bytes]]:
    """Hold at most `limit` waiting rows, drawn by lot, and tell their ids in an order by lot.

    Waits for nobody: rows that somebody else holds are skipped.
    """
    return pipeline.queue(
        """
        SELECT unread_id FROM accounts.unread WHERE state = 'waiting'
        ORDER BY random() LIMIT %s FOR UPDATE SKIP LOCKED
        """,
        [limit],
        read=lambda rows: [unread_id for (unread_id,) in rows],
    )


def queue_rewritten(pipeline: StatementPipeline, unread_ids: list[bytes]) -> None:
    """Write rows that are held anew, one after the other, and change nothing in them but their place.

    One statement for all would follow the order in which they lie.
    """
    for unread_id in unread_ids:
        pipeline.queue_write("UPDATE accounts.unread SET state = state WHERE unread_id = %s", [unread_id])


def queue_drain_requested(pipeline: StatementPipeline, account_id: AccountId) -> Answer[bool]:
    """Mark that a recipient asked for what waits; False when they had asked already and it is still to come.

    Needs the inbox's lock. May be repeated.
    """
    return pipeline.queue(
        "INSERT INTO accounts.drain_request (account_id) VALUES (%s) ON CONFLICT DO NOTHING RETURNING 1",
        [account_id],
        read=any_row,
    )


def queue_drain_taken(pipeline: StatementPipeline) -> Answer[AccountId | None]:
    """Hold any request that nobody else holds, until the transaction ends; `queue_drain_done` deletes it.

    Drawn by lot: requests carry no time, and one that cannot be served must not stand before the others.
    """
    return pipeline.queue(
        """
        SELECT account_id FROM accounts.drain_request ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED
        """,
        read=lambda rows: AccountId(rows[0][0]) if rows else None,
    )


def queue_drain_done(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """Delete a request that has been served. Last in its transaction: whoever asks again waits for it."""
    pipeline.queue_write("DELETE FROM accounts.drain_request WHERE account_id = %s", [account_id])


def queue_waiting_taken(
    pipeline: StatementPipeline, account_id: AccountId, *, attempt_id: bytes
) -> Answer[list[UnreadTicket]]:
    """Hand all waiting rows of an inbox, at most 50, in order, to one delivery attempt."""
    return pipeline.queue(
        """
        WITH taken AS (
            UPDATE accounts.unread SET state = 'sending', attempt_id = %s, unnoticed = false
            WHERE unread_id IN (
                SELECT unread_id FROM accounts.unread WHERE account_id = %s AND state = 'waiting'
                ORDER BY position LIMIT %s)
            RETURNING position, dedupe_tag, attempt_id, generation, possible_repeat, capability
        )
        SELECT dedupe_tag, attempt_id, generation, possible_repeat, capability FROM taken ORDER BY position
        """,
        [attempt_id, account_id, DRAIN_LIMIT],
        read=_read_unread_tickets,
    )


def queue_sending_held(pipeline: StatementPipeline, *, limit: int) -> Answer[list[UnreadTicket]]:
    """Hold at most `limit` rows that an attempt owns, drawn by lot. Waits for nobody.

    Rows that somebody else holds are skipped. Whoever records the end of an attempt has locked its row and
    commits both at once. So what is held here stands as its intent does: an intent that is over has left it
    behind.
    """
    return pipeline.queue(
        """
        SELECT dedupe_tag, attempt_id, generation, possible_repeat, capability FROM accounts.unread
        WHERE state = 'sending' ORDER BY random() LIMIT %s FOR UPDATE SKIP LOCKED
        """,
        [limit],
        read=_read_unread_tickets,
    )


def _read_unread_tickets(rows: list[Row]) -> list[UnreadTicket]:
    return [
        UnreadTicket(
            dedupe_tag=UnreadDedupeTag(tag),
            attempt_id=attempt_id,
            generation=generation,
            possible_repeat=possible_repeat,
            envelope=envelope,
        )
        for tag, attempt_id, generation, possible_repeat, envelope in rows
    ]


def queue_unread_owned(
    pipeline: StatementPipeline, tag: UnreadDedupeTag, *, attempt_id: bytes
) -> Answer[bool]:
    """Ask whether an attempt still owns its row."""
    return pipeline.queue(
        "SELECT 1 FROM accounts.unread WHERE dedupe_tag = %s AND attempt_id = %s",
        [tag, attempt_id],
        read=any_row,
    )


def queue_unread_finished(
    pipeline: StatementPipeline, tag: UnreadDedupeTag, *, attempt_id: bytes
) -> Answer[bool]:
    """Delete a row for good; False when the attempt no longer owns it."""
    return pipeline.queue(
        "DELETE FROM accounts.unread WHERE dedupe_tag = %s AND attempt_id = %s RETURNING 1",
        [tag, attempt_id],
        read=any_row,
    )


def queue_unread_withdrawn(pipeline: StatementPipeline, tag: UnreadWithdrawTag) -> None:
    """Delete the row of a message that its sender takes back, whatever its state. May be repeated.

    Takes no inbox's lock, since the sender's side knows none: an attempt that owns the row finds it gone.
    """
    pipeline.queue_write("DELETE FROM accounts.unread WHERE withdraw_tag = %s", [tag])


def queue_unread_returned(
    pipeline: StatementPipeline,
    tag: UnreadDedupeTag,
    *,
    attempt_id: bytes,
    announce: bool,
    possible_repeat: bool,
) -> Answer[bool]:
    """Let a row wait again under a new generation; False when the attempt no longer owns it.

    `announce` asks for a new notice; `possible_repeat` says that this attempt may have arrived all the same.
    """
    return pipeline.queue(
        """
        UPDATE accounts.unread
        SET state = 'waiting', attempt_id = NULL, generation = generation + 1,
            possible_repeat = possible_repeat OR %s, unnoticed = %s
        WHERE dedupe_tag = %s AND attempt_id = %s
        RETURNING 1
        """,
        [possible_repeat, announce, tag, attempt_id],
        read=any_row,
    )


def queue_unread_refused(
    pipeline: StatementPipeline, tag: UnreadDedupeTag, *, attempt_id: bytes
) -> Answer[bool]:
    """Mark a row as one that can never be shown; tells whether an earlier attempt had marked it.

    False as well when the attempt no longer owns it. May not be repeated within one attempt.
    """
    return pipeline.queue(
        """
        UPDATE accounts.unread SET refused = true WHERE dedupe_tag = %s AND attempt_id = %s
        RETURNING old.refused
        """,
        [tag, attempt_id],
        read=lambda rows: bool(rows and rows[0][0]),
    )


def queue_attempt_returned(pipeline: StatementPipeline, account_id: AccountId, *, attempt_id: bytes) -> None:
    """Let every row that an attempt still owns wait again under a new generation. May be repeated."""
    pipeline.queue_write(
        """
        UPDATE accounts.unread
        SET state = 'waiting', attempt_id = NULL, generation = generation + 1, unnoticed = false
        WHERE account_id = %s AND attempt_id = %s
        """,
        [account_id, attempt_id],
    )
