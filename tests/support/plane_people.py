"""People made straight through the accounts plane, for tests that need rows and no story."""

import secrets

import accounts.inbox
import accounts.selectors
import accounts.services
from accounts.selectors import RecipientGate
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import (
    AccountId,
    BlockTag,
    ChatId,
    TelegramUserId,
    UnreadWithdrawTag,
    WithdrawSecret,
)
from nekonymous_site.pipeline import StatementPipeline, durable_transaction

_NOBODYS_TAG = BlockTag(b"no block lies under this")


def new_account(*, user_id: int | None = None) -> AccountId:
    """Register somebody; commits."""
    number = user_id or 1_000_000 + secrets.randbelow(10**9)
    with durable_transaction() as pipeline:
        return accounts.services.create_account(
            pipeline,
            actor_hash=blind_tags.actor_hash(TelegramUserId(number)),
            chat_id=ChatId(number),
            language="en",
        ).account_id


def queue_messages(pipeline: StatementPipeline, account_id: AccountId, *, count: int) -> list[Capability]:
    """Put fresh capabilities into an inbox, in order."""
    capabilities = [Capability.new() for _ in range(count)]
    accounts.services.queue_inbox_lock(pipeline, account_id)
    for capability in capabilities:
        accounts.inbox.queue_unread(
            pipeline, account_id, capability=capability, withdraw_tag=new_withdraw_tag()
        )
    return capabilities


def fill_inbox(account_id: AccountId, *, count: int) -> list[Capability]:
    """Put fresh capabilities into an inbox, in order; commits."""
    with durable_transaction() as pipeline:
        return queue_messages(pipeline, account_id, count=count)


def new_withdraw_tag() -> UnreadWithdrawTag:
    """Make the tag of a message whose sender nobody knows."""
    return blind_tags.unread_withdraw_tag(WithdrawSecret(secrets.token_bytes(16)))


def queue_gate(
    pipeline: StatementPipeline,
    account_id: AccountId,
    *,
    slug: str | None = None,
    block_tag: BlockTag = _NOBODYS_TAG,
) -> RecipientGate | None:
    """Read the gate of an inbox as somebody meets it whom its owner does not know."""
    return accounts.selectors.queue_recipient_gate(pipeline, account_id, slug=slug, block_tag=block_tag).value


def read_gate(account_id: AccountId) -> RecipientGate:
    """Read the gate of an inbox that is there; commits."""
    with durable_transaction() as pipeline:
        gate = queue_gate(pipeline, account_id)
    assert gate is not None
    return gate
