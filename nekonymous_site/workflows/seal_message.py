"""Turn a message into a sealed ticket in somebody's inbox. Shared by first messages and replies."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import accounts.inbox
import tickets.services
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability, WithdrawToken
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, ChatId, ContactSalt
from nekonymous_site.crypto.ticket_capsules import TicketPlaintext, seal_ticket
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_content import MessageContent, Meta, Route


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Origin:
    """Where a message comes from: the sender's chat, and the message (of several the first) in it."""

    chat_id: ChatId
    message_id: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Recipient:
    """Whose the ticket will be."""

    account_id: AccountId
    actor_hash: ActorHash
    contact_salt: ContactSalt


def queue_sealed_message(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    sender: Actor,
    origin: Origin,
    recipient: Recipient,
) -> WithdrawToken:
    """Queue a ticket under a fresh capability and an unread row for it; gives what takes both back.

    Needs the inbox's lock.
    """
    capability = Capability.new()
    token = WithdrawToken.new(capability.lookup_nonce)
    ticket_hash = blind_tags.ticket_hash(capability.lookup_nonce)
    sealed = seal_ticket(
        capability,
        TicketPlaintext(
            route=_route(sender, origin=origin, recipient=recipient).to_bytes(),
            payload=content.to_bytes(),
            meta=Meta(number=secrets.token_hex(3).upper(), created_on=datetime.now(UTC).date()).to_bytes(),
        ),
    )
    tickets.services.queue_ticket_stored(
        pipeline,
        sealed,
        owner_proof=blind_tags.owner_proof(
            actor_hash=recipient.actor_hash,
            account_id=recipient.account_id,
            ticket_hash=ticket_hash,
            key_seed=capability.key_seed,
        ),
        withdraw_tag=blind_tags.withdraw_tag(
            withdraw_secret=token.withdraw_secret, actor_hash=sender.actor_hash, ticket_hash=ticket_hash
        ),
    )
    accounts.inbox.queue_unread(
        pipeline,
        recipient.account_id,
        capability=capability,
        withdraw_tag=blind_tags.unread_withdraw_tag(token.withdraw_secret),
    )
    return token


def _route(sender: Actor, *, origin: Origin, recipient: Recipient) -> Route:
    return Route(
        account_id=sender.account_id,
        actor_hash=sender.actor_hash,
        chat_id=origin.chat_id,
        message_id=origin.message_id,
        contact_salt=sender.contact_salt(),
        contact_tag=blind_tags.contact_tag(
            recipient_salt=recipient.contact_salt,
            recipient_account_id=recipient.account_id,
            sender_account_id=sender.account_id,
        ),
        block_tag=blind_tags.block_tag(
            recipient_salt=recipient.contact_salt,
            recipient_account_id=recipient.account_id,
            sender_actor_hash=sender.actor_hash,
        ),
        abuse_tag=blind_tags.abuse_subject_tag(sender.actor_hash),
    )
