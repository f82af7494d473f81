"""Reads of the accounts plane. Each queues one statement into the open pipeline and gives a value."""

from dataclasses import dataclass, field

from accounts.drafts import Draft, open_draft
from accounts.records import CHAT_ROUTE
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, ChatId, Envelope
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, first_row

UNREAD_LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Actor:
    """Whoever wrote to the bot, with the draft that is open, if any."""

    account_id: AccountId
    actor_hash: ActorHash
    language: str
    reachable: bool
    draft_envelope: Envelope | None

    def draft(self) -> Draft | None:
        """Open the live draft; raises CryptoError when it cannot be opened."""
        return open_draft(self.draft_envelope, owner=self.account_id) if self.draft_envelope else None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkOwner:
    """Whose link a slug is."""

    account_id: AccountId


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientGate:
    """What decides whether one more message may enter an inbox."""

    actor_hash: ActorHash = field(repr=False)
    reachable: bool
    has_room: bool
    link_active: bool


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reachable:
    """Where and in which language to tell somebody something."""

    account_id: AccountId
    actor_hash: ActorHash
    chat_id: ChatId
    language: str
    reachable: bool


def queue_actor(pipeline: StatementPipeline, actor_hash: ActorHash) -> Answer[Actor | None]:
    """Find the account behind an actor hash, together with its live draft."""

    def read(rows: list[Row]) -> Actor | None:
        row = first_row(rows)
        if row is None:
            return None
        account_id, language, reachable, body = row
        return Actor(
            account_id=account_id,
            actor_hash=actor_hash,
            language=language,
            reachable=reachable,
            draft_envelope=body,
        )

    return pipeline.queue(
        """
        SELECT account.account_id, account.language, account.reachable, draft.body
        FROM accounts.account
        LEFT JOIN accounts.draft ON draft.account_id = account.account_id AND draft.expires_at > now()
        WHERE account.actor_hash = %s
        """,
        [actor_hash],
        read=read,
    )


def queue_link_owner(pipeline: StatementPipeline, slug: str) -> Answer[LinkOwner | None]:
    """Find who owns an active link. A paused, full or unreachable owner is found all the same."""
    return pipeline.queue(
        "SELECT account_id FROM accounts.public_link WHERE slug = %s AND active",
        [slug],
        read=lambda rows: LinkOwner(account_id=rows[0][0]) if rows else None,
    )


def queue_own_slug(pipeline: StatementPipeline, account_id: AccountId) -> Answer[str | None]:
    """Find the slug that an account shares."""
    return pipeline.queue(
        "SELECT slug FROM accounts.public_link WHERE account_id = %s AND active LIMIT 1",
        [account_id],
        read=lambda rows: rows[0][0] if rows else None,
    )


def queue_recipient_gate(
    pipeline: StatementPipeline, account_id: AccountId, *, slug: str | None
) -> Answer[RecipientGate | None]:
    """Read the gate of an inbox; None when the account is gone. Queue it behind `queue_inbox_lock`.

    With a slug the link must still be active and belong to this account; a reply has none.
    """

    def read(rows: list[Row]) -> RecipientGate | None:
        row = first_row(rows)
        if row is None:
            return None
        actor_hash, reachable, unread_count, link_active = row
        return RecipientGate(
            actor_hash=actor_hash,
            reachable=reachable,
            has_room=unread_count < UNREAD_LIMIT,
            link_active=link_active,
        )

    return pipeline.queue(
        """
        SELECT account.actor_hash, account.reachable,
            (SELECT count(*) FROM accounts.unread WHERE unread.account_id = account.account_id),
            %s::text IS NULL OR EXISTS (
                SELECT FROM accounts.public_link
                WHERE slug = %s AND active AND public_link.account_id = account.account_id
            )
        FROM accounts.account
        WHERE account.account_id = %s
        """,
        [slug, slug, account_id],
        read=read,
    )


def queue_unread_count(pipeline: StatementPipeline, account_id: AccountId) -> Answer[int]:
    """Count the messages that wait in an inbox; those on their way to it are not among them."""
    return pipeline.queue(
        "SELECT count(*) FROM accounts.unread WHERE account_id = %s AND state = 'waiting'",
        [account_id],
        read=lambda rows: rows[0][0],
    )


def queue_reachable(pipeline: StatementPipeline, account_id: AccountId) -> Answer[Reachable | None]:
    """Open the way to an account; None when it is gone. Reading the answer may raise CryptoError."""

    def read(rows: list[Row]) -> Reachable | None:
        row = first_row(rows)
        if row is None:
            return None
        actor_hash, chat_route, language, reachable = row
        return Reachable(
            account_id=account_id,
            actor_hash=actor_hash,
            chat_id=ChatId(int(open_record(CHAT_ROUTE, record_id=account_id, envelope=chat_route))),
            language=language,
            reachable=reachable,
        )

    return pipeline.queue(
        "SELECT actor_hash, chat_route, language, reachable FROM accounts.account WHERE account_id = %s",
        [account_id],
        read=read,
    )
