"""Writes of the outbox plane that other layers ask for: intents, update receipts, parked updates, the bot."""

import json
import secrets
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from nekonymous_site.crypto.blind_tags import lane_tag
from nekonymous_site.crypto.identifiers import ChatId, IntentTag
from nekonymous_site.crypto.sealed_envelope import RecordKind, seal_record
from nekonymous_site.pipeline import Answer, StatementPipeline, any_row
from outbox.errors import AnotherBotOwnsDatabase
from outbox.intent_kinds import POLICIES, IntentKind
from outbox.key_check import make_pepper_check, make_sealed_check

_SMALLEST_PARKED_BYTES: Final = 4096

# Takes the next place in a lane, which is made where it is not there, and wakes it.
TAKE_PLACE_IN_LANE: Final[LiteralString] = """
    INSERT INTO outbox.lane AS lane (lane_tag, next_position, due_at, touched_at)
    VALUES (%(lane_tag)s, 2, now(), now())
    ON CONFLICT (lane_tag) DO UPDATE SET
        next_position = lane.next_position + 1,
        due_at = least(lane.due_at, greatest(now(), lane.parked_until)),
        touched_at = now()
    RETURNING lane.lane_tag, lane.next_position - 1 AS position
"""

_QUEUE_INTENT: Final[LiteralString] = f"""
    WITH lane AS ({TAKE_PLACE_IN_LANE})
    INSERT INTO outbox.intent
        (intent_id, intent_tag, kind, lane_class, lane_tag, position, state, possible_repeat, body,
        created_on)
    SELECT %(intent_id)s, %(intent_tag)s, %(kind)s, %(lane_class)s, lane.lane_tag, lane.position, 'pending',
        %(possible_repeat)s, %(body)s, current_date
    FROM lane
    WHERE NOT (%(unless_one_waits)s AND EXISTS (
        SELECT FROM outbox.intent AS other
        WHERE other.lane_tag = lane.lane_tag AND other.kind = %(waiting_kind)s AND other.state = 'pending'))
    ON CONFLICT (intent_tag) DO NOTHING
"""  # noqa: S608 - made of constants

_PURGE_EXPIRED: Final[LiteralString] = """
    WITH old_intents AS (
        SELECT intent_id FROM outbox.intent
        -- whatever has not been sent in 30 days has outlived its ticket
        WHERE created_on < current_date - 7
            AND (state IN ('sent', 'suppressed', 'failed') OR created_on < current_date - 30)
        LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), intents AS (
        DELETE FROM outbox.intent USING old_intents AS old WHERE intent.intent_id = old.intent_id
        RETURNING 1
    ), old_receipts AS (
        SELECT bot_id, update_id FROM outbox.update_receipt
        WHERE received_on < current_date - 7 LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), receipts AS (
        DELETE FROM outbox.update_receipt AS receipt USING old_receipts AS old
        WHERE receipt.bot_id = old.bot_id AND receipt.update_id = old.update_id
        RETURNING 1
    ), old_failures AS (
        SELECT bot_id, update_id FROM outbox.update_failure
        WHERE failed_on < current_date - 7 LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), failures AS (
        DELETE FROM outbox.update_failure AS failure USING old_failures AS old
        WHERE failure.bot_id = old.bot_id AND failure.update_id = old.update_id
        RETURNING 1
    ), old_parked AS (
        SELECT parked_id FROM outbox.parked_update
        WHERE parked_on < current_date - 7 LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), parked AS (
        DELETE FROM outbox.parked_update USING old_parked AS old
        WHERE parked_update.parked_id = old.parked_id
        RETURNING 1
    ), idle_lanes AS (
        SELECT lane_tag FROM outbox.lane
        WHERE due_at IS NULL AND touched_at < now() - interval '3 minutes'
            AND (parked_until IS NULL OR parked_until < now())
            AND NOT EXISTS (SELECT FROM outbox.intent WHERE intent.lane_tag = lane.lane_tag)
        LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), lanes AS (
        -- touched_at is checked again on the row itself, so a lane that was just written to stays
        DELETE FROM outbox.lane USING idle_lanes AS idle
        WHERE lane.lane_tag = idle.lane_tag
            AND touched_at < now() - interval '3 minutes' AND due_at IS NULL
        RETURNING 1
    ), stale_progress AS (
        -- a message id is kept for an hour at most; locked rows are busy with it
        SELECT lane_tag FROM outbox.lane WHERE progress_edited_at < now() - interval '1 hour'
        LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    ), progress AS (
        UPDATE outbox.lane SET progress_id = NULL, progress_total = NULL, progress_delivered = 0,
            progress_message = NULL, progress_edited_at = NULL
        FROM stale_progress AS stale WHERE lane.lane_tag = stale.lane_tag
    ), pace AS (
        -- its exact times have served
        UPDATE outbox.send_pace
        SET paced_until = NULL, parked_until = NULL, limited_at = NULL, limited_lane_tag = NULL,
            failed_lane_tag = NULL
        WHERE greatest(paced_until, parked_until, limited_at) < now() - interval '3 minutes'
    )
    SELECT (SELECT count(*) FROM intents) + (SELECT count(*) FROM receipts)
        + (SELECT count(*) FROM failures) + (SELECT count(*) FROM parked) + (SELECT count(*) FROM lanes)
"""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewIntent:
    """Something a person is to see. `tag` makes it one logical effect, however often it is queued."""

    kind: IntentKind
    tag: IntentTag
    chat_id: ChatId
    body: dict[str, Any]
    possible_repeat: bool = False


def intent_record(kind: IntentKind) -> RecordKind:
    """Name how the bodies of a kind are sealed: all of them to one length."""
    return RecordKind(domain=f"outbox:intent:{kind}", padded_bytes=POLICIES[kind].padded_bytes)


def queue_intent(pipeline: StatementPipeline, intent: NewIntent, *, unless_one_waits: bool = False) -> None:
    """Queue an intent behind the others of its lane. May be repeated: the tag keeps it single.

    With `unless_one_waits` nothing is queued while one of its kind is pending in the lane. Locks the lane's
    row until commit, so that positions become visible in order.
    """
    intent_id = secrets.token_bytes(16)
    plaintext = json.dumps(intent.body, ensure_ascii=False, separators=(",", ":")).encode()
    pipeline.queue_write(
        _QUEUE_INTENT,
        {
            "lane_tag": lane_tag(intent.chat_id),
            "intent_id": intent_id,
            "intent_tag": intent.tag,
            "kind": intent.kind,
            "lane_class": POLICIES[intent.kind].lane_class,
            "possible_repeat": intent.possible_repeat,
            "body": seal_record(intent_record(intent.kind), record_id=intent_id, plaintext=plaintext),
            "unless_one_waits": unless_one_waits,
            "waiting_kind": intent.kind,
        },
    )


def queue_lane_locked(pipeline: StatementPipeline, chat_id: ChatId) -> None:
    """Lock the lane of a chat until commit, for whoever may queue into it after locking something else."""
    pipeline.queue_write(
        """
        INSERT INTO outbox.lane AS lane (lane_tag, next_position, touched_at) VALUES (%s, 1, now())
        ON CONFLICT (lane_tag) DO UPDATE SET touched_at = now()
        """,
        [lane_tag(chat_id)],
    )


def queue_lane_tried(pipeline: StatementPipeline, chat_id: ChatId) -> Answer[bool]:
    """Lock a chat's lane if nobody else holds it, and tell so. Waits for nobody.

    For a transaction that holds another lane already. True as well where there is no lane yet.
    """
    return pipeline.queue(
        """
        WITH held AS (SELECT FROM outbox.lane WHERE lane_tag = %(lane_tag)s FOR UPDATE SKIP LOCKED)
        SELECT (SELECT count(*) FROM held)
            = (SELECT count(*) FROM outbox.lane WHERE lane_tag = %(lane_tag)s)
        """,
        {"lane_tag": lane_tag(chat_id)},
        read=lambda rows: rows[0][0],
    )


def queue_lane_asked(pipeline: StatementPipeline, chat_id: ChatId) -> None:
    """Let a chat's lane show, as an intent would, that something came up while it was leased.

    Locks the lane's row until commit, if there is one.
    """
    pipeline.queue_write(
        "UPDATE outbox.lane SET next_position = next_position + 1, touched_at = now() WHERE lane_tag = %s",
        [lane_tag(chat_id)],
    )


def queue_receipt(pipeline: StatementPipeline, *, bot_id: int, update_id: int) -> Answer[bool]:
    """Note that an update is being taken; False when its whole effect has been committed before.

    Waits for a transaction that is taking the same update at this moment.
    """
    return pipeline.queue(
        """
        INSERT INTO outbox.update_receipt (bot_id, update_id, received_on) VALUES (%s, %s, current_date)
        ON CONFLICT DO NOTHING RETURNING 1
        """,
        [bot_id, update_id],
        read=any_row,
    )


def queue_update_failed(pipeline: StatementPipeline, *, bot_id: int, update_id: int) -> Answer[int]:
    """Count one more failure of an update, and tell how many there have been."""
    return pipeline.queue(
        """
        INSERT INTO outbox.update_failure AS failure (bot_id, update_id, failures, failed_on)
        VALUES (%s, %s, 1, current_date)
        ON CONFLICT (bot_id, update_id) DO UPDATE SET failures = failure.failures + 1
        RETURNING failures
        """,
        [bot_id, update_id],
        read=lambda rows: rows[0][0],
    )


def queue_update_parked(pipeline: StatementPipeline, raw: bytes) -> None:
    """Set a poison update aside, sealed and padded to a power of two, for seven days."""
    parked_id = secrets.token_bytes(16)
    pipeline.queue_write(
        "INSERT INTO outbox.parked_update (parked_id, body, parked_on) VALUES (%s, %s, current_date)",
        [parked_id, seal_record(parked_update_record(len(raw)), record_id=parked_id, plaintext=raw)],
    )


def parked_update_record(size_bytes: int) -> RecordKind:
    """Name how a parked update of this size is sealed."""
    padded_bytes = max(_SMALLEST_PARKED_BYTES, 1 << (size_bytes + 64).bit_length())
    return RecordKind(domain="outbox:parked-update", padded_bytes=padded_bytes)


def record_bot(pipeline: StatementPipeline, *, bot_id: int, username: str) -> None:
    """Remember which bot this database serves, with which keys, and its name. May be repeated.

    Raises AnotherBotOwnsDatabase when the database already serves another bot: file ids, chat routes and
    update numbers belong to one bot and would silently mean something else under another.
    """
    recorded = pipeline.queue(
        """
        INSERT INTO outbox.bot_identity AS bot (scope, bot_id, username, pepper_check, sealed_check)
        VALUES ('bot', %s, %s, %s, %s)
        ON CONFLICT (scope) DO UPDATE SET username = EXCLUDED.username WHERE bot.bot_id = EXCLUDED.bot_id
        RETURNING 1
        """,
        [bot_id, username, make_pepper_check(), make_sealed_check()],
        read=any_row,
    )
    if not recorded.value:
        raise AnotherBotOwnsDatabase


def queue_expired_purged(pipeline: StatementPipeline, *, limit: int) -> Answer[int]:
    """Delete at most `limit` rows of each kind whose time is over, and idle lanes; tells how many went."""
    return pipeline.queue(
        _PURGE_EXPIRED,
        {"limit": limit},
        read=lambda rows: rows[0][0],
    )
