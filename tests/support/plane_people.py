"""People made straight through the accounts plane, for tests that need rows and no story."""

import secrets

import accounts.inbox
import accounts.services
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, ChatId, TelegramUserId, WithdrawSecret
from nekonymous_site.pipeline import StatementPipeline, durable_transaction


def new_account(*, user_id: int | None = None) -> AccountId:
    """Register somebody; commits."""
    number = user_id or 1_000_000 + secrets.randbelow(10**9)
    with durable_transaction() as pipeline:
        return accounts.services.create_account(
            pipeline,
            actor_hash=blind_tags.actor_hash(TelegramUserId(number)),
            chat_id=ChatId(number),
            language="en",
        )


def queue_messages(pipeline: StatementPipeline, account_id: AccountId, *, count: int) -> list[Capability]:
    """Put fresh capabilities into an inbox, in order."""
    capabilities = [Capability.new() for _ in range(count)]
    accounts.services.queue_inbox_lock(pipeline, account_id)
    for capability in capabilities:
        accounts.inbox.queue_unread(
            pipeline,
            account_id,
            capability=capability,
            withdraw_tag=blind_tags.unread_withdraw_tag(WithdrawSecret(secrets.token_bytes(16))),
        )
    return capabilities


def fill_inbox(account_id: AccountId, *, count: int) -> list[Capability]:
    """Put fresh capabilities into an inbox, in order; commits."""
    with durable_transaction() as pipeline:
        return queue_messages(pipeline, account_id, count=count)
