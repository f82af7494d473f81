"""One delivery: what is opened before the send, and what is written when its outcome is known."""

from dataclasses import dataclass, field
from typing import Any

import accounts.inbox
import accounts.selectors
import tickets.selectors
import tickets.services
from nekonymous_site.crypto import blind_tags, ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId
from nekonymous_site.pipeline import StatementPipeline
from nekonymous_site.workflows.ticket_content import MessageContent


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryOrder:
    """What a delivery intent carries, sealed: whose row, which attempt, which capability."""

    account_id: AccountId = field(repr=False)
    attempt_id: bytes
    capability: Capability = field(repr=False)

    def to_body(self) -> dict[str, Any]:
        return {
            "account": self.account_id.hex(),
            "attempt": self.attempt_id.hex(),
            "capability": self.capability.to_text(),
        }

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> "DeliveryOrder":
        return cls(
            account_id=AccountId(bytes.fromhex(body["account"])),
            attempt_id=bytes.fromhex(body["attempt"]),
            capability=Capability.parse(body["capability"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledOff:
    """There is nothing to deliver any more."""

    why: str


def open_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> MessageContent | CalledOff:
    """Check once more, at the moment of sending, that the message is there and the recipient's; open it.

    Raises CryptoError when the payload cannot be opened.
    """
    ticket_hash = blind_tags.ticket_hash(order.capability.lookup_nonce)
    stored = tickets.selectors.queue_ticket(pipeline, ticket_hash)
    owned = accounts.inbox.queue_unread_owned(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
    )
    recipient = accounts.selectors.queue_reachable(pipeline, order.account_id)
    ticket = stored.value
    if not owned.value or recipient.value is None:
        return CalledOff(why="recipient_gone")
    if ticket is None or ticket.payload is None:
        return CalledOff(why="ticket_gone")
    proof = blind_tags.owner_proof(
        actor_hash=recipient.value.actor_hash,
        account_id=order.account_id,
        ticket_hash=ticket_hash,
        key_seed=order.capability.key_seed,
    )
    if not blind_tags.tags_match(proof, ticket.owner_proof):
        return CalledOff(why="not_the_owner")
    return MessageContent.from_bytes(ticket_capsules.open_payload(order.capability, ticket.payload))


def confirm_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """Telegram has the message: wipe the payload and remove the unread row. May be repeated."""
    tickets.services.queue_ticket_viewed(pipeline, blind_tags.ticket_hash(order.capability.lookup_nonce))
    call_off_delivery(pipeline, order)


def call_off_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """The message can never be delivered: remove the unread row, if this attempt still owns it."""
    accounts.inbox.queue_unread_finished(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
    )


def give_back_delivery(
    pipeline: StatementPipeline, order: DeliveryOrder, *, announce: bool, possible_repeat: bool
) -> None:
    """The attempt is over without effect: let the message wait again, if this attempt still owns it."""
    accounts.inbox.queue_unread_returned(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
        announce=announce,
        possible_repeat=possible_repeat,
    )
