"""Turn a message into a sealed ticket in somebody's inbox. Shared by first messages and replies."""

import secrets
from datetime import UTC, datetime

import accounts.inbox
import tickets.services
from accounts.selectors import Actor
from nekonymous_site.crypto import blind_tags
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, ActorHash, ChatId
from nekonymous_site.crypto.ticket_capsules import TicketPlaintext, seal_ticket
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_content import MessageContent, Route, encode_meta


def queue_sealed_message(
    pipeline: StatementPipeline,
    content: MessageContent,
    *,
    sender: Actor,
    sender_chat_id: ChatId,
    sender_message_id: int,
    recipient: AccountId,
    recipient_actor_hash: ActorHash,
) -> None:
    """Queue a ticket under a fresh capability and an unread row for it. Needs the inbox's lock."""
    capability = Capability.new()
    route = Route(
        account_id=sender.account_id,
        actor_hash=sender.actor_hash,
        chat_id=sender_chat_id,
        message_id=sender_message_id,
    )
    ticket_hash = blind_tags.ticket_hash(capability.lookup_nonce)
    sealed = seal_ticket(
        capability,
        TicketPlaintext(
            route=route.to_bytes(recipient=recipient),
            payload=content.to_bytes(),
            meta=encode_meta(
                display_number=secrets.token_hex(3).upper(),
                created_on=datetime.now(UTC).date().isoformat(),
            ),
        ),
    )
    owner_proof = blind_tags.owner_proof(
        actor_hash=recipient_actor_hash,
        account_id=recipient,
        ticket_hash=ticket_hash,
        key_seed=capability.key_seed,
    )
    tickets.services.queue_ticket_stored(pipeline, sealed, owner_proof=owner_proof, withdraw_tag=None)
    accounts.inbox.queue_unread(pipeline, recipient, capability=capability)
