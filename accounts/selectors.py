"""Reads of the accounts plane. Each queues one statement into the open pipeline and gives a value."""

from dataclasses import dataclass, field

import structlog

from accounts.drafts import Draft, OpenDraft, open_draft
from accounts.preferences import ReceiveKind, open_display_name
from accounts.records import CHAT_ROUTE, CONTACT_SALT
from nekonymous_site.crypto.errors import EnvelopeUnreadable
from nekonymous_site.crypto.identifiers import (
    AccountId,
    ActorHash,
    BlockTag,
    ChatId,
    ContactSalt,
    Envelope,
)
from nekonymous_site.crypto.sealed_envelope import open_record
from nekonymous_site.pipeline import Answer, Row, StatementPipeline, first_row

log = structlog.get_logger("accounts")

UNREAD_LIMIT = 50


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Gathering:
    """The composition of a person of which more parts may come, until it is ready."""

    composition_id: bytes
    envelope: Envelope
    is_ready: bool
    is_overdue: bool  # for a minute: what fails to be ended has been tried often enough


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Actor:
    """Whoever wrote to the bot, with the draft that is open and the composition that gathers, if any."""

    account_id: AccountId
    actor_hash: ActorHash
    language: str
    time_zone: str
    reachable: bool
    salt_envelope: Envelope
    draft_envelope: Envelope | None
    gathering: Gathering | None = None
    is_new: bool = False

    def open_draft(self) -> OpenDraft | None:
        """Open the live draft; one that is spoilt is as good as none. Raises UnknownKeyId."""
        if self.draft_envelope is None:
            return None
        try:
            return open_draft(self.draft_envelope, owner=self.account_id)
        except EnvelopeUnreadable:
            log.warning("draft_unreadable")
            return None

    def draft(self) -> Draft | None:
        """Open the live draft, whenever it was opened."""
        opened = self.open_draft()
        return opened.draft if opened else None

    def contact_salt(self) -> ContactSalt:
        """Open what goes into the tags of this person's blocks and nicknames; raises CryptoError."""
        return _open_salt(self.salt_envelope, account_id=self.account_id)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkOwner:
    """Whose link a slug is, and what they want to be called."""

    account_id: AccountId
    salt_envelope: Envelope
    name_envelope: Envelope | None

    def display_name(self) -> str | None:
        """Open the chosen name, if there is one that can be opened; raises UnknownKeyId."""
        return open_display_name(self.name_envelope, account_id=self.account_id)

    def contact_salt(self) -> ContactSalt:
        """Open what goes into the tags of the owner's blocks and nicknames; raises CryptoError."""
        return _open_salt(self.salt_envelope, account_id=self.account_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipientGate:
    """What decides whether one more message may enter an inbox."""

    actor_hash: ActorHash = field(repr=False)
    reachable: bool
    paused: bool
    blocked: bool  # this sender
    refused_kinds: ReceiveKind
    has_room: bool
    link_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxCounts:
    """How many messages wait in an inbox, and how many are on their way to its owner."""

    waiting: int
    on_the_way: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Reachable:
    """Where and in which language to tell somebody something."""

    account_id: AccountId
    actor_hash: ActorHash
    chat_id: ChatId
    language: str
    reachable: bool


def queue_actor(pipeline: StatementPipeline, actor_hash: ActorHash) -> Answer[Actor | None]:
    """Find the account behind an actor hash, together with its live draft and what gathers for it."""

    def read(rows: list[Row]) -> Actor | None:
        row = first_row(rows)
        if row is None:
            return None
        account_id, language, time_zone, reachable, salt, draft, composition_id, *rest = row
        body, is_ready, is_overdue = rest
        return Actor(
            account_id=account_id,
            actor_hash=actor_hash,
            language=language,
            time_zone=time_zone,
            reachable=reachable,
            salt_envelope=salt,
            draft_envelope=draft,
            gathering=Gathering(
                composition_id=composition_id, envelope=body, is_ready=is_ready, is_overdue=is_overdue
            )
            if composition_id
            else None,
        )

    return pipeline.queue(
        """
        SELECT account.account_id, account.language, account.time_zone, account.reachable,
            account.contact_salt, draft.body, composition.composition_id, composition.body,
            composition.ready_at <= clock_timestamp(),
            composition.ready_at <= clock_timestamp() - interval '1 minute'
        FROM accounts.account
        LEFT JOIN accounts.draft ON draft.account_id = account.account_id AND draft.expires_at > now()
        LEFT JOIN accounts.composition
            ON composition.account_id = account.account_id AND composition.ready_at IS NOT NULL
        WHERE account.actor_hash = %s
        """,
        [actor_hash],
        read=read,
    )


def queue_link_owner(pipeline: StatementPipeline, slug: str) -> Answer[LinkOwner | None]:
    """Find who owns an active link. A paused, full or unreachable owner is found all the same."""

    def read(rows: list[Row]) -> LinkOwner | None:
        if not rows:
            return None
        account_id, salt, name = rows[0]
        return LinkOwner(account_id=account_id, salt_envelope=salt, name_envelope=name)

    return pipeline.queue(
        """
        SELECT account_id, contact_salt, display_name
        FROM accounts.public_link JOIN accounts.account USING (account_id)
        WHERE slug = %s AND active
        """,
        [slug],
        read=read,
    )


def queue_own_slug(pipeline: StatementPipeline, account_id: AccountId) -> Answer[str | None]:
    """Find the slug that an account shares."""
    return pipeline.queue(
        "SELECT slug FROM accounts.public_link WHERE account_id = %s AND active LIMIT 1",
        [account_id],
        read=lambda rows: rows[0][0] if rows else None,
    )


def queue_recipient_gate(
    pipeline: StatementPipeline, account_id: AccountId, *, slug: str | None, block_tag: BlockTag
) -> Answer[RecipientGate | None]:
    """Read the gate of an inbox; None when the account is gone. Queue it behind `queue_inbox_lock`.

    With a slug the link must still be active and belong to this account; a reply has none. `block_tag` is
    the one under which this recipient would have blocked this sender.
    """

    def read(rows: list[Row]) -> RecipientGate | None:
        row = first_row(rows)
        if row is None:
            return None
        actor_hash, reachable, paused, refused_kinds, blocked, unread_count, link_active = row
        return RecipientGate(
            actor_hash=actor_hash,
            reachable=reachable,
            paused=paused,
            blocked=blocked,
            refused_kinds=ReceiveKind(refused_kinds),
            has_room=unread_count < UNREAD_LIMIT,
            link_active=link_active,
        )

    return pipeline.queue(
        """
        SELECT account.actor_hash, account.reachable, coalesce(account.paused_until > now(), false),
            account.refused_kinds,
            EXISTS (SELECT FROM accounts.block WHERE block.block_tag = %s),
            (SELECT count(*) FROM accounts.unread WHERE unread.account_id = account.account_id),
            %s::text IS NULL OR EXISTS (
                SELECT FROM accounts.public_link
                WHERE slug = %s AND active AND public_link.account_id = account.account_id
            )
        FROM accounts.account
        WHERE account.account_id = %s
        """,
        [block_tag, slug, slug, account_id],
        read=read,
    )


def queue_unread_count(pipeline: StatementPipeline, account_id: AccountId) -> Answer[int]:
    """Count the messages that wait in an inbox; those on their way to it are not among them."""
    return pipeline.queue(
        "SELECT count(*) FROM accounts.unread WHERE account_id = %s AND state = 'waiting'",
        [account_id],
        read=lambda rows: rows[0][0],
    )


def queue_inbox_counts(pipeline: StatementPipeline, account_id: AccountId) -> Answer[InboxCounts]:
    """Count what waits in an inbox and what is on its way from it."""
    return pipeline.queue(
        """
        SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'sending')
        FROM accounts.unread WHERE account_id = %s
        """,
        [account_id],
        read=lambda rows: InboxCounts(waiting=rows[0][0], on_the_way=rows[0][1]),
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


def _open_salt(envelope: Envelope, *, account_id: AccountId) -> ContactSalt:
    return ContactSalt(open_record(CONTACT_SALT, record_id=account_id, envelope=envelope))
