"""One delivery: what is opened before the send, and what is written when its outcome is known."""

from dataclasses import dataclass, field
from typing import Any

import accounts.contacts
import accounts.inbox
import accounts.selectors
import stats.services
import tickets.selectors
import tickets.services
from accounts.selectors import Reachable
from nekonymous_site.crypto import blind_tags, ticket_capsules
from nekonymous_site.crypto.capabilities import Capability
from nekonymous_site.crypto.identifiers import AccountId, IntentTag
from nekonymous_site.pipeline import Answer, StatementPipeline
from nekonymous_site.workflows.ticket_content import MessageContent, Route
from stats.events import StatEvent
from tickets.selectors import StoredTicket


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


def delivery_tag(capability: Capability, *, generation: int) -> IntentTag:
    """Name the one intent that a row may have in one generation; without the capability nobody finds it."""
    return blind_tags.intent_tag(
        "ticket-delivery",
        blind_tags.ticket_hash(capability.lookup_nonce),
        capability.key_seed,
        generation.to_bytes(2, "big"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledOff:
    """There is nothing to deliver any more."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message at the moment of sending, and what its reader has made of whoever sent it."""

    blocked: bool
    content: MessageContent = field(repr=False)
    nickname: str | None = field(repr=False)


def open_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> Delivery | CalledOff:
    """Check once more, at the moment of sending, that the message is there and wanted; open it.

    A block is told and not applied: what has begun to arrive is brought to its end all the same. Raises
    CryptoError when route or payload cannot be opened.
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
    if not _is_owner(ticket, order, recipient=recipient.value):
        return CalledOff(why="not_the_owner")
    route = Route.from_bytes(ticket_capsules.open_route(order.capability, ticket.route))
    blocked = accounts.contacts.queue_is_blocked(pipeline, route.block_tag)
    nickname = accounts.contacts.queue_nickname(pipeline, route.contact_tag)
    return Delivery(
        blocked=blocked.value,
        content=MessageContent.from_bytes(ticket_capsules.open_payload(order.capability, ticket.payload)),
        nickname=nickname.value,
    )


def _is_owner(ticket: StoredTicket, order: DeliveryOrder, *, recipient: Reachable) -> bool:
    proof = blind_tags.owner_proof(
        actor_hash=recipient.actor_hash,
        account_id=order.account_id,
        ticket_hash=ticket.ticket_hash,
        key_seed=order.capability.key_seed,
    )
    return blind_tags.tags_match(proof, ticket.owner_proof)


def begin_parts(pipeline: StatementPipeline, order: DeliveryOrder) -> bool:
    """A first part is about to leave: the sender cannot take the message back; False when they just have.

    May be repeated.
    """
    ticket_hash = blind_tags.ticket_hash(order.capability.lookup_nonce)
    return tickets.services.queue_ticket_begun(pipeline, ticket_hash).value


def note_nothing_arrived(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """No part has arrived, for certain: the sender can take the message back again. May be repeated."""
    tickets.services.queue_ticket_not_begun(pipeline, blind_tags.ticket_hash(order.capability.lookup_nonce))


def confirm_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """Telegram has the message: wipe the payload, remove the unread row, count the delivery."""
    tickets.services.queue_ticket_viewed(pipeline, blind_tags.ticket_hash(order.capability.lookup_nonce))
    _queue_unread_removed(pipeline, order)
    stats.services.queue_event(pipeline, StatEvent.MESSAGE_DELIVERED)


def call_off_delivery(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """The message is not to be delivered: wipe its payload and remove the unread row. May be repeated.

    Only the attempt that still owns the row does so: another one may be about to deliver it.
    """
    owned = accounts.inbox.queue_unread_owned(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
    )
    if owned.value:
        # The ticket before the row, as a sender does who takes it back.
        ticket_hash = blind_tags.ticket_hash(order.capability.lookup_nonce)
        tickets.services.queue_ticket_called_off(pipeline, ticket_hash)
        _queue_unread_removed(pipeline, order)


def _queue_unread_removed(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    accounts.inbox.queue_unread_finished(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
    )


def give_back_delivery(
    pipeline: StatementPipeline, order: DeliveryOrder, *, announce: bool, possible_repeat: bool
) -> Answer[bool]:
    """The attempt is over without effect: let the message wait again; False when it owns it no more."""
    return accounts.inbox.queue_unread_returned(
        pipeline,
        accounts.inbox.dedupe_tag(order.account_id, capability=order.capability),
        attempt_id=order.attempt_id,
        announce=announce,
        possible_repeat=possible_repeat,
    )


def give_back_whole_attempt(pipeline: StatementPipeline, order: DeliveryOrder) -> None:
    """Nothing reaches the recipient: what stands behind this delivery waits again too. May be repeated.

    None of it has been tried. Its intents find that their row is not theirs any more, and end without a call;
    so nothing of it can overtake what was refused, should the recipient return in between.
    """
    accounts.inbox.queue_attempt_returned(pipeline, order.account_id, attempt_id=order.attempt_id)
