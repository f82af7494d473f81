"""Writes of the accounts plane. Each queues its statements into the open durable transaction.

Locks are advisory and taken in one order, a person's own before an inbox, so that no two transactions wait
for each other and no row of a person changes merely because somebody locked it.
"""

import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from accounts.drafts import Draft, seal_draft
from accounts.preferences import DEFAULT_TIME_ZONE, TIME_ZONE_OF_LANGUAGE
from accounts.records import CHAT_ROUTE, CONTACT_SALT
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, ChatId, Envelope
from nekonymous_site.crypto.sealed_envelope import seal_record
from nekonymous_site.pipeline import Answer, StatementPipeline

DRAFT_HOURS: Final = 24
SLUG_BYTES: Final = 16
CONTACT_SALT_BYTES: Final = 16
_ACTOR_LOCK: Final = b"\x01"
_INBOX_LOCK: Final = b"\x02"


def queue_actor_lock(pipeline: StatementPipeline, actor_hash: ActorHash) -> None:
    """Let only one update of a person be worked on at a time, until the transaction ends."""
    _queue_advisory_lock(pipeline, _ACTOR_LOCK + actor_hash[:7])


def queue_actor_tried(pipeline: StatementPipeline, account_id: AccountId) -> Answer[bool]:
    """Take the actor's lock if it is free, and tell so; False while an update of theirs is being taken.

    Waits for nobody. True as well where the account is gone.
    """
    return pipeline.queue(
        """
        SELECT coalesce(bool_and(pg_try_advisory_xact_lock(
            ('x' || encode(%s || substring(actor_hash FROM 1 FOR 7), 'hex'))::bit(64)::bigint)), true)
        FROM accounts.account WHERE account_id = %s
        """,
        [_ACTOR_LOCK, account_id],
        read=lambda rows: rows[0][0],
    )


def queue_inbox_lock(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """Let only one transaction count, fill or drain an inbox at a time."""
    _queue_advisory_lock(pipeline, _INBOX_LOCK + account_id[:7])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class NewAccount:
    account_id: AccountId
    salt_envelope: Envelope


def create_account(
    pipeline: StatementPipeline, *, actor_hash: ActorHash, chat_id: ChatId, language: str
) -> NewAccount:
    """Queue an account and its first link. Needs the actor's lock; a second account violates a constraint."""
    account_id = AccountId(secrets.token_bytes(16))
    salt_envelope = seal_contact_salt(account_id)
    pipeline.queue_write(
        """
        INSERT INTO accounts.account
            (account_id, actor_hash, chat_route, contact_salt, language, time_zone, created_on)
        VALUES (%s, %s, %s, %s, %s, %s, current_date)
        """,
        [
            account_id,
            actor_hash,
            seal_record(CHAT_ROUTE, record_id=account_id, plaintext=str(chat_id).encode()),
            salt_envelope,
            language,
            TIME_ZONE_OF_LANGUAGE.get(language, DEFAULT_TIME_ZONE),
        ],
    )
    pipeline.queue_write(
        "INSERT INTO accounts.public_link (slug, account_id, created_on) VALUES (%s, %s, current_date)",
        [secrets.token_urlsafe(SLUG_BYTES), account_id],
    )
    return NewAccount(account_id=account_id, salt_envelope=salt_envelope)


def seal_contact_salt(account_id: AccountId) -> Envelope:
    """Draw a new account's own part of the tags of its blocks and nicknames, and seal it."""
    return seal_record(CONTACT_SALT, record_id=account_id, plaintext=secrets.token_bytes(CONTACT_SALT_BYTES))


def queue_reachable_again(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """A person who writes can be written to; their waiting messages are announced anew.

    Waits for a drain that is at the same rows. Takes no inbox's lock: two people who return by writing to
    each other hold each other's already.
    """
    pipeline.queue_write(
        """
        WITH back AS (
            UPDATE accounts.account SET reachable = true WHERE account_id = %s AND NOT reachable
            RETURNING account_id
        )
        UPDATE accounts.unread SET unnoticed = true FROM back
        WHERE unread.account_id = back.account_id AND state = 'waiting'
        """,
        [account_id],
    )


def queue_unreachable(pipeline: StatementPipeline, account_id: AccountId) -> None:
    """Nothing reaches this person until they write again. May be repeated.

    Waits for nobody. Whoever holds the row at this moment is the person themselves, who is writing, or the
    purge, behind which the next refusal tells it again.
    """
    pipeline.queue_write(
        """
        UPDATE accounts.account SET reachable = false
        WHERE account_id = (
            SELECT account_id FROM accounts.account WHERE account_id = %s AND reachable
            FOR UPDATE SKIP LOCKED)
        """,
        [account_id],
    )


def queue_draft(
    pipeline: StatementPipeline, *, owner: AccountId, draft: Draft, opened_at: int | None = None
) -> None:
    """Open a draft in place of whichever was open; it ends by itself after a day.

    `opened_at`, in whole seconds, is now unless something else is meant: what was written before is not for
    this draft.
    """
    pipeline.queue_write(
        """
        INSERT INTO accounts.draft (account_id, body, expires_at) VALUES (%s, %s, %s)
        ON CONFLICT (account_id) DO UPDATE SET body = EXCLUDED.body, expires_at = EXCLUDED.expires_at
        """,
        [
            owner,
            seal_draft(draft, owner=owner, opened_at=int(time.time()) if opened_at is None else opened_at),
            _hour_after(datetime.now(UTC) + timedelta(hours=DRAFT_HOURS)),
        ],
    )


def queue_draft_closed(pipeline: StatementPipeline, *, owner: AccountId) -> None:
    """Close the open draft, if any. May be repeated."""
    pipeline.queue_write("DELETE FROM accounts.draft WHERE account_id = %s", [owner])


def queue_expired_purged(pipeline: StatementPipeline, *, limit: int) -> Answer[int]:
    """Delete at most `limit` expired rows of each kind (drafts, compositions, unread); tells how many.

    Pauses that have ended are forgotten on the way.
    """
    return pipeline.queue(
        """
        WITH old_drafts AS (
            SELECT account_id FROM accounts.draft WHERE expires_at <= now() LIMIT %s FOR UPDATE SKIP LOCKED
        ), drafts AS (
            DELETE FROM accounts.draft USING old_drafts AS old WHERE draft.account_id = old.account_id
            RETURNING 1
        ), old_compositions AS (
            SELECT composition_id FROM accounts.composition WHERE expires_at <= now() AND ready_at IS NULL
            LIMIT %s FOR UPDATE SKIP LOCKED
        ), compositions AS (
            DELETE FROM accounts.composition USING old_compositions AS old
            WHERE composition.composition_id = old.composition_id
            RETURNING 1
        ), ended_pauses AS (
            SELECT account_id FROM accounts.account WHERE paused_until <= now() LIMIT %s
            FOR UPDATE SKIP LOCKED
        ), pauses AS (
            UPDATE accounts.account SET paused_until = NULL FROM ended_pauses AS ended
            WHERE account.account_id = ended.account_id
        ), old_unread AS (
            SELECT unread_id FROM accounts.unread WHERE expires_on <= current_date LIMIT %s
            FOR UPDATE SKIP LOCKED
        ), unread AS (
            DELETE FROM accounts.unread USING old_unread AS old WHERE unread.unread_id = old.unread_id
            RETURNING 1
        )
        SELECT (SELECT count(*) FROM drafts) + (SELECT count(*) FROM compositions)
            + (SELECT count(*) FROM unread)
        """,
        [limit] * 4,
        read=lambda rows: rows[0][0],
    )


def _queue_advisory_lock(pipeline: StatementPipeline, key: bytes) -> None:
    pipeline.queue_write("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(key, "big")])


def _hour_after(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
